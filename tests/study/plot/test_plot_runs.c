/* SPDX-License-Identifier: GPL-2.0-only */
/* Which points of a study are drawn when there are more than a reader can distinguish, and what the subtitle
 * states of them. */
#include "study/plot/plot_runs.h"

#include <string.h>

#include "plot_fixture.h"

/* These are four receivers (three modes, one of them with and without markers), three MTUs, four losses, two
 * seeds: 96 runs, 48 points. */
static const char receivers[] =
    "{ key = \"receiver.mode\"; values = [\"in-order\", \"out-of-order\", \"out-of-order\", "
    "\"assume-aligned\"]; },"
    "{ key = \"mpa.markers\"; values = [false, false, true, false]; with = \"receiver.mode\"; },"
    "{ key = \"path.forward.mtu\"; values = [576, 1500, 9000]; },"
    "{ key = \"path.forward.loss\"; values = [\"0%\", \"0.1%\", \"0.3%\", \"1%\"]; },"
    "{ key = \"run.seed\"; from = 1; to = 2; }";

#define EXPECT_LABELS(selection, ...) expect_labels(selection, STRINGS(__VA_ARGS__))
static void expect_labels(const point_selection *selection, const char *const *expected)
{
  g_assert_cmpuint(selection->labels->len, ==, g_strv_length((char **)expected));
  g_assert_cmpuint(selection->points->len, ==, selection->labels->len);
  for (guint i = 0; i < selection->labels->len; i++) {
    g_assert_cmpstr(g_ptr_array_index(selection->labels, i), ==, expected[i]);
  }
}

/* Loss, of which there are most values, is fixed first, then the MTU: every receiver stays. */
PLOT_TEST(test_receivers_stay)
{
  plot_fixture_sweep(f, receivers);
  g_auto(point_selection) selection = point_selection_of(&f->table, 8);
  g_assert_cmpuint(selection.of, ==, 48);
  EXPECT_LABELS(&selection, "in-order receiver, no markers", "out-of-order receiver, no markers",
                "out-of-order receiver, markers", "assume-aligned receiver, no markers");
  g_assert_cmpstr(selection.fixed, ==, "loss 1%, MTU 9000 octets");
  for (guint i = 0; i < selection.points->len; i++) {
    g_assert_cmpuint(g_array_index(selection.points, study_point, i).runs->len, ==, 2); /* both seeds */
  }
}

PLOT_TEST(test_all_fit)
{
  plot_fixture_sweep(f, receivers);
  g_auto(point_selection) selection = point_selection_of(&f->table, 48);
  g_assert_cmpuint(selection.points->len, ==, 48);
  g_assert_cmpuint(selection.of, ==, 48);
  g_assert_cmpstr(selection.fixed, ==, "");
  g_assert_cmpstr(g_ptr_array_index(selection.labels, 0), ==,
                  "in-order receiver, no markers, MTU 576 octets, loss 0");
}

/* However few there may be, one is left; never more than asked for. */
PLOT_TEST(test_any_number)
{
  plot_fixture_sweep(f, receivers);
  for (guint most = 1; most <= 50; most++) {
    g_auto(point_selection) selection = point_selection_of(&f->table, most);
    g_assert_cmpuint(selection.points->len, >=, 1);
    g_assert_cmpuint(selection.points->len, <=, most);
    g_assert_cmpuint(selection.labels->len, ==, selection.points->len);
  }
}

/* Of nine values of one key five are shown: the first, the last, and evenly between. */
PLOT_TEST(test_evenly)
{
  for (guint i = 0; i <= 8; i++) {
    g_autofree char *mtu = g_strdup_printf("path.forward.mtu=%u", 1000 + 500 * i);
    plot_fixture_add(f, mtu);
  }
  g_auto(point_selection) selection = point_selection_of(&f->table, 5);
  EXPECT_LABELS(&selection, "MTU 1000 octets", "MTU 2000 octets", "MTU 3000 octets", "MTU 4000 octets",
                "MTU 5000 octets");
}

/* Seeds alone vary: one point, which needs no label. */
PLOT_TEST(test_one_point)
{
  plot_fixture_add(f, "run.seed=1");
  plot_fixture_add(f, "run.seed=2");
  g_auto(point_selection) selection = point_selection_of(&f->table, 4);
  EXPECT_LABELS(&selection, "");
  g_assert_cmpuint(selection.of, ==, 1);
  g_assert_cmpuint(g_array_index(selection.points, study_point, 0).runs->len, ==, 2);
}

/* One point of the first `first` runs, one of the rest. */
static plot_counts two_points(const plot_fixture *f, guint first)
{
  plot_counts counts = {0};
  g_autoptr(GPtrArray) a = g_ptr_array_new(), b = g_ptr_array_new();
  for (guint i = 0; i < f->table.runs->len; i++) {
    g_ptr_array_add(i < first ? a : b, g_ptr_array_index(f->table.runs, i));
  }
  plot_counts_add(&counts, a);
  plot_counts_add(&counts, b);
  return counts;
}

static void expect(plot_fixture *f, guint first, const char *text)
{
  plot_counts counts = two_points(f, first);
  g_autofree char *subtitle =
      plot_runs_subtitle(&f->table, &counts, "mean of # each with 95\u00a0% interval", "ringed");
  g_assert_cmpstr(subtitle, ==, text);
}

PLOT_TEST(test_counts)
{
  plot_fixture_sweep(f, "{ key = \"run.seed\"; from = 1; to = 6; }");
  expect(f, 3,
         "a · scenario a · seeds 1–6 · iwarpsim 0.1.0 · 6 runs, mean of 3 each with 95\u00a0% interval");
  expect(f, 1,
         "a · scenario a · seeds 1–6 · iwarpsim 0.1.0 · 6 runs, mean of 1 to 5 each with 95\u00a0% interval");
}

PLOT_TEST(test_flags_and_excluded)
{
  plot_fixture_sweep(f, "{ key = \"run.seed\"; from = 1; to = 2; }");
  plot_fixture_flag(f, 1, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS);
  expect(f, 1,
         "a · scenario a · seeds 1–2 · iwarpsim 0.1.0 · 2 runs · ringed: 1 with timeouts or lost "
         "retransmissions");
  plot_fixture_flag(f, 1, STUDY_FLAG_SPURIOUS);
  expect(f, 1,
         "a · scenario a · seeds 1–2 · iwarpsim 0.1.0 · 2 runs · ringed: 1 with spurious retransmissions");
  plot_fixture_flag(f, 0, STUDY_FLAG_TIMEOUTS | STUDY_FLAG_LOST_RETRANSMISSIONS);
  g_ptr_array_set_size(f->table.left_out, 4);
  g_ptr_array_set_size(f->table.all.others, 1);
  expect(f, 1,
         "a · scenario a · seeds 1–2 · iwarpsim 0.1.0 · 2 runs · ringed: 2 with timeouts, spurious or lost "
         "retransmissions · 4 flagged left out · 1 did not end ok");
}
