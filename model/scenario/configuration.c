/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/configuration.h"

#include "base/numbers.h"
configuration *configuration_new(void)
{
  configuration *c = g_rc_box_new0(configuration);

  c->tcp = tcp_config_default();
  c->ends = rnic_endpoint_config_default(SIDE_INITIATOR);
  c->memory = g_ptr_array_new_with_free_func(g_free);
  c->others = g_ptr_array_new_with_free_func((GDestroyNotify)configuration_unref);
  return c;
}

const configuration *configuration_ref(const configuration *c)
{
  return g_rc_box_acquire((gpointer)c);
}

static void clear(gpointer data)
{
  configuration *c = data;

  g_ptr_array_unref(c->memory);
  g_ptr_array_unref(c->others);
}

void configuration_unref(const configuration *c)
{
  if (c) {
    g_rc_box_release_full((gpointer)c, clear);
  }
}

gpointer configuration_keep(configuration *c, gconstpointer data, gsize octets)
{
  gpointer copy = g_memdup2(data, octets);

  g_ptr_array_add(c->memory, copy);
  return copy;
}

double configuration_payload_share(const configuration *c, enum side direction)
{
  unsigned pulled = 0;

  for (unsigned i = 0; i < c->workload.mix.count; i++) {
    pulled += ulp_operation_rules_of((ulp_operation)c->workload.mix.values[i])->fills_requester;
  }
  if (c->workload.both) {
    return 1;
  }
  return (double)(direction == SIDE_INITIATOR ? c->workload.mix.count - pulled : pulled) /
         c->workload.mix.count;
}

uint32_t configuration_headers_octets(const configuration *c)
{
  enum {
    IPV4_AND_TCP = 40,
    IPV6_AND_TCP = 60,
    TIMESTAMPS = 12 /* the option, padded (RFC 7323 appendix A) */
  };

  return (c->ipv6 ? IPV6_AND_TCP : IPV4_AND_TCP) + (c->tcp.timestamps ? TIMESTAMPS : 0);
}

time_ps configuration_base_round_trip(const configuration *c)
{
  time_ps total = 0;

  for (enum side direction = 0; direction < SIDES; direction++) {
    const path_direction_config *path = &c->path.directions[direction];
    uint32_t mtu = path_mtu_octets(path);

    for (size_t i = 0; i < path_links(path); i++) {
      path_link_config link = path_link_at(path, i);
      time_ps sending = time_ps_to_send(path_link_octets(&link, mtu), link.rate_bit_per_s);

      total = time_ps_after(total, time_ps_after(sending, link.delay_ps));
    }
  }
  return total;
}

uint64_t configuration_bandwidth_delay_octets(const configuration *c)
{
  uint128 product = path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]);

  product *= (uint64_t)configuration_base_round_trip(c);
  return (uint64_t)(product / TIME_PS_PER_SECOND / 8);
}

/* Returns the TCP of both ends. What builds on SACK is off without it; ns-3's TCP is not MPA-aware and passes
 * octets in order. */
static tcp_config effective_tcp(const configuration *c)
{
  tcp_config tcp = c->tcp;

  tcp.receive_window_octets = c->receive_window_octets;
  tcp.dsack = tcp.sack && tcp.dsack;
  tcp.old_sack = tcp.sack && tcp.old_sack;
  tcp.rack = tcp.sack && tcp.rack;
  tcp.tail_loss_probe = tcp.rack && tcp.tail_loss_probe;
  tcp.prr = (tcp.sack || tcp.threshold_of_window) && tcp.prr;
  tcp.segmentation = c->tcp_is_ns3 ? TCP_SEGMENTATION_STREAM : tcp.segmentation;
  tcp.passing =
      c->tcp_is_ns3 || c->receiver.mode == RECEIVER_IN_ORDER ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  return tcp;
}

static void resolve_endpoint(configuration *c, enum side side)
{
  rnic_endpoint_config *endpoint = &c->endpoint[side];
  const path_direction_config *received = &c->path.directions[side_peer(side)];

  *endpoint = c->ends;
  endpoint->role = side;
  endpoint->opens = side == SIDE_INITIATOR;
  endpoint->generation = c->own[side].generation;
  endpoint->markers = c->own[side].markers;
  endpoint->crc = c->own[side].crc;
  endpoint->rejects = c->own[side].rejects;
  endpoint->private_data_octets = c->own[side].private_data_octets;
  endpoint->private_data_capacity_octets = c->own[side].private_data_capacity_octets;
  endpoint->tcp = effective_tcp(c);
  endpoint->tcp.send_mtu_octets = c->path.directions[side].link.mtu_octets;
  endpoint->tcp.receive_mtu_octets = path_link_at(received, path_links(received) - 1).mtu_octets;
  endpoint->assumes_aligned = c->receiver.mode == RECEIVER_ASSUME_ALIGNED;
  endpoint->limits = c->measures[side] ? c->receiver.limits : (rnic_receive_limits){0};
  endpoint->placement_latency_ps = c->measures[side] ? c->receiver.placement_latency_ps : 0;
}

/* Returns whether messages come to `side`, a Read Request or a response among them. */
static bool has_messages(const configuration *c, enum side side)
{
  bool has = side == SIDE_RESPONDER || c->workload.both;

  for (unsigned i = 0; i < c->workload.mix.count; i++) {
    has = has || ulp_operation_rules_of((ulp_operation)c->workload.mix.values[i])->messages_at_requester > 0;
  }
  return has;
}

void configuration_resolve(configuration *c)
{
  enum { WINDOW_LEAST_OCTETS = 64 << 10, WINDOW_MOST_OCTETS = 1 << 30 };
  const number_list *sizes = &c->workload.message_sizes;
  const path_direction_config *there = &c->path.directions[SIDE_INITIATOR];
  const path_direction_config *back = &c->path.directions[SIDE_RESPONDER];
  enum side sink = configuration_payload_share(c, SIDE_INITIATOR) > 0 ? SIDE_RESPONDER : SIDE_INITIATOR;

  c->measured = c->measure.end == MEASURE_AUTO ? sink : (enum side)c->measure.end;
  c->main_direction = side_peer(c->measured);
  for (enum side side = 0; side < SIDES; side++) {
    c->measures[side] = side == c->measured || (c->graph.kind != GRAPH_PATH && has_messages(c, side));
  }
  c->needs_ns3 = c->tcp_is_ns3 || c->topology.media.count > 1 || c->topology.media.values[0] != TOPOLOGY_NONE;
  c->runs_on_ns3 = c->run.engine == RUN_ENGINE_NS3 || (c->run.engine == RUN_ENGINE_AUTO && c->needs_ns3);
  c->receive_window_octets = c->tcp.receive_window_octets > 0
                                 ? c->tcp.receive_window_octets
                                 : CLAMP(2 * configuration_bandwidth_delay_octets(c),
                                         (uint64_t)WINDOW_LEAST_OCTETS, (uint64_t)WINDOW_MOST_OCTETS);
  c->workload.message_octets = sizes->count > 0 ? 0 : c->message_octets;
  for (size_t i = 0; i < sizes->count; i++) {
    c->workload.message_octets = MAX(c->workload.message_octets, (uint32_t)sizes->values[i]);
  }
  /* These can be posted but not yet Delivered: the window, what waits out the placement latency, and a whole
   * segment that arrived at one instant. The sender's own link bounds that segment: further links may
   * fragment it. */
  c->workload.in_flight_octets =
      c->receive_window_octets + 2 * (uint64_t)MAX(there->link.mtu_octets, back->link.mtu_octets) +
      (uint64_t)((double)MAX(path_bottleneck_bit_per_s(there), path_bottleneck_bit_per_s(back)) / 8 *
                 time_ps_in_seconds(c->receiver.placement_latency_ps));
  resolve_endpoint(c, SIDE_INITIATOR);
  resolve_endpoint(c, SIDE_RESPONDER);
}
