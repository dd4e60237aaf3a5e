/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a sweep over children that run well, fail in every way, or are not there to end
 * (fake_runs.c). */
#include <glib/gstdio.h>
#include <string.h>

#include "string_list.h"
#include "sweep_fixture.h"

#define FIXTURE_TEST(name) TEST_WITH(sweep_fixture, NULL, sweep_fixture_set_up, sweep_fixture_tear_down, name)

FIXTURE_TEST(test_all_run)
{
  sweep_result result = sweep_well(f, SEEDS("1", "4"), 1);
  EXPECT_FIELDS(&result, (points, 4), (done, 4));
  g_assert_cmpuint(result.present + result.failed + result.unexpected, ==, 0);
  g_assert_cmpuint(take_starts(f), ==, 4);
  g_autofree char *text = export_text(f);
  const char *last = text;
  for (int seed = 1; seed <= 4; seed++) { /* tcp.segments of each, in grid order */
    g_autofree char *segments = g_strdup_printf(",%d,", 1000 + seed);
    last = strstr(last, segments);
    g_assert_nonnull(last);
  }
}

/* The same command again starts nothing; one seed more starts one. */
FIXTURE_TEST(test_only_missing)
{
  sweep_well(f, SEEDS("1", "3"), 1);
  g_assert_cmpuint(take_starts(f), ==, 3);
  sweep_result again = sweep_well(f, SEEDS("1", "3"), 1);
  EXPECT_FIELDS(&again, (present, 3), (done, 0));
  g_assert_cmpuint(take_starts(f), ==, 0);
  sweep_result more = sweep_well(f, SEEDS("1", "4"), 1);
  EXPECT_FIELDS(&more, (present, 3), (done, 1));
  g_assert_cmpuint(take_starts(f), ==, 1);
}

FIXTURE_TEST(test_jobs_do_not_matter)
{
  sweep_well(f, SEEDS("1", "12"), 1);
  g_autofree char *one = export_text(f);
  g_unlink(f->store_path);
  sweep_well(f, SEEDS("1", "12"), 5);
  g_autofree char *five = export_text(f);
  g_assert_cmpstr(one, ==, five);
}

/* Seeds 13 … 17, 21, 22, 23 and 25 fail in their ways (fake_runs.c); 12, 20 and 24 beside them run. 137 = 128
 * + SIGKILL. */
FIXTURE_TEST(test_every_failure)
{
  sweep_result result = sweep_well(f, SEED_LIST("bad", "12, 13, 14, 15, 16, 17, 20, 21, 22, 23, 24, 25"), 2);
  EXPECT_FIELDS(&result, (done, 3), (failed, 8), (unexpected, 1), (to_go, 0), (stopped, false));
  expect_recorded(f, "12", RUN_OK, 0, "");
  expect_recorded(f, "13", RUN_FAILED, 137, "signal 9");
  expect_recorded(f, "13", RUN_FAILED, 137, "fake: a broken invariant");
  expect_recorded(f, "14", RUN_FAILED, 1, "exited with code 0, without a summary");
  expect_recorded(f, "15", RUN_FAILED, 1, "octets differ");
  expect_recorded(f, "16", RUN_TERMINATED, 1, "invalid STag");
  expect_recorded(f, "17", RUN_FAILED, 137, "but the status in its summary is ok");
  expect_recorded(f, "21", RUN_FAILED, 137, "but the status in its summary is terminated");
  expect_recorded(f, "22", RUN_FAILED, 1, "exited with code 1, but the status in its summary is ok");
  expect_recorded(f, "23", RUN_FAILED, 1, "exited with code 0, without a summary");
  expect_recorded(f, "25", RUN_FAILED, 3, "exited with code 3, without a summary");
  g_autofree char *said = problems_of_sweep(f);
  g_assert_nonnull(strstr(said, "run 2 (run.seed=13) failed: "));
  g_assert_nonnull(strstr(said, "run 5 (run.seed=16) terminated, where run.expect is ok: invalid STag\n"));
}

/* Runs of engine native share processes, until one crashes: that of 13 has made 1 and 2, another makes 3
 * and 4. */
FIXTURE_TEST(test_crash_among_small_runs)
{
  sweep_result result = sweep_well(f, SEED_LIST("native", "1, 2, 13, 3, 4"), 1);
  EXPECT_FIELDS(&result, (done, 4), (failed, 1), (to_go, 0));
  expect_recorded(f, "2", RUN_OK, 0, "");
  expect_recorded(f, "13", RUN_FAILED, 137, "signal 9");
  expect_recorded(f, "3", RUN_OK, 0, "");
  const pid_t first = traced_process(f->folder, "1"), second = traced_process(f->folder, "3");
  g_assert_cmpint(first, !=, second);
  g_assert_cmpint(traced_process(f->folder, "2"), ==, first);
  g_assert_cmpint(traced_process(f->folder, "13"), ==, first);
  g_assert_cmpint(traced_process(f->folder, "4"), ==, second);
}

/* A failed run is repeated, and replaced by the good one; a Terminate is not repeated but still counted. */
FIXTURE_TEST(test_failed_again)
{
  static const char text[] = SEED_LIST("bad", "16, 19");
  g_autofree char *mended = NULL;
  sweep_result first = sweep_well(f, text, 1);
  g_assert_cmpuint(first.failed, ==, 1);
  g_assert_cmpuint(take_starts(f), ==, 2);
  mended = fixture_file(f->folder, "mended", "");
  sweep_result second = sweep_well(f, text, 1);
  g_assert_cmpuint(take_starts(f), ==, 1);
  EXPECT_FIELDS(&second, (present, 1), (done, 1), (failed, 0), (unexpected, 1));
  expect_recorded(f, "19", RUN_OK, 0, "");
}

/* run.expect = terminate: seed 16, which is terminated, is what was wanted; seed 12, which ends well, exits 1
 * and is kept for what it is, not taken for a crash, and not repeated. */
FIXTURE_TEST(test_expected_to_terminate)
{
  static const char text[] = "title = \"bad\"; run: { expect = \"terminate\"; }; sweep = ( { key = "
                             "\"run.seed\"; values = [12, 16]; } );";
  sweep_result first = sweep_well(f, text, 1);
  EXPECT_FIELDS(&first, (done, 1), (failed, 0), (unexpected, 1));
  expect_recorded(f, "12", RUN_OK, 1, "");
  expect_recorded(f, "16", RUN_TERMINATED, 0, "invalid STag");
  g_assert_cmpuint(take_starts(f), ==, 2);
  sweep_result second = sweep_well(f, text, 1);
  g_assert_cmpuint(second.failed, ==, 0);
  g_assert_cmpuint(take_starts(f), ==, 0);
}

/* Three shards of seven points: 3 + 2 + 2, and together all. */
FIXTURE_TEST(test_shards)
{
  static const gsize expected[] = {3, 2, 2};
  for (guint shard = 1; shard <= 3; shard++) {
    sweep_result result =
        sweep_with(f, SEEDS("1", "7"), (how_to_sweep){.jobs = 1, .shard = shard, .shards = 3});
    EXPECT_FIELDS(&result, (points, expected[shard - 1]), (done, expected[shard - 1]));
  }
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 7);
}

/* What ran is what is recorded: each point's values, and --set. */
FIXTURE_TEST(test_sets_reach_children)
{
  static const char *const seeds[] = {"1", "2", "3", "4", "5"};
  sweep_result result;
  g_assert_true(NO_ERROR(sweep_text, f, SEEDS("1", "5"), STRINGS("workload.messages=77"),
                         (how_to_sweep){.jobs = 2}, &result));
  g_assert_cmpuint(result.done, ==, 5);
  for (gsize i = 0; i < G_N_ELEMENTS(seeds); i++) {
    g_autofree char *found =
        recorded(f, seeds[i],
                 "(SELECT group_concat(value) FROM (SELECT value FROM metrics WHERE run = runs.id ORDER BY "
                 "value DESC))"
                 " || ' ' ||"
                 " (SELECT value FROM parameters WHERE run = runs.id AND key = 'workload.messages')");
    g_autofree char *expected = g_strdup_printf("100%s.0,77.0 77", seeds[i]); /* segments, delivered */
    g_assert_cmpstr(found, ==, expected);
  }
}

/* It records where, when and at what cost; the engine that ran, whatever was asked for; of a child that
 * crashed, the lines of its stderr. */
FIXTURE_TEST(test_everything_is_recorded)
{
  sweep_well(f, SEED_LIST("seeds", "1, 13"), 1);
  g_autofree char *ran =
      recorded(f, "1",
               "host || ' ' || engine || ' ' || (SELECT name FROM origins WHERE id = origin)"
               " || ' ' || (SELECT value FROM parameters WHERE run = runs.id AND key = "
               "'run.engine')");
  g_autofree char *expected = g_strdup_printf("%s fake a auto", g_get_host_name());
  g_assert_cmpstr(ran, ==, expected);
  g_autofree char *cost =
      recorded(f, "1", "started LIKE '%Z' AND wall_s > 0 AND cpu_s > 0 AND memory_peak_octets > 100000");
  g_assert_cmpstr(cost, ==, "1");
  g_autofree char *said = recorded(f, "13", "stderr_tail");
  g_assert_cmpstr(said, ==, "fake: this led to it\nfake: a broken invariant");
}

/* Of 11, 12, 13, 20 one after the other, 13 crashes: 20 is not started, by the same command again neither,
 * which tries 13 again. Two at once 12 runs beside 13 or before it, and is kept. */
FIXTURE_TEST(test_stops_at_first_failure)
{
  static const char text[] = SEED_LIST("a", "11, 12, 13, 20");
  how_to_sweep options = {.jobs = 1, .stops = TRUE};
  sweep_result result = sweep_with(f, text, options);
  EXPECT_FIELDS(&result, (stopped, true), (done, 2), (failed, 1), (to_go, 1));
  g_assert_cmpuint(take_starts(f), ==, 3);
  result = sweep_with(f, text, options);
  EXPECT_FIELDS(&result, (present, 2), (failed, 1));
  g_assert_cmpuint(take_starts(f), ==, 1);
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, 3);

  g_unlink(f->store_path);
  options.jobs = 2;
  result = sweep_with(f, text, options);
  EXPECT_FIELDS(&result, (stopped, true), (failed, 1));
  g_assert_cmpuint(result.done + result.to_go, ==, 3);
  g_assert_cmpuint(fixture_count_runs(f->store_path), ==, take_starts(f));
}

/* Seed 16 is terminated, where ok is expected: a result, but not the one that was wanted. It is not
 * repeated. */
FIXTURE_TEST(test_stops_at_the_unexpected)
{
  static const char text[] = SEED_LIST("a", "16, 20");
  how_to_sweep options = {.jobs = 1, .stops = TRUE};
  sweep_result result = sweep_with(f, text, options);
  EXPECT_FIELDS(&result, (stopped, true), (unexpected, 1), (to_go, 1));
  result = sweep_with(f, text, options);
  EXPECT_FIELDS(&result, (stopped, false), (present, 1), (done, 1));
}
