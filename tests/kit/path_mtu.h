/* SPDX-License-Identifier: GPL-2.0-only */
/* Another path MTU, of which nobody tells: what ICMP and black hole detection make smaller only, a test may
 * also make larger. */
#pragma once

#include "tcp/tcp_connection_private.h"

/* The path MTU of the direction sent is `mtu_octets` from now on: EMSS follows, and what no longer fits is
 * cut when it is sent again. Nothing is taken as lost. */
static inline void kit_set_send_mtu(tcp_transport *transport, uint32_t mtu_octets)
{
  tcp_connection *connection = tcp_connection_of(transport);

  connection->config.send_mtu_octets = mtu_octets;
  tcp_connection_find_emss(connection);
  tcp_sender_set_emss(&connection->sender, connection->gauges.emss_octets);
}
