/* SPDX-License-Identifier: GPL-2.0-only */
/* Occupancy against connections, with the formulas. */
#include "study/plot/study_plot.h"

#include <string.h>

#include "plot_fixture.h"

static void fill(plot_fixture *f)
{
  plot_fixture_fill(f, "title = \"a\"; sweep = ("
                       " { key = \"sender.segmentation\"; values = [\"stream\", \"aligned\"]; },"
                       " { key = \"workload.connections\"; values = [1, 10, 100]; } );");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 3000);
  plot_fixture_set_all(f, METRIC_THEORY_BUFFER_TCP_OCTETS, 62500, 0);
  plot_fixture_set_all(f, METRIC_THEORY_BUFFER_AF_OCTETS, 1460, 0);
  static const double naf[] = {2920, 16060, 147460}; /* 1460 · (n + 1) */
  for (guint i = 0; i < 6; i++) {
    plot_fixture_set(f, i, METRIC_THEORY_BUFFER_NAF_OCTETS, naf[i % 3]);
  }
}

/* Both lines agree in the formulas, which are drawn once each. Both axes are logarithmic: 10 connections are
 * at place 1. */
DRAWN_TEST(test_formulas)
{
  fill(f);
  plot_fixture_draw(f, &plot_connections, 0, "n", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "n.dat");
  plot_fixture_expect_row(data, "BufferSizeNAF = K1·EMSS·n + K2·EMSS", 1, "1 * 16060");
  plot_fixture_expect_row(data, "BufferSizeTCP = K·rate·delay", 2, "* * 62500");
  plot_fixture_expect_row(data, "BufferSizeAF = K2·EMSS", 0, "* * 1460");
  g_assert_cmpuint(plot_fixture_count(data, "# BufferSize"), ==, 3);
  g_autofree char *script = plot_fixture_text(f, "n.gnuplot");
  EXPECT_PARTS(script, "y_log = 1\n", "'BufferSizeNAF = K1·EMSS·n + K2·EMSS'");
  g_assert_null(strstr(script, "processing")); /* none was */
  EXPECT_FILE(f, "n.svg", "<text>BufferSizeNAF = K1·EMSS·n + K2·EMSS</text>");
}

/* Lines that differ in a formula have one each, told by the line's label. */
DRAWN_TEST(test_formulas_differ)
{
  fill(f);
  for (guint i = 3; i < 6; i++) {
    plot_fixture_set(f, i, METRIC_THEORY_BUFFER_AF_OCTETS, 536);
  }
  plot_fixture_draw(f, &plot_connections, 0, "n", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "n.dat");
  g_assert_cmpuint(plot_fixture_count(data, "# BufferSizeAF = K2·EMSS ("), ==, 2);
  g_assert_cmpuint(plot_fixture_count(data, "# BufferSizeTCP"), ==, 1);
}

/* Runs of a foreign store may have none of a formula's values: it is not drawn. (Under UBSan: nothing is
 * compared with nothing.) */
DRAWN_TEST(test_no_formulas)
{
  plot_fixture_fill(f, "title = \"a\"; sweep = ("
                       " { key = \"sender.segmentation\"; values = [\"stream\", \"aligned\"]; },"
                       " { key = \"workload.connections\"; values = [1, 10]; } );");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 3000);
  plot_fixture_draw(f, &plot_connections, 0, "n", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "n.dat");
  g_assert_cmpuint(plot_fixture_count(data, "# BufferSize"), ==, 0);
}

/* What waits out the placement latency is drawn beside. */
DRAWN_TEST(test_processing)
{
  fill(f);
  plot_fixture_set_all(f, METRIC_BUFFER_PEAK_OCTETS_PROCESSING, 100, 10);
  plot_fixture_draw(f, &plot_connections, 0, "n", GNUPLOT_SVG);
  g_autofree char *data = plot_fixture_text(f, "n.dat");
  plot_fixture_expect_row(data, "processing: stream segmentation", 2, "* * 120");
}
