/* SPDX-License-Identifier: GPL-2.0-only */
#include "shim/host/host_session.h"

#include <glib.h>

#include "base/big_endian.h"
#include "session/session.h"
#include "session/session_topology.h"
#include "shim/ns3_functions.h"

struct host_session {
  session_network network; /* the program's: packets leave as octets */
  const configuration *configuration;
  host_pair *pairs; /* of each connection */
  session *session;
  host_session_output output;
  void *user;
  metric_values metrics;
  bool is_finished; /* they are there */
  uint8_t wire[UINT16_MAX];
};

/* ns-3 has one simulator a process: all host sessions share the engine on it. */
static struct {
  engine *clock;
  uint32_t sessions; /* alive */
  uint32_t next;     /* number of the next one */
} shared;

/* --- The network --- */

static void network_send(session_network *network, uint32_t host, datagram *packet, G_GNUC_UNUSED time_ps now)
{
  host_session *self = (host_session *)network;

  datagram_write(packet, self->wire, true);
  self->output(self->user, host, self->wire, datagram_octets(packet));
  datagram_unref(packet);
}

/* Nothing is known of the network but that it is not faster than light: it can be there at once. */
static time_ps network_earliest_arrival(G_GNUC_UNUSED session_network *network,
                                        G_GNUC_UNUSED const datagram_flow *flow, time_ps now)
{
  return now;
}

static const session_network_class network_class = {.send = network_send,
                                                    .earliest_arrival = network_earliest_arrival};

void host_session_receive(host_session *self, uint32_t host, const uint8_t *octets, uint32_t length)
{
  datagram *packet = datagram_read_copy(octets, length);
  session_host *at = session_host_of(self->session, host);
  const ip_address own = session_host_address(at);
  const ip_address destination = packet ? ip_header_destination(packet->header) : own;
  if (packet && ip_address_equal(&destination, &own)) {
    session_receive(at, packet, ns3_shim_now());
  } else {
    datagram_unref(packet);
  }
}

/* --- Making --- */

/* Finds what belongs to the scenario's own path, or to its own way of ending a run. NULL: nothing does. */
static const char *find_unsupported(const configuration *c)
{
  return c->ipv6 ? "tcp.ip = ipv6, but a host in another's ns-3 program speaks IPv4 only; expected ipv4"
         : c->fault.error != FAULT_NONE
             ? "fault.error is given, but a host in another's ns-3 program does no faults; expected none"
         : c->tcp_is_ns3
             ? "tcp.implementation = ns3, but a host in another's ns-3 program has our TCP; expected iwarpsim"
         : session_topology_is_wanted(c) ? "topology.medium is given, but a host in another's ns-3 program "
                                           "has that of the program; expected none"
         : c->class_count > 1 || c->classes->workload.open_loop
             ? "messages arrive of several kinds or at times of their own, but a host in another's ns-3 "
               "program "
               "has one kind, which is posted; expected no traffic and workload.arrivals = posted"
             : NULL;
}

/* Reads the scenario at `path`, with `sets`, and gives it the connections of `pair_count` pairs. Returns NULL
 * and `message` when that is wrong. */
static const configuration *read_scenario(const char *path, const char *const *sets, uint32_t pair_count,
                                          char **message)
{
  GError *wrong = NULL;
  g_autoptr(scenario) s = scenario_load(path, sets, &wrong);
  const uint32_t each = s ? scenario_configuration(s)->connections.count : 0;
  g_autofree char *all = g_strdup_printf("%" G_GUINT64_FORMAT, (guint64)each * pair_count);
  const bool is_good = s && scenario_set_key(s, SCENARIO_WORKLOAD_CONNECTIONS, all, path, &wrong);

  if (wrong) {
    *message = g_strdup(wrong->message);
    g_error_free(wrong);
  }
  return is_good ? configuration_ref(scenario_configuration(s)) : NULL;
}

host_session *host_session_new(const char *path, const char *const *sets, const host_pair *pairs,
                               uint32_t pair_count, host_session_output output, void *user, char **message)
{
  ns3_shim_error error;
  const configuration *c = read_scenario(path, sets, pair_count, message);
  uint32_t hosts = 0;

  if (!c) {
    return NULL;
  }
  const char *unsupported = find_unsupported(c);
  for (uint32_t i = 0; i < pair_count; i++) {
    const uint32_t initiator = pairs[i].hosts[SIDE_INITIATOR], responder = pairs[i].hosts[SIDE_RESPONDER];
    if (initiator == responder || MAX(initiator, responder) >= SESSION_HOSTS_MAX) {
      unsupported = "a pair is wrong; expected two different hosts, numbered from 0 to 1023";
    }
    hosts = MAX(hosts, MAX(initiator, responder) + 1);
  }
  if (!unsupported && shared.next == SESSION_NUMBERS) {
    unsupported = "there are no addresses for more hosts: 256 Hosts had theirs";
  }
  if (!unsupported && shared.sessions == 0) {
    shared.clock = ns3_engine_new(&error);
    unsupported = shared.clock ? NULL : error.message;
  }
  if (unsupported) {
    *message = g_strdup(unsupported);
    configuration_unref(c);
    return NULL;
  }
  shared.sessions++;
  host_session *self = g_new0(host_session, 1);
  self->network.class = &network_class;
  self->configuration = c;
  const uint32_t connections = c->connections.count;
  self->pairs = g_new(host_pair, connections);
  for (uint32_t i = 0; i < connections; i++) { /* those of a pair follow one another */
    self->pairs[i] = pairs[(uint64_t)i * pair_count / connections];
  }
  self->output = output;
  self->user = user;
  const session_config config = {.configuration = c,
                                 .clock = shared.clock,
                                 .number = shared.next++,
                                 .pairs = self->pairs,
                                 .hosts = hosts};
  self->session = session_new(&config);
  session_connect(self->session, &self->network);
  return self;
}

void host_session_free(host_session *self)
{
  if (self) {
    session_free(self->session);
    if (--shared.sessions == 0) {
      engine_free(shared.clock);
      shared.next = 0;
    }
    configuration_unref(self->configuration);
    g_free(self->pairs);
    g_free(self);
  }
}

void host_session_start(host_session *self, time_ps when)
{
  session_start(self->session, when);
}

uint32_t host_session_address(const host_session *self, uint32_t host)
{
  const ip_address address = session_host_address(session_host_of(self->session, host));

  return big_endian_read_32(address.octets);
}

/* --- How it went --- */

bool host_session_is_done(const host_session *self)
{
  return session_is_done(self->session) && !session_termination(self->session);
}

char *host_session_failure(const host_session *self)
{
  char *failure = session_failure(self->session);

  if (*failure == '\0' && session_termination(self->session)) {
    g_free(failure);
    failure = g_strdup(session_termination(self->session));
  }
  return failure;
}

/* Ends the measurement, once. */
static void finish(host_session *self)
{
  session_result result;

  if (!self->is_finished) {
    session_finish(self->session, &result);
    self->metrics = result.results.metrics;
    self->is_finished = true;
    session_result_clear(&result);
  }
}

bool host_session_metric(host_session *self, const char *name, double *value)
{
  metric_id id = metric_find(name);

  finish(self);
  if (id == METRIC_COUNT || !self->metrics.present[id]) {
    return false;
  }
  *value = self->metrics.value[id];
  return true;
}

char *host_session_metrics_text(host_session *self)
{
  GString *text = g_string_new(NULL);

  finish(self);
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (self->metrics.present[id]) {
      const metric_row *row = metric_row_of(id);
      g_string_append_printf(text, "%s = %.10g %s\n", row->name, self->metrics.value[id], row->unit);
    }
  }
  return g_string_free(text, FALSE);
}
