/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show how many seeds a point gets (`sweep --until`): decided by its own runs, in the order of
 * their seeds. */
#include "study/sweep/sweep_plan.h"

#include <math.h>

#include "parts.h"
#include "study_fixture.h"

/* The interval of goodput is to be this narrow. */
#define GOODPUT(narrow)                                                                                      \
  {                                                                                                          \
    .quantity = {.metric = METRIC_GOODPUT_BIT_PER_S, .whole = METRIC_COUNT}, .share = (narrow)               \
  }

typedef struct fixture {
  char *folder;
  scenario *scenario;
  sweep_grid *grid;
  sweep_plan *plan;
  guint ended; /* runs of the plan that have been noted */
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = fixture_folder_new();
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  sweep_plan_free(f->plan);
  sweep_grid_free(f->grid);
  scenario_free(f->scenario);
  fixture_folder_remove(f->folder);
}

/* These are three points, in this order. */
#define THREE "576, 1500, 9000"

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* The plan of a scenario with a point for each of these MTUs, and up to `seeds` seeds of each. */
static void plan(fixture *f, const char *mtus, guint seeds, const sweep_goal *goals, gsize count)
{
  g_autofree char *text =
      g_strdup_printf("sweep = ( { key = \"path.forward.mtu\"; values = [%s]; } );", mtus);
  f->scenario = fixture_scenario(f->folder, "a.cfg", text, NULL);
  f->grid = NO_ERROR(sweep_grid_new, f->scenario, NULL, NULL, seeds, NULL, NULL);
  f->plan = sweep_plan_new(f->grid, goals, count);
}

/* Notes a run with this goodput; 0: none was measured. */
static void note(const fixture *f, gsize index, run_status status, double goodput)
{
  stored_run run = {.status = status};
  if (goodput > 0) {
    metric_values_set(&run.results.metrics, METRIC_GOODPUT_BIT_PER_S, goodput);
  }
  metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, 100);
  sweep_plan_note(f->plan, index, &run);
}

/* Returns 0.9 with even seeds and 1.1 with odd ones. Their deviation is 0.1 · √(n / (n - 1)), so the interval
 * is 1 ± t · 0.1 / √(n - 1), with t of n - 1 degrees of freedom: 8.9 % with 8, 6.6 % with 12, 5.1 % with 18,
 * 4.0 % with 27, 3.2 % with 40. */
static double goodput_of(const fixture *f, gsize index)
{
  return (index % sweep_grid_seeds(f->grid)) % 2 == 0 ? 0.9 : 1.1;
}

/* All runs that are planned end, the last ones first, and what follows from them too. */
static void end_all(fixture *f)
{
  while (f->ended < sweep_plan_runs(f->plan)->len) {
    guint planned = sweep_plan_runs(f->plan)->len;
    for (guint i = planned; i-- > f->ended;) {
      gsize index = g_array_index(sweep_plan_runs(f->plan), planned_run, i).index;
      note(f, index, RUN_OK, goodput_of(f, index));
    }
    f->ended = planned;
  }
}

static guint planned(const fixture *f)
{
  return sweep_plan_runs(f->plan)->len;
}

static void expect_report(const fixture *f, const char *expected)
{
  g_autofree char *report = sweep_plan_report(f->plan);
  g_assert_cmpstr(report, ==, expected);
}

/* It is narrow to 3.5 %, which is ± 3.5 / 1.035 = 3.38 %, with 40 seeds, and not with 27: a third more must
 * be drawn after the first 40. What none of 60 runs has may happen in 1 - 0.05^(1 / 60) = 4.9 % of them. */
FIXTURE_TEST(test_narrow_enough)
{
  const sweep_goal goal = GOODPUT(0.035);
  plan(f, THREE, 256, &goal, 1);
  g_assert_cmpuint(planned(f), ==, 3 * 8);
  g_assert_true(sweep_plan_is_open(f->plan));
  expect_report(f, "0 of 3 points are as narrow as asked for; 3 not decided\n");
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 3 * 60);
  g_assert_false(sweep_plan_is_open(f->plan));
  expect_report(f,
                "3 of 3 points are as narrow as asked for, with 60 seeds\n"
                "note: goodput_bit_per_s: the intervals are made for a skewness within ±4; what happens in "
                "fewer than 5 % of the runs may be in none of 60\n");
  /* point 1, 2, 3: 8 seeds each, then 4, then 6 of point 3, the last to end, first */
  const planned_run *runs = (const planned_run *)(gpointer)sweep_plan_runs(f->plan)->data;
  g_assert_cmpuint(runs[8].index, ==, 256);
  g_assert_cmpuint(runs[24].index, ==, 2 * 256 + 8);
}

/* 5.1 % with 18 seeds is narrow to 6 %, but fewer than 40 do not show how skewed values are; where no more
 * are allowed, the report has it. */
FIXTURE_TEST(test_enough_to_be_skewed)
{
  const sweep_goal goal = GOODPUT(0.06);
  plan(f, "9000", 256, &goal, 1);
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 40);
}

FIXTURE_TEST(test_too_few_to_be_skewed)
{
  const sweep_goal goal = GOODPUT(0.06);
  plan(f, "9000", 38, &goal, 1);
  end_all(f);
  g_autofree char *report = sweep_plan_report(f->plan);
  EXPECT_PARTS(report, "1 of 1 point is as narrow as asked for, with 38 seeds\n",
               "at 1 point the interval covers less than 95 %: fewer than 40 values may hide how skewed");
}

/* 39 equal values and one far away have the skewness of a single one, √40 = 6.3. */
FIXTURE_TEST(test_beyond_the_skewness)
{
  const sweep_goal goal = GOODPUT(0.9);
  plan(f, "9000", 256, &goal, 1);
  while (f->ended < planned(f)) {
    note(f, f->ended, RUN_OK, f->ended == 7 ? 2 : 1);
    f->ended++;
  }
  g_autofree char *report = sweep_plan_report(f->plan);
  EXPECT_PARTS(report, "with 40 seeds",
               "skewness within ±4, which that of 1 point exceeds: they may cover less");
}

/* A point is decided alone, and only once all of its runs have ended: nothing of what another does, or of
 * which run ends when, has a part in it. */
FIXTURE_TEST(test_point_alone)
{
  const sweep_goal goal = GOODPUT(0.06);
  plan(f, THREE, 256, &goal, 1);
  for (gsize seed = 8; seed-- > 1;) {
    note(f, seed, RUN_OK, goodput_of(f, seed));
  }
  g_assert_cmpuint(planned(f), ==, 24);
  note(f, 256, RUN_OK, 1);
  g_assert_cmpuint(planned(f), ==, 24);
  note(f, 0, RUN_OK, goodput_of(f, 0));
  g_assert_cmpuint(planned(f), ==, 24 + 4);
}

/* 8, 12, and the 14 that are allowed: t = 2.1604 · 0.1 / √13 is 5.99 %, a little more for skewness that so
 * few values cannot rule out. */
FIXTURE_TEST(test_seeds_used_up)
{
  const sweep_goal goal = GOODPUT(0.01);
  plan(f, "1500", 14, &goal, 1);
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 14);
  g_autofree char *report = sweep_plan_report(f->plan);
  g_assert_true(g_str_has_prefix(report, "0 of 1 point is as narrow as asked for; 1 not:\n"
                                         "  path.forward.mtu=1500: 14 seeds, goodput_bit_per_s ±6.0"));
  EXPECT_PARTS(report, " % (needed: 0.99 %)\n"); /* 1 % of a mean that may be 1 % less */
}

/* Returns how often each run was dealt to one of `shards` shards, by index; and in `seconds` what each
 * shard's cost. */
static guint *deal(fixture *f, guint shards, double *seconds)
{
  guint *dealt = g_new0(guint, sweep_grid_count(f->grid));
  for (guint shard = 1; shard <= shards; shard++) {
    g_autoptr(sweep_plan) part = sweep_plan_new(f->grid, NULL, 0);
    sweep_plan_deal(part, shard, shards);
    seconds[shard - 1] = 0;
    for (guint i = 0; i < sweep_plan_runs(part)->len; i++) {
      const gsize index = g_array_index(sweep_plan_runs(part), planned_run, i).index;
      seconds[shard - 1] += sweep_grid_cost(f->grid, index).seconds;
      dealt[index]++;
    }
    g_assert_cmpuint(sweep_plan_intended(part), ==, sweep_grid_count(f->grid));
  }
  return dealt;
}

/* Runs are dealt out by what they cost, each to one shard, and no two shards differ by more than the most
 * expensive run. The smaller the MTU the more segments: dealt in turn, one of two shards would get all four
 * expensive runs. */
FIXTURE_TEST(test_dealt_by_cost)
{
  double seconds[5];
  plan(f, "576, 9000, 600, 8000, 620, 7000, 640, 6000", 0, NULL, 0);
  for (guint shards = 1; shards <= G_N_ELEMENTS(seconds); shards++) {
    g_autofree guint *dealt = deal(f, shards, seconds);
    double least = seconds[0], most = seconds[0];
    for (gsize i = 0; i < sweep_grid_count(f->grid); i++) {
      g_assert_cmpuint(dealt[i], ==, 1);
    }
    for (guint shard = 1; shard < shards; shard++) {
      least = fmin(least, seconds[shard]);
      most = fmax(most, seconds[shard]);
    }
    g_assert_cmpfloat(most - least, <=, sweep_grid_cost(f->grid, 0).seconds);
  }
}

/* Of more shards than there are runs, each of the first has one run and the others have none, at once. */
FIXTURE_TEST(test_more_shards_than_runs)
{
  plan(f, THREE, 0, NULL, 0);
  for (guint shard = 1; shard <= 4; shard++) {
    g_autoptr(sweep_plan) part = sweep_plan_new(f->grid, NULL, 0);
    sweep_plan_deal(part, shard < 4 ? shard : G_MAXUINT, G_MAXUINT);
    g_assert_cmpuint(sweep_plan_runs(part)->len, ==, shard <= sweep_grid_count(f->grid));
  }
}

/* A shard has its part of a round and no more: the first 8 seeds of three points are 24, 12 for each of two;
 * what follows is decided when the round is in one store. */
FIXTURE_TEST(test_round)
{
  const sweep_goal goal = GOODPUT(0.06);
  plan(f, THREE, 256, &goal, 1);
  sweep_plan_deal(f->plan, 2, 2);
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 12);
  g_assert_cmpuint(sweep_plan_intended(f->plan), ==, 24);
  g_assert_true(sweep_plan_is_open(f->plan));
  g_assert_cmpuint(sweep_plan_expected(f->plan).runs, ==, 0);
}

/* What does not vary needs no more seeds; what no run has gets none. The number of segments is always 100. */
FIXTURE_TEST(test_without_spread)
{
  const sweep_goal goals[] = {
      {.quantity = {.metric = METRIC_TCP_SEGMENTS, .whole = METRIC_COUNT}, .share = 0.01},
      {.quantity = {.metric = METRIC_TCP_TIMEOUTS, .whole = METRIC_COUNT}, .share = 0.01}};
  plan(f, THREE, 20, goals, 2);
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 24);
  g_assert_true(sweep_plan_without_values(f->plan) == &goals[1]);
  g_autofree char *report = sweep_plan_report(f->plan);
  EXPECT_PARTS(
      report, "0 of 3 points", "  path.forward.mtu=576: 8 seeds, tcp.timeouts in 0 of their runs\n",
      "note: tcp.segments does not vary; what happens in fewer than 31 % of the runs may be in none of 8\n");
}

/* All goals must be met: the share of goodput in segments is as wide as goodput. */
FIXTURE_TEST(test_all_goals)
{
  const sweep_goal goals[] = {
      GOODPUT(0.1),
      {.quantity = {.metric = METRIC_GOODPUT_BIT_PER_S, .whole = METRIC_TCP_SEGMENTS}, .share = 0.035}};
  plan(f, "9000", 256, goals, 2);
  end_all(f);
  g_assert_cmpuint(planned(f), ==, 60);
}

/* A failed run holds its point until it has been repeated. One that was terminated is a result, but without a
 * value: seven are not enough, however close together, and another seed is the eighth. */
FIXTURE_TEST(test_runs_without_values)
{
  const sweep_goal goal = GOODPUT(0.2);
  plan(f, "9000", 256, &goal, 1);
  for (gsize seed = 0; seed < 8; seed++) {
    note(f, seed, seed == 2 ? RUN_FAILED : seed == 3 ? RUN_TERMINATED : RUN_OK, 1);
  }
  g_assert_cmpuint(planned(f), ==, 8);
  expect_report(f, "0 of 1 point is as narrow as asked for; 1 not decided\n");
  note(f, 2, RUN_OK, 1);
  g_assert_cmpuint(planned(f), ==, 9);
  note(f, 8, RUN_OK, 1);
  expect_report(
      f, "1 of 1 point is as narrow as asked for, with 9 seeds\n"
         "note: goodput_bit_per_s does not vary; what happens in fewer than 31 % of the runs may be in "
         "none of 8\n");
}

/* An interval that covers less than it should is reported. */
FIXTURE_TEST(test_doubtful_interval)
{
  const sweep_goal goal = GOODPUT(0.9);
  plan(f, "9000", 8, &goal, 1);
  for (gsize seed = 0; seed < 8; seed++) {
    note(f, seed, RUN_OK, seed == 0 ? 9 : 1);
  }
  g_autofree char *report = sweep_plan_report(f->plan);
  EXPECT_PARTS(report, "1 not:", "note: goodput_bit_per_s: at 1 point the interval covers less than 95 %: ");
}

/* A value that no run measures is none, and no reason for more seeds than there are. */
FIXTURE_TEST(test_strange_value)
{
  const sweep_goal goal = GOODPUT(0.5);
  plan(f, "9000", 12, &goal, 1);
  for (gsize seed = 0; seed < 8; seed++) {
    note(f, seed, RUN_OK, seed == 0 ? 1e200 : 1);
  }
  g_assert_cmpuint(planned(f), ==, 9);
  for (gsize seed = 8; seed < 12; seed++) {
    note(f, seed, RUN_OK, 1e200);
  }
  g_assert_cmpuint(planned(f), ==, 12); /* its seeds are used up */
}

/* The width goes with 1 / √n: from 8.94 % with 8 seeds to 4.47 % with 32, and half as many are drawn after
 * that. That is narrow to 4.68 %, since 4.68 / 1.0468 = 4.47 (statistics_are_narrow()). Before a point has
 * its first 8, nobody knows. */
FIXTURE_TEST(test_expectation)
{
  const sweep_goal goal = GOODPUT(0.0468);
  plan(f, "9000", 256, &goal, 1);
  sweep_plan_rest rest = sweep_plan_expected(f->plan);
  g_assert_false(rest.known);
  for (gsize seed = 0; seed < 8; seed++) {
    note(f, seed, RUN_OK, goodput_of(f, seed));
  }
  rest = sweep_plan_expected(f->plan);
  g_assert_true(rest.known);
  g_assert_cmpuint(rest.runs, >=, 48 - 12);
  g_assert_cmpuint(rest.runs, <=, 50 - 12);
  g_assert_cmpfloat_with_epsilon(rest.seconds, (double)rest.runs * sweep_grid_cost(f->grid, 0).seconds, 1e-9);
}

/* Without goals every run of the grid is planned, once. */
FIXTURE_TEST(test_without_goals)
{
  plan(f, THREE, 2, NULL, 0);
  g_assert_cmpuint(planned(f), ==, 6);
  g_assert_false(sweep_plan_is_open(f->plan));
  note(f, 3, RUN_OK, 1);
  g_assert_cmpuint(planned(f), ==, 6);
  expect_report(f, "");
}
