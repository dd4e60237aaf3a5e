/* SPDX-License-Identifier: GPL-2.0-only */
/* The scenario: what it asks, what of it the runs vary and what differs from the defaults, as a table and as
 * a sketch of the path. */
#pragma once

#include "study/report/report_page.h"

/* Reads from the comment lines (# or //) that `text`, a scenario file, starts with, what it asks ("#
 * Question: …") and what its author expected ("# Expected: …"); "" where it does not say. A paragraph goes on
 * until the next one or the end of the comment; lines that are commands ("iwarpsim …") belong to none. Lines
 * are joined by blanks. Free both with g_free(). */
void scenario_question_of(const char *text, char **question, char **expected);

/* These append the content of a section. The sketch has a box for each end and for what payload passes
 * between them, in its order. */
void report_append_question(report_page *report);
void report_append_sketch(report_page *report);
void report_append_parameters(report_page *report);
