/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/html_report.h"

#include <string.h>

#include "base/error.h"
#include "base/html.h"
#include "base/units.h"
#include "scenario/configuration.h"
#include "study/plot/gnuplot.h"
#include "study/plot/plot_runs.h"
#include "study/report/report_page.h"
#include "study/table/shown_number.h"

/* --- The heading --- */

static void append_title(report_page *report)
{
  html_append_text(report->html, report->title);
}

/* Appends the scenario, the seeds, the program, and how much there is of what. */
static void append_facts(report_page *report)
{
  const study_table *table = report->table;
  const guint points = report->points->len, runs = table->all.count;
  const provenance *first = g_ptr_array_index(table->all.origins, 0);
  g_autofree char *seeds = report->empty == NULL ? study_table_seeds(table) : g_strdup("nothing to compare");
  g_autofree char *partial = study_table_partial(table);
  html_append(report->html, "scenario %s · %s · iwarpsim %s · %u %s · %u %s%s%s",
              *table->names != '\0' ? table->names : first->name, seeds,
              *table->versions != '\0' ? table->versions : first->version, points,
              units_counted(points, "points"), runs, units_counted(runs, "runs"),
              *partial != '\0' ? " · " : "", partial);
}

/* --- The question --- */

void scenario_question_of(const char *text, char **question, char **expected)
{
  g_autoptr(GRegex) comment = g_regex_new("^\\s*(?:#[# \\t]*|//[/ \\t]*)(Question:|Expected:)?\\s*(.*?)\\s*$",
                                          G_REGEX_CASELESS | G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);
  GString *texts[] = {g_string_new(NULL), g_string_new(NULL)}, *open = NULL;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++) {
    g_autoptr(GMatchInfo) match = NULL;
    if (g_regex_match(comment, lines[i], 0, &match)) {
      g_autofree char *label = g_match_info_fetch(match, 1), *words = g_match_info_fetch(match, 2);
      open = *label != '\0' ? texts[g_ascii_tolower(*label) == 'e'] : open;
      if (open != NULL && (*label != '\0' || !g_str_has_prefix(words, "iwarpsim "))) {
        g_string_append_printf(open, "%s%s", open->len > 0 && *words != '\0' ? " " : "", words);
      }
    } else if (open != NULL || *g_strstrip(lines[i]) != '\0') {
      break;
    }
  }
  *question = g_string_free(texts[0], FALSE);
  *expected = g_string_free(texts[1], FALSE);
}

static void append_question(report_page *report)
{
  for (guint i = 0; i < report->table->all.origins->len; i++) {
    const provenance *of = g_ptr_array_index(report->table->all.origins, i);
    g_autofree char *question = NULL, *expected = NULL;
    scenario_question_of(of->text, &question, &expected);
    gboolean asks = *question != '\0';
    html_append(report->html, "<p class=\"%s\">%s</p>\n", asks ? "question" : "note",
                asks ? question : "The scenario's text does not say what it asks.");
    if (*expected != '\0') {
      html_append(report->html, "<p class=\"note\"><b>Expected:</b> %s</p>\n", expected);
    }
  }
}

/* --- The keys: what the sweep varies, what differs from the defaults --- */

static void append_parameters(report_page *report)
{
  g_autoptr(GString) rows = g_string_new(NULL);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    /* Some run has another value than the default, and than that of the key it inherits from. */
    gboolean differs = FALSE;
    char *const *before = NULL; /* the keys of the run before, which most share */
    for (guint i = 0; i < report->runs->len && !differs; i++) {
      const study_run *run = g_ptr_array_index(report->runs, i);
      const char *text = study_run_text(run, key);
      differs = (key == SCENARIO_RUN_SEED || run->keys != before) &&
                strcmp(text, report->defaults[key]) != 0 &&
                (row->inherits < 0 || strcmp(text, run->keys[row->inherits]) != 0);
      before = run->keys;
    }
    if (key != SCENARIO_TITLE && differs) {
      /* As a plot shows them: "0 · 0.1% · 1%"; of more than a dozen the first and the last, "1 … 64". */
      g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
      g_autoptr(GString) shown = g_string_new(NULL);
      const gboolean all = values->len <= 12;
      for (guint i = 0; i < values->len; i += all ? 1 : values->len - 1) {
        g_autofree char *label = study_keys_label(key, g_ptr_array_index(values, i));
        g_string_append_printf(shown, "%s%s", i == 0 ? "" : all ? " · " : " … ", label);
      }
      html_append(rows, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n", row->name,
                  shown->str, report->defaults[key], row->sentence);
    }
  }
  html_append_table(
      report->html,
      "What the sweep varies, and what differs from the defaults; all else is as `iwarpsim explain` lists.",
      "", "<th>key</th><th>value</th><th>default</th><th>what it means</th>", rows->str);
}

/* --- Flags: runs with flagged TCP behaviour, left out, or that did not end ok --- */

/* As many runs that did not end ok are described; the rest is counted. */
enum { DESCRIBED_MAX = 100 };

static void append_flags(report_page *report)
{
  const study_table *table = report->table;
  const GPtrArray *runs = table->runs, *others = table->all.others;
  const guint described = MIN(others->len, DESCRIBED_MAX);
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
  g_autofree char *caption =
      others->len > described
          ? g_strdup_printf("The first %u of %u runs that did not end ok.", described, others->len)
          : g_strdup("Runs that did not end ok: they are in no table and no plot.");
  g_autoptr(GString) rows = g_string_new(NULL);
  for (guint i = 0; i < described; i++) {
    const study_run *run = g_ptr_array_index(others, i);
    const char *seed = run->seed;
    g_autofree char *place = plot_place_words(table, report->keys, run->keys);
    html_append(rows,
                "<tr><th scope=\"row\">%s%sseed %s</th><td>%s</td><td class=\"number\">%u</td>"
                "<td class=\"verbatim\">%s</td><td class=\"verbatim\">%s</td></tr>\n",
                place, *place != '\0' ? ", " : "", *seed != '\0' ? seed : "unknown",
                run_status_name(run->status), (guint)run->exit_code, run->message, run->stderr_tail);
  }
  if (described > 0) {
    html_append_table(report->html, caption, "",
                      "<th>run</th><th>status</th><th class=\"number\">exit code</th><th>why</th>"
                      "<th>the last it printed</th>",
                      rows->str);
  }
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

static void append_scenario(report_page *report)
{
  GString *html = report->html;
  for (guint i = 0; i < report->table->all.origins->len; i++) {
    const provenance *origin = g_ptr_array_index(report->table->all.origins, i);
    html_append(html, "<h3>%s.cfg, %u %s</h3>\n<pre tabindex=\"0\"><code>%s</code></pre>\n<dl>\n",
                origin->name, origin->count, units_counted(origin->count, "runs"), origin->text);
    append_fact(html, "Title", g_strdup(origin->title));
    append_fact(html, "SHA-256 of the text", g_strdup(origin->hash));
    append_fact(html, "Options", g_strdup(origin->sets));
    append_fact(html, "iwarpsim", g_strdup(origin->version));
    append_fact(html, "Git commit", g_strdup(origin->git));
    append_fact(html, "Libraries", g_strdup(origin->libraries));
    g_string_append(html, "</dl>\n");
  }
}

static void append_provenance(report_page *report)
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
  append_fact(html, "CPU time", shown_amount(all->cpu_s, "s"));
  append_fact(html, "Wall time, all runs together", shown_amount(all->wall_s, "s"));
  append_fact(html, "Memory of the largest run",
              all->memory_peak_octets > 0 ? shown_amount(all->memory_peak_octets, "octets") : NULL);
  append_fact(html, "Report made by", g_strdup_printf("iwarpsim %s", report->options->version));
}

/* Appends "OPTION VALUE", the value quoted only when a shell needs it. */
static void append_option(GString *command, const char *option, const char *value)
{
  const gsize plain_octets = strspn(value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./=,:+@%");
  const gboolean plain = plain_octets > 0 && value[plain_octets] == '\0';
  g_autofree char *word = plain ? g_strdup(value) : g_shell_quote(value);
  g_string_append_printf(command, "%s %s", option, word);
}

static void append_commands(report_page *report)
{
  const GPtrArray *origins = report->table->all.origins;
  g_autofree char *store = g_path_get_basename(report->options->store);
  g_autofree char *page = g_path_get_basename(report->options->page);
  g_autoptr(GString) command = g_string_new(NULL);
  for (guint i = 0; i < origins->len; i++) {
    const provenance *origin = g_ptr_array_index(origins, i);
    g_autofree char *file = g_strconcat(origin->name, ".cfg", NULL);
    g_auto(GStrv) sets = g_strsplit(origin->sets != NULL ? origin->sets : "", "\n", -1);
    append_option(command, "iwarpsim sweep", file);
    for (gsize k = 0; sets[k] != NULL; k++) {
      if (*sets[k] != '\0') {
        append_option(command, " --set", sets[k]);
      }
    }
    append_option(command, " --store", store);
    g_string_append(command, i > 0 ? " --mix\n" : "\n");
  }
  append_option(command, "iwarpsim report", store);
  append_option(command, " -o", page);
  if (report->options->run != NULL) {
    g_autofree char *run = g_path_get_basename(report->options->run);
    append_option(command, " --run", run);
  }
  const char *separator = " --leave-out ";
  for (guint bit = 0; bit < STUDY_FLAGS; bit++) {
    if ((report->options->exclude >> bit & 1) != 0) {
      g_string_append_printf(command, "%s%s", separator, study_flags[bit].name);
      separator = ",";
    }
  }
  html_append_text(report->html, command->str);
}

/* --- The page --- */

/* This is what report.html names, in the order in which it is made: the definitions explain the asterisks of
 * what comes before them. */
static const struct part {
  const char *name;
  void (*append)(report_page *report); /* appends nothing where the study has nothing of the kind */
} parts[] = {{"title", append_title},
             {"facts", append_facts},
             {"question", append_question},
             {"answer", report_append_answer},
             {"plots", report_append_plots},
             {"results", report_append_results},
             {"differences", report_append_pairs},
             {"flags", append_flags},
             {"definitions", report_append_definitions},
             {"parameters", append_parameters},
             {"scenario", append_scenario},
             {"provenance", append_provenance},
             {"reproduce", append_commands}};

/* Returns the `template` with the parts in their places. Free with g_free(). */
static char *fill(report_page *report, const char *template)
{
  g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) pieces = g_strsplit(template, "@", -1); /* every second one is a name */
  GString *page = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(parts); i++) {
    report->html = g_string_new(NULL);
    parts[i].append(report);
    g_string_append(report->html, report->html->len == 0 && parts[i].append != report_append_definitions
                                      ? "<p class=\"note\">There are none.</p>\n"
                                      : "");
    g_ptr_array_add(made, g_string_free(report->html, FALSE));
  }
  for (gsize i = 0; pieces[i] != NULL; i++) {
    gsize k = 0;
    while (i % 2 == 1 && k < made->len && strcmp(parts[k].name, pieces[i]) != 0) {
      k++;
    }
    g_string_append(page, i % 2 == 0 ? pieces[i] : k < made->len ? g_ptr_array_index(made, k) : "");
  }
  return g_string_free(page, FALSE);
}

char *html_report_make(result_store *store, const html_report_options *options, GError **error)
{
  g_autofree char *style = gnuplot_template("report.css", error);
  g_autofree char *script = style != NULL ? gnuplot_template("report.js", error) : NULL;
  g_autofree char *template = script != NULL ? gnuplot_template("report.html", error) : NULL;
  g_autoptr(study_table) table = template != NULL ? study_table_read(store, options->exclude, error) : NULL;
  if (table == NULL) {
    return NULL;
  }
  if (table->all.count == 0) {
    error_set(error, "%s: no runs in this store; expected those of a sweep", options->store);
    return NULL;
  }
  g_autoptr(GPtrArray) notes = g_ptr_array_new(), runs = study_table_with_others(table);
  const study_run *run = options->run != NULL ? report_run_of_folder(runs, options, error) : NULL;
  if (options->run != NULL && run == NULL) {
    return NULL;
  }
  g_autoptr(GError) empty = NULL;
  study_table_check(table, options->exclude, &empty);
  g_autoptr(GArray) keys = result_rows_keys(table, NULL), points = study_table_points(table->runs, keys);
  g_autoptr(GArray) pairings = g_array_new(FALSE, FALSE, sizeof(result_pairing));
  g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(report_column));
  g_autoptr(scenario) none = scenario_new_without_file("defaults.cfg", NULL, NULL);
  char *defaults[SCENARIO_KEY_COUNT];
  run_identity_texts(none, defaults);
  const provenance *first = g_ptr_array_index(table->all.origins, 0);
  report_page report = {.title = *table->title != '\0'   ? table->title
                                 : *table->names != '\0' ? table->names
                                                         : first->name,
                        .options = options,
                        .table = table,
                        .empty = empty != NULL ? empty->message : NULL,
                        .runs = runs,
                        .run = run,
                        .defaults = defaults,
                        .keys = keys,
                        .points = points,
                        .pairings = pairings,
                        .columns = columns,
                        .notes = notes};
  if (empty == NULL) {
    report_page_measure(&report);
  }
  g_autofree char *body = fill(&report, template);
  run_identity_clear(defaults);
  if (report.error != NULL) {
    g_propagate_error(error, report.error);
    return NULL;
  }
  return html_page(style, script, report.title, "iwarpsim report", body);
}
