/* SPDX-License-Identifier: GPL-2.0-only */
/* When the packets given to a link start and arrive: the arithmetic of path_link.h, also when the link changes meanwhile. What every
 * implementation of a link has in common. */
#ifndef PATH_PATH_LINK_SCHEDULE_H
#define PATH_PATH_LINK_SCHEDULE_H

#include <stdbool.h>

#include "base/element_array.h"
#include "network/path_link.h"

/* Embedded in a link; written only by the functions below. */
typedef struct path_link_schedule {
  path_link_config config;
  path_link_pace pace;
  time_ps free_at;        /* when the transmitter is through with all packets sent so far */
  element_array transits; /* packets on the way, in the order of arrival and, in one picosecond, of sending */
} path_link_schedule;

void path_link_schedule_init(path_link_schedule *schedule, const path_link_config *config);

/* Drops the packets on the way, and frees the memory. */
void path_link_schedule_clear(path_link_schedule *schedule);

/* Takes `packet`, which is sent at `now` and has its send order, and its reference. True when it arrives before all others on
 * the way. O(1) but for what it overtakes (the delay has become less). */
bool path_link_schedule_send(path_link_schedule *schedule, datagram *packet, time_ps now);

/* When the next packet arrives (TIME_PS_NEVER: none is on the way) and, through `order`, its send order. */
time_ps path_link_schedule_next(const path_link_schedule *schedule, uint64_t *order);

/* Removes the packet that arrives next, with its reference; there must be one. */
datagram *path_link_schedule_take(path_link_schedule *schedule);

/* The link's rate and delay become those of `config` (the rest must be as it was) at `now`, behind what started at
 * `now`: packets in transmission or flight keep their arrivals, those that wait are transmitted as the link now is. */
void path_link_schedule_change(path_link_schedule *schedule, const path_link_config *config, time_ps now);

#endif
