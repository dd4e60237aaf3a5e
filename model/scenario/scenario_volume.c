/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_volume.h"

#include <math.h>

#include "scenario/scenario.h"

enum {
  FPDU_OVERHEAD_OCTETS = 20,    /* of a message that is one FPDU: tagged DDP header, ULPDU_Length, CRC */
  BUFFER_OVERHEAD_OCTETS = 256, /* of a buffer: guards around it, and what DDP and RDMAP remember about it */
};

/* Sizes of a distribution are looked at in so many parts of equally many messages. */
enum { SIZE_PARTS = 500 };

GArray *scenario_sizes(const traffic_class *of)
{
  const number_list *sizes = &of->workload.message_sizes;
  const gsize count = of->sizes != NULL ? SIZE_PARTS : MAX(sizes->count, 1);
  GArray *found = g_array_sized_new(FALSE, FALSE, sizeof(double), (guint)count);

  for (gsize i = 0; i < count; i++) {
    const double octets = of->sizes != NULL
                              ? size_distribution_quantile(of->sizes, ((double)i + 0.5) / SIZE_PARTS)
                          : sizes->count > 0 ? (double)sizes->values[i]
                                             : traffic_class_mean_octets(of);
    g_array_append_val(found, octets);
  }
  return found;
}

/* Returns the messages of an open loop. Each of its hosts has arrivals, or of an incast each receiver. */
static double arriving_messages(const configuration *c, const traffic_class *of)
{
  const bool is_graph = c->graph.kind != GRAPH_PATH;
  const bool is_incast = is_graph && of->pattern.pattern == TRAFFIC_INCAST;
  const uint32_t hosts = is_graph ? c->of_graph.host_count : SIDES;
  g_autofree double *intervals = traffic_class_intervals_ps(of, c);
  g_autofree double *pairs = g_new0(double, hosts);
  const double most = of->workload.messages < UINT64_MAX ? (double)of->workload.messages : INFINITY;
  double messages = 0;

  if (is_graph && !c->of_graph.pairs) {
    return 0; /* of an entry of a list no graph is made */
  }
  pairs[0] = is_graph ? 0 : 1;
  for (uint32_t i = 0; is_graph && i < of->connection_count; i += of->connections_per_pair) {
    pairs[c->of_graph.pairs[of->first_connection + i].hosts[is_incast ? SIDE_RESPONDER : SIDE_INITIATOR]]++;
  }
  for (uint32_t host = 0; host < hosts; host++) {
    const double at_once = !is_incast               ? 1
                           : of->pattern.fan_in > 0 ? fmin(of->pattern.fan_in, pairs[host])
                                                    : pairs[host];
    const double arrive = of->until_ps > 0 ? (double)of->until_ps / intervals[host] : INFINITY;
    messages += pairs[host] > 0 ? at_once * fmin(most, arrive) : 0;
  }
  return messages;
}

/* Returns the messages of a closed loop that ends at its time: each connection has `outstanding` in a round
 * trip and the time to think, and all together no more than the links of those that send, or receive, carry.
 */
static double looping_messages(const configuration *c, const traffic_class *of)
{
  const double until_s = time_ps_in_seconds(of->until_ps);
  const double bits = traffic_class_mean_octets(of) * 8;
  const double rate = (double)path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]);
  const double turn_s = time_ps_in_seconds(configuration_base_round_trip(c)) +
                        time_ps_in_seconds(of->workload.think_time_ps) + bits / rate;
  const double outstanding = of->workload.outstanding > 0 ? (double)of->workload.outstanding : INFINITY;
  uint32_t ends[SIDES] = {1, 1}; /* hosts that the class has at each side */

  for (enum side side = 0; side < SIDES && c->of_graph.pairs != NULL; side++) {
    g_autoptr(GHashTable) hosts = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < of->connection_count; i++) {
      g_hash_table_add(hosts, GUINT_TO_POINTER(c->of_graph.pairs[of->first_connection + i].hosts[side]));
    }
    ends[side] = g_hash_table_size(hosts);
  }
  const double carried = MIN(ends[SIDE_INITIATOR], ends[SIDE_RESPONDER]) * rate * until_s / fmax(bits, 1);
  return fmin(of->connection_count * fmin(outstanding * until_s / turn_s, (double)of->workload.messages),
              carried);
}

double scenario_messages(const configuration *c, const traffic_class *of)
{
  return of->pattern.pattern == TRAFFIC_FLOWS ? (double)of->flows_messages
         : of->arrivals != ARRIVALS_POSTED    ? arriving_messages(c, of)
         : of->until_ps > 0                   ? looping_messages(c, of)
                                              : (double)of->workload.messages * of->connection_count;
}

double scenario_segment_payload(const configuration *c, enum side direction, guint32 mtu_octets)
{
  const double emss = mtu_octets - configuration_headers_octets(c);
  const double marked = c->endpoint[side_peer(direction)].markers ? 512.0 / 516 : 1;

  return MAX(emss * marked - FPDU_OVERHEAD_OCTETS, 1);
}

/* Returns how many segments the messages of a class fill that go in `direction`. */
static double segments_of_class(const configuration *c, const traffic_class *of, enum side direction)
{
  g_autoptr(GArray) sizes = scenario_sizes(of);
  const double room = scenario_segment_payload(c, direction, c->path.directions[direction].link.mtu_octets);
  double segments = 0;

  for (guint i = 0; i < sizes->len; i++) {
    const double cut = g_array_index(sizes, double, i) / room;
    segments += c->tcp.segmentation == TCP_SEGMENTATION_STREAM ? cut : MAX(ceil(cut), 1);
  }
  return segments / sizes->len * scenario_messages(c, of) * traffic_class_payload_share(of, direction);
}

double scenario_segments(const configuration *c, enum side direction)
{
  const guint32 mtu = c->path.directions[direction].link.mtu_octets;
  double segments = 0;

  for (uint32_t i = 0; i < c->class_count; i++) {
    segments += segments_of_class(c, &c->classes[i], direction);
  }
  double sent = (double)path_bottleneck_bit_per_s(&c->path.directions[direction]) / 8 *
                time_ps_in_seconds(c->run.stop_ps) / (double)mtu;
  return c->run.stop_ps > 0 ? MIN(segments, sent) : segments;
}

double scenario_in_flight_octets(const configuration *c, const traffic_class *of, enum side direction)
{
  const double buffer = (double)c->endpoint[direction].send_buffer_octets;
  const double posted = (double)of->workload.outstanding * (double)of->workload.message_octets;
  const bool goes_on = of->workload.open_loop || of->until_ps > 0;
  const double all = goes_on ? INFINITY
                             : segments_of_class(c, of, direction) / of->connection_count *
                                   path_mtu_octets(&c->path.directions[direction]);
  double octets = MIN((double)c->receive_window_octets, all);

  octets = buffer > 0 ? MIN(octets, buffer) : octets;
  return posted > 0 ? MIN(octets, posted) : octets;
}

/* Returns the octets of the buffers of a class, of each of whose connections so many stream octets are in
 * flight at most. Messages of several sizes are counted by turns of workload.message_sizes. */
static double memory_of_class(const configuration *c, const traffic_class *of, double in_flight)
{
  g_autoptr(GArray) sizes = scenario_sizes(of);
  const double messages = scenario_messages(c, of);
  /* Each end that messages go to has a sink for RDMA Writes and Reads and one for Sends. */
  const ulp_mix_needs needs = ulp_mix_needs_of(&of->workload.mix);
  const double sinks = (of->workload.both ? 2 : 1) * (needs.fills[true] + needs.fills[false] + needs.sends);
  double turn = 0, square = 0;

  for (guint i = 0; i < sizes->len; i++) {
    const double octets = g_array_index(sizes, double, i);
    turn += octets;
    square += octets * octets / sizes->len;
  }
  if (!of->workload.open_loop && of->sizes == NULL) {
    const double framed = turn + sizes->len * FPDU_OVERHEAD_OCTETS;
    const double buffers = MIN((in_flight / framed + 2) * sizes->len, (double)of->workload.messages);
    return sinks * of->connection_count * buffers *
           ((double)of->workload.message_octets + BUFFER_OVERHEAD_OCTETS);
  }
  /* A buffer is as long as its message, and there from the first octet to the last: at a rate of messages of
   * messages / until, each of size / rate, or twice as long, since others share the links (Little's law). */
  const double rate = (double)path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]) / 8;
  const double all = messages * (turn / sizes->len + BUFFER_OVERHEAD_OCTETS);
  const double until_s = of->until_ps > 0 ? time_ps_in_seconds(of->until_ps) : all / rate;
  return sinks *
         fmin(all, 2 * messages / until_s * square / rate + of->connection_count * BUFFER_OVERHEAD_OCTETS);
}

double scenario_memory_octets(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  /* In flight are at most the window and what waits out the placement latency. */
  const double in_flight = (double)c->receive_window_octets +
                           (double)path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]) / 8 *
                               time_ps_in_seconds(c->receiver.placement_latency_ps);
  double octets = 0;

  for (uint32_t i = 0; i < c->class_count; i++) {
    octets += memory_of_class(c, &c->classes[i], in_flight);
  }
  return octets;
}
