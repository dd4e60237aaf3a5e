/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_volume.h"

#include <math.h>

#include "scenario/scenario.h"

enum {
  FPDU_OVERHEAD_OCTETS = 20,    /* of a message that is one FPDU: tagged DDP header, ULPDU_Length, CRC */
  BUFFER_OVERHEAD_OCTETS = 256, /* of a buffer: guards around it, and what DDP and RDMAP remember about it */
};

gsize scenario_turn(const configuration *c)
{
  return MAX(c->workload.message_sizes.count, 1);
}

double scenario_turn_octets(const configuration *c)
{
  const number_list *sizes = &c->workload.message_sizes;
  double octets = sizes->count == 0 ? (double)c->message_octets : 0;

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

double scenario_segments(const configuration *c, enum side direction)
{
  const number_list *sizes = &c->workload.message_sizes;
  const guint32 mtu = c->path.directions[direction].link.mtu_octets;
  const double room = scenario_segment_payload(c, direction, mtu);
  double segments = 0;

  for (gsize i = 0; i < scenario_turn(c); i++) {
    double cut = (double)(sizes->count > 0 ? sizes->values[i] : c->message_octets) / room;
    segments += c->tcp.segmentation == TCP_SEGMENTATION_STREAM ? cut : MAX(ceil(cut), 1);
  }
  segments *= (double)c->workload.messages / (double)scenario_turn(c) * (double)c->connections.count *
              configuration_payload_share(c, direction);
  double sent = (double)path_bottleneck_bit_per_s(&c->path.directions[direction]) / 8 *
                time_ps_in_seconds(c->run.stop_ps) / (double)mtu;
  return c->run.stop_ps > 0 ? MIN(segments, sent) : segments;
}

double scenario_in_flight_octets(const configuration *c)
{
  const double buffer = (double)c->endpoint[c->main_direction].send_buffer_octets;
  const double posted = (double)c->workload.outstanding * (double)c->workload.message_octets;
  const double all = scenario_segments(c, c->main_direction) / (double)c->connections.count *
                     path_mtu_octets(&c->path.directions[c->main_direction]);
  double octets = MIN((double)c->receive_window_octets, all);

  octets = buffer > 0 ? MIN(octets, buffer) : octets;
  return posted > 0 ? MIN(octets, posted) : octets;
}

double scenario_memory_octets(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  double size = (double)c->workload.message_octets;
  /* In flight are at most the window and what waits out the placement latency. Messages of several sizes are
   * counted by turns of workload.message_sizes. */
  double in_flight = (double)c->receive_window_octets +
                     (double)path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]) / 8 *
                         time_ps_in_seconds(c->receiver.placement_latency_ps);
  double turn = (double)scenario_turn(c);
  double framed = scenario_turn_octets(c) + turn * FPDU_OVERHEAD_OCTETS;
  double buffers = MIN((in_flight / framed + 2) * turn, (double)c->workload.messages);
  /* A connection has, at each end that messages go to, a sink for RDMA Writes and Reads and one for Sends. */
  const ulp_mix_needs needs = ulp_mix_needs_of(&c->workload.mix);
  double sinks = (c->workload.both ? 2 : 1) * (needs.fills[true] + needs.fills[false] + needs.sends);
  return (double)c->connections.count * sinks * buffers * (size + BUFFER_OVERHEAD_OCTETS);
}
