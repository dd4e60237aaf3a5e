/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_where.h"

#include <string.h>

#include "scenario/scenario_private.h"

/* A constraint is read anew for each point of the sweep: reading it is evaluating it. */
struct scenario_where {
  char *text;
  char *origin;
};

/* Parentheses and nots within each other; the parser recurses, so hostile depth ends here. */
enum { DEPTH_MAX = 50 };

/* How two values compare, a bit each. */
typedef enum relation {
  RELATION_LESS = 1,
  RELATION_EQUAL = 2,
  RELATION_MORE = 4,
  RELATION_NONE = 8 /* unequal, without order */
} relation;

typedef struct where_sign {
  const char *text;
  unsigned holds;  /* of relation: for which a comparison holds */
  gboolean orders; /* it asks which value is the larger */
} where_sign;

static const where_sign signs[] = {
    {"=", RELATION_EQUAL, FALSE}, {"!=", RELATION_LESS | RELATION_MORE | RELATION_NONE, FALSE},
    {"<", RELATION_LESS, TRUE},   {"<=", RELATION_LESS | RELATION_EQUAL, TRUE},
    {">", RELATION_MORE, TRUE},   {">=", RELATION_MORE | RELATION_EQUAL, TRUE},
};

/* The column, 1 …, of octet `at` of the UTF-8 `text`. */
static guint where_column(const char *text, gsize at)
{
  return (guint)g_utf8_pointer_to_offset(text, text + at) + 1;
}

/* TRUE for keys whose values have an order; words among them aside. */
static gboolean type_has_order(scenario_type type)
{
  return type == SCENARIO_TYPE_INTEGER || type == SCENARIO_TYPE_SIZE || type == SCENARIO_TYPE_TIME ||
         type == SCENARIO_TYPE_RATE || type == SCENARIO_TYPE_PROBABILITY || type == SCENARIO_TYPE_DISTANCE;
}

/* TRUE when `word` of a size has a place in the order. */
static gboolean word_has_order(const char *word)
{
  return strcmp(word, "unlimited") == 0;
}

/* --- Words and signs --- */

typedef enum where_token_kind {
  WHERE_TOKEN_END,
  WHERE_TOKEN_OPEN,     /* ( */
  WHERE_TOKEN_CLOSE,    /* ) */
  WHERE_TOKEN_SIGN,     /* a run of = ! < > & |, whether it means something or not */
  WHERE_TOKEN_WORD,     /* a key, a value, and, or, not */
  WHERE_TOKEN_QUOTED,   /* 'a value in quotes'; `text` is what is between them */
  WHERE_TOKEN_UNCLOSED, /* a quote without a second one */
} where_token_kind;

typedef struct where_token {
  where_token_kind kind;
  gsize at;         /* octets in front of it */
  gsize end;        /* octets up to its end */
  const char *text; /* in the constraint … */
  gsize length;     /* … so many octets */
} where_token;

#define BLANKS " \t\r\n"
#define SIGNS "=!<>&|"

/* The first token of `constraint` at or after octet `at`. */
static where_token next_token(const char *constraint, gsize at)
{
  at += strspn(constraint + at, BLANKS);
  const char *text = constraint + at;
  where_token token = {.kind = WHERE_TOKEN_WORD, .at = at, .text = text, .length = 1};

  switch (*text) {
  case '\0':
    token.kind = WHERE_TOKEN_END;
    token.length = 0;
    break;
  case '(':
    token.kind = WHERE_TOKEN_OPEN;
    break;
  case ')':
    token.kind = WHERE_TOKEN_CLOSE;
    break;
  case '\'':
    token.text = text + 1;
    token.length = strcspn(token.text, "'");
    token.kind = token.text[token.length] == '\'' ? WHERE_TOKEN_QUOTED : WHERE_TOKEN_UNCLOSED;
    token.end = at + 1 + token.length + (token.kind == WHERE_TOKEN_QUOTED);
    return token;
  default:
    token.length = strspn(text, SIGNS);
    token.kind = token.length > 0 ? WHERE_TOKEN_SIGN : WHERE_TOKEN_WORD;
    token.length = token.length > 0 ? token.length : strcspn(text, BLANKS SIGNS "()'");
  }
  token.end = at + token.length;
  return token;
}

/* TRUE when the token is a word or sign and is written `text`. */
static gboolean token_is(const where_token *token, const char *text)
{
  return (token->kind == WHERE_TOKEN_WORD || token->kind == WHERE_TOKEN_SIGN) &&
         strlen(text) == token->length && memcmp(text, token->text, token->length) == 0;
}

/* --- Errors --- */

typedef struct parser {
  const char *text;
  const char *origin;
  const scenario *s; /* whose values are compared; NULL: the text is only checked */
  where_token token; /* the next one */
  guint depth;
  guint settled; /* conditions around the token that hold or do not, whatever it is part of */
  GError **error;
} parser;

/* Sets the error at octet `at`. Returns FALSE. */
G_GNUC_PRINTF(3, 4) static gboolean fail(const parser *p, gsize at, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *problem = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return scenario_problem(p->error, p->origin, "where, column %u: %s", where_column(p->text, at), problem);
}

static void advance(parser *p)
{
  p->token = next_token(p->text, p->token.end);
}

static char *token_text(const where_token *token)
{
  return g_strndup(token->text, token->length);
}

/* What is meant by a word or sign of another language. */
static const char *meant(const where_token *token)
{
  static const char *const others[][2] = {{"==", "="},    {"=<", "<="},   {"=>", ">="},  {"<>", "!="},
                                          {"&&", "and"},  {"&", "and"},   {"||", "or"},  {"|", "or"},
                                          {"!", "not"},   {"AND", "and"}, {"OR", "or"},  {"NOT", "not"},
                                          {"And", "and"}, {"Or", "or"},   {"Not", "not"}};

  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    if (token_is(token, others[i][0])) {
      return others[i][1];
    }
  }
  return NULL;
}

/* `found` stands where something else should. */
static gboolean unexpected(const parser *p, const where_token *found, const char *expected)
{
  if (found->kind == WHERE_TOKEN_UNCLOSED) {
    return fail(p, found->at, "the quote is not closed; expected 'VALUE'");
  }
  gboolean is_end = found->kind == WHERE_TOKEN_END;
  g_autofree char *text = token_text(found);
  g_autofree char *shown = scenario_shown(text);
  g_autofree char *hint = scenario_did_you_mean(meant(found));
  return fail(p, found->at, "unexpected %s%s%s; expected %s%s", is_end ? "end" : "'", is_end ? "" : shown,
              is_end ? "" : "'", expected, hint);
}

/* The key that the token names; SCENARIO_KEY_COUNT when it names none. */
static scenario_key key_of(const where_token *token)
{
  g_autofree char *name = token_text(token);

  return token->kind == WHERE_TOKEN_WORD ? scenario_key_find(name) : SCENARIO_KEY_COUNT;
}

/* Keys have a dot in their names, which no word of a value has; a number with one starts with a digit. */
static gboolean looks_like_key(const where_token *token)
{
  return token->kind == WHERE_TOKEN_WORD && g_ascii_isalpha(*token->text) &&
         memchr(token->text, '.', token->length);
}

static gboolean unknown_key(const parser *p, const where_token *token)
{
  g_autofree char *name = token_text(token);
  g_autofree char *problem = scenario_key_problem(name);
  return fail(p, token->at, "%s", problem);
}

/* --- Comparisons --- */

enum { LEFT, RIGHT, OPERANDS };

/* A key and a sign with another key or a value of that key, or, of a boolean key alone, as if "= true"
 * followed. */
typedef struct comparison {
  where_token tokens[OPERANDS];
  where_token sign_token;
  const where_sign *sign;
  scenario_key keys[OPERANDS]; /* SCENARIO_KEY_COUNT: it is a literal */
  scenario_value literals[OPERANDS];
  const scenario_key_row *row; /* whose type both have */
} comparison;

/* Finds the keys among the operands, and the row. */
static gboolean read_keys(const parser *p, comparison *c)
{
  for (int side = LEFT; side < OPERANDS; side++) {
    c->keys[side] = key_of(&c->tokens[side]);
  }
  gboolean has_key = c->keys[LEFT] < SCENARIO_KEY_COUNT || c->keys[RIGHT] < SCENARIO_KEY_COUNT;
  for (int side = LEFT; side < OPERANDS; side++) {
    if (c->keys[side] == SCENARIO_KEY_COUNT && (!has_key || looks_like_key(&c->tokens[side]))) {
      return unknown_key(p, &c->tokens[side]);
    }
  }
  c->row = scenario_key_row_of(c->keys[c->keys[LEFT] < SCENARIO_KEY_COUNT ? LEFT : RIGHT]);
  return TRUE;
}

/* Reads the operands, which must be of one type that the sign makes sense of. */
static gboolean read_operands(const parser *p, comparison *c)
{
  if (!read_keys(p, c)) {
    return FALSE;
  }
  gboolean is_ordered = type_has_order(c->row->type);
  if (c->keys[RIGHT] < SCENARIO_KEY_COUNT && scenario_key_row_of(c->keys[RIGHT])->type != c->row->type) {
    return fail(p, c->tokens[LEFT].at,
                "%s and %s are not of one kind; expected keys that are both sizes, both times ...",
                c->row->name, scenario_key_row_of(c->keys[RIGHT])->name);
  }
  if (scenario_value_is_list(c->row->type)) {
    return fail(p, c->tokens[LEFT].at, "%s is a list; expected a key with a single value", c->row->name);
  }
  for (int side = LEFT; side < OPERANDS; side++) {
    scenario_value *literal = &c->literals[side];
    g_autofree char *text = token_text(&c->tokens[side]);
    g_autofree char *problem = NULL;

    if (c->keys[side] == SCENARIO_KEY_COUNT &&
        !scenario_value_read(c->row, SCENARIO_NOTATION_BARE, text, literal, &problem)) {
      return fail(p, c->tokens[side].at, "%s", problem);
    }
    is_ordered = is_ordered && (!literal->is_word || word_has_order(literal->text));
  }
  return !c->sign->orders || is_ordered ||
         fail(p, c->sign_token.at, "%s has no order%s; expected = or != instead of '%s'", c->row->name,
              type_has_order(c->row->type) ? " for words" : "", c->sign->text);
}

static relation relate(scenario_type type, const scenario_value *left, const scenario_value *right)
{
  gboolean is_equal;
  gboolean is_less;

  if ((!type_has_order(type) && type != SCENARIO_TYPE_BOOLEAN) || (left->is_word && right->is_word)) {
    return strcmp(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_NONE;
  }
  if (left->is_word || right->is_word) {
    const char *word = left->is_word ? left->text : right->text;
    return !word_has_order(word) ? RELATION_NONE : left->is_word ? RELATION_MORE : RELATION_LESS;
  }
  if (left->in_segments != right->in_segments) {
    return RELATION_NONE;
  }
  if (type == SCENARIO_TYPE_PROBABILITY) {
    is_equal = left->probability == right->probability;
    is_less = left->probability < right->probability;
  } else {
    /* Signed: a size may be negative, and nothing is as large as 2^63. */
    is_equal = left->number == right->number;
    is_less = (gint64)left->number < (gint64)right->number;
  }
  return is_equal ? RELATION_EQUAL : is_less ? RELATION_LESS : RELATION_MORE;
}

static scenario_verdict verdict_of(gboolean holds)
{
  return holds ? SCENARIO_VERDICT_TRUE : SCENARIO_VERDICT_FALSE;
}

/* Whether the comparison holds; TRUE when its result is not needed. */
static scenario_verdict evaluate(const parser *p, const comparison *c)
{
  const scenario_value *values[OPERANDS];

  if (!p->s || p->settled > 0) {
    return SCENARIO_VERDICT_TRUE;
  }
  for (int side = LEFT; side < OPERANDS; side++) {
    values[side] = c->keys[side] == SCENARIO_KEY_COUNT ? &c->literals[side]
                                                       : scenario_settings_value(p->s, c->keys[side]);
  }
  relation found = relate(c->row->type, values[LEFT], values[RIGHT]);
  if (!c->sign->orders || found != RELATION_NONE) {
    return verdict_of((c->sign->holds & found) != 0);
  }
  g_autofree char *left = scenario_value_write(c->row, values[LEFT]);
  g_autofree char *right = scenario_value_write(c->row, values[RIGHT]);
  fail(
      p, c->tokens[LEFT].at,
      "neither of %s and %s is the larger; expected = or !=, or a condition with 'and' before it that leaves "
      "out what has no order",
      left, right);
  return SCENARIO_VERDICT_NONE;
}

/* --- Reading --- */

static gboolean takes_operand(const where_token *token)
{
  return token->kind == WHERE_TOKEN_QUOTED || (token->kind == WHERE_TOKEN_WORD && !token_is(token, "and") &&
                                               !token_is(token, "or") && !token_is(token, "not"));
}

/* After the operand on the left; moves over the rest. */
static gboolean read_comparison(parser *p, comparison *c)
{
  c->sign_token = p->token;
  for (gsize i = 0; i < G_N_ELEMENTS(signs); i++) {
    c->sign = token_is(&c->sign_token, signs[i].text) ? &signs[i] : c->sign;
  }
  if (c->sign_token.kind != WHERE_TOKEN_SIGN) {
    c->sign = &signs[0];
    c->keys[LEFT] = key_of(&c->tokens[LEFT]);
    if (c->keys[LEFT] == SCENARIO_KEY_COUNT) {
      return unknown_key(p, &c->tokens[LEFT]);
    }
    c->row = scenario_key_row_of(c->keys[LEFT]);
    c->literals[RIGHT].number = TRUE;
    return c->row->type == SCENARIO_TYPE_BOOLEAN || unexpected(p, &p->token, "one of = != < <= > >=");
  }
  if (c->sign == NULL) {
    return unexpected(p, &c->sign_token, "one of = != < <= > >=");
  }
  advance(p);
  c->tokens[RIGHT] = p->token;
  advance(p);
  return takes_operand(&c->tokens[RIGHT]) ? read_operands(p, c)
                                          : unexpected(p, &c->tokens[RIGHT], "a value or a key");
}

static scenario_verdict read_joined(parser *p, gboolean is_any);

static scenario_verdict read_condition(parser *p)
{
  const where_token opener = p->token;
  gboolean is_not = token_is(&opener, "not");
  scenario_verdict found;

  if (!is_not && opener.kind != WHERE_TOKEN_OPEN) {
    comparison c = {.tokens = {opener}, .keys = {SCENARIO_KEY_COUNT, SCENARIO_KEY_COUNT}};

    if (!takes_operand(&opener)) {
      unexpected(p, &opener, "a condition, such as path.forward.mtu >= 1500");
      return SCENARIO_VERDICT_NONE;
    }
    advance(p);
    found = read_comparison(p, &c) ? evaluate(p, &c) : SCENARIO_VERDICT_NONE;
    scenario_value_clear(&c.literals[LEFT]);
    scenario_value_clear(&c.literals[RIGHT]);
    return found;
  }
  if (p->depth == DEPTH_MAX) {
    fail(p, opener.at, "it is nested too deep; expected at most %d parentheses and nots within each other",
         DEPTH_MAX);
    return SCENARIO_VERDICT_NONE;
  }
  p->depth++;
  advance(p);
  found = is_not ? read_condition(p) : read_joined(p, TRUE);
  p->depth--;
  if (found == SCENARIO_VERDICT_NONE) {
    return found;
  }
  if (is_not) {
    return verdict_of(found == SCENARIO_VERDICT_FALSE);
  }
  if (p->token.kind != WHERE_TOKEN_CLOSE) {
    g_autofree char *expected =
        g_strdup_printf("and, or, or the ) of the ( in column %u", where_column(p->text, opener.at));

    unexpected(p, &p->token, expected);
    return SCENARIO_VERDICT_NONE;
  }
  advance(p);
  return found;
}

/* Conditions joined by `or` (`is_any`), whose parts are joined by `and`, which binds tighter. What comes
 * after a part that settles it is only read. */
static scenario_verdict read_joined(parser *p, gboolean is_any)
{
  const scenario_verdict settles = verdict_of(is_any);
  scenario_verdict found = is_any ? read_joined(p, FALSE) : read_condition(p);

  while (found != SCENARIO_VERDICT_NONE && token_is(&p->token, is_any ? "or" : "and")) {
    gboolean is_settled = found == settles;

    advance(p);
    p->settled += is_settled;
    scenario_verdict part = is_any ? read_joined(p, FALSE) : read_condition(p);
    p->settled -= is_settled;
    found = is_settled && part != SCENARIO_VERDICT_NONE ? found : part;
  }
  return found;
}

/* Reads the whole text; NULL `s`: only whether it is a constraint. */
static scenario_verdict read_text(const char *text, const char *origin, const scenario *s, GError **error)
{
  parser p = {.text = text, .origin = origin, .s = s, .token = next_token(text, 0), .error = error};
  scenario_verdict found = read_joined(&p, TRUE);

  if (found != SCENARIO_VERDICT_NONE && p.token.kind != WHERE_TOKEN_END) {
    unexpected(&p, &p.token, "and, or, or the end");
    found = SCENARIO_VERDICT_NONE;
  }
  return found;
}

scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error)
{
  if (!g_utf8_validate(text, -1, NULL)) {
    scenario_problem(error, origin, "where: this is no UTF-8 text; expected a condition");
    return NULL;
  }
  if (read_text(text, origin, NULL, error) == SCENARIO_VERDICT_NONE) {
    return NULL;
  }
  scenario_where *where = g_new0(scenario_where, 1);
  where->text = g_strdup(text);
  where->origin = g_strdup(origin);
  return where;
}

void scenario_where_free(scenario_where *where)
{
  if (where != NULL) {
    g_free(where->text);
    g_free(where->origin);
    g_free(where);
  }
}

scenario_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error)
{
  return read_text(where->text, where->origin, s, error);
}

/* --- All constraints of a scenario --- */

const char *scenario_constraints_origin(const scenario *s)
{
  return s->constraints->len > 0 ? ((const scenario_where *)s->constraints->pdata[0])->origin : NULL;
}

gboolean scenario_constraints_hold(const scenario *s, gboolean *hold, GError **error)
{
  *hold = TRUE;
  for (guint i = 0; *hold && i < s->constraints->len; i++) {
    scenario_verdict verdict = scenario_where_holds(s->constraints->pdata[i], s, error);

    if (verdict == SCENARIO_VERDICT_NONE) {
      return FALSE;
    }
    *hold = verdict == SCENARIO_VERDICT_TRUE;
  }
  return TRUE;
}
