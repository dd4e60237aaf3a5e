/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep would do, before anything starts: every run, how many there are, how long they take (`sweep
 * --list`). */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"

typedef struct sweep_list_options {
  const char *version; /* of iwarpsim, for the header; the caller's */
  guint jobs;          /* runs at once, >= 1 */
  guint shard;         /* 1 … shards: of every shards-th point */
  guint shards;        /* >= 1 */
  /* From a store, by sweep_list_look_up(); all zero without one. */
  stored_state *states;  /* of every point of the grid, by index; free with g_free() */
  double mean_wall_s;    /* of the runs there that ended well … */
  gsize mean_wall_count; /* … and their number; 0: times are estimated from the workloads */
} sweep_list_options;

/* Fills in what `store`, which is only read, has of the points of `grid`. FALSE and `error` when it cannot be
 * read; `options` is as it was then. */
gboolean sweep_list_look_up(const sweep_grid *grid, result_store *store, sweep_list_options *options,
                            GError **error);

/* Data segments that the workload of `s` takes when nothing is sent twice: the payload of its messages, each
 * cut into segments of the path MTU less headers. What a run costs is nearly proportional to it. */
double sweep_list_segments(const scenario *s);

/* Prints on `output` a line with the scenario's name, title and the version; a line a run: number, keys that
 * vary, and with a store what became of it (done, unexpected, failed, missing); and the sums: how many runs,
 * how many are left out or to run, segments and time of those to run. */
void sweep_list_print(const sweep_grid *grid, const sweep_list_options *options, FILE *output);
