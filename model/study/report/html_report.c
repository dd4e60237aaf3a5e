/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_report.h"

#include "base/error.h"
#include "study/plot/gnuplot.h"
#include "study/report/html.h"
#include "study/report/report_answer.h"
#include "study/report/report_figures.h"
#include "study/report/report_results.h"
#include "study/report/report_runs.h"
#include "study/report/report_sketch.h"
#include "study/report/scenario_question.h"

/* The title of the page: the scenario's, or its name when it has none. */
static const char *title_of(const report_page *report)
{
  const char *title = report->first->title;
  return title != NULL && *title != '\0' ? title : report->first->name;
}

/* As a Content-Security-Policy names what it admits. Free with g_free(). */
static char *hash_of(const char *text)
{
  guint8 digest[32];
  gsize octets = sizeof digest;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)text, -1);
  g_checksum_get_digest(checksum, digest, &octets);
  return g_base64_encode(digest, octets);
}

/* The head, whose policy forbids to fetch anything, and admits `script` alone and `style` alone, each by its
 * hash. */
static void append_head(report_page *report, const char *style, const char *script)
{
  g_autofree char *style_hash = hash_of(style), *script_hash = hash_of(script);
  html_append(
      report->html,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
      "script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"iwarpsim\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>%s – iwarpsim report</title>\n<style>",
      style_hash, script_hash, title_of(report));
  g_string_append_printf(report->html, "%s</style>\n</head>\n<body>\n", style);
}

static void append_question(report_page *report)
{
  for (guint i = 0; i < report->totals->origins->len; i++) {
    const stored_provenance *of = g_ptr_array_index(report->totals->origins, i);
    scenario_question question = scenario_question_of(of->origin->text);
    gboolean asks = *question.question != '\0';
    html_append(report->html, "<p class=\"%s\">%s</p>\n", asks ? "question" : "note",
                asks ? question.question : "The scenario's text does not say what it asks.");
    if (*question.expected != '\0') {
      html_append(report->html, "<p class=\"note\"><b>Expected:</b> %s</p>\n", question.expected);
    }
    scenario_question_clear(&question);
  }
}

/* --- The page --- */

static void append_figures(report_page *report)
{
  g_string_append_len(report->html, report->figures->str, (gssize)report->figures->len);
}

static gboolean has_table(const report_page *report)
{
  return report->table != NULL;
}

static gboolean has_pairings(const report_page *report)
{
  return report->pairings->len > 0;
}

static const struct section {
  const char *id;
  const char *title;
  gboolean (*stands)(const report_page *report); /* whether this report has it; NULL: any */
  void (*append)(report_page *report);
} sections[] = {
    {"question", "Question", NULL, append_question},
    {"answer", "Answer", NULL, report_append_answer},
    {"path", "Path", NULL, report_append_sketch},
    {"plots", "Plots", has_table, append_figures},
    {"results", "Results", has_table, report_append_results},
    {"differences", "Paired differences", has_pairings, report_append_pairs},
    {"flags", "Flags", NULL, report_append_flags},
    {"definitions", "Definitions", has_table, report_append_definitions},
    {"parameters", "Parameters", NULL, report_append_parameters},
    {"scenario", "Scenario", NULL, report_append_scenario},
    {"provenance", "Provenance", NULL, report_append_provenance},
    {"reproduce", "Make it again", NULL, report_append_commands},
};

/* Title, scenario, seeds, program, and where in the page is what. */
static void append_heading(report_page *report)
{
  const guint runs = report->totals->count;
  html_append(report->html, "<header>\n<p class=\"eyebrow\">iwarpsim report</p>\n<h1>%s</h1>\n",
              title_of(report));
  if (report->table != NULL) {
    g_autofree char *seeds = study_table_seeds(report->table);
    html_append(report->html,
                "<p class=\"facts\">scenario %s · %s · iwarpsim %s · %u point%s · %u run%s</p>\n",
                report->table->names, seeds, report->table->versions, report->points->len,
                report->points->len == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
  } else {
    html_append(report->html, "<p class=\"facts\">scenario %s · iwarpsim %s · %u runs</p>\n",
                report->first->name, report->first->version, runs);
  }
  g_string_append(report->html, "<nav aria-label=\"Contents\"><ul>\n");
  for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
    const struct section *section = &sections[i];
    if (section->stands == NULL || section->stands(report)) {
      html_append(report->html, "<li><a href=\"#%s\">%s</a>", section->id, section->title);
      if (section->append == append_figures) {
        g_string_append(report->html, "<ul>\n");
        for (guint figure = 1; figure <= report->figure_count; figure++) {
          html_append(report->html, "<li><a href=\"#figure-%u\">Figure %u</a></li>\n", figure, figure);
        }
        g_string_append(report->html, "</ul>");
      }
      g_string_append(report->html, "</li>\n");
    }
  }
  g_string_append(report->html, "</ul></nav>\n</header>\n");
}

static void append_sections(report_page *report)
{
  g_string_append(report->html, "<main>\n");
  for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
    const struct section *section = &sections[i];
    if (section->stands == NULL || section->stands(report)) {
      html_append(report->html,
                  "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                  section->id, section->id, section->id, section->title);
      section->append(report);
      g_string_append(report->html, "</section>\n");
    }
  }
  g_string_append(report->html, "</main>\n");
}

/* The axes that the scenario names, for a store without a run to compare. */
static GArray *named_keys(const provenance *first)
{
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  g_auto(GStrv) names = g_strsplit(first->axes, "\n", -1);
  for (gsize i = 0; names[i] != NULL; i++) {
    scenario_key key = scenario_key_find(names[i]);
    if (key < SCENARIO_KEY_COUNT && key != SCENARIO_RUN_SEED) {
      g_array_append_val(keys, key);
    }
  }
  return keys;
}

/* FALSE and `error` when a plot cannot be drawn, or style or script cannot be read. */
static gboolean append_page(report_page *report, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  g_autofree char *script = style != NULL ? gnuplot_template("report.js", error) : NULL;
  if (script == NULL || (report->table != NULL && !report_draw(report, error))) {
    return FALSE;
  }
  append_head(report, style, script);
  append_heading(report);
  append_sections(report);
  g_string_append_printf(report->html, "<script>%s</script>\n</body>\n</html>\n", script);
  return TRUE;
}

/* The runs that the page describes: of `table` (NULL: none), and some of those that did not end ok. */
static GPtrArray *described_runs(const study_table *table, const store_summary *totals)
{
  GPtrArray *runs = g_ptr_array_new();
  if (table != NULL) {
    g_ptr_array_extend(runs, table->runs, NULL, NULL);
  }
  for (guint i = 0; i < MIN(totals->others->len, REPORT_DESCRIBED_MAX); i++) {
    g_ptr_array_add(runs, g_ptr_array_index(totals->others, i));
  }
  return runs;
}

char *html_report_make(result_store *store, const html_report_options *options, GError **error)
{
  g_autoptr(GError) problem = NULL;
  g_autoptr(study_table) read = study_table_read(store, options->exclude, error);
  if (read == NULL) {
    return NULL;
  }
  const store_summary *totals = &read->all;
  if (totals->count == 0) {
    error_set(error, "%s: no runs in this store; expected those of a sweep", options->store);
    return NULL;
  }
  const study_table *table = study_table_check(read, options->exclude, &problem) ? read : NULL;
  const provenance *first = ((const stored_provenance *)g_ptr_array_index(totals->origins, 0))->origin;
  g_autoptr(GArray) keys = table != NULL ? study_table_keys(table) : named_keys(first);
  g_autoptr(GArray) points = table != NULL ? study_table_points(table->runs, keys) : NULL;
  g_autoptr(GArray) pairings = g_array_new(FALSE, FALSE, sizeof(result_pairing));
  g_autoptr(GPtrArray) notes = g_ptr_array_new(), runs = described_runs(table, totals);
  g_autoptr(scenario) none = scenario_new_without_file("defaults.cfg", NULL, NULL);
  char *defaults[SCENARIO_KEY_COUNT];
  g_autoptr(GString) figures = g_string_new(NULL), html = g_string_new(NULL);
  g_autofree char *store_name = g_path_get_basename(options->store);
  g_autofree char *file_name = g_path_get_basename(options->page);
  run_identity_texts(none, defaults);
  report_page report = {.html = html,
                        .store = store_name,
                        .file = file_name,
                        .version = options->version,
                        .exclude = options->exclude,
                        .totals = totals,
                        .first = first,
                        .table = table,
                        .empty = table == NULL ? problem->message : "",
                        .runs = runs,
                        .defaults = defaults,
                        .keys = keys,
                        .points = points,
                        .pairings = pairings,
                        .figures = figures,
                        .notes = notes};
  g_array_set_clear_func(pairings, (GDestroyNotify)result_pairing_clear);
  if (table != NULL) {
    report_page_measure(&report);
  }
  gboolean good = append_page(&report, error);
  run_identity_clear(defaults);
  return good ? g_string_free(g_steal_pointer(&html), FALSE) : NULL;
}
