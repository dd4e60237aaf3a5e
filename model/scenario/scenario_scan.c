/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_scan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
  /* Of brackets: a scenario needs 4. libconfig's parser recurses, so hostile depth ends here. */
  DEPTH_MAX = 32,
  /* libconfig compares each key of a group with all before it; none of ours has more than a few dozen. */
  GROUP_KEYS_MAX = 1000
};

#define NAME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_*"

/* One open bracket. */
typedef struct scope {
  char opener;
  guint line;
  guint id; /* distinguishes the keys of different groups */
  guint keys;
  char *name; /* "path.forward.", for messages; NULL within lists */
} scope;

struct scenario_scan {
  scenario_scan_state state;
  guint opened_line; /* where the last string or comment began */
  int brackets;      /* opened in this line, less those closed */
  guint line;        /* that is scanned, or was last */
  const char *p;     /* in it */
  const char *end;   /* of it */
  scope scopes[DEPTH_MAX + 1];
  guint depth; /* of scopes; scopes[0] is the text */
  guint next_id;
  GHashTable *keys; /* "ID.NAME" → line */
  char *pending;    /* the name just read, a key if '=' or ':' follows */
  guint pending_line;
  char *key;     /* the key just read, whose value follows */
  char previous; /* the first character of the token before this one; '\0' at the start */
  scenario_scan_problem problem;
};

scenario_scan *scenario_scan_new(void)
{
  scenario_scan *s = g_new0(scenario_scan, 1);

  s->next_id = 1;
  s->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  s->scopes[0].name = g_strdup("");
  return s;
}

/* Forgets the name or key read before: what follows it now is neither '=' nor a bracket. */
static void forget_name(scenario_scan *s)
{
  g_clear_pointer(&s->pending, g_free);
  g_clear_pointer(&s->key, g_free);
}

void scenario_scan_free(scenario_scan *s)
{
  forget_name(s);
  for (guint i = 0; i <= s->depth; i++) {
    g_free(s->scopes[i].name);
  }
  g_hash_table_unref(s->keys);
  g_free(s->problem.text);
  g_free(s);
}

scenario_scan_state scenario_scan_state_of(const scenario_scan *s, guint *opened_line)
{
  if (opened_line != NULL) {
    *opened_line = s->opened_line;
  }
  return s->state;
}

/* The first problem: what comes after it is only looked at for where strings, comments and brackets end. */
static void problem_at(scenario_scan *s, guint line, guint earlier_line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static void problem_at(scenario_scan *s, guint line, guint earlier_line, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  s->problem = (scenario_scan_problem){line, earlier_line, g_strdup_vprintf(format, arguments)};
  va_end(arguments);
}

/* --- Numbers --- */

/* An integer of `length` characters: the digits, then `suffix` letters L. */
static void check_integer(scenario_scan *s, const char *digits, int base, gsize length, gsize suffix)
{
  g_autofree char *shown =
      g_strdup_printf("%.*s%s", (int)MIN(length - suffix, 40), s->p, length - suffix > 40 ? "..." : "");
  gboolean negative = *s->p == '-';
  guint64 limit = suffix != 0 ? (guint64)G_MAXINT64 : (guint64)G_MAXINT32;

  errno = 0;
  guint64 value = g_ascii_strtoull(digits, NULL, base);
  if (errno == ERANGE || value > (guint64)G_MAXINT64 + negative) {
    problem_at(s, s->line, 0, "%s is outside 64 bits; expected a smaller number", shown);
  } else if (value > limit + negative) {
    problem_at(s, s->line, 0, "%s is outside 32 bits; expected %sL, with the L that larger numbers end with",
               shown, shown);
  }
}

static gboolean is_real(const char *digits_end)
{
  if (*digits_end != 'e' && *digits_end != 'E') {
    return *digits_end == '.';
  }
  digits_end += digits_end[1] == '+' || digits_end[1] == '-' ? 2 : 1;
  return g_ascii_isdigit(*digits_end);
}

static void scan_number(scenario_scan *s)
{
  const char *p = s->p + (*s->p == '+' || *s->p == '-');
  gboolean is_hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && g_ascii_isxdigit(p[2]);
  const char *digits = p + (is_hexadecimal ? 2 : 0);

  p = digits + strspn(digits, is_hexadecimal ? "0123456789abcdefABCDEF" : G_CSET_DIGITS);
  if (!is_hexadecimal && is_real(p)) {
    char *end;

    if (isinf(g_ascii_strtod(s->p, &end))) {
      problem_at(s, s->line, 0, "a number is too large to be counted with; expected a smaller one");
    }
    p = end > s->p ? end : p + 1;
  } else {
    gsize suffix = p[0] == 'L' ? (p[1] == 'L' ? 2 : 1) : 0;

    p += suffix;
    check_integer(s, digits, is_hexadecimal ? 16 : 10, (gsize)(p - s->p), suffix);
  }
  s->p = p;
}

/* --- Keys and brackets --- */

/* `pending` is a key of the innermost group. */
static void scan_key(scenario_scan *s)
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

static void open_scope(scenario_scan *s)
{
  const char *outer = s->scopes[s->depth].name;

  if (s->depth == DEPTH_MAX) {
    problem_at(s, s->line, 0, "brackets are nested deeper than %d; expected groups as in docs/scenario.md",
               DEPTH_MAX);
    return;
  }
  s->scopes[++s->depth] =
      (scope){.opener = *s->p,
              .line = s->line,
              .id = s->next_id++,
              .name = s->key != NULL && outer != NULL ? g_strdup_printf("%s%.60s.", outer, s->key) : NULL};
  forget_name(s);
}

static void close_scope(scenario_scan *s)
{
  scope *innermost = &s->scopes[s->depth];
  char closer = innermost->opener == '{' ? '}' : innermost->opener == '[' ? ']' : ')';

  if (s->depth == 0) {
    problem_at(s, s->line, 0, "'%c' closes nothing; expected its opening bracket before it", *s->p);
  } else if (*s->p != closer) {
    problem_at(s, s->line, innermost->line,
               "'%c' cannot close '%c'; expected the bracket that closes the '%c'", *s->p, innermost->opener,
               innermost->opener);
  } else {
    g_clear_pointer(&innermost->name, g_free);
    s->depth--;
  }
}

/* --- Tokens --- */

/* libconfig's parser leaks a string that it does not expect, so it must not see one. A string may stand
 * after '=' or another string, or as an element of a list. */
static void check_string(scenario_scan *s)
{
  char opener = s->scopes[s->depth].opener;
  gboolean is_value = s->previous != '\0' && strchr("=:\"", s->previous) != NULL;
  gboolean is_element = (opener == '[' || opener == '(') && (s->previous == ',' || s->previous == opener);

  if (!is_value && !is_element) {
    problem_at(s, s->line, 0, "a text in quotes stands where no value can; expected KEY = \"TEXT\";");
  }
}

/* A token, which is no comment or blank. libconfig's grammar finds those that may not stand there at all. */
static void scan_token(scenario_scan *s)
{
  char c = *s->p;

  if (strchr("=:{[(", c) == NULL) {
    forget_name(s);
  }
  if (g_ascii_isalpha(c) || c == '*') {
    gsize length = strspn(s->p, NAME_CHARACTERS);

    s->pending = g_strndup(s->p, length);
    s->pending_line = s->line;
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
    problem_at(s, s->line, 0, "'@' starts nothing here; expected @include \"FILE\" at the start of a line");
  }
  s->p++;
}

/* Moves over what comes next outside of strings and comments: blanks, or what begins or is a token. */
static void scan_plain(scenario_scan *s)
{
  char c = *s->p;

  if (c == '#' || (c == '/' && s->p[1] == '/')) {
    s->p = s->end;
  } else if (c == '/' && s->p[1] == '*') {
    s->state = SCENARIO_SCAN_COMMENT;
    s->opened_line = s->line;
    s->p += 2;
  } else if (strchr(" \t\r\f", c) != NULL) {
    s->p++;
  } else {
    s->brackets += strchr("{[(", c) != NULL ? 1 : strchr("}])", c) != NULL ? -1 : 0;
    if (c == '"') {
      s->state = SCENARIO_SCAN_STRING;
      s->opened_line = s->line;
    }
    if (s->problem.text == NULL) {
      scan_token(s);
      s->previous = c;
    } else {
      s->p++;
    }
  }
}

int scenario_scan_line(scenario_scan *s, const char *line, gsize length)
{
  s->brackets = 0;
  s->p = line;
  s->end = line + length;
  s->line++;
  while (s->p < s->end) {
    if (s->state == SCENARIO_SCAN_PLAIN) {
      scan_plain(s);
    } else if (s->state == SCENARIO_SCAN_STRING) {
      s->state = *s->p == '"' ? SCENARIO_SCAN_PLAIN : SCENARIO_SCAN_STRING;
      s->p += *s->p == '\\' && s->p + 1 < s->end ? 2 : 1;
    } else {
      gboolean is_end = s->p[0] == '*' && s->p[1] == '/';

      s->state = is_end ? SCENARIO_SCAN_PLAIN : SCENARIO_SCAN_COMMENT;
      s->p += is_end ? 2 : 1;
    }
  }
  return s->brackets;
}

const scenario_scan_problem *scenario_scan_end(scenario_scan *s)
{
  const scope *innermost = &s->scopes[s->depth];

  if (s->problem.text == NULL && s->depth > 0) {
    problem_at(s, innermost->line, 0, "'%c' is never closed; expected its closing bracket",
               innermost->opener);
  }
  return s->problem.text != NULL ? &s->problem : NULL;
}
