/* SPDX-License-Identifier: GPL-2.0-only */
/* Spurious retransmissions under reordering, compared with two captures of Linux' siw (Debian 12, whose clock
 * ticks 250 times a second): 64 KiB Writes and Reads at MTU 1500, 4 ms each way, 5 % of the segments of both
 * directions sent without the delay, 1 % loss one way. Of about 700 segments 13 came twice with Writes, 23
 * with Reads. */
#include <math.h>

#include "run_fixture.h"

enum { SEEDS = 100 };

static const char *const operations[] = {"write", "read"};
static const double captured[] = {13, 23};

static int compare(const void *a, const void *b)
{
  double one = *(const double *)a;
  double other = *(const double *)b;

  return (one > other) - (one < other);
}

static double spurious(const char *operation, guint seed, const char *const *more)
{
  g_auto(session_result) result =
      RUN(.file = "presets/siw.cfg", .more = more,
          .sets = STRINGS(setting("run.seed=%u", seed), setting("workload.operation=%s", operation),
                          "workload.messages=15", /* 15 * 46 segments = 690 */
                          "path.forward.rate=1Gbit/s", "path.forward.delay=0s", "path.forward.jitter=4ms",
                          "path.forward.reorder=5%", "path.forward.loss=1%", "path.reverse.jitter=4ms",
                          "path.reverse.reorder=5%", "measure.series=none"));

  return metric_of(&result, METRIC_TCP_SPURIOUS_RETRANSMISSIONS);
}

/* Sorts those of all seeds, ascending. */
static void sort_spurious(const char *operation, const char *const *more, double *values)
{
  for (guint i = 0; i < SEEDS; i++) {
    values[i] = spurious(operation, i + 1, more);
  }
  qsort(values, SEEDS, sizeof values[0], compare);
}

static double median_spurious(const char *operation, const char *const *more)
{
  double values[SEEDS];

  sort_spurious(operation, more, values);
  double median = (values[SEEDS / 2 - 1] + values[SEEDS / 2]) / 2;
  g_test_message("%s: %.0f to %.0f, median %.1f", operation, values[0], values[SEEDS - 1], median);
  return median;
}

/* With the mechanisms of Linux, among them two ticks of slack, partial undo, and timestamps in milliseconds,
 * which take less of what came late for originals, each capture could be one of these runs: at least two of a
 * hundred have as few, and two as many. Nothing but TCP limits the sender. */
TEST(test_as_many_as_linux)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    double values[SEEDS];
    sort_spurious(operations[i], STRINGS("tcp.timer_slack=8ms", "sender.buffer=unlimited"), values);
    g_assert_cmpfloat(values[1], <=, captured[i]);
    g_assert_cmpfloat(values[SEEDS - 2], >=, captured[i]);
  }
}

/* Returns how far the median is from `captured` with `buffer` ("sender.buffer=…"; NULL: that of the
 * preset). */
static double distance_with(gsize operation, const char *buffer)
{
  return fabs(median_spurious(operations[operation], STRINGS("tcp.timer_slack=8ms", buffer)) -
              captured[operation]);
}

/* The limits of the sending host matter as well. With 2 or 3 segments in flight, which presets/siw.cfg has
 * from captures under load, 4 and 5 come twice where these captures have 13 and 23; with twice its buffer, 5
 * or 6 segments, 11 and 9; without a limit 19 and 7. */
TEST(test_what_the_host_limits)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    double off = distance_with(i, "sender.buffer=8000");

    g_assert_cmpfloat(off, <, distance_with(i, NULL));
    g_assert_cmpfloat(off, <, distance_with(i, "sender.buffer=unlimited"));
  }
}

/* RFC 8985 alone retransmits at least twice as many: a segment that comes 4 ms early makes everything lost
 * that was sent before it by more than the reordering window. That is a quarter of the least round trip for
 * each D-SACK round, next to nothing once a segment and its ACK have both come early. */
TEST(test_more_by_the_rfc_alone)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    g_assert_cmpfloat(median_spurious(operations[i], STRINGS("tcp.profile=rfc", "sender.buffer=unlimited")),
                      >=, 80);
  }
}
