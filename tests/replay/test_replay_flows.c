/* Flows are known again in the second reading, whatever their order and whichever end is seen first. */
#include "replay/replay_flows.h"

static capture_end end_of(unsigned host, uint16_t port)
{
  return (capture_end){.address = ip_address_v4(0x0A000000 + host), .port = port};
}

static capture_flow flow_between(uint32_t index, capture_end first, capture_end second)
{
  return (capture_flow){.index = index, .ends = {first, second}};
}

static bool connection_of(const replay_flows *flows, capture_end source, capture_end destination,
                          uint32_t *connection)
{
  const datagram_flow flow = {.source = source.address,
                              .destination = destination.address,
                              .source_port = source.port,
                              .destination_port = destination.port};

  return replay_flows_connection_of(flows, &flow, connection);
}

/* Three flows: one that is not replayed, then two between the same ends, one after the other. The second time the first of those two is seen from
 * its other end, before the one that is not replayed. */
static void test_second_reading(void)
{
  const capture_end a = end_of(1, 1000), b = end_of(2, 2000), c = end_of(3, 3000);
  const capture_flow first[] = {flow_between(0, a, c), flow_between(1, a, b), flow_between(2, a, b)};
  const capture_flow second[] = {flow_between(0, b, a), flow_between(1, a, c), flow_between(2, a, b),
                                 flow_between(3, a, b)};
  replay_flows *flows = replay_flows_new();
  uint32_t connection;

  replay_flows_add(flows, &first[0], REPLAY_FLOW_OF_NONE, 0);
  replay_flows_add(flows, &first[1], 7, 1);
  replay_flows_add(flows, &first[2], 8, 0);
  replay_flow_place place = replay_flows_place_of(flows, &second[0]);
  g_assert_cmpuint(place.connection, ==, 7);
  g_assert_cmpuint(place.measured, ==, 0); /* b */
  g_assert_true(connection_of(flows, a, b, &connection));
  g_assert_cmpuint(connection, ==, 7);
  g_assert_false(connection_of(flows, b, a, &connection));
  g_assert_cmpuint(replay_flows_place_of(flows, &second[1]).connection, ==, REPLAY_FLOW_OF_NONE);
  g_assert_false(connection_of(flows, a, c, &connection));
  place = replay_flows_place_of(flows, &second[2]);
  g_assert_cmpuint(place.connection, ==, 8);
  g_assert_cmpuint(place.measured, ==, 0); /* a */
  g_assert_true(connection_of(flows, b, a, &connection));
  g_assert_cmpuint(connection, ==, 8);
  /* One more than the first time, and one that is asked for again. */
  g_assert_cmpuint(replay_flows_place_of(flows, &second[3]).connection, ==, REPLAY_FLOW_OF_NONE);
  g_assert_cmpuint(replay_flows_place_of(flows, &second[0]).connection, ==, 7);
  replay_flows_free(flows);
}

static void test_measured_addresses(void)
{
  const capture_end a = end_of(1, 1000), b = end_of(2, 2000);
  const capture_flow flow = flow_between(0, a, b);
  replay_flows *flows = replay_flows_new();

  replay_flows_add(flows, &flow, 0, 1);
  g_assert_true(replay_flows_is_measured(flows, &b.address));
  g_assert_false(replay_flows_is_measured(flows, &a.address));
  replay_flows_free(flows);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay/flows/second_reading", test_second_reading);
  g_test_add_func("/replay/flows/measured_addresses", test_measured_addresses);
  return g_test_run();
}
