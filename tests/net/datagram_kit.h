/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets for the tests of datagrams: one known segment, of either version. */
#ifndef DATAGRAM_KIT_H
#define DATAGRAM_KIT_H

#include <glib.h>
#include <string.h>

#include "net/datagram.h"

/* 192.168.0.1 and 192.168.0.2, or 2001:db8::1 and 2001:db8::2: the host with this number. */
static inline ip_address kit_address(unsigned version, uint8_t host)
{
  return version == 4 ? ip_address_v4(0xC0A80000 + host) : ip_address_v6(UINT64_C(0x20010DB800000000), host);
}

/* A segment from host 1, port 5000, to host 2, port 5001, with `length` octets at `octets`, which outlive it. */
static inline datagram *kit_packet(unsigned version, const void *octets, uint32_t length)
{
  const tcp_header header = {.source_port = 0x1388,
                             .destination_port = 0x1389,
                             .sequence = 1,
                             .acknowledgement = 2,
                             .flags = TCP_ACK | TCP_PSH,
                             .window = 0x4000};
  const ip_address source = kit_address(version, 1);
  const ip_address destination = kit_address(version, 2);
  octet_rope payload;
  octet_rope_init(&payload);
  octet_rope_append(&payload, octets, length, NULL);
  datagram *packet = datagram_new_in(NULL, &source, &destination, &header, &payload);
  g_assert_cmpuint(payload.length, ==, 0);
  return packet;
}

static inline datagram *kit_text_packet(unsigned version, const char *text)
{
  return kit_packet(version, text, (uint32_t)strlen(text));
}

/* What datagram_read() makes of a copy of the octets. */
static inline datagram *kit_read(const uint8_t *octets, size_t length)
{
  octet_block *block = octet_block_new(length);
  memcpy(octet_block_octets(block), octets, length);
  datagram *packet = datagram_read(block, octet_block_octets(block), length);
  octet_block_unref(block);
  return packet;
}

/* What datagram_read() makes of the packet as it is on the wire. */
static inline datagram *kit_through_wire(const datagram *packet)
{
  uint32_t length = datagram_octets(packet);
  uint8_t *wire = g_malloc(length);
  datagram_write(packet, wire, true);
  datagram *read = kit_read(wire, length);
  g_free(wire);
  return read;
}

/* The packet on the wire, checksums and all, is the `length` octets at `expected`. */
static inline void kit_assert_wire(const datagram *packet, const uint8_t *expected, size_t length)
{
  g_assert_cmpuint(datagram_octets(packet), ==, length);
  uint8_t *wire = g_malloc(length);
  datagram_write(packet, wire, true);
  g_assert_cmpmem(wire, length, expected, length);
  g_free(wire);
}

static inline void kit_assert_same_wire(const datagram *packet, const datagram *other)
{
  uint32_t length = datagram_octets(other);
  uint8_t *wire = g_malloc(length);
  datagram_write(other, wire, true);
  kit_assert_wire(packet, wire, length);
  g_free(wire);
}

static inline void kit_assert_address(const ip_address address, unsigned version, uint8_t host)
{
  const ip_address expected = kit_address(version, host);
  g_assert_true(ip_address_equal(&address, &expected));
}

#endif
