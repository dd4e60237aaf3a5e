/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a run measured, at one host or at all, as a session gives it, summaries and stores keep it,
 * and tables read it. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/distribution.h"
#include "measure/metric_table.h"

/* The largest value of a gauge in each block of traffic, from which return levels are estimated. A block is a
 * fixed number of octets Delivered. When there are more than BLOCK_MAXIMA_MAX, each two neighbours become one
 * of twice the size: the memory does not grow with the run, and the outcome depends on the traffic alone. */

enum { BLOCK_MAXIMA_MAX = 1024, BLOCK_OCTETS_LEAST = 64 << 10 };

/* Where it is all zero, it is empty. */
typedef struct block_maxima {
  uint64_t block_octets; /* 0: of the least size */
  uint64_t delivered;    /* in the block that is open */
  uint64_t peak;         /* of it, so far */
  GArray *values;        /* of guint64: the whole blocks. NULL: there are none */
} block_maxima;

/* Forgets all blocks; frees what `blocks` has. */
void block_maxima_clear(block_maxima *blocks);

/* The gauge had `value` during the open block. */
static inline void block_maxima_count(block_maxima *blocks, uint64_t value)
{
  blocks->peak = value > blocks->peak ? value : blocks->peak;
}

/* `octets` are Delivered. True: call block_maxima_end() next. */
static inline bool block_maxima_deliver(block_maxima *blocks, uint64_t octets)
{
  blocks->delivered += octets;
  return blocks->delivered >= blocks->block_octets;
}

/* The blocks that are full end. What the gauge was until now belongs to the first of them: the others, which
 * the same Delivery filled, have lasted no time, and their maximum is 0. */
void block_maxima_end(block_maxima *blocks);

/* All-zero, it has nothing. */
typedef struct run_results {
  metric_values metrics;
  distribution distributions[DISTRIBUTION_COUNT]; /* all-zero: there were no samples */
  gauge_quantiles quantiles;
  /* The largest reassembly occupancy in each block of `block_octets` octets Delivered (block_maxima); of
   * guint64. NULL: there was no whole block. */
  uint64_t block_octets;
  GArray *block_maxima;
  char *tables; /* of hosts, ports and messages (run_results_set_tables()); NULL: there are none */
} run_results;

/* Sets what a run of a graph has in hosts.csv and ports.csv, and one whose messages were timed in
 * message_classes.csv, the texts with a line feed between them, and after another one the host that was
 * measured ("": it is no graph), as zlib compresses that (RFC 1950) and base64 writes it: a store has it of
 * each run. */
void run_results_set_tables(run_results *results, const char *text, const char *host);

/* Returns that text, and that host; NULL: there is none, or it is damaged. Free with g_free(). */
char *run_results_tables(const run_results *results);
char *run_results_measured_host(const run_results *results);

/* One of these tables, or the file that has it. */
typedef struct run_table {
  char **columns;  /* their names */
  guint count;     /* of these */
  GPtrArray *rows; /* char **: a field a column */
} run_table;

/* Reads the `text` of one: names, and lines of as many fields; other lines are left out. Free with
 * run_table_free() (NULL-safe). */
run_table *run_table_read(const char *text);

/* Returns the table of `results` whose first column is called `first`, as run_table_read(); NULL: there is
 * none. */
run_table *run_results_table(const run_results *results, const char *first);
void run_table_free(run_table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(run_table, run_table_free)

/* Returns the number of `column`; that after the last: there is none. */
guint run_table_column(const run_table *table, const char *column);

/* Numbers beyond ±RUN_TABLE_NUMBER_MAX, or nearer to 0 than its inverse, are none that a run measures. */
#define RUN_TABLE_NUMBER_MAX 1e75

/* Returns what `row` has in `column`, "" where that is nothing; the table's. The other returns it as a
 * number, NAN where it is none. */
const char *run_table_text(const run_table *table, guint row, const char *column);
double run_table_number(const run_table *table, guint row, const char *column);

/* Returns the unit of the numbers in a column (columns.def): "octets", "s", "1" of a share …; static. */
const char *run_table_unit(const char *column);

/* It is one of the values that hosts and switches have in tables, and in a summary: "host.h16.connections".
 */
typedef struct run_value {
  char *name;
  const char *text; /* NULL: it is a number */
  double number;
} run_value;

/* Returns a copy of `from`, which shares the block maxima; free with run_results_clear(). */
run_results run_results_copy(const run_results *from);
void run_results_clear(run_results *results);

/* Counts what one more host measured in `all`, which has that of the hosts before it, or is all-zero; as
 * metrics.def combines them. */
void run_results_add_host(run_results *all, const run_results *host);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(run_results, run_results_clear)
