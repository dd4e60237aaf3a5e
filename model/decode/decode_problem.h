/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what can be wrong in a capture: the rows of decode_problems.def. */
#pragma once

#include <glib.h>
#include <stdint.h>

typedef enum decode_problem {
#define PROBLEM(id, kind, severity, clause, sentence) DECODE_PROBLEM_##id,
#include "decode/decode_problems.def"
  DECODE_PROBLEMS
} decode_problem;

/* This is a set of problems: a bit for each. */
typedef uint64_t decode_problem_set;

typedef enum decode_severity { DECODE_ERROR, DECODE_WARNING, DECODE_NOTE, DECODE_SEVERITIES } decode_severity;

typedef struct decode_problem_row {
  const char *kind;
  decode_severity severity;
  const char *clause; /* "RFC 5044 §4.4" */
  const char *sentence;
} decode_problem_row;

/* Returns the row of `problem` (< DECODE_PROBLEMS); static. */
const decode_problem_row *decode_problem_row_of(decode_problem problem);

/* Returns "error", "warning", "note". Static. */
const char *decode_severity_name(decode_severity severity);

#define DECODE_PROBLEM_BIT(id) (UINT64_C(1) << DECODE_PROBLEM_##id)
G_STATIC_ASSERT(DECODE_PROBLEMS <= 64);

/* Returns the first of `left`, which is not empty, in the order of the table; takes it out. */
static inline decode_problem decode_problem_take(decode_problem_set *left)
{
  decode_problem first = (decode_problem)__builtin_ctzll(*left);

  *left &= *left - 1;
  return first;
}
