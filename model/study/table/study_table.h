/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the runs of a store in memory, as plots, tables and reports take them: grouped into points, each
 * point all seeds of the same parameters. */
#pragma once

#include <glib.h>

#include "study/statistics/statistics.h"
#include "study/store/result_store.h"
#include "study/table/study_keys.h"
#include "study/table/study_run.h"

/* Values beyond ±STUDY_TABLE_VALUE_MAX, or nearer to 0 than its inverse, are refused: a share of one in
 * another stays within what statistics.h takes. */
#define STUDY_TABLE_VALUE_MAX RUN_TABLE_NUMBER_MAX

/* This is what makes a run's TCP behaviour worth a second look (docs/facts.md). */
typedef enum study_flag {
  STUDY_FLAG_TIMEOUTS = 1 << 0,            /* tcp.timeouts > 0 */
  STUDY_FLAG_SPURIOUS = 1 << 1,            /* tcp.spurious_retransmissions > 0 */
  STUDY_FLAG_LOST_RETRANSMISSIONS = 1 << 2 /* tcp.lost_retransmissions > 0 */
} study_flag;

/* This is what --leave-out calls each flag, and the metric that raises it: study_flags[bit] belongs to the
 * flag 1 << bit. */
typedef struct study_flag_row {
  const char *name;
  metric_id metric;
} study_flag_row;
enum { STUDY_FLAGS = 3 };
extern const study_flag_row study_flags[STUDY_FLAGS];

/* Returns the scenario of `run`, so far as its keys are known; NULL: they are not this version's. Free with
 * scenario_free(). */
scenario *study_run_scenario(const study_run *run);

/* This is every run of a store, whatever its end: how many ended how, where, when, at what cost, and those
 * that did not end ok. */
typedef struct store_summary {
  guint count;
  guint by_status[RUN_STATUSES];
  GPtrArray *origins; /* provenance *, in the order of their first runs */
  GPtrArray *others;  /* study_run *, in the store's order: those that did not end ok. */
  GPtrArray *hosts;   /* char *, each once, sorted */
  GPtrArray *engines; /* the same */
  char *first;        /* the earliest and the latest start; NULL: not known */
  char *last;
  double wall_s; /* of all runs together */
  double cpu_s;
  double memory_peak_octets; /* of the run that took most */
} store_summary;

/* These are the runs that ended `ok`, but for those left out, and a summary of all. */
typedef struct study_table {
  GPtrArray *runs; /* study_run * */
  store_summary all;
  GPtrArray *left_out; /* study_run *: those that were left out for a flag */
  guint flagged;       /* runs in the table that have a flag */
  char *title;         /* of the store's first run's scenario; NULL: it has no runs, likewise of `axes` */
  char *names;         /* of the scenarios, "a, b" */
  char *versions;      /* that made the runs, "0.1.0 (git 1234abc)" */
  char *axes;          /* the same run's, as a sweep's provenance has them */
  GStringChunk *texts; /* of all runs: most runs share most of them */
  GHashTable *keys;    /* char **: those of all runs, each once */
} study_table;

/* Reads the runs of `store`, but for those with one of the flags in `exclude`. NULL and `error`
 * when a metric has a value that no run measures (IWARPSIM_ERROR) or the store fails (RESULT_STORE_ERROR).
 * Free with study_table_free() (NULL-safe). */
study_table *study_table_read(result_store *store, guint exclude, GError **error);

/* Returns the same of `run` alone, of `from`. */
study_table *study_table_of_run(const provenance *from, const stored_run *run, GError **error);
void study_table_free(study_table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(study_table, study_table_free)

/* Leaves those runs in `table` for which `where` (scenario_where.h) holds; the others are not counted as left
 * out either. FALSE and `error`, with `command` ("iwarpsim plot") and the column, when it is no condition,
 * compares what has no order, or holds for none. */
gboolean study_table_select(study_table *table, const char *where, const char *command, GError **error);

/* Returns FALSE and `error` (IWARPSIM_ERROR), which counts those that ended otherwise or were left out, when
 * no run is left in `table`, which was read without `exclude`: there is nothing to tabulate or to plot. */
gboolean study_table_check(const study_table *table, guint exclude, GError **error);

/* The swept keys that study_table_keys() leaves out because they move in step with one of its keys:
 * "path.forward.rate moves with path.forward.delay", one such text after the other; "" when there are none.
 * Free with g_free(). */
char *study_table_in_step(const study_table *table);

/* This is a point: the runs that agree in everything but the seed. */
typedef struct study_point {
  GPtrArray *runs; /* const study_run *, at least one */
  guint flagged;   /* of them */
} study_point;

/* Returns the runs of `table` and then those that did not end ok: they show where runs are missing. Free with
 * g_ptr_array_unref(); the runs stay the table's. */
GPtrArray *study_table_with_others(const study_table *table);

/* Returns the keys that vary, but for the seed and those that follow from others (study_keys.h), in the order
 * of the axes: scenario_key. Free with g_array_unref(). */
GArray *study_table_keys(const study_table *table);

/* Returns what the sweep calls `key` on an axis, else study_keys_axis(); or, with `value`, what it calls that
 * value of the key, else NULL. The table's. */
const char *study_table_words(const study_table *table, scenario_key key, const char *value);

/* Returns "partial: 31 of 48 runs": those of the sweeps that are in the store; "" when all are, as far as it
 * knows. Free with g_free(). */
char *study_table_partial(const study_table *table);

/* Returns "partial: 31 of 48 runs; 3 of 12 runs left out (timeouts); 2 runs did not end ok": what is not in
 * the table, "" when everything is. `exclude` as it was read with. Free with g_free(). */
char *study_table_missing(const study_table *table, guint exclude);

/* Returns "measured hosts differ: h3, h9 (measure.host = auto)" where runs of one topology differ in the host
 * that is measured; else "". Free with g_free(). */
char *study_table_hosts(const study_table *table);

/* Returns the points of `runs` (study_run *), each all that agree in `keys` (scenario_key), in the order of
 * study_keys_values() of the first key, then the second …. Free with g_array_unref(). */
GArray *study_table_points(const GPtrArray *runs, const GArray *keys);

/* Returns `texts` (char *), joined by commas. Free with g_free(). */
char *study_table_join(const GPtrArray *texts);

/* Returns the seeds in the table: "seed 1", "seeds 1–3", "seeds 1, 5, 9" or "12 seeds". Free with
 * g_free(). */
char *study_table_seeds(const study_table *table);
