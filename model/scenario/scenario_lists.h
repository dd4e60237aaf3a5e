/* SPDX-License-Identifier: GPL-2.0-only */
/* The keys that lists.def has are lists of groups. Each group is an entry, with values of its own:
 *
 *   event = ( { name = "shrink"; at = "2ms"; key = "path.forward.mtu"; value = 1280; } );
 *
 * An entry may have the list's members, and the keys that the list holds. The whole list is also a text,
 * "{ name=shrink at=2ms key=path.forward.mtu value=1280 }", as --set takes it, with a shell's quotes around
 * what has blanks: it is what stores and summaries have, so equal lists have equal texts. */
#pragma once

#include "scenario/scenario_source.h"
#include "scenario/scenario_value.h"

/* A key has a setting, and an entry has several. */
typedef struct scenario_setting {
  scenario_value value; /* empty when the key inherits and was not given */
  char *origin;         /* "file:line" or "--set '…'"; NULL: the default */
  gboolean is_preset;   /* of an entry: its preset gave it */
  GPtrArray *entries;   /* of a list: copies of the scenario share them, and they do not change */
} scenario_setting;

void scenario_setting_clear(scenario_setting *setting);
void scenario_setting_copy(const scenario_setting *setting, scenario_setting *copy);

/* An entry has settings, by scenario_key. Free with g_hash_table_unref(). */
typedef GHashTable scenario_entry;

scenario_entry *scenario_entry_new(void);

/* Returns the setting of `key` in `entry`, NULL when it has none. The value of a member of type VALUE has its
 * canonical text beside what it is. */
const scenario_setting *scenario_entry_find(const scenario_entry *entry, scenario_key key);

/* Returns what an entry of `list` calls `key`, "delay" or "receiver.mode"; NULL when none may have it. */
const char *scenario_entry_name(scenario_key list, scenario_key key);

/* Finds the key that an entry of `list` calls `name`. SCENARIO_ROW_COUNT: there is none, and `*problem` is
 * what is wrong (g_free()). */
scenario_key scenario_entry_key(scenario_key list, const char *name, char **problem);

/* Returns the row by which the value of `key` in `entry` is read. */
const scenario_key_row *scenario_entry_row(const scenario_entry *entry, scenario_key key);

/* Gives `entry` the value of `text`, or those of a file's `group`, whose names begin with `prefix` ("").
 * Returns FALSE and sets `error` when it may not have it. */
gboolean scenario_entry_set(scenario_entry *entry, scenario_key list, const char *name,
                            scenario_notation notation, const char *text, const char *where, GError **error);
gboolean scenario_entry_load(scenario_entry *entry, scenario_key list, const source_setting *group,
                             const char *prefix, GError **error);

/* Gives the members of `entry` that were not given their defaults. Returns FALSE and sets `error` at
 * `where` when one has none, or does not fit another one. */
gboolean scenario_entry_finish(scenario_entry *entry, scenario_key list, const char *where, GError **error);

/* Returns a list without entries, which frees those that are added. */
GPtrArray *scenario_list_new(void);

/* Returns `entries` with a copy of entry `i`, which can be changed; the others are shared. */
GPtrArray *scenario_list_with_copy(GPtrArray *entries, guint i);

/* Returns the entries, finished, of the list's `text`. NULL: `error` is set at `where`. */
GPtrArray *scenario_list_read(scenario_key list, const char *text, const char *where, GError **error);

/* Finds the files that values of `entries` name (scenario_file_find()). Returns FALSE and sets `error` when
 * there is none. */
gboolean scenario_list_find_files(GPtrArray *entries, const char *folder, GError **error);

/* Returns the canonical text of `entries`. NULL and `error` at `where` when two have the same name. */
char *scenario_list_write(scenario_key list, const GPtrArray *entries, const char *where, GError **error);

/* Finds the entry that has `name`, or, without one, that place, from 1 on. Returns its index; that after the
 * last when there is none, and `*problem` is what is wrong (g_free()). */
guint scenario_list_find(scenario_key list, const GPtrArray *entries, const char *name, char **problem);

/* Returns the list with whose name and a dot `name` begins; SCENARIO_KEY_COUNT: there is none. */
scenario_key scenario_list_of(const char *name);

/* Returns the canonical text of the value `name`, "links.far.delay", in the `text` of its list; NULL: the
 * list has no such entry, or the entry no such value. Free with g_free(). */
char *scenario_list_value_text(const char *text, const char *name);
