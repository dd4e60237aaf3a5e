/* A set of 64-bit stream positions, kept as disjoint, sorted, half-open intervals. */
#ifndef BASE_RANGE_SET_H
#define BASE_RANGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Positions from <= p < to. */
typedef struct range {
  uint64_t from;
  uint64_t to;
} range;

typedef struct range_set range_set;

/* A new empty set; free with range_set_free(). */
range_set *range_set_new(void);
void range_set_free(range_set *set);

/* Adds [from, to); returns how many positions were new. Touching intervals become one. */
uint64_t range_set_add(range_set *set, uint64_t from, uint64_t to);

/* Removes [from, to); returns how many positions were in the set. */
uint64_t range_set_remove(range_set *set, uint64_t from, uint64_t to);

/* How many positions of [from, to) are in the set. */
uint64_t range_set_covered(const range_set *set, uint64_t from, uint64_t to);

/* True when all of [from, to) is in the set; an empty interval is. */
bool range_set_contains(const range_set *set, uint64_t from, uint64_t to);

/* Number of disjoint intervals, and all positions in them. */
size_t range_set_count(const range_set *set);
uint64_t range_set_total(const range_set *set);

/* The interval number `index` (< count) in ascending order. */
range range_set_get(const range_set *set, size_t index);

/* Index of the first interval whose `to` is beyond `position`; range_set_count() when there is none. */
size_t range_set_find(const range_set *set, uint64_t position);

#endif
