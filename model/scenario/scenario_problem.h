/* SPDX-License-Identifier: GPL-2.0-only */
/* How a scenario's errors are worded: "WHERE: what is wrong; what was expected (did you mean 'x'?)". */
#pragma once

#include <glib.h>

/* Sets `error` to "where: TEXT" (IWARPSIM_ERROR) and returns FALSE. `where` is "file:line", a file,
 * or "--set '…'". */
gboolean scenario_problem(GError **error, const char *where, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* `text` as a message can show it: plain_text() on one line, cut after 60 characters. Free with g_free(). */
char *scenario_shown(const char *text);

/* " (did you mean 'x'?)", or "" when `suggestion` is NULL. Free with g_free(). */
char *scenario_did_you_mean(const char *suggestion);

/* The part of `name` after its last '.'; all of it when it has none. */
const char *scenario_last_part(const char *name);

/* The name of `known` (NULL-terminated) nearest to `name` by letters inserted, left out, replaced or swapped
 * with their neighbour; case does not count. When no whole name is near, the one whose last part (after a
 * '.') is: `mtu` finds `path.forward.mtu`. Of equally near ones the first. When none is near enough to be
 * meant (more than a third of the letters differ), the first that begins with the 4 letters or more of
 * `name`, or whose last part does: `goodput` finds `goodput_bit_per_s`; else NULL. */
const char *scenario_suggest(const char *name, const char *const *known);
