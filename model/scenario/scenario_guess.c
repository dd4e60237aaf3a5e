/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_guess.h"

#include <string.h>

#include "scenario/scenario_problem.h"

enum { HANDFUL = 8 };

static const struct {
  const char *words;
  scenario_key key; /* SCENARIO_KEY_COUNT: none, it is not modelled */
  const char *hint;
} guesses[] = {
#define GUESS(id, texts, sentence) {texts, SCENARIO_##id, sentence},
#define ABSENT(texts, sentence) {texts, SCENARIO_KEY_COUNT, sentence},
#include "scenario/guesses.def"
};

const char *scenario_guess(const char *name, const char **hint)
{
  g_autofree char *lower = g_ascii_strdown(name, -1);
  g_auto(GStrv) parts = g_strsplit_set(lower, "_-/ ", -1);
  g_autofree char *joined = g_strjoinv("", parts);
  g_autofree char *full = g_strconcat(".", joined, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(guesses); i++) {
    g_auto(GStrv) words = g_strsplit(guesses[i].words, " ", -1);

    for (char **word = words; *word != NULL; word++) {
      g_autofree char *ending = g_strconcat(".", *word, NULL);
      scenario_key key = guesses[i].key;

      if (g_str_has_suffix(full, ending)) {
        if (g_str_has_prefix(name, "path.reverse.") && key >= SCENARIO_PATH_FORWARD_RATE &&
            key < SCENARIO_PATH_REVERSE_RATE) {
          key = scenario_key_of_direction(key, SIDE_RESPONDER);
        }
        *hint = guesses[i].hint;
        return key < SCENARIO_KEY_COUNT ? scenario_key_row_of(key)->name : NULL;
      }
    }
  }
  return NULL;
}

char *scenario_nearest_of(GPtrArray *names, const char *name, const char *topic)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < HANDFUL && names->len > 1; i++) {
    const char *near = scenario_suggest(scenario_last_part(name), (const char *const *)names->pdata);

    near = near != NULL ? near : names->pdata[0];
    g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", near);
    g_ptr_array_remove(names, (gpointer)near);
  }
  if (names->len > 1) {
    g_string_append_printf(text, " and %u more of 'iwarpsim explain%s%s'", names->len - 1,
                           *topic != '\0' ? " " : "", topic);
  }
  return g_string_free(text, FALSE);
}

char *scenario_group_members(const char *group, const char *name)
{
  g_autoptr(GPtrArray) members = g_ptr_array_new();

  for (const char *const *full = scenario_names; *full != NULL; full++) {
    const scenario_key key = scenario_key_find(*full);

    if (scenario_group_member(group, *full) != NULL &&
        (key == SCENARIO_KEY_COUNT || scenario_key_row_of(key)->type != SCENARIO_TYPE_GROUPS)) {
      g_ptr_array_add(members, (char *)scenario_group_member(group, *full));
    }
  }
  g_ptr_array_add(members, NULL);
  return scenario_nearest_of(members, name, group);
}

const char *scenario_key_nearest(const char *name, const char **hint)
{
  const char *found = scenario_guess(name, hint);
  const char *last = scenario_last_part(name);
  g_autofree char *ending = g_strconcat(".", last, NULL);
  g_autofree char *group = g_strndup(name, last > name ? (gsize)(last - name) - 1 : 0);
  gboolean in_group = scenario_group_exists(group);
  enum { SAME_LAST_PART, IN_GROUP, ANYWHERE };

  for (int step = SAME_LAST_PART; found == NULL && *hint == NULL && step <= ANYWHERE; step++) {
    g_autoptr(GPtrArray) known = g_ptr_array_new();

    for (const char *const *full = scenario_names; *full != NULL; full++) {
      if (step == SAME_LAST_PART
              ? g_str_has_suffix(*full, ending)
              : step == ANYWHERE || (in_group && scenario_group_member(group, *full) != NULL)) {
        g_ptr_array_add(known, (char *)*full);
      }
    }
    g_ptr_array_add(known, NULL);
    found =
        scenario_suggest(in_group && step != SAME_LAST_PART ? last : name, (const char *const *)known->pdata);
  }
  return found;
}

char *scenario_key_hint(const char *name)
{
  const char *hint = NULL;
  const char *nearest = scenario_key_nearest(name, &hint);

  return hint == NULL      ? scenario_did_you_mean(nearest)
         : nearest == NULL ? g_strdup_printf(" (it is not modelled; %s)", hint)
                           : g_strdup_printf(" (did you mean '%s'? %s)", nearest, hint);
}

char *scenario_key_problem(const char *kind, const char *name)
{
  gboolean is_group = scenario_group_exists(name);
  const char *near = scenario_key_nearest(name, &(const char *){NULL});
  g_autofree char *shown = scenario_shown(name);
  g_autofree char *hint = scenario_key_hint(name);
  g_autofree char *group = g_strdup(name);

  while (*group != '\0' && !scenario_group_exists(group)) {
    char *dot = strrchr(group, '.');
    *(dot != NULL ? dot : group) = '\0';
  }
  g_autofree char *members = scenario_group_members(group, near != NULL ? near : name);
  return is_group ? g_strdup_printf("'%s' is a group; expected one of its keys, %s", name, members)
                  : g_strdup_printf("unknown %s '%s'%s; expected one of %s", kind, shown, hint, members);
}
