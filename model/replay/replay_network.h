/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a replay, which plays a capture's packets, and the session that it plays them to: the
 * captured segments towards the measured ends come at their captured times, or after the path that the
 * user wants them to take first. What those ends send goes nowhere: what the real ends sent is in the
 * capture. */
#pragma once

#include <stdio.h>

#include "replay/replay_scenario.h"
#include "session/session.h"

typedef struct replay_network replay_network;

/* Reads the capture of `plan`, which must outlive the network, for the second time; `series`: occupancy.csv,
 * NULL: none. NULL and `error` when it cannot be read, or the path cannot be made. Free with
 * replay_network_free(), which frees the session (NULL is allowed). */
replay_network *replay_network_new(const replay_plan *plan, FILE *series, GError **error);
void replay_network_free(replay_network *self);

/* The session, ready for session_run(): to the capture's end, until all that is on the path has come and
 * all timers have run, or to run.stop. */
session *replay_network_session(const replay_network *self);

/* After the run, which came to `values`: adds to `notes` (of char *, to be freed with g_free()) what a user
 * should know. */
void replay_network_note(const replay_network *self, const metric_values *values, GPtrArray *notes);
