/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the runs that a sweep takes, and what is there of them: all of a grid, or (`sweep --until`) as
 * many seeds of each point as it takes until the intervals of its means are narrow enough.
 *
 * A point then gets STATISTICS_FIRST_LOOK seeds, and as many more as statistics_wanted_count() wants for each
 * of its goals, until all are met at once or its seeds are used up. That is decided by the runs of this point
 * in the order of their seeds, and by nothing else: whatever is run at once, interrupted, resumed or merged,
 * the runs are the same. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "study/store/result_store.h"
#include "study/sweep/sweep_grid.h"
#include "study/table/result_quantity.h"

/* The 95 % interval of the mean of `quantity` over the seeds of a point is to be at most ± `share` of it, as
 * statistics_are_narrow() has it. */
typedef struct sweep_goal {
  result_quantity quantity;
  double share;
} sweep_goal;

typedef struct planned_run {
  gsize index; /* in the grid */
  stored_state state;
} planned_run;

typedef struct sweep_plan sweep_plan;

/* Returns the plan of all points of `grid`. With `goals` the grid is one of at least STATISTICS_FIRST_LOOK
 * seeds (sweep_grid_new()), and a point has as many at most; goal_count 0: every run of the grid is a point.
 * `grid` and `goals` stay the caller's and must outlive it. Free with sweep_plan_free(). */
sweep_plan *sweep_plan_new(const sweep_grid *grid, const sweep_goal *goals, gsize goal_count);
void sweep_plan_free(sweep_plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sweep_plan, sweep_plan_free)

const sweep_grid *sweep_plan_grid(const sweep_plan *plan);

/* Returns whether more runs may be planned when those that are have ended. */
gboolean sweep_plan_is_open(const sweep_plan *plan);

/* Looks up in `store` what is there of the runs, and plans those that follow from them. With `renumber` the
 * store notes their places in the grid; otherwise it is only read. FALSE and `error` when the store fails. */
gboolean sweep_plan_look_up(sweep_plan *plan, result_store *store, gboolean renumber, GError **error);

/* Leaves in the plan the `shard`-th part (1 … shards) of the runs that are planned and were not found when it
 * was looked up, one round of a sweep that several machines share: the runs are dealt out by what they cost,
 * the most expensive first, each to the shard that has the least so far. So all shards must have looked up
 * the same store. Nothing follows from the runs of a shard: the next round is dealt when all of this one are
 * in one store. */
void sweep_plan_deal(sweep_plan *plan, guint shard, guint shards);

/* Returns the seconds that a run takes for each second of its run_cost: of those that the store had when it
 * was looked up, in the mean; 0: it had none. */
double sweep_plan_pace(const sweep_plan *plan);

/* Returns the runs planned so far: planned_run, in the order in which they are to be made, which grows as
 * runs are noted. */
const GArray *sweep_plan_runs(const sweep_plan *plan);

/* Returns how many runs there are to be, in all shards; with goals, as far as they are decided. */
gsize sweep_plan_intended(const sweep_plan *plan);

/* Run `index` has ended as `run` records; what follows from it is planned. A run that failed holds its point:
 * nothing more is planned for it until the run is repeated. */
void sweep_plan_note(sweep_plan *plan, gsize index, const stored_run *run);

/* Notes the same of a run that the store has. FALSE and `error` when it cannot be read. */
gboolean sweep_plan_note_stored(sweep_plan *plan, gsize index, result_store *store, GError **error);

/* This is what is expected beyond the runs planned so far: how many, and what they cost in all. Each interval
 * is taken to become narrower with the square root of the seeds. `known` is FALSE while a point has too few
 * to tell; such points count as if they needed no more. */
typedef struct sweep_plan_rest {
  gsize runs;
  double seconds; /* of run_cost */
  gboolean known;
} sweep_plan_rest;
sweep_plan_rest sweep_plan_expected(const sweep_plan *plan);

/* Returns what became of the goals, in lines for people: how many points met them with how many seeds; each
 * that did not, and what it reached; what does not vary; intervals that cover less than they should
 * (statistics.h). "" without goals. Free with g_free(). */
char *sweep_plan_report(const sweep_plan *plan);

/* A goal of which no run has the quantity, once all points are decided; NULL: there is none. */
const sweep_goal *sweep_plan_without_values(const sweep_plan *plan);

/* Returns "1.25 million": three digits are more than an estimate knows. Free with g_free(). */
char *sweep_estimate_rough(double number);

/* Returns an estimate: "7 s", from two minutes on "2 min", from two hours on "2.1 h". Free with g_free(). */
char *sweep_estimate_duration(double seconds);

/* Prints what a sweep would do, before anything starts. Prints on `output` a line with the scenario's name,
 * title and the `version` of iwarpsim; a line a run of the plan, in the order of the grid: number, keys that
 * vary, and, when a store was looked up, what became of it (done, unexpected, failed, missing); and the sums:
 * how many runs, how many are left out or to run, segments and time of those to run, `jobs` (>= 1) at once,
 * and that more may follow. `pace` is that of sweep_plan_pace() where the store has none to show it. */
void sweep_plan_list(const sweep_plan *plan, const char *version, guint jobs, double pace, FILE *output);

/* Returns the same as one JSON object (docs/store.md, "As JSON"). Free with g_free(). */
char *sweep_plan_json(const sweep_plan *plan, const char *version, guint jobs, double pace);
