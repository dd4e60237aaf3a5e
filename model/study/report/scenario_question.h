/* SPDX-License-Identifier: GPL-2.0-only */
/* The question of a scenario, in the comments that its file begins with. */
#pragma once

#include <glib.h>

/* What a scenario asks, from the comments its file begins with: "# Question: …", "# Expected: …". */
typedef struct scenario_question {
  char *question; /* "": the file asks none */
  char *expected; /* what its author expected; "" */
} scenario_question;

/* Reads the comment lines (# or //) that `text`, a scenario file, starts with. A paragraph goes on until the
 * next one or the end of the comment; lines that are commands ("iwarpsim …") belong to none. Lines are joined
 * by blanks. Clear with scenario_question_clear(). */
scenario_question scenario_question_of(const char *text);
void scenario_question_clear(scenario_question *question);
