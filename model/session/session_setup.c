/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_setup.h"

#include <string.h>

#include "base/random_stream.h"

/* Of IPv4 the second octet counts full nets of so many hosts, the third is the session's. */
enum { HOSTS_OF_NET = 254 };

ip_address session_setup_address(const configuration *c, uint32_t session_number, uint32_t host)
{
  return c->ipv6 ? ip_address_v6(SESSION_ADDRESS_V6_PREFIX, host + 1)
                 : ip_address_v4(SESSION_FIRST_ADDRESS + (host / HOSTS_OF_NET << 16) + (session_number << 8) +
                                 host % HOSTS_OF_NET);
}

uint32_t session_setup_host_at(const ip_address *address)
{
  const uint8_t *octets = address->octets;

  return address->version == 4 ? (uint32_t)octets[1] * HOSTS_OF_NET + octets[3] - 1
                               : big_endian_read_32(&octets[12]) - 1;
}

/* Octets of streaming mode that `side` sends before MPA (MPA-190): both ends know the number of each
 * direction. */
static uint32_t streaming_octets(const configuration *c, uint32_t connection, enum side side)
{
  const char *name =
      side == SIDE_INITIATOR ? "sender.stream_phase.initiator" : "sender.stream_phase.responder";

  if (c->sender.stream_phase_octets != STREAM_PHASE_RANDOM) {
    return c->sender.stream_phase_octets;
  }
  return (uint32_t)(random_hash(c->run.seed, name, connection) % c->path.directions[side].link.mtu_octets);
}

void session_setup_limits(const configuration *c, bool is_measured, rnic_host *host)
{
  if (c->sender.host_rate_bit_per_s > 0 || c->sender.host_segments_per_s > 0) {
    rnic_host_limit_rate(host, c->sender.host_rate_bit_per_s, c->sender.host_segments_per_s);
  }
  if (is_measured && c->receiver.memory_octets != MEMORY_UNLIMITED) {
    rnic_host_limit_memory(host, c->receiver.memory_octets, c->receiver.cell_octets);
  }
}

rnic_endpoint_config session_setup_endpoint(const configuration *c, uint32_t connection, enum side side,
                                            const datagram_flow *flow)
{
  const char *const isn = side == SIDE_INITIATOR ? "tcp.isn.initiator" : "tcp.isn.responder";
  rnic_endpoint_config config = c->endpoint[side];

  config.tcp.local_address = flow->source;
  config.tcp.remote_address = flow->destination;
  config.tcp.local_port = flow->source_port;
  config.tcp.remote_port = flow->destination_port;
  config.tcp.isn = (uint32_t)random_hash(c->run.seed, isn, connection);
  config.streaming_octets_sent = streaming_octets(c, connection, side);
  config.streaming_octets_received = streaming_octets(c, connection, side_peer(side));
  return config;
}

uint32_t session_setup_second_isn(const configuration *c, uint32_t connection, enum side side)
{
  const char *const name = side == SIDE_INITIATOR ? "tcp.second_isn.initiator" : "tcp.second_isn.responder";
  return (uint32_t)random_hash(c->run.seed, name, connection);
}

uint8_t *session_setup_private_data(const configuration *c, enum side side, const pattern *table)
{
  uint32_t length = c->endpoint[side].private_data_octets;
  uint32_t offset = pattern_message_offset((uint32_t)side, UINT64_MAX); /* no message's */
  uint8_t *octets = g_malloc(length);

  for (uint32_t i = 0; i < length; i++) {
    octets[i] = *pattern_at(table, offset + i);
  }
  return octets;
}

bool session_setup_private_data_is(const configuration *c, enum side side, const uint8_t *sent,
                                   const uint8_t *octets, uint32_t length)
{
  return length == c->endpoint[side].private_data_octets &&
         (length == 0 || memcmp(octets, sent, length) == 0);
}

ip_reassembly_config session_setup_reassembly(const configuration *c, enum side side)
{
  uint64_t given = c->receiver.ip_size_octets; /* 0: auto */
  ip_reassembly_config config = ip_reassembly_config_unlimited();

  config.timeout_ps = c->receiver.ip_timeout_ps;
  switch (c->receiver.ip_option) {
  case IP_REASSEMBLY_DROP: /* 1: no buffer */
    config.datagrams = 0;
    break;
  case IP_REASSEMBLY_LIMITED: /* 2: one buffer, possibly of the local link's MTU */
    config.datagrams = 1;
    config.datagram_octets =
        (uint32_t)MIN(given > 0 ? given : c->endpoint[side].tcp.receive_mtu_octets, UINT32_MAX);
    break;
  case IP_REASSEMBLY_UNLIMITED: /* 3: as many buffers as there are datagrams */
    break;
  case IP_REASSEMBLY_ONE_64K: /* 4: one buffer, for one datagram of any size */
    config.datagrams = 1;
    break;
  case IP_REASSEMBLY_SPANNING: /* 5: one buffer for all; at the worst a window is in fragments (MPA-347) */
    config.octets = given > 0 ? given : c->receive_window_octets;
    break;
  }
  return config;
}

session_recorder_config session_setup_recorder(const configuration *c, uint32_t connections, FILE *series)
{
  enum { SERIES_CONNECTIONS = 16 }; /* the RNIC and up to 16 connections */

  session_recorder_config config = {
      .connections = connections,
      .cell_octets = c->receiver.cell_octets,
      .placement_latency_ps = c->receiver.placement_latency_ps,
      .receive_window_octets = c->receive_window_octets,
      .series = c->measure.series == SERIES_OF_NONE ? NULL : series,
      .series_all = c->measure.series == SERIES_OF_ALL,
      .series_connections = MIN(connections, (uint32_t)SERIES_CONNECTIONS),
      .from = c->measure.from,
      .to = c->measure.to,
      .quantile_count = c->measure.quantiles.count,
  };
  for (size_t i = 0; i < config.quantile_count; i++) { /* checked: there is room, and they ascend */
    config.quantile_parts[i] = quantile_parts(c->measure.quantiles.values[i]);
  }
  return config;
}

bool session_setup_fault(const configuration *c, uint32_t connection, enum side side, fault_config *fault)
{
  if (connection != c->fault.connection || side != c->fault.side || c->fault.error == FAULT_NONE) {
    return false;
  }
  *fault = (fault_config){.id = c->fault.error, .at = c->fault.at};
  return true;
}
