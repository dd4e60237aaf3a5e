/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the search for the least number that keeps a condition: a coarse grid, then bisection below the
 * least number above which the condition always held. It knows no runs: it is given verdicts, and names the
 * numbers that it wants one for. */
#pragma once

#include <glib.h>

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
