/* SPDX-License-Identifier: GPL-2.0-only */
/* The whole stack across a chain of ns-3's nodes: every octet of the workload is verified. */
#include "shim/ns3_topology_path.h"

#include "ns3_pair.h"
#include "test.h"

typedef struct chain {
  ns3_topology_hop hops[3];
  ns3_topology_traffic traffic[2];
  ns3_topology_config config;
  ns3_pair *pair;
} chain;

/* Our own TCP, aligned and passing octets as they arrive, over an Ethernet segment of 1 Gbit/s, a bottleneck
 * of 100 Mbit/s and another such segment. */
static chain *chain_new(void)
{
  chain *self = g_new0(chain, 1);

  for (unsigned i = 0; i < 3; i++) {
    self->hops[i] = (ns3_topology_hop){.medium = i == 1 ? NS3_TOPOLOGY_POINT_TO_POINT : NS3_TOPOLOGY_CSMA,
                                       .rate_bit_per_s = i == 1 ? 100000000 : 1000000000,
                                       .delay_ps = 200 * TIME_PS_PER_MICROSECOND,
                                       .mtu_octets = 1500,
                                       .queue_limit_packets = 1000};
  }
  self->config = (ns3_topology_config){.hops = self->hops,
                                       .hop_count = 3,
                                       .traffic = self->traffic,
                                       .addresses = {0x0A000001, 0x0A000002},
                                       .seed = 7};
  self->pair = ns3_pair_new();
  self->pair->topology = &self->config;
  for (unsigned side = 0; side < SIDES; side++) {
    pair_side *s = &self->pair->sides[side];
    s->ns3 = false;
    s->config.tcp.segmentation = TCP_SEGMENTATION_ALIGNED;
    s->config.tcp.passing = TCP_PASSING_AS_ARRIVED;
  }
  return self;
}

static void chain_free(chain *self)
{
  ns3_pair_free(self->pair);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(chain, chain_free)

static const tcp_statistics *statistics_of(const chain *self)
{
  return rnic_endpoint_counts_of(self->pair->sides[SIDE_INITIATOR].endpoint).tcp;
}

static uint64_t queue_drops_of(const chain *self)
{
  ns3_topology_counts counts;

  ns3_topology_counts_of(ns3_topology_path_chain(self->pair->path), 1, SIDE_RESPONDER, &counts);
  return counts.queue_drops;
}

/* 40 Writes of 20,000 octets: 800,000 octets at 100 Mbit/s take 64 ms at least. An Ethernet segment is half
 * duplex: a sender that finds it busy waits up to a millisecond (ns-3's backoff), so data and ACKs together
 * take several times as long. */
TEST(test_lossless)
{
  g_autoptr(chain) self = chain_new();

  ns3_pair_run(self->pair, 10 * TIME_PS_PER_SECOND);
  ns3_pair_assert_done(self->pair);
  g_assert_cmpuint(statistics_of(self)->retransmissions, ==, 0);
  g_assert_cmpint(self->pair->done_at, >=, 64 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpint(self->pair->done_at, <=, 500 * TIME_PS_PER_MILLISECOND);
  g_assert_cmpint(ns3_topology_path_earliest_arrival(self->pair->path, 5), ==,
                  5 + 600 * TIME_PS_PER_MICROSECOND);
}

/* RED at the bottleneck, which ns-3's TCP and UDP flows share with ours: it drops, our TCP repairs, and the
 * transfer takes longer. The `retransmission` marks of packets are preserved. */
TEST(test_red_and_cross_traffic)
{
  static const ns3_topology_attribute red[] = {
      {"MaxSize", "100p"}, {"MinTh", "5"}, {"MaxTh", "30"}, {"QW", "0.02"}, {"MeanPktSize", "1500"}};
  g_autoptr(chain) self = chain_new();

  self->hops[1].queue = (ns3_topology_object){"ns3::RedQueueDisc", red, G_N_ELEMENTS(red)};
  self->traffic[0] = (ns3_topology_traffic){.kind = NS3_TOPOLOGY_TCP_BULK,
                                            .from_node = 1,
                                            .to_node = 2,
                                            .stop_ps = TIME_PS_PER_SECOND,
                                            .packet_octets = 1448};
  self->traffic[1] = (ns3_topology_traffic){.kind = NS3_TOPOLOGY_UDP_ON_OFF,
                                            .from_node = 1,
                                            .to_node = 2,
                                            .stop_ps = TIME_PS_PER_SECOND,
                                            .packet_octets = 1000,
                                            .rate_bit_per_s = 40000000,
                                            .on_ps = 10 * TIME_PS_PER_MILLISECOND,
                                            .off_ps = 10 * TIME_PS_PER_MILLISECOND,
                                            .exponential = true};
  self->config.traffic_count = 2;
  ns3_pair_run(self->pair, 20 * TIME_PS_PER_SECOND);
  ns3_pair_assert_done(self->pair);
  g_assert_cmpuint(queue_drops_of(self), >, 0);
  g_assert_cmpuint(statistics_of(self)->retransmissions, >, 0);
  uint64_t arrived = self->pair->sides[SIDE_RESPONDER].retransmissions_arrived;
  g_assert_cmpuint(arrived, >, 0);
  g_assert_cmpuint(arrived, <=, statistics_of(self)->retransmissions);
  g_assert_cmpint(self->pair->done_at, >, 100 * TIME_PS_PER_MILLISECOND);
}

/* ns-3's TCP under our stack at both ends of ns-3's chain. */
TEST(test_ns3_tcp)
{
  static const ns3_topology_attribute size = {"MaxSize", "40p"};
  g_autoptr(chain) self = chain_new();

  self->hops[1].queue = (ns3_topology_object){"ns3::FifoQueueDisc", &size, 1};
  for (unsigned side = 0; side < SIDES; side++) {
    pair_side *s = &self->pair->sides[side];
    s->ns3 = true;
    s->config.tcp.segmentation = TCP_SEGMENTATION_STREAM;
    s->config.tcp.passing = TCP_PASSING_IN_ORDER;
  }
  ns3_pair_run(self->pair, 60 * TIME_PS_PER_SECOND);
  ns3_pair_assert_done(self->pair);
  g_assert_cmpuint(statistics_of(self)->retransmissions, >=, queue_drops_of(self));
}

/* RFC 1191: the second hop carries 1000 octets only. The sender learns of it, and makes FPDUs that fit: EMSS
 * 960. */
TEST(test_path_mtu)
{
  g_autoptr(chain) self = chain_new();

  self->hops[1].mtu_octets = 1000;
  ns3_pair_run(self->pair, 10 * TIME_PS_PER_SECOND);
  ns3_pair_assert_done(self->pair);
  g_assert_cmpuint(ns3_topology_path_too_big(self->pair->path), >, 0);
  g_assert_cmpuint(rnic_endpoint_counts_of(self->pair->sides[SIDE_INITIATOR].endpoint).emss_octets, ==, 960);
}
