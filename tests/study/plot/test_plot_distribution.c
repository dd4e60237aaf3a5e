/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the plots of distributions: shares above x of one run and of the points of a
 * study. */
#include "base/error.h"
#include "study/plot/study_plot.h"

#include <string.h>

#include "plot_fixture.h"
#include "study_fixture.h"
#include "summary/summary.h"

static void write_summary(const plot_fixture *f, const run_results *results)
{
  g_autoptr(scenario) s =
      fixture_scenario(f->folder, "one.cfg", "title = \"one run\"; run: { seed = 9; };", NULL);
  const summary page = {.version = "0.1.0", .engine = "native", .results = results};
  g_autofree char *path = g_build_filename(f->folder, "summary.json", NULL);
  g_assert_true(summary_write_json(&page, s, path, NULL));
}

static const char axes[] = "receiver.mode\npath.forward.mtu\npath.forward.loss\nrun.seed\n";
#define FIXTURE_TEST(name) TEST_WITH(plot_fixture, axes, plot_fixture_set_up, plot_fixture_tear_down, name)
#define DRAWN_FIXTURE_TEST(name) DRAWN(FIXTURE_TEST, plot_fixture, name)

/* 90 ms at 0, 9 ms in the bin up to 1471, 1 ms in that up to 2943: 10 % of the time above 0, 1 % above 1471,
 * never above 2943. Each bound has the share before and after it. */
DRAWN_FIXTURE_TEST(test_run)
{
  run_results results = {.block_octets = 0};
  g_assert_true(distribution_append(&results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 0, 0.09));
  g_assert_true(distribution_append(&results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1471, 0.009));
  g_assert_true(distribution_append(&results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 2943, 0.001));
  write_summary(f, &results);
  run_results_clear(&results);
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  g_assert_true(NO_ERROR(plot_distribution_of_run, f->folder, FALSE, &(const plot_request){0}, &target));
  g_assert_cmpuint(f->written->len, ==, 3);
  EXPECT_FILE(f, "distribution.dat",
              "# Share of time with occupancy above x\n# one run · scenario one · seed 9 · receiver "
              "out-of-order · iwarpsim 0.1.0\n# time "
              "with occupancy above x, unit octets\n",
              "\n0 0.1\n1471 0.1\n1471 0.01\n2943 0.01\n2943 0\n");
  EXPECT_FILE(f, "distribution.gnuplot", "y_log = 10\n"); /* a tail of 1 % does not show on a linear axis */
  EXPECT_FILE(f, "distribution.svg", "<text>reassembly occupancy x (KiB)</text>", "<text>1</text>", "</svg>");
}

/* A run that Delivered nothing, or a folder of an older program. */
FIXTURE_TEST(test_run_without_samples)
{
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_PNG);
  write_summary(f, &(const run_results){.block_octets = 0});
  for (gboolean delays = FALSE; delays <= TRUE; delays++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(plot_distribution_of_run(f->folder, delays, &(const plot_request){0}, &target, &error));
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
    EXPECT_PARTS(error->message, delays ? "delay.placement_s" : "buffer.reassembly_octets");
  }
  g_assert_cmpuint(f->written->len, ==, 0);
}

FIXTURE_TEST(test_no_folder)
{
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_PNG);
  g_autofree char *missing = g_build_filename(f->folder, "missing", NULL);
  g_assert_false(plot_distribution_of_run(missing, FALSE, &(const plot_request){0}, &target, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

/* These are two seeds of each of two points. In order: 6 s up to 1471 and 2 s up to 5887, together with 4 s
 * at 0: 12 s, of which 8 above 0 and 2 above 1471, so 2/3 and 1/6. Out of order: never above 0. */
DRAWN_FIXTURE_TEST(test_seeds_are_pooled)
{
  static const struct {
    const char *keys;
    double bins[2][2]; /* bound, weight */
  } runs[] = {{"receiver.mode=in-order run.seed=1", {{0, 4}, {5887, 2}}},
              {"receiver.mode=in-order run.seed=2", {{1471, 6}}},
              {"receiver.mode=out-of-order run.seed=1", {{0, 1}}},
              {"receiver.mode=out-of-order run.seed=2", {{0, 1}}}};
  for (gsize i = 0; i < G_N_ELEMENTS(runs); i++) {
    study_run *run = plot_fixture_add(f, runs[i].keys);
    for (gsize bin = 0; bin < 2 && runs[i].bins[bin][1] > 0; bin++) {
      plot_fixture_sample(run, DISTRIBUTION_REASSEMBLY_OCTETS, runs[i].bins[bin][0], runs[i].bins[bin][1]);
    }
  }
  plot_fixture_draw(f, &plot_distribution, 0, GNUPLOT_PNG);
  EXPECT_FILE(f, "plot.dat",
              "# in-order receiver\n# x (octets), share above x\n0 0.6666666667\n0 0.6666666667\n"
              "1471 0.6666666667\n1471 0.1666666667\n5887 0.1666666667\n5887 0\n",
              "# out-of-order receiver\n# x (octets), share above x\n0 0\n", "4 runs, each line 2 together");
  EXPECT_FILE(f, "plot.gnuplot",
              "legend_text[2] = ['in-order receiver', 'out-of-order receiver (0 throughout)']",
              "y_log = 0\n");
  g_assert_cmpuint(f->written->len, ==, 3);
}

/* Both delays of a point are lines of one colour and two dashes; Placement of the second has no samples and
 * no line. */
DRAWN_FIXTURE_TEST(test_delays)
{
  study_run *a = plot_fixture_add(f, "path.forward.mtu=1500");
  study_run *b = plot_fixture_add(f, "path.forward.mtu=9000");
  plot_fixture_sample(a, DISTRIBUTION_PLACEMENT_DELAY_S, 0, 75);
  plot_fixture_sample(a, DISTRIBUTION_PLACEMENT_DELAY_S, 1e-6, 25);
  plot_fixture_sample(a, DISTRIBUTION_DELIVERY_DELAY_S, 5e-6, 100);
  plot_fixture_sample(b, DISTRIBUTION_DELIVERY_DELAY_S, 9e-6, 100);
  plot_fixture_draw(f, &plot_delays, 0, GNUPLOT_PNG);
  EXPECT_FILE(f, "plot.gnuplot",
              "legend_text[4] = ['MTU 1500 octets', 'MTU 9000 octets', 'placement', 'delivery']",
              "curve[3] = ['1 first 1', '1 second 1', '1 second 2']", "delay x (µs)");
  EXPECT_COUNTS(f, "plot.dat", {"placement: MTU 9000", 0});
  EXPECT_FILE(f, "plot.dat",
              "# placement: MTU 1500 octets\n# x (s), share above x\n0 0.25\n0 0.25\n1e-06 0.25\n1e-06 0\n",
              "# x (s), share above x\n0 1\n5e-06 1\n5e-06 0\n");
}

/* Delays from 1 us to 5 ms are on a logarithmic axis, whose tics have their units. */
DRAWN_FIXTURE_TEST(test_delays_far_apart)
{
  study_run *run = plot_fixture_add(f, "");
  plot_fixture_sample(run, DISTRIBUTION_PLACEMENT_DELAY_S, 1.5e-6, 1);
  plot_fixture_sample(run, DISTRIBUTION_DELIVERY_DELAY_S, 5e-3, 1);
  plot_fixture_draw(f, &plot_delays, 0, GNUPLOT_PNG);
  EXPECT_FILE(f, "plot.gnuplot", "x_log = 10\n", "x_format = '%.0s %cs'\n");
  EXPECT_FILE(f, "plot.dat", "share above x\n7.5e-07 1\n1.5e-06 1\n1.5e-06 0\n");
}

FIXTURE_TEST(test_fits)
{
  study_run *run = plot_fixture_add(f, "");
  plot_fixture_refuse(f, &plot_distribution, 0,
                      "nothing to draw: no run has samples of buffer.reassembly_octets;");
  plot_fixture_refuse(f, &plot_delays, 0,
                      "nothing to draw: no run has samples of delay.placement_s or delay.delivery_s;");
  g_assert_false(study_plot_fits(&f->table, &plot_distribution, NULL));
  g_assert_false(study_plot_fits(&f->table, &plot_delays, NULL));
  plot_fixture_sample(run, DISTRIBUTION_DELIVERY_DELAY_S, 1, 1);
  g_assert_false(study_plot_fits(&f->table, &plot_distribution, NULL));
  g_assert_true(study_plot_fits(&f->table, &plot_delays, NULL));
  plot_fixture_sample(run, DISTRIBUTION_REASSEMBLY_OCTETS, 0, 1);
  g_assert_true(study_plot_fits(&f->table, &plot_distribution, NULL));
}

/* Nobody held anything: there is nothing to see, and it states so. */
DRAWN_FIXTURE_TEST(test_nothing_held)
{
  plot_fixture_sample(plot_fixture_add(f, ""), DISTRIBUTION_REASSEMBLY_OCTETS, 0, 1);
  plot_fixture_draw(f, &plot_distribution, 0, GNUPLOT_PNG);
  EXPECT_FILE(f, "plot.gnuplot", "'no octet was held for reassembly'");
}

/* Of 12 points, 3 MTUs by 4 losses, at most 8 are drawn: those of the highest loss, which has most values. */
DRAWN_FIXTURE_TEST(test_many_points)
{
  static const char *const mtus[] = {"576", "1500", "9000"}, *const losses[] = {"0%", "0.1%", "0.3%", "1%"};
  for (gsize i = 0; i < 12; i++) {
    g_autofree char *keys =
        g_strdup_printf("path.forward.mtu=%s path.forward.loss=%s", mtus[i / 4], losses[i % 4]);
    plot_fixture_sample(plot_fixture_add(f, keys), DISTRIBUTION_REASSEMBLY_OCTETS, 1000 + (double)i, 1);
  }
  plot_fixture_draw(f, &plot_distribution, 0, GNUPLOT_PNG);
  g_autofree char *data = plot_fixture_text(f, "plot.dat");
  EXPECT_PARTS(data, "loss 1% · 3 of 12 points", "# MTU 9000 octets\n", "# MTU 576 octets\n");
}

/* It is drawn in letters, on standard output: title, axes with their labels, curves that differ in their
 * letters, and no file is left. */
DRAWN_FIXTURE_TEST(test_letters)
{
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stdout(
        "*Share of time with occupancy above x*a study*100 *####*0 *reassembly occupancy x (KiB)*"
        "# MTU 9000 octets*");
    return;
  }
  plot_fixture_sample(plot_fixture_add(f, "path.forward.mtu=1500"), DISTRIBUTION_REASSEMBLY_OCTETS, 1000, 1);
  plot_fixture_sample(plot_fixture_add(f, "path.forward.mtu=9000"), DISTRIBUTION_REASSEMBLY_OCTETS, 5000, 1);
  plot_fixture_draw(f, &plot_distribution, 0, GNUPLOT_TERM);
  g_assert_cmpuint(f->written->len, ==, 0);
}
