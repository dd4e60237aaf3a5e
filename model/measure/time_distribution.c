/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/time_distribution.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/integer_math.h"

/* The time spent at one value. */
typedef struct dwell {
  uint64_t value;
  time_ps time; /* 0: an unused place of the table */
} dwell;

struct time_distribution {
  uint64_t value;
  time_ps since;     /* what was before it is in `table` */
  time_ps marked_to; /* the last mark, or the start */
  bool paused;
  dwell *table; /* open addressing, linear probing; each value once */
  size_t table_count;
  size_t table_capacity; /* a power of two */
  dwell *unmarked; /* what has passed since the last mark: it is in `table`, and does not count so far */
  size_t unmarked_count;
  size_t unmarked_capacity;
  bool is_sorted; /* the next three are made (look()) */
  dwell *sorted;  /* what counts, by value */
  size_t sorted_count;
  time_ps sorted_time;
};

enum { INITIAL_CAPACITY = 64 };

time_distribution *time_distribution_new(void)
{
  time_distribution *function = g_new0(time_distribution, 1);
  function->table_capacity = INITIAL_CAPACITY;
  function->table = g_new0(dwell, function->table_capacity);
  return function;
}

void time_distribution_free(time_distribution *function)
{
  if (function) {
    g_free(function->sorted);
    g_free(function->unmarked);
    g_free(function->table);
    g_free(function);
  }
}

time_distribution *time_distribution_copy(const time_distribution *from)
{
  time_distribution *copy = g_memdup2(from, sizeof *from);
  copy->table = g_memdup2(from->table, from->table_capacity * sizeof(dwell));
  copy->unmarked = g_memdup2(from->unmarked, from->unmarked_capacity * sizeof(dwell));
  copy->sorted = NULL;
  copy->is_sorted = false;
  return copy;
}

/* The place of `value` in `table`, or the unused one where it belongs. */
static dwell *find_place(dwell *table, size_t capacity, uint64_t value)
{
  /* Fibonacci hashing: occupancies are multiples of cell or segment sizes, so their low bits vary little. */
  size_t place = (size_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (capacity - 1);
  while (table[place].time != 0 && table[place].value != value) {
    place = (place + 1) & (capacity - 1);
  }
  return &table[place];
}

static void grow_table(time_distribution *function)
{
  size_t capacity = function->table_capacity * 2;
  dwell *table = g_new0(dwell, capacity);
  for (size_t i = 0; i < function->table_capacity; i++) {
    if (function->table[i].time != 0) {
      *find_place(table, capacity, function->table[i].value) = function->table[i];
    }
  }
  g_free(function->table);
  function->table = table;
  function->table_capacity = capacity;
}

static void count(time_distribution *function, uint64_t value, time_ps time)
{
  dwell *place = find_place(function->table, function->table_capacity, value);
  if (place->time != 0) {
    place->time += time;
    return;
  }
  *place = (dwell){.value = value, .time = time};
  function->table_count++;
  if (function->table_count * 2 > function->table_capacity) {
    grow_table(function);
  }
}

static void append_unmarked(time_distribution *function, uint64_t value, time_ps time)
{
  if (function->unmarked_count == function->unmarked_capacity) {
    function->unmarked_capacity = MAX(function->unmarked_capacity * 2, (size_t)INITIAL_CAPACITY);
    function->unmarked = g_renew(dwell, function->unmarked, function->unmarked_capacity);
  }
  function->unmarked[function->unmarked_count++] = (dwell){.value = value, .time = time};
}

/* Accounts for the time from `since` to `now`, during which the value was held. */
static void pass_time(time_distribution *function, time_ps now)
{
  g_assert(now >= function->since);
  function->is_sorted = false;
  if (now > function->since && !function->paused) {
    count(function, function->value, now - function->since);
    if (now > function->marked_to) {
      append_unmarked(function, function->value, now - MAX(function->since, function->marked_to));
    }
  }
  function->since = now;
}

time_distribution *time_distribution_copy_as_zero(const time_distribution *from)
{
  time_distribution *copy = time_distribution_new();
  time_ps counted = 0, unmarked = 0;
  for (size_t i = 0; i < from->table_capacity; i++) {
    counted += from->table[i].time;
  }
  for (size_t i = 0; i < from->unmarked_count; i++) {
    unmarked += from->unmarked[i].time;
  }
  copy->since = from->since;
  copy->marked_to = from->marked_to;
  copy->paused = from->paused;
  if (counted > 0) {
    count(copy, 0, counted);
  }
  if (unmarked > 0) {
    append_unmarked(copy, 0, unmarked);
  }
  return copy;
}

void time_distribution_set(time_distribution *function, time_ps now, uint64_t value)
{
  if (value == function->value) {
    return;
  }
  pass_time(function, now);
  function->value = value;
}

void time_distribution_start(time_distribution *function, time_ps now)
{
  function->is_sorted = false;
  function->since = now;
  function->marked_to = now;
  function->unmarked_count = 0;
  memset(function->table, 0, function->table_capacity * sizeof(dwell));
  function->table_count = 0;
}

void time_distribution_pause(time_distribution *function, time_ps now)
{
  pass_time(function, now);
  function->paused = true;
}

void time_distribution_resume(time_distribution *function, time_ps now)
{
  pass_time(function, now);
  function->paused = false;
}

void time_distribution_mark(time_distribution *function, time_ps now)
{
  if (now >= function->since) {
    function->is_sorted = false;
    function->unmarked_count = 0;
    function->marked_to = now;
  }
}

/* --- What was counted --- */

static int compare_values(const void *a, const void *b)
{
  uint64_t left = ((const dwell *)a)->value;
  uint64_t right = ((const dwell *)b)->value;
  return (left > right) - (left < right);
}

/* Makes `sorted`, without what is not marked; false when nothing is. */
static bool look(time_distribution *function)
{
  if (function->is_sorted) {
    return function->sorted_time > 0;
  }
  if (function->marked_to > function->since) {
    pass_time(function, function->marked_to);
  }
  function->sorted = g_renew(dwell, function->sorted, MAX(function->table_count, 1));
  function->sorted_count = 0;
  function->sorted_time = 0;
  for (size_t i = 0; i < function->table_capacity; i++) {
    if (function->table[i].time != 0) {
      function->sorted[function->sorted_count++] = function->table[i];
      function->sorted_time += function->table[i].time;
    }
  }
  qsort(function->sorted, function->sorted_count, sizeof(dwell), compare_values);
  for (size_t i = 0; i < function->unmarked_count; i++) {
    const dwell *unmarked = &function->unmarked[i];
    dwell *place = bsearch(unmarked, function->sorted, function->sorted_count, sizeof(dwell), compare_values);
    place->time -= unmarked->time;
    function->sorted_time -= unmarked->time;
  }
  function->is_sorted = true;
  return function->sorted_time > 0;
}

bool time_distribution_mean(time_distribution *function, double *mean)
{
  if (!look(function)) {
    return false;
  }
  uint128 sum = 0; /* octets x ps passes 64 bits at 18 MB held for a second */
  for (size_t i = 0; i < function->sorted_count; i++) {
    sum += (uint128)function->sorted[i].value * (uint128)function->sorted[i].time;
  }
  *mean = (double)sum / (double)function->sorted_time;
  return true;
}

bool time_distribution_quantiles(time_distribution *function, const uint32_t *parts, size_t count,
                                 double *values)
{
  if (!look(function)) {
    return false;
  }
  const dwell *at = function->sorted;
  time_ps passed = at->time;
  for (size_t i = 0; i < count; i++) {
    uint128 wanted = (uint128)function->sorted_time * parts[i];
    while ((uint128)passed * QUANTILE_PARTS < wanted) {
      passed += (++at)->time;
    }
    values[i] = (double)at->value;
  }
  return true;
}

void time_distribution_add_to(time_distribution *function, value_histogram *histogram)
{
  if (!look(function)) {
    return;
  }
  for (size_t i = 0; i < function->sorted_count; i++) {
    if (function->sorted[i].time > 0) {
      value_histogram_add(histogram, function->sorted[i].value, (uint64_t)function->sorted[i].time);
    }
  }
}
