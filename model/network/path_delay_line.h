/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that wait in an element for their times: in the order of these, and of entry among equals. */
#ifndef PATH_PATH_DELAY_LINE_H
#define PATH_PATH_DELAY_LINE_H

#include "base/deque.h"
#include "network/path_element.h"

/* Embedded in an element; written only by the functions below. */
typedef struct path_delay_line {
  deque packets; /* by time, then by entry: nearly all enter at the end and leave at the front */
} path_delay_line;

void path_delay_line_init(path_delay_line *line);

/* Drops the packets that wait, and frees the memory. */
void path_delay_line_clear(path_delay_line *line);

/* Takes `packet` and its reference, to leave at `leaves_at` (not below 0). O(1) when it leaves last, else as inserting in the middle of a
 * deque: O(log of those that wait). */
void path_delay_line_add(path_delay_line *line, datagram *packet, time_ps leaves_at);

/* When the first leaves (TIME_PS_NEVER: none waits), and its send order in `order`:
 * path_element_class.deadline. */
time_ps path_delay_line_deadline(const path_delay_line *line, uint64_t *order);

/* The next packet that is due at `now`, with its reference; NULL: none is. */
datagram *path_delay_line_take_due(path_delay_line *line, time_ps now);

/* Emits from `element` what is due at `now`: path_element_class.run. */
void path_delay_line_run(path_delay_line *line, path_element *element, time_ps now);

#endif
