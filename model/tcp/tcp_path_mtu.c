/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_path_mtu.h"

#include <glib.h>

enum {
  IPV4_MIN_OCTETS = 68,
  IPV4_EVERY_HOST_OCTETS =
      576, /* what every host takes in (RFC 1122 §3.3.2), and so the usual default of a path */
  IPV6_MIN_OCTETS = 1280,
};

/* The MTUs of real links crowd at these (RFC 1191 §7.1, table 7-1). */
static const uint16_t PLATEAUS[] = {65535, 32000, 17914, 8166, 4352, 2002, 1492, 1006, 508, 296, 68};

uint32_t tcp_path_mtu_min_octets(uint8_t ip_version)
{
  return ip_version == 6 ? IPV6_MIN_OCTETS : IPV4_MIN_OCTETS;
}

static uint32_t plateau_below(uint32_t octets)
{
  for (unsigned i = 0; i < G_N_ELEMENTS(PLATEAUS); i++) {
    if (PLATEAUS[i] < octets) {
      return PLATEAUS[i];
    }
  }
  return IPV4_MIN_OCTETS;
}

uint32_t tcp_path_mtu_after_too_big(uint8_t ip_version, uint32_t present_octets, uint32_t reported_octets,
                                    uint32_t packet_octets)
{
  uint32_t mtu = reported_octets;

  if (ip_version == 6 && reported_octets < IPV6_MIN_OCTETS) {
    return present_octets; /* RFC 8201 §4: no link of IPv6 is like that */
  }
  if (reported_octets == 0) {
    /* RFC 1191 §5 goes by the length quoted: messages about packets sent before the last change then change
     * nothing. */
    mtu = plateau_below(MIN(packet_octets, present_octets + 1));
  } else if (reported_octets >= packet_octets) {
    return present_octets; /* RFC 5927 §7.2: the packet would have fitted, so no honest router reports this */
  }
  return MIN(MAX(mtu, tcp_path_mtu_min_octets(ip_version)),
             present_octets); /* RFC 1191 §3: never raised by a message */
}

uint32_t tcp_path_mtu_below(uint8_t ip_version, uint32_t present_octets)
{
  uint32_t least = ip_version == 6 ? IPV6_MIN_OCTETS : IPV4_EVERY_HOST_OCTETS;

  return MIN(MAX(plateau_below(present_octets), least), present_octets);
}
