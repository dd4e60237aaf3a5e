/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_setting.h"

#include <string.h>

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
  return setting != NULL && setting->notation == SCENARIO_NOTATION_STRING ? setting->text : NULL;
}

char *setting_where(const source_setting *setting)
{
  return g_strdup_printf("%s:%u", setting->path, setting->line);
}
