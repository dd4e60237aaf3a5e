/* SPDX-License-Identifier: GPL-2.0-only */
/* Two engines make one run, for two hundred random scenarios: events at the same time, everything that can
 * happen on the path, and every status. A scenario in which they differ is reduced, and printed as a
 * command. */
#include "run_fixture.h"
#include "scenario_generator.h"

enum { SEED = 20261130 };

/* The scenarios must have met these, all together; otherwise they prove less than they claim. */
static const metric_id met[] = {
    METRIC_LOSSES_RANDOM,
    METRIC_LOSSES_QUEUE,
    METRIC_LOSSES_MIDDLEBOX,
    METRIC_LOSSES_DAMAGED,
    METRIC_PATH_PACKETS_DUPLICATED,
    METRIC_PATH_PACKETS_DAMAGED,
    METRIC_PATH_PACKETS_MARKED,
    METRIC_PATH_PACKETS_DISPLACED,
    METRIC_PATH_PACKETS_TOO_BIG,
    METRIC_PATH_FRAGMENTS,
    METRIC_PATH_SEGMENTS_REORDERED,
    METRIC_TCP_RETRANSMISSIONS,
    METRIC_TCP_TIMEOUTS,
    METRIC_TCP_SPURIOUS_RETRANSMISSIONS,
    METRIC_TCP_ECN_REDUCTIONS,
    METRIC_TCP_PATH_MTU_CHANGES,
    METRIC_TCP_CHECKSUM_ERRORS,
    METRIC_MIDDLEBOX_SEGMENTS_BEHIND,
    METRIC_REFUSED_MEMORY,
    METRIC_REFUSED_DESCRIPTORS,
    METRIC_REFUSED_SEGMENTS,
    METRIC_REFUSED_RANGES,
    METRIC_MPA_CRC_ERRORS,
};

typedef struct tally {
  int of_status[RUN_STATUSES];
  double sums[METRIC_COUNT];
} tally;

static char *difference_of(const scenario *s)
{
  g_auto(session_result) result;

  char *difference = run_difference(s, &result);
  return difference;
}

static void run(random_scenario *drawn, int number, tally *all)
{
  g_autoptr(scenario) s = random_scenario_load(drawn, RANDOM_SCENARIO_ALL);
  g_auto(session_result) result;
  char *difference = run_difference(s, &result);

  if (difference) {
    random_scenario_shrink(drawn, difference_of);
    g_error("seed %d, scenario %d: %s. This is enough:\n%s", SEED, number, difference,
            random_scenario_describe(drawn));
  }
  EXPECT_METRICS(
      &result, (PATH_PACKETS_LOST, ==,
                metric_of(&result, METRIC_LOSSES_RANDOM) + metric_of(&result, METRIC_LOSSES_QUEUE) +
                    metric_of(&result, METRIC_LOSSES_MIDDLEBOX) + metric_of(&result, METRIC_LOSSES_DAMAGED)));
  all->of_status[result.status]++;
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    all->sums[id] += result.results.metrics.present[id] ? result.results.metrics.value[id] : 0;
  }
}

static void assert_worth_it(const tally *all, int count)
{
  for (size_t i = 0; i < G_N_ELEMENTS(met); i++) {
    g_test_message("%s: %.0f", metric_row_of(met[i])->name, all->sums[met[i]]);
    g_assert_cmpfloat(all->sums[met[i]], >, 0);
  }
  g_test_message("%d of %d were done, %d terminated, %d stopped, %d failed", all->of_status[RUN_OK], count,
                 all->of_status[RUN_TERMINATED], all->of_status[RUN_STOPPED], all->of_status[RUN_FAILED]);
  g_assert_cmpint(all->of_status[RUN_OK], >=, count * 2 / 3);
  g_assert_cmpint(all->of_status[RUN_FAILED], <=, count / 10);
  g_assert_cmpint(all->of_status[RUN_TERMINATED], >, 0);
  g_assert_cmpint(all->of_status[RUN_STOPPED], >, 0);
}

static void test_random_scenarios(gconstpointer data)
{
  int count = GPOINTER_TO_INT(data);
  GRand *random = g_rand_new_with_seed(SEED);
  tally all = {.sums = {0}};

  g_test_message("seed %d", SEED);
  for (int i = 0; i < count; i++) {
    g_autoptr(random_scenario) drawn = random_scenario_new(random);
    run(drawn, i, &all);
  }
  g_rand_free(random);
  assert_worth_it(&all, count);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  int count = argc > 1 ? atoi(argv[1]) : 200;
  g_test_add_data_func("/engines/random-scenarios", GINT_TO_POINTER(count), test_random_scenarios);
  return g_test_run();
}
