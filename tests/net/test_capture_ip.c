/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about IP and TCP headers in captures: options, extension headers, what offloads and snap
 * lengths leave, and checksums. */
#include <string.h>

#include "base/big_endian.h"
#include "capture_fixture.h"

enum { HOP_BY_HOP = 0, ROUTING = 43, AUTHENTICATION = 51, DESTINATION_OPTIONS = 60 };
enum { IPV4_OCTETS = 20, IPV6_OCTETS = 40, TCP_OCTETS = 20, CHECKSUM_AT = 16 };

/* A capture of one packet gives this. The payload is not for use. */
typedef struct outcome {
  bool found; /* it is a segment */
  capture_segment segment;
  capture_counts counts; /* at the end */
} outcome;

/* Reads the packet, of which `captured` octets are in the capture, of `wire`; frees it. */
static outcome read_cut(GByteArray *packet, uint32_t captured, uint32_t wire)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  outcome o;

  fixture_file_add_cut(file, 1, packet, captured, wire);
  g_autoptr(capture_source) source = fixture_open(file);
  o.found = fixture_next(source, &o.segment);
  o.counts = *capture_source_counts(source);
  g_byte_array_free(packet, TRUE);
  return o;
}

static outcome read_packet(GByteArray *packet)
{
  return read_cut(packet, packet->len, packet->len);
}

/* Reads a segment, which there must be. */
static capture_segment read_segment(GByteArray *packet)
{
  const outcome o = read_packet(packet);
  g_assert_true(o.found);
  return o.segment;
}

static fixture_segment sent_as(unsigned version, uint32_t length)
{
  return (fixture_segment){.version = version,
                           .sequence = 0xFFFFFF00,
                           .acknowledgement = 0x50000009,
                           .flags = TCP_ACK,
                           .length = length};
}

static GByteArray *packet_as(unsigned version, uint32_t length)
{
  const fixture_segment sent = sent_as(version, length);
  return fixture_packet(&sent);
}

static void assert_right(GByteArray *packet, uint32_t length)
{
  const capture_segment segment = read_segment(packet);
  EXPECT_FIELDS(&segment, (sequence, 0xFFFFFF00), (payload_octets, length), (captured_octets, length),
                (checksum, CAPTURE_CHECKSUM_RIGHT));
}

TEST(test_ipv4_options)
{
  for (unsigned octets = 4; octets <= 40; octets += 4) {
    GByteArray *packet = packet_as(4, 33);
    fixture_add_ipv4_options(packet, octets);
    assert_right(packet, 33);
  }
}

/* RFC 8200 §4.1: any number of them, in any order. */
TEST(test_ipv6_extension_headers)
{
  GByteArray *packet = packet_as(6, 33);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 24);
  assert_right(packet, 33);
  packet = packet_as(6, 33);
  fixture_add_extension(packet, ROUTING, 8);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 2048);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 8);
  fixture_add_extension(packet, HOP_BY_HOP, 16);
  assert_right(packet, 33);
  packet = packet_as(6, 33);
  fixture_add_extension(packet, AUTHENTICATION, 24);
  packet->data[IPV6_OCTETS + 1] = 24 / 4 - 2; /* RFC 4302 §2.2 counts words */
  assert_right(packet, 33);
}

/* RFC 6946: a fragment header on what is whole. */
TEST(test_atomic_fragment)
{
  g_autoptr(GByteArray) whole = packet_as(6, 33);
  const outcome o = read_packet(fixture_fragment(whole, 7, 0, TCP_OCTETS + 33));
  g_assert_true(o.found);
  g_assert_cmpuint(o.counts.fragments, ==, 0);
  assert_right(fixture_fragment(whole, 7, 0, TCP_OCTETS + 33), 33);
}

/* RFC 8200 §8.1: the checksum has the last destination of a source route in it, which the IP header has not
 * yet. */
TEST(test_source_route)
{
  GByteArray *packet = packet_as(6, 33);
  fixture_add_extension(packet, ROUTING, 24);
  packet->data[IPV6_OCTETS + 3] = 1; /* segments left */
  g_assert_cmpint(read_segment(packet).checksum, ==, CAPTURE_CHECKSUM_UNKNOWN);
}

VERSION_TEST(test_ecn)
{
  for (uint8_t ecn = 0; ecn < 4; ecn++) {
    GByteArray *packet = packet_as(version, 1);
    packet->data[1] = version == 4 ? (uint8_t)(0xB8 | ecn) : (uint8_t)(0x8F | ecn << 4);
    g_assert_cmpuint(read_segment(packet).ecn, ==, ecn);
  }
}

/* Octets after the IP length are the link's (IEEE 802.3 pads to 60), also when they make the frame longer
 * than any segment. */
VERSION_TEST(test_padding)
{
  GByteArray *packet = packet_as(version, 5);
  g_byte_array_append(packet, (const uint8_t *)"padding", 7);
  assert_right(packet, 5);
}

/* A tool that cuts packets and claims that they never had more is not believed over what is there. */
TEST(test_wire_length_below_the_captured)
{
  GByteArray *packet = packet_as(4, 33);
  const outcome o = read_cut(packet, packet->len, 20);
  g_assert_true(o.found);
  g_assert_cmpint(o.segment.checksum, ==, CAPTURE_CHECKSUM_RIGHT);
}

/* A host hands this to its NIC to be cut (TSO), and what a NIC puts together: one segment, longer than the
 * link carries. */
VERSION_TEST(test_super_segment)
{
  assert_right(packet_as(version, 60000), 60000);
}

/* A segment is longer than IP can express (Linux: BIG TCP): IP's length is 0. With a snap length, the wire's
 * length shows it. */
VERSION_TEST(test_length_of_zero)
{
  GByteArray *packet = packet_as(version, 200000);
  uint32_t octets = packet->len;
  g_assert_cmpuint(big_endian_read_16(packet->data + (version == 4 ? 2 : 4)), ==, 0);
  outcome o = read_packet(packet);
  g_assert_true(o.found);
  EXPECT_FIELDS(&o.segment, (payload_octets, 200000), (checksum, CAPTURE_CHECKSUM_RIGHT));
  g_assert_cmpuint(o.counts.super_segments, ==, 1);
  o = read_cut(packet_as(version, 200000), 100, octets);
  g_assert_true(o.found);
  EXPECT_FIELDS(&o.segment, (payload_octets, 200000), (captured_octets, 100 - (octets - 200000)));
  EXPECT_FIELDS(&o.counts, (cut_short, 1), (super_segments, 1));
}

/* RFC 2675 §2: the length is in a hop-by-hop option, here after a Pad1 and a PadN. */
TEST(test_jumbogram)
{
  GByteArray *packet = packet_as(6, 100000);
  fixture_add_extension(packet, HOP_BY_HOP, 16);
  const uint8_t options[] = {0, 1, 3, 0, 0, 0, 0xC2, 4};
  memcpy(packet->data + IPV6_OCTETS + 2, options, sizeof options);
  big_endian_write_32(packet->data + IPV6_OCTETS + 10, 16 + TCP_OCTETS + 100000);
  g_byte_array_append(packet, (const uint8_t *)"padding", 7);
  assert_right(packet, 100000);
}

/* The payload is as long as IP claims, the captured octets are what is there. */
VERSION_TEST(test_snap_length)
{
  uint32_t headers = (version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + TCP_OCTETS;
  for (uint32_t captured = 1; captured <= headers + 100; captured++) {
    const outcome o = read_cut(packet_as(version, 100), captured, headers + 100);
    g_assert_cmpint(o.found, ==, captured >= headers);
    g_assert_cmpuint(o.counts.garbled_packets, ==, captured < headers);
    if (o.found) {
      bool is_whole = captured == headers + 100;
      EXPECT_FIELDS(&o.segment, (payload_octets, 100), (captured_octets, captured - headers),
                    (checksum, is_whole ? CAPTURE_CHECKSUM_RIGHT : CAPTURE_CHECKSUM_UNKNOWN));
      g_assert_cmpuint(o.counts.cut_short, ==, !is_whole);
    }
  }
}

TEST(test_timestamps)
{
  fixture_segment sent = sent_as(4, 10);
  sent.has_timestamps = true;
  sent.timestamp_value = 0x01020304;
  capture_segment segment = read_segment(fixture_packet(&sent));
  EXPECT_FIELDS(&segment, (has_timestamps, true), (timestamp_value, 0x01020304), (payload_octets, 10));
  /* at another place than RFC 7323 appendix A has them: before, not after the NOPs */
  GByteArray *packet = fixture_packet(&sent);
  const uint8_t other[] = {8, 10, 9, 8, 7, 6, 0, 0, 0, 0, 1, 1};
  memcpy(packet->data + IPV4_OCTETS + TCP_OCTETS, other, sizeof other);
  segment = read_segment(packet);
  EXPECT_FIELDS(&segment, (has_timestamps, true), (timestamp_value, 0x09080706));
  /* and cut off by the snap length, the segment is there without them */
  const outcome o = read_cut(fixture_packet(&sent), 20 + 20 + 11, 20 + 32 + 10);
  g_assert_true(o.found);
  EXPECT_FIELDS(&o.segment, (has_timestamps, false), (captured_octets, 0), (payload_octets, 10));
}

/* RFC 9293 §3.1 (MUST-7). */
static const uint8_t garbled_options_rows[][3] = {{8, 0, 0},  {8, 1, 0}, {8, 9, 0},
                                                  {8, 40, 0}, {2, 3, 1}, {5, 11, 1}};

ROW_TEST(test_garbled_options, garbled_options_rows)
{
  fixture_segment sent = sent_as(4, 10);
  sent.has_timestamps = true;
  GByteArray *packet = fixture_packet(&sent);
  memcpy(packet->data + IPV4_OCTETS + TCP_OCTETS, *c, sizeof *c);
  const capture_segment segment = read_segment(packet);
  EXPECT_FIELDS(&segment, (has_timestamps, false), (payload_octets, 10));
}

/* Headers that contradict the lengths. */
static const struct {
  unsigned version;
  uint32_t at;
  uint8_t value;
} garbled_lengths_rows[] = {
    {4, 0, 0x44},                /* a header of 16 octets */
    {4, 0, 0x4F},                /* of 60 octets, in a packet of 50 */
    {4, 0, 0x55},                /* IP version 5 */
    {4, 3, 51},                  /* a total length of more than there was */
    {4, 3, 19},                  /* of less than the header */
    {4, 3, 39},                  /* the TCP header does not fit in it */
    {4, IPV4_OCTETS + 12, 0x40}, /* a TCP header of 16 octets */
    {4, IPV4_OCTETS + 12, 0x80}, /* of 32, of 30 octets */
    {6, 5, 31},                  /* a payload length of more than there was */
    {6, 5, 19},                  /* the TCP header does not fit in it */
    {6, 6, DESTINATION_OPTIONS}, /* whose length is then 8 x (1 + an octet of a port) */
    {6, IPV6_OCTETS + 12, 0xF0},
};

ROW_TEST(test_garbled_lengths, garbled_lengths_rows)
{
  fixture_segment sent = sent_as(c->version, 10);
  sent.ports[0] = 0x00FF;
  GByteArray *packet = fixture_packet(&sent);
  packet->data[c->at] = c->value;
  const outcome o = read_packet(packet);
  g_assert_false(o.found);
  g_assert_cmpuint(o.counts.garbled_packets, ==, 1);
}

/* No offload makes segments of more than a MiB: a frame that claims to have had 2^32 - 1 octets is garbled.
 */
TEST(test_giant_frame)
{
  GByteArray *packet = packet_as(4, 10);
  memset(packet->data + 2, 0, 2);
  const outcome o = read_cut(packet, packet->len, UINT32_MAX);
  g_assert_false(o.found);
  g_assert_cmpuint(o.counts.garbled_packets, ==, 1);
}

/* Every length up to some hundred octets, so that all that is left over of any step of a fast sum is there;
 * and each damaged octet is found. */
VERSION_TEST(test_checksums)
{
  uint32_t headers = (version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + TCP_OCTETS;
  for (uint32_t length = 0; length < 300; length++) {
    assert_right(packet_as(version, length), length);
    GByteArray *packet = packet_as(version, length);
    packet->data[headers - TCP_OCTETS + 4 + (length * 7) % (TCP_OCTETS - 4 + length)] ^= 0x10;
    const outcome o = read_packet(packet);
    g_assert_true(!o.found || o.segment.checksum == CAPTURE_CHECKSUM_WRONG);
  }
}

/* A NIC is given this to finish: 0, or, of Linux, the pseudo header's sum. 10.0.0.1 and 10.0.0.2, protocol 6,
 * 20 + 11 octets: 0A00 + 0001 + 0A00 + 0002 + 0006 + 001F = 1428. In IPv6, twice 2001 + 0DB8, and 1, 2, 6,
 * 1F: 5B9A. */
static const struct {
  unsigned version;
  uint16_t field;
  capture_checksum expected;
} unfinished_checksums_rows[] = {
    {4, 0, CAPTURE_CHECKSUM_UNFINISHED},      {4, 0x1428, CAPTURE_CHECKSUM_UNFINISHED},
    {4, 0x1409, CAPTURE_CHECKSUM_UNFINISHED}, /* without the length */
    {4, 0x1429, CAPTURE_CHECKSUM_WRONG},      {6, 0, CAPTURE_CHECKSUM_UNFINISHED},
    {6, 0x5B9A, CAPTURE_CHECKSUM_UNFINISHED}, {6, 0x5B7B, CAPTURE_CHECKSUM_UNFINISHED},
    {6, 0x5B9B, CAPTURE_CHECKSUM_WRONG},
};

ROW_TEST(test_unfinished_checksums, unfinished_checksums_rows)
{
  GByteArray *packet = packet_as(c->version, 11);
  big_endian_write_16(packet->data + (c->version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + CHECKSUM_AT, c->field);
  const outcome o = read_packet(packet);
  g_assert_true(o.found);
  g_assert_cmpint(o.segment.checksum, ==, c->expected);
  g_assert_cmpuint(o.counts.wrong_checksums, ==, c->expected == CAPTURE_CHECKSUM_WRONG);
}
