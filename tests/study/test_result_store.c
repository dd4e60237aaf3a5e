/* The store: what is committed comes back, a run is kept once, and other people's files stay as they are. */
#include "study/result_store.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "study_kit.h"

typedef struct fixture {
  char *folder;
  char *path;
  scenario *scenario;
  result_store *store;
} fixture;

static const stored_scenario from = {.name = (char *)"a",
                                     .title = (char *)"A title, with 'quotes'",
                                     .text = (char *)"title = \"A title\";\n",
                                     .axes = (char *)"run.seed",
                                     .version = (char *)"0.1.0"};

static void set_up(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  f->folder = kit_folder_new();
  f->path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->scenario = kit_scenario(f->folder, "a.cfg", "title = \"A title, with 'quotes'\";", NULL);
  f->store = result_store_open(f->path, RESULT_STORE_WRITE, &error);
  g_assert_no_error(error);
}

static void tear_down(fixture *f, gconstpointer unused)
{
  (void)unused;
  result_store_close(f->store);
  scenario_free(f->scenario);
  g_free(f->path);
  kit_folder_remove(f->folder);
}

static void commit(const fixture *f, const stored_scenario *scenario_from, const stored_run *run)
{
  g_autoptr(GError) error = NULL;
  g_assert_true(result_store_commit(f->store, scenario_from, run, &error));
  g_assert_no_error(error);
}

/* A run of the seed at the point. */
static stored_run seed_run(const fixture *f, guint seed, guint64 point)
{
  g_autofree char *set = g_strdup_printf("run.seed=%u", seed);
  scenario *s = scenario_copy(f->scenario);
  g_assert_true(scenario_set(s, set, NULL));
  stored_run run = kit_run(s, point);
  scenario_free(s);
  return run;
}

static void commit_seed(const fixture *f, guint seed, guint64 point, run_status status, int exit_code)
{
  stored_run run = seed_run(f, seed, point);
  run.status = status;
  run.exit_code = exit_code;
  commit(f, &from, &run);
  kit_run_clear(&run);
}

static stored_state state_of_seed(const fixture *f, guint seed, guint64 point)
{
  g_autoptr(GError) error = NULL;
  stored_state state = STORED_DONE;
  stored_run run = seed_run(f, seed, point);
  const char *identities[] = {run.identity};
  g_assert_true(result_store_reconcile(f->store, identities, &point, 1, &state, &error));
  g_assert_no_error(error);
  kit_run_clear(&run);
  return state;
}

static gboolean compare_run(const stored_scenario *found_from, const stored_run *found, gpointer data,
                            GError **error)
{
  (void)error;
  const stored_run *expected = data;
  g_assert_cmpstr(found_from->name, ==, from.name);
  g_assert_cmpstr(found_from->title, ==, from.title);
  g_assert_cmpstr(found_from->text, ==, from.text);
  g_assert_cmpstr(found_from->axes, ==, from.axes);
  g_assert_cmpstr(found_from->version, ==, from.version);
  g_assert_cmpstr(found->identity, ==, expected->identity);
  g_assert_cmpuint(found->point, ==, expected->point);
  g_assert_cmpint(found->status, ==, expected->status);
  g_assert_cmpstr(found->message, ==, expected->message);
  g_assert_cmpint(found->exit_code, ==, expected->exit_code);
  g_assert_true(found->wall_s == expected->wall_s);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_assert_cmpstr(found->keys[key], ==, expected->keys[key]);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(found->metrics.present[id], ==, expected->metrics.present[id]);
    g_assert_true(found->metrics.value[id] == expected->metrics.value[id]);
  }
  return TRUE;
}

static void test_round_trip(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  stored_run run = kit_run(f->scenario, 41);
  run.status = RUN_TERMINATED;
  run.message = (char *)"it's over\n";
  run.exit_code = 1;
  metric_values_set(&run.metrics, METRIC_TCP_SEGMENTS, 0);
  metric_values_set(&run.metrics, METRIC_EFFICIENCY_WIRE, 0.1);
  metric_values_set(&run.metrics, METRIC_PLACEMENT_OCTETS, 9007199254740991.0); /* 2^53 - 1 */
  commit(f, &from, &run);
  g_assert_true(result_store_each(f->store, compare_run, &run, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(kit_count_runs(f->path), ==, 1);
  kit_run_clear(&run);
}

/* The second commit of an identity replaces the first, metrics and all. */
static void test_replaced(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  stored_run run = kit_run(f->scenario, 0);
  metric_values_set(&run.metrics, METRIC_TCP_SEGMENTS, 5);
  run.status = RUN_FAILED;
  commit(f, &from, &run);
  run.metrics = (metric_values){0};
  metric_values_set(&run.metrics, METRIC_TCP_TIMEOUTS, 2);
  run.status = RUN_OK;
  commit(f, &from, &run);
  g_assert_true(result_store_each(f->store, compare_run, &run, &error));
  g_assert_cmpuint(kit_count_runs(f->path), ==, 1);
  kit_run_clear(&run);
}

static void test_states(fixture *f, gconstpointer unused)
{
  (void)unused;
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(f, 2, 1, RUN_FAILED, 139);
  commit_seed(f, 3, 2, RUN_TERMINATED, 1);
  commit_seed(f, 4, 3, RUN_STOPPED, 0);
  g_assert_cmpint(state_of_seed(f, 1, 0), ==, STORED_DONE);
  g_assert_cmpint(state_of_seed(f, 2, 1), ==, STORED_FAILED);
  g_assert_cmpint(state_of_seed(f, 3, 2), ==, STORED_UNEXPECTED);
  g_assert_cmpint(state_of_seed(f, 4, 3), ==, STORED_DONE);
  g_assert_cmpint(state_of_seed(f, 5, 4), ==, STORED_MISSING);
}

static gboolean collect_seed(const stored_scenario *found_from, const stored_run *run, gpointer data,
                             GError **error)
{
  (void)error;
  g_string_append_printf(data, "%s%s ", found_from->name, run->keys[SCENARIO_RUN_SEED]);
  return TRUE;
}

static void expect_order(const fixture *f, const char *expected)
{
  g_autoptr(GString) order = g_string_new(NULL);
  g_assert_true(result_store_each(f->store, collect_seed, order, NULL));
  g_assert_cmpstr(order->str, ==, expected);
}

/* By scenario, then by point; not by commit. A grid that grew at its start moves the points of runs that
 * are there. */
static void test_order(fixture *f, gconstpointer unused)
{
  (void)unused;
  stored_scenario other = from;
  other.name = (char *)"B";
  commit_seed(f, 3, 2, RUN_OK, 0);
  stored_run run = seed_run(f, 9, 7);
  commit(f, &other, &run);
  kit_run_clear(&run);
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(f, 2, 1, RUN_OK, 0);
  expect_order(f, "B9 a1 a2 a3 ");
  g_assert_cmpint(state_of_seed(f, 1, 5), ==, STORED_DONE);
  expect_order(f, "B9 a2 a3 a1 ");
}

static gboolean stop_at_first(const stored_scenario *found_from, const stored_run *run, gpointer data,
                              GError **error)
{
  (void)found_from;
  (void)run;
  (*(guint *)data)++;
  g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "enough");
  return FALSE;
}

static void test_visitor_ends_walk(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  guint visited = 0;
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(f, 2, 1, RUN_OK, 0);
  g_assert_false(result_store_each(f->store, stop_at_first, &visited, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  g_assert_cmpuint(visited, ==, 1);
  commit_seed(f, 3, 2, RUN_OK, 0); /* the store goes on working */
  g_assert_cmpuint(kit_count_runs(f->path), ==, 3);
}

/* Two sweeps at once, as with shards: each sees what the other wrote. */
static void test_two_writers(fixture *f, gconstpointer unused)
{
  (void)unused;
  fixture second = *f;
  second.store = result_store_open(f->path, RESULT_STORE_WRITE, NULL);
  g_assert_nonnull(second.store);
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(&second, 2, 1, RUN_OK, 0);
  commit_seed(f, 3, 2, RUN_OK, 0);
  g_assert_cmpint(state_of_seed(&second, 3, 2), ==, STORED_DONE);
  expect_order(&second, "a1 a2 a3 ");
  result_store_close(second.store);
}

static void expect_foreign(const char *path, const char *complaint)
{
  g_autofree char *before = NULL, *after = NULL;
  gsize length_before, length_after;
  g_assert_true(g_file_get_contents(path, &before, &length_before, NULL));
  for (result_store_mode mode = RESULT_STORE_READ; mode <= RESULT_STORE_WRITE; mode++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(result_store_open(path, mode, &error));
    g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
    g_assert_nonnull(strstr(error->message, path));
    g_assert_nonnull(strstr(error->message, complaint));
  }
  g_assert_true(g_file_get_contents(path, &after, &length_after, NULL));
  g_assert_cmpmem(before, length_before, after, length_after);
}

static void test_not_a_database(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autofree char *path =
      kit_file(f->folder, "notes.txt", "Not a database, but a text of more than a few octets.\n");
  expect_foreign(path, "not a SQLite database");
}

static void execute_on(const char *path, const char *sql)
{
  sqlite3 *database;
  g_assert_cmpint(sqlite3_open(path, &database), ==, SQLITE_OK);
  g_assert_cmpint(sqlite3_exec(database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close(database);
}

static void test_other_database(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autofree char *path = g_build_filename(f->folder, "bookmarks.sqlite", NULL);
  execute_on(path, "CREATE TABLE runs(id INTEGER PRIMARY KEY, url TEXT)");
  expect_foreign(path, "another program's");
}

static void test_other_schema(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_clear_pointer(&f->store, result_store_close);
  execute_on(f->path, "PRAGMA user_version = 99");
  expect_foreign(f->path, "schema 99; expected schema 1");
}

static void test_unknown_metric(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  guint visited = 0;
  commit_seed(f, 1, 0, RUN_OK, 0);
  execute_on(f->path, "INSERT INTO metrics VALUES(1, 'tcp.sediments', 5)");
  g_assert_false(result_store_each(f->store, stop_at_first, &visited, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
  g_assert_nonnull(strstr(error->message, "tcp.sediments"));
  g_assert_cmpuint(visited, ==, 0);
}

/* Text in the place of a number would pass for 0. */
static void test_damaged_metric(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  guint visited = 0;
  commit_seed(f, 1, 0, RUN_OK, 0);
  execute_on(f->path, "INSERT OR REPLACE INTO metrics VALUES(1, 'tcp.segments', 'many')");
  g_assert_false(result_store_each(f->store, stop_at_first, &visited, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
  g_assert_nonnull(strstr(error->message, "tcp.segments"));
  g_assert_cmpuint(visited, ==, 0);
}

static void test_missing(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(f->folder, "none.sqlite", NULL);
  g_assert_null(result_store_open(path, RESULT_STORE_READ, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, g_strerror(ENOENT)));
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

static void test_empty_file(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = kit_file(f->folder, "empty.sqlite", "");
  g_assert_null(result_store_open(path, RESULT_STORE_READ, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*function)(fixture *, gconstpointer);
  } tests[] = {
      {"/result_store/round_trip", test_round_trip},
      {"/result_store/replaced", test_replaced},
      {"/result_store/states", test_states},
      {"/result_store/order", test_order},
      {"/result_store/visitor_ends_walk", test_visitor_ends_walk},
      {"/result_store/two_writers", test_two_writers},
      {"/result_store/not_a_database", test_not_a_database},
      {"/result_store/other_database", test_other_database},
      {"/result_store/other_schema", test_other_schema},
      {"/result_store/unknown_metric", test_unknown_metric},
      {"/result_store/damaged_metric", test_damaged_metric},
      {"/result_store/missing", test_missing},
      {"/result_store/empty_file", test_empty_file},
  };
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, fixture, NULL, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
