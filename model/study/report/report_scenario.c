/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_scenario.h"

#include <string.h>

#include "scenario/configuration.h"
#include "study/report/html.h"
#include "study/report/report_page.h"

/* --- The question --- */

void scenario_question_of(const char *text, char **question, char **expected)
{
  g_autoptr(GRegex) comment = g_regex_new("^\\s*(?:#[# \\t]*|//[/ \\t]*)(Question:|Expected:)?\\s*(.*?)\\s*$",
                                          G_REGEX_CASELESS | G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);
  GString *texts[] = {g_string_new(NULL), g_string_new(NULL)}, *open = NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++) {
    g_autoptr(GMatchInfo) match = NULL;
    if (g_regex_match(comment, lines[i], 0, &match)) {
      g_autofree char *label = g_match_info_fetch(match, 1), *words = g_match_info_fetch(match, 2);
      open = *label != '\0' ? texts[g_ascii_tolower(*label) == 'e'] : open;
      if (open != NULL && (*label != '\0' || !g_str_has_prefix(words, "iwarpsim "))) {
        g_string_append_printf(open, "%s%s", open->len > 0 && *words != '\0' ? " " : "", words);
      }
    } else if (open != NULL || *g_strstrip(lines[i]) != '\0') {
      break;
    }
  }
  *question = g_string_free(texts[0], FALSE);
  *expected = g_string_free(texts[1], FALSE);
}

void report_append_question(report_page *report)
{
  for (guint i = 0; i < report->table->all.origins->len; i++) {
    const stored_provenance *of = g_ptr_array_index(report->table->all.origins, i);
    g_autofree char *question = NULL, *expected = NULL;
    scenario_question_of(of->origin->text, &question, &expected);
    gboolean asks = *question != '\0';
    html_append(report->html, "<p class=\"%s\">%s</p>\n", asks ? "question" : "note",
                asks ? question : "The scenario's text does not say what it asks.");
    if (*expected != '\0') {
      html_append(report->html, "<p class=\"note\"><b>Expected:</b> %s</p>\n", expected);
    }
  }
}

/* --- The keys: what the sweep varies, what differs from the defaults --- */

/* Returns whether some run has another value of `key` than its default, and than that of the key it inherits
 * from. */
static gboolean keys_differ(const report_page *report, scenario_key key)
{
  const int from = scenario_key_row_of(key)->inherits;
  gboolean differs = FALSE;
  for (guint i = 0; i < report->runs->len && !differs; i++) {
    char *const *texts = ((const study_run *)g_ptr_array_index(report->runs, i))->keys;
    differs =
        strcmp(texts[key], report->defaults[key]) != 0 && (from < 0 || strcmp(texts[key], texts[from]) != 0);
  }
  return differs;
}

/* Returns the values of `key`, as a plot shows them: "0 · 0.1% · 1%"; of more than a dozen the first and the
 * last: "1 … 64". Free with g_free(). */
static char *keys_values(const report_page *report, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
  const gboolean all = values->len <= 12;
  GString *shown = g_string_new(NULL);
  for (guint i = 0; i < values->len; i += all ? 1 : values->len - 1) {
    g_autofree char *label = study_keys_label(key, g_ptr_array_index(values, i));
    g_string_append_printf(shown, "%s%s", i == 0 ? "" : all ? " · " : " … ", label);
  }
  return g_string_free(shown, FALSE);
}

void report_append_parameters(report_page *report)
{
  g_autoptr(GString) rows = g_string_new(NULL);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (key != SCENARIO_TITLE && keys_differ(report, key)) {
      g_autofree char *values = keys_values(report, key);
      html_append(rows, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                  scenario_key_row_of(key)->name, values, report->defaults[key],
                  scenario_key_row_of(key)->sentence);
    }
  }
  html_append_table(
      report->html,
      "What the sweep varies, and what differs from the defaults; all else is as `iwarpsim explain` lists.",
      "", "<th>key</th><th>value</th><th>default</th><th>what it means</th>", rows->str);
}
