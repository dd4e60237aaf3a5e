/* SPDX-License-Identifier: GPL-2.0-only */
/* What a capture shows of a connection's measured end, for an endpoint of the model that takes its place. */
#ifndef REPLAY_REPLAY_PROFILE_H
#define REPLAY_REPLAY_PROFILE_H

#include "replay/replay_lessons.h"
#include "replay/replay_transport.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"

/* Into `config`, which is what `s` says of the measured end, and `profile`, which it points to, what `lessons` say of connection `index`. */
void replay_profile_set(rnic_endpoint_config *config, capture_profile *profile, const configuration *c,
                        const replay_lessons *lessons, uint32_t index);

/* Where the stream that is received begins, and where what can be replayed of it ends; without `made`. */
replay_transport_place replay_profile_transport(const configuration *c, const replay_lessons *lessons,
                                                uint32_t index);

#endif
