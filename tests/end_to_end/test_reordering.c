/* Spurious retransmissions under reordering, beside two captures of Linux's siw (Debian 12, whose clock ticks 250 times a second): 64 KiB
 * Writes and Reads at MTU 1500, 4 ms each way, 5 % of the segments of both directions sent past the delay, 1 % loss one way. Of about
 * 700 segments 13 and 23 came twice. */
#include "run_kit.h"

enum { SEEDS = 16, RUNS = 2 * SEEDS, SETS_MAX = 24 };

static int compare(const void *a, const void *b)
{
  double one = *(const double *)a;
  double other = *(const double *)b;

  return (one > other) - (one < other);
}

static double spurious(const char *operation, guint seed, const char *const *more)
{
  g_autofree char *seed_set = g_strdup_printf("run.seed=%u", seed);
  g_autofree char *operation_set = g_strdup_printf("workload.operation=%s", operation);
  const char *sets[SETS_MAX] = {seed_set,
                                operation_set,
                                "workload.messages=15", /* 15 * 46 segments = 690 */
                                "mpa.markers=false",
                                "receiver.mode=in-order",
                                "tcp.timestamps=true",
                                "path.forward.rate=1Gbit/s",
                                "path.forward.delay=0s",
                                "path.forward.jitter=4ms",
                                "path.forward.reorder=5%",
                                "path.forward.loss=1%",
                                "path.reverse.jitter=4ms",
                                "path.reverse.reorder=5%",
                                "measure.series=none"};
  guint count = 14;

  for (; *more; more++) {
    sets[count++] = *more;
  }
  simulation_result result = run_kit_run("native", NULL, sets);
  double value = run_kit_metric(&result, METRIC_TCP_SPURIOUS_RETRANSMISSIONS);
  simulation_result_clear(&result);
  return value;
}

/* Of Writes and Reads together. */
static double median_spurious(const char *const *more)
{
  double values[RUNS];

  for (guint i = 0; i < SEEDS; i++) {
    values[2 * i] = spurious("write", i + 1, more);
    values[2 * i + 1] = spurious("read", i + 1, more);
  }
  qsort(values, RUNS, sizeof values[0], compare);
  g_test_message("spurious retransmissions: %.0f to %.0f, median %.1f", values[0], values[RUNS - 1],
                 (values[RUNS / 2 - 1] + values[RUNS / 2]) / 2);
  return (values[RUNS / 2 - 1] + values[RUNS / 2]) / 2;
}

/* As many as Linux, with what Linux has: two ticks of slack, and partial undo among the rest. */
static void test_as_many_as_linux(void)
{
  static const char *const sets[] = {"tcp.timer_slack=8ms", NULL};
  double median = median_spurious(sets);

  g_assert_cmpfloat(median, >=, 10);
  g_assert_cmpfloat(median, <=, 40);
}

/* RFC 8985 alone sends at least twice that again: a segment that came 4 ms early makes all lost that was sent before it by more than the
 * window, which is a quarter of the least round trip a D-SACK round; and that is next to nothing once a segment and its ACK both came
 * early. */
static void test_more_by_the_rfc_alone(void)
{
  static const char *const sets[] = {"tcp.profile=rfc", NULL};

  g_assert_cmpfloat(median_spurious(sets), >=, 80);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/end_to_end/reordering/as_many_as_linux", test_as_many_as_linux);
  g_test_add_func("/end_to_end/reordering/more_by_the_rfc_alone", test_more_by_the_rfc_alone);
  return g_test_run();
}
