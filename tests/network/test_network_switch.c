/* SPDX-License-Identifier: GPL-2.0-only */
/* A switch by itself, with senders that never hold still: what it admits, drops, marks and counts. */
#include "network/network_switch.h"

#include "network_cleanup.h"
#include "path_fixture.h"
#include "test.h"

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
  b->output = test_output_new();
  b->hub = network_switch_new(&config, &(network_switch_place){.name = "s0",
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
  network_switch_settle(b->hub, engine_now(b->clock));
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

/* B 500 packets: alpha 1/2, 1, 8 leave room for 167, 250 and 445. */
TEST(test_first_burst_with_dynamic_threshold)
{
  const uint64_t buffer = 500 * PACKET_OCTETS;

  burst(LIMITS(.buffer_octets = buffer, .alpha_numerator = 1, .alpha_denominator = 2), 167,
        NETWORK_SWITCH_THRESHOLD);
  burst(LIMITS(.buffer_octets = buffer, .alpha_numerator = 1, .alpha_denominator = 1), 250,
        NETWORK_SWITCH_THRESHOLD);
  burst(LIMITS(.buffer_octets = buffer, .alpha_numerator = 8, .alpha_denominator = 1), 445,
        NETWORK_SWITCH_THRESHOLD);
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
 * in each slot; and Jain's index of the shares. */
static double jain_of(uint32_t senders, time_ps stagger_ps, double *worst_loss_share)
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
  *worst_loss_share = 0;
  for (uint32_t s = 0; s < senders; s++) {
    const double lost = (slots - delivered[s]) / (double)dropped(b, 0, NETWORK_SWITCH_BUFFER);
    sum += delivered[s];
    squares += (double)delivered[s] * delivered[s];
    *worst_loss_share = MAX(*worst_loss_share, lost * senders);
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
  double worst;

  g_assert_cmpfloat(jain_of(c->senders, 0, &worst), >=, 0.99);
  g_assert_cmpfloat(worst, <, 1.02);
  g_assert_cmpfloat(jain_of(c->senders, 1, &worst), <, 1.1 / c->senders);
}

/* The order in which five packets leave that come in one picosecond, one of them after a second of its own
 * port. */
static char *order_of_ties(time_ps latency_ps, time_ps at)
{
  g_autoptr(bench) b = bench_new(1, LIMITS(.latency_ps = latency_ps));
  GString *order = g_string_new(NULL);

  for (uint32_t s = 0; s < 5; s++) {
    start_sender(b, 0, s == 3 ? 2 : 1, 0, at);
  }
  run(b, TIME_PS_NEVER);
  for (guint i = 0; i < b->output->len; i++) {
    g_string_append_printf(order, "%u", test_output_at(b->output, i)->packet->number);
  }
  return g_string_free(order, FALSE);
}

/* It is another one at another time, and does not depend on the latency. Packets of one port stay in
 * order. */
TEST(test_order_of_ties)
{
  g_autofree char *first = order_of_ties(0, 1000000);
  g_autofree char *late = order_of_ties(500000, 1000000);
  g_autofree char *second = order_of_ties(0, 2000000);

  g_assert_cmpstr(first, ==, late);
  g_assert_cmpstr(first, !=, second);
  g_assert_nonnull(strstr(first, "33"));
}
