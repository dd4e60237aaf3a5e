/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_flows.h"

#include "net/flow_table.h"
#include "net/ip_header.h"

/* A SYN may stand in the file after octets of its connection, whatever the order of the packets. One that is
 * farther before them than this begins another connection; of initial sequence numbers chosen at random, one
 * in 64 does not. */
enum { LATE_SYN_OCTETS = 1 << 26 };

/* A connection, and what is known of it besides. */
typedef struct tracked_flow {
  capture_flow flow;
  bool seen[2];
  uint32_t first_sequence[2]; /* of whom `seen` is set: of the first octet (not SYN) that was captured */
} tracked_flow;

/* What goes on between two ends: one connection after the other. */
typedef struct conversation {
  flow_entry ends; /* both directions: flow_table_order() */
  tracked_flow *current;
  unsigned opener; /* which of the ends, source or destination, is ends[0] of `current` */
} conversation;

struct capture_flows {
  flow_table conversations;
  GPtrArray *flows; /* of tracked_flow */
};

capture_flows *capture_flows_new(void)
{
  capture_flows *flows = g_new0(capture_flows, 1);
  flow_table_init(&flows->conversations, sizeof(conversation), g_free);
  flows->flows = g_ptr_array_new_with_free_func(g_free);
  return flows;
}

void capture_flows_free(capture_flows *flows)
{
  if (flows) {
    flow_table_clear(&flows->conversations);
    g_ptr_array_free(flows->flows, TRUE);
    g_free(flows);
  }
}

/* A new connection of `talk`, which end `opener` of the key opened. */
static void begin_flow(capture_flows *flows, conversation *talk, unsigned opener)
{
  tracked_flow *tracked = g_new0(tracked_flow, 1);
  const datagram_flow *key = &talk->ends.key;

  tracked->flow.index = flows->flows->len;
  tracked->flow.before = talk->current ? &talk->current->flow : NULL;
  tracked->flow.ends[opener] = (capture_end){.address = key->source, .port = key->source_port};
  tracked->flow.ends[!opener] = (capture_end){.address = key->destination, .port = key->destination_port};
  g_ptr_array_add(flows->flows, tracked);
  talk->current = tracked;
  talk->opener = opener;
}

/* Whether a SYN of `from` is not of the connection that is known here. */
static bool begins_another(const tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  const capture_flow *flow = &tracked->flow;

  if (flow->has_syn[from]) {
    return flow->isn[from] != segment->sequence;
  }
  if (tracked->seen[from]) {
    return tracked->first_sequence[from] - (segment->sequence + 1) > LATE_SYN_OCTETS;
  }
  if ((segment->flags & TCP_ACK) && flow->has_syn[!from]) {
    return segment->acknowledgement != flow->isn[!from] + 1;
  }
  return false;
}

/* What the segment shows of its sender's sequence numbers. */
static void learn(tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  if (segment->flags & TCP_SYN) {
    tracked->flow.has_syn[from] = true;
    tracked->flow.isn[from] = segment->sequence;
  } else if (!tracked->seen[from] && !(segment->flags & TCP_RST)) {
    tracked->seen[from] = true;
    tracked->first_sequence[from] = segment->sequence;
  }
}

void capture_flows_assign(capture_flows *flows, capture_segment *segment, const capture_ip *ip)
{
  datagram_flow key = {.source = ip_address_read(ip->addresses, ip->version),
                       .destination = ip_address_read(
                           ip->addresses + capture_ip_addresses_octets(ip->version) / 2, ip->version),
                       .source_port = big_endian_read_16(ip->payload),
                       .destination_port = big_endian_read_16(ip->payload + 2)};
  unsigned source = flow_table_order(&key);
  bool is_syn = (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN;
  unsigned opener = is_syn && (segment->flags & TCP_ACK) ? !source : source;
  bool is_right = segment->checksum != CAPTURE_CHECKSUM_WRONG;
  conversation *talk = flow_table_find(&flows->conversations, &key);

  if (!talk) {
    talk = flow_table_add(&flows->conversations, &key);
    begin_flow(flows, talk, opener);
  } else if (is_syn && is_right && begins_another(talk->current, source != talk->opener, segment)) {
    begin_flow(flows, talk, opener);
  }
  segment->flow = talk->current->flow.index;
  segment->from = source != talk->opener;
  if (is_right) {
    learn(talk->current, segment->from, segment);
  }
}

const capture_flow *capture_flows_find(capture_flows *flows, const datagram_flow *between)
{
  datagram_flow key = *between;

  flow_table_order(&key);
  const conversation *talk = flow_table_find(&flows->conversations, &key);
  return talk ? &talk->current->flow : NULL;
}

const capture_flow *capture_flows_at(const capture_flows *flows, uint32_t index)
{
  const tracked_flow *tracked = g_ptr_array_index(flows->flows, index);
  return &tracked->flow;
}

uint32_t capture_flows_count(const capture_flows *flows)
{
  return flows->flows->len;
}
