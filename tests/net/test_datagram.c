/* SPDX-License-Identifier: GPL-2.0-only */
#include "datagram_fixture.h"

/* RFC 1071 §3: the sum of 00 01 F2 03 F4 F5 F6 F7 is DDF2 (with the carries in), so the checksum is ~DDF2
 * = 220D. */
TEST(test_internet_checksum)
{
  static const uint8_t octets[] = {0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7};
  g_assert_cmphex(internet_checksum(0, octets, sizeof octets), ==, 0x220D);
  /* started from the sum of the first four: 0x0001 + 0xF203 = 0xF204 */
  g_assert_cmphex(internet_checksum(0xF204, octets + 4, 4), ==, 0x220D);
  /* an odd octet is the high half of a word: 0001 + F203 + F400 = 1E604, folded E605, ~E605 = 19FA */
  g_assert_cmphex(internet_checksum(0, octets, 5), ==, 0x19FA);
  g_assert_cmphex(internet_checksum(0, octets, 0), ==, 0xFFFF);
}

/* 192.168.0.1 to 192.168.0.2, payload "abc"; 43 = 0x2B octets.
 *
 * IP: 4500 + 002B + 0000 + 4000 + 4006 + 0000 + C0A8 + 0001 + C0A8 + 0002 = 24684, folded 4686, ~ = B979.
 * TCP: pseudo header C0A8 + 0001 + C0A8 + 0002 + 0006 + 0017 (23 octets) = 18170;
 * segment 1388 + 1389 + 0000 + 0001 + 0000 + 0002 + 5018 + 4000 + 0000 + 0000 + 6162 + 6300 = 17B8E;
 * together 2FCFE, folded FD00, ~ = 02FF. */
TEST(test_on_the_wire)
{
  static const uint8_t expected[] = {0x45, 0x00, 0x00, 0x2B, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06, 0xB9,
                                     0x79, 0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0x02, 0x13, 0x88,
                                     0x13, 0x89, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x50,
                                     0x18, 0x40, 0x00, 0x02, 0xFF, 0x00, 0x00, 'a',  'b',  'c'};
  uint8_t wire[sizeof expected];
  g_autoptr(datagram) packet = fixture_text_packet(4, "abc");
  g_assert_cmpuint(datagram_octets(packet), ==, sizeof expected);
  const ip_address source = ip_header_source(packet->header);
  const ip_address destination = ip_header_destination(packet->header);
  g_assert_cmpmem(source.octets, 4, expected + 12, 4);
  g_assert_cmpmem(destination.octets, 4, expected + 16, 4);
  g_assert_cmphex(datagram_tcp_flags(packet), ==, TCP_ACK | TCP_PSH);
  datagram_write(packet, wire, true);
  g_assert_cmpmem(wire, sizeof wire, expected, sizeof expected);
  datagram_write(packet, wire, false);
  g_assert_cmphex(wire[10] | wire[11] | wire[36] | wire[37], ==, 0);
}

/* 2001:db8::1 to 2001:db8::2, the same segment of 23 = 17 octets; 63 octets. Traffic class and flow label 0,
 * hop limit 64.
 *
 * TCP: pseudo header (RFC 8200 §8.1) 2001 + 0DB8 + 0001 + 2001 + 0DB8 + 0002 + 0000 + 0017 + 0000 + 0006 =
 * 5B92; the segment 17B8E as above; together 1D720, folded D721, ~ = 28DE. */
TEST(test_ipv6_on_the_wire)
{
  static const uint8_t expected[] = {
      0x60, 0x00, 0x00, 0x00, 0x00, 0x17, 0x06, 0x40, 0x20, 0x01, 0x0D, 0xB8, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x20, 0x01, 0x0D, 0xB8, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x13, 0x88, 0x13, 0x89, 0x00, 0x00, 0x00, 0x01,
      0x00, 0x00, 0x00, 0x02, 0x50, 0x18, 0x40, 0x00, 0x28, 0xDE, 0x00, 0x00, 'a',  'b',  'c'};
  g_autoptr(datagram) packet = fixture_text_packet(6, "abc");
  fixture_assert_wire(packet, expected, sizeof expected);
  g_assert_cmphex(datagram_tcp_checksum(packet), ==, 0x28DE);
  fixture_assert_address(ip_header_source(packet->header), 6, 1);
  fixture_assert_address(ip_header_destination(packet->header), 6, 2);
  g_assert_cmphex(datagram_tcp_flags(packet), ==, TCP_ACK | TCP_PSH);
  g_assert_false(datagram_may_be_fragmented(packet));
}

VERSION_TEST(test_what_is_written_is_read)
{
  uint8_t wire[80] = {0};
  g_autoptr(datagram) packet = fixture_text_packet(version, "payload");
  uint32_t octets = datagram_octets(packet);
  datagram_write(packet, wire, true);
  g_autoptr(datagram) read = fixture_read(wire, octets + 6); /* six octets of Ethernet padding */
  g_assert_nonnull(read);
  g_assert_cmpint(read->kind, ==, DATAGRAM_TCP);
  fixture_assert_same_wire(read, packet);
  g_assert_true(buffer_chain_equals(&read->payload, 0, 7, (const uint8_t *)"payload"));
  tcp_header header;
  g_assert_true(datagram_tcp_header(read, &header));
  EXPECT_FIELDS(&header, (source_port, 0x1388), (window, 0x4000));
}

/* IP options are no use to the receiving host: what remains has a header of 20 octets, and a length for that.
 */
TEST(test_ip_options_are_left_out)
{
  uint8_t wire[64] = {0};
  g_autoptr(datagram) packet = fixture_text_packet(4, "abc");
  datagram_write(packet, wire, false);
  memmove(wire + 28, wire + 20, 23);
  memset(wire + 20, 1, 8); /* NOPs */
  wire[0] = 0x47;
  wire[3] = 43 + 8;
  g_autoptr(datagram) read = fixture_read(wire, 51);
  g_assert_nonnull(read);
  g_assert_cmpuint(datagram_octets(read), ==, 43);
  fixture_assert_same_wire(read, packet);
}

static const struct {
  unsigned version, at;
  uint8_t value;
} refused_rows[] = {
    {4, 0, 0x55},  /* version 5 */
    {4, 0, 0x65},  /* version 6: its payload length would be 0, its next header something else */
    {4, 0, 0x44},  /* IHL 16 octets */
    {4, 0, 0x4F},  /* IHL 60 octets: beyond the packet */
    {4, 3, 19},    /* total length below the header */
    {4, 3, 39},    /* total length cuts the TCP header */
    {4, 3, 44},    /* total length beyond what is there */
    {4, 9, 17},    /* UDP */
    {4, 32, 0x40}, /* TCP data offset 16 octets */
    {4, 32, 0x60}, /* TCP data offset 24 octets: one beyond the payload */
    {6, 5, 19},    /* payload length cuts the TCP header */
    {6, 5, 24},    /* payload length beyond what is there */
    {6, 6, 17},    /* UDP */
    {6, 6, 0},     /* hop-by-hop options: not known */
    {6, 6, 58},    /* ICMPv6 */
    {6, 52, 0x60}, /* TCP data offset 24 octets: one beyond the payload */
};

ROW_TEST(test_refused, refused_rows)
{
  g_autoptr(datagram) packet = fixture_text_packet(c->version, "abc");
  g_autofree uint8_t *wire = fixture_wire(packet);
  wire[c->at] = c->value;
  g_assert_null(fixture_read(wire, datagram_octets(packet)));
}

VERSION_TEST(test_cut_off)
{
  g_autoptr(datagram) packet = fixture_text_packet(version, "abc");
  g_autofree uint8_t *wire = fixture_wire(packet);
  for (size_t length = 1; length < datagram_octets(packet); length++) {
    g_assert_null(fixture_read(wire, length));
  }
}

/* RFC 6946: a fragment header on a packet that is whole. It is left out. */
TEST(test_atomic_fragment)
{
  static const uint8_t fragment[8] = {6, 0, 0, 0, 1, 2, 3, 4};
  uint8_t wire[71];
  g_autoptr(datagram) packet = fixture_text_packet(6, "abc");
  datagram_write(packet, wire, true);
  memmove(wire + 48, wire + 40, 23);
  memcpy(wire + 40, fragment, sizeof fragment);
  wire[5] = 23 + 8;
  wire[6] = 44;
  g_autoptr(datagram) read = fixture_read(wire, sizeof wire);
  g_assert_nonnull(read);
  fixture_assert_same_wire(read, packet);
}

/* The last two bits of the second octet (RFC 3168 §5); in IPv6 those of the traffic class, whose low half is
 * the high half of the second octet (RFC 8200 §3). Nothing else changes. */
static const struct {
  unsigned version;
  datagram_ecn ecn;
  uint8_t second_octet;
} ecn_rows[] = {
    {4, DATAGRAM_ECN_NOT_CAPABLE, 0x00}, {4, DATAGRAM_ECN_ECT_1, 0x01},       {4, DATAGRAM_ECN_ECT_0, 0x02},
    {4, DATAGRAM_ECN_CONGESTED, 0x03},   {6, DATAGRAM_ECN_ECT_1, 0x10},       {6, DATAGRAM_ECN_ECT_0, 0x20},
    {6, DATAGRAM_ECN_CONGESTED, 0x30},   {6, DATAGRAM_ECN_NOT_CAPABLE, 0x00},
};

ROW_TEST(test_ecn, ecn_rows)
{
  uint8_t wire[63];
  g_autoptr(datagram) packet = fixture_text_packet(c->version, "abc");
  g_assert_cmpint(datagram_ecn_of(packet), ==, DATAGRAM_ECN_NOT_CAPABLE);
  packet->header[1] |= c->version == 4 ? 0xA8 : 0xCF; /* DSCP; DSCP and flow label */
  datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  datagram_set_ecn(packet, c->ecn);
  g_assert_cmpint(datagram_ecn_of(packet), ==, c->ecn);
  datagram_write(packet, wire, true);
  g_assert_cmphex(wire[0], ==, c->version == 4 ? 0x45 : 0x60);
  g_assert_cmphex(wire[1], ==, c->second_octet | (c->version == 4 ? 0xA8 : 0xCF));
  g_autoptr(datagram) read = fixture_through_wire(packet);
  g_assert_cmpint(datagram_ecn_of(read), ==, c->ecn);
}

/* A packet is of its own flow, and of none that differs in the last octet of a field. */
static void assert_is_of_flow_alone(const datagram *packet, const datagram_flow *flow)
{
  size_t last = flow->source.version == 4 ? 3 : 15;
  datagram_flow others[5] = {*flow, *flow, *flow, *flow, *flow};

  others[0].source_port ^= 1;
  others[1].destination_port ^= 1;
  others[2].source.octets[last] ^= 1;
  others[3].destination.octets[last] ^= 1;
  others[4].source.version ^= 4 ^ 6;
  g_assert_true(datagram_is_of_flow(packet, flow));
  for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
    g_assert_false(datagram_is_of_flow(packet, &others[i]));
  }
}

VERSION_TEST(test_flow)
{
  datagram_flow flow;
  g_autoptr(datagram) packet = fixture_text_packet(version, "");
  g_assert_true(datagram_flow_of(packet, &flow));
  fixture_assert_address(flow.source, version, 1);
  fixture_assert_address(flow.destination, version, 2);
  EXPECT_FIELDS(&flow, (source_port, 5000), (destination_port, 5001));
  assert_is_of_flow_alone(packet, &flow);
}

/* A packet carries no checksum until it is asked to, and then keeps it, on the wire too: what is damaged
 * afterwards is found, wherever it lies after the IP header, at the other end as well. */
VERSION_TEST(test_damage_is_found)
{
  g_autoptr(datagram) packet = fixture_text_packet(version, "abc");
  uint32_t ip_octets = packet->ip_octets;
  g_assert_false(packet->carries_checksum);
  g_assert_true(datagram_checksum_is_right(packet));
  datagram_carry_checksum(packet);
  g_assert_true(packet->carries_checksum);
  g_assert_true(datagram_checksum_is_right(packet));
  g_assert_cmphex(datagram_tcp_checksum(packet), ==, version == 4 ? 0x02FF : 0x28DE);

  g_autoptr(datagram) copy = datagram_copy(packet);
  datagram_own_payload(copy)[1] ^= 0x20;
  g_assert_false(datagram_checksum_is_right(copy));
  g_assert_true(datagram_checksum_is_right(packet)); /* the octets were shared, and are no more */
  datagram_carry_checksum(copy);                     /* has one: the damage is not covered up */
  g_assert_false(datagram_checksum_is_right(copy));
  g_autoptr(datagram) read = fixture_through_wire(copy);
  g_assert_false(datagram_checksum_is_right(read));

  packet->header[ip_octets + 3] ^= 1; /* the destination port */
  g_assert_false(datagram_checksum_is_right(packet));
  packet->header[ip_octets + 3] ^= 1;
  packet->header[ip_octets + 16] ^= 1; /* the checksum */
  g_assert_false(datagram_checksum_is_right(packet));
}

/* A packet that is changed and forgets its checksum has one of what it is now, on the wire and when it
 * carries one again. */
VERSION_TEST(test_checksum_is_forgotten)
{
  g_autoptr(datagram) packet = fixture_text_packet(version, "abc");
  datagram_carry_checksum(packet);
  datagram_own_payload(packet)[1] ^= 0x20;
  g_assert_false(datagram_checksum_is_right(packet));
  datagram_forget_checksum(packet);
  g_assert_false(packet->carries_checksum);
  g_autoptr(datagram) read = fixture_through_wire(packet);
  g_assert_true(read->carries_checksum);
  g_assert_true(datagram_checksum_is_right(read));
  datagram_carry_checksum(packet);
  g_assert_true(datagram_checksum_is_right(packet));
}

/* A checksum that comes out as 0 is carried as FFFF, its other form, so that it is not taken for none; and is
 * right. Pseudo header C0A8 + 0001 + C0A8 + 0002 + 0006 + 0016 = 1816F; header B72C; together 2389B, folded
 * 389D: the payload C762 makes FFFF of it, ~ = 0. */
TEST(test_checksum_of_zero)
{
  static const uint8_t octets[2] = {0xC7, 0x62};
  g_autoptr(datagram) packet = fixture_packet(4, octets, 2);
  g_assert_cmphex(datagram_tcp_checksum(packet), ==, 0);
  datagram_carry_checksum(packet);
  EXPECT_FIELDS(packet, (header[20 + 16], 0xFF), (header[20 + 17], 0xFF));
  g_assert_true(datagram_checksum_is_right(packet));
  g_autoptr(datagram) read = fixture_through_wire(packet);
  g_assert_true(read->carries_checksum);
  g_assert_true(datagram_checksum_is_right(read));
  datagram_own_payload(read)[0] ^= 1;
  g_assert_false(datagram_checksum_is_right(read));
}

/* A header whose data offset or options damage has changed is none. */
TEST(test_damaged_header)
{
  const tcp_header with_options = {.flags = TCP_ACK, .has_timestamps = true};
  tcp_header header;
  g_autoptr(datagram) packet = fixture_text_packet(4, "abcd");
  g_assert_true(datagram_tcp_header(packet, &header));
  packet->header[32] = 0x40; /* 16 octets */
  g_assert_false(datagram_tcp_header(packet, &header));
  packet->header[32] = 0x60; /* 24 octets: what would be an option is payload */
  g_assert_false(datagram_tcp_header(packet, &header));
  g_autoptr(datagram) other = packet_between(ip_address_v4(1), ip_address_v4(1), &with_options, NULL, 0);
  other->header[32] = 0x50; /* 20 octets: what would be payload is an option */
  g_assert_false(datagram_tcp_header(other, &header));
}

/* The checksum of a payload in pieces of any length is that of the same octets in one piece. */
TEST(test_checksum_of_pieces)
{
  g_autoptr(random_stream) random = random_stream_new(3, "datagram");
  for (unsigned round = 0; round < 500; round++) {
    uint8_t octets[400];
    buffer_chain payload;
    buffer_chain_init(&payload);
    for (uint32_t at = 0; at < sizeof octets;) {
      uint32_t length = 1 + (uint32_t)random_stream_below(random, 60);
      length = MIN(length, (uint32_t)sizeof octets - at);
      for (uint32_t k = 0; k < length; k++) {
        octets[at + k] = (uint8_t)random_stream_next(random);
      }
      buffer_chain_append_copy(&payload, octets + at, length);
      at += length;
    }
    const tcp_header header = {.source_port = 1, .flags = TCP_ACK};
    const ip_address address = fixture_address(round % 2 ? 4 : 6, 1);
    g_autoptr(datagram) packet = datagram_new_in(NULL, &address, &address, &header, &payload);
    uint8_t wire[500];
    datagram_write(packet, wire, true);
    const uint8_t *checksum = wire + packet->ip_octets + 16;
    g_assert_cmphex(datagram_tcp_checksum(packet), ==, checksum[0] << 8 | checksum[1]);
    datagram_carry_checksum(packet);
    g_assert_true(datagram_checksum_is_right(packet));
  }
}

/* The octets are moved out of the chain. They may be memory of others: damage is done to a copy of them. */
TEST(test_payload_of_others)
{
  const tcp_header header = {.flags = TCP_ACK};
  const ip_address address = fixture_address(4, 1);
  uint8_t octets[] = {'a', 'b', 'c'};
  buffer_chain payload = {0};
  buffer_chain_append(&payload, octets, sizeof octets, NULL);
  g_autoptr(datagram) packet = datagram_new_in(NULL, &address, &address, &header, &payload);
  g_assert_cmpuint(payload.length, ==, 0);
  datagram_own_payload(packet)[1] ^= 0x20;
  g_assert_true(buffer_chain_equals(&packet->payload, 0, 3, (const uint8_t *)"aBc"));
  g_assert_cmpmem(octets, sizeof octets, "abc", 3);
}

/* The copy has all of it but the place on its link. */
TEST(test_copy)
{
  datagram *packet = fixture_text_packet(6, "abc");
  packet->retransmission = true;
  datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
  datagram_carry_checksum(packet);
  g_autoptr(datagram) copy = datagram_copy(packet);
  fixture_assert_same_wire(copy, packet);
  EXPECT_FIELDS(copy, (retransmission, true), (carries_checksum, true));
  datagram_unref(packet);
  g_assert_true(buffer_chain_equals(&copy->payload, 0, 3, (const uint8_t *)"abc"));
  g_autoptr(datagram) bare = fixture_text_packet(4, "");
  g_assert_null(datagram_own_payload(bare));
}

TEST(test_random_octets)
{
  g_autoptr(random_stream) random = random_stream_new(1, "datagram");
  unsigned good[3] = {0};
  for (unsigned i = 0; i < 50000; i++) {
    uint8_t wire[100];
    size_t length = 1 + random_stream_below(random, sizeof wire);
    for (size_t k = 0; k < length; k++) {
      wire[k] = (uint8_t)random_stream_next(random);
    }
    if (random_stream_chance(random, 0.9) && length >= 60) { /* likely enough to get somewhere */
      bool ipv4 = random_stream_chance(random, 0.5);
      wire[0] = ipv4 ? (uint8_t)(0x45 + random_stream_below(random, 3)) : 0x60;
      wire[ipv4 ? 2 : 4] = 0;
      wire[ipv4 ? 3 : 5] = (uint8_t)random_stream_below(random, ipv4 ? 110 : 70);
      wire[ipv4 ? 9 : 6] = !ipv4 && random_stream_chance(random, 0.5) ? 44 : 6;
      wire[40] = ipv4 ? wire[40] : 6;
      wire[ipv4 ? 32 : 52] &= 0x9F;
      wire[7] &= random_stream_chance(random, 0.5) ? 0 : 0xFF;
      wire[6] &= ipv4 && wire[7] == 0 ? 0x40 : 0xFF;
    }
    g_autoptr(datagram) packet = fixture_read(wire, length);
    if (packet) {
      g_assert_cmpuint(datagram_octets(packet), <=, length);
      /* This asks whatever can be asked of a packet. */
      datagram_flow flow;
      datagram_fragment of;
      tcp_header header;
      datagram_fragment_of(packet, &of);
      g_assert_cmpuint(of.length_octets, ==, datagram_octets(packet) - packet->ip_octets);
      g_assert_true(datagram_flow_of(packet, &flow) == (packet->kind != DATAGRAM_FRAGMENT));
      g_assert_true(packet->kind != DATAGRAM_TCP || datagram_tcp_header(packet, &header));
      datagram_checksum_is_right(packet);
      g_autoptr(datagram) copy = datagram_copy(packet);
      datagram_carry_checksum(copy);
      fixture_assert_same_wire(copy, packet);
      good[packet->kind]++;
    }
  }
  g_assert_cmpuint(good[DATAGRAM_TCP], >, 50);
  g_assert_cmpuint(good[DATAGRAM_FRAGMENT], >, 100);
}

TEST(test_references)
{
  octet_buffer *buffer = octet_buffer_new(8);
  memset(octet_buffer_octets(buffer), 7, 8);
  buffer_chain payload;
  buffer_chain_init(&payload);
  buffer_chain_append(&payload, octet_buffer_octets(buffer), 8, buffer);
  octet_buffer_unref(buffer);
  tcp_header header = {.flags = TCP_ACK};
  const ip_address address = ip_address_v4(1);
  datagram *packet = datagram_new_in(NULL, &address, &address, &header, &payload);
  g_assert_true(datagram_ref(packet) == packet);
  datagram_unref(packet);
  g_assert_cmpuint(buffer_chain_at(&packet->payload, 7), ==,
                   7); /* one reference is left, and holds the octets */
  datagram_unref(packet);
  datagram_unref(NULL);
}
