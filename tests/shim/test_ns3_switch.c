/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches do the same over ns-3's links as over those of the native engine: ties, drops, marks, sprayed
 * packets, and links that fail with packets on them. */
#include "network/network_switch.h"
#include "network_cleanup.h"
#include "shim/ns3_functions.h"
#include "test.h"

enum { SOURCES = 4, SPINES = 2, PACKETS = 2000, PORT_OF_SINK = 0, STEP_PS = 616000, SMALL_PS = 33600 };

/* Sources send to a leaf, which sends in turn over two spines, one of them farther, to a second leaf and a
 * sink. */
typedef struct fabric {
  engine *clock;
  network_switch_turns *turns;
  network_switch *near, *far, *spines[SPINES];
  engine_timer *timer;
  GRand *random;
  uint32_t sent, sprayed;
  GString *seen; /* what came to the sink, and when */
} fabric;

static path_link *native_link(engine *clock, const path_link_config *config, G_GNUC_UNUSED GError **error)
{
  return path_link_native_new(config, clock);
}

static path_link *ns3_link(engine *clock, const path_link_config *config, G_GNUC_UNUSED GError **error)
{
  ns3_shim_error shim_error;
  return ns3_link_new(config, clock, &shim_error);
}

static uint32_t spray(void *user, G_GNUC_UNUSED uint32_t input, G_GNUC_UNUSED const datagram *packet,
                      G_GNUC_UNUSED time_ps now)
{
  return ((fabric *)user)->sprayed++ % SPINES;
}

static uint32_t to_sink(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint32_t input,
                        G_GNUC_UNUSED const datagram *packet, G_GNUC_UNUSED time_ps now)
{
  return PORT_OF_SINK;
}

static void into_spine(void *user, datagram *packet, time_ps now)
{
  network_switch_receive(user, 0, packet, now);
}

static void from_spine_0(void *user, datagram *packet, time_ps now)
{
  network_switch_receive(user, 1, packet, now);
}

static void from_spine_1(void *user, datagram *packet, time_ps now)
{
  network_switch_receive(user, 2, packet, now);
}

static void sink(void *user, datagram *packet, time_ps now)
{
  fabric *f = user;

  g_string_append_printf(f->seen, "%u@%" G_GINT64_FORMAT "%s ", packet->number, now,
                         datagram_ecn_of(packet) == DATAGRAM_ECN_CONGESTED ? "*" : "");
  datagram_unref(packet);
}

/* All sources send again at the same time, so that all their packets tie. Now and then a link fails or
 * returns. Packets without payload arrive by it when the sources send. */
static void send(void *user, time_ps now)
{
  fabric *f = user;
  static const uint8_t octets[1460];
  const tcp_header header = {.flags = TCP_ACK};

  for (uint32_t i = 0; i < SOURCES; i++) {
    datagram *packet = packet_between(ip_address_v4(1), ip_address_v4(2), &header, octets,
                                      (uint32_t)g_rand_int_range(f->random, 0, 2) * sizeof octets);
    packet->number = ++f->sent;
    datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
    network_switch_receive(f->near, i, packet, now);
  }
  if (g_rand_int_range(f->random, 0, 8) == 0) {
    network_switch_set_up(f->near, (uint32_t)g_rand_int_range(f->random, 0, SPINES),
                          g_rand_boolean(f->random), now);
  }
  if (f->sent < PACKETS) {
    engine_timer_set(f->timer, now + g_rand_int_range(f->random, 1, 5) * STEP_PS);
  }
}

static network_switch *add_switch(fabric *f, const char *name, network_switch_choose choose,
                                  path_link_factory new_link)
{
  static const network_switch_config limits = {.buffer_octets = 12000,
                                               .alpha_numerator = 2,
                                               .alpha_denominator = 1,
                                               .ecn_minimum_octets = 2000,
                                               .ecn_maximum_octets = 8000,
                                               .ecn_probability = 0.5};

  return network_switch_new(&limits, &(network_switch_place){.name = name,
                                                             .turns = f->turns,
                                                             .port_room = SPINES,
                                                             .seed = 3,
                                                             .clock = f->clock,
                                                             .new_link = new_link,
                                                             .choose = choose,
                                                             .choose_user = f});
}

static void add_port(network_switch *from, uint32_t id, time_ps delay_ps, path_output output, void *user)
{
  const path_link_config link = {.id = id,
                                 .rate_bit_per_s = UINT64_C(10000000000),
                                 .delay_ps = delay_ps,
                                 .mtu_octets = 1500,
                                 .framing_octets = 38};
  g_assert_true(network_switch_add_port(from, &link, output, user, NULL));
}

/* What came to the sink, and what the switches counted. */
static char *run(engine *clock, path_link_factory new_link, uint32_t seed)
{
  static const char *const names[SPINES] = {"spine0", "spine1"};
  static const path_output from_spine[SPINES] = {from_spine_0, from_spine_1};
  fabric f = {.clock = clock,
              .turns = network_switch_turns_new(clock),
              .random = g_rand_new_with_seed(seed),
              .seen = g_string_new(NULL)};

  f.near = add_switch(&f, "leaf0", spray, new_link);
  f.far = add_switch(&f, "leaf1", to_sink, new_link);
  add_port(f.far, 0, 3 * STEP_PS, sink, &f);
  for (uint32_t i = 0; i < SPINES; i++) {
    f.spines[i] = add_switch(&f, names[i], to_sink, new_link);
    add_port(f.near, 1 + i, 3 * STEP_PS - SMALL_PS, into_spine, f.spines[i]);
    add_port(f.spines[i], 3 + i, (2 + i) * STEP_PS, from_spine[i], f.far);
  }
  f.timer = engine_timer_new(clock, ENGINE_TRANSMITTER, 0, 0, send, &f);
  engine_timer_set(f.timer, 1000);
  engine_run(clock, TIME_PS_NEVER);
  network_switch *const all[] = {f.near, f.far, f.spines[0], f.spines[1]};
  for (uint32_t i = 0; i < G_N_ELEMENTS(all); i++) {
    network_switch_end(all[i], engine_now(clock));
    const network_switch_totals totals = network_switch_totals_of(all[i]);
    const network_port_counts counts = network_switch_port_counts(all[i], 0);
    g_assert_cmpuint(totals.received, ==, totals.sent + totals.dropped);
    g_assert_cmpuint(i > 0 || counts.lost_on_link > 0, ==, TRUE);
    g_string_append_printf(f.seen, "\n%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                           totals.sent, totals.dropped, counts.lost_on_link);
    network_switch_free(all[i]);
  }
  network_switch_turns_free(f.turns);
  engine_timer_free(f.timer);
  g_rand_free(f.random);
  engine_free(clock);
  return g_string_free(f.seen, FALSE);
}

TEST(test_both_engines)
{
  const uint32_t seed = 161803;
  ns3_shim_error error;

  for (uint32_t i = 0; i < 5; i++) {
    g_autofree char *native = run(engine_native_new(), native_link, seed + i);
    g_autofree char *ns3 = run(ns3_engine_new(&error), ns3_link, seed + i);

    g_assert_cmpstr(native, ==, ns3);
    g_assert_nonnull(strchr(native, '*'));
  }
}
