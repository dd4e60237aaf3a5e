/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a user asks of a plot: sizes, ranges, keys, and what becomes of them in a line
 * chart. */
#include "study/plot/plot_chart.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "no_error.h"
#include "plot_fixture.h"

/* 2.54 cm are an inch of 300 dots; less than an inch or more than 40 is nothing to draw on. */
static const struct {
  const char *text;
  double dots; /* 0: refused */
} lengths[] = {{"2.54cm", 300}, {"8.5cm", 1004}, {"85mm", 1004}, {"3.5in", 1050}, {"1200px", 1200},
               {"2cm", 0},      {"99in", 0},     {"-5in", 0},    {"12", 0},       {"cm", 0},
               {"", 0},         {"1e9in", 0},    {"nanin", 0}};

ROW_TEST(test_lengths, lengths)
{
  g_autoptr(GError) error = NULL;
  double dots;
  gboolean good = plot_request_read_length(c->text, GNUPLOT_PDF, &dots, &error);
  g_assert_cmpint(good, ==, c->dots > 0);
  g_assert_true(good ? dots == c->dots : strstr(error->message, "expected one such as 8.5cm") != NULL);
}

TEST(test_letters)
{
  double letters;
  g_assert_true(plot_request_read_length("120", GNUPLOT_TERM, &letters, NULL));
  g_assert_cmpfloat(letters, ==, 120);
  g_assert_false(plot_request_read_length("8.5cm", GNUPLOT_TERM, &letters, NULL));
  g_assert_false(plot_request_read_font("3", &letters, NULL));
  g_assert_true(plot_request_read_font("9pt", &letters, NULL));
}

static const struct {
  const char *text;
  double from, to; /* equal: refused */
} ranges[] = {{"0:64KiB", 0, 65536},
              {"1us:1ms", 1e-6, 1e-3},
              {"0.1%:1%", 1e-3, 1e-2},
              {"1:2Gbit/s", 1, 2e9},
              {"10:", 10, INFINITY},
              {":5", -INFINITY, 5},
              {"-1:1", -1, 1},
              {"5:1", 0, 0},
              {"1:1", 0, 0},
              {":", 0, 0},
              {"5", 0, 0},
              {"1:2:3", 0, 0},
              {"a:b", 0, 0},
              {"nan:1", 0, 0},
              {"", 0, 0}};

ROW_TEST(test_ranges, ranges)
{
  g_autoptr(GError) error = NULL;
  plot_range range;
  gboolean good = plot_request_read_range(c->text, &range, &error);
  g_assert_cmpint(good, ==, c->from < c->to);
  g_assert_true(!good || (range.from == c->from && range.to == c->to));
}

static const char axes[] =
    "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\", \"out-of-order\"]; },"
    "{ key = \"mpa.markers\"; values = [true, false, true]; with = \"receiver.mode\"; },"
    "{ key = \"path.forward.mtu\"; values = [576, 1500]; },"
    "{ key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; }";

/* Returns the keys that `text` names among those of `f`. Free with g_array_unref(). */
static GArray *keys_of(const plot_fixture *f, const char *text, GError **error)
{
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  (void)plot_request_read_keys(text, f->table.runs, f->table.axes, keys, error);
  return keys;
}

/* `receiver` is what makes the kind of one; a key counts once. */
PLOT_TEST(test_keys)
{
  plot_fixture_sweep(f, axes);
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) keys = keys_of(f, "receiver,path.forward.mtu, mpa.markers", &error);
  g_assert_no_error(error);
  const scenario_key expected[] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS, SCENARIO_PATH_FORWARD_MTU};
  g_assert_cmpmem(keys->data, keys->len * sizeof *expected, expected, sizeof expected);
}

static const struct {
  const char *text;
  const char *reason;
} bad_keys[] = {{"path.forward.mtus", "did you mean 'path.forward.mtu'?"},
                {"run.seed", "averaged over, no axis; expected one that varies: receiver.mode, mpa.markers"},
                {"tcp.timestamps", "does not vary: it is false in all runs; expected one that varies: "},
                {",", "unknown key ''"}};

PLOT_TEST(test_bad_keys)
{
  plot_fixture_sweep(f, axes);
  for (gsize i = 0; i < G_N_ELEMENTS(bad_keys); i++) {
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) keys = keys_of(f, bad_keys[i].text, &error);
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
    EXPECT_PARTS(error->message, bad_keys[i].reason);
  }
}

/* Draws the peak with these keys; the script, or the message of why not. Free with g_free(). */
static char *drawn_over(const plot_fixture *f, const char *x, const char *series, const char *panels)
{
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  g_autoptr(GArray) on_x = keys_of(f, x, NULL);
  g_autoptr(GArray) lines = series != NULL ? keys_of(f, series, NULL) : NULL;
  g_autoptr(GArray) others = panels != NULL ? keys_of(f, panels, NULL) : NULL;
  const plot_request request = {.x = (const scenario_key *)on_x->data, .series = lines, .panels = others};
  g_autoptr(GError) error = NULL;
  return study_plot_draw(&f->table, &plot_peak, &request, "a", &target, &error)
             ? plot_fixture_text(f, "a-peak.gnuplot")
             : g_strdup(error->message);
}

/* What is not named makes panels beside --series, and lines beside --panel. */
DRAWN_TEST(test_places)
{
  plot_fixture_sweep(f, axes);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 10);
  g_autofree char *series = drawn_over(f, "path.forward.mtu", "receiver", NULL);
  EXPECT_PARTS(series, "panel_title[2] = ['loss 0.1%', 'loss 1%']",
               "'in-order receiver, markers', 'out-of-order ", "x_name = 'MTU (octets)'");
  g_autofree char *panels = drawn_over(f, "path.forward.loss", NULL, "path.forward.mtu");
  EXPECT_PARTS(panels, "panel_title[2] = ['MTU 576 octets', 'MTU 1500 octets']",
               "'in-order receiver, markers', ");
  g_autofree char *both = drawn_over(f, "path.forward.loss", "receiver", "path.forward.mtu");
  EXPECT_PARTS(both, "panel_title[2] = ['MTU 576 octets', ");
  g_autofree char *twice = drawn_over(f, "path.forward.loss", "path.forward.loss", NULL);
  EXPECT_PARTS(twice, "path.forward.loss has two places");
  g_autofree char *open = drawn_over(f, "path.forward.loss", "mpa.markers", "path.forward.mtu");
  EXPECT_PARTS(open, "receiver.mode varies, too; expected it in --series or --panel");
}

/* Of eleven series one would look like another. */
PLOT_TEST(test_too_many_series)
{
  plot_fixture_sweep(f, "{ key = \"workload.connections\"; from = 1; to = 11; },"
                        "{ key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 10);
  g_autofree char *message = drawn_over(f, "path.forward.loss", "workload.connections", NULL);
  EXPECT_PARTS(message, "11 series: at most 10 can be told apart");
}

/* Title, size, letters, scales and parts of the axes are as asked for. */
DRAWN_TEST(test_shape)
{
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_PDF);
  plot_fixture_sweep(f, "{ key = \"path.forward.mtu\"; values = [1000, 1500, 2000]; }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 1000);
  plot_request request = {.width = 900,
                          .height = 700,
                          .font_points = 6,
                          .x_log = TRUE,
                          .y_log = TRUE,
                          .x_range = {1000, 2000},
                          .y_range = {512, INFINITY},
                          .where = "path.forward.mtu < 9000"};
  g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_peak, &request, "a", &target));
  EXPECT_FILE(f, "a-peak.gnuplot", "title_text = 'Peak and p99 of the", "path.forward.mtu < 9000'",
              "width = 900\n", "height = 700\n", "font = 19\n", "x_from = 1000\n", "x_to = 2000\n",
              "y_log = 2\n", "y_from = 512\n");
  request.title = "Mine";
  g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_peak, &request, "a", &target));
  EXPECT_FILE(f, "a-peak.gnuplot", "title_text = 'Mine'\n");
  g_autoptr(GError) error = NULL;
  request.height = 300;
  g_assert_false(study_plot_draw(&f->table, &plot_peak, &request, "a", &target, &error));
  EXPECT_PARTS(error->message, "--height leaves no room");
}

/* Three of four runs of MTU 1500 have 101,000, one has 109,000: mean 103,000, s = 4000, median 101,000, half
 * a deviation from it. Quartiles lie at places 0.75 and 2.25 of the four in order: 101,000 and 101,000 + 0.25
 * · 8000 = 103,000. Those of MTU 3000 are all equal, and say nothing of skewness. On a numeric axis each line
 * stands on its number. */
DRAWN_TEST(test_skewed)
{
  plot_fixture_sweep(f, "{ key = \"path.forward.mtu\"; values = [1500, 3000]; },"
                        "{ key = \"workload.connections\"; values = [1, 2]; },"
                        "{ key = \"run.seed\"; from = 1; to = 4; }");
  for (guint i = 0; i < 16; i++) {
    plot_fixture_set(f, i, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, i == 2 || i == 6 ? 109000 : 101000);
  }
  plot_fixture_draw(f, &plot_peak, 0, GNUPLOT_SVG);
  EXPECT_ROWS(f, {"peak: 1 connection", 0, "1500 4 101000 101000 103000 0"},
              {"peak: 2 connections", 1, "3000 4 101000 101000 101000 0"});
  EXPECT_FILE(f, "plot.dat", "runs median lower_quartile upper_quartile",
              "16 runs, median of 4 each with quartiles");
}

/* A script is drawn over as it was written; one that was changed only by force. */
DRAWN_TEST(test_changed_script)
{
  gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  const plot_request request = {0};
  plot_fixture_sweep(f, "{ key = \"path.forward.mtu\"; values = [1000, 1500]; }");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 1000);
  for (guint i = 0; i < 2; i++) {
    g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_peak, &request, "a", &target));
  }
  g_autofree char *script = plot_fixture_text(f, "a-peak.gnuplot");
  g_autofree char *path = g_build_filename(f->folder, "a-peak.gnuplot", NULL);
  g_autofree char *changed = g_strconcat(script, "# mine\n", NULL);
  g_autoptr(GError) error = NULL;
  g_assert_true(NO_ERROR(g_file_set_contents, path, changed, -1));
  g_assert_false(study_plot_draw(&f->table, &plot_peak, &request, "a", &target, &error));
  EXPECT_PARTS(error->message, path, "was changed since it was written", "--force replaces it");
  EXPECT_FILE(f, "a-peak.gnuplot", "# mine\n");
  target.force = TRUE;
  g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_peak, &request, "a", &target));
  EXPECT_COUNTS(f, "a-peak.gnuplot", {"# mine", 0});
}

/* Runs are chosen by their keys; what was left out or did not end ok is chosen by them, too. */
PLOT_TEST(test_where)
{
  static const struct {
    const char *where;
    const char *reason;
  } bad[] = {{"path.forward.mto = 1500", "did you mean 'path.forward.mtu'?"},
             {"path.forward.mtu >", "column 19"},
             {"path.forward.mtu > 9000", "holds for no run"}};
  plot_fixture_sweep(f, axes);
  plot_fixture_flag(f, 0, STUDY_FLAG_TIMEOUTS);
  g_assert_true(NO_ERROR(study_table_select, &f->table, "path.forward.mtu = 1500 and not mpa.markers",
                         "iwarpsim plot"));
  g_assert_cmpuint(f->table.runs->len, ==, 2); /* of 12: of one receiver and MTU, both losses */
  g_assert_cmpuint(f->table.flagged, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(study_table_select(&f->table, bad[i].where, "iwarpsim plot", &error));
    EXPECT_PARTS(error->message, bad[i].reason);
  }
}
