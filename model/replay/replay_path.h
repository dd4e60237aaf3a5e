/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the path that a capture's traffic takes before it arrives, with what the user asked for (loss,
 * reordering, a middlebox, a link …), as an open-loop model: the captured segments are offered to it at their
 * captured times, whatever becomes of them. No sender retransmits what this path loses, since a real sender's
 * reaction is not in the capture. Instead, a segment can be offered again, a fixed time after it was due to
 * arrive, until it has arrived. */
#pragma once

#include "engine/engine.h"
#include "measure/metric_table.h"
#include "network/path_direction.h"
#include "replay/replay_scenario.h"

/* The octets that a segment of `connection` brings have all arrived. */
typedef bool (*replay_path_has_arrived)(void *user, uint32_t connection, const datagram *packet);

/* It is read by everyone, and written only by the functions below. */
typedef struct replay_path {
  const replay_plan *plan;
  trace *trace; /* NULL: none */
  path_output output;
  replay_path_has_arrived has_arrived;
  void *user;
  path_direction *path; /* NULL: none */
  GQueue *offers;       /* of offered, in the order of their times */
  engine_timer *timer;
  uint16_t identification; /* of the next datagram */
  uint64_t resent;
  uint64_t given_up; /* segments that were offered again in vain, as often as a TCP would try */
} replay_path;

/* Returns the path of `plan`; without a path in it, what is offered arrives at once. `to` (NULL: nothing is
 * traced) gets what happens to packets on it. `output` takes what arrives, and its reference. NULL and
 * `error` when the engine refuses a link. Free with replay_path_free(), before the engine (NULL is
 * allowed). */
replay_path *replay_path_new(const replay_plan *plan, engine *clock, trace *to, path_output output,
                             replay_path_has_arrived has_arrived, void *user, GError **error);
void replay_path_free(replay_path *path);

/* A segment of `connection` enters the path, or a fragment, which is never offered again; takes the
 * reference. */
void replay_path_offer(replay_path *path, uint32_t connection, datagram *packet, time_ps now);

/* Sets the metrics of the path, where there is one, except those of where FPDUs start. */
void replay_path_set_metrics(const replay_path *path, metric_values *values);
