/* SPDX-License-Identifier: GPL-2.0-only */
/* The path MTU: ICMP "too big", true and forged, and black holes (RFC 1191, RFC 8201, RFC 5927 §7, RFC
 * 2923 §2.1). */
#include "tcp/tcp_connection_private.h"

#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460, HEADERS = 40 };

/* RFC 1191 §7.1, table 7-1, for a router that reports 0; never more than before, never below what every
 * link carries; what cannot be true (RFC 5927 §7.2, RFC 8201 §4) changes nothing. */
static const struct {
  uint8_t version;
  uint32_t present;
  uint32_t reported;
  uint32_t packet;
  uint32_t mtu;
} after_too_big_rows[] = {
    {4, 1500, 1400, 1500, 1400}, {4, 1500, 1500, 1500, 1500}, {4, 1500, 65535, 1500, 1500},
    {4, 1400, 1450, 1500, 1400}, {4, 1500, 68, 1500, 68},     {4, 1500, 67, 1500, 68},
    {4, 1500, 1, 1500, 68},      {4, 1500, 1400, 1400, 1500}, {4, 1500, 1400, 1401, 1400},
    {4, 1500, 0, 1500, 1492},    {4, 1492, 0, 1500, 1492},    {4, 1492, 0, 1492, 1006},
    {4, 1006, 0, 1006, 508},     {4, 508, 0, 508, 296},       {4, 296, 0, 296, 68},
    {4, 68, 0, 68, 68},          {4, 1500, 0, 65535, 1492},   {4, 65535, 0, 65535, 32000},
    {4, 32000, 0, 32000, 17914}, {4, 17914, 0, 17914, 8166},  {4, 9000, 0, 9000, 8166},
    {4, 8166, 0, 8166, 4352},    {4, 4352, 0, 4352, 2002},    {4, 2002, 0, 2002, 1492},
    {6, 1500, 1280, 1500, 1280}, {6, 1500, 1279, 1500, 1500}, {6, 1500, 0, 1500, 1500},
    {6, 1500, 1, 1500, 1500},    {6, 1500, 1499, 1500, 1499}, {6, 1500, 1500, 1500, 1500},
    {6, 1500, 1400, 1300, 1500}};

ROW_TEST(test_after_too_big, after_too_big_rows)
{
  g_test_message("IPv%u, %u, %u reported of %u", c->version, c->present, c->reported, c->packet);
  g_assert_cmpuint(tcp_path_mtu_after_too_big(c->version, c->present, c->reported, c->packet), ==, c->mtu);
}

TEST(test_bounds)
{
  g_assert_cmpuint(tcp_path_mtu_after_too_big(6, 1500, UINT32_MAX, 1500), ==, 1500);
  g_assert_cmpuint(tcp_path_mtu_min_octets(4), ==, 68);
  g_assert_cmpuint(tcp_path_mtu_min_octets(6), ==, 1280);
}

/* The plateaus again, down to what every host takes in. */
static const struct {
  uint8_t version;
  uint32_t present;
  uint32_t below;
} below_rows[] = {{4, 65535, 32000}, {4, 9000, 8166}, {4, 1500, 1492}, {4, 1492, 1006}, {4, 1006, 576},
                  {4, 577, 576},     {4, 576, 576},   {4, 500, 500},   {4, 68, 68},     {6, 9000, 8166},
                  {6, 2002, 1492},   {6, 1492, 1280}, {6, 1280, 1280}};

ROW_TEST(test_below, below_rows)
{
  g_test_message("IPv%u, %u", c->version, c->present);
  g_assert_cmpuint(tcp_path_mtu_below(c->version, c->present), ==, c->below);
}

/* The segments on the wire of end 0 are `count` of 1460 octets from `position` on, each cut into 960 and 500,
 * and are marked as sent again; they arrive. */
static void expect_resent(tcp_fixture *f, uint64_t position, unsigned count)
{
  g_assert_cmpuint(on_wire(f, 0), ==, 2 * count);
  for (unsigned i = 0; i < 2 * count; i++) {
    uint32_t length = i % 2 == 0 ? 960 : 500;
    g_assert_true(wire_packet(f, 0, 0)->retransmission);
    expect_and_deliver(f, 0, position, length);
    position += length;
  }
}

/* RFC 1191 §6.4: 10 segments of 1460 meet a link of 1000. The router's first message lowers EMSS to 960
 * and has all of them sent again at once, cut anew, each into 960 and 500: no time-out, no recovery, and
 * the window of 10 * 1460 stays. The nine messages that follow are old news. */
ROW_TEST(test_too_big, recoveries)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.sack = c->sack, .rack = c->rack));
  post(f, 0, 10 * EMSS, 0);
  g_assert_cmpuint(deliver_over(f, 0, 1000, true), ==, 10);
  g_assert_cmpuint(emss_of(f), ==, 1000 - HEADERS);
  g_assert_cmpuint(window_of(f), ==, 10 * EMSS);
  expect_resent(f, 0, 10);
  complete_transfer(f, 10 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (path_mtu_changes, 1), (retransmissions, 20), (timeouts, 0),
                (recoveries, 0));
  g_assert_cmpuint(window_of(f), >=, 10 * EMSS);
}

/* A window that counts segments stays one of 10, from the first message on of 960 octets each. A piece of
 * 500 counts as much as one of 960: 10 of the 20 pieces are sent again and no more before an ACK comes.
 * That of the first 2 lets 4 leave in slow start. */
ROW_TEST(test_too_big_for_a_window_of_segments, recoveries)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.sack = c->sack, .rack = c->rack, .window_of_segments = true));
  post(f, 0, 10 * EMSS, 0);
  g_assert_cmpuint(deliver_over(f, 0, 1000, true), ==, 10);
  g_assert_cmpuint(emss_of(f), ==, 960);
  g_assert_cmpuint(window_of(f), ==, 10 * 960);
  expect_resent(f, 0, 5);
  deliver(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, EMSS);
  g_assert_cmpuint(window_of(f), ==, 12 * 960);
  expect_resent(f, 5 * EMSS, 2);
  complete_transfer(f, 10 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 20), (timeouts, 0), (recoveries, 0));
}

/* The path shrinks after the fourth of 10 segments: what went before the segment that the router names is
 * on its way and not sent again; of the six others each is, in two pieces. Nothing comes twice. */
FLAG_TEST(test_what_went_before_is_not_sent_again, rack)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.rack = rack));
  post(f, 0, 10 * EMSS, 0);
  deliver_some(f, 0, 4);
  g_assert_cmpuint(deliver_over(f, 0, 1000, true), ==, 6);
  expect_resent(f, 4 * EMSS, 6);
  complete_transfer(f, 10 * EMSS);
  g_assert_cmpuint(f->end[1].segments, ==, 4 + 12);
  EXPECT_FIELDS(statistics_of(f), (timeouts, 0), (recoveries, 0));
}

/* Short segments between long ones: those of 100 octets pass the link of 1000 and are SACKed; the long
 * ones' loss, of which the duplicate ACKs report, too, is no congestion. With RACK the five long ones
 * alone are sent again, each in two pieces; RFC 6675's scoreboard has no mark that leaves out the four
 * short ones between them. */
ROW_TEST(test_duplicate_acks_of_what_was_too_big, recoveries)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.sack = c->sack, .rack = c->rack, .segmentation = TCP_SEGMENTATION_ALIGNED,
                                .delayed_ack_segments = 1));
  for (unsigned i = 0; i < 5; i++) {
    queue_record(f, 0, 1400, TCP_RECORD_FPDU);
    queue_record(f, 0, 100, TCP_RECORD_FPDU);
  }
  collect(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  g_assert_cmpuint(deliver_over(f, 0, 1000, true), ==, 5);
  complete_transfer(f, 7500);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, c->rack ? 10 : 14), (recoveries, 0), (timeouts, 0));
  g_assert_cmpuint(window_of(f), >=, 10 * EMSS);
}

/* RFC 1191 §5: a router that reports 0. The messages about all 10 segments of 1500 lower the MTU to the
 * next plateau only, 1492; then one about a segment of 1492 lowers it to 1006. */
TCP_TEST(test_router_that_tells_nothing, tcp_fixture_pair(NULL))
{
  post(f, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    tell_too_big(f, 0, i, 0);
  }
  g_assert_cmpuint(emss_of(f), ==, 1492 - HEADERS);
  g_assert_cmpuint(on_wire(f, 0), ==, 10 + 20);
  g_assert_cmpuint(wire_length(f, 0, 10), ==, 1452);
  tell_too_big(f, 0, 10, 0);
  g_assert_cmpuint(emss_of(f), ==, 1006 - HEADERS);
  g_assert_cmpuint(statistics_of(f)->path_mtu_changes, ==, 2);
}

/* The peer's MSS of 1000 is smaller than the MTU reported: nothing about EMSS changes, and nothing is sent
 * again. */
TCP_TEST(test_mss_is_smaller_still, tcp_fixture_between(NULL, TCP_WITH(.receive_mtu_octets = 1040)))
{
  post(f, 0, 1000, 0);
  forge_too_big(f, 0, 0, 1460, 1100);
  g_assert_cmpuint(emss_of(f), ==, 1000);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
}

/* RFC 5927 §4.1: 3000 octets are acknowledged and 2000 in flight. What does not name one of those is
 * forged: it is ignored. */
static const struct {
  uint64_t position;
  bool heeded;
} only_what_is_in_flight_rows[] = {{0, false},
                                   {2999, false},
                                   {3000, true},
                                   {4999, true},
                                   {5000, false},
                                   {5001, false},
                                   {1 << 20, false},
                                   {UINT64_C(1) << 31, false},
                                   {(UINT64_C(1) << 32) - 1, false}};

ROW_TEST(test_only_what_is_in_flight, only_what_is_in_flight_rows)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(NULL);
  post(f, 0, 3000, 0);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  post(f, 0, 2000, 0);
  forge_too_big(f, 0, c->position, 1000, 600);
  g_test_message("position %" G_GUINT64_FORMAT, c->position);
  g_assert_cmpuint(emss_of(f), ==, c->heeded ? 560 : EMSS);
}

static void receive_too_big(tcp_fixture *f, const tcp_config *about, uint16_t source_port,
                            uint16_t destination_port)
{
  tcp_header header = {
      .source_port = source_port, .destination_port = destination_port, .sequence = sequence_at(f, 0, 0)};
  buffer_chain payload = {0};
  octet_buffer *buffer = octet_buffer_new(1000);
  buffer_chain_append(&payload, octet_buffer_octets(buffer), 1000, buffer);
  octet_buffer_unref(buffer);
  ip_address router = ip_address_v4(0x0A000101);
  g_autoptr(datagram) packet =
      datagram_new_in(NULL, &about->local_address, &about->remote_address, &header, &payload);
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 600);
  f->end[0].connection->class->receive(f->end[0].connection, message, f->now);
}

/* A message about another connection with the sequence number of this one's octets. */
TCP_TEST(test_another_connection, tcp_fixture_pair(NULL))
{
  post(f, 0, 1000, 0);
  tcp_config other = f->end[0].config;
  receive_too_big(f, &other, (uint16_t)(other.local_port + 1), other.remote_port);
  receive_too_big(f, &other, other.local_port, (uint16_t)(other.remote_port + 1));
  other.local_address = ip_address_v4(0x0A000009);
  receive_too_big(f, &other, other.local_port, other.remote_port);
  other = f->end[0].config;
  other.remote_address = ip_address_v4(0x0A000009);
  receive_too_big(f, &other, other.local_port, other.remote_port);
  g_assert_cmpuint(emss_of(f), ==, EMSS);
  receive_too_big(f, &f->end[0].config, other.local_port, other.remote_port);
  g_assert_cmpuint(emss_of(f), ==, 560);
}

/* Before the handshake is done and after the end nothing is in flight. */
TCP_TEST(test_without_connection, tcp_fixture_unopened(NULL))
{
  open_end(f, 0);
  forge_too_big(f, 0, 0, 1000, 600);
  forge_too_big(f, 0, UINT32_MAX, 1000, 600); /* the SYN */
  forge_too_big(f, 1, 0, 1000, 600);          /* listens */
  deliver(f, 0);
  forge_too_big(f, 1, UINT32_MAX, 1000, 600); /* has received a SYN */
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_cmpuint(emss_of(f), ==, EMSS);
  post(f, 0, 3000, 0);
  f->end[0].connection->class->abort(f->end[0].connection, f->now);
  forge_too_big(f, 0, 0, 1000, 600);
  g_assert_cmpuint(emss_of(f), ==, EMSS);
  g_assert_cmpuint(statistics_of(f)->path_mtu_changes, ==, 0);
  g_assert_cmpuint(f->end[1].connection->gauges.statistics->path_mtu_changes, ==, 0);
}

/* A message with an octet changed, of those that its checksum covers, counts as little as one that never
 * came. */
TEST(test_damaged_message)
{
  for (unsigned at = 0; at < 36; at++) { /* 8 of ICMP, 20 of IP, 8 of TCP */
    g_autoptr(tcp_fixture) f = tcp_fixture_pair(NULL);
    post(f, 0, EMSS, 0);
    ip_address router = ip_address_v4(0x0A000101);
    g_autoptr(datagram) message = datagram_new_too_big(&router, wire_packet(f, 0, 0), 1000);
    datagram_carry_checksum(message);
    datagram_own_payload(message)[at] ^= 0x41;
    f->end[0].connection->class->receive(f->end[0].connection, message, f->now);
    g_test_message("octet %u", at);
    g_assert_cmpuint(emss_of(f), ==, EMSS);
    g_assert_cmpuint(statistics_of(f)->checksum_errors, ==, 0); /* it is no segment */
  }
}

/* RFC 1191 §3: DF on all that leaves. Without path MTU discovery it is clear, and ICMP is ignored. */
FLAG_TEST(test_discovery_is_a_choice, discovery)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_unopened(TCP_WITH(.path_mtu_discovery = discovery));
  open_end(f, 0);
  g_assert_true(datagram_may_be_fragmented(wire_packet(f, 0, 0)) == !discovery);
  deliver(f, 0);
  g_assert_true(datagram_may_be_fragmented(wire_packet(f, 1, 0)) == !discovery);
  deliver(f, 1);
  g_assert_true(datagram_may_be_fragmented(wire_packet(f, 0, 0)) == !discovery);
  deliver(f, 0);
  post(f, 0, 5 * EMSS, 0);
  for (unsigned i = 0; i < 5; i++) {
    g_assert_true(datagram_may_be_fragmented(wire_packet(f, 0, i)) == !discovery);
  }
  tell_too_big(f, 0, 0, 1000);
  g_assert_cmpuint(emss_of(f), ==, discovery ? 960 : EMSS);
  f->end[0].connection->class->abort(f->end[0].connection, f->now);
  drop_all(f, 0);
  collect(f, 0);
  g_assert_cmpuint(wire_header(f, 0, 0).flags & TCP_RST, ==, TCP_RST);
  g_assert_true(datagram_may_be_fragmented(wire_packet(f, 0, 0)) == !discovery);
}

/* RFC 8201 §4: IPv6 has 60 octets of headers. A link below 1280 there is none; such a message is ignored. */
TCP_TEST(test_ipv6, tcp_fixture_pair(TCP_WITH(.local_address = ip_address_v6(0, 0))))
{
  g_assert_cmpuint(emss_of(f), ==, 1440);
  post(f, 0, 10 * 1440, 0);
  tell_too_big(f, 0, 0, 1279);
  tell_too_big(f, 0, 0, 0);
  g_assert_cmpuint(emss_of(f), ==, 1440);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  g_assert_cmpuint(deliver_over(f, 0, 1280, true), ==, 10);
  g_assert_cmpuint(emss_of(f), ==, 1220);
  complete_transfer(f, 10 * 1440);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 0);
}

/* One segment of 1460 into a link of 1000 whose router is silent. RTO is 300 ms and doubles: after the
 * first time-out it goes out as it was, after the second, at 900 ms, for an MTU of 1492, after the third,
 * at 2100 ms, for one of 1006, after the fourth, at 4500 ms, for one of 576: 536 octets of it pass, the
 * rest follows. (What is cut off its end leaves with it: the window is that of one segment before the
 * cut.) */
TEST(test_black_hole)
{
  static const struct {
    unsigned milliseconds;
    uint32_t length;
  } steps[] = {{0, 1460}, {300, 1460}, {900, 1452}, {2100, 966}, {4500, 536}};
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.black_hole_detection = true));
  time_ps start = f->now;
  queue_record(f, 0, EMSS, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    advance_to(f, start + steps[i].milliseconds * TIME_PS_PER_MILLISECOND);
    collect(f, 0);
    g_assert_cmpuint(on_wire(f, 0), ==, i < 2 ? 1 : 2);
    expect_segment(f, 0, 0, steps[i].length);
    g_assert_cmpuint(emss_of(f), ==, steps[i].length);
    g_assert_cmpuint(deliver_over(f, 0, 1000, false), ==, steps[i].length > 960 ? 1 : 0);
  }
  complete_transfer(f, EMSS);
  EXPECT_FIELDS(statistics_of(f), (path_mtu_changes, 3), (timeouts, 4));
  advance_to(f, start + 5000 * TIME_PS_PER_MILLISECOND + 600 * TIME_PS_PER_SECOND); /* RFC 8899 §5.1.1 */
  post(f, 0, EMSS, 0);
  g_assert_cmpuint(wire_length(f, 0, 0), ==, EMSS);
}

/* Segments of 4000 octets, less than half of an EMSS of 8960, meet a silent link of 1500. R1 of RFC 1122
 * §4.2.3.5 is three: after the third time-out, at 2100 ms, the MTU is 2002, after the fourth, at 4500 ms,
 * 1492, which passes. */
TEST(test_black_hole_of_short_segments)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(
      TCP_WITH(.black_hole_detection = true, .send_mtu_octets = 9000, .receive_mtu_octets = 9000));
  post_losing(f, 4000, ALL);
  advance_by(f, 2100 * TIME_PS_PER_MILLISECOND - 1);
  g_assert_cmpuint(emss_of(f), ==, 8960);
  advance_by(f, 1);
  g_assert_cmpuint(emss_of(f), ==, 1962);
  drop_all(f, 0);
  advance_by(f, 2400 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(emss_of(f), ==, 1452);
  complete_transfer(f, 4000);
  EXPECT_FIELDS(statistics_of(f), (path_mtu_changes, 2), (timeouts, 4));
}

/* A FIN takes a sequence number, but no octet of a packet: 1452 octets with it are a packet of 1492, so that
 * after the second time-out, at 900 ms, the MTU is the next below, 1006. */
TEST(test_black_hole_of_the_last_segment)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.black_hole_detection = true, .send_mtu_octets = 1492));
  queue_record(f, 0, 1452, 0);
  finish(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  drop_all(f, 0);
  advance_by(f, 900 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(emss_of(f), ==, 966);
}

/* What fits what every host takes in does not time out for its size: 536 octets, in IPv6 1220. Beside 730
 * another segment of 730 would fit into EMSS, so two time-outs, the second at 900 ms, do not lower the MTU as
 * for 731, packets of 771, but the third at 2100 ms does, to 576. Without the option nothing does. */
static const struct {
  bool detection;
  bool ipv6;
  uint32_t octets;
  uint32_t emss_after_two;
  uint32_t emss_after_three;
} black_hole_rows[] = {{true, false, 536, 1460, 1460}, {true, false, 730, 1460, 536},
                       {true, false, 731, 536, 536},   {false, false, 1460, 1460, 1460},
                       {true, true, 1220, 1440, 1440}, {true, true, 1440, 1432, 1220}};

ROW_TEST(test_what_looks_like_a_black_hole, black_hole_rows)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.black_hole_detection = c->detection,
                                .local_address = c->ipv6 ? ip_address_v6(0, 0) : ip_address_v4(0)));
  g_test_message("%u octets", c->octets);
  post_losing(f, c->octets, ALL);
  advance_by(f, 900 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(emss_of(f), ==, c->emss_after_two);
  advance_by(f, 1200 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(emss_of(f), ==, c->emss_after_three);
}

/* RFC 1191 §6.3: ten minutes, to a second, after a router has lowered EMSS to 960 the next segment has 1460
 * octets again; nothing is sent again for that. Where the router still refuses it, EMSS falls for ten minutes
 * more. */
TCP_TEST(test_raised_after_ten_minutes, tcp_fixture_pair(TCP_WITH(.delayed_ack_segments = 1)))
{
  const time_ps ten_minutes = 600 * TIME_PS_PER_SECOND;
  post(f, 0, EMSS, 0);
  for (unsigned fall = 0; fall < 2; fall++) {
    time_ps fallen_at = f->now;
    g_assert_cmpuint(deliver_over(f, 0, 1000, true), ==, 1);
    complete_transfer(f, f->end[0].posted);
    advance_to(f, fallen_at + ten_minutes - 1);
    post(f, 0, EMSS, 0);
    g_assert_cmpuint(wire_length(f, 0, 0), ==, 960);
    deliver_all(f, 0);
    deliver_all(f, 1);
    advance_to(f, fallen_at + ten_minutes + TIME_PS_PER_SECOND);
    post(f, 0, EMSS, 0);
    g_assert_cmpuint(wire_length(f, 0, 0), ==, EMSS);
    g_assert_cmpuint(emss_of(f), ==, EMSS);
    g_assert_cmpuint(statistics_of(f)->path_mtu_changes, ==, 2 * (fall + 1));
  }
  deliver_all(f, 0);
  complete_transfer(f, f->end[0].posted);
  EXPECT_FIELDS(statistics_of(f), (path_mtu_changes, 4), (retransmissions, 4), (timeouts, 0));
}
