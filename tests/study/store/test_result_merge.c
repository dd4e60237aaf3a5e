/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about joining stores: nothing is lost, nothing is taken twice, contradictions are named,
 * and the order of the stores does not matter. */
#include "study/store/result_store.h"

#include <glib/gstdio.h>
#include <string.h>

#include "parts.h"
#include "store_commit.h"
#include "study_fixture.h"

enum { STORES = 3 };

typedef struct fixture {
  char *folder;
  char *into;
  char *paths[STORES + 1];
  scenario *scenario;
  provenance from;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = fixture_folder_new();
  f->into = g_build_filename(f->folder, "all.sqlite", NULL);
  f->scenario = fixture_scenario(f->folder, "a.cfg", "title = \"t\";", NULL);
  f->from = fixture_origin("a", "t", "title = \"t\";\nrun: { seed = 1; };\n", "run.seed\npath.forward.mtu");
  for (gsize i = 0; i < STORES; i++) {
    g_autofree char *name = g_strdup_printf("%zu.sqlite", i + 1);
    f->paths[i] = g_build_filename(f->folder, name, NULL);
  }
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  for (gsize i = 0; i < STORES; i++) {
    g_free(f->paths[i]);
  }
  g_free(f->into);
  scenario_free(f->scenario);
  fixture_folder_remove(f->folder);
}

/* A run of the seed that arrived in so many segments; its point is the seed. */
static stored_run run_of(const fixture *f, guint seed, double segments)
{
  stored_run run = fixture_seed_run(f->scenario, seed, seed);
  metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, segments);
  return run;
}

static void put(const fixture *f, gsize store_index, const stored_run *run)
{
  g_autoptr(result_store) store = NO_ERROR(result_store_open, f->paths[store_index], RESULT_STORE_WRITE);
  g_assert_true(NO_ERROR(store_commit, store, &f->from, run));
}

static void put_new(const fixture *f, gsize store_index, guint seed, double segments)
{
  g_auto(stored_run) run = run_of(f, seed, segments);
  put(f, store_index, &run);
}

static gboolean merge(const char *into, const char *const *paths, gboolean mix, merge_count *counts,
                      GError **error)
{
  merge_count unused[STORES];
  g_autoptr(result_store) store = NO_ERROR(result_store_open, into, RESULT_STORE_WRITE);
  return result_merge(store, paths, g_strv_length((char **)paths), mix, counts != NULL ? counts : unused,
                      error);
}

static gboolean describe(const provenance *from, const stored_run *run, gpointer data,
                         G_GNUC_UNUSED GError **error)
{
  g_string_append_printf(data, "%s %.4s seed %s point %" G_GUINT64_FORMAT " %s %s %g '%s' %s; ",
                         from->version, from->hash, run->keys[SCENARIO_RUN_SEED], run->point,
                         run_status_name(run->status), run->started,
                         run->results.metrics.value[METRIC_TCP_SEGMENTS], run->message, run->host);
  return TRUE;
}

/* Returns the runs of a store in one line. g_free(). */
static char *contents(const char *path)
{
  GString *text = g_string_new(NULL);
  g_autoptr(result_store) store = NO_ERROR(result_store_open, path, RESULT_STORE_READ);
  g_assert_true(NO_ERROR(result_store_each, store, describe, text));
  return g_string_free(text, FALSE);
}

static const guint orders[][STORES] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Merges the three stores in all six orders; each gives the same store, which is returned in words. */
static char *merge_in_all_orders(const fixture *f, gboolean mix)
{
  char *first = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
    g_autofree char *name = g_strdup_printf("order-%zu.sqlite", i);
    g_autofree char *into = g_build_filename(f->folder, name, NULL);
    const char *paths[] = {f->paths[orders[i][0]], f->paths[orders[i][1]], f->paths[orders[i][2]], NULL};
    g_assert_true(NO_ERROR(merge, into, paths, mix, NULL));
    char *text = contents(into);
    if (first == NULL) {
      first = text;
    } else {
      g_assert_cmpstr(text, ==, first);
      g_free(text);
    }
  }
  return first;
}

/* All six orders fail, with this code and these words, "one|other", and leave nothing. */
static void expect_no_merge(const fixture *f, int code, const char *said)
{
  g_auto(GStrv) words = g_strsplit(said, "|", -1);
  for (gsize i = 0; i < G_N_ELEMENTS(orders); i++) {
    g_autoptr(GError) error = NULL;
    const char *paths[] = {f->paths[orders[i][0]], f->paths[orders[i][1]], f->paths[orders[i][2]], NULL};
    g_assert_false(merge(f->into, paths, FALSE, NULL, &error));
    g_test_message("%s", error->message);
    g_assert_error(error, RESULT_STORE_ERROR, code);
    expect_parts(error->message, (const char *const *)words);
    g_assert_cmpuint(fixture_count_runs(f->into), ==, 0);
  }
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Three shards of six runs. */
FIXTURE_TEST(test_shards)
{
  merge_count counts[STORES];
  for (guint seed = 1; seed <= 6; seed++) {
    put_new(f, (seed - 1) % STORES, seed, 100 + seed);
  }
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  g_assert_nonnull(strstr(joined, "seed 6 point 6 ok 2026-11-21T10:08:16Z 106 '' testhost; "));
  g_assert_true(NO_ERROR(merge, f->into, (const char *const *)f->paths, FALSE, counts));
  for (gsize i = 0; i < STORES; i++) {
    EXPECT_FIELDS(&counts[i], (runs, 2), (taken, 2), (present, 0));
  }
  g_assert_cmpuint(fixture_count_runs(f->into), ==, 6);
}

/* A store is joined again, and with itself among the stores, as `merge *.sqlite -o all.sqlite` has it the
 * second time. */
FIXTURE_TEST(test_again)
{
  merge_count counts[STORES];
  put_new(f, 0, 1, 10);
  put_new(f, 1, 2, 20);
  const char *paths[] = {f->paths[0], f->paths[1], NULL};
  const char *with_itself[] = {f->paths[0], f->into, f->paths[1], NULL};
  g_assert_true(NO_ERROR(merge, f->into, paths, FALSE, counts));
  g_autofree char *before = contents(f->into);
  g_assert_true(NO_ERROR(merge, f->into, with_itself, FALSE, counts));
  g_autofree char *after = contents(f->into);
  g_assert_cmpstr(after, ==, before);
  static const guint runs[] = {1, 2, 1};
  for (gsize i = 0; i < G_N_ELEMENTS(runs); i++) {
    EXPECT_FIELDS(&counts[i], (runs, runs[i]), (taken, 0), (present, runs[i]));
  }
}

/* The same holds while so much is written that pages reach the file before the end, and nobody else may read
 * it. */
FIXTURE_TEST(test_itself_when_locked)
{
  merge_count counts[2];
  put_new(f, 0, 1, 10);
  for (guint seed = 2; seed <= 20; seed++) {
    put_new(f, 1, seed, 10);
  }
  const char *paths[] = {f->paths[1], f->paths[0]};
  g_autoptr(result_store) into = NO_ERROR(result_store_open, f->paths[0], RESULT_STORE_WRITE);
  g_assert_true(NO_ERROR(store_execute, into, "PRAGMA cache_size = 1"));
  g_assert_true(NO_ERROR(result_merge, into, paths, G_N_ELEMENTS(paths), FALSE, counts));
  g_assert_cmpuint(counts[0].taken, ==, 19);
  g_assert_cmpuint(counts[1].present, ==, 20);
}

/* A store that is added to keeps what it has. */
FIXTURE_TEST(test_added)
{
  put_new(f, 0, 1, 10);
  put_new(f, 1, 2, 20);
  const char *paths[] = {f->paths[1], NULL};
  g_assert_true(NO_ERROR(merge, f->paths[0], paths, FALSE, NULL));
  g_assert_cmpuint(fixture_count_runs(f->paths[0]), ==, 2);
  g_assert_cmpuint(fixture_count_runs(f->paths[1]), ==, 1);
}

/* A run that failed somewhere and ended well elsewhere ended well. */
FIXTURE_TEST(test_failed_gives_way)
{
  g_auto(stored_run) failed = run_of(f, 1, 0);
  failed.status = RUN_FAILED;
  failed.exit_code = 139;
  failed.message = (char *)"killed by SIGSEGV";
  failed.started = (char *)"2020-01-01T00:00:00Z"; /* being first is no merit in it */
  put(f, 0, &failed);
  put_new(f, 1, 1, 10);
  failed.message = (char *)"killed by SIGKILL";
  put(f, 2, &failed);
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  g_assert_nonnull(strstr(joined, "seed 1 point 1 ok 2026-11-21T10:08:16Z 10 '' testhost; "));
  g_assert_null(strstr(joined, "failed"));
}

/* Of runs that failed everywhere the one that started first is kept, whatever it had measured. */
FIXTURE_TEST(test_failed_everywhere)
{
  static const char *const times[] = {"2026-11-21T10:00:02Z", "2026-11-21T10:00:01Z", "2026-11-21T10:00:03Z"};
  for (gsize i = 0; i < STORES; i++) {
    g_auto(stored_run) failed = run_of(f, 1, (double)i);
    failed.status = RUN_FAILED;
    failed.started = (char *)times[i];
    put(f, i, &failed);
  }
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  g_assert_nonnull(strstr(joined, "failed 2026-11-21T10:00:01Z 1 "));
}

/* The same run is on three machines: what depends on the machine may differ, and one of them is kept. */
FIXTURE_TEST(test_same_run_elsewhere)
{
  static const char *const hosts[] = {"c", "a", "b"};
  for (gsize i = 0; i < STORES; i++) {
    g_auto(stored_run) run = run_of(f, 1, 10);
    metric_values_set(&run.results.metrics, METRIC_TIME_WALL_S, (double)i);
    run.host = (char *)hosts[i];
    run.wall_s = (double)i;
    put(f, i, &run);
  }
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  g_assert_true(strstr(joined, "; ") == joined + strlen(joined) - 2); /* one run */
}

/* Everything is alike but the place in the grid, which a sweep that grew had renumbered: the lower one. */
FIXTURE_TEST(test_other_point)
{
  for (gsize i = 0; i < STORES; i++) {
    g_auto(stored_run) run = run_of(f, 1, 10);
    run.point = (i + 2) % STORES;
    put(f, i, &run);
  }
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  g_assert_nonnull(strstr(joined, "seed 1 point 0 ok"));
}

/* A run that two of three stores have with other results: it and what differs are named with both values, and
 * nothing is joined. */
static void expect_contradiction(const fixture *f, const stored_run *one, const stored_run *other,
                                 const char *said)
{
  put(f, 0, one);
  put(f, 1, other);
  put_new(f, 2, 2, 20);
  expect_no_merge(f, RESULT_STORE_ERROR_CONTRADICTION, said);
  for (gsize i = 0; i < STORES; i++) {
    g_assert_cmpint(g_unlink(f->paths[i]), ==, 0);
  }
}

/* 10 segments in the one, 11 in the other; none of a metric; another status; 3 octets held for 0.5 s, or for
 * 0.25 s. */
FIXTURE_TEST(test_contradictions)
{
  g_auto(stored_run) one = run_of(f, 1, 10), other = run_of(f, 1, 11);
  expect_contradiction(f, &one, &other,
                       "run.seed=1|path.forward.mtu=1500|tcp.segments is 1|10 (|11 (|1.sqlite|2.sqlite");
  metric_values_set(&other.results.metrics, METRIC_TCP_SEGMENTS, 10);
  metric_values_set(&other.results.metrics, METRIC_TCP_TIMEOUTS, 0);
  expect_contradiction(f, &one, &other, "tcp.timeouts is |none (|0 (");
  metric_values_set(&one.results.metrics, METRIC_TCP_TIMEOUTS, 0);
  other.exit_code = 3;
  expect_contradiction(f, &one, &other, "exit_code is |0 (|3 (");
  other.status = RUN_STOPPED;
  expect_contradiction(f, &one, &other, "status is |ok (|stopped (");
  other.status = RUN_OK;
  other.exit_code = 0;
  g_assert_true(distribution_append(&one.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 3, 0.5));
  g_assert_true(distribution_append(&other.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 3, 0.25));
  expect_contradiction(f, &one, &other, "the distributions differ (");
  distribution_clear(&other.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS]);
  distribution_copy(&other.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS],
                    &one.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS]);
  one.results.quantiles = (gauge_quantiles){1, {1}, {[GAUGE_ORDER] = {4}}};
  other.results.quantiles = (gauge_quantiles){1, {1}, {[GAUGE_ORDER] = {5}}};
  expect_contradiction(f, &one, &other, "the quantiles differ (");
  other.results.quantiles = one.results.quantiles;
  one.results.block_octets = 65536;
  one.results.block_maxima = g_array_new(FALSE, TRUE, sizeof(guint64));
  g_array_set_size(one.results.block_maxima, 1);
  expect_contradiction(f, &one, &other, "the block maxima differ (");
}

/* Another text of the scenario: refused with the line that differs, joined when asked to. */
FIXTURE_TEST(test_other_text)
{
  put_new(f, 0, 1, 10);
  put_new(f, 1, 2, 20);
  f->from.text = (char *)"title = \"t\";\nrun: { seed = 2; };\n";
  put_new(f, 2, 3, 30);
  expect_no_merge(f, RESULT_STORE_ERROR_DIFFERENT,
                  "another text of the scenario 'a'| 2: run: { seed = 1; };| 2: run: { seed = 2; };|--mix");
  g_autofree char *joined = merge_in_all_orders(f, TRUE);
  g_assert_nonnull(strstr(joined, "seed 3"));
}

FIXTURE_TEST(test_other_version)
{
  put_new(f, 0, 1, 10);
  put_new(f, 1, 2, 20);
  f->from.version = (char *)"0.2.0";
  put_new(f, 2, 3, 30);
  expect_no_merge(f, RESULT_STORE_ERROR_DIFFERENT, "another iwarpsim|version 0.1.0|version 0.2.0|--mix");
}

/* A commit nobody knows goes with any; two known ones do not go together, even by way of it. */
FIXTURE_TEST(test_other_commit)
{
  put_new(f, 0, 1, 10);
  f->from.git = (char *)"abc1234";
  put_new(f, 1, 2, 20);
  put_new(f, 2, 3, 30);
  g_autofree char *joined = merge_in_all_orders(f, FALSE);
  f->from.git = (char *)"def5678";
  g_assert_cmpint(g_unlink(f->paths[2]), ==, 0);
  put_new(f, 2, 3, 30);
  expect_no_merge(f, RESULT_STORE_ERROR_DIFFERENT, "another iwarpsim|git abc1234|git def5678");
}

/* A store that is none spoils all. */
FIXTURE_TEST(test_bad_store)
{
  g_autoptr(GError) error = NULL;
  put_new(f, 0, 1, 10);
  g_autofree char *text =
      fixture_file(f->folder, "2.sqlite", "no store, but a text of more than fifty octets, is it not?");
  const char *paths[] = {f->paths[0], f->paths[1], NULL};
  g_assert_false(merge(f->into, paths, FALSE, NULL, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FOREIGN);
  g_assert_nonnull(strstr(error->message, "2.sqlite"));
  g_assert_cmpuint(fixture_count_runs(f->into), ==, 0);
}
