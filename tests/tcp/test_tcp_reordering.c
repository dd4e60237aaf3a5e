/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a sender takes for reordering, and what follows from it: RFC 8985 §6.2, and as
 * Linux has it. */
#include "flag_test.h"
#include "sender_bench.h"

/* An ACK ends within the first of ten FPDUs, the next one completes it. Linux takes that for reordering
 * (tcp_clean_rtx_queue()), unless the segment is of a stream, or was sent again meanwhile. */
typedef struct completed_row {
  bool linux_reordering;
  tcp_segmentation segmentation;
  bool sent_again, seen;
} completed_row;

static const completed_row completed_rows[] = {
    {true, TCP_SEGMENTATION_ALIGNED, false, true},
    {false, TCP_SEGMENTATION_ALIGNED, false, false},
    {true, TCP_SEGMENTATION_STREAM, false, false},
    {true, TCP_SEGMENTATION_ALIGNED, true, false},
};

ROW_TEST(test_a_segment_completed_later, completed_rows)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = c->linux_reordering,
                             .segmentation = c->segmentation);
  for (unsigned i = 0; i < 10; i++) {
    post(b, EMSS, TCP_RECORD_FPDU);
    expect(b, i * EMSS, EMSS);
  }
  acknowledge_at(b, 10, EMSS / 2, 0, 0);
  if (c->sent_again) { /* three SACKed segments after it, a round trip later: it is lost */
    acknowledge_at(b, 20, EMSS / 2, EMSS, 4 * EMSS);
    expect(b, EMSS / 2, EMSS / 2);
    acknowledge_at(b, 30, 4 * EMSS, 0, 0);
  } else {
    acknowledge_at(b, 20, EMSS, 0, 0);
  }
  g_assert_cmpint(b->sender->flight->rack.known.reordering_seen, ==, c->seen);
}

/* Segments 0 and 1 leave at 0 ms, 2 and 3 at 5 ms. An ACK at 15 ms acknowledges 0 and SACKs 2. Its RACK.rtt
 * is that of what left last, 10 ms, so that after 10 and a quarter of it 1 is lost; in Linux that of 0, 15
 * ms, since what is acknowledged is processed after what is SACKed: 1 is lost with the SACK of 3, 11 ms after
 * that left. */
FLAG_TEST(test_round_trip_of_what_is_acknowledged, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = as_linux);
  send_flight(b, 0, 2, 2);
  b->now = ms(5);
  send_flight(b, 2, 2, 2);
  acknowledge_at(b, 15, EMSS, 2 * EMSS, 3 * EMSS);
  if (as_linux) {
    expect_nothing(b);
    acknowledge_at(b, 16, EMSS, 2 * EMSS, 4 * EMSS);
  }
  expect_only(b, EMSS, EMSS);
}

/* RFC 8985 §6.2 step 4: a D-SACK widens RACK's window. In Linux only when reordering was seen before, and no
 * more D-SACKs have come than segments were sent again (tcp_dsack_seen()). */
typedef struct widening_row {
  bool linux_reordering, seen, sent_again;
  unsigned multiple;
} widening_row;

static const widening_row widening_rows[] = {
    {false, false, false, 2},
    {true, true, true, 2},
    {true, false, true, 1},
    {true, true, false, 1},
};

ROW_TEST(test_duplicates_that_widen, widening_rows)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = c->linux_reordering);
  send_flight(b, 0, 4, 4);
  b->sender->flight->rack.known.reordering_seen = c->seen;
  tcp_sender_statistics(b->sender)->retransmissions = c->sent_again;
  acknowledge_duplicate(b, EMSS, 0, EMSS);
  g_assert_cmpuint(b->sender->flight->rack.known.multiple, ==, c->multiple);
}

/* Nor when it reports the probe, the last of two segments sent once more. */
BENCH_TEST(test_duplicate_of_a_probe, .sack = true, .rack = true, .linux_reordering = true)
{
  send_flight(b, 0, 2, 2);
  b->sender->flight->rack.known.reordering_seen = true;
  tcp_sender_statistics(b->sender)->retransmissions = 1;
  tcp_tail_loss_probe_sent(&b->sender->flight->probe, true, 2 * EMSS);
  acknowledge_duplicate(b, EMSS, EMSS, 2 * EMSS);
  g_assert_cmpuint(b->sender->flight->rack.known.multiple, ==, 1);
}

/* Once a round trip: in Linux not before something is delivered that left after the last time
 * (tcp_rack_update_reo_wnd()), whatever SND.UNA is; a D-SACK without news waits for the next delivery. */
BENCH_TEST(test_rounds_of_widening, .sack = true, .rack = true, .linux_reordering = true)
{
  send_flight(b, 0, 4, 4);
  tcp_rack_knowledge *known = &b->sender->flight->rack.known;
  known->reordering_seen = true;
  tcp_sender_statistics(b->sender)->retransmissions = 4;
  acknowledge_duplicate(b, EMSS, 0, EMSS);
  g_assert_cmpuint(known->multiple, ==, 2);
  acknowledge_duplicate(b, 2 * EMSS, 0, EMSS); /* of the same round: forgotten */
  send_flight(b, 4, 2, 2);
  acknowledge(b, 2 * EMSS, 4 * EMSS, 5 * EMSS, false);
  acknowledge_duplicate(b, 2 * EMSS, 0, EMSS); /* delivers nothing */
  g_assert_cmpuint(known->multiple, ==, 2);
  acknowledge(b, 2 * EMSS, 5 * EMSS, 6 * EMSS, false);
  g_assert_cmpuint(known->multiple, ==, 3);
}

/* A D-SACK without news, then an ACK as on a path that loses nothing. */
BENCH_TEST(test_duplicate_before_a_plain_ack, .sack = true, .rack = true, .linux_reordering = true)
{
  send_flight(b, 0, 4, 4);
  b->sender->flight->rack.known.reordering_seen = true;
  tcp_sender_statistics(b->sender)->retransmissions = 1;
  acknowledge_duplicate(b, 0, 0, EMSS);
  g_assert_cmpuint(b->sender->flight->rack.known.multiple, ==, 1);
  acknowledge_all(b, EMSS);
  g_assert_cmpuint(b->sender->flight->rack.known.multiple, ==, 2);
}

/* A full window in slow start grows by a segment that is only SACKed once one was late by more than three
 * (tcp_may_raise_cwnd()). */
FLAG_TEST(test_growth_by_sack_alone, far)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .growth_by_delivered = true);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  send_flight(b, 10, 2, 2);
  b->sender->flight->rack.known.reordering_seen = true;
  b->sender->flight->rack.known.distance_segments = far ? 4 : 3;
  acknowledge_at(b, 101, EMSS, 2 * EMSS, 3 * EMSS);
  g_assert_cmpuint(window_of(b), ==, far ? 12 * EMSS : 11 * EMSS);
}

/* A time-out after three were SACKed: segments come no more than DupThresh late after all
 * (tcp_enter_loss()). */
FLAG_TEST(test_distance_after_a_time_out, sacked)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  b->sender->flight->rack.known.reordering_seen = true; /* RACK waits for 25 ms */
  b->sender->flight->rack.known.distance_segments = 4;
  acknowledge_at(b, 101, EMSS, 2 * EMSS, sacked ? 5 * EMSS : 4 * EMSS);
  time_out_at(b, ms(102));
  g_assert_cmpuint(b->sender->flight->rack.known.distance_segments, ==, sacked ? 3 : 4);
}

/* An ACK in fast recovery that echoes a timestamp from before the first retransmission: the first of ten came
 * after the five SACKed that follow it, so by six segments, from its start to their end
 * (tcp_try_undo_partial(), before SND.UNA leaves it; the ACK covers that segment only). */
BENCH_TEST(test_distance_of_an_original, .sack = true, .rack = true, .timestamps = true, .partial_undo = true)
{
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, EMSS, 6 * EMSS);
  expect(b, 0, EMSS);
  acknowledge_echoing(b, 110, 0, EMSS, EMSS, 6 * EMSS);
  g_assert_cmpuint(b->sender->flight->rack.known.distance_segments, ==, 6);
}

/* Of ten segments the first four are taken as lost, and 0 and 1 are sent again; 1 comes, and comes twice, so
 * the first of the two was its original, late by six segments, from its start to the end of 6
 * (tcp_sacktag_one()). The ACK that reports it may acknowledge it, too. */
typedef struct late_row {
  bool as_linux;
  uint64_t position;
} late_row;

static const late_row late_rows[] = {{false, 0}, {true, 0}, {true, 2 * EMSS}};

ROW_TEST(test_late_original, late_rows)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = c->as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, 4 * EMSS, 7 * EMSS);
  expect_full_segments(b, 0, 2);
  acknowledge_at(b, 150, 0, EMSS, 2 * EMSS);
  g_assert_false(b->sender->flight->rack.known.reordering_seen);
  acknowledge_duplicate(b, c->position, EMSS, 2 * EMSS);
  g_assert_cmpint(b->sender->flight->rack.known.reordering_seen, ==, c->as_linux);
  g_assert_cmpuint(b->sender->flight->rack.known.distance_segments, ==, c->as_linux ? 6 : 0);
}

/* After the first of ten segments 1 and 2 are taken as lost, and 1 is sent again, for nothing, as a D-SACK
 * says. The recovery is undone. In Linux 2 is still lost, which begins another (tcp_try_undo_dsack()); else
 * it is on its way again. */
FLAG_TEST(test_lost_after_an_undo, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, EMSS, 0, 0);
  acknowledge_at(b, 100, EMSS, 3 * EMSS, 6 * EMSS);
  expect_only(b, EMSS, EMSS);
  b->sender->flight->rack.known.reordering_seen = true; /* RACK waits for 25 ms */
  b->now = ms(110);
  acknowledge_duplicate(b, 2 * EMSS, EMSS, 2 * EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->spurious_recoveries, ==, 1);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->recoveries, ==, as_linux ? 2 : 1);
  g_assert_cmpuint(b->sender->flight->board.lost_segments, ==, as_linux ? 1 : 0);
}

/* One ACK reports 8, sent at 50 ms, and 2, sent at 0, in this order. Linux takes them in the order of the
 * stream (tcp_sacktag_write_queue()), so that RACK's round trip is that of 8. */
FLAG_TEST(test_order_of_blocks, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = as_linux);
  send_flight(b, 0, 5, 5);
  b->now = ms(50);
  send_flight(b, 5, 5, 5);
  b->now = ms(100);
  tcp_acknowledgement ack = {.sack_count = 2,
                             .sack = {{8 * EMSS, 9 * EMSS}, {2 * EMSS, 3 * EMSS}},
                             .round_trip_ps = -1,
                             .echoed_before_ps = -1};
  tcp_sender_acknowledge(b->sender, &ack, b->now);
  g_assert_cmpint(b->sender->flight->rack.known.round_trip_ps, ==, ms(as_linux ? 50 : 100));
}

/* The first of five segments is acknowledged, and the third is SACKed after 99 ms, so that the second is
 * overdue after 99 and a quarter of that. An ACK that brings no news comes then: Linux waits for its timer,
 * or for news (tcp_rack_mark_lost()). */
FLAG_TEST(test_losses_are_looked_for, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = as_linux);
  for (unsigned i = 0; i < 5; i++) {
    b->now = ms(i);
    send_one(b, i * EMSS, EMSS);
  }
  acknowledge_at(b, 100, EMSS, 0, 0);
  acknowledge_at(b, 101, EMSS, 2 * EMSS, 3 * EMSS);
  acknowledge_at(b, 126, EMSS, 2 * EMSS, 3 * EMSS);
  g_assert_cmpuint(b->sender->flight->board.lost_segments, ==, as_linux ? 0 : 1);
}

/* The first of nine segments is acknowledged, and 2, 3, 4 and 7 are SACKed, 100 ms after they left, a
 * millisecond apart; RACK waits for a quarter of that. At 127 ms 1 is lost and sent again, 5 and 6 are not
 * yet. 1 ms later all below 5 are acknowledged: too soon for the retransmission, so there is no round trip,
 * and Linux sets its one timer to the RTO (tcp_ack(), tcp_set_xmit_timer()). */
FLAG_TEST(test_one_timer, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .linux_reordering = as_linux);
  for (unsigned i = 0; i < 9; i++) {
    b->now = ms(i);
    send_one(b, i * EMSS, EMSS);
  }
  acknowledge_at(b, 100, EMSS, 0, 0);
  b->sender->flight->rack.known.reordering_seen = true;
  acknowledge_at(b, 102, EMSS, 2 * EMSS, 3 * EMSS);
  acknowledge_at(b, 103, EMSS, 2 * EMSS, 4 * EMSS);
  acknowledge_at(b, 104, EMSS, 2 * EMSS, 5 * EMSS);
  acknowledge_at(b, 107, EMSS, 7 * EMSS, 8 * EMSS);
  b->sender->flight->rack.deadline = ms(127); /* of all that is overtaken it is 131 */
  b->now = ms(127);
  tcp_sender_run(b->sender, b->now);
  expect(b, EMSS, EMSS);
  g_assert_cmpint(b->sender->flight->rack.deadline, ==, ms(131)); /* 6 ms + 100 ms + 25 ms */
  acknowledge_at(b, 128, 5 * EMSS, 0, 0);
  g_assert_cmpint(b->sender->flight->rack.deadline, ==, as_linux ? TIME_PS_NEVER : ms(131));
}

/* Of ten segments 0 and 1 are taken as lost and sent again, and 1 is SACKed a round trip later. The ACK
 * echoes what came last before the hole. So RFC 8985 §6.2 step 2 takes it for the original, and Linux for the
 * retransmission (tcp_rack_advance()), which has overtaken that of 0. */
FLAG_TEST(test_echo_beyond_a_hole, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .timestamps = true, .linux_reordering = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, 2 * EMSS, 8 * EMSS);
  expect_full_segments(b, 0, 2);
  acknowledge_echoing(b, 200, 0, 0, EMSS, 8 * EMSS);
  g_assert_cmpuint(tcp_sender_statistics(b->sender)->retransmissions_lost, ==, as_linux);
}

/* The same, and an ACK of 0 that echoes the first transmission: of what it acknowledges Linux heeds that, too
 * (tcp_skb_spurious_retrans()), so that there is no round trip of a retransmission. */
FLAG_TEST(test_echo_of_what_is_acknowledged, as_linux)
{
  g_autoptr(bench) b = BENCH(.sack = true, .rack = true, .timestamps = true, .linux_reordering = as_linux);
  send_flight(b, 0, 10, 10);
  acknowledge_at(b, 100, 0, 2 * EMSS, 8 * EMSS);
  expect_full_segments(b, 0, 2);
  acknowledge_echoing(b, 250, 0, EMSS, 2 * EMSS, 8 * EMSS);
  g_assert_cmpint(b->sender->flight->rack.known.round_trip_ps, ==, ms(100));
}
