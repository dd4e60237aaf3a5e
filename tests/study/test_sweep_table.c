/* Runs grouped into panels, lines and points, with their means and intervals. */
#include "study/sweep_table.h"

#include <math.h>
#include <string.h>

#include "study_kit.h"

typedef struct fixture {
  char *folder;
  char *path;
  scenario *scenario;
  result_store *store;
  guint64 point;
} fixture;

static void set_up(fixture *f, gconstpointer unused)
{
  (void)unused;
  f->folder = kit_folder_new();
  f->path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->scenario = kit_scenario(f->folder, "a.cfg", "title = \"a\";", NULL);
  f->store = result_store_open(f->path, RESULT_STORE_WRITE, NULL);
}

static void tear_down(fixture *f, gconstpointer unused)
{
  (void)unused;
  result_store_close(f->store);
  scenario_free(f->scenario);
  g_free(f->path);
  kit_folder_remove(f->folder);
}

/* A run of the mode, MTU, loss and seed with that peak; a negative one: it failed. */
static void add(fixture *f, const char *mode, int mtu, const char *loss, int seed, double peak)
{
  static const stored_scenario from = {
      .name = (char *)"a",
      .title = (char *)"a",
      .text = (char *)"",
      .axes = (char *)"receiver.mode\npath.forward.mtu\npath.forward.loss\nrun.seed",
      .version = (char *)"0.1.0"};
  g_autofree char *set_mode = g_strdup_printf("receiver.mode=%s", mode);
  g_autofree char *set_mtu = g_strdup_printf("path.forward.mtu=%d", mtu);
  g_autofree char *set_loss = g_strdup_printf("path.forward.loss=%s", loss);
  g_autofree char *set_seed = g_strdup_printf("run.seed=%d", seed);
  const char *sets[] = {set_mode, set_mtu, set_loss, set_seed};
  scenario *s = scenario_copy(f->scenario);
  for (gsize i = 0; i < G_N_ELEMENTS(sets); i++) {
    g_assert_true(scenario_set(s, sets[i], NULL));
  }
  stored_run run = kit_run(s, f->point++);
  scenario_free(s);
  metric_values_set(&run.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, fabs(peak));
  if (peak < 0) {
    run.status = RUN_FAILED;
  }
  g_assert_true(result_store_commit(f->store, &from, &run, NULL));
  kit_run_clear(&run);
}

static sweep_table *read_table(fixture *f)
{
  g_autoptr(GError) error = NULL;
  sweep_table *table = sweep_table_read(f->store, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, &error);
  g_assert_no_error(error);
  return table;
}

static void expect_point(const sweep_line *line, guint index, const char *x, gsize count, double mean,
                         double half_width)
{
  g_assert_cmpuint(index, <, line->points->len);
  const sweep_point *point = &g_array_index(line->points, sweep_point, index);
  g_assert_cmpstr(point->x, ==, x);
  g_assert_cmpuint(point->count, ==, count);
  g_assert_cmpfloat_with_epsilon(point->mean, mean, 1e-9);
  if (isnan(half_width)) {
    g_assert_true(isnan(point->half_width));
  } else {
    g_assert_cmpfloat_with_epsilon(point->half_width, half_width, 1e-3);
  }
}

/* {10, 12, 14}: mean 12, s = 2, t(0.975, 2) = 4.30265: 4.30265 * 2 / sqrt(3) = 4.96828. A point of one
 * seed has no interval, a failed run no part in any. */
static void test_lines(fixture *f, gconstpointer unused)
{
  (void)unused;
  add(f, "out-of-order", 1500, "1%", 1, 10);
  add(f, "out-of-order", 1500, "1%", 2, 12);
  add(f, "out-of-order", 1500, "1%", 3, 14);
  add(f, "out-of-order", 1500, "1%", 4, -1);
  add(f, "out-of-order", 1500, "0.1%", 1, 7);
  add(f, "out-of-order", 576, "1%", 1, 5);
  add(f, "out-of-order", 576, "1%", 2, 5);
  add(f, "in-order", 576, "1%", 1, 100);
  sweep_table *table = read_table(f);
  plot_axes axes = plot_axes_of(table->runs, table->axes);
  GPtrArray *lines = sweep_table_lines(table, &axes);
  g_assert_cmpuint(table->left_out, ==, 1);
  g_assert_cmpuint(lines->len, ==, 3);

  const sweep_line *first = g_ptr_array_index(lines, 0);
  g_assert_cmpstr(first->panel, ==, "out-of-order");
  g_assert_cmpstr(first->label, ==, "MTU 576 octets");
  g_assert_cmpuint(first->points->len, ==, 1);
  expect_point(first, 0, "1%", 2, 5, 0);

  const sweep_line *second = g_ptr_array_index(lines, 1);
  g_assert_cmpstr(second->label, ==, "MTU 1500 octets");
  g_assert_cmpuint(second->points->len, ==, 2);
  expect_point(second, 0, "0.1%", 1, 7, (double)NAN);
  expect_point(second, 1, "1%", 3, 12, 4.96828);

  const sweep_line *third = g_ptr_array_index(lines, 2);
  g_assert_cmpstr(third->panel, ==, "in-order");
  expect_point(third, 0, "1%", 1, 100, (double)NAN);
  g_ptr_array_unref(lines);
  plot_axes_clear(&axes);
  sweep_table_free(table);
}

static void expect_seeds(fixture *f, const char *expected)
{
  sweep_table *table = read_table(f);
  g_autofree char *seeds = sweep_table_seeds(table);
  g_assert_cmpstr(seeds, ==, expected);
  sweep_table_free(table);
}

static void test_seeds(fixture *f, gconstpointer unused)
{
  (void)unused;
  add(f, "in-order", 1500, "0", 7, 1);
  expect_seeds(f, "seed 7");
  add(f, "in-order", 1500, "0", 8, 1);
  add(f, "in-order", 1500, "0", 9, 1);
  expect_seeds(f, "seeds 7–9");
  add(f, "in-order", 1500, "0", 20, 1);
  expect_seeds(f, "seeds 7, 8, 9, 20");
}

static void test_nothing(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  add(f, "in-order", 1500, "0", 1, -1);
  g_assert_null(sweep_table_read(f->store, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, &error));
  g_assert_error(error, SWEEP_TABLE_ERROR, SWEEP_TABLE_ERROR_EMPTY);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/sweep_table/lines", fixture, NULL, set_up, test_lines, tear_down);
  g_test_add("/sweep_table/seeds", fixture, NULL, set_up, test_seeds, tear_down);
  g_test_add("/sweep_table/nothing", fixture, NULL, set_up, test_nothing, tear_down);
  return g_test_run();
}
