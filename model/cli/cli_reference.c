/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_reference.h"

#include <gio/gio.h>
#include <string.h>

#include "cli/cli_explain_pages.h"
#include "decode/decode_events.h"
#include "fault/fault_edit.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_value.h"
#include "session/session_tables.h"
#include "trace/trace.h"

GString *cli_reference_page_new(const char *name)
{
  g_autofree char *path = g_strconcat("/iwarpsim/", name, NULL);
  g_autoptr(GBytes) octets = g_resource_lookup_data(cli_explain_pages_get_resource(), path, 0, NULL);
  g_assert(octets != NULL);
  gsize length;
  const char *text = g_bytes_get_data(octets, &length);
  return g_string_new_len(text, (gssize)length);
}

/* Appends a row of a table, a cell for each letter of `kinds`: 'c' is code, 't' text. A '|' in a cell would
 * end it. */
static void append_row(GString *page, const char *kinds, const char *const *cells)
{
  g_string_append_c(page, '|');
  for (gsize i = 0; kinds[i] != '\0'; i++) {
    g_autoptr(GString) cell = g_string_new(cells[i]);
    g_string_replace(cell, "|", "\\|", 0);
    gboolean code = kinds[i] == 'c' && cell->len > 0;
    g_string_append_printf(page, code ? " `%s` |" : " %s |", cell->str);
  }
  g_string_append_c(page, '\n');
}

char *cli_reference_meaning(const scenario_key_row *row, const char *quote)
{
  const char *word = row->needs_word;

  return row->needs == NULL ? g_strdup(row->sentence)
                            : g_strdup_printf("%s %s%s %s%s%s.", row->sentence, word != NULL ? word : "",
                                              word != NULL ? " needs" : "Needs", quote, row->needs, quote);
}

/* Appends the keys of a group, unless it holds nothing but groups. */
static void append_group(GString *page, const char *group, const char *sentence)
{
  const char *quote = *group != '\0' ? "`" : "";
  g_autoptr(GString) rows = g_string_new(NULL);
  for (scenario_key key = 0; key < SCENARIO_ROW_COUNT; key += key + 1 == SCENARIO_KEY_COUNT ? 2 : 1) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *of = row->inherits >= 0 ? scenario_key_row_of((scenario_key)row->inherits)->name : NULL;
    g_autofree char *expected = scenario_value_expected(row);
    g_autofree char *fallback = of ? g_strdup_printf("that of `%s`", of) : g_strdup(row->fallback);
    g_autofree char *meaning = cli_reference_meaning(row, "`");
    if (scenario_group_has(group, key)) {
      append_row(rows, of ? "cttct" : "cctct",
                 (const char *[]){row->name, fallback, expected, row->example, meaning});
    }
  }
  if (rows->len > 0) {
    g_string_append_printf(page,
                           "\n### %s%s%s\n\n%s\n\n| key | default | value | example | meaning |\n"
                           "|---|---|---|---|---|\n%s",
                           quote, *group != '\0' ? group : "Outside the groups", quote, sentence, rows->str);
  }
}

static void append_profiles(GString *page)
{
  g_string_append(page,
                  "\n### Profiles of TCP\n\nThe keys of `tcp` whose default depends on `tcp.profile`.\n\n"
                  "| key | linux | rfc | source |\n|---|---|---|---|\n");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    if (row->rfc != NULL) {
      append_row(page, "ccct", (const char *[]){row->name, row->fallback, row->rfc, row->source});
    }
  }
}

static void append_keys(GString *page)
{
  append_group(page, "", "Keys that stand on their own.");
  for (const scenario_group_row *group = scenario_groups; group->name != NULL; group++) {
    append_group(page, group->name, group->sentence);
    if (strcmp(group->name, "tcp") == 0) {
      append_profiles(page);
    }
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS) {
      append_group(page, scenario_key_row_of(key)->name, "What a group of this list has.");
    }
  }
}

static void append_faults(GString *page)
{
  static const char *const places[] = {
      [FAULT_NOWHERE] = "nothing", [FAULT_IN_STARTUP] = "a startup frame",  [FAULT_IN_ULPDU] = "a ULPDU",
      [FAULT_IN_FPDU] = "an FPDU", [FAULT_INSERTED] = "a ULPDU of its own", [FAULT_LOCAL] = "the end itself"};
  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);
    append_row(page, "cttt", (const char *[]){row->name, places[row->place], row->sentence, row->expected});
  }
}

static void append_metrics(GString *page)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of(id);
    append_row(page, "cttt",
               (const char *[]){row->name, row->unit, metric_side_name(row->side), row->sentence});
  }
}

static void append_columns(GString *page)
{
  const column_row *row;

  for (size_t i = 0; (row = column_row_of(i)) != NULL; i++) {
    append_row(page, "cctt", (const char *[]){row->file, row->name, row->unit, row->sentence});
  }
}

static void append_distributions(GString *page)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);
    append_row(page, "cttt", (const char *[]){row->name, row->unit, row->weight_unit, row->sentence});
  }
}

static void append_gauges(GString *page)
{
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    const gauge_row *row = gauge_row_of(id);
    const metric_row *peak = metric_row_of(row->peak);
    g_autofree char *name = g_strconcat(row->name, "_pP", row->suffix, NULL);
    append_row(page, "ctct", (const char *[]){name, peak->unit, peak->name, peak->sentence});
  }
}

static void append_events(GString *page)
{
  static const char *const types[] = {
      [TRACE_OCTETS] = "octets",     [TRACE_COUNT] = "count", [TRACE_NUMBER] = "number",
      [TRACE_POSITION] = "position", [TRACE_PS] = "ps",       [TRACE_FLAG] = "0 or 1",
      [TRACE_NAME_ID] = "text"};
  for (trace_event_id id = 0; id < TRACE_EVENTS; id++) {
    const trace_row *row = &trace_rows[id];
    g_string_append_printf(page, "### `%s`\n\n%s\n\n| field | kind | meaning |\n|---|---|---|\n", row->name,
                           row->sentence);
    for (guint i = 0; i < row->field_count; i++) {
      const trace_field *field = &row->fields[i];
      append_row(page, "ctt", (const char *[]){field->name, types[field->type], field->sentence});
    }
    g_string_append_c(page, '\n');
  }
}

static void append_problems(GString *page)
{
  for (decode_problem problem = 0; problem < DECODE_PROBLEMS; problem++) {
    const decode_problem_row *row = &decode_problems[problem];
    append_row(page, "tctt",
               (const char *[]){decode_severities[row->severity], row->kind, row->clause, row->sentence});
  }
}

char *cli_reference_text(const char *name)
{
  static const char *const names[] = {"keys", "metrics", "trace", "problems", NULL};
  static const struct {
    const char *mark;
    void (*append)(GString *page);
  } tables[] = {{"@KEYS@\n", append_keys},       {"@FAULTS@\n", append_faults},
                {"@METRICS@\n", append_metrics}, {"@DISTRIBUTIONS@\n", append_distributions},
                {"@COLUMNS@\n", append_columns}, {"@GAUGES@\n", append_gauges},
                {"@EVENTS@\n", append_events},   {"@PROBLEMS@\n", append_problems}};
  if (!g_strv_contains(names, name)) {
    return NULL;
  }
  g_autofree char *file = g_strconcat(strcmp(name, "keys") == 0 ? "scenario" : name, ".md.in", NULL);
  g_autoptr(GString) page = cli_reference_page_new(file);
  for (gsize i = 0; i < G_N_ELEMENTS(tables); i++) {
    g_autoptr(GString) rows = g_string_new(NULL);
    tables[i].append(rows);
    g_string_replace(page, tables[i].mark, rows->str, 1);
  }
  g_autoptr(GRegex) term = g_regex_new("^(## .*) \\{[a-z]+\\}$", G_REGEX_MULTILINE, 0, NULL);
  return g_regex_replace(term, page->str, -1, 0, "\\1", 0, NULL);
}
