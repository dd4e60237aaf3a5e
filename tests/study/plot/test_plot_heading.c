/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands above a plot: which runs are behind it. */
#include "study/plot/plot_heading.h"

#include "plot_kit.h"

/* One point of the first `first` runs, one of the rest. */
static plot_counts two_points(const plot_kit *kit, guint first)
{
  plot_counts counts = {0};
  g_autoptr(GPtrArray) a = g_ptr_array_new(), b = g_ptr_array_new();
  for (guint i = 0; i < kit->table.runs->len; i++) {
    g_ptr_array_add(i < first ? a : b, g_ptr_array_index(kit->table.runs, i));
  }
  plot_counts_add(&counts, a);
  plot_counts_add(&counts, b);
  return counts;
}

static void expect(plot_kit *kit, guint first, const char *text)
{
  plot_counts counts = two_points(kit, first);
  g_autofree char *subtitle = plot_heading_subtitle(&kit->table, &counts, "ringed");
  g_assert_cmpstr(subtitle, ==, text);
}

static void test_counts(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  plot_kit_fill(kit, "title = \"t\"; sweep = ( { key = \"run.seed\"; from = 1; to = 6; } );");
  expect(kit, 3, "scenario a · seeds 1–6 · iwarpsim 0.1.0 · 6 runs, mean of 3 each with 95\u00a0% interval");
  expect(kit, 1,
         "scenario a · seeds 1–6 · iwarpsim 0.1.0 · 6 runs, mean of 1 to 5 each with 95\u00a0% interval");
}

static void test_flags_and_left_out(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  plot_kit_fill(kit, "title = \"t\"; sweep = ( { key = \"run.seed\"; from = 1; to = 2; } );");
  plot_kit_flag(kit, 1, STUDY_FLAG_SPURIOUS);
  expect(kit, 1,
         "scenario a · seeds 1–2 · iwarpsim 0.1.0 · 2 runs · ringed: 1 with spurious retransmissions");
  plot_kit_flag(kit, 0, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS);
  kit->table.left_out = 4;
  kit->table.not_ok = 1;
  expect(kit, 1,
         "scenario a · seeds 1–2 · iwarpsim 0.1.0 · 2 runs · ringed: 2 with timeouts, spurious or lost "
         "retransmissions · 4 flagged left out · 1 that did not end ok left out");
}

/* A text of several lines stays one comment each. */
static void test_comments(plot_kit *kit, gconstpointer unused)
{
  (void)unused;
  plot_kit_fill(kit, "title = \"t\";");
  GString *data = g_string_new(NULL);
  plot_heading_append_comments(&kit->table, "a\nb", "unit octets \\", data);
  g_assert_cmpstr(data->str, ==, "# t\n# a b\n# unit octets \\ .\n");
  g_string_free(data, TRUE);
}

static void add(const char *path, void (*test)(plot_kit *, gconstpointer))
{
  g_test_add(path, plot_kit, NULL, plot_kit_set_up, test, plot_kit_tear_down);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("/plot_heading/counts", test_counts);
  add("/plot_heading/flags_and_left_out", test_flags_and_left_out);
  add("/plot_heading/comments", test_comments);
  return g_test_run();
}
