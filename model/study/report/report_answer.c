/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_answer.h"

#include <math.h>
#include <string.h>

#include "study/plot/plot_runs.h"
#include "study/report/html.h"

/* Appends "145.4 KiB (142.9 to 148.0)", the mean standing out, in the unit that suits it; without a unit a
 * factor. */
static void append_number(report_page *report, const statistics *of, const char *unit)
{
  const shown_scale scale = shown_scale_for(unit, of->mean);
  g_autofree char *mean = NULL, *interval = NULL;
  report_show_mean(report, of, &scale, &mean, &interval);
  html_append(report->html, "<strong>%s%s%s</strong>", mean, *unit != '\0' ? " " : "", scale.unit);
  if (strstr(interval, " to ") != NULL) {
    html_append(report->html, " (%s)", interval);
  }
}

/* What a study compares, in sentences: "Markers cut", "The out-of-order receiver cuts". */
static const struct {
  scenario_key key;
  const char *article;
  const char *ending; /* of its verbs */
} subjects[] = {{SCENARIO_RECEIVER_MODE, "the ", "s"}, {SCENARIO_MPA_MARKERS, "", ""}};

/* Appends " with the in-order receiver and markers, at MTU 9000 octets, loss 1%": the values that `run` has
 * for `keys`. */
static void append_place(report_page *report, const GArray *keys, const study_run *run)
{
  const char *separator = " with ", *end = "";
  g_autoptr(GArray) others = g_array_copy((GArray *)keys);
  for (gsize i = 0; i < G_N_ELEMENTS(subjects); i++) {
    for (guint k = others->len; k-- > 0;) {
      if (g_array_index(others, scenario_key, k) == subjects[i].key) {
        g_autofree char *label = study_label_of(subjects[i].key, run->keys[subjects[i].key]);
        html_append(report->html, "%s%s%s", separator, subjects[i].article, label);
        g_array_remove_index(others, k);
        separator = " and ";
        end = ",";
      }
    }
  }
  g_autofree char *place = plot_place_words(others, run->keys);
  html_append(report->html, "%s%s%s", *place != '\0' ? end : "", *place != '\0' ? " at " : "", place);
}

/* Where the mean of a quantity is largest, and where it is smallest. */
static void append_range(report_page *report, const report_quantity *quantity)
{
  GString *html = report->html;
  const char *unit = report_unit_of(&quantity->of);
  const study_point *largest = NULL, *smallest = NULL;
  statistics of_largest = {0}, of_smallest = {0};
  for (guint i = 0; i < report->points->len; i++) {
    const study_point *point = &g_array_index(report->points, study_point, i);
    statistics of = result_quantity_statistics(&quantity->of, point->runs);
    if (of.count > 0 && (largest == NULL || of.mean > of_largest.mean)) {
      largest = point;
      of_largest = of;
    }
    if (of.count > 0 && (smallest == NULL || of.mean < of_smallest.mean)) {
      smallest = point;
      of_smallest = of;
    }
  }
  if (largest == NULL) {
    return;
  }
  g_string_append_printf(html, "<li>The mean %s is ", quantity->name);
  if (of_largest.mean > of_smallest.mean) {
    g_string_append(html, "largest, ");
    append_number(report, &of_largest, unit);
    append_place(report, report->keys, g_ptr_array_index(largest->runs, 0));
    g_string_append(html, ", and smallest, ");
    append_number(report, &of_smallest, unit);
    append_place(report, report->keys, g_ptr_array_index(smallest->runs, 0));
  } else {
    append_number(report, &of_largest, unit);
    if (report->points->len > 1) {
      g_string_append_printf(html, " at all %u points", report->points->len);
    }
  }
  g_string_append(html, ".</li>\n");
}

/* What the first quantity, the peak, does at a point when a key has the second value of a pairing in place of
 * the first. */
typedef enum pair_effect {
  EFFECT_CUT, /* by a factor */
  EFFECT_RAISED,
  EFFECT_CUT_BY, /* by a difference: a peak of 0 has no factor */
  EFFECT_RAISED_BY,
  EFFECT_NOT_CLEAR, /* the 95 % interval includes no difference */
  EFFECTS
} pair_effect;

/* The effect of `row`, and in `of` how large it is: a factor above 1 or a difference above 0. */
static pair_effect effect_of(const result_row *row, statistics *of)
{
  *of = report_factor_of(row);
  gboolean factor = of->count > 0;
  double none = factor ? 1 : 0;
  *of = factor ? *of : row->of;
  gboolean cut = of->count > 1 ? of->lower > none : of->mean > none;
  gboolean raised = of->count > 1 ? of->upper < none : of->mean < none;
  if (raised) {
    const double bounds[] = {of->upper, of->mean, of->lower};
    of->lower = factor ? 1 / bounds[0] : -bounds[0];
    of->mean = factor ? 1 / bounds[1] : -bounds[1];
    of->upper = factor ? 1 / bounds[2] : -bounds[2];
  }
  return !cut && !raised ? EFFECT_NOT_CLEAR
         : factor        ? (cut ? EFFECT_CUT : EFFECT_RAISED)
                         : (cut ? EFFECT_CUT_BY : EFFECT_RAISED_BY);
}

/* The rows of a pairing that have one effect. */
typedef struct effect_rows {
  guint count;
  const result_row *most; /* where it is largest, and where it is smallest */
  const result_row *least;
  statistics of_most;
  statistics of_least;
} effect_rows;

/* Appends " by a factor of 29 (27 to 31) at MTU 1500 octets, loss 0.1%", or the difference. */
static void append_effect(report_page *report, const result_pairing *pairing, gboolean factor,
                          const statistics *of, const result_row *row)
{
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_string_append(report->html, factor ? " by a factor of " : " by ");
  append_number(report, of, factor ? "" : report_unit_of(&report_quantities[0].of));
  append_place(report, keys, row->first);
}

/* Appends the sentence about the largest effect. */
static void append_largest(report_page *report, const result_pairing *pairing, pair_effect effect,
                           const effect_rows *rows)
{
  gsize is = pairing->key == subjects[0].key ? 0 : 1;
  g_autofree char *against = study_label_of(pairing->key, pairing->a);
  g_autofree char *label = study_label_of(pairing->key, pairing->b);
  g_autofree char *subject = g_strconcat(subjects[is].article, label, NULL);
  *subject = g_ascii_toupper(*subject);
  html_append(report->html, "%s %s%s the %s", subject,
              effect == EFFECT_CUT || effect == EFFECT_CUT_BY ? "cut" : "raise", subjects[is].ending,
              report_quantities[0].name);
  append_effect(report, pairing, effect < EFFECT_CUT_BY, &rows->of_most, rows->most);
  if (is == 0) {
    html_append(report->html, ", against the %s", against);
  }
  g_string_append(report->html, ".");
}

/* Appends how many of several points have which effect, and its extremes. */
static void append_counts(report_page *report, const effect_rows effects[EFFECTS], guint points)
{
  static const char *const words[] = {"smaller", "larger", "smaller", "larger", "not clearly different"};
  const char *separator = " the peak is";
  g_string_append_printf(report->html, " Of %u points", points);
  for (pair_effect effect = 0; effect < EFFECTS; effect++) {
    const effect_rows *rows = &effects[effect];
    if (rows->count == 0) {
      continue;
    }
    html_append(report->html, "%s %s at %u", separator, words[effect], rows->count);
    separator = ",";
    if (effect < EFFECT_NOT_CLEAR) {
      gboolean factor = effect < EFFECT_CUT_BY;
      const char *unit = factor ? "" : report_unit_of(&report_quantities[0].of);
      const shown_scale scale = shown_scale_for(unit, rows->of_most.mean);
      g_autofree char *least = shown_number_text(rows->of_least.mean, &scale);
      g_autofree char *most = shown_number_text(rows->of_most.mean, &scale);
      html_append(report->html, factor ? " (by a factor of %s to %s%s)" : " (by %s to %s %s)", least, most,
                  scale.unit);
    }
  }
  g_string_append(report->html, ".");
}

/* An item about a pairing: what the second value does to the peak, against the first, over the same seeds. */
static void append_verdict(report_page *report, const result_pairing *pairing)
{
  g_autoptr(GArray) rows = result_rows_of(report->table, &report_quantities[0].of, pairing);
  effect_rows effects[EFFECTS] = {{.count = 0}};
  pair_effect largest = EFFECT_NOT_CLEAR; /* a factor rather than a difference */
  guint points = 0;
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    statistics of = {0};
    if (row->of.count == 0) {
      continue;
    }
    pair_effect is = effect_of(row, &of);
    effect_rows *effect = &effects[is];
    points++;
    effect->count++;
    if (effect->most == NULL || of.mean > effect->of_most.mean) {
      effect->most = row;
      effect->of_most = of;
    }
    if (effect->least == NULL || of.mean < effect->of_least.mean) {
      effect->least = row;
      effect->of_least = of;
    }
    gboolean alike = largest < EFFECT_NOT_CLEAR && (is < EFFECT_CUT_BY) == (largest < EFFECT_CUT_BY);
    largest = alike ? (of.mean > effects[largest].of_most.mean ? is : largest) : MIN(is, largest);
  }
  if (points == 0) {
    return;
  }
  g_string_append(report->html, "<li>");
  if (largest < EFFECT_NOT_CLEAR) {
    append_largest(report, pairing, largest, &effects[largest]);
  } else {
    g_autofree char *a = study_label_of(pairing->key, pairing->a);
    g_autofree char *b = study_label_of(pairing->key, pairing->b);
    html_append(report->html, "Between %s and %s no difference in the %s is clear.", a, b,
                report_quantities[0].name);
  }
  if (points > 1) {
    append_counts(report, effects, points);
  }
  g_string_append(report->html, "</li>\n");
}

static void append_caveat(report_page *report)
{
  const study_table *table = report->table;
  guint others = report->totals->count - report->totals->by_status[RUN_OK];
  if (table->flagged == 0 && others == 0) {
    return;
  }
  g_string_append(report->html, "<li>To be read with care: ");
  if (table->flagged > 0) {
    g_string_append_printf(report->html, "%u of the %u runs in these numbers have flagged TCP behaviour",
                           table->flagged, table->runs->len);
  }
  if (others > 0) {
    g_string_append_printf(report->html, "%s%u run%s did not end ok", table->flagged > 0 ? "; " : "", others,
                           others == 1 ? "" : "s");
  }
  g_string_append(report->html, " (<a href=\"#flags\">Flags</a>).</li>\n");
}

void report_append_answer(report_page *report)
{
  if (report->table == NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n", report->empty);
    return;
  }
  g_string_append(report->html, "<ul class=\"answer\">\n");
  for (guint i = 0; i < report->pairings->len; i++) {
    append_verdict(report, &g_array_index(report->pairings, result_pairing, i));
  }
  append_range(report, &report_quantities[0]);
  for (guint i = 2; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i] && !report_quantities[i].only_when_varying) {
      append_range(report, &report_quantities[i]);
    }
  }
  append_caveat(report);
  g_string_append(report->html, "</ul>\n");
  if (report->pairings->len > 0) {
    g_string_append(report->html, "<p class=\"note\">A factor is the geometric mean of the ratios, and a "
                                  "difference the mean of the differences, of runs that have the same seed "
                                  "and differ in that alone. In parentheses: the 95 % interval.</p>\n");
  }
}
