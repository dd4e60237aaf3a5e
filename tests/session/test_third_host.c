/* SPDX-License-Identifier: GPL-2.0-only */
/* A third host that writes to the second over a link of its own, as docs/extending.md describes. */
#include "session/session.h"
#include "session/session_paths.h"
#include "session_fixture.h"

enum { HOSTS = 3, CONNECTIONS = 2 };

/* Connection 0 is from host 0 to host 1, connection 1 from host 2 to host 1. */
static const host_pair pairs[CONNECTIONS] = {{{0, 1}}, {{2, 1}}};

/* A network of two paths that meet at host 1: a packet takes that of the host which is not host 1. */
typedef struct two_links {
  session_network network;
  session *session;
  session_network *links[CONNECTIONS];
} two_links;

static session_network *link_of(const two_links *self, const datagram_flow *flow)
{
  const session_host *last = session_host_of(self->session, 2);
  const ip_address address = session_host_address(last);

  return self
      ->links[ip_address_equal(&flow->source, &address) || ip_address_equal(&flow->destination, &address)];
}

static void links_send(session_network *network, uint32_t host, datagram *packet, time_ps now)
{
  datagram_flow flow;

  g_assert_true(datagram_flow_of(packet, &flow));
  session_network *link = link_of((const two_links *)network, &flow);
  link->class->send(link, host, packet, now);
}

static time_ps links_earliest_arrival(session_network *network, const datagram_flow *flow, time_ps now)
{
  session_network *link = link_of((const two_links *)network, flow);

  return link->class->earliest_arrival(link, flow, now);
}

static void links_set_metrics(session_network *network, metric_values *values)
{
  for (uint32_t i = 0; i < CONNECTIONS; i++) {
    session_network *link = ((two_links *)network)->links[i];
    link->class->set_metrics(link, values);
  }
}

static void links_free(session_network *network)
{
  for (uint32_t i = 0; i < CONNECTIONS; i++) {
    session_network_free(((two_links *)network)->links[i]);
  }
  g_free(network);
}

static session_network *two_links_new(session *self, const configuration *c, engine *clock)
{
  static const session_network_class class = {.send = links_send,
                                              .earliest_arrival = links_earliest_arrival,
                                              .set_metrics = links_set_metrics,
                                              .free = links_free};
  two_links *links = g_new0(two_links, 1);

  links->network.class = &class;
  links->session = self;
  for (uint32_t i = 0; i < CONNECTIONS; i++) {
    session_network_ends ends = session_ends(self, &pairs[i]);
    ends.first_segment = i * SIDES;
    links->links[i] = NO_ERROR(session_paths_new, c, RUN_ENGINE_NATIVE, clock, &ends);
  }
  return &links->network;
}

/* The result of a run of three hosts. */
static session_result run_of_three(const char *text, const char *const *sets)
{
  g_autoptr(scenario) s = temporary_scenario(text, sets);
  engine *clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  const session_config config = {
      .configuration = scenario_configuration(s), .clock = clock, .pairs = pairs, .hosts = HOSTS};
  session *self = session_new(&config);
  session_result result;

  session_connect(self, two_links_new(self, config.configuration, clock));
  session_run(self);
  session_finish(self, &result);
  session_free(self);
  engine_free(clock);
  return result;
}

/* Both connections Deliver 20 Writes of 30,000 octets and a Send each to the memory of host 1, as fast as one
 * alone: they share no link. Of two hosts on one link they take nearly twice as long. */
TEST(test_third_host)
{
  enum { MESSAGES = 21, OCTETS = 20 * 30000 };
  const char *const *sets =
      STRINGS("run.engine=native", "workload.connections=2", "workload.messages=20",
              "workload.message_size=30000", "path.forward.rate=1Gbit/s", "path.reverse.rate=1Gbit/s");
  g_auto(session_result) three = run_of_three("", sets);
  g_auto(session_result) two = run_of("", sets);
  const metric_values *all = &three.results.metrics, *sink = &three.hosts[1].results.metrics;

  g_assert_cmpstr(three.message, ==, "");
  g_assert_cmpint(three.status, ==, RUN_OK);
  EXPECT_METRICS(sink, (DELIVERY_MESSAGES, CONNECTIONS * MESSAGES), (INTEGRITY_OCTETS_WRONG, 0));
  g_assert_cmpfloat(sink->value[METRIC_DELIVERY_OCTETS], >=, CONNECTIONS * OCTETS);
  g_assert_cmpfloat(all->value[METRIC_DELIVERY_MESSAGES], ==, sink->value[METRIC_DELIVERY_MESSAGES]);
  g_assert_false(three.hosts[2].results.metrics.present[METRIC_DELIVERY_OCTETS]);
  g_assert_cmpfloat(all->value[METRIC_GOODPUT_BIT_PER_S], >,
                    1.5 * two.results.metrics.value[METRIC_GOODPUT_BIT_PER_S]);
}

/* An event comes to both links, in one picosecond: each MTU falls below what the hosts send. */
TEST(test_event_at_both_links)
{
  g_auto(session_result) result =
      run_of_three("event = ({ at = \"20us\"; key = \"path.forward.mtu\"; value = 1000; });",
                   STRINGS("run.engine=native", "workload.connections=2", "workload.messages=20"));

  g_assert_cmpint(result.status, ==, RUN_OK);
  g_assert_cmpfloat(result.results.metrics.value[METRIC_PATH_PACKETS_TOO_BIG], >=, CONNECTIONS);
}
