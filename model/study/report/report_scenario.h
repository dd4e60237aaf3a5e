/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a scenario's text states of itself. */
#pragma once

/* Reads from the comment lines (# or //) that `text`, a scenario file, starts with, what it asks ("#
 * Question: …") and what its author expected ("# Expected: …"); "" where it does not say. A paragraph goes on
 * until the next one or the end of the comment; lines that are commands ("iwarpsim …") belong to none. Lines
 * are joined by blanks. Free both with g_free(). */
void scenario_question_of(const char *text, char **question, char **expected);
