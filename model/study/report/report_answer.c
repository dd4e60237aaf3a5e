/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_page.h"

#include <string.h>

#include "base/units.h"
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

/* "the in-order receiver", "markers": what is compared, in a sentence. Free with g_free(). */
static char *name_of(scenario_key key, const char *text)
{
  g_autofree char *label = study_label_of(key, text);
  return g_strconcat(key == SCENARIO_RECEIVER_MODE ? "the " : "", label, NULL);
}

/* Appends " with in-order receiver, MTU 9000 octets, loss 1%": the values that the runs of `row` have for
 * `keys`. */
static void append_place(report_page *report, const GArray *keys, const result_row *row)
{
  g_autofree char *place = plot_place_words(keys, row->first->keys);
  html_append(report->html, "%s%s", *place != '\0' ? " with " : "", place);
}

/* Appends the mean of `row`, and where that is, unless all of `rows` have it; and how many others do. */
static void append_extreme(report_page *report, const GArray *rows, const result_row *row, gboolean varies,
                           const char *unit)
{
  guint same = 0;
  for (guint i = 0; i < rows->len; i++) {
    const statistics *of = &g_array_index(rows, result_row, i).of;
    same += of->count > 0 && of->mean == row->of.mean ? 1 : 0;
  }
  append_number(report, &row->of, unit);
  if (varies) {
    append_place(report, report->keys, row);
  }
  if (same > 1) {
    html_append(report->html, varies ? ", and the same at %u more" : " at all %u points", same - varies);
  }
}

/* Where the mean of a quantity is largest, and where it is smallest. */
static void append_range(report_page *report, guint index)
{
  const result_quantity *quantity = &report->quantities[index];
  const char *unit = report_unit_of(quantity);
  const result_row *most = NULL, *least = NULL;
  g_autoptr(GArray) rows = result_rows_of(report->table, quantity, NULL);
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count > 0) {
      most = most == NULL || row->of.mean > most->of.mean ? row : most;
      least = least == NULL || row->of.mean < least->of.mean ? row : least;
    }
  }
  if (most == NULL) {
    return;
  }
  const gboolean varies = most->of.mean > least->of.mean;
  html_append(report->html, "<li>The %s%s is %s", report->table->runs->len > 1 ? "mean " : "",
              report_quantities[index].name, varies ? "largest, " : "");
  append_extreme(report, rows, most, varies, unit);
  if (varies) {
    g_string_append(report->html, ", and smallest, ");
    append_extreme(report, rows, least, TRUE, unit);
  }
  g_string_append(report->html, ".</li>\n");
}

/* What the second value of a pairing, in place of the first, does to the peak at a point. */
typedef struct pair_effect {
  const result_row *row; /* NULL: there is none */
  gboolean is_factor;    /* else a difference: a peak of 0 has no ratio */
  gboolean is_clear;     /* the 95 % interval leaves out that it does nothing */
  gboolean raises;
  statistics of; /* of the factor's logarithm or of the difference, whose mean is not below 0 */
} pair_effect;

static pair_effect effect_of(const result_row *row)
{
  pair_effect effect = {.row = row, .is_factor = row->log_ratio.count > 0};
  statistics *of = &effect.of;
  *of = effect.is_factor ? row->log_ratio : row->of;
  effect.raises = of->mean < 0;
  if (effect.raises) {
    const double lower = of->lower;
    of->mean = -of->mean;
    of->lower = -of->upper;
    of->upper = -lower;
  }
  effect.is_clear = of->count > 1 ? of->lower > 0 : of->mean > 0;
  return effect;
}

/* Appends "Markers cut the peak … by a factor of 29 (27 to 31) at MTU 1500 octets, loss 0.1%." */
static void append_effect(report_page *report, const result_pairing *pairing, const pair_effect *effect)
{
  const gboolean is_receiver = pairing->key == SCENARIO_RECEIVER_MODE;
  const statistics of = effect->is_factor ? report_factor_of(&effect->of) : effect->of;
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autofree char *against = name_of(pairing->key, pairing->a), *subject = name_of(pairing->key, pairing->b);
  *subject = g_ascii_toupper(*subject);
  html_append(report->html, "%s %s%s the %s by %s", subject, effect->raises ? "raise" : "cut",
              is_receiver ? "s" : "", report_quantities[0].name, effect->is_factor ? "a factor of " : "");
  append_number(report, &of, effect->is_factor ? "" : report_unit_of(&report->quantities[0]));
  append_place(report, keys, effect->row);
  html_append(report->html, "%s%s.", is_receiver ? ", against " : "", is_receiver ? against : "");
}

/* An item about a pairing: the largest effect, and at how many points there is which, over the same seeds. */
static void append_verdict(report_page *report, const result_pairing *pairing)
{
  static const char *const words[] = {"smaller", "larger"};
  g_autoptr(GArray) rows = result_rows_of(report->table, &report->quantities[0], pairing);
  pair_effect largest = {.row = NULL};
  guint points = 0, unclear = 0, counts[] = {0, 0};
  for (guint i = 0; i < rows->len; i++) {
    const pair_effect effect = effect_of(&g_array_index(rows, result_row, i));
    points += effect.of.count > 0;
    if (!effect.is_clear) {
      unclear += effect.of.count > 0;
      continue;
    }
    counts[effect.raises]++;
    gboolean alike = effect.is_factor == largest.is_factor;
    if (largest.row == NULL || (alike ? effect.of.mean > largest.of.mean : effect.is_factor)) {
      largest = effect;
    }
  }
  GString *html = report->html;
  if (points == 0) {
    return;
  }
  if (largest.row == NULL) {
    g_autofree char *a = name_of(pairing->key, pairing->a), *b = name_of(pairing->key, pairing->b);
    html_append(html, "<li>With %s the %s is not clearly different from that with %s at any of %u %s.</li>\n",
                b, report_quantities[0].name, a, points, units_counted(points, "points"));
    return;
  }
  g_string_append(html, "<li>");
  append_effect(report, pairing, &largest);
  if (points > 1) {
    const char *separator = "";
    html_append(html, " Of %u points the peak is", points);
    for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
      if (counts[i] > 0) {
        html_append(html, "%s %s at %u", separator, words[i], counts[i]);
        separator = ",";
      }
    }
    html_append(html, unclear > 0 ? "%s not clearly different at %u." : ".", separator, unclear);
  }
  g_string_append(html, "</li>\n");
}

/* Flagged runs, those that did not end ok, and what the warm-up test finds. */
static void append_caveats(report_page *report)
{
  const study_table *table = report->table;
  const guint runs = table->runs->len;
  guint verdicts[WARM_UP_VERDICTS] = {0};
  for (guint i = 0; i < runs; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    verdicts[warm_up_test(run->results.block_maxima).verdict]++;
  }
  const struct {
    guint count, of;
    const char *what;
  } caveats[] = {{table->flagged, runs, "with flagged TCP behaviour"},
                 {table->all.others->len, table->all.count, "that did not end ok"},
                 {verdicts[WARM_UP_DIFFERS], runs, "whose second half differs from the first"},
                 {verdicts[WARM_UP_TOO_SHORT], runs, "too short for the warm-up test"}};
  const char *separator = "<li>To be read with care (<a href=\"#flags\">Flags</a>): ", *end = "";
  for (gsize i = 0; i < G_N_ELEMENTS(caveats); i++) {
    if (caveats[i].count > 0) {
      g_string_append_printf(report->html, "%s%u of %u %s %s", separator, caveats[i].count, caveats[i].of,
                             units_counted(caveats[i].of, "runs"), caveats[i].what);
      separator = "; ";
      end = ".</li>\n";
    }
  }
  g_string_append(report->html, end);
}

void report_append_answer(report_page *report)
{
  if (report->empty != NULL) {
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
  append_caveats(report);
  g_string_append(report->html, "</ul>\n");
  if (report->pairings->len > 0) {
    g_string_append(report->html, "<p class=\"note\">A factor is the geometric mean of the ratios, and a "
                                  "difference the mean of the differences, of runs that have the same seed "
                                  "and differ in that alone. In parentheses: the 95 % interval.</p>\n");
  }
}
