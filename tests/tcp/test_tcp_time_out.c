/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what only the retransmission timer finds, and what it does to the sender (RFC 6298,
 * RFC 5681 §3.1). */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* One segment lost again and again: RTO 300 ms after the handshake, then 600, 1200: it is sent again at
 * 300, 900 and 2100 ms. */
TCP_TEST(test_time_outs_double, tcp_fixture_connected(true))
{
  time_ps start = f->now;
  static const time_ps when[] = {300, 900, 2100};
  post(f, 0, 1000, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(when); i++) {
    drop_segment(f, 0);
    expect_quiet_until(f, 0, start + when[i] * TIME_PS_PER_MILLISECOND);
    expect_segment(f, 0, 0, 1000);
  }
  EXPECT_FIELDS(statistics_of(f), (timeouts, 3), (retransmissions, 3));
  g_assert_cmpuint(window_of(f), ==, EMSS);
  /* Karn: its ACK is no sample, so RTO is 2400 ms still */
  deliver_and_acknowledge(f);
  start = f->now + 40 * TIME_PS_PER_MILLISECOND;
  advance_to(f, start);
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 1000);
  post(f, 0, 1000, 0);
  expect_deadline(f, 0, start + 2400 * TIME_PS_PER_MILLISECOND);
}

/* With timestamps the ACK of what was sent again is a sample, too (RFC 7323 §4.1): it echoes the
 * retransmission's own. With a clock of milliseconds, as Linux has it, an ACK is a sample by what it
 * acknowledges (tcp_ack_update_rtt()). By its echo it is one only where all of that was sent again, and then
 * of a whole tick at least. SRTT 87.5 ms + sample/8, RTTVAR 37.5 ms + |100 ms - sample|/4. */
static const struct {
  bool in_ms;
  bool lost;
  uint32_t wait_us;
  uint32_t rto_us;
} coarse_echo_rows[] = {
    {false, true, 40800, 87500 + 40800 / 8 + 150000 + 59200},
    {true, true, 40800, 87500 + 40000 / 8 + 150000 + 60000},
    {true, true, 900, 87500 + 1000 / 8 + 150000 + 99000},
    {true, false, 100400, 87500 + 100400 / 8 + 150000 + 400},
};

ROW_TEST(test_coarse_echo, coarse_echo_rows)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.timestamps = true, .timestamps_in_ms = c->in_ms, .delayed_ack_segments = 1));
  g_assert_cmpint(f->now % TIME_PS_PER_MILLISECOND, ==, 0);
  post_losing(f, 1000, c->lost ? 1 : 0);
  advance_by(f, c->lost ? 300 * TIME_PS_PER_MILLISECOND : 0);
  advance_by(f, c->wait_us * TIME_PS_PER_MICROSECOND);
  deliver(f, 0);
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 1000);
  post(f, 0, 1000, 0);
  expect_deadline(f, 0, f->now + c->rto_us * TIME_PS_PER_MICROSECOND);
}

/* What echoes nothing, or a time to come, is a sample by the segment's own time: 100 ms. RTTVAR 3/4 * 50 =
 * 37.5, RTO 100 + 150 = 250 ms; then 28.125, and 212.5. The clock of the timestamps has gone on for 10 s. */
TEST(test_no_echo)
{
  static const time_ps time_outs[] = {250 * TIME_PS_PER_MILLISECOND, 212500 * TIME_PS_PER_MICROSECOND};
  g_autoptr(tcp_fixture) f = tcp_fixture_new(TCP_WITH(.timestamps = true, .drops_untimed = false), NULL);
  f->now = 10 * TIME_PS_PER_SECOND;
  handshake(f, TCP_FIXTURE_ROUND_TRIP,
            &(tcp_header){.window = 65535, .has_timestamps = true, .timestamp_value = 1});
  for (unsigned i = 0; i < 2; i++) {
    post_losing(f, 1000, ALL);
    advance_by(f, TCP_FIXTURE_ROUND_TRIP);
    script_segment(f,
                   SCRIPT_HEADER(f, 0, (i + 1) * 1000, .flags = TCP_ACK, .window = 65535,
                                 .has_timestamps = i == 1, .timestamp_value = 2,
                                 .timestamp_echo = UINT32_MAX / 4),
                   0, 0);
    post(f, 0, 1000, 0);
    expect_deadline(f, 0, f->now + time_outs[i]);
    drop_all(f, 0);
    script_ack(f, (i + 1) * 1000, 0, NULL);
  }
}

/* A round trip within one tick of the timestamps' clock, a microsecond, is a sample of 0 (RFC 7323 §4.1).
 * RTTVAR 3/4 * 50 + 1/4 * 100 = 62.5, SRTT 7/8 * 100 = 87.5, RTO 87.5 + 250 = 337.5 ms. */
TCP_TEST(test_round_trip_within_a_tick, tcp_fixture_pair(TCP_WITH(.timestamps = true)))
{
  g_assert_cmpint(f->now % TIME_PS_PER_MICROSECOND, ==, 0);
  post(f, 0, 2 * 1448, 0);
  advance_by(f, TIME_PS_PER_MICROSECOND - 1);
  deliver_all(f, 0);
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 2 * 1448);
  post(f, 0, 1000, 0);
  expect_deadline(f, 0, f->now + 337500 * TIME_PS_PER_MICROSECOND);
}

/* MPA-043, MPA-016: what was posted and cannot be sent fails the connection, and the layer above is informed,
 * with the reason. */
TCP_TEST(test_gives_up, tcp_fixture_pair(TCP_WITH(.retries_max = 3)))
{
  time_ps start = f->now;
  post(f, 0, 1000, 0);
  advance_to(f, start + 2100 * TIME_PS_PER_MILLISECOND - 1); /* 300 + 600 + 1200 */
  g_assert_false(f->end[0].closed);
  g_assert_cmpuint(on_wire(f, 0), ==, 3);
  advance_by(f, 1);
  expect_closed(f, 0, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(on_wire(f, 0), ==, 3);
  expect_deadline(f, 0, TIME_PS_NEVER);
}

/* All of the window but segments 3 and 6 is lost. After the time-out what is not SACKed is sent again, in
 * slow start: 1 segment, then 2, and what is SACKed is not. */
TEST(test_after_a_time_out_only_what_is_missing_is_sent)
{
  static const unsigned missing[] = {0, 1, 2, 4, 5, 7, 8, 9};
  g_autoptr(tcp_fixture) f = tcp_fixture_connected(true);
  post(f, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    if (i == 3 || i == 6) {
      deliver_and_acknowledge(f);
    } else {
      drop_segment(f, 0);
    }
  }
  expect_nothing(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 1);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  unsigned sent = 0;
  while (on_wire(f, 0) > 0) {
    expect_segment(f, 0, (uint64_t)missing[sent] * EMSS, EMSS);
    sent++;
    deliver_and_acknowledge(f);
    if (sent == 1) {
      g_assert_cmpuint(on_wire(f, 0), ==, 2); /* 1 SMSS more for 1 acknowledged (RFC 3465 §2.3) */
    }
  }
  g_assert_cmpuint(sent, ==, G_N_ELEMENTS(missing));
  g_assert_cmpuint(f->end[1].passed_octets, ==, 10 * EMSS);
}

/* RFC 5681 §3.1: the second time-out in a row leaves the threshold alone. It is half of 10 segments: the
 * two of limited transmit are no part of FlightSize. */
TCP_TEST(test_threshold_of_time_outs, tcp_fixture_connected(true))
{
  post_losing(f, 20 * EMSS, 1);
  deliver_segments(f, 2);
  drop_all(f, 0);
  for (unsigned i = 1; i <= 2; i++) {
    advance_to(f, f->end[0].connection->class->deadline(f->end[0].connection));
    g_assert_cmpuint(statistics_of(f)->timeouts, ==, i);
    g_assert_cmpuint(threshold_of(f), ==, 5 * EMSS);
  }
}

/* Time-outs count in a row only: with retries_max 3, two and two, with an acknowledgement between, do not
 * end the connection. */
TCP_TEST(test_progress_restarts_the_count, tcp_fixture_pair(TCP_WITH(.retries_max = 3)))
{
  for (unsigned i = 1; i <= 3; i++) {
    post(f, 0, 1000, 0);
    for (unsigned k = 0; k < 2; k++) {
      drop_all(f, 0);
      advance_to(f, f->end[0].connection->class->deadline(f->end[0].connection));
    }
    complete_transfer(f, i * 1000);
    g_assert_false(f->end[0].closed);
  }
}

/* A segment of EMSS octets with the FIN on it is one more than the window of 1 SMSS after a time-out: it
 * leaves all the same. */
TCP_TEST(test_full_segment_with_fin_is_sent_again, tcp_fixture_connected(true))
{
  queue_record(f, 0, EMSS, 0);
  finish(f, 0);
  drop_all(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 0, EMSS);
  g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, TCP_ACK | TCP_PSH | TCP_FIN);
}

/* RFC 3522: one segment is late by more than RTO. Its acknowledgement echoes the first transmission: the
 * time-out was for nothing, and is taken back: the window is 10 segments again, without a threshold. If
 * the first was lost, the echo is of the second. */
FLAG_TEST(test_late_segment_with_timestamps, lost)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.timestamps = true, .delayed_ack_segments = 1));
  const uint32_t emss = emss_of(f);
  post(f, 0, 1000, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  g_assert_cmpuint(window_of(f), ==, emss);
  if (lost) {
    drop_segment(f, 0);
  }
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 1000);
  g_assert_cmpuint(statistics_of(f)->spurious_timeouts, ==, lost ? 0 : 1);
  g_assert_cmpuint(threshold_of(f), ==, lost ? 2 * emss : UINT64_MAX);
  g_assert_true((window_of(f) >= 10 * emss) == !lost);
}

/* An echo of the tick in which the second transmission left may be of that. The round trip is 100 us, RTO
 * three of them; the first transmission leaves so many us after a tick. */
static const struct {
  bool in_ms;
  uint32_t after_tick_us;
  uint32_t spurious;
} same_tick_rows[] = {{false, 100, 1}, {true, 100, 0}, {true, 700, 1}};

ROW_TEST(test_late_segment_within_a_tick, same_tick_rows)
{
  const tcp_config *config = TCP_WITH(.timestamps = true, .timestamps_in_ms = c->in_ms,
                                      .delayed_ack_segments = 1, .rto_min_ps = TIME_PS_PER_MICROSECOND);
  g_autoptr(tcp_fixture) f = tcp_fixture_new(config, config);
  handshake(f, 100 * TIME_PS_PER_MICROSECOND, NULL);
  advance_to(f, TIME_PS_PER_MILLISECOND + c->after_tick_us * TIME_PS_PER_MICROSECOND);
  post(f, 0, 1000, 0);
  advance_by(f, 300 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 1000);
  g_assert_cmpuint(statistics_of(f)->spurious_timeouts, ==, c->spurious);
}

/* MPA-048: FPDUs packed into one segment are packed alike when they are sent again after a time-out: 1000
 * + 400 | 1200 | 500 + 500 | 1300. */
TEST(test_boundaries_are_preserved)
{
  static const uint32_t records[] = {1000, 400, 1200, 500, 500, 1300};
  static const uint32_t lengths[] = {1400, 1200, 1000, 1300};
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_ALIGNED));
  for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
    queue_record(f, 0, records[i], TCP_RECORD_FPDU);
  }
  collect(f, 0);
  uint64_t position = 0;
  g_assert_cmpuint(on_wire(f, 0), ==, G_N_ELEMENTS(lengths));
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    expect_and_drop(f, 0, position, lengths[i]);
    position += lengths[i];
  }
  position = 0;
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    expect_and_deliver(f, 0, position, lengths[i]);
    advance_by(f, 40 * TIME_PS_PER_MILLISECOND); /* a delayed ACK */
    deliver_all(f, 1);
    position += lengths[i];
  }
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, G_N_ELEMENTS(lengths));
}

/* RFC 3465 §2.3: until the 10 segments in flight at the time-out are acknowledged, an ACK opens the window
 * by 1 SMSS at most: from 1 to 2, by the ACK of both to 3, by the ACK of all to 4. Then by 2 again: from 4
 * to 6. */
TCP_TEST(test_slow_start_after_a_time_out, tcp_fixture_scripted(NULL, OFFER(65535, EMSS)))
{
  post_losing(f, 10 * EMSS, ALL);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(window_of(f), ==, EMSS);
  script_ack(f, EMSS, 0, NULL);
  g_assert_cmpuint(window_of(f), ==, 2 * EMSS);
  g_assert_cmpuint(on_wire(f, 0), ==, 1 + 2);
  script_ack(f, 3 * EMSS, 0, NULL);
  g_assert_cmpuint(window_of(f), ==, 3 * EMSS);
  script_ack(f, 10 * EMSS, 0, NULL);
  g_assert_cmpuint(window_of(f), ==, 4 * EMSS);
  post_losing(f, 10 * EMSS, ALL);
  script_ack(f, 12 * EMSS, 0, NULL);
  g_assert_cmpuint(window_of(f), ==, 6 * EMSS);
}
