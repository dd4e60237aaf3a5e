/* SPDX-License-Identifier: GPL-2.0-only */
/* What to be careful about: runs with flagged TCP behaviour, left out, or that did not end ok. */
#include "study/report/html_report_private.h"
#include "study/report/html_table.h"
#include "study/report/html_text.h"

static const struct {
  study_flag flag;
  const char *name; /* what --leave-out calls it */
  metric_id metric;
} flags[] = {
    {STUDY_FLAG_TIMEOUTS, "timeouts", METRIC_TCP_TIMEOUTS},
    {STUDY_FLAG_SPURIOUS, "spurious", METRIC_TCP_SPURIOUS_RETRANSMISSIONS},
    {STUDY_FLAG_LOST_RETRANSMISSIONS, "lost", METRIC_TCP_LOST_RETRANSMISSIONS},
};

const char *html_report_flag_name(guint bit)
{
  return bit < G_N_ELEMENTS(flags) ? flags[bit].name : NULL;
}

static guint count_flag(const study_table *table, study_flag flag)
{
  guint count = 0;
  for (guint i = 0; i < table->runs->len; i++) {
    const study_run *run = g_ptr_array_index(table->runs, i);
    count += (run->flags & flag) != 0;
  }
  return count;
}

static void append_flags(html_report *report)
{
  const study_table *table = report->table;
  g_autofree char *caption = g_strdup_printf(
      "Flagged TCP behaviour among the %u run%s in the tables and plots; one run may have several flags.",
      table->runs->len, table->runs->len == 1 ? "" : "s");
  html_table *html = html_table_new(caption);
  html_table_add_column(html, HTML_COLUMN_HEADING, "metric", "");
  html_table_add_column(html, HTML_COLUMN_TEXT, "what it counts", "");
  html_table_add_column(html, HTML_COLUMN_MARK, "runs with it", "");
  html_table_add_column(html, HTML_COLUMN_TEXT, "left out by", "");
  for (gsize i = 0; i < G_N_ELEMENTS(flags); i++) {
    guint count = count_flag(table, flags[i].flag);
    g_autofree char *number = g_strdup_printf("%u", count);
    g_autofree char *option = g_strdup_printf("--leave-out %s", flags[i].name);
    html_table_add_row(html, count > 0);
    html_table_add_cell(html, metric_row_of(flags[i].metric)->name);
    html_table_add_cell(html, metric_row_of(flags[i].metric)->sentence);
    html_table_add_cell(html, number);
    html_table_add_cell(html, option);
  }
  html_table_append(html, report->html);
  html_table_free(html);
}

static void append_ends(html_report *report)
{
  const run_census *census = report->census;
  g_string_append_printf(report->html, "<p>Of %u run%s ", census->count, census->count == 1 ? "" : "s");
  for (run_status status = 0; status < RUN_STATUSES; status++) {
    g_string_append_printf(report->html, "%s%u %s", status > 0 ? ", " : "", census->by_status[status],
                           run_status_name(status));
  }
  if (report->table != NULL) {
    g_string_append_printf(report->html, "; %u left out for a flag; %u in the tables and plots.",
                           report->table->left_out, report->table->runs->len);
  }
  g_string_append(report->html, "</p>\n");
}

static void add_other(const html_report *report, const census_run *run, html_table *table)
{
  g_autofree char *place = html_report_place(report->keys, run->keys);
  const char *seed = run->keys[SCENARIO_RUN_SEED];
  g_autofree char *which =
      g_strdup_printf("%s%sseed %s", place, *place != '\0' ? ", " : "", seed != NULL ? seed : "unknown");
  g_autofree char *code = g_strdup_printf("%d", run->exit_code);
  html_table_add_row(table, FALSE);
  html_table_add_cell(table, which);
  html_table_add_cell(table, run_status_name(run->status));
  html_table_add_cell(table, code);
  html_table_add_cell(table, run->message != NULL ? run->message : "");
  html_table_add_cell(table, run->stderr_tail != NULL ? run->stderr_tail : "");
}

/* The runs that ended otherwise, each with why. */
static void append_others(html_report *report)
{
  const run_census *census = report->census;
  guint count = census->count - census->by_status[RUN_OK];
  if (count == 0) {
    return;
  }
  g_autofree char *caption =
      count > census->others->len
          ? g_strdup_printf("The first %u of %u runs that did not end ok.", census->others->len, count)
          : g_strdup("Runs that did not end ok: they are in no table and no plot.");
  html_table *table = html_table_new(caption);
  html_table_add_column(table, HTML_COLUMN_HEADING, "run", "");
  html_table_add_column(table, HTML_COLUMN_TEXT, "status", "");
  html_table_add_column(table, HTML_COLUMN_NUMBER, "exit code", "");
  html_table_add_column(table, HTML_COLUMN_SAID, "why", "");
  html_table_add_column(table, HTML_COLUMN_SAID, "what the run said last", "");
  for (guint i = 0; i < census->others->len; i++) {
    add_other(report, g_ptr_array_index(census->others, i), table);
  }
  html_table_append(table, report->html);
  html_table_free(table);
}

void html_report_append_flags(html_report *report)
{
  html_report_begin_section(report, "flags", "Flags");
  append_ends(report);
  if (report->table != NULL) {
    append_flags(report);
  }
  append_others(report);
  g_string_append(report->html, "</section>\n");
}
