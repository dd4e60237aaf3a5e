/* SPDX-License-Identifier: GPL-2.0-only */
/* Links over ns-3 deliver the octets sent, at the times that path_link.h defines; with ns-3's log on
 * (meson.build) by its devices. That both engines do all in the same order is in
 * end_to_end/test_random_scenarios.c and test_engines.c. */
#include "shim/ns3_functions.h"

#include <string.h>

#include "engine/engine.h"
#include "network/path_link.h"
#include "network_cleanup.h"
#include "test.h"

enum { HEADERS = 40, MOST_PACKETS = 400 };

/* Returns a datagram of `octets` (at least HEADERS) with random content. */
static datagram *random_datagram(GRand *random, uint32_t octets)
{
  static uint8_t content[65535]; /* lives longer than every packet, as the pattern table does */
  for (uint32_t i = 0; i < sizeof content && content[0] == 0; i++) {
    content[i] = (uint8_t)g_rand_int_range(random, 1, 256);
  }
  uint32_t length = octets - HEADERS;
  tcp_header header = {.source_port = 4000,
                       .destination_port = 5000,
                       .sequence = g_rand_int(random),
                       .acknowledgement = g_rand_int(random),
                       .flags = TCP_ACK,
                       .window = (uint16_t)g_rand_int(random)};
  buffer_chain payload = {0};
  /* In two slices, as segments have them whose octets come from several records. */
  buffer_chain_append(&payload, content + 7, length / 3, NULL);
  buffer_chain_append(&payload, content + (sizeof content - (length - length / 3)), length - length / 3,
                      NULL);
  const ip_address source = ip_address_v4(0x0A000001);
  const ip_address destination = ip_address_v4(0x0A000002);
  datagram *packet = datagram_new_in(NULL, &source, &destination, &header, &payload);
  buffer_chain_clear(&payload);
  g_assert_cmpuint(datagram_octets(packet), ==, octets);
  return packet;
}

typedef struct link_world {
  path_link_config config;
  engine *clock;
  path_link *link;
  unsigned arrivals;
  time_ps arrived_at[MOST_PACKETS];
  datagram *arrived[MOST_PACKETS];
} link_world;

static void keep_arrival(void *user, datagram *packet, time_ps now)
{
  link_world *self = user;
  g_assert_cmpint(now, ==, engine_now(self->clock));
  g_assert_cmpuint(self->arrivals, <, MOST_PACKETS);
  self->arrived_at[self->arrivals] = now;
  self->arrived[self->arrivals++] = packet;
}

static link_world *link_world_new(const path_link_config *config)
{
  ns3_shim_error error;
  link_world *self = g_new0(link_world, 1);
  self->config = *config;
  self->clock = ns3_engine_new(&error);
  g_assert_nonnull(self->clock);
  self->link = ns3_link_new(config, self->clock, &error);
  g_assert_nonnull(self->link);
  path_link_set_receiver(self->link, keep_arrival, self);
  return self;
}

static void link_world_free(link_world *self)
{
  for (unsigned i = 0; i < self->arrivals; i++) {
    datagram_unref(self->arrived[i]);
  }
  path_link_free(self->link);
  engine_free(self->clock);
  g_free(self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(link_world, link_world_free)

/* docs/facts.md, "A link's times": 1500 octets at 10 Gbit/s over 25 us arrive after 26,201,600 ps; with 38
 * octets of framing the next starts 1538 octets of 800 ps later. */
TEST(test_measured_arrival)
{
  const path_link_config config = {.rate_bit_per_s = 10000000000,
                                   .delay_ps = 25 * TIME_PS_PER_MICROSECOND,
                                   .mtu_octets = 1500,
                                   .framing_octets = 38};
  g_autoptr(link_world) self = link_world_new(&config);
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  path_link_send(self->link, random_datagram(random, 1500), 0);
  path_link_send(self->link, random_datagram(random, 1500), 0);
  engine_run(self->clock, TIME_PS_NEVER);
  EXPECT_FIELDS(self, (arrivals, 2), (arrived_at[0], 26201600), (arrived_at[1], 26201600 + 1538 * 800));
}

/* The sender gives the link a burst. */
typedef struct burst {
  link_world *world;
  GRand *random;
  engine_timer *timer;
  time_ps free_at; /* when the transmitter is free again, after the gap */
  time_ps expected[MOST_PACKETS];
  uint8_t sent[MOST_PACKETS][9000];
  uint32_t lengths[MOST_PACKETS];
  unsigned count;
  unsigned bursts_left;
} burst;

/* Sends one to five packets, and again when the transmitter becomes free, a picosecond before or after, in
 * the middle of the last packet, or much later. */
static void send_burst(void *user, time_ps now)
{
  burst *self = user;
  const path_link_config *config = &self->world->config;
  for (int packets = g_rand_int_range(self->random, 1, 6); packets > 0; packets--) {
    uint32_t most = config->mtu_octets;
    uint32_t octets = g_rand_int_range(self->random, 0, 4) == 0
                          ? most
                          : (uint32_t)g_rand_int_range(self->random, HEADERS, (gint32)most + 1);
    datagram *packet = random_datagram(self->random, octets);
    datagram_write(packet, self->sent[self->count], false);
    self->lengths[self->count] = octets;
    time_ps start = MAX(now, self->free_at);
    self->expected[self->count++] = path_link_arrival_at(config, start, octets);
    self->free_at = path_link_arrival_at(config, start, octets) - config->delay_ps + path_link_gap_ps(config);
    path_link_send(self->world->link, packet, now);
  }
  static const time_ps besides_free[] = {0, 0, 1, -1, -1000, 1000000};
  if (--self->bursts_left > 0) {
    time_ps besides = besides_free[g_rand_int_range(self->random, 0, G_N_ELEMENTS(besides_free))];
    engine_timer_set(self->timer, MAX(now, self->free_at + besides));
  }
}

/* Rates at which an octet takes a whole number of picoseconds, and rates at which it does not. */
TEST(test_arrivals_are_as_calculated)
{
  static const uint64_t rates[] = {64000,        999999937,    2500000000,   10000000000,   25000000000,
                                   56000000000,  100000000000, 400000000000, 1600000000000, 7000000007,
                                   123456789011, 3000000000,   128000000000};
  static const uint32_t mtus[] = {576, 1500, 9000, 41};
  const guint32 seed = 271828;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  burst *sent = g_new(burst, 1);
  for (unsigned round = 0; round < G_N_ELEMENTS(rates); round++) {
    const path_link_config config = {
        .id = round % 2,
        .rate_bit_per_s = rates[round],
        .delay_ps = round % 3 * (25 * TIME_PS_PER_MICROSECOND + 1),
        .mtu_octets = mtus[round % G_N_ELEMENTS(mtus)],
        .framing_octets = round == 5   ? PATH_LINK_PPP_OCTETS
                          : round == 6 ? -14
                                       : (int32_t)(38 + round),
        /* ATM cells; cells larger than the MTU; cells that cost less than they hold */
        .cell_octets = round % 4 == 1   ? 48
                       : round % 4 == 2 ? 2000
                                        : 0,
        .cell_overhead_octets = round % 4 == 1   ? 5
                                : round % 4 == 2 ? -1997
                                                 : 0};
    g_test_message("rate %" G_GUINT64_FORMAT " bit/s, MTU %u", config.rate_bit_per_s, config.mtu_octets);
    *sent = (burst){.world = link_world_new(&config), .random = random, .bursts_left = MOST_PACKETS / 5};
    sent->timer = engine_timer_new(sent->world->clock, ENGINE_TRANSMITTER, config.id, 0, send_burst, sent);
    engine_timer_set(sent->timer, 12345);
    engine_run(sent->world->clock, TIME_PS_NEVER);
    g_assert_cmpuint(sent->bursts_left, ==, 0);
    const link_world *world = sent->world;
    static uint8_t octets[9000];
    g_assert_cmpuint(world->arrivals, ==, sent->count);
    for (unsigned i = 0; i < sent->count; i++) {
      g_assert_cmpint(world->arrived_at[i], ==, sent->expected[i]);
      g_assert_cmpuint(datagram_octets(world->arrived[i]), ==, sent->lengths[i]);
      datagram_write(world->arrived[i], octets, false);
      g_assert_cmpmem(octets, sent->lengths[i], sent->sent[i], sent->lengths[i]);
    }
    engine_timer_free(sent->timer);
    link_world_free(sent->world);
  }
  g_free(sent);
}

/* A packet may be as large as IP allows. */
TEST(test_largest_packet)
{
  const path_link_config config = {.rate_bit_per_s = 400000000000, .mtu_octets = 65535, .framing_octets = 38};
  g_autoptr(link_world) self = link_world_new(&config);
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  path_link_send(self->link, random_datagram(random, 65535), 0);
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpint(self->arrived_at[0], ==, 65537 * 20); /* an octet takes 20 ps */
  g_assert_cmpuint(self->arrived[0]->payload.length, ==, 65535 - HEADERS);
}

TEST(test_freed_with_packets_on_the_way)
{
  const path_link_config config = {
      .rate_bit_per_s = 8000000000, .delay_ps = 1000, .mtu_octets = 1500, .framing_octets = 38};
  g_autoptr(link_world) self = link_world_new(&config);
  g_autoptr(GRand) random = g_rand_new_with_seed(4);
  for (int i = 0; i < 3; i++) {
    path_link_send(self->link, random_datagram(random, 98), 0);
  }
  /* 100 octets of 1000 ps and the delay: the first arrives, the second is under way, the third waits. */
  engine_run(self->clock, 100 * 1000 + 1000);
  g_assert_cmpuint(self->arrivals, ==, 1);
}

/* What no wire carries: the marks of a packet come out as they went in, and its wrong checksum stays
 * wrong. */
TEST(test_marks)
{
  const path_link_config config = {
      .rate_bit_per_s = 10000000000, .delay_ps = 1000, .mtu_octets = 1500, .framing_octets = 38};
  g_autoptr(link_world) self = link_world_new(&config);
  g_autoptr(GRand) random = g_rand_new_with_seed(1);
  for (int i = 0; i < 3; i++) {
    datagram *packet = random_datagram(random, 500);
    packet->retransmission = i == 1;
    packet->flow_order = 10 + (uint64_t)i;
    if (i == 2) {
      datagram_carry_checksum(packet);
      packet->header[IPV4_HEADER_OCTETS + 5] ^= 1;
    }
    path_link_send(self->link, packet, 0);
  }
  for (int words = 0; words <= 6; words += 6) { /* a data offset that none has, and one of another header */
    datagram *unreadable = random_datagram(random, 500);
    datagram_carry_checksum(unreadable);
    unreadable->header[IPV4_HEADER_OCTETS + 12] = (uint8_t)(words << 4);
    path_link_send(self->link, unreadable, 0);
  }
  engine_run(self->clock, TIME_PS_NEVER);
  g_assert_cmpuint(self->arrivals, ==, 5);
  for (unsigned i = 0; i < 3; i++) {
    g_assert_true(self->arrived[i]->retransmission == (i == 1));
    g_assert_cmpuint(self->arrived[i]->flow_order, ==, 10 + i);
    g_assert_true(datagram_checksum_is_right(self->arrived[i]) == (i != 2));
  }
  for (unsigned i = 3; i < 5; i++) {
    g_assert_false(datagram_checksum_is_right(self->arrived[i]));
    g_assert_cmpuint(self->arrived[i]->payload.length, ==, 500 - HEADERS);
  }
}
