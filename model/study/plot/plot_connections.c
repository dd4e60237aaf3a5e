#include "study/plot/plot_connections.h"

#include <string.h>

#include "study/plot/line_chart.h"

static const struct {
  metric_id metric;
  const char *label;
} formulas[] = {
    {METRIC_THEORY_BUFFER_TCP_OCTETS, "BufferSizeTCP = K·rate·delay"},
    {METRIC_THEORY_BUFFER_NAF_OCTETS, "BufferSizeNAF = K1·EMSS·n + K2·EMSS"},
    {METRIC_THEORY_BUFFER_AF_OCTETS, "BufferSizeAF = K2·EMSS"},
};

/* A formula along one line of the grouping. */
typedef struct curve {
  guint panel;
  guint line;
  GArray *places; /* double */
  GArray *values; /* double */
} curve;

static void clear_curve(gpointer data)
{
  g_array_unref(((curve *)data)->places);
  g_array_unref(((curve *)data)->values);
}

static void add_to_curve(const line_chart *chart, const plot_cell *cell, metric_id metric, curve *c)
{
  statistics of = study_table_statistics(cell->runs, metric);
  if (of.count > 0) {
    double place = g_array_index(chart->x.places, double, place_axis_index(&chart->x, cell->x));
    g_array_append_val(c->places, place);
    g_array_append_val(c->values, of.mean);
  }
}

/* The curves of `metric`: curve, one a line of a panel. */
static GArray *curves_of(const line_chart *chart, metric_id metric)
{
  GArray *curves = g_array_new(FALSE, FALSE, sizeof(curve));
  g_array_set_clear_func(curves, clear_curve);
  for (guint i = 0; i < chart->groups.cells->len; i++) {
    const plot_cell *cell = &g_array_index(chart->groups.cells, plot_cell, i);
    curve *last = curves->len > 0 ? &g_array_index(curves, curve, curves->len - 1) : NULL;
    if (last == NULL || last->panel != cell->panel || last->line != cell->line) {
      curve next = {.panel = cell->panel,
                    .line = cell->line,
                    .places = g_array_new(FALSE, FALSE, sizeof(double)),
                    .values = g_array_new(FALSE, FALSE, sizeof(double))};
      g_array_append_val(curves, next);
      last = &g_array_index(curves, curve, curves->len - 1);
    }
    add_to_curve(chart, cell, metric, last);
  }
  return curves;
}

static gboolean same_doubles(const GArray *a, const GArray *b)
{
  return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len * sizeof(double)) == 0);
}

static gboolean same_curve(const curve *a, const curve *b)
{
  return same_doubles(a->places, b->places) && same_doubles(a->values, b->values);
}

/* Whether a curve before `index` draws the same line in the same panel. */
static gboolean is_drawn(const GArray *curves, guint index)
{
  const curve *c = &g_array_index(curves, curve, index);
  for (guint i = 0; i < index; i++) {
    const curve *other = &g_array_index(curves, curve, i);
    if (other->panel == c->panel && same_curve(other, c)) {
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean all_same(const GArray *curves)
{
  for (guint i = 1; i < curves->len; i++) {
    if (!same_curve(&g_array_index(curves, curve, 0), &g_array_index(curves, curve, i))) {
      return FALSE;
    }
  }
  return TRUE;
}

static void add_formula(line_chart *chart, metric_id metric, const char *name)
{
  g_autoptr(GArray) curves = curves_of(chart, metric);
  gboolean one = all_same(curves);
  for (guint i = 0; i < curves->len; i++) {
    const curve *c = &g_array_index(curves, curve, i);
    if (is_drawn(curves, i) || c->values->len == 0) {
      continue;
    }
    const char *line = g_ptr_array_index(chart->groups.lines, c->line);
    g_autofree char *label = one ? g_strdup(name) : g_strdup_printf("%s (%s)", name, line);
    line_chart_add_reference(chart, c->panel, -1, label, (const double *)(gpointer)c->places->data,
                             (const double *)(gpointer)c->values->data, c->values->len);
  }
}

static gboolean processed(const study_table *table)
{
  for (guint i = 0; i < table->runs->len; i++) {
    const metric_values *metrics = &((const study_run *)g_ptr_array_index(table->runs, i))->metrics;
    if (metrics->present[METRIC_BUFFER_PEAK_OCTETS_PROCESSING] &&
        metrics->value[METRIC_BUFFER_PEAK_OCTETS_PROCESSING] > 0) {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean plot_connections_draw(const study_table *table, const char *stem, const gnuplot_target *target,
                               GError **error)
{
  const metric_id peak = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS;
  const metric_id processing = METRIC_BUFFER_PEAK_OCTETS_PROCESSING;
  line_chart *chart =
      line_chart_new(table, plot_grouping_of(table, SCENARIO_WORKLOAD_CONNECTIONS, FALSE), TRUE);
  line_chart_add(chart, LINE_MAIN, "reassembly", line_chart_metric, &peak);
  if (processed(table)) {
    line_chart_add(chart, LINE_COMPANION, "processing", line_chart_metric, &processing);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(formulas); i++) {
    add_formula(chart, formulas[i].metric, formulas[i].label);
  }
  gboolean good =
      line_chart_draw(chart, "peak occupancy", "octets", VALUE_SCALE_LOGARITHMIC, stem, target, error);
  line_chart_free(chart);
  return good;
}
