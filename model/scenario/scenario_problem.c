#include "scenario/scenario_problem.h"

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
  char *valid = g_utf8_make_valid(text, (gssize)MIN(strlen(text), SHOWN_MAX * 6));
  GString *shown = g_string_new(NULL);
  glong count = 0;

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);

    if (count++ == SHOWN_MAX) {
      g_string_append(shown, "...");
      break;
    }
    if (c == '\n' || c == '\t' || c == '\r') {
      g_string_append(shown, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r");
    } else if (g_unichar_iscntrl(c)) {
      g_string_append_printf(shown, "\\x%02x", (unsigned)c);
    } else {
      g_string_append_unichar(shown, c);
    }
  }
  g_free(valid);
  return g_string_free(shown, FALSE);
}

char *scenario_did_you_mean(const char *suggestion)
{
  return suggestion != NULL ? g_strdup_printf(" (did you mean '%s'?)", suggestion) : g_strdup("");
}
