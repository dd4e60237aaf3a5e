/* SPDX-License-Identifier: GPL-2.0-only */
/* This sets another path MTU, without a report: ICMP and black hole detection can only lower it, a test may
 * also raise it. */
#pragma once

#include "tcp/tcp_connection_private.h"

/* The path MTU of the direction sent is `mtu_octets` from now on: EMSS follows, and what no longer fits is
 * cut when it is sent again. Nothing is taken as lost. */
static inline void kit_set_send_mtu(tcp_transport *transport, uint32_t mtu_octets)
{
  tcp_connection *connection = tcp_connection_of(transport);

  connection->send_mtu_octets = (uint16_t)mtu_octets;
  tcp_connection_find_emss(connection);
  tcp_sender_set_emss(&connection->sender, connection->transport.gauges.emss_octets);
}
