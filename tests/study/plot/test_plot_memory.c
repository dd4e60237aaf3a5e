/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about goodput against finite memory. */
#include "study/plot/study_plot.h"

#include "plot_fixture.h"

/* "unlimited" comes first in the sweep and last on the axis, apart; its value is a line across the others.
 * Runs 0, 1, 2 are in order: 1e9, 2e9, 3e9 bit/s. */
DRAWN_TEST(test_unlimited)
{
  double numbers[2], unlimited[2];
  plot_fixture_sweep(f, "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\"]; },"
                        "{ key = \"receiver.memory\"; values = (\"unlimited\", 1500, 24000); }");
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  g_autofree char *data = plot_fixture_drawn(f, &plot_memory, 0);
  plot_fixture_row(data, "goodput: in-order receiver", 1, numbers, 2);
  plot_fixture_row(data, "goodput: in-order receiver", 2, unlimited, 2);
  g_assert_cmpfloat(unlimited[0], >, numbers[0]);
  EXPECT_ROWS(f, {"goodput: in-order receiver", 2, "* * 1e9"}, {"unlimited", 0, "* * 1e9"});
  EXPECT_COUNTS(f, "plot.dat", {"# unlimited", 2});
  EXPECT_PARTS(data, " 24000\n\n"); /* a gap before what is apart */
  EXPECT_FILE(f, "plot.gnuplot", "x_gaps = 1\n", "panels = 1\n" /* receivers are lines */);
  EXPECT_FILE(f, "plot.svg", "<text>unlimited</text>", "<text>//</text>", "<text>goodput (Gbit/s)</text>",
              "<text>unlimited</text>");
}

/* Without it there is no reference. */
DRAWN_TEST(test_numbers_only)
{
  plot_fixture_sweep(f, "{ key = \"receiver.memory\"; values = (1500, 2000); }");
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 1e9, 1e9);
  g_autofree char *data = plot_fixture_drawn(f, &plot_memory, 0);
  EXPECT_NO_PARTS(data, "unlimited");
  EXPECT_FILE(f, "plot.gnuplot", "x_log = 10\n"); /* memory always is */
}

/* Of two runs with 1500 octets one did not end ok, and neither with 100: a cross for each place, and no mean
 * of the run that survived. */
DRAWN_TEST(test_failed)
{
  plot_fixture_sweep(f, "{ key = \"receiver.memory\"; values = (100, 1500, 2000, 4000); },"
                        "{ key = \"run.seed\"; values = (1, 2); }");
  plot_fixture_set_all(f, METRIC_GOODPUT_BIT_PER_S, 1e9, 0);
  GPtrArray *failed = g_ptr_array_new();
  for (guint run = 0; run < 3; run++) {
    g_ptr_array_add(failed, g_ptr_array_steal_index(f->table.runs, 0));
    ((study_run *)failed->pdata[run])->status = RUN_FAILED;
    g_ptr_array_add(f->table.all.others, failed->pdata[run]);
  }
  g_autofree char *data = plot_fixture_drawn(f, &plot_memory, 0);
  EXPECT_ROWS(f, {"goodput", 2, "* 2 1e9"}, {"goodput", 3, "* 2 1e9"});
  EXPECT_PARTS(data, "\n100 2 nan nan nan 0 100\n1500 1 nan nan nan 0 1500\n");
  EXPECT_PARTS(data, " · 3 did not end ok");
  EXPECT_FILE(f, "plot.svg", "<text>runs did not end ok</text>");
  g_ptr_array_extend_and_steal(f->table.runs, failed); /* to be freed */
}
