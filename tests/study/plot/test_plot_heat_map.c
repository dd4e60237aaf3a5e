/* SPDX-License-Identifier: GPL-2.0-only */
/* The heat map: its axes, cells, texts and colours. */
#include "base/error.h"
#include "study/plot/study_plot.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"

static const char mtu_loss[] =
    "title = \"a\"; sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
    " { key = \"path.forward.mtu\"; values = [1500, 576]; },"
    " { key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
    " { key = \"run.seed\"; from = 1; to = 2; } );";

static void expect_keys(plot_fixture *f, const char *sweep, const char *keys)
{
  plot_fixture_fill(f, sweep);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1024, 0);
  plot_fixture_draw(f, &plot_heat_map, 0, "h", GNUPLOT_SVG);
  EXPECT_FILE(f, "h.dat", keys);
}

/* Loss and MTU where they vary, in whatever order; the receiver only if there is nothing else. */
DRAWN_TEST(test_keys)
{
  expect_keys(f, mtu_loss, " path.forward.loss, path.forward.mtu\n");
  plot_fixture_tear_down(f, NULL);
  plot_fixture_set_up(f, NULL);
  expect_keys(f,
              "title = \"a\"; sweep = ("
              " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
              " { key = \"workload.connections\"; values = [1, 2]; },"
              " { key = \"path.forward.mtu\"; values = [1500, 576]; } );",
              " path.forward.mtu, workload.connections\n");
}

/* Runs 0, 1: in order, MTU 1500 (the upper row, 1), loss 0: 1024 and 3072: mean 2 KiB; t(0.975, 1) = 12.7062,
 * s = 1448.15, half 12.7062 · 1448.15 / √2 = 13011 = 12.7 KiB. The last, 14 and 15 of 2048 each: 29696 and
 * 31744, mean 30 KiB. */
DRAWN_TEST(test_cells)
{
  plot_fixture_fill(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1024, 2048);
  plot_fixture_flag(f, 0, STUDY_FLAG_SPURIOUS);
  plot_fixture_draw(f, &plot_heat_map, 0, "h", GNUPLOT_PNG);
  (void)plot_fixture_png_height(f, "h.png", 2102);
  g_autofree char *data = plot_fixture_text(f, "h.dat");
  EXPECT_PARTS(data, "0 1 2 2048 13011", " \"2 KiB*\" \"± 13 KiB\" 0, 1500\n");
  plot_fixture_expect_row(data, "out-of-order receiver", 1, "1 0 * 30720"); /* loss 1 %, MTU 576 */
  EXPECT_PARTS(data, "asterisk: 1 with spurious retransmissions");
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
  plot_fixture_fill(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 4096);
  plot_fixture_draw(f, &plot_heat_map, 0, "h", GNUPLOT_SVG);
  g_autofree char *script = plot_fixture_text(f, "h.gnuplot");
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
  EXPECT_FILE(f, "h.svg", "<text>peak (octets)</text>", "<text>in-order receiver</text>");
}

/* Thirteen panels are more than can be read. */
PLOT_TEST(test_too_many_panels)
{
  plot_fixture_fill(f, "title = \"a\"; sweep = ( { key = \"path.forward.mtu\"; values = [1500, 576]; },"
                       " { key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
                       " { key = \"workload.connections\"; from = 1; to = 13; } );");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1, 1);
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  g_assert_false(plot_heat_map.draw(&f->table, &plot_heat_map, 0, "h", &target, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_cmpuint(f->written->len, ==, 0);
}

/* Twenty cells side by side have no room for texts of nine letters on the width of a paper; four have. */
DRAWN_TEST(test_narrow_cells)
{
  static const guint columns[] = {4, 20};
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++) {
    plot_fixture_tear_down(f, NULL);
    plot_fixture_set_up(f, NULL);
    g_autofree char *text =
        g_strdup_printf("title = \"a\"; sweep = ( { key = \"workload.connections\"; from = 1; to = %u; },"
                        " { key = \"workload.messages\"; values = [1, 2]; } );",
                        columns[i]);
    plot_fixture_fill(f, text);
    plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 1);
    plot_fixture_draw(f, &plot_heat_map, 0, "h", GNUPLOT_SVG);
    g_autofree char *svg = plot_fixture_text(f, "h.svg");
    g_assert_cmpint(strstr(svg, "<text>1000</text>") != NULL, ==, columns[i] == 4);
  }
}

/* Nothing held anywhere draws too. */
DRAWN_TEST(test_all_zero)
{
  plot_fixture_fill(f, mtu_loss);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 0);
  plot_fixture_draw(f, &plot_heat_map, 0, "h", GNUPLOT_SVG);
}
