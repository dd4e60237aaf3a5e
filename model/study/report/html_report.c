/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_report.h"

#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "study/plot/gnuplot.h"
#include "study/report/html.h"
#include "study/report/report_page.h"

static void append_title(report_page *report)
{
  html_append_text(report->html, report->title);
}

/* Appends the scenario, the seeds, the program, and how much there is of what. */
static void append_facts(report_page *report)
{
  const study_table *table = report->table;
  const guint points = report->points->len, runs = table->all.count;
  const provenance *first = ((const stored_provenance *)g_ptr_array_index(table->all.origins, 0))->origin;
  g_autofree char *seeds = report->empty == NULL ? study_table_seeds(table) : g_strdup("nothing to compare");
  g_autofree char *partial = study_table_partial(table);
  html_append(report->html, "scenario %s · %s · iwarpsim %s · %u %s · %u %s%s%s",
              *table->names != '\0' ? table->names : first->name, seeds,
              *table->versions != '\0' ? table->versions : first->version, points,
              units_counted(points, "points"), runs, units_counted(runs, "runs"),
              *partial != '\0' ? " · " : "", partial);
}

/* This is what report.html names, in the order in which it is made: the definitions explain the asterisks of
 * what comes before them. */
static const struct part {
  const char *name;
  void (*append)(report_page *report); /* appends nothing where the study has nothing of the kind */
} parts[] = {{"title", append_title},
             {"facts", append_facts},
             {"question", report_append_question},
             {"answer", report_append_answer},
             {"plots", report_append_plots},
             {"results", report_append_results},
             {"differences", report_append_pairs},
             {"flags", report_append_flags},
             {"definitions", report_append_definitions},
             {"parameters", report_append_parameters},
             {"scenario", report_append_scenario},
             {"provenance", report_append_provenance},
             {"reproduce", report_append_commands}};

/* Returns the `template` with the parts in their places. Free with g_free(). */
static char *fill(report_page *report, const char *template)
{
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) pieces = g_strsplit(template, "@", -1); /* every second one is a name */
  GString *page = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    report->html = g_string_new(NULL);
    parts[i].append(report);
    g_string_append(report->html, report->html->len == 0 && parts[i].append != report_append_definitions
                                      ? "<p class=\"note\">There are none.</p>\n"
                                      : "");
    g_ptr_array_add(made, g_string_free(report->html, FALSE));
  }
  for (gsize i = 0; pieces[i] != NULL; i++) {
    gsize k = 0;
    while (i % 2 == 1 && k < made->len && strcmp(parts[k].name, pieces[i]) != 0) {
      k++;
    }
    g_string_append(page, i % 2 == 0 ? pieces[i] : k < made->len ? g_ptr_array_index(made, k) : "");
  }
  return g_string_free(page, FALSE);
}

char *html_report_make(result_store *store, const html_report_options *options, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  g_autofree char *script = style != NULL ? gnuplot_template("report.js", error) : NULL;
  g_autofree char *template = script != NULL ? gnuplot_template("report.html", error) : NULL;
  g_autoptr(study_table) table = template != NULL ? study_table_read(store, options->exclude, error) : NULL;
  if (table == NULL) {
    return NULL;
  }
  if (table->all.count == 0) {
    error_set(error, "%s: no runs in this store; expected those of a sweep", options->store);
    return NULL;
  }
  g_autoptr(GError) empty = NULL;
  study_table_check(table, options->exclude, &empty);
  g_autoptr(GPtrArray) notes = g_ptr_array_new(), runs = study_table_with_others(table);
  g_autoptr(GArray) keys = result_rows_keys(table, NULL), points = study_table_points(table->runs, keys);
  g_autoptr(GArray) pairings = g_array_new(FALSE, FALSE, sizeof(result_pairing));
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(report_column));
  g_array_set_clear_func(pairings, (GDestroyNotify)result_pairing_clear);
  g_autoptr(scenario) none = scenario_new_without_file("defaults.cfg", NULL, NULL);
  g_autofree char *store_name = g_path_get_basename(options->store);
  g_autofree char *file_name = g_path_get_basename(options->page);
  char *defaults[SCENARIO_KEY_COUNT];
  run_identity_texts(none, defaults);
  const provenance *first = ((const stored_provenance *)g_ptr_array_index(table->all.origins, 0))->origin;
  report_page report = {.title = *table->title != '\0'   ? table->title
                                 : *table->names != '\0' ? table->names
                                                         : first->name,
                        .store = store_name,
                        .file = file_name,
                        .version = options->version,
                        .exclude = options->exclude,
                        .table = table,
                        .empty = empty != NULL ? empty->message : NULL,
                        .runs = runs,
                        .defaults = defaults,
                        .keys = keys,
                        .points = points,
                        .pairings = pairings,
                        .columns = columns,
                        .notes = notes};
  if (empty == NULL) {
    report_page_measure(&report);
  }
  g_autofree char *body = fill(&report, template);
  run_identity_clear(defaults);
  if (report.error != NULL) {
    g_propagate_error(error, report.error);
    return NULL;
  }
  return html_page(style, script, report.title, "iwarpsim report", body);
}
