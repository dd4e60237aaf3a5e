/* SPDX-License-Identifier: GPL-2.0-only */
/* Every run of a store, whatever its end: how many ended how, where, when, at what cost, and what is known of those that did not end
 * well. */
#ifndef STUDY_RUN_CENSUS_H
#define STUDY_RUN_CENSUS_H

#include <glib.h>

#include "study/store/result_store.h"

/* As many runs that did not end ok are described; the rest is counted. */
enum { RUN_CENSUS_DESCRIBED_MAX = 100 };

/* A run that did not end ok. */
typedef struct census_run {
  char *keys[SCENARIO_KEY_COUNT]; /* NULL: the store has none */
  run_status status;
  int exit_code;
  char *message;
  char *stderr_tail;
} census_run;

/* A scenario, in one text, run by one program. */
typedef struct census_origin {
  stored_origin *origin;
  guint count; /* of its runs */
} census_origin;

typedef struct run_census {
  guint count;
  guint by_status[RUN_STATUSES];
  GPtrArray *origins; /* census_origin *, in the store's order */
  GPtrArray *
      others; /* census_run *, in the store's order: those that did not end ok, at most RUN_CENSUS_DESCRIBED_MAX */
  GPtrArray *hosts;   /* char *, each once, sorted */
  GPtrArray *engines; /* the same */
  char *first;        /* the earliest and the latest start; NULL: not known */
  char *last;
  double wall_s; /* of all runs together */
  double cpu_s;
  double memory_peak_octets; /* of the run that took most */
} run_census;

/* Reads the runs of `store`. NULL and `error` when the store fails. Free with run_census_free() (NULL-safe). */
run_census *run_census_read(result_store *store, GError **error);
void run_census_free(run_census *census);

#endif
