/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of scenario_check() share the scenario that they check, and where their findings go. */
#pragma once

#include "scenario/scenario_private.h"
#include "scenario/scenario_problem.h"

typedef struct checking {
  const scenario *s;
  const configuration *c; /* of `s` */
  GPtrArray *notes;       /* may be NULL */
  GError **error;
  const scenario_entry *group; /* of `traffic`, whose class `s` describes; NULL: none */
} checking;

/* finding_error() takes this as `keys`. */
#define KEYS(...) ((const scenario_key[]){__VA_ARGS__, SCENARIO_KEY_COUNT})

/* Returns where the first of `keys` that was given stands; when none was given, the default of the first. Of
 * a group of `traffic` that gives none of them, where its name stands. */
const char *finding_where(const checking *on, const scenario_key *keys);

/* Returns the key of `direction` that corresponds to `key` of path.forward; in a graph that of its links. */
scenario_key finding_key_of(const checking *on, scenario_key key, enum side direction);

/* Sets the error there, to what printf() makes of the rest. Returns FALSE. */
#define finding_error(on, keys, ...) scenario_problem((on)->error, finding_where(on, keys), __VA_ARGS__)

/* Adds the note "WHERE: text", where `key` stands, if `found`. */
void note_if(const checking *on, gboolean found, scenario_key key, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* These find contradictions between the keys of the simulation engine; of the path with its middleboxes
 * and events, and of ns-3's nodes; of TCP; of generations, MPA startup and RDMA Reads. They set the error
 * at the first, and return FALSE. */
gboolean scenario_check_engine(const checking *on);
gboolean scenario_check_path(const checking *on);
gboolean scenario_check_tcp(const checking *on);
gboolean scenario_check_protocol(const checking *on);

/* This finds what is wrong with the traffic classes by themselves. */
gboolean scenario_check_traffic(const checking *on);
void scenario_note_traffic(const checking *on);

/* This finds what is wrong in a graph, its hosts and their traffic, and keys of a path beside it. */
gboolean scenario_check_graph(const checking *on);
void scenario_note_graph(const checking *on);

/* The segments that boxes make fit the link after them: in a graph those of the hosts that have boxes. */
gboolean scenario_check_sizes_of_boxes(const checking *on);

/* Returns how many packets of so many octets (IP) each of `queues` of a switch holds while they fill together
 * and the others are empty: what lets it take one more is its limit, the buffer, or the dynamic threshold.
 * INFINITY: any number. */
double scenario_queue_packets(const network_switch_config *of, uint32_t packet_octets, uint32_t queues);

/* Returns whether the senders use ECN: marks can take the place of losses. */
static inline bool scenario_uses_ecn(const configuration *c)
{
  return c->tcp.ecn == TCP_ECN_ON || c->tcp.congestion == TCP_CONGESTION_DCTCP;
}

/* Returns how many links of a graph lose a segment with payload on its way, on average over the connections:
 * what their impairments ask for (`loss`, `corrupt` and their like), not what queues drop. */
double scenario_graph_losses(const configuration *c);

/* Adds notes on the same protocol keys. */
void scenario_note_protocol(const checking *on);

/* Returns the name of the key; static. */
static inline const char *name_of(scenario_key key)
{
  return scenario_key_row_of(key)->name;
}
