/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_hystart.h"

#include "congestion_fixture.h"
#include "test.h"

#define MILLISECOND TIME_PS_PER_MILLISECOND

enum { SENT_MAX = 4096 };

/* A path with one bottleneck and a queue without end: a segment leaves it `segment_ps` after the one
 * before at the earliest, and its acknowledgement is back `delay_ps` later. What the window lets go leaves
 * at once. */
typedef struct bottleneck {
  tcp_congestion *congestion;
  time_ps segment_ps;
  time_ps delay_ps;
  time_ps free_at;
  time_ps sent_at[SENT_MAX];
  time_ps acknowledged_at[SENT_MAX];
  uint64_t sent;
  uint64_t acknowledged;
} bottleneck;

static void send_window(bottleneck *path, time_ps now)
{
  while (segments(path->sent - path->acknowledged + 1) <= path->congestion->window.octets) {
    g_assert_cmpuint(path->sent, <, SENT_MAX);
    path->free_at = MAX(path->free_at, now) + path->segment_ps;
    path->sent_at[path->sent] = now;
    path->acknowledged_at[path->sent++] = path->free_at + path->delay_ps;
  }
}

typedef enum departure { AT_ONCE, PACED, LATE } departure;

/* The window in segments when slow start has ended, from 10 on. */
static uint64_t window_at_the_end(time_ps segment_ps, time_ps delay_ps, departure how)
{
  bottleneck *path = g_new0(bottleneck, 1);
  path->segment_ps = segment_ps;
  path->delay_ps = delay_ps;
  tcp_config config = {.congestion = TCP_CONGESTION_CUBIC,
                       .slow_start = how == LATE ? TCP_SLOW_START_HYSTART_16 : TCP_SLOW_START_AUTO,
                       .pacing = how == PACED};
  path->congestion = tcp_congestion_of(&config, SMSS, segments(10));
  send_window(path, 0);
  while (tcp_congestion_in_slow_start(path->congestion)) {
    time_ps now = path->acknowledged_at[path->acknowledged];
    time_ps round_trip = now - path->sent_at[path->acknowledged++];
    tcp_congestion_ack ack = {.octets = SMSS,
                              .position = segments(path->acknowledged),
                              .next = segments(path->sent),
                              .limited = true,
                              .latest_ps = round_trip};
    tcp_congestion_acknowledged(path->congestion, &ack, now);
    send_window(path, now);
  }
  uint64_t threshold = path->congestion->window.threshold_octets;
  tcp_congestion_free(path->congestion);
  g_free(path);
  return threshold / SMSS;
}

/* A segment a millisecond, round trip 101 ms: the path holds 101. Flights of 10, 20, 40 and 80 segments are
 * acknowledged from 101, 202, 303 and 404 ms on. Rounds begin with the connection, before there are 16
 * segments, so each is a flight, and the first trip of each is 101 ms: no delay has grown. The 52nd ACK of
 * the flight of 80 comes 51 ms after the first, more than half of the round trip, when the window is 10 + 70
 * + 51. With pacing the train must last the whole round trip: the 103rd ACK of the flight of 160 comes 102 ms
 * after the first, when the window is 10 + 150 + 102. A hundred times as fast it is the same. */
TEST(test_train_of_acknowledgements)
{
  g_assert_cmpuint(window_at_the_end(MILLISECOND, 100 * MILLISECOND, AT_ONCE), ==, 131);
  g_assert_cmpuint(window_at_the_end(MILLISECOND, 100 * MILLISECOND, PACED), ==, 262);
  g_assert_cmpuint(window_at_the_end(MILLISECOND / 100, MILLISECOND, AT_ONCE), ==, 131);
  g_assert_cmpuint(window_at_the_end(MILLISECOND / 100, MILLISECOND, PACED), ==, 262);
}

/* A segment in 5 ms: no train is close. Round trip 105 ms: the path holds 21. The first segment of the flight
 * of 80 leaves at 315 ms, while the flight of 40, which left from 210 ms on, keeps the path until 410: its
 * trip is 200 ms, beyond 105 + 13.1, and those of the others are longer. The ninth ACK of that round shows
 * it, when 10 + 70 + 8 are the window. */
TEST(test_delay_increase)
{
  g_assert_cmpuint(window_at_the_end(5 * MILLISECOND, 100 * MILLISECOND, AT_ONCE), ==, 88);
}

/* Before February 2025 the first round began at the 7th ACK, when the window is 16: in mid-flight, of what is
 * in flight then, up to segment 22. The next begin with segments 23, 55 and 119, always in mid-flight. The
 * trips of a flight's segments are each half a millisecond longer: those of segments 119 to 127, the 49th and
 * later of their flight, are 125 ms and more, beyond 101 + 12.6. The ninth ACK shows it, when 10 + 126 are
 * the window. With a segment in 5 ms those of segments 55 to 63, the 25th and later of theirs, are 165 ms and
 * more. With one in 10 us the train that began at 1.07 ms has lasted 0.95 ms at the 11th ACK. */
TEST(test_late_rounds_begin_in_flight)
{
  g_assert_cmpuint(window_at_the_end(MILLISECOND, 100 * MILLISECOND, LATE), ==, 136);
  g_assert_cmpuint(window_at_the_end(5 * MILLISECOND, 100 * MILLISECOND, LATE), ==, 72);
  g_assert_cmpuint(window_at_the_end(MILLISECOND / 100, MILLISECOND, LATE), ==, 10 + 10);
}

/* HyStart by itself, with a window of `count` segments. */
typedef struct judged {
  tcp_hystart hystart;
  tcp_congestion_window window;
  uint64_t position;
  time_ps now;
} judged;

static judged judged_at(unsigned count)
{
  return (judged){.hystart = {.shortest_ps = TIME_PS_NEVER},
                  .window = {.smss_octets = SMSS, .octets = segments(count), .threshold_octets = UINT64_MAX}};
}

/* The next of a round of 100 segments, `gap_ps` after the one before. */
static bool says_stop_after(judged *flow, time_ps gap_ps, time_ps round_trip_ps, time_ps smoothed_ps)
{
  flow->position += SMSS;
  flow->now += gap_ps;
  tcp_congestion_ack ack = {.octets = SMSS,
                            .position = flow->position,
                            .next = flow->position + segments(100),
                            .limited = true,
                            .latest_ps = round_trip_ps,
                            .smoothed_ps = smoothed_ps};
  return tcp_hystart_should_stop(&flow->hystart, &ack, &flow->window, flow->now);
}

/* The same too late for a train. */
static bool says_stop(judged *flow, time_ps round_trip_ps)
{
  return says_stop_after(flow, 3 * MILLISECOND, round_trip_ps, 0);
}

/* A round of `round_trip_ps` alone, after one that began with `shortest_ps`; whether it was stopped. */
static bool stops(time_ps shortest_ps, time_ps round_trip_ps)
{
  judged flow = judged_at(16);
  bool stop = says_stop(&flow, shortest_ps);
  for (unsigned i = 0; i < 100; i++) { /* the rest of the first round, whose shortest is `shortest_ps` */
    stop = stop || says_stop(&flow, round_trip_ps);
  }
  g_assert_false(stop);
  for (unsigned i = 0; i < 8; i++) {
    g_assert_false(says_stop(&flow, round_trip_ps)); /* the eight samples */
  }
  stop = says_stop(&flow, round_trip_ps);
  return stop;
}

/* An eighth of the shortest round trip, at least 4 ms and at most 16 ms: more than that is growth. */
TEST(test_how_much_delay_counts)
{
  g_assert_false(stops(8 * MILLISECOND, 12 * MILLISECOND));
  g_assert_true(stops(8 * MILLISECOND, 12 * MILLISECOND + 1));
  g_assert_false(stops(80 * MILLISECOND, 90 * MILLISECOND));
  g_assert_true(stops(80 * MILLISECOND, 90 * MILLISECOND + 1));
  g_assert_false(stops(400 * MILLISECOND, 416 * MILLISECOND));
  g_assert_true(stops(400 * MILLISECOND, 416 * MILLISECOND + 1));
  g_assert_false(stops(10 * TIME_PS_PER_MICROSECOND, MILLISECOND));
}

/* After a time-out a round begins anew: the train of the one before, 10 ms, is more than half of the new
 * round trip, and means nothing. */
TEST(test_forgets_the_round)
{
  judged flow = judged_at(16);
  for (unsigned i = 0; i < 10; i++) {
    g_assert_false(says_stop_after(&flow, MILLISECOND, 100 * MILLISECOND, 0));
  }
  flow.hystart.shortest_ps = TIME_PS_NEVER;
  flow.hystart.in_round = false;
  g_assert_false(says_stop_after(&flow, MILLISECOND, 10 * MILLISECOND, 0));
}

/* ACKs of one train every 250 us, round trip 40 ms, 64 segments in the window: aggregates of 4 * 64 KiB at
 * twice 93,440 octets in SRTT take 1.4027 SRTT, of which 1 ms counts. A train of more than (40 ms + that) / 2
 * is long: without a smoothed round trip more than 20 ms, with 300 us more than 20.21 ms, with 400 us 20.28,
 * with 40 ms 20.5. */
static const struct {
  time_ps smoothed_ps;
  unsigned gaps;
} aggregation_lengthens_the_train_rows[] = {
    {0, 81}, {3 * MILLISECOND / 10, 81}, {4 * MILLISECOND / 10, 82}, {40 * MILLISECOND, 83}};

ROW_TEST(test_aggregation_lengthens_the_train, aggregation_lengthens_the_train_rows)
{
  judged flow = judged_at(64);
  time_ps start = 0;
  bool stop = false;
  for (unsigned i = 0; !stop; i++) {
    stop = says_stop_after(&flow, MILLISECOND / 4, 40 * MILLISECOND, c->smoothed_ps);
    start = i == 0 ? flow.now : start;
  }
  g_assert_cmpint(flow.now - start, ==, c->gaps * MILLISECOND / 4);
}

/* One short trip among the samples, and there is no queue that stands. */
TEST(test_shortest_of_the_round_counts)
{
  judged flow = judged_at(16);
  for (unsigned i = 0; i < 101; i++) {
    g_assert_false(says_stop(&flow, 80 * MILLISECOND));
  }
  for (unsigned i = 0; i < 100; i++) {
    g_assert_false(says_stop(&flow, i == 3 ? 81 * MILLISECOND : 200 * MILLISECOND));
  }
}

/* Below 16 segments nothing stops slow start; without a sample nothing can be judged. */
TEST(test_when_it_does_not_judge)
{
  judged flow = judged_at(15);
  g_assert_false(says_stop(&flow, 80 * MILLISECOND));
  for (unsigned i = 0; i < 300; i++) {
    g_assert_false(says_stop(&flow, 800 * MILLISECOND));
  }
  flow.window.octets = segments(16);
  for (unsigned i = 0; i < 300; i++) {
    g_assert_false(says_stop(&flow, -1));
  }
}

/* After a time-out the path may be another: 8 ms before it, 80 ms after it, which is the shortest round trip
 * then, and slow start goes on to the threshold. */
FLOW_TEST(test_time_out_forgets, flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_HYSTART, 10, 8 * MILLISECOND))
{
  flow_acknowledge(flow, SMSS);
  tcp_congestion_collapse(flow->congestion, segments(200), true);
  flow->round_trip_ps = 80 * MILLISECOND;
  for (unsigned i = 0; i < 139; i++) {
    g_assert_true(tcp_congestion_in_slow_start(flow->congestion));
    flow->now += 3 * MILLISECOND; /* no train */
    flow_acknowledge(flow, SMSS);
  }
  expect_window(flow, segments(140)); /* 0.7 · 200 */
}

/* ACKs 1 ms apart, but for one gap: of more than 2 ms, the train is over for this round; a gap of 2 ms is
 * none. Round trip 40 ms: 20 ms and more make a train. */
static bool train_with_gap(time_ps gap_ps)
{
  judged flow = judged_at(64);
  bool stop = false;
  for (unsigned i = 0; i < 60; i++) {
    stop = stop || says_stop_after(&flow, i == 10 ? gap_ps : MILLISECOND, 40 * MILLISECOND, 0);
  }
  return stop;
}

TEST(test_gap_ends_the_train)
{
  g_assert_true(train_with_gap(2 * MILLISECOND));
  g_assert_false(train_with_gap(2 * MILLISECOND + 1));
}

/* HyStart is CUBIC's own: with another control `auto` means none, and a key that is set keeps its value. */
static const struct {
  tcp_congestion_kind congestion;
  tcp_slow_start_kind slow_start;
  bool judges;
} whose_it_is_rows[] = {{TCP_CONGESTION_CUBIC, TCP_SLOW_START_AUTO, true},
                        {TCP_CONGESTION_NEWRENO, TCP_SLOW_START_AUTO, false},
                        {TCP_CONGESTION_DCTCP, TCP_SLOW_START_AUTO, false},
                        {TCP_CONGESTION_NEWRENO, TCP_SLOW_START_HYSTART, true},
                        {TCP_CONGESTION_DCTCP, TCP_SLOW_START_HYSTART_16, true},
                        {TCP_CONGESTION_CUBIC, TCP_SLOW_START_STANDARD, false}};

ROW_TEST(test_whose_it_is, whose_it_is_rows)
{
  g_autoptr(clocked_flow) flow = flow_of(c->congestion, c->slow_start, 64, 40 * MILLISECOND);
  for (unsigned i = 0; i < 60; i++) { /* a train of 59 ms */
    flow_acknowledge(flow, SMSS);
    flow->now += MILLISECOND;
  }
  g_assert_cmpint(tcp_congestion_in_slow_start(flow->congestion), ==, !c->judges);
}

/* Once it has ended slow start, no later one is judged until a time-out: what follows a
 * pause goes on to its threshold. */
FLOW_TEST(test_ends_slow_start_once,
          flow_of(TCP_CONGESTION_CUBIC, TCP_SLOW_START_HYSTART, 64, 40 * MILLISECOND))
{
  flow_run_until(flow, 0.1);
  g_assert_false(tcp_congestion_in_slow_start(flow->congestion));
  flow->congestion->window.threshold_octets = segments(1000);
  while (window_octets(flow) < segments(1000)) {
    g_assert_true(tcp_congestion_in_slow_start(flow->congestion));
    flow_acknowledge(flow, SMSS);
    flow->now += MILLISECOND;
  }
}
