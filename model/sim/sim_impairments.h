/* What impairs packets behind the links, in the order of `path.DIRECTION.order`. */
#ifndef SIM_SIM_IMPAIRMENTS_H
#define SIM_SIM_IMPAIRMENTS_H

#include "network/path_element.h"
#include "sim/sim_path.h"

typedef struct sim_impairments sim_impairments;

/* The elements that the scenario asks for in `direction` of path `index` (its random streams are its own), made and named in order;
 * none has an output yet. Free with sim_impairments_free(), after the elements, which are the caller's. */
sim_impairments *sim_impairments_new(const scenario *s, enum side direction, uint32_t index);
void sim_impairments_free(sim_impairments *impairments);

/* How many there are, and the one at `place`. */
guint sim_impairments_count(const sim_impairments *impairments);
path_element *sim_impairments_at(const sim_impairments *impairments, guint place);

#endif
