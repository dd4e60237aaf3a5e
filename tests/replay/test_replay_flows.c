/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows are known again in the second reading, and so are packets without a number. */
#include "replay/replay_flows.h"
#include "test.h"

static capture_end end_of(unsigned host, uint16_t port)
{
  return (capture_end){.address = ip_address_v4(0x0A000000 + host), .port = port};
}

static capture_flow flow_between(uint32_t index, capture_end first, capture_end second)
{
  return (capture_flow){.index = index, .ends = {first, second}};
}

static bool connection_of(replay_flows *flows, capture_end source, capture_end destination,
                          uint32_t *connection)
{
  const datagram_flow flow = {.source = source.address,
                              .destination = destination.address,
                              .source_port = source.port,
                              .destination_port = destination.port};

  return replay_flows_connection_of(flows, &flow, connection);
}

/* Three flows: one that is not replayed, then two between the same ends, one after the other, of which not
 * the same end is measured. Packets are of the first of the two, also before anything is read of it, until
 * something of the second one is read. */
TEST(test_second_reading)
{
  const capture_end a = end_of(1, 1000), b = end_of(2, 2000), c = end_of(3, 3000);
  const capture_flow known[] = {flow_between(0, a, c), flow_between(1, b, a), flow_between(2, a, b)};
  const capture_flow another = flow_between(3, a, b);
  replay_flows *flows = replay_flows_new();
  uint32_t connection;

  replay_flows_add(flows, &known[0], REPLAY_FLOW_OF_NONE, 0);
  replay_flows_add(flows, &known[1], 7, 0);
  replay_flows_add(flows, &known[2], 8, 0);
  for (unsigned i = 0; i < 2; i++) {
    g_assert_true(connection_of(flows, a, b, &connection));
    g_assert_cmpuint(connection, ==, 7);
    g_assert_false(connection_of(flows, b, a, &connection));
    replay_flow_place place = replay_flows_place_of(flows, &known[1]);
    g_assert_cmpuint(place.connection, ==, 7);
    g_assert_cmpuint(place.measured, ==, 0); /* b */
  }
  g_assert_cmpuint(replay_flows_place_of(flows, &known[0]).connection, ==, REPLAY_FLOW_OF_NONE);
  g_assert_false(connection_of(flows, a, c, &connection));
  g_assert_false(connection_of(flows, b, c, &connection));
  for (unsigned i = 0; i < 2; i++) { /* and then again something of the first */
    replay_flow_place place = replay_flows_place_of(flows, &known[2]);
    g_assert_cmpuint(place.connection, ==, 8);
    g_assert_cmpuint(place.measured, ==, 0); /* a */
    g_assert_true(connection_of(flows, b, a, &connection));
    g_assert_cmpuint(connection, ==, 8);
    g_assert_false(connection_of(flows, a, b, &connection));
    g_assert_cmpuint(replay_flows_place_of(flows, &known[1]).connection, ==, 7);
  }
  /* One more than the first time. */
  g_assert_cmpuint(replay_flows_place_of(flows, &another).connection, ==, REPLAY_FLOW_OF_NONE);
  replay_flows_free(flows);
}

TEST(test_measured_addresses)
{
  const capture_end a = end_of(1, 1000), b = end_of(2, 2000);
  const capture_flow flow = flow_between(0, a, b);
  replay_flows *flows = replay_flows_new();

  replay_flows_add(flows, &flow, 0, 1);
  g_assert_true(replay_flows_is_measured(flows, &b.address));
  g_assert_false(replay_flows_is_measured(flows, &a.address));
  replay_flows_free(flows);
}
