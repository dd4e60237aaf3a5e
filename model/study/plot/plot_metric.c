#include "study/plot/plot_metric.h"

#include "study/plot/line_chart.h"

gboolean plot_metric_draw(const study_table *table, metric_id metric, const char *stem,
                          const gnuplot_target *target, GError **error)
{
  const metric_row *row = metric_row_of(metric);
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, plot_grouping_x(table), FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, row->name, line_chart_metric, &metric);
  gboolean good = line_chart_draw(chart, row->name, row->unit, VALUE_SCALE_FITTING, stem, target, error);
  line_chart_free(chart);
  return good;
}

gboolean plot_peak_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                        GError **error)
{
  const metric_id peak = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, p99 = METRIC_BUFFER_REASSEMBLY_P99_OCTETS;
  line_chart *chart = line_chart_new(table, plot_grouping_of(table, plot_grouping_x(table), FALSE), FALSE);
  line_chart_add(chart, LINE_MAIN, "peak", line_chart_metric, &peak);
  line_chart_add(chart, LINE_COMPANION, "p99 of the time", line_chart_metric, &p99);
  gboolean good =
      line_chart_draw(chart, "reassembly occupancy", "octets", VALUE_SCALE_FITTING, stem, target, error);
  line_chart_free(chart);
  return good;
}
