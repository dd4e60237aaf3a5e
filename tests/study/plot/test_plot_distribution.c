/* SPDX-License-Identifier: GPL-2.0-only */
/* The plots of distributions: shares above x of one run and of the points of a study. */
#include "study/plot/plot_distribution.h"

#include <string.h>

#include "study/plot/study_plot.h"
#include "study_kit.h"

typedef struct fixture {
  char *folder;
  GPtrArray *written;
  study_table table;
} fixture;

static void free_run(gpointer data)
{
  study_run *run = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(run->keys[key]);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&run->distributions[id]);
  }
  g_free(run);
}

static void set_up(fixture *f, gconstpointer unused)
{
  (void)unused;
  f->folder = kit_folder_new();
  f->written = g_ptr_array_new_with_free_func(g_free);
  f->table = (study_table){.runs = g_ptr_array_new_with_free_func(free_run),
                           .title = (char *)"a study",
                           .names = (char *)"a",
                           .versions = (char *)"0.1.0",
                           .axes = (char *)"receiver.mode\npath.forward.mtu\npath.forward.loss\nrun.seed\n"};
}

static void tear_down(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_ptr_array_unref(f->table.runs);
  g_ptr_array_unref(f->written);
  kit_folder_remove(f->folder);
}

/* A run with these values ("receiver.mode=in-order"), without samples. */
static study_run *add_run(fixture *f, const char *const *sets)
{
  study_run *run = g_new0(study_run, 1);
  scenario *s = kit_scenario(f->folder, "a.cfg", "title = \"a study\";", sets);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    run->keys[key] = scenario_value_text(s, key);
  }
  scenario_free(s);
  g_ptr_array_add(f->table.runs, run);
  return run;
}

static void add_bin(distribution *d, double bound, double weight)
{
  g_assert_true(distribution_append(d, bound, weight));
}

static gnuplot_target target_of(const fixture *f, gnuplot_format format)
{
  return (gnuplot_target){.folder = f->folder, .format = format, .written = f->written};
}

static gboolean can_draw(void)
{
  g_autofree char *found = g_find_program_in_path("gnuplot");
  if (found == NULL) {
    g_test_skip("gnuplot is not installed");
  }
  return found != NULL;
}

static void draw_well(fixture *f, gboolean delays)
{
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = target_of(f, GNUPLOT_PNG);
  (delays ? &plot_delays : &plot_distribution)->draw(&f->table, 0, "plot", &target, &error);
  g_assert_no_error(error);
}

static char *file_text(const fixture *f, const char *name)
{
  g_autofree char *path = g_build_filename(f->folder, name, NULL);
  char *text = NULL;
  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  return text;
}

static void assert_has(const char *text, const char *part)
{
  if (strstr(text, part) == NULL) {
    g_error("no \"%s\" in\n%s", part, text);
  }
}

static void write_summary(const fixture *f, const distribution *distributions)
{
  scenario *s = kit_scenario(f->folder, "one.cfg", "title = \"one run\"; run: { seed = 9; };", NULL);
  const summary page = {
      .scenario = s, .version = "0.1.0", .engine = "native", .distributions = distributions};
  g_autofree char *path = g_build_filename(f->folder, "summary.json", NULL);
  g_assert_true(summary_write_json(&page, path, NULL));
  scenario_free(s);
}

/* 90 ms at 0, 9 ms in the bin up to 1471, 1 ms in that up to 2943: 10 % of the time above 0, 1 % above 1471, never above 2943. Each
 * bound has the share before and after it. */
static void test_run(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  g_autoptr(GError) error = NULL;
  distribution distributions[DISTRIBUTION_COUNT] = {{.bins = NULL}};
  add_bin(&distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 0, 0.09);
  add_bin(&distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1471, 0.009);
  add_bin(&distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 2943, 0.001);
  write_summary(f, distributions);
  distribution_clear(&distributions[DISTRIBUTION_REASSEMBLY_OCTETS]);
  const gnuplot_target target = target_of(f, GNUPLOT_SVG);
  plot_distribution_of_run(f->folder, FALSE, &target, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(f->written->len, ==, 3);
  g_autofree char *data = file_text(f, "distribution.dat");
  assert_has(data, "# one run: scenario one · seed 9 · receiver out-of-order · iwarpsim 0.1.0\n");
  assert_has(data, "\n0 0.1\n1471 0.1\n1471 0.01\n2943 0.01\n2943 0\n");
  g_autofree char *script = file_text(f, "distribution.gnuplot");
  assert_has(script, "set logscale y 10\n"); /* a tail of 1 % does not show on a linear axis */
  assert_has(script, "reassembly occupancy x (octets)");
  assert_has(script, "time with occupancy above x");
  g_autofree char *svg = file_text(f, "distribution.svg");
  assert_has(svg, "</svg>");
}

/* A run that Delivered nothing, or a folder of an older program. */
static void test_run_without_samples(fixture *f, gconstpointer unused)
{
  (void)unused;
  const gnuplot_target target = target_of(f, GNUPLOT_PNG);
  write_summary(f, NULL);
  for (gboolean delays = FALSE; delays <= TRUE; delays++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(plot_distribution_of_run(f->folder, delays, &target, &error));
    g_assert_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT);
    assert_has(error->message, delays ? "delay.placement_s" : "buffer.reassembly_octets");
  }
  g_assert_cmpuint(f->written->len, ==, 0);
}

static void test_no_folder(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = target_of(f, GNUPLOT_PNG);
  g_autofree char *missing = g_build_filename(f->folder, "missing", NULL);
  g_assert_false(plot_distribution_of_run(missing, FALSE, &target, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* Two seeds of each of two points. In order: 6 s up to 1471 and 2 s up to 5887, together with 4 s at 0: 12 s, of which 8 above 0 and 2
 * above 1471, so 2/3 and 1/6. Out of order: never above 0. */
static void test_seeds_are_pooled(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const sets[][3] = {{"receiver.mode=in-order", "run.seed=1", NULL},
                                        {"receiver.mode=in-order", "run.seed=2", NULL},
                                        {"receiver.mode=out-of-order", "run.seed=1", NULL},
                                        {"receiver.mode=out-of-order", "run.seed=2", NULL}};
  distribution *held[G_N_ELEMENTS(sets)];
  for (gsize i = 0; i < G_N_ELEMENTS(sets); i++) {
    held[i] = &add_run(f, sets[i])->distributions[DISTRIBUTION_REASSEMBLY_OCTETS];
  }
  add_bin(held[0], 0, 4);
  add_bin(held[0], 5887, 2);
  add_bin(held[1], 1471, 6);
  add_bin(held[2], 0, 1);
  add_bin(held[3], 0, 1);
  draw_well(f, FALSE);
  g_autofree char *data = file_text(f, "plot.dat");
  assert_has(
      data,
      "# in-order receiver\n# x (octets), share above x\n0 0.6666666667\n0 0.6666666667\n1471 0.6666666667\n"
      "1471 0.1666666667\n5887 0.1666666667\n5887 0\n");
  assert_has(data, "# out-of-order receiver\n# x (octets), share above x\n0 0\n");
  assert_has(data, "each line 2 runs together");
  g_autofree char *script = file_text(f, "plot.gnuplot");
  assert_has(script, "title 'in-order receiver'");
  assert_has(script, "title 'out-of-order receiver (0 throughout)'");
  assert_has(script, "unset logscale y\n");
  g_assert_cmpuint(f->written->len, ==, 3);
}

/* Both delays of a point are lines of one colour and two dashes; Placement of the second has no samples and no line. */
static void test_delays(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const first[] = {"path.forward.mtu=1500", NULL}, *const second[] = {
                                                                          "path.forward.mtu=9000", NULL};
  study_run *a = add_run(f, first), *b = add_run(f, second);
  add_bin(&a->distributions[DISTRIBUTION_PLACEMENT_DELAY_S], 0, 75);
  add_bin(&a->distributions[DISTRIBUTION_PLACEMENT_DELAY_S], 1e-6, 25);
  add_bin(&a->distributions[DISTRIBUTION_DELIVERY_DELAY_S], 5e-6, 100);
  add_bin(&b->distributions[DISTRIBUTION_DELIVERY_DELAY_S], 9e-6, 100);
  draw_well(f, TRUE);
  g_autofree char *script = file_text(f, "plot.gnuplot");
  assert_has(script, "linestyle 1 dashtype 1 title 'Placement: MTU 1500 octets'");
  assert_has(script, "linestyle 1 dashtype (10,5) title 'Delivery: MTU 1500 octets'");
  assert_has(script, "linestyle 2 dashtype (10,5) title 'Delivery: MTU 9000 octets'");
  g_assert_null(strstr(script, "Placement: MTU 9000"));
  assert_has(script, "delay x (µs)");
  g_autofree char *data = file_text(f, "plot.dat");
  assert_has(data, "# x (s), share above x\n0 0.25\n0 0.25\n1e-06 0.25\n1e-06 0\n");
  assert_has(data, "# x (s), share above x\n0 1\n5e-06 1\n5e-06 0\n");
}

/* Delays from 1 us to 5 ms are on a logarithmic axis, whose tics have their units. */
static void test_delays_far_apart(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const sets[] = {NULL};
  study_run *run = add_run(f, sets);
  add_bin(&run->distributions[DISTRIBUTION_PLACEMENT_DELAY_S], 1.5e-6, 1);
  add_bin(&run->distributions[DISTRIBUTION_DELIVERY_DELAY_S], 5e-3, 1);
  draw_well(f, TRUE);
  g_autofree char *script = file_text(f, "plot.gnuplot");
  assert_has(script, "set logscale x 10\n");
  assert_has(script, "'1 µs' 1e-06, '10 µs' 1e-05, '100 µs' 0.0001, '1 ms' 0.001)");
  g_autofree char *data = file_text(f, "plot.dat");
  assert_has(data, "share above x\n1e-06 1\n1.5e-06 1\n1.5e-06 0\n");
}

static void test_fits(fixture *f, gconstpointer unused)
{
  (void)unused;
  static const char *const sets[] = {NULL};
  study_run *run = add_run(f, sets);
  const gnuplot_target target = target_of(f, GNUPLOT_PNG);
  g_assert_false(study_plot_fits(&f->table, STUDY_PLOT_DISTRIBUTION, NULL));
  g_assert_false(study_plot_fits(&f->table, STUDY_PLOT_DELAYS, NULL));
  for (gboolean delays = FALSE; delays <= TRUE; delays++) {
    g_autoptr(GError) error = NULL;
    g_assert_false((delays ? &plot_delays : &plot_distribution)->draw(&f->table, 0, "plot", &target, &error));
    g_assert_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT);
  }
  add_bin(&run->distributions[DISTRIBUTION_DELIVERY_DELAY_S], 1, 1);
  g_assert_false(study_plot_fits(&f->table, STUDY_PLOT_DISTRIBUTION, NULL));
  g_assert_true(study_plot_fits(&f->table, STUDY_PLOT_DELAYS, NULL));
  add_bin(&run->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 0, 1);
  g_assert_true(study_plot_fits(&f->table, STUDY_PLOT_DISTRIBUTION, NULL));
}

/* Nobody held anything: there is nothing to see, and it says so. */
static void test_nothing_held(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const sets[] = {NULL};
  add_bin(&add_run(f, sets)->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 0, 1);
  draw_well(f, FALSE);
  g_autofree char *script = file_text(f, "plot.gnuplot");
  assert_has(script, "'no octet was held for reassembly'");
}

/* Of 12 points, 3 MTUs by 4 losses, at most 8 are drawn: loss, which has most values and comes last, keeps the first and the last. */
static void test_many_points(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const mtus[] = {"576", "1500", "9000"}, *const losses[] = {"0%", "0.1%", "0.3%", "1%"};
  for (gsize i = 0; i < 12; i++) {
    g_autofree char *mtu = g_strdup_printf("path.forward.mtu=%s", mtus[i / 4]);
    g_autofree char *loss = g_strdup_printf("path.forward.loss=%s", losses[i % 4]);
    const char *const sets[] = {mtu, loss, NULL};
    add_bin(&add_run(f, sets)->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1000 + (double)i, 1);
  }
  draw_well(f, FALSE);
  g_autofree char *data = file_text(f, "plot.dat");
  assert_has(data, "6 of 12 points");
  assert_has(data, "# MTU 9000 octets, loss 1%\n");
  assert_has(data, "# MTU 1500 octets, loss 0\n");
  g_assert_null(strstr(data, "loss 0.1%"));
  g_assert_null(strstr(data, "loss 0.3%"));
}

/* What a user writes into a title is text, in the script as in the data. */
static void test_hostile_title(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  static const char *const sets[] = {NULL};
  f->table.title = (char *)"'; system('touch owned') #\nset output 'owned'";
  add_bin(&add_run(f, sets)->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 3, 1);
  draw_well(f, FALSE);
  g_autofree char *owned = g_build_filename(f->folder, "owned", NULL);
  g_assert_false(g_file_test(owned, G_FILE_TEST_EXISTS));
}

/* In letters, on standard output: title, axes with their labels, curves that differ in their letters, and no file is left. */
static void test_letters(fixture *f, gconstpointer unused)
{
  (void)unused;
  if (!can_draw()) {
    return;
  }
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stdout(
        "*a study*time with occupancy above x*100 %*####*0 %*reassembly occupancy x (octets)*"
        "# MTU 9000 octets*");
    return;
  }
  static const char *const first[] = {"path.forward.mtu=1500", NULL}, *const second[] = {
                                                                          "path.forward.mtu=9000", NULL};
  add_bin(&add_run(f, first)->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1000, 1);
  add_bin(&add_run(f, second)->distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 5000, 1);
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = target_of(f, GNUPLOT_TERM);
  plot_distribution.draw(&f->table, 0, "plot", &target, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(f->written->len, ==, 0);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*function)(fixture *, gconstpointer);
  } tests[] = {
      {"/plot_distribution/run", test_run},
      {"/plot_distribution/run_without_samples", test_run_without_samples},
      {"/plot_distribution/no_folder", test_no_folder},
      {"/plot_distribution/seeds_are_pooled", test_seeds_are_pooled},
      {"/plot_distribution/delays", test_delays},
      {"/plot_distribution/delays_far_apart", test_delays_far_apart},
      {"/plot_distribution/fits", test_fits},
      {"/plot_distribution/nothing_held", test_nothing_held},
      {"/plot_distribution/many_points", test_many_points},
      {"/plot_distribution/hostile_title", test_hostile_title},
      {"/plot_distribution/letters", test_letters},
  };
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_test_add(tests[i].path, fixture, NULL, set_up, tests[i].function, tear_down);
  }
  return g_test_run();
}
