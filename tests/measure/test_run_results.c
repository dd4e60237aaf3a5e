/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of hosts and ports that results have come back as they were; what is damaged is none. */
#include "measure/run_results.h"

#include <math.h>
#include <string.h>

#include "test.h"

/* A table of 65,536 ports that send alike comes back whole, out of less than a megabyte; so does an empty
 * one. What is cut, or no base64 of zlib's, is none. */
TEST(test_tables)
{
  g_auto(run_results) results = {.block_octets = 0};
  g_autoptr(GString) text = g_string_new("switch,port,to,utilisation\n");
  g_assert_null(run_results_tables(&results));
  for (guint port = 1; port <= 65536; port++) {
    g_string_append_printf(text, "s0,%u,h%u,0.000123456789012,0.000123456789012,0,0,0,0,0,0,0,0\n", port,
                           port);
  }
  run_results_set_tables(&results, "", "h2");
  g_autofree char *empty = run_results_tables(&results);
  g_assert_cmpstr(empty, ==, "");
  run_results_set_tables(&results, text->str, "h1");
  g_assert_cmpuint(strlen(results.tables), <, 1 << 20);
  g_auto(run_results) copy = run_results_copy(&results);
  g_autofree char *back = run_results_tables(&copy);
  g_autofree char *host = run_results_measured_host(&copy);
  g_assert_cmpstr(host, ==, "h1");
  g_assert_cmpstr(back, ==, text->str);
  copy.tables[strlen(copy.tables) / 2] = '\0';
  g_assert_null(run_results_tables(&copy));
  g_assert_null(run_results_measured_host(&copy));
  g_strlcpy(copy.tables, "no table", 9);
  g_assert_null(run_results_tables(&copy));
}

/* A table is found by its first column, before or after empty ones; lines with another number of fields are
 * none of its rows. A column that it lacks has nothing, and no number is one that no run measures. */
TEST(test_table)
{
  g_auto(run_results) results = {.block_octets = 0};
  run_results_set_tables(&results, "\n\nclass,count\nback,7,\nback,9\nincast,\n", "h1");
  g_assert_null(run_results_table(&results, "host"));
  g_assert_null(run_results_table(&results, "count"));
  g_autoptr(run_table) table = run_results_table(&results, "class");
  g_assert_cmpuint(table->rows->len, ==, 2);
  g_assert_cmpstr(run_table_text(table, 1, "class"), ==, "incast");
  g_assert_cmpfloat(run_table_number(table, 0, "count"), ==, 9);
  g_assert_true(isnan(run_table_number(table, 1, "count")));
  g_assert_cmpstr(run_table_text(table, 0, "port"), ==, "");
  g_assert_cmpuint(run_table_column(table, "port"), ==, 2);
  g_autoptr(run_table) hostile = run_table_read("a,b,c,d,e\n1e76,-1e300,inf,1e-80,nan\n");
  for (guint k = 0; k < hostile->count; k++) {
    g_assert_true(isnan(run_table_number(hostile, 0, hostile->columns[k])));
  }
  g_autoptr(run_table) empty = run_table_read("");
  g_assert_cmpuint(empty->rows->len, ==, 0);
}
