#include "study/plot/plot_cuts.h"

#include <math.h>

#include "study/plot/line_chart.h"

/* mpa-01 section 5: a marker of 4 octets at every 512th of the stream. */
#define MARKER_SPACING 512.0
#define MARKER_OCTETS 4.0

/* Of the curve that predicts. */
#define CURVE_POINTS 200

scenario_key plot_cuts_key(const study_table *table)
{
  static const scenario_key keys[] = {SCENARIO_MIDDLEBOX_CHUNK, SCENARIO_MIDDLEBOX_SPLIT_SIZE,
                                      SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM, SCENARIO_MIDDLEBOX_RANDOM_MINIMUM};
  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    if (plot_grouping_varies(table, keys[i])) {
      return keys[i];
    }
  }
  return SCENARIO_KEY_COUNT;
}

double plot_cuts_marker_probability(double octets)
{
  return CLAMP((octets - (MARKER_OCTETS - 1)) / MARKER_SPACING, 0, 1);
}

static double fraction_direct(const study_run *run, gconstpointer unused)
{
  (void)unused;
  const metric_values *metrics = &run->metrics;
  gboolean has = metrics->present[METRIC_PLACEMENT_OCTETS] &&
                 metrics->present[METRIC_PLACEMENT_OCTETS_DIRECT] &&
                 metrics->value[METRIC_PLACEMENT_OCTETS] > 0;
  return has ? metrics->value[METRIC_PLACEMENT_OCTETS_DIRECT] / metrics->value[METRIC_PLACEMENT_OCTETS] : NAN;
}

static void add_prediction(line_chart *chart)
{
  chart->note =
      "dashed black: probability that a piece of S octets, cut at a random place, holds a whole marker";
  const place_axis *x = &chart->x;
  double first = g_array_index(x->places, double, x->first_apart ? 1 : 0);
  double last = g_array_index(x->places, double, x->places->len - 1);
  double places[CURVE_POINTS], values[CURVE_POINTS];
  for (guint i = 0; i < CURVE_POINTS; i++) {
    places[i] = first + (last - first) * i / (CURVE_POINTS - 1);
    values[i] = plot_cuts_marker_probability(x->logarithmic ? pow(10, places[i]) : places[i]);
  }
  for (guint panel = 0; panel < chart->groups.panels->len; panel++) {
    line_chart_add_reference(chart, panel, -1, "whole marker in S: min(1, (S−3)/512)", places, values,
                             CURVE_POINTS);
  }
}

gboolean plot_cuts_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                        GError **error)
{
  scenario_key key = plot_cuts_key(table);
  g_assert(key < SCENARIO_KEY_COUNT);
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, key, FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, "payload placed directly", fraction_direct, NULL);
  if (key == SCENARIO_MIDDLEBOX_CHUNK || key == SCENARIO_MIDDLEBOX_SPLIT_SIZE) {
    add_prediction(chart);
  }
  gboolean good =
      line_chart_draw(chart, "fraction placed directly", "1", VALUE_SCALE_SHARE, stem, target, error);
  line_chart_free(chart);
  return good;
}
