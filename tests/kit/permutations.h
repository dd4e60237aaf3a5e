/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <stdbool.h>

static inline void swap_numbers(unsigned *one, unsigned *other)
{
  unsigned swapped = *one;
  *one = *other;
  *other = swapped;
}

/* Turns `order` into the next permutation in dictionary order; false after the last, when it is the first. */
static inline bool next_permutation(unsigned *order, unsigned count)
{
  unsigned tail = count - 1; /* from here on it falls */
  while (tail > 0 && order[tail - 1] > order[tail]) {
    tail--;
  }
  if (tail > 0) {
    unsigned larger = count - 1;
    while (order[larger] < order[tail - 1]) {
      larger--;
    }
    swap_numbers(&order[tail - 1], &order[larger]);
  }
  for (unsigned low = tail, high = count - 1; low < high; low++, high--) {
    swap_numbers(&order[low], &order[high]);
  }
  return tail > 0;
}
