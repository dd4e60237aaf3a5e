/* Two hosts, the path between them, and what goes on: the wiring of one run. */
#ifndef SIM_SIM_WORLD_H
#define SIM_SIM_WORLD_H

#include <glib.h>
#include <stdio.h>

#include "measure/distribution_table.h"
#include "measure/metric_table.h"
#include "net/packet_capture.h"
#include "scenario/scenario.h"
#include "sim/sim_engine.h"
#include "sim/summary.h"

typedef struct sim_world sim_world;

typedef struct sim_world_files {
  FILE *series;                     /* occupancy.csv; NULL: none */
  packet_capture *sender_capture;   /* at the Data Source; NULL: none */
  packet_capture *receiver_capture; /* at the Data Sink; NULL: none */
} sim_world_files;

/* The world of `s`; the files stay the caller's and outlive it. NULL and `error` when the engine refuses. Free with
 * sim_world_free(). */
sim_world *sim_world_new(const scenario *s, sim_engine_kind kind, const sim_world_files *files,
                         GError **error);
void sim_world_free(sim_world *world);

/* Runs to the end: the workload is done or its connections are terminated, and all are closed; a connection failed; nothing
 * progresses; or run.stop. */
void sim_world_run(sim_world *world);

/* How far a run is. */
typedef struct sim_progress {
  time_ps now;
  double share; /* of the run that is done, 0 … 1: of its messages, or of run.stop, whichever is more */
} sim_progress;
typedef void (*sim_progress_function)(const sim_progress *progress, void *user);

/* Has sim_world_run() call `function` about ten times a second of wall time, while the engine's time goes on or not; it may
 * not touch the world. */
void sim_world_on_progress(sim_world *world, sim_progress_function function, void *user);

/* How a run ended. */
typedef struct sim_world_outcome {
  char *message;              /* why; "" when all is well. Free with g_free() */
  char *terminate_code;       /* RUN_TERMINATED: as rnic_failure_code(), else NULL. Free with g_free() */
  const char *terminate_side; /* the same: "Initiator" or "Responder"; static */
} sim_world_outcome;

/* How it ended, after sim_world_run(), in `outcome`. Sets every metric but time.wall_s. */
run_status sim_world_finish(sim_world *world, metric_values *values, sim_world_outcome *outcome);

/* The distributions, after sim_world_finish(); they are overwritten. Free each with distribution_clear(). */
void sim_world_distributions(const sim_world *world, distribution distributions[DISTRIBUTION_COUNT]);

#endif
