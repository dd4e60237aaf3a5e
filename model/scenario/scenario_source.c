/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_scan.h"

enum {
  SIZE_MAX_OCTETS = 4 * 1024 * 1024, /* of all files together */
  INCLUDE_DEPTH_MAX = 10,            /* libconfig's own */
};

/* Lines first_line … of the whole text are those of `path` from `path_line` on. */
typedef struct stretch {
  guint first_line;
  const char *path; /* in the source's `paths` */
  guint path_line;
} stretch;

/* What a file and those that it includes have in common. */
typedef struct source_family {
  char *folder;       /* of the outermost file */
  gsize octets;       /* of all files read so far */
  GHashTable *paths;  /* of every file read */
  GString *full_text; /* all files read, each once */
  GPtrArray *reading; /* the files that are being included now, the outermost first */
} source_family;

struct scenario_source {
  source_family *family; /* the outermost source's */
  gboolean is_outermost;
  GString *text;
  scenario_scan *scan; /* of it */
  guint lines;         /* finished lines in `text` */
  GArray *stretches;   /* of stretch, ascending */
  GPtrArray *included; /* of scenario_source: the files included outside of any group, in their order */
};

static gboolean append_file(scenario_source *source, const char *path, const char *name, const char *includer,
                            GError **error);

static void begin_stretch(scenario_source *source, const char *path, guint path_line)
{
  stretch next = {source->lines + 1, path, path_line};

  g_array_append_val(source->stretches, next);
}

/* Reads at most what is left of SIZE_MAX_OCTETS. NULL with `*problem` set (static or from errno) when that
 * fails. */
static GString *read_octets(const char *path, gsize left, const char **problem)
{
  *problem = regular_file_problem(path);
  FILE *file = *problem == NULL ? fopen(path, "rb") : NULL;
  GString *octets = g_string_new(NULL);
  char part[16384];
  gsize count;

  if (*problem == NULL && file == NULL) {
    *problem = g_strerror(errno);
  }
  while (*problem == NULL && (count = fread(part, 1, sizeof part, file)) > 0) {
    if (octets->len + count > left) {
      *problem = "it is larger than 4 MiB, which no scenario is";
    }
    g_string_append_len(octets, part, (gssize)count);
  }
  if (*problem == NULL && ferror(file)) {
    *problem = g_strerror(errno);
  }
  if (file != NULL) {
    fclose(file);
  }
  if (*problem == NULL) {
    return octets;
  }
  g_string_free(octets, TRUE);
  return NULL;
}

/* A scenario is text: the title goes into JSON, and a NUL would end it for libconfig. */
static gboolean check_text(const char *path, const GString *octets, GError **error)
{
  const char *end;
  guint line = 1;

  if (g_utf8_validate_len(octets->str, octets->len, &end)) {
    return TRUE;
  }
  for (const char *p = octets->str; p < end; p++) {
    line += *p == '\n';
  }
  g_autofree char *where = g_strdup_printf("%s:%u", path, line);
  return scenario_problem(error, where, "octet 0x%02x is no text; expected a scenario file in UTF-8",
                          (guchar)*end);
}

/* The file named by an @include line, or NULL when `line` is none. libconfig's rule: at the start of a line,
 * blanks before allowed. `*rest` is what follows it. */
static char *included_name(const char *line, const char **rest)
{
  GString *name;

  line += strspn(line, " \t");
  if (!g_str_has_prefix(line, "@include")) {
    return NULL;
  }
  line += strlen("@include");
  if (*line != ' ' && *line != '\t') {
    return NULL;
  }
  line += strspn(line, " \t");
  if (*line++ != '"') {
    return NULL;
  }
  name = g_string_new(NULL);
  while (*line != '"' && *line != '\n' && *line != '\0') {
    if (*line == '\\' && (line[1] == '\\' || line[1] == '"')) {
      line++;
    }
    g_string_append_c(name, *line++);
  }
  *rest = line + 1;
  return g_string_free(name, *line != '"');
}

static scenario_source *source_new(source_family *family)
{
  scenario_source *source = g_new0(scenario_source, 1);

  source->family = family;
  source->text = g_string_new(NULL);
  source->scan = scenario_scan_new();
  source->stretches = g_array_new(FALSE, FALSE, sizeof(stretch));
  source->included = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_source_free);
  return source;
}

/* The path of the file `name`: in the folder of the outermost file; when it is not there, among the files
 * that come with the program, so that any scenario finds "presets/cxgb4.cfg". Free with g_free(). */
static char *included_path(const source_family *family, const char *name)
{
  gboolean as_is = g_path_is_absolute(name) || strcmp(family->folder, ".") == 0;
  g_autofree char *path = as_is ? g_strdup(name) : g_build_filename(family->folder, name, NULL);
  g_autofree char *shipped = program_files_path("IWARPSIM_DATA", "scenarios", SCENARIO_INSTALLED, name);
  gboolean is_shipped = !g_path_is_absolute(name) && !g_file_test(path, G_FILE_TEST_EXISTS) &&
                        g_file_test(shipped, G_FILE_TEST_EXISTS);

  return is_shipped ? g_steal_pointer(&shipped) : g_steal_pointer(&path);
}

static gboolean check_tokens(const scenario_source *source, GError **error);

/* A file that is included outside of any group is a text of its own: the including file's own values win,
 * and groups may be in both. Within a group its text stands in place. */
static gboolean append_included(scenario_source *source, const char *name, int depth, const char *where,
                                GError **error)
{
  const GPtrArray *reading = source->family->reading;
  g_autofree char *path = included_path(source->family, name);

  for (guint i = 0; i < reading->len; i++) {
    if (strcmp(reading->pdata[i], path) == 0) {
      return scenario_problem(error, where, "'%s' includes itself; expected no circle of files", path);
    }
  }
  if (reading->len > INCLUDE_DEPTH_MAX) {
    return scenario_problem(error, where, "includes are nested deeper than %d; expected fewer",
                            INCLUDE_DEPTH_MAX);
  }
  if (depth > 0) {
    return append_file(source, path, name, where, error);
  }
  scenario_source *own = source_new(source->family);
  g_ptr_array_add(source->included, own);
  return append_file(own, path, name, where, error) && check_tokens(own, error);
}

/* Appends the lines of `octets`, read from `path`, and what they include. Within a string or a comment
 * @include means nothing. */
static gboolean append_lines(scenario_source *source, const char *path, const GString *octets, GError **error)
{
  const char *line = octets->str;
  int depth = 0; /* of brackets of this file */
  guint opened_line;

  begin_stretch(source, path, 1);
  for (guint number = 1; *line != '\0'; number++) {
    gboolean is_plain = scenario_scan_state_of(source->scan, NULL) == SCENARIO_SCAN_PLAIN;
    const char *rest;
    g_autofree char *name = is_plain ? included_name(line, &rest) : NULL;

    if (name != NULL) {
      g_autofree char *where = g_strdup_printf("%s:%u", path, number);

      if (!append_included(source, name, depth, where, error)) {
        return FALSE;
      }
      begin_stretch(source, path, number);
      line = rest;
    }
    gsize length = strcspn(line, "\n");
    g_string_append_len(source->text, line, (gssize)length);
    g_string_append_c(source->text, '\n');
    source->lines++;
    depth += scenario_scan_line(source->scan, line, length);
    line += length + (line[length] == '\n');
  }
  /* libconfig would take the rest of the text for the comment. */
  scenario_scan_state state = scenario_scan_state_of(source->scan, &opened_line);
  g_autofree char *where = scenario_source_where(source, opened_line);
  return state == SCENARIO_SCAN_PLAIN ||
         scenario_problem(error, where,
                          state == SCENARIO_SCAN_STRING
                              ? "a string is never closed; expected its closing '\"'"
                              : "a comment is never closed; expected its closing '*/'");
}

/* The path of a file that was read, valid as long as the family. Adds the file to the full text, once, by
 * its name as written: where it was found differs from machine to machine. */
static const char *keep_file(source_family *family, const char *path, const char *name, const GString *octets)
{
  gpointer kept;

  if (g_hash_table_lookup_extended(family->paths, path, &kept, NULL)) {
    return kept;
  }
  if (name != NULL) {
    gboolean ended = family->full_text->len == 0 || g_str_has_suffix(family->full_text->str, "\n");
    g_string_append_printf(family->full_text, "%s# @include \"%s\"\n", ended ? "" : "\n", name);
  }
  g_string_append_len(family->full_text, octets->str, (gssize)octets->len);
  kept = g_strdup(path);
  g_hash_table_add(family->paths, kept);
  return kept;
}

/* `name` and `includer`: what an including file calls `path`, and where; NULL for the outermost. */
static gboolean append_file(scenario_source *source, const char *path, const char *name, const char *includer,
                            GError **error)
{
  source_family *family = source->family;
  const char *problem;
  GString *octets = read_octets(path, SIZE_MAX_OCTETS - MIN(family->octets, SIZE_MAX_OCTETS), &problem);
  gboolean ok;

  if (octets == NULL && includer != NULL) {
    return scenario_problem(error, includer, "cannot read '%s' (%s); expected a file to include", path,
                            problem);
  }
  if (octets == NULL) {
    return scenario_problem(error, path, "cannot read it (%s); expected a scenario file", problem);
  }
  family->octets += octets->len;
  path = keep_file(family, path, name, octets);
  g_ptr_array_add(family->reading, (gpointer)path);
  ok = check_text(path, octets, error) && append_lines(source, path, octets, error);
  g_ptr_array_set_size(family->reading, (gint)family->reading->len - 1);
  g_string_free(octets, TRUE);
  return ok;
}

static gboolean check_tokens(const scenario_source *source, GError **error)
{
  const scenario_scan_problem *problem = scenario_scan_end(source->scan);

  if (problem == NULL) {
    return TRUE;
  }
  g_autofree char *where = scenario_source_where(source, problem->line);
  if (problem->earlier_line == 0) {
    return scenario_problem(error, where, "%s", problem->text);
  }
  g_autofree char *earlier = scenario_source_where(source, problem->earlier_line);
  return scenario_problem(error, where, "%s in %s", problem->text, earlier);
}

scenario_source *scenario_source_read(const char *path, GError **error)
{
  source_family *family = g_new0(source_family, 1);
  scenario_source *source = source_new(family);

  source->is_outermost = TRUE;
  family->folder = g_path_get_dirname(path);
  family->paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  family->full_text = g_string_new(NULL);
  family->reading = g_ptr_array_new();
  if (!append_file(source, path, NULL, NULL, error) || !check_tokens(source, error)) {
    g_clear_pointer(&source, scenario_source_free);
  }
  return source;
}

void scenario_source_free(scenario_source *source)
{
  if (source == NULL) {
    return;
  }
  g_string_free(source->text, TRUE);
  scenario_scan_free(source->scan);
  g_array_unref(source->stretches);
  g_ptr_array_unref(source->included);
  if (source->is_outermost) {
    g_free(source->family->folder);
    g_hash_table_unref(source->family->paths);
    g_string_free(source->family->full_text, TRUE);
    g_ptr_array_unref(source->family->reading);
    g_free(source->family);
  }
  g_free(source);
}

guint scenario_source_included_count(const scenario_source *source)
{
  return source->included->len;
}

const scenario_source *scenario_source_included(const scenario_source *source, guint index)
{
  g_assert(index < source->included->len);
  return source->included->pdata[index];
}

const char *scenario_source_text(const scenario_source *source)
{
  return source->text->str;
}

const char *scenario_source_full_text(const scenario_source *source)
{
  return source->family->full_text->str;
}

char *scenario_source_where(const scenario_source *source, guint line)
{
  const stretch *stretches = (const stretch *)(const void *)source->stretches->data;
  guint after = source->stretches->len;
  guint found = 0;

  /* An error at the end of the text may be put after its last line. */
  line = CLAMP(line, 1, MAX(source->lines, 1));
  while (after - found > 1) {
    guint middle = found + (after - found) / 2;

    if (stretches[middle].first_line <= line) {
      found = middle;
    } else {
      after = middle;
    }
  }
  return g_strdup_printf("%s:%u", stretches[found].path,
                         stretches[found].path_line + (line - stretches[found].first_line));
}

char *scenario_source_line(const scenario_source *source, guint line)
{
  const char *p = source->text->str;

  for (guint i = 1; i < line && *p != '\0'; i++) {
    p += strcspn(p, "\n");
    p += *p == '\n';
  }
  return g_strstrip(g_strndup(p, strcspn(p, "\n")));
}
