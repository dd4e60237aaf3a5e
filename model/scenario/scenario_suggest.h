/* SPDX-License-Identifier: GPL-2.0-only */
/* "Did you mean …?": the known name most like a mistyped one. */
#ifndef SCENARIO_SCENARIO_SUGGEST_H
#define SCENARIO_SCENARIO_SUGGEST_H

/* The name of `known` (NULL-terminated) nearest to `name` by letters inserted, left out, replaced or swapped
 * with their neighbour; case does not count. When no whole name is near, the one whose last part (behind a
 * '.') is: `mtu` finds `path.forward.mtu`. Of equally near ones the first. NULL when none is near enough to
 * be meant: more than a third of the letters differ. */
const char *scenario_suggest(const char *name, const char *const *known);

#endif
