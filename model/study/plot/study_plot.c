/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/study_plot.h"

#include <string.h>

#include "base/error.h"
#include "study/plot/plot_runs.h"

static const study_plot *const plots[STUDY_PLOT_KINDS] = {
#define ELEMENT(kind, plot) [kind] = &(plot),
    STUDY_PLOTS(ELEMENT)
#undef ELEMENT
};

const study_plot *study_plot_of(study_plot_kind kind)
{
  g_assert(kind < STUDY_PLOT_KINDS);
  return plots[kind];
}

study_plot_kind study_plot_find(const char *name)
{
  study_plot_kind kind = 0;
  while (kind < STUDY_PLOT_KINDS && strcmp(plots[kind]->name, name) != 0) {
    kind++;
  }
  return kind;
}

gboolean study_plot_fits(const study_table *table, study_plot_kind kind, GError **error)
{
  const study_plot *plot = plots[kind];
  gboolean fits = plot->has == NULL || plot->has(table, plot);
  if (!fits) {
    error_set(error, "plot %s needs %s", plot->name, plot->needs);
  }
  return fits;
}

GArray *study_plot_kinds_for(const study_table *table)
{
  static const study_plot_kind special[] = {STUDY_PLOT_MEMORY, STUDY_PLOT_CONNECTIONS, STUDY_PLOT_CUTS};
  const study_plot_kind peak = STUDY_PLOT_PEAK, map = STUDY_PLOT_HEAT_MAP;
  GArray *kinds = g_array_new(FALSE, FALSE, sizeof(study_plot_kind));
  for (gsize i = 0; i < G_N_ELEMENTS(special); i++) {
    if (study_plot_fits(table, special[i], NULL)) {
      g_array_append_val(kinds, special[i]);
    }
  }
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

gboolean study_plot_draw(const study_table *table, study_plot_kind kind, metric_id metric, const char *stem,
                         const gnuplot_target *target, GError **error)
{
  const study_plot *plot = plots[kind];
  g_autofree char *safe_stem = gnuplot_file_stem(stem);
  g_autofree char *name = g_strdup_printf(
      "%s-%s", safe_stem, kind == STUDY_PLOT_METRIC ? metric_row_of(metric)->name : plot->name);
  return study_plot_fits(table, kind, error) && plot->draw(table, plot, metric, name, target, error);
}
