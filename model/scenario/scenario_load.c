/* SPDX-License-Identifier: GPL-2.0-only */
/* A file and those that it includes give a scenario its values, and then --set options. */
#include <string.h>

#include "scenario/scenario_private.h"
#include "scenario/scenario_where.h"

/* --- Files --- */

static const char *const lists[] = {"sweep", "where", NULL}; /* beside keys and groups */

/* Adds the condition of `setting` to the constraints. */
static gboolean load_constraint(scenario *s, const source_setting *setting, GError **error)
{
  const char *text = setting_string(setting);
  g_autofree char *origin = setting_where(setting);

  if (text == NULL) {
    return scenario_problem(
        error, origin,
        "'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings");
  }
  scenario_where *where = scenario_where_parse(text, origin, error);
  if (where != NULL) {
    g_ptr_array_add(s->constraints, where);
  }
  return where != NULL;
}

/* Loads the setting `where`, a constraint, or a list of them. */
static gboolean load_constraints(scenario *s, const source_setting *where, GError **error)
{
  gboolean good = TRUE;

  g_ptr_array_set_free_func(s->constraints, (GDestroyNotify)scenario_where_free);
  g_ptr_array_set_size(s->constraints, 0); /* an including file's replace those of what it includes */
  if (where->notation != SCENARIO_NOTATION_LIST) {
    return load_constraint(s, where, error);
  }
  for (const source_setting *element = where->first; good && element != NULL; element = element->next) {
    good = load_constraint(s, element, error);
  }
  return good;
}

/* Loads the setting of a list of groups. */
static gboolean load_list(scenario *s, const source_setting *setting, scenario_key list, const char *where,
                          GError **error)
{
  const char *name = scenario_key_row_of(list)->name;
  g_autoptr(GPtrArray) entries = scenario_list_new();

  if (setting->notation != SCENARIO_NOTATION_LIST || setting->is_array) {
    return scenario_problem(error, where, "'%s' is not a list of groups; expected %s = ( { ... }, ... )",
                            name, name);
  }
  for (const source_setting *group = setting->first; group != NULL; group = group->next) {
    scenario_entry *entry = scenario_entry_new();
    g_autofree char *at = setting_where(group);

    g_ptr_array_add(entries, entry);
    if (group->notation != SCENARIO_NOTATION_GROUP) {
      return scenario_problem(error, at, "an element of '%s' is no group; expected { ... }", name);
    }
    if (!scenario_entry_load(entry, list, group, "", error) ||
        !scenario_entry_finish(entry, list, at, error)) {
      return FALSE;
    }
  }
  return scenario_settings_set_list(s, list, g_steal_pointer(&entries), where, error);
}

static gboolean load_group(scenario *s, const source_setting *group, const char *name, GError **error);

/* Loads a member of the file or of a group: a key, a group, or one of the lists. */
static gboolean load_member(scenario *s, const source_setting *setting, const char *name, GError **error)
{
  scenario_key key = scenario_key_find(name);
  g_autofree char *where = setting_where(setting);

  if (key < SCENARIO_KEY_COUNT && scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS) {
    return load_list(s, setting, key, where, error);
  }
  if (key < SCENARIO_KEY_COUNT) {
    g_autofree char *text = setting_text(setting);

    return scenario_settings_set(s, key, setting->notation, text, where, error);
  }
  if (scenario_group_exists(name) && setting->notation == SCENARIO_NOTATION_GROUP) {
    return load_group(s, setting, name, error);
  }
  if (scenario_group_exists(name)) {
    g_autofree char *members = scenario_group_members(name, "");

    return scenario_problem(error, where, "'%s' is not a group; expected %s: { ... } with %s", name, name,
                            members);
  }
  if (g_strv_contains(lists, name)) {
    return strcmp(name, "where") != 0 || load_constraints(s, setting, error);
  }
  const char *kind = setting->notation == SCENARIO_NOTATION_GROUP ? "group" : "key";
  const char *list = scenario_suggest(name, lists);
  g_autofree char *problem = list == NULL ? scenario_key_problem(kind, name)
                                          : g_strdup_printf("unknown %s '%s'; expected sweep or where "
                                                            "(did you mean '%s'?)",
                                                            kind, name, list);
  return scenario_problem(error, where, "%s", problem);
}

static gboolean load_group(scenario *s, const source_setting *group, const char *name, GError **error)
{
  gboolean good = TRUE;

  for (const source_setting *setting = group->first; good && setting != NULL; setting = setting->next) {
    g_autofree char *member = g_strconcat(name, *name == '\0' ? "" : ".", setting->name, NULL);

    good = load_member(s, setting, member, error);
  }
  return good;
}

/* The settings of a text win over those of the texts before it. */
static gboolean load_texts(scenario *s, const GPtrArray *texts, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; good && i < texts->len; i++) {
    const source_setting *sweep = setting_member(texts->pdata[i], "sweep");
    if (sweep != NULL) {
      g_ptr_array_set_size(s->constraints, 0); /* those of an included sweep are not meant for this one */
    }
    /* An axis may be of what a list has. */
    good =
        load_group(s, texts->pdata[i], "", error) && (sweep == NULL || scenario_axes_load(s, sweep, error));
  }
  return good;
}

/* Applies `sets` to `s`. Frees it and returns NULL when it is not `ok`, or when one of them is wrong. */
static scenario *finish(scenario *s, gboolean ok, const char *const *sets, GError **error)
{
  for (gsize i = 0; ok && sets != NULL && sets[i] != NULL; i++) {
    ok = scenario_set(s, sets[i], error);
  }
  if (!ok) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

scenario *scenario_load(const char *path, const char *const *sets, GError **error)
{
  scenario *s = scenario_new(path);
  scenario_source *source = scenario_source_read(path, error);
  gboolean ok = source != NULL;

  if (ok) {
    g_ref_string_release(s->full_text);
    s->full_text = g_ref_string_new(scenario_source_full_text(source));
    ok = load_texts(s, scenario_source_texts(source), error);
  }
  scenario_source_free(source);
  return finish(s, ok, sets, error);
}

scenario *scenario_new_without_file(const char *path, const char *const *sets, GError **error)
{
  return finish(scenario_new(path), TRUE, sets, error);
}

/* --- --set options --- */

gboolean scenario_set(scenario *s, const char *set, GError **error)
{
  const char *equals = strchr(set, '=');
  g_autofree char *shown = scenario_shown(set);
  g_autofree char *where = g_strdup_printf("--set '%s'", shown);

  if (equals == NULL) {
    return scenario_problem(error, where, "there is no '=' in it; expected GROUP.KEY=VALUE");
  }
  g_autofree char *name = g_strstrip(g_strndup(set, (gsize)(equals - set)));
  g_autofree char *text = g_strstrip(g_strdup(equals + 1));
  g_autofree char *string = *text == '"' ? scenario_source_string(text) : NULL;

  if (g_strv_contains(lists, name)) {
    return scenario_problem(error, where, "the %s cannot be set; expected GROUP.KEY=VALUE", name);
  }
  if (*text == '"' && string == NULL) {
    return scenario_problem(error, where, "the text in quotes does not end with them; expected \"TEXT\"");
  }
  return scenario_settings_set_named(s, name,
                                     string != NULL ? SCENARIO_NOTATION_STRING : SCENARIO_NOTATION_BARE,
                                     string != NULL ? string : text, where, error);
}
