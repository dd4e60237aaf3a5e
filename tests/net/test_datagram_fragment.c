/* SPDX-License-Identifier: GPL-2.0-only */
#include "datagram_fixture.h"

static datagram *fragmentable(const char *text, uint16_t identification)
{
  datagram *packet = fixture_text_packet(4, text);
  g_assert_false(datagram_may_be_fragmented(packet)); /* DF */
  datagram_allow_fragments(packet, identification);
  g_assert_true(datagram_may_be_fragmented(packet));
  return packet;
}

/* RFC 791 §3.2, with DF clear and identification 1234: 36 octets of IP payload, the first 24 and the last 12.
 *
 * TCP checksum, in the first fragment: pseudo header C0A8 + 0001 + C0A8 + 0002 + 0006 + 0024 = 1817D; header
 * B72C (test_datagram.c); payload 3031 + 3233 + 3435 + 3637 + 3839 + 6162 + 6364 + 6566 = 22F35; together
 * 467DE, folded 67E2, ~ = 981D. IP, first: 4500 + 002C + 1234 + 2000 + 4006 + C0A8 + 0001 + C0A8 + 0002 =
 * 238B9, folded 38BB, ~ = C744. IP, last: 4500 + 0020 + 1234 + 0003 + 4006 + C0A8 + 0001 + C0A8 + 0002 =
 * 218B0, folded 18B2, ~ = E74D. */
TEST(test_on_the_wire)
{
  static const uint8_t first[] = {0x45, 0x00, 0x00, 0x2C, 0x12, 0x34, 0x20, 0x00, 0x40, 0x06, 0xC7,
                                  0x44, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0x02, 0x13, 0x88,
                                  0x13, 0x89, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x50,
                                  0x18, 0x40, 0x00, 0x98, 0x1D, 0x00, 0x00, '0',  '1',  '2',  '3'};
  static const uint8_t last[] = {0x45, 0x00, 0x00, 0x20, 0x12, 0x34, 0x00, 0x03, 0x40, 0x06, 0xE7,
                                 0x4D, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0x02, '4',  '5',
                                 '6',  '7',  '8',  '9',  'a',  'b',  'c',  'd',  'e',  'f'};
  g_autoptr(datagram) packet = fragmentable("0123456789abcdef", 0x1234);
  g_autoptr(datagram) one = datagram_new_fragment(packet, 0, 24);
  g_autoptr(datagram) other = datagram_new_fragment(packet, 24, 12);
  g_assert_cmpint(one->kind, ==, DATAGRAM_FRAGMENT);
  fixture_assert_wire(one, first, sizeof first);
  fixture_assert_wire(other, last, sizeof last);
}

static void assert_fragment(const datagram *packet, uint32_t identification, uint32_t offset, uint32_t length,
                            bool more)
{
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  EXPECT_FIELDS(&of, (identification, identification), (offset_octets, offset), (length_octets, length));
  g_assert_true(of.more == more);
  fixture_assert_address(of.source, 4, 1);
  fixture_assert_address(of.destination, 4, 2);
}

/* A fragment has the fields that were asked for, as made and as read; a fragment of a fragment counts from
 * the datagram's beginning, and is followed by others when the one it was cut from was (RFC 791 §3.2). */
TEST(test_fragments_of_fragments)
{
  datagram_flow flow;
  g_autoptr(datagram) packet =
      fragmentable("0123456789abcdef0123456789abcdef", 0xFFFF); /* 52 octets of IP payload */
  packet->retransmission = true;
  datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
  assert_fragment(packet, 0xFFFF, 0, 52, false);
  g_autoptr(datagram) middle = datagram_new_fragment(packet, 8, 32);
  assert_fragment(middle, 0xFFFF, 8, 32, true);
  g_autoptr(datagram) end_of_middle = datagram_new_fragment(middle, 24, 8);
  assert_fragment(end_of_middle, 0xFFFF, 32, 8, true);
  g_autoptr(datagram) last = datagram_new_fragment(packet, 40, 12);
  g_autoptr(datagram) end_of_last = datagram_new_fragment(last, 8, 4);
  assert_fragment(end_of_last, 0xFFFF, 48, 4, false);
  g_autoptr(datagram) read = fixture_through_wire(end_of_middle);
  assert_fragment(read, 0xFFFF, 32, 8, true);
  g_assert_cmpint(datagram_ecn_of(read), ==, DATAGRAM_ECN_ECT_0);
  fixture_assert_same_wire(read, end_of_middle);
  g_assert_true(end_of_last->retransmission);
  g_assert_false(datagram_flow_of(end_of_middle, &flow));
  g_assert_true(datagram_may_be_fragmented(read));
}

/* RFC 8200 §4.5: the fragment header stands between: next header, 0, offset in eights with the flag M in bit
 * 0, identification. Of a whole packet ours is 0, else the fragment's. */
TEST(test_ipv6_on_the_wire)
{
  g_autoptr(datagram) packet = fixture_text_packet(6, "0123456789abcdef");
  datagram_allow_fragments(packet, 5); /* nothing: only the source fragments */
  g_assert_false(datagram_may_be_fragmented(packet));
  g_autoptr(datagram) fragment = datagram_new_fragment(packet, 8, 16);
  static const uint8_t header[] = {6, 0, 0x00, 8 | 1, 0, 0, 0, 0};
  uint8_t wire[64];
  g_assert_cmpuint(datagram_octets(fragment), ==, 64);
  datagram_write(fragment, wire, true);
  g_assert_cmpuint(wire[5], ==, 8 + 16);
  g_assert_cmpuint(wire[6], ==, 44);
  g_assert_cmpmem(wire + 40, 8, header, 8);
  memcpy(wire + 44, "\x0A\x0B\x0C\x0D", 4);
  g_autoptr(datagram) read = fixture_read(wire, sizeof wire);
  fixture_assert_wire(read, wire, sizeof wire);
  g_autoptr(datagram) piece = datagram_new_fragment(read, 8, 8);
  datagram_fragment of;
  datagram_fragment_of(piece, &of);
  EXPECT_FIELDS(&of, (identification, 0x0A0B0C0D), (offset_octets, 16), (more, true));
  wire[5] = 8; /* the header alone, and no octets */
  g_autoptr(datagram) empty = fixture_read(wire, 48);
  g_assert_nonnull(empty);
  g_assert_cmpuint(datagram_octets(empty), ==, 48);
}

static void append_payload(buffer_chain *whole, const datagram *fragment)
{
  buffer_chain_append_chain(whole, &fragment->payload, 0, fragment->payload.length);
}

/* Cut anywhere, through the TCP header too, and put together, a packet is what it was but for DF and the
 * identification; it carries the checksum that the sender's first fragment had. */
TEST(test_reassembled)
{
  g_autoptr(random_stream) random = random_stream_new(4, "datagram_fragment");
  static uint8_t octets[5000];
  for (size_t i = 0; i < sizeof octets; i++) {
    octets[i] = (uint8_t)random_stream_next(random);
  }
  for (unsigned round = 0; round < 300; round++) {
    unsigned version = round % 2 ? 4 : 6;
    uint32_t length = (uint32_t)random_stream_below(random, sizeof octets);
    g_autoptr(datagram) packet = fixture_packet(version, octets, length);
    datagram_allow_fragments(packet, (uint16_t)round);
    g_autoptr(datagram) first = NULL;
    buffer_chain whole = {0};
    for (uint32_t at = 0; at < length + 20;) {
      uint32_t piece = 8 * (1 + (uint32_t)random_stream_below(random, 100));
      piece = MIN(piece, length + 20 - at);
      g_autoptr(datagram) fragment = datagram_new_fragment(packet, at, piece);
      append_payload(&whole, fragment);
      first = first ? first : datagram_ref(fragment);
      at += piece;
    }
    g_autoptr(datagram) again = datagram_new_reassembled(first, &whole);
    g_assert_nonnull(again);
    g_assert_cmpuint(whole.length, ==, 0);
    g_assert_cmpint(again->kind, ==, DATAGRAM_TCP);
    fixture_assert_same_wire(again, packet);
    g_assert_true(again->carries_checksum || datagram_tcp_checksum(packet) == 0);
    g_assert_true(datagram_checksum_is_right(again));
  }
}

/* A packet that carries a wrong checksum is not made right by cutting it. */
TEST(test_damage_stays)
{
  g_autoptr(datagram) packet = fragmentable("0123456789abcdef", 1);
  datagram_carry_checksum(packet);
  datagram_own_payload(packet)[3] ^= 4;
  buffer_chain whole = {0};
  g_autoptr(datagram) first = datagram_new_fragment(packet, 0, 24);
  g_autoptr(datagram) last = datagram_new_fragment(packet, 24, 12);
  append_payload(&whole, first);
  append_payload(&whole, last);
  g_autoptr(datagram) again = datagram_new_reassembled(first, &whole);
  g_assert_false(datagram_checksum_is_right(again));
}

/* What is no TCP segment, and what exceeds the length field (RFC 791 §3.1): more than 65535 - 20 octets, of
 * IPv6 65535. */
VERSION_TEST(test_not_reassembled)
{
  static uint8_t octets[65536];
  octets[12] = 0x50;
  uint32_t longest = version == 4 ? 65515 : 65535;
  g_autoptr(datagram) packet = fixture_text_packet(version, "0123");
  g_autoptr(datagram) first = datagram_new_fragment(packet, 0, 8);
  buffer_chain whole = {0};
  buffer_chain_append(&whole, octets, longest + 1, NULL);
  g_assert_null(datagram_new_reassembled(first, &whole));
  g_assert_cmpuint(whole.length, ==, longest + 1);
  buffer_chain_drop_front(&whole, longest + 1 - 19);
  g_assert_null(datagram_new_reassembled(first, &whole));
  buffer_chain_clear(&whole);
  buffer_chain_append(&whole, octets, longest, NULL);
  g_autoptr(datagram) longest_datagram = datagram_new_reassembled(first, &whole);
  g_assert_nonnull(longest_datagram);
  g_assert_cmpuint(longest_datagram->payload.length, ==, longest - 20);
  buffer_chain_clear(&whole);
}
