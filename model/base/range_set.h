/* SPDX-License-Identifier: GPL-2.0-only */
/* A range set is a set of 64-bit stream positions, kept as disjoint, sorted, half-open intervals. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deque.h"

/* A range has the positions from <= p < to. */
typedef struct range {
  uint64_t from;
  uint64_t to;
} range;

/* The fields are for the functions of this header. */
typedef struct range_set {
  deque ranges; /* of range: disjoint, not touching, ascending */
  uint64_t total;
} range_set;

/* Returns a new empty set; free with range_set_free() (NULL is allowed). */
range_set *range_set_new(void);
void range_set_free(range_set *set);

/* They do so for a set in the caller's memory. No memory is taken until the first range_set_add(). */
void range_set_init(range_set *set);
void range_set_clear(range_set *set);

/* Adds [from, to); returns how many positions were new. Touching intervals become one. */
uint64_t range_set_add(range_set *set, uint64_t from, uint64_t to);

/* This is what range_set_remove() does with a set that is not empty. */
uint64_t range_set_cut(range_set *set, uint64_t from, uint64_t to);

/* Removes [from, to); returns how many positions were in the set. */
static inline uint64_t range_set_remove(range_set *set, uint64_t from, uint64_t to)
{
  return set->ranges.count == 0 ? 0 : range_set_cut(set, from, to);
}

/* They return the number of disjoint intervals, and all positions in them. */
static inline size_t range_set_count(const range_set *set)
{
  return set->ranges.count;
}

static inline uint64_t range_set_total(const range_set *set)
{
  return set->total;
}

/* Returns the interval number `index` (< count) in ascending order. */
static inline range range_set_get(const range_set *set, size_t index)
{
  return *(const range *)deque_slot(&set->ranges, index, sizeof(range));
}

/* This is what range_set_covered() does when an interval ends beyond `from`. */
uint64_t range_set_count_covered(const range_set *set, uint64_t from, uint64_t to);

/* Returns how many positions of [from, to) are in the set. Mostly they lie beyond all intervals. */
static inline uint64_t range_set_covered(const range_set *set, uint64_t from, uint64_t to)
{
  size_t count = range_set_count(set);
  return count == 0 || range_set_get(set, count - 1).to <= from ? 0 : range_set_count_covered(set, from, to);
}

/* Returns the index of the first interval that ends beyond `position`; range_set_count(): there is none. */
static inline size_t range_set_find(const range_set *set, uint64_t position)
{
  return deque_count_to(&set->ranges, offsetof(range, to), position);
}

/* Returns true when all of [from, to) is in the set, and for an empty interval. */
static inline bool range_set_contains(const range_set *set, uint64_t from, uint64_t to)
{
  if (from == to) {
    return true;
  }
  size_t index = range_set_find(set, from);
  if (index == set->ranges.count) {
    return false;
  }
  range found = range_set_get(set, index);
  return found.from <= from && to <= found.to;
}

/* Finds the first run of [*from, to) that is not in the set (NULL: an empty one); false when there is none.
 * `*from` is where to look for the next. The set may get what was found meanwhile. */
static inline bool range_set_next_gap(const range_set *set, uint64_t *from, uint64_t to, range *gap)
{
  const size_t count = set != NULL ? range_set_count(set) : 0;
  const range none = {to, to};
  if (*from >= to) {
    return false;
  }
  size_t index = count > 0 ? range_set_find(set, *from) : 0;
  range next = index < count ? range_set_get(set, index) : none;
  if (next.from <= *from) {
    *from = next.to;
    next = ++index < count ? range_set_get(set, index) : none;
  }
  *gap = (range){*from, MIN(next.from, to)};
  *from = gap->to;
  return gap->from < gap->to;
}
