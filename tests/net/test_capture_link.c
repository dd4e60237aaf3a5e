/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what is before the IP packet of a segment: tags, labels, sessions, tunnels; and how what
 * is not read is named. */
#include <string.h>

#include "base/big_endian.h"
#include "capture_fixture.h"
#include "net/capture_link.h"

/* --- Frames --- */

typedef enum kind {
  IP,       /* the packet itself */
  ETHERNET, /* in a frame */
} kind;

static const fixture_segment sent = {
    .version = 4, .sequence = 9, .flags = TCP_ACK, .acknowledgement = 77, .length = 100};

static GByteArray *inner(kind what)
{
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  return fixture_frame(what == ETHERNET ? FIXTURE_LINK_ETHERNET : FIXTURE_LINK_RAW, packet, 0);
}

/* An IP packet of `protocol` with `length` octets and then `payload` in it. */
static GByteArray *outer(unsigned version, uint8_t protocol, const uint8_t *octets, size_t length,
                         const GByteArray *payload)
{
  GByteArray *packet = g_byte_array_new();
  uint8_t header[40] = {0};
  const uint16_t total = (uint16_t)(length + payload->len);

  if (version == 4) {
    header[0] = 0x45;
    big_endian_write_16(header + 2, (uint16_t)(20 + total));
    header[9] = protocol;
  } else {
    header[0] = 0x60;
    big_endian_write_16(header + 4, total);
    header[6] = protocol;
  }
  g_byte_array_append(packet, header, version == 4 ? 20 : 40);
  g_byte_array_append(packet, octets, (guint)length);
  return g_byte_array_append(packet, payload->data, payload->len);
}

/* Returns a file of `frame` alone, as far as `captured`. */
static capture_source *open_frame(int link_type, const GByteArray *frame, uint32_t captured)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, link_type);
  fixture_file_add_cut(file, 1, frame, captured, frame->len);
  return fixture_open(file);
}

/* The segment is found in `frame`, and not where that is cut off anywhere before it. */
static void assert_read(int link_type, const GByteArray *frame)
{
  capture_source *source = open_frame(link_type, frame, frame->len);
  const capture_segment segment = fixture_segment_of(source);
  uint32_t octets;
  EXPECT_FIELDS(&segment, (sequence, 9), (payload_octets, 100), (captured_octets, 100),
                (checksum, CAPTURE_CHECKSUM_RIGHT));
  for (uint32_t i = 0; i < 100; i++) {
    g_assert_cmpuint(segment.payload[i], ==, fixture_octet(&sent, i));
  }
  const uint8_t *ip = capture_source_ip(source, &octets); /* the innermost */
  g_assert_true(ip + 40 == segment.payload);
  g_assert_cmpuint(octets, >=, 140);
  fixture_assert_at_end(source);
  for (uint32_t captured = 1; captured < frame->len - 120; captured++) {
    source = open_frame(link_type, frame, captured);
    capture_segment none;
    g_assert_false(fixture_next(source, &none));
    g_assert_cmpuint(capture_source_counts(source)->garbled_packets, ==, 1);
    capture_source_free(source);
  }
}

/* It has no TCP, and is named so. */
static void assert_named(int link_type, const GByteArray *frame, const char *name)
{
  capture_source *source = open_frame(link_type, frame, frame->len);
  capture_segment none;
  g_assert_false(fixture_next(source, &none));
  g_assert_cmpuint(capture_source_counts(source)->other_packets, ==, 1);
  g_autofree char *holds = capture_source_holds(source, false);
  g_autofree char *expected = g_strdup_printf("1 packet, of which 1 is %s, 0 TCP connections", name);
  g_assert_cmpstr(holds, ==, expected);
  capture_source_free(source);
}

#define OCTETS(text) (const uint8_t *)(text), sizeof(text) - 1

/* --- After an EtherType --- */

static const struct {
  const char *octets; /* after the addresses */
  size_t length;
  kind what;
} type_rows[] = {
#define ROW(text, what)                                                                                      \
  {                                                                                                          \
    text, sizeof(text) - 1, what                                                                             \
  }
    ROW("\x88\xA8\0\1\x91\0\0\2\x81\0\0\3\x08\0", IP), /* three tags, all kinds of them */
    ROW("\0\x94\xAA\xAA\3\0\0\0\x08\0", IP),           /* a length, and LLC with SNAP (RFC 1042) */
    ROW("\x88\x64\x11\0\0\7\0\x8E\0\x21", IP),         /* PPPoE (RFC 2516) */
    ROW("\x81\0\0\5\x88\x64\x11\0\0\7\0\x8E\0\x21", IP),
    ROW("\x88\x64\x11\0\0\7\0\x8E\2\x81\0\1\1\x40", IP), /* MPLS over PPP (RFC 3032 §4.3) */
    ROW("\x88\x47\0\1\0\x40\0\2\0\x40\0\3\1\x40", IP),   /* three labels */
    ROW("\x88\x48\0\1\1\x40", IP),
    ROW("\x88\xE7\0\0\0\7", ETHERNET), /* 802.1ah */
#undef ROW
};

ROW_TEST(test_after_a_type, type_rows)
{
  g_autoptr(GByteArray) frame = g_byte_array_new();
  g_autoptr(GByteArray) payload = inner(c->what);
  g_byte_array_set_size(frame, 12);
  memset(frame->data, 2, 12);
  g_byte_array_append(frame, (const uint8_t *)c->octets, (guint)c->length);
  g_byte_array_append(frame, payload->data, payload->len);
  assert_read(FIXTURE_LINK_ETHERNET, frame);
}

/* These are Cisco's headers on a line whose link type is that of PPP. */
TEST(test_cisco_on_a_serial_line)
{
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  g_autoptr(GByteArray) frame = fixture_frame(FIXTURE_LINK_CISCO, packet, 0);
  assert_read(FIXTURE_LINK_PPP_HDLC, frame);
}

/* NFLOG of a machine of the other byte order; and one without a packet. */
TEST(test_nflog)
{
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  g_autoptr(GByteArray) frame = fixture_frame(FIXTURE_LINK_NFLOG, packet, 0);
  for (uint32_t at = 4; at < 20; at += at == 4 ? 12 : 4) {
    for (uint32_t field = at; field < at + 4; field += 2) {
      const uint8_t first = frame->data[field];
      frame->data[field] = frame->data[field + 1];
      frame->data[field + 1] = first;
    }
  }
  capture_source *source = open_frame(FIXTURE_LINK_NFLOG, frame, frame->len);
  const capture_segment segment = fixture_segment_of(source);
  g_assert_cmpuint(segment.payload_octets, ==, 100);
  fixture_assert_at_end(source);
  g_byte_array_set_size(frame, 16);
  assert_named(FIXTURE_LINK_NFLOG, frame, "NFLOG (link type 239)");
}

/* --- Tunnels --- */

static const struct {
  uint8_t protocol;
  const char *octets;
  size_t length;
  kind what;
} tunnel_rows[] = {
#define ROW(protocol, text, what)                                                                            \
  {                                                                                                          \
    protocol, text, sizeof(text) - 1, what                                                                   \
  }
    ROW(4, "", IP),
    ROW(41, "", IP),
    ROW(47, "\0\0\x08\0", IP),
    ROW(47, "\xB0\0\x08\0\0\0\0\0\0\0\0\1\0\0\0\2", IP), /* GRE's checksum, key, sequence number */
    ROW(47, "\x20\0\x65\x58\0\0\7\0", ETHERNET),         /* NVGRE (RFC 7637) */
    ROW(47, "\0\0\x88\x47\0\1\1\x40", IP),
    ROW(47, "\x30\x81\x88\x0B\0\x8E\0\1\0\0\0\2\0\0\0\3\xFF\3\0\x21", IP), /* PPTP (RFC 2637) */
    ROW(47, "\0\0\x88\xBE", ETHERNET),                                     /* ERSPAN I */
    ROW(47, "\x10\0\x88\xBE\0\0\0\1\x10\1\0\0\0\0\0\0", ETHERNET),         /* II */
    ROW(47, "\x10\0\x22\xEB\0\0\0\1\x20\1\0\0\0\0\0\0\0\0\0\0", ETHERNET), /* III */
    ROW(47, "\x10\0\x22\xEB\0\0\0\1\x20\1\0\0\0\0\0\0\0\0\0\1________", ETHERNET),
    ROW(47, "\x10\0\x22\xEB\0\0\0\1\x20\1\0\0\0\0\0\0\0\0\x08\0", IP),
    ROW(17, "\x10\0\x12\xB5\0\0\0\0\x08\0\0\0\0\0\7\0", ETHERNET),   /* VXLAN (RFC 7348) */
    ROW(17, "\x10\0\x21\x18\0\0\0\0\x08\0\0\0\0\0\7\0", ETHERNET),   /* Linux's port */
    ROW(17, "\x10\0\x17\xC1\0\0\0\0\0\0\x65\x58\0\0\7\0", ETHERNET), /* Geneve (RFC 8926) */
    ROW(17, "\x10\0\x19\xEB\0\0\0\0\0\1\0\x40\0\2\1\x40", IP),       /* two labels in UDP (RFC 7510) */
    ROW(17, "\x10\0\x17\xC1\0\0\0\0\2\0\x08\0\0\0\7\0________", IP), /* with options */
#undef ROW
};

ROW_TEST(test_tunnels, tunnel_rows)
{
  g_autoptr(GByteArray) payload = inner(c->what);
  for (unsigned version = 4; version <= 6; version += 2) {
    g_autoptr(GByteArray) packet =
        outer(version, c->protocol, (const uint8_t *)c->octets, c->length, payload);
    g_autoptr(GByteArray) frame = fixture_frame(FIXTURE_LINK_ETHERNET, packet, 1);
    assert_read(FIXTURE_LINK_ETHERNET, frame);
    g_autoptr(GByteArray) again = outer(4, 4, OCTETS(""), packet); /* a tunnel in a tunnel */
    assert_read(FIXTURE_LINK_RAW, again);
  }
}

/* --- Names --- */

static const struct {
  uint8_t protocol; /* 0: `octets` are after the addresses of an Ethernet frame */
  const char *octets;
  size_t length;
  const char *name;
} name_rows[] = {
#define ROW(protocol, text, name)                                                                            \
  {                                                                                                          \
    protocol, text, sizeof(text) - 1, name                                                                   \
  }
    ROW(0, "\x08\6________", "ARP (EtherType 0x0806)"),
    ROW(0, "\x12\x34________", "EtherType 0x1234"),
    ROW(0, "\0\x26\x42\x42\3________", "LLC (EtherType 0x0004)"), /* a bridge's spanning tree */
    ROW(0, "\x88\x47\0\1\1\x40\0\0\0\0____", "MPLS in which there is no IP (EtherType 0x8847)"),
    ROW(0, "\x88\x64\x11\0\0\7\0\x08\xC0\x21________", "PPP protocol 0xC021"),
    ROW(0, "\x88\x64\x22\0\0\7\0\x08\0\x21________", "PPPoE of another version (EtherType 0x8864)"),
    ROW(0, "\x88\x64\x11\0\0\7\0\x08\0\xFD________", "PPP protocol 0x00FD"),
    ROW(1, "________", "ICMP (IP protocol 1)"),
    ROW(50, "________", "IPsec (IP protocol 50)"),
    ROW(99, "________", "IP protocol 99"),
    ROW(47, "\x40\0\x08\0________", "GRE that is not read (IP protocol 47)"), /* source routes */
    ROW(47, "\0\2\x08\0________", "GRE that is not read (IP protocol 47)"),   /* version 2 */
    ROW(47, "\0\0\x08\6________", "ARP (EtherType 0x0806)"),
    ROW(17, "\0\x35\x12\xB7\0\x10\0\0________", "RoCEv2 (UDP to port 4791)"),
    ROW(17, "\0\x35\x19\xEB\0\x10\0\0\0\1\1\x40\0___", "MPLS in which there is no IP (EtherType 0x8847)"),
    ROW(17, "\x12\xB5\0\x35\0\x10\0\0________", "UDP to port 53"),
    ROW(17, "\0\x35\x12\xB5\0\x10\0\0\0_______", "VXLAN in which there is no IP (UDP to port 4789)"),
#undef ROW
};

ROW_TEST(test_names, name_rows)
{
  g_autoptr(GByteArray) frame = g_byte_array_new();
  if (c->protocol > 0) {
    g_autoptr(GByteArray) nothing = g_byte_array_new();
    g_autoptr(GByteArray) packet = outer(4, c->protocol, (const uint8_t *)c->octets, c->length, nothing);
    g_byte_array_append(frame, packet->data, packet->len);
  } else {
    g_byte_array_set_size(frame, 12);
    memset(frame->data, 2, 12);
    g_byte_array_append(frame, (const uint8_t *)c->octets, (guint)c->length);
  }
  assert_named(c->protocol > 0 ? FIXTURE_LINK_RAW : FIXTURE_LINK_ETHERNET, frame, c->name);
}

/* Fragments of what is no TCP; families; link types. */
TEST(test_other_names)
{
  g_autoptr(GByteArray) nothing = g_byte_array_new();
  g_autoptr(GByteArray) packet = outer(4, 47, OCTETS("\0\0\x08\0____"), nothing);
  packet->data[6] = 0x20; /* more follow */
  assert_named(FIXTURE_LINK_RAW, packet, "fragments of IP protocol 47");
  memcpy(packet->data, "\0\0\0\7", 4); /* OSI, on BSD */
  assert_named(FIXTURE_LINK_LOOP, packet, "address family 7");
  assert_named(FIXTURE_LINK_WIRELESS, packet, "IEEE802_11 (link type 105)");
  assert_named(9999, packet, "link type 9999");
}

/* The most frequent is named. */
TEST(test_most_of_them)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  g_autoptr(GByteArray) nothing = g_byte_array_new();
  for (unsigned i = 0; i < 5; i++) {
    g_autoptr(GByteArray) packet = outer(4, i % 2 ? 1 : 50, OCTETS("____"), nothing);
    fixture_file_add(file, i, packet);
  }
  fixture_file_add_segment(file, 6, FIXTURE_LINK_RAW, &sent);
  file->octets->data[file->octets->len - 1] ^= 1; /* its checksum is wrong */
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  g_autofree char *holds = capture_source_holds(source, false);
  g_assert_cmpstr(
      holds, ==,
      "6 packets, of which 3 are IPsec (IP protocol 50), 1 of 1 TCP segments with a wrong checksum, "
      "which were passed over (--ignore-checksums accepts them), 1 TCP connection");
  g_autofree char *all_taken = capture_source_holds(source, true);
  g_assert_cmpstr(all_taken, ==, "6 packets, of which 3 are IPsec (IP protocol 50), 1 TCP connection");
  fixture_assert_at_end(source);
}

/* How many segments are cut short is named: what is in them is not in the file. */
TEST(test_cut_short)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  fixture_file_add_cut(file, 1, packet, 54, packet->len);
  fixture_file_add(file, 2, packet);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  fixture_segment_of(source);
  g_autofree char *holds = capture_source_holds(source, false);
  g_assert_cmpstr(holds, ==,
                  "2 packets, 1 of 2 TCP segments cut short by the snap length, so that payload is missing "
                  "(tcpdump -s 0 captures them whole), 1 TCP connection");
  fixture_assert_at_end(source);
}
