/* What a sender does about losses: fast retransmit, SACK recovery (RFC 6675), NewReno (RFC 6582),
 * time-outs (RFC 6298). */
#include <glib.h>

#include "tcp_kit.h"

enum { EMSS = 1460 };

#define ROUND_TRIP (100 * TIME_PS_PER_MILLISECOND)

/* Two ends after a handshake of 100 ms: SRTT 100, RTTVAR 50, so RTO is 300 ms (RFC 6298 §2.2). */
static tcp_kit *connected(bool sack)
{
  tcp_config config = tcp_kit_config();
  config.sack = sack;
  tcp_kit *kit = tcp_kit_new(&config, &config);
  handshake(kit, ROUND_TRIP, NULL);
  /* An octet the other way brings the peer's window in its scale: the ACK that changes the window is no
   * duplicate (RFC 5681 §2). */
  post(kit, 1, 1, 0);
  deliver(kit, 1);
  return kit;
}

static uint64_t window_of(const tcp_kit *kit)
{
  return tcp_connection_congestion_window_octets(kit->end[0].connection);
}

static uint64_t threshold_of(const tcp_kit *kit)
{
  return tcp_connection_slow_start_threshold_octets(kit->end[0].connection);
}

static const tcp_statistics *statistics_of(const tcp_kit *kit)
{
  return tcp_connection_statistics(kit->end[0].connection);
}

/* Lets the oldest segment arrive and its ACK come back at once; what that brings forth lies behind on the
 * wire. */
static void deliver_and_acknowledge(tcp_kit *kit)
{
  deliver(kit, 0);
  deliver_all(kit, 1);
}

static void deliver_segments(tcp_kit *kit, unsigned count)
{
  for (; count > 0; count--) {
    deliver_and_acknowledge(kit);
  }
}

/* 20 segments queued, a window of 10: the first is lost. Each of the first two duplicates lets a new
 * segment out (RFC 6675 §5 step 3), the third starts recovery: FlightSize without those two is 10
 * segments, so the window is 5. */
static void test_fast_retransmit_with_sack(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 10);
  drop_segment(kit, 0);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 10 * EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 11 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 10 * EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS);
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
  tcp_kit_free(kit);
}

/* The same without SACK: limited transmit by RFC 3042; the third duplicate makes the threshold 5 and the
 * window 5 + 3 (RFC 6582 §3.2). */
static void test_fast_retransmit_without_sack(void)
{
  tcp_kit *kit = connected(false);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 2);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 2), ==, 10 * EMSS);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 11 * EMSS);
  deliver_segments(kit, 1);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 8 * EMSS);
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
  tcp_kit_free(kit);
}

/* Two duplicates are no loss: two segments overtaken by two others come into order, and nothing is sent
 * again. */
static void test_slight_reordering_is_no_loss(void)
{
  for (unsigned sack = 0; sack < 2; sack++) {
    tcp_kit *kit = connected(sack);
    post(kit, 0, 10 * EMSS, 0);
    reorder_segments(kit, 0, 0, 2);
    settle(kit, ROUND_TRIP);
    g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 0);
    g_assert_cmpuint(threshold_of(kit), ==, UINT64_MAX);
    tcp_kit_free(kit);
  }
}

/* Segments 0 and 4 are lost, 20 are queued. Two duplicates let 10 and 11 out, the third starts recovery
 * with a window of 5. Segment 4 is lost once 5, 6 and 7 are SACKed; pipe is 8 to 11 and the retransmission
 * of 0 then, so it is sent again when 8 is SACKed: all of it before anything of the first retransmission
 * is heard. */
static void test_two_losses_with_sack_take_one_round_trip(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 0);
  expect_segment(kit, 0, 4 * EMSS, EMSS);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  deliver_segments(kit, 1);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 4 * EMSS);
  deliver_segments(kit, 3); /* 9, 10, 11: each lets a new segment out */
  g_assert_cmpuint(wire_position(kit, 0, on_wire(kit, 0) - 1), ==, 14 * EMSS);
  deliver_segments(kit, 2); /* both retransmissions */
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 12 * EMSS);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS); /* one reduction for one window of data */
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
  tcp_kit_free(kit);
}

/* Without SACK the second loss shows only when the first is repaired: the partial ACK sends it again at
 * once. */
static void test_two_losses_without_sack_take_partial_acks(void)
{
  tcp_kit *kit = connected(false);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  drop_segment(kit, 0);
  deliver_segments(kit, 5); /* 5 to 9 */
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  expect_segment(kit, 0, 0, EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 4 * EMSS);
  expect_segment(kit, 0, 4 * EMSS, EMSS);
  deliver_and_acknowledge(kit);
  expect_nothing(kit, 0);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  /* the full ACK leaves min(5, max(0, 1) + 1) segments */
  g_assert_cmpuint(window_of(kit), ==, 2 * EMSS);
  tcp_kit_free(kit);
}

/* NextSeg() rule 4: 0 and the last, 9, are lost. Nothing behind 9 shows its loss; the rescue sends it
 * again without a time-out. */
static void test_rescue_of_the_tail(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 8);
  expect_segment(kit, 0, 9 * EMSS, EMSS);
  drop_segment(kit, 0);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 2);
  g_assert_cmpuint(wire_position(kit, 0, 1), ==, 9 * EMSS);
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 0);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  tcp_kit_free(kit);
}

/* In recovery new data leaves as pipe allows. With nothing queued the rescue has gone out meanwhile, for
 * nothing: RFC 6675 wants no more than room for it. All but 0 are SACKed then, pipe is the retransmission
 * of 0, the window 5. */
static void test_new_data_in_recovery(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 9);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 2);
  g_assert_cmpuint(wire_position(kit, 0, 1), ==, 9 * EMSS);
  post(kit, 0, 10 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 2 + 4);
  g_assert_cmpuint(wire_position(kit, 0, 5), ==, 13 * EMSS);
  tcp_kit_free(kit);
}

/* What a second loss in the same window of data costs: nothing more. A loss in the next window halves
 * again. */
static void test_each_window_halves_once(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 60 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(window_of(kit), ==, 5 * EMSS);
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 60 * EMSS);
  uint64_t before = window_of(kit);
  post(kit, 0, 6 * EMSS, 0);
  g_assert_cmpuint(before, >=, 6 * EMSS);
  drop_segment(kit, 0);
  deliver_segments(kit, 3);
  g_assert_cmpuint(window_of(kit), ==, 3 * EMSS);
  tcp_kit_free(kit);
}

/* One segment lost again and again: RTO 300 ms after the handshake, then 600, 1200: it is sent again at
 * 300, 900 and 2100 ms. */
static void test_time_outs_double(void)
{
  tcp_kit *kit = connected(true);
  time_ps start = kit->now;
  static const time_ps when[] = {300, 900, 2100};
  post(kit, 0, 1000, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(when); i++) {
    drop_segment(kit, 0);
    advance_to(kit, start + when[i] * TIME_PS_PER_MILLISECOND - 1);
    expect_nothing(kit, 0);
    advance_by(kit, 1);
    expect_segment(kit, 0, 0, 1000);
  }
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 3);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 3);
  g_assert_cmpuint(window_of(kit), ==, EMSS);
  /* Karn: its ACK is no sample, so RTO is 2400 ms still */
  deliver_and_acknowledge(kit);
  start = kit->now + 40 * TIME_PS_PER_MILLISECOND;
  advance_to(kit, start);
  deliver_all(kit, 1);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 1000);
  post(kit, 0, 1000, 0);
  g_assert_cmpint(tcp_connection_deadline(kit->end[0].connection), ==,
                  start + 2400 * TIME_PS_PER_MILLISECOND);
  tcp_kit_free(kit);
}

/* With timestamps the same ACK is a sample (RFC 7323 §4.1). The retransmission's own timestamp is echoed:
 * 40 ms of delayed ACK. RTTVAR 3/4 * 50 + 1/4 * |100 - 40| = 52.5, SRTT 7/8 * 100 + 5 = 92.5, RTO 92.5 +
 * 210 = 302.5 ms. */
static void test_timestamps_sample_retransmissions(void)
{
  tcp_config config = tcp_kit_config();
  config.timestamps = true;
  tcp_kit *kit = tcp_kit_new(&config, &config);
  handshake(kit, ROUND_TRIP, NULL);
  post(kit, 0, 1000, 0);
  drop_segment(kit, 0);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  deliver(kit, 0);
  advance_by(kit, 40 * TIME_PS_PER_MILLISECOND);
  deliver_all(kit, 1);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 1000);
  post(kit, 0, 1000, 0);
  g_assert_cmpint(tcp_connection_deadline(kit->end[0].connection), ==,
                  kit->now + 302500 * TIME_PS_PER_MICROSECOND);
  tcp_kit_free(kit);
}

static void test_gives_up(void)
{
  tcp_config config = tcp_kit_config();
  config.retries_max = 3;
  tcp_kit *kit = tcp_kit_new(&config, &config);
  handshake(kit, ROUND_TRIP, NULL);
  time_ps start = kit->now;
  post(kit, 0, 1000, 0);
  advance_to(kit, start + 2100 * TIME_PS_PER_MILLISECOND - 1); /* 300 + 600 + 1200 */
  g_assert_false(kit->end[0].closed);
  g_assert_cmpuint(on_wire(kit, 0), ==, 3);
  advance_by(kit, 1);
  g_assert_true(kit->end[0].closed);
  g_assert_cmpint(kit->end[0].reason, ==, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(on_wire(kit, 0), ==, 3);
  g_assert_cmpint(tcp_connection_deadline(kit->end[0].connection), ==, TIME_PS_NEVER);
  tcp_kit_free(kit);
}

/* The last of five segments is lost: no duplicate shows it, RTO does. The ACK of the first four took one
 * sample of 100 ms more: RTTVAR 3/4 * 50 = 37.5, a second (two ACKs of two segments) 28.125: RTO 100 +
 * 112.5 = 212.5 ms after the last ACK. */
static void test_tail_loss_takes_a_time_out(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 5 * EMSS, 0);
  reorder_segments(kit, 0, 0, 4);
  drop_segment(kit, 0);
  reorder_segments(kit, 0, 0, 3); /* 3 1 2 0 to 0 1 2 3 */
  g_assert_cmpuint(wire_position(kit, 0, 0), ==, 0);
  advance_by(kit, ROUND_TRIP / 2);
  deliver_all(kit, 0);
  advance_by(kit, ROUND_TRIP / 2);
  deliver_all(kit, 1);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 4 * EMSS);
  time_ps start = kit->now;
  advance_to(kit, start + 212500 * TIME_PS_PER_MICROSECOND - 1);
  expect_nothing(kit, 0);
  advance_by(kit, 1);
  expect_segment(kit, 0, 4 * EMSS, EMSS);
  tcp_kit_free(kit);
}

/* All of the window but segments 3 and 6 is lost. After the time-out what is not SACKed is sent again, in
 * slow start: 1 segment, then 2, and what is SACKed is not. */
static void test_after_a_time_out_only_what_is_missing_is_sent(void)
{
  static const unsigned missing[] = {0, 1, 2, 4, 5, 7, 8, 9};
  tcp_kit *kit = connected(true);
  post(kit, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    if (i == 3 || i == 6) {
      deliver_and_acknowledge(kit);
    } else {
      drop_segment(kit, 0);
    }
  }
  expect_nothing(kit, 0);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 1);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  unsigned sent = 0;
  while (on_wire(kit, 0) > 0) {
    expect_segment(kit, 0, (uint64_t)missing[sent] * EMSS, EMSS);
    sent++;
    deliver_and_acknowledge(kit);
    if (sent == 1) {
      g_assert_cmpuint(on_wire(kit, 0), ==, 2); /* 1 SMSS more for 1 acknowledged (RFC 3465 §2.3) */
    }
  }
  g_assert_cmpuint(sent, ==, G_N_ELEMENTS(missing));
  g_assert_cmpuint(kit->end[1].passed_octets, ==, 10 * EMSS);
  tcp_kit_free(kit);
}

/* Without SACK all is sent again after a time-out; the duplicates that this brings back start no fast
 * retransmit (RFC 6582 §3.2 steps 2 and 6). */
static void test_no_fast_retransmit_from_what_was_sent_for_nothing(void)
{
  tcp_kit *kit = connected(false);
  post(kit, 0, 8 * EMSS, 0);
  drop_segment(kit, 0);
  deliver(kit, 0); /* 1 to 7 arrive, all their ACKs are lost */
  while (on_wire(kit, 0) > 0) {
    deliver(kit, 0);
  }
  drop_all(kit, 1);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(kit, 0, 0, EMSS);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 8 * EMSS);
  expect_nothing(kit, 0);
  post(kit, 0, 2 * EMSS, 0);
  uint64_t window = window_of(kit);
  for (unsigned i = 0; i < 3; i++) {
    static const uint8_t nothing;
    octet_rope old;
    octet_rope_init(&old);
    octet_rope_append(&old, &nothing, 1, NULL);
    tcp_header header = wire_header(kit, 0, 0);
    header.sequence = tcp_sequence_of(0, kit->end[0].config.isn);
    datagram *again = datagram_new(0x0A000001, 0x0A000002, &header, &old);
    tcp_connection_receive(kit->end[1].connection, again, kit->now);
    collect(kit, 1);
    datagram_unref(again);
  }
  g_assert_cmpuint(on_wire(kit, 1), ==, 3); /* three duplicates of the ACK of 8 segments */
  deliver_all(kit, 1);
  g_assert_cmpuint(window_of(kit), ==, window);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  tcp_kit_free(kit);
}

/* NextSeg() rule 4 once in a recovery: 9 has been sent again for rescue; 10, new, has not, though there is
 * room (window 5, pipe 0, twice 9 and 10). */
static void test_one_rescue_in_a_recovery(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 8);
  g_assert_cmpuint(on_wire(kit, 0), ==, 3); /* 9, 0 and 9 again */
  post(kit, 0, EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 4);
  g_assert_cmpuint(wire_position(kit, 0, 3), ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  tcp_kit_free(kit);
}

/* The window of 10 segments is full and 10 more are queued: the hole will open it, so nothing but the
 * first segment is sent again. */
static void test_no_rescue_behind_a_full_window(void)
{
  tcp_config config = tcp_kit_config();
  tcp_config peer = config;
  peer.receive_window_octets = 10 * EMSS;
  tcp_kit *kit = tcp_kit_new(&config, &peer);
  handshake(kit, ROUND_TRIP, NULL);
  post(kit, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(kit, 0), ==, 10);
  drop_segment(kit, 0);
  deliver_segments(kit, 9);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1);
  expect_segment(kit, 0, 0, EMSS);
  settle(kit, ROUND_TRIP);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 20 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 1);
  tcp_kit_free(kit);
}

/* RFC 6582 §3.2 step 3: the first partial ACK restarts the timer (RTO 300 ms), the second does not. */
static void test_partial_acks_and_the_timer(void)
{
  tcp_kit *kit = connected(false);
  post(kit, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    if (i == 0 || i == 3 || i == 5) {
      drop_segment(kit, 0);
    } else {
      deliver_and_acknowledge(kit);
    }
  }
  expect_segment(kit, 0, 0, EMSS);
  advance_by(kit, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 3 * EMSS);
  time_ps deadline = kit->now + 300 * TIME_PS_PER_MILLISECOND;
  g_assert_cmpint(tcp_connection_deadline(kit->end[0].connection), ==, deadline);
  advance_by(kit, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 5 * EMSS);
  g_assert_cmpint(tcp_connection_deadline(kit->end[0].connection), ==, deadline);
  tcp_kit_free(kit);
}

/* RFC 5681 §3.1: the second time-out in a row leaves the threshold alone. It is half of 10 segments: the
 * two of limited transmit are no part of FlightSize. */
static void test_threshold_of_time_outs(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 20 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 2);
  drop_all(kit, 0);
  for (unsigned i = 1; i <= 2; i++) {
    advance_to(kit, tcp_connection_deadline(kit->end[0].connection));
    g_assert_cmpuint(statistics_of(kit)->timeouts, ==, i);
    g_assert_cmpuint(threshold_of(kit), ==, 5 * EMSS);
  }
  tcp_kit_free(kit);
}

/* Time-outs count in a row only: with retries_max 3, two and two, with an acknowledgement between, do not
 * end the connection. */
static void test_progress_restarts_the_count(void)
{
  tcp_config config = tcp_kit_config();
  config.retries_max = 3;
  tcp_kit *kit = tcp_kit_new(&config, &config);
  handshake(kit, ROUND_TRIP, NULL);
  for (unsigned i = 1; i <= 3; i++) {
    post(kit, 0, 1000, 0);
    for (unsigned k = 0; k < 2; k++) {
      drop_all(kit, 0);
      advance_to(kit, tcp_connection_deadline(kit->end[0].connection));
    }
    settle(kit, ROUND_TRIP);
    g_assert_cmpuint(kit->end[0].acknowledged, ==, i * 1000);
    g_assert_false(kit->end[0].closed);
  }
  tcp_kit_free(kit);
}

/* A segment of EMSS octets with the FIN on it is one more than the window of 1 SMSS after a time-out: it
 * leaves all the same. */
static void test_full_segment_with_fin_is_sent_again(void)
{
  tcp_kit *kit = connected(true);
  queue_record(kit, 0, EMSS, 0);
  finish(kit, 0);
  drop_all(kit, 0);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(wire_header(kit, 0, 0).flags, ==, TCP_ACK | TCP_PSH | TCP_FIN);
  tcp_kit_free(kit);
}

/* Without SACK an ACK that changes the window is no duplicate (RFC 5681 §2). */
static void test_window_updates_are_no_duplicates(void)
{
  tcp_config config = tcp_kit_config();
  tcp_kit *kit = tcp_kit_new(&config, NULL);
  handshake(kit, ROUND_TRIP, &(tcp_header){.window = 60000, .has_mss = true, .mss_octets = EMSS});
  post(kit, 0, 10 * EMSS, 0);
  drop_all(kit, 0);
  tcp_header header = {.sequence = tcp_sequence_of(0, kit->end[1].config.isn),
                       .acknowledgement = tcp_sequence_of(0, config.isn),
                       .flags = TCP_ACK};
  for (uint16_t i = 1; i <= 5; i++) {
    header.window = (uint16_t)(60000 + i);
    script_segment(kit, header, 0, 0);
  }
  expect_nothing(kit, 0);
  for (unsigned i = 1; i <= 3; i++) {
    script_segment(kit, header, 0, 0);
  }
  expect_segment(kit, 0, 0, EMSS);
  tcp_kit_free(kit);
}

/* The retransmission itself is lost (and the rescue behind it): SACK recovery cannot see that, the timer
 * does. */
static void test_lost_retransmission(void)
{
  tcp_kit *kit = connected(true);
  post(kit, 0, 10 * EMSS, 0);
  drop_segment(kit, 0);
  deliver_segments(kit, 9);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 2);
  drop_all(kit, 0);
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(kit, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(kit, 0), ==, 1); /* the others are SACKed */
  deliver_and_acknowledge(kit);
  g_assert_cmpuint(kit->end[0].acknowledged, ==, 10 * EMSS);
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, 3);
  g_assert_cmpuint(statistics_of(kit)->timeouts, ==, 1);
  tcp_kit_free(kit);
}

/* MPA-048: FPDUs packed into one segment are packed alike when they are sent again after a time-out: 1000
 * + 400 | 1200 | 500 + 500 | 1300. */
static void test_boundaries_are_preserved(void)
{
  static const uint32_t records[] = {1000, 400, 1200, 500, 500, 1300};
  static const uint32_t lengths[] = {1400, 1200, 1000, 1300};
  tcp_config config = tcp_kit_config();
  config.segmentation = TCP_SEGMENTATION_ALIGNED;
  tcp_kit *kit = tcp_kit_new(&config, &config);
  handshake(kit, ROUND_TRIP, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
    queue_record(kit, 0, records[i], TCP_RECORD_FPDU);
  }
  collect(kit, 0);
  uint64_t position = 0;
  g_assert_cmpuint(on_wire(kit, 0), ==, G_N_ELEMENTS(lengths));
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    expect_segment(kit, 0, position, lengths[i]);
    drop_segment(kit, 0);
    position += lengths[i];
  }
  position = 0;
  advance_by(kit, 300 * TIME_PS_PER_MILLISECOND);
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    expect_segment(kit, 0, position, lengths[i]);
    deliver(kit, 0);
    advance_by(kit, 40 * TIME_PS_PER_MILLISECOND); /* a delayed ACK */
    deliver_all(kit, 1);
    position += lengths[i];
  }
  g_assert_cmpuint(statistics_of(kit)->retransmissions, ==, G_N_ELEMENTS(lengths));
  tcp_kit_free(kit);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tcp/recovery/fast_retransmit_with_sack", test_fast_retransmit_with_sack);
  g_test_add_func("/tcp/recovery/fast_retransmit_without_sack", test_fast_retransmit_without_sack);
  g_test_add_func("/tcp/recovery/slight_reordering_is_no_loss", test_slight_reordering_is_no_loss);
  g_test_add_func("/tcp/recovery/two_losses_with_sack", test_two_losses_with_sack_take_one_round_trip);
  g_test_add_func("/tcp/recovery/two_losses_without_sack", test_two_losses_without_sack_take_partial_acks);
  g_test_add_func("/tcp/recovery/rescue_of_the_tail", test_rescue_of_the_tail);
  g_test_add_func("/tcp/recovery/new_data_in_recovery", test_new_data_in_recovery);
  g_test_add_func("/tcp/recovery/each_window_halves_once", test_each_window_halves_once);
  g_test_add_func("/tcp/recovery/time_outs_double", test_time_outs_double);
  g_test_add_func("/tcp/recovery/timestamps_sample_retransmissions", test_timestamps_sample_retransmissions);
  g_test_add_func("/tcp/recovery/gives_up", test_gives_up);
  g_test_add_func("/tcp/recovery/tail_loss", test_tail_loss_takes_a_time_out);
  g_test_add_func("/tcp/recovery/after_a_time_out", test_after_a_time_out_only_what_is_missing_is_sent);
  g_test_add_func("/tcp/recovery/no_fast_retransmit_for_nothing",
                  test_no_fast_retransmit_from_what_was_sent_for_nothing);
  g_test_add_func("/tcp/recovery/lost_retransmission", test_lost_retransmission);
  g_test_add_func("/tcp/recovery/one_rescue_in_a_recovery", test_one_rescue_in_a_recovery);
  g_test_add_func("/tcp/recovery/no_rescue_behind_a_full_window", test_no_rescue_behind_a_full_window);
  g_test_add_func("/tcp/recovery/partial_acks_and_the_timer", test_partial_acks_and_the_timer);
  g_test_add_func("/tcp/recovery/threshold_of_time_outs", test_threshold_of_time_outs);
  g_test_add_func("/tcp/recovery/progress_restarts_the_count", test_progress_restarts_the_count);
  g_test_add_func("/tcp/recovery/full_segment_with_fin_is_sent_again",
                  test_full_segment_with_fin_is_sent_again);
  g_test_add_func("/tcp/recovery/window_updates_are_no_duplicates", test_window_updates_are_no_duplicates);
  g_test_add_func("/tcp/recovery/boundaries_are_preserved", test_boundaries_are_preserved);
  return g_test_run();
}
