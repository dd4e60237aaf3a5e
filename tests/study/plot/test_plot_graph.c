/* SPDX-License-Identifier: GPL-2.0-only */
/* Plots of graphs: what is held on average where packets are sprayed, beside what the delays of the routes
 * have it; and maps of ports. */
#include <string.h>

#include "plot_fixture.h"
#include "study/plot/study_plot.h"
#include "study_fixture.h"
#include "summary/summary.h"

#define SPRAY                                                                                                \
  "topology: { kind = \"leaf-spine\"; hosts_per_leaf = 1; }; link: { rate = \"10Gbit/s\"; };"                \
  "links = ( { between = \"spine0 leaf0\"; delay = \"125us\"; } ); receiver: { mode = \"in-order\"; };"      \
  "sweep = ( { key = \"topology.spines\"; values = [2, 8]; } );"

/* The numbers are those of tests/scenario/test_scenario_spray.c: one of n routes is 100 us longer than 25 us.
 */
DRAWN_TEST(test_spray)
{
  plot_fixture_fill(f, "routing: { choice = \"spray-round-robin\"; };" SPRAY);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, 1000, 0);
  g_autofree char *data = plot_fixture_drawn(f, &plot_metric, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS);
  double row[3];
  plot_fixture_row(data, "formula: the delays of the routes", 0, row, 3);
  g_assert_cmpfloat_with_epsilon(row[2], 58600, 200);
  plot_fixture_row(data, "formula: the delays of the routes", 1, row, 3);
  g_assert_cmpfloat_with_epsilon(row[2], 98718, 200);
  EXPECT_ROWS(f, {"buffer.reassembly_mean_octets", 1, "8 1 1000"});
}

/* By a hash, a connection keeps to one route; and of a peak the delays tell nothing. */
DRAWN_TEST(test_no_spray)
{
  plot_fixture_fill(f, SPRAY);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, 1000, 0);
  g_autofree char *hashed = plot_fixture_drawn(f, &plot_metric, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS);
  EXPECT_NO_PARTS(hashed, "delays of the routes");
  plot_fixture_fill(f, "routing: { choice = \"spray-round-robin\"; };" SPRAY);
  plot_fixture_set_all(f, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, 1000, 0);
  g_autofree char *peak = plot_fixture_drawn(f, &plot_metric, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS);
  EXPECT_NO_PARTS(peak, "delays of the routes");
}

/* --- Maps of ports --- */

#define HEADS "switch,port,to,packets,octets,utilisation,queue_mean_octets,queue_peak_octets,marked\n"

static gboolean draw_ports_as(plot_fixture *f, gboolean queues, gnuplot_format format, GError **error)
{
  const run_results results = {.block_octets = 0};
  const summary page = {.version = "0.1.0", .engine = "native", .results = &results};
  const gnuplot_target target = plot_fixture_target(f, format);
  g_autofree char *path = g_build_filename(f->folder, "summary.json", NULL);
  g_autoptr(scenario) base = fixture_scenario(f->folder, "a.cfg", "title = \"a title\";", NULL);
  g_assert_true(summary_write_json(&page, base, path, NULL));
  return plot_ports_of_run(f->folder, queues, &(const plot_request){0}, &target, error);
}

static gboolean draw_ports(plot_fixture *f, gboolean queues, GError **error)
{
  return draw_ports_as(f, queues, GNUPLOT_PNG, error);
}

/* Rows of 258 switches share 4724 dots, 18.3 each, and a label needs more, but less than twice that: every
 * other row has one. */
DRAWN_TEST(test_many_switches)
{
  g_autoptr(GString) csv = g_string_new(HEADS);
  for (guint i = 0; i < 258; i++) {
    g_string_append_printf(csv, "s%u,1,h0,5,1000,0.25,1.5,3000,0\n", i);
  }
  g_free(fixture_file(f->folder, "ports.csv", csv->str));
  g_assert_true(draw_ports_as(f, FALSE, GNUPLOT_SVG, NULL));
  EXPECT_FILE(f, "utilisation.gnuplot", "print_height = 4724");
  EXPECT_COUNTS(f, "utilisation.svg", {"<text>s0<", 1}, {"<text>s1<", 0}, {"<text>s256<", 1},
                {"<text>s257<", 0});
}

/* A row is a switch, from the bottom; the line of the switch itself is none. */
DRAWN_TEST(test_ports)
{
  g_free(fixture_file(f->folder, "ports.csv",
                      HEADS "leaf0,1,h0,5,1000,0.25,1.5,3000,0\nleaf0,2,h1,0,0,0,0.0,0,0\nleaf0,,,,,,,9000,\n"
                            "spine0,1,leaf0,1,40,0.125,0.0,40,0\n"));
  g_assert_true(NO_ERROR(draw_ports, f, FALSE));
  EXPECT_FILE(f, "utilisation.dat", "# leaf0\n", "\n1 1 0.25 nan nan 0\n2 1 0 nan nan 0\n\n\n# spine0\n",
              "\n1 1 0.125 nan nan 0");
  EXPECT_FILE(f, "utilisation.gnuplot", "'Utilisation of each port of the switches'", "'leaf0'",
              "'utilisation (%)'");
  g_assert_true(NO_ERROR(draw_ports, f, TRUE));
  EXPECT_FILE(f, "queues.dat", "\n1 1 3000 nan nan 0\n2 1 0 nan nan 0\n");
  EXPECT_FILE(f, "queues.gnuplot", "'Largest queue of each port of the switches'", "'largest queue (KiB)'");
}

PLOT_TEST(test_no_ports)
{
  g_autoptr(GError) none = NULL, empty = NULL;
  g_assert_false(draw_ports(f, FALSE, &none));
  EXPECT_PARTS(none->message, "ports.csv");
  g_free(fixture_file(f->folder, "ports.csv", HEADS "leaf0,,,,,,,9000,\n"));
  g_assert_false(draw_ports(f, FALSE, &empty));
  EXPECT_PARTS(empty->message, "ports.csv has no port; expected those of a run of a graph");
}
