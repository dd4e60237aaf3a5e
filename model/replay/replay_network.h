/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a replay, which plays a capture's packets, and the session that it plays them to: the
 * captured segments towards the measured ends come at their captured times, or after the path that the
 * user wants them to take first. What those ends send goes nowhere: what the real ends sent is in the
 * capture. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "replay/replay_profile.h"
#include "session/session.h"

typedef struct replay_network replay_network;

typedef struct replay_network_config {
  const configuration *configuration; /* of the complete scenario */
  bool has_path;                      /* see replay_scenario_has_path() */
  bool has_link;                      /* and replay_scenario_has_link() */
  const replay_profile *profile;
  const decode_options *decoding;
  capture_source *source; /* the capture, of which nothing has been read again */
  FILE *series;           /* occupancy.csv; NULL: none */
  time_ps resend_ps;      /* what has not arrived so long after it was due is offered again; 0: never */
} replay_network_config;

/* `config` is copied, what it points to must outlive the network. NULL and `error` when the path cannot be
 * made. Free with replay_network_free(), which frees the session (NULL is allowed). */
replay_network *replay_network_new(const replay_network_config *config, GError **error);
void replay_network_free(replay_network *self);

/* The session, ready for session_run(): to the capture's end, until all that is on the path has come and
 * all timers have run, or to run.stop. */
session *replay_network_session(const replay_network *self);

typedef struct replay_network_outcome {
  uint32_t lacking;  /* connections that wait for octets of segments that were not taken */
  uint64_t given_up; /* segments that were offered again in vain, as often as a TCP would try */
  uint64_t too_big;  /* packets too large for the MTU of one of the path's links, and of IPv6, which only its
                        source may cut */
  uint64_t backward; /* packets whose times were before those of the packets before them */
} replay_network_outcome;

/* After the run. */
replay_network_outcome replay_network_outcome_of(const replay_network *self);
