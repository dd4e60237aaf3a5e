/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what is asked: a condition on what a run measures, "buffer.reassembly_peak_octets <= 64KiB", or
 * "goodput_bit_per_s >= 99 % of unlimited", where the same seed's run with another value of the key is the
 * measure; and where the least number that keeps it is searched: on a coarse grid, then by bisection below
 * the least number above which it always held. The search knows no runs: it is given verdicts, and names the
 * numbers that it wants one for. */
#pragma once

#include "scenario/scenario.h"
#include "study/table/result_quantity.h"

typedef struct size_condition {
  result_quantity quantity;
  gboolean at_most;  /* < or <=; else > or >= */
  gboolean or_equal; /* <= or >= */
  double number;     /* in the quantity's unit; with `baseline` a share of the quantity there */
  char *baseline;    /* a canonical text of the key; NULL: there is none */
  char *text;        /* as it is shown: "goodput_bit_per_s >= 99 % of unlimited" */
} size_condition;

/* Reads QUANTITY SIGN NUMBER, the number with its unit as scenarios have it ("64KiB", "9Gbit/s", "99 %"), or
 * QUANTITY SIGN P % of VALUE, where VALUE is one of `key`. FALSE and `error` (IWARPSIM_ERROR), with what was
 * expected, for anything else. Free with size_condition_clear() in either case. */
gboolean size_condition_read(const char *text, scenario_key key, size_condition *condition, GError **error);
void size_condition_clear(size_condition *condition);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(size_condition, size_condition_clear)

/* Returns whether `value`, of the quantity or (with a baseline) of its share, meets it; NAN does not. */
gboolean size_condition_meets(const size_condition *condition, double value);

/* It searches here. */
typedef struct size_scope {
  guint64 from;     /* whole numbers of octets, ps, bit/s …, both ends included */
  guint64 to;       /* larger than `from` */
  double precision; /* the answer is at most by this share, above 0, too large; whole numbers are not split */
  gboolean binary;  /* numbers between the ends are multiples of powers of 2, not of 10 */
} size_scope;

/* This is what is known of one number. */
typedef struct size_verdict {
  guint64 number;
  gboolean kept; /* the condition held there */
} size_verdict;

/* Returns the numbers to begin with (guint64), ascending: `from`, `to`, and others between them that grow by
 * about the same factor: 2 in a range of up to 16 octaves, 4 in a larger one, or as makes 9 to 25 of them;
 * rounded. Free with g_array_unref(). */
GArray *size_search_grid(const size_scope *scope);

/* Sets `*number` to the next number to look at, and returns where to insert it in `verdicts` (const
 * size_verdict *, ascending, those of the grid among them); 0: they have the answer. It halves, in the
 * logarithm, the gap between the largest number that did not keep the condition and the next. */
guint size_search_next(const size_scope *scope, const GPtrArray *verdicts, guint64 *number);

/* This is what verdicts show, by their places. `also` below `least`: the condition is not monotone. */
typedef struct size_answer {
  guint least; /* from it on it always held; how many there are: the largest did not keep it */
  guint also;  /* the least number that kept it; how many there are: none did */
  guint
      until; /* without a `least`: all numbers from `also` to this one kept it, and no others; else `least` */
} size_answer;

size_answer size_search_answer(const GPtrArray *verdicts);

/* An answer from fewer losses, in all seeds together, is none. */
enum { SIZE_LOSSES_MIN = RUN_EVENTS_MIN };

typedef struct size_question {
  scenario_key key;   /* a size, count, time or rate … */
  scenario_axis axis; /* … as the axis of a sweep, without values: the key's, or that of a list's entry */
  size_condition condition;
  size_scope scope;
  guint seeds;         /* from the scenario's first one on; 0: those that it sweeps, or 8 */
  gboolean every_seed; /* each seed must meet the condition; else the bound of the mean's 95 % interval */
  guint until_losses; /* the runs of a point are made longer until all seeds have so many, up to 100 times; 0:
                         no */
} size_question;
