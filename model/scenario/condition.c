/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/condition.h"

#include <string.h>

#include "scenario/scenario_problem.h"

/* The parser recurses where parentheses and nots are within each other, so hostile depth ends here. */
enum { DEPTH_MAX = 50 };

static const condition_sign signs[] = {
    {"=", RELATION_EQUAL, FALSE, FALSE},  {"!=", RELATION_LESS | RELATION_MORE | RELATION_NONE, FALSE, FALSE},
    {"<", RELATION_LESS, TRUE, FALSE},    {"<=", RELATION_LESS | RELATION_EQUAL, TRUE, FALSE},
    {">", RELATION_MORE, TRUE, FALSE},    {">=", RELATION_MORE | RELATION_EQUAL, TRUE, FALSE},
    {"has", RELATION_EQUAL, FALSE, TRUE},
};

/* Returns the column, 1 …, of octet `at` of the UTF-8 `text`. */
static guint column_of(const char *text, gsize at)
{
  return (guint)g_utf8_pointer_to_offset(text, text + at) + 1;
}

/* --- Words and signs --- */

typedef enum token_kind {
  TOKEN_END,
  TOKEN_OPEN,     /* ( */
  TOKEN_CLOSE,    /* ) */
  TOKEN_SIGN,     /* a run of = ! < > & |, whether it means something or not */
  TOKEN_WORD,     /* a key, a value, and, or, not */
  TOKEN_QUOTED,   /* 'a value in quotes'; `text` is what is between them */
  TOKEN_UNCLOSED, /* a quote without a second one */
} token_kind;

#define BLANKS " \t\r\n"
#define SIGNS "=!<>&|"

/* Returns the first token of `constraint` at or after octet `at`. */
static condition_token next_token(const char *constraint, gsize at)
{
  at += strspn(constraint + at, BLANKS);
  const char *text = constraint + at;
  condition_token token = {.at = at, .text = text};

  token.kind = *text == '\0'                  ? TOKEN_END
               : *text == '('                 ? TOKEN_OPEN
               : *text == ')'                 ? TOKEN_CLOSE
               : strchr(SIGNS, *text) != NULL ? TOKEN_SIGN
                                              : TOKEN_WORD;
  if (*text == '\'') {
    token.text = text + 1;
    token.length = strcspn(token.text, "'");
    token.kind = token.text[token.length] == '\'' ? TOKEN_QUOTED : TOKEN_UNCLOSED;
    token.end = at + 1 + token.length + (token.kind == TOKEN_QUOTED);
    return token;
  }
  token.length = token.kind == TOKEN_WORD   ? strcspn(text, BLANKS SIGNS "()'")
                 : token.kind == TOKEN_SIGN ? strspn(text, SIGNS)
                                            : token.kind != TOKEN_END;
  token.end = at + token.length;
  token.is_word = token.kind == TOKEN_WORD;
  return token;
}

/* Returns TRUE when the token is a word or sign and is written `text`. */
static gboolean token_is(const condition_token *token, const char *text)
{
  return (token->kind == TOKEN_WORD || token->kind == TOKEN_SIGN) && strlen(text) == token->length &&
         memcmp(text, token->text, token->length) == 0;
}

/* --- Errors --- */

struct condition_reader {
  const char *text;
  const char *origin;
  const char *label;
  condition_compare compare;
  void *user;
  condition_token token; /* the next one */
  guint depth;
  guint settled; /* conditions around the token that hold or do not, whatever it is part of */
  GError **error;
};

gboolean condition_fail(const condition_reader *p, gsize at, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *problem = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return scenario_problem(p->error, p->origin, "%scolumn %u: %s", p->label, column_of(p->text, at), problem);
}

static void advance(condition_reader *p)
{
  p->token = next_token(p->text, p->token.end);
}

char *condition_token_text(const condition_token *token)
{
  return g_strndup(token->text, token->length);
}

/* Returns what is meant by a word or sign of another language. */
static const char *meant(const condition_token *token)
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

/* Sets the error: `found` stands where something else should. */
static gboolean unexpected(const condition_reader *p, const condition_token *found, const char *expected)
{
  if (found->kind == TOKEN_UNCLOSED) {
    return condition_fail(p, found->at, "the quote is not closed; expected 'VALUE'");
  }
  gboolean is_end = found->kind == TOKEN_END;
  g_autofree char *text = condition_token_text(found);
  g_autofree char *shown = scenario_shown(text);
  g_autofree char *hint = scenario_did_you_mean(meant(found));
  return condition_fail(p, found->at, "unexpected %s%s%s; expected %s%s", is_end ? "end" : "'",
                        is_end ? "" : shown, is_end ? "" : "'", expected, hint);
}

gboolean condition_expects_sign(const condition_reader *p, const condition_comparison *c)
{
  return unexpected(p, &c->sign_token, "one of = != < <= > >=");
}

/* --- Reading --- */

static gboolean takes_operand(const condition_token *token)
{
  return token->kind == TOKEN_QUOTED || (token->kind == TOKEN_WORD && !token_is(token, "and") &&
                                         !token_is(token, "or") && !token_is(token, "not"));
}

/* Reads the comparison after its left operand. */
static gboolean read_comparison(condition_reader *p, condition_comparison *c)
{
  c->sign_token = p->token;
  for (gsize i = 0; i < G_N_ELEMENTS(signs); i++) {
    c->sign = token_is(&c->sign_token, signs[i].text) ? &signs[i] : c->sign;
  }
  c->is_alone = c->sign == NULL && c->sign_token.kind != TOKEN_SIGN;
  if (c->is_alone) {
    c->sign = &signs[0];
    return TRUE;
  }
  if (c->sign == NULL) {
    return unexpected(p, &c->sign_token, "one of = != < <= > >=");
  }
  advance(p);
  c->tokens[CONDITION_RIGHT] = p->token;
  advance(p);
  return takes_operand(&c->tokens[CONDITION_RIGHT]) ||
         unexpected(p, &c->tokens[CONDITION_RIGHT], "a value or a key");
}

static condition_verdict read_joined(condition_reader *p, gboolean is_any);

static condition_verdict read_condition(condition_reader *p)
{
  const condition_token opener = p->token;
  gboolean is_not = token_is(&opener, "not");
  condition_verdict found;

  if (!is_not && opener.kind != TOKEN_OPEN) {
    condition_comparison c = {.tokens = {opener}};

    if (!takes_operand(&opener)) {
      return unexpected(p, &opener, "a condition, such as path.forward.mtu >= 1500");
    }
    advance(p);
    return read_comparison(p, &c) ? p->compare(p->user, p, &c, p->settled > 0) : CONDITION_NONE;
  }
  if (p->depth == DEPTH_MAX) {
    return condition_fail(p, opener.at,
                          "it is nested too deep; expected at most %d parentheses and nots within each other",
                          DEPTH_MAX);
  }
  p->depth++;
  advance(p);
  found = is_not ? read_condition(p) : read_joined(p, TRUE);
  p->depth--;
  if (found == CONDITION_NONE) {
    return found;
  }
  if (is_not) {
    return found == CONDITION_FALSE ? CONDITION_TRUE : CONDITION_FALSE;
  }
  if (p->token.kind != TOKEN_CLOSE) {
    g_autofree char *expected =
        g_strdup_printf("and, or, or the ) of the ( in column %u", column_of(p->text, opener.at));

    return unexpected(p, &p->token, expected);
  }
  advance(p);
  return found;
}

/* Reads conditions joined by `or` (`is_any`), whose parts are joined by `and`, which binds tighter. What
 * comes after a part that settles it is only read. */
static condition_verdict read_joined(condition_reader *p, gboolean is_any)
{
  const condition_verdict settles = is_any ? CONDITION_TRUE : CONDITION_FALSE;
  condition_verdict found = is_any ? read_joined(p, FALSE) : read_condition(p);

  while (found != CONDITION_NONE && token_is(&p->token, is_any ? "or" : "and")) {
    gboolean is_settled = found == settles;

    advance(p);
    p->settled += is_settled;
    condition_verdict part = is_any ? read_joined(p, FALSE) : read_condition(p);
    p->settled -= is_settled;
    found = is_settled && part != CONDITION_NONE ? found : part;
  }
  return found;
}

condition_verdict condition_read(const char *text, const char *origin, const char *label,
                                 condition_compare compare, void *user, GError **error)
{
  if (!g_utf8_validate(text, -1, NULL)) {
    return scenario_problem(error, origin, "%sthis is no UTF-8 text; expected a condition", label);
  }
  condition_reader p = {.text = text,
                        .origin = origin,
                        .label = label,
                        .compare = compare,
                        .user = user,
                        .token = next_token(text, 0),
                        .error = error};
  condition_verdict found = read_joined(&p, TRUE);

  return found == CONDITION_NONE || p.token.kind == TOKEN_END
             ? found
             : (condition_verdict)unexpected(&p, &p.token, "and, or, or the end");
}
