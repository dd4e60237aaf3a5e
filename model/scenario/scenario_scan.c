/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_scan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* A scenario needs 4: sweep, axis, values, a list as value. libconfig's parser recurses, so hostile depth
 * ends here. */
enum { DEPTH_MAX = 32 };

/* libconfig compares each key of a group with all before it; no group of ours has more than a dozen. */
enum { GROUP_KEYS_MAX = 1000 };

#define NAME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_*"

/* One open bracket. */
typedef struct scope {
  char opener;
  guint line;
  guint id; /* tells the keys of different groups apart */
  guint keys;
  char *name; /* "path.forward.", for messages; NULL within lists */
} scope;

typedef struct scanner {
  const char *p;
  guint line;
  scope scopes[DEPTH_MAX + 1];
  guint depth; /* of scopes; scopes[0] is the file */
  guint next_id;
  GHashTable *keys; /* "ID.NAME" → line */
  char *pending;    /* the name just read, a key if '=' or ':' follows */
  guint pending_line;
  char *key;     /* the key just read, whose value follows */
  char previous; /* the first character of the token before this one; '\0' at the start */
  scenario_scan_problem *problem;
} scanner;

/* What the character does to the depth of brackets. */
static int bracket(char c)
{
  return c == '{' || c == '[' || c == '(' ? 1 : c == '}' || c == ']' || c == ')' ? -1 : 0;
}

scenario_scan_state scenario_scan_line(scenario_scan_state state, const char *line, gsize length,
                                       gboolean *opened, int *depth)
{
  for (gsize i = 0; i < length; i++) {
    char next = i + 1 < length ? line[i + 1] : '\0';

    switch (state) {
    case SCENARIO_SCAN_STRING:
      if (line[i] == '\\') {
        i++;
      } else if (line[i] == '"') {
        state = SCENARIO_SCAN_PLAIN;
      }
      break;
    case SCENARIO_SCAN_COMMENT:
      if (line[i] == '*' && next == '/') {
        state = SCENARIO_SCAN_PLAIN;
        i++;
      }
      break;
    case SCENARIO_SCAN_PLAIN:
      if (line[i] == '#' || (line[i] == '/' && next == '/')) {
        return state;
      }
      if (line[i] == '"' || (line[i] == '/' && next == '*')) {
        state = line[i] == '"' ? SCENARIO_SCAN_STRING : SCENARIO_SCAN_COMMENT;
        i += state == SCENARIO_SCAN_COMMENT;
        *opened = TRUE;
      }
      *depth += bracket(line[i]);
      break;
    }
  }
  return state;
}

static gboolean problem_at(scanner *s, guint line, char *text)
{
  s->problem->line = line;
  s->problem->earlier_line = 0;
  s->problem->text = text;
  return FALSE;
}

/* Moves to the character behind a string or comment that starts at `p`, counting lines. */
static void skip_string(scanner *s)
{
  for (s->p++; *s->p != '"' && *s->p != '\0'; s->p++) {
    if (*s->p == '\\' && s->p[1] != '\0') {
      s->p++;
    }
    s->line += *s->p == '\n';
  }
  s->p += *s->p == '"';
}

static void skip_comment(scanner *s)
{
  if (*s->p == '#' || s->p[1] == '/') {
    s->p += strcspn(s->p, "\n");
    return;
  }
  for (s->p += 2; *s->p != '\0' && !(s->p[0] == '*' && s->p[1] == '/'); s->p++) {
    s->line += *s->p == '\n';
  }
  s->p += *s->p != '\0' ? 2 : 0;
}

static gboolean is_real(const char *digits_end)
{
  if (*digits_end == '.') {
    return TRUE;
  }
  if (*digits_end != 'e' && *digits_end != 'E') {
    return FALSE;
  }
  digits_end += digits_end[1] == '+' || digits_end[1] == '-' ? 2 : 1;
  return g_ascii_isdigit(*digits_end);
}

/* Checks an integer of `length` characters: the digits, then `suffix` letters L. */
static gboolean check_integer(scanner *s, const char *digits, int base, gboolean negative, gsize length,
                              gsize suffix)
{
  char *shown =
      g_strdup_printf("%.*s%s", (int)MIN(length - suffix, 40), s->p, length - suffix > 40 ? "..." : "");
  guint64 limit = suffix != 0 ? (guint64)G_MAXINT64 : (guint64)G_MAXINT32;
  guint64 value;
  gboolean ok = TRUE;

  errno = 0;
  value = g_ascii_strtoull(digits, NULL, base);
  if (errno == ERANGE || value > (guint64)G_MAXINT64 + negative) {
    ok = problem_at(s, s->line, g_strdup_printf("%s is outside 64 bits; expected a smaller number", shown));
  } else if (value > limit + negative) {
    ok = problem_at(
        s, s->line,
        g_strdup_printf("%s is outside 32 bits; expected %sL, with the L that larger numbers end with", shown,
                        shown));
  }
  g_free(shown);
  return ok;
}

static gboolean scan_number(scanner *s)
{
  const char *p = s->p;
  gboolean negative = *p == '-';
  gboolean ok = TRUE;
  const char *digits;
  int base = 10;

  p += *p == '+' || *p == '-';
  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && g_ascii_isxdigit(p[2])) {
    base = 16;
    p += 2;
  }
  digits = p;
  p += strspn(p, base == 16 ? "0123456789abcdefABCDEF" : G_CSET_DIGITS);
  if (base == 10 && is_real(p)) {
    char *end;

    if (isinf(g_ascii_strtod(s->p, &end))) {
      ok = problem_at(s, s->line,
                      g_strdup("a number is too large to be counted with; expected a smaller one"));
    }
    p = end > s->p ? end : p + 1;
  } else {
    gsize suffix = p[0] == 'L' ? (p[1] == 'L' ? 2 : 1) : 0;

    p += suffix;
    ok = check_integer(s, digits, base, negative, (gsize)(p - s->p), suffix);
  }
  s->p = p;
  return ok;
}

static void scan_name(scanner *s)
{
  gsize length = strspn(s->p, NAME_CHARACTERS);

  s->pending = g_strndup(s->p, length);
  s->pending_line = s->line;
  s->p += length;
}

/* `pending` is a key of the innermost group. */
static gboolean scan_key(scanner *s)
{
  scope *group = &s->scopes[s->depth];
  char *id = g_strdup_printf("%u.%s", group->id, s->pending);
  guint earlier = GPOINTER_TO_UINT(g_hash_table_lookup(s->keys, id));

  if (++group->keys > GROUP_KEYS_MAX) {
    g_free(id);
    return problem_at(
        s, s->pending_line,
        g_strdup_printf("a group has more than %d keys; expected those of docs/scenario.md", GROUP_KEYS_MAX));
  }
  if (earlier == 0) {
    g_hash_table_insert(s->keys, id, GUINT_TO_POINTER(s->pending_line));
    g_free(s->key);
    s->key = g_steal_pointer(&s->pending);
    return TRUE;
  }
  problem_at(s, s->pending_line,
             g_strdup_printf("duplicate key '%s%.60s'; expected it once, it is given already",
                             group->name != NULL ? group->name : "", s->pending));
  s->problem->earlier_line = earlier;
  g_free(id);
  return FALSE;
}

/* Forgets the name or key read before: what follows it now is neither '=' nor a bracket. */
static void forget_name(scanner *s)
{
  g_clear_pointer(&s->pending, g_free);
  g_clear_pointer(&s->key, g_free);
}

static gboolean open_scope(scanner *s)
{
  const scope *outer = &s->scopes[s->depth];
  scope *inner;

  if (s->depth == DEPTH_MAX) {
    return problem_at(
        s, s->line,
        g_strdup_printf("brackets are nested deeper than %d; expected groups as in docs/scenario.md",
                        DEPTH_MAX));
  }
  inner = &s->scopes[++s->depth];
  inner->opener = *s->p;
  inner->line = s->line;
  inner->id = s->next_id++;
  inner->keys = 0;
  inner->name =
      s->key != NULL && outer->name != NULL ? g_strdup_printf("%s%.60s.", outer->name, s->key) : NULL;
  forget_name(s);
  return TRUE;
}

static gboolean close_scope(scanner *s)
{
  static const char *const pairs[] = {"{}", "[]", "()"};
  scope *innermost = &s->scopes[s->depth];

  for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
    if (s->depth > 0 && innermost->opener == pairs[i][0] && *s->p == pairs[i][1]) {
      g_clear_pointer(&innermost->name, g_free);
      s->depth--;
      return TRUE;
    }
  }
  if (s->depth == 0) {
    return problem_at(s, s->line,
                      g_strdup_printf("'%c' closes nothing; expected its opening bracket before it", *s->p));
  }
  problem_at(s, s->line,
             g_strdup_printf("'%c' cannot close '%c'; expected the bracket that closes the '%c'", *s->p,
                             innermost->opener, innermost->opener));
  s->problem->earlier_line = innermost->line;
  return FALSE;
}

/* A character that is no part of a name, number, string or comment. One that may not stand there at all is
 * left to libconfig's grammar. */
static gboolean scan_character(scanner *s)
{
  gboolean ok = TRUE;

  switch (*s->p) {
  case '=':
  case ':':
    ok = s->pending == NULL || scan_key(s);
    break;
  case '{':
  case '[':
  case '(':
    ok = open_scope(s);
    break;
  case '}':
  case ']':
  case ')':
    ok = close_scope(s);
    break;
  case '@':
    ok = problem_at(s, s->line,
                    g_strdup("'@' starts nothing here; expected @include \"FILE\" at the start of a line"));
    break;
  default:
    break;
  }
  s->p++;
  return ok;
}

/* TRUE when a string may stand here: behind '=' or another string, or as an element of a list. */
static gboolean string_may_follow(const scanner *s)
{
  char opener = s->scopes[s->depth].opener;

  if (strchr("=:\"", s->previous) != NULL && s->previous != '\0') {
    return TRUE;
  }
  return (opener == '[' || opener == '(') && (s->previous == ',' || s->previous == opener);
}

/* libconfig's parser loses the memory of a string that it did not expect, so it does not get to see one. */
static gboolean scan_string(scanner *s)
{
  if (!string_may_follow(s)) {
    return problem_at(s, s->line,
                      g_strdup("a text in quotes stands where no value can; expected KEY = \"TEXT\";"));
  }
  skip_string(s);
  return TRUE;
}

/* A token that is no comment or blank. */
static gboolean scan_token(scanner *s)
{
  if (strchr("=:{[(", *s->p) != NULL) {
    return scan_character(s);
  }
  forget_name(s);
  if (*s->p == '"') {
    return scan_string(s);
  }
  if (g_ascii_isalpha(*s->p) || *s->p == '*') {
    scan_name(s);
    return TRUE;
  }
  if (g_ascii_isdigit(*s->p) ||
      (strchr("+-.", *s->p) != NULL && (g_ascii_isdigit(s->p[1]) || s->p[1] == '.'))) {
    return scan_number(s);
  }
  return scan_character(s);
}

/* Moves to the next token; FALSE at the end. */
static gboolean find_token(scanner *s)
{
  for (;;) {
    if (*s->p == '#' || (*s->p == '/' && (s->p[1] == '/' || s->p[1] == '*'))) {
      skip_comment(s);
    } else if (*s->p != '\0' && strchr(" \t\r\f\n", *s->p) != NULL) {
      s->line += *s->p == '\n';
      s->p++;
    } else {
      return *s->p != '\0';
    }
  }
}

gboolean scenario_scan_text(const char *text, scenario_scan_problem *problem)
{
  scanner s = {.p = text, .line = 1, .next_id = 1, .problem = problem};
  gboolean ok = TRUE;

  s.keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  s.scopes[0].name = g_strdup("");
  while (ok && find_token(&s)) {
    char first = *s.p;

    ok = scan_token(&s);
    s.previous = first;
  }
  if (ok && s.depth > 0) {
    ok = problem_at(
        &s, s.scopes[s.depth].line,
        g_strdup_printf("'%c' is never closed; expected its closing bracket", s.scopes[s.depth].opener));
  }
  forget_name(&s);
  for (guint i = 0; i <= s.depth; i++) {
    g_free(s.scopes[i].name);
  }
  g_hash_table_unref(s.keys);
  return ok;
}
