/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_link.h"

#include <glib.h>
#include <linux/if_ether.h>
#include <linux/ppp_defs.h>
#include <netinet/in.h>
#include <pcap/pcap.h>

#include "base/big_endian.h"

/* What numbers a kind of packet. */
enum { OF_LINK, OF_FAMILY, OF_TYPE, OF_PPP, OF_IP, OF_FRAGMENTS, OF_UDP, NUMBERINGS };

typedef enum header {
  OTHER, /* no header that is known: what the packet is has a number */
  IP,
  ETHERNET,
  COOKED,   /* of Linux, whose type is at its end; */
  COOKED_2, /* at its beginning */
  FAMILY,
  NFLOG,
  TAG, /* IEEE 802.1Q, 802.1ad: after its type */
  SERVICE_TAG,
  LLC,
  PPP,
  PPP_DIRECTION, /* an octet before it, or in place of its first */
  CISCO,
  PPPOE,
  MPLS,
  AFTER_MPLS,
  GRE,
  UDP,
  VXLAN,
  GENEVE,
} header;

/* The octets of each, or as many as show what it is. */
static const uint8_t octets_of[] = {
    [ETHERNET] = 14,   [COOKED] = 16,    [COOKED_2] = 20, [FAMILY] = 4,        [NFLOG] = 4, [TAG] = 4,
    [SERVICE_TAG] = 4, [LLC] = 8,        [PPP] = 4,       [PPP_DIRECTION] = 2, [CISCO] = 4, [PPPOE] = 6,
    [MPLS] = 4,        [AFTER_MPLS] = 1, [GRE] = 4,       [UDP] = 8,           [VXLAN] = 8, [GENEVE] = 8};

#define WITHOUT_IP "in which there is no IP"

/* What has this number: its header, and what it is called when it is not read. The most frequent are first.
 */
static const struct {
  uint8_t of;
  uint16_t number;
  header next;
  const char *name;
} rows[] = {
    {OF_LINK, DLT_EN10MB, ETHERNET, NULL},
    {OF_LINK, DLT_RAW, IP, NULL},
    {OF_TYPE, ETH_P_IP, IP, NULL},
    {OF_TYPE, ETH_P_IPV6, IP, NULL},
    {OF_LINK, DLT_LINUX_SLL, COOKED, NULL},
    {OF_LINK, DLT_LINUX_SLL2, COOKED_2, NULL},
    {OF_TYPE, ETH_P_8021Q, TAG, NULL},
    {OF_TYPE, ETH_P_8021AD, TAG, NULL},
    {OF_TYPE, ETH_P_QINQ1, TAG, NULL}, /* 802.1ad's before it had a number of its own */
    {OF_IP, IPPROTO_UDP, UDP, NULL},
    {OF_UDP, 4789, VXLAN, "VXLAN " WITHOUT_IP},
    {OF_UDP, 8472, VXLAN, "VXLAN " WITHOUT_IP}, /* Linux's port */
    {OF_UDP, 6081, GENEVE, "Geneve " WITHOUT_IP},
    {OF_UDP, 6635, MPLS, "MPLS " WITHOUT_IP},
    {OF_UDP, 4791, OTHER, "RoCEv2"},
    {OF_LINK, DLT_IPV4, IP, NULL},
    {OF_LINK, DLT_IPV6, IP, NULL},
    {OF_LINK, DLT_NULL, FAMILY, NULL},
    {OF_LINK, DLT_LOOP, FAMILY, NULL},
    {OF_LINK, DLT_PPP, PPP, NULL},
    {OF_LINK, DLT_PPP_SERIAL, PPP, NULL},
    {OF_LINK, DLT_PPP_PPPD, PPP_DIRECTION, NULL},
    {OF_LINK, DLT_PPP_WITH_DIR, PPP_DIRECTION, NULL},
    {OF_LINK, DLT_PPP_ETHER, PPPOE, NULL},
    {OF_LINK, DLT_C_HDLC, CISCO, NULL},
    {OF_LINK, DLT_MPLS, MPLS, NULL},
    {OF_LINK, DLT_NFLOG, NFLOG, NULL},
    {OF_FAMILY, 2, IP, NULL},  /* IPv4; IPv6 of */
    {OF_FAMILY, 10, IP, NULL}, /* Linux, */
    {OF_FAMILY, 24, IP, NULL}, /* BSD, */
    {OF_FAMILY, 28, IP, NULL}, /* FreeBSD, */
    {OF_FAMILY, 30, IP, NULL}, /* Darwin */
    {OF_TYPE, ETH_P_8021AH, SERVICE_TAG, NULL},
    {OF_TYPE, ETH_P_MPLS_UC, MPLS, "MPLS " WITHOUT_IP},
    {OF_TYPE, ETH_P_MPLS_MC, MPLS, "MPLS " WITHOUT_IP},
    {OF_TYPE, ETH_P_PPP_SES, PPPOE, "PPPoE of another version"},
    {OF_TYPE, 0x880B, PPP, NULL}, /* in GRE (RFC 2637 §4.1) */
    {OF_TYPE, ETH_P_TEB, ETHERNET, NULL},
    {OF_TYPE, ETH_P_ARP, OTHER, "ARP"},
    {OF_TYPE, ETH_P_802_2, OTHER, "LLC"},
    {OF_TYPE, ETH_P_MACSEC, OTHER, "MACsec"},
    {OF_TYPE, ETH_P_IBOE, OTHER, "RoCE"},
    {OF_PPP, PPP_IP, IP, NULL},
    {OF_PPP, PPP_IPV6, IP, NULL},
    {OF_PPP, PPP_MPLS_UC, MPLS, NULL},
    {OF_PPP, PPP_MPLS_MC, MPLS, NULL},
    {OF_IP, IPPROTO_IPIP, IP, NULL},
    {OF_IP, IPPROTO_IPV6, IP, NULL},
    {OF_IP, IPPROTO_GRE, GRE, "GRE that is not read"},
    {OF_IP, IPPROTO_ESP, OTHER, "IPsec"},
    {OF_IP, IPPROTO_ICMP, OTHER, "ICMP"},
    {OF_IP, IPPROTO_ICMPV6, OTHER, "ICMPv6"},
};

/* The header of what has this number; `*what` it is. */
static header header_of(unsigned of, unsigned number, capture_what *what)
{
  *what = of << 16 | (number & UINT16_MAX);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].number == number && rows[i].of == of) {
      return rows[i].next;
    }
  }
  return OTHER;
}

char *capture_what_name(capture_what what)
{
  static const char *const numbered[NUMBERINGS] = {
      "link type %u",   "address family %u",           "EtherType 0x%04X", "PPP protocol 0x%04X",
      "IP protocol %u", "fragments of IP protocol %u", "UDP to port %u"};
  const unsigned of = what >> 16, number = what & UINT16_MAX;
  g_autofree char *text = g_strdup_printf(numbered[of], number);
  const char *name = of == OF_LINK ? pcap_datalink_val_to_name((int)number) : NULL;

  for (size_t i = 0; i < G_N_ELEMENTS(rows) && !name; i++) {
    name = rows[i].of == of && rows[i].number == number ? rows[i].name : NULL;
  }
  return name ? g_strdup_printf("%s (%s)", name, text) : g_steal_pointer(&text);
}

bool capture_link_is_known(int link_type)
{
  capture_what what;

  return header_of(OF_LINK, (unsigned)link_type, &what) != OTHER;
}

/* After PPP's address and control, if they are there, and its protocol, of which one octet may do (RFC 1661
 * §6.5), or after Cisco's header, which a serial line may have instead and which begins otherwise; moves
 * `*at`. */
static header after_ppp(const uint8_t *octets, uint32_t *at, capture_what *what)
{
  const uint8_t *here = octets + *at;

  if (here[0] == 0x0F || here[0] == 0x8F) {
    return CISCO;
  }
  here += here[0] == PPP_ALLSTATIONS && here[1] == PPP_UI ? 2 : 0;
  *at = (uint32_t)(here - octets) + ((*here & 1) ? 1 : 2);
  return header_of(OF_PPP, (*here & 1) ? *here : big_endian_read_16(here), what);
}

/* A value of NFLOG, after its length and its type, which are in the capturing system's order: the types are
 * small. One of them is the packet. Moves `*at`. */
static header after_nflog(const uint8_t *octets, uint32_t length, uint32_t *at)
{
  enum { VALUE_OCTETS = 4, PACKET = 9, TYPE_MAX = 255 };

  while (length - *at >= VALUE_OCTETS) {
    uint16_t value = big_endian_read_16(octets + *at), type = big_endian_read_16(octets + *at + 2);

    value = type > TYPE_MAX ? GUINT16_SWAP_LE_BE(value) : value;
    type = type > TYPE_MAX ? GUINT16_SWAP_LE_BE(type) : type;
    *at += type == PACKET ? VALUE_OCTETS : MIN(MAX((value + 3u) & ~3u, VALUE_OCTETS), length - *at);
    if (type == PACKET) {
      return IP;
    }
  }
  return OTHER;
}

/* After the fields of GRE that are there (RFC 2784 §2, RFC 2890 §2; version 1 is RFC 2637 §4.1's), and
 * ERSPAN's header (draft-foschiano-erspan-03 §4); moves `*at`, perhaps beyond the octets. */
static header after_gre(const uint8_t *octets, uint32_t length, uint32_t *at, capture_what *what)
{
  enum { CHECKSUM = 0x8000, ROUTING = 0x4000, KEY = 0x2000, SEQUENCE = 0x1000, ACKNOWLEDGEMENT = 0x0080 };
  enum { FIELD_OCTETS = 4, MIRROR_2_OCTETS = 8, MIRROR_3_OCTETS = 12, MORE_OCTETS = 8, OF_IP_FRAMES = 2 };
  const uint16_t flags = big_endian_read_16(octets + *at), type = big_endian_read_16(octets + *at + 2);

  if ((flags & ROUTING) || (flags & 7) > 1) {
    return OTHER;
  }
  *at += octets_of[GRE];
  *at += FIELD_OCTETS * (((flags & CHECKSUM) != 0) + ((flags & KEY) != 0) + ((flags & SEQUENCE) != 0) +
                         ((flags & 7) == 1 && (flags & ACKNOWLEDGEMENT)));
  if (type == ETH_P_ERSPAN) { /* type I has neither a header nor GRE's sequence number */
    *at += (flags & SEQUENCE) ? MIRROR_2_OCTETS : 0;
    return ETHERNET;
  }
  if (type != ETH_P_ERSPAN2) {
    return header_of(OF_TYPE, type, what);
  }
  *at += MIRROR_3_OCTETS;
  const uint8_t *last =
      octets + MIN(*at, length) - 2; /* P, frame type, hardware; direction, granularity, O */
  *at += (last[1] & 1) ? MORE_OCTETS : 0;
  return (last[0] >> 2 & 0x1F) == OF_IP_FRAMES ? IP : ETHERNET;
}

/* The header after `present`, which is at `here`; `*at` is beyond it, or still there for those whose lengths
 * differ, and moves over what is left of it. */
static header after(header present, const uint8_t *here, const uint8_t *octets, uint32_t length, uint32_t *at,
                    capture_what *what)
{
  switch (present) {
  case COOKED_2:
    return header_of(OF_TYPE, big_endian_read_16(here), what);
  case ETHERNET:
  case COOKED:
  case TAG:
  case CISCO: { /* a length stands in place of a type that is small (IEEE 802.3) */
    const uint16_t type = big_endian_read_16(octets + *at - 2);
    const header next = header_of(OF_TYPE, type, what);
    return type < ETH_P_802_3_MIN ? LLC : next;
  }
  case LLC: { /* with SNAP (RFC 1042) */
    const bool is_snap = big_endian_read_32(here) >> 8 == 0xAAAA03;
    return header_of(OF_TYPE, is_snap ? big_endian_read_16(here + 6) : ETH_P_802_2, what);
  }
  case SERVICE_TAG:
    return ETHERNET;
  case FAMILY: { /* in the capturing system's byte order (DLT_LOOP: in the network's), which need not be ours:
                    small numbers show their order */
    const uint32_t family = big_endian_read_32(here);
    return header_of(OF_FAMILY, family > UINT16_MAX ? GUINT32_SWAP_LE_BE(family) : family, what);
  }
  case NFLOG:
    return after_nflog(octets, length, at);
  case PPPOE: /* version and type are 1, the code 0 (RFC 2516 §4) */
    return here[0] == 0x11 && here[1] == 0 ? PPP : OTHER;
  case PPP:
    return after_ppp(octets, at, what);
  case PPP_DIRECTION: /* perhaps in place of the address: the control octet follows */
    *at += here[1] == PPP_UI ? 2 : 1;
    return PPP;
  case MPLS: /* up to the last label */
    return here[2] & 1 ? AFTER_MPLS : MPLS;
  case AFTER_MPLS: /* no header names what follows; IP shows its version (RFC 4928 §2) */
    header_of(OF_TYPE, ETH_P_MPLS_UC, what);
    return here[0] >> 4 == 4 || here[0] >> 4 == 6 ? IP : OTHER;
  case GRE:
    return after_gre(octets, length, at, what);
  case UDP:
    return header_of(OF_UDP, big_endian_read_16(here + 2), what);
  case VXLAN: /* the bit I */
    return here[0] & 0x08 ? ETHERNET : OTHER;
  case GENEVE: /* version 0; its options are counted in words */
    *at += (here[0] & 0x3F) * 4;
    return here[0] >> 6 == 0 ? header_of(OF_TYPE, big_endian_read_16(here + 2), what) : OTHER;
  case IP:
  case OTHER:
    break;
  }
  return present;
}

/* The header `next` begins at `*at`: passes over it and those that follow, up to an IP header. As
 * capture_link_look(). */
static bool look(header next, const uint8_t *octets, uint32_t length, uint32_t *at, capture_what *what)
{
  while (next != IP && next != OTHER && *at <= length && length - *at >= octets_of[next]) {
    const uint8_t *here = octets + *at;
    const bool differs = next == PPP || next == PPP_DIRECTION || next == GRE || next == AFTER_MPLS;

    *at += differs ? 0 : octets_of[next];
    next = after(next, here, octets, length, at, what);
  }
  *at = next != IP || *at > length ? length : *at; /* cut off before */
  return next != OTHER;
}

bool capture_link_look(int link_type, const uint8_t *octets, uint32_t length, uint32_t *ip_at,
                       capture_what *what)
{
  *ip_at = 0;
  return look(header_of(OF_LINK, (unsigned)link_type, what), octets, length, ip_at, what);
}

bool capture_tunnel_look(const capture_ip *ip, uint32_t *ip_at, capture_what *what)
{
  const header next = header_of(ip->is_fragment ? OF_FRAGMENTS : OF_IP, ip->protocol, what);

  *ip_at = 0;
  return look(next, ip->payload, ip->captured_octets, ip_at, what);
}
