/* SPDX-License-Identifier: GPL-2.0-only */
/* The heat map: its axes, cells, texts and colours. */
#include "study/plot/study_plot.h"

#include <math.h>
#include <string.h>

#include "plot_fixture.h"

static const char mtu_loss[] =
    "title = \"a\"; sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
    " { key = \"path.forward.mtu\"; values = [1500, 576]; },"
    " { key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
    " { key = \"run.seed\"; from = 1; to = 2; } );";

static gboolean draw(plot_fixture *kit, gnuplot_format format)
{
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = plot_fixture_target(kit, format);
  gboolean good = plot_heat_map.draw(&kit->table, &plot_heat_map, 0, "h", &target, &error);
  g_assert_true(good || error != NULL);
  return good;
}

static void expect_keys(plot_fixture *kit, const char *sweep, const char *keys)
{
  plot_fixture_fill(kit, sweep);
  plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1024, 0);
  g_assert_true(draw(kit, GNUPLOT_SVG));
  g_autofree char *data = plot_fixture_text(kit, "h.dat");
  plot_fixture_expect(data, keys);
}

/* Loss and MTU where they vary, in whatever order; the receiver only if there is nothing else. */
static void test_keys(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  if (!plot_fixture_can_draw()) {
    return;
  }
  expect_keys(kit, mtu_loss, " path.forward.loss, path.forward.mtu\n");
  plot_fixture_tear_down(kit, NULL);
  plot_fixture_set_up(kit, NULL);
  expect_keys(kit,
              "title = \"a\"; sweep = ("
              " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
              " { key = \"workload.connections\"; values = [1, 2]; },"
              " { key = \"path.forward.mtu\"; values = [1500, 576]; } );",
              " path.forward.mtu, workload.connections\n");
}

/* Runs 0, 1: in order, MTU 1500 (the upper row, 1), loss 0: 1024 and 3072: mean 2 KiB; t(0.975, 1) = 12.7062, s = 1448.15, half
 * 12.7062 · 1448.15 / √2 = 13011 = 12.7 KiB. The last, 14 and 15 of 2048 each: 29696 and 31744, mean 30 KiB. */
static void test_cells(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  double row[7];
  if (!plot_fixture_can_draw()) {
    return;
  }
  plot_fixture_fill(kit, mtu_loss);
  plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1024, 2048);
  plot_fixture_flag(kit, 0, STUDY_FLAG_SPURIOUS);
  g_assert_true(draw(kit, GNUPLOT_PNG));
  (void)plot_fixture_png_height(kit, "h.png", 2102);
  g_autofree char *data = plot_fixture_text(kit, "h.dat");
  plot_fixture_expect(data, "0 1 2 2048 13011");
  plot_fixture_expect(data, " \"2 KiB*\" \"± 13 KiB\" 0, 1500\n");
  plot_fixture_row(data, "out-of-order receiver", 1, row, 7);
  g_assert_cmpfloat(row[0], ==, 1); /* loss 1 % */
  g_assert_cmpfloat(row[1], ==, 0); /* MTU 576 */
  g_assert_cmpfloat(row[3], ==, 30720);
  plot_fixture_expect(data, "asterisk: 1 with spurious retransmissions");
}

/* Cells of few octets are dark with white text, those of many light with black text; the palette gets lighter at each step. */
static double lightness(const char *hex)
{
  double channel[3];
  for (int i = 0; i < 3; i++) {
    g_autofree char *digits = g_strndup(hex + 2 * i, 2);
    channel[i] = pow((double)g_ascii_strtoull(digits, NULL, 16) / 255, 2.2);
  }
  return 0.2126 * channel[0] + 0.7152 * channel[1] + 0.0722 * channel[2];
}

static void test_palette(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  if (!plot_fixture_can_draw()) {
    return;
  }
  plot_fixture_fill(kit, mtu_loss);
  plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 4096);
  g_assert_true(draw(kit, GNUPLOT_SVG));
  g_autofree char *script = plot_fixture_text(kit, "h.gnuplot");
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
  g_autofree char *svg = plot_fixture_text(kit, "h.svg");
  plot_fixture_expect(svg, "<text>peak (octets)</text>");
  plot_fixture_expect(svg, "<text>in-order receiver</text>");
}

/* Thirteen panels are more than can be read. */
static void test_too_many_panels(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  plot_fixture_fill(kit, "title = \"a\"; sweep = ( { key = \"path.forward.mtu\"; values = [1500, 576]; },"
                         " { key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; },"
                         " { key = \"workload.connections\"; from = 1; to = 13; } );");
  plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1, 1);
  g_assert_false(draw(kit, GNUPLOT_SVG));
  g_assert_cmpuint(kit->written->len, ==, 0);
}

/* Twenty cells side by side have no room for texts of nine letters on the width of a paper; four have. */
static void test_narrow_cells(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  static const guint columns[] = {4, 20};
  if (!plot_fixture_can_draw()) {
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(columns); i++) {
    plot_fixture_tear_down(kit, NULL);
    plot_fixture_set_up(kit, NULL);
    g_autofree char *text =
        g_strdup_printf("title = \"a\"; sweep = ( { key = \"workload.connections\"; from = 1; to = %u; },"
                        " { key = \"workload.messages\"; values = [1, 2]; } );",
                        columns[i]);
    plot_fixture_fill(kit, text);
    plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 1);
    g_assert_true(draw(kit, GNUPLOT_SVG));
    g_autofree char *svg = plot_fixture_text(kit, "h.svg");
    g_assert_cmpint(strstr(svg, "<text>1000</text>") != NULL, ==, columns[i] == 4);
  }
}

/* Nothing held anywhere draws too. */
static void test_all_zero(plot_fixture *kit, gconstpointer unused)
{
  (void)unused;
  if (!plot_fixture_can_draw()) {
    return;
  }
  plot_fixture_fill(kit, mtu_loss);
  plot_fixture_set_all(kit, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 0);
  g_assert_true(draw(kit, GNUPLOT_SVG));
}

static void add(const char *path, void (*test)(plot_fixture *, gconstpointer))
{
  g_test_add(path, plot_fixture, NULL, plot_fixture_set_up, test, plot_fixture_tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/plot_heat_map/keys", test_keys);
  add("/plot_heat_map/cells", test_cells);
  add("/plot_heat_map/palette", test_palette);
  add("/plot_heat_map/too_many_panels", test_too_many_panels);
  add("/plot_heat_map/narrow_cells", test_narrow_cells);
  add("/plot_heat_map/all_zero", test_all_zero);
  return g_test_run();
}
