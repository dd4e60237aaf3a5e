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
  time_ps since;     /* what was before it is in `marked` or `pending` */
  time_ps marked_to; /* the last mark; from `since` to it the present value is marked, and nothing is pending,
                        if it is later */
  bool paused;
  dwell *marked; /* open addressing, linear probing; each value once */
  size_t marked_count;
  size_t marked_capacity; /* a power of two */
  time_ps marked_time;
  dwell *pending; /* in order of time: what has passed since the last mark */
  size_t pending_count;
  size_t pending_capacity;
};

enum { INITIAL_CAPACITY = 64 };

time_distribution *time_distribution_new(void)
{
  time_distribution *function = g_new0(time_distribution, 1);
  function->marked_capacity = INITIAL_CAPACITY;
  function->marked = g_new0(dwell, function->marked_capacity);
  return function;
}

void time_distribution_free(time_distribution *function)
{
  if (function) {
    g_free(function->pending);
    g_free(function->marked);
    g_free(function);
  }
}

time_distribution *time_distribution_copy(const time_distribution *from)
{
  time_distribution *copy = g_memdup2(from, sizeof *from);
  copy->marked = g_memdup2(from->marked, from->marked_capacity * sizeof(dwell));
  copy->pending = g_memdup2(from->pending, from->pending_capacity * sizeof(dwell));
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
  size_t capacity = function->marked_capacity * 2;
  dwell *table = g_new0(dwell, capacity);
  for (size_t i = 0; i < function->marked_capacity; i++) {
    if (function->marked[i].time != 0) {
      *find_place(table, capacity, function->marked[i].value) = function->marked[i];
    }
  }
  g_free(function->marked);
  function->marked = table;
  function->marked_capacity = capacity;
}

static void count_marked(time_distribution *function, const dwell *passed)
{
  dwell *place = find_place(function->marked, function->marked_capacity, passed->value);
  function->marked_time += passed->time;
  if (place->time != 0) {
    place->time += passed->time;
    return;
  }
  *place = *passed;
  function->marked_count++;
  if (function->marked_count * 2 > function->marked_capacity) {
    grow_table(function);
  }
}

/* Counts what is marked of the present value. */
static void settle_marked(time_distribution *function)
{
  if (function->marked_to > function->since) {
    const dwell passed = {.value = function->value, .time = function->marked_to - function->since};
    if (!function->paused) {
      count_marked(function, &passed);
    }
    function->since = function->marked_to;
  }
}

static void append_pending(time_distribution *function, const dwell *passed)
{
  if (function->pending_count == function->pending_capacity) {
    function->pending_capacity = MAX(function->pending_capacity * 2, (size_t)INITIAL_CAPACITY);
    function->pending = g_renew(dwell, function->pending, function->pending_capacity);
  }
  function->pending[function->pending_count++] = *passed;
}

/* Accounts for the time from `since` to `now`, during which the value was held. */
static void pass_time(time_distribution *function, time_ps now)
{
  g_assert(now >= function->since);
  settle_marked(function);
  if (now == function->since) {
    return;
  }
  const dwell passed = {.value = function->value, .time = now - function->since};
  function->since = now;
  if (!function->paused) {
    append_pending(function, &passed);
  }
}

time_distribution *time_distribution_copy_as_zero(const time_distribution *from)
{
  time_distribution *copy = time_distribution_new();
  const dwell marked = {.value = 0, .time = from->marked_time};
  dwell pending = {.value = 0};
  for (size_t i = 0; i < from->pending_count; i++) {
    pending.time += from->pending[i].time;
  }
  copy->since = from->since;
  copy->marked_to = from->marked_to;
  copy->paused = from->paused;
  if (marked.time > 0) {
    count_marked(copy, &marked);
  }
  if (pending.time > 0) {
    append_pending(copy, &pending);
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
  pass_time(function, now);
  function->pending_count = 0;
  memset(function->marked, 0, function->marked_capacity * sizeof(dwell));
  function->marked_count = 0;
  function->marked_time = 0;
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

/* Marks are many, and mostly nothing has changed since the one before: that only moves its end. */
void time_distribution_mark(time_distribution *function, time_ps now)
{
  for (size_t i = 0; i < function->pending_count; i++) {
    count_marked(function, &function->pending[i]);
  }
  function->pending_count = 0;
  function->marked_to = now;
}

bool time_distribution_mean(time_distribution *function, double *mean)
{
  settle_marked(function);
  if (function->marked_time == 0) {
    return false;
  }
  uint128 sum = 0; /* octets x ps passes 64 bits at 18 MB held for a second */
  for (size_t i = 0; i < function->marked_capacity; i++) {
    sum += (uint128)function->marked[i].value * (uint128)function->marked[i].time;
  }
  *mean = (double)sum / (double)function->marked_time;
  return true;
}

static int compare_values(const void *a, const void *b)
{
  uint64_t left = ((const dwell *)a)->value;
  uint64_t right = ((const dwell *)b)->value;
  return (left > right) - (left < right);
}

bool time_distribution_quantiles(time_distribution *function, const uint32_t *parts, size_t count,
                                 double *values)
{
  settle_marked(function);
  if (function->marked_time == 0) {
    return false;
  }
  dwell *sorted = g_new(dwell, function->marked_count);
  size_t used = 0;
  for (size_t i = 0; i < function->marked_capacity; i++) {
    if (function->marked[i].time != 0) {
      sorted[used++] = function->marked[i];
    }
  }
  qsort(sorted, used, sizeof(dwell), compare_values);

  time_ps passed = sorted[0].time;
  size_t at = 0;
  for (size_t i = 0; i < count; i++) {
    uint128 wanted = (uint128)function->marked_time * parts[i];
    while ((uint128)passed * QUANTILE_PARTS < wanted) {
      passed += sorted[++at].time;
    }
    values[i] = (double)sorted[at].value;
  }
  g_free(sorted);
  return true;
}

void time_distribution_add_to(time_distribution *function, value_histogram *histogram)
{
  settle_marked(function);
  for (size_t i = 0; i < function->marked_capacity; i++) {
    value_histogram_add(histogram, function->marked[i].value, (uint64_t)function->marked[i].time);
  }
}
