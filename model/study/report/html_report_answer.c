/* SPDX-License-Identifier: GPL-2.0-only */
/* The question, and the answer at a glance: sentences made of the table. */
#include <math.h>

#include "study/report/html_report_private.h"
#include "study/report/scenario_question.h"

void html_report_append_question(html_report *report)
{
  html_report_begin_section(report, "question", "Question");
  for (guint i = 0; i < report->totals->origins->len; i++) {
    const summary_provenance *of = g_ptr_array_index(report->totals->origins, i);
    scenario_question question = scenario_question_of(of->origin->text);
    gboolean asks = *question.question != '\0';
    html_append(report->html, "<p class=\"%s\">%s</p>\n", asks ? "question" : "note",
                asks ? question.question : "The scenario's text does not say what it asks.");
    if (*question.expected != '\0') {
      html_append(report->html, "<p class=\"note\"><b>Expected:</b> %s</p>\n", question.expected);
    }
    scenario_question_clear(&question);
  }
  g_string_append(report->html, "</section>\n");
}

/* Appends "1234 ± 35 KiB" standing out, in the unit that suits it. */
static void append_number(const statistics *of, const char *unit, GString *html)
{
  const shown_scale scale = shown_scale_for(unit, of->mean);
  shown_number number = shown_number_of(of->mean, of->half_width, &scale);
  const char *between = *number.half_width != '\0' ? " ± " : "";
  html_append(html, "<strong>%s%s%s %s</strong>", number.value, between, number.half_width, scale.unit);
  shown_number_clear(&number);
}

/* Appends " (in-order receiver, loss 1%; 8 runs)". */
static void append_place(const html_report *report, const study_point *point, gsize count, GString *html)
{
  const study_run *run = g_ptr_array_index(point->runs, 0);
  g_autofree char *place = html_report_place(report->keys, run->keys);
  html_append(html, " (%s%s%u run%s)", place, *place != '\0' ? "; " : "", (guint)count,
              count == 1 ? "" : "s");
}

/* The points with the largest and the smallest mean of a quantity. */
typedef struct extremes {
  const study_point *largest, *smallest; /* NULL: no point has it */
  statistics of_largest, of_smallest;
} extremes;

static extremes find_extremes(const html_report *report, const report_quantity *quantity)
{
  extremes found = {NULL, NULL, {0}, {0}};
  for (guint i = 0; i < report->points->len; i++) {
    const study_point *point = &g_array_index(report->points, study_point, i);
    statistics of = html_report_statistics(quantity, point->runs);
    if (of.count == 0) {
      continue;
    }
    if (found.largest == NULL || of.mean > found.of_largest.mean) {
      found.largest = point;
      found.of_largest = of;
    }
    if (found.smallest == NULL || of.mean < found.of_smallest.mean) {
      found.smallest = point;
      found.of_smallest = of;
    }
  }
  return found;
}

static void append_range(html_report *report, const report_quantity *quantity)
{
  GString *html = report->html;
  const extremes found = find_extremes(report, quantity);
  const char *unit = html_report_unit(quantity);
  if (found.largest == NULL) {
    return;
  }
  g_string_append_printf(html, "<li>The mean %s is ", quantity->name);
  append_number(&found.of_largest, unit, html);
  if (!(found.of_largest.mean > found.of_smallest.mean)) {
    if (report->points->len > 1) {
      g_string_append_printf(html, " at all %u points", report->points->len);
    }
  } else {
    append_place(report, found.largest, found.of_largest.count, html);
    g_string_append(html, " where it is largest, and ");
    append_number(&found.of_smallest, unit, html);
    append_place(report, found.smallest, found.of_smallest.count, html);
    g_string_append(html, " where it is smallest");
  }
  g_string_append(html, ".</li>\n");
}

/* How the pairs of a pairing come out: where the interval of the difference leaves out 0. */
typedef struct verdict {
  guint points;           /* with an interval */
  guint more;             /* of them, where the first value is clearly the larger */
  guint less;             /* … the smaller */
  const result_row *most; /* the one with the difference largest in size; NULL: none has an interval */
} verdict;

static verdict judge(const GArray *rows)
{
  verdict of = {0};
  for (guint i = 0; i < rows->len; i++) {
    const result_row *row = &g_array_index(rows, result_row, i);
    if (row->of.count < 2) {
      continue;
    }
    of.points++;
    of.more += row->of.mean > row->of.half_width;
    of.less += -row->of.mean > row->of.half_width;
    if (of.most == NULL || fabs(row->of.mean) > fabs(of.most->of.mean)) {
      of.most = row;
    }
  }
  return of;
}

static void append_verdict(html_report *report, const result_pairing *pairing)
{
  GString *html = report->html;
  const report_quantity *peak = html_report_quantity(0);
  g_autoptr(GArray) rows = result_rows_of(report->table, &peak->of, pairing);
  const verdict of = judge(rows);
  if (of.most == NULL) {
    return;
  }
  g_autoptr(GArray) keys = result_rows_keys(report->table, pairing);
  g_autofree char *place = html_report_place(keys, of.most->first->keys);
  html_append(html,
              "<li>Over the same seeds, the peak is larger with %s %s than with %s at %u of %u point%s and "
              "smaller at %u, going "
              "by 95 %% intervals of the difference that leave out 0.",
              scenario_key_row_of(pairing->key)->name, pairing->a, pairing->b, of.more, of.points,
              of.points == 1 ? "" : "s", of.less);
  if (of.more + of.less > 0) {
    g_string_append(html, " It differs most, by ");
    append_number(&of.most->of, html_report_unit(peak), html);
    html_append(html, "%s%s.", *place != '\0' ? ", for " : "", place);
  }
  g_string_append(html, "</li>\n");
}

static void append_caveat(html_report *report)
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

void html_report_append_answer(html_report *report)
{
  html_report_begin_section(report, "answer", "Answer at a glance");
  if (report->table == NULL) {
    html_append(report->html, "<p class=\"warn\">There is nothing to compare: %s</p>\n</section>\n",
                report->empty);
    return;
  }
  g_string_append(report->html, "<ul class=\"answer\">\n");
  append_range(report, html_report_quantity(0));
  g_autoptr(GArray) pairings = html_report_pairings(report);
  for (guint i = 0; i < pairings->len; i++) {
    append_verdict(report, &g_array_index(pairings, result_pairing, i));
  }
  for (guint i = 2; i < REPORT_QUANTITIES; i++) {
    if (report->shows[i] && !html_report_quantity(i)->only_when_varying) {
      append_range(report, html_report_quantity(i));
    }
  }
  append_caveat(report);
  g_string_append(report->html, "</ul>\n</section>\n");
}
