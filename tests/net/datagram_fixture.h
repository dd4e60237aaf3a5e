/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets for the tests of datagrams: one known segment, of either version; fragments. */
#ifndef DATAGRAM_FIXTURE_H
#define DATAGRAM_FIXTURE_H

#include <glib.h>
#include <string.h>

#include "base/random_stream.h"
#include "net/datagram.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(datagram, datagram_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(random_stream, random_stream_free)

/* 192.168.0.1 and 192.168.0.2, or 2001:db8::1 and 2001:db8::2: the host with this number. */
static inline ip_address fixture_address(unsigned version, uint8_t host)
{
  return version == 4 ? ip_address_v4(0xC0A80000 + host) : ip_address_v6(UINT64_C(0x20010DB800000000), host);
}

/* A segment from host 1, port 5000, to host 2, port 5001, with `length` octets at `octets`, which outlive
 * it. */
static inline datagram *fixture_packet(unsigned version, const void *octets, uint32_t length)
{
  const tcp_header header = {.source_port = 0x1388,
                             .destination_port = 0x1389,
                             .sequence = 1,
                             .acknowledgement = 2,
                             .flags = TCP_ACK | TCP_PSH,
                             .window = 0x4000};
  const ip_address source = fixture_address(version, 1);
  const ip_address destination = fixture_address(version, 2);
  buffer_chain payload;
  buffer_chain_init(&payload);
  buffer_chain_append(&payload, octets, length, NULL);
  datagram *packet = datagram_new_in(NULL, &source, &destination, &header, &payload);
  g_assert_cmpuint(payload.length, ==, 0);
  return packet;
}

static inline datagram *fixture_text_packet(unsigned version, const char *text)
{
  return fixture_packet(version, text, (uint32_t)strlen(text));
}

/* What datagram_read() makes of a copy of the octets. */
static inline datagram *fixture_read(const uint8_t *octets, size_t length)
{
  octet_buffer *buffer = octet_buffer_new(length);
  memcpy(octet_buffer_octets(buffer), octets, length);
  datagram *packet = datagram_read(buffer, octet_buffer_octets(buffer), length);
  octet_buffer_unref(buffer);
  return packet;
}

/* What datagram_read() makes of the packet as it is on the wire. */
static inline datagram *fixture_through_wire(const datagram *packet)
{
  uint32_t length = datagram_octets(packet);
  uint8_t *wire = g_malloc(length);
  datagram_write(packet, wire, true);
  datagram *read = fixture_read(wire, length);
  g_free(wire);
  return read;
}

/* The packet on the wire, checksums and all, is the `length` octets at `expected`. */
static inline void fixture_assert_wire(const datagram *packet, const uint8_t *expected, size_t length)
{
  g_assert_cmpuint(datagram_octets(packet), ==, length);
  uint8_t *wire = g_malloc(length);
  datagram_write(packet, wire, true);
  g_assert_cmpmem(wire, length, expected, length);
  g_free(wire);
}

static inline void fixture_assert_same_wire(const datagram *packet, const datagram *other)
{
  uint32_t length = datagram_octets(other);
  uint8_t *wire = g_malloc(length);
  datagram_write(other, wire, true);
  fixture_assert_wire(packet, wire, length);
  g_free(wire);
}

static inline void fixture_assert_address(const ip_address address, unsigned version, uint8_t host)
{
  const ip_address expected = fixture_address(version, host);
  g_assert_true(ip_address_equal(&address, &expected));
}

/* --- Segments that are fragmented on the way, and fragments as nobody honest makes them --- */

enum { FRAGMENT_FIXTURE_OCTETS = 65535 };

/* The octet at `index` of the payload of datagram `number`. */
static inline uint8_t fragment_fixture_octet(uint32_t number, uint32_t index)
{
  return (uint8_t)(number * 37 + index * 131 + (index >> 8));
}

static inline ip_address fragment_fixture_host(unsigned version, uint8_t host)
{
  return version == 4 ? ip_address_v4(0x0A000000u + host) : ip_address_v6(UINT64_C(0x20010DB800000000), host);
}

/* A segment with `length` octets from host 1, port 1000 + `number`, to host 2, port 7: in IPv4 with
 * identification `number` and without DF. */
static inline datagram *fragment_fixture_segment(unsigned version, uint16_t number, uint32_t length)
{
  const tcp_header header = {
      .source_port = (uint16_t)(1000 + number), .destination_port = 7, .flags = TCP_ACK};
  const ip_address source = fragment_fixture_host(version, 1);
  const ip_address destination = fragment_fixture_host(version, 2);
  buffer_chain payload;
  buffer_chain_init(&payload);
  if (length > 0) {
    octet_buffer *buffer = octet_buffer_new(length);
    for (uint32_t i = 0; i < length; i++) {
      octet_buffer_octets(buffer)[i] = fragment_fixture_octet(number, i);
    }
    buffer_chain_append(&payload, octet_buffer_octets(buffer), length, buffer);
    octet_buffer_unref(buffer);
  }
  datagram *packet = datagram_new_in(NULL, &source, &destination, &header, &payload);
  datagram_allow_fragments(packet, number);
  return packet;
}

/* The flow of such a segment. */
static inline datagram_flow fragment_fixture_flow(unsigned version, uint16_t number)
{
  return (datagram_flow){.source = fragment_fixture_host(version, 1),
                         .destination = fragment_fixture_host(version, 2),
                         .source_port = (uint16_t)(1000 + number),
                         .destination_port = 7};
}

/* Its octets `from` … of the IP payload, `length` of them (TCP header: 20 octets). */
static inline datagram *fragment_fixture_piece(unsigned version, uint16_t number, uint32_t octets,
                                               uint32_t from, uint32_t length)
{
  datagram *packet = fragment_fixture_segment(version, number, octets);
  datagram *piece = datagram_new_fragment(packet, from, length);
  datagram_unref(packet);
  return piece;
}

/* It is that segment, whole and undamaged. */
static inline void fragment_fixture_assert_segment(const datagram *packet, unsigned version, uint16_t number,
                                                   uint32_t length)
{
  datagram_flow flow;
  g_assert_nonnull(packet);
  g_assert_cmpint(packet->kind, ==, DATAGRAM_TCP);
  g_assert_true(datagram_flow_of(packet, &flow));
  const ip_address source = fragment_fixture_host(version, 1);
  g_assert_true(ip_address_equal(&flow.source, &source));
  g_assert_cmpuint(flow.source_port, ==, 1000 + number);
  g_assert_true(datagram_checksum_is_right(packet));
  g_assert_cmpuint(packet->payload.length, ==, length);
  for (uint32_t i = 0; i < length; i += i < 100 ? 1 : 61) {
    g_assert_cmphex(buffer_chain_at(&packet->payload, i), ==, fragment_fixture_octet(number, i));
  }
}

/* An IPv4 fragment from host 1 to host 2 that claims these things; `length` octets of `octet`. */
static inline datagram *fragment_fixture_forged(uint16_t identification, uint32_t offset, bool more,
                                                uint32_t length, uint8_t octet)
{
  octet_buffer *buffer = octet_buffer_new(20 + length);
  uint8_t *wire = octet_buffer_octets(buffer);
  const uint32_t total = 20 + length;
  const uint32_t word = (more ? 0x2000u : 0) | offset / 8;
  const uint8_t header[20] = {0x45,
                              0,
                              (uint8_t)(total >> 8),
                              (uint8_t)total,
                              (uint8_t)(identification >> 8),
                              (uint8_t)identification,
                              (uint8_t)(word >> 8),
                              (uint8_t)word,
                              64,
                              6,
                              0,
                              0,
                              10,
                              0,
                              0,
                              1,
                              10,
                              0,
                              0,
                              2};
  memcpy(wire, header, sizeof header);
  memset(wire + 20, octet, length);
  datagram *packet = datagram_read(buffer, wire, total);
  octet_buffer_unref(buffer);
  g_assert_cmpint(packet->kind, ==, DATAGRAM_FRAGMENT);
  return packet;
}

#endif
