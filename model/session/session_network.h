/* SPDX-License-Identifier: GPL-2.0-only */
/* This lies between the hosts of a session, whoever implements it: a scenario's paths (session_paths.h) or
 * its chain of ns-3's nodes (session_topology.h), the nodes of a user's ns-3 program (shim/host), or a
 * capture, which plays its packets (replay/).
 *
 * It is made after the hosts of the session (session_new()) and before the connections (session_connect(),
 * which takes it). A packet that it is given to send is its own until it hands it to session_receive(), at
 * the host that the packet is addressed to (session_host_at()), or drops it. Where packets go it reads from
 * their addresses, and which connection they are of from their flows (session_find_connection()). */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "base/side.h"
#include "base/time_ps.h"
#include "measure/metric_table.h"
#include "net/datagram.h"
#include "network/network_ideal.h"
#include "network/path_alignment.h"
#include "network/path_element.h"

typedef struct session_network session_network;

/* These are the functions of one kind of network; those that may be NULL do nothing. */
typedef struct session_network_class {
  /* A packet leaves the host with the number `host` for the one that it is addressed to; takes its
   * reference. */
  void (*send)(session_network *network, uint32_t host, datagram *packet, time_ps now);
  /* No packet of `flow` that leaves its source at `now` arrives before this. */
  time_ps (*earliest_arrival)(session_network *network, const datagram_flow *flow, time_ps now);
  /* No `transfer` in the direction of `flow` takes less, from when its first packet leaves the source until
   * all have arrived, with nothing else in the network. NULL: that is not known. */
  time_ps (*ideal)(session_network *network, const datagram_flow *flow, const network_transfer *transfer);
  /* All has been delivered: the measurement ends. NULL: it does not matter. */
  void (*delivered)(session_network *network, time_ps now);
  /* The measured window of the host with the number `host` opens, or closes: because measure.from or
   * measure.to is reached there. NULL: it does not matter. */
  void (*measured)(session_network *network, uint32_t host, bool is_open, time_ps now);
  /* At the end: sets the network's metrics: sums of all directions; the queue and the reordering those of the
   * scenario's main direction. May be NULL. */
  void (*set_metrics)(session_network *network, metric_values *values);
  /* How much has come of what it brings, 0 … 1. NULL: it brings what the hosts send. */
  double (*share)(const session_network *network);
  /* NULL: it is its maker's. */
  void (*free)(session_network *network);
} session_network_class;

/* This is what a path needs of the two hosts at its ends: session_ends(). */
typedef struct session_network_ends {
  uint32_t hosts[SIDES];                      /* the numbers of the Initiators' host and the Responders' */
  uint32_t first_segment;                     /* of its paths, among those on the clock */
  path_output output;                         /* of what comes out of each direction, called with … */
  void *users[SIDES];                         /* … one of these; takes the reference */
  path_alignment_is_fpdu_start is_fpdu_start; /* of the main direction, called with `session` */
  path_connection_of connection_of;           /* called with `session` */
  void *session;
  uint16_t *identifications[SIDES]; /* see path_segment_config */
  trace *trace;                     /* NULL: none */
  const char *nodes[SIDES];         /* in it, of the host that each direction leads from */
} session_network_ends;

/* It is embedded as the first member of each kind. */
struct session_network {
  const session_network_class *class;
  uint32_t undone[SIDES]; /* of each direction, what is known not to have been done: path_trace.undone */
  char *problem;          /* what is wrong with it, for the message of a run that fails; NULL: nothing */
};

/* Returns the direction that leads from the host with the number `host`. */
static inline enum side session_network_direction(const session_network_ends *ends, uint32_t host)
{
  return host == ends->hosts[SIDE_INITIATOR] ? SIDE_INITIATOR : SIDE_RESPONDER;
}

/* Free it before the engine; NULL is allowed. */
static inline void session_network_free(session_network *network)
{
  if (network && network->class->free) {
    network->class->free(network);
  }
}
