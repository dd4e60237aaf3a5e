/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments that were damaged on the way: what TCP's checksum makes of them (RFC 9293 §3.1, MUST-2,
 * MUST-3), and headers that are none. */
#include "base/random_stream.h"
#include "tcp_fixture.h"
#include "test.h"

enum { EMSS = 1460, DATA_OFFSET_AT = 12 };

static tcp_fixture *connected(uint8_t ip_version)
{
  return tcp_fixture_pair(TCP_WITH(.timestamps = true, .local_address = ip_version == 6 ? ip_address_v6(0, 0)
                                                                                        : ip_address_v4(0)));
}

static const tcp_statistics *receiver_statistics(const tcp_fixture *f)
{
  return f->end[1].connection->gauges.statistics;
}

/* MPA-029: a committed segment has passed the TCP checksum. One octet of payload, then each octet of the
 * TCP header in turn is changed: the segment is dropped and counted, nothing of it is inspected, committed
 * or acknowledged, until it comes again. */
TEST(test_wrong_checksum)
{
  for (unsigned at = 0; at < 33; at++) {
    uint8_t version = at % 2 ? 6 : 4;
    g_autoptr(tcp_fixture) f = connected(version);
    post(f, 0, 1000, 0);
    datagram *packet = wire_packet(f, 0, 0);
    datagram_carry_checksum(packet);
    if (at < 32) {
      packet->header[packet->ip_octets + at] ^= 0x10;
    } else {
      datagram_own_payload(packet)[777] ^= 0x01;
    }
    g_test_message("octet %u", at);
    deliver(f, 0);
    expect_nothing(f, 1);
    EXPECT_FIELDS(&f->end[1], (inspected->len, 0), (segments, 0), (connection->gauges.in_order_edge, 0));
    g_assert_cmpuint(receiver_statistics(f)->checksum_errors, ==, 1);
    advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
    deliver(f, 0);
    g_assert_cmpuint(f->end[1].passed_octets, ==, 1000);
    g_assert_cmpuint(receiver_statistics(f)->checksum_errors, ==, 1);
  }
}

/* The last octet of the header is another than the one that the checksum covers. */
static void damage(datagram *packet)
{
  datagram_carry_checksum(packet);
  packet->header[packet->header_octets - 1] ^= 1;
}

/* A wrong checksum drops a segment in every state (RFC 9293 §3.10.7 is about segments, and this is none):
 * no SYN opens, no RST closes, nothing is answered. */
TCP_TEST(test_wrong_checksum_in_every_state, tcp_fixture_unopened(NULL))
{
  open_end(f, 0);
  for (unsigned i = 0; i < 2; i++) { /* the SYN in LISTEN; the SYN-ACK in SYN-SENT */
    datagram *packet = wire_packet(f, i, 0);
    damage(packet);
    deliver_and_keep(f, i);
    expect_nothing(f, !i);
    packet->header[packet->header_octets - 1] ^= 1;
    deliver(f, i);
    g_assert_cmpuint(on_wire(f, !i), ==, 1);
    if (i == 0) {
      drop_all(f, 0);
    }
  }
  deliver(f, 0);
  g_assert_true(f->end[0].established && f->end[1].established);
  f->end[0].connection->class->abort(f->end[0].connection, f->now);
  collect(f, 0);
  damage(wire_packet(f, 0, 0));
  deliver(f, 0);
  g_assert_false(f->end[1].closed);
  post(f, 1, 100, 0);
  damage(wire_packet(f, 1, 0));
  deliver(f, 1); /* CLOSED: no RST answers */
  expect_nothing(f, 0);
  g_assert_cmpuint(statistics_of(f)->checksum_errors, ==, 2);
  g_assert_cmpuint(receiver_statistics(f)->checksum_errors, ==, 2);
}

/* Damage with the checksum not verified: headers that cannot be decoded are dropped, whatever else is in
 * them. */
TEST(test_no_header)
{
  for (unsigned offset = 0; offset < 16; offset++) {
    g_autoptr(tcp_fixture) f = connected(4);
    post(f, 0, 1000, 0);
    datagram *packet = wire_packet(f, 0, 0);
    packet->header[packet->ip_octets + DATA_OFFSET_AT] = (uint8_t)(offset << 4);
    deliver(f, 0);
    g_assert_cmpuint(f->end[1].passed_octets, ==,
                     offset == 8 ? 1000 : 0); /* 20 octets and the timestamps' 12 */
    g_assert_cmpuint(f->end[1].segments, ==, offset == 8 ? 1 : 0);
    expect_nothing(f, 1);
  }
}

/* Random octets in the header, without a checksum to show it: whatever is in it, nothing crashes, and no
 * octet is passed wrongly (the fixture looks) that the header does not move. The ports are not TCP's to
 * look at here. */
TEST(test_random_headers)
{
  g_autoptr(random_stream) random = random_stream_new(1, "damage");
  for (unsigned i = 0; i < 3000; i++) {
    g_autoptr(tcp_fixture) f = connected(i % 2 ? 6 : 4);
    post(f, 0, 100, 0);
    datagram *packet = wire_packet(f, 0, 0);
    for (unsigned n = 0; n < 3; n++) {
      unsigned at = 8 + (unsigned)random_stream_below(
                            random, 24); /* not the sequence number: octets keep their place */
      packet->header[packet->ip_octets + at] = (uint8_t)random_stream_next(random);
    }
    deliver(f, 0);
    if (on_wire(f, 1) > 0) {
      deliver(f, 1);
    }
  }
}
