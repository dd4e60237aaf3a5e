/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

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

FILE *file_open(const char *path, gboolean takes_pipe, GError **error)
{
  const char *problem = regular_file_problem(path);
  const gboolean fits = problem == NULL || (takes_pipe && errno == EINVAL);
  /* Where nobody writes into a pipe, its end is read; open() would wait. */
  const int descriptor = fits ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
  if (descriptor >= 0) {
    fcntl(descriptor, F_SETFL, 0);
    return fdopen(descriptor, "rb");
  }
  error_set(error, "%s: %s", path, fits ? g_strerror(errno) : problem);
  return NULL;
}
