/* SPDX-License-Identifier: GPL-2.0-only */
/* Every run of a store, whatever its end: how many ended how, where, when, at what cost, and what is known of those that did not end
 * well. */
#ifndef STUDY_TABLE_STORE_SUMMARY_H
#define STUDY_TABLE_STORE_SUMMARY_H

#include <glib.h>

#include "study/store/result_store.h"

/* As many runs that did not end ok are described; the rest is counted. */
enum { STORE_SUMMARY_DESCRIBED_MAX = 100 };

/* A run that did not end ok. */
typedef struct summary_run {
  char *keys[SCENARIO_KEY_COUNT]; /* NULL: the store has none */
  run_status status;
  int exit_code;
  char *message;
  char *stderr_tail;
} summary_run;

/* A scenario, in one text, run by one program. */
typedef struct summary_provenance {
  provenance *origin;
  guint count; /* of its runs */
} summary_provenance;

typedef struct store_summary {
  guint count;
  guint by_status[RUN_STATUSES];
  GPtrArray *origins; /* summary_provenance *, in the store's order */
  GPtrArray *
      others; /* summary_run *, in the store's order: those that did not end ok, at most STORE_SUMMARY_DESCRIBED_MAX */
  GPtrArray *hosts;   /* char *, each once, sorted */
  GPtrArray *engines; /* the same */
  char *first;        /* the earliest and the latest start; NULL: not known */
  char *last;
  double wall_s; /* of all runs together */
  double cpu_s;
  double memory_peak_octets; /* of the run that took most */
  GStringChunk *texts;       /* those above */
} store_summary;

/* Reads the runs of `store`. NULL and `error` when the store fails. Free with store_summary_free() (NULL-safe). */
store_summary *store_summary_read(result_store *store, GError **error);
void store_summary_free(store_summary *totals);

#endif
