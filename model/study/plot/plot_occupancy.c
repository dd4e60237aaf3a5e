/* SPDX-License-Identifier: GPL-2.0-only */
/* This plots the occupancy of one run over time, by cause. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/units.h"
#include "measure/occupancy.h"
#include "study/plot/plot_chart.h"
#include "study/plot/study_plot.h"
#include "study/table/shown_number.h"

/* A series of more steps is thinned to this many stretches: more than the dots across a page. */
#define STRETCHES 4000

/* This is more than a terminal has across. */
enum { LETTERS = 1000 };

/* A series of more steps gets no outline: it would be all that is seen. */
#define OUTLINED_STEPS_MAX 300

/* A quiet end (closing the connections, waiting for a timer) longer than this many times the rest is not
 * drawn. */
#define QUIET_END_MAX 2.0

static const char header[] = "time_s,connection,cause,octets";

/* From `time_s` on the RNIC holds this. */
typedef struct step {
  double time_s;
  double octets[HELD_CAUSES];
} step;

typedef struct series {
  GArray *steps; /* step, ascending; the first is nothing at 0 */
  char *instant; /* the last one's time as it is written; NULL: none was read */
  gboolean used[HELD_CAUSES];
  gboolean others;      /* there are series of connections */
  double peak;          /* of the reassembly occupancy */
  double peak_with_all; /* with `processing` */
} series;

static const step *step_at(const series *s, guint index)
{
  return &g_array_index(s->steps, step, index);
}

static double reassembly_of(const step *at)
{
  double sum = 0;
  for (int cause = 0; cause < HELD_PROCESSING; cause++) {
    sum += at->octets[cause];
  }
  return sum;
}

/* --- Reading --- */

/* Reads a finite number >= 0 that is the whole of `text`. */
static gboolean parse_number(const char *text, double *number)
{
  const char *end = units_read_real(text, number);
  return end != NULL && *end == '\0' && *number >= 0;
}

/* Returns what was expected of `line`; NULL: nothing else. */
static const char *add_line(series *s, const char *line)
{
  double time_s, octets;
  g_auto(GStrv) fields = g_strsplit(line, ",", 5);
  if (g_strv_length(fields) != 4 || !parse_number(fields[0], &time_s) || !parse_number(fields[3], &octets)) {
    return header;
  }
  held_cause cause = 0;
  while (cause < HELD_CAUSES && strcmp(held_cause_name(cause), fields[2]) != 0) {
    cause++;
  }
  if (cause == HELD_CAUSES) {
    return "a cause: incomplete, unlocated, order, fragment or processing";
  }
  if (strcmp(fields[1], "all") != 0) {
    s->others = TRUE;
    return NULL;
  }
  step last = *step_at(s, s->steps->len - 1);
  if (time_s < last.time_s) {
    return "times in ascending order";
  }
  /* By its text: late in a long run two instants that are picoseconds apart are one double. */
  if (g_strcmp0(fields[0], s->instant) != 0) {
    if (s->instant != NULL || time_s > 0) {
      last.time_s = time_s;
      g_array_append_val(s->steps, last);
    }
    g_free(s->instant);
    s->instant = g_strdup(fields[0]);
  }
  g_array_index(s->steps, step, s->steps->len - 1).octets[cause] = octets;
  return NULL;
}

/* Reads the comment lines, the header, then the series; a line without its end was cut off, and its number
 * with it. */
static gboolean read_lines(series *s, char *text, const char *end_of_text, const char *path, GError **error)
{
  guint number = 0;
  const char *expected = NULL;
  gboolean headed = FALSE;
  for (char *line = text, *end; expected == NULL && line < end_of_text; line = end + 1) {
    gboolean comment = line[0] == '#';
    end = strchrnul(line, '\n');
    const gboolean whole = *end != '\0';
    number++;
    line[strcspn(line, "\r\n")] = '\0';
    expected = !whole                      ? "the end of the line: the file is cut off"
               : comment                   ? NULL
               : headed                    ? add_line(s, line)
               : strcmp(line, header) == 0 ? NULL
                                           : header;
    headed = headed || !comment;
  }
  if (expected == NULL && !headed) {
    expected = header;
    number++;
  }
  return expected == NULL || error_set(error, "%s:%u: expected %s", path, number, expected);
}

/* The series must peak at the value in the summary; else it is cut off or another run's. */
static gboolean read_series(series *s, const char *path, const summary_record *run, GError **error)
{
  const char *problem = regular_file_problem(path);
  g_autofree char *text = NULL;
  gsize length = 0;
  if (problem != NULL) {
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
                "%s: %s; a run writes it unless measure.series is \"none\": run it again with --set "
                "measure.series=all, or plot --what sequence, which needs no series",
                path, problem);
    return FALSE;
  }
  gboolean good =
      g_file_get_contents(path, &text, &length, error) && read_lines(s, text, text + length, path, error);
  for (guint i = 0; i < s->steps->len; i++) {
    const step *at = step_at(s, i);
    s->peak = MAX(s->peak, reassembly_of(at));
    s->peak_with_all = MAX(s->peak_with_all, reassembly_of(at) + at->octets[HELD_PROCESSING]);
    for (int cause = 0; cause < HELD_CAUSES; cause++) {
      s->used[cause] = s->used[cause] || at->octets[cause] > 0;
    }
  }
  double peak = run->results.metrics.present[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]
                    ? run->results.metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]
                    : s->peak;
  return good &&
         (!s->others || s->steps->len > 1 ||
          error_set(error, "%s: no series of the RNIC; expected a run with measure.series = \"all\"",
                    path)) &&
         (peak == s->peak ||
          error_set(error,
                    "%s: its peak is %.0f %s, that of summary.json %.0f; expected the series of that run, "
                    "whole",
                    path, s->peak, units_counted(s->peak, "octets"), peak));
}

/* --- Drawing --- */

/* Appends a row: the time, and the octets of the causes up to and with `top`. */
static void append_row(double time, const step *at, int top, GString *data)
{
  double height = 0;
  for (int cause = 0; cause <= top; cause++) {
    height += at->octets[cause];
  }
  g_string_append_printf(data, "%.12g %.0f\n", time, height);
}

/* Appends rows before and after each step, which has an edge. Of steps that fall on one dot of the page the
 * first, the highest and the last are what can be seen. */
static void append_steps(const series *s, double end_s, double unit_s, int top, GString *data)
{
  const step *before = step_at(s, 0);
  guint end;
  for (guint first = 0; first < s->steps->len; first = end) {
    double stretch_end_s = step_at(s, first)->time_s + end_s / STRETCHES;
    guint highest = first;
    for (end = first + 1;
         s->steps->len > STRETCHES && end < s->steps->len && step_at(s, end)->time_s < stretch_end_s; end++) {
      highest = reassembly_of(step_at(s, end)) > reassembly_of(step_at(s, highest)) ? end : highest;
    }
    const guint kept[] = {first, highest, end - 1};
    for (gsize i = 0; i < G_N_ELEMENTS(kept); i++) {
      const step *at = step_at(s, kept[i]);
      if (i == 0 || kept[i] != kept[i - 1]) {
        append_row(at->time_s / unit_s, before, top, data);
        append_row(at->time_s / unit_s, at, top, data);
        before = at;
      }
    }
  }
  append_row(end_s / unit_s, before, top, data);
}

/* Appends a row for each letter across a terminal: the highest state in its time. */
static void append_letters(const series *s, double end_s, double unit_s, int top, GString *data)
{
  const step *at = step_at(s, 0);
  for (guint column = 0, next = 1; column < LETTERS; column++) {
    const step *highest = at;
    for (; next < s->steps->len && step_at(s, next)->time_s < end_s * (column + 1) / LETTERS; next++) {
      at = step_at(s, next);
      highest = reassembly_of(at) > reassembly_of(highest) ? at : highest;
    }
    append_row((column + 0.5) * end_s / LETTERS / unit_s, highest, top, data);
  }
}

char *plot_run_subtitle(const summary_record *run)
{
  const char *seed = run->keys[SCENARIO_RUN_SEED];
  const char *mode = run->keys[SCENARIO_RECEIVER_MODE], *hosts = run->keys[SCENARIO_HOSTS];
  g_autofree char *host =
      run->measured_host != NULL ? g_strconcat(" · host ", run->measured_host, NULL) : NULL;
  /* In a graph `hosts` may give some another one. */
  g_autofree char *receiver = hosts != NULL && strstr(hosts, " receiver.mode=") != NULL
                                  ? g_strdup("")
                                  : g_strconcat(" · receiver ", mode != NULL ? mode : "unknown", NULL);
  return g_strdup_printf("%s%s%s %s · seed %s%s%s · iwarpsim %s%s%s", run->title,
                         *run->title != '\0' ? " · " : "", run->is_replay ? "replay of" : "scenario",
                         run->name, seed != NULL ? seed : "unknown", host != NULL ? host : "", receiver,
                         run->version, run->status == RUN_OK ? "" : " · status ",
                         run->status == RUN_OK ? "" : run_status_name(run->status));
}

static gboolean draw(const series *s, const summary_record *run, const plot_request *request,
                     const gnuplot_target *target, GError **error)
{
  const metric_values *m = &run->results.metrics;
  const gboolean letters = target->format == GNUPLOT_TERM;
  const gboolean outlined = s->steps->len <= OUTLINED_STEPS_MAX && !letters;
  const double last_s = step_at(s, s->steps->len - 1)->time_s;
  const double simulated_s = m->present[METRIC_TIME_SIMULATED_S] ? m->value[METRIC_TIME_SIMULATED_S] : last_s;
  /* The time axis ends with the run, or soon after the last change when the rest is long and empty. */
  const double end_s = last_s > 0 && simulated_s > last_s * (1 + QUIET_END_MAX) ? last_s * 1.1
                       : last_s > 0 || simulated_s > 0                          ? MAX(last_s, simulated_s)
                                                                                : 1;
  value_extent extent = {0}, times = {.largest = end_s};
  const plot_range whole = {0, end_s};
  /* letters need a line above the peak for its text */
  value_extent_add(&extent, s->peak_with_all * (letters ? 1.25 : 1.04), NAN);
  g_autofree char *subtitle = plot_run_subtitle(run);
  g_auto(plot_chart) chart = plot_chart_new("occupancy", target, request, "octets held over simulated time",
                                            subtitle, "held by the RNIC, unit octets");
  chart.x = plot_axis_limited(
      plot_axis_limited(plot_axis_of_values(&times, "simulated time", "s", VALUE_SCALE_LINEAR), &whole),
      &request->x_range);
  chart.y = plot_axis_limited(plot_axis_of_values(&extent, "held by the RNIC", "octets", VALUE_SCALE_LINEAR),
                              &request->y_range);
  /* The causes in use, those above others first, and the outline of what counts as reassembly over all. */
  for (int cause = HELD_CAUSES - 1; cause >= -outlined; cause--) {
    const int top = cause < 0 ? HELD_PROCESSING - 1 : cause;
    if (cause < 0 || s->used[cause]) {
      plot_chart_add_curve(&chart, 0, cause < 0 ? "outline" : "cause", (guint)(cause + 1),
                           cause < 0 ? "reassembly" : held_cause_name((held_cause)cause),
                           "time, octets up to and with it; before and after each change");
      (letters ? append_letters : append_steps)(s, end_s, chart.x.unit_size, top, chart.data);
    }
  }
  for (held_cause cause = 0; cause < HELD_CAUSES; cause++) {
    if (s->used[cause]) {
      plot_chart_add_legend(&chart, "cause", cause + 1, held_cause_name(cause));
    }
  }
  if (outlined) {
    plot_chart_add_legend(&chart, "outline", 0, "reassembly");
  }
  gnuplot_set_number(chart.variables, "outlined", outlined);
  g_autofree char *octets = shown_text_octets(s->peak);
  g_autofree char *peak = s->peak == 0 ? g_strdup("no octet was held for reassembly")
                          : s->peak < 1024
                              ? g_strdup_printf("peak %s %s", octets, units_counted(s->peak, "octets"))
                              : g_strdup_printf("peak %.0f octets (%s)", s->peak, octets);
  gnuplot_set_number(chart.variables, "peak", s->peak);
  gnuplot_set_text(chart.variables, "peak_text", peak);
  return plot_chart_draw(&chart, "occupancy", error);
}

gboolean plot_occupancy(const char *run_folder, const plot_request *request, const gnuplot_target *target,
                        GError **error)
{
  g_autofree char *summary_path = g_build_filename(run_folder, "summary.json", NULL);
  g_autofree char *series_path = g_build_filename(run_folder, "occupancy.csv", NULL);
  g_autoptr(summary_record) run = summary_read_json(summary_path, error);
  if (run == NULL) {
    return FALSE;
  }
  series s = {.steps = g_array_set_size(g_array_new(FALSE, TRUE, sizeof(step)), 1)};
  gboolean good = read_series(&s, series_path, run, error) && draw(&s, run, request, target, error);
  g_array_unref(s.steps);
  g_free(s.instant);
  return good;
}
