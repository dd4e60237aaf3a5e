/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of groups: the keys of type GROUPS, whose groups have the members that keys.def has for the list:
 *
 *   event = ( { name = "shrink"; at = "2ms"; key = "path.forward.mtu"; value = 1280; } );
 *
 * The value of such a key is a text, "{ name=shrink at=2ms key=path.forward.mtu value=1280 }", as --set takes
 * it, with a shell's quotes around what has blanks. LIST.NAME.MEMBER, "event.shrink.at", is a value in a list
 * for --set and sweeps; a group without a name has its place, from 1 on, instead. */
#pragma once

#include "scenario/scenario_value.h"

/* The groups of such a text, each a NULL-terminated array of "MEMBER=TEXT"; NULL: it has not that form. Free
 * with g_ptr_array_unref(). */
GPtrArray *scenario_list_groups(const char *text);

/* The canonical text of the group's `member` (SCENARIO_EVENT_AT …), the group's; and the number that it is.
 */
const char *scenario_list_text(char *const *group, scenario_key member);
guint64 scenario_list_number(char *const *group, scenario_key member);

/* Appends " MEMBER=TEXT" to a group's text. */
void scenario_list_append(GString *group, const char *member, const char *text);

/* Appends the groups of `text`, of the key `list`, to `canonical`. Returns FALSE and sets `error` at `where`.
 */
gboolean scenario_list_read(scenario_key list, const char *text, const char *where, GString *canonical,
                            GError **error);

/* The list with whose name and a dot `name` begins; SCENARIO_KEY_COUNT: there is none. */
scenario_key scenario_list_of(const char *name);

/* The row by which the value `name`, LIST.NAME.MEMBER, is read in the list `whole`. NULL: `*problem` is what
 * is wrong with `name` (g_free()). */
const scenario_key_row *scenario_list_row(scenario_key list, const char *whole, const char *name,
                                          char **problem);

/* The text `whole` with `text` in place of that value, not read yet (g_free()). NULL: likewise. */
char *scenario_list_replace(scenario_key list, const char *whole, const char *name, const char *text,
                            char **problem);
