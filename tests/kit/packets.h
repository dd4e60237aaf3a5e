/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets out of what a test has at hand, and g_autoptr for them. */
#pragma once

#include "base_cleanup.h"
#include "net/datagram.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(datagram, datagram_unref)

/* The packet with this TCP header and a copy of the `length` octets at `octets`. */
static inline datagram *packet_between(ip_address source, ip_address destination, const tcp_header *header,
                                       const void *octets, uint32_t length)
{
  g_auto(buffer_chain) payload = {0};
  buffer_chain_append_copy(&payload, octets, length);
  return datagram_new_in(NULL, &source, &destination, header, &payload);
}
