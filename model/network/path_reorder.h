/* SPDX-License-Identifier: GPL-2.0-only */
/* Reordering as netem's delay / reorder / gap: chosen packets go at once, all others are held back, so the
 * chosen overtake those before them. */
#ifndef PATH_PATH_REORDER_H
#define PATH_PATH_REORDER_H

#include "base/random_stream.h"
#include "network/path_correlation.h"
#include "network/path_element.h"

/* Who goes at once: when at least `gap` - 1 packets in a row have been held, the next does with `probability`, and the count starts
 * again. */
typedef struct path_reorder_config {
  double probability;
  double correlation; /* of each draw with the last (path_correlation.h) */
  uint32_t gap;       /* 0 counts as 1, as in tc: every packet may go */
} path_reorder_config;

/* The choice alone. Embedded in an element; written only by the functions below. */
typedef struct path_reorder_choice {
  path_reorder_config config;
  path_correlation draws;
  uint32_t held_in_a_row; /* since the last chosen one, counted up to gap - 1 */
} path_reorder_choice;

/* `config` is copied; `random` draws only for packets that may be chosen. */
void path_reorder_choice_init(path_reorder_choice *choice, const path_reorder_config *config,
                              random_stream *random);

/* Whether the next packet goes at once. */
bool path_reorder_choice_next(path_reorder_choice *choice);

/* Holds each packet for `hold_ps` but the chosen ones. `random` stays the caller's and outlives the element. */
path_element *path_reorder_new(time_ps hold_ps, const path_reorder_config *config, random_stream *random);

#endif
