/* SPDX-License-Identifier: GPL-2.0-only */
/* Controlled Delay (RFC 8289): drops when packets have waited too long for too long. */
#ifndef PATH_PATH_CODEL_H
#define PATH_PATH_CODEL_H

#include "network/path_queue_manager.h"

/* Intervals are shorter than this, 140 s. */
#define PATH_CODEL_INTERVAL_END (INT64_C(1) << 47)

typedef struct path_codel_config {
  time_ps target_ps;      /* a wait that is acceptable; 5 ms by RFC 8289 §4 */
  time_ps interval_ps;    /* > 0: how long waits must have been above it; 100 ms by §4 */
  uint32_t packet_octets; /* of the largest: while no more waits than this nothing is dropped (§5) */
} path_codel_config;

/* Decides when a packet leaves. ECN-capable packets are marked where others are dropped (RFC 8289 leaves that open; it goes on as
 * after a drop). Becomes the transmitter's. */
path_queue_manager *path_codel_new(const path_codel_config *config);

#endif
