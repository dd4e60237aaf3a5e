/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets for the tests of datagrams: one known segment, of either version; fragments. */
#pragma once

#include <string.h>

#include "base/big_endian.h"
#include "packets.h"
#include "version_test.h"

/* Returns 192.168.0.1 and 192.168.0.2, or 2001:db8::1 and 2001:db8::2: the host with this number. */
static inline ip_address fixture_address(unsigned version, uint8_t host)
{
  return version == 4 ? ip_address_v4(0xC0A80000 + host) : ip_address_v6(UINT64_C(0x20010DB800000000), host);
}

static inline void fixture_assert_address(const ip_address address, unsigned version, uint8_t host)
{
  const ip_address expected = fixture_address(version, host);
  g_assert_true(ip_address_equal(&address, &expected));
}

/* A segment from host 1, port 5000, to host 2, port 5001, with `length` octets. */
static inline datagram *fixture_packet(unsigned version, const void *octets, uint32_t length)
{
  const tcp_header header = {.source_port = 0x1388,
                             .destination_port = 0x1389,
                             .sequence = 1,
                             .acknowledgement = 2,
                             .flags = TCP_ACK | TCP_PSH,
                             .window = 0x4000};
  return packet_between(fixture_address(version, 1), fixture_address(version, 2), &header, octets, length);
}

static inline datagram *fixture_text_packet(unsigned version, const char *text)
{
  return fixture_packet(version, text, (uint32_t)strlen(text));
}

/* Returns what datagram_read() makes of a copy of the octets. */
static inline datagram *fixture_read(const uint8_t *octets, size_t length)
{
  g_autoptr(octet_buffer) buffer = octet_buffer_new(length);
  memcpy(octet_buffer_octets(buffer), octets, length);
  return datagram_read(buffer, octet_buffer_octets(buffer), length);
}

/* Returns the packet as it is on the wire, checksums and all; free with g_free(). */
static inline uint8_t *fixture_wire(const datagram *packet)
{
  uint8_t *wire = g_malloc(datagram_octets(packet));
  datagram_write(packet, wire, true);
  return wire;
}

/* Returns what datagram_read() makes of that. */
static inline datagram *fixture_through_wire(const datagram *packet)
{
  g_autofree uint8_t *wire = fixture_wire(packet);
  return fixture_read(wire, datagram_octets(packet));
}

/* It is the `length` octets at `expected`. */
static inline void fixture_assert_wire(const datagram *packet, const uint8_t *expected, size_t length)
{
  g_autofree uint8_t *wire = fixture_wire(packet);
  g_assert_cmpmem(wire, datagram_octets(packet), expected, length);
}

static inline void fixture_assert_same_wire(const datagram *packet, const datagram *other)
{
  g_autofree uint8_t *wire = fixture_wire(other);
  fixture_assert_wire(packet, wire, datagram_octets(other));
}

/* --- Segments that are fragmented on the way, and fragments that no honest host makes --- */

/* Returns the octet at `index` of the payload of segment `number`. */
static inline uint8_t numbered_octet(uint32_t number, uint32_t index)
{
  return (uint8_t)(number * 37 + index * 131 + (index >> 8));
}

/* A segment with `length` octets from host 1, port 1000 + `number`, to host 2, port 7: in IPv4 with
 * identification `number` and without DF. */
static inline datagram *numbered_segment(unsigned version, uint16_t number, uint32_t length)
{
  const tcp_header header = {
      .source_port = (uint16_t)(1000 + number), .destination_port = 7, .flags = TCP_ACK};
  g_autofree uint8_t *octets = g_malloc(length);
  for (uint32_t i = 0; i < length; i++) {
    octets[i] = numbered_octet(number, i);
  }
  datagram *packet =
      packet_between(fixture_address(version, 1), fixture_address(version, 2), &header, octets, length);
  datagram_allow_fragments(packet, number);
  return packet;
}

/* Returns the flow of such a segment. */
static inline datagram_flow numbered_flow(unsigned version, uint16_t number)
{
  return (datagram_flow){.source = fixture_address(version, 1),
                         .destination = fixture_address(version, 2),
                         .source_port = (uint16_t)(1000 + number),
                         .destination_port = 7};
}

/* The segment's octets `from` … of the IP payload, `length` of them (TCP header: 20 octets). */
static inline datagram *numbered_piece(unsigned version, uint16_t number, uint32_t octets, uint32_t from,
                                       uint32_t length)
{
  g_autoptr(datagram) packet = numbered_segment(version, number, octets);
  return datagram_new_fragment(packet, from, length);
}

/* `packet` is that segment, whole and undamaged. */
static inline void assert_numbered(const datagram *packet, unsigned version, uint16_t number, uint32_t length)
{
  datagram_flow flow;
  g_assert_nonnull(packet);
  g_assert_cmpint(packet->kind, ==, DATAGRAM_TCP);
  g_assert_true(datagram_flow_of(packet, &flow));
  fixture_assert_address(flow.source, version, 1);
  g_assert_cmpuint(flow.source_port, ==, 1000 + number);
  g_assert_true(datagram_checksum_is_right(packet));
  g_assert_cmpuint(packet->payload.length, ==, length);
  for (uint32_t i = 0; i < length; i += i < 100 ? 1 : 61) {
    g_assert_cmphex(buffer_chain_at(&packet->payload, i), ==, numbered_octet(number, i));
  }
}

/* Returns an IPv4 fragment from host 1 to host 2 that claims these things; `length` octets of `octet`. */
static inline datagram *forged_fragment(uint16_t identification, uint32_t offset, bool more, uint32_t length,
                                        uint8_t octet)
{
  static const uint8_t header[20] = {0x45, [8] = 64, 6, [12] = 192, 168, 0, 1, 192, 168, 0, 2};
  g_autofree uint8_t *wire = g_malloc(20 + length);
  memcpy(wire, header, sizeof header);
  big_endian_write_16(wire + 2, (uint16_t)(20 + length));
  big_endian_write_16(wire + 4, identification);
  big_endian_write_16(wire + 6, (uint16_t)((more ? 0x2000 : 0) | offset / 8));
  memset(wire + 20, octet, length);
  datagram *packet = fixture_read(wire, 20 + length);
  g_assert_cmpint(packet->kind, ==, DATAGRAM_FRAGMENT);
  return packet;
}
