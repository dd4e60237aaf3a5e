/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario.h"

#include <string.h>

#include "base/files.h"
#include "scenario/scenario_file.h"
#include "scenario/scenario_private.h"

/* Returns the default of `key` in `profile`, a word of tcp.profile; empty when it inherits. One that cannot
 * be read is a mistake in keys.def. */
static scenario_value default_value(const char *profile, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  const char *text = row->rfc != NULL && strcmp(profile, "rfc") == 0 ? row->rfc : row->fallback;
  scenario_value value = {.is_word = FALSE};
  char *problem = NULL;

  if (text != NULL && !scenario_value_read(row, SCENARIO_NOTATION_BARE, text, &value, &problem)) {
    g_error("default: %s", problem);
  }
  return value;
}

enum { TEXTS_OCTETS = 1024 };

/* Returns a scenario without values and lists. */
static scenario *new_empty(const char *path)
{
  scenario *s = g_new0(scenario, 1);

  s->path = g_strdup(path);
  s->name = file_stem(path, ".cfg");
  s->texts = g_string_chunk_new(TEXTS_OCTETS);
  s->filled = g_new0(const configuration *, 1);
  return s;
}

scenario *scenario_new(const char *path)
{
  scenario *s = new_empty(path);
  const char *profile = scenario_key_row_of(SCENARIO_TCP_PROFILE)->fallback;

  s->full_text = g_ref_string_new("");
  s->axes = g_array_new(FALSE, FALSE, sizeof(scenario_axis));
  s->constraints = g_ptr_array_new();
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const gboolean is_list = scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS;

    s->settings[key].value = default_value(profile, key);
    s->settings[key].entries = is_list ? scenario_list_new() : NULL;
  }
  return s;
}

scenario *scenario_copy(const scenario *s)
{
  scenario *copy = new_empty(s->path);

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_setting_copy(&s->settings[key], &copy->settings[key]);
  }
  copy->full_text = g_ref_string_acquire(s->full_text);
  copy->axes = g_array_ref(s->axes);
  copy->constraints = g_ptr_array_ref(s->constraints);
  return copy;
}

void scenario_free(scenario *s)
{
  if (s == NULL) {
    return;
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    scenario_setting_clear(&s->settings[key]);
  }
  g_array_unref(s->axes);
  g_ptr_array_unref(s->constraints);
  configuration_unref(*s->filled);
  g_free(s->filled);
  g_string_chunk_free(s->texts);
  g_ref_string_release(s->full_text);
  g_free(s->path);
  g_free(s->name);
  g_free(s);
}

/* --- Values --- */

/* Gives `key` a copy of `setting`. */
static void put(scenario *s, scenario_key key, const scenario_setting *setting)
{
  scenario_setting_clear(&s->settings[key]);
  scenario_setting_copy(setting, &s->settings[key]);
  g_clear_pointer(s->filled, configuration_unref);
  /* With another profile the keys that were not given have other defaults. */
  for (scenario_key other = 0; key == SCENARIO_TCP_PROFILE && other < SCENARIO_KEY_COUNT; other++) {
    if (scenario_key_row_of(other)->rfc != NULL && !scenario_given(s, other)) {
      scenario_value_clear(&s->settings[other].value);
      s->settings[other].value = default_value(setting->value.text, other);
    }
  }
}

gboolean scenario_settings_set_list(scenario *s, scenario_key key, GPtrArray *entries, const char *origin,
                                    GError **error)
{
  g_autoptr(GPtrArray) taken = entries;
  g_autofree char *folder = g_path_get_dirname(s->path);
  g_autofree char *text =
      scenario_list_find_files(taken, folder, error) ? scenario_list_write(key, taken, origin, error) : NULL;

  if (text == NULL) {
    return FALSE;
  }
  put(s, key, &(scenario_setting){.value = {.text = text}, .origin = (char *)origin, .entries = taken});
  return TRUE;
}

gboolean scenario_settings_set(scenario *s, scenario_key key, scenario_notation notation, const char *text,
                               const char *origin, GError **error)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  g_auto(scenario_value) value = {.is_word = FALSE};
  g_autofree char *problem = NULL;

  if (row->type == SCENARIO_TYPE_GROUPS) {
    GPtrArray *entries = scenario_list_read(key, text, origin, error);

    return entries != NULL && scenario_settings_set_list(s, key, entries, origin, error);
  }
  if (!scenario_value_read(row, notation, text, &value, &problem)) {
    return scenario_problem(error, origin, "%s", problem);
  }
  g_autofree char *folder = g_path_get_dirname(s->path);
  if (row->type == SCENARIO_TYPE_FILE && !scenario_file_find(row, origin, folder, &value, error)) {
    return FALSE;
  }
  put(s, key, &(scenario_setting){.value = value, .origin = (char *)origin});
  return TRUE;
}

gboolean scenario_set_key(scenario *s, scenario_key key, const char *text, const char *where, GError **error)
{
  return scenario_settings_set(s, key, SCENARIO_NOTATION_BARE, text, where, error);
}

gboolean scenario_settings_find(const scenario *s, const char *name, scenario_place *place, char **problem)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", 3);

  *place = (scenario_place){.list = scenario_list_of(name), .key = scenario_key_find(name)};
  if (place->list == SCENARIO_KEY_COUNT) {
    *problem = place->key == SCENARIO_KEY_COUNT ? scenario_key_problem("key", name) : NULL;
    place->row = *problem == NULL ? scenario_key_row_of(place->key) : NULL;
    return *problem == NULL;
  }
  const GPtrArray *entries = s->settings[place->list].entries;
  place->entry = scenario_list_find(place->list, entries, parts[1], problem);
  if (*problem == NULL) {
    place->key = scenario_entry_key(place->list, parts[2] != NULL ? parts[2] : "", problem);
  }
  place->row = *problem == NULL ? scenario_entry_row(entries->pdata[place->entry], place->key) : NULL;
  return *problem == NULL;
}

const scenario_value *scenario_settings_value_at(const scenario *s, const scenario_place *place)
{
  const scenario_setting *own = place->list < SCENARIO_KEY_COUNT
                                    ? scenario_entry_setting(s, place->list, place->entry, place->key)
                                    : NULL;

  return own != NULL ? &own->value : scenario_settings_value(s, place->key);
}

gboolean scenario_settings_set_named(scenario *s, const char *name, scenario_notation notation,
                                     const char *text, const char *origin, GError **error)
{
  g_autofree char *problem = NULL;
  scenario_place place;

  if (!scenario_settings_find(s, name, &place, &problem)) {
    return scenario_problem(error, origin, "%s", problem);
  }
  if (place.list == SCENARIO_KEY_COUNT) {
    return scenario_settings_set(s, place.key, notation, text, origin, error);
  }
  g_autoptr(GPtrArray) entries = scenario_list_with_copy(s->settings[place.list].entries, place.entry);
  scenario_entry *entry = entries->pdata[place.entry];
  const char *called = scenario_entry_name(place.list, place.key);

  return scenario_entry_set(entry, place.list, called, notation, text, origin, error) &&
         scenario_entry_finish(entry, place.list, origin, error) &&
         scenario_settings_set_list(s, place.list, g_steal_pointer(&entries), origin, error);
}

guint scenario_entries(const scenario *s, scenario_key list)
{
  return s->settings[list].entries->len;
}

const scenario_setting *scenario_entry_setting(const scenario *s, scenario_key list, guint i,
                                               scenario_key key)
{
  return scenario_entry_find(s->settings[list].entries->pdata[i], key);
}

/* Resets in `copy` what `given`, a key that the entry has, takes the place of, unless the entry has that,
 * too.
 */
static void reset_others(const scenario_entry *entry, scenario_key given, scenario *copy)
{
  const scenario_key place = scenario_key_row_of(given)->instead_of;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_key its = scenario_key_row_of(key)->instead_of;
    const gboolean is_related = its == given || (place != SCENARIO_TITLE && (key == place || its == place));

    if (is_related && scenario_given(copy, key) && scenario_entry_find(entry, key) == NULL) {
      g_auto(scenario_value) value = default_value(copy->settings[SCENARIO_TCP_PROFILE].value.text, key);
      put(copy, key, &(scenario_setting){.value = value});
    }
  }
}

void scenario_entry_apply(const scenario *s, scenario_key list, guint i, scenario *copy)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const scenario_setting *own = scenario_entry_setting(s, list, i, key);

    if (own != NULL) {
      put(copy, key, own);
      reset_others(s->settings[list].entries->pdata[i], key, copy);
    }
  }
  g_ptr_array_unref(copy->settings[list].entries);
  copy->settings[list].entries = scenario_list_new();
}

scenario_key scenario_settings_source(const scenario *s, scenario_key key)
{
  while (!scenario_given(s, key) && scenario_key_row_of(key)->inherits >= 0) {
    key = (scenario_key)scenario_key_row_of(key)->inherits;
  }
  return key;
}

const scenario_value *scenario_settings_value(const scenario *s, scenario_key key)
{
  return &s->settings[scenario_settings_source(s, key)].value;
}

/* Returns a copy of `text`, which it frees, that lives as long as the scenario. */
static const char *keep(const scenario *s, char *text)
{
  g_autofree char *taken = text;
  return g_string_chunk_insert_const(s->texts, taken);
}

const char *scenario_settings_where(const scenario *s, scenario_key key)
{
  scenario_key source = scenario_settings_source(s, key);

  return scenario_given(s, source)
             ? scenario_origin(s, source)
             : keep(s, g_strdup_printf("%s (default of %s)", s->path, scenario_key_row_of(source)->name));
}

gboolean scenario_given(const scenario *s, scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return s->settings[key].origin != NULL;
}

gboolean scenario_differs(const scenario *s, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);

  if (!scenario_given(s, key)) {
    return FALSE;
  }
  g_auto(scenario_value) value = default_value(s->settings[SCENARIO_TCP_PROFILE].value.text, key);
  const char *otherwise = row->inherits >= 0 ? scenario_value_text(s, (scenario_key)row->inherits)
                                             : keep(s, scenario_value_write(row, &value));

  return strcmp(scenario_value_text(s, key), otherwise) != 0;
}

const char *scenario_value_text(const scenario *s, scenario_key key)
{
  return keep(s, scenario_value_write(scenario_key_row_of(key), scenario_settings_value(s, key)));
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

const char *scenario_origin(const scenario *s, scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return s->settings[key].origin;
}

gsize scenario_axes(const scenario *s, const scenario_axis **axes)
{
  *axes = (const scenario_axis *)(const void *)s->axes->data;
  return s->axes->len;
}

/* --- The typed configuration --- */

/* The list has room: scenario_value_read() takes at most CHOICE_LIST_MAX words. */
static choice_list mix(const scenario_value *value)
{
  choice_list list = {.count = (uint8_t)value->list_count};

  for (gsize i = 0; i < value->list_count; i++) {
    list.values[i] = (uint8_t)value->list[i];
  }
  return list;
}

/* An event changes one of these, by the place of its key in the direction's group. */
static const path_quantity quantities[] = {
#define QUANTITY(id) [SCENARIO_PATH_FORWARD_##id - SCENARIO_PATH_FORWARD_RATE] = PATH_##id
    QUANTITY(RATE), QUANTITY(DELAY), QUANTITY(MTU)};

/* The changes of the path are the events of its keys, in the order of their times, those of one time as
 * written. */
static void fill_changes(configuration *c, const scenario *s)
{
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(path_change));

  for (guint i = 0; i < scenario_entries(s, SCENARIO_EVENT); i++) {
    const scenario_key key =
        (scenario_key)scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_KEY)->value.number;
    if (key == SCENARIO_LINKS_UP) {
      continue; /* scenario_graph.c */
    }
    const enum side direction = key < SCENARIO_PATH_REVERSE_RATE ? SIDE_INITIATOR : SIDE_RESPONDER;
    const scenario_key first = scenario_key_of_direction(SCENARIO_PATH_FORWARD_RATE, direction);
    const path_change change = {
        .at = (time_ps)scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_AT)->value.number,
        .direction = direction,
        .quantity = quantities[key - first],
        .number = scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_VALUE)->value.number};
    guint place = changes->len;

    while (place > 0 && g_array_index(changes, path_change, place - 1).at > change.at) {
      place--;
    }
    g_array_insert_val(changes, place, change);
  }
  c->path.change_count = changes->len;
  c->path.changes = configuration_keep(c, changes->data, changes->len * sizeof(path_change));
}

#define VALUE_OF_TEXT(value) (configuration_keep(c, (value)->text, strlen((value)->text) + 1))
#define VALUE_OF_FILE(value)                                                                                 \
  ((value)->path != NULL ? configuration_keep(c, (value)->path, strlen((value)->path) + 1) : "")
#define VALUE_OF_WORD(value) ((value)->number)
#define VALUE_OF_MIX(value) (mix(value))
#define VALUE_OF_BOOLEAN(value) ((value)->number != 0)
#define VALUE_OF_INTEGER(value) ((value)->number)
#define VALUE_OF_SIZE(value) ((value)->number)
#define VALUE_OF_RATE(value) ((value)->number)
#define VALUE_OF_TIME(value) ((time_ps)(value)->number)
#define VALUE_OF_PROBABILITY(value) ((value)->probability)
#define KEPT(value, list) configuration_keep(c, (value)->list, (value)->list_count * sizeof *(value)->list)
#define VALUE_OF_LIST(value) ((number_list){KEPT(value, list), (value)->list_count})
#define VALUE_OF_SIZES(value) VALUE_OF_LIST(value)
#define VALUE_OF_TIMES(value) VALUE_OF_LIST(value)
#define VALUE_OF_RATES(value) VALUE_OF_LIST(value)
#define VALUE_OF_PROBABILITIES(value) ((probability_list){KEPT(value, probabilities), (value)->list_count})
#define VALUE_OF_MOMENT(value)                                                                               \
  ((run_moment){(value)->is_word     ? (run_moment_kind)(value)->number                                      \
                : (value)->in_octets ? RUN_MOMENT_DELIVERED                                                  \
                                     : RUN_MOMENT_TIME,                                                      \
                (value)->number})
#define VALUE_OF_DISTANCE(value) ((packet_distance){(value)->in_segments, (value)->number})

/* Each key fills its member. */
/* NOLINTNEXTLINE(readability-function-size): a statement a key, made by the preprocessor */
configuration *scenario_members(const scenario *s)
{
  configuration *c = configuration_new();

  c->name = configuration_keep(c, s->name, strlen(s->name) + 1);
#define KEY(id, name, type, member, facts, sentence)                                                         \
  c->member = VALUE_OF_##type(scenario_settings_value(s, SCENARIO_##id));
#define LIST(id, name, facts, sentence)
#include "scenario/keys.def"
  c->classes->messages_given = scenario_given(s, SCENARIO_WORKLOAD_MESSAGES);
  fill_changes(c, s);
  return c;
}
