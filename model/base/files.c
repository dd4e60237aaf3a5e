/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/interruption.h"

#include "base/error.h"

/* PREFIX, and the folders below it, come from the build (meson.build). */
static const struct {
  const char *variable, *built, *installed;
} parts[] = {
    [PROGRAM_SCENARIOS] = {"IWARPSIM_SCENARIOS", "scenarios", DATADIR "/iwarpsim/scenarios"},
    [PROGRAM_PLOTS] = {"IWARPSIM_PLOTS", "plots", DATADIR "/iwarpsim/plots"},
    [PROGRAM_TIMELINE] = {"IWARPSIM_TIMELINE", "timeline", DATADIR "/iwarpsim/timeline"},
    [PROGRAM_MODULES] = {"IWARPSIM_MODULES", ".", LIBDIR "/iwarpsim"},
};

char *program_files_path(const char *before, enum program_part part, const char *name, GError **error)
{
  const char *own = g_getenv(parts[part].variable), *data = g_getenv("IWARPSIM_DATA");
  g_autofree char *executable = g_file_read_link("/proc/self/exe", NULL);
  g_autofree char *beside = executable != NULL ? g_path_get_dirname(executable) : NULL;
  g_autoptr(GPtrArray) folders = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) tried = g_string_new(NULL);

  if (before != NULL) {
    g_ptr_array_add(folders, g_strdup(before));
  }
  if (own != NULL) {
    g_ptr_array_add(folders, g_strdup(own));
  } else {
    if (data != NULL) {
      g_ptr_array_add(folders, g_build_filename(data, parts[part].built, NULL));
      g_ptr_array_add(folders, g_strdup(data));
    }
    if (beside != NULL) {
      g_ptr_array_add(folders, g_canonicalize_filename(parts[part].built, beside));
    }
    if (beside != NULL && g_str_has_suffix(beside, "/" BINDIR)) {
      beside[strlen(beside) - strlen("/" BINDIR)] = '\0';
      g_ptr_array_add(folders,
                      g_canonicalize_filename(parts[part].installed, *beside != '\0' ? beside : "/"));
    }
    g_ptr_array_add(folders, g_canonicalize_filename(parts[part].installed, PREFIX));
  }
  for (guint i = 0; i < folders->len; i++) {
    const char *folder = folders->pdata[i];
    g_autofree char *path = strcmp(folder, ".") == 0 ? g_strdup(name) : g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS)) {
      return g_steal_pointer(&path);
    }
    g_string_append_printf(tried, "%s%s", i == 0 ? "" : i + 1 < folders->len ? ", " : " or ", folder);
  }
  error_set(error, "cannot find '%s' in %s", name, tried->str);
  return NULL;
}

char *file_stem(const char *path, const char *ending)
{
  char *stem = g_path_get_basename(path);

  if (g_str_has_suffix(stem, ending) && strlen(stem) > strlen(ending)) {
    stem[strlen(stem) - strlen(ending)] = '\0';
  }
  return stem;
}

const char *regular_file_problem(const char *path)
{
  struct stat status;

  if (stat(path, &status) != 0) {
    return g_strerror(errno);
  }
  if (S_ISREG(status.st_mode)) {
    return NULL;
  }
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return errno == EISDIR ? g_strerror(errno) : "it is a pipe, a device or a socket";
}

/* --- New files --- */

#define FOLDER_PREFIX ".iwarpsim-new-"
#define OLD_PREFIX "old-" /* an older file, while the new ones take their places */

struct new_files {
  char *places;
  char *folder;
  int lock; /* a descriptor of `folder`, whose lock shows others that it is in use; it goes with the
               process */
};

/* `name`, in `folder`, cannot be written: errno says why. NULL: the folder itself. */
static gboolean fail(GError **error, const char *folder, const char *name)
{
  int reason = errno;
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: cannot be written (%s)", path,
              g_strerror(reason));
  return FALSE;
}

static int open_folder(const char *folder)
{
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A process that was killed while files took their places left the older ones there. They are not ours to
 * remove. */
static gboolean holds_old_files(const char *folder)
{
  g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
  const char *name;
  while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
    if (g_str_has_prefix(name, OLD_PREFIX)) {
      return TRUE;
    }
  }
  return FALSE;
}

static void remove_left_over(const char *places)
{
  g_autoptr(GDir) directory = g_dir_open(places, 0, NULL);
  const char *name;
  while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
    if (!g_str_has_prefix(name, FOLDER_PREFIX)) {
      continue;
    }
    g_autofree char *folder = g_build_filename(places, name, NULL);
    int lock = open_folder(folder);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0 && !holds_old_files(folder)) {
      interruption_remove_files(folder);
      g_rmdir(folder);
    }
    if (lock >= 0) {
      close(lock);
    }
  }
}

new_files *new_files_begin(const char *folder, GError **error)
{
  remove_left_over(folder);
  /* Before it is locked another process may take it for left over: then there is another one. */
  for (;;) {
    g_autofree char *made = g_build_filename(folder, FOLDER_PREFIX "XXXXXX", NULL);
    interruption_hold();
    const gboolean is_made = g_mkdtemp(made) != NULL;
    if (is_made) {
      interruption_removes(made, TRUE);
    }
    interruption_release();
    const int lock = is_made ? open_folder(made) : -1;
    if (!is_made || (lock < 0 && errno != ENOENT)) {
      fail(error, folder, NULL);
      return NULL;
    }
    (void)flock(lock, LOCK_EX); /* where there are no locks nobody removes it either */
    if (g_file_test(made, G_FILE_TEST_IS_DIR)) {
      new_files *files = g_new(new_files, 1);
      *files = (new_files){.places = g_strdup(folder), .folder = g_steal_pointer(&made), .lock = lock};
      return files;
    }
    interruption_keeps(made);
    close(lock);
  }
}

const char *new_files_folder(const new_files *files)
{
  return files->folder;
}

/* Each step does nothing to a file that is not there. */

/* A write error of the disk that is still unreported shows here. */
static gboolean wait_for_disk(const new_files *files, const char *name, GError **error)
{
  int descriptor = openat(files->lock, name, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return errno == ENOENT || fail(error, files->places, name);
  }
  gboolean good = fsync(descriptor) == 0 || fail(error, files->places, name);
  close(descriptor);
  return good;
}

gboolean new_files_take_places(const new_files *files, const char *const *names, GError **error)
{
  const guint count = g_strv_length((char **)names);
  g_autofree gboolean *aside = g_new0(gboolean, count), *in_place = g_new0(gboolean, count);
  g_auto(GStrv) old = g_new0(char *, count + 1); /* what the older files are called meanwhile */
  gboolean good = TRUE;
  interruption_hold();
  const int made = files->lock, places = open_folder(files->places);
  for (guint i = 0; good && i < count; i++) {
    old[i] = g_strconcat(OLD_PREFIX, names[i], NULL);
    good = wait_for_disk(files, names[i], error);
  }
  for (guint i = count; good && i-- > 0;) {
    aside[i] = renameat(places, names[i], made, old[i]) == 0;
    good = aside[i] || errno == ENOENT || fail(error, files->places, names[i]);
  }
  for (guint i = 0; good && i < count; i++) {
    in_place[i] = renameat(made, names[i], places, names[i]) == 0;
    good = in_place[i] || errno == ENOENT || fail(error, files->places, names[i]);
  }
  for (guint i = 0; !good && i < count; i++) {
    if (aside[i]) {
      renameat(made, old[i], places, names[i]);
    } else if (in_place[i]) {
      unlinkat(places, names[i], 0);
    }
  }
  close(places);
  interruption_release();
  return good;
}

void new_files_name_places(const new_files *files, GError *error)
{
  if (error != NULL) {
    GString *message = g_string_new(error->message);
    g_string_replace(message, files->folder, files->places, 0);
    g_free(error->message);
    error->message = g_string_free(message, FALSE);
  }
}

void new_files_end(new_files *files)
{
  if (files != NULL) {
    interruption_remove_files(files->folder);
    g_rmdir(files->folder);
    interruption_keeps(files->folder);
    close(files->lock);
    g_free(files->places);
    g_free(files->folder);
    g_free(files);
  }
}

/* GLib names the file in all its errors but that of a failing close(). */
gboolean new_files_write(const char *path, const char *text, gsize length, GError **error)
{
  g_autoptr(GError) problem = NULL;
  /* Also where nothing is to be replaced: an error of the disk is met before it is too late to report it. */
  interruption_hold();
  const gboolean good =
      g_file_set_contents_full(path, text, (gssize)length, G_FILE_SET_CONTENTS_CONSISTENT, 0666, &problem);
  interruption_release();
  if (!good) {
    g_set_error(error, G_FILE_ERROR, problem->code, "%s: cannot be written (%s)", path, problem->message);
  }
  return good;
}
