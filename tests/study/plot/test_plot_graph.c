/* SPDX-License-Identifier: GPL-2.0-only */
/* What is held on average where a graph sprays packets, beside what the delays of its routes have it. */
#include "plot_fixture.h"

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
  plot_fixture_row(data, "by the delays of the routes", 0, row, 3);
  g_assert_cmpfloat_with_epsilon(row[2], 58600, 200);
  plot_fixture_row(data, "by the delays of the routes", 1, row, 3);
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
