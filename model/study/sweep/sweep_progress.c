/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_progress.h"

#include <math.h>

#include "base/plain_text.h"
#include "base/units.h"

/* A line of progress is printed so often where none can be redrawn. */
#define LINE_EVERY_US (10 * G_USEC_PER_SEC)

/* A longer estimate is not shown. */
#define LEFT_MAX_S (1000.0 * 3600)

char *sweep_progress_duration(double seconds)
{
  return seconds < 119.5        ? g_strdup_printf("%.0f s", MAX(round(seconds), 0))
         : seconds < 119.5 * 60 ? g_strdup_printf("%.0f min", round(seconds / 60))
                                : g_strdup_printf("%.1f h", seconds / 3600);
}

char *sweep_progress_rough(double number)
{
  static const char *const names[] = {"", " thousand", " million", " billion"};
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  gsize name = 0;

  while (number >= 999.5 && name + 1 < G_N_ELEMENTS(names)) {
    number /= 1000;
    name++;
  }
  g_ascii_formatd(digits, sizeof digits, number < 999.5 ? "%.3g" : "%.0f", number);
  return g_strconcat(digits, names[name], NULL);
}

char *sweep_progress_text(const sweep_counts *counts)
{
  static const char *const of[] = {"", "about ", "at least "};
  double share = counts->work > 0 ? 1 - counts->work_left / counts->work : 1;
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "%zu of %s%zu %s done", counts->done, of[counts->certainty], counts->points,
                         units_counted(counts->points, "runs"));
  if (counts->failed > 0) {
    g_string_append_printf(text, ", %zu failed", counts->failed);
  }
  /* Rounded down: 100 % only when all is done. */
  g_string_append_printf(text, ", %u running, %u %%", counts->running, (guint)(100 * CLAMP(share, 0, 1)));
  /* The rest takes as long, in proportion, as the work done so far, or before there is any as work took
   * before; 0: not known. */
  const gboolean has_begun = counts->work_done > 0 && counts->elapsed_s > 0;
  const double left_s =
      counts->work_left * (has_begun ? counts->elapsed_s / counts->work_done : counts->pace / counts->jobs);
  if (left_s > 0 && left_s <= LEFT_MAX_S) {
    g_autofree char *left = sweep_progress_duration(left_s);
    g_string_append_printf(text, ", %s %s left",
                           counts->certainty == SWEEP_RUNS_AT_LEAST ? "at least" : "about", left);
  }
  return g_string_free(text, FALSE);
}

void sweep_progress_show(sweep_progress *progress, const sweep_counts *counts, gint64 now_us)
{
  if (progress->style == SWEEP_PROGRESS_NONE) {
    return;
  }
  gboolean redraw = progress->style == SWEEP_PROGRESS_TERMINAL;
  if (progress->printed_us == 0) {
    progress->printed_us = now_us; /* a sweep that is done within ten seconds needs no lines */
  }
  if (!redraw && now_us - progress->printed_us < LINE_EVERY_US) {
    return;
  }
  progress->printed_us = now_us;
  g_autofree char *text = sweep_progress_text(counts);
  if (redraw) {
    terminal_redraw_line(progress->file, text);
  } else {
    fprintf(progress->file, "%s\n", text);
    fflush(progress->file);
  }
}

void sweep_progress_clear(const sweep_progress *progress)
{
  if (progress->style == SWEEP_PROGRESS_TERMINAL) {
    terminal_redraw_line(progress->file, "");
  }
}
