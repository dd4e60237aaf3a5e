/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the second reading of a capture: its packets, one after the other, at their captured times on an
 * engine's clock. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "net/capture_source.h"
#include "net/datagram.h"

typedef struct replay_source_events {
  /* A TCP segment was captured now: `flow` is the source's. */
  void (*segment)(void *user, const capture_flow *flow, const capture_segment *segment, time_ps now);
  /* A fragment of a TCP segment was captured now; takes the reference. */
  void (*fragment)(void *user, datagram *packet, time_ps now);
  /* The capture is at its end. */
  void (*ended)(void *user, time_ps now);
} replay_source_events;

/* It is read by everyone, and written only by the functions below. */
typedef struct replay_source {
  capture_source *capture;
  engine_timer *timer;
  replay_source_events events;
  void *user;
  gboolean is_segment; /* what comes next: `segment`, or a fragment */
  capture_segment segment;
  int64_t latest_ns, late_ns; /* the latest time, and the most that one was earlier than that */
  time_ps apart;              /* two packets at least */
  time_ps last;               /* when the packet before came */
  uint64_t backward;          /* packets whose times were before those of the packets before them */
} replay_source;

/* Returns a source of the packets in `capture`, of which nothing has been read and which the caller keeps, on
 * `clock`; `events` are copied and called with `user`.
 *
 * Time 0 is the capture's origin. A packet comes in the first picosecond of its nanosecond; a packet whose
 * time is earlier than that of its predecessor comes with the predecessor. Packets of one nanosecond come
 * together, as do packets that leave a path together in a run. But in a file of microseconds (`coarse`) they
 * came one after the other: each comes a picosecond after the one before it, so that no value of a series is
 * lost. Free with replay_source_free(), before the engine (NULL is allowed). */
replay_source *replay_source_new(capture_source *capture, bool coarse, engine *clock,
                                 const replay_source_events *events, void *user);
void replay_source_free(replay_source *source);

/* Returns the part of `segment`, which an end of `flow` sent, from octet `*from` of its payload on, at most
 * as much as a datagram holds, as a datagram with a payload of its own; `*from` moves to its end. More than
 * that, as offload joins it, becomes several datagrams. A wrong checksum is wrong in the datagram, too; an
 * unfinished or unknown one becomes right. One reference, the caller's. */
datagram *replay_packet_of(const capture_flow *flow, const capture_segment *segment, uint32_t *from);
