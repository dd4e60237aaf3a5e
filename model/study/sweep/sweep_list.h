/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep would do, before anything starts: every run, how many there are, how long they take (`sweep
 * --list`). */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/sweep/sweep_plan.h"

typedef struct sweep_list_options {
  const char *version; /* of iwarpsim, for the header; the caller's */
  guint jobs;          /* runs at once, >= 1 */
  gboolean has_store;  /* `plan` was looked up there */
  double pace; /* the seconds that a run takes for each second of its run_cost, where the store has none to
                  show it */
} sweep_list_options;

/* Prints on `output` a line with the scenario's name, title and the version; a line a run of `plan`, in the
 * order of the grid: number, keys that vary, and with a store what became of it (done, unexpected, failed,
 * missing); and the sums: how many runs, how many are left out or to run, segments and time of those to run,
 * and that more may follow. */
void sweep_list_print(const sweep_plan *plan, const sweep_list_options *options, FILE *output);
