/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/report/report_sketch.h"

#include <string.h>

#include "scenario/configuration.h"
#include "study/report/html.h"

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
  const path_part middlebox = !report_keys_differ(report, SCENARIO_MIDDLEBOX_MODE) ? PART_NONE
                              : strcmp(position, "behind") == 0                    ? PART_BEHIND
                              : strcmp(position, "between") == 0                   ? PART_BETWEEN
                                                                                   : PART_BEFORE;
  g_string_append(report->html, "<ol class=\"path\">\n");
  for (path_part part = 0; part < PART_NONE; part++) {
    g_autoptr(GString) keys = g_string_new(NULL);
    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      if (part_of(key, middlebox, direction) != part) {
        continue;
      }
      gboolean shown = report_keys_differ(report, key);
      for (gsize i = 0; i < G_N_ELEMENTS(always); i++) {
        shown = shown || always[i] == key;
      }
      if (shown) {
        g_autofree char *values = report_keys_values(report, key);
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
