/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about hosts of one session: which one a packet is for, and three of them, connected A to B,
 * A to C and B to C. */
#include <string.h>

#include "base/crc32c.h"
#include "session/session_paths.h"
#include "session/session_private.h"
#include "session_fixture.h"
#include "trace/trace_reader.h"

enum { CONNECTIONS = 3, HOSTS = 3 };

/* This is a link between each two hosts that are connected, and the octets of TCP payload that it brings. */
typedef struct fixture {
  session_network network;
  scenario *s;
  engine *clock;
  trace *trace; /* NULL: nothing is traced */
  session *session;
  const host_pair *pairs;
  uint32_t links;
  session_network *link_of[CONNECTIONS]; /* by the number of the pair */
  uint64_t octets[HOSTS][HOSTS];
  uint64_t arrivals[HOSTS]; /* at each host */
  uint32_t digest;          /* of all packets, in the order of their arrival */
} fixture;

static uint32_t number_of(const fixture *f, const ip_address *address)
{
  session_host *host = session_host_at(f->session, address);

  g_assert_nonnull(host);
  return host->number;
}

static void on_output(void *user, datagram *packet, time_ps now)
{
  uint8_t wire[UINT16_MAX];
  session_host *host = user;
  fixture *f = (fixture *)(void *)host->session->network;
  const ip_address source = ip_header_source(packet->header),
                   destination = ip_header_destination(packet->header);

  g_assert_true(session_host_at(f->session, &destination) == host);
  if (packet->kind == DATAGRAM_TCP) {
    f->octets[number_of(f, &source)][host->number] += packet->payload.length;
  }
  f->arrivals[host->number]++;
  datagram_write(packet, wire, true);
  f->digest = crc32c_update(f->digest, wire, datagram_octets(packet));
  session_receive(host, packet, now);
}

static session_network *link_between(const fixture *f, uint32_t a, uint32_t b)
{
  for (uint32_t i = 0; i < f->links; i++) {
    const uint32_t *ends = f->pairs[i].hosts;
    if (ends[0] + ends[1] == a + b && (ends[0] == a || ends[1] == a)) {
      return f->link_of[i];
    }
  }
  g_assert_not_reached();
}

static void links_send(session_network *network, uint32_t host, datagram *packet, time_ps now)
{
  const fixture *f = (const fixture *)network;
  const ip_address to = ip_header_destination(packet->header);
  session_network *link = link_between(f, host, number_of(f, &to));

  link->class->send(link, host, packet, now);
}

static time_ps links_earliest_arrival(session_network *network, const datagram_flow *flow, time_ps now)
{
  const fixture *f = (const fixture *)network;
  session_network *link = link_between(f, number_of(f, &flow->source), number_of(f, &flow->destination));

  return link->class->earliest_arrival(link, flow, now);
}

static void links_set_metrics(session_network *network, metric_values *values)
{
  const fixture *f = (const fixture *)network;

  for (uint32_t i = 0; i < f->links; i++) {
    f->link_of[i]->class->set_metrics(f->link_of[i], values);
  }
}

/* Three connections, of a scenario with `sets`; `pairs` NULL: of its two hosts. */
static fixture *set_up_traced(const host_pair *pairs, const char *const *sets, FILE *traced)
{
  static const session_network_class class = {
      .send = links_send, .earliest_arrival = links_earliest_arrival, .set_metrics = links_set_metrics};
  fixture *f = g_new0(fixture, 1);

  f->network.class = &class;
  f->s = temporary_scenario("run = { engine = \"native\"; }; workload = { connections = 3; };", sets);
  f->clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const configuration *c = scenario_configuration(f->s);
  f->trace = traced ? simulation_trace_new("{}", traced, f->clock) : NULL;
  const session_config config = {
      .configuration = c, .clock = f->clock, .pairs = pairs, .hosts = HOSTS, .trace = f->trace};
  f->session = session_new(&config);
  f->pairs = pairs ? pairs : &host_pair_of_path;
  f->links = pairs ? CONNECTIONS : 1;
  for (uint32_t i = 0; i < f->links; i++) {
    session_network_ends ends = session_ends(f->session, &f->pairs[i]);
    ends.first_segment = i * SIDES * CONNECTIONS;
    ends.output = on_output;
    f->link_of[i] = NO_ERROR(session_paths_new, c, RUN_ENGINE_NATIVE, f->clock, &ends);
  }
  session_connect(f->session, &f->network);
  return f;
}

static fixture *set_up(const host_pair *pairs, const char *const *sets)
{
  return set_up_traced(pairs, sets, NULL);
}

static void tear_down(fixture *f)
{
  session_free(f->session);
  for (uint32_t i = 0; i < f->links; i++) {
    session_network_free(f->link_of[i]);
  }
  trace_free(f->trace);
  engine_free(f->clock);
  scenario_free(f->s);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

/* --- Three hosts --- */

static const host_pair pairs[CONNECTIONS] = {{{0, 1}}, {{0, 2}}, {{1, 2}}};

static void run(fixture *f, session_result *result)
{
  session_run(f->session);
  session_finish(f->session, result);
  g_assert_cmpint(result->status, ==, RUN_OK);
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
  /* The same connections between two hosts count this. */
  static const simulation_options options = {0};
  g_auto(session_result) of_two;
  g_assert_true(NO_ERROR(simulation_run, f->s, &options, &of_two));
  g_assert_cmpint(of_two.status, ==, RUN_OK);
  const metric_values two = of_two.results.metrics;
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

/* --- Connections that have not started --- */

/* Connections 0, 1 and 2 start at 0, 1 and 2 ms, and have endpoints from then on. */
TEST(test_made_when_they_start)
{
  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "workload.start_spread=3ms"));
  const session *s = f->session;

  session_start(f->session, 0);
  for (uint32_t started = 0; started <= CONNECTIONS; started++) {
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
      for (enum side side = 0; side < SIDES; side++) {
        const session_end *end = &s->connections[i].ends[side];
        g_assert_true(!end->endpoint == (i >= started) && !end->workload == (i >= started) &&
                      !end->timer == (i >= started));
      }
    }
    engine_run(f->clock, started * TIME_PS_PER_MILLISECOND);
  }
}

/* The run ends before connections 1 and 2 start, which lead to host 2: their messages were expected all the
 * same, 20 Writes and a Send each, and their ends have counted nothing, which is 0. */
TEST(test_unstarted_connections_count_nothing)
{
  g_auto(session_result) result;

  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "workload.start_spread=3ms",
                                               "run.stop=500us", "path.forward.rate=100Gbit/s"));
  session_run(f->session);
  session_finish(f->session, &result);
  g_assert_cmpint(result.status, ==, RUN_STOPPED);
  g_assert_cmpstr(result.message, ==, "run.stop reached: 21 of 63 messages were delivered");
  EXPECT_METRICS(&result.hosts[2].results.metrics, (TCP_CHECKSUM_ERRORS, 0), (DELIVERY_MESSAGES, 0));
  g_assert_true(f->session->classes->made == 1);
}

/* A segment comes for connection 2, which has not started: as to any closed port the answer is a RST (RFC
 * 9293 §3.10.7.1), one packet more at host 1. All connections do their work all the same. */
TEST(test_arrival_before_the_start)
{
  const tcp_header header = {.source_port = TRAFFIC_INITIATOR_FIRST_PORT,
                             .destination_port = TRAFFIC_RESPONDER_PORT,
                             .flags = TCP_ACK};
  uint64_t arrivals[2];

  for (unsigned early = 0; early < 2; early++) {
    g_auto(session_result) result;
    g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "workload.start_spread=3ms"));
    session_host *from = session_host_of(f->session, 1), *to = session_host_of(f->session, 2);

    if (early) {
      session_receive(to, packet_between(from->address, to->address, &header, NULL, 0), 0);
    }
    g_assert_cmpuint(f->session->classes->made, ==, early ? CONNECTIONS : 0);
    run(f, &result);
    arrivals[early] = f->arrivals[1];
    g_assert_cmpuint(f->session->strays, ==, 0);
    EXPECT_METRICS(&result.results.metrics, (DELIVERY_MESSAGES, 3 * 21));
  }
  g_assert_cmpuint(arrivals[1], ==, arrivals[0] + 1);
}

/* Connections that are made when they start, and that were all made before, send the same octets: the STags
 * of their buffers do not depend on those that have taken the place of invalidated ones meanwhile, nor on one
 * that a fault has. */
static const char *const same_octets_rows[] = {"workload.operation=write", "workload.operation=storage-write",
                                               "workload.operation=write+send-invalidate",
                                               "fault.error=read-foreign-domain"};

ROW_TEST(test_same_octets, same_octets_rows)
{
  uint32_t digests[2];

  for (uint32_t made = 0; made < 2; made++) {
    g_auto(session_result) result;
    g_autoptr(fixture) f =
        set_up(pairs, STRINGS("workload.messages=20", "workload.start_spread=3ms", "workload.directions=both",
                              "workload.operation=storage-write+read", "fault.at=16", *c));
    if (made) {
      session_make_connections(f->session, CONNECTIONS - 1);
    }
    session_run(f->session);
    session_finish(f->session, &result);
    g_assert_true(result.status == RUN_OK || result.status == RUN_TERMINATED);
    digests[made] = f->digest;
  }
  g_assert_cmpuint(digests[0], ==, digests[1]);
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

/* Each host with a Data Sink has a reassembly memory of its own, and none has more; what is measured is the
 * memory of one host, of all the fullest. What is counted is the sum over hosts: connections 0, 1 and 2 lead
 * to hosts 1, 2 and 2. */
TEST(test_memory)
{
  enum { MEMORY = 8192, MESSAGES = 50 };
  static const double messages[HOSTS] = {0, MESSAGES + 1, 2 * (MESSAGES + 1)}; /* Writes and a Send */
  g_auto(session_result) result;

  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=50", "path.forward.loss=2%",
                                               "receiver.memory=8KiB", "receiver.mode=in-order"));
  run(f, &result);
  const run_results *all = &result.results, *fullest = NULL;
  double refused = 0;
  g_assert_cmpuint(result.host_count, ==, HOSTS);
  for (uint32_t host = 0; host < HOSTS; host++) {
    const run_results *of = &result.hosts[host].results;
    const double peak = of->metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS];
    g_assert_true(of->metrics.present[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS] == (host > 0));
    g_assert_cmpfloat(of->metrics.value[METRIC_DELIVERY_MESSAGES], ==, messages[host]);
    g_assert_cmpfloat(peak, <=, MEMORY);
    fullest = fullest && fullest->metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS] >= peak ? fullest : of;
    refused += of->metrics.value[METRIC_REFUSED_MEMORY];
  }
  static const metric_id same[] = {METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, METRIC_BUFFER_REASSEMBLY_PEAK_AT_S,
                                   METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION,
                                   METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, METRIC_DELAY_PLACEMENT_MEAN_S};
  for (gsize m = 0; m < G_N_ELEMENTS(same); m++) {
    g_assert_true(all->metrics.present[same[m]]);
    g_assert_cmpfloat(all->metrics.value[same[m]], ==, fullest->metrics.value[same[m]]);
  }
  g_assert_cmpfloat(all->metrics.value[METRIC_REFUSED_MEMORY], ==, refused);
  g_assert_cmpfloat(refused, >, 0);
  g_assert_cmpfloat(distribution_weight(&all->distributions[DISTRIBUTION_REASSEMBLY_OCTETS]), ==,
                    distribution_weight(&fullest->distributions[DISTRIBUTION_REASSEMBLY_OCTETS]));
  const double connection = fullest->metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION];
  g_assert_true(fullest == &result.hosts[1].results ? connection == 0 : connection == 1 || connection == 2);
}

/* What is made of the counts of ends is made for each host: hosts 0 and 1 have Data Sources, of one MTU,
 * whose FPDUs have three markers at most. Of their tagged payload the wire has the same share. */
TEST(test_made_of_each_host)
{
  enum { EMSS = 1500 - 40 };
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=50"));

  run(f, &result);
  for (uint32_t host = 0; host < HOSTS; host++) {
    const metric_values *of = &result.hosts[host].results.metrics;
    EXPECT_METRICS(of, (INTEGRITY_OCTETS_WRONG, 0));
    g_assert_true(of->present[METRIC_MPA_EMSS_OCTETS] == (host < 2));
    g_assert_true(of->present[METRIC_EFFICIENCY_WIRE] == (host < 2));
    if (host < 2) {
      EXPECT_METRICS(of, (MPA_EMSS_OCTETS, EMSS), (MPA_MULPDU_OCTETS, EMSS - 6 - 3 * 4));
      g_assert_cmpfloat(of->value[METRIC_EFFICIENCY_WIRE], ==,
                        result.results.metrics.value[METRIC_EFFICIENCY_WIRE]);
    }
  }
}

/* Hosts 0 and 1 have two connections from one to the other, one back, and each one with host 2: ports are
 * counted for the connections that one host opens to another, and packets find their ends. */
TEST(test_ports)
{
  enum { ALL = 5 };
  static const host_pair five[ALL] = {{{0, 1}}, {{0, 2}}, {{0, 1}}, {{1, 0}}, {{1, 2}}};
  static const uint16_t ports[ALL] = {49152, 49152, 49153, 49152, 49152};
  g_autoptr(scenario) s = temporary_scenario("", STRINGS("workload.connections=5"));
  engine *clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const session_config config = {
      .configuration = scenario_configuration(s), .clock = clock, .pairs = five, .hosts = HOSTS};
  session *self = session_new(&config);

  session_connect(self, NULL);
  for (uint32_t i = 0; i < ALL; i++) {
    for (enum side side = 0; side < SIDES; side++) {
      session_end *end = &self->connections[i].ends[side];
      const datagram_flow sent = session_end_flow(end), arriving = flow_table_reversed(&sent);
      uint32_t found = ALL;
      g_assert_cmpuint(side == SIDE_INITIATOR ? sent.source_port : sent.destination_port, ==, ports[i]);
      g_assert_true(flow_table_find(&end->host->ends, &arriving) == end);
      g_assert_true(session_find_connection(self, &sent, &found));
      g_assert_cmpuint(found, ==, i);
    }
  }
  session_free(self);
  engine_free(clock);
}

/* A connection ends at its two hosts; the third has no ending. */
TEST(test_endings)
{
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "fault.error=bad-crc"));

  session_run(f->session);
  session_finish(f->session, &result);
  g_assert_cmpint(result.status, ==, RUN_TERMINATED);
  for (uint32_t host = 0; host < HOSTS; host++) {
    const session_ending *ending = &result.hosts[host].ending;
    g_assert_cmpstr(ending->code, ==, host < 2 ? result.terminate_code : NULL);
    g_assert_cmpstr(ending->message, ==, host < 2 ? result.message : NULL);
  }
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

/* Each of 1,024 hosts has an address, by which it is found; no host has that of another session, or of a net.
 * 1023 = 4 · 254 + 7. */
static const struct {
  const char *set;
  ip_address last, strange;
} addresses_rows[] = {
    {"tcp.ip=ipv4", {4, {10, 4, 255, 8}}, {4, {10, 0, 254, 1}}},
    {"tcp.ip=ipv4", {4, {10, 4, 255, 8}}, {4, {10, 0, 255, 0}}},
    {"tcp.ip=ipv6",
     {6, {[0] = 0xFD, [14] = 1023 / 256 + 1, [15] = 0}},
     {6, {[0] = 0xFD, [14] = 1023 / 256 + 1, [15] = 1}}},
};

ROW_TEST(test_addresses, addresses_rows)
{
  g_autoptr(scenario) s = temporary_scenario("", STRINGS(c->set));
  engine *clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const session_config config = {.configuration = scenario_configuration(s),
                                 .clock = clock,
                                 .number = SESSION_NUMBERS - 1,
                                 .pairs = pairs,
                                 .hosts = SESSION_HOSTS_MAX};
  session *unconnected = session_new(&config);

  for (uint32_t number = 0; number < SESSION_HOSTS_MAX; number++) {
    session_host *host = session_host_of(unconnected, number);
    const ip_address address = session_host_address(host);
    g_assert_true(session_host_at(unconnected, &address) == host);
  }
  const ip_address last = session_host_address(session_host_of(unconnected, SESSION_HOSTS_MAX - 1));
  g_assert_true(ip_address_equal(&last, &c->last));
  g_assert_null(session_host_at(unconnected, &c->strange));
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
  g_assert_true(!known || (session_end_index(end) == 1 && end->side == side));
}

ROW_TEST(test_owners, owners)
{
  const ip_address router = ip_address_v4(2);
  g_autoptr(fixture) f = set_up(NULL, NULL);
  const tcp_header header = {.source_port = c->source, .destination_port = c->destination};

  for (enum side side = 0; side < SIDES; side++) {
    session_host *host = session_host_of(f->session, side);
    const ip_address own = session_host_address(host),
                     peer = session_host_address(session_host_of(f->session, side_peer(side)));
    g_autoptr(datagram) packet = datagram_new_in(NULL, &peer, &own, &header, NULL);
    g_autoptr(datagram) sent = datagram_new_in(NULL, &own, &peer, &header, NULL);
    g_autoptr(datagram) message = datagram_new_too_big(&router, sent, 1000);
    g_autoptr(datagram) fragment = datagram_new_fragment(packet, 8, 12);

    assert_end(session_host_end(host, packet), c->known[side], side);
    /* An ICMP message is for the end that sent the packet it quotes. */
    assert_end(session_host_end(host, message), c->known[side_peer(side)], side);
    g_assert_null(session_host_end(host, fragment));
    g_assert_null(session_host_end(host, sent));
  }
}

/* Of the flow of a connection 61 FPDUs start, of 20 Writes in 3 each and a Send; of one between the same
 * ports of other hosts none. Who asks before full operation, when none does, asks on with the same cursor. */
TEST(test_starts_of_a_flow)
{
  enum { FPDUS = 61, STREAM_OCTETS = 100000 };
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(pairs, STRINGS("workload.messages=20", "workload.message_size=4000"));

  path_alignment_cursor early = {0};
  const datagram_flow flow = session_end_flow(&f->session->connections[2].ends[SIDE_INITIATOR]);
  g_assert_false(session_is_fpdu_start(f->session, &flow, 0, &early));
  run(f, &result);
  for (int strange = 0; strange < 2; strange++) {
    path_alignment_cursor cursor = strange ? (path_alignment_cursor){0} : early;
    datagram_flow asked = flow;
    uint32_t starts = 0;
    asked.source.octets[3] += (uint8_t)(strange * HOSTS);
    for (int64_t position = 0; position < STREAM_OCTETS; position++) {
      starts += session_is_fpdu_start(f->session, &asked, position, &cursor);
    }
    g_assert_cmpuint(starts, ==, strange ? 0 : FPDUS);
  }
}

/* --- Closed too early --- */

/* A ULP that closes before it has posted anything: both ends close in good order, and nothing was Delivered.
 */
TEST(test_closed_before_its_workload_was_done)
{
  g_auto(session_result) result;
  g_autoptr(fixture) f = set_up(NULL, NULL);

  session_make_connections(f->session, 1);
  rnic_endpoint_close(f->session->connections[1].ends[SIDE_INITIATOR].endpoint);
  session_run(f->session);
  session_finish(f->session, &result);
  g_assert_cmpint(result.status, ==, RUN_FAILED);
  g_assert_cmpstr(result.message, ==, "connection 1 was closed before its workload was done");
}
