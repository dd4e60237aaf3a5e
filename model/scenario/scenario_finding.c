/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"

const char *finding_where(const checking *on, const scenario_key *keys)
{
  scenario_key blamed = keys[0];

  if (on->group != NULL) {
    const scenario_key *key = keys;
    while (*key < SCENARIO_KEY_COUNT && scenario_entry_find(on->group, *key) == NULL) {
      key++;
    }
    return scenario_entry_find(on->group, *key < SCENARIO_KEY_COUNT ? *key : SCENARIO_TRAFFIC_NAME)->origin;
  }
  for (const scenario_key *key = keys; *key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_given(on->s, scenario_settings_source(on->s, *key))) {
      blamed = *key;
      break;
    }
  }
  return scenario_settings_where(on->s, blamed);
}

void note_if(const checking *on, gboolean found, scenario_key key, const char *format, ...)
{
  va_list arguments;

  if (!found || on->notes == NULL) {
    return;
  }
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_ptr_array_add(on->notes, g_strdup_printf("%s: %s", scenario_settings_where(on->s, key), text));
}

scenario_key finding_key_of(const checking *on, scenario_key key, enum side direction)
{
  if (on->c->graph.kind == GRAPH_PATH) {
    return scenario_key_of_direction(key, direction);
  }
  g_autofree char *link = g_strconcat("link.", scenario_group_member("path.forward", name_of(key)), NULL);
  const scenario_key of_link = scenario_key_find(link);

  return of_link < SCENARIO_KEY_COUNT ? of_link : key;
}
