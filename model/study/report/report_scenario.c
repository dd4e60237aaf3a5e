/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_scenario.h"

#include <string.h>

#include "scenario/configuration.h"
#include "study/report/html.h"

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

void report_append_question(report_page *report)
{
  for (guint i = 0; i < report->totals->origins->len; i++) {
    const stored_provenance *of = g_ptr_array_index(report->totals->origins, i);
    g_autofree char *question = NULL, *expected = NULL;
    scenario_question_of(of->origin->text, &question, &expected);
    gboolean asks = *question != '\0';
    html_append(report->html, "<p class=\"%s\">%s</p>\n", asks ? "question" : "note",
                asks ? question : "The scenario's text does not say what it asks.");
    if (*expected != '\0') {
      html_append(report->html, "<p class=\"note\"><b>Expected:</b> %s</p>\n", expected);
    }
  }
}

/* --- The keys: what the sweep varies, what differs from the defaults --- */

/* Whether the `values` of `key` in `runs` are just those that it takes from another key when not given. */
static gboolean is_inherited(const GPtrArray *runs, scenario_key key, const GPtrArray *values)
{
  int from = scenario_key_row_of(key)->inherits;
  g_autoptr(GPtrArray) inherited = from < 0 ? g_ptr_array_new() : study_keys_values(runs, (scenario_key)from);
  gboolean same = values->len == inherited->len;
  for (guint i = 0; same && i < values->len; i++) {
    same = strcmp(g_ptr_array_index(values, i), g_ptr_array_index(inherited, i)) == 0;
  }
  return same;
}

/* Whether runs vary `key`, or have another value than its default, and than that of the key it inherits
 * from. */
static gboolean keys_differ(const report_page *report, scenario_key key)
{
  g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
  gboolean is_default = values->len == 1 && strcmp(g_ptr_array_index(values, 0), report->defaults[key]) == 0;
  return values->len > 0 && !is_default && !is_inherited(report->runs, key, values);
}

/* The values of `key`, as a plot shows them: "0 · 0.1% · 1%"; of more than a dozen the first ones and the
 * last. Free with g_free(). */
static char *keys_values(const report_page *report, scenario_key key)
{
  enum { SHOWN = 12 };
  g_autoptr(GPtrArray) values = study_keys_values(report->runs, key);
  GString *shown = g_string_new(NULL);
  for (guint i = 0; i < values->len; i++) {
    gboolean left_out = values->len > SHOWN && i >= SHOWN - 1 && i + 1 < values->len;
    g_autofree char *label = study_keys_label(key, g_ptr_array_index(values, i));
    if (!left_out) {
      g_string_append_printf(shown, "%s%s", i > 0 ? " · " : "", label);
    } else if (i == SHOWN - 1) {
      g_string_append(shown, " · …");
    }
  }
  return g_string_free(shown, FALSE);
}

void report_append_parameters(report_page *report)
{
  static const text_column columns[] = {{"key", TEXT_COLUMN_HEADING, NULL},
                                        {"value", TEXT_COLUMN_TEXT, NULL},
                                        {"default", TEXT_COLUMN_TEXT, NULL},
                                        {"what it means", TEXT_COLUMN_TEXT, NULL}};
  g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (key != SCENARIO_TITLE && keys_differ(report, key)) {
      g_ptr_array_add(cells, g_strdup(scenario_key_row_of(key)->name));
      g_ptr_array_add(cells, keys_values(report, key));
      g_ptr_array_add(cells, g_strdup(report->defaults[key]));
      g_ptr_array_add(cells, g_strdup(scenario_key_row_of(key)->sentence));
    }
  }
  html_append_table(
      report->html, "parameters",
      "What the sweep varies, and what differs from the defaults; all else is as `iwarpsim explain` lists.",
      columns, G_N_ELEMENTS(columns), cells);
}

/* --- The path --- */

/* The direction of the payload in the first run; forward when its keys are no scenario of this program. */
static enum side payload_direction(const report_page *report)
{
  const study_run *run = g_ptr_array_index(report->runs, 0);
  g_autoptr(GPtrArray) sets = g_ptr_array_new_with_free_func(g_free);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (*run->keys[key] != '\0') {
      g_ptr_array_add(sets, g_strdup_printf("%s=%s", scenario_key_row_of(key)->name, run->keys[key]));
    }
  }
  g_ptr_array_add(sets, NULL);
  g_autoptr(scenario) first = scenario_new_without_file("first.cfg", (const char *const *)sets->pdata, NULL);
  return first != NULL ? scenario_configuration(first)->main_direction : SIDE_INITIATOR;
}

/* What a key is about, in the order of the way. */
typedef enum path_part {
  PART_SOURCE,
  PART_BEFORE, /* a middlebox at that position, and likewise the next two */
  PART_LINK,
  PART_BETWEEN,
  PART_FURTHER_LINKS,
  PART_IMPAIRMENTS,
  PART_BEHIND,
  PART_SINK,
  PART_NONE
} path_part;

static const char *const titles[] = {"Data Source",   "Middlebox",   "Queue and link", "Middlebox",
                                     "Further links", "Impairments", "Middlebox",      "Data Sink"};

/* Shown whatever their value is. */
static const scenario_key always[] = {
    SCENARIO_WORKLOAD_OPERATION, SCENARIO_WORKLOAD_CONNECTIONS, SCENARIO_WORKLOAD_MESSAGE_SIZE,
    SCENARIO_WORKLOAD_MESSAGES,  SCENARIO_SENDER_SEGMENTATION,  SCENARIO_MPA_MARKERS,
    SCENARIO_RECEIVER_MODE,      SCENARIO_RECEIVER_MEMORY,      SCENARIO_PATH_FORWARD_RATE,
    SCENARIO_PATH_FORWARD_DELAY, SCENARIO_PATH_FORWARD_MTU,     SCENARIO_PATH_REVERSE_RATE,
    SCENARIO_PATH_REVERSE_DELAY, SCENARIO_PATH_REVERSE_MTU};

/* Impairments are what path.reverse does not take from path.forward. */
static path_part part_of(scenario_key key, path_part middlebox, enum side direction)
{
  if (scenario_group_has("workload", key) || scenario_group_has("sender", key) ||
      scenario_group_has("mpa", key)) {
    return PART_SOURCE;
  }
  if (scenario_group_has("receiver", key)) {
    return PART_SINK;
  }
  if (scenario_group_has("middlebox", key)) {
    return middlebox;
  }
  if (!scenario_group_has(direction == SIDE_INITIATOR ? "path.forward" : "path.reverse", key)) {
    return PART_NONE;
  }
  const char *name = strrchr(scenario_key_row_of(key)->name, '.');
  scenario_key reverse = direction == SIDE_RESPONDER ? key : scenario_key_of_direction(key, SIDE_RESPONDER);
  return scenario_key_row_of(reverse)->inherits < 0 ? PART_IMPAIRMENTS
         : g_str_has_prefix(name, ".hop_")          ? PART_FURTHER_LINKS
                                                    : PART_LINK;
}

void report_append_sketch(report_page *report)
{
  enum side direction = payload_direction(report);
  gboolean forward = direction == SIDE_INITIATOR;
  const char *position =
      ((const study_run *)g_ptr_array_index(report->runs, 0))->keys[SCENARIO_MIDDLEBOX_POSITION];
  const path_part middlebox = !keys_differ(report, SCENARIO_MIDDLEBOX_MODE) ? PART_NONE
                              : strcmp(position, "behind") == 0             ? PART_BEHIND
                              : strcmp(position, "between") == 0            ? PART_BETWEEN
                                                                            : PART_BEFORE;
  g_string_append(report->html, "<ol class=\"path\">\n");
  for (path_part part = 0; part < PART_NONE; part++) {
    g_autoptr(GString) keys = g_string_new(NULL);
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      if (part_of(key, middlebox, direction) != part) {
        continue;
      }
      gboolean shown = keys_differ(report, key);
      for (gsize i = 0; i < G_N_ELEMENTS(always); i++) {
        shown = shown || always[i] == key;
      }
      if (shown) {
        g_autofree char *values = keys_values(report, key);
        html_append(keys, "<li><span>%s</span> %s</li>\n", strrchr(scenario_key_row_of(key)->name, '.') + 1,
                    values);
      }
    }
    const char *end = part == PART_SOURCE ? (forward ? ": Initiator" : ": Responder")
                      : part == PART_SINK ? (forward ? ": Responder" : ": Initiator")
                                          : "";
    if (keys->len > 0 || part == PART_IMPAIRMENTS) {
      html_append(report->html, "<li><b>%s%s</b>\n<ul>\n", titles[part], end);
      g_string_append_printf(report->html, "%s</ul></li>\n", keys->len > 0 ? keys->str : "<li>none</li>\n");
    }
  }
  html_append(
      report->html,
      "</ol>\n<p class=\"note\">The way of the payload (path.%s); each value that the runs vary stands "
      "beside the others. <a href=\"#parameters\">Parameters</a> has all that differs from the "
      "defaults.</p>\n",
      forward ? "forward" : "reverse");
}

/* --- The text --- */

void report_append_scenario(report_page *report)
{
  for (guint i = 0; i < report->totals->origins->len; i++) {
    const provenance *origin =
        ((const stored_provenance *)g_ptr_array_index(report->totals->origins, i))->origin;
    html_append(report->html, "<h3>%s.cfg</h3>\n<pre tabindex=\"0\"><code>%s</code></pre>\n", origin->name,
                origin->text);
  }
}
