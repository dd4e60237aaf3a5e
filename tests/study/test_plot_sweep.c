/* A plot of a made-up store: the files, the picture's size, and what the script says. */
#include "study/plot_sweep.h"

#include <math.h>
#include <string.h>

#include "study/sweep_grid.h"
#include "study_kit.h"

typedef struct fixture {
  char *folder;
  result_store *store;
  GPtrArray *written;
} fixture;

static void set_up(fixture *f, gconstpointer unused)
{
  (void)unused;
  f->folder = kit_folder_new();
  g_autofree char *path = g_build_filename(f->folder, "a.sqlite", NULL);
  f->store = result_store_open(path, RESULT_STORE_WRITE, NULL);
  f->written = g_ptr_array_new_with_free_func(g_free);
}

static void tear_down(fixture *f, gconstpointer unused)
{
  (void)unused;
  result_store_close(f->store);
  g_ptr_array_unref(f->written);
  kit_folder_remove(f->folder);
}

/* Fills the store with the points of the sweep `text`: a peak of 1000 times the point's number, 0 for the
 * first. */
static void fill(fixture *f, const char *text)
{
  g_autoptr(GError) error = NULL;
  scenario *base = kit_scenario(f->folder, "a.cfg", text, NULL);
  sweep_grid *grid = sweep_grid_new(base, NULL, &error);
  g_assert_no_error(error);
  g_autofree char *axes = sweep_grid_axes_text(grid);
  const stored_scenario from = {.name = (char *)"a",
                                .title = (char *)scenario_text(base, SCENARIO_TITLE),
                                .text = (char *)text,
                                .axes = axes,
                                .version = (char *)"0.1.0"};
  for (gsize i = 0; i < sweep_grid_count(grid); i++) {
    scenario *s = sweep_grid_scenario(grid, i);
    stored_run run = kit_run(s, i);
    metric_values_set(&run.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000.0 * (double)i);
    g_assert_true(result_store_commit(f->store, &from, &run, &error));
    kit_run_clear(&run);
    scenario_free(s);
  }
  sweep_grid_free(grid);
  scenario_free(base);
}

/* FALSE when there is no gnuplot to draw with; the test is skipped then. */
static gboolean draw(fixture *f, gnuplot_format format)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *found = g_find_program_in_path("gnuplot");
  if (found == NULL) {
    g_test_skip("gnuplot is not installed");
    return FALSE;
  }
  const gnuplot_target target = {.folder = f->folder, .format = format, .written = f->written};
  plot_sweep(f->store, "a", &target, &error);
  g_assert_no_error(error);
  return TRUE;
}

/* The text of the written file that ends in `suffix`. */
static char *written_text(const fixture *f, const char *suffix, gsize *length)
{
  for (guint i = 0; i < f->written->len; i++) {
    const char *path = g_ptr_array_index(f->written, i);
    char *text = NULL;
    if (!g_str_has_suffix(path, suffix)) {
      continue;
    }
    g_assert_true(g_file_get_contents(path, &text, length, NULL));
    return text;
  }
  g_error("no %s was written", suffix);
}

static const char mtu_loss[] =
    "title = \"Peak of `all`: it's 100 %\";"
    "sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
    "          { key = \"path.forward.mtu\"; values = [576, 1500]; },"
    "          { key = \"path.forward.loss\"; values = [\"0\", \"0.1%\", \"1%\"]; },"
    "          { key = \"run.seed\"; from = 1; to = 3; } );";

/* A PNG starts with its signature; its width is the big-endian number at octet 16. */
static void test_png(fixture *f, gconstpointer unused)
{
  (void)unused;
  gsize length;
  fill(f, mtu_loss);
  if (!draw(f, GNUPLOT_PNG)) {
    return;
  }
  g_autofree char *png = written_text(f, "/a-reassembly-peak.png", &length);
  g_assert_cmpuint(length, >, 10000); /* an empty page of this size takes less */
  g_assert_cmpmem(png, 8, "\x89PNG\r\n\x1a\n", 8);
  g_assert_cmpmem(png + 16, 4, "\x00\x00\x06\x40", 4); /* 1600 */
}

static void test_script(fixture *f, gconstpointer unused)
{
  (void)unused;
  static const char *const expected[] = {
      "'Peak of `all`: it’s 100 %'",
      "scenario a · seeds 1–3 · iwarpsim 0.1.0 · mean of 3 runs with 95 % interval",
      "set title 'in-order receiver'",
      "set title 'out-of-order receiver'",
      "title 'MTU 576 octets'",
      "title 'MTU 1500 octets'",
      "'0.1%%' -3.0",
      "(octets)"};
  gsize length;
  fill(f, mtu_loss);
  if (!draw(f, GNUPLOT_SVG)) {
    return;
  }
  g_autofree char *script = written_text(f, "/a-reassembly-peak.gnuplot", &length);
  for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {
    if (strstr(script, expected[i]) == NULL) {
      g_error("no \"%s\" in\n%s", expected[i], script);
    }
  }
  g_assert_null(strstr(script, f->folder)); /* it runs wherever its folder goes */
  g_autofree char *svg = written_text(f, "/a-reassembly-peak.svg", &length);
  g_assert_nonnull(strstr(svg, "<svg"));
  g_assert_nonnull(strstr(svg, "it’s 100 %"));
}

/* Points 0, 1, 2 are the seeds of the first line's loss 0: 0, 1000, 2000: mean 1000, s = 1000, t(0.975, 2)
 * = 4.30265: 4.30265 * 1000 / sqrt(3) = 2484.14. The next are 3000, 4000, 5000. */
static void test_data(fixture *f, gconstpointer unused)
{
  (void)unused;
  gsize length;
  double numbers[2][6];
  fill(f, mtu_loss);
  if (!draw(f, GNUPLOT_PNG)) {
    return;
  }
  g_autofree char *data = written_text(f, "/a-reassembly-peak.dat", &length);
  const char *line = strstr(data, "# in-order: MTU 576 octets\n");
  g_assert_nonnull(line);
  line = strchr(strchr(line, '\n') + 1, '\n') + 1;
  for (int row = 0; row < 2; row++) {
    g_auto(GStrv) fields = g_strsplit(line, " ", 8);
    for (int column = 0; column < 6; column++) {
      numbers[row][column] = g_ascii_strtod(fields[column], NULL);
    }
    line = strchr(line, '\n') + (row == 0 ? 2 : 1); /* a blank line stands after zero loss */
  }
  g_assert_cmpfloat(numbers[0][1], ==, 3);
  g_assert_cmpfloat(numbers[0][2], ==, 1000);
  g_assert_cmpfloat_with_epsilon(numbers[0][3], 2484.14, 0.01);
  g_assert_cmpfloat_with_epsilon(numbers[0][4], -1484.14, 0.01);
  g_assert_cmpfloat(numbers[1][2], ==, 4000);
  g_assert_cmpfloat_with_epsilon(numbers[1][5], 6484.14, 0.01);
}

/* Sweeps of other shapes draw too: words on x, one seed, only seeds, a single run. */
static void test_other_shapes(fixture *f, gconstpointer text)
{
  (void)text;
  static const char *const sweeps[] = {
      "title = \"a\"; sweep = ( { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; } );",
      "title = \"b\"; sweep = ( { key = \"run.seed\"; from = 1; to = 40; } );",
      "title = \"c\"; path: { forward: { mtu = 9000; }; };",
  };
  for (gsize i = 0; i < G_N_ELEMENTS(sweeps); i++) {
    tear_down(f, NULL);
    set_up(f, NULL);
    fill(f, sweeps[i]);
    if (!draw(f, GNUPLOT_SVG)) {
      return;
    }
    g_assert_cmpuint(f->written->len, ==, 3);
  }
}

static guint count_of(const char *text, const char *part)
{
  guint count = 0;
  for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
    count++;
  }
  return count;
}

/* 2 x 2 x 4 lines with labels of some 50 letters, of which one fits beside none: 16 rows of a legend, each 21 x 2.3 =
 * 48 pixels, the first of them on the page anyway: 860 + 15 x 48 = 1580. gnuplot leaves out what has no room. */
static void test_long_legend(fixture *f, gconstpointer unused)
{
  (void)unused;
  gsize length;
  fill(f, "title = \"a\"; middlebox: { chunk = 500; }; sweep = ("
          " { key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
          " { key = \"mpa.markers\"; values = [true, false]; },"
          " { key = \"middlebox.mode\"; values = [\"none\", \"rechunk\"]; },"
          " { key = \"path.forward.mtu\"; values = [576, 1500, 4000, 9000]; },"
          " { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; } );");
  if (!draw(f, GNUPLOT_SVG)) {
    return;
  }
  g_autofree char *script = written_text(f, "/a-reassembly-peak.gnuplot", &length);
  g_assert_nonnull(strstr(script, "size 1600,1580 "));
  g_autofree char *svg = written_text(f, "/a-reassembly-peak.svg", &length);
  g_assert_cmpuint(count_of(svg, "mpa.markers = "), ==, 16);
}

/* 200 lines: 40 rows of 4 labels ("middlebox.chunk = 100"…) do not hold them, the legend says how many it lacks. */
static void test_too_long_legend(fixture *f, gconstpointer unused)
{
  (void)unused;
  gsize length;
  fill(f, "title = \"a\"; middlebox: { mode = \"rechunk\"; }; sweep = ("
          " { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; },"
          " { key = \"middlebox.chunk\"; from = 100; to = 299; } );");
  if (!draw(f, GNUPLOT_SVG)) {
    return;
  }
  g_autofree char *svg = written_text(f, "/a-reassembly-peak.svg", &length);
  guint shown = count_of(svg, "middlebox.chunk = ");
  g_autofree char *rest = g_strdup_printf("and %u more", 200 - shown);
  g_assert_cmpuint(shown, <, 160);
  g_assert_nonnull(strstr(svg, rest));
}

static void test_bad_folder(fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(GError) error = NULL;
  const gnuplot_target target = {.folder = "/nonexistent", .format = GNUPLOT_PNG, .written = f->written};
  fill(f, mtu_loss);
  g_assert_false(plot_sweep(f->store, "a", &target, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_cmpuint(f->written->len, ==, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/plot_sweep/png", fixture, NULL, set_up, test_png, tear_down);
  g_test_add("/plot_sweep/script", fixture, NULL, set_up, test_script, tear_down);
  g_test_add("/plot_sweep/data", fixture, NULL, set_up, test_data, tear_down);
  g_test_add("/plot_sweep/other_shapes", fixture, NULL, set_up, test_other_shapes, tear_down);
  g_test_add("/plot_sweep/long_legend", fixture, NULL, set_up, test_long_legend, tear_down);
  g_test_add("/plot_sweep/too_long_legend", fixture, NULL, set_up, test_too_long_legend, tear_down);
  g_test_add("/plot_sweep/bad_folder", fixture, NULL, set_up, test_bad_folder, tear_down);
  return g_test_run();
}
