/* SPDX-License-Identifier: GPL-2.0-only */
/* Results pass through memory that two processes share as they are; what a wild process writes there does
 * not.
 */
#include "measure/run_results.h"

#include <math.h>
#include <string.h>

#include "test.h"

/* This is shared, with some of everything in it; too large for a stack. */
typedef struct fixture {
  run_results results, taken;
  shared_results shared;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->results = (run_results){.block_octets = 65536, .quantiles = {.count = 1, .parts = {QUANTILE_PARTS}}};
  f->results.block_maxima = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_array_append_vals(f->results.block_maxima, (const uint64_t[]){5, 0, 1460}, 3);
  metric_values_set(&f->results.metrics, METRIC_TCP_SEGMENTS, 0.1);
  g_assert_true(distribution_append(&f->results.distributions[1], 1.0 / 3, 1e300));
  g_assert_true(distribution_append(&f->results.distributions[1], 2, 1));
  run_results_set_tables(&f->results, "host,connections\nh0,1\n\nswitch\n");
  run_results_share(&f->results, &f->shared);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  run_results_clear(&f->results);
  run_results_clear(&f->taken);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* The copy outlives what it is of. */
FIXTURE_TEST(test_taken)
{
  run_results_clear(&f->results);
  g_assert_true(run_results_take(&f->shared, &f->taken));
  g_assert_true(f->taken.metrics.present[METRIC_TCP_SEGMENTS]);
  g_assert_cmpfloat(f->taken.metrics.value[METRIC_TCP_SEGMENTS], ==, 0.1);
  g_assert_cmpuint(f->taken.distributions[0].count, ==, 0);
  g_assert_cmpuint(f->taken.distributions[1].count, ==, 2);
  g_assert_cmpfloat(f->taken.distributions[1].bins[0].bound, ==, 1.0 / 3);
  g_assert_cmpfloat(f->taken.distributions[1].bins[1].weight, ==, 1);
  g_assert_cmpuint(f->taken.quantiles.parts[0], ==, QUANTILE_PARTS);
  g_assert_cmpuint(f->taken.block_octets, ==, 65536);
  g_assert_cmpuint(f->taken.block_maxima->len, ==, 3);
  g_assert_cmpuint(g_array_index(f->taken.block_maxima, uint64_t, 2), ==, 1460);
  g_autofree char *tables = run_results_tables(&f->taken);
  g_assert_cmpstr(tables, ==, "host,connections\nh0,1\n\nswitch\n");
}

/* A table of 65,536 ports that send alike comes back whole, in no more room than two processes share; what is
 * cut or is no base64 of zlib's is none. */
FIXTURE_TEST(test_tables)
{
  g_autoptr(GString) text = g_string_new("switch,port,to,utilisation\n");
  for (guint port = 1; port <= 65536; port++) {
    g_string_append_printf(text, "s0,%u,h%u,0.000123456789012,0.000123456789012,0,0,0,0,0,0,0,0\n", port,
                           port);
  }
  run_results_set_tables(&f->results, text->str);
  run_results_share(&f->results, &f->shared);
  g_assert_true(run_results_take(&f->shared, &f->taken));
  g_autofree char *back = run_results_tables(&f->taken);
  g_assert_cmpstr(back, ==, text->str);
  f->taken.tables[strlen(f->taken.tables) / 2] = '\0';
  g_assert_null(run_results_tables(&f->taken));
  g_strlcpy(f->taken.tables, "no table", 9);
  g_assert_null(run_results_tables(&f->taken));
}

/* Without samples there is no array of them. */
FIXTURE_TEST(test_nothing)
{
  const run_results nothing = {.block_octets = 0};
  run_results_share(&nothing, &f->shared);
  g_assert_true(run_results_take(&f->shared, &f->taken));
  g_assert_null(f->taken.block_maxima);
  g_assert_null(f->taken.distributions[1].bins);
  g_assert_null(f->taken.tables);
  g_assert_null(run_results_tables(&f->taken));
}

FIXTURE_TEST(test_wild)
{
  for (guint what = 0; what < 5; what++) {
    run_results_share(&f->results, &f->shared);
    f->shared.results.metrics.value[3] = what == 0 ? (double)NAN : 0;
    f->shared.results.distributions[1].count = what == 1 ? SIZE_MAX : 2;
    f->shared.bins[1][1].bound = what == 2 ? 0 : 2;
    f->shared.results.quantiles.count = what == 3 ? QUANTILES_MAX + 1 : 1;
    f->shared.block_count = what == 4 ? BLOCK_MAXIMA_MAX + 1 : 3;
    g_assert_false(run_results_take(&f->shared, &f->taken));
    g_assert_null(f->taken.distributions[1].bins);
    g_assert_null(f->taken.block_maxima);
    g_assert_null(f->taken.tables);
  }
}
