/* SPDX-License-Identifier: GPL-2.0-only */
/* IP and TCP headers in captures: options, extension headers, what offloads and snap lengths leave, and
 * checksums. */
#include <string.h>

#include "base/big_endian.h"
#include "capture_fixture.h"
#include "test.h"

enum { HOP_BY_HOP = 0, ROUTING = 43, AUTHENTICATION = 51, DESTINATION_OPTIONS = 60 };
enum { IPV4_OCTETS = 20, IPV6_OCTETS = 40, TCP_OCTETS = 20, CHECKSUM_AT = 16 };

/* Reads the one packet, of which `captured` octets are in the capture, of `wire`; frees it. False when it is
 * no segment; `counts` is as at the end. The payload is not for use afterwards. */
static bool read_cut(GByteArray *packet, uint32_t captured, uint32_t wire, capture_segment *segment,
                     capture_counts *counts)
{
  fixture_file *file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW);
  GError *error = NULL;

  fixture_file_add_cut(file, 1, packet, captured, wire);
  capture_source *source = fixture_open(file);
  bool found = capture_source_next(source, segment, &error);
  g_assert_no_error(error);
  *counts = *capture_source_counts(source);
  capture_source_free(source);
  fixture_file_free(file);
  g_byte_array_free(packet, TRUE);
  return found;
}

static bool read_packet(GByteArray *packet, capture_segment *segment)
{
  capture_counts counts;
  uint32_t octets = packet->len;
  return read_cut(packet, octets, octets, segment, &counts);
}

static fixture_segment sent_as(unsigned version, uint32_t length)
{
  return (fixture_segment){.version = version,
                           .sequence = 0xFFFFFF00,
                           .acknowledgement = 0x50000009,
                           .flags = TCP_ACK,
                           .length = length};
}

static void assert_right(GByteArray *packet, uint32_t length)
{
  capture_segment segment;
  g_assert_true(read_packet(packet, &segment));
  g_assert_cmpuint(segment.sequence, ==, 0xFFFFFF00);
  g_assert_cmpuint(segment.payload_octets, ==, length);
  g_assert_cmpuint(segment.captured_octets, ==, length);
  g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_RIGHT);
}

TEST(test_ipv4_options)
{
  for (unsigned octets = 4; octets <= 40; octets += 4) {
    fixture_segment sent = sent_as(4, 33);
    GByteArray *packet = fixture_packet(&sent);
    fixture_add_ipv4_options(packet, octets);
    assert_right(packet, 33);
  }
}

/* RFC 8200 §4.1: any number of them, in any order. */
TEST(test_ipv6_extension_headers)
{
  fixture_segment sent = sent_as(6, 33);
  GByteArray *packet = fixture_packet(&sent);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 24);
  assert_right(packet, 33);
  packet = fixture_packet(&sent);
  fixture_add_extension(packet, ROUTING, 8);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 2048);
  fixture_add_extension(packet, DESTINATION_OPTIONS, 8);
  fixture_add_extension(packet, HOP_BY_HOP, 16);
  assert_right(packet, 33);
  packet = fixture_packet(&sent);
  fixture_add_extension(packet, AUTHENTICATION, 24);
  packet->data[IPV6_OCTETS + 1] = 24 / 4 - 2; /* RFC 4302 §2.2 counts words */
  assert_right(packet, 33);
}

/* RFC 6946: a fragment header on what is whole. */
TEST(test_atomic_fragment)
{
  fixture_segment sent = sent_as(6, 33);
  g_autoptr(GByteArray) whole = fixture_packet(&sent);
  GByteArray *packet = fixture_fragment(whole, 7, 0, TCP_OCTETS + 33);
  capture_segment segment;
  capture_counts counts;
  uint32_t octets = packet->len;
  g_assert_true(read_cut(packet, octets, octets, &segment, &counts));
  g_assert_cmpuint(counts.fragments, ==, 0);
  assert_right(fixture_fragment(whole, 7, 0, TCP_OCTETS + 33), 33);
}

/* RFC 8200 §8.1: the checksum has the last destination of a source route in it, which the IP header has not
 * yet. */
TEST(test_source_route)
{
  fixture_segment sent = sent_as(6, 33);
  GByteArray *packet = fixture_packet(&sent);
  capture_segment segment;
  fixture_add_extension(packet, ROUTING, 24);
  packet->data[IPV6_OCTETS + 3] = 1; /* segments left */
  g_assert_true(read_packet(packet, &segment));
  g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_UNKNOWN);
}

TEST(test_ecn)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    for (uint8_t ecn = 0; ecn < 4; ecn++) {
      fixture_segment sent = sent_as(version, 1);
      GByteArray *packet = fixture_packet(&sent);
      capture_segment segment;
      packet->data[1] = version == 4 ? (uint8_t)(0xB8 | ecn) : (uint8_t)(0x8F | ecn << 4);
      g_assert_true(read_packet(packet, &segment));
      g_assert_cmpuint(segment.ecn, ==, ecn);
    }
  }
}

/* Octets behind the IP length are the link's (IEEE 802.3 pads to 60), also when they make the frame longer
 * than any segment. */
TEST(test_padding)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    fixture_segment sent = sent_as(version, 5);
    GByteArray *packet = fixture_packet(&sent);
    g_byte_array_append(packet, (const uint8_t *)"padding", 7);
    assert_right(packet, 5);
  }
}

/* A tool that cuts packets and says that they never had more is not believed over what is there. */
TEST(test_wire_length_below_the_captured)
{
  fixture_segment sent = sent_as(4, 33);
  GByteArray *packet = fixture_packet(&sent);
  capture_segment segment;
  capture_counts counts;
  g_assert_true(read_cut(packet, packet->len, 20, &segment, &counts));
  g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_RIGHT);
}

/* What a host hands to its NIC to be cut (TSO), and what a NIC puts together: one segment, longer than the
 * link carries. */
TEST(test_super_segment)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    fixture_segment sent = sent_as(version, 60000);
    assert_right(fixture_packet(&sent), 60000);
  }
}

/* Longer than IP can say (Linux: BIG TCP): IP's length is 0. */
TEST(test_length_of_zero)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    fixture_segment sent = sent_as(version, 200000);
    GByteArray *packet = fixture_packet(&sent);
    capture_segment segment;
    capture_counts counts;
    uint32_t octets = packet->len;
    g_assert_cmpuint(big_endian_read_16(packet->data + (version == 4 ? 2 : 4)), ==, 0);
    g_assert_true(read_cut(packet, octets, octets, &segment, &counts));
    g_assert_cmpuint(segment.payload_octets, ==, 200000);
    g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_RIGHT);
    g_assert_cmpuint(counts.super_segments, ==, 1);
    /* and with a snap length, the wire's length tells it */
    packet = fixture_packet(&sent);
    g_assert_true(read_cut(packet, 100, octets, &segment, &counts));
    g_assert_cmpuint(segment.payload_octets, ==, 200000);
    g_assert_cmpuint(segment.captured_octets, ==, 100 - (octets - 200000));
    g_assert_cmpuint(counts.cut_short, ==, 1);
    g_assert_cmpuint(counts.super_segments, ==, 1);
  }
}

/* RFC 2675 §2: the length is in a hop-by-hop option, here behind a Pad1 and a PadN. */
TEST(test_jumbogram)
{
  fixture_segment sent = sent_as(6, 100000);
  GByteArray *packet = fixture_packet(&sent);
  fixture_add_extension(packet, HOP_BY_HOP, 16);
  const uint8_t options[] = {0, 1, 3, 0, 0, 0, 0xC2, 4};
  memcpy(packet->data + IPV6_OCTETS + 2, options, sizeof options);
  big_endian_write_32(packet->data + IPV6_OCTETS + 10, 16 + TCP_OCTETS + 100000);
  g_byte_array_append(packet, (const uint8_t *)"padding", 7);
  assert_right(packet, 100000);
}

/* The payload is what IP says, the captured octets what is there. */
TEST(test_snap_length)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    uint32_t headers = (version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + TCP_OCTETS;
    for (uint32_t captured = 1; captured <= headers + 100; captured++) {
      fixture_segment sent = sent_as(version, 100);
      capture_segment segment;
      capture_counts counts;
      bool found = read_cut(fixture_packet(&sent), captured, headers + 100, &segment, &counts);
      g_assert_cmpint(found, ==, captured >= headers);
      g_assert_cmpuint(counts.garbled_packets, ==, captured < headers);
      if (found) {
        bool is_whole = captured == headers + 100;
        g_assert_cmpuint(segment.payload_octets, ==, 100);
        g_assert_cmpuint(segment.captured_octets, ==, captured - headers);
        g_assert_cmpuint(counts.cut_short, ==, !is_whole);
        g_assert_cmpint(segment.checksum, ==, is_whole ? CAPTURE_CHECKSUM_RIGHT : CAPTURE_CHECKSUM_UNKNOWN);
      }
    }
  }
}

TEST(test_timestamps)
{
  fixture_segment sent = sent_as(4, 10);
  sent.has_timestamps = true;
  sent.timestamp_value = 0x01020304;
  capture_segment segment;
  g_assert_true(read_packet(fixture_packet(&sent), &segment));
  g_assert_true(segment.has_timestamps);
  g_assert_cmphex(segment.timestamp_value, ==, 0x01020304);
  g_assert_cmpuint(segment.payload_octets, ==, 10);
  /* at another place than RFC 7323 appendix A has them: behind, not before the NOPs */
  GByteArray *packet = fixture_packet(&sent);
  const uint8_t other[] = {8, 10, 9, 8, 7, 6, 0, 0, 0, 0, 1, 1};
  memcpy(packet->data + IPV4_OCTETS + TCP_OCTETS, other, sizeof other);
  g_assert_true(read_packet(packet, &segment));
  g_assert_true(segment.has_timestamps);
  g_assert_cmphex(segment.timestamp_value, ==, 0x09080706);
  /* and cut off by the snap length, the segment is there without them */
  capture_counts counts;
  g_assert_true(read_cut(fixture_packet(&sent), 20 + 20 + 11, 20 + 32 + 10, &segment, &counts));
  g_assert_false(segment.has_timestamps);
  g_assert_cmpuint(segment.captured_octets, ==, 0);
  g_assert_cmpuint(segment.payload_octets, ==, 10);
}

/* RFC 9293 §3.1 (MUST-7). */
TEST(test_garbled_options)
{
  static const uint8_t garbled[][3] = {{8, 0, 0}, {8, 1, 0}, {8, 9, 0}, {8, 40, 0}, {2, 3, 1}, {5, 11, 1}};
  for (unsigned i = 0; i < G_N_ELEMENTS(garbled); i++) {
    fixture_segment sent = sent_as(4, 10);
    sent.has_timestamps = true;
    GByteArray *packet = fixture_packet(&sent);
    capture_segment segment;
    memcpy(packet->data + IPV4_OCTETS + TCP_OCTETS, garbled[i], sizeof garbled[i]);
    g_assert_true(read_packet(packet, &segment));
    g_assert_false(segment.has_timestamps);
    g_assert_cmpuint(segment.payload_octets, ==, 10);
  }
}

/* Headers that contradict the lengths. */
TEST(test_garbled_lengths)
{
  static const struct {
    unsigned version;
    uint32_t at;
    uint8_t value;
  } garbled[] = {
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
  for (unsigned i = 0; i < G_N_ELEMENTS(garbled); i++) {
    fixture_segment sent = sent_as(garbled[i].version, 10);
    sent.ports[0] = 0x00FF;
    GByteArray *packet = fixture_packet(&sent);
    capture_segment segment;
    capture_counts counts;
    uint32_t octets = packet->len;
    packet->data[garbled[i].at] = garbled[i].value;
    if (read_cut(packet, octets, octets, &segment, &counts)) {
      g_error("row %u is taken for a segment", i);
    }
    g_assert_cmpuint(counts.garbled_packets, ==, 1);
  }
}

/* No offload makes segments of more than a MiB: a frame that says it had 2^32 - 1 octets is garbled. */
TEST(test_giant_frame)
{
  fixture_segment sent = sent_as(4, 10);
  GByteArray *packet = fixture_packet(&sent);
  capture_segment segment;
  capture_counts counts;
  memset(packet->data + 2, 0, 2);
  g_assert_false(read_cut(packet, packet->len, UINT32_MAX, &segment, &counts));
  g_assert_cmpuint(counts.garbled_packets, ==, 1);
}

static void set_checksum_field(GByteArray *packet, unsigned version, uint16_t value)
{
  big_endian_write_16(packet->data + (version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + CHECKSUM_AT, value);
}

/* Every length up to some hundred octets, so that all that is left over of any step of a fast sum is there;
 * and each damaged octet is found. */
TEST(test_checksums)
{
  for (unsigned version = 4; version <= 6; version += 2) {
    uint32_t headers = (version == 4 ? IPV4_OCTETS : IPV6_OCTETS) + TCP_OCTETS;
    for (uint32_t length = 0; length < 300; length++) {
      fixture_segment sent = sent_as(version, length);
      capture_segment segment;
      assert_right(fixture_packet(&sent), length);
      GByteArray *packet = fixture_packet(&sent);
      packet->data[headers - TCP_OCTETS + 4 + (length * 7) % (TCP_OCTETS - 4 + length)] ^= 0x10;
      if (read_packet(packet, &segment)) {
        g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_WRONG);
      }
    }
  }
}

/* What a NIC is given to finish: 0, or, of Linux, the pseudo header's sum. 10.0.0.1 and 10.0.0.2, protocol 6,
 * 20 + 11 octets: 0A00 + 0001 + 0A00 + 0002 + 0006 + 001F = 1428. In IPv6, twice 2001 + 0DB8, and 1, 2, 6,
 * 1F: 5B9A. */
TEST(test_unfinished_checksums)
{
  static const struct {
    unsigned version;
    uint16_t field;
    capture_checksum expected;
  } rows[] = {
      {4, 0, CAPTURE_CHECKSUM_UNFINISHED},      {4, 0x1428, CAPTURE_CHECKSUM_UNFINISHED},
      {4, 0x1409, CAPTURE_CHECKSUM_UNFINISHED}, /* without the length */
      {4, 0x1429, CAPTURE_CHECKSUM_WRONG},      {6, 0, CAPTURE_CHECKSUM_UNFINISHED},
      {6, 0x5B9A, CAPTURE_CHECKSUM_UNFINISHED}, {6, 0x5B7B, CAPTURE_CHECKSUM_UNFINISHED},
      {6, 0x5B9B, CAPTURE_CHECKSUM_WRONG},
  };
  for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
    fixture_segment sent = sent_as(rows[i].version, 11);
    GByteArray *packet = fixture_packet(&sent);
    capture_segment segment;
    capture_counts counts;
    uint32_t octets = packet->len;
    set_checksum_field(packet, rows[i].version, rows[i].field);
    g_assert_true(read_cut(packet, octets, octets, &segment, &counts));
    g_assert_cmpint(segment.checksum, ==, rows[i].expected);
    g_assert_cmpuint(counts.wrong_checksums, ==, rows[i].expected == CAPTURE_CHECKSUM_WRONG);
  }
}
