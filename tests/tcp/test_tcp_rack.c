/* SPDX-License-Identifier: GPL-2.0-only */
/* RFC 8985 §6 step by step, on a scoreboard alone. */
#include "flag_test.h"
#include "tcp/tcp_rack.h"
#include "tcp_parts.h"

enum { SMSS = 1000, THRESHOLD = 3 };

typedef struct bench {
  tcp_config config;
  tcp_rack rack;
  tcp_scoreboard *board;
  time_ps now;
  time_ps echoed_before_ps;
} bench;

static time_ps us(int64_t microseconds)
{
  return microseconds * TIME_PS_PER_MICROSECOND;
}

static void on_delivered(void *user, const tcp_sent_segment *segment)
{
  bench *b = user;
  tcp_rack_delivered(&b->rack, segment, b->echoed_before_ps, b->now);
}

static void bench_free(bench *b)
{
  tcp_scoreboard_free(b->board);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)

static bench *bench_of(uint32_t smss_octets, time_ps timer_slack_ps)
{
  bench *b = g_new0(bench, 1);
  tcp_rack_knowledge known;
  b->board = tcp_scoreboard_new(THRESHOLD, smss_octets, true);
  b->echoed_before_ps = -1;
  tcp_rack_knowledge_init(&known);
  b->config = (tcp_config){.duplicate_ack_threshold = THRESHOLD, .timer_slack_ps = timer_slack_ps};
  tcp_rack_init(&b->rack, &b->config, &known);
  b->board->listener = on_delivered;
  b->board->listener_user = b;
  return b;
}

/* `count` segments, sent a microsecond apart from 0 on. */
static bench *bench_with(unsigned count, time_ps timer_slack_ps)
{
  bench *b = bench_of(SMSS, timer_slack_ps);
  for (unsigned i = 0; i < count; i++) {
    tcp_scoreboard_sent(b->board, (uint64_t)i * SMSS, (uint64_t)(i + 1) * SMSS, us(i));
  }
  return b;
}

#define BENCH_TEST(name, made) TEST_OF(bench, b, made, name)

/* What one acknowledgement has reported ends here. */
static void delivered_all(bench *b)
{
  size_t runs = sacked_runs(b->board);
  tcp_rack_delivered_all(&b->rack, runs > 0 ? range_set_get(b->board->sacked, runs - 1).to : 0, SMSS);
}

/* Segment `number` is SACKed at `now` (in microseconds). */
static void sack(bench *b, uint64_t number, int64_t now)
{
  b->now = us(now);
  tcp_scoreboard_sack(b->board, number * SMSS, (number + 1) * SMSS);
  delivered_all(b);
}

static uint64_t find_lost(bench *b, time_ps window_ps)
{
  return tcp_rack_find_lost(&b->rack, b->board, window_ps, b->now).segments;
}

static void expect_found(bench *b, time_ps window_ps, uint64_t segments)
{
  g_assert_cmpuint(find_lost(b, window_ps), ==, segments);
}

/* The same, and the reordering timer is at `deadline`. */
static void expect_found_and_deadline(bench *b, time_ps window_ps, uint64_t segments, time_ps deadline)
{
  expect_found(b, window_ps, segments);
  g_assert_cmpint(b->rack.deadline, ==, deadline);
}

static void expect_next_lost(bench *b, uint64_t number)
{
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_next_lost(b->board, &segment));
  g_assert_cmpuint(segment.number, ==, number);
}

static void expect_window(const bench *b, bool recovering, uint64_t sacked, int64_t smoothed,
                          time_ps expected)
{
  g_assert_cmpint(tcp_rack_window_ps(&b->rack, recovering, sacked, us(smoothed)), ==, expected);
}

/* §6.2 steps 2 and 5: 0 and 1 were sent before 2, which took 100 us. With a window of 25 us 0, sent at 0, is
 * lost at 0 + 100 + 25, and 1 a microsecond later: the timer waits for both, "timeout = max(remaining,
 * timeout)". An ACK that comes between finds 0, and leaves the timer to 1. */
BENCH_TEST(test_what_was_sent_before_is_lost, bench_with(4, 0))
{
  sack(b, 2, 102);
  expect_found_and_deadline(b, us(25), 0, us(126));
  b->now = us(125) - 1;
  expect_found(b, us(25), 0);
  b->now = us(125);
  expect_found_and_deadline(b, us(25), 1, us(126));
  expect_next_lost(b, 0);
  b->now = us(126);
  expect_found_and_deadline(b, us(25), 1, TIME_PS_NEVER);
}

/* The same with a window of 25 us and a timer that is 2 ms late: at 2126 us both 0 and 1 are lost. An ACK
 * waits for no timer: at 125 us it finds 0. */
FLAG_TEST(test_timer_slack, with_ack)
{
  g_autoptr(bench) b = bench_with(4, us(2000));
  sack(b, 2, 102);
  expect_found_and_deadline(b, us(25), 0, us(2126));
  b->now = with_ack ? us(125) : b->rack.deadline;
  expect_found_and_deadline(b, us(25), with_ack ? 1 : 2, with_ack ? us(2126) : TIME_PS_NEVER);
}

/* RACK_sent_after(): of what left in the same picosecond the higher left later. */
BENCH_TEST(test_segments_sent_together, bench_of(SMSS, 0))
{
  for (unsigned i = 0; i < 3; i++) {
    tcp_scoreboard_sent(b->board, (uint64_t)i * SMSS, (uint64_t)(i + 1) * SMSS, 0);
  }
  sack(b, 1, 100);
  expect_found(b, 0, 1);
  expect_next_lost(b, 0);
}

/* A tcp_scoreboard_cutter: pieces of SMSS. */
static uint64_t cut_at_smss(G_GNUC_UNUSED void *user, uint64_t from, uint64_t end)
{
  return MIN(from + SMSS, end);
}

/* So do the pieces of a segment that was cut anew; here the middle one lies across 2^32. */
TEST(test_pieces_of_a_segment)
{
  const uint64_t from = (UINT64_C(1) << 32) - SMSS - SMSS / 2;
  g_autoptr(bench) b = bench_of(3 * SMSS, 0);
  tcp_scoreboard_sent(b->board, from, from + 3 * SMSS, 0);
  tcp_scoreboard_set_smss(b->board, SMSS, cut_at_smss, NULL);
  b->now = us(100);
  tcp_scoreboard_sack(b->board, from + SMSS, from + 2 * SMSS);
  delivered_all(b);
  expect_found(b, 0, 1);
  expect_next_lost(b, 0);
}

/* Nothing has been delivered: nothing is known to be lost. */
BENCH_TEST(test_silence_tells_nothing, bench_with(3, 0))
{
  b->now = us(1000000);
  expect_found_and_deadline(b, 0, 0, TIME_PS_NEVER);
}

/* A retransmission is lost again when something sent after it is delivered: 0, sent again at 103 us, and
 * 4, sent at 104 and SACKed at 204. It is to be sent again, before what else is lost. */
BENCH_TEST(test_lost_retransmission, bench_with(4, 0))
{
  tcp_sent_segment segment;
  sack(b, 2, 102);
  find_lost(b, 0);
  g_assert_true(tcp_scoreboard_next_lost(b->board, &segment));
  tcp_scoreboard_resent(b->board, segment.number, true, us(103));
  expect_next_lost(b, 1);
  tcp_scoreboard_sent(b->board, 4 * SMSS, 5 * SMSS, us(104));
  expect_found(b, 0, 0);
  sack(b, 4, 204);
  tcp_rack_losses losses = tcp_rack_find_lost(&b->rack, b->board, 0, b->now);
  g_assert_cmpuint(losses.segments, ==, 2); /* 3, and 0 again */
  g_assert_cmpuint(losses.retransmissions, ==, 1);
  expect_next_lost(b, 0);
  g_assert_cmpuint(b->board->pipe_octets, ==, 0);
}

/* §6.2 step 2: 1 took 101 us, the least so far. 0 was sent again at 150.9 us; an acknowledgement less than
 * 101 us later is of the first transmission, and what was sent until then is not lost by it. From 251.9 us on
 * it is of the second; but not with an echo of 149 us, which is older than the retransmission, as one of 0
 * is; one of 150 us, which may stand for 900 ns more, is not. */
static const struct {
  int64_t at_ns, echo_us; /* -2: no timestamps */
  bool of_the_second;
} ambiguous_rows[] = {
    {251899, -2, false}, {251900, -2, true}, {260000, 149, false}, {260000, 150, true}, {260000, 0, false}};

ROW_TEST(test_ambiguous_retransmissions, ambiguous_rows)
{
  g_autoptr(bench) b = bench_with(2, 0);
  time_ps sent_at;
  sack(b, 1, 102);
  expect_found(b, 0, 1);
  tcp_scoreboard_sent(b->board, 2 * SMSS, 3 * SMSS, us(149));
  tcp_scoreboard_resent(b->board, 0, true, us(150) + 900 * TIME_PS_PER_NANOSECOND);
  b->now = c->at_ns * TIME_PS_PER_NANOSECOND;
  b->echoed_before_ps = c->echo_us < 0 ? -1 : us(c->echo_us + 1);
  tcp_scoreboard_acknowledge(b->board, 2 * SMSS, &sent_at);
  delivered_all(b);
  expect_found(b, 0, c->of_the_second);
}

/* §6.2 step 4: before reordering was seen the window is a quarter of the least round trip (101 us: 25.25
 * us), but none in recovery or with DupThresh segments SACKed. */
BENCH_TEST(test_window_before_reordering, bench_with(6, 0))
{
  expect_window(b, false, 0, 100, 0); /* no round trip yet */
  sack(b, 1, 102);
  expect_window(b, false, 2, 101, us(101) / 4);
  expect_window(b, false, 3, 101, 0);
  expect_window(b, true, 1, 101, 0);
}

/* §6.2 step 3: 2 was delivered, then 1, which was sent once only: reordering. If 1 had been sent again, it
 * would show nothing; nor do 1 and 2 of the same acknowledgement. */
BENCH_TEST(test_reordering_is_seen, bench_with(6, 0))
{
  sack(b, 2, 103);
  expect_window(b, true, 3, 101, 0);
  sack(b, 1, 104);
  expect_window(b, true, 3, 101, us(101) / 4);
}

BENCH_TEST(test_a_retransmission_shows_no_reordering, bench_with(6, 0))
{
  sack(b, 2, 103);
  find_lost(b, 0);
  tcp_scoreboard_resent(b->board, 1, true, us(104));
  sack(b, 1, 300);
  expect_window(b, true, 3, 101, 0);
}

BENCH_TEST(test_one_acknowledgement_shows_no_reordering, bench_with(6, 0))
{
  b->now = us(105);
  tcp_scoreboard_sack(b->board, 3 * SMSS, 4 * SMSS);
  tcp_scoreboard_sack(b->board, 1 * SMSS, 2 * SMSS);
  delivered_all(b);
  expect_window(b, true, 3, 101, 0);
}

/* Linux's tp->reordering (tcp_check_sack_reordering()): from where a late segment begins to where the highest
 * SACKed one ends, the largest so far: 1 begins 5 segments before the end of 5, and 2 only 4. */
BENCH_TEST(test_distance_of_a_late_segment, bench_with(6, 0))
{
  sack(b, 5, 105);
  g_assert_cmpuint(b->rack.known.distance_segments, ==, 0);
  sack(b, 1, 106);
  sack(b, 2, 107);
  g_assert_cmpuint(b->rack.known.distance_segments, ==, 5);
}

/* An ACK ends in segment 0, the next one completes it. */
FLAG_TEST(test_a_segment_that_was_cut, is_late)
{
  g_autoptr(bench) b = bench_with(2, 0);
  time_ps sent_at;
  b->board->marks_cuts = is_late;
  tcp_scoreboard_acknowledge(b->board, SMSS / 2, &sent_at);
  g_assert_false(b->rack.known.reordering_seen);
  tcp_scoreboard_acknowledge(b->board, SMSS, &sent_at);
  g_assert_cmpint(b->rack.known.reordering_seen, ==, is_late);
}

/* §6.2 step 4: each round with a D-SACK adds a quarter, one a round trip (until SND.UNA is where SND.NXT
 * was), SRTT at most; 16 recoveries without one bring it back. */
BENCH_TEST(test_duplicates_widen_the_window, bench_with(6, 0))
{
  sack(b, 2, 103);
  sack(b, 1, 104);
  const time_ps quarter = us(101) / 4;
  tcp_rack_heed_duplicate(&b->rack, 0, 6000);
  expect_window(b, true, 0, 101, 2 * quarter);
  tcp_rack_heed_duplicate(&b->rack, 5999, 9000); /* the same round */
  expect_window(b, true, 0, 101, 2 * quarter);
  tcp_rack_heed_duplicate(&b->rack, 6000, 9000);
  expect_window(b, true, 0, 101, 3 * quarter);
  tcp_rack_heed_duplicate(&b->rack, 9000, 12000);
  tcp_rack_heed_duplicate(&b->rack, 12000, 13000);
  expect_window(b, true, 0, 110, us(110)); /* 5 quarters of 101 are more */
  for (unsigned i = 0; i < 15; i++) {
    tcp_rack_recovery_ended(&b->rack);
  }
  expect_window(b, true, 0, 110, us(110));
  tcp_rack_recovery_ended(&b->rack);
  expect_window(b, true, 0, 110, quarter);
}

/* §6.3: the timer expires at 300 us, the last round trip took 100 us. 0, the first, and 1, sent at 1 us,
 * are lost; 2, sent at 201 us, has had no time to arrive; with a window of a microsecond nor has 3, sent
 * at 200 us. */
FLAG_TEST(test_time_out, window)
{
  g_autoptr(bench) b = bench_with(2, 0);
  tcp_scoreboard_sent(b->board, 2 * SMSS, 3 * SMSS, us(100));
  tcp_scoreboard_sent(b->board, 3 * SMSS, 4 * SMSS, us(200));
  tcp_scoreboard_sent(b->board, 4 * SMSS, 5 * SMSS, us(201));
  sack(b, 2, 200);
  tcp_scoreboard_lose_all(b->board, tcp_rack_time_out(&b->rack, us(window), us(300)));
  g_assert_cmpint(b->rack.deadline, ==, TIME_PS_NEVER);
  g_assert_cmpuint(b->board->pipe_octets, ==, (1 + window) * SMSS);
  for (uint64_t lost = 0; lost < 2; lost++) {
    expect_next_lost(b, lost);
    tcp_scoreboard_resent(b->board, lost, true, us(300));
  }
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_next_lost(b->board, &segment) == (window == 0));
}
