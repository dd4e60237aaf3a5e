/* SPDX-License-Identifier: GPL-2.0-only */
/* RACK in a connection (RFC 8985 §6): what two ends do when segments are lost, late, or lost again. */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* Two ends with RACK and D-SACK. SRTT and the least round trip are 100 ms, RTO 300 ms. */
static tcp_fixture *connected_as(bool timestamps, bool partial_undo)
{
  return tcp_fixture_pair(TCP_WITH(.partial_undo = partial_undo, .rack = true, .dsack = true,
                                   .timestamps = timestamps, .prr = true));
}

static tcp_fixture *connected(void)
{
  return connected_as(false, false);
}

/* Everything on the wire of `from` arrives half a round trip later. */
static void fly(tcp_fixture *f, unsigned from)
{
  unsigned count = on_wire(f, from);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP / 2);
  deliver_some(f, from, count);
}

/* Ten segments leave, of which so many are overtaken by the others, whose SACKs come back: more than two are
 * found lost, and three of them are sent again at once. */
static tcp_fixture *overtaken(tcp_fixture *f, GQueue *late, unsigned count)
{
  post(f, 0, 10 * emss_of(f), 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP / 2);
  for (; count > 0; count--) {
    g_queue_push_tail(late, g_queue_pop_head(&f->end[0].wire));
  }
  deliver_all(f, 0);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 3);
  return f;
}

/* The first `count` of what is late arrive before the rest of the wire. */
static void deliver_before(tcp_fixture *f, GQueue *late, unsigned count)
{
  GQueue rest = f->end[0].wire;
  g_queue_init(&f->end[0].wire);
  for (; count > 0; count--) {
    g_queue_push_tail(&f->end[0].wire, g_queue_pop_head(late));
  }
  deliver_all(f, 0);
  f->end[0].wire = rest;
}

/* §6.2 step 4: a window that duplicates have widened is an ordinary one again after so many recoveries
 * without. */
TCP_TEST(test_recoveries_narrow_the_window, connected())
{
  const tcp_sender *sender = &tcp_connection_of(f->end[0].connection)->sender;
  for (unsigned recovery = 1; recovery <= 2; recovery++) {
    post(f, 0, 10 * EMSS, 0);
    if (recovery == 1) {
      sender->flight->rack.known.multiple = 3;
      sender->flight->rack.known.persistence = 2;
    }
    drop_segment(f, 0);
    run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
    post(f, 0, EMSS, 0);
    g_assert_cmpuint(statistics_of(f)->recoveries, ==, recovery);
    g_assert_cmpuint(sender->flight->rack.known.multiple, ==, recovery == 1 ? 3 : 1);
    run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  }
}

/* What is kept in ticks of 4 ms, at a round trip of 50 us: the waits are rounded up to ticks and end at one.
 * Each row: which timer, what it waits: the reordering timer 62.5 - 50 us, of which 2 ms slack make one tick
 * after the SACKs; the probe 2 * 50 us and the slack; the delayed ACK 41 ms, 11 ticks; RTO 0.05 + 200 ms, 51
 * ticks. The last tick before time 0 was `phase_ms` before. */
static const struct {
  unsigned segments, come;
  bool probe;
  int64_t ticks, phase_ms;
} ticks_of_the_timers_rows[] = {{10, 2, true, 1, 0},  {2, 0, true, 1, 0},  {1, 1, true, 11, 0},
                                {1, 0, false, 51, 0}, {10, 2, true, 1, 3}, {2, 0, true, 1, 3},
                                {1, 1, true, 11, 3},  {1, 0, false, 51, 3}};

ROW_TEST(test_ticks_of_the_timers, ticks_of_the_timers_rows)
{
  const time_ps tick = 4 * TIME_PS_PER_MILLISECOND;
  tcp_config config =
      *TCP_WITH(.rack = true, .dsack = true, .tail_loss_probe = c->probe,
                .rto_floor = TCP_RTO_FLOOR_VARIATION, .delayed_ack_ps = 41 * TIME_PS_PER_MILLISECOND,
                .timer_slack_ps = 2 * TIME_PS_PER_MILLISECOND, .timer_tick_ps = tick,
                .tick_phase_ps = c->phase_ms * TIME_PS_PER_MILLISECOND);
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &config);
  handshake(f, 50 * TIME_PS_PER_MICROSECOND, NULL);
  unsigned end = c->ticks == 11 ? 1 : 0;
  post_losing(f, c->segments * EMSS, c->come == c->segments ? 0 : c->come > 0 ? 1 : ALL);
  if (c->come > 0) {
    advance_by(f, 25 * TIME_PS_PER_MICROSECOND);
    deliver_some(f, 0, c->come);
    drop_all(f, 0);
  }
  if (c->come > 1) {
    advance_by(f, 25 * TIME_PS_PER_MICROSECOND);
    deliver_all(f, 1);
    drop_all(f, 0);
  }
  time_ps due = ((f->now + config.tick_phase_ps) / tick + 1 + c->ticks) * tick - config.tick_phase_ps;
  expect_quiet_until(f, end, due);
  g_assert_cmpuint(on_wire(f, end), ==, 1);
}

/* Three segments of ten were overtaken by the others by more than a quarter of a round trip: fast recovery
 * for nothing. The timestamps that come back are older than the retransmissions (RFC 3522): each of the
 * three is proven, the window is what it was, and the recovery counts as spurious. What was sent again shows
 * no reordering (§6.2 step 3): the same again is a recovery again. Not so with partial undo, as Linux has it:
 * a hole that an original fills is reordering (tcp_try_undo_partial()), and is waited for. */
FLAG_TEST(test_spurious_recovery, partial)
{
  GQueue late = G_QUEUE_INIT;
  g_autoptr(tcp_fixture) f = overtaken(connected_as(true, partial), &late, 3);
  const uint32_t emss = emss_of(f);
  g_assert_cmpuint(threshold_of(f), ==, 5 * emss);
  deliver_before(f, &late, 3);
  deliver_all(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 10 * emss);
  g_assert_cmpuint(statistics_of(f)->spurious_recoveries, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
  g_assert_cmpuint(window_of(f), >=, 10 * emss);
  drop_all(f, 0);
  /* the second time: three overtaken by the others at once */
  post(f, 0, 6 * emss, 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP / 2);
  for (unsigned i = 0; i < 3; i++) {
    reorder_segments(f, 0, i, i + 3);
  }
  deliver_all(f, 0);
  fly(f, 1);
  complete_transfer(f, 16 * emss);
  g_assert_true((statistics_of(f)->recoveries == 1) == partial);
  g_assert_true((statistics_of(f)->retransmissions == 3) == partial);
}

/* Five segments of ten are overtaken by the other five. Three SACKs show five losses, with two segments on
 * their way: the first leaves at once, and PRR lets one more follow each of the last two SACKs. Then the
 * originals come: the first one's ACK lets the other two be sent again as well. */
TEST(test_originals_arrive)
{
  GQueue late = G_QUEUE_INIT;
  g_autoptr(tcp_fixture) f = overtaken(connected_as(true, false), &late, 5);
  deliver_before(f, &late, 1);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 5);
  deliver_before(f, &late, 4);
}

/* Not so with partial undo: its timestamp is from before the first retransmission, so the ACK is of an
 * original, and nothing more is sent again while the second and third are on their way. With the ACK of
 * the third original none is: the recovery is undone, and the fourth and fifth are not found lost by the
 * time that had found them. If the fifth is lost in truth, the next timer that expires is the
 * retransmission timer. */
FLAG_TEST(test_partial_undo, lost)
{
  GQueue late = G_QUEUE_INIT;
  g_autoptr(tcp_fixture) f = overtaken(connected_as(true, true), &late, 5);
  const uint32_t emss = emss_of(f);
  deliver_before(f, &late, 1);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 3);
  deliver_before(f, &late, 1);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->spurious_recoveries, ==, 0);
  deliver_before(f, &late, 1);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->spurious_recoveries, ==, 1);
  g_assert_cmpuint(threshold_of(f), ==, UINT64_MAX);
  deliver_before(f, &late, 1);
  if (lost) {
    datagram_unref(g_queue_pop_head(&late));
  } else {
    deliver_before(f, &late, 1);
  }
  drop_all(f, 0);
  fly(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, (lost ? 4 : 10) * (uint64_t)emss);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 3);
  if (lost) {
    advance_to(f, f->end[0].connection->class->deadline(f->end[0].connection));
    g_assert_cmpuint(statistics_of(f)->timeouts, ==, 1);
    expect_segment(f, 0, 4 * emss, emss);
  }
}

/* §6.2 step 2, of the SACK of an ACK that a later one has overtaken (tcp.old_sack): what it echoes is older
 * than the second transmission of segment 1, so the first has arrived, 110 ms after the second left, and RACK
 * learns nothing. If it echoes the second, RACK.rtt is that. */
FLAG_TEST(test_echo_of_an_overtaken_ack, of_the_second)
{
  enum { SENT_US = 100000, LATE_US = 110000, SEGMENTS = 5 };
  g_autoptr(tcp_fixture) f =
      tcp_fixture_new(TCP_WITH(.timestamps = true, .rack = true, .old_sack = true, .dsack = true), NULL);
  handshake(f, TCP_FIXTURE_ROUND_TRIP,
            &(tcp_header){.window = 65535, .has_sack_permitted = true, .has_timestamps = true});
  const uint32_t emss = emss_of(f);
  const tcp_sender *sender = &tcp_connection_of(f->end[0].connection)->sender;
  const uint32_t first = tcp_connection_timestamp(&f->end[0].config, f->now);
  post_losing(f, SEGMENTS * emss, ALL);
  advance_by(f, SENT_US * TIME_PS_PER_MICROSECOND);
  tcp_header ack = SCRIPT_HEADER(f, 0, 0, .flags = TCP_ACK, .window = 65535, .has_timestamps = true,
                                 .timestamp_echo = first, .sack_count = 1);
  ack.sack[0].from = sequence_at(f, 0, 2 * (int64_t)emss);
  ack.sack[0].to = sequence_at(f, 0, SEGMENTS * (int64_t)emss);
  script_segment(f, ack, 0, 0);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 2));
  drop_all(f, 0);
  tcp_header overtaken = ack;
  overtaken.sack[0].from = sequence_at(f, 0, emss);
  overtaken.timestamp_echo = first + (of_the_second ? SENT_US : 0);
  advance_by(f, SENT_US * TIME_PS_PER_MICROSECOND);
  ack.acknowledgement = sequence_at(f, 0, emss);
  ack.timestamp_echo = first + SENT_US;
  script_segment(f, ack, 0, 0);
  advance_by(f, (LATE_US - SENT_US) * TIME_PS_PER_MICROSECOND);
  script_segment(f, overtaken, 0, 0);
  g_assert_cmpuint(tcp_scoreboard_sacked_octets(&sender->flight->board), ==, 4 * emss);
  g_assert_cmpint(sender->flight->rack.known.round_trip_ps, ==,
                  (of_the_second ? LATE_US : SENT_US) * TIME_PS_PER_MICROSECOND);
}

/* A time-out for nothing, by the timestamps, is delay, not reordering: the next loss is found by the SACKs
 * of three segments, at once. */
TCP_TEST(test_spurious_time_out_is_no_reordering, connected_as(true, false))
{
  const uint32_t emss = emss_of(f);
  post(f, 0, 10 * emss, 0);
  advance_by(f, 310 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 1);
  deliver_some(f, 0, 10);
  drop_all(f, 0);
  fly(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 10 * emss);
  EXPECT_FIELDS(statistics_of(f), (spurious_timeouts, 1), (retransmissions, 1));
  drop_all(f, 0);
  post_losing(f, 4 * emss, 1);
  fly(f, 0);
  fly(f, 1);
  g_assert_cmpuint(statistics_of(f)->recoveries, ==, 1);
  expect_segment(f, 0, 10 * emss, emss);
}

/* Without timestamps D-SACK shows it (RFC 3708), when the three retransmissions have arrived as well. A
 * retransmission that was needed proves nothing: 0 is truly lost, 1 and 2 late. */
FLAG_TEST(test_spurious_recovery_by_duplicates, lost)
{
  GQueue late = G_QUEUE_INIT;
  g_autoptr(tcp_fixture) f = overtaken(connected(), &late, 3);
  for (unsigned i = 0; i < 3; i++) { /* the originals first */
    g_queue_push_head(&f->end[0].wire, g_queue_pop_tail(&late));
  }
  if (lost) {
    drop_segment(f, 0);
  }
  fly(f, 0);
  fly(f, 1);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 10 * EMSS);
  EXPECT_FIELDS(statistics_of(f), (duplicates_reported, lost ? 2 : 3), (spurious_recoveries, lost ? 0 : 1));
  g_assert_cmpuint(threshold_of(f), ==, lost ? 5 * EMSS : UINT64_MAX);
}
