/* SPDX-License-Identifier: GPL-2.0-only */
/* The three-way handshake: options, what both ends agree on, and what losses do to it. */
#include <string.h>

#include "flag_test.h"
#include "tcp_fixture.h"

static void expect_wire(tcp_fixture *f, unsigned from, const uint8_t *expected, size_t octets)
{
  uint8_t wire[100];
  const datagram *packet = g_queue_peek_head(&f->end[from].wire);
  g_assert_cmpuint(datagram_octets(packet), ==, octets);
  datagram_write(packet, wire, true);
  /* test_datagram.c proves the checksums */
  memset(wire + 10, 0, 2);
  memset(wire + 36, 0, 2);
  g_assert_cmpmem(wire, octets, expected, octets);
}

/* The three segments octet by octet. ISN 1000 = 3E8, MSS 1460 = 5B4, a window of 1 MiB: 16 times 65,536
 * does not fit in 16 bits, 32 times 32,768 = 8000 does, so the scale is 5; a SYN's own window is not
 * scaled: FFFF. Timestamps in microseconds: 50 ms = C350, 100 ms = 186A0. */
TEST(test_handshake_on_the_wire)
{
  static const uint8_t syn[] = {0x45, 0,    0,    60,   0,    0,    0x40, 0,    64, 6,
                                0,    0,    10,   0,    0,    1,    10,   0,    0,  2, /* IP */
                                0x0F, 0xA0, 0x0F, 0xA1, 0,    0,    3,    0xE8, 0,  0,
                                0,    0,    0xA0, 0x02, 0xFF, 0xFF, 0,    0,    0,  0, /* TCP */
                                2,    4,    0x05, 0xB4, 4,    2,    8,    10,   0,  0,
                                0,    0,    0,    0,    0,    0,    1,    3,    3,  5}; /* options */
  static const uint8_t syn_ack[] = {
      0x45, 0,    0,    60,   0, 0, 0x40, 0,    64, 6, 0,    0,    10,   0,    0,    2,    10, 0, 0, 1,
      0x0F, 0xA1, 0x0F, 0xA0, 0, 0, 7,    0xD0, 0,  0, 3,    0xE9, 0xA0, 0x12, 0xFF, 0xFF, 0,  0, 0, 0,
      2,    4,    0x05, 0xB4, 4, 2, 8,    10,   0,  0, 0xC3, 0x50, 0,    0,    0,    0,    1,  3, 3, 5};
  static const uint8_t ack[] = {0x45, 0,    0, 52, 0,  0,    0x40, 0,    64,   6,    0,    0,    10,
                                0,    0,    1, 10, 0,  0,    2,    0x0F, 0xA0, 0x0F, 0xA1, 0,    0,
                                3,    0xE9, 0, 0,  7,  0xD1, 0x80, 0x10, 0x80, 0x00, 0,    0,    0,
                                0,    1,    1, 8,  10, 0,    1,    0x86, 0xA0, 0,    0,    0xC3, 0x50};
  g_autoptr(tcp_fixture) f =
      tcp_fixture_new(TCP_WITH(.timestamps = true), TCP_WITH(.timestamps = true, .isn = 2000));
  open_end(f, 0);
  expect_wire(f, 0, syn, sizeof syn);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP / 2);
  deliver(f, 0);
  expect_wire(f, 1, syn_ack, sizeof syn_ack);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP / 2);
  g_assert_false(f->end[0].established);
  deliver(f, 1);
  g_assert_true(f->end[0].established);
  expect_wire(f, 0, ack, sizeof ack);
  g_assert_false(f->end[1].established);
  deliver(f, 0);
  g_assert_true(f->end[1].established);
  g_assert_true(f->end[1].connection->gauges.is_established);
  expect_nothing(f, 1);
  expect_deadline(f, 0, TIME_PS_NEVER);
  expect_deadline(f, 1, TIME_PS_NEVER);
}

/* EMSS = min(peer's MSS, own MTU - 40) - 12 with timestamps (docs/facts.md). */
static const struct {
  uint32_t peer_receives;
  uint32_t sends;
  bool timestamps;
  uint32_t emss;
} emss_rows[] = {{1500, 1500, false, 1460}, {1500, 1500, true, 1448}, {1500, 9000, false, 1460},
                 {9000, 1500, false, 1460}, {9000, 9000, true, 8948}, {576, 1500, false, 536}};

ROW_TEST(test_emss, emss_rows)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.send_mtu_octets = c->sends, .receive_mtu_octets = c->peer_receives,
                                .timestamps = c->timestamps));
  g_assert_cmpuint(emss_of(f), ==, c->emss);
  post(f, 0, 20000, 0);
  expect_segment(f, 0, 0, c->emss);
}

/* RFC 9293 §3.7.1: over IPv6 MSS is MTU - 60 (MUST-16), and 1220 when the peer announces none (MUST-15).
 * All that leaves is IPv6. */
static const struct {
  uint32_t mtu;
  bool timestamps;
  bool tells;
  uint32_t emss;
} ipv6_rows[] = {{1500, false, true, 1440},
                 {1500, true, true, 1428},
                 {9000, false, true, 8940},
                 {1280, true, true, 1208},
                 {9000, false, false, 1220}};

ROW_TEST(test_ipv6, ipv6_rows)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_new(TCP_WITH(.local_address = ip_address_v6(0, 0), .send_mtu_octets = c->mtu,
                               .receive_mtu_octets = c->mtu, .timestamps = c->timestamps),
                      NULL);
  open_end(f, 0);
  g_assert_cmpuint(wire_header(f, 0, 0).mss_octets, ==, c->mtu - 60);
  drop_segment(f, 0);
  script_segment(f,
                 SCRIPT_HEADER(f, -1, 0, .flags = TCP_SYN | TCP_ACK, .window = 65535, .has_mss = c->tells,
                               .mss_octets = (uint16_t)(c->mtu - 60), .has_timestamps = true),
                 0, 0);
  drop_all(f, 0);
  g_assert_cmpuint(emss_of(f), ==, c->emss);
  post(f, 0, 20000, 0);
  expect_segment(f, 0, 0, c->emss);
  g_assert_cmpuint(datagram_octets(wire_packet(f, 0, 0)), ==, c->emss + 60 + (c->timestamps ? 12 : 0));
  g_assert_cmpuint(wire_packet(f, 0, 0)->header[0] >> 4, ==, 6);
}

/* Each option is used only when both ends offer it (RFC 2018 §2, RFC 7323 §1.3, §3.2). */
TEST(test_options_need_both_ends)
{
  for (unsigned bits = 0; bits < 16; bits++) {
    tcp_config config = *TCP_WITH(.sack = bits & 1, .timestamps = bits & 2);
    tcp_config peer = *TCP_WITH(.sack = bits & 4, .timestamps = bits & 8);
    g_autoptr(tcp_fixture) f = tcp_fixture_between(&config, &peer);
    post(f, 0, 3 * 1400, 0);
    g_assert_cmpint(wire_header(f, 0, 0).has_timestamps, ==, config.timestamps && peer.timestamps);
    drop_segment(f, 0);
    deliver(f, 0); /* beyond a hole */
    g_assert_cmpuint(wire_header(f, 1, 0).sack_count, ==, config.sack && peer.sack ? 1 : 0);
  }
}

/* A peer without window scaling announces what 16 bits hold and no more is announced to it: 65,535 octets
 * in flight at most. A peer without MSS gets segments of 536 (RFC 9293 §3.7.1). */
TCP_TEST(test_peer_without_options, tcp_fixture_new(TCP_WITH(.initial_window_segments = 1000), NULL))
{
  tcp_header syn_ack = {.window = 65535};
  handshake(f, TCP_FIXTURE_ROUND_TRIP, &syn_ack);
  g_assert_cmpuint(emss_of(f), ==, 536);
  post(f, 0, 100000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 122); /* floor(65535 / 536): a short one would be silly */
  g_assert_cmpuint(wire_header(f, 0, 0).window, ==, 65535);
}

/* An MSS that no link can mean is not taken: 68 octets are carried by every one (RFC 791), so 28. */
TCP_TEST(test_senseless_mss, tcp_fixture_scripted(NULL, OFFER(65535, 0)))
{
  g_assert_cmpuint(emss_of(f), ==, 28);
}

/* The peer's scale of 7 makes 1000 into 128,000 octets: 87 segments of 1460. The SYN-ACK's own window is
 * not scaled. */
TCP_TEST(test_window_scale_of_the_peer, tcp_fixture_new(TCP_WITH(.initial_window_segments = 1000), NULL))
{
  tcp_header syn_ack = {
      .window = 1460, .has_mss = true, .mss_octets = 1460, .has_window_scale = true, .window_scale = 7};
  handshake(f, TCP_FIXTURE_ROUND_TRIP, &syn_ack);
  post(f, 0, 200000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  script_segment(f, SCRIPT_HEADER(f, 0, 1460, .flags = TCP_ACK, .window = 1000), 0, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1 + 87);
}

/* The announced window is what the scale can express, and the right edge never moves left. 100,001 octets
 * need scale 1: 100,000. */
TEST(test_announced_window)
{
  tcp_config peer = *TCP_WITH(.receive_window_octets = 100001, .passing = TCP_PASSING_IN_ORDER);
  g_autoptr(tcp_fixture) f = tcp_fixture_between(NULL, &peer);
  post_losing(f, 10 * 1460, 1);
  deliver_all(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, 9);
  for (unsigned i = 0; i < 9; i++) {
    g_assert_cmpuint(wire_header(f, 1, i).window, ==, 50000); /* from the in-order edge, whatever is held */
  }
  g_autoptr(tcp_fixture) scripted =
      tcp_fixture_scripted(&peer, &(tcp_header){.window = 9000, .has_window_scale = true});
  script_payload(scripted, 99999, 2, 0); /* the last octet of the window, and the one after it */
  g_assert_cmpuint(scripted->end[0].segment_new, ==, 1);
}

/* A lost SYN is sent again after 1 s; then IW is 1 segment (RFC 5681 §3.1) and RTO 3 s (RFC 6298 §5.7). */
TCP_TEST(test_lost_syn, tcp_fixture_unopened(NULL))
{
  open_end(f, 0);
  drop_segment(f, 0);
  expect_quiet_until(f, 0, TIME_PS_PER_SECOND);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_SYN);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_true(f->end[0].established && f->end[1].established);
  post(f, 0, 10000, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  expect_deadline(f, 0, f->now + 3 * TIME_PS_PER_SECOND);
}

/* The last ACK of the handshake is lost: the first segment with payload takes its place. */
TCP_TEST(test_lost_handshake_ack, tcp_fixture_unopened(NULL))
{
  open_end(f, 0);
  deliver(f, 0);
  deliver(f, 1);
  drop_segment(f, 0);
  post(f, 0, 100, 0);
  deliver(f, 0);
  EXPECT_FIELDS(&f->end[1], (established, true), (passed_octets, 100));
}

/* RFC 7323 §3.2: both SYNs had timestamps, so the ACK that ends the handshake has them too, or is dropped
 * without an answer, with or without payload: SYN-RECEIVED stays, and the SYN-ACK comes again after a
 * second. Linux takes such an ACK. */
FLAG_TEST(test_handshake_ack_without_timestamps, drops)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_new(TCP_WITH(.timestamps = true, .drops_untimed = drops), NULL);
  f->end[0].connection->class->listen(f->end[0].connection);
  tcp_header header = {.sequence = sequence_at(f, 1, -1),
                       .flags = TCP_SYN,
                       .window = 9000,
                       .has_timestamps = true,
                       .timestamp_value = 50};
  script_segment(f, header, 0, 0);
  g_assert_true(wire_header(f, 0, 0).has_timestamps);
  drop_all(f, 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP);
  header = SCRIPT_HEADER(f, 0, 0, .flags = TCP_ACK, .window = 9000);
  script_segment(f, header, 0, 0);
  g_assert_true(f->end[0].established == !drops);
  if (drops) {
    script_segment(f, header, 0, 10);
    expect_nothing(f, 0);
    advance_to(f, TIME_PS_PER_SECOND);
    g_assert_cmphex(wire_header(f, 0, 0).flags, ==, TCP_SYN | TCP_ACK);
    header.has_timestamps = true;
    header.timestamp_value = 51;
    script_segment(f, header, 0, 10);
    EXPECT_FIELDS(&f->end[0], (established, true), (passed_octets, 10));
  }
}

TCP_TEST(test_syn_is_given_up, tcp_fixture_new(TCP_WITH(.retries_max = 3), NULL))
{
  open_end(f, 0);
  advance_to(f, 7 * TIME_PS_PER_SECOND - 1); /* 1 + 2 + 4 */
  g_assert_false(f->end[0].closed);
  advance_by(f, 1);
  expect_closed(f, 0, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(on_wire(f, 0), ==, 3);
}
