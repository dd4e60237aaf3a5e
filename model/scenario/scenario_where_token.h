/* SPDX-License-Identifier: GPL-2.0-only */
/* The words and signs of a constraint (scenario_where.h). */
#ifndef SCENARIO_SCENARIO_WHERE_TOKEN_H
#define SCENARIO_SCENARIO_WHERE_TOKEN_H

#include <glib.h>

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

/* The first token of `constraint` at or behind octet `at`. */
where_token where_token_next(const char *constraint, gsize at);

/* TRUE when the token is a word or sign and is written `text`. */
gboolean where_token_is(const where_token *token, const char *text);

#endif
