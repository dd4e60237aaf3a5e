/* SPDX-License-Identifier: GPL-2.0-only */
/* The one place that makes an engine and what goes with it: links, ns-3's TCP (design.md, The house). */
#ifndef SIM_SIM_ENGINE_H
#define SIM_SIM_ENGINE_H

#include <glib.h>

#include "engine/engine.h"
#include "network/path_direction.h"
#include "sim/sim_engine_choice.h"
#include "tcp/tcp_transport.h"

#define SIM_ENGINE_ERROR (sim_engine_error_quark())
GQuark sim_engine_error_quark(void);
enum {
  SIM_ENGINE_ERROR_FAILED
}; /* the engine or a link could not be made, or there is no ns-3: its own message */

/* A new engine at time 0; free with engine_free(). NULL and `error` when ns-3 refuses. */
engine *sim_engine_new(sim_engine_kind kind, GError **error);

/* What makes the links over an engine of `kind`; its error is ns-3's, SIM_ENGINE_ERROR. Free links with path_link_free(), before the
 * engine. */
path_link_factory sim_engine_links(sim_engine_kind kind);

/* The TCP of `tcp.implementation` "ns3" for an ns-3 engine: ns-3's own, as tcp_transport_factory; its `user` is a sim_engine_wake. */
tcp_transport *sim_engine_ns3_tcp_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                      void *user);

/* ns-3's TCP has something to do now, from one of its own timers: its endpoint's deadline is due. May not call the endpoint. */
typedef struct sim_engine_wake {
  void (*wake)(void *user, time_ps now);
  void *user;
} sim_engine_wake;

/* False, and `error`, when ns-3's TCP cannot be as `config` asks. */
bool sim_engine_ns3_tcp_supports(const tcp_config *config, GError **error);

#endif
