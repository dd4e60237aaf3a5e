/* SPDX-License-Identifier: GPL-2.0-only */
/* A setting of a scenario's file as libconfig has it: how it is written, its line, and errors there. */
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_private.h"

/* A list as --set takes it, "[1,2]". A list of anything but scalars becomes a text that no key takes. */
static char *list_text(const config_setting_t *setting)
{
  GString *text = g_string_new("[");
  int count = config_setting_length(setting);

  for (int i = 0; i < count; i++) {
    g_autofree char *element = NULL;
    scenario_notation notation =
        scenario_settings_notation(config_setting_get_elem(setting, (unsigned)i), &element);
    const char *quote = notation == SCENARIO_NOTATION_STRING ? "\"" : "";

    g_string_append_printf(text, "%s%s%s%s", i > 0 ? "," : "", quote, element, quote);
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

scenario_notation scenario_settings_notation(const config_setting_t *setting, char **text)
{
  g_autofree char *digits = NULL;

  switch (config_setting_type(setting)) {
  case CONFIG_TYPE_INT:
  case CONFIG_TYPE_INT64:
    *text = g_strdup_printf("%lld", config_setting_get_int64(setting));
    return SCENARIO_NOTATION_INTEGER;
  case CONFIG_TYPE_FLOAT:
    /* The shortest text of the same value, but never that of an integer: no key takes 1500.0 for 1500. */
    digits = units_format_real(config_setting_get_float(setting));
    *text = g_strconcat(digits, strpbrk(digits, ".e") != NULL ? "" : ".0", NULL);
    return SCENARIO_NOTATION_REAL;
  case CONFIG_TYPE_BOOL:
    *text = g_strdup(config_setting_get_bool(setting) ? "true" : "false");
    return SCENARIO_NOTATION_BOOLEAN;
  case CONFIG_TYPE_STRING:
    *text = g_strdup(config_setting_get_string(setting));
    return SCENARIO_NOTATION_STRING;
  case CONFIG_TYPE_ARRAY:
  case CONFIG_TYPE_LIST:
    *text = list_text(setting);
    return SCENARIO_NOTATION_LIST;
  default:
    *text = g_strdup("{ ... }");
    return SCENARIO_NOTATION_GROUP;
  }
}

char *loading_line(const loading *on, const config_setting_t *setting)
{
  return scenario_source_where(on->source, config_setting_source_line(setting));
}

gboolean loading_error(const loading *on, const config_setting_t *setting, const char *format, ...)
{
  g_autofree char *where = loading_line(on, setting);
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return scenario_problem(on->error, where, "%s", text);
}

gboolean loading_members(const loading *on, const config_setting_t *setting, const char *const *members,
                         const char *what, const char *expected)
{
  for (int i = 0; i < config_setting_length(setting); i++) {
    const config_setting_t *member = config_setting_get_elem(setting, (unsigned)i);
    const char *name = config_setting_name(member);

    if (!g_strv_contains(members, name)) {
      g_autofree char *shown = scenario_shown(name);
      g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, members));

      return loading_error(on, member, "unknown key '%s' in %s; expected %s%s", shown, what, expected, hint);
    }
  }
  return TRUE;
}
