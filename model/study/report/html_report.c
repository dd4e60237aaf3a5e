/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_report.h"

#include "base/error.h"
#include "base/units.h"
#include "study/plot/gnuplot.h"
#include "study/report/html.h"
#include "study/report/report_page.h"

static const struct section {
  const char *id;
  const char *title;
  gboolean needs_runs;                 /* to compare */
  void (*append)(report_page *report); /* appends nothing where the study has nothing of the kind */
} sections[] = {
    {"question", "Question", FALSE, report_append_question},
    {"answer", "Answer", FALSE, report_append_answer},
    {"plots", "Plots", TRUE, report_append_plots},
    {"results", "Results", TRUE, report_append_results},
    {"differences", "Paired differences", TRUE, report_append_pairs},
    {"flags", "Flags", FALSE, report_append_flags},
    {"definitions", "Definitions", TRUE, report_append_definitions},
    {"parameters", "Parameters", FALSE, report_append_parameters},
    {"scenario", "Scenario", FALSE, report_append_scenario},
    {"provenance", "Provenance", FALSE, report_append_provenance},
    {"reproduce", "Make it again", FALSE, report_append_commands},
};

/* Appends the sections, and to `contents` an item for each, with its figures. */
static void append_sections(report_page *report, GString *contents)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
    const struct section *section = &sections[i];
    const gsize start = report->html->len;
    html_append(report->html,
                "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                section->id, section->id, section->id, section->title);
    const gsize empty = report->html->len;
    if (report->empty == NULL || !section->needs_runs) {
      section->append(report);
    }
    if (report->html->len == empty) {
      g_string_truncate(report->html, start);
      continue;
    }
    g_string_append(report->html, "</section>\n");
    html_append(contents, "<li><a href=\"#%s\">%s</a>", section->id, section->title);
    if (section->append == report_append_plots) {
      g_string_append(contents, "<ul>\n");
      for (guint figure = 1; figure <= report->figures; figure++) {
        html_append(contents, "<li><a href=\"#figure-%u\">Figure %u</a></li>\n", figure, figure);
      }
      g_string_append(contents, "</ul>");
    }
    g_string_append(contents, "</li>\n");
  }
}

/* The page: title, scenario, seeds, program, where is what, and the sections. Free with g_free(). */
static char *page_of(report_page *report, const char *style, const char *script)
{
  const study_table *table = report->table;
  const guint points = report->points->len, runs = table->all.count;
  const provenance *first = ((const stored_provenance *)g_ptr_array_index(table->all.origins, 0))->origin;
  const char *names = *table->names != '\0' ? table->names : first->name;
  const char *versions = *table->versions != '\0' ? table->versions : first->version;
  const char *title = *table->title != '\0' ? table->title : names;
  g_autofree char *seeds = report->empty == NULL ? study_table_seeds(table) : g_strdup("nothing to compare");
  g_autofree char *partial = study_table_partial(table);
  g_autoptr(GString) contents = g_string_new(NULL);
  GString *page = g_string_new(NULL);
  append_sections(report, contents);
  html_append_head(page, style, script, title, "iwarpsim report");
  g_string_append(page, "<body>\n");
  html_append(page,
              "<header>\n<p class=\"eyebrow\">iwarpsim report</p>\n<h1>%s</h1>\n"
              "<p class=\"facts\">scenario %s · %s · iwarpsim %s · %u %s · %u %s%s%s</p>\n",
              title, names, seeds, versions, points, units_counted(points, "points"), runs,
              units_counted(runs, "runs"), *partial != '\0' ? " · " : "", partial);
  g_string_append_printf(page,
                         "<nav aria-label=\"Contents\"><ul>\n%s</ul></nav>\n</header>\n<main>\n%s</main>\n"
                         "<script>%s</script>\n</body>\n</html>\n",
                         contents->str, report->html->str, script);
  return g_string_free(page, FALSE);
}

char *html_report_make(result_store *store, const html_report_options *options, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  g_autofree char *script = style != NULL ? gnuplot_template("report.js", error) : NULL;
  g_autoptr(study_table) table = script != NULL ? study_table_read(store, options->exclude, error) : NULL;
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
  g_array_set_clear_func(pairings, (GDestroyNotify)result_pairing_clear);
  g_autoptr(scenario) none = scenario_new_without_file("defaults.cfg", NULL, NULL);
  g_autoptr(GString) html = g_string_new(NULL);
  g_autofree char *store_name = g_path_get_basename(options->store);
  g_autofree char *file_name = g_path_get_basename(options->page);
  char *defaults[SCENARIO_KEY_COUNT];
  run_identity_texts(none, defaults);
  report_page report = {.html = html,
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
                        .notes = notes};
  if (empty == NULL) {
    report_page_measure(&report);
  }
  g_autofree char *page = page_of(&report, style, script);
  run_identity_clear(defaults);
  if (report.error != NULL) {
    g_propagate_error(error, report.error);
    return NULL;
  }
  return g_steal_pointer(&page);
}
