/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a quantity: what is tabulated, drawn and compared. It is a metric, a quantile of a gauge, the share
 * of one of them in another, a value of a host, a port or a class of messages, or, of several runs together,
 * a return level. A table has a row of it at each point of a study, or of its paired differences. */
#pragma once

#include <glib.h>

#include "study/table/study_table.h"

/* This is what no run has measured, and is known of runs all the same: the answer that is found at their
 * point. */
typedef struct result_given {
  const char *name, *unit; /* as of a metric; static */
  const char *words;       /* what a point of it is, for a subtitle; static */
  GHashTable *of;          /* statistics *, by run_results *; a run has what its point has */
} result_given;

typedef struct result_quantity {
  metric_id metric;
  metric_id whole; /* the quantity is the metric divided by this one; METRIC_COUNT: the metric itself */
  /* Not 0: instead of the metric, or of the other, which is the peak of a gauge, that gauge's quantile for so
   * many parts of the time (metric_table.h). */
  guint32 parts;
  guint32 whole_parts;
  /* Not NULL, "1GiB": instead of the metric, buffer.reassembly_peak_octets, the level which the reassembly
   * occupancy exceeds once in so many octets Delivered; no run has it alone. The text stays the caller's. */
  const char *return_period;
  double return_octets;
  /* Not NULL: instead of the metric, which is METRIC_COUNT, a value of a table of the run (run_table):
   * "host.h3.COLUMN", "switch.s0.COLUMN", "port.s0:3.COLUMN", "message.CLASS.COLUMN" or, of messages of one
   * size class, "message.CLASS.SIZE.COLUMN". Static. */
  const char *of_table;
  const result_given *given; /* not NULL: instead of all that; the caller's */
} result_quantity;

/* Reads "tcp.timeouts", "buffer.order_p99.9_octets", "placement.octets_direct/placement.octets" or
 * "host.h3.connections". FALSE and `error` when that names none. */
gboolean result_quantity_read(const char *text, result_quantity *quantity, GError **error);

/* Returns whether a table of one of `runs` (const study_run *) has what `quantity` is of, if it is of one;
 * else FALSE and `error`, with the nearest name that a table has. */
gboolean result_quantity_known(const result_quantity *quantity, const GPtrArray *runs, GError **error);

/* Returns what a reader wants to see first: peak and p99 of the reassembly occupancy, the share placed
 * directly, goodput, time-outs. An array of result_quantity; free with g_array_unref(). */
GArray *result_quantity_defaults(void);

/* Adds to `quantities` the losses and refusals, by cause, of which any of `runs` (const study_run *) has
 * some. */
void result_quantity_add_losses(GArray *quantities, const GPtrArray *runs);

/* Returns the name as result_quantity_read() takes it. Free with g_free(). */
char *result_quantity_name(const result_quantity *quantity);

/* Returns the words for the axis of a plot: "reassembly occupancy, p99.9", "goodput (h16)". Free with
 * g_free(). */
char *result_quantity_words(const result_quantity *quantity);

/* Returns what `name`, of a size class of messages, "upto_64KiB", is in words. Free with g_free(). */
char *result_size_class_words(const char *name);

/* Returns the most octets that messages of the size class `name` have, by which size classes are sorted: of
 * the last one 1 more than it is above, of "all" UINT64_MAX. */
uint64_t result_size_class_octets(const char *name);

/* Returns the unit as the table of metrics has it; "1" of two metrics with one unit. Free with g_free(). */
char *result_quantity_unit(const result_quantity *quantity);

/* Returns whether it differs from machine to machine, as wall time does. */
gboolean result_quantity_is_of_machine(const result_quantity *quantity);

/* Returns whether runs of `s` will have it so far as `measure.quantiles` goes; else `error`. */
gboolean result_quantity_check(const result_quantity *quantity, const scenario *s, GError **error);

/* Returns the value of `quantity` in a run's `results`; FALSE when it has none: a metric without samples, a
 * quantile that was not kept, or nothing to be a share of. */
gboolean result_quantity_value(const result_quantity *quantity, const run_results *results, double *value);

/* Returns the same of a run as a store has it, so far as a table would count it; else NAN: it did not end ok,
 * or has none that any run measures (STUDY_TABLE_VALUE_MAX). */
double result_quantity_of_stored(const result_quantity *quantity, const stored_run *run);

/* Returns whether it lies between 0 and 1 whatever a run does: a part of what it is divided by. */
gboolean result_quantity_is_share(const result_quantity *quantity);

/* Returns how many of `runs` (const study_run *) the warm-up test (measure/warm_up.h) does not call steady,
 * for a quantile over time: it need not be that of a longer run. 0 for all else. */
guint result_quantity_unsteady(const result_quantity *quantity, const GPtrArray *runs);

/* Returns the statistics of `quantity` over `runs` (const study_run *), those that have it, its interval
 * bounded. */
statistics result_quantity_statistics(const result_quantity *quantity, const GPtrArray *runs);

/* --- Events: what a scenario asks of the path by chance, or every so often, and how often that happened in
 * its runs: what does not vary may rest on nothing of it --- */

/* Fewer events than this, in all runs together, show nothing: the number alone varies by a fifth from one
 * such set of runs to another. */
enum { RUN_EVENTS_MIN = 30 };

/* This is why the interval of equal values is doubtful, as a coverage_note of statistics. */
#define RUN_EVENTS_TOO_FEW                                                                                   \
  "the values are equal, and hardly anything of what the scenario asks of the path happened"

/* Returns the metrics that count what is asked for: a bit of each from METRIC_LOSSES_RANDOM, the lowest, on.
 * `keys` has the canonical texts of all keys. What `drop` lists is not up to chance, and is left out. */
guint32 run_events_asked(const char *const *keys);

/* Returns how often what is `asked` for happened in a run. */
double run_events_in(guint32 asked, const metric_values *metrics);

/* --- Rows --- */

/* These are two values of one key that are compared over the same seeds. */
typedef struct result_pairing {
  scenario_key key;
  const char *a; /* canonical texts, of a table; a row is the value under `a` minus that under `b` */
  const char *b;
} result_pairing;

/* Reads "receiver.mode=in-order,out-of-order", values as --set takes them. FALSE and `error` unless runs of
 * `table` have both values. */
gboolean result_pairing_read(const char *text, const study_table *table, result_pairing *pairing,
                             GError **error);

typedef struct result_row {
  const study_run *first; /* one of the point's runs, for its keys */
  statistics of; /* the values, or their differences; count 0: no run has the quantity. The mean of a return
                    level is the level (return_level_of()). */
  statistics log_ratio; /* of pairs whose values are all above 0: ln(a / b); else count 0 */
  guint flagged;        /* of the runs counted, or of the pairs */
  guint unsteady;       /* of a quantile over time: of the runs counted, result_quantity_unsteady() */
  guint not_ok;         /* runs of the point that did not end ok and are not counted; 0 of pairs */
  /* Of pairs: what the interval would be if their seeds had nothing to do with each other; NAN for fewer than
   * two. */
  double independent_half_width;
} result_row;

/* Returns the keys that rows differ in: what varies, be it among runs that did not end ok, but for that of
 * `pairing` (NULL: no pairs) and those in step with it. scenario_key; free with g_array_unref(). */
GArray *result_rows_keys(const study_table *table, const result_pairing *pairing);

/* Returns one row a point of `table`, including those at which no run ended ok, or (with `pairing`) a point
 * that has pairs: a run whose key is `a` and the one whose key is `b`, which agree in all other varying keys
 * and the seed; keys that move in step with it differ as it does. Of several runs with the same keys and seed
 * the first counts. Return levels have no pairs. An array of result_row; free with g_array_unref(). */
GArray *result_rows_of(const study_table *table, const result_quantity *quantity,
                       const result_pairing *pairing);
