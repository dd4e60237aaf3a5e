/* SPDX-License-Identifier: GPL-2.0-only */
/* Occupancy against connections, with the formulas. */
#include "study/plot/study_plot.h"

#include "no_error.h"
#include "plot_fixture.h"

static void sweep(plot_fixture *f)
{
  plot_fixture_sweep(f, "{ key = \"sender.segmentation\"; values = [\"stream\", \"aligned\"]; },"
                        "{ key = \"workload.connections\"; values = [1, 10, 100]; }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 3000);
}

static void fill(plot_fixture *f)
{
  static const double naf[] = {2920, 16060, 147460}; /* 1460 · (n + 1) */
  sweep(f);
  plot_fixture_set_all(f, METRIC_THEORY_BUFFER_TCP_OCTETS, 62500, 0);
  plot_fixture_set_all(f, METRIC_THEORY_BUFFER_AF_OCTETS, 1460, 0);
  for (guint i = 0; i < 6; i++) {
    plot_fixture_set(f, i, METRIC_THEORY_BUFFER_NAF_OCTETS, naf[i % 3]);
  }
}

/* Both lines agree in the formulas, which are drawn once each. Both axes are logarithmic. */
DRAWN_TEST(test_formulas)
{
  fill(f);
  plot_fixture_draw(f, &plot_connections, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"BufferSizeNAF = K1·EMSS·n + K2·EMSS", 1, "10 * 16060"},
              {"BufferSizeTCP = K·rate·delay", 2, "* * 62500"}, {"BufferSizeAF = K2·EMSS", 0, "* * 1460"});
  EXPECT_COUNTS(f, "plot.dat", {"# BufferSize", 3});
  EXPECT_FILE(f, "plot.gnuplot", "y_log = 2\n", "'BufferSizeNAF = K1·EMSS·n + K2·EMSS'");
  EXPECT_COUNTS(f, "plot.gnuplot", {"processing", 0}); /* none was */
  EXPECT_FILE(f, "plot.svg", "<text>BufferSizeNAF = K1·EMSS·n + K2·EMSS</text>");
}

/* Lines that differ in a formula have one each, distinguished by the line's label. */
DRAWN_TEST(test_formulas_differ)
{
  fill(f);
  for (guint i = 3; i < 6; i++) {
    plot_fixture_set(f, i, METRIC_THEORY_BUFFER_AF_OCTETS, 536);
  }
  plot_fixture_draw(f, &plot_connections, 0, GNUPLOT_SVG);
  EXPECT_COUNTS(f, "plot.dat", {"# BufferSizeAF = K2·EMSS (", 2}, {"# BufferSizeTCP", 1});
}

/* Runs of a foreign store may have none of a formula's values: it is not drawn. (Under UBSan: nothing is
 * compared with nothing.) */
DRAWN_TEST(test_no_formulas)
{
  sweep(f);
  plot_fixture_draw(f, &plot_connections, 0, GNUPLOT_SVG);
  EXPECT_COUNTS(f, "plot.dat", {"# BufferSize", 0});
}

/* What waits out the placement latency is drawn beside. */
DRAWN_TEST(test_processing)
{
  fill(f);
  plot_fixture_set_all(f, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, 100, 10);
  plot_fixture_draw(f, &plot_connections, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"processing: stream segmentation", 2, "* * 120"});
}

/* Over the memory, where runs that did not end ok have a cross. The formulas are known of those, too: they
 * are one curve, at both sizes. */
DRAWN_TEST(test_failed)
{
  const scenario_key memory = SCENARIO_RECEIVER_MEMORY;
  const plot_request request = {.x = &memory};
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  plot_fixture_sweep(f, "{ key = \"workload.connections\"; values = [1, 10]; },"
                        "{ key = \"receiver.memory\"; values = (100, 1500); }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 50, 0);
  plot_fixture_set_all(f, METRIC_THEORY_BUFFER_TCP_OCTETS, 62500, 0);
  study_run *failed = g_ptr_array_steal_index(f->table.runs, 3);
  failed->status = RUN_FAILED;
  g_ptr_array_add(f->table.all.others, failed);
  g_assert_true(NO_ERROR(plot_connections.draw, &f->table, &plot_connections, &request, "plot", &target));
  EXPECT_ROWS(f, {"BufferSizeTCP = K·rate·delay", 0, "* * 62500"},
              {"BufferSizeTCP = K·rate·delay", 1, "* * 62500"});
  EXPECT_COUNTS(f, "plot.dat", {"# BufferSizeTCP", 1}, {"1500 1 nan nan nan 0 1500\n", 1});
  g_ptr_array_add(f->table.runs, failed); /* to be freed */
}
