/* SPDX-License-Identifier: GPL-2.0-only */
/* A JSON object without blanks, as a store has them, less the members that it has in common with another one,
 * and whole again: the runs of a sweep have most in common. */
#pragma once

#include <glib.h>

/* Returns `text` without the members that `base` has, too, with the same value, and with a member `null` for
 * each that `base` alone has. NULL: one of them is no such object. Free with g_free(). */
char *json_members_without(const char *text, const char *base);

/* Returns what was given to json_members_without() as `text`, with its members in the order of `base` and
 * those that `base` does not have after them. NULL: `own` or `base` is no such object, or `base` has more
 * than 4096 members, which no run has. Free with g_free(). */
char *json_members_with(const char *own, const char *base);
