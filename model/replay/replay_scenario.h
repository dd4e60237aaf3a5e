/* SPDX-License-Identifier: GPL-2.0-only */
/* The scenario of a replay: defaults, what the user set, and what the capture decides. Its keys are a
 * run's, so that a replay's summary can be read, compared and drawn as a run's. */
#pragma once

#include "replay/replay_profile.h"
#include "replay/replay_transport.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

#define REPLAY_ERROR (replay_error_quark())
GQuark replay_error_quark(void);
enum {
  REPLAY_ERROR_KEY,     /* a key that a replay cannot heed */
  REPLAY_ERROR_CAPTURE, /* nothing in the capture can be replayed */
  REPLAY_ERROR_BROKEN,  /* it ends too early; the message names the file */
};

/* The scenario of a replay of the capture `path` with `sets` (NULL-terminated "group.key=value"; NULL:
 * none). Keys that the capture decides are refused. NULL and `error` (IWARPSIM_ERROR, REPLAY_ERROR). Free
 * with scenario_free(). */
scenario *replay_scenario_new(const char *path, const char *const *sets, GError **error);

/* The capture has been read: sets what it decides, and the end that is measured, unless measure.side names
 * it. FALSE and `error` when nothing of it can be replayed, or a key speaks of the direction that nothing
 * is replayed of; then scenario_check()'s words. */
gboolean replay_scenario_complete(scenario *s, const replay_profile *profile, GError **error);

/* The user wants the traffic to go through a path first: any key of path or middlebox was given. And
 * whether that path has a link; else there are only its impairments and boxes. */
gboolean replay_scenario_has_path(const scenario *s);
gboolean replay_scenario_has_link(const scenario *s);

/* Whether `key` has an effect on a complete replay: it is heeded, or the user or the capture gave it. */
gboolean replay_scenario_has_effect(const scenario *s, scenario_key key);

/* Which of the ends of the flow of `decoded` is measured. */
uint8_t replay_scenario_measured_end(const configuration *c, const decode_connection *decoded);

/* The generation that the traffic of `connection` is of, towards the measured end. */
iwarp_generation replay_scenario_generation(const configuration *c,
                                            const replay_connection_profile *connection);

/* What `profile` shows of the measured end of connection `index`, for an endpoint of the model that takes
 * its place: into `config`, which is what `c` has of that end, and `place`: where the stream that is
 * received begins, and where what can be replayed of it ends; without `made`. */
void replay_scenario_connect(const configuration *c, const replay_profile *profile, uint32_t index,
                             rnic_endpoint_config *config, replay_transport_place *place);
