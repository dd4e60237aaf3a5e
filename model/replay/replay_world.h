/* A replay under way: the capture's feed, the path that its traffic takes first if the user wants one, IP reassembly, the measured ends, and what
 * is measured there. What session/ is to a run. */
#ifndef REPLAY_REPLAY_WORLD_H
#define REPLAY_REPLAY_WORLD_H

#include <glib.h>
#include <stdio.h>

#include "measure/distribution_table.h"
#include "measure/metric_table.h"
#include "replay/replay_lessons.h"
#include "scenario/scenario.h"
#include "session/session.h"

typedef struct replay_world replay_world;

typedef struct replay_world_config {
  const scenario *s; /* replay_scenario_complete() */
  const replay_lessons *lessons;
  const decode_options *decoding;
  capture_source *source; /* the capture, of which nothing has been read again */
  FILE *series;           /* occupancy.csv; NULL: none */
  time_ps resend_ps;      /* what has not arrived so long after it was due is offered again; 0: never */
} replay_world_config;

/* `config` is copied, what it points to must outlive the world. NULL and `error` when the path cannot be made. Free with replay_world_free(). */
replay_world *replay_world_new(const replay_world_config *config, GError **error);
void replay_world_free(replay_world *world);

/* Has replay_world_run() call `reading` about ten times a second of wall time. */
void replay_world_on_progress(replay_world *world, replay_reading reading, void *user);

/* Runs to the capture's end, until all that is on the path has come and all timers have run, or to run.stop. */
void replay_world_run(replay_world *world);

/* How it ended, after replay_world_run(), in `outcome`, as session_finish(). Sets the metrics that a replay has, but time.wall_s. */
run_status replay_world_finish(replay_world *world, metric_values *values, session_outcome *outcome);

/* As session_distributions(). */
void replay_world_distributions(const replay_world *world, distribution distributions[DISTRIBUTION_COUNT]);

/* Says in `notes` (of char *, to be freed with g_free()) what a user should know of the capture and of what was made of it. */
void replay_world_note(const replay_world *world, GPtrArray *notes);

#endif
