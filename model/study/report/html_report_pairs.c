/* SPDX-License-Identifier: GPL-2.0-only */
/* Receivers beside each other over the same seeds. */
#include <math.h>

#include "study/report/html_report_private.h"
#include "study/report/html_table.h"

static const scenario_key compared[] = {SCENARIO_RECEIVER_MODE, SCENARIO_MPA_MARKERS};

/* Of the quantities the first ones, those that are tabulated at all: peak, p99, share placed directly, goodput. */
enum { PAIRED_QUANTITIES = 4 };

static gboolean is_key(const html_report *report, scenario_key key)
{
  for (guint i = 0; i < report->keys->len; i++) {
    if (g_array_index(report->keys, scenario_key, i) == key) {
      return TRUE;
    }
  }
  return FALSE;
}

GArray *html_report_pairings(const html_report *report)
{
  GArray *pairings = g_array_new(FALSE, FALSE, sizeof(result_pairing));
  g_array_set_clear_func(pairings, (GDestroyNotify)result_pairing_clear);
  for (gsize i = 0; i < G_N_ELEMENTS(compared) && report->table != NULL; i++) {
    if (!is_key(report, compared[i])) {
      continue;
    }
    g_autoptr(GPtrArray) values = study_keys_values(report->table->runs, compared[i]);
    for (guint a = 0; a < values->len; a++) {
      for (guint b = a + 1; b < values->len; b++) {
        const result_pairing pairing = {.key = compared[i],
                                        .a = g_strdup(g_ptr_array_index(values, a)),
                                        .b = g_strdup(g_ptr_array_index(values, b))};
        g_array_append_val(pairings, pairing);
      }
    }
  }
  return pairings;
}

static const result_row *row_at(const GArray *rows, guint index)
{
  return &g_array_index(rows, result_row, index);
}

/* The scale for the differences in `rows`. */
static shown_scale scale_of(const GArray *rows, const report_quantity *quantity)
{
  double largest = 0;
  for (guint i = 0; i < rows->len; i++) {
    const statistics *of = &row_at(rows, i)->of;
    largest = of->count > 0 ? MAX(largest, fabs(of->mean)) : largest;
  }
  return shown_scale_for(html_report_unit(quantity), largest);
}

static void add_columns(const html_report *report, const GArray *keys, const shown_scale *scales,
                        html_table *table)
{
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    html_table_add_column(table, HTML_COLUMN_HEADING, scenario_key_row_of(key)->name, "");
  }
  html_table_add_column(table, HTML_COLUMN_NUMBER, "pairs", "");
  html_table_add_column(table, HTML_COLUMN_MARK, "flagged", "");
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    if (report->shows[q]) {
      html_table_add_column(table, HTML_COLUMN_NUMBER, html_report_quantity(q)->heading, scales[q].unit);
      html_table_add_column(table, HTML_COLUMN_HALF_WIDTH, "", "");
    }
  }
}

static void add_row(const html_report *report, const GArray *keys, GArray *const *rows, guint index,
                    const shown_scale *scales, html_table *table)
{
  const result_row *first = row_at(rows[0], index);
  html_table_add_row(table, first->flagged > 0);
  html_report_add_keys(keys, first->first->keys, table);
  html_report_add_count(first->of.count, table);
  html_report_add_flagged(first->flagged, table);
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    if (report->shows[q]) {
      html_report_add_mean(&row_at(rows[q], index)->of, &scales[q], table);
    }
  }
}

static void append_pairing(html_report *report, const result_pairing *pairing)
{
  GArray *rows[PAIRED_QUANTITIES];
  shown_scale scales[PAIRED_QUANTITIES];
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    rows[q] = result_rows_of(report->table, &html_report_quantity(q)->of, pairing);
    scales[q] = scale_of(rows[q], html_report_quantity(q));
  }
  g_autofree char *caption = g_strdup_printf(
      "%s: %s minus %s. Means of the differences between runs that agree in everything else, the seed too, "
      "± half the width of the 95 %% interval.",
      scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b);
  html_table *table = html_table_new(caption);
  add_columns(report, keys, scales, table);
  for (guint i = 0; i < rows[0]->len; i++) {
    add_row(report, keys, rows, i, scales, table);
  }
  html_table_append(table, report->html);
  html_table_free(table);
  for (guint q = 0; q < PAIRED_QUANTITIES; q++) {
    g_array_unref(rows[q]);
  }
}

void html_report_append_pairs(html_report *report)
{
  g_autoptr(GArray) pairings = html_report_pairings(report);
  if (pairings->len == 0) {
    return;
  }
  html_report_begin_section(report, "differences", "Paired differences");
  for (guint i = 0; i < pairings->len; i++) {
    append_pairing(report, &g_array_index(pairings, result_pairing, i));
  }
  g_string_append(report->html, "</section>\n");
}
