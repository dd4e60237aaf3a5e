/* SPDX-License-Identifier: GPL-2.0-only */
/* A side is one of the two ends of a connection, or of its two directions. A direction is named by the side
 * that sends: forward is from the Initiator, SIDE_INITIATOR, reverse from the Responder. */
#pragma once

#include <stdint.h>

enum side {
  SIDE_INITIATOR, /* sends the Request Frame (MPA-199) */
  SIDE_RESPONDER,
  SIDES
};

static inline enum side side_peer(enum side side)
{
  return side == SIDE_INITIATOR ? SIDE_RESPONDER : SIDE_INITIATOR;
}

/* Returns "Initiator" or "Responder"; static. */
static inline const char *side_name(enum side side)
{
  return side == SIDE_INITIATOR ? "Initiator" : "Responder";
}

/* These are the numbers of the two hosts that a connection is between: its Initiator's and its
 * Responder's. They differ. */
typedef struct host_pair {
  uint32_t hosts[SIDES];
} host_pair;

/* A scenario without a graph has two hosts, and all connections are between this pair. */
enum { HOSTS_OF_PATH = 2 };
static const host_pair host_pair_of_path = {{0, 1}};
