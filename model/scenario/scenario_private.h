/* SPDX-License-Identifier: GPL-2.0-only */
/* The internals of a scenario, for the files of this folder that fill and check it. */
#pragma once

#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_lists.h"
#include "scenario/scenario_source.h"
#include "scenario/scenario_value.h"

typedef struct scenario_setting {
  scenario_value value; /* empty when the key inherits and was not given */
  char *origin;         /* "file:line" or "--set '…'"; NULL: the default */
} scenario_setting;

/* Copies share the text and the lists, which do not change once they are loaded: a sweep makes a copy for
 * each point. */
struct scenario {
  char *path;
  char *name;
  char *full_text; /* a GRefString */
  scenario_setting settings[SCENARIO_KEY_COUNT];
  GArray *axes;                 /* of scenario_axis */
  GPtrArray *constraints;       /* of scenario_where: the setting `where` */
  const configuration **filled; /* NULL until it is asked for, and again after a key has been set */
};

/* --- Values (scenario.c) --- */

/* A scenario in which every key has its default; `path` gives it its name. */
scenario *scenario_new(const char *path);

/* Gives `key` the value that `text` reads as. Without one, sets `error` at `origin` and returns FALSE. */
gboolean scenario_settings_set(scenario *s, scenario_key key, scenario_notation notation, const char *text,
                               const char *origin, GError **error);

/* Gives the value `name`, LIST.NAME.MEMBER (scenario_lists.h), likewise what `text` reads as. */
gboolean scenario_settings_set_in(scenario *s, scenario_key list, const char *name, const char *text,
                                  const char *origin, GError **error);

/* The key whose value `key` has: itself, or the one it inherits from. */
scenario_key scenario_settings_source(const scenario *s, scenario_key key);

/* The value of `key`, its own or the one that it inherits. */
const scenario_value *scenario_settings_value(const scenario *s, scenario_key key);

/* Where `key`, or what it inherits from, was given; the default: "FILE (default of KEY)". Free with
 * g_free(). */
char *scenario_settings_where(const scenario *s, scenario_key key);

/* --- The settings of a file (scenario_setting.c) --- */

/* Returns the text of `setting` as scenario_value_read() takes it; strings without quotes. Free with
 * g_free(). */
char *setting_text(const source_setting *setting);

/* Returns the member `name` of a group; NULL when it has none. */
const source_setting *setting_member(const source_setting *group, const char *name);

/* Returns the text of a string; NULL for other settings. */
const char *setting_string(const source_setting *setting);

/* Returns "file:line" of `setting`. Free with g_free(). */
char *setting_where(const source_setting *setting);

/* A file that is loaded into a scenario. */
typedef struct loading {
  scenario *s;
  GError **error;
} loading;

/* Sets the error at the line of `setting`. Returns FALSE. */
gboolean loading_error(const loading *on, const source_setting *setting, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Returns FALSE and sets the error when the group `setting` has a member that is not among `members`
 * (NULL-terminated). The message names `what` the group is and what is `expected` in it. */
gboolean loading_members(const loading *on, const source_setting *setting, const char *const *members,
                         const char *what, const char *expected);

/* --- What a file may hold beside keys --- */

/* Reads the group `sweep` into the axes of the scenario (scenario_axes.c). */
gboolean scenario_axes_load(const loading *on, const source_setting *sweep);
