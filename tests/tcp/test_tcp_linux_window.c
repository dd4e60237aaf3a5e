/* SPDX-License-Identifier: GPL-2.0-only */
/* The congestion window as Linux keeps it, where the RFCs have it otherwise: each difference is one of
 * tcp_config's. What an ACK adds in slow start: test_limited_transmit and test_stretch_acks of packetdrill's.
 */
#include "flag_test.h"
#include "linux_keys.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* tcp_fixture_connected(true) with `config`, without the octet that end 0 has still to acknowledge. */
static tcp_fixture *connected(const tcp_config *config)
{
  tcp_fixture *f = tcp_fixture_pair(config);
  post(f, 1, 1, 0);
  deliver(f, 1);
  advance_by(f, config->delayed_ack_ps);
  deliver_all(f, 0);
  return f;
}

/* A message of `count` full segments leaves, and each ACK comes back. */
static void exchange_message(tcp_fixture *f, unsigned count)
{
  post(f, 0, count * EMSS, 0);
  deliver_segments(f, count);
  expect_nothing(f, 0);
}

/* A window of 10 segments, messages of 6, an ACK every 2 segments. When the first ACK comes, 6 segments
 * are in flight of 10: the window does not limit, and does not grow. Linux lets it grow below twice the 6
 * that were in flight: by the first ACK from 10 to 12, and no further however many messages follow. */
FLAG_TEST(test_messages_grow_the_window_to_twice_what_they_fill, by_round)
{
  g_autoptr(tcp_fixture) f = connected(TCP_WITH(.limited_by_round = by_round));
  for (unsigned message = 0; message < 5; message++) {
    exchange_message(f, 6);
    g_assert_cmpuint(window_of(f), ==, (by_round ? 12 : 10) * EMSS);
  }
}

/* A message of 12 segments fills the window of 10: 2 more leave with the first ACK. That the window was
 * full counts for every ACK of the round trip: 5 ACKs of the first 10 segments, in slow start of 2 each,
 * make 20. At the ACK itself the window limits only as long as it is full: 10 in flight at the first, of
 * 12 then; with 2 more 10 of 12 at the second, and it stays at 12. */
FLAG_TEST(test_a_full_window_is_remembered_for_a_round, by_round)
{
  g_autoptr(tcp_fixture) f = connected(TCP_WITH(.limited_by_round = by_round));
  post(f, 0, 12 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  deliver_segments(f, 10);
  g_assert_cmpuint(window_of(f), ==, (by_round ? 20 : 12) * EMSS);
}

/* After slow start nothing but a full window lets it grow: messages of 2 segments do not, of as many as
 * the window has do. */
TCP_TEST(test_avoidance_needs_a_full_window, connected(TCP_WITH(.limited_by_round = true)))
{
  post_losing(f, 20 * EMSS, 1);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  uint64_t before = window_of(f);
  g_assert_cmpuint(before, >=, threshold_of(f));
  for (unsigned message = 0; message < 10; message++) {
    exchange_message(f, 2);
  }
  g_assert_cmpuint(window_of(f), ==, before);
  for (unsigned message = 0; message < 2; message++) {
    exchange_message(f, (unsigned)(before / EMSS));
  }
  g_assert_cmpuint(window_of(f), ==, before + EMSS); /* by a segment, as a window and more is acknowledged */
}

/* A full window of 10 segments, more to send, an ACK for each. The first segment is marked. */
static tcp_fixture *marked(bool proportional)
{
  tcp_config config =
      *TCP_WITH(.ecn = TCP_ECN_ON, .delayed_ack_segments = 1, .ecn_proportional = proportional);
  tcp_fixture *f = connected(&config);
  post(f, 0, 40 * EMSS, 0);
  datagram_set_ecn(wire_packet(f, 0, 0), DATAGRAM_ECN_CONGESTED);
  return f;
}

/* The next ACK lets `count` segments leave. */
static void expect_leaving(tcp_fixture *f, unsigned count)
{
  unsigned before = on_wire(f, 0);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(on_wire(f, 0), ==, before - 1 + count);
}

/* The threshold is half of the window, 5. PRR lets 5/10 of what is delivered leave, a segment with every
 * second ACK, until no more than the threshold is in flight: with the 8th ACK 2 of the first 10 and 3
 * later ones. From then on each ACK lets one leave. The ACK of the 11th segment, beyond what was in flight
 * at the mark, finds the window at the threshold. */
TEST(test_prr_answers_a_mark)
{
  static const unsigned leaving[] = {0, 1, 0, 1, 0, 1, 0, 0, 1, 1};
  g_autoptr(tcp_fixture) f = marked(true);
  for (unsigned ack = 0; ack < G_N_ELEMENTS(leaving); ack++) {
    expect_leaving(f, leaving[ack]);
    g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  }
  g_assert_cmpuint(on_wire(f, 0), ==, 5);
  expect_leaving(f, 1);
  g_assert_cmpuint(window_of(f), ==, 5 * EMSS);
  g_assert_cmpuint(statistics_of(f)->ecn_reductions, ==, 1);
  complete_transfer(f, 40 * EMSS);
}

/* CUBIC, a window of 10 segments counted as such: the threshold is 7 from the mark on. While more than 7
 * are in flight ceil(0.7 k) may have left of k delivered: 1 2 3 3 4 5 5, so that ceil(0.7 k) - ceil(0.7 (k
 * - 1)) leave with the k-th ACK, and after the seventh 10 - 7 + 5 = 8 are in flight. The eighth makes them
 * 7, and nothing leaves; from then on each ACK lets one leave. */
TEST(test_prr_of_cubic_counts_segments)
{
  static const unsigned leaving[] = {1, 1, 1, 0, 1, 1, 0, 0, 1, 1};
  tcp_config config =
      *TCP_WITH(.ecn = TCP_ECN_ON, .congestion = TCP_CONGESTION_CUBIC, .delayed_ack_segments = 1,
                .ecn_proportional = true, .window_of_segments = true);
  g_autoptr(tcp_fixture) f = connected(&config);
  post(f, 0, 40 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  datagram_set_ecn(wire_packet(f, 0, 0), DATAGRAM_ECN_CONGESTED);
  for (unsigned ack = 0; ack < G_N_ELEMENTS(leaving); ack++) {
    expect_leaving(f, leaving[ack]);
    g_assert_cmpuint(threshold_of(f), ==, 7 * EMSS);
  }
  g_assert_cmpuint(on_wire(f, 0), ==, 7);
  g_assert_cmpuint(window_of(f), ==, 7 * EMSS);
  g_assert_cmpuint(statistics_of(f)->ecn_reductions, ==, 1);
}

/* RFC 3168: the window is 5 at once, so 5 of the 10 ACKs let nothing leave, and each of the others a
 * segment. */
TCP_TEST(test_a_mark_cuts_at_once, marked(false))
{
  for (unsigned ack = 1; ack <= 10; ack++) {
    expect_leaving(f, ack <= 5 ? 0 : 1);
    g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  }
}

/* A loss or a time-out while PRR answers a mark is of the same congestion: the threshold stays 5. */
TEST(test_one_reduction_for_mark_and_loss)
{
  tcp_fixture *f = marked(true);
  deliver_and_acknowledge(f);
  drop_segment(f, 0);
  deliver_segments(f, 4);
  g_assert_cmpuint(statistics_of(f)->recoveries, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  complete_transfer(f, 40 * EMSS);
  tcp_fixture_free(f);

  f = marked(true);
  deliver_and_acknowledge(f);
  drop_all(f, 0);
  advance_by(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(statistics_of(f)->timeouts, >, 0);
  g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  complete_transfer(f, 40 * EMSS);
  tcp_fixture_free(f);
}

/* Segments of 728 octets in the first three round trips, of 20 ms, at MTU 1500. With Linux' keys the
 * window of 10 segments holds 10 of them, and each that is acknowledged adds one: 10, 20, 40, whether EMSS
 * is 1460 or, with timestamps, 1448, and however ACKs are delayed. With those of the RFCs it counts
 * octets, and a segment leaves while it fits. EMSS 1460, an ACK for each segment: 14,600 octets hold 20
 * segments, 14,600 + 20 * 728 = 29,160 hold 40, 29,160 + 40 * 728 = 58,280 hold 80. EMSS 1448, an ACK for
 * every 2 segments: 14,480 octets hold 19. Of these 9 ACKs acknowledge 18, each 1456 octets of at most 2
 * SMSS: 14,480 + 18 * 728 = 27,584 octets hold 37, one is still in flight, 36 leave. With that one 37 have
 * come, and 18 ACKs acknowledge 36: 27,584 + 36 * 728 = 53,792 hold 73, and 72 leave beside one. */
enum { RECORDS = 200, TRIPS = 3 };

static const struct {
  bool as_linux;
  bool timestamps;
  uint16_t delayed_ack_segments;
  unsigned leaving[TRIPS];
} short_segments_rows[] = {{true, false, 1, {10, 20, 40}},
                           {true, true, 2, {10, 20, 40}},
                           {false, false, 1, {20, 40, 80}},
                           {false, true, 2, {19, 36, 72}}};

ROW_TEST(test_short_segments, short_segments_rows)
{
  tcp_config config = tcp_fixture_config();
  take_linux_keys(&config, c->as_linux ? UINT64_MAX : 0);
  config.timestamps = c->timestamps;
  config.delayed_ack_segments = c->delayed_ack_segments;
  config.segmentation = TCP_SEGMENTATION_RECORD;
  g_autoptr(tcp_fixture) f = connected(&config);
  for (unsigned record = 0; record < RECORDS; record++) {
    queue_record(f, 0, 728, TCP_RECORD_FPDU);
  }
  collect(f, 0);
  for (unsigned trip = 0; trip < TRIPS; trip++) {
    g_assert_cmpuint(on_wire(f, 0), ==, c->leaving[trip]);
    advance_by(f, 10 * TIME_PS_PER_MILLISECOND);
    deliver_all(f, 0);
    advance_by(f, 10 * TIME_PS_PER_MILLISECOND);
    deliver_all(f, 1);
  }
}

/* An ACK that shows a loss lets the window not grow first (tcp_cong_control()): of ten segments the second is
 * lost, and one ACK reports the other nine. The threshold is half of 10; had the window grown by nine, it
 * would be 9. */
TEST(test_no_growth_by_an_ack_that_shows_a_loss)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_scripted(
      TCP_WITH(.rack = true, .prr = true, .growth_by_delivered = true, .window_of_segments = true,
               .threshold_of_window = true, .limited_by_round = true),
      NULL);
  post(f, 0, 20 * EMSS, 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP);
  script_ack(f, EMSS, 1, (const uint64_t[][2]){{2 * EMSS, 10 * EMSS}});
  g_assert_cmpuint(statistics_of(f)->recoveries, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
}

/* PRR counts in segments too. Of 10 in flight and a threshold of 5, ceil(5/10) of a segment may leave with
 * the first that is delivered: one. In octets it is 730, and no segment leaves. */
FLAG_TEST(test_prr_counts_segments, of_segments)
{
  g_autoptr(tcp_fixture) f = connected(TCP_WITH(.ecn = TCP_ECN_ON, .delayed_ack_segments = 1,
                                                .ecn_proportional = true, .window_of_segments = of_segments));
  post(f, 0, 40 * EMSS, 0);
  datagram_set_ecn(wire_packet(f, 0, 0), DATAGRAM_ECN_CONGESTED);
  expect_leaving(f, of_segments ? 1 : 0);
}

/* Of 20 short segments in flight one is lost. The pipe counts segments: recovery begins with 20 in flight,
 * and the threshold is 10. */
TCP_TEST(test_loss_among_short_segments,
         connected(TCP_WITH(.window_of_segments = true, .initial_window_segments = 20,
                            .segmentation = TCP_SEGMENTATION_RECORD)))
{
  for (unsigned record = 0; record < 60; record++) {
    queue_record(f, 0, 500 + record, TCP_RECORD_FPDU);
  }
  collect(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 20);
  drop_segment(f, 0);
  deliver_segments(f, 5);
  g_assert_cmpuint(statistics_of(f)->recoveries, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, 10 * EMSS);
  complete_transfer(f, f->end[0].posted);
}
