/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of sweeps share this: a folder with a scenario, a store and the traces of fake runs
 * (fake_runs.h); timers, and a clock that can be stopped. */
#pragma once

#include "study/sweep/sweep.h"
#include "study_fixture.h"

typedef struct sweep_fixture {
  char *folder;
  char *store_path;
  char *problems_path;
  GArray *timers; /* guint: sources */
} sweep_fixture;

void sweep_fixture_set_up(sweep_fixture *f, gconstpointer unused);
void sweep_fixture_tear_down(sweep_fixture *f, gconstpointer unused);

/* This is a scenario of seeds alone. */
#define SEEDS(first, last)                                                                                   \
  "title = \"seeds\"; sweep = ( { key = \"run.seed\"; from = " first "; to = " last "; } );"

/* This is a scenario of these. */
#define SEED_LIST(title, seeds)                                                                              \
  "title = \"" title "\"; sweep = ( { key = \"run.seed\"; values = [" seeds "]; } );"

/* This is how to sweep. */
typedef struct how_to_sweep {
  guint jobs;
  guint shard; /* 0 of 0: all points */
  guint shards;
  gboolean stops; /* at the first run that fails */
  run_limits limits;
} how_to_sweep;

/* Calls `act` with `data` every `interval_ms` until it returns G_SOURCE_REMOVE, but no longer than the next
 * sweep of this fixture lasts: what `data` points to may then be gone. */
void add_timer(const sweep_fixture *f, guint interval_ms, GSourceFunc act, gpointer data);

/* This is the clock that sweeps and runs are measured by, g_get_monotonic_time(). Stopped, it goes on only as
 * a test wants: how busy the machine is makes no difference. It starts again with each test. Timers and what
 * children do are not affected. */
void stop_clock(void);
void advance_clock(double seconds);
void start_clock(void);

/* Sweeps the scenario `text` into `store`; TRUE unless the sweep itself failed. */
gboolean sweep_into(const sweep_fixture *f, result_store *store, const char *text, const char *const *sets,
                    how_to_sweep options, sweep_result *result, GError **error);

/* Does the same into the store at store_path. */
gboolean sweep_text(const sweep_fixture *f, const char *text, const char *const *sets, how_to_sweep options,
                    sweep_result *result, GError **error);

/* Does the same without --set; must not fail. */
sweep_result sweep_with(const sweep_fixture *f, const char *text, how_to_sweep options);

/* Does the same with `jobs` runs at once. */
sweep_result sweep_well(const sweep_fixture *f, const char *text, guint jobs);

/* Returns what the sweep reported of its runs. Free with g_free(). */
char *problems_of_sweep(const sweep_fixture *f);

/* Returns the last process that left its trace in `folder` as that of `seed`; 0: none did. */
pid_t traced_process(const char *folder, const char *seed);

/* Takes away the traces of children; returns how many started. `*last` (may be NULL) is the process of one of
 * them. */
guint take_traces(const sweep_fixture *f, pid_t *last);
guint take_starts(const sweep_fixture *f);

/* Returns the store as text: it shows all that is compared across sweeps. Free with g_free(). */
char *export_text(const sweep_fixture *f);

/* The run of `seed` is recorded so, its message has `part` in it. */
void expect_recorded(const sweep_fixture *f, const char *seed, run_status status, int exit_code,
                     const char *part);

/* Returns what the store has of the run of `seed`: an expression of SQL, as text. Free with g_free(). */
char *recorded(const sweep_fixture *f, const char *seed, const char *columns);
