/* How a world ended. */
#include <inttypes.h>

#include "sim/sim_results.h"
#include "sim/sim_setup.h"
#include "sim/sim_world_private.h"

/* Memory that a fault's victim lends to nobody the peer may use it as. */
static bool baits_untouched(const sim_world *world)
{
  bool untouched = true;

  for (guint i = 0; i < world->faults->len; i++) {
    untouched = untouched && fault_injector_bait_is_untouched(g_ptr_array_index(world->faults, i));
  }
  return untouched;
}

static char *check(const sim_world *world, const sim_totals *totals)
{
  if (world->failure) {
    return g_strdup(world->failure);
  }
  if (!baits_untouched(world)) {
    return g_strdup("memory was written, or an STag invalidated, that the peer had no right to");
  }
  return sim_totals_check(totals);
}

static void add_totals(const sim_world *world, sim_totals *totals)
{
  for (uint32_t i = 0; i < world->connection_count; i++) {
    const world_connection *connection = &world->connections[i];
    const sim_totals_connection parts = {
        .workload = connection->workload,
        .measured = world->measured,
        .source = connection->ends[side_peer(world->measured)].endpoint,
        .sink = connection->ends[world->measured].endpoint,
    };
    sim_totals_add(totals, &parts);
  }
}

run_status sim_world_finish(sim_world *world, metric_values *values, sim_world_outcome *outcome)
{
  sim_totals totals = {0};
  time_ps now = engine_now(world->clock);

  *outcome = (sim_world_outcome){.message = NULL};
  add_totals(world, &totals);
  sim_recorder_finish(world->recorder, now, values);
  sim_totals_set_metrics(&totals, world->s, values);
  sim_network_set_metrics(world->network, side_peer(world->measured), values);
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
  outcome->message = check(world, &totals);
  if (*outcome->message != '\0') {
    return RUN_FAILED;
  }
  if (!sim_world_is_done(world) && !world->abandoned) {
    g_free(outcome->message);
    outcome->message = g_strdup_printf("run.stop reached: %" PRIu64 " of %" PRIu64 " messages were delivered",
                                       totals.delivered, totals.expected);
    return RUN_STOPPED;
  }
  if (world->ending.code) {
    g_free(outcome->message);
    outcome->message = g_strdup(world->ending.message);
    outcome->terminate_code = g_strdup(world->ending.code);
    outcome->terminate_side = sim_setup_side_name(world->ending.side);
    return RUN_TERMINATED;
  }
  return RUN_OK;
}

void sim_world_distributions(const sim_world *world, distribution distributions[DISTRIBUTION_COUNT])
{
  sim_recorder_distributions(world->recorder, distributions);
}
