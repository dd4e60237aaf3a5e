/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario's errors are worded "WHERE: what is wrong; what was expected (did you mean 'x'?)"; after an
 * unknown key, of which many may be expected, the one that is meant comes first. */
#pragma once

#include <glib.h>

/* Sets `error` to "where: TEXT" (IWARPSIM_ERROR) and returns FALSE. `where` is "file:line", a file,
 * or "--set '…'". */
#define scenario_problem(error, where, ...) scenario_problem_take(error, g_strdup(where), __VA_ARGS__)

/* Does the same, and frees `where`. */
gboolean scenario_problem_take(GError **error, char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Returns `text` as a message can show it: plain_text() on one line, cut after 60 characters. Free with
 * g_free(). */
char *scenario_shown(const char *text);

/* Returns " (did you mean 'x'?)", or "" when `suggestion` is NULL. Free with g_free(). */
char *scenario_did_you_mean(const char *suggestion);

/* Returns the part of `name` after its last '.'; all of it when it has none. */
const char *scenario_last_part(const char *name);

/* Returns the name of `known` (NULL-terminated) that is meant by `name`; case does not count, and where it is
 * a beginning, nor does a plural's ending. The one that begins with `name`, or of which a part between dots
 * does: `goodput` finds `goodput_bit_per_s`, `losses` finds `loss-sweep`. Else the nearest by letters
 * inserted, left out, replaced or swapped with their neighbour, of which a third may differ, but always one;
 * when no whole name is near, the one whose last part is. Else the one of which a word between dots,
 * underscores, hyphens or blanks begins so: `siw` finds `device-siw`; else NULL. The beginning has at least 4
 * letters, or 3 that are a word. Of equally near ones the first; of beginnings the nearest to a word's end.
 */
const char *scenario_suggest(const char *name, const char *const *known);
