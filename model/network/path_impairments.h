/* SPDX-License-Identifier: GPL-2.0-only */
/* What impairs packets behind the links, in the order of `path.DIRECTION.order`. */
#ifndef NETWORK_PATH_IMPAIRMENTS_H
#define NETWORK_PATH_IMPAIRMENTS_H

#include <glib.h>

#include "network/path_config.h"
#include "network/path_element.h"

typedef struct path_impairments path_impairments;

/* The elements that `config` asks for, which is that of `direction`, made and named in order; none has an output yet. `seed` and
 * `index`, the path's number, make its random streams its own. Free with path_impairments_free(), after the elements, which are the
 * caller's. */
path_impairments *path_impairments_new(const path_direction_config *config, enum side direction,
                                       uint32_t index, uint64_t seed);
void path_impairments_free(path_impairments *impairments);

/* How many there are, and the one at `place`. */
guint path_impairments_count(const path_impairments *impairments);
path_element *path_impairments_at(const path_impairments *impairments, guint place);

#endif
