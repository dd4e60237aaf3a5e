/* SPDX-License-Identifier: GPL-2.0-only */
/* The second reading of a capture: its packets, one after the other, at their captured times on an engine's clock. */
#ifndef REPLAY_REPLAY_FEED_H
#define REPLAY_REPLAY_FEED_H

#include <glib.h>

#include "engine/engine.h"
#include "net/capture_source.h"
#include "net/datagram.h"

typedef struct replay_feed replay_feed;

typedef struct replay_feed_events {
  /* A TCP segment was captured now: `flow` is the source's. */
  void (*segment)(void *user, const capture_flow *flow, const capture_segment *segment, time_ps now);
  /* A fragment of one was; takes the reference. */
  void (*fragment)(void *user, datagram *packet, time_ps now);
  /* The capture is at its end. */
  void (*ended)(void *user, time_ps now);
} replay_feed_events;

/* A feed from `source`, of which nothing has been read and which stays the caller's, on `clock`; `events` are copied and called with `user`.
 *
 * Time 0 is the capture's origin. A packet comes in the first picosecond of its nanosecond, one that says that it was earlier than the one before it
 * with that one. Packets of one nanosecond come together, as what a path lets go together does in a run. But in a file of
 * microseconds (`coarse`) they came one after the other: each comes a picosecond behind the one before it, so that no value of a series
 * is lost. Free with replay_feed_free(), before the engine (NULL is allowed). */
replay_feed *replay_feed_new(capture_source *source, bool coarse, engine *clock,
                             const replay_feed_events *events, void *user);
void replay_feed_free(replay_feed *feed);

/* Sets off: the packets come while the engine runs. */
void replay_feed_start(replay_feed *feed);

/* Packets whose times were before those of the packets in front of them. */
uint64_t replay_feed_backward(const replay_feed *feed);

#endif
