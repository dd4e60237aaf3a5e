/* SPDX-License-Identifier: GPL-2.0-only */
/* What `sweep --list` shows: every run, the sums, and estimates. */
#include "study/sweep/sweep_list.h"

#include <string.h>

#include "store_commit.h"
#include "study_fixture.h"
#include "test.h"

typedef struct fixture {
  grid_fixture on;
  sweep_list_options options;
} fixture;

static void set_up(fixture *f, gconstpointer unused)
{
  grid_fixture_set_up(&f->on, unused);
  f->options = (sweep_list_options){.version = "0.1.0", .jobs = 1, .shard = 1, .shards = 1};
}

static void tear_down(fixture *f, gconstpointer unused)
{
  g_free(f->options.states);
  grid_fixture_tear_down(&f->on, unused);
}

static char *printed(const fixture *f)
{
  char *text = NULL;
  size_t length;
  FILE *output = open_memstream(&text, &length);
  sweep_list_print(f->on.grid, &f->options, output);
  g_assert_cmpint(fclose(output), ==, 0);
  return text;
}

static void expect_list(const fixture *f, const char *expected)
{
  g_autofree char *text = printed(f);
  g_assert_cmpstr(text, ==, expected);
}

static double segments_of(fixture *f, const char *text)
{
  g_autoptr(scenario) s = fixture_scenario(f->on.folder, "s.cfg", text, NULL);
  return sweep_list_segments(s);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* 1500 octets hold 1460 of payload, 65536 are 44.9 of them: 45 segments a message, 200 messages. */
FIXTURE_TEST(test_segments)
{
  g_assert_cmpfloat(segments_of(f, "title = \"t\";"), ==, 9000);
  g_assert_cmpfloat(segments_of(f, "workload: { connections = 3; };"), ==, 27000);
  g_assert_cmpfloat(segments_of(f, "workload: { directions = \"both\"; };"), ==, 18000);
  /* 9000 - 40 - 12 = 8948: 8 segments */
  g_assert_cmpfloat(segments_of(f, "path: { forward: { mtu = 9000; }; }; tcp: { timestamps = true; };"), ==,
                    1600);
  /* the way back is the narrow one, and a Read's payload goes there: 536 octets, 123 segments */
  g_assert_cmpfloat(
      segments_of(f, "workload: { operation = \"read\"; }; path: { reverse: { mtu = 576; }; };"), ==,
      123 * 200);
  /* half the messages are of no octets, and take a segment each all the same */
  g_assert_cmpfloat(segments_of(f, "workload: { message_sizes = [0, 1461]; };"), ==, 100 + 200);
}

/* 9000 segments at 2,000,000 a second and 5 ms to start are 9.5 ms a run: two runs take 19 ms. */
FIXTURE_TEST(test_without_store)
{
  grid_fixture_make(&f->on, "title = \"Two seeds\"; sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );");
  expect_list(f, "a: Two seeds, iwarpsim 0.1.0\n"
                 "1  run.seed=1\n"
                 "2  run.seed=2\n"
                 "2 runs, 2 to run, about 18 thousand segments, about 1 s at -j 1\n");
}

FIXTURE_TEST(test_without_axes)
{
  grid_fixture_make(&f->on, "workload: { messages = 1; };");
  expect_list(f, "a, iwarpsim 0.1.0\n"
                 "1\n"
                 "1 run, 1 to run, about 45 segments, about 1 s at -j 1\n");
}

/* What is left out, what is given twice and the shard are told. Of points 1 2 3 the second shard of two has
 * the second. */
FIXTURE_TEST(test_remarks)
{
  grid_fixture_make(
      &f->on, "sweep = ( { key = \"run.seed\"; values = [1, 2, 1, 3, 4]; } ); where = \"run.seed < 4\";");
  f->options.shard = f->options.shards = 2;
  expect_list(
      f, "a, iwarpsim 0.1.0\n"
         "2  run.seed=2\n"
         "1 run (shard 2/2 of 3, 1 left out by where, 1 given twice), 1 to run, about 9 thousand segments, "
         "about 1 s at -j 1\n");
}

static void expect_estimate(fixture *f, const char *scenario_text, guint jobs, const char *expected)
{
  grid_fixture_make(&f->on, scenario_text);
  f->options.jobs = jobs;
  g_autofree char *text = printed(f);
  if (!g_str_has_suffix(text, expected)) {
    g_error("\"%s\" does not end with \"%s\"", text, expected);
  }
}

/* A message of 1460 octets is a segment; so many messages are so many segments. On engine ns3 400,000 take a
 * second, on native 2,000,000; and each run takes 5 ms to start. */
FIXTURE_TEST(test_estimates)
{
#define WORKLOAD(messages) "workload: { message_size = 1460; messages = " messages "; };"
#define TWO_SEGMENTS(messages) "workload: { message_size = 2920; messages = " messages "; };"
  /* 200 million / 2,000,000 = 100 s, 100.005 s with the start: 101 */
  expect_estimate(f, WORKLOAD("200000000"), 1, "about 200 million segments, about 101 s at -j 1\n");
  /* a run is not made faster by more cores */
  expect_estimate(f, WORKLOAD("200000000"), 8, "about 101 s at -j 8\n");
  /* 40 million / 400,000 = 100 s */
  if (HAS_NS3) {
    expect_estimate(f, WORKLOAD("40000000") "run: { engine = \"ns3\"; };", 1,
                    "about 40 million segments, about 101 s at -j 1\n");
  }
  /* four runs of 100.005 s in two rows: 200.01 s, 201 of them are 3.35 min */
  expect_estimate(f, WORKLOAD("200000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 4; } );", 2,
                  "4 to run, about 800 million segments, about 3 min at -j 2\n");
  /* 2 billion / 2,000,000 = 1000 s, ten of them 10000 s = 2 h 46 min 40 s */
  expect_estimate(f, TWO_SEGMENTS("1000000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 10; } );", 1,
                  "about 20 billion segments, about 2 h 46 min at -j 1\n");
  /* ... and three hundred 300001.5 s, 3 d 11 h 20 min */
  expect_estimate(f, TWO_SEGMENTS("1000000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 300; } );", 1,
                  "about 600 billion segments, about 3 d 11 h at -j 1\n");
#undef WORKLOAD
#undef TWO_SEGMENTS
}

static void commit(result_store *store, const fixture *f, gsize index, run_status status, int exit_code,
                   double wall_s)
{
  const provenance from = fixture_origin("a", "t", "text", "run.seed");
  g_autoptr(scenario) s = sweep_grid_scenario(f->on.grid, index);
  g_auto(stored_run) run = fixture_run(s, index);
  run.status = status;
  run.exit_code = exit_code;
  run.wall_s = wall_s;
  g_assert_true(NO_ERROR(store_commit, store, &from, &run));
}

/* A store says what became of each run, and how long one takes: those that ended well 100 and 300 s. The
 * failed and the two missing ones are to run, 600 s by one. */
FIXTURE_TEST(test_with_store)
{
  grid_fixture_make(&f->on, "title = \"t\"; sweep = ( { key = \"run.seed\"; from = 1; to = 6; } );");
  g_autofree char *path = g_build_filename(f->on.folder, "a.sqlite", NULL);
  result_store *store = NO_ERROR(result_store_open, path, RESULT_STORE_WRITE);
  commit(store, f, 0, RUN_OK, 0, 100);
  commit(store, f, 2, RUN_FAILED, 1, 5000);
  commit(store, f, 3, RUN_TERMINATED, 1, 5000);
  commit(store, f, 5, RUN_OK, 0, 300);
  result_store_close(store);
  store = NO_ERROR(result_store_open, path, RESULT_STORE_READ);
  g_assert_true(NO_ERROR(sweep_list_look_up, f->on.grid, store, &f->options));
  result_store_close(store);
  g_assert_cmpuint(f->options.mean_wall_count, ==, 2);
  expect_list(f, "a: t, iwarpsim 0.1.0\n"
                 "1  run.seed=1  done\n"
                 "2  run.seed=2  missing\n"
                 "3  run.seed=3  failed\n"
                 "4  run.seed=4  unexpected\n"
                 "5  run.seed=5  missing\n"
                 "6  run.seed=6  done\n"
                 "6 runs, 3 to run, about 27 thousand segments, about 10 min at -j 1\n");
}

/* Nothing to run: nothing to estimate. */
FIXTURE_TEST(test_all_done)
{
  grid_fixture_make(&f->on, "title = \"t\";");
  f->options.states = g_new(stored_state, 1);
  f->options.states[0] = STORED_DONE;
  expect_list(f, "a: t, iwarpsim 0.1.0\n1  done\n1 run, 0 to run\n");
}
