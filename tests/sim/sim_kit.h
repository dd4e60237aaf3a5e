/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of model/sim share: a scenario out of a text, packets of its connections, and a place where packets arrive. */
#ifndef TESTS_SIM_KIT_H
#define TESTS_SIM_KIT_H

#include <glib.h>

#include "engine/engine.h"
#include "network/path_element.h"
#include "scenario/scenario.h"
#include "sim/sim_setup.h"

/* The scenario that has `text` in its file, with `sets` ("group.key=value", NULL-terminated; NULL: none). Free with scenario_free(). */
scenario *sim_kit_scenario(const char *text, const char *const *sets);

/* A segment with `length` octets from stream position `position` on (-1: the SYN) and `flags`, which `from` sends in `connection`;
 * its headers are 40 octets. One reference. Sequence numbers start at SIM_KIT_ISN. */
enum { SIM_KIT_ISN = 1000 };
datagram *sim_kit_segment(uint32_t connection, enum side from, int64_t position, uint32_t length,
                          uint8_t flags);

/* The same with `options`: what they hold beside the fields above. */
datagram *sim_kit_segment_with(uint32_t connection, enum side from, int64_t position, uint32_t length,
                               uint8_t flags, const tcp_header *options);

/* A packet that has come, and when. */
typedef struct sim_kit_arrival {
  time_ps at;
  datagram *packet;
} sim_kit_arrival;

/* Where packets come: empty at first; clear with sim_kit_arrivals_clear(). */
typedef struct sim_kit_arrivals {
  GArray *list; /* of sim_kit_arrival */
} sim_kit_arrivals;

void sim_kit_arrivals_init(sim_kit_arrivals *arrivals);
void sim_kit_arrivals_clear(sim_kit_arrivals *arrivals);

/* A path_output; `user` is a sim_kit_arrivals. */
void sim_kit_arrive(void *user, datagram *packet, time_ps now);

/* The one at `index`, which must be there. */
const sim_kit_arrival *sim_kit_arrived(const sim_kit_arrivals *arrivals, guint index);

/* The lengths of the TCP payloads that have come, in order: "1460 1460 200"; free with g_free(). */
char *sim_kit_lengths(const sim_kit_arrivals *arrivals);

#endif
