/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the parts of a session have in common: its hosts, whether it is done or has failed, and how
 * the first connection ended that was terminated. */
#include "session/session.h"

#include "session/session_private.h"

session_host *session_host_of(session *self, uint32_t number)
{
  g_assert(number < self->host_count);
  return &self->hosts[number];
}

session_host *session_host_at(const session *self, const ip_address *address)
{
  uint32_t number = session_setup_host_at(address);

  return number < self->host_count && ip_address_equal(&self->hosts[number].address, address)
             ? &self->hosts[number]
             : NULL;
}

rnic_host *session_host_rnic(const session_host *host)
{
  return host->rnic;
}

ip_address session_host_address(const session_host *host)
{
  return host->address;
}

/* --- How far it is --- */

bool session_is_done(const session *self)
{
  return self->ends_open == 0 && self->workloads_open == 0;
}

void session_workload_is_done(session *self)
{
  if (--self->workloads_open == 0) {
    self->all_delivered = engine_now(self->config.clock);
    if (self->network->class->delivered) {
      self->network->class->delivered(self->network, self->all_delivered);
    }
  }
  session_stop_when_done(self);
}

void session_stop_when_done(const session *self)
{
  if (self->is_running && session_is_done(self)) {
    engine_stop(self->config.clock);
  }
}

bool session_connection_is_over(const session *self, uint32_t connection)
{
  return self->connections[connection].terminated;
}

ulp_workload_results session_end_results(const session_end *end)
{
  if (end->workload) {
    return ulp_workload_results_of(end->workload);
  }
  return (ulp_workload_results){.messages_expected =
                                    ulp_workload_messages(&session_class_of(end)->workload, end->side)};
}

void session_fail(session *self, char *failure)
{
  if (self->failure) {
    g_free(failure);
    return;
  }
  self->failure = failure;
  if (self->is_running) {
    engine_stop(self->config.clock);
  }
}

void session_end_arrivals(session *self)
{
  self->ends_open = 0;
  for (uint32_t i = 0; i < self->host_count; i++) {
    ip_input_stop_clock(self->hosts[i].input);
  }
}

/* --- Endings --- */

bool session_ending_is_documented(const configuration *c, uint32_t connection, const rnic_failure *failure)
{
  bool misbehaves = connection == c->fault.connection && c->fault.error != FAULT_NONE;

  return rnic_failure_is_termination(failure) || misbehaves;
}

void session_ending_note(session_ending *ending, uint32_t connection, enum side side,
                         const rnic_failure *failure, time_ps now)
{
  if (ending->code) {
    return;
  }
  ending->side = failure->by_peer ? side_peer(side) : side;
  ending->code = rnic_failure_code(failure);
  ending->message = g_strdup_printf("%s by the %s of connection %u after %.12f s: %s", ending->code,
                                    side_name(ending->side), connection, time_ps_in_seconds(now),
                                    rnic_failure_text(failure));
}

void session_ending_clear(session_ending *ending)
{
  g_clear_pointer(&ending->code, g_free);
  g_clear_pointer(&ending->message, g_free);
}

const char *session_termination(const session *self)
{
  return self->ending ? self->ending->message : NULL;
}
