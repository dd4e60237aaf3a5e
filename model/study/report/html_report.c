/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/gnuplot.h"
#include "study/plot/plot_runs.h"
#include "study/report/html_report_private.h"

/* The title of the page: the scenario's, or its name when it has none. */
static const char *title_of(const html_report *report)
{
  const char *title = report->first->title;
  return title != NULL && *title != '\0' ? title : report->first->name;
}

/* The head, whose policy forbids to fetch anything and to run scripts, and allows report.css alone as a
 * style, named by its hash. FALSE and `error` (G_FILE_ERROR) when that cannot be read. */
static gboolean append_head(html_report *report, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  if (style == NULL) {
    return FALSE;
  }
  guint8 digest[32];
  gsize digest_octets = sizeof digest;
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_checksum_update(checksum, (const guchar *)style, -1);
  g_checksum_get_digest(checksum, digest, &digest_octets);
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

/* --- The question --- */

/* The text of `line` when it is a comment; NULL. `line` is changed. */
static const char *comment_of(char *line)
{
  const char *text = g_strstrip(line);
  if (*text == '#') {
    return text + strspn(text, "# \t");
  }
  return g_str_has_prefix(text, "//") ? text + strspn(text, "/ \t") : NULL;
}

/* What follows `label` at the start of `text`, whatever its case; NULL when that does not start so. */
static const char *after_label(const char *text, const char *label)
{
  gsize length = strlen(label);
  if (g_ascii_strncasecmp(text, label, length) != 0) {
    return NULL;
  }
  return text + length + strspn(text + length, " \t");
}

scenario_question scenario_question_of(const char *text)
{
  GString *question = g_string_new(NULL), *expected = g_string_new(NULL), *open = NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++) {
    const char *comment = comment_of(lines[i]);
    if (comment == NULL && (*lines[i] != '\0' || open != NULL)) {
      break;
    }
    const char *asked = comment != NULL ? after_label(comment, "Question:") : NULL;
    const char *awaited = comment != NULL ? after_label(comment, "Expected:") : NULL;
    if (asked != NULL || awaited != NULL) {
      open = asked != NULL ? question : expected;
      comment = asked != NULL ? asked : awaited;
    }
    gboolean is_command =
        asked == NULL && awaited == NULL && comment != NULL && g_str_has_prefix(comment, "iwarpsim ");
    if (comment != NULL && open != NULL && !is_command) {
      g_string_append_printf(open, "%s%s", open->len > 0 && *comment != '\0' ? " " : "", comment);
    }
  }
  return (scenario_question){.question = g_string_free(question, FALSE),
                             .expected = g_string_free(expected, FALSE)};
}

void scenario_question_clear(scenario_question *question)
{
  g_clear_pointer(&question->question, g_free);
  g_clear_pointer(&question->expected, g_free);
}

static void append_question(html_report *report)
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

/* --- The answer at a glance: sentences made of the table --- */

/* Appends "1234 ± 35 KiB" standing out, in the unit that suits it. */
static void append_number(const statistics *of, const char *unit, GString *html)
{
  const shown_scale scale = shown_scale_for(unit, of->mean);
  g_auto(shown_number) number = shown_number_of(of->mean, of->half_width, &scale);
  const char *between = *number.half_width != '\0' ? " ± " : "";
  html_append(html, "<strong>%s%s%s %s</strong>", number.value, between, number.half_width, scale.unit);
}

/* Appends " (in-order receiver, loss 1%; 8 runs)". */
static void append_place(const html_report *report, const study_point *point, gsize count, GString *html)
{
  const study_run *run = g_ptr_array_index(point->runs, 0);
  g_autofree char *place = plot_place_words(report->keys, run->keys);
  html_append(html, " (%s%s%u run%s)", place, *place != '\0' ? "; " : "", (guint)count,
              count == 1 ? "" : "s");
}

/* Where the mean of a quantity is largest, and where it is smallest. */
static void append_range(html_report *report, const report_quantity *quantity)
{
  GString *html = report->html;
  const char *unit = html_report_unit(quantity);
  const study_point *largest = NULL, *smallest = NULL;
  statistics of_largest = {0}, of_smallest = {0};
  for (guint i = 0; i < report->points->len; i++) {
    const study_point *point = &g_array_index(report->points, study_point, i);
    statistics of = result_quantity_statistics(&quantity->of, point->runs);
    if (of.count > 0 && (largest == NULL || of.mean > of_largest.mean)) {
      largest = point;
      of_largest = of;
    }
    if (of.count > 0 && (smallest == NULL || of.mean < of_smallest.mean)) {
      smallest = point;
      of_smallest = of;
    }
  }
  if (largest == NULL) {
    return;
  }
  g_string_append_printf(html, "<li>The mean %s is ", quantity->name);
  append_number(&of_largest, unit, html);
  if (of_largest.mean > of_smallest.mean) {
    append_place(report, largest, of_largest.count, html);
    g_string_append(html, " where it is largest, and ");
    append_number(&of_smallest, unit, html);
    append_place(report, smallest, of_smallest.count, html);
    g_string_append(html, " where it is smallest");
  } else if (report->points->len > 1) {
    g_string_append_printf(html, " at all %u points", report->points->len);
  }
  g_string_append(html, ".</li>\n");
}

/* How the pairs of a pairing come out: where the interval of the difference leaves out 0. */
static void append_verdict(html_report *report, const result_pairing *pairing)
{
  GString *html = report->html;
  const report_quantity *peak = &html_report_quantities[0];
  g_autoptr(GArray) rows = result_rows_of(report->table, &peak->of, pairing);
  guint points = 0, more = 0, less = 0; /* points with an interval; where the first value is clearly … */
  const result_row *most = NULL;        /* the one with the difference largest in size */
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count >= 2) {
      points++;
      more += row->of.mean > row->of.half_width;
      less += -row->of.mean > row->of.half_width;
      most = most == NULL || fabs(row->of.mean) > fabs(most->of.mean) ? row : most;
    }
  }
  if (most == NULL) {
    return;
  }
  html_append(html,
              "<li>Over the same seeds, the peak is larger with %s %s than with %s at %u of %u point%s and "
              "smaller at %u, going "
              "by 95 %% intervals of the difference that leave out 0.",
              scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b, more, points,
              points == 1 ? "" : "s", less);
  if (more + less > 0) {
    g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
    g_autofree char *place = plot_place_words(keys, most->first->keys);
    g_string_append(html, " It differs most, by ");
    append_number(&most->of, html_report_unit(peak), html);
    html_append(html, "%s%s.", *place != '\0' ? ", for " : "", place);
  }
  g_string_append(html, "</li>\n");
}

static void append_caveat(html_report *report)
{
  const study_table *table = report->table;
  guint others = report->totals->count - report->totals->by_status[RUN_OK];
  if (table->flagged == 0 && others == 0) {
    return;
  }
  g_string_append(report->html, "<li>To be read with care: ");
  if (table->flagged > 0) {
    g_string_append_printf(report->html, "%u of the %u runs in these numbers have flagged TCP behaviour",
                           table->flagged, table->runs->len);
  }
  if (others > 0) {
    g_string_append_printf(report->html, "%s%u run%s did not end ok", table->flagged > 0 ? "; " : "", others,
                           others == 1 ? "" : "s");
  }
  g_string_append(report->html, " (<a href=\"#flags\">Flags</a>).</li>\n");
}

static void append_answer(html_report *report)
{
  if (report->table == NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n", report->empty);
    return;
  }
  g_string_append(report->html, "<ul class=\"answer\">\n");
  append_range(report, &html_report_quantities[0]);
  for (guint i = 0; i < report->pairings->len; i++) {
    append_verdict(report, &g_array_index(report->pairings, result_pairing, i));
  }
  for (guint i = 2; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i] && !html_report_quantities[i].only_when_varying) {
      append_range(report, &html_report_quantities[i]);
    }
  }
  append_caveat(report);
  g_string_append(report->html, "</ul>\n");
}

/* --- The page --- */

static void append_figures(html_report *report)
{
  g_string_append_len(report->html, report->figures->str, (gssize)report->figures->len);
}

static gboolean has_table(const html_report *report)
{
  return report->table != NULL;
}

static gboolean has_pairings(const html_report *report)
{
  return report->pairings->len > 0;
}

static const struct section {
  const char *id;
  const char *title;
  const char *link;                              /* its name in the contents; NULL: it is not there */
  gboolean (*stands)(const html_report *report); /* whether this report has it; NULL: any */
  void (*append)(html_report *report);
} sections[] = {
    {"question", "Question", NULL, NULL, append_question},
    {"answer", "Answer at a glance", "Answer", NULL, append_answer},
    {"plots", "Plots", NULL, has_table, append_figures},
    {"results", "Results", "Results", has_table, html_report_append_results},
    {"differences", "Paired differences", NULL, has_pairings, html_report_append_pairs},
    {"flags", "Flags", "Flags", NULL, html_report_append_flags},
    {"parameters", "Parameters", "Parameters", NULL, html_report_append_parameters},
    {"scenario", "Scenario", "Scenario", NULL, html_report_append_scenario},
    {"provenance", "Provenance", "Provenance", NULL, html_report_append_provenance},
    {"reproduce", "Make it again", "Make it again", NULL, html_report_append_commands},
};

/* Title, scenario, seeds, program, and where in the page is what. */
static void append_heading(html_report *report)
{
  const guint runs = report->totals->count;
  html_append(report->html, "<header>\n<p class=\"eyebrow\">iwarpsim report</p>\n<h1>%s</h1>\n",
              title_of(report));
  if (report->table != NULL) {
    g_autofree char *seeds = study_table_seeds(report->table);
    html_append(report->html,
                "<p class=\"facts\">scenario %s · %s · iwarpsim %s · %u point%s · %u runs</p>\n",
                report->table->names, seeds, report->table->versions, report->points->len,
                report->points->len == 1 ? "" : "s", runs);
  } else {
    html_append(report->html, "<p class=\"facts\">scenario %s · iwarpsim %s · %u runs</p>\n",
                report->first->name, report->first->version, runs);
  }
  g_string_append(report->html, "<nav aria-label=\"Contents\"><ul>\n");
  for (gsize i = 0; i < G_N_ELEMENTS(sections); i++) {
    const struct section *section = &sections[i];
    if (section->link != NULL && (section->stands == NULL || section->stands(report))) {
      html_append(report->html, "<li><a href=\"#%s\">%s</a></li>\n", section->id, section->link);
    }
  }
  g_string_append(report->html, "</ul></nav>\n</header>\n");
}

static void append_sections(html_report *report)
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
  g_string_append(report->html, "</main>\n</body>\n</html>\n");
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
  g_autoptr(GString) figures = g_string_new(NULL), html = g_string_new(NULL);
  html_report report = {.html = html,
                        .options = options,
                        .totals = totals,
                        .first = first,
                        .table = table,
                        .empty = table == NULL ? problem->message : "",
                        .keys = keys,
                        .points = points,
                        .pairings = pairings,
                        .figures = figures};
  g_array_set_clear_func(pairings, (GDestroyNotify)result_pairing_clear);
  if (table != NULL) {
    html_report_measure(&report);
  }
  if (!append_head(&report, error) || (table != NULL && !html_report_draw(&report, error))) {
    return NULL;
  }
  append_heading(&report);
  append_sections(&report);
  return g_string_free(g_steal_pointer(&html), FALSE);
}
