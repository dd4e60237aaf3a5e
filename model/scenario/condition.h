/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions have one language, whatever it is that they compare: keys of a scenario (scenario_where.h), or
 * the fields of an event.
 *
 *   condition  := conjunction { or conjunction }        conjunction := part { and part }
 *   part       := not part | ( condition ) | NAME | operand SIGN operand
 *   SIGN       := = != < <= > >= has                    operand     := WORD | 'TEXT'
 *
 * A condition is read anew each time that it is evaluated. */
#pragma once

#include <glib.h>

/* Two values compare in one of these ways, a bit each. */
typedef enum relation {
  RELATION_LESS = 1,
  RELATION_EQUAL = 2,
  RELATION_MORE = 4,
  RELATION_NONE = 8 /* unequal, without order */
} relation;

typedef struct condition_sign {
  const char *text;
  unsigned holds;  /* of relation: for which a comparison holds */
  gboolean orders; /* it asks which value is the larger */
  gboolean is_has; /* it asks whether the value is among others */
} condition_sign;

typedef struct condition_token {
  int kind;         /* condition.c's; */
  gboolean is_word; /* not in quotes */
  gsize at;         /* octets in front of it */
  gsize end;        /* octets up to its end */
  const char *text; /* in the condition, without quotes … */
  gsize length;     /* … so many octets */
} condition_token;

enum { CONDITION_LEFT, CONDITION_RIGHT, CONDITION_OPERANDS };

/* This is a comparison as it was read. */
typedef struct condition_comparison {
  condition_token tokens[CONDITION_OPERANDS];
  condition_token sign_token;
  const condition_sign *sign; /* "=" when is_alone */
  gboolean is_alone;          /* the left operand stands alone: there is no other */
} condition_comparison;

typedef enum condition_verdict {
  CONDITION_NONE = FALSE, /* it cannot be evaluated: the error is set, as by condition_fail() */
  CONDITION_FALSE,
  CONDITION_TRUE
} condition_verdict;

/* A reader has the condition while it is read. */
typedef struct condition_reader condition_reader;

/* Evaluates `c`. With `is_read_only` its result is not needed: it is checked as far as it can be. NONE after
 * condition_fail(). */
typedef condition_verdict (*condition_compare)(void *user, const condition_reader *reader,
                                               const condition_comparison *c, gboolean is_read_only);

/* Reads and evaluates `text`, which stands at `origin` ("file:line") and errors begin with `label`
 * ("where, "). `compare` is called for each comparison, with `user`. NONE and `error`, with the column, when
 * it is no condition, or when `compare` returned that. */
condition_verdict condition_read(const char *text, const char *origin, const char *label,
                                 condition_compare compare, void *user, GError **error);

/* Sets the error for a condition_compare, at octet `at`. Returns FALSE. */
gboolean condition_fail(const condition_reader *reader, gsize at, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Does the same: after `c`, whose left operand stands alone, a sign should follow. */
gboolean condition_expects_sign(const condition_reader *reader, const condition_comparison *c);

/* Returns the token's text. Free with g_free(). */
char *condition_token_text(const condition_token *token);
