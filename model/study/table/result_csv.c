/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as CSV (RFC 4180) after comment lines that start with '#': every run of a store, or statistics of
 * its points. */
#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "study/table/result_table.h"

/* A field with a comma, a quote, a line end or the sign of a comment is quoted, quotes in it doubled (RFC
 * 4180 §2). */
static void append_field(const char *text, GString *csv)
{
  g_autofree char *field = plain_text(text, -1, "\n");

  if (strpbrk(field, ",\"\r\n#") == NULL) {
    g_string_append(csv, field);
    return;
  }
  g_string_append_c(csv, '"');
  for (const char *c = field; *c != '\0'; c++) {
    g_string_append(csv, *c == '"' ? "\"" : "");
    g_string_append_c(csv, *c);
  }
  g_string_append_c(csv, '"');
}

static void append_comment(const char *what, const char *text, GString *csv)
{
  g_autofree char *line = plain_text(text, -1, "");
  g_string_append_printf(csv, "# %s: %s\n", what, line);
}

/* The number, nothing when it is none, and ",". */
static void append_number(double value, gboolean known, GString *csv)
{
  g_autofree char *number = known && isfinite(value) ? units_format_real(value) : g_strdup("");
  g_string_append_printf(csv, "%s,", number);
}

/* --- Every run --- */

static gboolean visit_run(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                          G_GNUC_UNUSED GError **error)
{
  GString *csv = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    append_field(run->keys[key] != NULL ? run->keys[key] : "", csv);
    g_string_append_c(csv, ',');
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    append_number(run->metrics.value[id], run->metrics.present[id], csv);
  }
  g_string_append_printf(csv, "%s\n", run_status_name(run->status));
  return TRUE;
}

char *result_store_csv(result_store *store, GError **error)
{
  g_autoptr(GString) csv = g_string_new(NULL);
  g_autoptr(GPtrArray) origins = result_store_provenances(store, error);
  if (origins == NULL) {
    return NULL;
  }
  for (guint i = 0; i < origins->len; i++) {
    const provenance *from = ((const stored_provenance *)origins->pdata[i])->origin;
    append_comment("scenario", from->name, csv);
    append_comment("title", from->title, csv);
    append_comment("version", from->version, csv);
    append_comment("git", from->git, csv);
    append_comment("hash", from->hash, csv);
    append_comment("libraries", from->libraries, csv);
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    /* A name that a key and a metric share stands for both: names are the contract of either table. */
    const char *name = scenario_key_row_of(key)->name;
    if (metric_find(name) != METRIC_COUNT) {
      g_string_append_printf(csv, "# columns: %s twice, first the parameter, then the metric\n", name);
    }
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_string_append_printf(csv, "%s,", scenario_key_row_of(key)->name);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_string_append_printf(csv, "%s,", metric_row_of(id)->name);
  }
  g_string_append(csv, "status\n");
  return result_store_each(store, visit_run, csv, error) ? g_string_free(g_steal_pointer(&csv), FALSE) : NULL;
}

/* --- Statistics --- */

static void append_comments(const result_request *request, GString *csv)
{
  const study_table *table = request->table;
  g_autofree char *seeds = study_table_seeds(table);
  g_autofree char *missing = study_table_missing(table, request->exclude);
  append_comment("scenario", table->names, csv);
  append_comment("title", table->title, csv);
  append_comment("seeds", seeds, csv);
  append_comment("version", table->versions, csv);
  if (*missing != '\0') {
    append_comment("missing", missing, csv);
  }
  if (request->pairing != NULL) {
    g_autofree char *pairs =
        g_strdup_printf("%s: %s minus %s", scenario_key_row_of(request->pairing->key)->name,
                        request->pairing->a, request->pairing->b);
    append_comment("differences", pairs, csv);
  }
}

static void append_row(const result_row *row, const GArray *keys, const char *name, const char *unit,
                       gboolean pairs, GString *csv)
{
  const statistics *of = &row->of;
  gboolean known = of->count > 0;
  for (guint i = 0; i < keys->len; i++) {
    append_field(row->first->keys[g_array_index(keys, scenario_key, i)], csv);
    g_string_append_c(csv, ',');
  }
  g_string_append_printf(csv, "%s,%s,%" G_GSIZE_FORMAT ",%u,", name, unit, of->count, row->flagged);
  append_number(of->mean, known, csv);
  append_number(of->deviation, known, csv);
  append_number(of->half_width, known, csv);
  if (pairs) {
    append_number(row->independent_half_width, known, csv);
  }
  append_number(of->smallest, known, csv);
  append_number(of->lower_quartile, known, csv);
  append_number(of->median, known, csv);
  append_number(of->upper_quartile, known, csv);
  append_number(of->largest, known, csv);
  csv->str[csv->len - 1] = '\n'; /* in place of the last comma */
}

char *result_table_csv(const result_request *request)
{
  GString *csv = g_string_new(NULL);
  gboolean pairs = request->pairing != NULL;
  g_autoptr(GArray) keys = result_rows_keys(request->table, request->pairing);
  append_comments(request, csv);
  for (guint i = 0; i < keys->len; i++) {
    g_string_append_printf(csv, "%s,", scenario_key_row_of(g_array_index(keys, scenario_key, i))->name);
  }
  g_string_append_printf(
      csv,
      "metric,unit,n,flagged,mean,deviation,half_width_95,%ssmallest,lower_quartile,median,"
      "upper_quartile,largest\n",
      pairs ? "independent_half_width_95," : "");
  for (guint q = 0; q < request->quantities->len; q++) {
    const result_quantity *quantity = &g_array_index(request->quantities, result_quantity, q);
    g_autofree char *name = result_quantity_name(quantity);
    g_autofree char *unit = result_quantity_unit(quantity);
    g_autoptr(GArray) rows = result_rows_of(request->table, quantity, request->pairing);
    for (guint i = 0; i < rows->len; i++) {
      append_row(&g_array_index(rows, result_row, i), keys, name, unit, pairs, csv);
    }
  }
  return g_string_free(csv, FALSE);
}
