/* SPDX-License-Identifier: GPL-2.0-only */
/* Replays a capture: the packets that arrived at the receiving ends arrive at receivers of the model, at
 * their captured times; what these hold and place is measured as in a run. */
#pragma once

#include <glib.h>

#include "replay/replay_scenario.h"
#include "session/simulation.h"

typedef struct replay replay;

/* Reads the capture for the first time, and completes `s`, which replay_scenario_new() made, with what the
 * capture shows. NULL and `error` (one line) when it cannot be read, nothing in it can be replayed, or a key
 * is refused. `s` remains the caller's; what `options` point to must outlive the replay. Free with
 * replay_free() (NULL is allowed). */
replay *replay_new(scenario *s, const replay_options *options, GError **error);
void replay_free(replay *r);

/* Returns which end is measured, and what lies between the capture and it, for a person to read. Free with
 * g_free(). */
char *replay_describe_measured(const replay *r);
char *replay_describe_path(const replay *r);

/* Reads the capture for the second time, into the receivers; writes DIRECTORY/occupancy.csv, unless
 * measure.series is none. Fills `result` as simulation_run(), and `notes` (of char *, to be freed with
 * g_free()) with what a user should know. To be called once. FALSE and `error` when a file cannot be read or
 * written. */
gboolean replay_run(replay *r, const char *directory, session_result *result, GPtrArray *notes,
                    GError **error);
