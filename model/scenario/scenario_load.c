/* SPDX-License-Identifier: GPL-2.0-only */
/* What gives a scenario its values: a file and those that it includes, and --set options. */
#include <string.h>

#include "scenario/scenario_axes.h"
#include "scenario/scenario_private.h"
#include "scenario/scenario_where.h"

/* --- Files --- */

static const char *const lists[] = {"sweep", "where", NULL}; /* beside keys and groups */

/* The setting `where`: a constraint, or a list of them. */
static gboolean load_constraint(const loading *on, const source_setting *setting)
{
  const char *text = setting_string(setting);

  if (text == NULL) {
    return loading_error(
        on, setting, "'where' is no condition; expected where = \"KEY >= VALUE\"; or a list of such strings");
  }
  g_autofree char *origin = setting_where(setting);
  scenario_where *where = scenario_where_parse(text, origin, on->error);
  if (where != NULL) {
    g_ptr_array_add(on->s->constraints, where);
  }
  return where != NULL;
}

static gboolean load_constraints(const loading *on, const source_setting *where)
{
  gboolean ok = TRUE;

  g_ptr_array_set_free_func(on->s->constraints, (GDestroyNotify)scenario_where_free);
  g_ptr_array_set_size(on->s->constraints, 0); /* an including file's replace those of what it includes */
  if (where->notation != SCENARIO_NOTATION_LIST) {
    return load_constraint(on, where);
  }
  for (const source_setting *element = where->first; ok && element != NULL; element = element->next) {
    ok = load_constraint(on, element);
  }
  return ok;
}

/* The setting of a list of groups. */
static gboolean load_list(const loading *on, const source_setting *setting, scenario_key list)
{
  const char *name = scenario_key_row_of(list)->name;
  g_autoptr(GString) whole = g_string_new(NULL);

  if (setting->notation != SCENARIO_NOTATION_LIST || setting->is_array) {
    return loading_error(on, setting, "'%s' is not a list of groups; expected %s = ( { ... }, ... )", name,
                         name);
  }
  for (const source_setting *group = setting->first; group != NULL; group = group->next) {
    g_autoptr(GString) text = g_string_new("{");
    g_autofree char *where = setting_where(group);

    if (group->notation != SCENARIO_NOTATION_GROUP) {
      return loading_error(on, group, "an element of '%s' is no group; expected { ... }", name);
    }
    for (const source_setting *member = group->first; member != NULL; member = member->next) {
      g_autofree char *value = setting_text(member);
      scenario_list_append(text, member->name, value);
    }
    g_string_append(text, " }");
    if (!scenario_list_read(list, text->str, where, whole, on->error)) {
      return FALSE;
    }
  }
  g_autofree char *where = setting_where(setting);
  return scenario_set_key(on->s, list, whole->str, where, on->error);
}

static gboolean load_group(const loading *on, const source_setting *group, const char *name);

/* One member of the file or of a group: a key, a group, or one of the lists. */
static gboolean load_member(const loading *on, const source_setting *setting, const char *name)
{
  scenario_key key = scenario_key_find(name);
  g_autofree char *where = setting_where(setting);

  if (key < SCENARIO_KEY_COUNT && scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS) {
    return load_list(on, setting, key);
  }
  if (key < SCENARIO_KEY_COUNT) {
    g_autofree char *text = setting_text(setting);

    return scenario_settings_set(on->s, key, setting->notation, text, where, on->error);
  }
  if (scenario_group_exists(name)) {
    g_autofree char *members = scenario_group_members(name, "");

    return setting->notation == SCENARIO_NOTATION_GROUP
               ? load_group(on, setting, name)
               : scenario_problem(on->error, where, "'%s' is not a group; expected %s: { ... } with %s", name,
                                  name, members);
  }
  if (g_strv_contains(lists, name)) {
    return strcmp(name, "where") != 0 || load_constraints(on, setting);
  }
  const char *kind = setting->notation == SCENARIO_NOTATION_GROUP ? "group" : "key";
  const char *list = scenario_suggest(name, lists);
  g_autofree char *problem = list == NULL ? scenario_key_problem(kind, name)
                                          : g_strdup_printf("unknown %s '%s'; expected sweep, where or event "
                                                            "(did you mean '%s'?)",
                                                            kind, name, list);
  return scenario_problem(on->error, where, "%s", problem);
}

static gboolean load_group(const loading *on, const source_setting *group, const char *name)
{
  gboolean ok = TRUE;

  for (const source_setting *setting = group->first; ok && setting != NULL; setting = setting->next) {
    g_autofree char *member = g_strconcat(name, *name == '\0' ? "" : ".", setting->name, NULL);

    ok = load_member(on, setting, member);
  }
  return ok;
}

/* The settings of a text win over those of the texts before it. */
static gboolean load_texts(const loading *on, const GPtrArray *texts)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < texts->len; i++) {
    const source_setting *sweep = setting_member(texts->pdata[i], "sweep");
    if (sweep != NULL) {
      g_ptr_array_set_size(on->s->constraints, 0); /* those of an included sweep are not meant for this one */
    }
    /* An axis may be of what a list has. */
    ok = load_group(on, texts->pdata[i], "") && (sweep == NULL || scenario_axes_load(on, sweep));
  }
  return ok;
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
    ok = load_texts(&(loading){s, error}, scenario_source_texts(source));
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
  scenario_key key = scenario_key_find(name);
  const scenario_key list = scenario_list_of(name);
  g_autofree char *problem = key < SCENARIO_KEY_COUNT || list < SCENARIO_KEY_COUNT ? NULL
                             : g_strv_contains(lists, name)
                                 ? g_strdup_printf("the %s cannot be set; expected GROUP.KEY=VALUE", name)
                                 : scenario_key_problem("key", name);
  g_autofree char *string = problem == NULL && *text == '"' ? scenario_source_string(text) : NULL;
  return problem != NULL ? scenario_problem(error, where, "%s", problem)
         : *text == '"' && string == NULL
             ? scenario_problem(error, where, "the text in quotes does not end with them; expected \"TEXT\"")
         : list < SCENARIO_KEY_COUNT
             ? scenario_settings_set_in(s, list, name, string != NULL ? string : text, where, error)
         : string == NULL ? scenario_set_key(s, key, text, where, error)
                          : scenario_settings_set(s, key, SCENARIO_NOTATION_STRING, string, where, error);
}
