/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of model/session share: packets of its connections, and a place where packets arrive. */
#ifndef TESTS_SESSION_KIT_H
#define TESTS_SESSION_KIT_H

#include <glib.h>

#include "engine/engine.h"
#include "network/path_element.h"
#include "scenario/scenario.h"
#include "session/session_setup.h"
#include "temporary_scenario.h"

/* A segment with `length` octets from stream position `position` on (-1: the SYN) and `flags`, which
 * `from` sends in `connection`; its headers are 40 octets. One reference. Sequence numbers start at
 * SESSION_KIT_ISN. */
enum { SESSION_KIT_ISN = 1000 };
datagram *session_kit_segment(uint32_t connection, enum side from, int64_t position, uint32_t length,
                              uint8_t flags);

/* The same with `options`: what they hold beside the fields above. */
datagram *session_kit_segment_with(uint32_t connection, enum side from, int64_t position, uint32_t length,
                                   uint8_t flags, const tcp_header *options);

/* A packet that has come, and when. */
typedef struct session_kit_arrival {
  time_ps at;
  datagram *packet;
} session_kit_arrival;

/* Where packets come: empty at first; clear with session_kit_arrivals_clear(). */
typedef struct session_kit_arrivals {
  GArray *list; /* of session_kit_arrival */
} session_kit_arrivals;

void session_kit_arrivals_init(session_kit_arrivals *arrivals);
void session_kit_arrivals_clear(session_kit_arrivals *arrivals);

/* A path_output; `user` is a session_kit_arrivals. */
void session_kit_arrive(void *user, datagram *packet, time_ps now);

/* The one at `index`, which must be there. */
const session_kit_arrival *session_kit_arrived(const session_kit_arrivals *arrivals, guint index);

/* The lengths of the TCP payloads that have come, in order: "1460 1460 200"; free with g_free(). */
char *session_kit_lengths(const session_kit_arrivals *arrivals);

#endif
