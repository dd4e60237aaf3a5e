/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_problem.h"

static const decode_problem_row rows[] = {
#define PROBLEM(id, kind_, severity_, clause_, sentence_)                                                    \
  [DECODE_PROBLEM_##                                                                                         \
      id] = {.kind = (kind_), .severity = DECODE_##severity_, .clause = (clause_), .sentence = (sentence_)},
#include "decode/decode_problems.def"
};

const decode_problem_row *decode_problem_row_of(decode_problem problem)
{
  return &rows[problem];
}

const char *decode_note_text(decode_problem_set set, const char *text)
{
  return text || set == 0 ? text : rows[__builtin_ctzll(set)].sentence;
}

const char *decode_severity_name(decode_severity severity)
{
  static const char *const names[] = {
      [DECODE_ERROR] = "error", [DECODE_WARNING] = "warning", [DECODE_NOTE] = "note"};

  return names[severity];
}
