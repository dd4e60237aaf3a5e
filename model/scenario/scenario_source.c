/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "scenario/scenario_problem.h"

enum {
  SIZE_MAX_OCTETS = 4 * 1024 * 1024, /* of all files together */
  INCLUDE_DEPTH_MAX = 10,            /* libconfig's own */
  /* Of brackets: a scenario needs 4. libconfig's parser recurses, so hostile depth ends here. */
  DEPTH_MAX = 32,
  /* libconfig compares each key of a group with all before it; none of ours has more than a few dozen. */
  GROUP_KEYS_MAX = 1000
};

#define NAME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_*"

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

/* One open bracket. */
typedef struct scope {
  char opener;
  guint line;
  guint id; /* distinguishes the keys of different groups */
  guint keys;
  char *name; /* "path.forward.", for messages; NULL within lists */
} scope;

/* What the next character stands in. */
typedef enum scan_state { SCAN_PLAIN, SCAN_STRING, SCAN_COMMENT } scan_state;

struct scenario_source {
  source_family *family; /* the outermost source's */
  gboolean is_outermost;
  GString *text;
  guint lines;         /* in `text`; the last one is scanned, or was */
  GArray *stretches;   /* of stretch, ascending */
  GPtrArray *included; /* of scenario_source: the files included outside of any group, in their order */

  /* What the scan of the lines so far has come to. */
  scan_state state;
  guint opened_line; /* where the last string or comment began */
  int brackets;      /* opened in the last line, less those closed */
  const char *p;     /* in it */
  const char *end;   /* of it */
  scope scopes[DEPTH_MAX + 1];
  guint depth; /* of scopes; scopes[0] is the text */
  guint next_id;
  GHashTable *keys; /* "ID.NAME" → line */
  char *pending;    /* the name just read, a key if '=' or ':' follows */
  guint pending_line;
  char *key;       /* the key just read, whose value follows */
  char previous;   /* the first character of the token before this one; '\0' at the start */
  GError *problem; /* the first; an error of the files that comes later is worse */
};

char *scenario_source_where(const scenario_source *source, guint line)
{
  const stretch *stretches = (const stretch *)(const void *)source->stretches->data;
  guint found = source->stretches->len - 1;

  /* An error at the end of the text may be put after its last line. */
  line = CLAMP(line, 1, MAX(source->lines, 1));
  while (found > 0 && stretches[found].first_line > line) {
    found--;
  }
  return g_strdup_printf("%s:%u", stretches[found].path,
                         stretches[found].path_line + (line - stretches[found].first_line));
}

/* --- Scanning --- */

/* Forgets the name or key read before: what follows it now is neither '=' nor a bracket. */
static void forget_name(scenario_source *s)
{
  g_clear_pointer(&s->pending, g_free);
  g_clear_pointer(&s->key, g_free);
}

/* The first problem: what comes after it is only looked at for where strings, comments and brackets end. With
 * `earlier_line` the sentence goes on "… in FILE:LINE". */
G_GNUC_PRINTF(4, 5)
static void problem_at(scenario_source *s, guint line, guint earlier_line, const char *format, ...)
{
  g_autofree char *where = scenario_source_where(s, line);
  g_autofree char *earlier = earlier_line > 0 ? scenario_source_where(s, earlier_line) : NULL;
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  scenario_problem(&s->problem, where, "%s%s%s", text, earlier ? " in " : "", earlier ? earlier : "");
}

/* An integer of `length` characters: the digits, then `suffix` letters L. */
static void check_integer(scenario_source *s, const char *digits, int base, gsize length, gsize suffix)
{
  g_autofree char *shown =
      g_strdup_printf("%.*s%s", (int)MIN(length - suffix, 40), s->p, length - suffix > 40 ? "..." : "");
  gboolean negative = *s->p == '-';
  guint64 limit = suffix != 0 ? (guint64)G_MAXINT64 : (guint64)G_MAXINT32;

  errno = 0;
  guint64 value = g_ascii_strtoull(digits, NULL, base);
  if (errno == ERANGE || value > (guint64)G_MAXINT64 + negative) {
    problem_at(s, s->lines, 0, "%s is outside 64 bits; expected a smaller number", shown);
  } else if (value > limit + negative) {
    problem_at(s, s->lines, 0,
               "%s is outside 32 bits; expected %sL, with the L that larger numbers end with, or text with a "
               "unit, such as \"25Gbit/s\"",
               shown, shown);
  }
}

static void scan_number(scenario_source *s)
{
  const char *p = s->p + (*s->p == '+' || *s->p == '-');
  gboolean is_hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && g_ascii_isxdigit(p[2]);
  const char *digits = p + (is_hexadecimal ? 2 : 0);

  p = digits + strspn(digits, is_hexadecimal ? "0123456789abcdefABCDEF" : G_CSET_DIGITS);
  gsize sign = p[0] != '\0' && (p[1] == '+' || p[1] == '-') ? 1 : 0;
  gboolean has_exponent = (p[0] == 'e' || p[0] == 'E') && g_ascii_isdigit(p[1 + sign]);
  if (!is_hexadecimal && (*p == '.' || has_exponent)) {
    char *end;

    if (isinf(g_ascii_strtod(s->p, &end))) {
      problem_at(s, s->lines, 0, "a number is too large to be counted with; expected a smaller one");
    }
    p = end > s->p ? end : p + 1;
  } else {
    gsize suffix = p[0] == 'L' ? (p[1] == 'L' ? 2 : 1) : 0;

    p += suffix;
    check_integer(s, digits, is_hexadecimal ? 16 : 10, (gsize)(p - s->p), suffix);
  }
  s->p = p;
}

/* `pending` is a key of the innermost group. */
static void scan_key(scenario_source *s)
{
  scope *group = &s->scopes[s->depth];
  g_autofree char *id = g_strdup_printf("%u.%s", group->id, s->pending);
  guint earlier = GPOINTER_TO_UINT(g_hash_table_lookup(s->keys, id));

  if (++group->keys > GROUP_KEYS_MAX) {
    problem_at(s, s->pending_line, 0, "a group has more than %d keys; expected those of docs/scenario.md",
               GROUP_KEYS_MAX);
  } else if (earlier != 0) {
    problem_at(s, s->pending_line, earlier, "duplicate key '%s%.60s'; expected it once, it is given already",
               group->name != NULL ? group->name : "", s->pending);
  } else {
    g_hash_table_insert(s->keys, g_steal_pointer(&id), GUINT_TO_POINTER(s->pending_line));
    g_free(s->key);
    s->key = g_steal_pointer(&s->pending);
  }
}

static void open_scope(scenario_source *s)
{
  const char *outer = s->scopes[s->depth].name;

  if (s->depth == DEPTH_MAX) {
    problem_at(s, s->lines, 0, "brackets are nested deeper than %d; expected groups as in docs/scenario.md",
               DEPTH_MAX);
    return;
  }
  s->scopes[++s->depth] =
      (scope){.opener = *s->p,
              .line = s->lines,
              .id = s->next_id++,
              .name = s->key != NULL && outer != NULL ? g_strdup_printf("%s%.60s.", outer, s->key) : NULL};
  forget_name(s);
}

static void close_scope(scenario_source *s)
{
  scope *innermost = &s->scopes[s->depth];
  char closer = innermost->opener == '{' ? '}' : innermost->opener == '[' ? ']' : ')';

  if (s->depth == 0) {
    problem_at(s, s->lines, 0, "'%c' closes nothing; expected its opening bracket before it", *s->p);
  } else if (*s->p != closer) {
    problem_at(s, s->lines, innermost->line,
               "'%c' cannot close '%c'; expected the bracket that closes the '%c'", *s->p, innermost->opener,
               innermost->opener);
  } else {
    g_clear_pointer(&innermost->name, g_free);
    s->depth--;
  }
}

/* libconfig's parser leaks a string that it does not expect, so it must not see one. A string may stand
 * after '=' or another string, or as an element of a list. */
static void check_string(scenario_source *s)
{
  char opener = s->scopes[s->depth].opener;
  gboolean is_value = s->previous != '\0' && strchr("=:\"", s->previous) != NULL;
  gboolean is_element = (opener == '[' || opener == '(') && (s->previous == ',' || s->previous == opener);

  if (!is_value && !is_element) {
    problem_at(s, s->lines, 0, "a text in quotes stands where no value can; expected KEY = \"TEXT\";");
  }
}

/* A token, which is no comment or blank. libconfig's grammar finds those that may not stand there at all. */
static void scan_token(scenario_source *s)
{
  char c = *s->p;

  if (strchr("=:{[(", c) == NULL) {
    forget_name(s);
  }
  if (g_ascii_isalpha(c) || c == '*') {
    gsize length = strspn(s->p, NAME_CHARACTERS);

    s->pending = g_strndup(s->p, length);
    s->pending_line = s->lines;
    s->p += length;
    return;
  }
  if (g_ascii_isdigit(c) || (strchr("+-.", c) != NULL && (g_ascii_isdigit(s->p[1]) || s->p[1] == '.'))) {
    scan_number(s);
    return;
  }
  if (c == '"') {
    check_string(s);
  } else if ((c == '=' || c == ':') && s->pending != NULL) {
    scan_key(s);
  } else if (strchr("{[(", c) != NULL) {
    open_scope(s);
  } else if (strchr("}])", c) != NULL) {
    close_scope(s);
  } else if (c == '@') {
    problem_at(s, s->lines, 0, "'@' starts nothing here; expected @include \"FILE\" at the start of a line");
  }
  s->p++;
}

/* Moves over what comes next outside of strings and comments: blanks, or what begins or is a token. */
static void scan_plain(scenario_source *s)
{
  char c = *s->p;

  if (c == '#' || (c == '/' && s->p[1] == '/')) {
    s->p = s->end;
  } else if (c == '/' && s->p[1] == '*') {
    s->state = SCAN_COMMENT;
    s->opened_line = s->lines;
    s->p += 2;
  } else if (strchr(" \t\r\f", c) != NULL) {
    s->p++;
  } else {
    s->brackets += strchr("{[(", c) != NULL ? 1 : strchr("}])", c) != NULL ? -1 : 0;
    if (c == '"') {
      s->state = SCAN_STRING;
      s->opened_line = s->lines;
    }
    if (s->problem == NULL) {
      scan_token(s);
      s->previous = c;
    } else {
      s->p++;
    }
  }
}

/* Scans the last line: `length` octets at `line`, and after them a newline or NUL, which is no part of it. */
static void scan_line(scenario_source *s, const char *line, gsize length)
{
  s->brackets = 0;
  s->p = line;
  s->end = line + length;
  while (s->p < s->end) {
    if (s->state == SCAN_PLAIN) {
      scan_plain(s);
    } else if (s->state == SCAN_STRING) {
      s->state = *s->p == '"' ? SCAN_PLAIN : SCAN_STRING;
      s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
    } else {
      gboolean is_end = s->p[0] == '*' && s->p[1] == '/';

      s->state = is_end ? SCAN_PLAIN : SCAN_COMMENT;
      s->p += is_end ? 2 : 1;
    }
  }
}

/* --- Files --- */

static gboolean append_file(scenario_source *source, const char *path, const char *name, const char *includer,
                            GError **error);

static void begin_stretch(scenario_source *source, const char *path, guint path_line)
{
  stretch next = {source->lines + 1, path, path_line};
  g_array_append_val(source->stretches, next);
}

/* Reads at most what is `left` of SIZE_MAX_OCTETS. NULL with `*problem` set (static or from errno) when that
 * fails. */
static GString *read_octets(const char *path, gsize left, const char **problem)
{
  char *octets = g_malloc(left + 1);
  *problem = regular_file_problem(path);
  FILE *file = *problem == NULL ? fopen(path, "rb") : NULL;
  gsize count = file != NULL ? fread(octets, 1, left + 1, file) : 0;

  if (*problem == NULL && (file == NULL || ferror(file))) {
    *problem = g_strerror(errno);
  } else if (count > left) {
    *problem = "it is larger than 4 MiB, which no scenario is";
  }
  if (file != NULL) {
    fclose(file);
  }
  GString *read = *problem == NULL ? g_string_new_len(octets, (gssize)count) : NULL;
  g_free(octets);
  return read;
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
  line += strspn(line, " \t");
  if (!g_str_has_prefix(line, "@include")) {
    return NULL;
  }
  line += strlen("@include");
  gsize blanks = strspn(line, " \t");
  if (blanks == 0 || line[blanks] != '"') {
    return NULL;
  }
  line += blanks + 1;
  GString *name = g_string_new(NULL);
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
  source->next_id = 1;
  source->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  source->scopes[0].name = g_strdup("");
  source->stretches = g_array_new(FALSE, FALSE, sizeof(stretch));
  source->included = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_source_free);
  return source;
}

static gboolean check_tokens(scenario_source *source, GError **error);

/* The file is in the folder of the outermost one, or comes with the program, so that any scenario finds
 * "presets/cxgb4.cfg". One that is included outside of any group is a text of its own: the including file's
 * own values win, and groups may be in both. Within a group its text stands in place. */
static gboolean append_included(scenario_source *source, const char *name, int depth, const char *where,
                                GError **error)
{
  const GPtrArray *reading = source->family->reading;
  g_autoptr(GError) missing = NULL;
  g_autofree char *path = g_path_is_absolute(name)
                              ? g_strdup(name)
                              : program_files_path(source->family->folder, PROGRAM_SCENARIOS, name, &missing);

  if (missing != NULL) {
    return scenario_problem(error, where, "%s; expected a file to include", missing->message);
  }
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

  begin_stretch(source, path, 1);
  for (guint number = 1; *line != '\0'; number++) {
    const char *rest;
    g_autofree char *name = source->state == SCAN_PLAIN ? included_name(line, &rest) : NULL;

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
    scan_line(source, line, length);
    depth += source->brackets;
    line += length + (line[length] == '\n');
  }
  /* libconfig would take the rest of the text for the comment. */
  g_autofree char *where = scenario_source_where(source, source->opened_line);
  return source->state == SCAN_PLAIN ||
         scenario_problem(error, where,
                          source->state == SCAN_STRING
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
  g_autoptr(GString) octets =
      read_octets(path, SIZE_MAX_OCTETS - MIN(family->octets, SIZE_MAX_OCTETS), &problem);

  if (octets == NULL) {
    return includer != NULL
               ? scenario_problem(error, includer, "cannot read '%s' (%s); expected a file to include", path,
                                  problem)
               : scenario_problem(error, path, "cannot read it (%s); expected a scenario file", problem);
  }
  family->octets += octets->len;
  path = keep_file(family, path, name, octets);
  g_ptr_array_add(family->reading, (gpointer)path);
  gboolean ok = check_text(path, octets, error) && append_lines(source, path, octets, error);
  g_ptr_array_set_size(family->reading, (gint)family->reading->len - 1);
  return ok;
}

/* Whether the scan of the whole text has found nothing. */
static gboolean check_tokens(scenario_source *source, GError **error)
{
  const scope *innermost = &source->scopes[source->depth];

  if (source->problem == NULL && source->depth > 0) {
    problem_at(source, innermost->line, 0, "'%c' is never closed; expected its closing bracket",
               innermost->opener);
  }
  if (source->problem != NULL) {
    g_propagate_error(error, g_steal_pointer(&source->problem));
    return FALSE;
  }
  return TRUE;
}

scenario_source *scenario_source_read(const char *path, GError **error)
{
  g_autofree char *found =
      g_str_has_prefix(path, "scenarios/")
          ? program_files_path("scenarios", PROGRAM_SCENARIOS, path + strlen("scenarios/"), error)
          : g_strdup(path);

  if (found == NULL) {
    return NULL;
  }
  source_family *family = g_new0(source_family, 1);
  scenario_source *source = source_new(family);
  path = found;
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
  forget_name(source);
  for (guint i = 0; i <= source->depth; i++) {
    g_free(source->scopes[i].name);
  }
  g_hash_table_unref(source->keys);
  g_clear_error(&source->problem);
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

const GPtrArray *scenario_source_included(const scenario_source *source)
{
  return source->included;
}

const char *scenario_source_text(const scenario_source *source)
{
  return source->text->str;
}

const char *scenario_source_full_text(const scenario_source *source)
{
  return source->family->full_text->str;
}

char *scenario_source_line(const scenario_source *source, guint line)
{
  g_auto(GStrv) lines = g_strsplit(source->text->str, "\n", -1);
  return g_strstrip(g_strdup(line <= g_strv_length(lines) ? lines[line - 1] : ""));
}
