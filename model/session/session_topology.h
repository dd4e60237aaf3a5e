/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the network of a scenario with a `topology`: a chain of ns-3's nodes, both directions in one. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"
#include "session/session_network.h"

/* Returns whether `c` has one. */
bool session_topology_is_wanted(const configuration *c);

/* Returns the chain that `s` describes under `clock`, an ns-3 engine; NULL and `error` when ns-3 refuses: a
 * type, attribute or value that it does not have. Free with session_network_free(), before the engine. */
session_network *session_topology_new(const scenario *s, engine *clock, const session_network_ends *ends,
                                      GError **error);
