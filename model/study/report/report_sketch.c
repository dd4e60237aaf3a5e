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

/* What a key is about on the path. */
typedef enum path_part { PART_NONE, PART_LINK, PART_FURTHER_LINKS, PART_IMPAIRMENTS } path_part;

/* Impairments are what path.reverse does not take from path.forward. */
static path_part part_of(scenario_key key, enum side direction)
{
  if (!scenario_group_has(direction == SIDE_INITIATOR ? "path.forward" : "path.reverse", key)) {
    return PART_NONE;
  }
  const char *name = strrchr(scenario_key_row_of(key)->name, '.') + 1;
  scenario_key reverse = direction == SIDE_RESPONDER ? key : scenario_key_of_direction(key, SIDE_RESPONDER);
  return scenario_key_row_of(reverse)->inherits < 0 ? PART_IMPAIRMENTS
         : g_str_has_prefix(name, "hop_")           ? PART_FURTHER_LINKS
                                                    : PART_LINK;
}

static void append_key(report_page *report, scenario_key key)
{
  g_autofree char *values = report_keys_values(report, key);
  html_append(report->html, "<li><span>%s</span> %s</li>\n", strrchr(scenario_key_row_of(key)->name, '.') + 1,
              values);
}

/* Appends a box with the keys of `always`, which ends with SCENARIO_KEY_COUNT, and those of `group` (NULL:
 * none) or of a part of the path that differ from the defaults; nothing when `optional` and there are none.
 */
static void append_box(report_page *report, const char *title, const scenario_key *always, const char *group,
                       path_part part, enum side direction)
{
  html_append(report->html, "<li><b>%s</b>\n<ul>\n", title);
  gsize before = report->html->len;
  for (const scenario_key *key = always; *key < SCENARIO_KEY_COUNT; key++) {
    append_key(report, *key);
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    gboolean is_its = group != NULL ? scenario_group_has(group, key) : part_of(key, direction) == part;
    for (const scenario_key *other = always; *other < SCENARIO_KEY_COUNT; other++) {
      is_its = is_its && *other != key;
    }
    if (is_its && report_keys_differ(report, key)) {
      append_key(report, key);
    }
  }
  g_string_append(report->html, report->html->len == before ? "<li>none</li>\n" : "");
  g_string_append(report->html, "</ul></li>\n");
}

/* Appends the middlebox, if there is one and it is at `position`. */
static void append_middlebox(report_page *report, const char *position)
{
  static const scenario_key mode[] = {SCENARIO_MIDDLEBOX_MODE, SCENARIO_KEY_COUNT};
  const study_run *run = g_ptr_array_index(report->runs, 0);
  if (report_keys_differ(report, SCENARIO_MIDDLEBOX_MODE) &&
      strcmp(run->keys[SCENARIO_MIDDLEBOX_POSITION], position) == 0) {
    append_box(report, "Middlebox", mode, "middlebox", PART_NONE, SIDE_INITIATOR);
  }
}

void report_append_sketch(report_page *report)
{
  static const scenario_key none[] = {SCENARIO_KEY_COUNT};
  static const scenario_key source[] = {
      SCENARIO_WORKLOAD_OPERATION, SCENARIO_WORKLOAD_CONNECTIONS, SCENARIO_WORKLOAD_MESSAGE_SIZE,
      SCENARIO_WORKLOAD_MESSAGES,  SCENARIO_SENDER_SEGMENTATION,  SCENARIO_MPA_MARKERS,
      SCENARIO_KEY_COUNT};
  static const scenario_key sink[] = {SCENARIO_RECEIVER_MODE, SCENARIO_RECEIVER_MEMORY, SCENARIO_KEY_COUNT};
  enum side direction = payload_direction(report);
  const scenario_key link[] = {scenario_key_of_direction(SCENARIO_PATH_FORWARD_RATE, direction),
                               scenario_key_of_direction(SCENARIO_PATH_FORWARD_DELAY, direction),
                               scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, direction),
                               SCENARIO_KEY_COUNT};
  const scenario_key hop = scenario_key_of_direction(SCENARIO_PATH_FORWARD_HOP_DELAY, direction);
  g_string_append(report->html, "<ol class=\"path\">\n");
  append_box(report, direction == SIDE_INITIATOR ? "Data Source: Initiator" : "Data Source: Responder",
             source, "sender", PART_NONE, direction);
  append_middlebox(report, "before");
  append_box(report, "Queue and link", link, NULL, PART_LINK, direction);
  append_middlebox(report, "between");
  if (report_keys_differ(report, hop)) {
    append_box(report, "Further links", none, NULL, PART_FURTHER_LINKS, direction);
  }
  append_box(report, "Impairments", none, NULL, PART_IMPAIRMENTS, direction);
  append_middlebox(report, "behind");
  append_box(report, direction == SIDE_INITIATOR ? "Data Sink: Responder" : "Data Sink: Initiator", sink,
             "receiver", PART_NONE, direction);
  html_append(
      report->html,
      "</ol>\n<p class=\"note\">The way of the payload (path.%s); each value that the runs vary stands "
      "beside the others. <a href=\"#parameters\">Parameters</a> has all that differs from the "
      "defaults.</p>\n",
      direction == SIDE_INITIATOR ? "forward" : "reverse");
}
