/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the internals of a scenario, for the files of this folder that fill and check it. */
#pragma once

#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "scenario/scenario_guess.h"
#include "scenario/scenario_lists.h"
#include "scenario/scenario_source.h"
#include "scenario/scenario_value.h"

/* Copies share the text and the lists, which do not change once they are loaded: a sweep makes a copy for
 * each point. */
struct scenario {
  char *path;
  char *name;
  char *full_text; /* a GRefString */
  scenario_setting settings[SCENARIO_KEY_COUNT];
  GArray *axes;                 /* of scenario_axis */
  GPtrArray *constraints;       /* of scenario_where: the setting `where` */
  GStringChunk *texts;          /* that were asked for */
  const configuration **filled; /* NULL until it is asked for, and again after a key has been set */
};

/* --- Values (scenario.c) --- */

/* Returns a scenario in which every key has its default; `path` gives it its name. */
scenario *scenario_new(const char *path);

/* Gives `key` the value that `text` reads as. Without one, sets `error` at `origin` and returns FALSE. */
gboolean scenario_settings_set(scenario *s, scenario_key key, scenario_notation notation, const char *text,
                               const char *origin, GError **error);

/* Gives the list `key` the `entries`, which it takes over, unless two have the same name. */
gboolean scenario_settings_set_list(scenario *s, scenario_key key, GPtrArray *entries, const char *origin,
                                    GError **error);

/* Gives the value that is called `name`, a key's or LIST.NAME.KEY, what `text` reads as. */
gboolean scenario_settings_set_named(scenario *s, const char *name, scenario_notation notation,
                                     const char *text, const char *origin, GError **error);

/* --set, sweeps and conditions name a value so: it is of a key, or of an entry of a list. */
typedef struct scenario_place {
  scenario_key list; /* SCENARIO_KEY_COUNT: it is the scenario's own value */
  guint entry;
  scenario_key key;
  const scenario_key_row *row; /* by which it is read */
} scenario_place;

/* Finds the value that is called `name`. FALSE: there is none, and `*problem` is what is wrong (g_free()). */
gboolean scenario_settings_find(const scenario *s, const char *name, scenario_place *place, char **problem);

/* Returns the value at `place`; the scenario's own when the entry does not have the key. */
const scenario_value *scenario_settings_value_at(const scenario *s, const scenario_place *place);

/* Return the number of entries of `list`, and the setting of `key` that entry `i` has, NULL when it has none.
 */
guint scenario_entries(const scenario *s, scenario_key list);
const scenario_setting *scenario_entry_setting(const scenario *s, scenario_key list, guint i,
                                               scenario_key key);

/* Gives `copy`, a copy of `s`, the keys that entry `i` of `list` has, as its own; of several the last one
 * wins. `list` is empty in `copy` after that: it is the scenario of what the entry describes. */
void scenario_entry_apply(const scenario *s, scenario_key list, guint i, scenario *copy);

/* Returns the key whose value `key` has: itself, or the one it inherits from. */
scenario_key scenario_settings_source(const scenario *s, scenario_key key);

/* Returns the value of `key`, its own or the one that it inherits. */
const scenario_value *scenario_settings_value(const scenario *s, scenario_key key);

/* Returns where `key`, or what it inherits from, was given; the default: "FILE (default of KEY)". The
 * scenario's. */
const char *scenario_settings_where(const scenario *s, scenario_key key);

/* Returns a configuration whose members the keys have filled, and which are not complete; the
 * caller's. */
configuration *scenario_members(const scenario *s);

/* Returns a complete configuration of a host that has the values of `s`, on the network of `c`, which is a
 * graph, by a link with that MTU; the caller's. */
configuration *scenario_members_of_host(const scenario *s, const configuration *c, guint32 mtu_octets);

/* Returns the entries (guint) of `list`, hosts or switches, that apply to each of the graph's, in their
 * order. NULL sets `*wrong` to the one whose set is wrong, and `error`. */
GPtrArray *scenario_entries_of_nodes(const scenario *s, scenario_key list, const graph *network, guint *wrong,
                                     GError **error);

/* Returns the first node to which the same entries apply as to `node`, and which has as large an MTU where
 * `mtus` has those of all (NULL: it does not matter). */
guint scenario_first_alike(const GPtrArray *entries, const uint32_t *mtus, guint node);

/* Returns the scenario of what the entries of `list` in `matching` (guint) describe: of several the last one
 * wins. */
scenario *scenario_of_entries(const scenario *s, scenario_key list, const GArray *matching);

/* Returns a copy of `s` with the keys of entry `i` of `traffic`; without entries a plain copy: the scenario
 * of the one class. */
scenario *scenario_of_class(const scenario *s, guint i);

/* Returns entry `i` of `traffic`; NULL: there are none. */
const scenario_entry *scenario_class_group(const scenario *s, guint i);

/* Gives `c`, which has the members of `s`, the classes of the entries of `traffic`, if there are any, and the
 * classes their sizes, unless the file is wrong. */
void scenario_fill_classes(configuration *c, const scenario *s);

/* Reads the group `sweep` of a file into the axes of the scenario (scenario_axes.c). */
gboolean scenario_axes_load(scenario *s, const source_setting *sweep, GError **error);
