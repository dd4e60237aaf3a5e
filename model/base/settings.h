/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings are made of these: names for values, and lists. Configurations of all layers hold them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A word of a setting stands for an enumerator or a number. Tables end with a NULL name. */
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

/* It has several enumerators, in order. */
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

/* It is a moment of a run, from which on or up to which something is measured. */
typedef enum run_moment_kind {
  RUN_MOMENT_DEFAULT,
  RUN_MOMENT_TIME,
  RUN_MOMENT_DELIVERED,  /* so many octets have been Delivered, over all connections */
  RUN_MOMENT_FIRST_LOSS, /* the first segment out of order arrives at the Data Sink */
} run_moment_kind;
typedef struct run_moment {
  run_moment_kind kind;
  uint64_t number; /* picoseconds, or octets */
} run_moment;

/* Returns whether it comes at each host at a time of its own. */
static inline bool run_moment_is_of_host(const run_moment *moment)
{
  return moment->kind == RUN_MOMENT_DELIVERED || moment->kind == RUN_MOMENT_FIRST_LOSS;
}

/* It is how late a packet comes: `number` is of segments, or of picoseconds. */
typedef struct packet_distance {
  bool in_segments;
  uint64_t number;
} packet_distance;
