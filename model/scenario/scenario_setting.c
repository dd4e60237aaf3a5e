/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of this folder ask a setting for its text, its members and its line, and report errors there. */
#include <string.h>

#include "scenario/scenario_private.h"

char *setting_text(const source_setting *setting)
{
  if (setting->notation == SCENARIO_NOTATION_GROUP) {
    return g_strdup("{ ... }");
  }
  if (setting->notation != SCENARIO_NOTATION_LIST) {
    return g_strdup(setting->text);
  }
  /* A list of anything but scalars becomes a text that no key takes. */
  GString *text = g_string_new("[");
  for (const source_setting *element = setting->first; element != NULL; element = element->next) {
    g_autofree char *inner = setting_text(element);
    const char *quote = element->notation == SCENARIO_NOTATION_STRING ? "\"" : "";

    g_string_append_printf(text, "%s%s%s%s", element == setting->first ? "" : ",", quote, inner, quote);
  }
  g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

const source_setting *setting_member(const source_setting *group, const char *name)
{
  const source_setting *member = group->first;

  while (member != NULL && strcmp(member->name, name) != 0) {
    member = member->next;
  }
  return member;
}

const char *setting_string(const source_setting *setting)
{
  return setting->notation == SCENARIO_NOTATION_STRING ? setting->text : NULL;
}

char *setting_where(const source_setting *setting)
{
  return g_strdup_printf("%s:%u", setting->path, setting->line);
}

gboolean loading_error(const loading *on, const source_setting *setting, const char *format, ...)
{
  g_autofree char *where = setting_where(setting);
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return scenario_problem(on->error, where, "%s", text);
}

gboolean loading_members(const loading *on, const source_setting *setting, const char *const *members,
                         const char *what, const char *expected)
{
  for (const source_setting *member = setting->first; member != NULL; member = member->next) {
    if (!g_strv_contains(members, member->name)) {
      g_autofree char *shown = scenario_shown(member->name);
      g_autofree char *hint = scenario_did_you_mean(scenario_suggest(member->name, members));

      return loading_error(on, member, "unknown key '%s' in %s; expected %s%s", shown, what, expected, hint);
    }
  }
  return TRUE;
}
