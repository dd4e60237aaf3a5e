/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the scenario of a replay: defaults, what the user set, and what the capture decides. Its keys are a
 * run's, so that a replay's summary can be read, compared and drawn as a run's. */
#pragma once

#include "replay/replay_profile.h"
#include "replay/replay_transport.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* When segments that have not arrived are offered again. */
typedef enum replay_resend {
  REPLAY_RESEND_AUTO, /* where there is a path that may lose them: after the round trip that the handshakes
                         show */
  REPLAY_RESEND_NEVER,
  REPLAY_RESEND_AFTER, /* `resend_ps` */
} replay_resend;

typedef struct replay_options {
  replay_reading capture;
  replay_resend resend;
  time_ps resend_ps;
  FILE *trace;                        /* as simulation_options has it */
  session_progress_function progress; /* called with how far both readings of the capture are; may be NULL */
  void *progress_user;
} replay_options;

/* This is what is replayed, and how: as the user wants it, completed with what the capture shows. */
typedef struct replay_plan {
  replay_options options;
  replay_profile *profile;
  const configuration *configuration; /* of the complete scenario */
  char *trace_about;                  /* what a trace of it names */
  bool has_path;     /* the user wants the traffic to go through a path first: any key of path or middlebox is
                        given */
  bool has_link;     /* and that path has a link; else there are only its impairments and boxes */
  time_ps resend_ps; /* how long after it was due a segment that has not arrived is offered again; 0: never */
} replay_plan;

/* Returns the scenario of a replay of the capture `path` with `sets` (NULL-terminated "group.key=value";
 * NULL: none). Keys that the capture decides are refused. NULL and `error` (IWARPSIM_ERROR). Free with
 * scenario_free(). */
scenario *replay_scenario_new(const char *path, const char *const *sets, GError **error);

/* To be called when the capture has been read, and `plan` has its profile and the options: sets what the
 * capture decides, and the end that is measured, unless measure.side names it; and the rest of `plan`, whose
 * configuration and text are then its own. FALSE and `error` when nothing of the capture can be
 * replayed, when a key concerns the direction that is not replayed, or as scenario_check() reports it. */
gboolean replay_scenario_complete(scenario *s, replay_plan *plan, GError **error);

/* Returns whether `key` has an effect on a complete replay: a replay uses it, or the user or the capture set
 * it. */
gboolean replay_scenario_has_effect(const scenario *s, scenario_key key);

/* Writes what the capture shows of the measured end of connection `index`, for an endpoint of the model that
 * takes its place: into `config`, which is what the scenario has of that end, and `place`: where the stream
 * that is received begins, and where what can be replayed of it ends; without `made`. */
void replay_scenario_connect(const replay_plan *plan, uint32_t index, rnic_endpoint_config *config,
                             replay_transport_place *place);
