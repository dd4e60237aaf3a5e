/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_progress.h"

#include "base/plain_text.h"
#include "study/sweep/sweep.h"

#define SHOW_AFTER_US G_USEC_PER_SEC
#define SHOW_EVERY_US (G_USEC_PER_SEC / 2)
#define STANDS_AFTER_US (3 * G_USEC_PER_SEC)

cli_progress cli_progress_begin(const char *what)
{
  return (cli_progress){.file = stderr, .what = what, .started_us = g_get_monotonic_time()};
}

/* Draws the line again when it is due. */
static void show(cli_progress *shown, double share, const char *place, gint64 now_us)
{
  if (share > shown->share) {
    shown->share = share;
    shown->grown_us = now_us;
  }
  if (now_us - shown->started_us < SHOW_AFTER_US || now_us - shown->shown_us < SHOW_EVERY_US) {
    return;
  }
  shown->shown_us = now_us;
  /* Rounded down: 100 % is when all is done. */
  g_autofree char *done = share < 0 ? g_strdup("") : g_strdup_printf("%u %% done, ", (guint)(100 * share));
  g_autofree char *left = NULL;
  if (shown->share > 0 && now_us - shown->grown_us < STANDS_AFTER_US) {
    double elapsed_s = (double)(now_us - shown->started_us) / G_USEC_PER_SEC;
    left = sweep_estimate_duration(elapsed_s * (1 - shown->share) / shown->share);
  }
  g_autofree char *line = g_strconcat(done, place, left != NULL ? ", about " : "", left != NULL ? left : "",
                                      left != NULL ? " left" : "", NULL);
  terminal_redraw_line(shown->file, line);
}

void cli_progress_show(cli_progress *shown, double share, double at_s, gint64 now_us)
{
  g_autofree char *place = g_strdup_printf("at %.6f s of %s", at_s, shown->what);
  show(shown, share, place, now_us);
}

void cli_progress_of_run(const session_progress *progress, void *shown)
{
  cli_progress_show(shown, progress->share, time_ps_in_seconds(progress->now), g_get_monotonic_time());
}

static void watch_grid(double share, gpointer shown)
{
  show(shown, share, "checking the points of the sweep", g_get_monotonic_time());
}

void cli_progress_clear(const cli_progress *shown)
{
  if (shown->shown_us > 0) {
    terminal_redraw_line(shown->file, "");
  }
}

sweep_grid *cli_progress_grid(const scenario *base, const char *const *sets, guint seeds, gboolean shows,
                              GError **error)
{
  cli_progress shown = cli_progress_begin(NULL);
  sweep_grid *grid = sweep_grid_new(base, NULL, sets, seeds, shows ? watch_grid : NULL, &shown, error);

  cli_progress_clear(&shown);
  return grid;
}
