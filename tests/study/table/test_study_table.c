/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the runs of a store in memory: which are read, which are flagged, how they group into
 * points, lines and pairs. */
#include "study/table/study_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "store_commit.h"
#include "study/table/result_table.h"
#include "study_fixture.h"

#define AXES "receiver.mode\npath.forward.mtu\npath.forward.loss\nrun.seed"

static const result_quantity peak = {.metric = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, .whole = METRIC_COUNT};
static const result_quantity goodput = {.metric = METRIC_GOODPUT_BIT_PER_S, .whole = METRIC_COUNT};
static const result_quantity timeouts = {.metric = METRIC_TCP_TIMEOUTS, .whole = METRIC_COUNT};

/* Adds a run of the mode, MTU, loss and seed with that peak. */
static void add(store_fixture *kit, const char *mode, int mtu, const char *loss, int seed, double octets)
{
  g_autofree char *keys = g_strdup_printf(
      "receiver.mode=%s path.forward.mtu=%d path.forward.loss=%s run.seed=%d", mode, mtu, loss, seed);
  g_autofree char *values = g_strdup_printf("buffer.reassembly_peak_octets=%g", octets);
  store_fixture_add(kit, keys, values);
}

static study_table *read_table(store_fixture *kit, guint exclude)
{
  return NO_ERROR(study_table_read, kit->store, exclude);
}

#define FIXTURE_TEST(name) STORE_TEST(AXES, name)

/* A run has a flag for each of the three metrics above 0; runs with one of those asked for stay out. */
FIXTURE_TEST(test_flags)
{
  static const struct {
    const char *values;
    guint flags;
  } runs[] = {
      {"tcp.timeouts=0 tcp.spurious_retransmissions=0 tcp.lost_retransmissions=0", 0},
      {"tcp.timeouts=1", STUDY_FLAG_TIMEOUTS},
      {"tcp.spurious_retransmissions=2", STUDY_FLAG_SPURIOUS},
      {"tcp.lost_retransmissions=3", STUDY_FLAG_LOST_RETRANSMISSIONS},
      {"tcp.timeouts=1 tcp.lost_retransmissions=1", STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS},
      {"tcp.segments=9", 0}};
  for (gsize i = 0; i < G_N_ELEMENTS(runs); i++) {
    g_autofree char *keys = g_strdup_printf("run.seed=%u", (guint)i + 1);
    store_fixture_add(f, keys, runs[i].values);
  }
  study_table *table = read_table(f, 0);
  g_assert_true(NO_ERROR(study_table_check, table, 0));
  EXPECT_FIELDS(table, (runs->len, G_N_ELEMENTS(runs)), (flagged, 4));
  for (gsize i = 0; i < G_N_ELEMENTS(runs); i++) {
    g_assert_cmpuint(((study_run *)g_ptr_array_index(table->runs, i))->flags, ==, runs[i].flags);
  }
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autoptr(GArray) points = study_table_points(table->runs, keys);
  g_assert_cmpuint(points->len, ==, 1);
  g_assert_cmpuint(g_array_index(points, study_point, 0).flagged, ==, 4);
  g_autofree char *nothing = study_table_missing(table, 0);
  g_assert_cmpstr(nothing, ==, "");
  study_table_free(table);

  table = read_table(f, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_SPURIOUS);
  g_assert_cmpuint(table->runs->len, ==, 3); /* seeds 1, 4 and 6 */
  EXPECT_FIELDS(table, (left_out->len, 3), (flagged, 1));
  g_autofree char *missing = study_table_missing(table, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_SPURIOUS);
  g_assert_cmpstr(missing, ==, "3 of 6 runs left out (timeouts, spurious)");
  study_table_free(table);
}

static void expect_empty(store_fixture *kit, guint exclude, const char *message)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(study_table) table = read_table(kit, exclude);
  g_assert_false(study_table_check(table, exclude, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==, message);
}

FIXTURE_TEST(test_nothing_left)
{
  expect_empty(f, 0, "the store holds no runs");
  store_fixture_add_status(f, "run.seed=1", "", RUN_FAILED);
  expect_empty(f, 0, "none of the store's 1 run is left: 1 of 1 run did not end ok");
  store_fixture_add_status(f, "run.seed=2", "", RUN_STOPPED);
  store_fixture_add(f, "run.seed=3", "tcp.timeouts=1");
  expect_empty(f, STUDY_FLAG_TIMEOUTS,
               "none of the store's 3 runs is left: 1 of 3 runs left out (timeouts); 2 of 3 runs did not "
               "end ok");
}

/* Scenarios and versions are named once each, those of runs that did not end ok not; a commit that is not
 * known is not named. */
FIXTURE_TEST(test_origins)
{
  store_fixture_add(f, "run.seed=1", "");
  store_fixture_add(f, "run.seed=2", "");
  f->origin.name = (char *)"b";
  f->origin.version = (char *)"0.2.0";
  f->origin.git = (char *)"1234abc";
  store_fixture_add(f, "run.seed=3", "");
  f->origin.name = (char *)"c";
  store_fixture_add_status(f, "run.seed=4", "", RUN_FAILED);
  g_autoptr(study_table) table = read_table(f, 0);
  g_assert_cmpstr(table->title, ==, "A question");
  g_assert_cmpstr(table->axes, ==, AXES);
  g_assert_cmpstr(table->names, ==, "a, b");
  g_assert_cmpstr(table->versions, ==, "0.1.0, 0.2.0 (git 1234abc)");
}

/* Points come in the order of the keys: modes as they come, MTUs as numbers. path.reverse.mtu follows and is
 * no key. */
FIXTURE_TEST(test_points)
{
  add(f, "out-of-order", 9000, "0", 1, 1);
  add(f, "out-of-order", 576, "0", 1, 2);
  add(f, "in-order", 9000, "0", 1, 3);
  add(f, "in-order", 576, "0", 1, 4);
  add(f, "in-order", 576, "0", 2, 6);
  study_table *table = read_table(f, 0);
  g_autoptr(GArray) keys = study_table_keys(table);
  g_assert_cmpuint(keys->len, ==, 2);
  g_assert_cmpint(g_array_index(keys, scenario_key, 0), ==, SCENARIO_RECEIVER_MODE);
  g_assert_cmpint(g_array_index(keys, scenario_key, 1), ==, SCENARIO_PATH_FORWARD_MTU);
  g_autoptr(GArray) points = study_table_points(table->runs, keys);
  static const double means[] = {2, 1, 5, 3};
  g_assert_cmpuint(points->len, ==, G_N_ELEMENTS(means));
  for (guint i = 0; i < points->len; i++) {
    statistics of = result_quantity_statistics(&peak, g_array_index(points, study_point, i).runs);
    g_assert_cmpfloat(of.mean, ==, means[i]);
  }
  store_fixture_add(f, "run.seed=9", "goodput_bit_per_s=5"); /* another point, without the metric */
  study_table_free(table);
  table = read_table(f, 0);
  g_assert_cmpuint(result_quantity_statistics(&peak, table->runs).count, ==, 5);
  g_assert_cmpuint(result_quantity_statistics(&goodput, table->runs).count, ==, 1);
  g_assert_cmpuint(result_quantity_statistics(&timeouts, table->runs).count, ==, 0);
  study_table_free(table);
}

/* Returns the differences in the peak between pairs whose `key` is `a` and `b`: result_row. */
static GArray *differences(const study_table *table, scenario_key key, const char *a, const char *b)
{
  const result_pairing pairing = {.key = key, .a = a, .b = b};
  return result_rows_of(table, &peak, &pairing);
}

/* Seeds 1, 2 and 3 at 576, differences 40 - 10, 50 - 30, 70 - 60: 30, 20, 10; seed 4 has no other half, and
 * neither has 9000. At 1500 one seed, which has no interval. */
FIXTURE_TEST(test_pairs)
{
  static const double in_order[] = {40, 50, 70, 90}, out_of_order[] = {10, 30, 60};
  for (int seed = 4; seed >= 1; seed--) {
    add(f, "in-order", 576, "1%", seed, in_order[seed - 1]);
  }
  for (int seed = 1; seed <= 3; seed++) {
    add(f, "out-of-order", 576, "1%", seed, out_of_order[seed - 1]);
  }
  add(f, "in-order", 1500, "1%", 7, 5);
  add(f, "out-of-order", 1500, "1%", 7, 8);
  add(f, "in-order", 9000, "1%", 1, 5);
  store_fixture_add(f, "receiver.mode=out-of-order path.forward.mtu=9000 path.forward.loss=1% run.seed=1",
                    "tcp.timeouts=2"); /* without the metric */
  g_autoptr(study_table) table = read_table(f, 0);
  g_autoptr(GArray) pairs = differences(table, SCENARIO_RECEIVER_MODE, "in-order", "out-of-order");
  const result_row *pair = &g_array_index(pairs, result_row, 0);
  g_assert_cmpstr(pair->first->keys[SCENARIO_PATH_FORWARD_MTU], ==, "576");
  g_assert_cmpstr(pair->first->keys[SCENARIO_RECEIVER_MODE], ==, "in-order");
  g_assert_cmpuint(pair->of.count, ==, 3);
  g_assert_cmpfloat(pair->of.mean, ==, 20);
  g_assert_cmpfloat(pair->of.smallest, ==, 10);
  g_assert_cmpfloat(pair->of.largest, ==, 30);
  g_assert_cmpfloat_with_epsilon(pair->of.half_width, 24.8414, 1e-3); /* 4.30265 * 10 / sqrt(3) */
  /* the geometric mean of 40/10, 50/30 and 70/60: (4 * 5/3 * 7/6)^(1/3) = 7.7778^(1/3) */
  g_assert_cmpuint(pair->log_ratio.count, ==, 3);
  g_assert_cmpfloat_with_epsilon(exp(pair->log_ratio.mean), 1.98133, 1e-4);
  pair = &g_array_index(pairs, result_row, 1);
  g_assert_cmpfloat(pair->of.mean, ==, -3);
  g_assert_true(isnan(pair->of.half_width));

  g_assert_cmpuint(pairs->len, ==, 3); /* 9000 too, whatever was measured */
  g_assert_cmpuint(g_array_index(pairs, result_row, 2).of.count, ==, 0);
  g_autoptr(GArray) none = differences(table, SCENARIO_RECEIVER_MODE, "in-order", "proxy");
  g_assert_cmpuint(none->len, ==, 0);
}

/* The middlebox's chunk moves in step with the MTU: pairs by the MTU differ in both, pairs by the chunk
 * too. */
FIXTURE_TEST(test_pairs_in_step)
{
  for (int seed = 1; seed <= 2; seed++) {
    g_autofree char *small = g_strdup_printf("path.forward.mtu=576 middlebox.chunk=500 run.seed=%d", seed);
    g_autofree char *large = g_strdup_printf("path.forward.mtu=1500 middlebox.chunk=1400 run.seed=%d", seed);
    store_fixture_add(f, small, "buffer.reassembly_peak_octets=1");
    store_fixture_add(f, large, "buffer.reassembly_peak_octets=4");
  }
  g_autoptr(study_table) table = read_table(f, 0);
  g_autoptr(GArray) by_mtu = differences(table, SCENARIO_PATH_FORWARD_MTU, "1500", "576");
  g_autoptr(GArray) by_chunk = differences(table, SCENARIO_MIDDLEBOX_CHUNK, "1400", "500");
  g_assert_cmpuint(by_mtu->len, ==, 1);
  g_assert_cmpfloat(g_array_index(by_mtu, result_row, 0).of.mean, ==, 3);
  g_assert_cmpuint(by_chunk->len, ==, 1);
  g_assert_cmpuint(g_array_index(by_chunk, result_row, 0).of.count, ==, 2);
}

static void expect_seeds(store_fixture *kit, const char *expected)
{
  g_autoptr(study_table) table = read_table(kit, 0);
  g_autofree char *seeds = study_table_seeds(table);
  g_assert_cmpstr(seeds, ==, expected);
}

FIXTURE_TEST(test_seeds)
{
  add(f, "in-order", 1500, "0", 7, 1);
  expect_seeds(f, "seed 7");
  add(f, "in-order", 1500, "0", 9, 1);
  add(f, "in-order", 1500, "0", 8, 1);
  expect_seeds(f, "seeds 7–9");
  add(f, "in-order", 1500, "0", 20, 1);
  expect_seeds(f, "seeds 7, 8, 9, 20");
  for (int seed = 30; seed < 60; seed += 10) {
    add(f, "in-order", 1500, "0", seed, 1);
  }
  expect_seeds(f, "7 seeds");
}

/* A store of an older program lacks keys, one that was cut by hand even the seed: such runs have empty texts
 * there. */
FIXTURE_TEST(test_missing_keys)
{
  store_fixture_add(f, "run.seed=1 path.forward.mtu=576 -path.forward.mtu -path.reverse.mtu -run.seed", "");
  study_table *table = read_table(f, 0);
  const study_run *run = g_ptr_array_index(table->runs, 0);
  g_assert_cmpstr(run->keys[SCENARIO_PATH_FORWARD_MTU], ==, "");
  g_assert_cmpstr(run->keys[SCENARIO_RECEIVER_MODE], ==, "out-of-order");
  study_table_free(table);
  expect_seeds(f, "seeds unknown");
}

static void expect_refused(store_fixture *kit, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(study_table_read(kit->store, 0, &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, part));
}

/* Values such that their squares and shares in each other would be no numbers are refused by name. */
FIXTURE_TEST(test_unusable_values)
{
  store_fixture_add(f, "run.seed=3", "tcp.segments=1e75 tcp.timeouts=2e-75");
  study_table_free(read_table(f, 0));
  store_fixture_add(f, "run.seed=4", "tcp.segments=-1.1e75");
  expect_refused(f, "tcp.segments of the run at point 1, seed 4, is -1.1e+75");
  store_fixture_sql(f, "DELETE FROM runs WHERE point = 1");
  store_fixture_add(f, "run.seed=4", "tcp.segments=1e-76");
  expect_refused(f, "tcp.segments of the run at point 2, seed 4, is 1e-76");
}

/* A run has a thousand octets of texts' addresses and more: 2 points of 50 seeds have them twice, whatever
 * the order of their runs; each run has its seed. */
FIXTURE_TEST(test_keys_of_a_point)
{
  enum { SEEDS = 50 };
  for (int seed = 1; seed <= SEEDS; seed++) {
    add(f, "in-order", 1500, "0", seed, 1);
    add(f, "in-order", 9000, "0", seed, 1);
  }
  g_autoptr(study_table) table = read_table(f, 0);
  g_assert_cmpuint(table->runs->len, ==, 2 * SEEDS);
  g_assert_cmpuint(g_hash_table_size(table->keys), ==, 2);
  for (guint i = 0; i < table->runs->len; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    g_autofree char *seed = g_strdup_printf("%u", i / 2 + 1);
    g_assert_cmpstr(study_run_text(run, SCENARIO_RUN_SEED), ==, seed);
    g_assert_cmpstr(study_run_text(run, SCENARIO_PATH_FORWARD_MTU), ==, i % 2 == 0 ? "1500" : "9000");
    g_assert_true(run->keys == ((const study_run *)g_ptr_array_index(table->runs, i % 2))->keys);
  }
}

/* There are as many values as runs: whatever looks each up in a list of all takes minutes. */
FIXTURE_TEST(test_many_values)
{
  enum { RUNS = 40000 };
  store_fixture_add(f, "run.seed=1", "buffer.reassembly_peak_octets=1");
  g_autoptr(study_table) table = read_table(f, 0);
  const study_run *model = g_ptr_array_index(table->runs, 0);
  for (guint i = 1; i < RUNS; i++) {
    g_autofree char *size = g_strdup_printf("%u", 1000000 - i / 2 * 2);
    study_run *run = g_new(study_run, 1);
    *run = *model;
    run->keys = g_memdup2(model->keys, STUDY_KEYS * sizeof *run->keys);
    run->keys[SCENARIO_WORKLOAD_MESSAGE_SIZE] = g_string_chunk_insert_const(table->texts, size);
    run->keys[SCENARIO_RECEIVER_MODE] =
        g_string_chunk_insert_const(table->texts, i % 2 == 0 ? "in-order" : "out-of-order");
    g_hash_table_add(table->keys, run->keys);
    run->results.metrics.value[peak.metric] = i % 2 == 0 ? 3 : 1;
    g_ptr_array_add(table->runs, run);
  }
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autoptr(GArray) points = study_table_points(table->runs, keys);
  g_assert_cmpuint(points->len, ==, RUNS);
  g_autoptr(GArray) pairs = differences(table, SCENARIO_RECEIVER_MODE, "in-order", "out-of-order");
  g_assert_cmpuint(pairs->len, ==, RUNS / 2 - 1); /* run 0 has another size than run 1 */
  g_assert_cmpfloat(g_array_index(pairs, result_row, 0).of.mean, ==, 2);
}

/* The summary of a store counts every run, whatever its end. */

/* This is what differs between the runs of these tests. */
typedef struct made_run {
  run_status status;
  const char *host;
  const char *engine;
  const char *started;
  const char *git;
  double memory_peak_octets;
} made_run;

static void commit(store_fixture *f, guint seed, const made_run *made)
{
  provenance from = f->origin;
  g_auto(stored_run) run = fixture_seed_run(f->scenario, seed, seed - 1);
  from.git = (char *)made->git;
  run.status = made->status;
  run.exit_code = made->status == RUN_OK ? 0 : 1;
  run.host = (char *)made->host;
  run.engine = (char *)made->engine;
  run.started = (char *)made->started;
  run.memory_peak_octets = made->memory_peak_octets;
  g_assert_true(NO_ERROR(store_commit, f->store, &from, &run));
}

FIXTURE_TEST(test_summary)
{
  static const made_run made[] = {
      {RUN_OK, "b", "native", "2026-11-21T10:00:00Z", "1", 10},
      {RUN_FAILED, "a", "ns3", "2026-11-20T23:59:59Z", "1", 30},
      {RUN_OK, "b", "native", "2026-12-01T00:00:00Z", "2", 20},
      {RUN_TERMINATED, "b", "", "", "1", 0},
  };
  for (guint i = 0; i < G_N_ELEMENTS(made); i++) {
    commit(f, i + 1, &made[i]);
  }
  g_autoptr(study_table) table = read_table(f, 0);
  const store_summary *totals = &table->all;
  EXPECT_FIELDS(totals, (count, 4), (by_status[RUN_OK], 2), (by_status[RUN_FAILED], 1),
                (by_status[RUN_TERMINATED], 1), (by_status[RUN_STOPPED], 0));
  /* each once, sorted, the empty ones not */
  g_assert_cmpuint(totals->hosts->len, ==, 2);
  g_assert_cmpstr(g_ptr_array_index(totals->hosts, 0), ==, "a");
  g_assert_cmpuint(totals->engines->len, ==, 2);
  g_assert_cmpstr(g_ptr_array_index(totals->engines, 1), ==, "ns3");
  g_assert_cmpstr(totals->first, ==, "2026-11-20T23:59:59Z");
  g_assert_cmpstr(totals->last, ==, "2026-12-01T00:00:00Z");
  /* the kit's runs take 0.25 s, 0.125 s of them on a processor */
  g_assert_cmpfloat(totals->wall_s, ==, 1.0);
  g_assert_cmpfloat(totals->cpu_s, ==, 0.5);
  g_assert_cmpfloat(totals->memory_peak_octets, ==, 30);
}

FIXTURE_TEST(test_summary_of_origins_and_others)
{
  static const made_run ok = {RUN_OK, "a", "native", "", "1", 0};
  static const made_run elsewhere = {RUN_STOPPED, "a", "native", "", "2", 0};
  commit(f, 1, &ok);
  commit(f, 2, &elsewhere);
  commit(f, 3, &ok);
  g_autoptr(study_table) table = read_table(f, 0);
  const store_summary *totals = &table->all;
  g_assert_cmpuint(totals->origins->len, ==, 2);
  const provenance *first = g_ptr_array_index(totals->origins, 0);
  g_assert_cmpstr(first->git, ==, "1");
  g_assert_cmpuint(first->count, ==, 2);
  g_assert_cmpuint(totals->others->len, ==, 1);
  const study_run *other = g_ptr_array_index(totals->others, 0);
  EXPECT_FIELDS(other, (status, RUN_STOPPED), (exit_code, 1));
  g_assert_cmpstr(other->seed, ==, "2");
}

FIXTURE_TEST(test_summary_of_nothing)
{
  g_autoptr(study_table) table = read_table(f, 0);
  g_assert_cmpuint(table->all.count, ==, 0);
  g_assert_null(table->all.first);
  study_table_free(NULL);
}

/* --- Axes of a list's entries --- */

#define ENTRY_AXES                                                                                           \
  "links.far.delay\nlinks.far.delay: delay of the far spine\nlinks.far.rate\nlinks.far.rate = 1Gbit/s: slow"

static void add_links(store_fixture *kit, const char *between, const char *delay, const char *rate)
{
  g_auto(stored_run) run = store_fixture_run(kit, "run.seed=1", "buffer.reassembly_peak_octets=1");
  g_free(run.keys[SCENARIO_LINKS]);
  run.keys[SCENARIO_LINKS] =
      g_strdup_printf("{ name=far between='%s' rate=%s delay=%s }", between, rate, delay);
  g_free(run.identity);
  run.identity = run_identity_of(run.keys);
  store_fixture_commit(kit, &run);
}

/* They are keys of their own, with numbers in order; the text of the list, which follows from both together,
 * is none, until it differs in something else. */
STORE_TEST(ENTRY_AXES, test_entries)
{
  static const char *const delays[] = {"100us", "5us"}, *const rates[] = {"1Gbit/s", "10Gbit/s"};
  for (guint i = 0; i < 4; i++) {
    add_links(f, "spine1 leaf0", delays[i % 2], rates[i / 2]);
  }
  g_autoptr(study_table) table = read_table(f, 0);
  g_autoptr(GArray) keys = study_table_keys(table);
  g_assert_cmpuint(keys->len, ==, 2);
  const scenario_key delay = g_array_index(keys, scenario_key, 0);
  g_assert_cmpuint(delay, ==, study_keys_find("links.far.delay", table->axes));
  g_assert_cmpstr(study_keys_name(g_array_index(keys, scenario_key, 1), table->axes), ==, "links.far.rate");
  g_assert_cmpuint(study_keys_find("links.far.mtu", table->axes), ==, SCENARIO_KEY_COUNT);
  g_assert_cmpstr(study_table_words(table, delay, NULL), ==, "delay of the far spine");

  g_autoptr(GPtrArray) values = study_keys_values(table->runs, delay);
  double seconds;
  g_assert_cmpstr(values->pdata[0], ==, "5us");
  g_assert_true(study_keys_number(delay, values->pdata[1], &seconds));
  g_assert_cmpfloat(seconds, ==, 100e-6);

  result_pairing pairing = {0};
  g_assert_true(NO_ERROR(result_pairing_read, "links.far.delay=5us,100us", table, &pairing));
  g_autoptr(GArray) rows = result_rows_of(table, &peak, &pairing);
  g_assert_cmpuint(rows->len, ==, 2); /* of each rate */
  g_assert_true(NO_ERROR(study_table_select, table, "links.far.delay < 6us", "test"));
  g_assert_cmpuint(table->runs->len, ==, 2);

  add_links(f, "spine1 leaf1", "5us", "1Gbit/s");
  g_autoptr(study_table) more = read_table(f, 0);
  g_autoptr(GArray) with_list = study_table_keys(more);
  g_assert_cmpuint(with_list->len, ==, 3);
  g_assert_cmpuint(g_array_index(with_list, scenario_key, 2), ==, SCENARIO_LINKS);
}
