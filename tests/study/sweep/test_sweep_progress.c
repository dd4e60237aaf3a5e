/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a sweep prints of itself while it runs. */
#include "study/sweep/sweep.h"
#include "test.h"

#include <string.h>

static void expect_text(const sweep_counts *counts, const char *expected)
{
  g_autofree char *text = sweep_progress_text(counts);
  g_assert_cmpstr(text, ==, expected);
}

/* 60 runs of which 20 were there before; 10 ended now, one of them failed, and two are half done. Those that
 * ended were the cheap ones: of 180 s of work 60 were done before, 20 now, and 100 are left. That took 110 s,
 * so the rest takes 5 times as long: 550 s = 9:10. Of all it is 80 / 180 = 44.4 %. */
TEST(test_text)
{
  const sweep_counts counts = {.points = 60,
                               .done = 29,
                               .failed = 1,
                               .running = 2,
                               .jobs = 2,
                               .elapsed_s = 110,
                               .work = 180,
                               .work_done = 20,
                               .work_left = 100};
  expect_text(&counts, "29 of 60 runs done, 1 failed, 2 running, 44 %, about 9 min left");
}

/* One long run, a quarter done in a minute: three minutes are left, though no run has ended. Before anything
 * is done: at the pace of runs before, 8 s of work at 10 s each by two at once; else no estimate. As many
 * runs as results decide. Never 100 % before the end. */
static const struct {
  sweep_counts counts;
  const char *text;
} rows[] = {
    {{.points = 1,
      .running = 1,
      .jobs = 1,
      .elapsed_s = 60,
      .work = 4,
      .work_done = 1,
      .work_left = 3,
      .pace = 1},
     "0 of 1 run done, 1 running, 25 %, about 3 min left"},
    {{.points = 8, .running = 2, .jobs = 2, .work = 8, .work_left = 8, .pace = 10},
     "0 of 8 runs done, 2 running, 0 %, about 40 s left"},
    {{.points = 8,
      .running = 2,
      .jobs = 2,
      .work = 8,
      .work_left = 8,
      .pace = 10,
      .certainty = SWEEP_RUNS_AT_LEAST},
     "0 of at least 8 runs done, 2 running, 0 %, at least 40 s left"},
    {{.points = 40,
      .running = 2,
      .jobs = 2,
      .work = 8,
      .work_left = 4,
      .pace = 10,
      .certainty = SWEEP_RUNS_ABOUT},
     "0 of about 40 runs done, 2 running, 50 %, about 20 s left"},
    {{.points = 8, .running = 2, .jobs = 2, .work = 8, .work_left = 8}, "0 of 8 runs done, 2 running, 0 %"},
    {{.points = 1000, .done = 999, .running = 1, .jobs = 1, .work = 1000, .work_left = 1},
     "999 of 1000 runs done, 1 running, 99 %"},
    {{.points = 3, .done = 3, .jobs = 1, .elapsed_s = 1, .work = 3, .work_done = 3},
     "3 of 3 runs done, 0 running, 100 %"}};

ROW_TEST(test_counts, rows)
{
  expect_text(&c->counts, c->text);
}

TEST(test_duration)
{
  static const struct {
    double seconds;
    const char *text;
  } durations[] = {{0, "0 s"},     {6.6, "7 s"},      {119.4, "119 s"}, {119.6, "2 min"},
                   {151, "3 min"}, {7169, "119 min"}, {7560, "2.1 h"},  {-1, "0 s"}};
  for (gsize i = 0; i < G_N_ELEMENTS(durations); i++) {
    g_autofree char *text = sweep_estimate_duration(durations[i].seconds);
    g_assert_cmpstr(text, ==, durations[i].text);
  }
}

/* Returns what is shown at 0, 9.9, 10, 11 and 21 s. */
static char *show(sweep_progress_style style)
{
  static const double times_s[] = {0, 9.9, 10, 11, 21};
  const sweep_counts counts = {.points = 1, .jobs = 1, .work = 1, .work_left = 1};
  char *text = NULL;
  size_t length = 0;
  sweep_progress progress = {.file = open_memstream(&text, &length), .style = style};
  for (gsize i = 0; i < G_N_ELEMENTS(times_s); i++) {
    sweep_progress_show(&progress, &counts, 1 + (gint64)(times_s[i] * G_USEC_PER_SEC));
  }
  sweep_progress_clear(&progress);
  fclose(progress.file);
  return text;
}

/* Lines come ten seconds apart, without what steers a terminal; a terminal's is redrawn each time, and taken
 * away. */
TEST(test_styles)
{
  g_autofree char *none = show(SWEEP_PROGRESS_NONE), *lines = show(SWEEP_PROGRESS_LINES),
                  *terminal = show(SWEEP_PROGRESS_TERMINAL);
  g_assert_cmpstr(none, ==, "");
  g_assert_cmpstr(lines, ==, "0 of 1 run done, 0 running, 0 %\n0 of 1 run done, 0 running, 0 %\n");
  g_auto(GStrv) redrawn = g_strsplit(terminal, "\r\033[K0 of 1", -1);
  g_assert_cmpuint(g_strv_length(redrawn), ==, 1 + 5);
  g_assert_true(g_str_has_suffix(terminal, "\r\033[K"));
  g_assert_null(strchr(terminal, '\n'));
}
