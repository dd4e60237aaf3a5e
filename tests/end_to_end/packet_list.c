/* SPDX-License-Identifier: GPL-2.0-only */
#include "packet_list.h"

#include <string.h>

#include "no_error.h"

#include "../random/plain_decoder.h"

enum {
  FILE_HEADER_OCTETS = 24,
  PACKET_HEADER_OCTETS = 16,
  LINK_RAW = 101,
  IPV4_HEADER_OCTETS = 20,
  IPV6_HEADER_OCTETS = 40,
  ICMP_HEADER_OCTETS = 8,
  PROTOCOL_ICMP = 1,
  PROTOCOL_TCP = 6,
  PROTOCOL_ICMPV6 = 58,
  RESPONDER_PORT = 5044,
  STREAMS = 2 * 65536,
};

/* This is what the packets before the one in hand showed. */
typedef struct reader {
  guint32 first[STREAMS];  /* where the stream of a port begins: the sequence number after its SYN, in each
                              direction */
  guint64 newest[STREAMS]; /* after the newest octet seen: sequence numbers may wrap */
  GHashTable *puzzles;     /* datagrams of which fragments have come, by identification and source */
} reader;

/* A datagram of which fragments are missing. */
typedef struct puzzle {
  GByteArray *ip;
  GByteArray *has; /* 1 for each octet of `ip` that has come */
  gboolean has_last;
} puzzle;

static guint32 little_endian(const guint8 *octets)
{
  return GUINT32_SWAP_LE_BE((guint32)plain_number(octets, 4));
}

static void take_ports(const guint8 *tcp, listed_packet *p)
{
  p->from_initiator = plain_number(tcp + 2, 2) == RESPONDER_PORT;
  p->initiator_port = (guint16)plain_number(p->from_initiator ? tcp : tcp + 2, 2);
}

/* RFC 9293 §3.1 */
static void take_tcp(reader *r, guint32 ip_header, listed_packet *p)
{
  const guint8 *tcp = p->ip->data + ip_header;

  g_assert_cmpuint(p->ip->len, >=, ip_header + 20);
  guint32 headers = ip_header + (tcp[12] >> 4) * 4u;
  g_assert_cmpuint(p->ip->len, >=, headers);
  take_ports(tcp, p);
  p->sequence = (guint32)plain_number(tcp + 4, 4);
  p->acknowledgement = (guint32)plain_number(tcp + 8, 4);
  p->flags = tcp[13];
  p->window = (guint16)plain_number(tcp + 14, 2);
  p->payload = p->ip->len - headers;
  guint32 stream = p->initiator_port * 2u + (p->from_initiator ? 1 : 0);
  if (p->flags & LISTED_SYN) {
    r->first[stream] = p->sequence + 1;
    r->newest[stream] = 0;
    return;
  }
  gint32 ahead = (gint32)(p->sequence - r->first[stream] - (guint32)r->newest[stream]);
  p->position = r->newest[stream] + (guint64)ahead;
  r->newest[stream] = MAX(r->newest[stream], p->position + p->payload);
}

/* RFC 792, RFC 1191 §4: the next hop's MTU is in octets 6 and 7; RFC 4443 §3.2: 4 to 7. */
static void take_icmp(const guint8 *icmp, guint8 version, listed_packet *p)
{
  p->kind = LISTED_TOO_BIG;
  g_assert_cmpuint(icmp[0], ==, version == 4 ? 3 : 2);
  g_assert_cmpuint(icmp[1], ==, version == 4 ? 4 : 0);
  p->mtu = (guint32)(version == 4 ? plain_number(icmp + 6, 2) : plain_number(icmp + 4, 4));
  take_ports(icmp + ICMP_HEADER_OCTETS + (version == 4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS), p);
}

static void free_puzzle(gpointer data)
{
  g_autofree puzzle *of = data;

  g_byte_array_unref(of->ip);
  g_byte_array_unref(of->has);
}

/* RFC 791 §3.2: the octets of a fragment are put where they belong. The packet that brings the last ones
 * missing becomes the datagram. */
static void take_fragment(reader *r, listed_packet *p)
{
  gpointer key = GUINT_TO_POINTER(p->ip->data[15] << 16 | p->identification); /* of addresses that end so */
  puzzle *of = g_hash_table_lookup(r->puzzles, key);
  guint32 from = p->fragment_at == 0 ? 0 : IPV4_HEADER_OCTETS + p->fragment_at;
  guint32 to = p->fragment_at + p->ip->len;

  if (!of) {
    of = g_new0(puzzle, 1);
    of->ip = g_byte_array_new();
    of->has = g_byte_array_new();
    g_hash_table_insert(r->puzzles, key, of);
  }
  for (guint32 missing = of->ip->len; missing < to; missing++) {
    g_byte_array_append(of->ip, (const guint8 *)"", 1);
    g_byte_array_append(of->has, (const guint8 *)"", 1);
  }
  memcpy(of->ip->data + from, p->ip->data + p->ip->len - (to - from), to - from);
  memset(of->has->data + from, 1, to - from);
  of->has_last |= !p->more;
  p->kind = LISTED_FRAGMENT;
  if (of->has_last && !memchr(of->has->data, 0, of->has->len)) {
    p->kind = LISTED_LAST_FRAGMENT;
    g_byte_array_unref(p->ip);
    p->ip = g_byte_array_ref(of->ip);
    g_hash_table_remove(r->puzzles, key);
  }
}

static void take_ipv4(reader *r, listed_packet *p)
{
  guint32 flags = (guint32)plain_number(p->ip->data + 6, 2);

  g_assert_cmpuint(plain_number(p->ip->data + 2, 2), ==, p->octets);
  p->identification = (guint32)plain_number(p->ip->data + 4, 2);
  p->fragment_at = (flags & 0x1FFF) * 8;
  p->more = (flags & 0x2000) != 0;
  if (p->more || p->fragment_at > 0) {
    take_fragment(r, p);
  }
  if (p->ip->data[9] == PROTOCOL_ICMP) {
    take_icmp(p->ip->data + IPV4_HEADER_OCTETS, 4, p);
    return;
  }
  g_assert_cmpuint(p->ip->data[9], ==, PROTOCOL_TCP);
  if (p->fragment_at == 0 || p->kind == LISTED_LAST_FRAGMENT) {
    take_tcp(r, IPV4_HEADER_OCTETS, p);
  }
}

static void take_ipv6(reader *r, listed_packet *p)
{
  g_assert_cmpuint(plain_number(p->ip->data + 4, 2), ==, p->octets - IPV6_HEADER_OCTETS);
  if (p->ip->data[6] == PROTOCOL_ICMPV6) {
    take_icmp(p->ip->data + IPV6_HEADER_OCTETS, 6, p);
    return;
  }
  g_assert_cmpuint(p->ip->data[6], ==, PROTOCOL_TCP);
  take_tcp(r, IPV6_HEADER_OCTETS, p);
}

static void clear_packet(gpointer packet)
{
  g_byte_array_unref(((listed_packet *)packet)->ip);
}

GArray *packet_list_read(const char *folder, const char *name)
{
  GArray *packets = g_array_new(FALSE, TRUE, sizeof(listed_packet));
  g_autofree reader *r = g_new0(reader, 1);
  g_autoptr(GHashTable) puzzles = g_hash_table_new_full(NULL, NULL, NULL, free_puzzle);
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *contents = NULL;
  gsize size;

  g_array_set_clear_func(packets, clear_packet);
  r->puzzles = puzzles;
  NO_ERROR(g_file_get_contents, path, &contents, &size);
  const guint8 *file = (const guint8 *)contents;
  g_assert_cmpuint(size, >=, FILE_HEADER_OCTETS);
  g_assert_cmphex(little_endian(file), ==, 0xA1B23C4D); /* nanoseconds */
  g_assert_cmpuint(little_endian(file + 20), ==, LINK_RAW);
  for (gsize at = FILE_HEADER_OCTETS; at < size;) {
    g_assert_cmpuint(size - at, >=, PACKET_HEADER_OCTETS);
    listed_packet p = {.at_ns = (gint64)little_endian(file + at) * 1000000000 + little_endian(file + at + 4),
                       .octets = little_endian(file + at + 8),
                       .ip = g_byte_array_new()};
    g_assert_cmpuint(p.octets, ==, little_endian(file + at + 12)); /* the capture has the whole packet */
    at += PACKET_HEADER_OCTETS;
    g_assert_cmpuint(size - at, >=, p.octets);
    g_byte_array_append(p.ip, file + at, p.octets);
    at += p.octets;
    if (p.ip->data[0] == 0x45) { /* without options */
      take_ipv4(r, &p);
    } else {
      g_assert_cmpuint(p.ip->data[0] >> 4, ==, 6);
      take_ipv6(r, &p);
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

guint packet_list_count(const GArray *packets, listed_kind kind)
{
  guint count = 0;

  for (guint i = 0; i < packets->len; i++) {
    count += packet_list_at(packets, i)->kind == kind;
  }
  return count;
}
