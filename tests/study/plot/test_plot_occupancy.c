/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the plot of a run's folder: the steps of the RNIC's series, stacked by cause. */
#include "base/error.h"
#include "study/plot/study_plot.h"

#include <string.h>
#include <sys/stat.h>

#include "plot_fixture.h"
#include "study_fixture.h"
#include "summary/summary.h"

#define HEADER "time_s,connection,cause,octets\n"

/* This is a run of 5 ms; `peak` of the reassembly occupancy, negative: not measured. */
static void write_summary(const plot_fixture *f, double peak)
{
  run_results results = {.block_octets = 0};
  const summary page = {.version = "0.1.0", .engine = "native", .results = &results};
  metric_values_set(&results.metrics, METRIC_TIME_SIMULATED_S, 0.005);
  if (peak >= 0) {
    metric_values_set(&results.metrics, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, peak);
  }
  g_autofree char *path = g_build_filename(f->folder, "summary.json", NULL);
  g_assert_true(summary_write_json(&page, f->base, path, NULL));
}

static void set_up(plot_fixture *f, gconstpointer title)
{
  plot_fixture_set_up(f, NULL);
  scenario_free(f->base);
  f->base = fixture_scenario(f->folder, "a.cfg", title, NULL);
  write_summary(f, -1);
}

static gboolean plot(plot_fixture *f, const char *csv, GError **error)
{
  if (csv != NULL) {
    g_free(fixture_file(f->folder, "occupancy.csv", csv));
  }
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_PNG);
  return plot_occupancy(f->folder, &(const plot_request){0}, &target, error);
}

static void plot_well(plot_fixture *f, const char *csv)
{
  g_assert_true(NO_ERROR(plot, f, csv));
}

static const char scenario_text[] = "title = \"a title\"; run: { seed = 9; };";
#define FIXTURE_TEST(name) TEST_WITH(plot_fixture, scenario_text, set_up, plot_fixture_tear_down, name)
#define DRAWN_FIXTURE_TEST(name) DRAWN(FIXTURE_TEST, plot_fixture, name)

/* At 1 ms 100 octets are incomplete; at 2 ms 50 unlocated come on top of them; at 3 ms all is gone. Rows:
 * time in ms, the stack up to the cause, the highest first, and their sum last. Connection 0's own lines do
 * not count. */
DRAWN_FIXTURE_TEST(test_steps)
{
  plot_well(f, "# a comment\n" HEADER "0.001000000000,all,incomplete,100\n"
               "0.001000000000,0,incomplete,100\n"
               "0.002000000000,all,unlocated,50\n"
               "0.003000000000,all,incomplete,0\n"
               "0.003000000000,all,unlocated,0\n");
  g_autofree char *data = plot_fixture_text(f, "occupancy.dat");
  EXPECT_PARTS(data, "\n1 0\n1 100\n2 100\n2 150\n3 150\n3 0\n5 0\n\n\n# incomplete\n",
               "\n1 0\n1 100\n2 100\n2 100\n3 100\n3 0\n5 0\n\n\n# reassembly\n", "\n3 150\n3 0\n5 0\n");
  g_assert_true(g_str_has_prefix(data, "# Octets held over simulated time\n# a title · scenario a · seed 9 · "
                                       "receiver out-of-order · iwarpsim 0.1.0\n"));
  EXPECT_FILE(f, "occupancy.gnuplot", "'Octets held over simulated time'", "'peak 150 octets'",
              "simulated time (ms)");
  (void)plot_fixture_png_height(f, "occupancy.png", 1004);
  g_assert_cmpuint(f->written->len, ==, 3);
}

/* Six days into a replay the instants 3 ps and 4 ps after a second are one double, 88 octets and none: the
 * peak is 88 all the same. */
DRAWN_FIXTURE_TEST(test_instants_of_one_double)
{
  g_assert_true(524288.000000000003 == 524288.000000000004);
  write_summary(f, 88);
  plot_well(f, HEADER "524288.000000000003,all,incomplete,88\n524288.000000000004,all,incomplete,0\n");
  EXPECT_FILE(f, "occupancy.gnuplot", "'peak 88 octets'");
}

/* `processing` is drawn but is no part of the reassembly peak. */
DRAWN_FIXTURE_TEST(test_processing)
{
  plot_well(f, HEADER
            "0.001,all,order,2048\n0.002,all,processing,9000\n0.003,all,order,0\n0.004,all,processing,0\n");
  EXPECT_FILE(f, "occupancy.gnuplot", "'peak 2048 octets (2 KiB)'",
              "legend_text[3] = ['order', 'processing', 'reassembly']");
}

/* 100,000 changes come out as a few thousand rows, the single highest among them. */
DRAWN_FIXTURE_TEST(test_thinned)
{
  g_autoptr(GString) csv = g_string_new(HEADER);
  for (int i = 1; i <= 100000; i++) {
    g_string_append_printf(csv, "0.%09d,all,order,%d\n", i * 40, i == 77777 ? 123456 : i % 50);
  }
  plot_well(f, csv->str);
  g_autofree char *data = plot_fixture_text(f, "occupancy.dat");
  g_assert_cmpuint(strlen(data), <, 1000000);
  EXPECT_PARTS(data, " 123456\n");
}

static void refuse(plot_fixture *f, const char *csv, const char *complaint)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(plot(f, csv, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  EXPECT_PARTS(error->message, complaint);
  g_assert_cmpuint(f->written->len, ==, 0);
}

FIXTURE_TEST(test_hostile)
{
  refuse(f, "", "occupancy.csv:1: expected time_s,connection,cause,octets");
  refuse(f, "nonsense\n", "occupancy.csv:1: ");
  refuse(f, HEADER "0.1,all,order\n", "occupancy.csv:2: ");
  refuse(f, HEADER "0.1,all,order,5\nx,all,order,5\n", "occupancy.csv:3: ");
  refuse(f, HEADER "0.1,all,order,5,6\n", "occupancy.csv:2: ");
  refuse(f, HEADER "0.1,all,order,-5\n", "occupancy.csv:2: ");
  refuse(f, HEADER "nan,all,order,5\n", "occupancy.csv:2: ");
  refuse(f, HEADER "0.1,all,magic,5\n", "expected a cause");
  refuse(f, HEADER "0.2,all,order,5\n0.1,all,order,5\n", "ascending");
  refuse(f, HEADER "0.2,3,order,5\n", "no series of the RNIC");
  /* 1460 cut off after two digits is a number too */
  refuse(f, HEADER "0.1,all,order,14", "occupancy.csv:2: expected the end of the line");
}

/* The peak of the series is 150 octets; a summary with another is another run's, or the series lacks
 * lines. */
FIXTURE_TEST(test_series_of_another_run)
{
  static const char csv[] = HEADER "0.001,all,order,150\n0.002,all,order,0\n0.003,all,processing,500\n";
  write_summary(f, 151);
  refuse(f, csv, "its peak is 150 octets, that of summary.json 151");
  write_summary(f, 0);
  refuse(f, csv, "its peak is 150 octets, that of summary.json 0");
  if (plot_fixture_can_draw()) {
    write_summary(f, 150);
    plot_well(f, csv);
  }
}

/* Letters on standard output: a column for a stretch of time, which shows the highest state in it: the 1 us
 * of 6 KiB in 5 ms too. */
DRAWN_FIXTURE_TEST(test_letters)
{
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stdout(
        "*a title*held by the RNIC (KiB)*peak 6144 octets (6 KiB)*$*$*simulated time (ms)*"
        "$ order*");
    return;
  }
  g_free(fixture_file(f->folder, "occupancy.csv",
                      HEADER "0.002000000000,all,order,6144\n0.002001000000,all,order,0\n"));
  const gnuplot_target target = {.format = GNUPLOT_TERM, .written = f->written};
  g_assert_true(NO_ERROR(plot_occupancy, f->folder, &(const plot_request){0}, &target));
  g_assert_cmpuint(f->written->len, ==, 0);
}

/* Changes beyond count are drawn with lines besides, or what lasts less than a dot would vanish; a legend
 * names no outline then. */
DRAWN_FIXTURE_TEST(test_many_steps)
{
  g_autoptr(GString) csv = g_string_new(HEADER);
  for (int i = 1; i <= 1000; i++) {
    g_string_append_printf(csv, "0.%09d,all,order,%d\n", i * 4000, i % 2 * 1460);
  }
  plot_well(f, csv->str);
  EXPECT_FILE(f, "occupancy.gnuplot", "outlined = 0\n", "curve[1] = ['1 cause 3']\n",
              "legend_text[1] = ['order']\n");
}

FIXTURE_TEST(test_missing)
{
  g_autoptr(GError) error = NULL;
  g_assert_false(plot(f, NULL, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull(strstr(error->message, "measure.series"));
}

/* Nobody writes into it, so reading it would not end. */
FIXTURE_TEST(test_pipe)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_build_filename(f->folder, "occupancy.csv", NULL);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  g_assert_false(plot(f, NULL, &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_true(g_str_has_prefix(error->message, path));
}
