#include "study/plot/study_plot.h"

#include <string.h>

#include "study/plot/gnuplot_text.h"
#include "study/plot/plot_connections.h"
#include "study/plot/plot_cuts.h"
#include "study/plot/plot_distribution.h"
#include "study/plot/plot_grouping.h"
#include "study/plot/plot_heat_map.h"
#include "study/plot/plot_memory.h"
#include "study/plot/plot_metric.h"

GQuark study_plot_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-study-plot-error");
}

static const study_plot_row rows[STUDY_PLOT_KINDS] = {
    [STUDY_PLOT_PEAK] = {"peak",
                         "peak and p99 of the reassembly occupancy against loss, or what else the runs vary"},
    [STUDY_PLOT_HEAT_MAP] =
        {"heat-map",
         "peak of the reassembly occupancy over two keys that the runs vary, such as loss and MTU"},
    [STUDY_PLOT_DISTRIBUTION] = {"distribution", "share of the time with a reassembly occupancy above x"},
    [STUDY_PLOT_MEMORY] = {"memory", "goodput against receiver.memory"},
    [STUDY_PLOT_CONNECTIONS] =
        {"connections",
         "peak occupancy against workload.connections, with the formulas of mpa-01 section 11"},
    [STUDY_PLOT_CUTS] = {"cuts", "fraction placed directly against the size of a middlebox's cuts"},
    [STUDY_PLOT_DELAYS] = {"delays",
                           "share of the payload that waits longer than x for placement and delivery"},
    [STUDY_PLOT_METRIC] = {"metric", "any metric (--metric NAME) against what varies"},
};

const study_plot_row *study_plot_row_of(study_plot_kind kind)
{
  g_assert(kind < STUDY_PLOT_KINDS);
  return &rows[kind];
}

study_plot_kind study_plot_find(const char *name)
{
  study_plot_kind kind = 0;
  while (kind < STUDY_PLOT_KINDS && strcmp(rows[kind].name, name) != 0) {
    kind++;
  }
  return kind;
}

/* What `kind` lacks in `table`, "runs with …"; NULL: nothing. */
static const char *lack_of(const study_table *table, study_plot_kind kind)
{
  scenario_key x, y;
  switch (kind) {
  case STUDY_PLOT_PEAK:
  case STUDY_PLOT_METRIC:
  case STUDY_PLOT_KINDS:
    return NULL;
  case STUDY_PLOT_HEAT_MAP:
    return plot_heat_map_keys(table, &x, &y) ? NULL : "two keys that vary";
  case STUDY_PLOT_DISTRIBUTION:
    return plot_distribution_fits(table, FALSE) ? NULL : "runs with samples of the occupancy";
  case STUDY_PLOT_DELAYS:
    return plot_distribution_fits(table, TRUE) ? NULL : "runs with samples of a delay";
  case STUDY_PLOT_MEMORY:
    return plot_grouping_varies(table, SCENARIO_RECEIVER_MEMORY) ? NULL : "runs that vary receiver.memory";
  case STUDY_PLOT_CONNECTIONS:
    return plot_grouping_varies(table, SCENARIO_WORKLOAD_CONNECTIONS) ? NULL
                                                                      : "runs that vary workload.connections";
  case STUDY_PLOT_CUTS:
    return plot_cuts_key(table) < SCENARIO_KEY_COUNT
               ? NULL
               : "runs that vary middlebox.chunk, .split_size, .random_maximum or .random_minimum";
  }
  return NULL;
}

gboolean study_plot_fits(const study_table *table, study_plot_kind kind, GError **error)
{
  const char *lack = lack_of(table, kind);
  if (lack != NULL) {
    g_set_error(error, STUDY_PLOT_ERROR, STUDY_PLOT_ERROR_UNFIT, "plot %s needs %s", rows[kind].name, lack);
  }
  return lack == NULL;
}

GArray *study_plot_kinds_for(const study_table *table)
{
  static const study_plot_kind special[] = {STUDY_PLOT_MEMORY, STUDY_PLOT_CONNECTIONS, STUDY_PLOT_CUTS};
  GArray *kinds = g_array_new(FALSE, FALSE, sizeof(study_plot_kind));
  for (gsize i = 0; i < G_N_ELEMENTS(special); i++) {
    if (lack_of(table, special[i]) == NULL) {
      g_array_append_val(kinds, special[i]);
    }
  }
  const study_plot_kind peak = STUDY_PLOT_PEAK, map = STUDY_PLOT_HEAT_MAP;
  gboolean loss = plot_grouping_varies(table, SCENARIO_PATH_FORWARD_LOSS);
  gboolean mtu = plot_grouping_varies(table, SCENARIO_PATH_FORWARD_MTU);
  if (kinds->len == 0 || loss) {
    g_array_append_val(kinds, peak);
  }
  if (loss && mtu) {
    g_array_append_val(kinds, map);
  }
  return kinds;
}

static gboolean draw_as(const study_table *table, study_plot_kind kind, metric_id metric, const char *name,
                        const gnuplot_target *target, GError **error)
{
  switch (kind) {
  case STUDY_PLOT_PEAK:
    return plot_peak_draw(table, name, target, error);
  case STUDY_PLOT_HEAT_MAP:
    return plot_heat_map_draw(table, name, target, error);
  case STUDY_PLOT_DISTRIBUTION:
    return plot_distribution_draw(table, FALSE, name, target, error);
  case STUDY_PLOT_DELAYS:
    return plot_distribution_draw(table, TRUE, name, target, error);
  case STUDY_PLOT_MEMORY:
    return plot_memory_draw(table, name, target, error);
  case STUDY_PLOT_CONNECTIONS:
    return plot_connections_draw(table, name, target, error);
  case STUDY_PLOT_CUTS:
    return plot_cuts_draw(table, name, target, error);
  case STUDY_PLOT_METRIC:
    return plot_metric_draw(table, metric, name, target, error);
  case STUDY_PLOT_KINDS:
    break;
  }
  g_assert_not_reached();
}

gboolean study_plot_draw(const study_table *table, study_plot_kind kind, metric_id metric, const char *stem,
                         const gnuplot_target *target, GError **error)
{
  if (!study_plot_fits(table, kind, error)) {
    return FALSE;
  }
  g_autofree char *safe_stem = gnuplot_text_file_stem(stem);
  g_autofree char *name = kind == STUDY_PLOT_METRIC
                              ? g_strdup_printf("%s-%s", safe_stem, metric_row_of(metric)->name)
                              : g_strdup_printf("%s-%s", safe_stem, rows[kind].name);
  return draw_as(table, kind, metric, name, target, error);
}
