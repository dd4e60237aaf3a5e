/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_volume.h"

#include <math.h>

#include "scenario/scenario.h"

enum {
  FPDU_OVERHEAD_OCTETS = 20,    /* of a message that is one FPDU: tagged DDP header, ULPDU_Length, CRC */
  BUFFER_OVERHEAD_OCTETS = 256, /* of a buffer: guards around it, and what DDP and RDMAP remember about it */
};

gsize scenario_turn(const traffic_class *of)
{
  return MAX(of->workload.message_sizes.count, 1);
}

double scenario_turn_octets(const traffic_class *of)
{
  const number_list *sizes = &of->workload.message_sizes;
  double octets = sizes->count == 0 ? (double)of->message_octets : 0;

  for (gsize i = 0; i < sizes->count; i++) {
    octets += (double)sizes->values[i];
  }
  return octets;
}

double scenario_segment_payload(const configuration *c, enum side direction, guint32 mtu_octets)
{
  const double emss = mtu_octets - configuration_headers_octets(c);
  const double marked = c->endpoint[side_peer(direction)].markers ? 512.0 / 516 : 1;

  return MAX(emss * marked - FPDU_OVERHEAD_OCTETS, 1);
}

/* Returns how many full-size segments the messages of a class fill that go in `direction`. */
static double segments_of_class(const configuration *c, const traffic_class *of, enum side direction)
{
  const number_list *sizes = &of->workload.message_sizes;
  const double room = scenario_segment_payload(c, direction, c->path.directions[direction].link.mtu_octets);
  double segments = 0;

  for (gsize i = 0; i < scenario_turn(of); i++) {
    double cut = (double)(sizes->count > 0 ? sizes->values[i] : of->message_octets) / room;
    segments += c->tcp.segmentation == TCP_SEGMENTATION_STREAM ? cut : MAX(ceil(cut), 1);
  }
  return segments * ((double)of->workload.messages / (double)scenario_turn(of) *
                     (double)of->connection_count * traffic_class_payload_share(of, direction));
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

double scenario_in_flight_octets(const configuration *c)
{
  const double buffer = (double)c->endpoint[c->main_direction].send_buffer_octets;
  const ulp_workload_config *first = &c->classes->workload;
  const double posted = (double)first->outstanding * (double)first->message_octets;
  const double all = scenario_segments(c, c->main_direction) / (double)c->connections.count *
                     path_mtu_octets(&c->path.directions[c->main_direction]);
  double octets = MIN((double)c->receive_window_octets, all);

  octets = buffer > 0 ? MIN(octets, buffer) : octets;
  return posted > 0 ? MIN(octets, posted) : octets;
}

/* Returns the octets of the buffers of one connection of a class of which so many stream octets are in flight
 * at most. Messages of several sizes are counted by turns of workload.message_sizes. */
static double memory_of_connection(const traffic_class *of, double in_flight)
{
  const double size = (double)of->workload.message_octets;
  const double turn = (double)scenario_turn(of);
  const double framed = scenario_turn_octets(of) + turn * FPDU_OVERHEAD_OCTETS;
  const double buffers = MIN((in_flight / framed + 2) * turn, (double)of->workload.messages);
  /* It has, at each end that messages go to, a sink for RDMA Writes and Reads and one for Sends. */
  const ulp_mix_needs needs = ulp_mix_needs_of(&of->workload.mix);
  const double requesters = of->workload.both ? 2 : 1;
  const double sinks = needs.fills[true] + needs.fills[false] + needs.sends + needs.answers;
  const double request = needs.rpcs ? (double)of->workload.request_octets + BUFFER_OVERHEAD_OCTETS : 0;

  return requesters * buffers * (sinks * (size + BUFFER_OVERHEAD_OCTETS) + request);
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
    octets += c->classes[i].connection_count * memory_of_connection(&c->classes[i], in_flight);
  }
  return octets;
}
