/* SPDX-License-Identifier: GPL-2.0-only */
/* Plots of messages: how many are complete within a time, and their slowdown by size. */
#include "base/error.h"
#include "study/plot/study_plot.h"

#include <string.h>

#include "plot_fixture.h"
#include "study_fixture.h"

#define HEADS "class,size_class,count,incomplete,slowdown_p50,slowdown_p99\n"

static void set_table(study_run *run, const char *rows)
{
  g_autofree char *text = g_strconcat("\n\n" HEADS, rows, NULL);
  run_results_set_tables(&run->results, text, "");
}

static study_run *add_run(plot_fixture *f, const char *keys, const char *rows)
{
  study_run *run = plot_fixture_add(f, keys);
  set_table(run, rows);
  return run;
}

/* --- Completion --- */

/* In order, 3 messages of one seed and 4 of the other take 10 us, and 1 takes 100 us: of 8 together 7 are
 * complete within 10 us, and all within 100 us. Below half of the shortest time there is nothing to see. */
static void add_times(plot_fixture *f)
{
  study_run *first = plot_fixture_add(f, "receiver.mode=in-order run.seed=1");
  study_run *second = plot_fixture_add(f, "run.seed=2");
  study_run *other = plot_fixture_add(f, "receiver.mode=out-of-order run.seed=1");
  plot_fixture_sample(first, DISTRIBUTION_MESSAGE_COMPLETION_S, 1e-5, 3);
  plot_fixture_sample(first, DISTRIBUTION_MESSAGE_COMPLETION_S, 1e-4, 1);
  plot_fixture_sample(second, DISTRIBUTION_MESSAGE_COMPLETION_S, 1e-5, 4);
  plot_fixture_sample(other, DISTRIBUTION_MESSAGE_COMPLETION_S, 2e-5, 1);
}

DRAWN_TEST(test_completion)
{
  add_times(f);
  plot_fixture_draw(f, &plot_completion, 0, GNUPLOT_SVG);
  EXPECT_FILE(
      f, "plot.dat", "# Share of messages complete within x\n",
      "# in-order receiver\n# x (s), share up to x\n5e-06 0\n1e-05 0\n1e-05 0.875\n0.0001 0.875\n0.0001 1\n",
      "# out-of-order receiver\n# x (s), share up to x\n5e-06 0\n2e-05 0\n2e-05 1\n");
  EXPECT_FILE(f, "plot.gnuplot", "x_log = 10\n", "y_log = 0\n",
              "legend_text[2] = ['in-order receiver: 8 messages', 'out-of-order receiver: 1 message']");
}

/* On a logarithmic axis the few that take long are seen: those that take longer. */
DRAWN_TEST(test_completion_tail)
{
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  add_times(f);
  g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_completion, &(const plot_request){.y_log = TRUE},
                         "plot", &target));
  EXPECT_FILE(f, "plot-completion.dat", "# Share of messages that take longer than x\n",
              "1e-05 1\n1e-05 0.125\n0.0001 0.125\n0.0001 0\n");
  EXPECT_FILE(f, "plot-completion.gnuplot", "y_log = 10\n");
}

#define TIMES "\ntraffic_class,completion_s,messages\nback,1e-05,3\nback,1e-04,1\nincast,0.001,2\n"

/* Of one point each traffic class is a line; of several each is a panel, with a line a point. */
DRAWN_TEST(test_completion_of_classes)
{
  add_run(f, "receiver.mode=in-order run.seed=1", TIMES);
  add_run(f, "run.seed=2", TIMES);
  plot_fixture_draw(f, &plot_completion, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.gnuplot", "legend_text[2] = ['back: 8 messages', 'incast: 4 messages']");
  EXPECT_FILE(f, "plot.dat",
              "# back\n# x (s), share up to x\n5e-06 0\n1e-05 0\n1e-05 0.75\n0.0001 0.75\n0.0001 1\n",
              "# incast\n# x (s), share up to x\n5e-06 0\n0.001 0\n0.001 1\n");
  add_run(f, "receiver.mode=out-of-order run.seed=1", TIMES);
  plot_fixture_draw(f, &plot_completion, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.gnuplot", "panel_title[2] = ['back: 12 messages', 'incast: 6 messages']",
              "legend_text[2] = ['in-order receiver', 'out-of-order receiver']",
              "curve[4] = ['1 only 1', '2 only 1', '1 only 2', '2 only 2']");
}

/* --- Slowdown --- */

/* Two seeds: medians 2 and 4, the mean 3 with ± 12.7062 · √2/√2 = 12.7062, cut off at 0 (statistics.h). Of
 * the 60 messages of the other size there is no p99. Sizes stand in their order, also those that the first
 * run lacks. */
DRAWN_TEST(test_slowdown)
{
  add_run(f, "run.seed=1",
          "workload,upto_4KiB,500,0,2,5\nworkload,above_8MiB,60,3,7,\nworkload,all,560,3,3,6\nall,upto_4KiB,"
          "500,0,2,5\n"
          "all,above_8MiB,60,3,7,\nall,all,560,3,3,6\n");
  add_run(
      f, "run.seed=2",
      "workload,upto_4KiB,500,0,4,5\nall,upto_4KiB,500,0,4,5\nall,upto_1MiB,100,0,3,9\nall,all,600,0,4,5\n");
  plot_fixture_draw(f, &plot_slowdown, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"median", 0, "1 2 3 0 15.7062047"}, {"median", 1, "2 1 3"}, {"median", 2, "3 1 7"},
              {"p99", 0, "1 2 5 5 5"}, {"p99", 1, "2 1 9"});
  EXPECT_COUNTS(f, "plot.dat", {"above_8MiB", 1});
  EXPECT_FILE(f, "plot.gnuplot", "'Slowdown of messages over their size'", "'slowdown (times the ideal)'",
              "x_label[3] = ['≤ 4 KiB', '≤ 1 MiB', '> 8 MiB']", "legend_text[2] = ['p99', 'median']",
              "no p99 of fewer than 100 messages");
  EXPECT_FILE(f, "plot.dat", "seeds 1–2", "iwarpsim 0.1.0");
}

/* Where messages come by chance at a load of 20 % and of 75 %, a dashed line in each colour is 1/(1 −
 * load): 1.25 and 4. Of few messages there is no line of p99 at all: the others keep their looks. At
 * intervals there is no such line. */
DRAWN_TEST(test_processor_sharing)
{
  static const char few[] = "all,upto_4KiB,5,0,2,\nall,all,5,0,2,\n";
  add_run(f, "workload.arrivals=poisson workload.until=1ms workload.load=20%", few);
  add_run(f, "workload.load=75%", few);
  plot_fixture_draw(f, &plot_slowdown, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"processor sharing: 1/(1 − load)", 0, "0.5 0 1.25"},
              {"processor sharing: 1/(1 − load)", 1, "1.5 0 1.25"},
              {"processor sharing: 1/(1 − load)", 2, "0.5 0 4"});
  EXPECT_FILE(
      f, "plot.gnuplot", "curve[4] = ['1 second 1', '1 second 2', '1 own 1', '1 own 2']",
      "legend_text[5] = ['load 20%', 'load 75%', 'p99', 'median', 'processor sharing: 1/(1 − load)']");
  for (guint i = 0; i < f->table.runs->len; i++) {
    ((study_run *)g_ptr_array_index(f->table.runs, i))->keys[SCENARIO_WORKLOAD_ARRIVALS] = (char *)"interval";
  }
  g_autofree char *data = plot_fixture_drawn(f, &plot_slowdown, 0);
  EXPECT_NO_PARTS(data, "processor sharing");
}

#define CLASSES                                                                                              \
  "back,upto_4KiB,100,0,2,5\nback,all,100,0,2,5\nincast,upto_4KiB,100,0,3,9\nincast,all,100,0,3,9\nall,all," \
  "200,0,2,9\n"

/* Traffic classes are lines of one point, and panels of several. */
DRAWN_TEST(test_slowdown_of_classes)
{
  add_run(f, "receiver.mode=in-order", CLASSES);
  plot_fixture_draw(f, &plot_slowdown, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"median: back", 0, "1 1 2"}, {"p99: incast", 0, "1 1 9"});
  EXPECT_FILE(f, "plot.gnuplot", "legend_text[4] = ['back', 'incast', 'p99', 'median']", "panels = 1\n");
  add_run(f, "receiver.mode=out-of-order", CLASSES);
  plot_fixture_draw(f, &plot_slowdown, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.gnuplot", "panel_title[2] = ['back', 'incast']",
              "legend_text[4] = ['in-order receiver', 'out-of-order receiver', 'p99', 'median']");
}

/* --- Refusals, and one run --- */

/* A store of a version that did not time messages, a damaged table, messages that have no ideal. */
PLOT_TEST(test_no_messages)
{
  static const char *const rows[] = {"", "all,all\n", "all,all,5,0,,\n", "all,all,5,0,nan,nan\n"};
  g_autoptr(GError) none = NULL, without = NULL;
  plot_fixture_add(f, "run.seed=1");
  g_assert_false(study_plot_fits(&f->table, &plot_slowdown, &none));
  EXPECT_PARTS(none->message, "plot slowdown needs runs that have measured the slowdown of messages");
  g_assert_false(study_plot_fits(&f->table, &plot_completion, &without));
  EXPECT_PARTS(without->message, "plot completion needs runs whose messages were timed");
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    set_table(g_ptr_array_index(f->table.runs, 0), rows[i]);
    g_assert_false(study_plot_fits(&f->table, &plot_slowdown, NULL));
  }
}

/* Of a folder: its summary and message_classes.csv. */
DRAWN_TEST(test_run)
{
  run_results results = {.block_octets = 0};
  const summary page = {.version = "0.1.0", .engine = "native", .results = &results};
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  g_autofree char *path = g_build_filename(f->folder, "summary.json", NULL);
  g_autoptr(scenario) s =
      fixture_scenario(f->folder, "one.cfg", "title = \"one run\"; run: { seed = 9; };", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true(distribution_append(&results.distributions[DISTRIBUTION_MESSAGE_COMPLETION_S], 1e-5, 3));
  g_assert_true(summary_write_json(&page, s, path, NULL));
  run_results_clear(&results);
  g_assert_true(
      NO_ERROR(study_plot_draw_run, f->folder, &plot_completion, &(const plot_request){0}, &target));
  EXPECT_FILE(f, "completion.dat", "# one run · scenario one · seed 9 · iwarpsim 0.1.0 · 1 run\n",
              "\n1e-05 1\n");
  g_assert_false(study_plot_draw_run(f->folder, &plot_slowdown, &(const plot_request){0}, &target, &error));
  EXPECT_PARTS(error->message, "plot slowdown needs runs");
  g_free(fixture_file(f->folder, "message_classes.csv", HEADS CLASSES));
  g_assert_true(NO_ERROR(study_plot_draw_run, f->folder, &plot_slowdown, &(const plot_request){0}, &target));
  EXPECT_FILE(f, "slowdown.gnuplot", "legend_text[4] = ['back', 'incast', 'p99', 'median']");
}
