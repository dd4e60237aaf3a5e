/* SPDX-License-Identifier: GPL-2.0-only */
/* The one writer of JSON (RFC 8259): it sees to names, commas and numbers, and leaves the layout to its
 * caller. json-glib's generator prints 17 digits (0.1 becomes 0.10000000000000001), and takes longer for a
 * summary than a small run lasts. */
#pragma once

#include <glib.h>

/* Each of these appends the next member of the object that is open in `json`, or (`name` NULL) the next
 * element of the array, or a line: a comma unless it is the first, the blanks and line ends in `gap`, the
 * name and the value. A blank follows the colon, unless `gap` is NULL. A name has no letter that must be
 * escaped, as ours and those of groups have none. `text`, which plain_text_append_json() quotes, becomes null
 * where it is NULL; so does a `number` that is not finite, and others have the fewest digits that read back
 * as them. A `literal` is JSON already, or "": the caller appends the value. */
void json_append_text(GString *json, const char *gap, const char *name, const char *text);
void json_append_number(GString *json, const char *gap, const char *name, double number);
void json_append_whole(GString *json, const char *gap, const char *name, guint64 number);
void json_append_flag(GString *json, const char *gap, const char *name, gboolean flag);
void json_append_literal(GString *json, const char *gap, const char *name, const char *literal);

/* Opens an object or an array in the same way, by its `bracket`, '{' or '[', or a text that the caller
 * appends, by '"'; json_close() closes it by the other one, after `gap` (NULL: none). */
void json_open(GString *json, const char *gap, const char *name, char bracket);
void json_close(GString *json, const char *gap, char bracket);
