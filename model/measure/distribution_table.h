/* Every distribution a run measures, once: name, unit, sentence; and the form in which summaries, stores and plots hold one. */
#ifndef MEASURE_DISTRIBUTION_TABLE_H
#define MEASURE_DISTRIBUTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* One enumerator a row of the table, in the table's order. */
typedef enum distribution_id {
  DISTRIBUTION_REASSEMBLY_OCTETS, /* "buffer.reassembly_octets": reassembly occupancy of the RNIC, weighted by time */
  DISTRIBUTION_PLACEMENT_DELAY_S, /* "delay.placement_s": weighted by payload octets */
  DISTRIBUTION_DELIVERY_DELAY_S,  /* "delay.delivery_s": the same */
  DISTRIBUTION_COUNT
} distribution_id;

typedef struct distribution_row {
  const char *name;
  const char *unit;        /* of the values: "octets", "s" */
  const char *weight_unit; /* of the weights: "s", "octets" */
  const char *sentence;
} distribution_row;

/* The row of `id` (< DISTRIBUTION_COUNT); static. */
const distribution_row *distribution_row_of(distribution_id id);

/* The id of `name`; DISTRIBUTION_COUNT when there is none. */
distribution_id distribution_find(const char *name);

/* Values above the bound of the bin before and up to `bound` weigh `weight` (> 0) together. */
typedef struct distribution_bin {
  double bound;
  double weight;
} distribution_bin;

/* A distribution has at most so many bins: as many as value_histogram.h has. */
enum { DISTRIBUTION_BINS_MAX = 976 };

/* A distribution: bins in ascending order of their bounds. All-zero: without samples. The values of a bin lie at most 1/16
 * of its bound below it, so what is read off is that exact (value_histogram.h; values below 32 octets or picoseconds are exact). */
typedef struct distribution {
  distribution_bin *bins; /* g_malloc'd */
  size_t count;
  size_t room; /* bins allocated: distribution_append()'s */
} distribution;

void distribution_clear(distribution *d);

/* A deep copy of `from` into `to`, which is overwritten. */
void distribution_copy(distribution *to, const distribution *from);

/* Appends a bin; false, and nothing done, unless `bound` is finite, >= 0 and above the last one's, `weight` finite and > 0, and
 * there are less than DISTRIBUTION_BINS_MAX. */
bool distribution_append(distribution *d, double bound, double weight);

/* Adds the weights of `from` to those of `to` (the same run with other seeds). The same bounds again: no more bins than a run has. */
void distribution_add(distribution *to, const distribution *from);

/* The sum of all weights. */
double distribution_weight(const distribution *d);

/* The smallest bound that holds at least `share` (0 < share <= 1) of the weight; needs a sample. */
double distribution_quantile(const distribution *d, double share);

#endif
