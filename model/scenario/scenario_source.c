/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/program_files.h"
#include "base/regular_file.h"
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
  GPtrArray *paths;   /* every file read */
  GString *full_text; /* all files read, each once */
  GPtrArray *reading; /* the files that are being included now, the outermost first */
} source_family;

struct scenario_source {
  source_family *family; /* the outermost source's */
  gboolean is_outermost;
  GString *text;
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

static guint line_of(const GString *octets, gsize offset)
{
  guint line = 1;

  for (gsize i = 0; i < offset; i++) {
    line += octets->str[i] == '\n';
  }
  return line;
}

/* A scenario is text: the title goes into JSON, and a NUL would end it for libconfig. */
static gboolean check_text(const char *path, const GString *octets, GError **error)
{
  const char *end;

  if (g_utf8_validate_len(octets->str, octets->len, &end)) {
    return TRUE;
  }
  char *where = g_strdup_printf("%s:%u", path, line_of(octets, (gsize)(end - octets->str)));
  scenario_problem(error, where, "octet 0x%02x is no text; expected a scenario file in UTF-8", (guchar)*end);
  g_free(where);
  return FALSE;
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
  source->stretches = g_array_new(FALSE, FALSE, sizeof(stretch));
  source->included = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_source_free);
  return source;
}

/* Where the file `name` is: in the folder of the outermost file; else, when it is not there, among the files that come
 * with the program, so that a scenario anywhere finds "presets/cxgb4.cfg". Free with g_free(). */
static char *included_path(const source_family *family, const char *name)
{
  gboolean as_is = g_path_is_absolute(name) || strcmp(family->folder, ".") == 0;
  char *path = as_is ? g_strdup(name) : g_build_filename(family->folder, name, NULL);
  char *shipped = program_files_path("IWARPSIM_DATA", "scenarios", SCENARIO_INSTALLED, name);

  if (!g_path_is_absolute(name) && !g_file_test(path, G_FILE_TEST_EXISTS) &&
      g_file_test(shipped, G_FILE_TEST_EXISTS)) {
    g_free(path);
    return shipped;
  }
  g_free(shipped);
  return path;
}

static gboolean check_tokens(const scenario_source *source, GError **error);

/* A file included outside of any group is a text of its own: what the including file says itself wins, so groups
 * may be in both. Within a group its text stands in place. */
static gboolean append_included(scenario_source *source, const char *name, int depth, const char *where,
                                GError **error)
{
  GPtrArray *reading = source->family->reading;
  char *path = included_path(source->family, name);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < reading->len; i++) {
    if (strcmp(reading->pdata[i], path) == 0) {
      ok = scenario_problem(error, where, "'%s' includes itself; expected no circle of files", path);
    }
  }
  if (ok && reading->len > INCLUDE_DEPTH_MAX) {
    ok = scenario_problem(error, where, "includes are nested deeper than %d; expected fewer",
                          INCLUDE_DEPTH_MAX);
  }
  if (ok && depth > 0) {
    ok = append_file(source, path, name, where, error);
  } else if (ok) {
    scenario_source *own = source_new(source->family);

    g_ptr_array_add(source->included, own);
    ok = append_file(own, path, name, where, error) && check_tokens(own, error);
  }
  g_free(path);
  return ok;
}

/* libconfig takes an open comment for the rest of the text. */
static gboolean check_closed(const char *path, scenario_scan_state state, guint opened_line, GError **error)
{
  if (state == SCENARIO_SCAN_PLAIN) {
    return TRUE;
  }
  char *where = g_strdup_printf("%s:%u", path, opened_line);
  scenario_problem(error, where,
                   state == SCENARIO_SCAN_STRING ? "a string is never closed; expected its closing '\"'"
                                                 : "a comment is never closed; expected its closing '*/'");
  g_free(where);
  return FALSE;
}

/* Appends the lines of `octets`, read from `path`, and what they include. `scan` knows whether a line starts
 * within a string or a comment, where @include means nothing. */
static gboolean append_lines(scenario_source *source, const char *path, const GString *octets, GError **error)
{
  scenario_scan_state state = SCENARIO_SCAN_PLAIN;
  const char *line = octets->str;
  guint opened_line = 0;
  gboolean ok = TRUE;
  int depth = 0;

  begin_stretch(source, path, 1);
  for (guint number = 1; ok && *line != '\0'; number++) {
    gboolean opened = FALSE;
    const char *rest;
    char *name = state == SCENARIO_SCAN_PLAIN ? included_name(line, &rest) : NULL;

    if (name != NULL) {
      char *where = g_strdup_printf("%s:%u", path, number);

      ok = append_included(source, name, depth, where, error);
      g_free(where);
      g_free(name);
      begin_stretch(source, path, number);
      line = rest;
    }
    gsize length = strcspn(line, "\n");
    g_string_append_len(source->text, line, (gssize)length);
    g_string_append_c(source->text, '\n');
    source->lines++;
    state = scenario_scan_line(state, line, length, &opened, &depth);
    opened_line = opened ? number : opened_line;
    line += length + (line[length] == '\n');
  }
  return ok && check_closed(path, state, opened_line, error);
}

/* A file that is included twice stands there once. By its name as written, not by where it was found: that differs from machine to
 * machine. */
static void keep_full_text(source_family *family, const char *path, const char *name, const GString *octets)
{
  if (g_ptr_array_find_with_equal_func(family->paths, path, g_str_equal, NULL)) {
    return;
  }
  if (name != NULL) {
    gboolean ended = family->full_text->len == 0 || g_str_has_suffix(family->full_text->str, "\n");
    g_string_append_printf(family->full_text, "%s# @include \"%s\"\n", ended ? "" : "\n", name);
  }
  g_string_append_len(family->full_text, octets->str, (gssize)octets->len);
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
  keep_full_text(family, path, name, octets);
  g_ptr_array_add(family->paths, g_strdup(path));
  path = family->paths->pdata[family->paths->len - 1];
  g_ptr_array_add(family->reading, (gpointer)path);
  ok = check_text(path, octets, error) && append_lines(source, path, octets, error);
  g_ptr_array_set_size(family->reading, (gint)family->reading->len - 1);
  g_string_free(octets, TRUE);
  return ok;
}

static gboolean check_tokens(const scenario_source *source, GError **error)
{
  scenario_scan_problem problem;

  if (scenario_scan_text(source->text->str, &problem)) {
    return TRUE;
  }
  char *where = scenario_source_where(source, problem.line);
  char *earlier =
      problem.earlier_line != 0 ? scenario_source_where(source, problem.earlier_line) : g_strdup("");

  scenario_problem(error, where, "%s%s%s", problem.text, *earlier != '\0' ? " in " : "", earlier);
  g_free(where);
  g_free(earlier);
  g_free(problem.text);
  return FALSE;
}

scenario_source *scenario_source_read(const char *path, GError **error)
{
  source_family *family = g_new0(source_family, 1);
  scenario_source *source = source_new(family);

  source->is_outermost = TRUE;
  family->folder = g_path_get_dirname(path);
  family->paths = g_ptr_array_new_with_free_func(g_free);
  family->full_text = g_string_new(NULL);
  family->reading = g_ptr_array_new();
  if (!append_file(source, path, NULL, NULL, error) || !check_tokens(source, error)) {
    g_clear_pointer(&source, scenario_source_free);
  }
  return source;
}

static void family_free(source_family *family)
{
  g_free(family->folder);
  g_ptr_array_unref(family->paths);
  g_string_free(family->full_text, TRUE);
  g_ptr_array_unref(family->reading);
  g_free(family);
}

void scenario_source_free(scenario_source *source)
{
  if (source == NULL) {
    return;
  }
  g_string_free(source->text, TRUE);
  g_array_unref(source->stretches);
  g_ptr_array_unref(source->included);
  if (source->is_outermost) {
    family_free(source->family);
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
  const stretch *found = &g_array_index(source->stretches, stretch, 0);

  /* An error at the end of the text may be put behind its last line. */
  line = CLAMP(line, 1, MAX(source->lines, 1));
  for (guint i = 1; i < source->stretches->len; i++) {
    const stretch *next = &g_array_index(source->stretches, stretch, i);

    if (next->first_line > line) {
      break;
    }
    found = next;
  }
  return g_strdup_printf("%s:%u", found->path, found->path_line + (line - found->first_line));
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
