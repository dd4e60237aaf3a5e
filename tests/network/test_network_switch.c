/* SPDX-License-Identifier: GPL-2.0-only */
/* A switch by itself, with senders that never hold still: what it admits, drops, marks and counts. */
#include "network/network_switch.h"

#include "base/random_stream.h"
#include "network_cleanup.h"
#include "path_fixture.h"
#include "test.h"
#include "trace/trace_reader.h"

/* At 8 Gbit/s an octet lasts a nanosecond: a packet of 1000 octets has left after 1002 of them, and the next
 * one starts after 1038. */
enum { PACKET_OCTETS = 1000, SENT_PS = 1002000, SLOT_PS = 1038000, SENDERS_MAX = 300 };
static const time_ps delay_ps = 5 * TIME_PS_PER_MICROSECOND;

typedef struct bench bench;

/* Sends packets of PACKET_OCTETS to an output port, the first when it is started. */
typedef struct sender {
  bench *owner;
  engine_timer *timer;
  uint32_t number; /* its input port */
  uint32_t output;
  uint32_t packets;
  time_ps apart_ps;
  datagram_ecn ecn;
} sender;

struct bench {
  engine *clock;
  network_switch_turns *turns;
  network_switch *hub;
  GArray *output; /* of test_arrival, whatever port it left by */
  sender senders[SENDERS_MAX];
  uint32_t sender_count;
};

static path_link *new_link(engine *clock, const path_link_config *config, G_GNUC_UNUSED GError **error)
{
  return path_link_native_new(config, clock);
}

/* A packet's connection is its output port, and its number that of its sender. */
static uint32_t choose(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint32_t input, const datagram *packet,
                       G_GNUC_UNUSED time_ps now)
{
  return packet->kind == DATAGRAM_TOO_BIG ? 0 : packet->connection;
}

static path_link_config link_of(uint32_t id)
{
  return (path_link_config){.id = id,
                            .rate_bit_per_s = UINT64_C(8000000000),
                            .delay_ps = delay_ps,
                            .mtu_octets = 1500,
                            .framing_octets = 38};
}

static bench *bench_new(uint32_t ports, network_switch_config config)
{
  bench *b = g_new0(bench, 1);

  b->clock = engine_native_new();
  b->turns = network_switch_turns_new(b->clock);
  b->output = test_output_new();
  b->hub = network_switch_new(&config, &(network_switch_place){.name = "s0",
                                                               .port_room = ports + 1,
                                                               .turns = b->turns,
                                                               .seed = 1,
                                                               .clock = b->clock,
                                                               .new_link = new_link,
                                                               .choose = choose,
                                                               .address = ip_address_v4(0x0A000001)});
  for (uint32_t i = 0; i < ports; i++) {
    const path_link_config link = link_of(i);
    g_assert_true(network_switch_add_port(b->hub, &link, test_output, b->output, NULL));
  }
  network_switch_measure(b->hub, true, 0);
  return b;
}

static void bench_free(bench *b)
{
  for (uint32_t i = 0; i < b->sender_count; i++) {
    engine_timer_free(b->senders[i].timer);
  }
  network_switch_free(b->hub);
  network_switch_turns_free(b->turns);
  engine_free(b->clock);
  test_output_free(b->output);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)

#define BENCH_TEST(name, made) TEST_OF(bench, b, made, name)
#define LIMITS(...) ((network_switch_config){__VA_ARGS__})

static datagram *packet_to(uint32_t output, uint32_t octets, uint32_t number)
{
  datagram *packet = test_packet(0, octets - TEST_HEADER_OCTETS, TCP_ACK);

  packet->connection = output;
  packet->number = number;
  return packet;
}

static void send_next(void *user, time_ps now)
{
  sender *s = user;
  datagram *packet = packet_to(s->output, PACKET_OCTETS, s->number);

  packet->flow_order = s->packets;
  datagram_set_ecn(packet, s->ecn);
  network_switch_receive(s->owner->hub, s->number, packet, now);
  if (--s->packets > 0) {
    engine_timer_set(s->timer, now + s->apart_ps);
  }
}

static sender *start_sender(bench *b, uint32_t output, uint32_t packets, time_ps apart_ps, time_ps first)
{
  sender *s = &b->senders[b->sender_count];

  g_assert_cmpuint(b->sender_count, <, SENDERS_MAX);
  *s = (sender){
      .owner = b, .number = b->sender_count++, .output = output, .packets = packets, .apart_ps = apart_ps};
  s->timer = engine_timer_new(b->clock, ENGINE_ARRIVAL, 1000 + s->number, 0, send_next, s);
  engine_timer_set(s->timer, first);
  return s;
}

static void run(bench *b, time_ps until)
{
  engine_run(b->clock, until);
  network_switch_measure(b->hub, true, engine_now(b->clock)); /* counts what has left */
}

static uint64_t dropped(const bench *b, uint32_t port, network_switch_drop cause)
{
  return network_switch_port_counts(b->hub, port).dropped[cause];
}

/* What came in is somewhere. */
static void assert_conserved(const bench *b)
{
  const network_switch_totals totals = network_switch_totals_of(b->hub);

  g_assert_cmpuint(totals.received + totals.made, ==, totals.sent + totals.held + totals.dropped);
}

/* --- Admission --- */

/* N senders send w packets each, back to back, from one moment on. Of the packets that the queue can have,
 * M, one is in transmission; so b = M - 1 wait beside it, and w (N - 1) - b are lost: in each slot N come and
 * one leaves. With a dynamic threshold, alone in a buffer of B packets, M = ceil(alpha B / (1 + alpha)). */
static const struct {
  uint32_t senders, packets;
} bursts[] = {{2, 10}, {4, 10}, {16, 10}, {16, 64}, {64, 10}, {3, 84}, {3, 85}, {256, 4}};

static void burst(network_switch_config config, uint32_t room, network_switch_drop cause)
{
  for (size_t i = 0; i < G_N_ELEMENTS(bursts); i++) {
    const uint32_t n = bursts[i].senders;
    const uint32_t w = bursts[i].packets;
    const uint32_t lost = w * (n - 1) > room - 1 ? w * (n - 1) - (room - 1) : 0;
    g_autoptr(bench) b = bench_new(1, config);

    for (uint32_t s = 0; s < n; s++) {
      start_sender(b, 0, w, SLOT_PS, 0);
    }
    run(b, TIME_PS_NEVER);
    g_assert_cmpuint(dropped(b, 0, cause), ==, lost);
    g_assert_cmpuint(b->output->len, ==, n * w - lost);
    assert_conserved(b);
  }
}

/* B is 500 packets. */
static const struct {
  uint32_t numerator, denominator, room;
} alphas[] = {{1, 2, 167}, {1, 1, 250}, {8, 1, 445}, {64, 1, 493}, {1, 128, 4}};

ROW_TEST(test_first_burst_with_dynamic_threshold, alphas)
{
  burst(LIMITS(.buffer_octets = 500 * PACKET_OCTETS, .alpha_numerator = c->numerator,
               .alpha_denominator = c->denominator),
        c->room, NETWORK_SWITCH_THRESHOLD);
}

/* Without a threshold the buffer is the limit, or the port's. A packet takes 24 octets more than it has on
 * the wire in the last case: 100 of them take what 102 do without. */
TEST(test_first_burst_with_fixed_limits)
{
  burst(LIMITS(.buffer_octets = 101 * PACKET_OCTETS), 101, NETWORK_SWITCH_BUFFER);
  burst(LIMITS(.port_limit_octets = 101 * PACKET_OCTETS), 101, NETWORK_SWITCH_PORT);
  burst(LIMITS(.port_limit_octets = 102400, .per_packet_octets = 24), 100, NETWORK_SWITCH_PORT);
}

/* Of n ports that are sent to twice what they can carry, each holds alpha B / (1 + n alpha), to a packet; for
 * a moment a little more, since the ports' departures come together and raise the threshold. */
static const struct {
  uint32_t alpha, ports;
  double share; /* of the buffer */
} steady_rows[] = {{1, 1, 1.0 / 2}, {1, 4, 1.0 / 5}, {8, 1, 8.0 / 9}, {8, 4, 8.0 / 33}};

ROW_TEST(test_steady_dynamic_threshold, steady_rows)
{
  const double buffer = 1000 * PACKET_OCTETS;
  const double expected = c->share * buffer;
  const uint32_t slots = 3000;
  g_autoptr(bench) b = bench_new(c->ports, LIMITS(.buffer_octets = 1000 * PACKET_OCTETS,
                                                  .alpha_numerator = c->alpha, .alpha_denominator = 1));

  for (uint32_t s = 0; s < 2 * c->ports; s++) {
    start_sender(b, s / 2, slots, SLOT_PS, 0);
  }
  network_switch_measure(b->hub, false, 0);
  run(b, 1000 * (time_ps)SLOT_PS);
  network_switch_measure(b->hub, true, engine_now(b->clock));
  run(b, slots * (time_ps)SLOT_PS - 1);
  network_switch_end(b->hub, engine_now(b->clock));
  for (uint32_t port = 0; port < c->ports; port++) {
    const network_port_gauge *gauge = network_switch_port_gauge(b->hub, port);
    g_assert_cmpfloat_with_epsilon(time_distribution_mean(&gauge->queue), expected, PACKET_OCTETS);
    g_assert_cmpfloat((double)gauge->peak_octets, <, expected + 2.0 * c->ports * PACKET_OCTETS);
    g_assert_cmpint(gauge->busy_ps, ==, gauge->measured_ps);
  }
}

/* --- Ties --- */

/* What N senders that each send as much as a port can carry get of it, the one who comes later by `stagger`
 * in each slot: Jain's index, and how far one's share of the losses is from 1/N, of that. */
static double jain_of(uint32_t senders, time_ps stagger_ps, double *farthest)
{
  const uint32_t slots = 64000 / senders;
  uint32_t delivered[SENDERS_MAX] = {0};
  double sum = 0;
  double squares = 0;
  g_autoptr(bench) b = bench_new(1, LIMITS(.buffer_octets = 20 * PACKET_OCTETS));

  for (uint32_t s = 0; s < senders; s++) {
    start_sender(b, 0, slots, SLOT_PS, s * stagger_ps);
  }
  run(b, TIME_PS_NEVER);
  for (guint i = 0; i < b->output->len; i++) {
    delivered[test_output_at(b->output, i)->packet->number]++;
  }
  *farthest = 0;
  for (uint32_t s = 0; s < senders; s++) {
    const double lost = (slots - delivered[s]) / (double)dropped(b, 0, NETWORK_SWITCH_BUFFER);
    sum += delivered[s];
    squares += (double)delivered[s] * delivered[s];
    *farthest = MAX(*farthest, ABS(lost * senders - 1));
  }
  return sum * sum / (senders * squares);
}

static const struct {
  uint32_t senders;
} tie_rows[] = {{2}, {4}, {8}};

/* Equal senders share what is lost. A picosecond apart, in a fixed order, the first gets nearly all: of N
 * shares one counts, and Jain's index is about 1/N. */
ROW_TEST(test_equal_senders_share_losses, tie_rows)
{
  double farthest;

  g_assert_cmpfloat(jain_of(c->senders, 0, &farthest), >=, 0.99);
  g_test_message("%.2f %%", 100 * farthest);
  g_assert_cmpfloat(farthest, <, 0.02);
  g_assert_cmpfloat(jain_of(c->senders, 1, &farthest), <, 1.1 / c->senders);
}

/* The order in which packets of five ports leave that come in one picosecond, three of them by one port: each
 * one's port, and how many are still to come by it, itself included. */
static char *order_of_ties(time_ps at)
{
  g_autoptr(bench) b = bench_new(1, LIMITS(0));
  GString *order = g_string_new(NULL);

  for (uint32_t s = 0; s < 5; s++) {
    start_sender(b, 0, s == 3 ? 3 : 1, 0, at);
  }
  run(b, TIME_PS_NEVER);
  for (guint i = 0; i < b->output->len; i++) {
    const datagram *packet = test_output_at(b->output, i)->packet;
    g_string_append_printf(order, "%u%u ", packet->number, (unsigned)packet->flow_order);
  }
  return g_string_free(order, FALSE);
}

/* It is another one at another time. Packets of one port stay in order. */
TEST(test_order_of_ties)
{
  g_autofree char *first = order_of_ties(1000000);
  g_autofree char *second = order_of_ties(2000000);

  g_assert_cmpstr(first, !=, second);
  g_assert_nonnull(strstr(first, "33 32 31"));
}

/* A packet's rank is a hash of the switch, the moment and its port. Of many packets that come in one
 * picosecond, each has a larger one than the packet before. */
TEST(test_many_ties_in_order_of_rank)
{
  const time_ps at = 1000000;
  const uint64_t seed = random_hash(random_hash(1, "s0", 0), "", (uint64_t)at);
  g_autoptr(bench) b = bench_new(1, LIMITS(0));

  for (uint32_t s = 0; s < SENDERS_MAX; s++) {
    start_sender(b, 0, 1, 0, at);
  }
  run(b, TIME_PS_NEVER);
  g_assert_cmpuint(b->output->len, ==, SENDERS_MAX);
  for (guint i = 1; i < b->output->len; i++) {
    g_assert_cmpuint(random_hash(seed, "", test_output_at(b->output, i - 1)->packet->number), <,
                     random_hash(seed, "", test_output_at(b->output, i)->packet->number));
  }
}

/* --- One packet at a time --- */

/* A packet of `octets` comes at `at`. */
static void come(bench *b, time_ps at, datagram *packet)
{
  run(b, at);
  network_switch_receive(b->hub, 7, packet, at);
  run(b, at);
}

/* With room for one packet, memory is free when the last octet has left, at 1002 ns, though the transmitter
 * is not before 1038. Departures come before arrivals of the same picosecond. */
BENCH_TEST(test_departures_before_arrivals, bench_new(1, LIMITS(.port_limit_octets = PACKET_OCTETS)))
{
  come(b, 0, packet_to(0, PACKET_OCTETS, 1));
  come(b, SENT_PS - 1, packet_to(0, PACKET_OCTETS, 2));
  come(b, SENT_PS, packet_to(0, PACKET_OCTETS, 3));
  g_assert_cmpint(network_switch_earliest_arrival(b->hub, 0, SENT_PS), ==, 2 * SLOT_PS + 42000 + delay_ps);
  run(b, TIME_PS_NEVER);
  g_assert_cmpuint(b->output->len, ==, 2);
  g_assert_cmpint(test_output_at(b->output, 0)->at, ==, SENT_PS + delay_ps);
  g_assert_cmpint(test_output_at(b->output, 1)->at, ==, SLOT_PS + SENT_PS + delay_ps);
  g_assert_cmpuint(dropped(b, 0, NETWORK_SWITCH_PORT), ==, 1);
}

/* Without a route a packet is dropped; one that is in transmission is held. */
BENCH_TEST(test_no_way, bench_new(2, LIMITS(0)))
{
  come(b, 0, packet_to(1, PACKET_OCTETS, 1));
  come(b, 0, packet_to(2, PACKET_OCTETS, 2));
  g_assert_cmpuint(network_switch_totals_of(b->hub).held, ==, PACKET_OCTETS);
  assert_conserved(b);
  run(b, TIME_PS_NEVER);
  g_assert_cmpuint(b->output->len, ==, 1);
  g_assert_cmpuint(network_switch_totals_of(b->hub).packets_without_way, ==, 1);
  assert_conserved(b);
}

/* Hostile limits: a buffer that no packet fits in, with the largest threshold; a limit that a packet alone
 * reaches with its overhead; a threshold without a buffer, which is none; and no port at all. The switch is
 * freed with what it holds. */
TEST(test_extremes)
{
  static const struct {
    network_switch_config config;
    network_switch_drop cause; /* NETWORK_SWITCH_DROPS: none */
  } rows[] = {
      {{.buffer_octets = 39, .alpha_numerator = 65535, .alpha_denominator = 1}, NETWORK_SWITCH_BUFFER},
      {{.buffer_octets = 39, .port_limit_octets = 39}, NETWORK_SWITCH_PORT},
      {{.buffer_octets = 40, .alpha_numerator = 1, .alpha_denominator = 65535}, NETWORK_SWITCH_DROPS},
      {{.buffer_octets = UINT64_C(1) << 47, .alpha_numerator = 65535, .alpha_denominator = 1},
       NETWORK_SWITCH_DROPS},
      {{.port_limit_octets = 1039, .per_packet_octets = 1000}, NETWORK_SWITCH_PORT},
      {{.port_limit_octets = 1040, .per_packet_octets = 1000}, NETWORK_SWITCH_DROPS},
      {{.alpha_numerator = 1, .alpha_denominator = 128}, NETWORK_SWITCH_DROPS},
  };

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(bench) b = bench_new(1, rows[i].config);
    come(b, 0, packet_to(0, TEST_HEADER_OCTETS, 1));
    g_assert_cmpuint(network_switch_totals_of(b->hub).dropped > 0, ==, rows[i].cause != NETWORK_SWITCH_DROPS);
    if (rows[i].cause != NETWORK_SWITCH_DROPS) {
      g_assert_cmpuint(dropped(b, 0, rows[i].cause), ==, 1);
    }
    assert_conserved(b);
    network_switch_receive(b->hub, UINT32_MAX, packet_to(0, TEST_HEADER_OCTETS, 2), 0);
  }
  g_autoptr(bench) none = bench_new(0, LIMITS(0));
  come(none, 0, packet_to(0, PACKET_OCTETS, 1));
  g_assert_cmpuint(network_switch_totals_of(none->hub).packets_without_way, ==, 1);
  network_switch_end(none->hub, 0);
}

/* Packets of 800, 700 … 100 octets come for eight ports, and leave in the other order: the shortest first. */
BENCH_TEST(test_departures_of_many_ports, bench_new(8, LIMITS(0)))
{
  uint64_t held = 0;

  for (uint32_t port = 0; port < 8; port++) {
    come(b, 0, packet_to(port, 800 - 100 * port, port));
    held += 800 - 100 * port;
  }
  for (uint32_t octets = 100; octets <= 800; octets += 100) {
    run(b, (octets + 2) * 1000);
    held -= octets;
    g_assert_cmpuint(network_switch_totals_of(b->hub).held, ==, held);
  }
}

/* --- ECN --- */

/* Twenty come at once, and find 0 … 19 in the queue: the ten that find 10 or more are marked, DCTCP's K being
 * 10 packets. What is marked already is not marked again, what is not ECN-capable passes. */
static const struct {
  datagram_ecn sent;
  uint32_t marked;
  uint64_t k; /* 0: no marks */
} ecn_rows[] = {{DATAGRAM_ECN_ECT_0, 10, 10},
                {DATAGRAM_ECN_ECT_1, 10, 10},
                {DATAGRAM_ECN_CONGESTED, 0, 10},
                {DATAGRAM_ECN_NOT_CAPABLE, 0, 10},
                {DATAGRAM_ECN_ECT_0, 0, 0}};

ROW_TEST(test_marks_from_k_on, ecn_rows)
{
  g_autoptr(bench) b =
      bench_new(1, LIMITS(.ecn_minimum_octets = c->k * PACKET_OCTETS,
                          .ecn_maximum_octets = c->k * PACKET_OCTETS, .ecn_probability = 0.5));

  for (uint32_t s = 0; s < 20; s++) {
    start_sender(b, 0, 1, 0, 0)->ecn = c->sent;
  }
  run(b, TIME_PS_NEVER);
  g_assert_cmpuint(network_switch_port_counts(b->hub, 0).marked, ==, c->marked);
  g_assert_cmpuint(b->output->len, ==, 20);
  for (guint i = 0; i < 20; i++) {
    const datagram_ecn expected = c->marked > 0 && i >= 10 ? DATAGRAM_ECN_CONGESTED : c->sent;
    g_assert_cmpuint(datagram_ecn_of(test_output_at(b->output, i)->packet), ==, expected);
  }
}

/* Of two senders that fill a queue of 21 packets, the packet that is admitted in each slot finds 20. Between
 * 10 and 30 that is half of the probability: 0.1 of n are marked, within 4 sqrt(n 0.09). At the minimum none
 * is. */
TEST(test_marks_between_thresholds)
{
  const uint32_t slots = 20000;
  static const uint64_t minima[] = {10, 20};

  for (size_t i = 0; i < G_N_ELEMENTS(minima); i++) {
    g_autoptr(bench) b = bench_new(
        1, LIMITS(.port_limit_octets = 21 * PACKET_OCTETS, .ecn_minimum_octets = minima[i] * PACKET_OCTETS,
                  .ecn_maximum_octets = 30 * PACKET_OCTETS, .ecn_probability = 0.2));
    start_sender(b, 0, slots, SLOT_PS, 0)->ecn = DATAGRAM_ECN_ECT_0;
    start_sender(b, 0, slots, SLOT_PS, 0)->ecn = DATAGRAM_ECN_ECT_0;
    run(b, TIME_PS_NEVER);
    g_assert_cmpfloat_with_epsilon(network_switch_port_counts(b->hub, 0).marked, i == 0 ? 0.1 * slots : 0,
                                   i == 0 ? 4 * 42.5 : 0.5);
  }
}

/* --- Links --- */

/* Three packets for port 0, one after the other, and one for port 1. At 1500 ns the first is under way, the
 * second in transmission, and the third waits, when link 0 fails: all are lost, as is one that comes then.
 * After its return at 2000 ns the link is free. The other port does not notice. */
BENCH_TEST(test_failure, bench_new(2, LIMITS(.buffer_octets = 4 * PACKET_OCTETS, .per_packet_octets = 0)))
{
  for (uint32_t number = 1; number <= 4; number++) {
    come(b, 0, packet_to(number / 4, PACKET_OCTETS, number));
  }
  run(b, 1500000);
  const network_port_counts before = network_switch_port_counts(b->hub, 0);
  EXPECT_FIELDS(&before, (packets_sent, 1), (octets_sent, PACKET_OCTETS));
  network_switch_set_up(b->hub, 0, false, 1500000);
  network_switch_set_up(b->hub, 0, false, 1500000);
  g_assert_cmpuint(network_switch_port_counts(b->hub, 0).lost_on_link, ==, 1);
  g_assert_cmpuint(dropped(b, 0, NETWORK_SWITCH_LINK), ==, 2);
  assert_conserved(b);
  datagram *again = packet_to(0, PACKET_OCTETS, 5);
  again->retransmission = true;
  come(b, 1600000, again);
  g_assert_cmpuint(dropped(b, 0, NETWORK_SWITCH_LINK), ==, 3);
  g_assert_cmpuint(network_switch_totals_of(b->hub).retransmissions_lost, ==, 1);
  run(b, 2000000);
  network_switch_set_up(b->hub, 0, true, 2000000);
  network_switch_set_up(b->hub, 0, true, 2000000);
  come(b, 2000000, packet_to(0, PACKET_OCTETS, 6));
  run(b, 20000000);
  network_switch_end(b->hub, 20000000);
  g_assert_cmpuint(b->output->len, ==, 2);
  g_assert_cmpuint(test_output_at(b->output, 0)->packet->number, ==, 4);
  g_assert_cmpint(test_output_at(b->output, 0)->at, ==, SENT_PS + delay_ps);
  g_assert_cmpuint(test_output_at(b->output, 1)->packet->number, ==, 6);
  g_assert_cmpint(test_output_at(b->output, 1)->at, ==, 2000000 + SENT_PS + delay_ps);
  g_assert_cmpint(network_switch_port_gauge(b->hub, 0)->busy_ps, ==, 1500000 + SLOT_PS);
  assert_conserved(b);
}

/* 1400 octets for a link of 600: with DF they are dropped, and 56 octets of ICMP (20 of IP, 8 of ICMP, 28
 * quoted) say so; without, three fragments of 596, 596 and 248 octets go on: 576 of the 1380 are a multiple
 * of 8, and each has a header of 20. */
TEST(test_too_big)
{
  for (uint32_t fragments = 0; fragments <= 1; fragments++) {
    g_autoptr(bench) b = bench_new(1, LIMITS(0));
    path_link_config narrow = link_of(1);
    datagram *packet = packet_to(1, 1400, 1);

    narrow.mtu_octets = 600;
    g_assert_true(network_switch_add_port(b->hub, &narrow, test_output, b->output, NULL));
    if (fragments) {
      datagram_allow_fragments(packet, 1);
    }
    come(b, 0, packet);
    run(b, TIME_PS_NEVER);
    const network_port_counts counts = network_switch_port_counts(b->hub, 1);
    const network_switch_totals totals = network_switch_totals_of(b->hub);
    g_assert_cmpuint(counts.fragments, ==, fragments ? 3 : 0);
    g_assert_cmpuint(counts.dropped[NETWORK_SWITCH_TOO_BIG], ==, !fragments);
    g_assert_cmpuint(totals.made, ==, fragments ? 40 : 56);
    g_assert_cmpuint(totals.sent, ==, fragments ? 1440 : 56);
    g_assert_cmpuint(b->output->len, ==, fragments ? 3 : 1);
    assert_conserved(b);
  }
}

/* --- What is measured --- */

/* Three packets at 0: the queue has 3000 octets until 1002 ns, 2000 until 2040, 1000 until 3078. Seen from
 * 500 to 1500 ns and from 3000 to 4000, that is 3000 for 502 ns, 2000 for 498, 1000 for 78 and 0 for 922:
 * 1290 in the mean; for exactly half of the time it is at most 1000. The transmitter is busy until 3114. */
BENCH_TEST(test_window, bench_new(1, LIMITS(0)))
{
  for (uint32_t number = 1; number <= 3; number++) {
    come(b, 0, packet_to(0, PACKET_OCTETS, number));
  }
  network_switch_measure(b->hub, false, 0);
  for (uint32_t i = 0; i < 2; i++) {
    run(b, i * 2500000 + 500000);
    network_switch_measure(b->hub, true, engine_now(b->clock));
    run(b, i * 2500000 + 1500000);
    network_switch_measure(b->hub, i == 1, engine_now(b->clock));
  }
  network_switch_end(b->hub, 4000000);
  const network_port_gauge *gauge = network_switch_port_gauge(b->hub, 0);
  const network_port_counts counts = network_switch_port_counts(b->hub, 0);
  static const uint32_t parts[] = {QUANTILE_PARTS / 2, QUANTILE_PARTS / 2 + 1, QUANTILE_PARTS};
  double quantiles[3];
  g_assert_cmpint(gauge->measured_ps, ==, 2000000);
  g_assert_cmpint(gauge->busy_ps, ==, 1000000 + 114000);
  g_assert_cmpuint(gauge->peak_octets, ==, 3000);
  g_assert_cmpfloat(time_distribution_mean(&gauge->queue), ==, 1290);
  g_assert_true(time_distribution_quantiles(&gauge->queue, TIME_ALL, parts, 3, quantiles));
  g_assert_cmpfloat(quantiles[0], ==, 1000);
  g_assert_cmpfloat(quantiles[1], ==, 2000);
  g_assert_cmpfloat(quantiles[2], ==, 3000);
  EXPECT_FIELDS(&counts, (packets_sent, 3), (octets_sent, 3000));
  g_assert_cmpuint(network_switch_totals_of(b->hub).buffer_peak_octets, ==, 3000);
}

static enum side side_of(const datagram_flow *flow)
{
  return flow->source_port == 3 ? SIDE_RESPONDER : SIDE_INITIATOR;
}

static time_ps now_of(const void *user)
{
  return engine_now(user);
}

/* A trace names the switch and the port that a packet leaves by, and who has sent it; of one that finds no
 * way port 0. A packet that waits shows for how long. */
TEST(test_trace)
{
  g_autoptr(engine) clock = engine_native_new();
  FILE *file = tmpfile();
  trace *to = trace_new(file, "{}", now_of, clock);
  GArray *output = test_output_new();
  const path_link_config link = link_of(0);
  static const struct {
    trace_event_id id;
    uint32_t packet, port;
    enum side side;
  } expected[] = {{TRACE_PACKET_QUEUED, 2, 1, SIDE_INITIATOR},
                  {TRACE_PACKET_DROPPED, 3, 1, SIDE_RESPONDER},
                  {TRACE_PACKET_DROPPED, 4, 0, SIDE_INITIATOR}};
  network_switch_turns *turns = network_switch_turns_new(clock);
  network_switch *hub = network_switch_new(&LIMITS(.port_limit_octets = 2 * PACKET_OCTETS),
                                           &(network_switch_place){.name = "leaf0",
                                                                   .port_room = 1,
                                                                   .turns = turns,
                                                                   .clock = clock,
                                                                   .new_link = new_link,
                                                                   .choose = choose,
                                                                   .trace = to,
                                                                   .side_of = side_of});

  g_assert_true(network_switch_add_port(hub, &link, test_output, output, NULL));
  for (uint32_t number = 1; number <= 4; number++) {
    datagram *packet = packet_to(number == 4, PACKET_OCTETS, number);
    big_endian_write_16(packet->header + packet->ip_octets, (uint16_t)number); /* the source port */
    network_switch_receive(hub, 0, packet, 0);
    engine_run(clock, 0);
  }
  network_switch_free(hub);
  network_switch_turns_free(turns);
  trace_free(to);
  rewind(file);
  trace_reader *reader = trace_reader_new(file, "switch.trace", NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    trace_event event;
    g_assert_true(trace_reader_next(reader, &event, NULL));
    EXPECT_FIELDS(&event, (id, expected[i].id), (packet, expected[i].packet), (port, expected[i].port),
                  (side, expected[i].side));
    g_assert_cmpstr(event.node, ==, "leaf0");
    if (i == 0) {
      g_assert_cmpuint(TRACE_VALUE(&event, PACKET_QUEUED, waiting_octets), ==, 2 * PACKET_OCTETS);
      g_assert_cmpuint(TRACE_VALUE(&event, PACKET_QUEUED, waits_ps), ==, SLOT_PS);
    }
  }
  trace_reader_free(reader);
  fclose(file);
  test_output_free(output);
}

/* --- Turns --- */

enum { SWITCHES = 130 }; /* more than two words of bits */

typedef struct row_of_switches {
  network_switch *switches[SWITCHES];
  GArray *turns; /* of switches, as their packets were looked up */
} row_of_switches;

/* A packet's number is that of its switch. */
static uint32_t note_turn(void *user, G_GNUC_UNUSED uint32_t input, const datagram *packet,
                          G_GNUC_UNUSED time_ps now)
{
  g_array_append_val(((row_of_switches *)user)->turns, packet->number);
  return 0;
}

static void come_to_all(void *user, time_ps now)
{
  row_of_switches *row = user;

  for (uint32_t i = 0; i < SWITCHES; i++) {
    const uint32_t number = SWITCHES - 1 - i;
    network_switch_receive(row->switches[number], 0, packet_to(0, PACKET_OCTETS, number), now);
  }
}

/* Two packets come to each switch in one picosecond, each time to the last one first: then each switch has
 * both in one turn, the first one before the others. A second later the same happens again. */
TEST(test_turns)
{
  g_autoptr(engine) clock = engine_native_new();
  network_switch_turns *turns = network_switch_turns_new(clock);
  g_autoptr(GArray) looked_up = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  row_of_switches row = {.turns = looked_up};
  GArray *output = test_output_new();
  engine_timer *twice[2];

  for (uint32_t i = 0; i < SWITCHES; i++) {
    const path_link_config link = link_of(i);
    row.switches[i] = network_switch_new(&LIMITS(0), &(network_switch_place){.name = "s",
                                                                             .port_room = 1,
                                                                             .turns = turns,
                                                                             .clock = clock,
                                                                             .new_link = new_link,
                                                                             .choose = note_turn,
                                                                             .choose_user = &row});
    g_assert_true(network_switch_add_port(row.switches[i], &link, test_output, output, NULL));
  }
  for (uint32_t i = 0; i < G_N_ELEMENTS(twice); i++) {
    twice[i] = engine_timer_new(clock, ENGINE_ARRIVAL, 1000 + i, 0, come_to_all, &row);
  }
  for (time_ps at = 0; at <= TIME_PS_PER_SECOND; at += TIME_PS_PER_SECOND) {
    engine_timer_set(twice[0], at);
    engine_timer_set(twice[1], at);
    engine_run(clock, TIME_PS_NEVER);
  }
  g_assert_cmpuint(output->len, ==, 4 * SWITCHES);
  g_assert_cmpuint(looked_up->len, ==, 4 * SWITCHES);
  for (uint32_t i = 0; i < looked_up->len; i++) {
    g_assert_cmpuint(g_array_index(looked_up, uint32_t, i), ==, i / 2 % SWITCHES);
  }
  for (uint32_t i = 0; i < SWITCHES; i++) {
    network_switch_free(row.switches[i]);
  }
  network_switch_turns_free(turns);
  engine_timer_free(twice[0]);
  engine_timer_free(twice[1]);
  test_output_free(output);
}

/* Whatever comes, from whichever port, also too large, while links fail and return: at any time what came in
 * has left, is held or was dropped, and at the end nothing is held. What left has arrived, or was lost on a
 * link. */
TEST(test_conservation)
{
  const guint32 seed = g_test_rand_int();
  enum { PORTS = 4, STEPS = 20000 };
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(bench) b =
      bench_new(PORTS, LIMITS(.buffer_octets = 15000, .alpha_numerator = 4, .alpha_denominator = 1,
                              .port_limit_octets = 9000, .ecn_minimum_octets = 1000,
                              .ecn_maximum_octets = 5000, .ecn_probability = 1, .per_packet_octets = 24));
  path_link_config narrow = link_of(PORTS);
  uint64_t sent = 0;
  uint64_t gone = 0;
  uint64_t dropped_by[NETWORK_SWITCH_DROPS] = {0};

  g_test_message("seed %u", seed);
  narrow.mtu_octets = 400;
  g_assert_true(network_switch_add_port(b->hub, &narrow, test_output, b->output, NULL));
  for (uint32_t step = 0; step < STEPS; step++) {
    const time_ps now = engine_now(b->clock) + g_rand_int_range(random, 0, 4) * 100000;
    const uint32_t port = (uint32_t)g_rand_int_range(random, 0, PORTS + 2); /* the last one does not exist */
    datagram *packet = packet_to(port, (uint32_t)g_rand_int_range(random, TEST_HEADER_OCTETS, 1501), step);

    if (g_rand_boolean(random)) {
      datagram_allow_fragments(packet, (uint16_t)step);
    }
    datagram_set_ecn(packet, (datagram_ecn)g_rand_int_range(random, 0, 4));
    come(b, now, packet);
    if (g_rand_int_range(random, 0, 50) == 0) {
      network_switch_set_up(b->hub, (uint32_t)g_rand_int_range(random, 0, PORTS + 1),
                            g_rand_int_range(random, 0, 4) > 0, now);
    }
    assert_conserved(b);
  }
  run(b, TIME_PS_NEVER);
  network_switch_end(b->hub, engine_now(b->clock));
  assert_conserved(b);
  g_assert_cmpuint(network_switch_totals_of(b->hub).held, ==, 0);
  for (uint32_t port = 0; port <= PORTS; port++) {
    const network_port_counts counts = network_switch_port_counts(b->hub, port);
    const network_port_gauge *gauge = network_switch_port_gauge(b->hub, port);
    sent += counts.packets_sent;
    gone += counts.lost_on_link;
    for (int cause = 0; cause < NETWORK_SWITCH_DROPS; cause++) {
      dropped_by[cause] += counts.dropped[cause];
    }
    g_assert_cmpuint(counts.packets_sent, >, 0);
    g_assert_cmpuint(counts.dropped[NETWORK_SWITCH_LINK], >, 0);
    g_assert_cmpuint(gauge->peak_octets, <=, 9000);
    g_assert_cmpint(gauge->busy_ps, <=, gauge->measured_ps);
  }
  g_assert_cmpuint(b->output->len, ==, sent - gone);
  for (int cause = 0; cause < NETWORK_SWITCH_DROPS; cause++) {
    g_test_message("cause %d: %" G_GUINT64_FORMAT, cause, dropped_by[cause]);
    g_assert_cmpuint(dropped_by[cause], >, 0);
  }
}
