/* SPDX-License-Identifier: GPL-2.0-only */
/* The scenario: its text, what the sweep varies, and what differs from the defaults. */
#include <string.h>

#include "study/report/html_report_private.h"
#include "study/report/html_table.h"
#include "study/report/html_text.h"

/* The texts of `key` in all runs, described ones included: each once. */
static GPtrArray *values_of(const html_report *report, scenario_key key)
{
  g_autoptr(GPtrArray) runs = g_ptr_array_new();
  for (guint i = 0; report->table != NULL && i < report->table->runs->len; i++) {
    g_ptr_array_add(runs, g_ptr_array_index(report->table->runs, i));
  }
  for (guint i = 0; i < report->census->others->len; i++) {
    g_ptr_array_add(runs, g_ptr_array_index(report->census->others, i));
  }
  return study_keys_values(runs, key);
}

/* The value of a key that takes that of `key` when not given says something of its own only when it differs from it. */
static gboolean is_inherited(const html_report *report, scenario_key key, const char *value)
{
  int from = scenario_key_row_of(key)->inherits;
  if (from < 0) {
    return FALSE;
  }
  g_autoptr(GPtrArray) values = values_of(report, (scenario_key)from);
  return values->len == 1 && strcmp(g_ptr_array_index(values, 0), value) == 0;
}

/* The axis that `key` is: it has several values and none of them follows from those it inherits. */
static gboolean varies_with(const html_report *report, scenario_key key)
{
  int from = scenario_key_row_of(key)->inherits;
  if (from < 0) {
    return FALSE;
  }
  g_autoptr(GPtrArray) own = values_of(report, key);
  g_autoptr(GPtrArray) inherited = values_of(report, (scenario_key)from);
  gboolean same = own->len == inherited->len;
  for (guint i = 0; same && i < own->len; i++) {
    same = strcmp(g_ptr_array_index(own, i), g_ptr_array_index(inherited, i)) == 0;
  }
  return same;
}

static char *join(const GPtrArray *values, scenario_key key)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < values->len; i++) {
    g_autofree char *shown = study_keys_label(key, g_ptr_array_index(values, i));
    g_string_append_printf(text, "%s%s", i > 0 ? " · " : "", shown);
  }
  return g_string_free(text, FALSE);
}

static void add_parameter(const html_report *report, scenario_key key, html_table *table)
{
  g_autoptr(GPtrArray) values = values_of(report, key);
  gboolean varies = values->len > 1;
  const char *first = values->len > 0 ? g_ptr_array_index(values, 0) : "";
  gboolean is_default = g_strcmp0(first, report->defaults[key]) == 0;
  if (key == SCENARIO_TITLE || values->len == 0 || (varies && varies_with(report, key)) ||
      (!varies && (is_default || is_inherited(report, key, first)))) {
    return;
  }
  const scenario_key_row *row = scenario_key_row_of(key);
  g_autofree char *shown = join(values, key);
  html_table_add_row(table, FALSE);
  html_table_add_cell(table, row->name);
  html_table_add_cell(table, shown);
  html_table_add_cell(table, report->defaults[key]);
  html_table_add_cell(table, row->sentence);
}

void html_report_append_parameters(html_report *report)
{
  html_report_begin_section(report, "parameters", "Parameters");
  html_table *table = html_table_new(
      "What the sweep varies, and what differs from the defaults; all else is as iwarpsim explain says.");
  html_table_add_column(table, HTML_COLUMN_HEADING, "key", "");
  html_table_add_column(table, HTML_COLUMN_TEXT, "value", "");
  html_table_add_column(table, HTML_COLUMN_TEXT, "default", "");
  html_table_add_column(table, HTML_COLUMN_TEXT, "what it means", "");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    add_parameter(report, key, table);
  }
  html_table_append(table, report->html);
  html_table_free(table);
  g_string_append(report->html, "</section>\n");
}

void html_report_append_scenario(html_report *report)
{
  html_report_begin_section(report, "scenario", "Scenario");
  for (guint i = 0; i < report->census->origins->len; i++) {
    const stored_origin *origin =
        ((const census_origin *)g_ptr_array_index(report->census->origins, i))->origin;
    g_autofree char *file = g_strconcat(origin->name, ".cfg", NULL);
    html_text_append_element(report->html, "h3", NULL, file);
    g_string_append(report->html, "\n<pre tabindex=\"0\"><code>");
    html_text_append(report->html, origin->text);
    g_string_append(report->html, "</code></pre>\n");
  }
  g_string_append(report->html, "</section>\n");
}
