/* SPDX-License-Identifier: GPL-2.0-only */
/* This makes connections when they are first used: before, their ends have a flow, and no endpoint, ULP and
 * timer. */
#include "engine/order.h"
#include "platform/ns3_types.h"
#include "platform/run_engine.h"
#include "rnic/rnic_verbs.h"
#include "session/session_private.h"

datagram_flow session_end_arriving_flow(const void *user)
{
  const session_end *end = user;
  const session_end *peer = end->side == SIDE_INITIATOR ? end + 1 : end - 1;
  const uint16_t port = ((const session_connection *)(const void *)(end - end->side))->port;
  const bool comes_back = end->side == SIDE_INITIATOR;

  return (datagram_flow){.source = peer->host->address,
                         .destination = end->host->address,
                         .source_port = comes_back ? TRAFFIC_RESPONDER_PORT : port,
                         .destination_port = comes_back ? port : TRAFFIC_RESPONDER_PORT};
}

datagram_flow session_end_flow(const session_end *end)
{
  const datagram_flow arriving = session_end_arriving_flow(end);
  return flow_table_reversed(&arriving);
}

/* --- Making --- */

/* Memory for Sends that nobody reads. */
static uint8_t *supply_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t id)
{
  return NULL;
}

/* Returns what the endpoint of `end` has, without a fault and where FPDUs start; `place` is that of ns-3's
 * TCP, if it is used. */
static rnic_endpoint_config config_of(session_end *end, const ns3_tcp_transport_place *place)
{
  const session_connection *connection = session_connection_of(end);
  const configuration *c = session_configuration_of(end->host);
  const datagram_flow flow = session_end_flow(end);
  rnic_endpoint_config config = session_setup_endpoint(c, session_end_index(end), end->side, &flow);

  config.host = end->host->rnic;
  config.private_data = end->session->private_data[end->side];
  config.may_start_again = connection->may_fall_back;
  config.tcp.trace = session_end_trace(end);
  if (c->tcp_is_ns3) {
    config.tcp_new = run_engine_ns3_tcp();
    config.tcp_new_user = (void *)place;
  }
  return config;
}

static void make_end(session *self, uint32_t index, enum side side, const uint32_t domains[SIDES])
{
  const session_absence *absence = self->config.absence;
  session_end *end = &self->connections[index].ends[side];
  const configuration *c = session_configuration_of(end->host);
  enum side peer = side_peer(side);
  const ns3_tcp_transport_place ns3_place = {.wake = session_end_set_timer, .user = end};
  rnic_endpoint_config config = config_of(end, &ns3_place);
  fault_config fault;
  fault_injector *injector = NULL;

  if (session_setup_fault(c, index, side, &fault)) {
    injector = fault_injector_new(&fault, self->connections[index].ends[peer].host->rnic, domains[peer]);
    g_ptr_array_add(self->faults, injector);
  }
  config.protection_domain = domains[side];
  config.fault = injector ? &injector->misbehaviour : NULL;
  const session_end *sink = &self->connections[index].ends[peer];
  config.starts = sink->is_sink ? session_recorder_starts(sink->host->recorder, sink->recorded) : NULL;
  if (absence) {
    absence->configure(absence->user, index, &config);
  }
  end->endpoint =
      rnic_endpoint_new(&config, &self->classes[self->connections[index].class].events[side], end);
  end->timer = engine_timer_new(self->config.clock, ENGINE_TIMER,
                                order_of_end(self->config.number, index, side), 0, session_end_on_timer, end);
  end->timer_due = TIME_PS_NEVER;
  if (absence) {
    rnic_supply_receives(end->endpoint, supply_nothing, NULL);
    rnic_post_receives(end->endpoint, INT32_MAX, absence->receive_octets, 0);
    rnic_endpoint_start(end->endpoint, 0);
  }
}

static void make_connection(session *self, uint32_t index)
{
  session_connection *connection = &self->connections[index];
  uint32_t domains[SIDES];

  for (enum side side = 0; side < SIDES; side++) {
    domains[side] = rnic_host_protection_domain_new(connection->ends[side].host->rnic);
  }
  /* RFC 6581 §10: the second try is for a Request that was enhanced. */
  const configuration *opens = session_configuration_of(connection->ends[SIDE_INITIATOR].host);
  const configuration *accepts = session_configuration_of(connection->ends[SIDE_RESPONDER].host);
  const mpa_enhanced_config *asked = &opens->endpoint[SIDE_INITIATOR].enhanced;
  connection->may_fall_back = opens->falls_back && asked->enabled;
  if (self->config.absence) {
    make_end(self, index, self->measured, domains);
    connection->delivered = true;
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    make_end(self, index, side, domains);
  }
  ulp_agreement *agreement = ulp_agreement_new(&self->classes[connection->class].workload, index, connection);
  agreement->has_rtr = asked->enabled && asked->peer_to_peer && opens->fault.error != FAULT_NO_RTR &&
                       accepts->endpoint[SIDE_RESPONDER].enhanced.enabled;
  for (enum side side = 0; side < SIDES; side++) {
    session_end *end = &connection->ends[side];
    end->workload = ulp_workload_new(agreement, side, end->endpoint);
  }
}

void session_make_connections(session *self, uint32_t index)
{
  session_class *class = &self->classes[self->connections[index].class];

  if (self->traffic && class->of->connects_at_first_use) {
    if (!self->connections[index].ends[self->measured].endpoint) {
      make_connection(self, index);
    }
    return;
  }
  while (class->of->first_connection + class->made <= index) {
    make_connection(self, class->of->first_connection + class->made++);
  }
}

void session_start_again(session_connection *connection, time_ps now)
{
  session *self = connection->ends->session;

  connection->falls_back = false;
  connection->may_fall_back = false;
  connection->port -= TRAFFIC_PAIR_CONNECTIONS_MAX;
  self->second_tries++;
  if (self->config.trace) {
    TRACE(session_end_trace(connection->ends), STARTED_AGAIN, .port = connection->port);
  }
  for (enum side side = SIDES; side-- > 0;) { /* the Responder listens first */
    session_end *end = &connection->ends[side];
    const ns3_tcp_transport_place place = {.wake = session_end_set_timer, .user = end};
    rnic_endpoint_config config = config_of(end, &place);

    config.enhanced.enabled = false;
    config.tcp.isn =
        session_setup_second_isn(session_configuration_of(end->host), session_end_index(end), side);
    flow_table_insert(&end->host->ends, end);
    self->ends_open += end->closed;
    end->closed = false;
    g_hash_table_insert(self->first_tcp, end, rnic_endpoint_start_again(end->endpoint, &config, now));
  }
}
