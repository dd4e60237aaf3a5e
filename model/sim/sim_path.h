/* One direction of one path as the scenario describes it, its elements in the order of definitions.md ("Order on the way"),
 * their timers on the engine. */
#ifndef SIM_SIM_PATH_H
#define SIM_SIM_PATH_H

#include <glib.h>

#include "engine/engine.h"
#include "measure/metric_table.h"
#include "network/path_alignment.h"
#include "network/path_element.h"
#include "scenario/scenario.h"
#include "sim/sim_engine.h"
#include "sim/sim_gate.h"

typedef struct sim_path sim_path;

/* A router's ICMP message for the source of a packet leaves; takes the reference. It enters the other direction, as `enters` of
 * sim_path_inject() says. */
typedef enum sim_path_entrance {
  SIM_PATH_AT_ITS_START,
  SIM_PATH_BEHIND_THE_RELAY, /* the packet has not come to the proxy, so its source is on this side of it */
} sim_path_entrance;
typedef void (*sim_path_too_big)(void *user, datagram *message, sim_path_entrance entrance, time_ps now);

typedef struct sim_path_config {
  const scenario *s;
  enum side direction;
  uint32_t index; /* of the path among `paths` of the network: tells their timers and random streams apart */
  uint32_t paths;
  sim_engine_kind kind;
  engine *clock;
  path_element *relay; /* this direction of a proxy, which stays the caller's; NULL: none */
  bool has_no_links;   /* impairments and boxes alone; with `is_fpdu_start` */
  bool
      takes_any_size; /* what enters may be larger than the first link's MTU: no host of this program sends it */
  uint16_t *
      identification; /* of the next datagram from the sending host that may be fragmented: boxes count on there; NULL: each by itself */
  sim_gate *gate;     /* of both directions of a path with a proxy; NULL: open */
  path_alignment_is_fpdu_start is_fpdu_start; /* of the main direction; NULL: the other one */
  path_output output;                         /* what comes out */
  sim_path_too_big too_big;                   /* NULL: routers say nothing */
  void *user;                                 /* of all three */
} sim_path_config;

/* NULL and `error` when the engine refuses a link. Free with sim_path_free(), before the engine. */
sim_path *sim_path_new(const sim_path_config *config, GError **error);
void sim_path_free(sim_path *path);

/* A packet of the sending host enters; takes its reference. */
void sim_path_send(sim_path *path, datagram *packet, time_ps now);

/* A router's message from the other direction enters; takes its reference. */
void sim_path_inject(sim_path *path, datagram *message, sim_path_entrance entrance, time_ps now);

/* No packet that enters at `now` comes out before this: it is behind all that wait for the links. */
time_ps sim_path_earliest_arrival(const sim_path *path, time_ps now);

/* The first link's rate, delay or MTU (SCENARIO_PATH_FORWARD_RATE, …_DELAY, …_MTU) becomes `number` now. */
void sim_path_change(sim_path *path, scenario_key forward, uint64_t number, time_ps now);

/* Adds what the path did to the metrics of the path; those of the main direction alone if it is of that. */
void sim_path_count(const sim_path *path, bool is_main, metric_values *values);

/* Adds the segments in front of the middleboxes and after them; nothing when there were none. */
void sim_path_count_alignment(const sim_path *path, metric_values *values);

/* The sum of the extents of what was reordered (RFC 4737 §4.2). */
uint64_t sim_path_extent_sum(const sim_path *path);

#endif
