/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_file.h"

#include <string.h>

#include "base/files.h"
#include "scenario/scenario_problem.h"

#define DIGEST_MARK "@sha256:"
enum {
  DIGEST_DIGITS = 16, /* of 64: two files that differ have the same by accident once in 2^64 */
  BLOCK_OCTETS = 256 * 1024,
};
/* A flow list of 10^7 lines has 600 MB. What the kernel shows as a file may have no end. */
#define OCTETS_MAX (G_GUINT64_CONSTANT(1) << 34)

/* Returns the digest that ends `text`, after its mark; NULL: it has none. */
static const char *digest_in(const char *text)
{
  const char *mark = g_strrstr(text, DIGEST_MARK);
  const char *digest = mark != NULL ? mark + strlen(DIGEST_MARK) : "";

  return strlen(digest) == DIGEST_DIGITS && strspn(digest, "0123456789abcdef") == DIGEST_DIGITS ? digest
                                                                                                : NULL;
}

static int by_name(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns the names of the files in the folder `shipped` of the scenarios that come with the program, without
 * ".txt", in their order, NULL-terminated. Free with g_strfreev(). */
static char **shipped_names(const char *shipped)
{
  g_autofree char *folder = program_files_path(NULL, PROGRAM_SCENARIOS, shipped, NULL);
  GDir *files = folder != NULL ? g_dir_open(folder, 0, NULL) : NULL;
  GPtrArray *names = g_ptr_array_new();
  const char *file;

  while (files != NULL && (file = g_dir_read_name(files)) != NULL) {
    if (g_str_has_suffix(file, ".txt")) {
      g_ptr_array_add(names, file_stem(file, ".txt"));
    }
  }
  g_clear_pointer(&files, g_dir_close);
  g_ptr_array_sort(names, by_name);
  g_ptr_array_add(names, NULL);
  return (char **)g_ptr_array_free(names, FALSE);
}

/* Returns the path of the file `name`; NULL: there is none. Free with g_free(). */
static char *path_of(const scenario_key_row *row, const char *own, const char *folder, const char *name)
{
  if (g_path_is_absolute(name)) {
    return g_file_test(name, G_FILE_TEST_EXISTS) ? g_strdup(name) : NULL;
  }
  char *path = program_files_path(own, PROGRAM_SCENARIOS, name, NULL);
  path = path != NULL ? path : program_files_path(folder, PROGRAM_SCENARIOS, name, NULL);
  if (path == NULL && row->shipped != NULL) {
    g_autofree char *shipped = g_strdup_printf("%s/%s.txt", row->shipped, name);
    path = program_files_path(NULL, PROGRAM_SCENARIOS, shipped, NULL);
  }
  return path;
}

/* Returns the digest of the file at `path`. NULL sets `error`. Free with g_free(). */
static char *digest_of(const char *path, GError **error)
{
  g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
  g_autofree guchar *block = g_malloc(BLOCK_OCTETS);
  FILE *file = file_open(path, FALSE, error);
  guint64 total = 0;
  gsize octets = file != NULL ? BLOCK_OCTETS : 0;

  while (octets > 0 && total <= OCTETS_MAX) {
    octets = fread(block, 1, BLOCK_OCTETS, file);
    g_checksum_update(digest, block, (gssize)octets);
    total += octets;
  }
  const gboolean is_read = file != NULL && !ferror(file);
  g_clear_pointer(&file, fclose);
  if (!is_read || total > OCTETS_MAX) {
    if (error != NULL && *error == NULL) {
      scenario_problem(error, path, "it cannot be read; expected a file of at most 16 GiB");
    }
    return NULL;
  }
  return g_strndup(g_checksum_get_string(digest), DIGEST_DIGITS);
}

/* Sets `error`: no file is called `name`. */
static gboolean no_such_file(const scenario_key_row *row, const char *origin, const char *name,
                             GError **error)
{
  g_auto(GStrv) known = row->shipped != NULL ? shipped_names(row->shipped) : g_new0(char *, 1);
  g_autofree char *all = g_strjoinv(", ", known);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, (const char *const *)known));
  g_autofree char *shown = scenario_shown(name);

  return scenario_problem(error, origin, "%s = \"%s\" is not there; expected the path of a file%s%s%s",
                          row->name, shown, *all != '\0' ? ", or one that comes with the program: " : "", all,
                          hint);
}

gboolean scenario_file_find(const scenario_key_row *row, const char *origin, const char *folder,
                            scenario_value *value, GError **error)
{
  const char *colon = strrchr(origin, ':');
  const gboolean is_line =
      colon != NULL && colon[1] != '\0' && strspn(colon + 1, G_CSET_DIGITS) == strlen(colon + 1);
  g_autofree char *file = g_strndup(origin, is_line ? (gsize)(colon - origin) : 0);
  g_autofree char *own = g_path_get_dirname(file);
  g_autoptr(GError) problem = NULL;

  if (*value->text == '\0' || value->path != NULL) {
    return TRUE;
  }
  const char *expected = digest_in(value->text);
  g_autofree char *name = expected != NULL
                              ? g_strndup(value->text, (gsize)(expected - value->text) - strlen(DIGEST_MARK))
                              : g_strdup(value->text);
  g_autofree char *path = path_of(row, own, folder, name);
  if (path == NULL) {
    return no_such_file(row, origin, name, error);
  }
  g_autofree char *digest = digest_of(path, &problem);
  if (digest == NULL) {
    return scenario_problem(error, origin, "%s: %s", row->name, problem->message);
  }
  if (expected != NULL && strcmp(expected, digest) != 0) {
    return scenario_problem(error, origin,
                            "%s: %s has other contents, of digest %s; expected those of %s, or the name "
                            "without a digest",
                            row->name, path, digest, expected);
  }
  g_free(value->text);
  value->text = g_strconcat(name, DIGEST_MARK, digest, NULL);
  value->path = g_steal_pointer(&path);
  return TRUE;
}

gboolean scenario_file_is_same(const char *a, const char *b)
{
  const char *ends[] = {digest_in(a), digest_in(b)};
  const gsize lengths[] = {ends[0] != NULL ? (gsize)(ends[0] - a) - strlen(DIGEST_MARK) : strlen(a),
                           ends[1] != NULL ? (gsize)(ends[1] - b) - strlen(DIGEST_MARK) : strlen(b)};

  return ends[0] != NULL && ends[1] != NULL ? strcmp(a, b) == 0
                                            : lengths[0] == lengths[1] && strncmp(a, b, lengths[0]) == 0;
}
