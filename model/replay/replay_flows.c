/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_flows.h"

#include "net/flow_table.h"

typedef struct known_flow {
  replay_flow_place place;
  bool is_read; /* the second time */
} known_flow;

/* Two ends, whichever of them sends. */
typedef struct flow_pair {
  flow_entry ends;
  uint32_t current;        /* index of the flow between them that was read last, or of the first one */
  bool is_source_measured; /* of that: the measured end is the source of the key, not the destination */
} flow_pair;

struct replay_flows {
  GArray *known; /* of known_flow, by the flow's index */
  flow_table pairs;
  flow_table measured; /* of flow_entry: to an address alone, from none */
};

replay_flows *replay_flows_new(void)
{
  replay_flows *flows = g_new0(replay_flows, 1);

  flows->known = g_array_new(FALSE, FALSE, sizeof(known_flow));
  flow_table_init(&flows->pairs, sizeof(flow_pair), g_free);
  flow_table_init(&flows->measured, sizeof(flow_entry), g_free);
  return flows;
}

void replay_flows_free(replay_flows *flows)
{
  if (flows) {
    g_array_free(flows->known, TRUE);
    flow_table_clear(&flows->pairs);
    flow_table_clear(&flows->measured);
    g_free(flows);
  }
}

/* Of the flows between its ends `flow` is the current one: the second time when no later one is, the first
 * time when it is the first. */
static void make_current(replay_flows *flows, const capture_flow *flow, uint8_t measured, bool is_read)
{
  datagram_flow key = {.source = flow->ends[0].address,
                       .destination = flow->ends[1].address,
                       .source_port = flow->ends[0].port,
                       .destination_port = flow->ends[1].port};
  bool is_reversed = flow_table_order(&key);
  flow_pair *pair = flow_table_find(&flows->pairs, &key);

  if (pair && (!is_read || pair->current > flow->index)) {
    return;
  }
  pair = pair ? pair : flow_table_add(&flows->pairs, &key);
  pair->current = flow->index;
  pair->is_source_measured = (measured == 0) != is_reversed;
}

void replay_flows_add(replay_flows *flows, const capture_flow *flow, uint32_t connection, uint8_t measured)
{
  const known_flow known = {.place = {.connection = connection, .measured = measured}};

  g_assert(flow->index == flows->known->len);
  g_array_append_val(flows->known, known);
  make_current(flows, flow, measured, false);
  if (connection != REPLAY_FLOW_OF_NONE) {
    const datagram_flow to = {.destination = flow->ends[measured].address};
    if (!flow_table_find(&flows->measured, &to)) {
      flow_table_add(&flows->measured, &to);
    }
  }
}

replay_flow_place replay_flows_place_of(replay_flows *flows, const capture_flow *flow)
{
  if (flow->index >= flows->known->len) {
    return (replay_flow_place){.connection = REPLAY_FLOW_OF_NONE};
  }
  known_flow *known = &g_array_index(flows->known, known_flow, flow->index);
  if (!known->is_read) {
    known->is_read = true;
    make_current(flows, flow, known->place.measured, true);
  }
  return known->place;
}

bool replay_flows_connection_of(replay_flows *flows, const datagram_flow *flow, uint32_t *connection)
{
  datagram_flow key = *flow;
  bool is_to_source = flow_table_order(&key);
  const flow_pair *pair = flow_table_find(&flows->pairs, &key);

  if (!pair) {
    return false;
  }
  *connection = g_array_index(flows->known, known_flow, pair->current).place.connection;
  return *connection != REPLAY_FLOW_OF_NONE && pair->is_source_measured == is_to_source;
}

bool replay_flows_is_measured(replay_flows *flows, const ip_address *address)
{
  const datagram_flow to = {.destination = *address};
  return flow_table_find(&flows->measured, &to) != NULL;
}
