/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario.h"

#include <string.h>

#include "scenario/scenario_problem.h"
#include "scenario/scenario_settings.h"
#include "scenario/scenario_where.h"

static void axis_clear(gpointer data)
{
  scenario_axis *axis = data;

  g_strfreev(axis->values);
  g_free(axis->where);
}

static scenario *scenario_new(const char *path)
{
  scenario *s = g_new0(scenario, 1);

  s->path = g_strdup(path);
  s->full_text = g_ref_string_new("");
  s->name = g_path_get_basename(path);
  if (g_str_has_suffix(s->name, ".cfg") && strlen(s->name) > strlen(".cfg")) {
    s->name[strlen(s->name) - strlen(".cfg")] = '\0';
  }
  s->axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  s->events = scenario_events_new();
  g_array_set_clear_func(s->axes, axis_clear);
  s->constraints = g_ptr_array_new_with_free_func((GDestroyNotify)scenario_where_free);
  s->filled = g_new0(scenario_filled, 1);
  s->filled->changes = g_array_new(FALSE, FALSE, sizeof(path_change));
  return s;
}

/* The table's defaults read as every other value does; one that does not is a mistake in the table. */
static void set_defaults(scenario *s)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    char *problem = NULL;
    gboolean ok = row->fallback == NULL || scenario_value_read(row, SCENARIO_NOTATION_BARE, row->fallback,
                                                               &s->settings[key].value, &problem);

    if (!ok) {
      g_error("default: %s", problem);
    }
  }
}

static gboolean config_problem(const config_t *config, const scenario_source *source, GError **error)
{
  guint line = (guint)MAX(config_error_line(config), 1);
  const char *text = config_error_text(config);
  char *where = scenario_source_where(source, line);
  char *whole = scenario_source_line(source, line);
  char *shown = scenario_shown(whole);

  if (text != NULL && strstr(text, "mismatched element") != NULL) {
    scenario_problem(error, where, "a list in [ ] holds values of several types; expected ( ) around them");
  } else {
    scenario_problem(
        error, where,
        "%s at '%s'; expected KEY = VALUE; or GROUP: { ... }; with words and values with units in quotes",
        text != NULL ? text : "error", shown);
  }
  g_free(where);
  g_free(whole);
  g_free(shown);
  return FALSE;
}

char *scenario_settings_line(const scenario_source *source, const config_setting_t *setting)
{
  return scenario_source_where(source, config_setting_source_line(setting));
}

gboolean scenario_settings_problem(const scenario_source *source, const config_setting_t *setting, char *text,
                                   GError **error)
{
  char *where = scenario_settings_line(source, setting);

  scenario_problem(error, where, "%s", text);
  g_free(where);
  g_free(text);
  return FALSE;
}

static gboolean load_group(scenario *s, const scenario_source *source, const config_setting_t *group,
                           const char *name, GError **error);

/* One member of the file or of a group: a key, a group, or the sweep. */
static gboolean load_member(scenario *s, const scenario_source *source, const config_setting_t *setting,
                            const char *name, GError **error)
{
  scenario_key key = scenario_key_find(name);
  char *where = scenario_settings_line(source, setting);
  char *text = NULL;
  gboolean ok;

  if (key < SCENARIO_KEY_COUNT) {
    scenario_notation notation = scenario_settings_notation(setting, &text);

    ok = scenario_settings_set(s, key, notation, text, where, error);
  } else if (scenario_group_exists(name)) {
    char *members = scenario_group_members(name);

    ok = config_setting_is_group(setting) ||
         scenario_problem(error, where, "'%s' is not a group; expected %s: { ... } with %s", name, name,
                          members);
    ok = ok && load_group(s, source, setting, name, error);
    g_free(members);
  } else if (strcmp(name, "sweep") == 0) {
    ok = scenario_axes_load(s, source, setting, error);
  } else if (strcmp(name, "where") == 0) {
    ok = scenario_constraints_load(s, source, setting, error);
  } else if (strcmp(name, "event") == 0) {
    ok = scenario_events_load(s, source, setting, error);
  } else {
    ok = scenario_settings_unknown(name, setting, where, error);
  }
  g_free(where);
  g_free(text);
  return ok;
}

static gboolean load_group(scenario *s, const scenario_source *source, const config_setting_t *group,
                           const char *name, GError **error)
{
  int count = config_setting_length(group);
  gboolean ok = TRUE;

  for (int i = 0; ok && i < count; i++) {
    const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
    char *member = *name == '\0' ? g_strdup(config_setting_name(setting))
                                 : g_strconcat(name, ".", config_setting_name(setting), NULL);

    ok = load_member(s, source, setting, member, error);
    g_free(member);
  }
  return ok;
}

/* Another sweep than the included one's: its constraints are not meant for it. */
static void forget_constraints(scenario *s, const config_setting_t *root)
{
  if (config_setting_get_member(root, "sweep") != NULL) {
    g_ptr_array_set_size(s->constraints, 0);
  }
}

/* What the file itself says comes last, so that it wins over what it includes. */
static gboolean load_source(scenario *s, const scenario_source *source, GError **error)
{
  config_t config;
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < scenario_source_included_count(source); i++) {
    ok = load_source(s, scenario_source_included(source, i), error);
  }
  if (!ok) {
    return FALSE;
  }
  if (scenario_settings_parse(&config, scenario_source_text(source))) {
    forget_constraints(s, config_root_setting(&config));
    ok = load_group(s, source, config_root_setting(&config), "", error);
  } else {
    ok = config_problem(&config, source, error);
  }
  config_destroy(&config);
  return ok;
}

scenario *scenario_load(const char *path, const char *const *sets, GError **error)
{
  scenario *s = scenario_new(path);
  scenario_source *source = scenario_source_read(path, error);
  gboolean ok = source != NULL;

  set_defaults(s);
  if (ok) {
    g_ref_string_release(s->full_text);
    s->full_text = g_ref_string_new(scenario_source_full_text(source));
  }
  ok = ok && load_source(s, source, error);
  for (gsize i = 0; ok && sets != NULL && sets[i] != NULL; i++) {
    ok = scenario_set(s, sets[i], error);
  }
  scenario_source_free(source);
  if (!ok) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

scenario *scenario_new_without_file(const char *path, const char *const *sets, GError **error)
{
  scenario *s = scenario_new(path);
  gboolean ok = TRUE;

  set_defaults(s);
  for (gsize i = 0; ok && sets != NULL && sets[i] != NULL; i++) {
    ok = scenario_set(s, sets[i], error);
  }
  if (!ok) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

void scenario_free(scenario *s)
{
  if (s == NULL) {
    return;
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_value_clear(&s->settings[key].value);
    g_free(s->settings[key].origin);
  }
  g_array_unref(s->axes);
  g_array_unref(s->events);
  g_ptr_array_unref(s->constraints);
  g_array_unref(s->filled->changes);
  g_free(s->filled);
  g_ref_string_release(s->full_text);
  g_free(s->path);
  g_free(s->name);
  g_free(s);
}

scenario *scenario_copy(const scenario *s)
{
  scenario *copy = scenario_new(s->path);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_value_copy(&s->settings[key].value, &copy->settings[key].value);
    copy->settings[key].origin = g_strdup(s->settings[key].origin);
  }
  g_ref_string_release(copy->full_text);
  copy->full_text = g_ref_string_acquire(s->full_text);
  /* Shared: nothing changes axes once they are loaded, and a sweep of n values makes n copies. */
  g_array_unref(copy->axes);
  copy->axes = g_array_ref(s->axes);
  g_array_unref(copy->events);
  copy->events = g_array_ref(s->events);
  g_ptr_array_unref(copy->constraints);
  copy->constraints = g_ptr_array_ref(s->constraints);
  return copy;
}

gboolean scenario_given(const scenario *s, scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return s->settings[key].origin != NULL;
}

gboolean scenario_differs(const scenario *s, scenario_key key)
{
  if (!scenario_given(s, key)) {
    return FALSE;
  }
  const scenario_key_row *row = scenario_key_row_of(key);
  char *given = scenario_value_text(s, key);
  char *otherwise;

  if (row->inherits >= 0) {
    otherwise = scenario_value_text(s, (scenario_key)row->inherits);
  } else {
    scenario_value value = {.is_word = FALSE};
    char *problem = NULL;
    gboolean ok = scenario_value_read(row, SCENARIO_NOTATION_BARE,
                                      scenario_key_default(s->settings[SCENARIO_TCP_PROFILE].value.text, key),
                                      &value, &problem);

    g_assert(ok); /* as set_defaults() read it */
    otherwise = scenario_value_write(row, &value);
    scenario_value_clear(&value);
  }
  gboolean differs = strcmp(given, otherwise) != 0;
  g_free(given);
  g_free(otherwise);
  return differs;
}

char *scenario_value_text(const scenario *s, scenario_key key)
{
  return scenario_value_write(scenario_key_row_of(key), &s->settings[scenario_settings_source(s, key)].value);
}

const char *scenario_path(const scenario *s)
{
  return s->path;
}

const char *scenario_name(const scenario *s)
{
  return s->name;
}

const char *scenario_full_text(const scenario *s)
{
  return s->full_text;
}

char *scenario_origin(const scenario *s, scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return g_strdup(s->settings[key].origin);
}

gsize scenario_axes(const scenario *s, const scenario_axis **axes)
{
  *axes = (const scenario_axis *)(const void *)s->axes->data;
  return s->axes->len;
}
