/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_problem.h"
#include "scenario/scenario_where_node.h"
#include "scenario/scenario_where_token.h"

/* Parentheses and nots within each other; the parser recurses, so hostile depth ends here. */
enum { DEPTH_MAX = 50 };

typedef struct parser {
  const char *text;
  const char *origin;
  where_token token; /* the next one */
  guint depth;
  GError **error;
} parser;

/* Sets the error at octet `at` to `problem`, which it frees. Returns FALSE. */
static gboolean fail(const parser *p, gsize at, char *problem)
{
  scenario_problem(p->error, p->origin, "where, column %u: %s", where_column(p->text, at), problem);
  g_free(problem);
  return FALSE;
}

static void advance(parser *p)
{
  p->token = where_token_next(p->text, p->token.end);
}

static char *token_text(const where_token *token)
{
  return g_strndup(token->text, token->length);
}

/* "'x'", or "end". Free with g_free(). */
static char *token_shown(const where_token *token)
{
  if (token->kind == WHERE_TOKEN_END) {
    return g_strdup("end");
  }
  g_autofree char *text = token_text(token);
  g_autofree char *shown = scenario_shown(text);
  return g_strdup_printf("'%s'", shown);
}

/* What other languages write for ours. */
static const char *meant(const where_token *token)
{
  static const char *const others[][2] = {{"==", "="},    {"=<", "<="},   {"=>", ">="},  {"<>", "!="},
                                          {"&&", "and"},  {"&", "and"},   {"||", "or"},  {"|", "or"},
                                          {"!", "not"},   {"AND", "and"}, {"OR", "or"},  {"NOT", "not"},
                                          {"And", "and"}, {"Or", "or"},   {"Not", "not"}};

  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    if (where_token_is(token, others[i][0])) {
      return others[i][1];
    }
  }
  return NULL;
}

/* `found` stands where something else should. */
static gboolean unexpected(const parser *p, const where_token *found, const char *expected)
{
  if (found->kind == WHERE_TOKEN_UNCLOSED) {
    return fail(p, found->at, g_strdup("the quote is not closed; expected 'VALUE'"));
  }
  g_autofree char *shown = token_shown(found);
  g_autofree char *hint = scenario_did_you_mean(meant(found));
  return fail(p, found->at, g_strdup_printf("unexpected %s; expected %s%s", shown, expected, hint));
}

static gboolean is_conjunction(const where_token *token)
{
  return where_token_is(token, "and") || where_token_is(token, "or") || where_token_is(token, "not");
}

static gboolean read_sign(const where_token *token, where_sign *sign)
{
  static const char *const signs[] = {
      [WHERE_EQUAL] = "=",    [WHERE_UNEQUAL] = "!=", [WHERE_LESS] = "<",
      [WHERE_AT_MOST] = "<=", [WHERE_MORE] = ">",     [WHERE_AT_LEAST] = ">="};

  for (gsize i = 0; i < G_N_ELEMENTS(signs); i++) {
    if (where_token_is(token, signs[i])) {
      *sign = (where_sign)i;
      return TRUE;
    }
  }
  return FALSE;
}

/* The key that the token names; SCENARIO_KEY_COUNT when it names none. */
static scenario_key key_of(const where_token *token)
{
  g_autofree char *name = token_text(token);

  return token->kind == WHERE_TOKEN_WORD ? scenario_key_find(name) : SCENARIO_KEY_COUNT;
}

/* Names have points in them, as no word of a value has; numbers have, but start with a digit. */
static gboolean looks_like_key(const where_token *token)
{
  return token->kind == WHERE_TOKEN_WORD && g_ascii_isalpha(*token->text) &&
         memchr(token->text, '.', token->length);
}

static gboolean unknown_key(const parser *p, const where_token *token)
{
  g_autofree char *name = token_text(token);
  g_autofree char *shown = scenario_shown(name);

  if (scenario_group_exists(name)) {
    g_autofree char *keys = scenario_group_members(name);

    return fail(p, token->at, g_strdup_printf("'%s' is a group; expected one of its keys, %s", name, keys));
  }
  g_autofree char *hint = scenario_did_you_mean(scenario_key_nearest(name));
  return fail(
      p, token->at,
      g_strdup_printf("unknown key '%s'; expected one that 'iwarpsim explain keys' lists%s", shown, hint));
}

/* Reads the token as a value of `key` into `operand`. */
static gboolean read_literal(const parser *p, scenario_key key, const where_token *token,
                             where_operand *operand)
{
  g_autofree char *text = token_text(token);
  g_autofree char *problem = NULL;

  if (scenario_value_read(scenario_key_row_of(key), SCENARIO_NOTATION_BARE, text, &operand->literal,
                          &problem)) {
    return TRUE;
  }
  return fail(p, token->at, g_steal_pointer(&problem));
}

/* The sides of a comparison before they are known to fit each other. */
typedef struct written_sides {
  where_token left, sign, right;
} written_sides;

static gboolean check_kinds(const parser *p, const written_sides *sides, const where_node *node)
{
  const scenario_key_row *left = scenario_key_row_of(node->key);
  scenario_key other = node->left.key == SCENARIO_KEY_COUNT || node->right.key == SCENARIO_KEY_COUNT
                           ? node->key
                           : node->right.key;
  const scenario_key_row *right = scenario_key_row_of(other);

  if (left->type != right->type) {
    return fail(p, sides->left.at,
                g_strdup_printf("%s and %s are not of one kind; expected keys that are both sizes, both "
                                "times ...",
                                left->name, right->name));
  }
  switch (left->type) {
  case SCENARIO_TYPE_LIST:
  case SCENARIO_TYPE_SIZES:
  case SCENARIO_TYPE_TIMES:
  case SCENARIO_TYPE_RATES:
  case SCENARIO_TYPE_PROBABILITIES:
    return fail(p, sides->left.at,
                g_strdup_printf("%s is a list; expected a key with a single value", left->name));
  default:
    return TRUE;
  }
}

static gboolean has_wordy_literal(const where_operand *operand)
{
  return operand->key == SCENARIO_KEY_COUNT && operand->literal.is_word &&
         !where_word_has_order(operand->literal.text);
}

static gboolean check_order(const parser *p, const written_sides *sides, const where_node *node)
{
  const scenario_key_row *row = scenario_key_row_of(node->key);

  if (node->sign == WHERE_EQUAL || node->sign == WHERE_UNEQUAL) {
    return TRUE;
  }
  if (where_type_has_order(row->type) && !has_wordy_literal(&node->left) &&
      !has_wordy_literal(&node->right)) {
    return TRUE;
  }
  g_autofree char *sign = token_shown(&sides->sign);
  return fail(p, sides->sign.at,
              g_strdup_printf("%s has no order%s; expected = or != instead of %s", row->name,
                              where_type_has_order(row->type) ? " for words" : "", sign));
}

/* Fills `node` from its sides. */
static gboolean read_sides(const parser *p, const written_sides *sides, where_node *node)
{
  scenario_key left = key_of(&sides->left);
  scenario_key right = key_of(&sides->right);

  if (left == SCENARIO_KEY_COUNT && (right == SCENARIO_KEY_COUNT || looks_like_key(&sides->left))) {
    return unknown_key(p, &sides->left);
  }
  if (right == SCENARIO_KEY_COUNT && looks_like_key(&sides->right)) {
    return unknown_key(p, &sides->right);
  }
  node->key = left < SCENARIO_KEY_COUNT ? left : right;
  node->left.key = left;
  node->right.key = right;
  return check_kinds(p, sides, node) &&
         (left < SCENARIO_KEY_COUNT || read_literal(p, right, &sides->left, &node->left)) &&
         (right < SCENARIO_KEY_COUNT || read_literal(p, left, &sides->right, &node->right)) &&
         check_order(p, sides, node);
}

/* A key alone: it must be true. */
static gboolean read_boolean_key(const parser *p, const written_sides *sides, where_node *node)
{
  node->key = node->left.key = key_of(&sides->left);
  node->sign = WHERE_EQUAL;
  node->right.literal.number = TRUE;
  if (node->key == SCENARIO_KEY_COUNT) {
    return unknown_key(p, &sides->left);
  }
  if (scenario_key_row_of(node->key)->type == SCENARIO_TYPE_BOOLEAN) {
    return TRUE;
  }
  return unexpected(p, &p->token, "one of = != < <= > >=");
}

static gboolean takes_operand(const where_token *token)
{
  return token->kind == WHERE_TOKEN_QUOTED || (token->kind == WHERE_TOKEN_WORD && !is_conjunction(token));
}

static where_node *parse_comparison(parser *p)
{
  where_node *node = where_node_new(WHERE_COMPARISON);
  written_sides found = {.left = p->token};
  gboolean good;

  node->at = p->token.at;
  advance(p);
  found.sign = p->token;
  if (found.sign.kind != WHERE_TOKEN_SIGN) {
    good = read_boolean_key(p, &found, node);
  } else if (!read_sign(&found.sign, &node->sign)) {
    good = unexpected(p, &found.sign, "one of = != < <= > >=");
  } else {
    advance(p);
    found.right = p->token;
    good = takes_operand(&found.right) ? read_sides(p, &found, node)
                                       : unexpected(p, &found.right, "a value or a key");
    advance(p);
  }
  if (!good) {
    g_clear_pointer(&node, where_node_free);
  }
  return node;
}

static where_node *parse_any(parser *p);

/* What stands in parentheses. */
static where_node *parse_enclosed(parser *p)
{
  where_token opener = p->token;

  advance(p);
  where_node *node = parse_any(p);
  if (node != NULL && p->token.kind != WHERE_TOKEN_CLOSE) {
    g_clear_pointer(&node, where_node_free);
    g_autofree char *expected =
        g_strdup_printf("and, or, or the ) of the ( in column %u", where_column(p->text, opener.at));
    unexpected(p, &p->token, expected);
  }
  if (node != NULL) {
    advance(p);
  }
  return node;
}

static where_node *parse_condition(parser *p);

static where_node *parse_not(parser *p)
{
  advance(p);
  where_node *part = parse_condition(p);
  if (part == NULL) {
    return NULL;
  }
  where_node *node = where_node_new(WHERE_NOT);
  g_ptr_array_add(node->parts, part);
  return node;
}

static where_node *parse_condition(parser *p)
{
  gboolean is_not = where_token_is(&p->token, "not");

  if (!is_not && p->token.kind != WHERE_TOKEN_OPEN) {
    if (takes_operand(&p->token)) {
      return parse_comparison(p);
    }
    unexpected(p, &p->token, "a condition, such as path.forward.mtu >= 1500");
    return NULL;
  }
  if (p->depth == DEPTH_MAX) {
    fail(p, p->token.at,
         g_strdup_printf("it is nested too deep; expected at most %d parentheses and nots within each other",
                         DEPTH_MAX));
    return NULL;
  }
  p->depth++;
  where_node *node = is_not ? parse_not(p) : parse_enclosed(p);
  p->depth--;
  return node;
}

static where_node *parse_all(parser *p);

/* What a joined condition of `kind` consists of: `and` binds tighter than `or`. */
static where_node *parse_part(parser *p, where_kind kind)
{
  return kind == WHERE_ANY ? parse_all(p) : parse_condition(p);
}

/* Conditions joined by `word`; a single one is itself. */
static where_node *parse_joined(parser *p, where_kind kind, const char *word)
{
  where_node *part = parse_part(p, kind);

  if (part == NULL || !where_token_is(&p->token, word)) {
    return part;
  }
  where_node *node = where_node_new(kind);
  g_ptr_array_add(node->parts, part);
  while (where_token_is(&p->token, word)) {
    advance(p);
    part = parse_part(p, kind);
    if (part == NULL) {
      where_node_free(node);
      return NULL;
    }
    g_ptr_array_add(node->parts, part);
  }
  return node;
}

static where_node *parse_all(parser *p)
{
  return parse_joined(p, WHERE_ALL, "and");
}

static where_node *parse_any(parser *p)
{
  return parse_joined(p, WHERE_ANY, "or");
}

where_node *where_node_parse(const char *text, const char *origin, GError **error)
{
  if (!g_utf8_validate(text, -1, NULL)) {
    scenario_problem(error, origin, "where: this is no UTF-8 text; expected a condition");
    return NULL;
  }
  parser p = {.text = text, .origin = origin, .token = where_token_next(text, 0), .error = error};
  where_node *node = parse_any(&p);

  if (node != NULL && p.token.kind != WHERE_TOKEN_END) {
    g_clear_pointer(&node, where_node_free);
    unexpected(&p, &p.token, "and, or, or the end");
  }
  return node;
}
