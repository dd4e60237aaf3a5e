/* SPDX-License-Identifier: GPL-2.0-only */
#include "packet_list.h"

enum {
  FILE_HEADER_OCTETS = 24,
  PACKET_HEADER_OCTETS = 16,
  IPV4_HEADER_OCTETS = 20,
  IPV6_HEADER_OCTETS = 40,
  ICMP_HEADER_OCTETS = 8,
  PROTOCOL_ICMP = 1,
  PROTOCOL_TCP = 6,
  PROTOCOL_ICMPV6 = 58,
  RESPONDER_PORT = 5044,
  STREAMS = 2 * 65536,
};

/* Where the stream of a port begins: the sequence number after its SYN, in each direction. */
typedef struct beginnings {
  guint32 sequence[STREAMS];
  guint64 newest[STREAMS]; /* after the newest octet seen: sequence numbers may wrap */
} beginnings;

static guint32 number(const guint8 *octets, guint count)
{
  guint32 value = 0;

  for (guint i = 0; i < count; i++) {
    value = value << 8 | octets[i];
  }
  return value;
}

static guint32 little_endian(const guint8 *octets)
{
  return (guint32)octets[0] | (guint32)octets[1] << 8 | (guint32)octets[2] << 16 | (guint32)octets[3] << 24;
}

static void take_ports(const guint8 *tcp, listed_packet *p)
{
  p->from_initiator = number(tcp + 2, 2) == RESPONDER_PORT;
  p->initiator_port = (guint16)number(p->from_initiator ? tcp : tcp + 2, 2);
}

/* RFC 9293 §3.1 */
static void take_tcp(const guint8 *tcp, guint32 octets, listed_packet *p, beginnings *b)
{
  guint32 header = (tcp[12] >> 4) * 4u;

  g_assert_cmpuint(octets, >=, header);
  take_ports(tcp, p);
  p->sequence = number(tcp + 4, 4);
  p->acknowledgement = number(tcp + 8, 4);
  p->flags = tcp[13];
  p->window = (guint16)number(tcp + 14, 2);
  p->payload = octets - header;
  guint32 stream = p->initiator_port * 2u + (p->from_initiator ? 1 : 0);
  if (p->flags & LISTED_SYN) {
    b->sequence[stream] = p->sequence + 1;
    b->newest[stream] = 0;
    return;
  }
  gint32 ahead = (gint32)(p->sequence - b->sequence[stream] - (guint32)b->newest[stream]);
  p->position = (guint64)((gint64)b->newest[stream] + ahead);
  b->newest[stream] = MAX(b->newest[stream], p->position + p->payload);
}

/* RFC 792, RFC 1191 §4: the next hop's MTU is in octets 6 and 7; RFC 4443 §3.2: 4 to 7. */
static void take_icmp(const guint8 *icmp, guint8 version, listed_packet *p)
{
  p->kind = LISTED_TOO_BIG;
  g_assert_cmpuint(icmp[0], ==, version == 4 ? 3 : 2);
  g_assert_cmpuint(icmp[1], ==, version == 4 ? 4 : 0);
  p->mtu = version == 4 ? number(icmp + 6, 2) : number(icmp + 4, 4);
  take_ports(icmp + ICMP_HEADER_OCTETS + (version == 4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS), p);
}

static void take_ipv4(const guint8 *ip, listed_packet *p, beginnings *b)
{
  guint32 flags = number(ip + 6, 2);
  const guint8 *rest = ip + IPV4_HEADER_OCTETS;

  g_assert_cmphex(ip[0], ==, 0x45);
  g_assert_cmpuint(number(ip + 2, 2), ==, p->octets);
  p->identification = number(ip + 4, 2);
  p->fragment_at = (flags & 0x1FFF) * 8;
  p->more = (flags & 0x2000) != 0;
  p->kind = p->more || p->fragment_at > 0 ? LISTED_FRAGMENT : LISTED_SEGMENT;
  if (ip[9] == PROTOCOL_ICMP) {
    take_icmp(rest, 4, p);
    return;
  }
  g_assert_cmpuint(ip[9], ==, PROTOCOL_TCP);
  if (p->fragment_at == 0) {
    take_tcp(rest, p->octets - IPV4_HEADER_OCTETS, p, b);
  }
}

static void take_ipv6(const guint8 *ip, listed_packet *p, beginnings *b)
{
  const guint8 *rest = ip + IPV6_HEADER_OCTETS;

  g_assert_cmpuint(number(ip + 4, 2), ==, p->octets - IPV6_HEADER_OCTETS);
  if (ip[6] == PROTOCOL_ICMPV6) {
    take_icmp(rest, 6, p);
    return;
  }
  g_assert_cmpuint(ip[6], ==, PROTOCOL_TCP);
  p->kind = LISTED_SEGMENT;
  take_tcp(rest, p->octets - IPV6_HEADER_OCTETS, p, b);
}

GArray *packet_list_read(const char *folder, const char *name)
{
  GArray *packets = g_array_new(FALSE, TRUE, sizeof(listed_packet));
  g_autofree beginnings *b = g_new0(beginnings, 1);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  GError *error = NULL;
  g_autofree char *contents = NULL;
  gsize size;

  g_file_get_contents(path, &contents, &size, &error);
  g_assert_no_error(error);
  const guint8 *file = (const guint8 *)contents;
  g_assert_cmphex(little_endian(file), ==, 0xA1B23C4D); /* nanoseconds */
  for (gsize at = FILE_HEADER_OCTETS; at < size;) {
    listed_packet p = {.octets = little_endian(file + at + 8)};
    const guint8 *ip = file + at + PACKET_HEADER_OCTETS;

    p.at_ns = (gint64)little_endian(file + at) * 1000000000 + little_endian(file + at + 4);
    at += PACKET_HEADER_OCTETS + p.octets;
    g_assert_cmpuint(at, <=, size);
    if (ip[0] >> 4 == 4) {
      take_ipv4(ip, &p, b);
    } else {
      take_ipv6(ip, &p, b);
    }
    g_array_append_val(packets, p);
  }
  return packets;
}

const listed_packet *packet_list_at(const GArray *packets, guint index)
{
  g_assert_cmpuint(index, <, packets->len);
  return &g_array_index(packets, listed_packet, index);
}
