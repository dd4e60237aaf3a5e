/* The queue in front of each link of a direction, and who manages it, as the scenario says. */
#ifndef SIM_SIM_QUEUE_H
#define SIM_SIM_QUEUE_H

#include "base/random_stream.h"
#include "network/path_transmitter.h"
#include "sim/sim_path.h"

/* What a path_transmitter in front of `link` is told; the manager in it is the transmitter's. `random` is RED's, and outlives it. */
path_transmitter_config sim_queue_config(const scenario *s, enum side direction, const path_link_config *link,
                                         random_stream *random);

#endif
