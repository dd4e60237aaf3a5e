/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of the path of a scenario on a clock of its own, and the arithmetic of its links. */
#ifndef TESTS_SIM_WAY_H
#define TESTS_SIM_WAY_H

#include "network/path_direction.h"
#include "sim_kit.h"

typedef struct sim_way {
  scenario *s;
  engine *clock;
  path_direction *path;
  enum side direction;
  sim_kit_arrivals out;
  sim_kit_arrivals messages; /* ICMP, of its routers */
} sim_way;

/* `text` and `sets` as sim_kit_scenario(). In the main direction an FPDU starts every 1000 octets of a stream. */
void sim_way_open(sim_way *way, enum side direction, const char *text, const char *const *sets);
void sim_way_close(sim_way *way);

/* A segment of the first connection enters now, with `length` octets from `position` on (-1: the SYN). */
void sim_way_send(sim_way *way, int64_t position, uint32_t length, uint8_t flags);

/* Everything goes on until nothing is left to do. */
void sim_way_run(sim_way *way);

time_ps sim_way_arrived(const sim_way *way, guint index);

/* What the path has counted, as the main direction's: a number for a metric of the path. */
uint64_t sim_way_count(const sim_way *way, metric_id id);

/* facts.md: from its first octet on the link to its arrival, and until the transmitter is free again, of an IP packet of `octets`
 * with 38 octets of framing. Rates that divide 8e12. */
time_ps sim_way_link_ps(uint32_t octets, uint64_t rate_bit_per_s, time_ps delay_ps);
time_ps sim_way_busy_ps(uint32_t octets, uint64_t rate_bit_per_s);

#endif
