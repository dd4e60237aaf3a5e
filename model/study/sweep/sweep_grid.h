/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the points of a sweep: the grid of all axes of a scenario, axes `with` another moving in step
 * with it (docs/scenario.md, "Sweeps"); and what the run of each is expected to cost. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"

/* This is what the run of a scenario costs, estimated from its keys before it is made. */
typedef struct run_cost {
  double segments; /* data segments that leave the sender: the stream's octets, each once, cut at EMSS */
  double seconds;  /* of one core of the machine that the constants were measured on */
  double messages; /* of all connections and both ends, those that are not of the workload left out … */
  double payload_octets; /* … and theirs */
  double memory_octets;  /* of buffers: scenario_memory_octets() */
} run_cost;

/* Returns the cost of `s`, which scenario_check() accepts. Within a factor of two for the runs of one study
 * compared with each other; how fast this machine is, only finished runs can show. */
run_cost run_cost_of(const scenario *s);

/* Copies `count` `axes` but for that of `key`, `*own` (NULL: there is none), into `others`. FALSE and `error`
 * when another axis moves with it; `why` is what is to become of it: "which is searched". */
gboolean sweep_axes_without(const scenario_axis *axes, gsize count, scenario_key key, const char *why,
                            GArray *others, const scenario_axis **own, GError **error);

typedef struct sweep_grid sweep_grid;

/* More points than this are refused: a slip of the pen, not a study. */
#define SWEEP_GRID_POINTS_MAX 1000000

/* Returns the grid of `base`, which stays the caller's and must outlive the grid; without axes it is the one
 * point `base`. `axes` (scenario_axis; with canonical values, as many of an axis as of the one it moves
 * with), which must outlive the grid, replace those of the scenario unless NULL. The first axis varies
 * slowest. Points that the constraints `where` of the scenario leave out are not there, nor those whose keys
 * all equal those of an earlier point. `sets` (NULL-terminated, or NULL) are the --set options `base` was
 * loaded with. A point's measure.series is `none` unless it was given: a sweep keeps no series in any case.
 * NULL and `error` when a --set names an axis, there are too many points, no point is left, a constraint
 * cannot be decided, or scenario_check() refuses a point that the constraints leave. Free with
 * sweep_grid_free().
 *
 * A million points and thousands of conditions take minutes: `watch`, unless NULL, is called before each
 * point is looked at, with the share of them that is done (0 … 1). */
typedef void (*sweep_grid_watch)(double share, gpointer user);
sweep_grid *sweep_grid_new(const scenario *base, const GArray *axes, const char *const *sets, guint seeds,
                           sweep_grid_watch watch, gpointer user, GError **error);
void sweep_grid_free(sweep_grid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sweep_grid, sweep_grid_free)

/* The runs of all points, at least 1; run i is of point i / sweep_grid_seeds(). Where there is one run a
 * point, the two words mean the same. */
gsize sweep_grid_count(const sweep_grid *grid);
gsize sweep_grid_seeds(const sweep_grid *grid);

/* Returns what run `index` is expected to cost. */
run_cost sweep_grid_cost(const sweep_grid *grid, gsize index);

typedef struct sweep_grid_facts {
  gsize left_out;    /* points of the whole grid, by the constraints */
  gsize repeated;    /* points that equal an earlier one */
  gboolean uses_ns3; /* some point runs on ns-3 */
} sweep_grid_facts;
const sweep_grid_facts *sweep_grid_facts_of(const sweep_grid *grid);

/* Returns the scenario that the grid was made of; not the grid's. */
const scenario *sweep_grid_base(const sweep_grid *grid);

/* Returns the scenario of point `index`. Free with scenario_free(). */
scenario *sweep_grid_scenario(const sweep_grid *grid, gsize index);

/* Returns the keys that vary, in file order: "path.forward.mtu=576 run.seed=1"; "" without axes. Free with
 * g_free(). */
char *sweep_grid_label(const sweep_grid *grid, gsize index);

/* The canonical texts of all keys at point `index`; the grid's. */
void sweep_grid_texts(const sweep_grid *grid, gsize index, const char *texts[SCENARIO_KEY_COUNT]);

/* Returns what makes point `index` this run and no other (result_store.h); the grid's. */
const char *sweep_grid_identity(const sweep_grid *grid, gsize index);

/* Returns the axes in file order, as a provenance (provenance.h) has them. Free with g_free(). */
char *sweep_grid_axes_text(const sweep_grid *grid);
