/* The path of one direction as the scenario describes it, its elements in the order of definitions.md ("Order on the way"),
 * their timers on the engine. */
#ifndef SIM_SIM_PATH_H
#define SIM_SIM_PATH_H

#include <glib.h>

#include "engine/engine.h"
#include "path/path_element.h"
#include "scenario/scenario.h"
#include "sim/sim_engine.h"

typedef struct sim_path sim_path;

typedef enum sim_direction {
  SIM_FORWARD, /* Initiator to Responder */
  SIM_REVERSE,
  SIM_DIRECTIONS
} sim_direction;

/* The path of `direction` in `s`; what comes out of it goes to `output`. Free with sim_path_free(), before the engine. NULL and
 * `error` when the engine refuses the link. */
sim_path *sim_path_new(const scenario *s, sim_direction direction, sim_engine_kind kind, engine *clock,
                       path_output output, void *output_user, GError **error);
void sim_path_free(sim_path *path);

/* A packet of the sending host enters; takes its reference. */
void sim_path_send(sim_path *path, datagram *packet, time_ps now);

/* No packet that enters at `now` comes out before this: it is behind all that wait for the link. */
time_ps sim_path_earliest_arrival(const sim_path *path, time_ps now);

/* What the elements counted. */
uint64_t sim_path_packets_lost(const sim_path *path); /* by impairments and at the tail of the queue */
uint64_t sim_path_queue_peak_octets(const sim_path *path);

/* The link of `direction` as the scenario says it. */
path_link_config sim_path_link_config(const scenario *s, sim_direction direction);

#endif
