/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a run measured as JSON: the parts that a summary and a store have of its results. */
#pragma once

#include <glib.h>

#include "measure/run_results.h"

/* This is what a run measured, as a store has it without a blank: {"NAME":VALUE,…} of metrics,
 * {"NAME":[[BOUND,WEIGHT],…],…} of distributions, {"GAUGE":[[PERCENT,VALUE],…],…} of quantiles,
 * {"OCTETS":[MAXIMUM,…]} of block maxima; and the tables of run_results, which are no JSON. */
typedef enum run_part {
  RUN_METRICS,
  RUN_DISTRIBUTIONS,
  RUN_QUANTILES,
  RUN_BLOCK_MAXIMA,
  RUN_TABLES,
  RUN_PARTS
} run_part;

/* Appends `part` of `results` to `json`: as a store's text, or as the next member of a summary. */
void run_part_append(GString *json, run_part part, const run_results *results, gboolean in_summary);

/* Returns "metric", "distribution", "gauge" or "size of blocks": what `part` has values of. */
const char *run_part_noun(run_part part);

/* Looks for `name` in the table of `part` from `*id` on, and sets that. FALSE: this version does not know it.
 */
gboolean run_part_find(run_part part, const char *name, gsize *id);

/* Adds the text at `*at`, VALUE, [VALUE,...] or [[VALUE,VALUE],...], of what is called `name`, which is `id`
 * of `part` (run_part_find()), to `results`; `*at` is then after it. NULL, or what is wrong with it;
 * g_free(). */
char *run_part_add(run_results *results, run_part part, gsize id, const char *name, const char **at);

/* Returns all parts as a store's texts, and NULL after them. Free with g_strfreev(). */
char **run_part_texts(const run_results *results);

/* Adds what `text`, one of these, has of `part` to `results`. NULL, or what is wrong with it (g_free()); a
 * name that this version does not know becomes `*unknown` (g_free()), and ends it. */
char *run_part_read(run_results *results, run_part part, const char *text, char **unknown);

/* Reads all parts from the `octets` at `texts`, as run_part_texts() has them, with a NUL after each, into
 * `results`, which is empty. FALSE, and nothing, when they are none: what was to write them went wild. */
gboolean run_parts_take(const char *texts, gsize octets, run_results *results);
