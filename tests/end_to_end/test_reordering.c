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

static double median_spurious(const char *operation, const char *const *more)
{
  double values[SEEDS];

  for (guint i = 0; i < SEEDS; i++) {
    values[i] = spurious(operation, i + 1, more);
  }
  qsort(values, SEEDS, sizeof values[0], compare);
  double median = (values[SEEDS / 2 - 1] + values[SEEDS / 2]) / 2;
  g_test_message("%s: %.0f to %.0f, median %.1f", operation, values[0], values[SEEDS - 1], median);
  return median;
}

/* As many as Linux, with the mechanisms of Linux, among them two ticks of slack and partial undo. Nothing but
 * TCP limits the sender. */
TEST(test_as_many_as_linux)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    double median = median_spurious(operations[i], STRINGS("tcp.timer_slack=8ms", "sender.buffer=unlimited"));
    g_assert_cmpfloat(median, >=, 10);
    g_assert_cmpfloat(median, <=, 40);
  }
}

/* With `buffer` ("sender.buffer=…"; NULL: that of the preset). Stores the difference from `captured` in
 * `off`. */
static double median_with(gsize operation, const char *buffer, double *off)
{
  double median = median_spurious(operations[operation], STRINGS("tcp.timer_slack=8ms", buffer));

  *off = fabs(median - captured[operation]);
  return median;
}

/* The limits of the sending host matter as well. With 2 or 3 segments in flight, which presets/siw.cfg has
 * from captures under load, fewer come twice than in these captures, and without a limit more: 3 < 13 < 31
 * and 5 < 23 < 27. For Writes the preset is nearer than no limit (10 off instead of 18), and twice its
 * buffer, 5 or 6 segments, is still nearer (2 off); for Reads no limit is the nearest (4 off, 7.5 with twice
 * the buffer). */
TEST(test_what_the_host_limits)
{
  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    double few_off, more_off, all_off;

    g_assert_cmpfloat(median_with(i, NULL, &few_off), <, captured[i]);
    g_assert_cmpfloat(median_with(i, "sender.buffer=unlimited", &all_off), >, captured[i]);
    median_with(i, "sender.buffer=8000", &more_off);
    g_assert_cmpfloat(more_off, <, few_off);
    g_assert_true(i > 0 || few_off < all_off);
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
