/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "shim/ns3_functions.h"

enum { FIRST_ROUTER_ADDRESS = 0xAC100001 }; /* 172.16.0.1: see ns3_topology.cc */

typedef struct topology_end {
  GQueue *arrived; /* datagrams that are due now */
  engine_timer *timer;
  path_output output;
  void *user;
} topology_end;

struct ns3_topology_path {
  ns3_topology *chain;
  topology_end ends[NS3_TOPOLOGY_ENDS];
  time_ps delay_ps; /* of all hops */
  uint64_t too_big;
  uint8_t *wire; /* a packet on its way into ns-3 */
};

static void add_arrival(topology_end *end, datagram *packet)
{
  g_queue_push_tail(end->arrived, packet);
  if (end->arrived->length == 1) {
    engine_timer_set(end->timer, ns3_shim_now());
  }
}

static void hand_over(void *user, time_ps now)
{
  topology_end *end = user;
  datagram *packet = g_queue_pop_head(end->arrived);

  if (end->arrived->length > 0) {
    engine_timer_set(end->timer, now);
  }
  end->output(end->user, packet, now);
}

static void come_out(void *user, unsigned end, const uint8_t *octets, uint32_t length, uint64_t mark)
{
  ns3_topology_path *path = user;
  datagram *packet = datagram_read_copy(octets, length);

  if (packet) { /* else nothing of ours: an ICMP message of ns-3's */
    packet->number = (uint32_t)(mark >> 32);
    packet->connection = 0;
    packet->flow_order = mark >> 1 & INT32_MAX;
    packet->retransmission = mark & 1;
    add_arrival(&path->ends[end], packet);
  }
}

static void answer_too_big(ns3_topology_path *path, unsigned end, datagram *packet, size_t hop)
{
  uint32_t mtu = ns3_topology_hop_mtu(path->chain, hop);
  ip_address router = ip_address_v4((uint32_t)(FIRST_ROUTER_ADDRESS + 4 * hop + end));
  datagram *answer = datagram_new_too_big(&router, packet, mtu);

  path->too_big++;
  datagram_unref(packet);
  if (answer) {
    add_arrival(&path->ends[end], answer);
  }
}

void ns3_topology_path_send(ns3_topology_path *path, unsigned end, datagram *packet,
                            G_GNUC_UNUSED time_ps now)
{
  uint32_t octets = datagram_octets(packet);
  /* They are a number that ns-3 carries, of 32, 31 and 1 bits. */
  uint64_t mark =
      (uint64_t)packet->number << 32 | (packet->flow_order & INT32_MAX) << 1 | packet->retransmission;
  size_t narrow = ns3_topology_narrow_hop(path->chain, end, octets);

  if (narrow < ns3_topology_hops(path->chain) && !datagram_may_be_fragmented(packet)) {
    answer_too_big(path, end, packet, narrow);
    return;
  }
  datagram_write(packet, path->wire, true);
  ns3_topology_send(path->chain, end, path->wire, octets, mark);
  datagram_unref(packet);
}

time_ps ns3_topology_path_earliest_arrival(const ns3_topology_path *path, time_ps now)
{
  return now + path->delay_ps;
}

uint64_t ns3_topology_path_too_big(const ns3_topology_path *path)
{
  return path->too_big;
}

const ns3_topology *ns3_topology_path_chain(const ns3_topology_path *path)
{
  return path->chain;
}

void ns3_topology_path_free(ns3_topology_path *path)
{
  datagram *packet;

  if (!path) {
    return;
  }
  ns3_topology_free(path->chain);
  for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
    while ((packet = g_queue_pop_head(path->ends[end].arrived))) {
      datagram_unref(packet);
    }
    g_queue_free(path->ends[end].arrived);
    engine_timer_free(path->ends[end].timer);
  }
  g_free(path->wire);
  g_free(path);
}

ns3_topology_path *ns3_topology_path_new(const ns3_topology_config *config, engine *clock, uint32_t id,
                                         path_output output, void *const users[NS3_TOPOLOGY_ENDS],
                                         ns3_shim_error *error)
{
  ns3_topology_path *path = g_new0(ns3_topology_path, 1);

  path->wire = g_malloc(UINT16_MAX);
  for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
    topology_end *e = &path->ends[end];
    e->output = output;
    e->user = users[end];
    e->arrived = g_queue_new();
    e->timer = engine_timer_new(clock, ENGINE_ARRIVAL, id + end, 0, hand_over, e);
  }
  path->chain = ns3_topology_new(config, come_out, path, error);
  if (!path->chain) {
    ns3_topology_path_free(path);
    return NULL;
  }
  for (size_t i = 0; i < config->hop_count; i++) {
    path->delay_ps += config->hops[i].delay_ps;
  }
  return path;
}
