/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages of docs/ that are made from the tables. */
#include "cli/cli_documents.h"

#include <string.h>

#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"
#include "test.h"

static void assert_committed(const char *name, const char *expected, const char *command)
{
  g_autofree char *path = g_build_filename(g_getenv("DOCS"), name, NULL);
  g_autofree char *committed = NULL;

  g_file_get_contents(path, &committed, NULL, NULL);
  if (g_strcmp0(committed, expected) != 0) {
    g_error("%s is not what the tables say: run '%s > %s'", path, command, path);
  }
}

TEST(test_pages_are_current)
{
  g_autofree char *scenario_page = cli_documents_scenario();
  g_autofree char *metrics_page = cli_documents_metrics();

  assert_committed("scenario.md", scenario_page, "iwarpsim explain keys --markdown");
  assert_committed("metrics.md", metrics_page, "iwarpsim explain metrics --markdown");
}

static guint occurrences(const char *page, const char *text)
{
  guint count = 0;

  for (const char *p = strstr(page, text); p != NULL; p = strstr(p + 1, text)) {
    count++;
  }
  return count;
}

static void expect_rows(const char *page, const char *name, guint rows)
{
  g_autofree char *row = g_strdup_printf("\n| `%s` |", name);

  g_assert_cmpuint(occurrences(page, row), ==, rows);
}

/* Each key, metric and distribution has exactly one row; a key whose default depends on tcp.profile has one
 * more, in the table of profiles. */
TEST(test_every_name_has_its_row)
{
  g_autofree char *scenario_page = cli_documents_scenario();
  g_autofree char *metrics_page = cli_documents_metrics();

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    expect_rows(scenario_page, row->name, row->rfc != NULL ? 2 : 1);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    expect_rows(metrics_page, metric_row_of(id)->name, 1);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    expect_rows(metrics_page, distribution_row_of(id)->name, 1);
  }
}

/* The rows of a table, its heading among them, have one number of bars that are not escaped, and at least
 * four columns. */
TEST(test_rows_have_all_columns)
{
  char *pages[] = {cli_documents_scenario(), cli_documents_metrics(), NULL};

  for (char **page = pages; *page != NULL; page++) {
    char **lines = g_strsplit(*page, "\n", -1);
    guint of_heading = 0;

    for (char **line = lines; *line != NULL; line++) {
      guint bars = occurrences(*line, "|") - occurrences(*line, "\\|");

      if (**line != '|') {
        of_heading = 0;
        continue;
      }
      of_heading = of_heading == 0 ? bars : of_heading;
      g_assert_cmpuint(bars, >=, 5);
      g_assert_cmpuint(bars, ==, of_heading);
    }
    g_strfreev(lines);
    g_free(*page);
  }
}

/* Terms differ by name, also from keys and metrics, and each ends its last line. */
TEST(test_terms)
{
  g_autoptr(GPtrArray) terms = cli_terms();

  g_assert_cmpuint(terms->len, >=, 26);
  for (guint i = 0; i < terms->len; i++) {
    const cli_term *term = g_ptr_array_index(terms, i);
    g_test_message("%s", term->name);
    g_assert_true(g_str_has_suffix(term->text, "\n"));
    g_assert_cmpint(scenario_key_find(term->name), ==, SCENARIO_KEY_COUNT);
    g_assert_cmpint(metric_find(term->name), ==, METRIC_COUNT);
    for (guint k = 0; k < i; k++) {
      g_assert_cmpstr(term->name, !=, ((const cli_term *)g_ptr_array_index(terms, k))->name);
    }
  }
}
