/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_link.h"

#include <pcap/pcap.h>

#include "base/big_endian.h"

/* EtherTypes (IEEE 802 numbers): the tags of 802.1Q and 802.1ad, and 802.1ad's before it had a number of its own. */
enum {
  ETHERTYPE_IPV4 = 0x0800,
  ETHERTYPE_IPV6 = 0x86DD,
  ETHERTYPE_VLAN = 0x8100,
  ETHERTYPE_PROVIDER_VLAN = 0x88A8,
  ETHERTYPE_OLD_PROVIDER_VLAN = 0x9100,
};

enum { VLAN_TAG_OCTETS = 4, VLAN_INNER_TYPE_AT = 2 };

/* Link types whose header has an EtherType in it: how long the header is and where the type lies (tcpdump.org/linktypes.html). */
enum {
  ETHERNET_HEADER_OCTETS = 14,
  ETHERNET_TYPE_AT = 12,
  COOKED_HEADER_OCTETS = 16,
  COOKED_TYPE_AT = 14,
  COOKED_2_HEADER_OCTETS = 20,
  COOKED_2_TYPE_AT = 0,
  FAMILY_OCTETS = 4,
};

bool capture_link_is_known(int link_type)
{
  switch (link_type) {
  case DLT_EN10MB:
  case DLT_LINUX_SLL:
  case DLT_LINUX_SLL2:
  case DLT_RAW:
  case DLT_IPV4:
  case DLT_IPV6:
  case DLT_NULL:
  case DLT_LOOP:
    return true;
  default:
    return false;
  }
}

static capture_link_content look_behind_type(const uint8_t *octets, uint32_t length, uint32_t type_at,
                                             uint32_t header_octets, uint32_t *ip_at)
{
  if (length < header_octets) {
    return CAPTURE_LINK_CUT_OFF;
  }
  uint16_t type = big_endian_read_16(octets + type_at);
  uint32_t at = header_octets;
  while (type == ETHERTYPE_VLAN || type == ETHERTYPE_PROVIDER_VLAN || type == ETHERTYPE_OLD_PROVIDER_VLAN) {
    if (length - at < VLAN_TAG_OCTETS) {
      return CAPTURE_LINK_CUT_OFF;
    }
    type = big_endian_read_16(octets + at + VLAN_INNER_TYPE_AT);
    at += VLAN_TAG_OCTETS;
  }
  *ip_at = at;
  return type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6 ? CAPTURE_LINK_IP : CAPTURE_LINK_OTHER;
}

/* The address family's number is the capturing system's, in its byte order (DLT_LOOP: in network order), which need not be ours: small
 * numbers tell their order. */
static capture_link_content look_behind_family(const uint8_t *octets, uint32_t length, uint32_t *ip_at)
{
  enum {
    FAMILY_IPV4 = 2,
    FAMILY_IPV6_LINUX = 10,
    FAMILY_IPV6_BSD = 24,
    FAMILY_IPV6_FREEBSD = 28,
    FAMILY_IPV6_DARWIN = 30
  };

  if (length < FAMILY_OCTETS) {
    return CAPTURE_LINK_CUT_OFF;
  }
  uint32_t family = big_endian_read_32(octets);
  family = family > UINT16_MAX ? GUINT32_SWAP_LE_BE(family) : family;
  *ip_at = FAMILY_OCTETS;
  switch (family) {
  case FAMILY_IPV4:
  case FAMILY_IPV6_LINUX:
  case FAMILY_IPV6_BSD:
  case FAMILY_IPV6_FREEBSD:
  case FAMILY_IPV6_DARWIN:
    return CAPTURE_LINK_IP;
  default:
    return CAPTURE_LINK_OTHER;
  }
}

capture_link_content capture_link_look(int link_type, const uint8_t *octets, uint32_t length, uint32_t *ip_at)
{
  switch (link_type) {
  case DLT_EN10MB:
    return look_behind_type(octets, length, ETHERNET_TYPE_AT, ETHERNET_HEADER_OCTETS, ip_at);
  case DLT_LINUX_SLL:
    return look_behind_type(octets, length, COOKED_TYPE_AT, COOKED_HEADER_OCTETS, ip_at);
  case DLT_LINUX_SLL2:
    return look_behind_type(octets, length, COOKED_2_TYPE_AT, COOKED_2_HEADER_OCTETS, ip_at);
  case DLT_NULL:
  case DLT_LOOP:
    return look_behind_family(octets, length, ip_at);
  default: /* raw IP */
    *ip_at = 0;
    return CAPTURE_LINK_IP;
  }
}
