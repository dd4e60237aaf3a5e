/* SPDX-License-Identifier: GPL-2.0-only */
/* The path MTU of a connection is what an ICMP "too big" (RFC 1191, RFC 8201) and the suspicion of a black
 * hole (RFC 2923 §2.1, RFC 4821 §7.7) make of it. Sizes are of whole IP packets, in octets. */
#pragma once

#include <stdint.h>

/* Returns what every link carries: 68 (RFC 791 §3.2), of IPv6 1280 (RFC 8200 §5). `ip_version`: 4 or 6. */
uint32_t tcp_path_mtu_min_octets(uint8_t ip_version);

/* The MTU after a router has reported that a packet of `packet_octets` was too big for a link of
 * `reported_octets` (0: the router does not know RFC 1191), when it was `present_octets`. The present one
 * when the message brings nothing new or cannot be true. */
uint32_t tcp_path_mtu_after_too_big(uint8_t ip_version, uint32_t present_octets, uint32_t reported_octets,
                                    uint32_t packet_octets);

/* The next smaller MTU to try when packets of `present_octets` vanish without a message: the plateau below
 * (RFC 1191 §7.1), at least 576 (IPv6: 1280); the present one when it is no more than that. */
uint32_t tcp_path_mtu_below(uint8_t ip_version, uint32_t present_octets);
