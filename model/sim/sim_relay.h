/* SPDX-License-Identifier: GPL-2.0-only */
/* The proxy of `middlebox.mode`: one box for both directions of a path (path_proxy.h). */
#ifndef SIM_SIM_RELAY_H
#define SIM_SIM_RELAY_H

#include "network/path_proxy.h"
#include "scenario/configuration.h"

typedef struct sim_relay sim_relay;

/* The proxy of path `index` in `s`; NULL when there is none. Free with sim_relay_free(), after the paths. */
sim_relay *sim_relay_new(const configuration *c, uint32_t index);
void sim_relay_free(sim_relay *relay);

/* Its end in `direction`; the relay's. */
path_element *sim_relay_element(const sim_relay *relay, enum side direction);

#endif
