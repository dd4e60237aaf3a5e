/* SPDX-License-Identifier: GPL-2.0-only */
/* The network of a replay, which plays a capture's packets, and the session that it plays them to: the captured segments towards the measured
 * ends come at their captured times, or after the path that the user wants them to take first. What those ends send goes nowhere: what the real
 * ends sent is in the capture. */
#ifndef REPLAY_REPLAY_NETWORK_H
#define REPLAY_REPLAY_NETWORK_H

#include <glib.h>
#include <stdio.h>

#include "replay/replay_lessons.h"
#include "session/session.h"

typedef struct replay_network replay_network;

typedef struct replay_network_config {
  const configuration *configuration; /* of the complete scenario */
  bool has_path;                      /* see replay_scenario_has_path() */
  bool has_link;                      /* and replay_scenario_has_link() */
  const replay_lessons *lessons;
  const decode_options *decoding;
  capture_source *source; /* the capture, of which nothing has been read again */
  FILE *series;           /* occupancy.csv; NULL: none */
  time_ps resend_ps;      /* what has not arrived so long after it was due is offered again; 0: never */
} replay_network_config;

/* `config` is copied, what it points to must outlive the network. NULL and `error` when the path cannot be made. Free with
 * replay_network_free(), which frees the session (NULL is allowed). */
replay_network *replay_network_new(const replay_network_config *config, GError **error);
void replay_network_free(replay_network *self);

/* The session, ready for session_run(): to the capture's end, until all that is on the path has come and all timers have run, or to run.stop. */
session *replay_network_session(const replay_network *self);

/* After the run: connections that wait for octets of segments that were not taken; segments that were offered again in vain; packets too large
 * for the path; packets whose times were before those of the packets in front of them. */
uint32_t replay_network_lacking(const replay_network *self);
uint64_t replay_network_given_up(const replay_network *self);
uint64_t replay_network_too_big(const replay_network *self);
uint64_t replay_network_backward(const replay_network *self);

#endif
