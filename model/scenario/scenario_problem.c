/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_problem.h"

#include <string.h>

#include "base/plain_text.h"
#include "scenario/scenario.h"

enum { SHOWN_MAX = 60 };

GQuark scenario_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-scenario-error");
}

gboolean scenario_problem(GError **error, const char *where, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(error, SCENARIO_ERROR, SCENARIO_ERROR_INVALID, "%s: %s", where, text);
  g_free(text);
  return FALSE;
}

char *scenario_shown(const char *text)
{
  /* At most four octets a character (RFC 3629 §3): enough of them for what is shown, however long the text is. */
  char *shown = plain_text(text, (gssize)MIN(strlen(text), 4 * (SHOWN_MAX + 1)), "");

  if (g_utf8_strlen(shown, -1) > SHOWN_MAX) {
    char *cut = g_utf8_substring(shown, 0, SHOWN_MAX);

    g_free(shown);
    shown = g_strconcat(cut, "...", NULL);
    g_free(cut);
  }
  return shown;
}

char *scenario_did_you_mean(const char *suggestion)
{
  return suggestion != NULL ? g_strdup_printf(" (did you mean '%s'?)", suggestion) : g_strdup("");
}
