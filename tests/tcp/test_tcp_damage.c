/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments that were damaged on the way: what TCP's checksum makes of them (RFC 9293 §3.1, MUST-2, MUST-3), and headers that are
 * none. */
#include <glib.h>

#include "base/random_stream.h"
#include "tcp_kit.h"

enum { EMSS = 1460, DATA_OFFSET_AT = 12 };

static tcp_kit *connected(uint8_t ip_version)
{
  tcp_config config = tcp_kit_config();
  config.timestamps = true;
  config.local_address = ip_version == 6 ? ip_address_v6(0, 0) : ip_address_v4(0);
  return tcp_kit_pair(&config);
}

static const tcp_statistics *receiver_statistics(const tcp_kit *kit)
{
  return tcp_transport_statistics(kit->end[1].connection);
}

/* MPA-029: a committed segment has passed the TCP checksum. One octet of payload, then each octet of the TCP header in turn is
 * changed: the segment is dropped and counted, nothing of it is inspected, committed or acknowledged, until it comes again. */
static void test_wrong_checksum(void)
{
  for (unsigned at = 0; at < 33; at++) {
    uint8_t version = at % 2 ? 6 : 4;
    g_autoptr(tcp_kit) kit = connected(version);
    post(kit, 0, 1000, 0);
    datagram *packet = wire_packet(kit, 0, 0);
    datagram_carry_checksum(packet);
    if (at < 32) {
      packet->header[packet->ip_octets + at] ^= 0x10;
    } else {
      datagram_own_payload(packet)[777] ^= 0x01;
    }
    g_test_message("octet %u", at);
    deliver(kit, 0);
    expect_nothing(kit, 1);
    g_assert_cmpuint(kit->end[1].inspected->len, ==, 0);
    g_assert_cmpuint(kit->end[1].segments, ==, 0);
    g_assert_cmpuint(kit->end[1].connection->gauges->in_order_edge, ==, 0);
    g_assert_cmpuint(receiver_statistics(kit)->checksum_errors, ==, 1);
    advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
    deliver(kit, 0);
    g_assert_cmpuint(kit->end[1].passed_octets, ==, 1000);
    g_assert_cmpuint(receiver_statistics(kit)->checksum_errors, ==, 1);
  }
}

/* A checksum that is right is no reason to drop anything. */
static void test_right_checksum(void)
{
  for (uint8_t version = 4; version <= 6; version += 2) {
    g_autoptr(tcp_kit) kit = connected(version);
    post(kit, 0, 3 * EMSS, 0);
    while (on_wire(kit, 0) > 0) {
      datagram_carry_checksum(wire_packet(kit, 0, 0));
      deliver(kit, 0);
    }
    while (on_wire(kit, 1) > 0) {
      datagram_carry_checksum(wire_packet(kit, 1, 0));
      deliver(kit, 1);
    }
    settle(kit, TCP_KIT_ROUND_TRIP);
    g_assert_cmpuint(kit->end[0].acknowledged, ==, 3 * EMSS);
    g_assert_cmpuint(receiver_statistics(kit)->checksum_errors + statistics_of(kit)->checksum_errors, ==, 0);
  }
}

/* A wrong checksum drops a segment in every state (RFC 9293 §3.10.7 is about segments, and this is none): no SYN opens, no RST
 * closes, nothing is answered. */
static void test_wrong_checksum_in_every_state(void)
{
  tcp_config config = tcp_kit_config();
  g_autoptr(tcp_kit) kit = tcp_kit_new(&config, &config);
  open_end(kit, 0);
  for (unsigned i = 0; i < 2; i++) { /* the SYN in LISTEN; the SYN-ACK in SYN-SENT */
    datagram *packet = wire_packet(kit, i, 0);
    datagram_carry_checksum(packet);
    packet->header[packet->header_octets - 1] ^= 1;
    deliver_and_keep(kit, i);
    expect_nothing(kit, !i);
    packet->header[packet->header_octets - 1] ^= 1;
    deliver(kit, i);
    g_assert_cmpuint(on_wire(kit, !i), ==, 1);
    if (i == 0) {
      drop_all(kit, 0);
    }
  }
  deliver(kit, 0);
  g_assert_true(kit->end[0].established && kit->end[1].established);
  tcp_transport_abort(kit->end[0].connection, kit->now);
  collect(kit, 0);
  datagram *reset = wire_packet(kit, 0, 0);
  datagram_carry_checksum(reset);
  reset->header[reset->header_octets - 1] ^= 1;
  deliver(kit, 0);
  g_assert_false(kit->end[1].closed);
  post(kit, 1, 100, 0);
  datagram *late = wire_packet(kit, 1, 0);
  datagram_carry_checksum(late);
  datagram_own_payload(late)[0] ^= 1;
  deliver(kit, 1); /* CLOSED: no RST answers */
  expect_nothing(kit, 0);
  g_assert_cmpuint(statistics_of(kit)->checksum_errors, ==, 2);
  g_assert_cmpuint(receiver_statistics(kit)->checksum_errors, ==, 2);
}

/* Damage whose checksum nobody looks at: headers that do not decode are dropped, whatever else they say. */
static void test_no_header(void)
{
  for (unsigned offset = 0; offset < 16; offset++) {
    g_autoptr(tcp_kit) kit = connected(4);
    post(kit, 0, 1000, 0);
    datagram *packet = wire_packet(kit, 0, 0);
    packet->header[packet->ip_octets + DATA_OFFSET_AT] = (uint8_t)(offset << 4);
    deliver(kit, 0);
    g_assert_cmpuint(kit->end[1].passed_octets, ==,
                     offset == 8 ? 1000 : 0); /* 20 octets and the timestamps' 12 */
    g_assert_cmpuint(kit->end[1].segments, ==, offset == 8 ? 1 : 0);
    expect_nothing(kit, 1);
  }
}

/* Random octets in the header, without a checksum to tell: whatever that says, nothing crashes, and no octet is passed wrongly (the
 * kit looks) that the header does not move. The ports are not TCP's to look at here. */
static void test_random_headers(void)
{
  g_autoptr(random_stream) random = random_stream_new(1, "damage");
  for (unsigned i = 0; i < 3000; i++) {
    g_autoptr(tcp_kit) kit = connected(i % 2 ? 6 : 4);
    post(kit, 0, 100, 0);
    datagram *packet = wire_packet(kit, 0, 0);
    for (unsigned n = 0; n < 3; n++) {
      unsigned at = 8 + (unsigned)random_stream_below(
                            random, 24); /* not the sequence number: octets keep their place */
      packet->header[packet->ip_octets + at] = (uint8_t)random_stream_next(random);
    }
    deliver(kit, 0);
    if (on_wire(kit, 1) > 0) {
      deliver(kit, 1);
    }
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/damage/wrong_checksum", test_wrong_checksum);
  g_test_add_func("/tcp/damage/right_checksum", test_right_checksum);
  g_test_add_func("/tcp/damage/wrong_checksum_in_every_state", test_wrong_checksum_in_every_state);
  g_test_add_func("/tcp/damage/no_header", test_no_header);
  g_test_add_func("/tcp/damage/random_headers", test_random_headers);
  return g_test_run();
}
