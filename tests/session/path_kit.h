/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of the path of a scenario on a clock of its own, and the arithmetic of its links. */
#ifndef TESTS_PATH_KIT_H
#define TESTS_PATH_KIT_H

#include "network/path_direction.h"
#include "session_kit.h"

typedef struct path_kit {
  scenario *s;
  engine *clock;
  path_direction *path;
  enum side direction;
  session_kit_arrivals out;
  session_kit_arrivals messages; /* ICMP, of its routers */
} path_kit;

/* `text` and `sets` as temporary_scenario(). In the main direction an FPDU starts every 1000 octets of a
 * stream. */
path_kit *path_kit_new(enum side direction, const char *text, const char *const *sets);
void path_kit_free(path_kit *way);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_kit, path_kit_free)

/* A segment of the first connection enters now, with `length` octets from `position` on (-1: the SYN). */
void path_kit_send(path_kit *way, int64_t position, uint32_t length, uint8_t flags);

/* Everything goes on until nothing is left to do. */
void path_kit_run(path_kit *way);

time_ps path_kit_arrived(const path_kit *way, guint index);

/* What the path has counted, as the main direction's: a number for a metric of the path. */
uint64_t path_kit_count(const path_kit *way, metric_id id);

/* docs/facts.md, "A link's times": from its first octet on the link to its arrival, and until the
 * transmitter is free again, of an IP packet of `octets` with 38 octets of framing. Rates that divide
 * 8e12. */
time_ps path_kit_link_ps(uint32_t octets, uint64_t rate_bit_per_s, time_ps delay_ps);
time_ps path_kit_busy_ps(uint32_t octets, uint64_t rate_bit_per_s);

#endif
