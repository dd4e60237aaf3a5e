/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"

gboolean finding_error(const checking *on, const scenario_key *keys, const char *format, ...)
{
  scenario_key blamed = keys[0];
  va_list arguments;

  for (const scenario_key *key = keys; *key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_given(on->s, scenario_settings_source(on->s, *key))) {
      blamed = *key;
      break;
    }
  }
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *where = scenario_settings_where(on->s, blamed);
  return scenario_problem(on->error, where, "%s", text);
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
  g_autofree char *where = scenario_settings_where(on->s, key);
  g_ptr_array_add(on->notes, g_strdup_printf("%s: %s", where, text));
}
