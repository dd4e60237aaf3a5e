/* SPDX-License-Identifier: GPL-2.0-only */
/* The setting `event`: what changes in mid-flow. */
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_private.h"

static const scenario_key changeable[] = {
    SCENARIO_PATH_FORWARD_RATE, SCENARIO_PATH_FORWARD_DELAY, SCENARIO_PATH_FORWARD_MTU,
    SCENARIO_PATH_REVERSE_RATE, SCENARIO_PATH_REVERSE_DELAY, SCENARIO_PATH_REVERSE_MTU,
};

static void event_clear(gpointer data)
{
  scenario_event *event = data;

  g_free(event->value);
  g_free(event->where);
}

static gboolean check_members(const loading *on, const source_setting *setting)
{
  static const char *const members[] = {"at", "key", "value", NULL};
  static const char form[] = "{ at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; }";

  if (setting->notation != SCENARIO_NOTATION_GROUP) {
    return loading_error(on, setting, "an event is not a group; expected %s", form);
  }
  gboolean good = loading_members(on, setting, members, "an event", "at, key or value");
  for (gsize i = 0; good && members[i] != NULL; i++) {
    good = setting_member(setting, members[i]) != NULL ||
           loading_error(on, setting, "the event has no '%s'; expected %s", members[i], form);
  }
  return good;
}

static gboolean read_key(const loading *on, const source_setting *setting, scenario_event *event)
{
  const source_setting *member = setting_member(setting, "key");
  const char *given = setting_string(member);
  const char *text = given != NULL ? given : "";
  const char *names[G_N_ELEMENTS(changeable) + 1] = {NULL};

  for (gsize i = 0; i < G_N_ELEMENTS(changeable); i++) {
    names[i] = scenario_key_row_of(changeable[i])->name;
    if (strcmp(text, names[i]) == 0) {
      event->key = changeable[i];
      return TRUE;
    }
  }
  g_autofree char *shown = scenario_shown(text);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(text, names));
  g_autofree char *all = g_strjoinv(", ", (char **)names);
  return loading_error(on, member, "event: '%s' does not change in a run; expected one of %s%s", shown, all,
                       hint);
}

static gboolean read_value(const loading *on, const source_setting *setting, scenario_event *event)
{
  const source_setting *member = setting_member(setting, "value");
  const scenario_key_row *row = scenario_key_row_of(event->key);
  g_auto(scenario_value) value = {.is_word = FALSE};
  g_autofree char *text = setting_text(member);
  g_autofree char *problem = NULL;

  if (!scenario_value_read(row, member->notation, text, &value, &problem)) {
    return loading_error(on, member, "event: %s", problem);
  }
  event->number = value.number;
  event->value = scenario_value_write(row, &value);
  return TRUE;
}

gboolean scenario_events_load(const loading *on, const source_setting *list)
{
  GArray *events = on->s->events;

  if (list->notation != SCENARIO_NOTATION_LIST || list->is_array) {
    return loading_error(on, list,
                         "'event' is not a list of events; expected event = ( { at = ...; }, ... )");
  }
  g_array_set_clear_func(events, event_clear);
  g_array_set_size(events, 0); /* an including file's events replace those of what it includes */
  for (const source_setting *setting = list->first; setting != NULL; setting = setting->next) {
    scenario_event event = {0};
    guint place = events->len;

    if (!check_members(on, setting)) {
      return FALSE;
    }
    const source_setting *at = setting_member(setting, "at");
    const char *time = setting_string(at);
    if (time == NULL || !units_parse_time(time, &event.at)) {
      return loading_error(on, at, "event: 'at' is no time; expected for instance at = \"2ms\"");
    }
    if (!read_key(on, setting, &event) || !read_value(on, setting, &event)) {
      return FALSE;
    }
    event.where = setting_where(setting);
    while (place > 0 && g_array_index(events, scenario_event, place - 1).at > event.at) {
      place--; /* after all that are not later */
    }
    g_array_insert_val(events, place, event);
  }
  return TRUE;
}
