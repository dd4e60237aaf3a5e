/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of keys, metrics and terms as documents: docs/scenario.md and docs/metrics.md, made by
 * `explain`. */
#ifndef CLI_CLI_DOCUMENTS_H
#define CLI_CLI_DOCUMENTS_H

#include <glib.h>

/* docs/scenario.md: what a scenario file may say. Free with g_free(). */
char *cli_documents_scenario(void);

/* docs/metrics.md: what is measured. Free with g_free(). */
char *cli_documents_metrics(void);

#endif
