/* SPDX-License-Identifier: GPL-2.0-only */
/* The order of what is due in the same picosecond: the keys of every timer of a run (engine/engine.h). Those
 * of one class come in the order of these rows.
 *
 *     class               major                                    minor
 *     ENGINE_TRANSMITTER  order_of_node()                          0
 *                         ORDER_EVENTS                             order_of_event()
 *     ENGINE_ARRIVAL      ORDER_CHAIN + the end, in ns-3's nodes   0
 *                         order_of_node()                          0
 *                         ORDER_CAPTURE, of a replay               0
 *     ENGINE_TIMER        order_of_end(), of TCP and what is above 0
 *                         ORDER_BOXES + order_of_node()            0
 *                         ORDER_SWITCHES                           0
 *                         ORDER_IP_INPUT + the host                0
 *                         ORDER_RESEND, of a replay                0
 *     ENGINE_WORKLOAD     order_of_connection()                    0
 *                         ORDER_TRAFFIC + the session              the traffic class
 *                         ORDER_STALL                              0
 *                         ORDER_STALL: the window of ports opens   1
 *                         ORDER_STALL: it closes                   2
 */
#pragma once

#include "base/side.h"
#include "engine/engine.h"

enum {
  ORDER_NODES = 64,          /* A segment of a path has at most so many. */
  ORDER_CONNECTIONS = 65536, /* A session has at most so many. */
  ORDER_CHAIN = 0,
  ORDER_BOXES = 0x70000000,
  ORDER_SWITCHES = 0x7FF00000, /* after all from which a packet may come, so that each has all that came */
  ORDER_IP_INPUT = 0x7FFB0000,
  ORDER_RESEND = 0x7FFF0000,
  ORDER_CAPTURE = INT32_MAX,
  ORDER_TRAFFIC = 0x70000000,
};

#define ORDER_EVENTS UINT32_MAX
#define ORDER_STALL UINT32_MAX

/* Node number `node` (below ORDER_NODES) of segment `segment` among those on the clock, and its link.
 * Of a segment the later nodes come first, so that a packet which an impairment lets go comes before one that
 * arrives by the link in the same picosecond and was sent later. */
static inline uint32_t order_of_node(uint32_t segment, uint32_t node)
{
  return segment * ORDER_NODES + (ORDER_NODES - 1 - node);
}

/* Event number `number` of the paths whose first segment has the number `segment`. */
static inline uint64_t order_of_event(uint32_t segment, uint32_t number)
{
  return (uint64_t)segment << 32 | number;
}

/* Connection `index` of session `session_number` among those on the clock, and an end of it. */
static inline uint32_t order_of_connection(uint32_t session_number, uint32_t index)
{
  return session_number * ORDER_CONNECTIONS + index;
}

static inline uint32_t order_of_end(uint32_t session_number, uint32_t index, enum side side)
{
  return order_of_connection(session_number, index) * SIDES + side;
}
