/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/units.h"
#include "study/plot/plot_runs.h"
#include "study/report/html.h"
#include "study/report/report_page.h"
#include "study/table/shown_number.h"

/* --- Flags: runs with flagged TCP behaviour, left out, or that did not end ok --- */

/* As many runs that did not end ok are described; the rest is counted. */
enum { DESCRIBED_MAX = 100 };

/* Appends the runs that ended otherwise, each with why. */
static void append_others(report_page *report)
{
  const GPtrArray *others = report->table->all.others;
  const guint count = others->len, described = MIN(count, DESCRIBED_MAX);
  if (count == 0) {
    return;
  }
  g_autofree char *caption =
      count > described ? g_strdup_printf("The first %u of %u runs that did not end ok.", described, count)
                        : g_strdup("Runs that did not end ok: they are in no table and no plot.");
  g_autoptr(GString) rows = g_string_new(NULL);
  for (guint i = 0; i < described; i++) {
    const study_run *run = g_ptr_array_index(others, i);
    const char *seed = run->keys[SCENARIO_RUN_SEED];
    g_autofree char *place = plot_place_words(report->table, report->keys, run->keys);
    html_append(rows,
                "<tr><th scope=\"row\">%s%sseed %s</th><td>%s</td><td class=\"number\">%u</td>"
                "<td class=\"verbatim\">%s</td><td class=\"verbatim\">%s</td></tr>\n",
                place, *place != '\0' ? ", " : "", *seed != '\0' ? seed : "unknown",
                run_status_name(run->status), (guint)run->exit_code, run->message, run->stderr_tail);
  }
  html_append_table(report->html, caption, "",
                    "<th>run</th><th>status</th><th class=\"number\">exit code</th><th>why</th>"
                    "<th>the last it printed</th>",
                    rows->str);
}

void report_append_flags(report_page *report)
{
  const study_table *table = report->table;
  const GPtrArray *runs = table->runs;
  g_string_append_printf(report->html, "<p>Of %u %s ", table->all.count,
                         units_counted(table->all.count, "runs"));
  for (run_status status = 0; status < RUN_STATUSES; status++) {
    g_string_append_printf(report->html, "%u %s, ", table->all.by_status[status], run_status_name(status));
  }
  g_string_append_printf(report->html, "%u left out for a flag, %u in the tables and plots.</p>\n<ul>\n",
                         table->left_out->len, runs->len);
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    const metric_row *metric = metric_row_of(study_flags[bit].metric);
    guint count = 0;
    for (guint i = 0; i < runs->len; i++) {
      count += ((const study_run *)g_ptr_array_index(runs, i))->flags >> bit & 1;
    }
    html_append(report->html,
                "<li>%u %s with <code>%s</code>: %s Left out by <code>--leave-out %s</code>.</li>\n", count,
                units_counted(count, "runs"), metric->name, metric->sentence, study_flags[bit].name);
  }
  g_string_append(report->html, "</ul>\n");
  append_others(report);
}

/* --- Scenario and provenance --- */

/* Appends a term with its text, which is taken; one that is NULL or empty is left out. */
static void append_fact(GString *html, const char *term, char *text)
{
  if (text != NULL && *text != '\0') {
    html_append(html, "<dt>%s</dt><dd>%s</dd>\n", term, text);
  }
  g_free(text);
}

/* Returns "145.4 MiB", "2.4 s". Free with g_free(). */
static char *amount(double value, const char *unit)
{
  const shown_scale scale = shown_scale_for(unit, value);
  g_autofree char *number = shown_number_text(value, &scale);
  return g_strdup_printf("%s %s", number, scale.unit);
}

void report_append_scenario(report_page *report)
{
  GString *html = report->html;
  for (guint i = 0; i < report->table->all.origins->len; i++) {
    const stored_provenance *of = g_ptr_array_index(report->table->all.origins, i);
    const provenance *origin = of->origin;
    html_append(html, "<h3>%s.cfg, %u %s</h3>\n<pre tabindex=\"0\"><code>%s</code></pre>\n<dl>\n",
                origin->name, of->count, units_counted(of->count, "runs"), origin->text);
    append_fact(html, "Title", g_strdup(origin->title));
    append_fact(html, "SHA-256 of the text", g_strdup(origin->hash));
    append_fact(html, "Options", g_strdup(origin->sets));
    append_fact(html, "iwarpsim", g_strdup(origin->version));
    append_fact(html, "Git commit", g_strdup(origin->git));
    append_fact(html, "Libraries", g_strdup(origin->libraries));
    g_string_append(html, "</dl>\n");
  }
}

void report_append_provenance(report_page *report)
{
  GString *html = report->html;
  const store_summary *all = &report->table->all;
  const char *first = all->first, *last = all->last;
  append_fact(html, "Runs", g_strdup_printf("%u", all->count));
  append_fact(html, "Seeds", report->empty == NULL ? study_table_seeds(report->table) : NULL);
  append_fact(html, "Engine", study_table_join(all->engines));
  append_fact(html, "Hosts", study_table_join(all->hosts));
  append_fact(html, "Started",
              g_strcmp0(first, last) == 0 ? g_strdup(first) : g_strdup_printf("%s to %s", first, last));
  append_fact(html, "CPU time", amount(all->cpu_s, "s"));
  append_fact(html, "Wall time, all runs together", amount(all->wall_s, "s"));
  append_fact(html, "Memory of the largest run",
              all->memory_peak_octets > 0 ? amount(all->memory_peak_octets, "octets") : NULL);
  append_fact(html, "Report made by", g_strdup_printf("iwarpsim %s", report->version));
}

/* Appends "OPTION VALUE", the value quoted only when a shell needs it. */
static void append_option(GString *command, const char *option, const char *value)
{
  const gsize plain_octets = strspn(value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./=,:+@%");
  const gboolean plain = plain_octets > 0 && value[plain_octets] == '\0';
  g_autofree char *word = plain ? g_strdup(value) : g_shell_quote(value);
  g_string_append_printf(command, "%s %s", option, word);
}

void report_append_commands(report_page *report)
{
  const GPtrArray *origins = report->table->all.origins;
  g_autoptr(GString) command = g_string_new(NULL);
  for (guint i = 0; i < origins->len; i++) {
    const provenance *origin = ((const stored_provenance *)g_ptr_array_index(origins, i))->origin;
    g_autofree char *file = g_strconcat(origin->name, ".cfg", NULL);
    g_auto(GStrv) sets = g_strsplit(origin->sets != NULL ? origin->sets : "", "\n", -1);
    append_option(command, "iwarpsim sweep", file);
    for (gsize k = 0; sets[k] != NULL; k++) {
      if (*sets[k] != '\0') {
        append_option(command, " --set", sets[k]);
      }
    }
    append_option(command, " --store", report->store);
    g_string_append(command, i > 0 ? " --mix\n" : "\n");
  }
  append_option(command, "iwarpsim report", report->store);
  append_option(command, " -o", report->file);
  const char *separator = " --leave-out ";
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    if ((report->exclude >> bit & 1) != 0) {
      g_string_append_printf(command, "%s%s", separator, study_flags[bit].name);
      separator = ",";
    }
  }
  html_append_text(report->html, command->str);
}
