/* SPDX-License-Identifier: GPL-2.0-only */
/* What is before the IP packet in a captured frame: the header of the link type, and whatever names in its
 * own header what follows it (VLAN tags, PPPoE, MPLS, GRE, VXLAN …); and names for what has no TCP in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/capture_packet.h"

/* What a packet is in which there is no TCP over IP: a number, and what numbers it. */
typedef uint32_t capture_what;

/* "ARP (EtherType 0x0806)", "UDP to port 53", "USB_LINUX (link type 189)"; free with g_free(). */
char *capture_what_name(capture_what what);

/* Whether the headers of libpcap's link type `link_type` (DLT_…) are known here: Ethernet, Linux cooked 1 and
 * 2, raw IP, loopback, PPP (RFC 1661, 1662, 2516), Cisco's HDLC, MPLS, and NFLOG. */
bool capture_link_is_known(int link_type);

/* Whether a frame, of which `length` octets were captured, may have an IP packet in it; false: it has
 * something else (ARP, LLDP …), or its link type is not known here: `*what`. `*ip_at` is where the IP header
 * begins; `length` when the frame is cut off before. Passes over VLAN tags (IEEE 802.1Q, 802.1ad) and service
 * tags (802.1ah), LLC with SNAP (RFC 1042), PPPoE (RFC 2516) and MPLS (RFC 3032), however many there are. */
bool capture_link_look(int link_type, const uint8_t *octets, uint32_t length, uint32_t *ip_at,
                       capture_what *what);

/* The same of `ip`, which has no TCP: whether it is of a tunnel with an IP packet in it (of a fragment that
 * is not known: false): `*ip_at` is where that begins in its payload. IP in IP (RFC 2003, 2473, 4213), GRE
 * (RFC 2784, 2890, 2637; NVGRE, RFC 7637; ERSPAN of types I to III), VXLAN (RFC 7348), Geneve (RFC 8926),
 * MPLS in UDP (RFC 7510). */
bool capture_tunnel_look(const capture_ip *ip, uint32_t *ip_at, capture_what *what);
