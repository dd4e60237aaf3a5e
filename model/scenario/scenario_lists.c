/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_lists.h"

#include <string.h>

#include "scenario/scenario_problem.h"

static const char *list_name(scenario_key list)
{
  return scenario_key_row_of(list)->name;
}

/* --- Members --- */

/* The text of the member `name` of a group; NULL: it has none. */
static const char *find_text(char *const *group, const char *name)
{
  const gsize length = strlen(name);

  for (; *group != NULL; group++) {
    if (strncmp(*group, name, length) == 0 && (*group)[length] == '=') {
      return *group + length + 1;
    }
  }
  return NULL;
}

const char *scenario_list_text(char *const *group, scenario_key member)
{
  return find_text(group, scenario_last_part(scenario_key_row_of(member)->name));
}

/* The row by which a group's `member` is read: the value of an event is one of the event's key. */
static const scenario_key_row *row_of(char *const *group, scenario_key member)
{
  return scenario_key_row_of(member == SCENARIO_EVENT_VALUE
                                 ? scenario_key_find(scenario_list_text(group, SCENARIO_EVENT_KEY))
                                 : member);
}

guint64 scenario_list_number(char *const *group, scenario_key member)
{
  g_auto(scenario_value) value = {.is_word = FALSE};
  const gboolean read = scenario_value_read(row_of(group, member), SCENARIO_NOTATION_BARE,
                                            scenario_list_text(group, member), &value, &(char *){NULL});

  g_assert(read); /* it is canonical */
  return value.number;
}

/* What a group of `list` may have, its name first, NULL-terminated; the members in the order of keys.def.
 * Free with g_free(). */
static const char **member_names(scenario_key list)
{
  GPtrArray *names = g_ptr_array_new();

  g_ptr_array_add(names, (char *)"name");
  for (scenario_key member = SCENARIO_KEY_COUNT + 1; member < SCENARIO_ROW_COUNT; member++) {
    const char *name = scenario_group_member(list_name(list), scenario_key_row_of(member)->name);
    if (name != NULL) {
      g_ptr_array_add(names, (char *)name);
    }
  }
  g_ptr_array_add(names, NULL);
  return (const char **)g_ptr_array_free(names, FALSE);
}

static char *unknown_member(scenario_key list, const char *name)
{
  g_autofree const char **names = member_names(list);
  g_autofree char *all = g_strjoinv(", ", (char **)names);
  g_autofree char *shown = scenario_shown(name);
  g_autofree char *hint = scenario_did_you_mean(scenario_suggest(name, names));

  return g_strdup_printf("unknown key '%s' in a group of '%s'; expected %s%s", shown, list_name(list), all,
                         hint);
}

/* --- Reading --- */

GPtrArray *scenario_list_groups(const char *text)
{
  g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  g_auto(GStrv) words = NULL;
  g_autoptr(GStrvBuilder) group = NULL;
  gboolean good = *text == '\0' || g_shell_parse_argv(text, NULL, &words, NULL);

  for (char **word = words; good && word != NULL && *word != NULL; word++) {
    if (group == NULL) {
      good = strcmp(*word, "{") == 0;
      group = g_strv_builder_new();
    } else if (strcmp(*word, "}") == 0) {
      g_ptr_array_add(groups, g_strv_builder_end(group));
      g_clear_pointer(&group, g_strv_builder_unref);
    } else {
      good = strchr(*word, '=') != NULL;
      g_strv_builder_add(group, *word);
    }
  }
  return good && group == NULL ? g_steal_pointer(&groups) : NULL;
}

void scenario_list_append(GString *group, const char *member, const char *text)
{
  g_autofree char *quoted = g_shell_quote(text);

  g_string_append_printf(group, " %s=%s", member, strpbrk(text, " \t\"'\\$`#") != NULL ? quoted : text);
}

/* Appends `group` in canonical form: all its members, in the order of keys.def. */
static gboolean append_group(scenario_key list, char *const *group, const char *where, GString *text,
                             GError **error)
{
  const char *name = find_text(group, "name");

  for (char *const *word = group; *word != NULL; word++) {
    g_autofree char *member = g_strndup(*word, strcspn(*word, "="));
    g_autofree const char **names = member_names(list);
    g_autofree char *problem = g_strv_contains(names, member) ? NULL : unknown_member(list, member);

    if (problem != NULL) {
      return scenario_problem(error, where, "%s", problem);
    }
  }
  if (name != NULL && !g_regex_match_simple("^[a-z][a-z0-9_-]*$", name, G_REGEX_CASELESS, 0)) {
    return scenario_problem(error, where,
                            "%s: name = \"%s\" is none; expected letters, digits, - and _, first a letter",
                            list_name(list), name);
  }
  g_string_append(text, text->len > 0 ? " {" : "{");
  if (name != NULL) {
    scenario_list_append(text, "name", name);
  }
  for (scenario_key member = SCENARIO_KEY_COUNT + 1; member < SCENARIO_ROW_COUNT; member++) {
    const char *part = scenario_group_member(list_name(list), scenario_key_row_of(member)->name);
    const char *given = part != NULL ? find_text(group, part) : NULL;
    g_auto(scenario_value) value = {.is_word = FALSE};
    g_autofree char *problem = NULL;

    if (part != NULL && given == NULL) {
      return scenario_problem(error, where, "a group of '%s' has no '%s'; expected all but its name",
                              list_name(list), part);
    }
    if (part == NULL) {
      continue;
    }
    const scenario_key_row *row = row_of(group, member);
    if (!scenario_value_read(row, SCENARIO_NOTATION_BARE, given, &value, &problem)) {
      return scenario_problem(error, where, "%s%s",
                              row == scenario_key_row_of(member) ? "" : "event: ", problem);
    }
    g_autofree char *canonical = scenario_value_write(row, &value);
    scenario_list_append(text, part, canonical);
  }
  g_string_append(text, " }");
  return TRUE;
}

gboolean scenario_list_read(scenario_key list, const char *text, const char *where, GString *canonical,
                            GError **error)
{
  g_autoptr(GPtrArray) groups = scenario_list_groups(text);
  g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);

  if (groups == NULL) {
    return scenario_problem(error, where, "%s is no list of groups; expected for instance '%s'",
                            list_name(list), scenario_key_row_of(list)->example);
  }
  for (guint i = 0; i < groups->len; i++) {
    const char *name = find_text(groups->pdata[i], "name");

    if (!append_group(list, groups->pdata[i], where, canonical, error)) {
      return FALSE;
    }
    if (name != NULL && !g_hash_table_add(names, (gpointer)name)) {
      return scenario_problem(error, where, "two groups of '%s' have the name '%s'; expected different ones",
                              list_name(list), name);
    }
  }
  return TRUE;
}

/* --- One of the values --- */

scenario_key scenario_list_of(const char *name)
{
  g_autofree char *first = g_strndup(name, strcspn(name, "."));
  const scenario_key key = scenario_key_find(first);

  return key < SCENARIO_KEY_COUNT && scenario_key_row_of(key)->type == SCENARIO_TYPE_GROUPS &&
                 name[strlen(first)] == '.'
             ? key
             : SCENARIO_KEY_COUNT;
}

/* Finds the member and, among `groups`, the group of LIST.NAME.MEMBER. NULL: `*problem` is set. */
static char **find_value(scenario_key list, const GPtrArray *groups, const char *name, scenario_key *member,
                         char **problem)
{
  g_auto(GStrv) parts = g_strsplit(name, ".", 3);
  g_autoptr(GPtrArray) called = g_ptr_array_new_with_free_func(g_free);
  char **found = NULL;

  for (guint i = 0; i < groups->len; i++) {
    const char *own = find_text(groups->pdata[i], "name");

    g_ptr_array_add(called, own != NULL ? g_strdup(own) : g_strdup_printf("%u", i + 1));
    found = strcmp(called->pdata[i], parts[1]) == 0 ? groups->pdata[i] : found;
  }
  g_ptr_array_add(called, NULL);
  if (found == NULL) {
    g_autofree char *all = g_strjoinv(", ", (char **)called->pdata);
    g_autofree char *shown = scenario_shown(parts[1]);
    g_autofree char *hint =
        scenario_did_you_mean(scenario_suggest(parts[1], (const char *const *)called->pdata));

    *problem = g_strdup_printf("'%s' has no group '%s'; expected one of those that it has, %s%s",
                               list_name(list), shown, *all != '\0' ? all : "none", hint);
    return NULL;
  }
  const char *part = parts[2] != NULL ? parts[2] : "";
  *member = SCENARIO_KEY_COUNT + 1;
  while (*member < SCENARIO_ROW_COUNT &&
         g_strcmp0(scenario_group_member(list_name(list), scenario_key_row_of(*member)->name), part) != 0) {
    (*member)++;
  }
  *problem = *member == SCENARIO_ROW_COUNT ? unknown_member(list, part) : NULL;
  return *problem == NULL ? found : NULL;
}

const scenario_key_row *scenario_list_row(scenario_key list, const char *whole, const char *name,
                                          char **problem)
{
  g_autoptr(GPtrArray) groups = scenario_list_groups(whole);
  scenario_key member;
  char **group = find_value(list, groups, name, &member, problem);

  return group != NULL ? row_of(group, member) : NULL;
}

char *scenario_list_replace(scenario_key list, const char *whole, const char *name, const char *text,
                            char **problem)
{
  g_autoptr(GPtrArray) groups = scenario_list_groups(whole);
  GString *replaced = g_string_new(NULL);
  scenario_key member;
  char *const *found = find_value(list, groups, name, &member, problem);

  for (guint i = 0; found != NULL && i < groups->len; i++) {
    g_string_append(replaced, " {");
    for (char *const *word = groups->pdata[i]; *word != NULL; word++) {
      g_autofree char *part = g_strndup(*word, strcspn(*word, "="));
      const char *before = *word + strlen(part) + 1;
      const gboolean is_it = groups->pdata[i] == found && before == scenario_list_text(found, member);

      scenario_list_append(replaced, part, is_it ? text : before);
    }
    g_string_append(replaced, " }");
  }
  return g_string_free(replaced, found == NULL);
}
