/* SPDX-License-Identifier: GPL-2.0-only */
#include "flag_test.h"
#include "tcp/tcp_sender_private.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* A window of 100,000 octets and a round trip of 1 ms. In slow start twice the window leaves in a round
 * trip: 1000 octets cost 1 ms * 1000 / 200,000 = 5 us; else 1.2 windows: 1 ms * 1000 / 120,000 =
 * 8.333333333 us. */
TEST(test_rates)
{
  tcp_pacer_rate rate = {.window_octets = 100000, .smoothed_ps = TIME_PS_PER_MILLISECOND, .slow_start = true};
  time_ps now = 7 * TIME_PS_PER_SECOND;
  tcp_pacer pacer = {.next_ps = now};
  tcp_pacer_burst burst = {0};
  g_assert_true(pacer.next_ps <= now);
  tcp_pacer_sent(&pacer, &burst, 1000, &rate, now);
  g_assert_cmpint(pacer.next_ps, ==, now + 5 * TIME_PS_PER_MICROSECOND);
  g_assert_false(pacer.next_ps <= now + 5 * TIME_PS_PER_MICROSECOND - 1);
  g_assert_true(pacer.next_ps <= now + 5 * TIME_PS_PER_MICROSECOND);
  rate.slow_start = false;
  tcp_pacer_sent(&pacer, &burst, 1000, &rate, now); /* forced: it is paid for all the same */
  g_assert_cmpint(pacer.next_ps, ==, now + 5 * TIME_PS_PER_MICROSECOND + 8333333);
}

/* Linux, tcp_update_skb_after_send(): 1000 octets of the 5 us above that leave 1 us late have the next wait
 * for 4 us, as if they had been in time; half of its 5 us is the most that counts. */
TEST(test_credit_for_what_leaves_late)
{
  static const struct {
    time_ps late_us, wait_ns;
  } rows[] = {{1, 4000}, {3, 2500}, {3000, 2500}, {-2, 7000}};
  tcp_pacer_rate rate = {.window_octets = 100000, .smoothed_ps = TIME_PS_PER_MILLISECOND, .slow_start = true};
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    tcp_pacer pacer = {.next_ps = 7 * TIME_PS_PER_SECOND};
    tcp_pacer_burst burst = {0};
    time_ps now = pacer.next_ps + rows[i].late_us * TIME_PS_PER_MICROSECOND;
    tcp_pacer_sent(&pacer, &burst, 1000, &rate, now);
    g_assert_cmpint(pacer.next_ps - now, ==, rows[i].wait_ns * 1000);
  }
}

/* In a stream at least two segments leave at once, all that a 1024th of a second pays for, and 64 KiB more,
 * halved for each 512 us of the least round trip (Linux: tcp_tso_autosize()). 1.2 windows leave in 100 ms.
 * The microsecond by which the burst is late pays for it once. */
TEST(test_bursts)
{
  static const struct {
    uint64_t window_octets;
    time_ps least_us;
    unsigned segments;
  } rows[] = {
      {100000, 100000, 2},  /* 1,172 octets */
      {1000000, 100000, 8}, /* 11,719 */
      {100000, 2048, 3},    /* 1,172 and 4,096 */
      {100000, 511, 44},    /* no more than 64 KiB */
  };
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    tcp_pacer_rate rate = {.window_octets = rows[i].window_octets,
                           .smoothed_ps = 100 * TIME_PS_PER_MILLISECOND,
                           .least_ps = rows[i].least_us * TIME_PS_PER_MICROSECOND,
                           .burst_smss_octets = EMSS};
    time_ps now = TIME_PS_PER_SECOND;
    tcp_pacer pacer = {.next_ps = now - TIME_PS_PER_MICROSECOND};
    tcp_pacer_burst burst = {0};
    unsigned segments = 0;
    do {
      tcp_pacer_sent(&pacer, &burst, EMSS, &rate, now);
      segments++;
    } while (tcp_pacer_bursts(&burst, now));
    g_assert_cmpuint(segments, ==, rows[i].segments);
    double cost_us = segments * EMSS / 1.2 / (double)rows[i].window_octets * 100000;
    g_assert_cmpfloat_with_epsilon((double)(pacer.next_ps - now) / TIME_PS_PER_MICROSECOND, cost_us - 1,
                                   1e-3);
  }
}

/* Without a round trip nothing waits. A minute and 4 GiB do not overflow: 60 s * 65535 / (1.2 * 65535) =
 * 50 s. */
TEST(test_extremes)
{
  tcp_pacer pacer = {.next_ps = 5};
  tcp_pacer_burst burst = {0};
  tcp_pacer_rate rate = {.window_octets = 1000};
  tcp_pacer_sent(&pacer, &burst, 65535, &rate, 5);
  g_assert_true(pacer.next_ps <= 5);
  rate = (tcp_pacer_rate){.window_octets = UINT64_C(1) << 32, .smoothed_ps = 60 * TIME_PS_PER_SECOND};
  tcp_pacer_sent(&pacer, &burst, UINT64_C(1) << 32, &rate, 5);
  g_assert_cmpint(pacer.next_ps, ==, 5 + 50 * TIME_PS_PER_SECOND);
}

/* In a connection: a window of 20 segments, 100 ms, slow start: the first nine at once, and a segment more
 * each 2.5 ms, in a stream two each 5 ms; and the connection asks to be run for each, not when nothing waits.
 */
FLAG_TEST(test_segments_leave_evenly, stream)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.pacing = true, .initial_window_segments = 20,
                                .segmentation = stream ? TCP_SEGMENTATION_STREAM : TCP_SEGMENTATION_RECORD));
  const unsigned step = stream ? 2 : 1;
  time_ps start = f->now;
  for (unsigned i = 0; i < 20; i++) {
    post(f, 0, EMSS, 0);
  }
  for (unsigned sent = 9 + step; sent < 20; sent += step) {
    g_assert_cmpuint(on_wire(f, 0), ==, sent);
    advance_by(f, step * 5 * TIME_PS_PER_MILLISECOND / 2 - 1);
    g_assert_cmpuint(on_wire(f, 0), ==, sent);
    advance_by(f, 1);
  }
  g_assert_cmpuint(on_wire(f, 0), ==, 20);
  g_assert_cmpint(f->end[0].connection->class->deadline(f->end[0].connection), >=,
                  start + 300 * TIME_PS_PER_MILLISECOND); /* RTO, nothing of the pacer's */
  complete_transfer(f, 20 * EMSS);
}

/* Retransmissions are paced like all else, with nothing new after them: 3 of 10 are lost, and the SACKs of
 * 7 come at once. A window of 5 segments leaves 1.2 times in 100 ms: one every 16.7 ms, but for the second:
 * the first has left late, and the wait after it is half as long. */
TCP_TEST(test_retransmissions_leave_evenly, tcp_fixture_pair(TCP_WITH(.pacing = true)))
{
  post(f, 0, 10 * EMSS, 0);
  advance_by(f, 50 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
  for (unsigned i = 0; i < 3; i++) {
    drop_segment(f, 0);
  }
  deliver_all(f, 0);
  deliver_all(f, 1);
  time_ps start = f->now;
  for (unsigned i = 0; i < 3; i++) {
    g_assert_cmpuint(on_wire(f, 0), ==, i + 1);
    g_assert_cmpuint(wire_position(f, 0, i), ==, i * EMSS);
    advance_to(f, start + (2 * i + 1) * 100 * TIME_PS_PER_MILLISECOND / 12 - TIME_PS_PER_MICROSECOND);
    g_assert_cmpuint(on_wire(f, 0), ==, i + 1);
    advance_by(f, 2 * TIME_PS_PER_MICROSECOND);
  }
}

/* PRR's window of the moment is no rate. After ten segments two more leave, of which the first is lost, which
 * RACK finds when a quarter of the round trip of 100 ms has passed: nothing is in flight and nothing was
 * delivered just then, so that window is 0 and the retransmission leaves all the same. The rate is that of
 * the threshold, 2 segments: one every 100 / 2 / 1.2 = 41.67 ms, and after this one, which has left late, the
 * next half of that, 20.83 ms, later. */
TCP_TEST(test_prr_goes_on, tcp_fixture_pair(TCP_WITH(.pacing = true, .rack = true, .prr = true)))
{
  post(f, 0, 10 * EMSS, 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP);
  deliver_all(f, 0);
  deliver_all(f, 1);
  post(f, 0, 2 * EMSS, 0);
  advance_by(f, TCP_FIXTURE_ROUND_TRIP);
  drop_segment(f, 0);
  deliver_and_acknowledge(f);
  while (on_wire(f, 0) == 0) {
    advance_by(f, TIME_PS_PER_MILLISECOND);
  }
  time_ps sent = f->now;
  expect_segment(f, 0, 10 * EMSS, EMSS);
  deliver_and_acknowledge(f);
  g_assert_cmpuint(threshold_of(f), ==, 2 * EMSS);
  post(f, 0, EMSS, 0);
  advance_to(f, sent + 20 * TIME_PS_PER_MILLISECOND);
  expect_nothing(f, 0);
  advance_to(f, sent + 21 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 12 * EMSS, EMSS);
}

/* HyStart knows of it. A train of ACKs, 1 ms apart, that lasts longer than half a round trip of 20 ms ends
 * slow start; what is paced makes such a train by itself, so there a whole round trip must pass. 19 ms,
 * from the first ACK to the twentieth, lie between. */
FLAG_TEST(test_hystart_knows, paced)
{
  const uint64_t whole_window = 20 * EMSS;
  g_autoptr(tcp_fixture) f = tcp_fixture_new(
      TCP_WITH(.pacing = paced, .slow_start = TCP_SLOW_START_HYSTART, .initial_window_segments = 20), NULL);
  handshake(f, 20 * TIME_PS_PER_MILLISECOND, OFFER(65535, EMSS));
  time_ps start = f->now;
  post(f, 0, 60 * EMSS, 0);
  advance_to(f, start + 20 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, whole_window / EMSS);
  for (unsigned i = 1; i <= 20; i++) {
    script_ack(f, i * EMSS, 0, NULL);
    advance_by(f, TIME_PS_PER_MILLISECOND);
  }
  g_assert_cmpint(threshold_of(f) == UINT64_MAX, ==, paced);
}
