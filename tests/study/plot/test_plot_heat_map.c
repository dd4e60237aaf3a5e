/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the heat map: its axes, cells, texts and colours. */
#include "study/plot/study_plot.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"

static const char mtu_loss[] = "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
                               "{ key = \"path.forward.mtu\"; values = [1500, 576]; },"
                               "{ key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
                               "{ key = \"run.seed\"; from = 1; to = 2; }";

static void draw(plot_fixture *f, const char *axes, double first, double step, gnuplot_format format)
{
  plot_fixture_sweep(f, axes);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, first, step);
  plot_fixture_draw(f, &plot_heat_map, 0, format);
}

/* Loss and MTU where they vary, in whatever order; the receiver only if there is nothing else. */
DRAWN_TEST(test_keys)
{
  draw(f, mtu_loss, 1024, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.dat", "over loss of segments and MTU\n", "place_on_x: path.forward.loss\n");
  draw(f,
       "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
       "{ key = \"workload.connections\"; values = [1, 2]; },"
       "{ key = \"path.forward.mtu\"; values = [1500, 576]; }",
       1024, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.dat", "over MTU and connections\n", "place_on_x: path.forward.mtu\n");
}

/* Runs 0, 1: in order, MTU 1500 (the upper row, 1), loss 0: 1024 and 3072: mean 2 KiB; t(0.975, 1) = 12.7062,
 * s = 1448.15, half 12.7062 · 1448.15 / √2 = 13011 = 12.7 KiB, but nothing is below 0. The last, 14 and 15 of
 * 2048 each: 29696 and 31744, mean 30 KiB. */
DRAWN_TEST(test_cells)
{
  plot_fixture_sweep(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1024, 2048);
  plot_fixture_flag(f, 0, STUDY_FLAG_SPURIOUS);
  plot_fixture_draw(f, &plot_heat_map, 0, GNUPLOT_PNG);
  (void)plot_fixture_png_height(f, "plot.png", 2102);
  EXPECT_FILE(f, "plot.dat", "asterisk: 1 with spurious retransmissions");
  EXPECT_ROWS(f, {"in-order receiver: peak: MTU 1500 octets", 0, "0 2 2048 0 15059.1536 1 0"},
              {"out-of-order receiver: peak: MTU 576 octets", 1, "1 2 30720"}); /* loss 1 % */
  EXPECT_FILE(f, "plot.gnuplot", "curve[4] = ['1 row 1', '1 row 2', '2 row 1', '2 row 2']");
  plot_fixture_draw(f, &plot_heat_map, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.svg", "<text>2 KiB*</text>", "<text>0–15 KiB</text>", "<text>30 KiB</text>",
              "<text>± 13 KiB</text>");
}

/* Cells of few octets are dark with white text, those of many light with black text; the palette gets lighter
 * at each step. */
static double lightness(const char *hex)
{
  double channel[3];
  for (int i = 0; i < 3; i++) {
    g_autofree char *digits = g_strndup(hex + 2 * i, 2);
    channel[i] = pow((double)g_ascii_strtoull(digits, NULL, 16) / 255, 2.2);
  }
  return 0.2126 * channel[0] + 0.7152 * channel[1] + 0.0722 * channel[2];
}

DRAWN_TEST(test_palette)
{
  draw(f, mtu_loss, 0, 4096, GNUPLOT_SVG);
  g_autofree char *script = plot_fixture_text(f, "plot.gnuplot");
  const char *palette = strstr(script, "\nset palette defined (");
  g_assert_nonnull(palette);
  const char *end = strchr(palette + 1, '\n');
  double last = -1;
  guint steps = 0;
  for (const char *at = strchr(palette, '#'); at != NULL && at < end; at = strchr(at + 1, '#'), steps++) {
    g_assert_cmpfloat(lightness(at + 1), >, last);
    last = lightness(at + 1);
  }
  g_assert_cmpuint(steps, ==, 9);
  EXPECT_FILE(f, "plot.svg", "<text>peak (KiB)</text>", "<text>in-order receiver</text>");
}

/* Thirteen panels are more than can be read. */
PLOT_TEST(test_too_many_panels)
{
  plot_fixture_sweep(f, "{ key = \"path.forward.mtu\"; values = [1500, 576]; },"
                        "{ key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
                        "{ key = \"workload.connections\"; from = 1; to = 13; }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1, 1);
  plot_fixture_refuse(f, &plot_heat_map, 0,
                      "13 panels: at most 12 can be read; choose among them with --where");
}

/* Twenty cells side by side have no room for texts of nine letters on the width of a paper; four have. */
DRAWN_TEST(test_narrow_cells)
{
  draw(f,
       "{ key = \"workload.connections\"; from = 1; to = 4; }, { key = \"workload.messages\"; values = [1, "
       "2]; }",
       1000, 1, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.svg", "<text>1000</text>");
  draw(f,
       "{ key = \"workload.connections\"; from = 1; to = 20; }, { key = \"workload.messages\"; values = [1, "
       "2]; }",
       1000, 1, GNUPLOT_SVG);
  EXPECT_COUNTS(f, "plot.svg", {"<text>1000</text>", 0});
}

/* The cell of runs without a value has a cross, and the subtitle what it means. */
DRAWN_TEST(test_no_value)
{
  plot_fixture_sweep(f, "{ key = \"path.forward.mtu\"; values = [1500, 576]; },"
                        "{ key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; }");
  for (guint i = 1; i < 4; i++) {
    plot_fixture_set(f, i, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 4096 * i);
  }
  plot_fixture_draw(f, &plot_heat_map, 0, GNUPLOT_SVG);
  EXPECT_FILE(f, "plot.dat", " · ×: no value", "\n0 0 nan nan nan 0 0\n");
  EXPECT_COUNTS(f, "plot.svg", {"<text>×</text>", 1});
}

/* Nothing held anywhere draws too. */
DRAWN_TEST(test_all_zero)
{
  draw(f, mtu_loss, 0, 0, GNUPLOT_SVG);
}
