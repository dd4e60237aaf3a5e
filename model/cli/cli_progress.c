/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_progress.h"

#include "base/plain_text.h"
#include "study/sweep/sweep.h"

#define SHOW_AFTER_US G_USEC_PER_SEC
#define SHOW_EVERY_US (G_USEC_PER_SEC / 2)
#define STANDS_AFTER_US (3 * G_USEC_PER_SEC)

/* ", about 0:07 left"; "" when nobody knows. Free with g_free(). */
static char *estimate(const cli_progress *shown, gint64 now_us)
{
  if (shown->share <= 0 || now_us - shown->grown_us >= STANDS_AFTER_US) {
    return g_strdup("");
  }
  double elapsed_s = (double)(now_us - shown->started_us) / G_USEC_PER_SEC;
  g_autofree char *left = sweep_progress_duration(elapsed_s * (1 - shown->share) / shown->share);
  return g_strdup_printf(", about %s left", left);
}

void cli_progress_show(cli_progress *shown, const session_progress *progress, gint64 now_us)
{
  cli_progress_show_at(shown, progress->share, time_ps_in_seconds(progress->now), "simulated time", now_us);
}

/* TRUE when the line is to be drawn again. */
static gboolean is_due(cli_progress *shown, double share, gint64 now_us)
{
  if (share > shown->share) {
    shown->share = share;
    shown->grown_us = now_us;
  }
  if (now_us - shown->started_us < SHOW_AFTER_US || now_us - shown->shown_us < SHOW_EVERY_US) {
    return FALSE;
  }
  shown->shown_us = now_us;
  return TRUE;
}

static void draw(const cli_progress *shown, double share, const char *place, gint64 now_us)
{
  g_autofree char *left = estimate(shown, now_us);
  /* Rounded down: 100 % is when all is done. */
  g_autofree char *done = share < 0 ? g_strdup("") : g_strdup_printf("%u %% done, ", (guint)(100 * share));
  g_autofree char *line = g_strdup_printf("%s%s%s", done, place, left);
  terminal_redraw_line(shown->file, line);
}

void cli_progress_show_at(cli_progress *shown, double share, double at_s, const char *what, gint64 now_us)
{
  if (is_due(shown, share, now_us)) {
    g_autofree char *place = g_strdup_printf("at %.6f s of %s", at_s, what);

    draw(shown, share, place, now_us);
  }
}

static void watch_grid(double share, gpointer shown)
{
  gint64 now_us = g_get_monotonic_time();

  if (is_due(shown, share, now_us)) {
    draw(shown, share, "checking the points of the sweep", now_us);
  }
}

void cli_progress_clear(const cli_progress *shown)
{
  if (shown->shown_us > 0) {
    terminal_redraw_line(shown->file, "");
  }
}

sweep_grid *cli_progress_grid(const scenario *base, const char *const *sets, gboolean shows, GError **error)
{
  cli_progress shown = {.file = stderr, .started_us = g_get_monotonic_time()};
  sweep_grid *grid = sweep_grid_new(base, sets, shows ? watch_grid : NULL, &shown, error);

  cli_progress_clear(&shown);
  return grid;
}
