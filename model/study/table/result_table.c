/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/result_table.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "study/table/shown_number.h"

static int letters_of(const char *text)
{
  return (int)g_utf8_strlen(text, -1);
}

void text_columns_append(const text_column *columns, guint count, const GPtrArray *cells, GString *text)
{
  g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free); /* the headings are the first */
  g_autofree int *widths = g_new(int, count);
  for (guint i = 0; i < count; i++) {
    g_ptr_array_add(lines, shown_text_line(columns[i].heading));
  }
  for (guint i = 0; i < cells->len; i++) {
    g_ptr_array_add(lines, shown_text_line(g_ptr_array_index(cells, i)));
  }
  for (guint i = 0; i < count; i++) {
    if (columns[i].is_number) {
      shown_number_align(lines, count + i, count);
    }
    widths[i] = letters_of(g_ptr_array_index(lines, i));
    gboolean shown = FALSE;
    for (guint at = i + count; at < lines->len; at += count) {
      const char *cell = g_ptr_array_index(lines, at);
      widths[i] = MAX(widths[i], letters_of(cell));
      shown = shown || *cell != '\0';
    }
    widths[i] = shown ? widths[i] : 0; /* its cells are all empty */
  }
  for (guint row = 0; row < lines->len; row += count) {
    g_autoptr(GString) line = g_string_new(NULL);
    for (guint i = 0; i < count; i++) {
      const char *cell = g_ptr_array_index(lines, row + i);
      const int blanks = widths[i] - letters_of(cell);
      gboolean right = columns[i].is_number;
      if (widths[i] > 0) {
        g_string_append_printf(line, "%s%*s%s%*s", line->len > 0 ? "  " : "", right ? blanks : 0, "", cell,
                               right ? 0 : blanks, "");
      }
    }
    int width = letters_of(line->str);
    g_string_append_printf(text, "%s\n", g_strchomp(line->str));
    if (row == 0) { /* a rule below the headings */
      for (int i = 0; i < width; i++) {
        g_string_append(text, "\u2500");
      }
      g_string_append_c(text, '\n');
    }
  }
}

/* --- Text: the heading --- */

/* Appends `line`, which may hold what a user wrote, unless nothing of it shows. */
static void append_line(const char *line, GString *text)
{
  g_autofree char *shown = shown_text_line(line);
  g_string_append_printf(text, *shown != '\0' ? "%s\n" : "%s", shown);
}

/* --- One quantity --- */

/* This is what rows are of, as the number of the columns after keys, count and marks. */
typedef enum row_kind { ROWS_OF_LEVELS = 3, ROWS_OF_POINTS = 6, ROWS_OF_PAIRS = 7 } row_kind;

/* Returns those of rows with `keys`: text_column. Marks have no heading. */
static GArray *columns_of(const study_table *table, const GArray *keys, row_kind kind)
{
  static const char *const headings[][9] = {
      [ROWS_OF_LEVELS] = {"n", "", "level", "95 % from", "to"},
      [ROWS_OF_POINTS] = {"n", "", "mean", "95 % from", "to", "median", "quartiles", ""},
      [ROWS_OF_PAIRS] = {"pairs", "", "mean difference", "95 % from", "to", "± if independent", "median",
                         "quartiles", ""}};
  GArray *columns = g_array_new(FALSE, FALSE, sizeof(text_column));
  for (guint i = 0; i < keys->len; i++) {
    const text_column key = {study_keys_name(g_array_index(keys, scenario_key, i), table->axes), FALSE};
    g_array_append_val(columns, key);
  }
  for (guint i = 0; i < 2 + (guint)kind; i++) {
    const text_column more = {headings[kind][i], i != 1};
    g_array_append_val(columns, more);
  }
  return columns;
}

/* Adds the number with as many decimals as a number whose interval is so wide; "-": there is no such
 * number. */
static void add_number(double value, double half_width, const shown_scale *scale, GPtrArray *cells)
{
  g_ptr_array_add(cells, isnan(value) ? g_strdup("-") : shown_number_of(value, half_width, scale));
}

static void add_row(const result_row *row, const GArray *keys, const shown_scale *scale, row_kind kind,
                    GPtrArray *notes, GPtrArray *cells)
{
  const statistics *of = &row->of;
  for (guint i = 0; i < keys->len; i++) {
    scenario_key key = g_array_index(keys, scenario_key, i);
    const char *text = row->first->keys[key];
    g_ptr_array_add(cells, *text != '\0' ? study_keys_label(key, text) : g_strdup("-"));
  }
  g_ptr_array_add(cells, row->not_ok == 0
                             ? g_strdup_printf("%zu", of->count)
                             : g_strdup_printf("%zu of %zu", of->count, of->count + row->not_ok));
  const char *star = row->of.is_extrapolated ? "~" : of->count > 0 && of->coverage_note != NULL ? "*" : "";
  g_autofree char *flagged = row->flagged > 0 ? g_strdup_printf("%u!", row->flagged) : g_strdup("");
  g_autofree char *unsteady = row->unsteady > 0 ? g_strdup_printf("%u?", row->unsteady) : g_strdup("");
  g_ptr_array_add(cells, g_strconcat(flagged, unsteady, star, NULL));
  if (*star == '*' && !g_ptr_array_find(notes, of->coverage_note, NULL)) {
    g_ptr_array_add(notes, (char *)of->coverage_note);
  }
  if (of->count == 0) {
    for (guint i = 0; i < (guint)kind; i++) {
      g_ptr_array_add(cells, g_strdup("-"));
    }
    return;
  }
  add_number(of->mean, of->half_width, scale, cells);
  add_number(of->lower, of->half_width, scale, cells);
  add_number(of->upper, of->half_width, scale, cells);
  if (kind == ROWS_OF_PAIRS) {
    add_number(row->independent_half_width, row->independent_half_width, scale, cells);
  }
  /* A median or quartile has as many decimals as the mean, but three significant digits at least: an interval
   * wider than the mean shows little of them. */
  const double quantiles[] = {of->median, of->lower_quartile, of->upper_quartile};
  for (gsize i = 0; i < G_N_ELEMENTS(quantiles) && kind != ROWS_OF_LEVELS; i++) {
    add_number(quantiles[i], fmin(of->half_width, fabs(quantiles[i]) / 10), scale, cells);
  }
}

static void append_quantity(const result_request *request, const result_quantity *quantity, GPtrArray *notes,
                            GString *text)
{
  row_kind kind = request->pairing != NULL          ? ROWS_OF_PAIRS
                  : quantity->return_period != NULL ? ROWS_OF_LEVELS
                                                    : ROWS_OF_POINTS;
  g_autofree char *name = result_quantity_name(quantity), *unit = result_quantity_unit(quantity);
  g_autoptr(GArray) rows = result_rows_of(request->table, quantity, request->pairing);
  gboolean has_values = FALSE, unsteady = FALSE;
  double largest = 0; /* mean or, of few, quartile: its unit is that of all */
  for (guint i = 0; i < rows->len; i++) {
    const statistics *of = &g_array_index(rows, result_row, i).of;
    if (of->count > 0) {
      has_values = TRUE;
      largest = fmax(largest, fmax(fabs(of->mean), fmax(fabs(of->lower_quartile), fabs(of->upper_quartile))));
    }
  }
  if (!has_values) {
    g_string_append_printf(text, "\n%s: no %s\n", name,
                           kind != ROWS_OF_PAIRS ? "run has it" : "two runs of a pair have it");
    return;
  }
  shown_scale scale = shown_scale_for(unit, largest);
  gboolean has_unit = strcmp(scale.unit, "1") != 0;
  g_string_append_printf(text, "\n%s%s%s\n", name, has_unit ? " in " : "", has_unit ? scale.unit : "");
  g_autoptr(GArray) keys = result_rows_keys(request->table, request->pairing);
  g_autoptr(GArray) columns = columns_of(request->table, keys, kind);
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (!request->is_brief || row->of.count > 0 || row->not_ok == 0) {
      add_row(row, keys, &scale, kind, notes, cells);
      unsteady = unsteady || row->unsteady > 0;
    }
  }
  text_columns_append((const text_column *)columns->data, columns->len, cells, text);
  const guint left_out = rows->len - cells->len / columns->len;
  if (left_out > 0) {
    g_string_append_printf(text, "and %u at which no run ended ok\n", left_out);
  }
  g_string_append(text, unsteady ? "N? marks N runs that are not steady, or too short to tell: longer ones "
                                   "may have another quantile or level ('iwarpsim explain steady').\n"
                                 : "");
}

static void append_legend(const result_request *request, const GPtrArray *notes, gboolean has_level,
                          gboolean has_share, GString *text)
{
  g_string_append_printf(
      text, "\n95 %%: the interval of the mean%s%s; quartiles: the lower and the upper.\n%s\n",
      request->pairing == NULL ? ""
                               : " difference; ± if independent: half of that of means whose seeds had "
                                 "nothing in common (Welch)",
      !has_share                 ? ""
      : request->pairing == NULL ? "; that of a share is cut off at 0 and 100 %"
                                 : "; that of shares is cut off at \u2212100 and 100 %",
      STATISTICS_ASSUMPTION);
  for (guint i = 0; i < notes->len; i++) {
    g_string_append_printf(text, "*: the interval covers less than 95 %%: %s.\n",
                           (const char *)g_ptr_array_index(notes, i));
  }
  if (has_level) {
    g_string_append(text, "~: extrapolated, the runs together have less traffic than that "
                          "('iwarpsim explain levels').\n");
  }
  if (request->table->all.others->len > 0 && request->pairing == NULL) {
    g_string_append(text, "n \"5 of 8\": the others did not end ok, and are not in the numbers; export and "
                          "report have how they ended.\n");
  }
  if (request->table->flagged > 0) {
    g_string_append_printf(text,
                           "N! marks N %s with time-outs, spurious or lost retransmissions; --leave-out "
                           "timeouts,spurious,lost leaves such runs out.\n",
                           request->pairing == NULL ? "runs" : "pairs");
  }
}

char *result_table_text(const result_request *request)
{
  const study_table *table = request->table;
  GString *text = g_string_new(NULL);
  g_autoptr(GPtrArray) notes = g_ptr_array_new();
  g_autofree char *seeds = study_table_seeds(table);
  g_autofree char *origin =
      g_strdup_printf("scenario %s, %s, iwarpsim %s", table->names, seeds, table->versions);
  gboolean has_level = FALSE, has_share = FALSE;
  append_line(table->title, text);
  append_line(origin, text);
  g_autoptr(GArray) keys = study_table_keys(table);
  g_autofree char *in_step = study_table_in_step(table);
  g_autoptr(GArray) points = study_table_points(table->runs, keys);
  const guint runs = table->runs->len;
  g_string_append_printf(text, "%u %s at %u %s", runs, units_counted(runs, "runs"), points->len,
                         units_counted(points->len, "points"));
  g_autofree char *missing = study_table_missing(table, request->exclude);
  g_string_append_printf(text, "%s%s\n", *missing != '\0' ? "; " : "", missing);
  if (*in_step != '\0') {
    g_string_append_printf(text, "in step: %s\n", in_step);
  }
  g_autofree char *hosts = study_table_hosts(table);
  append_line(hosts, text);
  if (request->pairing != NULL) {
    g_autofree char *a = study_keys_label(request->pairing->key, request->pairing->a);
    g_autofree char *b = study_keys_label(request->pairing->key, request->pairing->b);
    g_autofree char *line =
        g_strdup_printf("differences: %s %s minus %s, between runs of one seed that agree in all else%s",
                        study_keys_name(request->pairing->key, table->axes), a, b,
                        *in_step != '\0' ? " but what moves in step" : "");
    append_line(line, text);
  }
  for (guint i = 0; i < request->quantities->len; i++) {
    const result_quantity *quantity = &g_array_index(request->quantities, result_quantity, i);
    append_quantity(request, quantity, notes, text);
    has_level = has_level || quantity->return_period != NULL;
    has_share = has_share || result_quantity_is_share(quantity);
  }
  append_legend(request, notes, has_level, has_share, text);
  return g_string_free(text, FALSE);
}
