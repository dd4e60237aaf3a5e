/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what `sweep --list` shows: every run, the sums, and estimates. */
#include <string.h>

#include "store_commit.h"
#include "study/sweep/sweep_plan.h"
#include "study_fixture.h"

typedef struct fixture {
  grid_fixture on;
  guint jobs;
  double pace;
  guint shard, shards;
  result_store *store; /* NULL: none */
} fixture;

static void set_up(fixture *f, gconstpointer unused)
{
  grid_fixture_set_up(&f->on, unused);
  f->jobs = 1;
  f->pace = 1;
}

static void tear_down(fixture *f, gconstpointer unused)
{
  result_store_close(f->store);
  grid_fixture_tear_down(&f->on, unused);
}

static char *printed(const fixture *f)
{
  char *text = NULL;
  size_t length;
  FILE *output = open_memstream(&text, &length);
  g_autoptr(sweep_plan) plan = sweep_plan_new(f->on.grid, NULL, 0);
  if (f->shards > 0) {
    sweep_plan_deal(plan, f->shard, f->shards);
  }
  if (f->store != NULL) {
    g_assert_true(NO_ERROR(sweep_plan_look_up, plan, f->store, FALSE));
  }
  sweep_plan_list(plan, "0.1.0", f->jobs, f->pace, output);
  g_assert_cmpint(fclose(output), ==, 0);
  return text;
}

static void expect_list(const fixture *f, const char *expected)
{
  g_autofree char *text = printed(f);
  g_assert_cmpstr(text, ==, expected);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Of a message of 64 KiB 45 FPDUs are made, with 24 octets each beside the payload: 66,616 octets are 45.63
 * segments of 1460. Twice 200 of them are 18,251 segments, which take some 15 ms a run. */
FIXTURE_TEST(test_without_store)
{
  grid_fixture_make(&f->on, "title = \"Two seeds\"; sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );");
  expect_list(f, "a: Two seeds, iwarpsim 0.1.0\n"
                 "1  run.seed=1\n"
                 "2  run.seed=2\n"
                 "2 runs, 2 to run, about 18.3 thousand segments, about 1 s at -j 1\n");
}

FIXTURE_TEST(test_without_axes)
{
  grid_fixture_make(&f->on, "workload: { messages = 1; };");
  expect_list(f, "a, iwarpsim 0.1.0\n"
                 "1\n"
                 "1 run, 1 to run, about 46 segments, about 1 s at -j 1\n");
}

/* What is left out, what is given twice and the shard are named. Of points 1 2 3 the second shard of two has
 * the second. */
FIXTURE_TEST(test_remarks)
{
  grid_fixture_make(
      &f->on, "sweep = ( { key = \"run.seed\"; values = [1, 2, 1, 3, 4]; } ); where = \"run.seed < 4\";");
  f->shard = f->shards = 2;
  expect_list(
      f,
      "a, iwarpsim 0.1.0\n"
      "2  run.seed=2\n"
      "1 run (shard 2/2 of 3, 1 left out by where, 1 given twice), 1 to run, about 9.13 thousand segments, "
      "about 1 s at -j 1\n");
}

static void expect_end(const fixture *f, const char *expected)
{
  g_autofree char *text = printed(f);
  if (!g_str_has_suffix(text, expected)) {
    g_error("\"%s\" does not end with \"%s\"", text, expected);
  }
}

static void expect_estimate(fixture *f, const char *scenario_text, guint jobs, const char *expected)
{
  grid_fixture_make(&f->on, scenario_text);
  f->jobs = jobs;
  expect_end(f, expected);
}

/* A message of 1436 octets takes 0.5 us, its FPDU and its segment 0.15 us each, and each octet of the
 * stream's 1460 0.05 ns: 0.873 us; on engine ns3 1.3 times as long. A run takes 0.3 ms to start. */
FIXTURE_TEST(test_estimates)
{
#define WORKLOAD(messages) "workload: { message_size = 1436; messages = " messages "; };"
  /* 87.3 s, and a run is not made faster by more cores */
  expect_estimate(f, WORKLOAD("100000000"), 1, "about 100 million segments, about 87 s at -j 1\n");
  expect_estimate(f, WORKLOAD("100000000"), 8, "about 87 s at -j 8\n");
  f->pace = 0.5; /* a machine twice as fast */
  expect_estimate(f, WORKLOAD("100000000"), 1, "about 44 s at -j 1\n");
  f->pace = 1;
  if (HAS_NS3) {
    expect_estimate(f, WORKLOAD("25000000") "run: { engine = \"ns3\"; };", 1,
                    "about 25 million segments, about 28 s at -j 1\n");
  }
  /* four runs of 87.3 s in two rows: 174.6 s are 2:55 */
  expect_estimate(f, WORKLOAD("100000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 4; } );", 2,
                  "4 to run, about 400 million segments, about 3 min at -j 2\n");
  /* ten of 873 s are 8730 s = 2:25:30 */
  expect_estimate(f, WORKLOAD("1000000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 10; } );", 1,
                  "about 10 billion segments, about 2.4 h at -j 1\n");
  /* ... and three hundred 261900 s, 72:45:00 */
  expect_estimate(f, WORKLOAD("1000000000") "sweep = ( { key = \"run.seed\"; from = 1; to = 300; } );", 1,
                  "about 300 billion segments, about 72.8 h at -j 1\n");
#undef WORKLOAD
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

/* Closes `store`, and lists with it. */
static void read_store(fixture *f, result_store *store, const char *path)
{
  result_store_close(store);
  f->store = NO_ERROR(result_store_open, path, RESULT_STORE_READ);
}

/* A store shows what became of each run, and how long one takes: those that ended well 100 and 300 s. The
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
  read_store(f, store, path);
  expect_list(f, "a: t, iwarpsim 0.1.0\n"
                 "1  run.seed=1  done\n"
                 "2  run.seed=2  missing\n"
                 "3  run.seed=3  failed\n"
                 "4  run.seed=4  unexpected\n"
                 "5  run.seed=5  missing\n"
                 "6  run.seed=6  done\n"
                 "6 runs, 3 to run, about 27.4 thousand segments, about 10 min at -j 1\n");
}

/* Each run there took a hundred times what it costs by its keys: a thousand segments of 0.873 us and 0.3 ms
 * to start 0.1173 s. Those of ten thousand, which are missing, cost 9.03 ms, so two of them take 1.806 s, and
 * not 0.235 s as those that are there. With a tenth lost, 0.1 / (0.1 + 1 / 500) = 0.98 of the segments
 * cost 1.5 times 0.15 us more: 11.24 ms, 2.247 s for two. */
FIXTURE_TEST(test_other_segments)
{
  grid_fixture_make(&f->on, "workload: { message_size = 1436; };"
                            "sweep = ( { key = \"workload.messages\"; values = [1000, 10000]; },"
                            "          { key = \"path.forward.loss\"; values = [\"0%\", \"10%\"]; },"
                            "          { key = \"run.seed\"; values = [1, 2]; } );"
                            "where = \"path.forward.loss = 0% or workload.messages = 10000\";");
  g_autofree char *path = g_build_filename(f->on.folder, "a.sqlite", NULL);
  result_store *store = NO_ERROR(result_store_open, path, RESULT_STORE_WRITE);
  commit(store, f, 0, RUN_OK, 0, 0.1173);
  commit(store, f, 1, RUN_OK, 0, 0.1173);
  read_store(f, store, path);
  expect_end(f, "6 runs (2 left out by where), 4 to run, about 40 thousand segments, about 4 s at -j 1\n");
}

/* Nothing to run: nothing to estimate. */
FIXTURE_TEST(test_all_done)
{
  grid_fixture_make(&f->on, "title = \"t\";");
  g_autofree char *path = g_build_filename(f->on.folder, "a.sqlite", NULL);
  result_store *store = NO_ERROR(result_store_open, path, RESULT_STORE_WRITE);
  commit(store, f, 0, RUN_OK, 0, 1);
  read_store(f, store, path);
  expect_list(f, "a: t, iwarpsim 0.1.0\n1  done\n1 run, 0 to run\n");
}
