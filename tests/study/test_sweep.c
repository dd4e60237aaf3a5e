/* A sweep over children that run well, fail in every way, or are not there to end (fake_iwarpsim.c). */
#include "study/sweep.h"

#include <glib-unix.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "study/csv_export.h"
#include "study_kit.h"

typedef struct fixture {
  char *folder;
  char *store_path;
  const char *program; /* fake_iwarpsim */
  char *problems_path;
} fixture;

static void set_up(fixture *f, gconstpointer program)
{
  f->folder = kit_folder_new();
  f->store_path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->problems_path = g_build_filename(f->folder, "problems", NULL);
  f->program = program;
}

static void tear_down(fixture *f, gconstpointer program)
{
  (void)program;
  g_free(f->store_path);
  g_free(f->problems_path);
  kit_folder_remove(f->folder);
}

/* Sweeps the scenario `text` with `jobs` children at once; TRUE unless the sweep itself failed. */
static gboolean sweep_text(const fixture *f, const char *text, const char *const *sets, sweep_options options,
                           sweep_result *result, GError **error)
{
  scenario *s = kit_scenario(f->folder, "a.cfg", text, sets);
  sweep_grid *grid = sweep_grid_new(s, sets, error);
  g_assert_nonnull(grid);
  result_store *store = result_store_open(f->store_path, RESULT_STORE_WRITE, error);
  g_assert_nonnull(store);
  g_autofree char *axes = sweep_grid_axes_text(grid);
  const stored_scenario from = {.name = (char *)scenario_name(s),
                                .title = (char *)scenario_text(s, SCENARIO_TITLE),
                                .text = (char *)text,
                                .axes = axes,
                                .version = (char *)"0.1.0"};
  options.sets = sets;
  options.problems = fopen(f->problems_path, "w");
  gboolean good = sweep_run(grid, scenario_path(s), &from, store, &options, result, error);
  fclose(options.problems);
  result_store_close(store);
  sweep_grid_free(grid);
  scenario_free(s);
  return good;
}

static sweep_result sweep_well(const fixture *f, const char *text, guint jobs)
{
  g_autoptr(GError) error = NULL;
  sweep_result result;
  const sweep_options options = {.program = f->program, .jobs = jobs, .shard = 1, .shards = 1};
  g_assert_true(sweep_text(f, text, NULL, options, &result, &error));
  g_assert_no_error(error);
  return result;
}

static char *problems(const fixture *f)
{
  char *text = NULL;
  g_assert_true(g_file_get_contents(f->problems_path, &text, NULL, NULL));
  return text;
}

/* Takes away the traces of children; returns how many started. */
static guint take_starts(const fixture *f)
{
  guint count = 0;
  g_autoptr(GDir) dir = g_dir_open(f->folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir)) != NULL) {
    if (!g_str_has_prefix(name, "started-")) {
      continue;
    }
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_unlink(path);
    count++;
  }
  return count;
}

/* The store as text: it shows all that is compared across sweeps. */
static char *export_text(const fixture *f)
{
  g_autofree char *path = g_build_filename(f->folder, "a.csv", NULL);
  char *text = NULL;
  result_store *store = result_store_open(f->store_path, RESULT_STORE_READ, NULL);
  FILE *file = fopen(path, "w");
  g_assert_true(csv_export_write(store, file, NULL));
  fclose(file);
  result_store_close(store);
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static gboolean find_message(const stored_scenario *from, const stored_run *run, gpointer data,
                             GError **error)
{
  (void)from;
  (void)error;
  stored_run *wanted = data;
  if (strcmp(run->keys[SCENARIO_RUN_SEED], wanted->keys[SCENARIO_RUN_SEED]) == 0) {
    wanted->status = run->status;
    wanted->exit_code = run->exit_code;
    wanted->message = g_strdup(run->message);
  }
  return TRUE;
}

/* How the run of `seed` is recorded. */
static void expect_recorded(const fixture *f, const char *seed, run_status status, int exit_code,
                            const char *said)
{
  stored_run found = {.status = RUN_STATUSES};
  found.keys[SCENARIO_RUN_SEED] = (char *)seed;
  result_store *store = result_store_open(f->store_path, RESULT_STORE_READ, NULL);
  g_assert_true(result_store_each(store, find_message, &found, NULL));
  result_store_close(store);
  g_assert_cmpint(found.status, ==, status);
  g_assert_cmpint(found.exit_code, ==, exit_code);
  if (strstr(found.message, said) == NULL) {
    g_error("\"%s\" does not say \"%s\"", found.message, said);
  }
  g_free(found.message);
}

#define SEEDS(first, last)                                                                                   \
  "title = \"seeds\"; sweep = ( { key = \"run.seed\"; from = " first "; to = " last "; } );"

static void test_all_run(fixture *f, gconstpointer program)
{
  (void)program;
  sweep_result result = sweep_well(f, SEEDS("1", "4"), 1);
  g_assert_cmpuint(result.points, ==, 4);
  g_assert_cmpuint(result.done, ==, 4);
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
static void test_only_missing(fixture *f, gconstpointer program)
{
  (void)program;
  sweep_well(f, SEEDS("1", "3"), 1);
  g_assert_cmpuint(take_starts(f), ==, 3);
  sweep_result again = sweep_well(f, SEEDS("1", "3"), 1);
  g_assert_cmpuint(again.present, ==, 3);
  g_assert_cmpuint(again.done, ==, 0);
  g_assert_cmpuint(take_starts(f), ==, 0);
  sweep_result more = sweep_well(f, SEEDS("1", "4"), 1);
  g_assert_cmpuint(more.present, ==, 3);
  g_assert_cmpuint(more.done, ==, 1);
  g_assert_cmpuint(take_starts(f), ==, 1);
}

static void test_jobs_do_not_matter(fixture *f, gconstpointer program)
{
  (void)program;
  sweep_well(f, SEEDS("1", "12"), 1);
  g_autofree char *one = export_text(f);
  g_unlink(f->store_path);
  sweep_well(f, SEEDS("1", "12"), 5);
  g_autofree char *five = export_text(f);
  g_assert_cmpstr(one, ==, five);
}

/* Seeds 13 … 18, 21 and 22 fail in their ways (fake_iwarpsim.c); 12 and 20 beside them run. 137 = 128 +
 * SIGKILL. */
static void test_every_failure(fixture *f, gconstpointer program)
{
  (void)program;
  sweep_result result = sweep_well(f,
                                   "title = \"bad\"; sweep = ( { key = \"run.seed\"; values = [12, 13, 14, "
                                   "15, 16, 17, 18, 20, 21, 22]; } );",
                                   2);
  g_assert_cmpuint(result.done, ==, 2);
  g_assert_cmpuint(result.failed, ==, 7);
  g_assert_cmpuint(result.unexpected, ==, 1);
  expect_recorded(f, "12", RUN_OK, 0, "");
  expect_recorded(f, "13", RUN_FAILED, 137, "signal 9");
  expect_recorded(f, "13", RUN_FAILED, 137, "fake: a broken invariant");
  expect_recorded(f, "14", RUN_FAILED, 1, "exited with code 0, without a summary");
  expect_recorded(f, "15", RUN_FAILED, 1, "octets differ");
  expect_recorded(f, "16", RUN_TERMINATED, 1, "invalid STag");
  expect_recorded(f, "17", RUN_FAILED, 137, "though its summary says ok");
  expect_recorded(f, "18", RUN_FAILED, 1, "other parameters");
  expect_recorded(f, "21", RUN_FAILED, 137, "though its summary says terminated");
  expect_recorded(f, "22", RUN_FAILED, 1, "exited with code 1, though its summary says ok");
  g_autofree char *said = problems(f);
  g_assert_nonnull(strstr(said, "run 2 (run.seed=13) failed: "));
  g_assert_nonnull(strstr(said, "run 5 (run.seed=16) terminated: invalid STag\n"));
}

/* A failed run is repeated, and replaced by the good one; a Terminate is not repeated but still counted. */
static void test_failed_again(fixture *f, gconstpointer program)
{
  (void)program;
  static const char text[] = "title = \"bad\"; sweep = ( { key = \"run.seed\"; values = [16, 19] ; } );";
  g_autofree char *mended = NULL;
  sweep_result first = sweep_well(f, text, 1);
  g_assert_cmpuint(first.failed, ==, 1);
  g_assert_cmpuint(take_starts(f), ==, 2);
  mended = kit_file(f->folder, "mended", "");
  sweep_result second = sweep_well(f, text, 1);
  g_assert_cmpuint(take_starts(f), ==, 1);
  g_assert_cmpuint(second.present, ==, 1);
  g_assert_cmpuint(second.done, ==, 1);
  g_assert_cmpuint(second.failed, ==, 0);
  g_assert_cmpuint(second.unexpected, ==, 1);
  expect_recorded(f, "19", RUN_OK, 0, "");
}

/* run.expect = terminate: seed 16, which is terminated, is what was wanted; seed 12, which ends well, exits 1 and is kept for what it is, not
 * taken for a crash, and not repeated. */
static void test_expected_to_terminate(fixture *f, gconstpointer program)
{
  (void)program;
  static const char text[] = "title = \"bad\"; run: { expect = \"terminate\"; }; sweep = ( { key = "
                             "\"run.seed\"; values = [12, 16]; } );";
  sweep_result first = sweep_well(f, text, 1);
  g_assert_cmpuint(first.done, ==, 1);
  g_assert_cmpuint(first.failed, ==, 0);
  g_assert_cmpuint(first.unexpected, ==, 1);
  expect_recorded(f, "12", RUN_OK, 1, "");
  expect_recorded(f, "16", RUN_TERMINATED, 0, "invalid STag");
  g_assert_cmpuint(take_starts(f), ==, 2);
  sweep_result second = sweep_well(f, text, 1);
  g_assert_cmpuint(second.failed, ==, 0);
  g_assert_cmpuint(take_starts(f), ==, 0);
}

/* Three shards of seven points: 3 + 2 + 2, and together all. */
static void test_shards(fixture *f, gconstpointer program)
{
  (void)program;
  static const gsize expected[] = {3, 2, 2};
  for (guint shard = 1; shard <= 3; shard++) {
    g_autoptr(GError) error = NULL;
    sweep_result result;
    const sweep_options options = {.program = f->program, .jobs = 1, .shard = shard, .shards = 3};
    g_assert_true(sweep_text(f, SEEDS("1", "7"), NULL, options, &result, &error));
    g_assert_cmpuint(result.points, ==, expected[shard - 1]);
    g_assert_cmpuint(result.done, ==, expected[shard - 1]);
  }
  g_assert_cmpuint(kit_count_runs(f->store_path), ==, 7);
}

static void test_sets_reach_children(fixture *f, gconstpointer program)
{
  (void)program;
  g_autoptr(GError) error = NULL;
  const char *const sets[] = {"path.forward.mtu=9000", NULL};
  sweep_result result;
  const sweep_options options = {.program = f->program, .jobs = 1, .shard = 1, .shards = 1};
  g_assert_true(sweep_text(f, SEEDS("1", "1"), sets, options, &result, &error));
  g_assert_cmpuint(result.done, ==, 1); /* else the child's parameters would differ from those asked for */
  g_assert_cmpuint(result.failed, ==, 0);
}

static void test_no_program(fixture *f, gconstpointer program)
{
  (void)program;
  g_autoptr(GError) error = NULL;
  sweep_result result;
  const sweep_options options = {.program = "/nonexistent/iwarpsim", .jobs = 2, .shard = 1, .shards = 1};
  g_assert_false(sweep_text(f, SEEDS("1", "3"), NULL, options, &result, &error));
  g_assert_error(error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
  g_assert_cmpuint(kit_count_runs(f->store_path), ==, 0);
}

/* Ctrl-C as soon as the first child runs. */
static gboolean interrupt_when_started(gpointer data)
{
  const fixture *f = data;
  if (take_starts(f) == 0) {
    return G_SOURCE_CONTINUE;
  }
  kill(getpid(), SIGINT);
  return G_SOURCE_REMOVE;
}

/* Children that would take a minute are stopped, and leave no record: the next sweep runs them. */
static void test_interrupt(fixture *f, gconstpointer program)
{
  (void)program;
  gint64 before = g_get_monotonic_time();
  g_timeout_add(10, interrupt_when_started, f);
  sweep_result result =
      sweep_well(f, "title = \"slow\"; sweep = ( { key = \"run.seed\"; from = 1; to = 5; } );", 2);
  g_assert_true(result.interrupted);
  g_assert_cmpuint(result.done + result.failed, ==, 0);
  g_assert_cmpuint(kit_count_runs(f->store_path), ==, 0);
  g_assert_cmpint(g_get_monotonic_time() - before, <, 30 * G_USEC_PER_SEC);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*function)(fixture *, gconstpointer);
  } tests[] = {
      {"/sweep/all_run", test_all_run},
      {"/sweep/only_missing", test_only_missing},
      {"/sweep/jobs_do_not_matter", test_jobs_do_not_matter},
      {"/sweep/every_failure", test_every_failure},
      {"/sweep/failed_again", test_failed_again},
      {"/sweep/expected_to_terminate", test_expected_to_terminate},
      {"/sweep/shards", test_shards},
      {"/sweep/sets_reach_children", test_sets_reach_children},
      {"/sweep/no_program", test_no_program},
      {"/sweep/interrupt", test_interrupt},
  };
  g_test_init(&argc, &argv, NULL);
  g_autofree char *program = g_test_build_filename(G_TEST_BUILT, "fake_iwarpsim", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, fixture, program, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
