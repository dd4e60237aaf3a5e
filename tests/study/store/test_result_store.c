/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the store: what is committed can be read back, a run is kept once, and only certain
 * runs may be added to what is there. */
#include "study/store/result_store.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "parts.h"
#include "store_commit.h"
#include "study_fixture.h"
#include "temporary_scenario.h"

static void set_up(store_fixture *f, gconstpointer axes)
{
  store_fixture_set_up(f, axes);
  g_assert_true(scenario_set(f->scenario, "title=A title, with 'quotes'", NULL));
  f->origin.title = (char *)"A title, with 'quotes'";
  f->origin.text = (char *)"title = \"t\";\nmpa: { crc = true; };\nrun: { seed = 1; };\n";
  f->origin.git = (char *)"abc1234";
}

static void commit(const store_fixture *f, const provenance *scenario_from, const stored_run *run)
{
  g_assert_true(NO_ERROR(store_commit, f->store, scenario_from, run));
}

static void commit_seed(const store_fixture *f, guint seed, guint64 point, run_status status, int exit_code)
{
  g_auto(stored_run) run = fixture_seed_run(f->scenario, seed, point);
  run.status = status;
  run.exit_code = exit_code;
  commit(f, &f->origin, &run);
}

static stored_state state_of_seed(const store_fixture *f, guint seed, guint64 point)
{
  g_auto(stored_run) run = fixture_seed_run(f->scenario, seed, point);
  stored_look look = {run.identity, point, STORED_DONE, -1},
              renumbered = {run.identity, point, STORED_DONE, -2};
  g_assert_true(NO_ERROR(result_store_look_up, f->store, &look, 1, FALSE));
  g_assert_true(NO_ERROR(result_store_look_up, f->store, &renumbered, 1, TRUE));
  g_assert_cmpint(look.state, ==, renumbered.state); /* with or without a new place in the grid */
  g_assert_cmpfloat(renumbered.wall_s, ==, renumbered.state != STORED_MISSING ? run.wall_s : 0);
  g_assert_cmpfloat(look.wall_s, ==, renumbered.wall_s);
  return look.state;
}

/* This is what a walk must find: this run alone, and where it comes from. */
typedef struct expectation {
  const provenance *from;
  const stored_run *run;
} expectation;

static gboolean compare_run(const provenance *from, const stored_run *found, gpointer data,
                            G_GNUC_UNUSED GError **error)
{
  const provenance *expected_from = ((const expectation *)data)->from;
  const stored_run *expected = ((const expectation *)data)->run;
  for (gsize i = 0; i < PROVENANCE_TEXTS; i++) {
    if (from->texts[i] != from->hash) { /* which the store makes */
      g_assert_cmpstr(from->texts[i], ==, expected_from->texts[i]);
    }
  }
  g_assert_cmpstr(found->identity, ==, expected->identity);
  g_assert_cmpuint(found->point, ==, expected->point);
  g_assert_cmpint(found->status, ==, expected->status);
  g_assert_cmpstr(found->message, ==, expected->message);
  g_assert_cmpint(found->exit_code, ==, expected->exit_code);
  g_assert_cmpstr(found->stderr_tail, ==, expected->stderr_tail);
  g_assert_cmpstr(found->engine, ==, expected->engine);
  g_assert_cmpstr(found->host, ==, expected->host);
  g_assert_cmpstr(found->started, ==, expected->started);
  g_assert_true(found->wall_s == expected->wall_s);
  g_assert_true(found->cpu_s == expected->cpu_s);
  g_assert_true(found->memory_peak_octets == expected->memory_peak_octets);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_assert_cmpstr(found->keys[key], ==, expected->keys[key]);
  }
  expect_same_metrics(&found->results.metrics, &expected->results.metrics);
  expect_same_distributions(found->results.distributions, expected->results.distributions);
  expect_same_gauges(&found->results, &expected->results);
  g_assert_cmpstr(found->results.tables, ==, expected->results.tables);
  return TRUE;
}

static void expect_run(const store_fixture *f, const stored_run *run)
{
  expectation expected = {&f->origin, run};
  g_assert_true(NO_ERROR(result_store_each, f->store, compare_run, &expected));
  g_assert_cmpuint(fixture_count_runs(f->path), ==, 1);
}

#define FIXTURE_TEST(name) TEST_WITH(store_fixture, "run.seed", set_up, store_fixture_tear_down, name)

/* This is every field of a run and of its origin, with numbers whose last bit counts. */
FIXTURE_TEST(test_round_trip)
{
  g_auto(stored_run) run = fixture_run(f->scenario, 41);
  f->origin.sets = (char *)"run.engine=native\nmpa.crc=false";
  f->origin.git = (char *)"0123abc-dirty";
  run.status = RUN_TERMINATED;
  run.message = (char *)"it's over\n";
  run.exit_code = 137;
  run.stderr_tail = (char *)"last words; DROP TABLE runs;";
  run.engine = (char *)"ns3";
  metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, 0);
  metric_values_set(&run.results.metrics, METRIC_EFFICIENCY_WIRE, 0.1);
  metric_values_set(&run.results.metrics, METRIC_PLACEMENT_OCTETS, 9007199254740991.0); /* 2^53 - 1 */
  distribution *d = &run.results.distributions[DISTRIBUTION_PLACEMENT_DELAY_S];
  g_assert_true(distribution_append(d, 0, 1e300));
  g_assert_true(distribution_append(d, 2.5e-12, 1460));
  g_assert_true(distribution_append(d, 1.0 / 3, 0.1));
  g_assert_true(distribution_append(d, 1.099511627775, 0.2)); /* of the text SQLite 3.40 makes …775000…01 */
  g_assert_true(distribution_append(&run.results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 7, 0.25));
  run.results.quantiles = (gauge_quantiles){
      2, {1, QUANTILE_PARTS}, {[GAUGE_ORDER] = {0.1, 9007199254740991.0}, [GAUGE_HOLES] = {1, 2}}};
  run.results.block_octets = 131072;
  run.results.block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_array_append_vals(run.results.block_maxima, (const guint64[]){5, 0, 1460, 0}, 4);
  run_results_set_tables(&run.results, "host,connections\nh0,1\n\n", "h0");
  commit(f, &f->origin, &run);
  expect_run(f, &run);
}

/* Numbers pass through decimal text on their way into SQLite: whatever their bits, they come back with all of
 * them. */
FIXTURE_TEST(test_every_bit)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(20261122);
  for (guint point = 0; point < 40; point++) {
    g_auto(stored_run) run = fixture_seed_run(f->scenario, 1, point);
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
      union {
        guint64 bits;
        double real;
      } number = {.bits = (guint64)g_rand_int(random) << 32 | g_rand_int(random)};
      double small = (double)(number.bits >> 40) / pow(10, id % 16);
      metric_values_set(&run.results.metrics, id,
                        point % 2 == 0 && isfinite(number.real) ? number.real : small);
    }
    commit(f, &f->origin, &run);
    expect_run(f, &run);
  }
}

/* The parts of a run that another process hands over are read whole or not at all: however few of their
 * octets there are. */
TEST(test_cut_parts)
{
  g_auto(run_results) whole = {.block_octets = 0}, taken = {.block_octets = 0};
  g_autoptr(GString) texts = g_string_new(NULL);
  metric_values_set(&whole.metrics, METRIC_TCP_SEGMENTS, 5);
  run_results_set_tables(&whole, "host\nh0\n\n", "h0");
  g_auto(GStrv) parts = run_part_texts(&whole);
  for (run_part part = 0; part < RUN_PARTS; part++) {
    g_string_append_len(texts, parts[part], (gssize)strlen(parts[part]) + 1);
  }
  for (gsize octets = 0; octets < texts->len; octets++) {
    g_assert_false(run_parts_take(texts->str, octets, &taken));
    g_assert_false(taken.metrics.present[METRIC_TCP_SEGMENTS]);
    g_assert_null(taken.tables);
  }
  g_assert_true(run_parts_take(texts->str, texts->len, &taken));
  expect_same_metrics(&taken.metrics, &whole.metrics);
  g_assert_cmpstr(taken.tables, ==, whole.tables);
}

/* The second commit of an identity replaces the first, metrics and all. */
FIXTURE_TEST(test_replaced)
{
  g_auto(stored_run) run = fixture_run(f->scenario, 0);
  metric_values_set(&run.results.metrics, METRIC_TCP_SEGMENTS, 5);
  g_assert_true(distribution_append(&run.results.distributions[DISTRIBUTION_DELIVERY_DELAY_S], 1, 1));
  run.status = RUN_FAILED;
  commit(f, &f->origin, &run);
  run.results.metrics = (metric_values){0};
  metric_values_set(&run.results.metrics, METRIC_TCP_TIMEOUTS, 2);
  distribution_clear(&run.results.distributions[DISTRIBUTION_DELIVERY_DELAY_S]);
  run.status = RUN_OK;
  commit(f, &f->origin, &run);
  expect_run(f, &run);
}

/* What a child prints need not be text; whoever reads the store with another tool must get text all the
 * same. */
FIXTURE_TEST(test_texts_are_made_valid)
{
  g_auto(stored_run) run = fixture_run(f->scenario, 0);
  run.message = (char *)"\xff!";
  run.stderr_tail = (char *)"cut in the midst of \xc3";
  commit(f, &f->origin, &run);
  run.message = (char *)"\xef\xbf\xbd!"; /* U+FFFD in its place */
  run.stderr_tail = (char *)"cut in the midst of \xef\xbf\xbd";
  expect_run(f, &run);
}

static void expect_origins(const store_fixture *f, const char *expected)
{
  g_autoptr(GString) origins = g_string_new(NULL);
  g_autoptr(GPtrArray) found = NO_ERROR(result_store_provenances, f->store);
  for (guint i = 0; i < found->len; i++) {
    const provenance *of = found->pdata[i];
    g_string_append_printf(origins, "%s %s %.8s: %u\n", of->name, of->version, of->hash, of->count);
  }
  g_assert_cmpstr(origins->str, ==, expected);
}

/* Each origin is there once, with the SHA-256 of its text: ba7816bf begins that of "abc" (FIPS 180-4's
 * example). One whose last run was replaced is gone. */
FIXTURE_TEST(test_origins)
{
  g_autofree char *hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, f->origin.text, -1);
  g_autofree char *both = g_strdup_printf("a 0.1.0 %.8s: 2\nb 0.2.0 ba7816bf: 1\n", hash);
  provenance other = fixture_origin("b", "another", "abc", "");
  other.version = (char *)"0.2.0";
  g_auto(stored_run) first = fixture_seed_run(f->scenario, 1, 0),
                     second = fixture_seed_run(f->scenario, 2, 1);
  g_auto(stored_run) third = fixture_seed_run(f->scenario, 3, 2);
  expect_origins(f, "");
  commit(f, &other, &second);
  commit(f, &f->origin, &first);
  commit(f, &f->origin, &third);
  expect_origins(f, both);
  commit(f, &other, &first);
  commit(f, &other, &third);
  expect_origins(f, "b 0.2.0 ba7816bf: 3\n");
}

FIXTURE_TEST(test_states)
{
  static const struct {
    run_status status;
    int exit_code;
    stored_state state;
  } ends[] = {{RUN_OK, 0, STORED_DONE},
              {RUN_FAILED, 139, STORED_FAILED},
              {RUN_TERMINATED, 1, STORED_UNEXPECTED},
              {RUN_STOPPED, 0, STORED_DONE}};
  for (guint i = 0; i < G_N_ELEMENTS(ends); i++) {
    g_assert_cmpint(state_of_seed(f, i + 1, i), ==, STORED_MISSING);
    commit_seed(f, i + 1, i, ends[i].status, ends[i].exit_code);
    g_assert_cmpint(state_of_seed(f, i + 1, i), ==, ends[i].state);
  }
}

static gboolean collect_seed(const provenance *found_from, const stored_run *run, gpointer data,
                             G_GNUC_UNUSED GError **error)
{
  g_string_append_printf(data, "%s%s ", found_from->name, run->keys[SCENARIO_RUN_SEED]);
  return TRUE;
}

static void expect_order(const store_fixture *f, const char *expected)
{
  g_autoptr(GString) order = g_string_new(NULL);
  g_assert_true(result_store_each(f->store, collect_seed, order, NULL));
  g_assert_cmpstr(order->str, ==, expected);
}

/* Four runs at once, of which the store has the second (ok), the third (terminated, and not expected to be)
 * and the fourth (failed): only the first and the fourth are written, and what was there is reported. */
FIXTURE_TEST(test_commit_new)
{
  commit_seed(f, 2, 1, RUN_OK, 0);
  commit_seed(f, 3, 2, RUN_TERMINATED, 1);
  commit_seed(f, 4, 3, RUN_FAILED, 1);
  static const stored_state before[] = {STORED_MISSING, STORED_DONE, STORED_UNEXPECTED, STORED_FAILED};
  static const stored_state after[] = {STORED_DONE, STORED_DONE, STORED_UNEXPECTED, STORED_DONE};
  stored_run runs[4];
  const stored_run *wanted[4];
  stored_state there[4];
  for (guint i = 0; i < 4; i++) {
    runs[i] = fixture_seed_run(f->scenario, i + 1, i);
    wanted[i] = &runs[i];
  }
  runs[1].status = RUN_FAILED;
  runs[1].exit_code = 1;
  g_assert_true(NO_ERROR(result_store_commit_new, f->store, &f->origin, wanted, 4, there));
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpint(there[i], ==, before[i]);
    g_assert_cmpint(state_of_seed(f, i + 1, i), ==, after[i]);
    fixture_run_clear(&runs[i]);
  }
}

/* All are written or none: the second of two cannot be written, and the first is not there either. Alone, the
 * first one can. */
FIXTURE_TEST(test_commit_new_is_whole)
{
  g_autoptr(GError) error = NULL;
  stored_run runs[] = {fixture_seed_run(f->scenario, 1, 0), fixture_seed_run(f->scenario, 2, 1)};
  const stored_run *wanted[] = {&runs[0], &runs[1]};
  stored_state there[2];
  g_assert_true(store_execute(f->store,
                              "CREATE TRIGGER full BEFORE INSERT ON runs WHEN NEW.point = 1 BEGIN SELECT "
                              "RAISE(ABORT, 'full'); END",
                              NULL));
  g_assert_false(result_store_commit_new(f->store, &f->origin, wanted, 2, there, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED);
  g_assert_cmpint(state_of_seed(f, 1, 0), ==, STORED_MISSING);
  g_assert_cmpint(state_of_seed(f, 2, 1), ==, STORED_MISSING);
  g_assert_true(result_store_commit_new(f->store, &f->origin, wanted, 1, there, NULL));
  g_assert_cmpint(state_of_seed(f, 1, 0), ==, STORED_DONE);
  fixture_run_clear(&runs[0]);
  fixture_run_clear(&runs[1]);
}

/* A store whose file was removed is an error: otherwise results would go into a file without a name, and be
 * lost with it. */
FIXTURE_TEST(test_removed)
{
  g_autoptr(GError) error = NULL;
  commit_seed(f, 1, 0, RUN_OK, 0);
  g_assert_cmpint(g_unlink(f->path), ==, 0);
  g_auto(stored_run) run = fixture_seed_run(f->scenario, 2, 1);
  g_assert_false(store_commit(f->store, &f->origin, &run, &error));
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, "a.sqlite: it was removed, renamed or replaced while"));
}

/* They are ordered by scenario, then by point; not by commit. A grid that grew at its start moves the points
 * of runs that are there. */
FIXTURE_TEST(test_order)
{
  provenance other = f->origin;
  other.name = (char *)"B";
  commit_seed(f, 3, 2, RUN_OK, 0);
  g_auto(stored_run) run = fixture_seed_run(f->scenario, 9, 7);
  commit(f, &other, &run);
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(f, 2, 1, RUN_OK, 0);
  expect_order(f, "B9 a1 a2 a3 ");
  g_assert_cmpint(state_of_seed(f, 1, 5), ==, STORED_DONE);
  expect_order(f, "B9 a2 a3 a1 ");
}

static gboolean stop_at_first(G_GNUC_UNUSED const provenance *found_from, G_GNUC_UNUSED const stored_run *run,
                              gpointer data, GError **error)
{
  (*(guint *)data)++;
  g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, "enough");
  return FALSE;
}

FIXTURE_TEST(test_visitor_ends_walk)
{
  g_autoptr(GError) error = NULL;
  guint visited = 0;
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(f, 2, 1, RUN_OK, 0);
  g_assert_false(result_store_each(f->store, stop_at_first, &visited, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
  g_assert_cmpuint(visited, ==, 1);
  commit_seed(f, 3, 2, RUN_OK, 0); /* the store goes on working */
  g_assert_cmpuint(fixture_count_runs(f->path), ==, 3);
}

/* Two sweeps write at once, as with shards: each sees what the other wrote. */
FIXTURE_TEST(test_two_writers)
{
  store_fixture second = *f;
  second.store = NO_ERROR(result_store_open, f->path, RESULT_STORE_WRITE);
  commit_seed(f, 1, 0, RUN_OK, 0);
  commit_seed(&second, 2, 1, RUN_OK, 0);
  commit_seed(f, 3, 2, RUN_OK, 0);
  g_assert_cmpint(state_of_seed(&second, 3, 2), ==, STORED_DONE);
  expect_order(&second, "a1 a2 a3 ");
  result_store_close(second.store);
}

/* This is a thread that opens a store to write; returns why it could not (g_free()), or NULL. */
static gpointer open_and_close(gpointer path)
{
  g_autoptr(GError) error = NULL;
  result_store *store = result_store_open(path, RESULT_STORE_WRITE, &error);
  result_store_close(store);
  return error != NULL ? g_strdup(error->message) : NULL;
}

/* Sweeps started together find no file, and each would make it: whoever comes second must recognise it as a
 * store, and not take it for another program's database because it reads half of its marks before the store
 * was made and half afterwards. */
FIXTURE_TEST(test_made_by_several)
{
  g_autofree char *path = g_build_filename(f->folder, "new.sqlite", NULL);
  for (guint round = 0; round < 40; round++) {
    GThread *threads[6];
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
      threads[i] = g_thread_new("open", open_and_close, path);
    }
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++) {
      g_autofree char *problem = g_thread_join(threads[i]);
      g_assert_cmpstr(problem, ==, NULL);
    }
    g_assert_cmpint(g_unlink(path), ==, 0);
  }
}

/* Tries which runs may be added to a store that has others. */

static void commit_from(const store_fixture *f, const provenance *from, guint seed)
{
  g_auto(stored_run) run = fixture_seed_run(f->scenario, seed, seed);
  commit(f, from, &run);
}

static void expect_fine(const store_fixture *f, const provenance *from)
{
  g_assert_true(NO_ERROR(result_store_check_provenance, f->store, from));
}

static void expect_different(const store_fixture *f, const provenance *from, const char *words)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(result_store_check_provenance(f->store, from, &error));
  g_test_message("%s", error->message);
  g_assert_error(error, RESULT_STORE_ERROR, RESULT_STORE_ERROR_DIFFERENT);
  EXPECT_PARTS(error->message, "a.sqlite: holds ", words, "--mix", "--store FILE");
}

/* A file of another name, other options and other libraries do not make another scenario or program. */
FIXTURE_TEST(test_same_origin)
{
  expect_fine(f, &f->origin); /* of an empty store */
  commit_from(f, &f->origin, 1);
  expect_fine(f, &f->origin);
  provenance other = f->origin;
  other.name = (char *)"b";
  other.sets = (char *)"run.engine=native";
  other.libraries = (char *)"GLib 2.80.0";
  expect_fine(f, &other);
}

/* These are two runs of the same scenario and program, and one of another. */
static const struct {
  gsize text; /* that differs, of provenance */
  const char *other;
  const char *words;
} others[] = {{G_STRUCT_OFFSET(provenance, text),
               "title = \"t\";\nmpa: { crc = false; };\nrun: { seed = 1; };\n",
               "holds 2 runs of another text of the scenario 'a' (- stored, + now):\n"
               "  - 2: mpa: { crc = true; };\n"
               "  + 2: mpa: { crc = false; };\n"},
              {G_STRUCT_OFFSET(provenance, version), "0.2.0",
               "holds 2 runs of another iwarpsim (- stored, + now):\n"
               "  - version 0.1.0, git abc1234\n"
               "  + version 0.2.0, git abc1234\n"}};

FIXTURE_TEST(test_origin_of_others)
{
  commit_from(f, &f->origin, 1);
  commit_from(f, &f->origin, 2);
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    provenance other = f->origin;
    G_STRUCT_MEMBER(const char *, &other, others[i].text) = others[i].other;
    expect_different(f, &other, others[i].words);
  }
}

/* "unknown" on either side matches any commit. */
FIXTURE_TEST(test_origin_of_other_commit)
{
  commit_from(f, &f->origin, 1);
  provenance other = f->origin;
  other.git = (char *)"abc1234-dirty";
  expect_different(f, &other, "  - version 0.1.0, git abc1234\n  + version 0.1.0, git abc1234-dirty\n");
  other.git = (char *)"unknown";
  expect_fine(f, &other);
  commit_from(f, &other, 1);
  other.git = (char *)"def5678";
  expect_fine(f, &other);
}

/* One of two origins in the store differs. */
FIXTURE_TEST(test_two_origins)
{
  provenance other = f->origin;
  other.version = (char *)"0.2.0";
  commit_from(f, &f->origin, 1);
  commit_from(f, &other, 2);
  expect_different(f, &f->origin, "holds 1 run of another iwarpsim (- stored, + now):\n  - version 0.2.0");
  expect_different(f, &other, "- version 0.1.0");
  commit_from(f, &other, 1); /* the last run of the other one */
  expect_fine(f, &other);
}

/* This is what makes two runs the same run. */

static char *identity_of(const char *text, const char *const *sets)
{
  g_autoptr(scenario) s = temporary_scenario(text, sets);
  char *texts[SCENARIO_KEY_COUNT];
  run_identity_texts(s, texts);
  char *identity = run_identity_of(texts);
  run_identity_clear(texts);
  return identity;
}

#define EVENT(value) "event = ( { at = \"1ms\"; key = \"path.forward.mtu\"; value = " value "; } );"

/* Equal values are the same run, however they are written and wherever they stand; any key makes another run,
 * the seed and the title too. */
static const struct {
  const char *a, *b;
  gboolean same;
} pairs[] = {{"title = \"t\"; run: { seed = 7; };", "run: { seed = 7; }; title = \"t\"; # the same", TRUE},
             {"workload: { message_size = \"64KiB\"; };", "workload: { message_size = 65536; };", TRUE},
             {"mpa: { crc = true; };", "title = \"\";", TRUE}, /* the default, given or not */
             {"run: { seed = 7; };", "run: { seed = 8; };", FALSE},
             {"title = \"t\";", "title = \"u\";", FALSE},
             {"mpa: { crc = true; };", "mpa: { crc = false; };", FALSE},
             {"", "event = ();", TRUE},
             {EVENT("1280"), "", FALSE}, /* what lists hold counts as well */
             {EVENT("1280"), EVENT("1281"), FALSE},
             {EVENT("1024"), EVENT("\"1KiB\""), TRUE}};

ROW_TEST(test_identity, pairs)
{
  g_autofree char *of_a = identity_of(c->a, NULL), *of_b = identity_of(c->b, NULL);
  g_assert_cmpuint(strlen(of_a), ==, 64);
  g_assert_true(g_str_equal(of_a, of_b) == c->same);
}

TEST(test_identity_of_set)
{
  g_autofree char *in_file = identity_of("run: { seed = 7; };", NULL);
  g_autofree char *set = identity_of("run: { seed = 8; };", STRINGS("run.seed=7"));
  g_assert_cmpstr(set, ==, in_file);
}

/* SHA-256 over names and texts, each with a NUL after it, as printf 'title\0x\0run.seed\0001\0' | sha256sum
 * prints. A text cannot pass for the key that follows it. */
TEST(test_identity_octets)
{
  char *texts[SCENARIO_KEY_COUNT] = {NULL};
  texts[SCENARIO_TITLE] = (char *)"x";
  texts[SCENARIO_RUN_SEED] = (char *)"1";
  g_autofree char *both = run_identity_of(texts);
  g_assert_cmpstr(both, ==, "65b70faf71ea432993b0a955d38682c7091a241e3cfbab86cc02159250257716");
  texts[SCENARIO_TITLE] = (char *)"xrun.seed1";
  texts[SCENARIO_RUN_SEED] = NULL;
  g_autofree char *one = run_identity_of(texts);
  g_assert_cmpstr(one, !=, both);
}
