/* SPDX-License-Identifier: GPL-2.0-only */
/* What settings are made of: names for values, and lists. Configurations of all layers hold them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of a setting and what it stands for, an enumerator or a number. Tables end with a NULL name. */
typedef struct named_value {
  const char *name;
  uint64_t value;
} named_value;

/* Lists belong to whoever made the configuration that has them, and outlive it. */
typedef struct number_list {
  const uint64_t *values;
  size_t count;
} number_list;

typedef struct probability_list {
  const double *values;
  size_t count;
} probability_list;

/* Several enumerators, in order. */
enum { CHOICE_LIST_MAX = 32 };
typedef struct choice_list {
  uint8_t values[CHOICE_LIST_MAX];
  uint8_t count;
} choice_list;

static inline bool choice_list_has(const choice_list *list, unsigned value)
{
  for (unsigned i = 0; i < list->count; i++) {
    if (list->values[i] == value) {
      return true;
    }
  }
  return false;
}

/* How late a packet comes: `number` is of segments, or of picoseconds. */
typedef struct packet_distance {
  bool in_segments;
  uint64_t number;
} packet_distance;
