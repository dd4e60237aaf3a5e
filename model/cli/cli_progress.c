/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "session/simulation.h"
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

/* --- What runs cost on this machine --- */

double cli_cost_pace(void)
{
  const char *const sets[] = {"run.engine=native", "workload.messages=300", NULL};
  g_autoptr(scenario) s = scenario_new_without_file("pace", sets, NULL);
  session_result result;
  clock_t before = clock();
  if (simulation_run(s, &(const simulation_options){0}, &result, NULL)) {
    session_result_clear(&result);
  }
  return (double)(clock() - before) / CLOCKS_PER_SEC / run_cost_of(s).seconds;
}

char *cli_cost_text(const run_cost *cost)
{
  g_autofree char *payload = units_format_amount(cost->payload_octets, "octets");
  g_autofree char *messages = sweep_estimate_rough(fmax(round(cost->messages), 1));
  g_autofree char *segments = sweep_estimate_rough(fmax(round(cost->segments), 1));
  g_autofree char *memory = units_format_rounded(cost->memory_octets, "octets");
  g_autofree char *time = cost->seconds < 1 ? NULL : sweep_estimate_duration(cost->seconds * cli_cost_pace());

  return g_strdup_printf("%s in all, %s %s, about %s %s; %s%s, %s of buffers", payload, messages,
                         units_counted(strcmp(messages, "1") == 0, "messages"), segments,
                         units_counted(strcmp(segments, "1") == 0, "segments"),
                         time != NULL ? "about " : "less than a second", time != NULL ? time : "",
                         *memory != '\0' ? memory : "less than 1 KiB");
}

void cli_cost_announce(const scenario *s, double times, const char *what)
{
  run_cost cost = run_cost_of(s);
  cost.seconds *= times;
  g_autofree char *text = cost.seconds >= 1 ? cli_cost_text(&cost) : NULL;

  if (text != NULL) {
    plain_text_print(stderr, "note: %s: %s\n", what, text);
  }
}
