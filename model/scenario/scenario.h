/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario: every key with its value, loaded from a file and --set options, or default (design.md, The
 * scenario file).
 *
 * A scenario that loads is well-formed key by key; scenario_check() looks at what keys say together. */
#ifndef SCENARIO_SCENARIO_H
#define SCENARIO_SCENARIO_H

#include <glib.h>

#include "base/time_ps.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_problem.h"

typedef struct scenario scenario;

/* Loads `path` (@include resolves against its folder), then applies `sets`, NULL-terminated "group.key=value"
 * strings (NULL: none), in order. Returns NULL and sets `error` (first problem found, with file and line, or
 * naming the option). Free with scenario_free(). */
scenario *scenario_load(const char *path, const char *const *sets, GError **error);

/* The same of an empty file, which need not be there; `path` gives the name. */
scenario *scenario_new_without_file(const char *path, const char *const *sets, GError **error);
void scenario_free(scenario *s);

/* A copy that can be set without changing `s`; for sweeps, which set axes in it. */
scenario *scenario_copy(const scenario *s);

/* Applies one "group.key=value" as --set does. */
gboolean scenario_set(scenario *s, const char *set, GError **error);

/* Gives `key` the value that `text` reads as, written as for --set but without blanks or quotes around it. `where`
 * says in front of errors, these and those of scenario_check(), what gave it: "file:line", "--engine". */
gboolean scenario_set_key(scenario *s, scenario_key key, const char *text, const char *where, GError **error);

/* What keys say together: an MTU below what the headers need, a rechunk cut that no link can carry …
 * Returns FALSE and sets `error` at the first contradiction. Otherwise `notes` (may be NULL)
 * receives the strings a user should know, for instance a window below the bandwidth-delay product (free with
 * g_free). */
gboolean scenario_check(const scenario *s, GPtrArray *notes, GError **error);

/* What `s` asks for that only ns-3 has: its TCP, or a path on its nodes. FALSE: nothing. Else `*key` is the first key that does. */
gboolean scenario_needs_ns3(const scenario *s, scenario_key *key);

/* Why it runs on the engine it runs on, for people: "run.engine = native", "auto: topology.medium = csma needs ns-3", "auto: nothing needs
 * ns-3". Free with g_free(). */
char *scenario_engine_reason(const scenario *s);

/* What the keys say, typed; the scenario's, and right until a key of it is set. `path.reverse.*` keys not given take those of
 * path.forward, impairments aside (their row says so). */
const struct configuration *scenario_configuration(const scenario *s);

/* True when the file or a --set gave the key. */
gboolean scenario_given(const scenario *s, scenario_key key);

/* True when it was given another value than it has by itself: its default, or that of the key it inherits from. */
gboolean scenario_differs(const scenario *s, scenario_key key);

/* The value as canonical text: equal values have equal texts, and scenario_set() takes them. Times, rates and
 * probabilities have units, sizes are octets alone. Free with g_free(). What summaries, stores and plots
 * show. */
char *scenario_value_text(const scenario *s, scenario_key key);

/* The file as given, its base name without ".cfg" (the scenario's name), and "file:line" where `key` was
 * given (NULL: default). */
const char *scenario_path(const scenario *s);
const char *scenario_name(const scenario *s);
char *scenario_origin(const scenario *s, scenario_key key);

/* The file as it was when it was loaded, and behind it every file it includes, each once, under a line `# @include "NAME"`: all that
 * the scenario says, for who keeps results. UTF-8; the scenario's. */
const char *scenario_full_text(const scenario *s);

/* One axis of the sweep group. */
typedef struct scenario_axis {
  scenario_key key;
  char **values; /* texts as --set takes them, NULL-terminated */
  int with;      /* index of the axis it moves in step with, which itself has -1; -1: none */
  char *where;   /* "file:line" of the axis */
} scenario_axis;

/* The axes in file order; the scenario's. 0 when there is no sweep. */
gsize scenario_axes(const scenario *s, const scenario_axis **axes);

/* The setting `where` beside `sweep`: conditions (scenario_where.h) that leave out points. "file:line" of the first, the scenario's; NULL:
 * there are none. */
const char *scenario_constraints_origin(const scenario *s);

/* Says in `*hold` whether the values that `s` has meet all of them. FALSE and `error` when that cannot be said. */
gboolean scenario_constraints_hold(const scenario *s, gboolean *hold, GError **error);

/* Something that changes in mid-flow: `event = ( { at = "2ms"; key = "path.forward.mtu"; value = 1280; } );`. */
typedef struct scenario_event {
  time_ps at;
  scenario_key key; /* rate, delay or mtu of path.forward or path.reverse */
  guint64 number;   /* of bit/s, picoseconds or octets */
  char *value;      /* canonical text */
  char *where;      /* "file:line" */
} scenario_event;

/* The events in the order of their times, those of one time as written; the scenario's. */
gsize scenario_events(const scenario *s, const scenario_event **events);

#endif
