/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that wait in an element for their times: in the order of these, and of entry among equals. */
#ifndef PATH_PATH_HOLD_H
#define PATH_PATH_HOLD_H

#include "base/element_array.h"
#include "network/path_element.h"

/* Embedded in an element; written only by the functions below. */
typedef struct path_hold {
  element_array
      heap; /* the packet that leaves first is at 0, no packet before the one at (its index - 1) / 2 */
  uint64_t entered;
} path_hold;

void path_hold_init(path_hold *hold);

/* Drops the packets that wait, and frees the memory. */
void path_hold_clear(path_hold *hold);

/* Takes `packet` and its reference, to leave at `leaves_at`. O(log of those that wait), and O(1) when it leaves last. */
void path_hold_add(path_hold *hold, datagram *packet, time_ps leaves_at);

/* When the first leaves (TIME_PS_NEVER: none waits), and its send order in `order`: path_element_class.deadline. */
time_ps path_hold_deadline(const path_hold *hold, uint64_t *order);

/* The next packet that is due at `now`, with its reference; NULL: none is. */
datagram *path_hold_take_due(path_hold *hold, time_ps now);

/* Emits from `element` what is due at `now`: path_element_class.run. */
void path_hold_run(path_hold *hold, path_element *element, time_ps now);

#endif
