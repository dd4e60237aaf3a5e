/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of model/session share this: packets of its connections, a place where packets arrive, and one
 * direction of the path of a scenario on a clock of its own. */
#pragma once

#include "metrics.h"
#include "network/path_direction.h"
#include "no_error.h"
#include "scenario/configuration.h"
#include "session/session_setup.h"
#include "session/simulation.h"
#include "stack_cleanup.h"
#include "string_list.h"
#include "temporary_scenario.h"
#include "test.h"

#define US TIME_PS_PER_MICROSECOND

enum { FIRST_ISN = 1000 };

/* Returns what `side` of `connection` sends, between the two hosts of a scenario with IPv4; and the
 * connection of such a flow, a path_connection_of: one whose port is below the first has none. */
datagram_flow flow_of(uint32_t connection, enum side side);
bool connection_of_flow(void *user, const datagram_flow *flow, uint32_t *connection);

/* A segment with `length` octets, all 0, from stream position `position` on (-1: the SYN) and `flags`, which
 * `from` sends in `connection`; its headers are 40 octets. One reference. Sequence numbers start at
 * FIRST_ISN. */
datagram *segment_of(uint32_t connection, enum side from, int64_t position, uint32_t length, uint8_t flags);

/* Returns the same with `options`: what they hold beside the fields above. */
datagram *segment_with(uint32_t connection, enum side from, int64_t position, uint32_t length, uint8_t flags,
                       const tcp_header *options);

/* This is a path_alignment_is_fpdu_start: an FPDU starts every 1000 octets of a stream. */
bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, path_alignment_cursor *cursor);

/* Returns what a run of an empty scenario with `text` and `sets`, which must be possible, comes to. */
session_result run_of(const char *text, const char *const *sets);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(session_result, session_result_clear)

/* --- Where packets arrive --- */

typedef struct arrival {
  time_ps at;
  datagram *packet;
} arrival;

/* Returns a GArray of arrival, empty at first. Free with g_array_unref(). */
GArray *arrivals_new(void);

/* This is a path_output; `user` is such an array. */
void arrive(void *user, datagram *packet, time_ps now);

/* Returns the one at `index`, which must be there. */
const arrival *arrival_at(const GArray *arrivals, guint index);

/* The lengths of the TCP payloads that have come, in order: "1460 1460 200"; free with g_free(). */
char *lengths_of(const GArray *arrivals);

/* They are these. */
void assert_lengths(const GArray *arrivals, const char *expected);

/* --- One direction of a path --- */

typedef struct way {
  scenario *s;
  engine *clock;
  path_direction *path;
  enum side direction;
  GArray *out;
  GArray *messages; /* ICMP, of its routers */
  metric_values counts;
} way;

/* Makes a way of `text` and `sets` as temporary_scenario(). In the main direction an FPDU starts every 1000
 * octets of a stream. */
way *way_new(enum side direction, const char *text, const char *const *sets);
void way_free(way *w);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(way, way_free)

/* Returns the main direction of an empty scenario with `sets`. */
way *way_with(const char *const *sets);

/* Returns the same after `count` full segments have entered at once and gone through. */
way *way_after(const char *const *sets, guint32 count);

/* Does as way_new(), and a SYN has entered. */
way *way_opened(enum side direction, const char *text, const char *const *sets);

/* A segment of the first connection enters now, with `length` octets from `position` on (-1: the SYN). */
void way_send(way *w, int64_t position, uint32_t length, uint8_t flags);

/* Everything goes on until nothing is left to do. */
void way_run(way *w);

/* Returns when the packet number `index` arrived. */
time_ps way_arrived(const way *w, guint index);

/* Returns what the path has counted, as the main direction's; until the next call. */
const metric_values *way_counts(way *w);

/* docs/facts.md, "A link's times": from its first octet on the link to its arrival, and until the
 * transmitter is free again, of an IP packet of `octets` with 38 octets of framing. Rates that divide
 * 8e12. */
time_ps link_ps(uint32_t octets, uint64_t rate_bit_per_s, time_ps delay_ps);
time_ps busy_ps(uint32_t octets, uint64_t rate_bit_per_s);
