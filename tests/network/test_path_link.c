/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the arithmetic of a link, the same for every kind of it; when packets start and
 * arrive, also when the link changes. */
#include "network/path_link.h"
#include "path_fixture.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(path_link_schedule, path_link_schedule_clear)

#define CONFIG_AT(rate, delay)                                                                               \
  {                                                                                                          \
    .id = 0, .rate_bit_per_s = UINT64_C(rate), .delay_ps = delay, .mtu_octets = 1500, .framing_octets = 38   \
  }

static const path_link_config ten_gigabit = CONFIG_AT(10000000000, 25 * TIME_PS_PER_MICROSECOND);

/* Returns when the transmitter that starts a packet of `ip_octets` at `start` is free again. */
static time_ps free_at(const path_link_config *config, time_ps start, uint32_t ip_octets)
{
  return path_link_arrival_at(config, start, ip_octets) - config->delay_ps + path_link_gap_ps(config);
}

/* docs/facts.md, "A link's times": 1500 octets at 10 Gbit/s over 25 us arrive after 26,201,600 ps (1502
 * octets of 800 ps and the delay). The transmitter is free after 1538 octets: 1,230,400 ps. */
TEST(test_arithmetic_of_facts)
{
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 0, 1500), ==, 26201600);
  g_assert_cmpint(free_at(&ten_gigabit, 0, 1500), ==, 1230400);
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 1000, 1500), ==, 26202600);
  g_assert_cmpint(free_at(&ten_gigabit, 1000, 1500), ==, 1231400);
}

/* At 7 Gbit/s 1502 octets last 1,716,571.43 ps -> 1,716,571 and the gap of 36 octets 41,142.86 -> 41,143:
 * each is rounded on its own, together 1,757,714. At 3 Gbit/s: 42 octets 112,000 exactly; 36: 96,000. At 16
 * Gbit/s an octet lasts 500 ps. */
TEST(test_rounding)
{
  path_link_config config = ten_gigabit;
  config.rate_bit_per_s = UINT64_C(7000000000);
  g_assert_cmpint(path_link_arrival_at(&config, 0, 1500), ==, 25000000 + 1716571);
  g_assert_cmpint(free_at(&config, 0, 1500), ==, 1716571 + 41143);
  config.rate_bit_per_s = UINT64_C(3000000000);
  g_assert_cmpint(free_at(&config, 0, 40), ==, 112000 + 96000);
  config.framing_octets = PATH_LINK_PPP_OCTETS; /* no gap */
  config.rate_bit_per_s = UINT64_C(16000000000);
  g_assert_cmpint(free_at(&config, 0, 41), ==, 21500);
}

/* The pace of a link is its arithmetic: where an octet takes whole picoseconds (800 at 10 Gbit/s), where not
 * (1142.9 at 7), in cells, with a framing that is no more than PPP's or takes octets away, and at the slowest
 * rate. */
typedef struct pace_row {
  const char *name;
  uint64_t rate_bit_per_s;
  int32_t framing_octets;
  uint32_t cell_octets;
} pace_row;

static const pace_row PACES[] = {
    {"10Gbit", UINT64_C(10000000000), 38, 0}, {"7Gbit", UINT64_C(7000000000), 38, 0},
    {"cells", UINT64_C(10000000000), 0, 48},  {"one-octet", UINT64_C(8000000000), 1, 0},
    {"fewer", UINT64_C(8000000000), -20, 0},  {"slowest", 1, 38, 0}};

EACH_TEST(test_pace, pace_row, PACES)
{
  static const uint32_t lengths[] = {1500, 40, 1500, 56, 40, 72, 1499, 1500, 40, 41};
  path_link_config config = ten_gigabit;

  config.rate_bit_per_s = c->rate_bit_per_s;
  config.framing_octets = c->framing_octets;
  config.cell_octets = c->cell_octets;
  const path_link_pace pace = path_link_pace_of(&config);
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    time_ps sent = 1000 + path_link_pace_sending_ps(&pace, &config, lengths[i]);
    g_assert_cmpint(sent + config.delay_ps, ==, path_link_arrival_at(&config, 1000, lengths[i]));
    g_assert_cmpint(sent + pace.gap_ps, ==, free_at(&config, 1000, lengths[i]));
  }
}

/* This is tc-netem(8), rate: 50 octets in ATM's cells of 48 and 5 are two cells, 106 octets; `5kbit 20 100 5`
 * makes 50 octets 70, one cell of 105. The whole time passes before the packet arrives, and no gap is left.
 * At 8 Gbit/s an octet takes a nanosecond. */
static const struct {
  int32_t framing;
  uint32_t cell;
  int32_t overhead;
  uint32_t ip_octets;
  uint32_t arrives; /* after so many octets */
  uint32_t free;
} cells_rows[] = {
    {0, 48, 5, 50, 106, 106},      {0, 48, 5, 48, 53, 53},       {0, 48, 5, 49, 106, 106},
    {20, 100, 5, 50, 105, 105},    {-14, 48, 5, 62, 53, 53},     {-14, 48, 5, 63, 106, 106},
    {38, 48, 5, 1500, 1749, 1749}, {0, 48, -4, 97, 132, 132},    {38, 0, 0, 1500, 1502, 1538},
    {2, 0, 0, 1500, 1502, 1502},   {1, 0, 0, 1500, 1501, 1501},  {-14, 0, 0, 1500, 1486, 1486},
    {38, 0, 5, 1500, 1502, 1538},  {24, 1, 0, 1500, 1524, 1524},
};

ROW_TEST(test_cells, cells_rows)
{
  const path_link_config config = {.rate_bit_per_s = UINT64_C(8000000000),
                                   .delay_ps = 7,
                                   .framing_octets = c->framing,
                                   .cell_octets = c->cell,
                                   .cell_overhead_octets = c->overhead};
  g_assert_cmpint(path_link_arrival_at(&config, 0, c->ip_octets), ==,
                  c->arrives * TIME_PS_PER_NANOSECOND + 7);
  g_assert_cmpint(free_at(&config, 0, c->ip_octets), ==, c->free * TIME_PS_PER_NANOSECOND);
}

/* netem's `delay 3us rate 8gbit 10 48 5` beside a link with Ethernet's 14 octets in its framing. netem takes
 * from a packet's delay what it has to wait for the one before it, not below 0, and adds its time at the
 * rate; the link transmits first and delays then. Packets of random lengths come in bursts and apart. */
TEST(test_rate_as_netem)
{
  const guint32 seed = 161803;
  const time_ps delay = 3 * TIME_PS_PER_MICROSECOND;
  const path_link_config config = {.rate_bit_per_s = UINT64_C(8000000000),
                                   .delay_ps = delay,
                                   .framing_octets = 14 + 10,
                                   .cell_octets = 48,
                                   .cell_overhead_octets = 5};
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  time_ps now = 0;
  time_ps free = 0;
  time_ps netem_last = 0;

  for (guint i = 0; i < 10000; i++) {
    uint32_t octets = (uint32_t)g_rand_int_range(random, 40, 1501);
    time_ps start = MAX(now, free);
    time_ps on_the_wire = (octets + 14 + 10 + 47) / 48 * 53 * TIME_PS_PER_NANOSECOND;
    netem_last = netem_last > now ? netem_last + MAX(delay - (netem_last - now), 0) + on_the_wire
                                  : now + delay + on_the_wire;
    g_assert_cmpint(path_link_arrival_at(&config, start, octets), ==, netem_last);
    free = free_at(&config, start, octets);
    now += g_rand_int_range(random, 0, 4) * g_rand_int_range(random, 0, 2000000);
  }
}

/* --- Packets on the way --- */

/* This is 8 Gbit/s: an octet lasts 1000 ps, a packet of 40 octets 42,000 ps to its last octet and 78,000
 * until the transmitter is free; 2 Gbit/s. */
static const path_link_config fast = CONFIG_AT(8000000000, 500000), slow = CONFIG_AT(2000000000, 500000);

static void schedule(path_link_schedule *schedule, uint32_t number, time_ps now)
{
  datagram *packet = test_numbered_packet(number);
  path_link_schedule_send(schedule, packet, now);
}

/* Checks all that is on the way, in the order in which it arrives, with the times. */
static void assert_arrivals(path_link_schedule *schedule, const char *expected)
{
  GArray *output = test_output_new();
  time_ps next;
  while ((next = path_link_schedule_next(schedule)) != TIME_PS_NEVER) {
    datagram *packet = path_link_schedule_take(schedule);
    test_output(output, packet, next);
  }
  test_assert_numbers(output, true, expected);
  test_output_free(output);
}

/* Packets 1 … 4 start at 0, 78,000, 156,000 and 234,000. */
static path_link_schedule four_packets(void)
{
  path_link_schedule transits;
  path_link_schedule_init(&transits, &fast);
  for (uint32_t i = 1; i <= 4; i++) {
    schedule(&transits, i, 0);
  }
  return transits;
}

TEST(test_no_change)
{
  g_auto(path_link_schedule) transits = four_packets();
  assert_arrivals(&transits, "1@542000 2@620000 3@698000 4@776000");
}

/* At 2 Gbit/s from 78,000 on, when 2 has just started: 3 starts when 2 is through, at 156,000, takes 168,000
 * to its last octet and 312,000 in all; 4 starts at 468,000, and a fifth at 780,000. */
TEST(test_rate)
{
  g_auto(path_link_schedule) transits = four_packets();
  path_link_schedule_change(&transits, &slow, 78000);
  schedule(&transits, 5, 100000);
  assert_arrivals(&transits, "1@542000 2@620000 3@824000 4@1136000 5@1448000");
}

/* One picosecond earlier 2 still waits: it starts at 78,000 all the same, at the new rate: then 3 at 390,000,
 * 4 at 702,000. */
TEST(test_rate_before_a_start)
{
  g_auto(path_link_schedule) transits = four_packets();
  path_link_schedule_change(&transits, &slow, 77999);
  assert_arrivals(&transits, "1@542000 2@746000 3@1058000 4@1370000");
}

/* Without a delay from 100,000 on, 3 and 4 overtake 1 and 2, which are under way. Then, at 160,000, the rate
 * falls while 4 still waits: 3 has started at 156,000 and keeps its arrival, 4 starts at 234,000 and takes
 * 168,000. */
TEST(test_delay)
{
  g_auto(path_link_schedule) transits = four_packets();
  path_link_config none = fast;
  none.delay_ps = 0;
  path_link_schedule_change(&transits, &none, 100000);
  none.rate_bit_per_s /= 4;
  path_link_schedule_change(&transits, &none, 160000);
  assert_arrivals(&transits, "3@198000 4@402000 1@542000 2@620000");
}

/* Two that arrive in one picosecond do so in the order sent: 2, sent at 100,000 with a delay that
 * is less by so much. */
TEST(test_together)
{
  g_auto(path_link_schedule) transits;
  path_link_config nearer = fast;
  path_link_schedule_init(&transits, &fast);
  schedule(&transits, 1, 0);
  nearer.delay_ps -= 100000;
  path_link_schedule_change(&transits, &nearer, 90000);
  schedule(&transits, 2, 100000);
  assert_arrivals(&transits, "1@542000 2@542000");
}

/* It is a link that is idle: the next packet is sent as the link now is. What is on the way is freed with the
 * schedule. */
TEST(test_idle)
{
  g_auto(path_link_schedule) transits;
  path_link_schedule_init(&transits, &fast);
  path_link_schedule_change(&transits, &slow, 1000);
  schedule(&transits, 1, 1000);
  g_assert_cmpint(path_link_schedule_next(&transits), ==, 1000 + 168000 + 500000);
}

/* --- The link over a native clock --- */

typedef struct link_fixture {
  engine *clock;
  path_link *link; /* `ten_gigabit` */
  GArray *output;
} link_fixture;

static link_fixture *link_fixture_new(void)
{
  link_fixture *f = g_new0(link_fixture, 1);
  f->clock = engine_native_new();
  f->output = test_output_new();
  f->link = path_link_native_new(&ten_gigabit, f->clock);
  path_link_set_receiver(f->link, test_output, f->output);
  return f;
}

static void link_fixture_free(link_fixture *f)
{
  test_output_free(f->output);
  path_link_free(f->link);
  engine_free(f->clock);
  g_free(f);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(link_fixture, link_fixture_free)

#define LINK_TEST(name) TEST_OF(link_fixture, f, link_fixture_new(), name)

LINK_TEST(test_one_packet)
{
  path_link_send(f->link, test_packet(0, 1460, TCP_ACK), 0);
  engine_run(f->clock, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->output->len, ==, 1);
  const test_arrival *arrival = test_output_at(f->output, 0);
  EXPECT_FIELDS(arrival, (at, 26201600), (packet->payload.length, 1460));
}

/* A burst at 0: 1500, 40, 1500 octets start at 0, 1,230,400 and 1,230,400 + 78 * 800 = 1,292,800; they arrive
 * 1502, 42 and 1502 octets and 25 us later. */
LINK_TEST(test_burst)
{
  static const time_ps times[] = {26201600, 1230400 + 33600 + 25000000, 1292800 + 1201600 + 25000000};
  path_link_send(f->link, test_packet(0, 1460, TCP_ACK), 0);
  path_link_send(f->link, test_packet(0, 0, TCP_ACK), 0);
  path_link_send(f->link, test_packet(0, 1460, TCP_ACK), 0);
  engine_run(f->clock, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->output->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    EXPECT_FIELDS(test_output_at(f->output, i), (at, times[i]));
  }
}

/* Sends at three times: the transmitter idle (3 us), a picosecond before it is free (3,062,399), and long
 * after (9 us). A packet of 40 octets takes 33,600 ps until the last octet has left and 62,400 ps until the
 * transmitter is free: 2 starts at 3,062,400. */
TEST(test_sends_at_different_times)
{
  static const time_ps times[] = {3000000, 3062399, 9000000};
  g_autoptr(link_fixture) f = link_fixture_new();
  for (uint32_t i = 0; i < G_N_ELEMENTS(times); i++) {
    engine_run(f->clock, times[i]);
    path_link_send(f->link, test_numbered_packet(i + 1), times[i]);
  }
  engine_run(f->clock, TIME_PS_PER_SECOND);
  test_assert_numbers(f->output, true, "1@28033600 2@28096000 3@34033600");
}

/* Two links of one clock deliver in the same picosecond: by link, then by send order, however they
 * were sent. */
TEST(test_ties_between_links)
{
  g_autoptr(engine) clock = engine_native_new();
  path_link_config config = ten_gigabit;
  config.id = 1;
  g_autoptr(path_link) second = path_link_native_new(&config, clock);
  config.id = 0;
  g_autoptr(path_link) first = path_link_native_new(&config, clock);
  GArray *output = test_output_new();
  path_link_set_receiver(first, test_output, output);
  path_link_set_receiver(second, test_output, output);
  path_link_send(second, test_numbered_packet(20), 0);
  path_link_send(second, test_numbered_packet(21), 0);
  path_link_send(first, test_numbered_packet(10), 0);
  path_link_send(first, test_numbered_packet(11), 0);
  engine_run(clock, TIME_PS_PER_SECOND);
  test_assert_numbers(output, true, "10@25033600 20@25033600 11@25096000 21@25096000");
  test_output_free(output);
}

/* The delay becomes 1 us after the first packet: the second starts at 62,400, arrives 33,600 ps and that
 * later, and is what the link waits for now. */
LINK_TEST(test_overtaking)
{
  path_link_config shorter = ten_gigabit;
  shorter.delay_ps = TIME_PS_PER_MICROSECOND;
  path_link_send(f->link, test_numbered_packet(1), 0);
  path_link_set_config(f->link, &shorter, 0);
  path_link_send(f->link, test_numbered_packet(2), 0);
  engine_run(f->clock, TIME_PS_PER_SECOND);
  test_assert_numbers(f->output, true, "2@1096000 1@25033600");
}

typedef struct echo {
  path_link *link;
  uint32_t left;
  time_ps last;
} echo;

static void answer(void *user, datagram *packet, time_ps now)
{
  echo *e = user;
  datagram_unref(packet);
  e->last = now;
  if (e->left-- > 0) {
    path_link_send(e->link, test_numbered_packet(e->left), now);
  }
}

/* A receiver may send on the same link: each round takes 33,600 + 25,000,000 ps. */
TEST(test_receiver_may_send)
{
  g_autoptr(engine) clock = engine_native_new();
  g_autoptr(path_link) link = path_link_native_new(&ten_gigabit, clock);
  echo e = {.link = link, .left = 9};
  path_link_set_receiver(link, answer, &e);
  path_link_send(link, test_numbered_packet(1), 0);
  engine_run(clock, TIME_PS_PER_SECOND);
  g_assert_cmpint(e.last, ==, 10 * INT64_C(25033600));
}

/* What is on the way when the link is freed goes with it (the sanitizer looks for the packet). */
TEST(test_free_with_packets_on_the_way)
{
  g_autoptr(engine) clock = engine_native_new();
  path_link *link = path_link_native_new(&ten_gigabit, clock);
  g_autoptr(datagram) packet = test_packet(0, 100, TCP_ACK);
  path_link_send(link, datagram_ref(packet), 0);
  path_link_send(link, test_numbered_packet(1), 0);
  path_link_free(link);
  g_assert_cmpuint(packet->references, ==, 1);
}
