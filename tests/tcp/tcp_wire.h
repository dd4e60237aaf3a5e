/* SPDX-License-Identifier: GPL-2.0-only */
/* A path between the two ends of a tcp_fixture: a segment leaves `spacing_ps` after the one before and
 * takes `delay_ps`; on the way it may be lost, repeated, delayed or marked. What both sides see of each
 * other is written down, and what TCP must never do is checked meanwhile: sending beyond the peer's
 * window, and sending again what the peer has reported to hold. */
#pragma once

#include "base/random_stream.h"
#include "base/range_set.h"
#include "tcp_fixture.h"

typedef struct tcp_wire tcp_wire;

/* This is how far from its place a stray is: more than any window. */
enum { TCP_WIRE_STRAY_OCTETS = 1 << 20 };

/* Returns whether the path loses `packet` from end `from`; may be asked once a packet. */
typedef bool (*tcp_wire_loser)(void *user, unsigned from, const datagram *packet);

typedef struct tcp_wire_faults {
  tcp_wire_loser loser; /* NULL: none */
  void *user;
  random_stream *random; /* for the others; NULL: none of them */
  double loss;
  double ack_loss;            /* of segments without payload */
  double duplication;         /* arrives twice */
  double lateness;            /* up to 4 delays late */
  double mark;                /* CE, of what is ECN-capable */
  bool wild_marks;            /* any ECN field on all, and ECE and CWR as it happens */
  double cuts;                /* a segment comes as two, either of which may be lost */
  double strays;              /* beside it comes one that lies outside of the window */
  uint32_t narrow_mtu_octets; /* the path carries no more, which its routers report; 0: it carries all */
  uint64_t narrow_from;       /* when an end has sent so many octets */
  bool is_silent;             /* they do not */
} tcp_wire_faults;

/* This is what the path did to the segments of one end, and what the other end had of them. */
typedef struct tcp_wire_counts {
  uint64_t lost; /* segments with payload … */
  uint64_t late;
  uint64_t repeated;
  uint64_t useless;             /* arrived and brought nothing new */
  uint64_t lone_fins;           /* sent, without payload */
  uint64_t flights_at_timeouts; /* segments not yet acknowledged, summed over the time-outs */
} tcp_wire_counts;

tcp_wire *tcp_wire_new(tcp_fixture *f, time_ps delay_ps, time_ps spacing_ps, const tcp_wire_faults *faults);
void tcp_wire_free(tcp_wire *wire);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_wire, tcp_wire_free)

/* What the ends have sent by themselves gets under way. */
void tcp_wire_pick_up(tcp_wire *wire);

/* One arrival or timer; false when nothing will ever happen again. */
bool tcp_wire_step(tcp_wire *wire);

const tcp_wire_counts *tcp_wire_counts_of(const tcp_wire *wire, unsigned from);
