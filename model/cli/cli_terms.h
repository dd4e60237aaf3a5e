/* SPDX-License-Identifier: GPL-2.0-only */
/* The terms that metrics and keys are defined by, once: `explain`, docs/scenario.md and docs/metrics.md say
 * the same. */
#ifndef CLI_CLI_TERMS_H
#define CLI_CLI_TERMS_H

#include <glib.h>

/* Which document defines the term. */
typedef enum cli_document {
  CLI_DOCUMENT_SCENARIO,
  CLI_DOCUMENT_METRICS,
} cli_document;

typedef struct cli_term {
  const char *name;  /* as `explain` takes it: "held" */
  const char *title; /* its heading: "Held octets" */
  cli_document document;
  const char *text; /* Markdown that reads well as plain text too; ends in a newline */
} cli_term;

/* The terms in reading order, ended by one whose name is NULL; static. */
const cli_term *cli_terms(void);

#endif
