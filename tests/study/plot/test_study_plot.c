/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the registry of plots: names, what fits which study, where pictures go. */
#include "base/error.h"
#include "study/plot/study_plot.h"

#include <glib/gstdio.h>
#include <string.h>

#include "no_error.h"
#include "plot_fixture.h"

PLOT_TEST(test_rows)
{
  (void)f;
  for (const study_plot *const *plot = study_plots; *plot != NULL; plot++) {
    g_assert_cmpuint(strlen((*plot)->sentence), >, 10);
    g_assert_true(g_str_is_ascii((*plot)->sentence)); /* --help prints it */
    g_assert_true(study_plot_find((*plot)->name) == *plot);
  }
  g_assert_true(study_plot_find("heat-map") == &plot_heat_map);
  g_assert_null(study_plot_find("heatmap"));
  g_assert_null(study_plot_find(""));
}

#define LOSS "{ key = \"path.forward.loss\"; values = [\"0\", \"1%\"]; }"
#define MTU "{ key = \"path.forward.mtu\"; values = [576, 1500]; }"
#define MEMORY "{ key = \"receiver.memory\"; values = (1500, \"unlimited\"); }"
#define CONNECTIONS "{ key = \"workload.connections\"; values = [1, 10]; }"
#define CHUNK "{ key = \"middlebox.chunk\"; values = [100, 1000]; }"
#define SEED "{ key = \"run.seed\"; from = 1; to = 2; }"

PLOT_TEST(test_plots_for)
{
  static const struct {
    const char *axes;
    const char *plots; /* their names */
  } sweeps[] = {{LOSS "," MTU, "peak heat-map"},
                {LOSS, "peak"},
                {MTU, "peak"},
                {SEED, ""},
                {MEMORY "," SEED, "memory"},
                {CHUNK, "cuts"},
                {CONNECTIONS "," LOSS, "connections peak"}};
  for (gsize i = 0; i < G_N_ELEMENTS(sweeps); i++) {
    plot_fixture_sweep(f, sweeps[i].axes);
    g_autoptr(GPtrArray) plots = study_plots_for(&f->table);
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint p = 0; p < plots->len; p++) {
      g_string_append_printf(names, "%s%s", p > 0 ? " " : "",
                             ((const study_plot *)g_ptr_array_index(plots, p))->name);
    }
    g_assert_cmpstr(names->str, ==, sweeps[i].plots);
  }
}

/* What does not fit names what it would need, and draws nothing. */
PLOT_TEST(test_unfit)
{
  static const struct {
    const study_plot *plot;
    const char *need;
  } unfit[] = {{&plot_heat_map, "two keys"},
               {&plot_peak, "a key beside run.seed"},
               {&plot_distribution, "samples of the occupancy"},
               {&plot_delays, "samples of a delay"},
               {&plot_completion, "messages were timed"},
               {&plot_slowdown, "slowdown of messages"},
               {&plot_memory, "receiver.memory"},
               {&plot_connections, "workload.connections"},
               {&plot_cuts, "middlebox.chunk"}};
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  plot_fixture_fill(f, "title = \"a\";");
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 10, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(unfit); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(study_plot_draw(&f->table, unfit[i].plot, &(const plot_request){0}, "a", &target, &error));
    g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
    EXPECT_PARTS(error->message, unfit[i].plot->name, unfit[i].need);
  }
  g_assert_cmpuint(f->written->len, ==, 0);
}

/* Every kind draws, under its own name, whatever the stem. */
DRAWN_TEST(test_draw_all)
{
  const gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  plot_fixture_fill(f, "title = \"a\"; middlebox: { mode = \"rechunk\"; }; sweep = ("
                       " { key = \"receiver.memory\"; values = (1500, 3000, \"unlimited\"); },"
                       " { key = \"workload.connections\"; values = [1, 10]; },"
                       " { key = \"middlebox.chunk\"; values = [100, 1000]; } );");
  for (metric_id metric = 0; metric < METRIC_COUNT; metric++) {
    plot_fixture_set_all(f, metric, 1000, 100);
  }
  for (guint i = 0; i < f->table.runs->len; i++) {
    run_results_set_tables(&((study_run *)g_ptr_array_index(f->table.runs, i))->results,
                           "class,size_class,count,slowdown_p50\nall,upto_4KiB,4,2\nall,all,4,2\n", "");
    for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
      plot_fixture_sample(g_ptr_array_index(f->table.runs, i), id, 0, 3);
      plot_fixture_sample(g_ptr_array_index(f->table.runs, i), id, 1, 1);
    }
  }
  guint count = 0;
  for (const study_plot *const *plot = study_plots; *plot != NULL; plot++, count++) {
    const result_quantity share = {.metric = METRIC_DELIVERY_OCTETS, .whole = METRIC_PLACEMENT_OCTETS};
    const plot_request request = {.quantity = *plot == &plot_metric ? &share : NULL};
    g_assert_true(NO_ERROR(study_plot_draw, &f->table, *plot, &request, "../x;y", &target));
    g_autofree char *name = g_strdup_printf(
        "_._x_y-%s.svg", *plot == &plot_metric ? "delivery.octets_placement.octets" : (*plot)->name);
    EXPECT_FILE(f, name, "</svg>");
  }
  g_assert_cmpuint(f->written->len, ==, 3 * count);
}

/* Titles and names that look like code are text: nothing in them runs. */
DRAWN_TEST(test_hostile)
{
  gnuplot_target target = plot_fixture_target(f, GNUPLOT_SVG);
  plot_fixture_sweep(f, "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; }, " LOSS);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 0, 10);
  g_free(f->table.title);
  f->table.title = g_strdup("'; system('touch hacked') #\nset output 'hacked'\n! touch hacked\n'`touch "
                            "hacked`\"; system('touch hacked') \\");
  f->table.names = (char *)"x\nsystem('touch hacked')\\";
  f->table.versions = (char *)"1\n!touch hacked\n\\";
  for (guint i = 0; i < f->table.runs->len; i++) {
    study_run *run = g_ptr_array_index(f->table.runs, i);
    plot_fixture_sample(run, DISTRIBUTION_REASSEMBLY_OCTETS, 3, 1);
    run->keys[SCENARIO_RECEIVER_MODE] =
        (char *)(i < 2 ? "'.system('touch hacked').'" : "\n!touch hacked\n\\");
  }
  static const study_plot *const plots[] = {&plot_peak, &plot_heat_map, &plot_distribution};
  for (gsize i = 0; i < G_N_ELEMENTS(plots); i++) {
    g_assert_true(NO_ERROR(study_plot_draw, &f->table, plots[i], &(const plot_request){0}, "a", &target));
  }
  g_autofree char *hacked = g_build_filename(f->folder, "hacked", NULL);
  g_assert_false(g_file_test(hacked, G_FILE_TEST_EXISTS));
  g_autofree char *script = plot_fixture_text(f, "a-peak.gnuplot");
  g_auto(GStrv) lines = g_strsplit(script, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_assert_false(g_str_has_prefix(g_strchug(lines[i]), "!"));
    g_assert_false(g_str_has_prefix(lines[i], "system"));
  }
}

/* It is drawn in letters: the picture on standard output, not wider than the terminal, and no file. */
DRAWN_TEST(test_terminal)
{
  gnuplot_target target = plot_fixture_target(f, GNUPLOT_TERM);
  if (g_test_subprocess()) {
    target.screen = (terminal){.columns = 80, .rows = 24};
    plot_fixture_fill(f, "title = \"Peaks\"; sweep = ( { key = \"path.forward.mtu\"; values = [576, 1500]; },"
                         " { key = \"path.forward.loss\"; values = [\"0.1%\", \"1%\"]; } );");
    plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 10000);
    g_assert_true(NO_ERROR(study_plot_draw, &f->table, &plot_peak, &(const plot_request){0}, "a", &target));
    g_assert_cmpuint(f->written->len, ==, 0);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_passed();
  g_test_trap_assert_stdout(
      "*Peak and p99 of the reassembly occupancy over*Peaks*reassembly occupancy (KiB)*0.1%*1%*MTU 576 "
      "octets*MTU 1500 octets*");
  g_test_trap_assert_stdout_unmatched("*\f*");
  g_test_trap_assert_stdout_unmatched("*\033*");
}
