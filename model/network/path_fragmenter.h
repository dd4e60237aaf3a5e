/* SPDX-License-Identifier: GPL-2.0-only */
/* The way into a link for packets that may be larger than its MTU: what a router does before it sends.
 *
 * A larger packet is fragmented when that is allowed (RFC 791 §3.2: IPv4 without DF; in IPv6 only the source
 * fragments, RFC 8200 §4.5), fragments again. Otherwise it is dropped and its source informed by ICMP (RFC
 * 1812 §4.3.3.3, RFC 1191 §4, RFC 4443 §3.2), or not informed: a black hole (RFC 2923 §2.1).
 * path_element_counts has the fragments made, of packets and of fragments again, and the packets dropped as
 * too big. */
#pragma once

#include "net/ip_header.h"
#include "network/path_element.h"

enum {
  PATH_FRAGMENTER_MTU_MIN_OCTETS = 68
}; /* RFC 791 §3.2: every module can forward 68 octets unfragmented */

/* Makes a fragmenter before a link of `mtu_octets` (68 …). Its ICMP messages come from `router`, an address
 * of the packets' version. */
path_element *path_fragmenter_new(uint32_t mtu_octets, const ip_address *router);

/* Changes the MTU for packets that come from now on. The link keeps what has passed already. */
void path_fragmenter_set_mtu(path_element *element, uint32_t mtu_octets);

/* Sets where the ICMP messages go, with their reference: to the way back to the packets' source. NULL, as at
 * first: there are none. Called within path_element_receive(). */
void path_fragmenter_set_too_big(path_element *element, path_output too_big, void *user);
