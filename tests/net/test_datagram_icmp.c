/* SPDX-License-Identifier: GPL-2.0-only */
#include "datagram_fixture.h"

/* RFC 792, RFC 1191 §4: from 10.0.0.254 to 192.168.0.1, about the segment of test_datagram.c with "abc", MTU
 * 1400 = 0578; 20 + 8 + 28 = 56 = 38 octets.
 *
 * IP: 4500 + 0038 + 0000 + 4000 + 4001 + 0000 + 0A00 + 00FE + C0A8 + 0001 = 190E0, folded 90E1, ~ = 6F1E.
 * ICMP: 0304 + 0578 = 087C; the IP header quoted sums to FFFF, as its checksum is right; 1388 + 1389 + 0001 =
 * 2712; together 12F8D, folded 2F8E, ~ = D071. */
TEST(test_ipv4_on_the_wire)
{
  static const uint8_t expected[] = {0x45, 0x00, 0x00, 0x38, 0x00, 0x00, 0x40, 0x00, 0x40, 0x01, 0x6F, 0x1E,
                                     10,   0,    0,    254,  0xC0, 0xA8, 0x00, 0x01, 0x03, 0x04, 0xD0, 0x71,
                                     0x00, 0x00, 0x05, 0x78, 0x45, 0x00, 0x00, 0x2B, 0x00, 0x00, 0x40, 0x00,
                                     0x40, 0x06, 0xB9, 0x79, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0x02,
                                     0x13, 0x88, 0x13, 0x89, 0x00, 0x00, 0x00, 0x01};
  const ip_address router = ip_address_v4(0x0A0000FE);
  g_autoptr(datagram) packet = fixture_text_packet(4, "abc");
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1400);
  g_assert_cmpint(message->kind, ==, DATAGRAM_TOO_BIG);
  fixture_assert_wire(message, expected, sizeof expected);
  fixture_assert_address(ip_header_destination(message->header), 4, 1);
}

/* RFC 4443 §3.2: from 2001:db8::fe to 2001:db8::1, about the segment of test_datagram.c in IPv6 (63 octets),
 * MTU 1400; 8 + 63 = 71 = 47 octets.
 *
 * Pseudo header: 2001 + 0DB8 + 00FE + 2001 + 0DB8 + 0001 + 0047 + 003A = 5CF2; ICMP: 0200 + 0578 = 0778;
 * quoted: 6000 + 0000 + 0017 + 0640 + 2001 + 0DB8 + 0001 + 2001 + 0DB8 + 0002 = C1CC, the segment 17B8E with
 * its checksum 28DE; together 2CAA2, folded CAA4, ~ = 355B. */
TEST(test_ipv6_on_the_wire)
{
  const ip_address router = fixture_address(6, 0xFE);
  g_autoptr(datagram) packet = fixture_text_packet(6, "abc");
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1400);
  uint8_t wire[40 + 8 + 63];
  uint8_t quoted[63];
  static const uint8_t head[] = {0x60, 0, 0, 0, 0x00, 0x47, 58, 64};
  static const uint8_t icmp[] = {0x02, 0x00, 0x35, 0x5B, 0x00, 0x00, 0x05, 0x78};
  g_assert_cmpuint(datagram_octets(message), ==, sizeof wire);
  datagram_write(message, wire, true);
  datagram_write(packet, quoted, true);
  g_assert_cmpmem(wire, 8, head, 8);
  g_assert_cmpmem(wire + 40, 8, icmp, 8);
  g_assert_cmpmem(wire + 48, 63, quoted, 63);
  fixture_assert_address(ip_header_source(message->header), 6, 0xFE);
  fixture_assert_address(ip_header_destination(message->header), 6, 1);
}

/* RFC 4443 §3.2: the message is not longer than the minimum MTU, 1280: 1232 octets are quoted. */
TEST(test_long_quotation_is_cut)
{
  static const uint8_t octets[3000];
  const ip_address router = fixture_address(6, 9);
  g_autoptr(datagram) packet = fixture_packet(6, octets, sizeof octets);
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1500);
  g_assert_cmpuint(datagram_octets(message), ==, 1280);
}

static void assert_quotes(const datagram *message, unsigned version, uint32_t mtu)
{
  datagram_flow flow;
  uint32_t advised = 0;
  uint32_t sequence = 0;
  g_assert_true(datagram_flow_of(message, &flow));
  fixture_assert_address(flow.source, version, 1);
  fixture_assert_address(flow.destination, version, 2);
  EXPECT_FIELDS(&flow, (source_port, 0x1388), (destination_port, 0x1389));
  datagram_too_big_of(message, &advised, &sequence);
  g_assert_cmpuint(advised, ==, mtu);
  g_assert_cmpuint(sequence, ==, 1);
}

/* It quotes both as made and as read from the wire, of a packet and of its first fragment. */
VERSION_TEST(test_what_it_quotes)
{
  const ip_address router = fixture_address(version, 9);
  g_autoptr(datagram) packet = fixture_text_packet(version, "0123456789abcdef");
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1300);
  g_autoptr(datagram) read = fixture_through_wire(message);
  assert_quotes(message, version, 1300);
  assert_quotes(read, version, 1300);
  g_assert_cmpuint(datagram_too_big_quoted_octets(read), ==, version == 4 ? 20 + 20 + 16 : 40 + 20 + 16);
  g_assert_true(read->carries_checksum);
  g_assert_true(datagram_checksum_is_right(read));
  fixture_assert_same_wire(read, message);
  datagram_allow_fragments(packet, 7);
  g_autoptr(datagram) first = datagram_new_fragment(packet, 0, 24);
  g_autoptr(datagram) about_first = datagram_new_too_big(&router, first, 1280);
  assert_quotes(about_first, version, 1280);
  /* the first fragment's length is not the packet's */
  g_assert_cmpuint(datagram_too_big_quoted_octets(about_first), ==, 65535);
}

/* RFC 1122 §3.2.2: not about an ICMP error, not about another than the first fragment. And not without
 * ports: a first fragment of 4 octets (24 = 0x18 octets IP) lacks them; one of 8 has ports and sequence
 * number. */
TEST(test_what_it_is_not_sent_about)
{
  static const uint8_t tiny[] = {0x45, 0, 0, 0x18, 0,  1, 0x20, 0, 64, 6, 0, 0,
                                 10,   0, 0, 1,    10, 0, 0,    2, 1,  2, 3, 4};
  static const uint8_t small[] = {0x45, 0, 0,  0x1C, 0, 1, 0x20, 0, 64, 6, 0, 0, 10, 0,
                                  0,    1, 10, 0,    0, 2, 1,    2, 3,  4, 5, 6, 7,  8};
  const ip_address router = fixture_address(4, 9);
  g_autoptr(datagram) packet = fixture_text_packet(4, "0123456789abcdef");
  datagram_allow_fragments(packet, 7);
  g_autoptr(datagram) second = datagram_new_fragment(packet, 24, 12);
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1300);
  g_autoptr(datagram) of_4 = fixture_read(tiny, sizeof tiny);
  g_autoptr(datagram) of_8 = fixture_read(small, sizeof small);
  g_assert_null(datagram_new_too_big(&router, second, 1300));
  g_assert_null(datagram_new_too_big(&router, message, 68));
  g_assert_null(datagram_new_too_big(&router, of_4, 1300));
  g_autoptr(datagram) about_8 = datagram_new_too_big(&router, of_8, 68);
  g_assert_nonnull(about_8);
}

/* This is damage that the checksum finds (RFC 792: over the ICMP message alone). */
VERSION_TEST(test_damage_is_found)
{
  const ip_address router = fixture_address(version, 9);
  g_autoptr(datagram) packet = fixture_text_packet(version, "abc");
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1300);
  datagram_carry_checksum(message);
  g_assert_true(datagram_checksum_is_right(message));
  datagram_own_payload(message)[7] ^= 1;
  g_assert_false(datagram_checksum_is_right(message));
  g_autoptr(datagram) read = fixture_through_wire(message);
  g_assert_false(datagram_checksum_is_right(read));
}

/* Quotations that quote no TCP segment are not read, and yield nothing when damage has made them. */
static const struct {
  unsigned at;
  uint8_t value;
} bad_quotations_rows[] = {
    {20, 8},    /* echo request */
    {21, 3},    /* port unreachable */
    {28, 0x65}, /* the packet quoted: version 6 */
    {28, 0x44}, /* IHL 16 octets */
    {28, 0x46}, /* IHL 24 octets: 64 bits are not there */
    {35, 1},    /* a fragment after the first */
    {37, 17},   /* UDP */
};

ROW_TEST(test_bad_quotations, bad_quotations_rows)
{
  const ip_address router = fixture_address(4, 9);
  g_autoptr(datagram) packet = fixture_text_packet(4, "abc");
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1300);
  uint8_t wire[56];
  datagram_write(message, wire, true);
  wire[c->at] = c->value;
  g_assert_null(fixture_read(wire, sizeof wire));
  if (c->at >= 28) {
    datagram_flow flow;
    uint32_t mtu = 1;
    uint32_t sequence = 1;
    g_autoptr(datagram) damaged = datagram_copy(message);
    datagram_own_payload(damaged)[c->at - 20] = c->value;
    g_assert_false(datagram_flow_of(damaged, &flow));
    datagram_too_big_of(damaged, &mtu, &sequence);
    g_assert_cmpuint(mtu, ==, 0);
    g_assert_cmpuint(sequence, ==, 0);
    g_assert_cmpuint(datagram_too_big_quoted_octets(damaged), ==, 0);
  }
}

/* Any octets after a well-formed beginning are read or refused, and nothing else happens. */
TEST(test_random_quotations)
{
  g_autoptr(random_stream) random = random_stream_new(2, "datagram_icmp");
  unsigned good = 0;
  for (unsigned i = 0; i < 20000; i++) {
    bool ipv4 = random_stream_chance(random, 0.5);
    uint8_t wire[128] = {0};
    size_t ip_octets = ipv4 ? 20 : 40;
    size_t length = ip_octets + random_stream_below(random, sizeof wire - ip_octets + 1);
    for (size_t k = ip_octets; k < length; k++) {
      wire[k] = (uint8_t)random_stream_next(random);
    }
    wire[0] = ipv4 ? 0x45 : 0x60;
    wire[ipv4 ? 3 : 5] = (uint8_t)(ipv4 ? length : length - 40);
    wire[ipv4 ? 9 : 6] = ipv4 ? 1 : 58;
    if (length >= ip_octets + 18) {
      wire[ip_octets] = ipv4 ? 3 : 2;
      wire[ip_octets + 1] = ipv4 ? 4 : 0;
      wire[ip_octets + 8] = ipv4 ? (uint8_t)(0x40 + random_stream_below(random, 16)) : 0x60;
      wire[ip_octets + 14] = ipv4 ? 0 : 6;
      wire[ip_octets + 15] = 0;
      wire[ip_octets + 17] = ipv4 ? 6 : wire[ip_octets + 17];
    }
    g_autoptr(datagram) message = fixture_read(wire, length);
    if (message) {
      datagram_flow flow;
      uint32_t mtu, sequence;
      good += datagram_flow_of(message, &flow);
      datagram_too_big_of(message, &mtu, &sequence);
      datagram_checksum_is_right(message);
    }
  }
  g_assert_cmpuint(good, >, 1000);
}
