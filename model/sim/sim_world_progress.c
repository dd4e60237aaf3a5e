#include "sim/sim_world_private.h"

/* Looking at the clock costs 25 ns; a callback of the engine, 100 ns and more. */
#define CALLBACKS_BETWEEN_LOOKS 256

#define TELL_EVERY_US (G_USEC_PER_SEC / 10)

static double share_delivered(const sim_world *world)
{
  uint64_t delivered = 0;
  uint64_t expected = 0;

  for (uint32_t i = 0; i < world->connection_count; i++) {
    const ulp_workload *workload = world->connections[i].workload;
    for (enum side side = 0; side < SIDES; side++) {
      delivered += ulp_workload_results_of(workload, side).messages_delivered;
      expected += ulp_workload_expected(workload, side);
    }
  }
  return (double)delivered / (double)MAX(expected, 1);
}

static void look(void *user, time_ps now)
{
  sim_world *world = user;
  gint64 wall_us = g_get_monotonic_time();

  if (wall_us - world->progress_told_us < TELL_EVERY_US) {
    return;
  }
  world->progress_told_us = wall_us;
  time_ps stop = scenario_time(world->s, SCENARIO_RUN_STOP);
  double of_time = stop > 0 ? (double)now / (double)stop : 0;
  const sim_progress progress = {.now = now, .share = CLAMP(MAX(share_delivered(world), of_time), 0, 1)};
  world->on_progress(&progress, world->on_progress_user);
}

void sim_world_on_progress(sim_world *world, sim_progress_function function, void *user)
{
  world->on_progress = function;
  world->on_progress_user = user;
  world->progress_told_us = g_get_monotonic_time();
  engine_observe(world->clock, CALLBACKS_BETWEEN_LOOKS, look, world);
}
