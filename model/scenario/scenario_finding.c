/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"

#include "scenario/scenario_problem.h"

gboolean scenario_finding_error(const scenario *s, const scenario_key *keys, gsize count, char *text,
                                GError **error)
{
  scenario_key blamed = keys[0];

  for (gsize i = count; i-- > 0;) {
    if (scenario_given(s, scenario_settings_source(s, keys[i]))) {
      blamed = keys[i];
    }
  }
  char *where = scenario_settings_where(s, blamed);
  scenario_problem(error, where, "%s", text);
  g_free(where);
  g_free(text);
  return FALSE;
}

void scenario_finding_note(GPtrArray *notes, const scenario *s, scenario_key key, const char *format, ...)
{
  va_list arguments;

  if (notes == NULL) {
    return;
  }
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  char *where = scenario_settings_where(s, key);
  g_ptr_array_add(notes, g_strdup_printf("%s: %s", where, text));
  g_free(where);
  g_free(text);
}
