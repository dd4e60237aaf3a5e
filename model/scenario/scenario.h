/* SPDX-License-Identifier: GPL-2.0-only */
/* A scenario has every key with its value, loaded from a file and --set options, or its default
 * (docs/scenario.md).
 *
 * A scenario that loads is well-formed key by key; scenario_check() finds keys that contradict each other. */
#pragma once

#include <glib.h>

#include "base/side.h"
#include "base/time_ps.h"
#include "scenario/scenario_keys.h"
#include "scenario/scenario_problem.h"

typedef struct scenario scenario;

/* Loads `path` (@include resolves against its folder), then applies `sets`, NULL-terminated "group.key=value"
 * strings (NULL: none), in order. Returns NULL and sets `error` (first problem found, with file and line, or
 * naming the option). Free with scenario_free(). */
scenario *scenario_load(const char *path, const char *const *sets, GError **error);

/* Does the same for an empty file, which need not exist; `path` gives the name. */
scenario *scenario_new_without_file(const char *path, const char *const *sets, GError **error);
void scenario_free(scenario *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(scenario, scenario_free)

/* Returns a copy whose keys can be set without changing `s`, as a sweep sets its axes. Free with
 * scenario_free(). */
scenario *scenario_copy(const scenario *s);

/* Applies one "group.key=value" or "list.name.key=value" as --set does. Returns FALSE and sets `error`, which
 * names the option. */
gboolean scenario_set(scenario *s, const char *set, GError **error);

/* Sets `key` to the value of `text`, written as for --set but without blanks or quotes around it. `where`
 * names what gave the value, "file:line" or "--engine": it stands at the start of errors, these and those
 * of scenario_check(). Returns FALSE and sets `error` when `text` is no value of the key. */
gboolean scenario_set_key(scenario *s, scenario_key key, const char *text, const char *where, GError **error);

/* Checks what no single key can show: an MTU below what the headers need, a rechunk cut that no link can
 * carry … Returns FALSE and sets `error` at the first contradiction. Otherwise adds to `notes` (may be
 * NULL) what a user should know, for instance that the window is below the bandwidth-delay product:
 * strings, free with g_free(). */
gboolean scenario_check(const scenario *s, GPtrArray *notes, GError **error);

/* Adds to `notes`, as scenario_check(), the keys that were given and had no effect in a run of `s`, which
 * ended at `end_s`, as what they ask for is among the `undone` of their direction (session_result), and the
 * events that were to come later. */
void scenario_note_effects(const scenario *s, const uint32_t undone[SIDES], double end_s, GPtrArray *notes);

/* Returns the octets of the buffers that messages go to, which are most of what a run holds: a sink has one
 * for each message that can be in flight, and two more, but never more than there are messages. */
double scenario_memory_octets(const scenario *s);

/* Returns what the measured end of the first connection holds for reassembly on average (octets) where a
 * graph sprays full segments, with FPDUs as long, over routes that part at the first switch: as their delays
 * alone have it (docs/plots.md). NAN where nothing is sprayed. */
double scenario_spray_octets(const scenario *s);

/* These are what the path of a run of `s` loses of the payload by itself, its full queues apart. */
typedef struct scenario_losses {
  double expected; /* by chance, or every so many; NAN: not known */
  double listed;   /* by `drop`: so many, however long the run is … */
  double last;     /* … the last of them after this part of the run; above 1: beyond its end … */
  double late;     /* … with so many of them */
} scenario_losses;

scenario_losses scenario_losses_of(const scenario *s);

/* Returns TRUE when `s` asks for what only ns-3 has, its TCP or a path on its nodes; `*key` is then the first
 * key that does. */
gboolean scenario_needs_ns3(const scenario *s, scenario_key *key);

/* Returns why the engine is what it is, for people: "run.engine = native", "auto: topology.medium = csma
 * needs ns-3", "auto: nothing needs ns-3". Free with g_free(). */
char *scenario_engine_reason(const scenario *s);

/* Returns the values of all keys, typed. They are the scenario's until one of its keys is set;
 * configuration_ref() keeps it for longer. A key that was not given and inherits (AS in keys.def) has the
 * value of the other key. */
const struct configuration *scenario_configuration(const scenario *s);

/* Returns FALSE when `key` is of a graph, and `s` is a path's and does not give it: summaries leave it out.
 */
gboolean scenario_shows(const scenario *s, scenario_key key);

/* Returns TRUE when the file, a --set option or scenario_set_key() gave the key. */
gboolean scenario_given(const scenario *s, scenario_key key);

/* Returns TRUE when the key was given a value other than its default, or other than that of the key it
 * inherits from. */
gboolean scenario_differs(const scenario *s, scenario_key key);

/* Returns the value as canonical text, which summaries, stores and plots show: equal values have equal texts,
 * and scenario_set() takes them. Times, rates and probabilities have units, sizes are octets alone. It lives
 * as long as the scenario. */
const char *scenario_value_text(const scenario *s, scenario_key key);

/* Returns the file as given, and its base name without ".cfg", the scenario's name; "file:line" where `key`
 * was given, NULL when it has its default. Owned by the scenario, the last until the key is set again. */
const char *scenario_path(const scenario *s);
const char *scenario_name(const scenario *s);
const char *scenario_origin(const scenario *s, scenario_key key);

/* Returns the file as it was when it was loaded, followed by every file that it includes, each once, under a
 * line
 * `# @include "NAME"`: kept with results. UTF-8; owned by the scenario. */
const char *scenario_full_text(const scenario *s);

/* This is an axis of the group `sweep`. */
typedef struct scenario_axis {
  scenario_key key;
  char *name;         /* "event.1.at": the value in the list `key` whose axis it is; NULL: it is the key's */
  char **values;      /* texts as --set takes them, NULL-terminated */
  char *title;        /* what a plot calls it, on one line; NULL: nothing */
  char **value_names; /* the same for each value */
  int with;           /* index of the axis it moves in step with, which itself has -1; -1: none */
  char *where;        /* "file:line" of the axis */
  gboolean as_share;  /* a value was written so (scenario_value.h) */
} scenario_axis;

/* Sets `*axes` to the axes in the order of the file, owned by the scenario. Returns their number, 0 when
 * there is no sweep. */
gsize scenario_axes(const scenario *s, const scenario_axis **axes);

/* Returns what --set calls what `axis` varies; the axis owns it. */
const char *scenario_axis_name(const scenario_axis *axis);

/* Sets that to the value of `text`. Returns FALSE and sets `error` when it is none, or when there is no such
 * group any more. */
gboolean scenario_axis_set(scenario *s, const scenario_axis *axis, const char *text, GError **error);

/* The setting `where` beside `sweep` has constraints (scenario_where.h) that exclude points. Returns
 * "file:line" of the first, owned by the scenario; NULL when there is none. */
const char *scenario_constraints_origin(const scenario *s);

/* Sets `*hold` to whether the values of `s` meet all constraints. Returns FALSE and sets `error` when two
 * of them have no order. */
gboolean scenario_constraints_hold(const scenario *s, gboolean *hold, GError **error);
