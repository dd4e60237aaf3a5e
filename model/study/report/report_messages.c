/* SPDX-License-Identifier: GPL-2.0-only */
/* This shows the times of messages: how they are distributed, their slowdown by size, and both by traffic
 * class. */
#include <math.h>
#include <string.h>

#include "base/html.h"
#include "base/units.h"
#include "study/plot/plot_runs.h"
#include "study/plot/study_plot.h"
#include "study/report/report_page.h"

/* So many points have a table. */
enum { POINTS_MAX = 24 };

static const report_table of_messages = {
    .texts = 2,
    .caption = "Messages of all seeds together by traffic class and payload, and the means over the seeds of "
               "median, p99 and "
               "p99.9: of the time until a message is complete, and of its slowdown, that time divided by "
               "the least that "
               "the empty network allows. A quantile of too few messages is left out.",
    .columns = "class=traffic,size_class=payload,count=complete,incomplete=not "
               "complete,completion_p50_s=median time,"
               "completion_p99_s=p99,completion_p99.9_s=p99.9,slowdown_p50=median slowdown,slowdown_p99=p99,"
               "slowdown_p99.9=p99.9"};

/* Returns the row of `table` for the class and the size class that `of` has in its row; it is made where
 * there is none, after those of the class that are of smaller messages. */
static guint row_like(run_table *table, const run_table *of, guint of_row, GPtrArray *sums)
{
  const char *class = run_table_text(of, of_row, "class"), *size = run_table_text(of, of_row, "size_class");
  guint place = table->rows->len;
  for (guint row = table->rows->len; row-- > 0;) {
    const char *other = run_table_text(table, row, "size_class");
    const gboolean is_same = strcmp(run_table_text(table, row, "class"), class) == 0;
    if (is_same && strcmp(other, size) == 0) {
      return row;
    }
    place = is_same && result_size_class_octets(other) > result_size_class_octets(size) ? row : place;
  }
  g_ptr_array_insert(table->rows, (gint)place, g_strdupv(g_ptr_array_index(of->rows, of_row)));
  g_ptr_array_insert(sums, (gint)place, g_new0(double, 2 * table->count));
  return place;
}

/* Returns whether the last row is of all classes, and the first class is the only one. */
static gboolean has_one_class(const run_table *table)
{
  const char *first = run_table_text(table, 0, "class");
  guint row = 0;
  while (strcmp(run_table_text(table, row, "class"), first) == 0 && row + 1 < table->rows->len) {
    row++;
  }
  return strcmp(first, "all") != 0 && strcmp(run_table_text(table, row, "class"), "all") == 0;
}

/* Returns the table of all `runs` (study_run): sums of messages, and means of the rest. NULL: none has one.
 * Free with run_table_free(). */
static run_table *table_of(const GPtrArray *runs)
{
  static const char *const summed[] = {"count", "incomplete", "octets", NULL};
  run_table *all = NULL;
  g_autoptr(GPtrArray) sums =
      g_ptr_array_new_with_free_func(g_free); /* double *, of each row: sums, then how many */
  for (guint r = 0; r < runs->len; r++) {
    g_autoptr(run_table) table =
        run_results_table(&((const study_run *)g_ptr_array_index(runs, r))->results, "class");
    g_autofree char *columns = table != NULL ? g_strjoinv(",", table->columns) : NULL;
    all = all == NULL && table != NULL ? run_table_read(columns) : all;
    for (guint i = 0; table != NULL && i < table->rows->len; i++) {
      const guint row = row_like(all, table, i, sums);
      double *sum = g_ptr_array_index(sums, row);
      for (guint k = 0; k < all->count; k++) {
        const double number = run_table_number(table, i, all->columns[k]);
        sum[k] += isnan(number) ? 0 : number;
        sum[all->count + k] += !isnan(number);
      }
    }
  }
  if (all == NULL) {
    return NULL;
  }
  /* The rows of one class are those of all, which come last. */
  while (sums->len > 0 && has_one_class(all)) {
    g_ptr_array_set_size(all->rows, (gint)all->rows->len - 1);
    g_ptr_array_set_size(sums, (gint)sums->len - 1);
  }
  for (guint row = 0; row < sums->len; row++) {
    char **fields = g_ptr_array_index(all->rows, row);
    const double *sum = g_ptr_array_index(sums, row);
    for (guint k = 0; k < all->count; k++) {
      const gboolean is_size = strcmp(all->columns[k], "size_class") == 0;
      const double count = sum[all->count + k];
      char *field =
          strcmp(all->columns[k], "class") == 0 ? g_strdup(fields[k])
          : is_size                             ? result_size_class_words(fields[k])
          : count == 0
              ? g_strdup("")
              : g_strdup_printf("%.12g", g_strv_contains(summed, all->columns[k]) ? sum[k] : sum[k] / count);
      g_free(fields[k]);
      fields[k] = field;
    }
  }
  return all;
}

/* `of` is a plot; the runs are the table's. */
static gboolean draw_plot(const report_page *report, const void *of, const plot_request *request,
                          const gnuplot_target *target, GError **error)
{
  g_autoptr(GPtrArray) one = g_ptr_array_new();
  study_table table = *report->table;
  if (report->run != NULL) {
    g_ptr_array_add(one, (gpointer)report->run);
    table.runs = one;
  }
  return study_plot_draw(&table, of, request, "figure", target, error);
}

static double sum_of(const GPtrArray *runs, metric_id metric)
{
  double sum = 0;
  for (guint i = 0; i < runs->len; i++) {
    sum += ((const study_run *)g_ptr_array_index(runs, i))
               ->results.metrics.value[metric]; /* 0 where there is none */
  }
  return sum;
}

/* Appends how many messages there are, how many of them were not complete, and how exact quantiles are. */
static void append_counts(const GPtrArray *runs, GString *html)
{
  const double complete = sum_of(runs, METRIC_MESSAGE_COUNT),
               incomplete = sum_of(runs, METRIC_MESSAGE_INCOMPLETE);
  guint inexact = 0;
  for (guint i = 0; i < runs->len; i++) {
    inexact += ((const study_run *)g_ptr_array_index(runs, i))
                   ->results.metrics.value[METRIC_MESSAGE_QUANTILE_ERROR] > 0;
  }
  html_append(html, "<h3>Completion times</h3>\n<p>");
  g_string_append_printf(html, "In %u %s %.0f %s complete", runs->len, units_counted(runs->len, "runs"),
                         complete, complete == 1 ? "message was" : "messages were");
  g_string_append_printf(
      html,
      incomplete > 0 ? "; %.0f more %s posted and not complete when a run ended: their times are in none "
                       "of the numbers below."
                     : ", all that were posted.",
      incomplete, incomplete == 1 ? "was" : "were");
  if (inexact > 0) {
    g_string_append_printf(
        html,
        " Quantiles of %u %s, with more than 10^6 messages each, are within 1&nbsp;%% of the exact ones.",
        inexact, units_counted(inexact, "runs"));
  }
  g_string_append(html, "</p>\n");
}

void report_append_messages(report_page *report)
{
  static const study_plot *const plots[] = {&plot_completion, &plot_slowdown};
  g_autoptr(GPtrArray) runs = g_ptr_array_new();
  g_autoptr(GArray) points = study_table_points(report->table->runs, report->keys);
  guint left_out = 0;
  if (report->run != NULL) {
    g_ptr_array_add(runs, (gpointer)report->run);
  } else {
    g_ptr_array_extend(runs, report->table->runs, NULL, NULL);
  }
  if (sum_of(runs, METRIC_MESSAGE_COUNT) + sum_of(runs, METRIC_MESSAGE_INCOMPLETE) == 0) {
    return;
  }
  append_counts(runs, report->html);
  for (gsize i = 0; i < G_N_ELEMENTS(plots) && report->error == NULL; i++) {
    report_append_figure(report, plots[i]->name, draw_plot, plots[i]);
  }
  if (report->run != NULL || points->len == 1) {
    g_autoptr(run_table) table = table_of(runs);
    report_append_table(&of_messages, table, report->html);
    return;
  }
  for (guint i = 0; i < points->len; i++) {
    const GPtrArray *of = g_array_index(points, study_point, i).runs;
    g_autoptr(run_table) table = i < POINTS_MAX ? table_of(of) : NULL;
    g_autofree char *place =
        plot_place_words(report->table, report->keys, ((const study_run *)g_ptr_array_index(of, 0))->keys);
    if (table != NULL) {
      html_append(report->html, "<details><summary>messages: %s</summary>\n", place);
      report_append_table(&of_messages, table, report->html);
      g_string_append(report->html, "</details>\n");
    }
    left_out += i >= POINTS_MAX;
  }
  if (left_out > 0) {
    g_string_append_printf(report->html, "<p class=\"note\">%u more points have no table here.</p>\n",
                           left_out);
  }
}
