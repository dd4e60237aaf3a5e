/* SPDX-License-Identifier: GPL-2.0-only */
/* The pages of docs/ that are made from the tables. */
#include "cli/cli_documents.h"

#include <string.h>

#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "scenario/scenario_keys.h"

/* The folder docs/, from the command line. */
typedef struct documents {
  const char *folder;
} documents;

static void assert_committed(const documents *d, const char *name, const char *expected, const char *command)
{
  char *path = g_build_filename(d->folder, name, NULL);
  char *committed = NULL;

  g_file_get_contents(path, &committed, NULL, NULL);
  if (g_strcmp0(committed, expected) != 0) {
    g_error("%s is not what the tables say: run '%s > %s'", path, command, path);
  }
  g_free(committed);
  g_free(path);
}

static void test_scenario_page_is_current(gconstpointer data)
{
  char *page = cli_documents_scenario();

  assert_committed(data, "scenario.md", page, "iwarpsim explain keys --markdown");
  g_free(page);
}

static void test_metrics_page_is_current(gconstpointer data)
{
  char *page = cli_documents_metrics();

  assert_committed(data, "metrics.md", page, "iwarpsim explain metrics --markdown");
  g_free(page);
}

static guint occurrences(const char *page, const char *text)
{
  guint count = 0;

  for (const char *p = strstr(page, text); p != NULL; p = strstr(p + 1, text)) {
    count++;
  }
  return count;
}

/* In the table of profiles. */
static guint profile_rows_of(scenario_key key)
{
  return scenario_key_row_of(key)->rfc != NULL ? 1 : 0;
}

/* Each key, metric and distribution has exactly one row; a key whose default depends on tcp.profile has one more. */
static void test_every_name_has_its_row(void)
{
  char *scenario_page = cli_documents_scenario();
  char *metrics_page = cli_documents_metrics();

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    char *row = g_strdup_printf("\n| `%s` |", scenario_key_row_of(key)->name);

    g_assert_cmpuint(occurrences(scenario_page, row), ==, 1 + profile_rows_of(key));
    g_free(row);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    char *row = g_strdup_printf("\n| `%s` |", metric_row_of(id)->name);

    g_assert_cmpuint(occurrences(metrics_page, row), ==, 1);
    g_free(row);
  }
  g_free(scenario_page);
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    char *row = g_strdup_printf("\n| `%s` |", distribution_row_of(id)->name);

    g_assert_cmpuint(occurrences(metrics_page, row), ==, 1);
    g_free(row);
  }
  g_free(metrics_page);
}

/* The rows of a table, its heading among them, have one number of bars that are not escaped, and at least four columns. */
static void test_rows_have_all_columns(void)
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
static void test_terms(void)
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

int main(int argc, char **argv)
{
  documents d;

  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(argc, ==, 2);
  d.folder = argv[1];
  g_test_add_data_func("/cli/documents/scenario-page-is-current", &d, test_scenario_page_is_current);
  g_test_add_data_func("/cli/documents/metrics-page-is-current", &d, test_metrics_page_is_current);
  g_test_add_func("/cli/documents/every-name-has-its-row", test_every_name_has_its_row);
  g_test_add_func("/cli/documents/rows-have-all-columns", test_rows_have_all_columns);
  g_test_add_func("/cli/documents/terms", test_terms);
  return g_test_run();
}
