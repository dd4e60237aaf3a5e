/* What lies between the hosts: one path in each direction for all connections or one for each of them (`workload.paths`), what
 * changes on it in mid-flow (`event`), and where a router's ICMP messages go. */
#ifndef SIM_SIM_NETWORK_H
#define SIM_SIM_NETWORK_H

#include <glib.h>

#include "engine/engine.h"
#include "measure/metric_table.h"
#include "network/path_element.h"
#include "scenario/scenario.h"
#include "sim/sim_engine.h"
#include "sim/sim_path.h"

typedef struct sim_network sim_network;

typedef struct sim_network_events {
  path_output outputs[SIDES];                 /* what comes out of each direction; take the reference */
  path_alignment_is_fpdu_start is_fpdu_start; /* of the main direction */
  uint16_t *identifications[SIDES];           /* see sim_path_config */
} sim_network_events;

/* The network of `s`; `events` are copied and called with `user`. NULL and `error` when the engine refuses a link. Free with
 * sim_network_free(), before the engine. */
sim_network *sim_network_new(const scenario *s, sim_engine_kind kind, engine *clock,
                             const sim_network_events *events, void *user, GError **error);
void sim_network_free(sim_network *network);

/* A packet of `connection` enters at the sending host of `direction`; takes its reference. */
void sim_network_send(sim_network *network, uint32_t connection, enum side direction, datagram *packet,
                      time_ps now);

/* No packet of `connection` that enters at `now` comes out before this. */
time_ps sim_network_earliest_arrival(const sim_network *network, uint32_t connection, enum side direction,
                                     time_ps now);

/* Sets the metrics of the path: sums of both directions; the queue and the reordering those of the main direction. */
void sim_network_set_metrics(const sim_network *network, enum side main_direction, metric_values *values);

#endif
