/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/new_files.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/plain_text.h"

#define FOLDER_PREFIX ".iwarpsim-new-"

struct new_files {
  char *places;
  char *folder;
  int lock; /* a descriptor of `folder`, whose lock shows others that it is in use; it goes with the
               process */
};

/* Reports that `name`, in `folder`, cannot be written: `errno` has the reason. NULL: the folder itself. */
static gboolean fail(GError **error, const char *folder, const char *name)
{
  int reason = errno;
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: cannot be written (%s)", path,
              g_strerror(reason));
  errno = reason;
  return FALSE;
}

static int open_folder(const char *folder)
{
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* What `path` is already must not be lost: what is of one of our kinds is replaced only by another of `kind`.
 */
static gboolean may_replace(const char *path, guint kind, GError **error)
{
  const guint there = file_kind_of(path);
  return there == 0 || there == FILE_RUN_FOLDER || there == kind ||
         error_set(error, "%s: %s stands there, which is not written over; expected another file", path,
                   file_kind_noun(there));
}

static guint64 octets_in(const char *folder)
{
  g_autoptr(GDir) directory = g_dir_open(folder, 0, NULL);
  guint64 octets = 0;
  const char *name;
  while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    struct stat status;
    octets += g_lstat(path, &status) == 0 ? (guint64)status.st_size : 0;
  }
  return octets;
}

/* It must be no link, and of this user: in a folder that others write to, too, they may have made it. */
static int open_own_folder(const char *folder)
{
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status;
  if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || status.st_uid != geteuid())) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

/* Removes the hidden folders that killed processes of this user left in `places`, and names them on standard
 * error. */
static void clear(const char *places)
{
  g_autoptr(GDir) directory = g_dir_open(places, 0, NULL);
  const char *name;
  while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
    if (!g_str_has_prefix(name, FOLDER_PREFIX)) {
      continue;
    }
    g_autofree char *folder = g_build_filename(places, name, NULL);
    int lock = open_own_folder(folder);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
      const guint64 octets = octets_in(folder);
      interruption_remove_files(folder);
      if (g_rmdir(folder) == 0 && octets > 0) {
        plain_text_print(stderr,
                         "note: %s is removed, which a killed process left (%" G_GUINT64_FORMAT " octets)\n",
                         folder, octets);
      }
    }
    if (lock >= 0) {
      close(lock);
    }
  }
}

void new_files_clear_beside(const char *path)
{
  enum { LOOKED_AT_MAX = 1000 };
  g_autofree char *whole = g_canonicalize_filename(path, NULL), *places = g_path_get_dirname(whole);
  g_autoptr(GDir) directory = g_dir_open(places, 0, NULL);
  const char *name;
  clear(places);
  for (guint i = 0; i < LOOKED_AT_MAX && directory != NULL && (name = g_dir_read_name(directory)) != NULL;
       i++) {
    g_autofree char *folder = g_build_filename(places, name, NULL);
    clear(folder);
  }
}

new_files *new_files_begin(const char *folder, GError **error)
{
  clear(folder);
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
  const gboolean good = fsync(descriptor) == 0;
  return (close(descriptor) == 0 && good) || fail(error, files->places, name);
}

gboolean new_files_take_places(const new_files *files, const char *const *names, GError **error)
{
  const guint last = g_strv_length((char **)names) - 1;
  gboolean good = TRUE;
  for (const char *const *name = names; good && *name != NULL; name++) {
    g_autofree char *new = g_build_filename(files->folder, *name, NULL);
    g_autofree char *place = g_build_filename(files->places, *name, NULL);
    good = (!g_file_test(new, G_FILE_TEST_EXISTS) || may_replace(place, file_kind_of(new), error)) &&
           wait_for_disk(files, *name, error);
  }
  interruption_hold();
  const int places = open_folder(files->places);
  good = good && (last == 0 || unlinkat(places, names[last], 0) == 0 || errno == ENOENT ||
                  fail(error, files->places, names[last]));
  for (const char *const *name = names; good && *name != NULL; name++) {
    good = renameat(files->lock, *name, places, *name) == 0 ||
           (errno == ENOENT && (unlinkat(places, *name, 0) == 0 || errno == ENOENT)) ||
           fail(error, files->places, *name);
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

gboolean new_files_write(const char *path, const char *text, gsize length, GError **error)
{
  FILE *file = fopen(path, "wbe");
  const gboolean good = file != NULL && fwrite(text, 1, length, file) == length && fflush(file) == 0;
  return ((file == NULL || fclose(file) == 0) && good) || fail(error, path, NULL);
}

/* --- One file --- */

struct output {
  char *path, *name; /* the name in its folder */
  FILE *file;
  new_files *aside; /* NULL: what is no regular file is written to as it is */
};

output *output_begin(const char *path, guint kind, GError **error)
{
  struct stat status = {.st_mode = S_IFREG}, printed = {0};
  const gboolean exists = stat(path, &status) == 0 || lstat(path, &status) == 0;
  fstat(STDOUT_FILENO, &printed); /* a file that it leads to must stay the same one */
  const gboolean is_printed = status.st_dev == printed.st_dev && status.st_ino == printed.st_ino;
  const gboolean is_file = S_ISREG(status.st_mode) && !(exists && is_printed);
  char *aim = exists && is_file ? realpath(path, NULL) : NULL; /* a link stays */
  g_autofree char *folder = g_path_get_dirname(aim != NULL ? aim : path), *made = NULL;
  output *self = g_new0(output, 1);
  self->path = g_strdup(path);
  self->name = g_path_get_basename(aim != NULL ? aim : path);
  free(aim);
  if (may_replace(path, kind, error)) {
    self->aside = is_file ? new_files_begin(folder, NULL) : NULL;
    made = self->aside != NULL ? g_build_filename(self->aside->folder, self->name, NULL)
                               : g_strdup(is_file ? NULL : path);
    self->file = made != NULL ? fopen(made, "wbe") : NULL;
    if (self->file != NULL) {
      return self;
    }
    fail(error, path, NULL);
  }
  output_end(self, FALSE, NULL);
  return NULL;
}

FILE *output_file(const output *self)
{
  return self != NULL ? self->file : NULL;
}

gboolean output_end(output *self, gboolean whole, GError **error)
{
  if (self == NULL) {
    return TRUE;
  }
  const char *const names[] = {self->name, NULL};
  gboolean good = self->file != NULL;
  errno = 0;
  if (good && (fflush(self->file) != 0 || ferror(self->file))) {
    if (errno == 0) { /* an earlier write failed; another one shows why */
      putc('\n', self->file);
      (void)fflush(self->file);
    }
    good = fail(error, self->path, NULL);
  }
  if (self->file != NULL && fclose(self->file) != 0 && good) {
    good = fail(error, self->path, NULL);
  }
  good = good && (!whole || self->aside == NULL || new_files_take_places(self->aside, names, error));
  new_files_end(self->aside);
  g_free(self->path);
  g_free(self->name);
  g_free(self);
  return good;
}

gboolean output_write(const char *path, const char *text, gsize length, GError **error)
{
  output *self = NULL;
  if (path == NULL) {
    fwrite(text, 1, length, stdout);
    return TRUE;
  }
  self = output_begin(path, 0, error);
  return self != NULL && (fwrite(text, 1, length, self->file), output_end(self, TRUE, error));
}
