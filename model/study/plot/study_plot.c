/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/plot/study_plot.h"

#include <string.h>

#include "base/error.h"
#include "study/plot/plot_runs.h"

const study_plot *const study_plots[] = {
#define ELEMENT(plot) &(plot),
    STUDY_PLOTS(ELEMENT)
#undef ELEMENT
        NULL};

const study_plot *study_plot_find(const char *name)
{
  const study_plot *const *plot = study_plots;
  while (*plot != NULL && strcmp((*plot)->name, name) != 0) {
    plot++;
  }
  return *plot;
}

gboolean study_plot_fits(const study_table *table, const study_plot *plot, GError **error)
{
  return plot->has == NULL || plot->has(table, plot) ||
         error_set(error, "plot %s needs %s", plot->name, plot->needs);
}

GPtrArray *study_plots_for(const study_table *table)
{
  static const study_plot *const special[] = {&plot_memory, &plot_connections, &plot_cuts};
  GPtrArray *plots = g_ptr_array_new();
  for (gsize i = 0; i < G_N_ELEMENTS(special); i++) {
    if (study_plot_fits(table, special[i], NULL)) {
      g_ptr_array_add(plots, (gpointer)special[i]);
    }
  }
  gboolean loss = plot_grouping_varies(table, SCENARIO_PATH_FORWARD_LOSS);
  gboolean mtu = plot_grouping_varies(table, SCENARIO_PATH_FORWARD_MTU);
  const study_plot *general = study_plot_fits(table, &plot_peak, NULL) ? &plot_peak : &plot_distribution;
  if ((plots->len == 0 && study_plot_fits(table, general, NULL)) || loss) {
    g_ptr_array_add(plots, (gpointer)general);
  }
  if (loss && mtu) {
    g_ptr_array_add(plots, (gpointer)&plot_heat_map);
  }
  return plots;
}

gboolean study_plot_draw(const study_table *table, const study_plot *plot, const plot_request *request,
                         const char *stem, const gnuplot_target *target, GError **error)
{
  g_autofree char *quantity = request->quantity != NULL ? result_quantity_name(request->quantity) : NULL;
  g_autofree char *name =
      g_strjoin("-", stem, plot == &plot_metric && quantity != NULL ? quantity : plot->name,
                plot == &plot_metric ? NULL : quantity, NULL);
  g_autofree char *safe_name = gnuplot_file_stem(name);
  return study_plot_fits(table, plot, error) && plot->draw(table, plot, request, safe_name, target, error);
}

/* Returns the run in `folder`, as a study of its own: by its summary.json and, if they are there, the tables
 * of its messages. */
static study_table *read_run(const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename(folder, "summary.json", NULL);
  static const char *const tables[] = {"message_classes.csv", "message_times.csv"};
  g_autoptr(GString) texts = g_string_new("");
  g_autoptr(summary_record) record = summary_read_json(path, error);
  if (record == NULL) {
    return NULL;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    g_autofree char *file = g_build_filename(folder, tables[i], NULL), *text = NULL;
    if (g_file_get_contents(file, &text, NULL, NULL)) {
      g_string_append_printf(texts, "%s%s", texts->len > 0 ? "\n" : "", text);
    }
  }
  if (texts->len > 0) {
    run_results_set_tables(&record->results, texts->str, "");
  }
  const provenance from = {.name = record->name,
                           .title = record->title,
                           .axes = (char *)"",
                           .sets = (char *)"",
                           .text = (char *)"",
                           .libraries = (char *)"",
                           .version = record->version,
                           .git = record->git != NULL ? record->git : (char *)"unknown"};
  stored_run run = {.status = RUN_OK, /* how it ended does not matter here */
                    .results = record->results,
                    .message = record->message,
                    .stderr_tail = (char *)"",
                    .engine = record->engine,
                    .host = (char *)"",
                    .started = (char *)""};
  memcpy(run.keys, record->keys, sizeof record->keys);
  return study_table_of_run(&from, &run, error);
}

gboolean study_plot_draw_run(const char *run_folder, const study_plot *plot, const plot_request *request,
                             const gnuplot_target *target, GError **error)
{
  g_autoptr(study_table) table = read_run(run_folder, error);
  return table != NULL && study_plot_fits(table, plot, error) &&
         plot->draw(table, plot, request, plot->name, target, error);
}
