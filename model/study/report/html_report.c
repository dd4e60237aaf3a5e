/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib/gstdio.h>
#include <string.h>

#include "scenario/scenario.h"
#include "study/plot/gnuplot.h"
#include "study/report/html_report_private.h"

GQuark html_report_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-html-report-error");
}

void html_report_begin_section(html_report *report, const char *id, const char *title)
{
  html_append(report->html, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
              id, id, id, title);
}

/* The title of the page: the scenario's, or its name when it has none. */
static const char *title_of(const html_report *report)
{
  const summary_provenance *first = g_ptr_array_index(report->totals->origins, 0);
  const provenance *origin = first->origin;
  return origin->title != NULL && *origin->title != '\0' ? origin->title : origin->name;
}

/* The head, whose policy forbids to fetch anything and to run scripts, and allows report.css alone as a style, named by its hash. FALSE
 * and `error` (G_FILE_ERROR) when that cannot be read. */
static gboolean append_head(html_report *report, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  if (style == NULL) {
    return FALSE;
  }
  guint8 digest[32];
  gsize digest_octets = sizeof digest;
  GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)style, -1);
  g_checksum_get_digest(checksum, digest, &digest_octets);
  g_checksum_free(checksum);
  g_autofree char *hash = g_base64_encode(digest, digest_octets);
  html_append(
      report->html,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-%s'; "
      "img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"iwarpsim\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>%s – iwarpsim report</title>\n<style>",
      hash, title_of(report));
  g_string_append_printf(report->html, "%s</style>\n</head>\n<body>\n", style);
  return TRUE;
}

/* Title, scenario, seeds, program, and where in the page is what. */
static void append_heading(html_report *report)
{
  static const struct {
    const char *id;
    const char *title;
  } links[] = {{"answer", "Answer"},          {"results", "Results"},   {"flags", "Flags"},
               {"parameters", "Parameters"},  {"scenario", "Scenario"}, {"provenance", "Provenance"},
               {"reproduce", "Make it again"}};
  const store_summary *totals = report->totals;
  const provenance *first = ((const summary_provenance *)g_ptr_array_index(totals->origins, 0))->origin;
  html_append(report->html, "<header>\n<p class=\"eyebrow\">iwarpsim report</p>\n<h1>%s</h1>\n",
              title_of(report));
  if (report->table != NULL) {
    g_autofree char *seeds = study_table_seeds(report->table);
    html_append(report->html,
                "<p class=\"facts\">scenario %s · %s · iwarpsim %s · %u point%s · %u runs</p>\n",
                report->table->names, seeds, report->table->versions, report->points->len,
                report->points->len == 1 ? "" : "s", totals->count);
  } else {
    html_append(report->html, "<p class=\"facts\">scenario %s · iwarpsim %s · %u runs</p>\n", first->name,
                first->version, totals->count);
  }
  g_string_append(report->html, "<nav aria-label=\"Contents\"><ul>\n");
  for (gsize i = 0; i < G_N_ELEMENTS(links); i++) {
    if (report->table != NULL || strcmp(links[i].id, "results") != 0) {
      html_append(report->html, "<li><a href=\"#%s\">%s</a></li>\n", links[i].id, links[i].title);
    }
  }
  g_string_append(report->html, "</ul></nav>\n</header>\n<main>\n");
}

static gboolean append_page(html_report *report, GError **error)
{
  if (!append_head(report, error)) {
    return FALSE;
  }
  append_heading(report);
  html_report_append_question(report);
  html_report_append_answer(report);
  if (report->table != NULL) {
    if (!html_report_append_figures(report, error)) {
      return FALSE;
    }
    html_report_append_results(report);
    html_report_append_pairs(report);
  }
  html_report_append_flags(report);
  html_report_append_parameters(report);
  html_report_append_scenario(report);
  html_report_append_provenance(report);
  html_report_append_commands(report);
  g_string_append(report->html, "</main>\n</body>\n</html>\n");
  return TRUE;
}

/* Canonical texts of the defaults: those of an empty scenario. */
static gboolean read_defaults(html_report *report, GError **error)
{
  g_autofree char *path = g_build_filename(report->folder, "defaults.cfg", NULL);
  scenario *s = g_file_set_contents(path, "", 0, error) ? scenario_load(path, NULL, error) : NULL;
  for (scenario_key key = 0; s != NULL && key < SCENARIO_KEY_COUNT; key++) {
    report->defaults[key] = scenario_value_text(s, key);
  }
  gboolean good = s != NULL;
  scenario_free(s);
  return good;
}

static void remove_folder(const char *folder)
{
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    (void)g_unlink(path);
  }
  g_clear_pointer(&dir, g_dir_close);
  (void)g_rmdir(folder);
}

/* The axes that the scenario names, for a store without a run to compare. */
static GArray *named_keys(const store_summary *totals)
{
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(scenario_key));
  const summary_provenance *first = g_ptr_array_index(totals->origins, 0);
  g_auto(GStrv) names = g_strsplit(first->origin->axes, "\n", -1);
  for (gsize i = 0; names[i] != NULL; i++) {
    scenario_key key = scenario_key_find(names[i]);
    if (key < SCENARIO_KEY_COUNT && key != SCENARIO_RUN_SEED) {
      g_array_append_val(keys, key);
    }
  }
  return keys;
}

static char *make_page(html_report *report, GError **error)
{
  report->html = g_string_new(NULL);
  report->keys = report->table != NULL ? study_table_keys(report->table) : named_keys(report->totals);
  report->points = report->table != NULL ? study_table_points(report->table, report->keys) : NULL;
  if (report->table != NULL) {
    html_report_measure(report);
  }
  gboolean good = read_defaults(report, error) && append_page(report, error);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(report->defaults[key]);
  }
  g_clear_pointer(&report->points, g_array_unref);
  g_array_unref(report->keys);
  return g_string_free(report->html, !good);
}

static char *make_from(const store_summary *totals, result_store *store, const html_report_options *options,
                       GError **error)
{
  g_autoptr(GError) problem = NULL;
  study_table *table = study_table_read(store, options->exclude, &problem);
  if (table == NULL && !g_error_matches(problem, STUDY_TABLE_ERROR, STUDY_TABLE_ERROR_EMPTY)) {
    g_propagate_error(error, g_steal_pointer(&problem));
    return NULL;
  }
  g_autofree char *folder = g_dir_make_tmp("iwarpsim-report-XXXXXX", error);
  char *page = NULL;
  if (folder != NULL) {
    html_report report = {.options = options, .totals = totals, .table = table, .folder = folder};
    report.empty = table == NULL ? problem->message : "";
    page = make_page(&report, error);
    remove_folder(folder);
  }
  study_table_free(table);
  return page;
}

char *html_report_make(result_store *store, const html_report_options *options, GError **error)
{
  store_summary *totals = store_summary_read(store, error);
  char *page = NULL;
  if (totals != NULL && totals->count == 0) {
    g_set_error(error, HTML_REPORT_ERROR, HTML_REPORT_ERROR_EMPTY,
                "%s: no runs in this store; expected those of a sweep", options->store);
  } else if (totals != NULL) {
    page = make_from(totals, store, options, error);
  }
  store_summary_free(totals);
  return page;
}
