/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/plot_distribution.h"

#include <string.h>

#include "study/plot/gnuplot_text.h"
#include "study/plot/plot_heading.h"
#include "study/plot/plot_occupancy.h"
#include "study/plot/point_selection.h"
#include "study/plot/share_plot.h"
#include "study/plot/study_plot.h"
#include "study/store/summary.h"

/* More lines than this are not told apart; of delays, each point has two. */
enum { OCCUPANCIES_MAX = 8, DELAYS_MAX = 4 };

/* What a plot draws of each point. */
typedef struct drawn {
  distribution_id id;
  const char *name; /* in the legend, where there are several */
} drawn;

static const drawn occupancy[] = {{DISTRIBUTION_REASSEMBLY_OCTETS, ""}};
static const drawn both_delays[] = {{DISTRIBUTION_PLACEMENT_DELAY_S, "Placement"},
                                    {DISTRIBUTION_DELIVERY_DELAY_S, "Delivery"}};

static const drawn *drawn_of(gboolean delays, gsize *count)
{
  *count = delays ? G_N_ELEMENTS(both_delays) : G_N_ELEMENTS(occupancy);
  return delays ? both_delays : occupancy;
}

/* Whether a run of `table` has samples of the occupancy, or (`delays`) of a delay. */
static gboolean has_samples(const study_table *table, gboolean delays)
{
  gsize count;
  const drawn *of = drawn_of(delays, &count);
  for (guint i = 0; i < table->runs->len; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    for (gsize k = 0; k < count; k++) {
      if (run->distributions[of[k].id].count > 0) {
        return TRUE;
      }
    }
  }
  return FALSE;
}

/* Adds the curve of `samples`, which it takes over, unless they are none. */
static void add_curve(GPtrArray *curves, const char *label, const drawn *what, distribution *samples,
                      guint point, guint kind)
{
  if (samples->count == 0) {
    distribution_clear(samples);
    return;
  }
  g_autofree char *name =
      kind == 0 ? g_strdup(label) : g_strdup_printf("%s%s%s", what->name, *label != '\0' ? ": " : "", label);
  g_ptr_array_add(curves, share_curve_new(g_steal_pointer(&name), samples,
                                          kind > 0 && *label == '\0' ? kind : point + 1, kind));
}

static distribution pooled(const GPtrArray *runs, distribution_id id)
{
  distribution sum = {.bins = NULL};
  for (guint i = 0; i < runs->len; i++) {
    const study_run *run = g_ptr_array_index(runs, i);
    distribution_add(&sum, &run->distributions[id]);
  }
  return sum;
}

/* A curve for each point of `selection` and each of the distributions that are drawn. */
static GPtrArray *curves_of(const point_selection *selection, gboolean delays)
{
  gsize count;
  const drawn *of = drawn_of(delays, &count);
  GPtrArray *curves = g_ptr_array_new_with_free_func(share_curve_free);
  for (guint i = 0; i < selection->points->len; i++) {
    const study_point *point = &g_array_index(selection->points, study_point, i);
    for (guint k = 0; k < count; k++) {
      distribution sum = pooled(point->runs, of[k].id);
      add_curve(curves, g_ptr_array_index(selection->labels, i), &of[k], &sum, i, count > 1 ? k + 1 : 0);
    }
  }
  return curves;
}

static gboolean draw(GPtrArray *curves, gboolean delays, const char *title, const char *subtitle,
                     const char *stem, const gnuplot_target *target, GError **error)
{
  const share_plot plot = {
      .title = title,
      .subtitle = subtitle,
      .x_label = delays ? "delay x" : "reassembly occupancy x",
      .y_label = delays ? "octets that wait longer than x" : "time with occupancy above x",
      .nothing = delays ? "no octet waited" : "no octet was held for reassembly",
      .seconds = delays,
      .curves = curves,
  };
  g_autofree char *file = gnuplot_text_file_stem(stem);
  if (curves->len == 0) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT,
                "nothing to draw: no run has samples of %s; expected runs of this version of iwarpsim that "
                "Delivered something",
                delays ? "delay.placement_s or delay.delivery_s" : "buffer.reassembly_octets");
    return FALSE;
  }
  return share_plot_draw(&plot, file, target, error);
}

static plot_counts counts_of(const point_selection *selection)
{
  plot_counts counts = {.points = 0};
  for (guint i = 0; i < selection->points->len; i++) {
    plot_counts_add(&counts, g_array_index(selection->points, study_point, i).runs);
  }
  return counts;
}

static void append_pooled(const plot_counts *counts, GString *subtitle)
{
  if (counts->most > 1 && counts->fewest == counts->most) {
    g_string_append_printf(subtitle, " · each line %u runs together", counts->most);
  } else if (counts->most > 1) {
    g_string_append_printf(subtitle, " · each line %u to %u runs together", counts->fewest, counts->most);
  }
  if (counts->flagged > 0) {
    g_string_append_printf(subtitle, " · %u of %u runs flagged", counts->flagged, counts->runs);
  }
}

static char *subtitle_of(const study_table *table, const point_selection *selection)
{
  g_autofree char *seeds = study_table_seeds(table);
  plot_counts counts = counts_of(selection);
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "scenario %s · %s · iwarpsim %s", table->names, seeds, table->versions);
  append_pooled(&counts, text);
  if (*selection->fixed != '\0') {
    g_string_append_printf(text, " · %s", selection->fixed);
  }
  if (selection->points->len < selection->of) {
    g_string_append_printf(text, " · %u of %u points", selection->points->len, selection->of);
  }
  if (table->not_ok > 0) {
    g_string_append_printf(text, " · %u that did not end ok left out", table->not_ok);
  }
  if (table->left_out > 0) {
    g_string_append_printf(text, " · %u flagged left out", table->left_out);
  }
  return g_string_free(text, FALSE);
}

/* A line a point of the sweep, the weights of its seeds added. */
static gboolean draw_points(const study_table *table, gboolean delays, const char *stem,
                            const gnuplot_target *target, GError **error)
{
  point_selection selection = point_selection_of(table, delays ? DELAYS_MAX : OCCUPANCIES_MAX);
  GPtrArray *curves = curves_of(&selection, delays);
  g_autofree char *subtitle = subtitle_of(table, &selection);
  gboolean good = draw(curves, delays, table->title, subtitle, stem, target, error);
  g_ptr_array_unref(curves);
  point_selection_clear(&selection);
  return good;
}

static gboolean draw_occupancy(const study_table *table, metric_id metric, const char *stem,
                               const gnuplot_target *target, GError **error)
{
  (void)metric;
  return draw_points(table, FALSE, stem, target, error);
}

static gboolean draw_delays(const study_table *table, metric_id metric, const char *stem,
                            const gnuplot_target *target, GError **error)
{
  (void)metric;
  return draw_points(table, TRUE, stem, target, error);
}

static const char *lack_of_occupancy(const study_table *table)
{
  return has_samples(table, FALSE) ? NULL : "runs with samples of the occupancy";
}

static const char *lack_of_delays(const study_table *table)
{
  return has_samples(table, TRUE) ? NULL : "runs with samples of a delay";
}

const study_plot plot_distribution = {.name = "distribution",
                                      .sentence = "share of the time with a reassembly occupancy above x",
                                      .lack = lack_of_occupancy,
                                      .draw = draw_occupancy};

const study_plot plot_delays = {
    .name = "delays",
    .sentence = "share of the payload that waits longer than x for placement and delivery",
    .lack = lack_of_delays,
    .draw = draw_delays};

gboolean plot_distribution_of_run(const char *run_folder, gboolean delays, const gnuplot_target *target,
                                  GError **error)
{
  g_autofree char *path = g_build_filename(run_folder, "summary.json", NULL);
  summary_record *run = summary_read_json(path, error);
  if (run == NULL) {
    return FALSE;
  }
  gsize count;
  const drawn *of = drawn_of(delays, &count);
  GPtrArray *curves = g_ptr_array_new_with_free_func(share_curve_free);
  for (guint k = 0; k < count; k++) {
    distribution samples;
    distribution_copy(&samples, &run->distributions[of[k].id]);
    add_curve(curves, "", &of[k], &samples, 0, count > 1 ? k + 1 : 0);
  }
  g_autofree char *subtitle = plot_occupancy_subtitle(run);
  gboolean good =
      draw(curves, delays, run->title, subtitle, delays ? "delays" : "distribution", target, error);
  g_ptr_array_unref(curves);
  summary_record_free(run);
  return good;
}
