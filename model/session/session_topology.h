/* SPDX-License-Identifier: GPL-2.0-only */
/* The path on a chain of ns-3's nodes (`topology.medium`): an alternative to path_direction, both directions in one. */
#ifndef SESSION_SESSION_TOPOLOGY_H
#define SESSION_SESSION_TOPOLOGY_H

#include <glib.h>

#include "engine/engine.h"
#include "measure/metric_table.h"
#include "network/path_element.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

typedef struct session_topology session_topology;

/* Whether `c` has one. */
bool session_topology_is_wanted(const configuration *c);

/* The chain that `s` describes under `clock`, an ns-3 engine; what comes out of a direction goes to `outputs` of it, called with `user`.
 * NULL and `error` when ns-3 refuses: a type, attribute or value that it does not have. Free with session_topology_free(), before the engine. */
session_topology *session_topology_new(const scenario *s, engine *clock, const path_output outputs[SIDES],
                                       void *user, GError **error);
void session_topology_free(session_topology *topology);

/* As path_direction's of the same name. */
void session_topology_send(session_topology *topology, enum side direction, datagram *packet, time_ps now);
time_ps session_topology_earliest_arrival(const session_topology *topology, time_ps now);

/* Sets the metrics of the path that are known: what was dropped and marked, where no cross traffic is counted with it. */
void session_topology_set_metrics(const session_topology *topology, metric_values *values);

#endif
