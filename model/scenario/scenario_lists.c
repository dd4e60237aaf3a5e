/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_lists.h"

#include <string.h>

#include "scenario/scenario_file.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_problem.h"

static const char *list_name(scenario_key list)
{
  return scenario_key_row_of(list)->name;
}

/* --- What an entry may have --- */

/* An entry has the rows in this order: the members, then the keys. */
static scenario_key row_at(guint place)
{
  return (scenario_key)((place + SCENARIO_KEY_COUNT + 1) % SCENARIO_ROW_COUNT);
}
enum { PLACES = SCENARIO_ROW_COUNT - 1 };

const char *scenario_entry_name(scenario_key list, scenario_key key)
{
  const scenario_key_row *of = scenario_key_row_of(list);
  const char *full = scenario_key_row_of(key)->name;

  if (key > SCENARIO_KEY_COUNT) {
    return scenario_group_member(of->name, full);
  }
  for (const char *const *group = of->holds; group != NULL && *group != NULL; group++) {
    const char *name = scenario_group_member(*group, full);

    if (name != NULL) {
      return of->holds_keys_of ? name : full;
    }
  }
  return NULL;
}

scenario_key scenario_entry_key(scenario_key list, const char *name, char **problem)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new();

  for (guint place = 0; place < PLACES; place++) {
    const char *known = scenario_entry_name(list, row_at(place));

    if (g_strcmp0(known, name) == 0) {
      return row_at(place);
    }
    if (known != NULL) {
      g_ptr_array_add(names, (gpointer)known);
    }
  }
  g_ptr_array_add(names, NULL);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, (const char *const *)names->pdata));
  g_autofree char *shown = scenario_shown(name);
  g_autofree char *expected = scenario_nearest_of(names, "", list_name(list));
  *problem = g_strdup_printf("unknown key '%s' in a group of '%s'; expected %s%s", shown, list_name(list),
                             expected, hint);
  return SCENARIO_ROW_COUNT;
}

/* --- Settings and entries --- */

void scenario_setting_clear(scenario_setting *setting)
{
  scenario_value_clear(&setting->value);
  g_free(setting->origin);
  g_clear_pointer(&setting->entries, g_ptr_array_unref);
}

void scenario_setting_copy(const scenario_setting *setting, scenario_setting *copy)
{
  *copy = *setting;
  scenario_value_copy(&setting->value, &copy->value);
  copy->origin = g_strdup(setting->origin);
  copy->entries = setting->entries != NULL ? g_ptr_array_ref(setting->entries) : NULL;
}

static void free_setting(gpointer setting)
{
  scenario_setting_clear(setting);
  g_free(setting);
}

scenario_entry *scenario_entry_new(void)
{
  return g_hash_table_new_full(NULL, NULL, NULL, free_setting);
}

/* Gives `entry` a copy of `setting`. */
static void put(scenario_entry *entry, scenario_key key, const scenario_setting *setting)
{
  scenario_setting *copy = g_new(scenario_setting, 1);

  scenario_setting_copy(setting, copy);
  g_hash_table_replace(entry, GUINT_TO_POINTER(key), copy);
}

const scenario_setting *scenario_entry_find(const scenario_entry *entry, scenario_key key)
{
  return g_hash_table_lookup((scenario_entry *)entry, GUINT_TO_POINTER(key));
}

/* The value of an event is one of the event's key. */
const scenario_key_row *scenario_entry_row(const scenario_entry *entry, scenario_key key)
{
  return scenario_key_row_of(key == SCENARIO_EVENT_VALUE
                                 ? (scenario_key)scenario_entry_find(entry, SCENARIO_EVENT_KEY)->value.number
                                 : key);
}

static gboolean is_of_preset(gpointer key, gpointer setting, gpointer unused)
{
  (void)key;
  (void)unused;
  return ((const scenario_setting *)setting)->is_preset;
}

/* Gives `entry` the values of the file that `preset` names, but for those that it has. */
static gboolean take_preset(scenario_entry *entry, scenario_key list, const char *preset, const char *where,
                            GError **error)
{
  g_autofree char *path = g_strdup_printf("scenarios/presets/%s.cfg", preset);
  g_autoptr(GHashTable) taken = scenario_entry_new();
  scenario_source *source = scenario_source_read(path, error);
  const GPtrArray *texts = source != NULL ? scenario_source_texts(source) : NULL;
  gboolean good = source != NULL;
  GHashTableIter iter;
  gpointer key, setting;

  for (guint i = 0; good && i < texts->len; i++) {
    good = scenario_entry_load(taken, list, texts->pdata[i], "", error);
  }
  scenario_source_free(source);
  g_hash_table_iter_init(&iter, taken);
  while (good && g_hash_table_iter_next(&iter, &key, &setting)) {
    ((scenario_setting *)setting)->is_preset = TRUE;
    if (!g_hash_table_contains(entry, key)) {
      put(entry, (scenario_key)GPOINTER_TO_UINT(key), setting);
    }
  }
  if (!good) {
    g_prefix_error(error, "%s: preset '%s': ", where, preset);
  }
  return good;
}

gboolean scenario_entry_set(scenario_entry *entry, scenario_key list, const char *name,
                            scenario_notation notation, const char *text, const char *where, GError **error)
{
  g_autofree char *problem = NULL;
  const scenario_key key = scenario_entry_key(list, name, &problem);
  g_auto(scenario_value) value = {.is_word = FALSE};

  if (key == SCENARIO_ROW_COUNT ||
      !scenario_value_read(scenario_key_row_of(key), notation, text, &value, &problem)) {
    return scenario_problem(error, where, "%s%s%s", key < SCENARIO_KEY_COUNT ? list_name(list) : "",
                            key < SCENARIO_KEY_COUNT ? ": " : "", problem);
  }
  put(entry, key, &(scenario_setting){.value = value, .origin = (char *)where});
  if (!scenario_key_row_of(key)->is_preset) {
    return TRUE;
  }
  g_hash_table_foreach_remove(entry, is_of_preset, NULL); /* an earlier one's */
  return *text == '\0' || take_preset(entry, list, text, where, error);
}

gboolean scenario_entry_load(scenario_entry *entry, scenario_key list, const source_setting *group,
                             const char *prefix, GError **error)
{
  gboolean good = TRUE;

  for (const source_setting *member = group->first; good && member != NULL; member = member->next) {
    const gboolean is_group = member->notation == SCENARIO_NOTATION_GROUP && member->first != NULL;
    g_autofree char *name = g_strconcat(prefix, member->name, is_group ? "." : "", NULL);
    g_autofree char *text = setting_text(member);
    g_autofree char *where = setting_where(member);

    good = is_group ? scenario_entry_load(entry, list, member, name, error)
                    : scenario_entry_set(entry, list, name, member->notation, text, where, error);
  }
  return good;
}

/* Reads the value of an event again, as one of its key, and keeps its canonical text. */
static gboolean settle_value(scenario_entry *entry, scenario_key list, const char *where, GError **error)
{
  scenario_key_row row = *scenario_entry_row(entry, SCENARIO_EVENT_VALUE);
  const scenario_setting *given = scenario_entry_find(entry, SCENARIO_EVENT_VALUE);
  g_auto(scenario_value) value = {.is_word = FALSE};
  g_autofree char *problem = NULL;

  row.name = scenario_entry_find(entry, SCENARIO_EVENT_KEY)->value.text; /* with a name of the user's */
  if (!scenario_value_read(&row, SCENARIO_NOTATION_BARE, given->value.text, &value, &problem)) {
    return scenario_problem(error, where, "%s: %s", list_name(list), problem);
  }
  char *canonical = scenario_value_write(&row, &value);
  g_free(value.text);
  value.text = canonical;
  put(entry, SCENARIO_EVENT_VALUE, &(scenario_setting){.value = value, .origin = given->origin});
  return TRUE;
}

gboolean scenario_entry_finish(scenario_entry *entry, scenario_key list, const char *where, GError **error)
{
  for (scenario_key key = SCENARIO_KEY_COUNT + 1; key < SCENARIO_ROW_COUNT; key++) {
    const scenario_key_row *row = scenario_key_row_of(key);
    const char *name = scenario_entry_name(list, key);
    const scenario_setting *given = scenario_entry_find(entry, key);

    if (name == NULL) {
      continue;
    }
    const gboolean is_name = strcmp(name, "name") == 0;
    if (row->fallback == NULL && (given == NULL || (is_name && *given->value.text == '\0'))) {
      return scenario_problem(error, where, "a group of '%s' has no '%s'; expected one", list_name(list),
                              name);
    }
    if (given == NULL) {
      scenario_entry_set(entry, list, name, SCENARIO_NOTATION_BARE, row->fallback, where, NULL);
    } else if (is_name &&
               !g_regex_match_simple("^([a-z][a-z0-9_-]*)?$", given->value.text, G_REGEX_CASELESS, 0)) {
      return scenario_problem(error, where,
                              "%s: name = \"%s\" is none; expected letters, digits, - and _, first a letter",
                              list_name(list), given->value.text);
    } else if (row->type == SCENARIO_TYPE_VALUE && !settle_value(entry, list, where, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* --- Lists --- */

GPtrArray *scenario_list_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
}

static gpointer share(gconstpointer entry, gpointer unused)
{
  (void)unused;
  return g_hash_table_ref((scenario_entry *)entry);
}

GPtrArray *scenario_list_with_copy(GPtrArray *entries, guint i)
{
  GPtrArray *list = g_ptr_array_copy(entries, share, NULL);
  scenario_entry *copy = scenario_entry_new();
  GHashTableIter iter;
  gpointer key, setting;

  g_hash_table_iter_init(&iter, list->pdata[i]);
  while (g_hash_table_iter_next(&iter, &key, &setting)) {
    put(copy, (scenario_key)GPOINTER_TO_UINT(key), setting);
  }
  g_hash_table_unref(list->pdata[i]);
  list->pdata[i] = copy;
  return list;
}

GPtrArray *scenario_list_read(scenario_key list, const char *text, const char *where, GError **error)
{
  g_autoptr(GPtrArray) entries = scenario_list_new();
  g_auto(GStrv) words = NULL;
  scenario_entry *open = NULL; /* the last of the entries, until its } */
  gboolean good = *text == '\0' || g_shell_parse_argv(text, NULL, &words, NULL);

  for (char **word = words; good && word != NULL && *word != NULL; word++) {
    char *equals = strchr(*word, '=');

    if (open == NULL) {
      good = strcmp(*word, "{") == 0;
      open = scenario_entry_new();
      g_ptr_array_add(entries, open);
    } else if (strcmp(*word, "}") == 0) {
      if (!scenario_entry_finish(open, list, where, error)) {
        return NULL;
      }
      open = NULL;
    } else if (equals == NULL) {
      good = FALSE;
    } else {
      *equals = '\0';
      if (!scenario_entry_set(open, list, *word, SCENARIO_NOTATION_BARE, equals + 1, where, error)) {
        return NULL;
      }
    }
  }
  if (good && open == NULL) {
    return g_steal_pointer(&entries);
  }
  scenario_problem(error, where, "%s is no list of groups; expected for instance '%s'", list_name(list),
                   scenario_key_row_of(list)->example);
  return NULL;
}

/* Appends all that `entry` has, but for members that have their default. */
static void write_entry(scenario_key list, const scenario_entry *entry, GString *text)
{
  g_string_append(text, text->len > 0 ? " {" : "{");
  for (guint place = 0; place < PLACES; place++) {
    const scenario_key key = row_at(place);
    const scenario_setting *setting = scenario_entry_find(entry, key);

    if (setting != NULL) {
      g_autofree char *value = scenario_value_write(scenario_entry_row(entry, key), &setting->value);
      g_autofree char *quoted = g_shell_quote(value);

      if (key < SCENARIO_KEY_COUNT || g_strcmp0(value, scenario_key_row_of(key)->fallback) != 0) {
        g_string_append_printf(text, " %s=%s", scenario_entry_name(list, key),
                               strpbrk(value, " \t\"'\\$`#") != NULL ? quoted : value);
      }
    }
  }
  g_string_append(text, " }");
}

/* Returns the name of entry `i`, else its place, from 1 on. Free with g_free(). */
static char *called(scenario_key list, const GPtrArray *entries, guint i)
{
  const scenario_key key = scenario_entry_key(list, "name", NULL);
  const char *name = scenario_entry_find(entries->pdata[i], key)->value.text;

  return *name != '\0' ? g_strdup(name) : g_strdup_printf("%u", i + 1);
}

gboolean scenario_list_find_files(GPtrArray *entries, const char *folder, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; good && i < entries->len; i++) {
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, entries->pdata[i]);
    while (good && g_hash_table_iter_next(&iter, &key, &value)) {
      const scenario_key_row *row = scenario_key_row_of((scenario_key)GPOINTER_TO_UINT(key));
      scenario_setting *setting = value;
      good = row->type != SCENARIO_TYPE_FILE ||
             scenario_file_find(row, setting->origin, folder, &setting->value, error);
    }
  }
  return good;
}

char *scenario_list_write(scenario_key list, const GPtrArray *entries, const char *where, GError **error)
{
  g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < entries->len; i++) {
    char *name = called(list, entries, i);

    if (g_hash_table_contains(names, name)) {
      scenario_problem(error, where, "two groups of '%s' have the name '%s'; expected different ones",
                       list_name(list), name);
      g_free(name);
      return NULL;
    }
    g_hash_table_add(names, name);
    write_entry(list, entries->pdata[i], text);
  }
  return g_strdup(text->str);
}

guint scenario_list_find(scenario_key list, const GPtrArray *entries, const char *name, char **problem)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < entries->len; i++) {
    g_ptr_array_add(names, called(list, entries, i));
    if (strcmp(names->pdata[i], name) == 0) {
      return i;
    }
  }
  g_ptr_array_add(names, NULL);
  const char *const *known = (const char *const *)names->pdata;
  g_autofree char *all = g_strjoinv(", ", (char **)known);
  g_autofree char *shown = scenario_shown(name);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, known));
  *problem = g_strdup_printf("'%s' has no group '%s'; expected one of those that it has, %s%s",
                             list_name(list), shown, *all != '\0' ? all : "none", hint);
  return entries->len;
}

scenario_key scenario_list_of(const char *name)
{
  g_autofree char *first = g_strndup(name, strcspn(name, "."));
  const scenario_key key = scenario_key_find(first);

  return key < SCENARIO_KEY_COUNT && scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS &&
                 name[strlen(first)] == '.'
             ? key
             : SCENARIO_KEY_COUNT;
}

char *scenario_list_value_text(const char *text, const char *name)
{
  const scenario_key list = scenario_list_of(name);
  g_auto(GStrv) parts = g_strsplit(name, ".", 3);
  g_autofree char *no_entry = NULL, *no_key = NULL;
  g_autoptr(GPtrArray) entries = scenario_list_read(list, text, name, NULL);
  const guint place = entries ? scenario_list_find(list, entries, parts[1], &no_entry) : 0;
  const scenario_key key = scenario_entry_key(list, parts[2] ? parts[2] : "", &no_key);

  if (!entries || no_entry || no_key) {
    return NULL;
  }
  const scenario_entry *entry = entries->pdata[place];
  const scenario_setting *own = scenario_entry_find(entry, key);
  return own ? scenario_value_write(scenario_entry_row(entry, key), &own->value) : NULL;
}
