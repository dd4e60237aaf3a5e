/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the report of a study: one HTML page that needs no other file, with the question, the answer,
 * plots, tables and the commands that make them again. */
#pragma once

#include <glib.h>

#include "study/store/result_store.h"

typedef struct html_report_options {
  const char *store;   /* the store's file, for the command that makes the report again: only its name without
                          folders is used */
  const char *page;    /* the report's own file, likewise */
  const char *version; /* of the program that makes the report */
  guint exclude;       /* study_flag: runs with one of these are left out of tables and plots */
} html_report_options;

/* The page as text, the same octets for the same runs wherever it is made. Nothing in it is fetched, and of
 * scripts only its own runs, which sorts and filters tables; its plots are pictures in it. A store whose runs
 * all failed or were left out makes a page that states this. NULL and `error` when the store has no runs or
 * fails, when a plot cannot be drawn (IWARPSIM_ERROR …) or the temporary folder for plots cannot be made
 * (G_FILE_ERROR). Free with g_free(). */
char *html_report_make(result_store *store, const html_report_options *options, GError **error);
