/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_where.h"

#include <string.h>

#include "scenario/scenario_private.h"

/* Parentheses and nots within each other; the parser recurses, so hostile depth ends here. */
enum { DEPTH_MAX = 50 };

typedef enum where_kind { WHERE_ALL, WHERE_ANY, WHERE_NOT, WHERE_COMPARISON } where_kind;

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

/* One side of a comparison. */
typedef struct where_operand {
  scenario_key key; /* SCENARIO_KEY_COUNT: it is `literal` */
  scenario_value literal;
} where_operand;

/* Nodes have as many parts as were written, so that the depth of the tree is that of the parentheses. */
typedef struct where_node {
  where_kind kind;
  GPtrArray *parts; /* where_node, of ALL, ANY and NOT; NULL */
  scenario_key key; /* of a comparison: whose type the operands have */
  const where_sign *sign;
  where_operand left;
  where_operand right;
  gsize at; /* of a comparison: octets in front of it */
} where_node;

struct scenario_where {
  char *text;
  char *origin;
  where_node *root;
};

static void node_free(where_node *node)
{
  if (node == NULL) {
    return;
  }
  g_clear_pointer(&node->parts, g_ptr_array_unref);
  scenario_value_clear(&node->left.literal);
  scenario_value_clear(&node->right.literal);
  g_free(node);
}

/* A node without parts. */
static where_node *node_new(where_kind kind)
{
  where_node *node = g_new0(where_node, 1);

  node->kind = kind;
  node->left.key = node->right.key = SCENARIO_KEY_COUNT;
  node->parts = g_ptr_array_new_with_free_func((GDestroyNotify)node_free);
  return node;
}

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

/* --- Reading --- */

typedef struct parser {
  const char *text;
  const char *origin;
  where_token token; /* the next one */
  guint depth;
  GError **error;
} parser;

static gboolean fail(const parser *p, gsize at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Sets the error at octet `at`. Returns FALSE. */
static gboolean fail(const parser *p, gsize at, const char *format, ...)
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
  g_autofree char *shown = token_shown(found);
  g_autofree char *hint = scenario_did_you_mean(meant(found));
  return fail(p, found->at, "unexpected %s; expected %s%s", shown, expected, hint);
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
  g_autofree char *shown = scenario_shown(name);

  if (scenario_group_exists(name)) {
    g_autofree char *keys = scenario_group_members(name);

    return fail(p, token->at, "'%s' is a group; expected one of its keys, %s", name, keys);
  }
  g_autofree char *hint = scenario_did_you_mean(scenario_key_nearest(name));
  return fail(p, token->at, "unknown key '%s'; expected one that 'iwarpsim explain keys' lists%s", shown,
              hint);
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
  return fail(p, token->at, "%s", problem);
}

/* The sides of a comparison before they are known to fit each other. */
typedef struct written_sides {
  where_token left, sign, right;
} written_sides;

static gboolean check_kinds(const parser *p, const written_sides *sides, const where_node *node)
{
  gboolean two_keys = node->left.key != SCENARIO_KEY_COUNT && node->right.key != SCENARIO_KEY_COUNT;
  const scenario_key_row *left = scenario_key_row_of(node->key);
  const scenario_key_row *right = scenario_key_row_of(two_keys ? node->right.key : node->key);

  if (left->type != right->type) {
    return fail(p, sides->left.at,
                "%s and %s are not of one kind; expected keys that are both sizes, both times ...",
                left->name, right->name);
  }
  return !scenario_value_is_list(left->type) ||
         fail(p, sides->left.at, "%s is a list; expected a key with a single value", left->name);
}

static gboolean has_wordy_literal(const where_operand *operand)
{
  return operand->key == SCENARIO_KEY_COUNT && operand->literal.is_word &&
         !word_has_order(operand->literal.text);
}

static gboolean check_order(const parser *p, const written_sides *sides, const where_node *node)
{
  const scenario_key_row *row = scenario_key_row_of(node->key);
  gboolean has_order = type_has_order(row->type);

  return !node->sign->orders ||
         (has_order && !has_wordy_literal(&node->left) && !has_wordy_literal(&node->right)) ||
         fail(p, sides->sign.at, "%s has no order%s; expected = or != instead of '%s'", row->name,
              has_order ? " for words" : "", node->sign->text);
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
static gboolean read_boolean_key(const parser *p, const where_token *token, where_node *node)
{
  node->key = node->left.key = key_of(token);
  node->sign = &signs[0];
  node->right.literal.number = TRUE;
  if (node->key == SCENARIO_KEY_COUNT) {
    return unknown_key(p, token);
  }
  return scenario_key_row_of(node->key)->type == SCENARIO_TYPE_BOOLEAN ||
         unexpected(p, &p->token, "one of = != < <= > >=");
}

static gboolean takes_operand(const where_token *token)
{
  return token->kind == WHERE_TOKEN_QUOTED || (token->kind == WHERE_TOKEN_WORD && !token_is(token, "and") &&
                                               !token_is(token, "or") && !token_is(token, "not"));
}

static where_node *parse_comparison(parser *p)
{
  where_node *node = node_new(WHERE_COMPARISON);
  written_sides found = {.left = p->token};
  gboolean good;

  node->at = p->token.at;
  advance(p);
  found.sign = p->token;
  for (gsize i = 0; i < G_N_ELEMENTS(signs); i++) {
    node->sign = token_is(&found.sign, signs[i].text) ? &signs[i] : node->sign;
  }
  if (found.sign.kind != WHERE_TOKEN_SIGN) {
    good = read_boolean_key(p, &found.left, node);
  } else if (node->sign == NULL) {
    good = unexpected(p, &found.sign, "one of = != < <= > >=");
  } else {
    advance(p);
    found.right = p->token;
    good = takes_operand(&found.right) ? read_sides(p, &found, node)
                                       : unexpected(p, &found.right, "a value or a key");
    advance(p);
  }
  if (!good) {
    g_clear_pointer(&node, node_free);
  }
  return node;
}

static where_node *parse_joined(parser *p, where_kind kind);

static where_node *parse_condition(parser *p);

/* What stands in parentheses. */
static where_node *parse_enclosed(parser *p)
{
  where_token opener = p->token;

  advance(p);
  where_node *node = parse_joined(p, WHERE_ANY);
  if (node != NULL && p->token.kind != WHERE_TOKEN_CLOSE) {
    g_clear_pointer(&node, node_free);
    g_autofree char *expected =
        g_strdup_printf("and, or, or the ) of the ( in column %u", where_column(p->text, opener.at));

    unexpected(p, &p->token, expected);
  }
  advance(p);
  return node;
}

static where_node *parse_not(parser *p)
{
  advance(p);
  where_node *part = parse_condition(p);
  where_node *node = part != NULL ? node_new(WHERE_NOT) : NULL;
  if (node != NULL) {
    g_ptr_array_add(node->parts, part);
  }
  return node;
}

static where_node *parse_condition(parser *p)
{
  gboolean is_not = token_is(&p->token, "not");

  if (!is_not && p->token.kind != WHERE_TOKEN_OPEN) {
    if (takes_operand(&p->token)) {
      return parse_comparison(p);
    }
    unexpected(p, &p->token, "a condition, such as path.forward.mtu >= 1500");
    return NULL;
  }
  if (p->depth == DEPTH_MAX) {
    fail(p, p->token.at, "it is nested too deep; expected at most %d parentheses and nots within each other",
         DEPTH_MAX);
    return NULL;
  }
  p->depth++;
  where_node *node = is_not ? parse_not(p) : parse_enclosed(p);
  p->depth--;
  return node;
}

/* Conditions joined by one word; a single one is itself. `and` binds tighter than `or`. */
static where_node *parse_joined(parser *p, where_kind kind)
{
  const char *word = kind == WHERE_ANY ? "or" : "and";
  where_node *node = NULL;

  for (;;) {
    where_node *part = kind == WHERE_ANY ? parse_joined(p, WHERE_ALL) : parse_condition(p);

    if (part == NULL) {
      node_free(node);
      return NULL;
    }
    if (node == NULL && !token_is(&p->token, word)) {
      return part;
    }
    node = node != NULL ? node : node_new(kind);
    g_ptr_array_add(node->parts, part);
    if (!token_is(&p->token, word)) {
      return node;
    }
    advance(p);
  }
}

scenario_where *scenario_where_parse(const char *text, const char *origin, GError **error)
{
  if (!g_utf8_validate(text, -1, NULL)) {
    scenario_problem(error, origin, "where: this is no UTF-8 text; expected a condition");
    return NULL;
  }
  parser p = {.text = text, .origin = origin, .token = next_token(text, 0), .error = error};
  where_node *root = parse_joined(&p, WHERE_ANY);
  if (root != NULL && p.token.kind != WHERE_TOKEN_END) {
    g_clear_pointer(&root, node_free);
    unexpected(&p, &p.token, "and, or, or the end");
  }
  if (root == NULL) {
    return NULL;
  }
  scenario_where *where = g_new0(scenario_where, 1);
  where->text = g_strdup(text);
  where->origin = g_strdup(origin);
  where->root = root;
  return where;
}

void scenario_where_free(scenario_where *where)
{
  if (where == NULL) {
    return;
  }
  node_free(where->root);
  g_free(where->text);
  g_free(where->origin);
  g_free(where);
}

/* --- Evaluating --- */

static relation relate_words(const scenario_value *left, const scenario_value *right)
{
  if (left->is_word && right->is_word) {
    return strcmp(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_NONE;
  }
  const char *word = left->is_word ? left->text : right->text;
  return !word_has_order(word) ? RELATION_NONE : left->is_word ? RELATION_MORE : RELATION_LESS;
}

static relation relate(scenario_type type, const scenario_value *left, const scenario_value *right)
{
  if (!type_has_order(type) && type != SCENARIO_TYPE_BOOLEAN) {
    return strcmp(left->text, right->text) == 0 ? RELATION_EQUAL : RELATION_NONE;
  }
  if (left->is_word || right->is_word) {
    return relate_words(left, right);
  }
  if (type == SCENARIO_TYPE_PROBABILITY) {
    return left->probability < right->probability    ? RELATION_LESS
           : left->probability == right->probability ? RELATION_EQUAL
                                                     : RELATION_MORE;
  }
  if (left->in_segments != right->in_segments) {
    return RELATION_NONE;
  }
  /* Signed: a size may be negative, and nothing is as large as 2^63. */
  return (gint64)left->number < (gint64)right->number ? RELATION_LESS
         : left->number == right->number              ? RELATION_EQUAL
                                                      : RELATION_MORE;
}

static const scenario_value *operand_value(const where_operand *operand, const scenario *s)
{
  return operand->key == SCENARIO_KEY_COUNT ? &operand->literal : scenario_settings_value(s, operand->key);
}

static scenario_verdict verdict_of(gboolean holds)
{
  return holds ? SCENARIO_VERDICT_TRUE : SCENARIO_VERDICT_FALSE;
}

static scenario_verdict comparison_holds(const scenario_where *where, const where_node *node,
                                         const scenario *s, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(node->key);
  const scenario_value *left = operand_value(&node->left, s);
  const scenario_value *right = operand_value(&node->right, s);
  relation found = relate(row->type, left, right);

  if (!node->sign->orders || found != RELATION_NONE) {
    return verdict_of((node->sign->holds & found) != 0);
  }
  g_autofree char *left_text = scenario_value_write(row, left);
  g_autofree char *right_text = scenario_value_write(row, right);
  scenario_problem(error, where->origin,
                   "where, column %u: neither of %s and %s is the larger; expected = or !=, or a condition "
                   "with 'and' before it that leaves out what has no order",
                   where_column(where->text, node->at), left_text, right_text);
  return SCENARIO_VERDICT_NONE;
}

static scenario_verdict node_holds(const scenario_where *where, const where_node *node, const scenario *s,
                                   GError **error)
{
  if (node->kind == WHERE_COMPARISON) {
    return comparison_holds(where, node, s, error);
  }
  /* The verdict of a part that decides for all. */
  scenario_verdict settled = verdict_of(node->kind == WHERE_ANY);
  for (guint i = 0; i < node->parts->len; i++) {
    scenario_verdict part = node_holds(where, node->parts->pdata[i], s, error);

    if (part == SCENARIO_VERDICT_NONE) {
      return part;
    }
    if (node->kind == WHERE_NOT) {
      return verdict_of(part == SCENARIO_VERDICT_FALSE);
    }
    if (part == settled) {
      return settled;
    }
  }
  return verdict_of(settled == SCENARIO_VERDICT_FALSE);
}

scenario_verdict scenario_where_holds(const scenario_where *where, const scenario *s, GError **error)
{
  return node_holds(where, where->root, s, error);
}

/* --- All constraints of a scenario --- */

const char *scenario_constraints_origin(const scenario *s)
{
  const scenario_where *first = s->constraints->len > 0 ? s->constraints->pdata[0] : NULL;

  return first != NULL ? first->origin : NULL;
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
