/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the paths of a scenario: one in each direction for all connections or one for each of them
 * (`workload.paths`); what changes on them in mid-flow (`event`), and where a router's ICMP messages go. */
#pragma once

#include <glib.h>

#include "engine/engine.h"
#include "network/path_direction.h"
#include "platform/run_engine.h"
#include "session/session_network.h"

/* Returns the paths of `c`; `ends` are copied. NULL and `error` when the engine, of `kind`, refuses a link.
 * Free with session_network_free(), before the engine. */
session_network *session_paths_new(const configuration *c, run_engine kind, engine *clock,
                                   const session_network_ends *ends, GError **error);

/* Makes the proxy of path `index`, when `middlebox.mode` has one, and stores its end of each direction in
 * `ends`; free their elements with path_element_free(), after the paths. False, and `ends` unchanged, when
 * there is none. */
bool session_paths_proxy(const configuration *c, uint32_t index, path_box *ends[SIDES]);
