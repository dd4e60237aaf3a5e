/* SPDX-License-Identifier: GPL-2.0-only */
/* Links of the path over ns-3's point-to-point devices: the packets' octets travel through ns-3. */
#pragma once

#include "engine/engine.h"
#include "network/path_link.h"
#include "shim/ns3_shim.h"

/* A link as `config` (copied) over two ns-3 nodes, two devices and a channel of its own, whose arrivals take
 * their place in the event queue of `clock`, which must be ns3_engine_new()'s. Free with path_link_free()
 * before the engine. NULL when ns-3 cannot do it: a rate of 0, an MTU that is 0 or above 65,535, times out of
 * range. */
path_link *ns3_link_new(const path_link_config *config, engine *clock, ns3_shim_error *error);
