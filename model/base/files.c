/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

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

/* --- What a file is --- */

enum { BEGINNING_OCTETS = 64 * 1024 }; /* a scenario may begin with a long comment */

static const struct {
  guint kind;
  gsize length;
  const char *octets;
} magics[] = {
    {FILE_STORE, 15, "SQLite format 3"},   {FILE_TRACE, sizeof FILE_TRACE_MAGIC - 1, FILE_TRACE_MAGIC},
    {FILE_CAPTURE, 4, "\xd4\xc3\xb2\xa1"}, {FILE_CAPTURE, 4, "\xa1\xb2\xc3\xd4"},
    {FILE_CAPTURE, 4, "\x4d\x3c\xb2\xa1"}, {FILE_CAPTURE, 4, "\xa1\xb2\x3c\x4d"},
    {FILE_CAPTURE, 4, "\x0a\x0d\x0d\x0a"}, {FILE_SUMMARY, 17, "{\n  \"scenario\": {"},
};

/* A scenario begins with this, after comments: a title, a group, a list or another file. */
#define SCENARIO                                                                                             \
  "\\A(?>\\s+|#[^\\n]*|//[^\\n]*|/\\*.*?\\*/)*+"                                                             \
  "(@include\\s*\"|title\\s*[=:]\\s*\"[^\"\n]*\"\\s*;|[a-z]+\\s*[=:]\\s*\\{|(sweep|where|event)\\s*[=:]\\s*" \
  "[(\\[\"])"

/* It is the header of a run's series, after comments. */
#define SERIES "\\A(?>#[^\\n]*\\n)*+time_s,connection,cause,octets\\n"

static guint kind_of_octets(const guint8 *octets, gsize length)
{
  for (gsize i = 0; i < G_N_ELEMENTS(magics); i++) {
    if (length >= magics[i].length && memcmp(octets, magics[i].octets, magics[i].length) == 0) {
      return magics[i].kind;
    }
  }
  g_autofree char *text = g_strndup((const char *)octets, length); /* up to the first NUL, if any */
  return g_regex_match_simple(SERIES, text, G_REGEX_RAW, 0)                      ? FILE_SERIES
         : g_regex_match_simple(SCENARIO, text, G_REGEX_DOTALL | G_REGEX_RAW, 0) ? FILE_SCENARIO
                                                                                 : 0;
}

guint file_kind_of(const char *path)
{
  g_autofree char *summary_path = g_build_filename(path, "summary.json", NULL);
  g_autofree guint8 *octets = g_malloc(BEGINNING_OCTETS), *inflated = g_malloc(BEGINNING_OCTETS);
  FILE *file = regular_file_problem(path) == NULL ? fopen(path, "rbe") : NULL;
  gsize length = file != NULL ? fread(octets, 1, BEGINNING_OCTETS, file) : 0;

  if (file == NULL) {
    return g_file_test(summary_path, G_FILE_TEST_EXISTS) ? FILE_RUN_FOLDER : 0;
  }
  fclose(file);
  if (length > 2 && octets[0] == 0x1f && octets[1] == 0x8b) { /* gzip (RFC 1952 §2.3.1) */
    z_stream gzip = {
        .next_in = octets, .avail_in = (uInt)length, .next_out = inflated, .avail_out = BEGINNING_OCTETS};
    inflateInit2(&gzip, 16 + MAX_WBITS); /* 16: with gzip's header */
    inflate(&gzip, Z_SYNC_FLUSH);
    inflateEnd(&gzip);
    return kind_of_octets(inflated, gzip.total_out) &
           FILE_CAPTURE; /* nothing else of ours is read compressed */
  }
  const guint kind = kind_of_octets(octets, length);
  char target[PATH_MAX]; /* the name behind symbolic links */
  const char *name = realpath(path, target) != NULL ? target : path;
  return kind != 0                                                          ? kind
         : g_str_has_suffix(path, ".cfg") || g_str_has_suffix(name, ".cfg") ? FILE_SCENARIO
         : g_str_has_suffix(name, "summary.json")                           ? FILE_SUMMARY
                                                                            : 0;
}

const char *file_kind_noun(guint kind)
{
  /* in the order of the bits */
  static const char *const nouns[] = {"a scenario", "a result store",       "the folder of a run", "a trace",
                                      "a capture",  "the summary of a run", "the series of a run"};
  return nouns[g_bit_nth_lsf(kind, -1)];
}
