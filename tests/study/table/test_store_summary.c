/* SPDX-License-Identifier: GPL-2.0-only */
/* Every run is counted, whatever its end. */
#include "study/table/study_table.h"

#include "fields.h"
#include "store_commit.h"
#include "study_fixture.h"

/* What differs between the runs of these tests. */
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
  provenance from = fixture_origin("a", "A", "", "run.seed");
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

#define FIXTURE_TEST(name) STORE_TEST("run.seed", name)

FIXTURE_TEST(test_counts)
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
  g_autoptr(study_table) table = NO_ERROR(study_table_read, f->store, 0);
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

FIXTURE_TEST(test_origins_and_others)
{
  static const made_run ok = {RUN_OK, "a", "native", "", "1", 0};
  static const made_run elsewhere = {RUN_STOPPED, "a", "native", "", "2", 0};
  commit(f, 1, &ok);
  commit(f, 2, &elsewhere);
  commit(f, 3, &ok);
  g_autoptr(study_table) table = NO_ERROR(study_table_read, f->store, 0);
  const store_summary *totals = &table->all;
  g_assert_cmpuint(totals->origins->len, ==, 2);
  const stored_provenance *first = g_ptr_array_index(totals->origins, 0);
  g_assert_cmpstr(first->origin->git, ==, "1");
  g_assert_cmpuint(first->count, ==, 2);
  g_assert_cmpuint(totals->others->len, ==, 1);
  const study_run *other = g_ptr_array_index(totals->others, 0);
  EXPECT_FIELDS(other, (status, RUN_STOPPED), (exit_code, 1));
  g_assert_cmpstr(other->keys[SCENARIO_RUN_SEED], ==, "2");
}

FIXTURE_TEST(test_empty)
{
  g_autoptr(study_table) table = NO_ERROR(study_table_read, f->store, 0);
  const store_summary *totals = &table->all;
  g_assert_cmpuint(totals->count, ==, 0);
  g_assert_null(totals->first);
  study_table_free(NULL);
}
