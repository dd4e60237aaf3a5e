/* SPDX-License-Identifier: GPL-2.0-only */
/* Link layer headers: where the IP packet begins. */
#ifndef CAPTURE_CAPTURE_LINK_H
#define CAPTURE_CAPTURE_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* What a frame has in it. */
typedef enum capture_link_content {
  CAPTURE_LINK_IP,
  CAPTURE_LINK_OTHER,  /* ARP, LLDP … */
  CAPTURE_LINK_CUT_OFF /* the header is not there to its end */
} capture_link_content;

/* Whether the headers of libpcap's link type `link_type` (DLT_…) are known here: Ethernet, Linux cooked 1 and 2, raw IP, loopback. */
bool capture_link_is_known(int link_type);

/* Looks into a frame of a known link type, of which `length` octets were captured. With CAPTURE_LINK_IP, `*ip_at` is where the IP
 * header begins, at most `length`. VLAN tags (IEEE 802.1Q, 802.1ad), however many, are passed over. */
capture_link_content capture_link_look(int link_type, const uint8_t *octets, uint32_t length,
                                       uint32_t *ip_at);

#endif
