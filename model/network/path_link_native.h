/* SPDX-License-Identifier: GPL-2.0-only */
/* The link of one direction in plain C over an engine timer: delivers exactly as the one over ns-3 does. */
#ifndef PATH_PATH_LINK_NATIVE_H
#define PATH_PATH_LINK_NATIVE_H

#include "engine/engine.h"
#include "network/path_link.h"

/* A link of `config` (copied) whose packets arrive by `clock`, in class ENGINE_ARRIVAL, major config->id,
 * minor send order. The clock stays the caller's and outlives the link. Free with path_link_free(), which
 * drops what is still on the way. */
path_link *path_link_native_new(const path_link_config *config, engine *clock);

#endif
