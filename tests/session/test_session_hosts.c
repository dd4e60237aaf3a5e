/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts of one session: which one a packet is for, and three of them, connected A to B, A to C and B to C. */
#include <string.h>

#include "session/session_paths.h"
#include "session/session_private.h"
#include "session_fixture.h"
#include "trace/trace_reader.h"

enum { CONNECTIONS = 3, HOSTS = 3 };

/* A session over paths, at whose ends packets go to the host that they are addressed to, and the octets of
 * TCP payload from each host to each other one are counted. */
typedef struct fixture {
  scenario *s;
  engine *clock;
  trace *trace; /* NULL: nothing is traced */
  session *session;
  uint64_t octets[HOSTS][HOSTS];
  uint64_t arrivals[HOSTS]; /* at each host */
} fixture;

static uint32_t host_at(const ip_address *address)
{
  return address->octets[address->version == 4 ? 3 : 15] - 1;
}

static void on_output(void *user, datagram *packet, time_ps now)
{
  fixture *f = user;
  const ip_address source = ip_header_source(packet->header),
                   destination = ip_header_destination(packet->header);

  g_assert_cmpuint(host_at(&destination), <, HOSTS);
  if (packet->kind == DATAGRAM_TCP) {
    g_assert_cmpuint(host_at(&source), <, HOSTS);
    f->octets[host_at(&source)][host_at(&destination)] += packet->payload.length;
  }
  f->arrivals[host_at(&destination)]++;
  session_receive(session_host_of(f->session, host_at(&destination)), packet, now);
}

/* Three connections, of a scenario with `sets`. */
static fixture *set_up_traced(const session_pair *pairs, const char *const *sets, FILE *traced)
{
  fixture *f = g_new0(fixture, 1);

  f->s = temporary_scenario("run = { engine = \"native\"; }; workload = { connections = 3; };", sets);
  f->clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const configuration *c = scenario_configuration(f->s);
  f->trace = traced ? simulation_trace_new("{}", traced, f->clock) : NULL;
  const session_config config = {
      .configuration = c, .clock = f->clock, .pairs = pairs, .hosts = HOSTS, .trace = f->trace};
  f->session = session_new(&config);
  const session_network_ends ends = {.output = on_output,
                                     .trace = f->trace,
                                     .users = {f, f},
                                     .is_fpdu_start = session_is_fpdu_start,
                                     .is_fpdu_start_user = f->session};
  session_connect(f->session, NO_ERROR(session_paths_new, c, RUN_ENGINE_NATIVE, f->clock, &ends));
  return f;
}

static fixture *set_up(const session_pair *pairs, const char *const *sets)
{
  return set_up_traced(pairs, sets, NULL);
}

static void tear_down(fixture *f)
{
  session_free(f->session);
  trace_free(f->trace);
  engine_free(f->clock);
  scenario_free(f->s);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

/* --- Three hosts --- */

static const session_pair pairs[CONNECTIONS] = {{{0, 1}}, {{0, 2}}, {{1, 2}}};

static void run(fixture *f, session_result *result)
{
  session_run(f->session);
  session_finish(f->session, result);
  g_assert_cmpint(result->status, ==, RUN_OK);
}

/* What the same connections count between two hosts. */
static metric_values between_two_hosts(const scenario *s)
{
  static const simulation_options options = {0};
  g_auto(session_result) result;

  g_assert_true(NO_ERROR(simulation_run, s, &options, &result));
  g_assert_cmpint(result.status, ==, RUN_OK);
  return result.results.metrics;
}

/* Every octet of every connection is Delivered and right, whoever else its hosts are connected to; what
 * the connections count is summed over all hosts, as it is over the connections of two; and no host sends
 * to one that it is not connected to. */
static const char *const three_hosts_rows[] = {
    "run.engine=native",
    "workload.paths=own",
    "path.forward.loss=1%",
    "workload.directions=both",
    "measure.side=initiator",
    "workload.operation=read",
    "tcp.ip=ipv6",
    "path.forward.hop_mtu=[1000,1500]", /* its ICMP messages find the host that they are for */
    "receiver.memory=200KiB"};

ROW_TEST(test_three_hosts, three_hosts_rows)
{
  g_auto(session_result) result;

  g_test_message("%s", *c);
  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "workload.message_size=30000", *c));
  run(f, &result);
  g_assert_cmpstr(result.message, ==, "");
  const metric_values two = between_two_hosts(f->s);
  static const metric_id same[] = {METRIC_DELIVERY_MESSAGES, METRIC_DELIVERY_OCTETS, METRIC_PLACEMENT_OCTETS,
                                   METRIC_INTEGRITY_OCTETS_WRONG};
  for (gsize m = 0; m < G_N_ELEMENTS(same); m++) {
    g_assert_cmpfloat(result.results.metrics.value[same[m]], ==, two.value[same[m]]);
  }
  uint64_t all = 0;
  for (uint32_t from = 0; from < HOSTS; from++) {
    for (uint32_t to = 0; to < HOSTS; to++) {
      g_assert_true((from != to) == (f->octets[from][to] > 0));
      all += f->octets[from][to];
    }
  }
  g_assert_cmpuint(all, >=, (uint64_t)result.results.metrics.value[METRIC_DELIVERY_OCTETS]);
  g_assert_cmpuint(f->session->strays, ==, 0);
}

static const char *const traced_rows[] = {
    NULL, "tcp.path_mtu_discovery=false", /* fragments */
    "path.forward.corrupt=1%",            /* some of the ports */
};

/* A packet arrives as of the connection and the side that have sent it, whichever hosts those are; so do the
 * fragments and the messages that a router made of it. */
ROW_TEST(test_traced, traced_rows)
{
  g_auto(session_result) result;
  FILE *file = tmpfile();
  g_autoptr(GArray) senders = g_array_new(FALSE, TRUE, sizeof(trace_event));
  uint64_t arrivals[CONNECTIONS][SIDES] = {{0}};
  trace_event event;

  g_assert_nonnull(file);
  fixture *f = set_up_traced(
      pairs, STRINGS("workload.messages=20", "workload.paths=own", "path.forward.hop_mtu=[1000,1500]", *c),
      file);
  run(f, &result);
  uint64_t expected[HOSTS];
  memcpy(expected, f->arrivals, sizeof expected);
  tear_down(f);
  rewind(file);
  trace_reader *reader = NO_ERROR(trace_reader_new, file, "trace");
  while (NO_ERROR(trace_reader_next, reader, &event)) {
    if (event.packet >= senders->len) {
      g_array_set_size(senders, (guint)event.packet + 1);
    }
    trace_event *sent = &g_array_index(senders, trace_event, event.packet);
    if (event.id == TRACE_PACKET_SENT) {
      *sent = event;
    } else if (event.id == TRACE_PACKET_ARRIVED && sent->packet > 0) {
      g_assert_cmpuint(event.connection, ==, sent->connection);
      g_assert_cmpint(event.side, ==, sent->side);
    }
    arrivals[event.connection][event.side] += event.id == TRACE_PACKET_ARRIVED;
  }
  trace_reader_free(reader);
  fclose(file);
  for (uint32_t host = 0; host < HOSTS; host++) {
    uint64_t at_host = 0;
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
      at_host += pairs[i].hosts[SIDE_INITIATOR] == host ? arrivals[i][SIDE_RESPONDER] : 0;
      at_host += pairs[i].hosts[SIDE_RESPONDER] == host ? arrivals[i][SIDE_INITIATOR] : 0;
    }
    g_assert_cmpuint(at_host, ==, expected[host]);
  }
}

/* Fragments come to the host of their connection, and are counted there. */
TEST(test_fragments)
{
  g_auto(session_result) result;

  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "tcp.path_mtu_discovery=false",
                                               "path.forward.hop_mtu=[1000,1500]", "path.forward.loss=1%"));
  run(f, &result);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_PATH_FRAGMENTS], >, 0);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_BUFFER_PEAK_OCTETS_FRAGMENT], >, 0);
  g_assert_cmpuint(f->session->strays, ==, 0);
}

/* Each host with a Data Sink has a reassembly memory of its own, and none has more. */
TEST(test_memory)
{
  enum { MEMORY = 8192 };
  g_auto(session_result) result;

  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=50", "path.forward.loss=2%",
                                               "receiver.memory=8KiB", "receiver.mode=in-order"));
  run(f, &result);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_REFUSED_MEMORY], >, 0);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS], >, MEMORY);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS], <=, 2 * MEMORY);
}

/* STags are drawn by the seed: those of the first host from one stream, of the others from another, by their
 * number. A run is repeated by these names. */
TEST(test_names_of_streams)
{
  const ddp_stream_identity owner = {1, 1};
  g_autoptr(scenario) s = temporary_scenario("", STRINGS("run.seed=7"));
  engine *clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const session_config config = {
      .configuration = scenario_configuration(s), .clock = clock, .pairs = pairs, .hosts = HOSTS};
  session *unconnected = session_new(&config);

  for (uint32_t host = 0; host < HOSTS; host++) {
    ddp_stag_table *named = ddp_stag_table_new(host == 0 ? random_hash(7, "stags.initiator", 0)
                                                         : random_hash(7, "stags.responder", host - 1));
    g_assert_cmphex(
        ddp_stag_table_allocate(session_host_rnic(session_host_of(unconnected, host))->stags, owner), ==,
        ddp_stag_table_allocate(named, owner));
    ddp_stag_table_free(named);
  }
  session_free(unconnected);
  engine_free(clock);
}

/* --- Whose a packet is --- */

typedef struct owner_case {
  uint16_t source, destination;
  bool known[SIDES]; /* at the Initiator, at the Responder */
} owner_case;

/* The Initiator's ports are 49152, 49153 and 49154, the Responder's is 5044. Damaged ports belong to no
 * connection. */
static const owner_case owners[] = {
    {5044, 49153, {true, false}},  {49153, 5044, {false, true}},  {49155, 5044, {false, false}},
    {5044, 49155, {false, false}}, {5044, 49151, {false, false}}, {49153, 5045, {false, false}},
    {5045, 49153, {false, false}}, {0, 0, {false, false}},        {49153, 49153, {false, false}},
    {5044, 5044, {false, false}},
};

static void assert_end(const session_end *end, bool known, enum side side)
{
  g_assert_cmpint(end != NULL, ==, known);
  g_assert_true(!known || (end->index == 1 && end->side == side));
}

ROW_TEST(test_owners, owners)
{
  const ip_address address = ip_address_v4(1);
  const ip_address router = ip_address_v4(2);
  g_autoptr(fixture) f = set_up(NULL, NULL);
  const tcp_header header = {.source_port = c->source, .destination_port = c->destination};
  g_autoptr(datagram) packet = datagram_new_in(NULL, &address, &address, &header, NULL);
  g_autoptr(datagram) message = datagram_new_too_big(&router, packet, 1000);
  g_autoptr(datagram) fragment = datagram_new_fragment(packet, 8, 12);

  for (enum side side = 0; side < SIDES; side++) {
    const session_host *host = session_host_of(f->session, side);

    assert_end(session_host_end(host, packet), c->known[side], side);
    /* An ICMP message is for the end that sent the packet it quotes. */
    assert_end(session_host_end(host, message), c->known[side_peer(side)], side);
    g_assert_null(session_host_end(host, fragment));
  }
}

/* The port after those of all connections is of none, whatever lies in memory after them: here the last of
 * three, once the session counts but two. Its 61 FPDUs, of 20 Writes in 3 each and a Send, are no starts
 * then. */
TEST(test_the_port_after_the_last)
{
  enum { LAST = SESSION_INITIATOR_FIRST_PORT + CONNECTIONS - 1, FPDUS = 61, STREAM_OCTETS = 100000 };
  const ip_address address = ip_address_v4(1);
  const tcp_header header = {.source_port = LAST, .destination_port = SESSION_RESPONDER_PORT};
  g_autoptr(datagram) packet = datagram_new_in(NULL, &address, &address, &header, NULL);
  datagram_flow flow;
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(NULL, STRINGS("workload.messages=20", "workload.message_size=4000"));
  session *self = f->session;

  run(f, &result);
  g_assert_true(datagram_flow_of(packet, &flow));
  for (int without = 0; without < 2; without++) {
    uint32_t hint = 0, starts = 0;
    self->connection_count = CONNECTIONS - (uint32_t)without;
    for (int64_t position = 0; position < STREAM_OCTETS; position++) {
      starts += session_is_fpdu_start(self, &flow, position, &hint);
    }
    g_assert_cmpuint(starts, ==, without ? 0 : FPDUS);
    g_assert_cmpint(session_host_end(session_host_of(self, SIDE_INITIATOR), packet) == NULL, ==, 1);
    g_assert_cmpint(session_host_end(session_host_of(self, SIDE_RESPONDER), packet) == NULL, ==, without);
  }
  self->connection_count = CONNECTIONS;
}

/* --- Closed too early --- */

/* A ULP that closes before it has posted anything: both ends close in good order, and nothing was Delivered.
 */
TEST(test_closed_before_its_workload_was_done)
{
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(NULL, NULL);

  rnic_endpoint_close(f->session->connections[1].ends[SIDE_INITIATOR].endpoint);
  session_run(f->session);
  session_finish(f->session, &result);
  g_assert_cmpint(result.status, ==, RUN_FAILED);
  g_assert_cmpstr(result.message, ==, "connection 1 was closed before its workload was done");
}
