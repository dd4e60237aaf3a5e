/* How a session ended. */
#include <inttypes.h>

#include "session/session_private.h"
#include "sim/sim_results.h"
#include "sim/sim_setup.h"

/* Memory that a fault's victim lends to nobody the peer may use it as. */
static bool baits_untouched(const session *self)
{
  bool untouched = true;

  for (guint i = 0; i < self->faults->len; i++) {
    untouched = untouched && fault_injector_bait_is_untouched(g_ptr_array_index(self->faults, i));
  }
  return untouched;
}

static sim_totals totals_of(const session *self)
{
  sim_totals totals = {0};

  for (uint32_t i = 0; i < self->connection_count; i++) {
    const session_connection *connection = &self->connections[i];
    const sim_totals_connection parts = {
        .workload = connection->workload,
        .measured = self->measured,
        .source = connection->ends[side_peer(self->measured)].endpoint,
        .sink = connection->ends[self->measured].endpoint,
    };
    sim_totals_add(&totals, &parts);
  }
  return totals;
}

static char *failure_of(const session *self, const sim_totals *totals)
{
  if (self->failure) {
    return g_strdup(self->failure);
  }
  if (!baits_untouched(self)) {
    return g_strdup("memory was written, or an STag invalidated, that the peer had no right to");
  }
  return sim_totals_check(totals);
}

char *session_failure(const session *self)
{
  const sim_totals totals = totals_of(self);

  return failure_of(self, &totals);
}

const char *session_termination(const session *self)
{
  return self->ending.message;
}

run_status session_finish(session *self, metric_values *values, session_outcome *outcome)
{
  const configuration *c = self->config.configuration;
  const sim_totals totals = totals_of(self);
  time_ps now = engine_now(self->config.clock);

  *outcome = (session_outcome){.message = NULL};
  sim_recorder_finish(self->recorder, now, values);
  sim_totals_set_metrics(&totals, c, values);
  session_network_set_metrics(self->network, side_peer(self->measured), values);
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
  outcome->message = failure_of(self, &totals);
  if (*outcome->message != '\0') {
    return RUN_FAILED;
  }
  bool of_capture = self->config.capture;
  if (of_capture ? !self->arrivals_ended : !session_is_done(self) && !self->abandoned) {
    g_free(outcome->message);
    outcome->message =
        of_capture ? g_strdup("run.stop reached before the end of the capture")
                   : g_strdup_printf("run.stop reached: %" PRIu64 " of %" PRIu64 " messages were delivered",
                                     totals.delivered, totals.expected);
    return RUN_STOPPED;
  }
  if (self->ending.code) {
    g_free(outcome->message);
    outcome->message =
        of_capture && self->terminated > 1
            ? g_strdup_printf("%s; %u connections ended so", self->ending.message, self->terminated)
            : g_strdup(self->ending.message);
    outcome->terminate_code = g_strdup(self->ending.code);
    outcome->terminate_side = sim_setup_side_name(self->ending.side);
    return RUN_TERMINATED;
  }
  return RUN_OK;
}

void session_distributions(const session *self, distribution distributions[DISTRIBUTION_COUNT])
{
  sim_recorder_distributions(self->recorder, distributions);
}
