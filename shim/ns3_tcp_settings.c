/* SPDX-License-Identifier: GPL-2.0-only */
#include "shim/ns3_tcp_settings.h"

#include <glib.h>

enum { TIMESTAMPS_OCTETS = 12 };

static uint32_t v4_of(const ip_address *address)
{
  return (uint32_t)address->octets[0] << 24 | (uint32_t)address->octets[1] << 16 |
         (uint32_t)address->octets[2] << 8 | address->octets[3];
}

/* The options that every segment carries count; 0 when there is no room. */
static uint32_t emss_of(const tcp_config *config)
{
  uint32_t headers = IPV4_HEADER_OCTETS + TCP_HEADER_OCTETS + (config->timestamps ? TIMESTAMPS_OCTETS : 0);

  return config->send_mtu_octets > headers ? config->send_mtu_octets - headers : 0;
}

ns3_tcp_node_config ns3_tcp_settings_of(const tcp_config *config)
{
  static const ns3_tcp_congestion congestions[] = {[TCP_CONGESTION_NEWRENO] = NS3_TCP_LINUX_RENO,
                                                   [TCP_CONGESTION_CUBIC] = NS3_TCP_CUBIC,
                                                   [TCP_CONGESTION_DCTCP] = NS3_TCP_DCTCP};
  static const ns3_tcp_ecn uses[] = {[TCP_ECN_OFF] = NS3_TCP_ECN_OFF,
                                     [TCP_ECN_PASSIVE] = NS3_TCP_ECN_ACCEPT_ONLY,
                                     [TCP_ECN_ON] = NS3_TCP_ECN_ON};

  return (ns3_tcp_node_config){.local_address = v4_of(&config->local_address),
                               .remote_address = v4_of(&config->remote_address),
                               .local_port = config->local_port,
                               .remote_port = config->remote_port,
                               .mtu_octets = config->send_mtu_octets,
                               .segment_octets = emss_of(config),
                               .initial_window_segments = config->initial_window_segments,
                               .receive_buffer_octets =
                                   (uint32_t)MIN(config->receive_window_octets, UINT32_MAX),
                               .duplicate_ack_threshold = config->duplicate_ack_threshold,
                               .delayed_ack_segments = config->delayed_ack_segments,
                               .retries_max = config->retries_max,
                               .delayed_ack_ps = config->delayed_ack_ps,
                               .rto_initial_ps = config->rto_initial_ps,
                               .rto_min_ps = config->rto_min_ps,
                               .sack = config->sack,
                               .timestamps = config->timestamps,
                               .nagle = config->nagle,
                               .limited_transmit = config->limited_transmit,
                               .prr = config->prr,
                               .hystart = config->slow_start == TCP_SLOW_START_HYSTART,
                               .pacing = config->pacing,
                               .congestion = congestions[config->congestion],
                               .ecn = uses[config->ecn]};
}
