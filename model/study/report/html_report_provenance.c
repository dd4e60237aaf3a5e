/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the numbers come from, and the commands that make them again. */
#include <string.h>

#include "study/report/html_report_private.h"
#include "study/report/html_text.h"

static void append_fact(html_report *report, const char *term, const char *text)
{
  if (text == NULL || *text == '\0') {
    return;
  }
  html_text_append_element(report->html, "dt", NULL, term);
  html_text_append_element(report->html, "dd", NULL, text);
  g_string_append_c(report->html, '\n');
}

static char *join(const GPtrArray *texts)
{
  GString *joined = g_string_new(NULL);
  for (guint i = 0; i < texts->len; i++) {
    g_string_append_printf(joined, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(texts, i));
  }
  return g_string_free(joined, FALSE);
}

/* "2.4 h", "35 s". Free with g_free(). */
static char *time_spent(double seconds)
{
  static const struct {
    double from;
    shown_scale scale;
  } units[] = {{3600, {3600, "h"}}, {120, {60, "min"}}, {0, {1, "s"}}};
  gsize i = 0;
  while (i + 1 < G_N_ELEMENTS(units) && seconds < units[i].from) {
    i++;
  }
  g_autofree char *number = shown_number_text(seconds, &units[i].scale);
  return g_strdup_printf("%s %s", number, units[i].scale.unit);
}

static void append_running(html_report *report)
{
  const run_census *census = report->census;
  g_autofree char *count = g_strdup_printf("%u", census->count);
  g_autofree char *seeds = report->table != NULL ? study_table_seeds(report->table) : NULL;
  g_autofree char *engines = join(census->engines);
  g_autofree char *hosts = join(census->hosts);
  g_autofree char *dates = census->first == NULL ? NULL
                           : strcmp(census->first, census->last) == 0
                               ? g_strdup(census->first)
                               : g_strdup_printf("%s to %s", census->first, census->last);
  g_autofree char *cpu = time_spent(census->cpu_s);
  g_autofree char *wall = time_spent(census->wall_s);
  const shown_scale scale = shown_scale_for("octets", census->memory_peak_octets);
  g_autofree char *number = shown_number_text(census->memory_peak_octets, &scale);
  g_autofree char *memory = g_strdup_printf("%s %s in the largest run", number, scale.unit);
  g_autofree char *maker = g_strdup_printf("iwarpsim %s", report->options->version);
  g_string_append(report->html, "<dl>\n");
  append_fact(report, "Runs", count);
  append_fact(report, "Seeds", seeds);
  append_fact(report, "Engine", engines);
  append_fact(report, "Hosts", hosts);
  append_fact(report, "Started", dates);
  append_fact(report, "CPU time", cpu);
  append_fact(report, "Wall time, all runs together", wall);
  append_fact(report, "Memory", census->memory_peak_octets > 0 ? memory : NULL);
  append_fact(report, "Report made by", maker);
  g_string_append(report->html, "</dl>\n");
}

static void append_origin(html_report *report, const census_origin *of)
{
  const stored_origin *origin = of->origin;
  g_autofree char *heading =
      g_strdup_printf("%s, %u run%s", origin->name, of->count, of->count == 1 ? "" : "s");
  html_text_append_element(report->html, "h3", NULL, heading);
  g_string_append(report->html, "\n<dl>\n");
  append_fact(report, "Title", origin->title);
  append_fact(report, "SHA-256 of the scenario", origin->hash);
  append_fact(report, "Options", origin->sets);
  append_fact(report, "iwarpsim", origin->version);
  append_fact(report, "Git commit", origin->git);
  append_fact(report, "Libraries", origin->libraries);
  g_string_append(report->html, "</dl>\n");
}

void html_report_append_provenance(html_report *report)
{
  html_report_begin_section(report, "provenance", "Provenance");
  append_running(report);
  for (guint i = 0; i < report->census->origins->len; i++) {
    append_origin(report, g_ptr_array_index(report->census->origins, i));
  }
  g_string_append(report->html, "</section>\n");
}

/* `text` as a word of a shell's command line, quoted only when it must be. Free with g_free(). */
static char *shell_word(const char *text)
{
  gboolean plain = *text != '\0';
  for (const char *c = text; *c != '\0'; c++) {
    plain = plain && (g_ascii_isalnum(*c) || strchr("_-./=,:+@%", *c) != NULL);
  }
  return plain ? g_strdup(text) : g_shell_quote(text);
}

static void append_option(GString *command, const char *option, const char *value)
{
  g_autofree char *word = shell_word(value);
  g_string_append_printf(command, " %s %s", option, word);
}

static void append_sweep(const stored_origin *origin, const char *store, gboolean mix, GString *command)
{
  g_autofree char *file = g_strconcat(origin->name, ".cfg", NULL);
  g_autofree char *file_word = shell_word(file);
  g_string_append_printf(command, "iwarpsim sweep %s", file_word);
  g_auto(GStrv) sets = g_strsplit(origin->sets != NULL ? origin->sets : "", "\n", -1);
  for (gsize i = 0; sets[i] != NULL; i++) {
    if (*sets[i] != '\0') {
      append_option(command, "--set", sets[i]);
    }
  }
  append_option(command, "--store", store);
  g_string_append(command, mix ? " --mix\n" : "\n");
}

static void append_leave_out(guint leave_out, GString *command)
{
  const char *separator = " --leave-out ";
  for (guint bit = 0; html_report_flag_name(bit) != NULL; bit++) {
    if ((leave_out >> bit & 1) != 0) {
      g_string_append_printf(command, "%s%s", separator, html_report_flag_name(bit));
      separator = ",";
    }
  }
}

void html_report_append_commands(html_report *report)
{
  const GPtrArray *origins = report->census->origins;
  g_autofree char *store = g_path_get_basename(report->options->store);
  g_autofree char *page = g_path_get_basename(report->options->page);
  g_autoptr(GString) command = g_string_new(NULL);
  for (guint i = 0; i < origins->len; i++) {
    append_sweep(((const census_origin *)g_ptr_array_index(origins, i))->origin, store, i > 0, command);
  }
  g_autofree char *store_word = shell_word(store);
  g_string_append_printf(command, "iwarpsim report %s", store_word);
  append_option(command, "-o", page);
  append_leave_out(report->options->leave_out, command);
  html_report_begin_section(report, "reproduce", "Make it again");
  g_string_append(report->html,
                  "<p>With the scenario's text above in a file of its name, and the iwarpsim of the "
                  "provenance:</p>\n<pre tabindex=\"0\"><code>");
  html_text_append(report->html, command->str);
  g_string_append(report->html, "</code></pre>\n</section>\n");
}
