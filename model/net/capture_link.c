/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_link.h"

#include <glib.h>
#include <linux/if_ether.h>
#include <linux/ppp_defs.h>
#include <netinet/in.h>
#include <pcap/pcap.h>

#include "base/big_endian.h"

/* --- What is not read --- */

/* What numbers it. */
enum { OF_LINK_TYPE, OF_FAMILY, OF_ETHERTYPE, OF_LLC, OF_PPP, OF_IP, OF_FRAGMENTS, OF_UDP };

enum { UDP_HEADER_OCTETS = 8, UDP_DESTINATION_AT = 2 };

static capture_what what_is(unsigned of, unsigned number)
{
  return of << 16 | (number & UINT16_MAX);
}

char *capture_what_name(capture_what what)
{
  static const char *const numbered[] = {[OF_LINK_TYPE] = "link type %u",
                                         [OF_FAMILY] = "address family %u",
                                         [OF_ETHERTYPE] = "EtherType 0x%04X",
                                         [OF_LLC] = "LLC to SAP 0x%02X",
                                         [OF_PPP] = "PPP protocol 0x%04X",
                                         [OF_IP] = "IP protocol %u",
                                         [OF_FRAGMENTS] = "fragments of IP protocol %u",
                                         [OF_UDP] = "UDP to port %u"};
  static const struct {
    unsigned of, number;
    const char *name;
  } rows[] = {{OF_ETHERTYPE, ETH_P_ARP, "ARP"},
              {OF_ETHERTYPE, ETH_P_LLDP, "LLDP"},
              {OF_ETHERTYPE, ETH_P_PPP_DISC, "PPPoE discovery"},
              {OF_ETHERTYPE, ETH_P_PPP_SES, "PPPoE of another version"},
              {OF_ETHERTYPE, ETH_P_MPLS_UC, "MPLS in which there is no IP"},
              {OF_ETHERTYPE, ETH_P_MPLS_MC, "MPLS in which there is no IP"},
              {OF_ETHERTYPE, ETH_P_MACSEC, "MACsec"},
              {OF_ETHERTYPE, ETH_P_FCOE, "FCoE"},
              {OF_ETHERTYPE, ETH_P_IBOE, "RoCE"},
              {OF_ETHERTYPE, ETH_P_NSH, "NSH"},
              {OF_ETHERTYPE, ETH_P_ERSPAN, "ERSPAN in which there is no IP"},
              {OF_ETHERTYPE, ETH_P_ERSPAN2, "ERSPAN in which there is no IP"},
              {OF_PPP, PPP_LCP, "LCP"},
              {OF_PPP, PPP_IPCP, "IPCP"},
              {OF_IP, IPPROTO_ICMP, "ICMP"},
              {OF_IP, IPPROTO_ICMPV6, "ICMPv6"},
              {OF_IP, IPPROTO_IGMP, "IGMP"},
              {OF_IP, IPPROTO_GRE, "GRE that is not read"},
              {OF_IP, IPPROTO_ESP, "IPsec"},
              {OF_IP, IPPROTO_SCTP, "SCTP"},
              {OF_FRAGMENTS, IPPROTO_UDP, "UDP"},
              {OF_FRAGMENTS, IPPROTO_GRE, "GRE"},
              {OF_UDP, 2152, "GTP"},
              {OF_UDP, 4500, "IPsec"},
              {OF_UDP, 4789, "VXLAN in which there is no IP"},
              {OF_UDP, 4791, "RoCEv2"}};
  const unsigned of = what >> 16, number = what & UINT16_MAX;
  g_autofree char *number_text = g_strdup_printf(numbered[of], number);
  const char *name = of == OF_LINK_TYPE ? pcap_datalink_val_to_name((int)number) : NULL;

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    name = rows[i].of == of && rows[i].number == number ? rows[i].name : name;
  }
  return name ? g_strdup_printf("%s (%s)", name, number_text) : g_steal_pointer(&number_text);
}

capture_what capture_what_of(const capture_ip *ip)
{
  const bool has_port =
      ip->protocol == IPPROTO_UDP && !ip->is_fragment && ip->captured_octets >= UDP_HEADER_OCTETS;

  return has_port ? what_is(OF_UDP, big_endian_read_16(ip->payload + UDP_DESTINATION_AT))
                  : what_is(ip->is_fragment ? OF_FRAGMENTS : OF_IP, ip->protocol);
}

/* --- Headers that tell what follows --- */

/* Numbers that no header of the system's has: GRE's of PPP (RFC 2637 §4.1); the first octet of Cisco's HDLC,
 * and its octets; LLC with SNAP (RFC 1042); the first octet of PPPoE (RFC 2516 §4); the bit of the last label
 * (RFC 3032 §2.1). */
enum { ETHERTYPE_PPP = 0x880B, CISCO_UNICAST = 0x0F, CISCO_MULTICAST = 0x8F, CISCO_OCTETS = 4 };
enum { LLC_SNAP = 0xAAAA03, PPPOE_FIRST = 0x11, MPLS_BOTTOM = 0x01 };

typedef enum header {
  HEADER_IP,
  HEADER_ETHERNET,
  HEADER_TAG,         /* IEEE 802.1Q, 802.1ad: after its type */
  HEADER_SERVICE_TAG, /* 802.1ah */
  HEADER_LLC,         /* 802.2, after a length */
  HEADER_PPPOE,       /* of a session */
  HEADER_PPP,         /* with or without address and control (RFC 1662 §3.1) */
  HEADER_MPLS,        /* a label */
  HEADER_AFTER_MPLS,
  HEADER_OTHER, /* `what` it is */
} header;

/* Their octets, or enough of them. */
static const uint8_t header_octets[] = {
    [HEADER_ETHERNET] = 14, [HEADER_TAG] = 4,        [HEADER_SERVICE_TAG] = 4,
    [HEADER_LLC] = 8,       [HEADER_PPPOE] = 6,      [HEADER_PPP] = 4,
    [HEADER_MPLS] = 4,      [HEADER_AFTER_MPLS] = 1, [HEADER_OTHER] = 0};

/* The header after an EtherType. */
static header header_of(uint16_t type, capture_what *what)
{
  switch (type) {
  case ETH_P_IP:
  case ETH_P_IPV6:
    return HEADER_IP;
  case ETH_P_8021Q:
  case ETH_P_8021AD:
  case ETH_P_QINQ1: /* 802.1ad's before it had a number of its own */
    return HEADER_TAG;
  case ETH_P_8021AH:
    return HEADER_SERVICE_TAG;
  case ETH_P_MPLS_UC:
  case ETH_P_MPLS_MC:
    return HEADER_MPLS;
  case ETH_P_PPP_SES:
    return HEADER_PPPOE;
  case ETHERTYPE_PPP:
    return HEADER_PPP;
  case ETH_P_TEB:
    return HEADER_ETHERNET;
  default:
    *what = what_is(OF_ETHERTYPE, type);
    return type < ETH_P_802_3_MIN ? HEADER_LLC : HEADER_OTHER;
  }
}

static header header_of_ppp(uint16_t protocol, capture_what *what)
{
  switch (protocol) {
  case PPP_IP:
  case PPP_IPV6:
    return HEADER_IP;
  case PPP_MPLS_UC:
  case PPP_MPLS_MC:
    return HEADER_MPLS;
  default:
    *what = what_is(OF_PPP, protocol);
    return HEADER_OTHER;
  }
}

/* After PPP's address and control, if they are there, and its protocol, of which one octet may do (RFC 1661
 * §6.5): adds their octets to `*at`. A serial line may have Cisco's headers instead, which begin otherwise.
 */
static header after_ppp(const uint8_t *octets, uint32_t *at, capture_what *what)
{
  const uint8_t *here = octets + *at;

  if (here[0] == CISCO_UNICAST || here[0] == CISCO_MULTICAST) {
    *at += CISCO_OCTETS;
    return header_of(big_endian_read_16(here + 2), what);
  }
  here += here[0] == PPP_ALLSTATIONS && here[1] == PPP_UI ? 2 : 0;
  const bool is_short = *here & 1;
  *at = (uint32_t)(here - octets) + (is_short ? 1 : 2);
  return header_of_ppp(is_short ? *here : big_endian_read_16(here), what);
}

/* The header `next` begins at `*at`: passes over it and those that follow, up to an IP header. As
 * capture_link_look(). */
static bool look(header next, const uint8_t *octets, uint32_t length, uint32_t *at, capture_what *what)
{
  while (next != HEADER_IP && next != HEADER_OTHER) {
    const uint8_t *here = octets + *at;

    if (length - *at < header_octets[next]) {
      *at = length;
      return true;
    }
    const header present = next;
    *at += header_octets[present];
    switch (present) {
    case HEADER_ETHERNET:
      next = header_of(big_endian_read_16(here + 12), what);
      break;
    case HEADER_TAG:
      next = header_of(big_endian_read_16(here + 2), what);
      break;
    case HEADER_SERVICE_TAG:
      next = HEADER_ETHERNET;
      break;
    case HEADER_LLC: {
      const bool has_type = big_endian_read_32(here) >> 8 == LLC_SNAP;
      *what = what_is(OF_LLC, here[0]);
      next = has_type ? header_of(big_endian_read_16(here + 6), what) : HEADER_OTHER;
      break;
    }
    case HEADER_PPPOE:
      *what = what_is(OF_ETHERTYPE, ETH_P_PPP_SES);
      next = here[0] == PPPOE_FIRST && here[1] == 0 ? HEADER_PPP : HEADER_OTHER;
      break;
    case HEADER_PPP:
      *at -= header_octets[present];
      next = after_ppp(octets, at, what);
      break;
    case HEADER_MPLS:
      next = here[2] & MPLS_BOTTOM ? HEADER_AFTER_MPLS : HEADER_MPLS;
      break;
    case HEADER_AFTER_MPLS: /* no header says what follows; IP shows its version (RFC 4928 §2) */
      --*at;
      *what = what_is(OF_ETHERTYPE, ETH_P_MPLS_UC);
      next = here[0] >> 4 == 4 || here[0] >> 4 == 6 ? HEADER_IP : HEADER_OTHER;
      break;
    case HEADER_IP:
    case HEADER_OTHER:
      break;
    }
  }
  return next == HEADER_IP;
}

/* --- The link layer --- */

/* What stands before a packet of a link type (tcpdump.org/linktypes.html). */
enum { NO_TYPE = -1 };
typedef struct link_row {
  int link_type;
  uint8_t octets; /* of its header */
  int8_t type_at; /* where an EtherType lies in it; or */
  header next;    /* what follows */
} link_row;

static const link_row link_rows[] = {
    {DLT_EN10MB, 0, NO_TYPE, HEADER_ETHERNET},  {DLT_LINUX_SLL, 16, 14, HEADER_OTHER},
    {DLT_LINUX_SLL2, 20, 0, HEADER_OTHER},      {DLT_RAW, 0, NO_TYPE, HEADER_IP},
    {DLT_IPV4, 0, NO_TYPE, HEADER_IP},          {DLT_IPV6, 0, NO_TYPE, HEADER_IP},
    {DLT_NULL, 4, NO_TYPE, HEADER_IP},          {DLT_LOOP, 4, NO_TYPE, HEADER_IP},
    {DLT_PPP, 0, NO_TYPE, HEADER_PPP},          {DLT_PPP_SERIAL, 0, NO_TYPE, HEADER_PPP},
    {DLT_PPP_PPPD, 2, NO_TYPE, HEADER_PPP}, /* a direction in place of the address; the control octet */
    {DLT_PPP_WITH_DIR, 1, NO_TYPE, HEADER_PPP}, {DLT_PPP_ETHER, 0, NO_TYPE, HEADER_PPPOE},
    {DLT_C_HDLC, 4, 2, HEADER_OTHER},           {DLT_MPLS, 0, NO_TYPE, HEADER_MPLS},
    {DLT_NFLOG, 4, NO_TYPE, HEADER_IP},
};

/* NULL: it is not known. */
static const link_row *row_of(int link_type)
{
  for (size_t index = 0; index < G_N_ELEMENTS(link_rows); index++) {
    if (link_rows[index].link_type == link_type) {
      return &link_rows[index];
    }
  }
  return NULL;
}

bool capture_link_is_known(int link_type)
{
  return row_of(link_type) != NULL;
}

/* The address family's number is the capturing system's, in its byte order (DLT_LOOP: in network order),
 * which need not be ours: small numbers show their order. */
static bool is_ip_family(const uint8_t *octets, capture_what *what)
{
  uint32_t family = big_endian_read_32(octets);
  family = family > UINT16_MAX ? GUINT32_SWAP_LE_BE(family) : family;
  *what = what_is(OF_FAMILY, family);
  switch (family) {
  case 2:  /* IPv4 */
  case 10: /* IPv6 of Linux, … */
  case 24: /* BSD, */
  case 28: /* FreeBSD, */
  case 30: /* Darwin */
    return true;
  default:
    return false;
  }
}

/* Linux's NFLOG (LINKTYPE_NFLOG): values, each after its length and its type in the capturing system's byte
 * order, which the types, small numbers, show; one of them is the packet. False: there is none. */
static bool find_nflog_packet(const uint8_t *octets, uint32_t length, uint32_t *at)
{
  enum { HEADER_OCTETS = 4, PACKET = 9, TYPES_MAX = 255 };

  while (length - *at >= HEADER_OCTETS) {
    uint16_t value_octets = big_endian_read_16(octets + *at), type = big_endian_read_16(octets + *at + 2);
    if (type > TYPES_MAX) {
      type = GUINT16_SWAP_LE_BE(type);
      value_octets = GUINT16_SWAP_LE_BE(value_octets);
    }
    if (type == PACKET) {
      *at += HEADER_OCTETS;
      return true;
    }
    *at += MIN(MAX((value_octets + 3u) & ~3u, HEADER_OCTETS), length - *at);
  }
  return false;
}

bool capture_link_look(int link_type, const uint8_t *octets, uint32_t length, uint32_t *ip_at,
                       capture_what *what)
{
  const link_row *row = row_of(link_type);

  *ip_at = length; /* when it is cut off before */
  *what = what_is(OF_LINK_TYPE, (unsigned)link_type);
  if (!row) {
    return false;
  }
  if (length < row->octets) {
    return true;
  }
  *ip_at = row->octets;
  if (link_type == DLT_NFLOG) {
    return find_nflog_packet(octets, length, ip_at);
  }
  if (link_type == DLT_NULL || link_type == DLT_LOOP) {
    return is_ip_family(octets, what);
  }
  const header next =
      row->type_at == NO_TYPE ? row->next : header_of(big_endian_read_16(octets + row->type_at), what);
  return next == HEADER_IP || look(next, octets, length, ip_at, what);
}

/* --- Tunnels --- */

/* After GRE's header (RFC 2784 §2, RFC 2890 §2; version 1 is RFC 2637 §4.1's), and ERSPAN's
 * (draft-foschiano-erspan-03 §4); `*at`, at first 0, is where that begins, perhaps beyond the octets. */
static header after_gre(const uint8_t *gre, uint32_t length, uint32_t *at, capture_what *what)
{
  enum { CHECKSUM = 0x8000, ROUTING = 0x4000, KEY = 0x2000, SEQUENCE = 0x1000, ACKNOWLEDGEMENT = 0x0080 };
  enum { GRE_OCTETS = 4, FIELD_OCTETS = 4, VERSION_BITS = 0x0007 };
  enum { MIRROR_2_OCTETS = 8, MIRROR_3_OCTETS = 12, MIRROR_3_MORE_OCTETS = 8, MIRROR_OF_IP = 2 };

  *at = GRE_OCTETS;
  if (length < GRE_OCTETS) {
    return HEADER_IP;
  }
  const uint16_t flags = big_endian_read_16(gre), type = big_endian_read_16(gre + 2);
  if ((flags & ROUTING) || (flags & VERSION_BITS) > 1) {
    return HEADER_OTHER;
  }
  *at += FIELD_OCTETS * (((flags & CHECKSUM) != 0) + ((flags & KEY) != 0) + ((flags & SEQUENCE) != 0) +
                         ((flags & VERSION_BITS) == 1 && (flags & ACKNOWLEDGEMENT)));
  if (type == ETH_P_ERSPAN) { /* type I has neither a header nor GRE's sequence number */
    *at += (flags & SEQUENCE) ? MIRROR_2_OCTETS : 0;
    return HEADER_ETHERNET;
  }
  if (type != ETH_P_ERSPAN2) {
    return header_of(type, what);
  }
  *at += MIRROR_3_OCTETS;
  const uint8_t *last = gre + MIN(*at, length) - 2; /* P, frame type, hardware; direction, granularity, O */
  *at += (last[1] & 1) ? MIRROR_3_MORE_OCTETS : 0;
  return (last[0] >> 2 & 0x1F) == MIRROR_OF_IP ? HEADER_IP : HEADER_ETHERNET;
}

/* After the header of what is over UDP, by its port; the same. */
static header after_udp(const uint8_t *udp, uint32_t length, uint32_t *at, capture_what *what)
{
  enum { VXLAN = 4789, VXLAN_GENERIC = 4790, VXLAN_OF_LINUX = 8472, GENEVE = 6081, MPLS = 6635 };
  enum { TUNNEL_OCTETS = 8, VXLAN_HAS_NETWORK = 0x08, VXLAN_HAS_PROTOCOL = 0x04 };
  const uint8_t *tunnel = udp + UDP_HEADER_OCTETS;
  const uint16_t port = length < UDP_HEADER_OCTETS ? 0 : big_endian_read_16(udp + UDP_DESTINATION_AT);

  *at = UDP_HEADER_OCTETS + (port == MPLS ? 0 : TUNNEL_OCTETS);
  switch (port) {
  case VXLAN:
  case VXLAN_GENERIC:
  case VXLAN_OF_LINUX:
    if (length < *at) {
      return HEADER_IP;
    }
    if (tunnel[0] & VXLAN_HAS_PROTOCOL) { /* draft-ietf-nvo3-vxlan-gpe §3.2 */
      return tunnel[3] == 3 ? HEADER_ETHERNET : tunnel[3] == 1 || tunnel[3] == 2 ? HEADER_IP : HEADER_OTHER;
    }
    return (tunnel[0] & VXLAN_HAS_NETWORK) ? HEADER_ETHERNET : HEADER_OTHER;
  case GENEVE: /* its options are counted in words */
    if (length < *at) {
      return HEADER_IP;
    }
    *at += (tunnel[0] & 0x3F) * 4;
    return tunnel[0] >> 6 == 0 ? header_of(big_endian_read_16(tunnel + 2), what) : HEADER_OTHER;
  case MPLS:
    return HEADER_MPLS;
  default:
    return HEADER_OTHER;
  }
}

bool capture_tunnel_look(const capture_ip *ip, uint32_t *ip_at, capture_what *what)
{
  const uint32_t length = ip->captured_octets;
  header next = HEADER_OTHER;

  *ip_at = 0;
  *what = capture_what_of(ip);
  if (ip->protocol == IPPROTO_IPIP || ip->protocol == IPPROTO_IPV6) {
    next = HEADER_IP;
  } else if (ip->protocol == IPPROTO_GRE) {
    next = after_gre(ip->payload, length, ip_at, what);
  } else if (ip->protocol == IPPROTO_UDP) {
    next = after_udp(ip->payload, length, ip_at, what);
  } else if (ip->protocol == IPPROTO_MPLS) { /* RFC 4023 */
    next = HEADER_MPLS;
  }
  if (*ip_at > length) {
    *ip_at = length;
    return next != HEADER_OTHER;
  }
  return look(next, ip->payload, length, ip_at, what);
}
