/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_where_token.h"

#include <string.h>

#define BLANKS " \t\r\n"
#define SIGNS "=!<>&|"

where_token where_token_next(const char *constraint, gsize at)
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

gboolean where_token_is(const where_token *token, const char *text)
{
  return (token->kind == WHERE_TOKEN_WORD || token->kind == WHERE_TOKEN_SIGN) &&
         strlen(text) == token->length && memcmp(text, token->text, token->length) == 0;
}
