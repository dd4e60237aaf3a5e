/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the report of a study: one HTML page that needs no other file, with the question, the answer,
 * plots, tables and the commands that make them again. */
#pragma once

#include "study/report/report_page.h"

/* The page as text, the same octets for the same runs wherever it is made. Nothing in it is fetched, and of
 * scripts only its own runs, which sorts and filters tables; its plots are pictures in it. A store whose runs
 * all failed or were left out makes a page that states this. NULL and `error` when the store has no runs or
 * fails, when a plot cannot be drawn (IWARPSIM_ERROR …) or the temporary folder for plots cannot be made
 * (G_FILE_ERROR). Free with g_free(). */
char *html_report_make(result_store *store, const html_report_options *options, GError **error);

/* Reads from the comment lines (# or //) that `text`, a scenario file, starts with, what it asks ("#
 * Question: …") and what its author expected ("# Expected: …"); "" where it does not say. A paragraph goes on
 * until the next one or the end of the comment; lines that are commands ("iwarpsim …") belong to none. Lines
 * are joined by blanks. Free both with g_free(). */
void scenario_question_of(const char *text, char **question, char **expected);
