/* SPDX-License-Identifier: GPL-2.0-only */
/* A table of results as CSV. */
#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "study/table/result_table.h"

/* A field with a comma, a quote, a line end or the sign of a comment is quoted, quotes in it doubled (RFC 4180 §2). */
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

static void append_comments(const result_request *request, GString *csv)
{
  const study_table *table = request->table;
  g_autofree char *seeds = study_table_seeds(table);
  g_autofree char *missing = study_table_missing(table, request->leave_out);
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

/* "," and the number; "," alone when it is none. */
static void append_number(double value, gboolean known, GString *csv)
{
  g_autofree char *number = known && isfinite(value) ? units_format_real(value) : g_strdup("");
  g_string_append_printf(csv, ",%s", number);
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
  g_string_append_printf(csv, "%s,%s,%" G_GSIZE_FORMAT ",%u", name, unit, of->count, row->flagged);
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
  g_string_append_c(csv, '\n');
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
