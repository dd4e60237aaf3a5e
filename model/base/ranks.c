/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/ranks.h"

#include <stdint.h>
#include <stdlib.h>

int compare_doubles(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return (left > right) - (left < right);
}

int compare_numbers(const void *a, const void *b)
{
  const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static int compare_at(const void *a, const void *b, void *values)
{
  const double *all = values;
  return compare_doubles(&all[*(const gsize *)a], &all[*(const gsize *)b]);
}

double *ranks_of(const double *values, gsize count)
{
  g_autofree gsize *places = g_new(gsize, count); /* of the values in ascending order */
  double *ranks = g_new(double, count);
  for (gsize i = 0; i < count; i++) {
    places[i] = i;
  }
  qsort_r(places, count, sizeof *places, compare_at, (double *)values);
  for (gsize first = 0, next; first < count; first = next) {
    for (next = first + 1; next < count && values[places[next]] == values[places[first]]; next++) {
    }
    for (gsize i = first; i < next; i++) {
      ranks[places[i]] = (double)(first + next + 1) / 2;
    }
  }
  return ranks;
}
