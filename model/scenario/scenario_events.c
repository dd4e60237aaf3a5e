/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/units.h"
#include "scenario/scenario_problem.h"
#include "scenario/scenario_settings.h"
#include "scenario/scenario_suggest.h"

static const char *const members[] = {"at", "key", "value", NULL};

static const scenario_key changeable[] = {
    SCENARIO_PATH_FORWARD_RATE, SCENARIO_PATH_FORWARD_DELAY, SCENARIO_PATH_FORWARD_MTU,
    SCENARIO_PATH_REVERSE_RATE, SCENARIO_PATH_REVERSE_DELAY, SCENARIO_PATH_REVERSE_MTU,
};

/* One event while it is read. */
typedef struct event_reader {
  scenario *s;
  const scenario_source *source;
  const config_setting_t *setting; /* the event's group */
} event_reader;

static void event_clear(gpointer data)
{
  scenario_event *event = data;

  g_free(event->value);
  g_free(event->where);
}

GArray *scenario_events_new(void)
{
  GArray *events = g_array_new(FALSE, FALSE, sizeof(scenario_event));

  g_array_set_clear_func(events, event_clear);
  return events;
}

static gboolean check_members(const event_reader *r, GError **error)
{
  static const char form[] = "{ at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; }";

  if (!config_setting_is_group(r->setting)) {
    return scenario_settings_problem(r->source, r->setting,
                                     g_strdup_printf("an event is not a group; expected %s", form), error);
  }
  for (int i = 0; i < config_setting_length(r->setting); i++) {
    const config_setting_t *member = config_setting_get_elem(r->setting, (unsigned)i);
    const char *name = config_setting_name(member);

    if (!g_strv_contains(members, name)) {
      char *shown = scenario_shown(name);
      char *hint = scenario_did_you_mean(scenario_suggest(name, members));
      char *text = g_strdup_printf("unknown key '%s' in an event; expected at, key or value%s", shown, hint);

      g_free(shown);
      g_free(hint);
      return scenario_settings_problem(r->source, member, text, error);
    }
  }
  for (gsize i = 0; members[i] != NULL; i++) {
    if (config_setting_get_member(r->setting, members[i]) == NULL) {
      return scenario_settings_problem(
          r->source, r->setting, g_strdup_printf("the event has no '%s'; expected %s", members[i], form),
          error);
    }
  }
  return TRUE;
}

static gboolean read_at(const event_reader *r, scenario_event *event, GError **error)
{
  const config_setting_t *member = config_setting_get_member(r->setting, "at");
  const char *text = config_setting_get_string(member);

  return (text != NULL && units_parse_time(text, &event->at)) ||
         scenario_settings_problem(r->source, member,
                                   g_strdup("event: 'at' is no time; expected for instance at = \"2ms\""),
                                   error);
}

static gboolean read_key(const event_reader *r, scenario_event *event, GError **error)
{
  const config_setting_t *member = config_setting_get_member(r->setting, "key");
  const char *text = config_setting_get_string(member);
  const char *names[G_N_ELEMENTS(changeable) + 1] = {NULL};

  for (gsize i = 0; i < G_N_ELEMENTS(changeable); i++) {
    names[i] = scenario_key_row_of(changeable[i])->name;
    if (g_strcmp0(text, names[i]) == 0) {
      event->key = changeable[i];
      return TRUE;
    }
  }
  char *shown = scenario_shown(text != NULL ? text : "");
  char *hint = scenario_did_you_mean(scenario_suggest(text != NULL ? text : "", names));
  char *all = g_strjoinv(", ", (char **)names);
  char *problem =
      g_strdup_printf("event: '%s' does not change in a run; expected one of %s%s", shown, all, hint);

  g_free(shown);
  g_free(hint);
  g_free(all);
  return scenario_settings_problem(r->source, member, problem, error);
}

static gboolean read_value(const event_reader *r, scenario_event *event, GError **error)
{
  const config_setting_t *member = config_setting_get_member(r->setting, "value");
  const scenario_key_row *row = scenario_key_row_of(event->key);
  scenario_value value = {.is_word = FALSE};
  char *text;
  char *problem;
  scenario_notation notation = scenario_settings_notation(member, &text);
  gboolean ok = scenario_value_read(row, notation, text, &value, &problem);

  g_free(text);
  if (!ok) {
    char *whole = g_strdup_printf("event: %s", problem);

    g_free(problem);
    return scenario_settings_problem(r->source, member, whole, error);
  }
  event->number = value.number;
  event->value = scenario_value_write(row, &value);
  scenario_value_clear(&value);
  return TRUE;
}

/* Behind all that are not later. */
static void insert(GArray *events, const scenario_event *event)
{
  guint place = events->len;

  while (place > 0 && g_array_index(events, scenario_event, place - 1).at > event->at) {
    place--;
  }
  g_array_insert_val(events, place, *event);
}

gboolean scenario_events_load(scenario *s, const scenario_source *source, const config_setting_t *list,
                              GError **error)
{
  event_reader r = {.s = s, .source = source};

  if (!config_setting_is_list(list)) {
    return scenario_settings_problem(
        r.source, list, g_strdup("'event' is not a list of events; expected event = ( { at = ...; }, ... )"),
        error);
  }
  g_array_set_size(s->events, 0); /* an including file's events replace those of what it includes */
  for (int i = 0; i < config_setting_length(list); i++) {
    scenario_event event = {0};

    r.setting = config_setting_get_elem(list, (unsigned)i);
    if (!check_members(&r, error) || !read_at(&r, &event, error) || !read_key(&r, &event, error) ||
        !read_value(&r, &event, error)) {
      return FALSE;
    }
    event.where = scenario_settings_line(source, r.setting);
    insert(s->events, &event);
  }
  return TRUE;
}

gsize scenario_events(const scenario *s, const scenario_event **events)
{
  *events = (const scenario_event *)(const void *)s->events->data;
  return s->events->len;
}
