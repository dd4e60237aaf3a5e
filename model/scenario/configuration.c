/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/configuration.h"

#include <math.h>

#include "base/numbers.h"
configuration *configuration_new(void)
{
  configuration *c = g_rc_box_new0(configuration);

  c->memory = g_ptr_array_new_with_free_func(g_free);
  configuration_set_classes(c, &(traffic_class){.name = ""}, 1);
  c->tcp = tcp_config_default();
  c->ends = rnic_endpoint_config_default(SIDE_INITIATOR);
  c->others = g_ptr_array_new_with_free_func((GDestroyNotify)configuration_unref);
  c->sizes = g_ptr_array_new_with_free_func((GDestroyNotify)size_distribution_free);
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
  g_ptr_array_unref(c->sizes);
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

void configuration_set_classes(configuration *c, const traffic_class *classes, uint32_t count)
{
  c->classes = configuration_keep(c, classes, count * sizeof *classes);
  c->class_count = count;
}

gboolean configuration_load_sizes(configuration *c, traffic_class *of, GError **error)
{
  if (of->sizes_path && *of->sizes_path != '\0') {
    size_distribution *sizes = size_distribution_load(of->sizes_path, of->size_steps, error);

    if (!sizes) {
      return FALSE;
    }
    g_ptr_array_add(c->sizes, sizes);
    of->sizes = sizes;
  }
  return TRUE;
}

/* Returns how many of the messages are Atomics, from 0 to 1. */
static double atomic_share(const traffic_class *of)
{
  const choice_list *mix = &of->workload.mix;
  unsigned atomics = 0;

  for (unsigned i = 0; i < mix->count; i++) {
    atomics += ulp_operation_rules_of((ulp_operation)mix->values[i])->is_atomic;
  }
  return (double)atomics / mix->count;
}

double traffic_class_mean_octets(const traffic_class *of)
{
  const double atomics = atomic_share(of);
  const choice_list *mix = &of->workload.mix;
  const number_list *sizes = &of->workload.message_sizes;
  const size_t turns = sizes->count * (atomics > 0 ? mix->count : 1); /* until sizes and operations recur */
  double octets = 0;

  if (of->flows_messages > 0) {
    return (double)of->flows_octets / (double)of->flows_messages;
  }
  if (of->sizes || turns == 0) {
    octets = of->sizes ? size_distribution_mean(of->sizes) : of->message_octets;
    return (1 - atomics) * octets + atomics * ULP_ATOMIC_OCTETS;
  }
  for (size_t i = 0; i < turns; i++) {
    const bool is_atomic = ulp_operation_rules_of((ulp_operation)mix->values[i % mix->count])->is_atomic;
    octets += (double)(is_atomic ? ULP_ATOMIC_OCTETS : sizes->values[i % sizes->count]) / (double)turns;
  }
  return octets;
}

/* Returns the rate at which `host` sends. */
static double link_rate_bit_per_s(const configuration *c, uint32_t host)
{
  return (double)(c->graph.kind != GRAPH_PATH ? c->of_graph.rates_bit_per_s[host]
                                              : c->path.directions[host].link.rate_bit_per_s);
}

/* Returns how many messages arrive at a time at each of `hosts`: where one is the sender, 1; of incasts where
 * one is the receiver, the senders. Free with g_free(). */
static uint32_t *messages_at_a_time(const traffic_class *of, const configuration *c, uint32_t hosts)
{
  const bool is_incast = c->graph.kind != GRAPH_PATH && of->pattern.pattern == TRAFFIC_INCAST;
  const uint32_t most = !is_incast ? 1 : of->pattern.fan_in > 0 ? of->pattern.fan_in : UINT32_MAX;
  uint32_t *messages = g_new0(uint32_t, hosts);

  for (uint32_t i = 0; hosts > 0 && i < of->connection_count; i += of->connections_per_pair) {
    const host_pair *pair =
        c->of_graph.pairs ? &c->of_graph.pairs[of->first_connection + i] : &host_pair_of_path;
    for (enum side side = 0; side <= (enum side)of->workload.both; side++) {
      uint32_t *at = &messages[pair->hosts[is_incast ? SIDE_RESPONDER - side : side]];
      *at = MIN(*at + 1, most);
    }
  }
  return messages;
}

double *traffic_class_intervals_ps(const traffic_class *of, const configuration *c)
{
  const uint32_t hosts = c->graph.kind != GRAPH_PATH ? c->of_graph.host_count : SIDES;
  g_autofree uint32_t *messages = messages_at_a_time(of, c, hosts);
  const double bits = traffic_class_mean_octets(of) * 8;
  double *intervals = g_new0(double, hosts);

  for (uint32_t host = 0; host < hosts; host++) {
    intervals[host] =
        of->interval_ps > 0
            ? (double)of->interval_ps
            : messages[host] * bits / (of->load * link_rate_bit_per_s(c, host)) * TIME_PS_PER_SECOND;
  }
  return intervals;
}

const traffic_class *configuration_class_of(const configuration *c, uint32_t connection)
{
  const traffic_class *of = c->classes;

  while (connection >= of->first_connection + of->connection_count) {
    of++;
  }
  return of;
}

double traffic_class_payload_share(const traffic_class *of, enum side direction)
{
  const choice_list *mix = &of->workload.mix;
  unsigned pulled = 0;

  for (unsigned i = 0; i < mix->count; i++) {
    pulled += ulp_operation_rules_of((ulp_operation)mix->values[i])->to_requester;
  }
  if (of->workload.both) { /* each host posts as many, or of a list some of the lines */
    return of->pattern.pattern == TRAFFIC_FLOWS ? 0.5 : 1;
  }
  return (double)(direction == SIDE_INITIATOR ? mix->count - pulled : pulled) / mix->count;
}

double configuration_payload_share(const configuration *c, enum side direction)
{
  double shares = 0;

  for (uint32_t i = 0; i < c->class_count; i++) {
    shares += c->classes[i].connection_count * traffic_class_payload_share(&c->classes[i], direction);
  }
  return shares / c->connections.count;
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
  endpoint->rdmap.ird = c->own[side].enhanced.ird;
  endpoint->rdmap.ord = c->own[side].enhanced.ord;
  endpoint->enhanced = c->own[side].enhanced;
  endpoint->enhanced.enabled = c->own[side].enhanced.enabled && c->own[side].generation == IWARP_RFC6581;
  endpoint->enhanced.fixed_ird = !(c->own[side].negotiates & NEGOTIATES_IRD);
  endpoint->enhanced.fixed_ord = !(c->own[side].negotiates & NEGOTIATES_ORD);
  endpoint->enhanced.rtr_count = MIN(c->own[side].rtr.count, (uint32_t)MPA_RTRS);
  for (uint32_t i = 0; i < endpoint->enhanced.rtr_count; i++) {
    endpoint->enhanced.rtr[i] = (mpa_rtr)c->own[side].rtr.values[i];
  }
  endpoint->tcp = effective_tcp(c);
  endpoint->tcp.send_mtu_octets = c->path.directions[side].link.mtu_octets;
  endpoint->tcp.receive_mtu_octets = path_link_at(received, path_links(received) - 1).mtu_octets;
  endpoint->assumes_aligned = c->receiver.mode == RECEIVER_ASSUME_ALIGNED;
  endpoint->limits = c->measures[side] ? c->receiver.limits : (rnic_receive_limits){0};
  endpoint->placement_latency_ps = c->measures[side] ? c->receiver.placement_latency_ps : 0;
}

/* Returns whether messages come to `side`, a Read Request or a response among them. */
static bool has_messages(const traffic_class *of, enum side side)
{
  const choice_list *mix = &of->workload.mix;
  bool has = side == SIDE_RESPONDER || of->workload.both;

  for (unsigned i = 0; i < mix->count; i++) {
    has = has || ulp_operation_rules_of((ulp_operation)mix->values[i])->messages_at_requester > 0;
  }
  return has;
}

/* Numbers the connections of all classes. */
static void number_connections(configuration *c)
{
  c->connections.count = 0;
  for (uint32_t i = 0; i < c->class_count; i++) {
    traffic_class *of = &c->classes[i];

    of->first_connection = c->connections.count;
    of->connection_count = of->connection_count > 0 ? of->connection_count : of->connections_per_pair;
    c->connections.count += of->connection_count;
  }
}

/* Finds the Data Sinks: of a path the end that payload comes to, the Responder when it comes to both; of a
 * graph that of the first class, and each of a class that messages come to. */
static void find_sinks(configuration *c)
{
  const bool is_path = c->graph.kind == GRAPH_PATH;
  const bool to_responder = (is_path ? configuration_payload_share(c, SIDE_INITIATOR)
                                     : traffic_class_payload_share(c->classes, SIDE_INITIATOR)) > 0;
  const enum side sink = to_responder ? SIDE_RESPONDER : SIDE_INITIATOR;

  c->measured = c->measure.end == MEASURE_AUTO ? sink : (enum side)c->measure.end;
  c->main_direction = side_peer(c->measured);
  for (enum side side = 0; side < SIDES; side++) {
    c->measures[side] = false;
    for (uint32_t i = 0; i < c->class_count; i++) {
      traffic_class *of = &c->classes[i];
      of->measures[side] = side == c->measured || (c->graph.kind != GRAPH_PATH && has_messages(of, side));
      c->measures[side] = c->measures[side] || of->measures[side];
    }
  }
}

/* Fills what `of` makes of several keys. Its messages may be posted and not yet Delivered up to
 * `in_flight_octets`. */
static void resolve_class(traffic_class *of, uint64_t in_flight_octets)
{
  number_list *sizes = &of->workload.message_sizes;
  ulp_workload_config *workload = &of->workload;

  if (atomic_share(of) == 1 && of->pattern.pattern != TRAFFIC_FLOWS) { /* whatever sizes the keys have */
    of->message_octets = ULP_ATOMIC_OCTETS;
    of->sizes = NULL;
    *sizes = (number_list){.count = 0};
  }
  uint32_t smallest = of->message_octets, largest = smallest;

  for (size_t i = 0; i < sizes->count; i++) {
    smallest = MIN(i > 0 ? smallest : UINT32_MAX, (uint32_t)sizes->values[i]);
    largest = MAX(i > 0 ? largest : 0, (uint32_t)sizes->values[i]);
  }
  workload->smallest_octets = of->sizes                              ? size_distribution_smallest(of->sizes)
                              : of->pattern.pattern == TRAFFIC_FLOWS ? workload->smallest_octets
                                                                     : smallest;
  workload->message_octets = of->sizes ? size_distribution_largest(of->sizes) : largest;
  workload->in_flight_octets = in_flight_octets;
  workload->open_loop = of->arrivals != ARRIVALS_POSTED || of->pattern.pattern == TRAFFIC_FLOWS;
  workload->messages = of->until_ps > 0 && !of->messages_given ? UINT64_MAX : workload->messages;
}

void configuration_resolve(configuration *c)
{
  enum { WINDOW_LEAST_OCTETS = 64 << 10, WINDOW_MOST_OCTETS = 1 << 30 };
  const path_direction_config *there = &c->path.directions[SIDE_INITIATOR];
  const path_direction_config *back = &c->path.directions[SIDE_RESPONDER];

  number_connections(c);
  find_sinks(c);
  c->needs_ns3 = c->tcp_is_ns3 || c->topology.media.count > 1 || c->topology.media.values[0] != TOPOLOGY_NONE;
  c->runs_on_ns3 = c->run.engine == RUN_ENGINE_NS3 || (c->run.engine == RUN_ENGINE_AUTO && c->needs_ns3);
  c->receive_window_octets = c->tcp.receive_window_octets > 0
                                 ? c->tcp.receive_window_octets
                                 : CLAMP(2 * configuration_bandwidth_delay_octets(c),
                                         (uint64_t)WINDOW_LEAST_OCTETS, (uint64_t)WINDOW_MOST_OCTETS);
  /* These can be posted but not yet Delivered: the window, what waits out the placement latency, and a whole
   * segment that arrived at one instant. The sender's own link bounds that segment: further links may
   * fragment it. */
  const uint64_t in_flight_octets =
      c->receive_window_octets + 2 * (uint64_t)MAX(there->link.mtu_octets, back->link.mtu_octets) +
      (uint64_t)((double)MAX(path_bottleneck_bit_per_s(there), path_bottleneck_bit_per_s(back)) / 8 *
                 time_ps_in_seconds(c->receiver.placement_latency_ps));
  for (uint32_t i = 0; i < c->class_count; i++) {
    resolve_class(&c->classes[i], in_flight_octets);
  }
  resolve_endpoint(c, SIDE_INITIATOR);
  resolve_endpoint(c, SIDE_RESPONDER);
}

double configuration_poisson_load(const configuration *c)
{
  double load = 0;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const traffic_class *of = &c->classes[i];
    const bool fits =
        of->arrivals == ARRIVALS_POISSON && of->interval_ps == 0 && of->pattern.pattern != TRAFFIC_INCAST;
    load = fits ? load + of->load : (double)NAN;
  }
  return load;
}
