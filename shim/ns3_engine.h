/* SPDX-License-Identifier: GPL-2.0-only */
/* The engine runs over ns-3's simulator: its timers and whatever else runs in ns-3 share one clock. */
#pragma once

#include "engine/engine.h"
#include "shim/ns3_shim.h"

/* Opens ns-3's simulator and returns an engine over it; free with engine_free(), which closes the simulator:
 * free what lives in ns-3 (links) before. NULL when the simulator is open already: one engine per process at
 * a time. */
engine *ns3_engine_new(ns3_shim_error *error);
