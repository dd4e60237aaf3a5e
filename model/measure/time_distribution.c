#include "measure/time_distribution.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "base/uint128.h"

/* The time spent at one value. */
typedef struct dwell {
  uint64_t value;
  time_ps time; /* 0: an unused place of the table */
} dwell;

struct time_distribution {
  uint64_t value;
  time_ps since; /* what was before it is in `marked` or `pending` */
  bool paused;
  dwell *marked; /* open addressing, linear probing; each value once */
  size_t marked_count;
  size_t marked_capacity; /* a power of two */
  time_ps marked_time;
  GArray *pending; /* of dwell, in order of time: what has passed since the last mark */
};

enum { INITIAL_CAPACITY = 64 };

time_distribution *time_distribution_new(void)
{
  time_distribution *distribution = g_new0(time_distribution, 1);
  distribution->marked_capacity = INITIAL_CAPACITY;
  distribution->marked = g_new0(dwell, distribution->marked_capacity);
  distribution->pending = g_array_new(FALSE, FALSE, sizeof(dwell));
  return distribution;
}

void time_distribution_free(time_distribution *distribution)
{
  g_array_free(distribution->pending, TRUE);
  g_free(distribution->marked);
  g_free(distribution);
}

/* The place of `value` in `table`, or the unused one where it belongs. */
static dwell *find_place(dwell *table, size_t capacity, uint64_t value)
{
  /* Fibonacci hashing: occupancies are multiples of cell or segment sizes, so their low bits say little. */
  size_t place = (size_t)((value * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (capacity - 1);
  while (table[place].time != 0 && table[place].value != value) {
    place = (place + 1) & (capacity - 1);
  }
  return &table[place];
}

static void grow_table(time_distribution *distribution)
{
  size_t capacity = distribution->marked_capacity * 2;
  dwell *table = g_new0(dwell, capacity);
  for (size_t i = 0; i < distribution->marked_capacity; i++) {
    if (distribution->marked[i].time != 0) {
      *find_place(table, capacity, distribution->marked[i].value) = distribution->marked[i];
    }
  }
  g_free(distribution->marked);
  distribution->marked = table;
  distribution->marked_capacity = capacity;
}

static void count_marked(time_distribution *distribution, const dwell *passed)
{
  dwell *place = find_place(distribution->marked, distribution->marked_capacity, passed->value);
  distribution->marked_time += passed->time;
  if (place->time != 0) {
    place->time += passed->time;
    return;
  }
  *place = *passed;
  distribution->marked_count++;
  if (distribution->marked_count * 2 > distribution->marked_capacity) {
    grow_table(distribution);
  }
}

/* Accounts for the time from `since` to `now`, during which the value was held. */
static void pass_time(time_distribution *distribution, time_ps now)
{
  g_assert(now >= distribution->since);
  if (now == distribution->since) {
    return;
  }
  if (!distribution->paused) {
    dwell passed = {.value = distribution->value, .time = now - distribution->since};
    g_array_append_val(distribution->pending, passed);
  }
  distribution->since = now;
}

void time_distribution_set(time_distribution *distribution, time_ps now, uint64_t value)
{
  if (value == distribution->value) {
    return;
  }
  pass_time(distribution, now);
  distribution->value = value;
}

void time_distribution_start(time_distribution *distribution, time_ps now)
{
  pass_time(distribution, now);
  g_array_set_size(distribution->pending, 0);
  memset(distribution->marked, 0, distribution->marked_capacity * sizeof(dwell));
  distribution->marked_count = 0;
  distribution->marked_time = 0;
}

void time_distribution_pause(time_distribution *distribution, time_ps now)
{
  pass_time(distribution, now);
  distribution->paused = true;
}

void time_distribution_resume(time_distribution *distribution, time_ps now)
{
  pass_time(distribution, now);
  distribution->paused = false;
}

void time_distribution_mark(time_distribution *distribution, time_ps now)
{
  pass_time(distribution, now);
  for (guint i = 0; i < distribution->pending->len; i++) {
    count_marked(distribution, &g_array_index(distribution->pending, dwell, i));
  }
  g_array_set_size(distribution->pending, 0);
}

bool time_distribution_mean(const time_distribution *distribution, double *mean)
{
  if (distribution->marked_time == 0) {
    return false;
  }
  uint128 sum = 0; /* octets x ps passes 64 bits at 18 MB held for a second */
  for (size_t i = 0; i < distribution->marked_capacity; i++) {
    sum += (uint128)distribution->marked[i].value * (uint128)distribution->marked[i].time;
  }
  *mean = (double)sum / (double)distribution->marked_time;
  return true;
}

static int compare_values(const void *a, const void *b)
{
  uint64_t left = ((const dwell *)a)->value;
  uint64_t right = ((const dwell *)b)->value;
  return (left > right) - (left < right);
}

bool time_distribution_quantile(const time_distribution *distribution, unsigned percent, uint64_t *x)
{
  g_assert(percent >= 1 && percent <= 100);
  if (distribution->marked_time == 0) {
    return false;
  }
  dwell *sorted = g_new(dwell, distribution->marked_count);
  size_t count = 0;
  for (size_t i = 0; i < distribution->marked_capacity; i++) {
    if (distribution->marked[i].time != 0) {
      sorted[count++] = distribution->marked[i];
    }
  }
  qsort(sorted, count, sizeof(dwell), compare_values);

  /* percent % of the time without the product overflowing or a remainder lost: the ceiling of counted *
   * percent / 100. */
  time_ps counted = distribution->marked_time;
  time_ps needed = counted / 100 * percent + (counted % 100 * percent + 99) / 100;
  time_ps passed = 0;
  size_t i = 0;
  while ((passed += sorted[i].time) < needed) {
    i++;
  }
  *x = sorted[i].value;
  g_free(sorted);
  return true;
}
