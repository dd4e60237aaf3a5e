/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a chain of ns-3's nodes: when packets come out, what queue disciplines and error
 * models do to them, cross traffic, and errors where ns-3 would end the process. */
#include "shim/ns3_topology.h"

#include <string.h>

#include "net/ip_header.h"
#include "packets.h"
#include "test.h"

enum { INITIATOR = 0x0A000001, RESPONDER = 0x0A000002, MOST_ARRIVALS = 4000 };

typedef struct arrival {
  unsigned end;
  time_ps when;
  uint32_t length;
  uint64_t mark;
  uint8_t first[60]; /* octets */
} arrival;

typedef struct chain {
  ns3_topology_hop hops[4];
  ns3_topology_traffic traffic[4];
  ns3_topology_config config;
  ns3_topology *topology;
  unsigned arrivals;
  arrival *arrived;
} chain;

static void on_output(void *user, unsigned end, const uint8_t *octets, uint32_t length, uint64_t mark)
{
  chain *self = user;
  arrival *a = &self->arrived[self->arrivals++];

  g_assert_cmpuint(self->arrivals, <, MOST_ARRIVALS);
  *a = (arrival){.end = end, .when = ns3_shim_now(), .length = length, .mark = mark};
  memcpy(a->first, octets, MIN(length, sizeof a->first));
}

/* Returns point-to-point hops of 10 Mbit/s and 1 ms, MTU 1500, queues of 1000 packets, without anything
 * else. */
static chain *chain_new(size_t hops)
{
  chain *self = g_new0(chain, 1);

  for (size_t i = 0; i < G_N_ELEMENTS(self->hops); i++) {
    self->hops[i] = (ns3_topology_hop){.medium = NS3_TOPOLOGY_POINT_TO_POINT,
                                       .rate_bit_per_s = 10000000,
                                       .delay_ps = TIME_PS_PER_MILLISECOND,
                                       .mtu_octets = 1500,
                                       .queue_limit_packets = 1000};
  }
  self->arrived = g_new(arrival, MOST_ARRIVALS);
  self->config = (ns3_topology_config){.hops = self->hops,
                                       .hop_count = hops,
                                       .traffic = self->traffic,
                                       .addresses = {INITIATOR, RESPONDER},
                                       .seed = 1};
  g_assert_true(ns3_shim_open(NULL));
  return self;
}

static void chain_build(chain *self)
{
  ns3_shim_error error = {""};

  self->topology = ns3_topology_new(&self->config, on_output, self, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_nonnull(self->topology);
}

static void chain_free(chain *self)
{
  ns3_topology_free(self->topology);
  ns3_shim_close();
  g_free(self->arrived);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(chain, chain_free)

/* An IPv4 packet with TCP of `octets` octets from `end` to the other. */
static void send_packet(chain *self, unsigned end, uint32_t octets, uint64_t mark)
{
  static const uint8_t payload[9000];
  const ip_address ends[] = {ip_address_v4(INITIATOR), ip_address_v4(RESPONDER)};
  const tcp_header header = {.source_port = 1, .destination_port = 2, .flags = TCP_ACK};
  uint8_t wire[9000];
  g_autoptr(datagram) packet = packet_between(ends[end], ends[1 - end], &header, payload, octets - 40);

  datagram_write(packet, wire, true);
  ns3_topology_send(self->topology, end, wire, octets, mark);
}

static void run(time_ps until)
{
  g_assert_true(ns3_shim_run(until, NULL));
}

static ns3_topology_counts counts_of(const chain *self, size_t hop, unsigned to_end)
{
  ns3_topology_counts counts;

  ns3_topology_counts_of(self->topology, hop, to_end, &counts);
  return counts;
}

/* This is a test of `self`, which is a chain of two hops, not built yet. */
#define TWO_HOPS_TEST(name) TEST_OF(chain, self, chain_new(2), name)

/* This is a test of `self`, which is a chain of one hop, not built yet. */
#define ONE_HOP_TEST(name) TEST_OF(chain, self, chain_new(1), name)

/* Two hops: 1502 octets (2 are PPP's) at 10 Mbit/s take 1,201,600,000 ps, and a millisecond, twice. Three
 * nodes decrement TTL 64; the header checksum is right again; the mark is the one sent. The way back is the
 * same. */
TWO_HOPS_TEST(test_two_hops)
{
  chain_build(self);
  send_packet(self, 0, 1500, 77);
  send_packet(self, 1, 1500, 0);
  run(TIME_PS_NEVER);
  g_assert_cmpuint(self->arrivals, ==, 2);
  for (unsigned i = 0; i < 2; i++) {
    const arrival *a = &self->arrived[i];
    EXPECT_FIELDS(a, (when, 2 * (INT64_C(1201600000) + TIME_PS_PER_MILLISECOND)), (length, 1500),
                  (mark, a->end == 1 ? 77 : 0), (first[8], 64 - 3));
    g_assert_cmphex(internet_checksum(0, a->first, 20), ==, 0);
  }
  g_assert_cmpuint(self->arrived[0].end + self->arrived[1].end, ==, 1);
  for (size_t hop = 0; hop < 2; hop++) {
    for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
      const ns3_topology_counts counts = counts_of(self, hop, end);
      g_assert_cmpuint(counts.packets, ==, 1);
      g_assert_cmpuint(counts.error_drops + counts.queue_drops, ==, 0);
    }
  }
}

/* Ethernet adds 18 octets (header 14, FCS 4): 1518 octets of 800 ns and 1 ms; no ARP exchange comes first. */
ONE_HOP_TEST(test_csma)
{
  self->hops[0].medium = NS3_TOPOLOGY_CSMA;
  chain_build(self);
  send_packet(self, 0, 1500, 5);
  run(TIME_PS_PER_SECOND);
  g_assert_cmpuint(self->arrivals, ==, 1);
  EXPECT_FIELDS(&self->arrived[0], (when, INT64_C(1518) * 800000 + TIME_PS_PER_MILLISECOND), (mark, 5));
  /* Nor does one come later, when the entries of ns-3's ARP cache would have expired (120 s). */
  run(500 * TIME_PS_PER_SECOND);
  send_packet(self, 1, 1500, 0);
  run(501 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(self->arrivals, ==, 2);
  g_assert_cmpuint(self->arrived[1].end, ==, 0);
  g_assert_cmpint(self->arrived[1].when - 500 * TIME_PS_PER_SECOND, ==, self->arrived[0].when);
}

/* Overloads a hop of 10 Mbit/s after one of 100 Mbit/s: packets of 1500 octets come every 123 us and leave
 * every 1,230 us. */
static unsigned overload(chain *self, unsigned packets)
{
  self->hops[0].rate_bit_per_s = 100000000;
  chain_build(self);
  for (unsigned i = 0; i < packets; i++) {
    send_packet(self, 0, 1500, i + 1);
  }
  run(TIME_PS_NEVER);
  return self->arrivals;
}

/* 10 may wait besides the one in transmission and the one in the device; while the 100 arrive, one in ten
 * leaves. */
TWO_HOPS_TEST(test_queue_limit)
{
  self->hops[1].queue_limit_packets = 10;
  unsigned arrived = overload(self, 100);
  g_assert_cmpuint(counts_of(self, 1, 1).queue_drops, ==, 100 - arrived);
  g_assert_cmpuint(arrived, >=, 12 + 8);
  g_assert_cmpuint(arrived, <=, 12 + 10);
}

/* The same with room for 20. */
TWO_HOPS_TEST(test_fifo)
{
  static const ns3_topology_attribute size = {"MaxSize", "20p"};

  self->hops[1].queue = (ns3_topology_object){"ns3::FifoQueueDisc", &size, 1};
  unsigned arrived = overload(self, 100);
  g_assert_cmpuint(counts_of(self, 1, 1).queue_drops, ==, 100 - arrived);
  g_assert_cmpuint(arrived, >=, 22 + 7);
  g_assert_cmpuint(arrived, <=, 22 + 10);
}

/* RED between 5 and 15 packets on the average drops before its limit of 1000 is near; the last packets come
 * while the average is still above. */
TWO_HOPS_TEST(test_red)
{
  static const ns3_topology_attribute attributes[] = {
      {"MaxSize", "1000p"}, {"MinTh", "5"}, {"MaxTh", "15"}, {"QW", "0.1"}, {"MeanPktSize", "1500"}};

  self->hops[1].queue = (ns3_topology_object){"ns3::RedQueueDisc", attributes, G_N_ELEMENTS(attributes)};
  unsigned arrived = overload(self, 300);
  const ns3_topology_counts counts = counts_of(self, 1, 1);
  g_assert_cmpuint(counts.queue_drops, ==, 300 - arrived);
  g_assert_cmpuint(arrived, <, 150);
}

/* CoDel tolerates a queue for its interval, 100 ms, and then drops while the delay is above 5 ms. */
TWO_HOPS_TEST(test_codel)
{
  static const ns3_topology_attribute attributes[] = {
      {"MaxSize", "1000p"}, {"Interval", "100ms"}, {"Target", "5ms"}};

  self->hops[1].queue = (ns3_topology_object){"ns3::CoDelQueueDisc", attributes, G_N_ELEMENTS(attributes)};
  unsigned arrived = overload(self, 300);
  const ns3_topology_counts counts = counts_of(self, 1, 1);
  g_assert_cmpuint(counts.queue_drops, ==, 300 - arrived);
  g_assert_cmpuint(counts.queue_drops, >=, 2);
  /* 80 packets left in 100 ms before the first was dropped. */
  for (unsigned i = 0; i < 80; i++) {
    g_assert_cmpuint(self->arrived[i].mark, ==, i + 1);
  }
}

TWO_HOPS_TEST(test_fq_codel)
{
  static const ns3_topology_attribute size = {"MaxSize", "50p"};

  self->hops[1].queue = (ns3_topology_object){"ns3::FqCoDelQueueDisc", &size, 1};
  unsigned arrived = overload(self, 100);
  g_assert_cmpuint(counts_of(self, 1, 1).queue_drops, ==, 100 - arrived);
  g_assert_cmpuint(arrived, <, 70);
}

/* Every tenth packet on the average: of 1000, 3 sigma are 28 (seed 1). The same packets with the same seed,
 * others with another seed. */
TEST(test_error_model)
{
  static const ns3_topology_attribute attributes[] = {{"ErrorRate", "0.1"},
                                                      {"ErrorUnit", "ERROR_UNIT_PACKET"}};
  uint64_t sum_of_marks[3];

  for (unsigned round = 0; round < 3; round++) {
    g_autoptr(chain) self = chain_new(1);
    self->hops[0].queue_limit_packets = 2000;
    self->hops[0].errors = (ns3_topology_object){"ns3::RateErrorModel", attributes, G_N_ELEMENTS(attributes)};
    self->config.seed = round == 2 ? 2 : 1;
    chain_build(self);
    for (unsigned i = 0; i < 1000; i++) {
      send_packet(self, 0, 100, i + 1);
    }
    run(TIME_PS_NEVER);
    uint64_t lost = counts_of(self, 0, 1).error_drops;
    g_assert_cmpuint(lost, ==, 1000 - self->arrivals);
    g_assert_cmpuint(lost, >=, 72);
    g_assert_cmpuint(lost, <=, 128);
    g_assert_cmpuint(counts_of(self, 0, 0).error_drops, ==, 0);
    sum_of_marks[round] = 0;
    for (unsigned i = 0; i < self->arrivals; i++) {
      sum_of_marks[round] += self->arrived[i].mark;
    }
  }
  g_assert_cmpuint(sum_of_marks[0], ==, sum_of_marks[1]);
  g_assert_cmpuint(sum_of_marks[0], !=, sum_of_marks[2]);
}

/* TCP over both hops and UDP over the second, at 4 Mbit/s half of the time, for a second: 250 kB of UDP in
 * packets of 1000 octets; TCP takes most of the rest of 10 Mbit/s, and sends what its buffer of 128 KiB holds
 * afterwards. Our packet, which comes in the middle, waits for theirs. */
TWO_HOPS_TEST(test_cross_traffic)
{
  self->traffic[0] = (ns3_topology_traffic){.kind = NS3_TOPOLOGY_TCP_BULK,
                                            .from_node = 0,
                                            .to_node = 2,
                                            .stop_ps = TIME_PS_PER_SECOND,
                                            .packet_octets = 1448};
  self->traffic[1] = (ns3_topology_traffic){.kind = NS3_TOPOLOGY_UDP_ON_OFF,
                                            .from_node = 2,
                                            .to_node = 1,
                                            .stop_ps = TIME_PS_PER_SECOND,
                                            .packet_octets = 1000,
                                            .rate_bit_per_s = 4000000,
                                            .on_ps = 100 * TIME_PS_PER_MILLISECOND,
                                            .off_ps = 100 * TIME_PS_PER_MILLISECOND};
  self->config.traffic_count = 2;
  chain_build(self);
  run(TIME_PS_PER_SECOND / 2);
  send_packet(self, 0, 1500, 1);
  run(4 * TIME_PS_PER_SECOND);
  uint64_t tcp = counts_of(self, 0, 1).packets;
  uint64_t udp =
      counts_of(self, 1, 0).packets - counts_of(self, 0, 0).packets; /* TCP's ACKs cross both hops */
  g_assert_cmpuint(tcp, >=, 500000 / 1448);
  g_assert_cmpuint(tcp, <=, (1250000 + 131072) / 1448);
  g_assert_cmpuint(udp, >=, 240);
  g_assert_cmpuint(udp, <=, 250);
  g_assert_cmpuint(self->arrivals, ==, 1);
  g_assert_cmpint(self->arrived[0].when - TIME_PS_PER_SECOND / 2, >,
                  2 * (INT64_C(1201600000) + TIME_PS_PER_MILLISECOND) + 1230400000);
}

/* Which hop has an MTU too small for packets with DF is known beforehand. */
TEST(test_narrow_hop)
{
  g_autoptr(chain) self = chain_new(3);

  self->hops[1].mtu_octets = 1000;
  self->hops[2].mtu_octets = 576;
  chain_build(self);
  g_assert_cmpuint(ns3_topology_hops(self->topology), ==, 3);
  g_assert_cmpuint(ns3_topology_hop_mtu(self->topology, 2), ==, 576);
  g_assert_cmpuint(ns3_topology_narrow_hop(self->topology, 0, 1001), ==, 1);
  g_assert_cmpuint(ns3_topology_narrow_hop(self->topology, 0, 1000), ==, 2);
  g_assert_cmpuint(ns3_topology_narrow_hop(self->topology, 1, 1001), ==, 2);
  g_assert_cmpuint(ns3_topology_narrow_hop(self->topology, 1, 576), ==, 3);
}

static void refuse(const chain *self, const char *message)
{
  ns3_shim_error error = {""};

  g_assert_null(ns3_topology_new(&self->config, on_output, NULL, &error));
  g_assert_cmpstr(error.message, ==, message);
}

/* This is a valid first hop except for what the arguments set. */
#define REFUSE_HOP(self, message, ...)                                                                       \
  do {                                                                                                       \
    ns3_topology_hop good = (self)->hops[0];                                                                 \
    (self)->hops[0] = WITH(ns3_topology_hop, good, __VA_ARGS__);                                             \
    refuse(self, message);                                                                                   \
    (self)->hops[0] = good;                                                                                  \
  } while (0)

ONE_HOP_TEST(test_objects_that_ns3_lacks)
{
  static const ns3_topology_attribute unknown = {"MaxSice", "20p"}, bad = {"MaxSize", "20"},
                                      word = {"ErrorUnit", "ERROR_UNIT_FURLONG"}, nan = {"ErrorRate", "much"};

  REFUSE_HOP(self, "ns-3 has no ns3::QueueDisc \"ns3::RedQueue\"",
             .queue = ((ns3_topology_object){"ns3::RedQueue", NULL, 0}));
  REFUSE_HOP(self, "ns-3 has no ns3::QueueDisc \"ns3::RateErrorModel\"",
             .queue = ((ns3_topology_object){"ns3::RateErrorModel", NULL, 0}));
  REFUSE_HOP(self, "ns-3 has no ns3::QueueDisc \"ns3::QueueDisc\"",
             .queue = ((ns3_topology_object){"ns3::QueueDisc", NULL, 0}));
  REFUSE_HOP(self, "ns3::RedQueueDisc has no attribute \"MaxSice\"",
             .queue = ((ns3_topology_object){"ns3::RedQueueDisc", &unknown, 1}));
  REFUSE_HOP(self, "\"20\" is no value for attribute \"MaxSize\" (QueueSizeValue)",
             .queue = ((ns3_topology_object){"ns3::RedQueueDisc", &bad, 1}));
  REFUSE_HOP(self,
             "attribute \"ErrorUnit\" cannot be set to \"ERROR_UNIT_FURLONG\" "
             "(ERROR_UNIT_BIT|ERROR_UNIT_BYTE|ERROR_UNIT_PACKET)",
             .errors = ((ns3_topology_object){"ns3::RateErrorModel", &word, 1}));
  REFUSE_HOP(self, "\"much\" is no value for attribute \"ErrorRate\" (DoubleValue)",
             .errors = ((ns3_topology_object){"ns3::RateErrorModel", &nan, 1}));
}

static const char red[] = "ns3::RedQueueDisc", rate[] = "ns3::RateErrorModel";

/* In most of these cases ns-3 3.37 would abort, or continue with meaningless values. */
static const struct {
  const char *type, *name, *value;
} bad_attributes_are_errors_rows[] = {
    {red, "LinkBandwith", "1Gbps"},
    {red, "", "1"},
    {red, "ErrorRate", "0.1"},
    {red, "LinkBandwidth", "1 parsec"},
    {red, "LinkBandwidth", "0bps"},
    {red, "LinkBandwidth", "0.2bps"},
    {red, "LinkBandwidth", "-1Gbps"},
    {red, "LinkBandwidth", "1..5Gbps"},
    {red, "LinkBandwidth", "10000000000"},
    {red, "LinkBandwidth", "99999999999Gbps"},
    {red, "LinkBandwidth", ""},
    {red, "LinkBandwidth", "Gbps"},
    {red, "LinkDelay", "-1ns"},
    {red, "LinkDelay", "1fortnight"},
    {red, "LinkDelay", "1e5s"},
    {red, "LinkDelay", "12"},
    {red, "LinkDelay", "1ns "},
    {red, "LinkDelay", "1000001s"},
    {red, "MeanPktSize", "4294967296"},
    {red, "MeanPktSize", "-1"},
    {red, "MeanPktSize", "1500.5"},
    {red, "MeanPktSize", "many"},
    {red, "MaxSize", "0p"},
    {red, "MaxSize", "10"},
    {red, "MaxSize", "10 packets"},
    {red, "MaxSize", "4294967296p"},
    {red, "InternalQueueList", "0"},
    {rate, "RanVar", "0"},
    {rate, "ErrorUnit", ""},
    {rate, "IsEnabled", "perhaps"},
};

ROW_TEST(test_bad_attributes_are_errors, bad_attributes_are_errors_rows)
{
  g_autoptr(chain) self = chain_new(1);
  const ns3_topology_attribute attribute = {c->name, c->value};
  const ns3_topology_object object = {c->type, &attribute, 1}, none = {NULL, NULL, 0};
  ns3_shim_error error = {""};
  g_test_message("%s = \"%s\"", c->name, c->value);
  self->hops[0].queue = c->type == red ? object : none;
  self->hops[0].errors = c->type == red ? none : object;
  g_assert_null(ns3_topology_new(&self->config, on_output, NULL, &error));
  g_assert_nonnull(strstr(error.message, c->name));
}

ONE_HOP_TEST(test_long_messages_are_cut)
{
  char name[1000];
  ns3_shim_error error;

  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  const ns3_topology_attribute attribute = {name, "1"};
  self->hops[0].queue = (ns3_topology_object){"ns3::RedQueueDisc", &attribute, 1};
  g_assert_null(ns3_topology_new(&self->config, on_output, NULL, &error));
  g_assert_cmpuint(strlen(error.message), ==, sizeof error.message - 1);
}

ONE_HOP_TEST(test_out_of_range)
{
  self->traffic[0] =
      (ns3_topology_traffic){.kind = NS3_TOPOLOGY_UDP_ON_OFF, .to_node = 1, .start_ps = 2, .stop_ps = 1};
  self->config.traffic_count = 1;
  refuse(self, "cross traffic starts at 0 to 1000000 s, and stops after that");
  self->config.traffic_count = NS3_TOPOLOGY_MOST_TRAFFIC + 1;
  refuse(self, "a chain has at most 64 flows of cross traffic");
  self->config.hop_count = NS3_TOPOLOGY_MOST_HOPS + 1;
  refuse(self, "a chain has 1 to 64 hops");
}
