/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `coalesce`: joins segments, as receive offload does (GRO, LRO). */
#ifndef PATH_PATH_COALESCE_H
#define PATH_PATH_COALESCE_H

#include "network/path_element.h"

/* Joins segments of a flow that follow each other in the stream, up to `max_octets` (> 0) of payload and
 * `hold_ps` (>= 0) after the first of them came. It cuts nothing. What waits leaves
 * - with a segment: one with PSH or FIN, or that makes it `max_octets`;
 * - before a segment: one that does not follow it (a hole, a retransmission), would make it too long, or
 *   differs: in flags other than PSH and FIN, in its ECN mark, in which options it has, in being allowed
 *   to be fragmented; and before any without payload (a pure ACK, FIN) or with SYN or RST, which then
 *   pass.
 *
 * Timestamps and acknowledgement may differ, as in hardware (LRO): the joined segment has those of
 * path_waiting.h. Linux's GRO asks for equal ones; its clock ticks in milliseconds, ours in microseconds,
 * in which no two segments of a slower link are equal. A shorter segment does not end a joined one, as it
 * does in GRO. A segment with SACK blocks is not joined.
 *
 * A retransmission makes what waits leave and begins a new joined segment itself: it may wait for
 * `hold_ps`, and what follows it in the stream is joined to it, sent again too or not; then all of it has
 * the retransmission mark.
 *
 * A segment that stays alone is the same packet. That the links behind can carry `max_octets` is the
 * caller's business. What is not a whole segment, or a wrong one: path_box.h. */
path_element *path_coalesce_new(uint32_t max_octets, time_ps hold_ps);

#endif
