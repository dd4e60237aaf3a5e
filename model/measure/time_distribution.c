/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/time_distribution.h"

#include <glib.h>
#include <stdlib.h>

#include "base/numbers.h"

enum { INITIAL_CAPACITY = 8 };

void time_distribution_init(time_distribution *d)
{
  *d = (time_distribution){.table = g_new0(dwell, INITIAL_CAPACITY), .capacity = INITIAL_CAPACITY};
}

void time_distribution_clear(time_distribution *d)
{
  g_free(d->table);
  *d = (time_distribution){.table = NULL};
}

void time_distribution_copy(time_distribution *to, const time_distribution *from)
{
  g_free(to->table);
  *to = *from;
  to->table = g_memdup2(from->table, from->capacity * sizeof *from->table);
}

/* Returns the place of `value`, or the unused one where it belongs. */
static inline dwell *find_place(const time_distribution *d, uint64_t value)
{
  size_t place = time_distribution_home(d, value);
  while (d->table[place].value != value && d->table[place].time[TIME_ALL] != 0) {
    place = (place + 1) & (d->capacity - 1);
  }
  return &d->table[place];
}

static G_GNUC_NO_INLINE void grow(time_distribution *d)
{
  const time_distribution old = *d;
  d->capacity *= 2;
  d->table = g_new0(dwell, d->capacity);
  for (size_t i = 0; i < old.capacity; i++) {
    if (old.table[i].time[TIME_ALL] != 0) {
      *find_place(d, old.table[i].value) = old.table[i];
    }
  }
  g_free(old.table);
}

void time_distribution_add(time_distribution *d, uint64_t value, time_ps time, bool in_recovery)
{
  dwell *place = find_place(d, value);
  const bool is_new = place->time[TIME_ALL] == 0;
  place->value = value;
  place->time[TIME_ALL] += time;
  place->time[TIME_IN_RECOVERY] += in_recovery ? time : 0;
  if (is_new && ++d->count * 2 > d->capacity) {
    grow(d);
  }
}

void time_distribution_end(time_distribution *d, time_ps time)
{
  time_ps at_0 = time;
  for (size_t i = 0; i < d->capacity; i++) {
    at_0 -= d->table[i].time[TIME_ALL];
  }
  if (at_0 > 0) {
    time_distribution_add(d, 0, at_0, false);
  }
  for (size_t i = 0, used = 0; used < d->count; i++) {
    if (d->table[i].time[TIME_ALL] != 0) {
      d->table[used++] = d->table[i];
    }
  }
  qsort(d->table, d->count, sizeof *d->table, compare_numbers);
}

static time_ps time_of(const time_distribution *d, time_part part)
{
  time_ps sum = 0;
  for (size_t i = 0; i < d->count; i++) {
    sum += d->table[i].time[part];
  }
  return sum;
}

double time_distribution_mean(const time_distribution *d)
{
  uint128 sum = 0; /* octets x ps passes 64 bits at 18 MB held for a second */
  for (size_t i = 0; i < d->count; i++) {
    sum += (uint128)d->table[i].value * (uint128)d->table[i].time[TIME_ALL];
  }
  return (double)sum / (double)time_of(d, TIME_ALL);
}

bool time_distribution_quantiles(const time_distribution *d, time_part part, const uint32_t *parts,
                                 size_t count, double *values)
{
  const uint128 time = (uint128)time_of(d, part);
  const dwell *at = d->table;
  time_ps passed = at->time[part];
  for (size_t i = 0; i < count && time > 0; i++) {
    while ((uint128)passed * QUANTILE_PARTS < time * parts[i]) {
      passed += (++at)->time[part];
    }
    values[i] = (double)at->value;
  }
  return time > 0;
}
