/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_answer.h"

#include <math.h>
#include <string.h>

#include "measure/warm_up.h"
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
static void append_range(report_page *report, guint index)
{
  const result_quantity *quantity = &report->quantities[index];
  static const char *const words[] = {"largest, ", ", and smallest, "};
  GString *html = report->html;
  const char *unit = report_unit_of(quantity);
  const study_point *ends[] = {NULL, NULL}; /* largest, smallest */
  statistics of_ends[G_N_ELEMENTS(ends)] = {{0}};
  for (guint i = 0; i < report->points->len; i++) {
    const study_point *point = &g_array_index(report->points, study_point, i);
    statistics of = result_quantity_statistics(quantity, point->runs);
    for (gsize e = 0; e < G_N_ELEMENTS(ends); e++) {
      double above = (of.mean - of_ends[e].mean) * (e == 0 ? 1 : -1);
      if (of.count > 0 && (ends[e] == NULL || above > 0)) {
        ends[e] = point;
        of_ends[e] = of;
      }
    }
  }
  if (ends[0] == NULL) {
    return;
  }
  html_append(html, "<li>The %s%s is ", report->table->runs->len > 1 ? "mean " : "",
              report_quantities[index].name);
  if (of_ends[0].mean > of_ends[1].mean) {
    for (gsize e = 0; e < G_N_ELEMENTS(ends); e++) {
      g_string_append(html, words[e]);
      append_number(report, &of_ends[e], unit);
      append_place(report, report->keys, g_ptr_array_index(ends[e]->runs, 0));
    }
  } else {
    append_number(report, &of_ends[0], unit);
    if (report->points->len > 1) {
      html_append(html, " at all %u points", report->points->len);
    }
  }
  g_string_append(html, ".</li>\n");
}

/* What the second value of a pairing, in place of the first, does to the peak at a point. */
typedef struct pair_effect {
  const result_row *row;
  gboolean is_factor; /* else a difference: a peak of 0 has no ratio */
  gboolean is_clear;  /* the 95 % interval leaves out that it does nothing */
  gboolean raises;
  statistics of; /* the factor, above 1, or the difference, above 0 */
} pair_effect;

static pair_effect effect_of(const result_row *row)
{
  pair_effect effect = {.row = row, .of = report_factor_of(row)};
  statistics *of = &effect.of;
  effect.is_factor = of->count > 0;
  *of = effect.is_factor ? *of : row->of;
  double none = effect.is_factor ? 1 : 0;
  effect.is_clear = of->count > 1 ? of->lower > none || of->upper < none : of->mean != none;
  effect.raises = of->mean < none;
  if (effect.raises) {
    const double lower = of->lower, upper = of->upper;
    of->mean = effect.is_factor ? 1 / of->mean : -of->mean;
    of->lower = effect.is_factor ? 1 / upper : -upper;
    of->upper = effect.is_factor ? 1 / lower : -lower;
  }
  return effect;
}

/* Appends "Markers cut the peak … by a factor of 29 (27 to 31) at MTU 1500 octets, loss 0.1%." */
static void append_effect(report_page *report, const result_pairing *pairing, const pair_effect *effect)
{
  gsize is = pairing->key == subjects[0].key ? 0 : 1;
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autofree char *against = study_label_of(pairing->key, pairing->a);
  g_autofree char *label = study_label_of(pairing->key, pairing->b);
  g_autofree char *subject = g_strconcat(subjects[is].article, label, NULL);
  *subject = g_ascii_toupper(*subject);
  html_append(report->html, "%s %s%s the %s by %s", subject, effect->raises ? "raise" : "cut",
              subjects[is].ending, report_quantities[0].name, effect->is_factor ? "a factor of " : "");
  append_number(report, &effect->of, effect->is_factor ? "" : report_unit_of(&report->quantities[0]));
  append_place(report, keys, effect->row->first);
  html_append(report->html, is == 0 ? ", against the %s." : ".", against);
}

/* An item about a pairing: the largest effect, and at how many points there is which, over the same seeds. */
static void append_verdict(report_page *report, const result_pairing *pairing)
{
  static const char *const words[] = {"smaller", "larger"};
  static const shown_scale plain = {.factor = 1};
  g_autoptr(GArray) rows = result_rows_of(report->table, &report->quantities[0], pairing);
  pair_effect largest = {.row = NULL};
  guint points = 0, counts[] = {0, 0};
  double least[] = {INFINITY, INFINITY}, most[] = {0, 0}; /* factors */
  for (guint i = 0; i < rows->len; i++) {
    const pair_effect effect = effect_of(&g_array_index(rows, result_row, i));
    points += effect.of.count > 0;
    if (effect.of.count == 0 || !effect.is_clear) {
      continue;
    }
    counts[effect.raises]++;
    if (effect.is_factor) {
      least[effect.raises] = MIN(least[effect.raises], effect.of.mean);
      most[effect.raises] = MAX(most[effect.raises], effect.of.mean);
    }
    gboolean alike = effect.is_factor == largest.is_factor;
    if (largest.row == NULL || (alike ? effect.of.mean > largest.of.mean : effect.is_factor)) {
      largest = effect;
    }
  }
  if (points == 0) {
    return;
  }
  GString *html = report->html;
  g_string_append(html, "<li>");
  if (largest.row == NULL) {
    g_autofree char *a = study_label_of(pairing->key, pairing->a),
                    *b = study_label_of(pairing->key, pairing->b);
    html_append(html, "With %s the %s is not clearly different from that with %s at any of %u point%s.", b,
                report_quantities[0].name, a, points, points == 1 ? "" : "s");
  } else {
    append_effect(report, pairing, &largest);
  }
  if (largest.row != NULL && points > 1) {
    const char *separator = "";
    html_append(html, " Of %u points the peak is", points);
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
      g_autofree char *from = shown_number_text(least[i], &plain), *to = shown_number_text(most[i], &plain);
      if (counts[i] > 0) {
        html_append(html, "%s %s at %u", separator, words[i], counts[i]);
        separator = ",";
      }
      if (most[i] > 0) {
        html_append(html, " (by a factor of %s to %s)", from, to);
      }
    }
    guint unclear = points - counts[0] - counts[1];
    html_append(html, unclear > 0 ? "%s not clearly different at %u." : ".", separator, unclear);
  }
  g_string_append(html, "</li>\n");
}

/* Flagged runs, those that did not end ok, and what the warm-up test finds. */
static void append_caveat(report_page *report)
{
  GString *html = report->html;
  const study_table *table = report->table;
  const guint runs = table->runs->len, others = report->totals->count - report->totals->by_status[RUN_OK];
  guint verdicts[WARM_UP_VERDICTS] = {0};
  for (guint i = 0; i < runs; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    verdicts[warm_up_test(run->results.block_maxima).verdict]++;
  }
  const gboolean is_steady = verdicts[WARM_UP_STEADY] == runs;
  if (table->flagged == 0 && others == 0 && is_steady) {
    return;
  }
  const char *separator = "<li>To be read with care: ";
  if (table->flagged > 0) {
    g_string_append_printf(html, "%s%u of the %u runs in these numbers have flagged TCP behaviour", separator,
                           table->flagged, runs);
    separator = "; ";
  }
  if (others > 0) {
    g_string_append_printf(html, "%s%u run%s did not end ok", separator, others, others == 1 ? "" : "s");
    separator = "; ";
  }
  g_string_append(html, table->flagged > 0 || others > 0 ? " (<a href=\"#flags\">Flags</a>)" : "");
  if (!is_steady) {
    g_string_append_printf(html,
                           "%sof %u run%s the second half differs from the first (warm-up test), and %u are "
                           "too short to tell: their peaks may grow with their length",
                           separator, verdicts[WARM_UP_DIFFERS], verdicts[WARM_UP_DIFFERS] == 1 ? "" : "s",
                           verdicts[WARM_UP_TOO_SHORT]);
  }
  g_string_append(html, ".</li>\n");
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
  append_range(report, 0);
  for (guint i = 2; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i] && !report_quantities[i].only_when_varying) {
      append_range(report, i);
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
