/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of sweeps, stores and plots share this: a temporary folder, scenarios made of text, made-up runs,
 * and stores of them, written in words: which keys a run sets, what it measured. */
#pragma once

#include "no_error.h"
#include "scenario/scenario.h"
#include "study/store/result_store.h"
#include "study/store/result_store_private.h"
#include "study/sweep/sweep_grid.h"
#include "study/table/study_table.h"
#include "summary/summary.h"
#include "test.h"

/* Makes a folder of its own; remove with fixture_folder_remove(), which frees the name. */
char *fixture_folder_new(void);
void fixture_folder_remove(char *folder);

/* Writes `text` to `folder`/`name` and returns the path (g_free()). */
char *fixture_file(const char *folder, const char *name, const char *text);

/* Loads `text` as the scenario `folder`/`name`. Fails the test when it is refused. */
scenario *fixture_scenario(const char *folder, const char *name, const char *text, const char *const *sets);

/* Returns an origin of the scenario called `name`, by iwarpsim 0.1.0 of an unknown commit; the texts stay the
 * caller's. */
provenance fixture_origin(const char *name, const char *title, const char *text, const char *axes);

/* Returns an `ok` run of `s` at `point`, without metrics; the texts in it are the caller's to free with
 * fixture_run_clear(). */
stored_run fixture_run(const scenario *s, guint64 point);
void fixture_run_clear(stored_run *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(stored_run, fixture_run_clear)

/* Returns the same of `s` with the seed `seed`. */
stored_run fixture_seed_run(const scenario *s, guint seed, guint64 point);

/* This is the grid of a scenario "a". */
typedef struct grid_fixture {
  char *folder;
  scenario *scenario;
  sweep_grid *grid; /* NULL: not made yet */
} grid_fixture;

/* `text` (char *) is the scenario's; NULL: the test makes the grid. */
void grid_fixture_set_up(grid_fixture *f, gconstpointer text);
void grid_fixture_tear_down(grid_fixture *f, gconstpointer unused);

/* Makes the grid, in place of the one before. Fails the test when it is refused. */
void grid_fixture_make(grid_fixture *f, const char *text);

/* Returns the number of runs in the store at `path`. */
guint fixture_count_runs(const char *path);

/* The same metrics are present, with the same values to the last bit; of each distribution the same bins; the
 * same quantiles and block maxima. */
void expect_same_metrics(const metric_values *found, const metric_values *expected);
void expect_same_distributions(const distribution *found, const distribution *expected);
void expect_same_gauges(const run_results *found, const run_results *expected);

/* Opens the database at `path`, past our own program, and what is done to it there. */
sqlite3 *raw_open(const char *path);
void raw_execute(sqlite3 *database, const char *sql);

typedef struct store_fixture {
  char *folder;
  char *path; /* of the store, in `folder` */
  scenario *scenario;
  result_store *store;
  provenance origin; /* of the runs added next; the texts are the test's */
  guint64 point;
} store_fixture;

/* An empty store of the scenario "a", titled "A question", whose swept keys are `axes` (char *), one a
 * line. */
void store_fixture_set_up(store_fixture *f, gconstpointer axes);
void store_fixture_tear_down(store_fixture *f, gconstpointer unused);

/* This is a test `name` of such a store, `f`. */
#define STORE_TEST(axes, name)                                                                               \
  TEST_WITH(store_fixture, axes, store_fixture_set_up, store_fixture_tear_down, name)

/* Returns an ok run of the keys "path.forward.mtu=1500 run.seed=2", blanks between; "-path.forward.mtu":
 * without this key. It measured "tcp.timeouts=1 goodput_bit_per_s=1e9 state.holes_p50=2", quantiles
 * ascending. Free with fixture_run_clear(). */
stored_run store_fixture_run(store_fixture *f, const char *keys, const char *values);

/* Puts it into the store. */
void store_fixture_commit(store_fixture *f, const stored_run *run);

/* Does both. */
void store_fixture_add(store_fixture *f, const char *keys, const char *values);

/* Adds the same, ended as `status` has it. */
void store_fixture_add_status(store_fixture *f, const char *keys, const char *values, run_status status);

/* Runs `sql` on the store, past its own program. */
void store_fixture_sql(store_fixture *f, const char *sql);
