/* SPDX-License-Identifier: GPL-2.0-only */
/* docs/scenario.md and docs/metrics.md, made by `explain` of the tables and of the pages without them,
 * docs/…md.in, which come with the program; and the terms that those pages define. */
#pragma once

#include <glib.h>

/* A term that metrics and keys are defined by: a section "## TITLE {NAME}" of a page. */
typedef struct cli_term {
  char *name;  /* as `explain` takes it: "held" */
  char *title; /* its heading: "Held octets" */
  char *text;  /* Markdown that reads well as plain text too; ends in a newline */
} cli_term;

/* The terms (cli_term *) in reading order, those of the scenario first. Free with g_ptr_array_unref(). */
GPtrArray *cli_terms(void);

/* docs/scenario.md: what a scenario file may contain. Free with g_free(). */
char *cli_documents_scenario(void);

/* docs/metrics.md: what is measured. Free with g_free(). */
char *cli_documents_metrics(void);
