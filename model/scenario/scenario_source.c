#include "scenario/scenario_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scenario/scenario_problem.h"
#include "scenario/scenario_scan.h"

enum {
  SIZE_MAX_OCTETS = 4 * 1024 * 1024, /* of all files together: keeps /dev/zero from being read for ever */
  INCLUDE_DEPTH_MAX = 10,            /* libconfig's own */
};

/* Lines first_line … of the whole text are those of `path` from `path_line` on. */
typedef struct stretch {
  guint first_line;
  const char *path; /* in the source's `paths` */
  guint path_line;
} stretch;

struct scenario_source {
  char *folder;
  GString *text;
  guint lines;        /* finished lines in `text` */
  GArray *stretches;  /* of stretch, ascending */
  GPtrArray *paths;   /* every file read */
  GPtrArray *reading; /* the files that are being included now, the outermost first */
};

static gboolean append_file(scenario_source *source, const char *path, const char *includer, GError **error);

static void begin_stretch(scenario_source *source, const char *path, guint path_line)
{
  stretch next = {source->lines + 1, path, path_line};

  g_array_append_val(source->stretches, next);
}

/* Reads at most what is left of SIZE_MAX_OCTETS. NULL with `*problem` set (static or from errno) when that
 * fails. */
static GString *read_octets(const char *path, gsize left, const char **problem)
{
  FILE *file = fopen(path, "rb");
  GString *octets = g_string_new(NULL);
  char part[16384];
  gsize count;

  *problem = file == NULL ? g_strerror(errno) : NULL;
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

static gboolean append_included(scenario_source *source, const char *name, const char *where, GError **error)
{
  char *path = g_path_is_absolute(name) || strcmp(source->folder, ".") == 0
                   ? g_strdup(name)
                   : g_build_filename(source->folder, name, NULL);
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < source->reading->len; i++) {
    if (strcmp(source->reading->pdata[i], path) == 0) {
      ok = scenario_problem(error, where, "'%s' includes itself; expected no circle of files", path);
    }
  }
  if (ok && source->reading->len > INCLUDE_DEPTH_MAX) {
    ok = scenario_problem(error, where, "includes are nested deeper than %d; expected fewer",
                          INCLUDE_DEPTH_MAX);
  }
  ok = ok && append_file(source, path, where, error);
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

  begin_stretch(source, path, 1);
  for (guint number = 1; ok && *line != '\0'; number++) {
    gboolean opened = FALSE;
    const char *rest;
    char *name = state == SCENARIO_SCAN_PLAIN ? included_name(line, &rest) : NULL;

    if (name != NULL) {
      char *where = g_strdup_printf("%s:%u", path, number);

      ok = append_included(source, name, where, error);
      g_free(where);
      g_free(name);
      begin_stretch(source, path, number);
      line = rest;
    }
    gsize length = strcspn(line, "\n");
    g_string_append_len(source->text, line, (gssize)length);
    g_string_append_c(source->text, '\n');
    source->lines++;
    state = scenario_scan_line(state, line, length, &opened);
    opened_line = opened ? number : opened_line;
    line += length + (line[length] == '\n');
  }
  return ok && check_closed(path, state, opened_line, error);
}

static gboolean append_file(scenario_source *source, const char *path, const char *includer, GError **error)
{
  const char *problem;
  GString *octets = read_octets(path, SIZE_MAX_OCTETS - MIN(source->text->len, SIZE_MAX_OCTETS), &problem);
  gboolean ok;

  if (octets == NULL && includer != NULL) {
    return scenario_problem(error, includer, "cannot read '%s' (%s); expected a file to include", path,
                            problem);
  }
  if (octets == NULL) {
    return scenario_problem(error, path, "cannot read it (%s); expected a scenario file", problem);
  }
  g_ptr_array_add(source->paths, g_strdup(path));
  path = source->paths->pdata[source->paths->len - 1];
  g_ptr_array_add(source->reading, (gpointer)path);
  ok = check_text(path, octets, error) && append_lines(source, path, octets, error);
  g_ptr_array_set_size(source->reading, (gint)source->reading->len - 1);
  g_string_free(octets, TRUE);
  return ok;
}

scenario_source *scenario_source_read(const char *path, GError **error)
{
  scenario_source *source = g_new0(scenario_source, 1);
  scenario_scan_problem problem;
  gboolean ok;

  source->folder = g_path_get_dirname(path);
  source->text = g_string_new(NULL);
  source->stretches = g_array_new(FALSE, FALSE, sizeof(stretch));
  source->paths = g_ptr_array_new_with_free_func(g_free);
  source->reading = g_ptr_array_new();
  ok = append_file(source, path, NULL, error);
  if (ok && !scenario_scan_text(source->text->str, &problem)) {
    char *where = scenario_source_where(source, problem.line);
    char *earlier =
        problem.earlier_line != 0 ? scenario_source_where(source, problem.earlier_line) : g_strdup("");

    ok = scenario_problem(error, where, "%s%s%s", problem.text, *earlier != '\0' ? " in " : "", earlier);
    g_free(where);
    g_free(earlier);
    g_free(problem.text);
  }
  if (!ok) {
    g_clear_pointer(&source, scenario_source_free);
  }
  return source;
}

void scenario_source_free(scenario_source *source)
{
  if (source == NULL) {
    return;
  }
  g_free(source->folder);
  g_string_free(source->text, TRUE);
  g_array_unref(source->stretches);
  g_ptr_array_unref(source->paths);
  g_ptr_array_unref(source->reading);
  g_free(source);
}

const char *scenario_source_text(const scenario_source *source)
{
  return source->text->str;
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
