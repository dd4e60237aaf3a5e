/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that cross a chain of ns-3's nodes; the whole stack does so in end_to_end/test_ns3.c. */
#include "shim/ns3_functions.h"

#include "packets.h"
#include "test.h"

enum { INITIATOR = 0x0A000001, RESPONDER = 0x0A000002, DELAY_PS = 200 * TIME_PS_PER_MICROSECOND };

typedef struct arrival {
  datagram *packet;
  time_ps at;
} arrival;

static void on_arrival(void *user, datagram *packet, time_ps now)
{
  arrival *a = user;

  g_assert_null(a->packet);
  *a = (arrival){packet, now};
}

static datagram *packet_of(uint32_t payload_octets)
{
  static const uint8_t payload[1460];
  const tcp_header header = {.source_port = 1, .destination_port = 2, .flags = TCP_ACK};

  return packet_between(ip_address_v4(INITIATOR), ip_address_v4(RESPONDER), &header, payload, payload_octets);
}

/* Two hops of 200 us, of which the second carries 1000 octets only. What fits comes out at the Responder
 * after both delays at the earliest, with the marks it went in with. RFC 1191 §4: what does not is dropped
 * and answered. */
TEST(test_crosses)
{
  ns3_topology_hop hops[2] = {
      {.rate_bit_per_s = 1000000000, .delay_ps = DELAY_PS, .mtu_octets = 1500, .queue_limit_packets = 10}};
  const ns3_topology_config config = {
      .hops = hops, .hop_count = 2, .addresses = {INITIATOR, RESPONDER}, .seed = 7};
  arrival initiator = {0}, responder = {0};
  void *const users[] = {&initiator, &responder};
  ns3_shim_error error = {""};
  engine *clock = ns3_engine_new(&error);

  hops[1] = hops[0];
  hops[1].mtu_octets = 1000;
  ns3_topology_path *path = ns3_topology_path_new(&config, clock, 0, on_arrival, users, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_cmpint(ns3_topology_path_earliest_arrival(path, 5), ==, 5 + 2 * DELAY_PS);
  datagram *marked = packet_of(1000 - 40);
  marked->number = UINT32_MAX;
  marked->flow_order = INT32_MAX;
  marked->retransmission = true;
  ns3_topology_path_send(path, 0, marked, 0);
  engine_run(clock, TIME_PS_NEVER);
  g_assert_null(initiator.packet);
  EXPECT_FIELDS(responder.packet, (number, UINT32_MAX), (flow_order, INT32_MAX), (retransmission, true),
                (payload.length, 1000 - 40));
  g_assert_cmpint(responder.at, >, 2 * DELAY_PS);
  ns3_topology_path_send(path, 0, packet_of(1000 - 39), responder.at);
  engine_run(clock, TIME_PS_NEVER);
  g_assert_nonnull(initiator.packet);
  g_assert_cmpuint(ns3_topology_path_too_big(path), ==, 1);
  datagram_unref(initiator.packet);
  datagram_unref(responder.packet);
  ns3_topology_path_free(path);
  engine_free(clock);
}
