/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_documents.h"

#include <gio/gio.h>
#include <string.h>

#include "cli/cli_documents_pages.h"
#include "fault/fault_table.h"
#include "measure/distribution.h"
#include "measure/gauge.h"
#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_value.h"

/* --- The pages without their tables --- */

/* The text of docs/NAME, which model/cli/meson.build puts into the program. */
static GString *page_new(const char *name)
{
  g_autofree char *path = g_strconcat("/iwarpsim/", name, NULL);
  GBytes *octets = g_resource_lookup_data(cli_documents_pages_get_resource(), path, 0, NULL);
  g_assert(octets != NULL);
  gsize length;
  const char *text = g_bytes_get_data(octets, &length);
  GString *page = g_string_new_len(text, (gssize)length);
  g_bytes_unref(octets);
  return page;
}

static void free_term(gpointer data)
{
  cli_term *term = data;
  g_free(term->name);
  g_free(term->title);
  g_free(term->text);
  g_free(term);
}

GPtrArray *cli_terms(void)
{
  static const char *const pages[] = {"scenario.md.in", "metrics.md.in"};
  GPtrArray *terms = g_ptr_array_new_with_free_func(free_term);
  for (gsize i = 0; i < G_N_ELEMENTS(pages); i++) {
    g_autoptr(GString) page = page_new(pages[i]);
    g_auto(GStrv) sections = g_strsplit(page->str, "\n## ", -1);
    for (char **section = sections + 1; *section != NULL; section++) {
      char *text = strstr(*section, "\n\n");
      char *name = text != NULL ? g_strrstr_len(*section, text - *section, " {") : NULL;
      if (name != NULL) {
        cli_term *term = g_new(cli_term, 1);
        *term = (cli_term){.name = g_strndup(name + 2, (gsize)(text - name) - 3),
                           .title = g_strndup(*section, (gsize)(name - *section)),
                           .text = g_strdup(text + 2)};
        g_ptr_array_add(terms, term);
      }
    }
  }
  return terms;
}

/* The page with `text` in place of the line `mark`, and without the names of its terms. */
static void fill_in(GString *page, const char *mark, GString *text)
{
  g_string_replace(page, mark, text->str, 1);
  g_string_free(text, TRUE);
}

static char *page_finish(GString *page)
{
  g_autoptr(GRegex) name = g_regex_new("^(## .*) \\{[a-z]+\\}$", G_REGEX_MULTILINE, 0, NULL);
  char *text = g_regex_replace(name, page->str, (gssize)page->len, 0, "\\1", 0, NULL);
  g_string_free(page, TRUE);
  return text;
}

/* --- Their tables --- */

/* A row of a table, a cell for each letter of `kinds`: 'c' is code, 't' text. A '|' in a cell would end
 * it. */
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

static void append_key(GString *page, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  g_autofree char *expected = scenario_value_expected(row);
  if (row->inherits >= 0) {
    g_autofree char *inherited =
        g_strdup_printf("that of `%s`", scenario_key_row_of((scenario_key)row->inherits)->name);
    append_row(page, "cttct", (const char *[]){row->name, inherited, expected, row->example, row->sentence});
  } else {
    append_row(page, "cctct",
               (const char *[]){row->name, row->fallback, expected, row->example, row->sentence});
  }
}

/* The keys of a group, unless it holds nothing but groups. */
static void append_keys(GString *page, const char *group, const char *sentence)
{
  const char *quote = *group != '\0' ? "`" : "";
  g_autoptr(GString) rows = g_string_new(NULL);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_group_has(group, key)) {
      append_key(rows, key);
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

char *cli_documents_scenario(void)
{
  static const char *const places[] = {
      [FAULT_NOWHERE] = "nothing", [FAULT_IN_STARTUP] = "a startup frame",  [FAULT_IN_ULPDU] = "a ULPDU",
      [FAULT_IN_FPDU] = "an FPDU", [FAULT_INSERTED] = "a ULPDU of its own", [FAULT_LOCAL] = "the end itself"};
  GString *page = page_new("scenario.md.in"), *keys = g_string_new(NULL), *faults = g_string_new(NULL);
  append_keys(keys, "", "Keys that stand on their own.");
  for (const scenario_group_row *group = scenario_groups(); group->name != NULL; group++) {
    append_keys(keys, group->name, group->sentence);
    if (strcmp(group->name, "tcp") == 0) {
      append_profiles(keys);
    }
  }
  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);
    append_row(faults, "cttt", (const char *[]){row->name, places[row->place], row->sentence, row->expected});
  }
  fill_in(page, "@KEYS@\n", keys);
  fill_in(page, "@FAULTS@\n", faults);
  return page_finish(page);
}

char *cli_documents_metrics(void)
{
  GString *page = page_new("metrics.md.in"), *metrics = g_string_new(NULL);
  GString *distributions = g_string_new(NULL), *gauges = g_string_new(NULL);
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    const metric_row *row = metric_row_of(id);
    append_row(metrics, "cttt",
               (const char *[]){row->name, row->unit, metric_side_name(row->side), row->sentence});
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);
    append_row(distributions, "cttt",
               (const char *[]){row->name, row->unit, row->weight_unit, row->sentence});
  }
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    const gauge_row *row = gauge_row_of(id);
    const metric_row *peak = metric_row_of(row->peak);
    g_autofree char *name = g_strconcat(row->name, "_pP", row->suffix, NULL);
    append_row(gauges, "ctct", (const char *[]){name, peak->unit, peak->name, peak->sentence});
  }
  fill_in(page, "@GAUGES@\n", gauges);
  fill_in(page, "@METRICS@\n", metrics);
  fill_in(page, "@DISTRIBUTIONS@\n", distributions);
  return page_finish(page);
}
