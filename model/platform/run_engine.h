/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the engine of a run: which one a scenario asks for, whether this program has it, and what goes with
 * it: links, and ns-3's TCP. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "network/path_segment.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "tcp/tcp_transport.h"

/* Returns the engine that `s`, which scenario_check() has passed, runs on: RUN_ENGINE_NS3 or
 * RUN_ENGINE_NATIVE. */
run_engine run_engine_of(const scenario *s);

/* Returns the version of the engine's library; NULL for the native one, and for one that cannot be had.
 * Static. */
const char *run_engine_library_version(run_engine kind);

/* FALSE when `s` needs ns-3 and this program has none: IWARPSIM_ERROR names the key that needs
 * it, where it was given, and why there is none. Loads ns-3 when `s` needs it. */
gboolean run_engine_check(const scenario *s, GError **error);

/* Returns a new engine at time 0; free with engine_free(). NULL and IWARPSIM_ERROR when ns-3 refuses. */
engine *run_engine_new(run_engine kind, GError **error);

/* Returns what makes the links over an engine of `kind`; its error is an IWARPSIM_ERROR. Free links with
 * path_link_free(), before the engine. */
path_link_factory run_engine_links(run_engine kind);

/* ns-3's own TCP, for `tcp.implementation` "ns3" under an ns-3 engine; its `user` is an
 * ns3_tcp_transport_place. */
tcp_transport_factory run_engine_ns3_tcp(void);

/* Returns false, and IWARPSIM_ERROR, when ns-3's TCP cannot be as `config` asks. */
bool run_engine_ns3_tcp_supports(const tcp_config *config, GError **error);
