/* SPDX-License-Identifier: GPL-2.0-only */
/* Fast retransmit and SACK recovery (RFC 6675). */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* Of `posted` segments as many leave as the window of 10 lets out. The first is lost, the next `delivered`
 * are acknowledged. */
static tcp_fixture *first_is_lost(bool sack, unsigned posted, unsigned delivered)
{
  tcp_fixture *f = tcp_fixture_connected(sack);
  post_losing(f, posted * EMSS, 1);
  deliver_segments(f, delivered);
  return f;
}

/* What has left last is the segment at `position`. */
static void expect_last(const tcp_fixture *f, uint64_t position)
{
  g_assert_cmpuint(wire_position(f, 0, on_wire(f, 0) - 1), ==, position);
}

static void expect_retransmissions(const tcp_fixture *f, uint64_t count)
{
  EXPECT_FIELDS(statistics_of(f), (retransmissions, count), (timeouts, 0));
}

/* 20 segments queued, a window of 10: the first is lost. Each of the first two duplicates lets a new
 * segment out (RFC 6675 §5 step 3, without SACK RFC 3042), the third starts recovery: FlightSize without
 * those two is 10 segments, so the threshold is 5. So is the window, without SACK 3 more (RFC 6582
 * §3.2). */
FLAG_TEST(test_fast_retransmit, sack)
{
  g_autoptr(tcp_fixture) f = first_is_lost(sack, 20, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 9);
  deliver_and_acknowledge(f);
  expect_last(f, 10 * EMSS);
  deliver_and_acknowledge(f);
  expect_last(f, 11 * EMSS);
  g_assert_cmpuint(window_of(f), ==, 10 * EMSS);
  deliver_and_acknowledge(f);
  expect_last(f, 0);
  expect_windows(f, (sack ? 5 : 8) * EMSS, 5 * EMSS);
  complete_transfer(f, 20 * EMSS);
  expect_retransmissions(f, 1);
}

/* Segments 0 and 4 are lost, 20 are queued. Two duplicates let 10 and 11 out, the third starts recovery with
 * a window of 5. Segment 4 is lost once 5, 6 and 7 are SACKed; pipe is 8 to 11 and the retransmission of 0
 * then, so it is sent again when 8 is SACKed: all that before any answer to the first retransmission. */
TCP_TEST(test_two_losses_with_sack_take_one_round_trip, first_is_lost(true, 20, 3))
{
  expect_last(f, 0);
  expect_and_drop(f, 0, 4 * EMSS, EMSS);
  deliver_segments(f, 3);
  expect_retransmissions(f, 1);
  deliver_segments(f, 1);
  expect_last(f, 4 * EMSS);
  deliver_segments(f, 3); /* 9, 10, 11: each lets a new segment out */
  expect_last(f, 14 * EMSS);
  deliver_segments(f, 2); /* both retransmissions */
  g_assert_cmpuint(f->end[0].acknowledged, ==, 12 * EMSS);
  g_assert_cmpuint(window_of(f), ==, 5 * EMSS); /* one reduction for one window of data */
  complete_transfer(f, 20 * EMSS);
  expect_retransmissions(f, 2);
}

/* Only 0 is lost. When 6 is SACKed, pipe is 7, 8, 9 and the retransmission of 0: less than the window of
 * 5, but the SACKs of 7, 8 and 9 are on their way. */
TCP_TEST(test_no_rescue_of_what_is_on_its_way, first_is_lost(true, 10, 0))
{
  complete_transfer(f, 10 * EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 1);
}

/* 0 and 5 are lost and shown by SACK. The retransmission of 0 is acknowledged, 10 is posted after it: it
 * leaves once, for nothing can be known of it yet. */
TCP_TEST(test_no_rescue_of_what_has_just_left, first_is_lost(true, 10, 4))
{
  drop_segment(f, 0);
  deliver_segments(f, 5); /* with the fourth both retransmissions leave */
  g_assert_cmpuint(f->end[0].acknowledged, ==, 5 * EMSS);
  post(f, 0, EMSS, 0);
  complete_transfer(f, 11 * EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 2);
}

/* In recovery new data leaves as pipe allows: all but 0 are SACKed, pipe is the retransmission of 0, the
 * window 5. */
TCP_TEST(test_new_data_in_recovery, first_is_lost(true, 10, 9))
{
  expect_lone_segment(f, 0, 0, EMSS);
  post(f, 0, 10 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 1 + 4);
  expect_last(f, 13 * EMSS);
}

/* NextSeg() rule 4 once in a recovery: 9, lost with 0, has been sent again for rescue; 10, new, leaves once,
 * though there is room for more (window 5, pipe 10 and twice 9). */
TCP_TEST(test_one_rescue_in_a_recovery, first_is_lost(true, 10, 8))
{
  drop_segment(f, 0);
  deliver_and_acknowledge(f); /* the retransmission of 0 */
  expect_lone_segment(f, 0, 9 * EMSS, EMSS);
  post(f, 0, EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  expect_last(f, 10 * EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 2);
}

/* The window of 10 segments is full and 10 more are queued: the hole will open it, so nothing but the
 * first segment is sent again. */
TCP_TEST(test_no_rescue_in_a_full_window,
         tcp_fixture_between(NULL, TCP_WITH(.receive_window_octets = 10 * EMSS)))
{
  post(f, 0, 20 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  drop_segment(f, 0);
  deliver_segments(f, 9);
  expect_lone_segment(f, 0, 0, EMSS);
  complete_transfer(f, 20 * EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 1);
}

/* Recovery begins with 12 segments sent (10 and the two of limited transmit): what follows, from 12 on,
 * belongs to the next window of data. 12 is lost too, 13 to 15 show it: the window of 5 becomes 2 (4 in
 * flight). */
TCP_TEST(test_loss_right_after_the_recovery_point, first_is_lost(true, 16, 11))
{
  expect_segment(f, 0, 0, EMSS);
  g_assert_cmpuint(on_wire(f, 0), ==, 1 + 4);
  g_assert_cmpuint(window_of(f), ==, 5 * EMSS);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 12 * EMSS);
  expect_and_drop(f, 0, 12 * EMSS, EMSS);
  deliver_segments(f, 3);
  expect_segment(f, 0, 12 * EMSS, EMSS);
  g_assert_cmpuint(window_of(f), ==, 2 * EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 2);
}

/* A script that knows SACK has 10 segments to come. */
static tcp_fixture *ten_segments_to_a_script(void)
{
  tcp_fixture *f = tcp_fixture_scripted(NULL, NULL);
  post_losing(f, 10 * EMSS, ALL);
  return f;
}

/* The ACKs of 2 and 3 are lost. That of 4 is the first to report anything after 1, and three SACKed
 * segments are enough (RFC 6675 §5 step 2). An ACK that moves on to the hole and shows as much starts
 * recovery too. 9 segments are in flight: the window becomes 9 * 1460 / 2 = 6570. */
FLAG_TEST(test_one_ack_shows_the_loss, advances)
{
  g_autoptr(tcp_fixture) f = ten_segments_to_a_script();
  if (!advances) {
    script_ack(f, EMSS, 0, NULL);
  }
  expect_nothing(f, 0);
  script_ack(f, EMSS, 1, (const uint64_t[][2]){{2 * EMSS, 5 * EMSS}});
  expect_segment(f, 0, EMSS, EMSS);
  g_assert_cmpuint(window_of(f), ==, 6570);
}

/* 1 to 6 are lost, the window is 6570 octets, 4.5 segments: the first four are sent again, the fifth waits
 * until an ACK makes room for all of it. */
TEST(test_retransmissions_heed_the_window)
{
  static const uint64_t sacked[][2] = {{7 * EMSS, 10 * EMSS}};
  g_autoptr(tcp_fixture) f = ten_segments_to_a_script();
  script_ack(f, EMSS, 1, sacked);
  g_assert_cmpuint(on_wire(f, 0), ==, 4);
  script_ack(f, 2 * EMSS, 1, sacked);
  g_assert_cmpuint(on_wire(f, 0), ==, 5);
  expect_last(f, 5 * EMSS);
}

/* --- NewReno (RFC 6582) --- */

/* RFC 6582 §3.2 step 3: the first partial ACK restarts the timer (RTO 300 ms), the second does not. */
TCP_TEST(test_partial_acks_and_the_timer, tcp_fixture_connected(false))
{
  post(f, 0, 10 * EMSS, 0);
  for (unsigned i = 0; i < 10; i++) {
    if (i == 0 || i == 3 || i == 5) {
      drop_segment(f, 0);
    } else {
      deliver_and_acknowledge(f);
    }
  }
  expect_segment(f, 0, 0, EMSS);
  advance_by(f, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 3 * EMSS);
  time_ps deadline = f->now + 300 * TIME_PS_PER_MILLISECOND;
  expect_deadline(f, 0, deadline);
  advance_by(f, 10 * TIME_PS_PER_MILLISECOND);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 5 * EMSS);
  expect_deadline(f, 0, deadline);
}

/* Without SACK all is sent again after a time-out; the duplicates that this brings back start no fast
 * retransmit (RFC 6582 §3.2 steps 2 and 6). */
TCP_TEST(test_no_fast_retransmit_from_what_was_sent_for_nothing, first_is_lost(false, 8, 0))
{
  deliver_all(f, 0); /* 1 to 7 arrive, all their ACKs are lost */
  drop_all(f, 1);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 0, EMSS);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 8 * EMSS);
  expect_nothing(f, 0);
  post(f, 0, 2 * EMSS, 0);
  uint64_t window = window_of(f);
  for (unsigned i = 0; i < 3; i++) {
    tcp_header header = wire_header(f, 0, 0);
    header.sequence = sequence_at(f, 0, 0);
    forge_segment(f, 0, header, 0, 1);
  }
  g_assert_cmpuint(on_wire(f, 1), ==, 3); /* three duplicates of the ACK of 8 segments */
  deliver_all(f, 1);
  g_assert_cmpuint(window_of(f), ==, window);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 1);
}

/* Without SACK an ACK that changes the window is no duplicate (RFC 5681 §2). */
TCP_TEST(test_window_updates_are_no_duplicates, tcp_fixture_scripted(NULL, OFFER(60000, EMSS)))
{
  post_losing(f, 10 * EMSS, ALL);
  tcp_header header = SCRIPT_HEADER(f, 0, 0, .flags = TCP_ACK);
  for (uint16_t i = 1; i <= 5; i++) {
    header.window = (uint16_t)(60000 + i);
    script_segment(f, header, 0, 0);
  }
  expect_nothing(f, 0);
  for (unsigned i = 1; i <= 3; i++) {
    script_segment(f, header, 0, 0);
  }
  expect_segment(f, 0, 0, EMSS);
}

/* A middlebox has cut the retransmission of the first segment at 500 and 1000. The partial ACKs of its pieces
 * point to no other hole: nothing is sent again before the ACK of all of it, which does (RFC 6582 §3.2 step
 * 3). */
TCP_TEST(test_retransmission_that_comes_in_pieces, tcp_fixture_scripted(NULL, OFFER(65535, EMSS)))
{
  post_losing(f, 10 * EMSS, ALL);
  for (unsigned i = 0; i < 3; i++) {
    script_ack(f, 0, 0, NULL);
  }
  expect_and_drop(f, 0, 0, EMSS);
  script_ack(f, 500, 0, NULL);
  script_ack(f, 1000, 0, NULL);
  expect_nothing(f, 0);
  script_ack(f, EMSS, 0, NULL);
  expect_segment(f, 0, EMSS, EMSS);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 2);
}

/* A middlebox that cuts the segments into small pieces makes many duplicates of each: 10 segments are in
 * flight, 60 duplicates come. More than 10 segments cannot have left the network: the window is at most
 * the threshold (5) and those. */
TCP_TEST(test_duplicates_of_small_pieces, tcp_fixture_scripted(NULL, OFFER(65535, EMSS)))
{
  post_losing(f, 10 * EMSS, ALL);
  for (unsigned i = 0; i < 60; i++) {
    script_ack(f, 0, 0, NULL);
  }
  expect_windows(f, (5 + 10) * EMSS, 5 * EMSS);
}
