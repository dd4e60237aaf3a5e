#include "study/plot/plot_memory.h"

#include "study/plot/line_chart.h"

/* The point of `line` at the word apart; NULL: there is none. */
static const line_point *unlimited_of(const line_chart *chart, const chart_line *line)
{
  const line_point *last = &g_array_index(line->points, line_point, line->points->len - 1);
  guint end = chart->x.places->len - 1;
  return last->place == g_array_index(chart->x.places, double, end) ? last : NULL;
}

static void add_references(line_chart *chart)
{
  guint lines = chart->lines->len;
  for (guint i = 0; i < lines && chart->x.last_apart; i++) {
    const chart_line *line = g_ptr_array_index(chart->lines, i);
    const line_point *unlimited = unlimited_of(chart, line);
    if (unlimited != NULL) {
      const double places[] = {chart->x.left, unlimited->place};
      const double values[] = {unlimited->of.mean, unlimited->of.mean};
      line_chart_add_reference(chart, line->panel, (int)line->style, "the same with unlimited memory", places,
                               values, 2);
    }
  }
}

gboolean plot_memory_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                          GError **error)
{
  const metric_id goodput = METRIC_GOODPUT_BIT_PER_S;
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, SCENARIO_RECEIVER_MEMORY, TRUE), TRUE);
  line_chart_add(chart, LINE_MAIN, "goodput", line_chart_metric, &goodput);
  add_references(chart);
  gboolean good = line_chart_draw(chart, "goodput", "bit/s", VALUE_SCALE_FITTING, stem, target, error);
  line_chart_free(chart);
  return good;
}
