/* SPDX-License-Identifier: GPL-2.0-only */
/* The line that shows how far a run is, at chosen times; on a terminal: test_cli_terminal.py. */
#include "cli/cli_progress.h"
#include "test.h"

#define CLEAR "\r\x1b[K"

/* Returns what is shown of a run that started at 0 and is at `share` at each of `times_s`. */
static char *show(const double *times_s, const double *shares, gsize count)
{
  char *text = NULL;
  size_t length = 0;
  cli_progress shown = {.file = open_memstream(&text, &length), .what = "simulated time", .started_us = 1};
  for (gsize i = 0; i < count; i++) {
    const gint64 now_us = 1 + (gint64)(times_s[i] * G_USEC_PER_SEC);
    cli_progress_show(&shown, shares[i], 2e-3, now_us);
  }
  cli_progress_clear(&shown);
  fclose(shown.file);
  return text;
}

#define AT " % done, at 0.002000 s of simulated time"

/* A quarter is done in 2 s: three times as long is left; not shown before 1 s, nor again within 0.5 s. */
TEST(test_text)
{
  const double times_s[] = {0.9, 2, 2.4, 2.5}, shares[] = {0.1, 0.25, 0.3, 0.5};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==, CLEAR "25" AT ", about 6 s left" CLEAR "50" AT ", about 3 s left" CLEAR);
  free(text);
}

/* Nothing is done yet: the time left is unknown. Half done, it stands still from 2 s to 5 s and longer:
 * unknown again, until it continues at 8 s, having taken 8 s for 0.8, so 2 s are left. */
TEST(test_stands_still)
{
  const double times_s[] = {1, 2, 4.9, 5.5, 8}, shares[] = {0, 0.5, 0.5, 0.5, 0.8};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==,
                  CLEAR "0" AT CLEAR "50" AT ", about 2 s left" CLEAR "50" AT ", about 5 s left" CLEAR
                        "50" AT CLEAR "80" AT ", about 2 s left" CLEAR);
  free(text);
}

/* A run that was never shown clears nothing: its terminal may hold half a line of another program. */
TEST(test_short)
{
  const double times_s[] = {0.2, 0.99}, shares[] = {0.1, 0.9};
  char *text = show(times_s, shares, G_N_ELEMENTS(times_s));
  g_assert_cmpstr(text, ==, "");
  free(text);
}

/* The length of a pipe is not known. */
TEST(test_unknown_share)
{
  char *text = NULL;
  size_t length = 0;
  cli_progress shown = {.file = open_memstream(&text, &length), .what = "the capture", .started_us = 1};
  cli_progress_show(&shown, -1, 0.25, 1 + 2 * G_USEC_PER_SEC);
  fclose(shown.file);
  g_assert_cmpstr(text, ==, CLEAR "at 0.250000 s of the capture");
  free(text);
}
