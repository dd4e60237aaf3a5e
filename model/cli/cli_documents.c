/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_documents.h"

#include <string.h>

#include "cli/cli_terms.h"
#include "fault/fault_table.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_value.h"

/* A table's cell: '|' would end it. */
static void append_cell(GString *page, const char *text)
{
  g_string_append(page, " ");
  for (const char *p = text; *p != '\0'; p++) {
    if (*p == '|') {
      g_string_append_c(page, '\\');
    }
    g_string_append_c(page, *p);
  }
  g_string_append(page, " |");
}

static void append_code(GString *page, const char *text)
{
  char *code = *text != '\0' ? g_strdup_printf("`%s`", text) : g_strdup("");

  append_cell(page, code);
  g_free(code);
}

static void append_terms(GString *page, cli_document document)
{
  for (const cli_term *term = cli_terms(); term->name != NULL; term++) {
    if (term->document == document) {
      g_string_append_printf(page, "\n## %s\n\n%s", term->title, term->text);
    }
  }
}

static void append_key(GString *page, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  char *expected = scenario_value_expected(row);

  g_string_append(page, "|");
  append_code(page, row->name);
  if (row->inherits >= 0) {
    char *inherited = g_strdup_printf("that of `%s`", scenario_key_row_of((scenario_key)row->inherits)->name);

    append_cell(page, inherited);
    g_free(inherited);
  } else {
    append_code(page, row->fallback);
  }
  append_cell(page, expected);
  append_code(page, row->example);
  append_cell(page, row->sentence);
  g_string_append(page, "\n");
  g_free(expected);
}

static void append_profiles(GString *page)
{
  g_string_append(page,
                  "\n### Profiles of TCP\n\nThe keys of `tcp` whose default depends on `tcp.profile`.\n\n"
                  "| key | linux | rfc | source |\n|---|---|---|---|\n");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);

    if (row->rfc != NULL) {
      g_string_append(page, "|");
      append_code(page, row->name);
      append_code(page, row->fallback);
      append_code(page, row->rfc);
      append_cell(page, row->source);
      g_string_append(page, "\n");
    }
  }
}

static void append_keys(GString *page, const char *group, const char *sentence)
{
  g_string_append_printf(
      page, "\n### %s%s%s\n\n%s\n\n| key | default | value | example | meaning |\n|---|---|---|---|---|\n",
      *group != '\0' ? "`" : "", *group != '\0' ? group : "Outside the groups", *group != '\0' ? "`" : "",
      sentence);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_group_has(group, key)) {
      append_key(page, key);
    }
  }
}

/* Groups that hold nothing but groups have no keys to list. */
static gboolean has_keys(const char *group)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_group_has(group, key)) {
      return TRUE;
    }
  }
  return FALSE;
}

static void append_faults(GString *page)
{
  static const char *const places[] = {
      [FAULT_NOWHERE] = "nothing", [FAULT_IN_STARTUP] = "a startup frame",  [FAULT_IN_ULPDU] = "a ULPDU",
      [FAULT_IN_FPDU] = "an FPDU", [FAULT_INSERTED] = "a ULPDU of its own", [FAULT_LOCAL] = "the end itself"};

  g_string_append(
      page, "\n## Faults\n\nThe errors of `fault.error`. One end of the first connection commits the error "
            "once, in the "
            "`fault.at`-th\nplace that admits it. The run then ends `terminated`, with the code that the "
            "documents require. It ends\n`ok` when the error has no consequence, or when the workload has no "
            "such place.\n\n"
            "| error | place | what is sent | consequence |\n|---|---|---|---|\n");
  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);

    g_string_append(page, "|");
    append_code(page, row->name);
    append_cell(page, places[row->place]);
    append_cell(page, row->sentence);
    append_cell(page, row->expected);
    g_string_append(page, "\n");
  }
}

char *cli_documents_scenario(void)
{
  GString *page = g_string_new(
      "# Scenarios\n\n"
      "A scenario describes what is simulated: workload, protocols, receiver, path. This page is made by\n"
      "`iwarpsim explain keys --markdown`; `iwarpsim explain NAME` shows any part of it, and\n"
      "`iwarpsim check FILE` reports what is wrong with a scenario.\n");

  append_terms(page, CLI_DOCUMENT_SCENARIO);
  g_string_append(page, "\n## Keys\n\nDefaults and examples are written as `--set` takes them.\n");
  append_keys(page, "", "Keys that stand on their own.");
  for (const scenario_group_row *group = scenario_groups(); group->name != NULL; group++) {
    if (has_keys(group->name)) {
      append_keys(page, group->name, group->sentence);
      if (strcmp(group->name, "tcp") == 0) {
        append_profiles(page);
      }
    }
  }
  append_faults(page);
  return g_string_free(page, FALSE);
}

static void append_metric(GString *page, const metric_row *row)
{
  g_string_append(page, "|");
  append_code(page, row->name);
  append_cell(page, row->unit);
  append_cell(page, metric_side_name(row->side));
  append_cell(page, row->sentence);
  g_string_append(page, "\n");
}

static void append_distributions(GString *page)
{
  g_string_append(
      page,
      "\n## Distributions\n\nA mean or a peak reveals little about a tail, so a run keeps these whole. "
      "Values are counted in bins: each power of\ntwo is cut into 16 equal bins, and values below 32 (of an "
      "octet, of a picosecond) have one each, so that a\nvalue lies at most 1/16 below the bound of its "
      "bin. `summary.json` has them after the metrics,\n`{NAME: {\"unit\": …, \"weight\": …, \"bins\": "
      "[[bound, weight], …]}}`: what was above the bound before and up to\n`bound` weighs `weight`. Bins "
      "without weight, and distributions without samples, are left out. The exact mean\nof each is a "
      "metric; `iwarpsim plot --what distribution` and `--what delays` draw them.\n\n"
      "| distribution | unit | weight | meaning |\n|---|---|---|---|\n");
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution_row *row = distribution_row_of(id);

    g_string_append(page, "|");
    append_code(page, row->name);
    append_cell(page, row->unit);
    append_cell(page, row->weight_unit);
    append_cell(page, row->sentence);
    g_string_append(page, "\n");
  }
}

char *cli_documents_metrics(void)
{
  GString *page = g_string_new("# Metrics\n\n"
                               "What a run measures, and what the words mean. This page is made by `iwarpsim "
                               "explain metrics --markdown`;\n"
                               "`iwarpsim explain NAME` shows any part of it. `summary.json` holds the "
                               "metrics by name, a sweep's store and\n"
                               "`iwarpsim export` one column each.\n"
                               "\n"
                               "The **Data Source** is the end that sends the messages' payload, the **Data "
                               "Sink** the end that places it and is\n"
                               "measured (`measure.side`).\n"
                               "A metric with `wall`, `cpu` or `events` in its name depends on the machine "
                               "or the engine; all others depend on\n"
                               "scenario, seed and version alone, and are the same on any machine.\n");

  append_terms(page, CLI_DOCUMENT_METRICS);
  g_string_append(
      page,
      "\n## All metrics\n\nUnit 1 is a ratio.\n\n| metric | unit | side | meaning |\n|---|---|---|---|\n");
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    append_metric(page, metric_row_of(id));
  }
  append_distributions(page);
  return g_string_free(page, FALSE);
}
