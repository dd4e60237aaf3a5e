/* SPDX-License-Identifier: GPL-2.0-only */
/* Which connection of a replay a TCP flow is of. The capture is read twice, and its source numbers the
 * flows alike. Packets that come out of the replay's path, or of its IP reassembly, have no number: of the
 * flows between two ends they are of the one that was read last. */
#ifndef REPLAY_REPLAY_FLOWS_H
#define REPLAY_REPLAY_FLOWS_H

#include <glib.h>

#include "net/capture_segment.h"
#include "net/datagram.h"

typedef struct replay_flows replay_flows;

#define REPLAY_FLOW_OF_NONE UINT32_MAX

/* What a flow is to a replay. */
typedef struct replay_flow_place {
  uint32_t connection; /* REPLAY_FLOW_OF_NONE: it is not replayed */
  uint8_t measured;    /* which of the flow's ends is: 0 or 1 */
} replay_flow_place;

/* None. Free with replay_flows_free() (NULL is allowed). */
replay_flows *replay_flows_new(void);
void replay_flows_free(replay_flows *flows);

/* The first time: `flow` is the next in order, and `connection` (or REPLAY_FLOW_OF_NONE) the replay's, of
 * which end `measured` is measured. */
void replay_flows_add(replay_flows *flows, const capture_flow *flow, uint32_t connection, uint8_t measured);

/* The second time: a packet of `flow` is read. What the flow is; of none when it was not added. O(1). */
replay_flow_place replay_flows_place_of(replay_flows *flows, const capture_flow *flow);

/* The connection that a packet with the addresses and ports of `flow` is of now, the second time; false
 * when it is none's, or goes the other way than to the end that is measured. */
bool replay_flows_connection_of(replay_flows *flows, const datagram_flow *flow, uint32_t *connection);

/* `address` is of an end that is measured. */
bool replay_flows_is_measured(replay_flows *flows, const ip_address *address);

#endif
