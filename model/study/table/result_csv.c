/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as CSV (RFC 4180) after comment lines that start with '#': every run of a store, or statistics of
 * its points, these as JSON, too. */
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "study/table/result_table.h"

static void append_comment(const char *what, const char *text, GString *csv)
{
  g_autofree char *line = plain_text(text, -1, "");
  g_string_append_printf(csv, "# %s: %s\n", what, line);
}

/* Appends a field: one with a comma, a quote, a line end or the sign of a comment is quoted, quotes in it
 * doubled (RFC 4180 §2). */
static void append_field(const char *text, GString *csv)
{
  g_autofree char *field = plain_text(text, -1, "\n");

  if (strpbrk(field, ",\"\r\n#") == NULL) {
    g_string_append(csv, field);
    return;
  }
  g_auto(GStrv) parts = g_strsplit(field, "\"", -1);
  g_autofree char *quoted = g_strjoinv("\"\"", parts);
  g_string_append_printf(csv, "\"%s\"", quoted);
}

/* Appends the number, nothing when it is none, and ",". */
static void append_number(double value, gboolean known, GString *csv)
{
  g_autofree char *number = known && isfinite(value) ? units_format_real(value) : g_strdup("");
  g_string_append_printf(csv, "%s,", number);
}

/* --- Every run --- */

/* These are the columns, and the text so far. */
typedef struct run_columns {
  guint flags;        /* result_csv_flag */
  GArray *quantities; /* of result_quantity: all metrics, and the quantiles of any run that are none */
  GString *csv;
  char **first; /* values of the first run; NULL before it */
  gboolean varies[SCENARIO_KEY_COUNT];
  gboolean is_own[SCENARIO_KEY_COUNT]; /* in a run it differs from the key that it inherits from */
} run_columns;

static const char *text_of(const stored_run *run, scenario_key key)
{
  return run->keys[key] != NULL ? run->keys[key] : "";
}

static gboolean compare_run(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                            G_GNUC_UNUSED GError **error)
{
  run_columns *columns = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = text_of(run, key);
    int inherits = scenario_key_row_of(key)->inherits;
    if (columns->first[key] == NULL) {
      columns->first[key] = g_strdup(text);
    }
    columns->varies[key] = columns->varies[key] || strcmp(text, columns->first[key]) != 0;
    columns->is_own[key] =
        columns->is_own[key] || inherits < 0 || strcmp(text, text_of(run, (scenario_key)inherits)) != 0;
  }
  return TRUE;
}

static gboolean has_column(const run_columns *columns, scenario_key key)
{
  return !(columns->flags & RESULT_CSV_VARIED) || (columns->varies[key] && columns->is_own[key]);
}

static gboolean append_run(G_GNUC_UNUSED const provenance *from, const stored_run *run, gpointer data,
                           G_GNUC_UNUSED GError **error)
{
  const run_columns *columns = data;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *text = text_of(run, key);
    gboolean is_boolean = scenario_key_row_of(key)->type == SCENARIO_TYPE_BOOLEAN;
    double number = strcmp(text, "true") == 0;
    gboolean is_number =
        is_boolean ? number == 1 || strcmp(text, "false") == 0 : study_keys_number(key, text, &number);
    if (has_column(columns, key) && (columns->flags & RESULT_CSV_NUMERIC) && is_number) {
      append_number(number, TRUE, columns->csv);
    } else if (has_column(columns, key)) {
      append_field(text, columns->csv);
      g_string_append_c(columns->csv, ',');
    }
  }
  for (guint i = 0; i < columns->quantities->len; i++) {
    double value = 0;
    gboolean known =
        result_quantity_value(&g_array_index(columns->quantities, result_quantity, i), &run->results, &value);
    append_number(value, known, columns->csv);
  }
  g_string_append_printf(columns->csv, "%s\n", run_status_name(run->status));
  return TRUE;
}

/* A name that a key and a metric share stands for both: names are the contract of either table. */
static void append_names(const run_columns *columns)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT && columns->flags == 0; key++) {
    const char *name = scenario_key_row_of(key)->name;
    if (metric_find(name) != METRIC_COUNT) {
      g_string_append_printf(columns->csv, "# columns: %s twice, first the parameter, then the metric\n",
                             name);
    }
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *name = scenario_key_row_of(key)->name;
    if (has_column(columns, key)) {
      gboolean is_shared = columns->flags != 0 && metric_find(name) != METRIC_COUNT;
      g_string_append_printf(columns->csv, "%s%s,", name, is_shared ? ".key" : "");
    }
  }
  for (guint i = 0; i < columns->quantities->len; i++) {
    g_autofree char *name = result_quantity_name(&g_array_index(columns->quantities, result_quantity, i));
    g_string_append_printf(columns->csv, "%s,", name);
  }
  g_string_append(columns->csv, "status\n");
}

char *result_store_csv(result_store *store, guint flags, GError **error)
{
  g_autoptr(GString) csv = g_string_new(NULL);
  g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_auto(GStrv) first = g_new0(char *, SCENARIO_KEY_COUNT + 1);
  g_autoptr(GArray) quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  run_columns columns = {.flags = flags, .quantities = quantities, .csv = csv, .first = first};
  g_autoptr(GPtrArray) origins = result_store_provenances(store, error);
  gboolean good = origins != NULL && result_store_quantile_parts(store, parts, error) &&
                  (!(flags & RESULT_CSV_VARIED) || result_store_each(store, compare_run, &columns, error));
  if (good) {
    for (guint i = 0; i < origins->len && !(flags & RESULT_CSV_NUMERIC); i++) {
      const provenance *from = origins->pdata[i];
      append_comment("scenario", from->name, csv);
      append_comment("title", from->title, csv);
      append_comment("version", from->version, csv);
      append_comment("git", from->git, csv);
      append_comment("hash", from->hash, csv);
      append_comment("libraries", from->libraries, csv);
    }
    for (metric_id id = 0; id < METRIC_COUNT; id++) {
      const result_quantity metric = {.metric = id, .whole = METRIC_COUNT};
      g_array_append_val(quantities, metric);
    }
    for (guint i = 0; i < GAUGE_COUNT * parts->len;
         i++) { /* the quantiles that are no metrics, gauge by gauge */
      const result_quantity quantile = {.metric = gauge_row_of((gauge_id)(i / parts->len))->peak,
                                        .whole = METRIC_COUNT,
                                        .parts = g_array_index(parts, guint32, i % parts->len)};
      g_autofree char *name = result_quantity_name(&quantile);
      g_array_append_vals(quantities, &quantile, metric_find(name) == METRIC_COUNT ? 1 : 0);
    }
    append_names(&columns);
    good = result_store_each(store, append_run, &columns, error);
  }
  return good ? g_string_free(g_steal_pointer(&csv), FALSE) : NULL;
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
        g_strdup_printf("%s: %s minus %s", study_keys_name(request->pairing->key, table->axes),
                        request->pairing->a, request->pairing->b);
    append_comment("differences", pairs, csv);
  }
}

/* This is what CSV and JSON have of a row, by the same names. */
typedef struct named_number {
  const char *name;
  double value; /* NAN: there is none */
} named_number;

enum { NUMBERS_MAX = 18, FIRST_OF_PAIRS = 7, FIRST_RATIO = 8, AFTER_PAIRS = 11 };

/* Fills in `numbers`, and returns how many they are. */
static gsize numbers_of(const result_row *row, gboolean pairs, named_number numbers[NUMBERS_MAX])
{
  const statistics *of = &row->of, *ratio = &row->log_ratio;
  const named_number all[NUMBERS_MAX] = {{"n", (double)of->count},
                                         {"flagged", row->flagged},
                                         {"mean", of->mean},
                                         {"deviation", of->deviation},
                                         {"half_width_95", of->half_width},
                                         {"lower_95", of->lower},
                                         {"upper_95", of->upper},
                                         {"independent_half_width_95", row->independent_half_width},
                                         {"ratio", exp(ratio->mean)},
                                         {"ratio_lower_95", exp(ratio->lower)},
                                         {"ratio_upper_95", exp(ratio->upper)},
                                         {"smallest", of->smallest},
                                         {"lower_quartile", of->lower_quartile},
                                         {"median", of->median},
                                         {"upper_quartile", of->upper_quartile},
                                         {"largest", of->largest},
                                         {"not_ok", row->not_ok},
                                         {"unsteady", row->unsteady}};
  gsize count = 0;
  for (gsize i = 0; i < NUMBERS_MAX; i++) {
    const gboolean is_ratio = i >= FIRST_RATIO && i < AFTER_PAIRS;
    if (pairs || i < FIRST_OF_PAIRS || i >= AFTER_PAIRS) {
      numbers[count] = all[i];
      if (i > 1 && i < NUMBERS_MAX - 2 && (is_ratio ? ratio->count : of->count) == 0) {
        numbers[count].value = (double)NAN;
      }
      count++;
    }
  }
  return count;
}

/* Returns NULL when there is none. */
static const char *note_of(const result_row *row)
{
  return row->of.is_extrapolated ? "extrapolated" : row->of.count > 0 ? row->of.coverage_note : NULL;
}

char *result_table_csv(const result_request *request)
{
  GString *csv = g_string_new(NULL);
  gboolean pairs = request->pairing != NULL;
  named_number numbers[NUMBERS_MAX];
  g_autoptr(GArray) keys = result_rows_keys(request->table, request->pairing);
  append_comments(request, csv);
  for (guint i = 0; i < keys->len; i++) {
    g_string_append_printf(csv, "%s,",
                           study_keys_name(g_array_index(keys, scenario_key, i), request->table->axes));
  }
  g_string_append(csv, "metric,unit,");
  const gsize count = numbers_of(&(const result_row){.flagged = 0}, pairs, numbers);
  for (gsize i = 0; i < count; i++) {
    g_string_append_printf(csv, "%s,", numbers[i].name);
  }
  g_string_append(csv, "coverage_note\n");
  for (guint q = 0; q < request->quantities->len; q++) {
    const result_quantity *quantity = &g_array_index(request->quantities, result_quantity, q);
    g_autofree char *name = result_quantity_name(quantity), *unit = result_quantity_unit(quantity);
    g_autoptr(GArray) rows = result_rows_of(request->table, quantity, request->pairing);
    for (guint r = 0; r < rows->len; r++) {
      const result_row *row = &g_array_index(rows, result_row, r);
      for (guint i = 0; i < keys->len; i++) {
        const char *text = row->first->keys[g_array_index(keys, scenario_key, i)];
        char *end;
        (void)g_ascii_strtod(text, &end);
        const gboolean runs = *text != '\0' && strchr("=+-@\t\r", *text) != NULL && *end != '\0';
        g_autofree char *field = g_strconcat(request->is_guarded && runs ? "'" : "", text, NULL);
        append_field(field, csv);
        g_string_append_c(csv, ',');
      }
      g_string_append_printf(csv, "%s,%s,", name, unit);
      numbers_of(row, pairs, numbers);
      for (gsize i = 0; i < count; i++) {
        append_number(numbers[i].value, TRUE, csv);
      }
      append_field(note_of(row) != NULL ? note_of(row) : "", csv);
      g_string_append_c(csv, '\n');
    }
  }
  return g_string_free(csv, FALSE);
}

char *result_table_json(const result_request *request)
{
  const study_table *table = request->table;
  const result_pairing *pairing = request->pairing;
  GString *json = g_string_new("{");
  named_number numbers[NUMBERS_MAX];
  g_autofree char *seeds = study_table_seeds(table);
  g_autofree char *missing = study_table_missing(table, request->exclude);
  g_autoptr(GArray) keys = result_rows_keys(table, pairing);
  json_append_text(json, " ", "scenario", table->names);
  json_append_text(json, " ", "title", table->title);
  json_append_text(json, " ", "version", table->versions);
  json_append_text(json, " ", "seeds", seeds);
  json_append_text(json, " ", "missing", missing);
  json_append_text(json, " ", "pair", pairing != NULL ? study_keys_name(pairing->key, table->axes) : NULL);
  json_append_text(json, " ", "a", pairing != NULL ? pairing->a : NULL);
  json_append_text(json, " ", "b", pairing != NULL ? pairing->b : NULL);
  json_open(json, " ", "rows", '[');
  for (guint q = 0; q < request->quantities->len; q++) {
    const result_quantity *quantity = &g_array_index(request->quantities, result_quantity, q);
    g_autofree char *name = result_quantity_name(quantity), *unit = result_quantity_unit(quantity);
    g_autoptr(GArray) rows = result_rows_of(table, quantity, pairing);
    for (guint r = 0; r < rows->len; r++) {
      const result_row *row = &g_array_index(rows, result_row, r);
      json_open(json, "\n  ", NULL, '{');
      json_append_text(json, " ", "metric", name);
      json_append_text(json, " ", "unit", unit);
      json_open(json, " ", "keys", '{');
      for (guint i = 0; i < keys->len; i++) {
        const scenario_key key = g_array_index(keys, scenario_key, i);
        json_append_text(json, " ", study_keys_name(key, table->axes), row->first->keys[key]);
      }
      json_close(json, " ", '}');
      const gsize count = numbers_of(row, pairing != NULL, numbers);
      for (gsize i = 0; i < count; i++) {
        json_append_number(json, " ", numbers[i].name, numbers[i].value);
      }
      json_append_text(json, " ", "coverage_note", note_of(row));
      json_close(json, " ", '}');
    }
  }
  json_close(json, g_str_has_suffix(json->str, "[") ? "" : " ", ']');
  json_close(json, " ", '}');
  g_string_append_c(json, '\n');
  return g_string_free(json, FALSE);
}
