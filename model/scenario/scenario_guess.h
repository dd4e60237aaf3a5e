/* SPDX-License-Identifier: GPL-2.0-only */
/* These find the key that is meant by a name which is none: misspelt, or what users of other tools, such as
 * tc-netem, ns-3, iperf and fio, call it; or that what they call so is not modelled. */
#pragma once

#include "scenario/scenario_keys.h"

/* Returns the key that is meant by `name`, which is none: by its last part, or by its last parts with the
 * group before them; case, '_', '-', '/' and blanks do not count. `rtt` is path.forward.delay, and so is
 * path.forward.latency. Sets `*hint` to a sentence without its full stop on how the value differs; NULL: it
 * does not. NULL when no guess is known, and `*hint` stays; NULL, and in `*hint` what comes nearest, when it
 * is not modelled. Both are static. */
const char *scenario_guess(const char *name, const char **hint);

/* Returns `names`, ended by NULL, for a message: "seed, engine, stop"; of many a handful, those nearest to
 * the last part of `name` first, and that `iwarpsim explain TOPIC` lists the others, which it leaves in
 * `names`. Free with g_free(). */
char *scenario_nearest_of(GPtrArray *names, const char *name, const char *topic);

/* Returns what `group` ("": the file) may hold likewise, keys and groups, lists apart. Free with g_free(). */
char *scenario_group_members(const char *group, const char *name);

/* Returns the key or group that is meant by `name`, which is none: the one of a common guess
 * (scenario_guess()), with `*hint`, NULL before; else the one with the same last part, the nearest in its
 * group, or the nearest of all. Static; NULL when none is near, or, with `*hint`, when it is not modelled. */
const char *scenario_key_nearest(const char *name, const char **hint);

/* Returns the same as " (did you mean 'path.forward.rate'?)" or " (it is not modelled; NEAREST)", with the
 * sentence, or "". Free with g_free(). */
char *scenario_key_hint(const char *name);

/* Returns what is wrong with `name`, which is no key where one is wanted, and what was expected: it is a
 * group, or an unknown `kind`, "key" or "group". Free with g_free(). */
char *scenario_key_problem(const char *kind, const char *name);
