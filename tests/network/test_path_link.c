/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of a link, the same for every kind of it. */
#include "network/path_link.h"
#include "path_test_kit.h"

static const path_link_config ten_gigabit = {.id = 0,
                                             .rate_bit_per_s = UINT64_C(10000000000),
                                             .delay_ps = 25 * TIME_PS_PER_MICROSECOND,
                                             .mtu_octets = 1500,
                                             .framing_octets = 38};

/* facts.md: 1500 octets at 10 Gbit/s over 25 us arrive after 26,201,600 ps (1502 octets of 800 ps and the
 * delay). The transmitter is free after 1538 octets: 1,230,400 ps. */
/* When the transmitter that starts a packet of `ip_octets` at `start` is free again. */
static time_ps free_at(const path_link_config *config, time_ps start, uint32_t ip_octets)
{
  return path_link_arrival_at(config, start, ip_octets) - config->delay_ps + path_link_gap_ps(config);
}

static void test_arithmetic_of_facts(void)
{
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 0, 1500), ==, 26201600);
  g_assert_cmpint(free_at(&ten_gigabit, 0, 1500), ==, 1230400);
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 1000, 1500), ==, 26202600);
  g_assert_cmpint(free_at(&ten_gigabit, 1000, 1500), ==, 1231400);
}

/* At 7 Gbit/s 1502 octets last 1,716,571.43 ps -> 1,716,571 and the gap of 36 octets 41,142.86 -> 41,143:
 * each is rounded on its own, together 1,757,714. At 3 Gbit/s: 42 octets 112,000 exactly; 36: 96,000. At 16
 * Gbit/s an octet lasts 500 ps. */
static void test_rounding(void)
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

/* The pace of a link is its arithmetic, in whatever order lengths come and come again: 40, 56 and 72 share a place; an odd rate. */
static void test_pace(void)
{
  static const uint32_t lengths[] = {1500, 40, 1500, 56, 40, 72, 1499, 1500, 40, 41};
  path_link_config config = ten_gigabit;
  path_link_pace pace = {0};

  config.rate_bit_per_s = UINT64_C(7000000000);
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    time_ps sent = 1000 + path_link_pace_sending_ps(&pace, &config, lengths[i]);
    g_assert_cmpint(sent + config.delay_ps, ==, path_link_arrival_at(&config, 1000, lengths[i]));
    g_assert_cmpint(sent + pace.gap_ps, ==, free_at(&config, 1000, lengths[i]));
  }
}

/* tc-netem(8), rate: 50 octets in ATM's cells of 48 and 5 are two cells, 106 octets; `5kbit 20 100 5` makes 50 octets 70, one cell of 105.
 * The whole time passes before the packet arrives, and no gap is left. At 8 Gbit/s an octet takes a nanosecond. */
static void test_cells(void)
{
  static const struct {
    int32_t framing;
    uint32_t cell;
    int32_t overhead;
    uint32_t ip_octets;
    uint32_t arrives; /* after so many octets */
    uint32_t free;
  } rows[] = {
      {0, 48, 5, 50, 106, 106},      {0, 48, 5, 48, 53, 53},       {0, 48, 5, 49, 106, 106},
      {20, 100, 5, 50, 105, 105},    {-14, 48, 5, 62, 53, 53},     {-14, 48, 5, 63, 106, 106},
      {38, 48, 5, 1500, 1749, 1749}, {0, 48, -4, 97, 132, 132},    {38, 0, 0, 1500, 1502, 1538},
      {2, 0, 0, 1500, 1502, 1502},   {1, 0, 0, 1500, 1501, 1501},  {-14, 0, 0, 1500, 1486, 1486},
      {38, 0, 5, 1500, 1502, 1538},  {24, 1, 0, 1500, 1524, 1524},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    const path_link_config config = {.rate_bit_per_s = UINT64_C(8000000000),
                                     .delay_ps = 7,
                                     .framing_octets = rows[i].framing,
                                     .cell_octets = rows[i].cell,
                                     .cell_overhead_octets = rows[i].overhead};
    g_assert_cmpint(path_link_arrival_at(&config, 0, rows[i].ip_octets), ==,
                    rows[i].arrives * TIME_PS_PER_NANOSECOND + 7);
    g_assert_cmpint(free_at(&config, 0, rows[i].ip_octets), ==, rows[i].free * TIME_PS_PER_NANOSECOND);
  }
}

/* netem's `delay 3us rate 8gbit 10 48 5` beside a link with Ethernet's 14 octets in its framing. netem takes from a packet's delay what it
 * has to wait for the one before it, not below 0, and adds its time at the rate; the link transmits first and delays then. Packets of
 * random lengths come in bursts and apart. */
static void test_rate_as_netem(void)
{
  const guint32 seed = 161803;
  const time_ps delay = 3 * TIME_PS_PER_MICROSECOND;
  const path_link_config config = {.rate_bit_per_s = UINT64_C(8000000000),
                                   .delay_ps = delay,
                                   .framing_octets = 14 + 10,
                                   .cell_octets = 48,
                                   .cell_overhead_octets = 5};
  g_test_message("seed %u", seed);
  GRand *random = g_rand_new_with_seed(seed);
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
  g_rand_free(random);
}

/* A kind of link that does nothing but remember. */
typedef struct dead_link {
  path_link link;
  GArray *output;
} dead_link;

static void keep(path_link *link, datagram *packet)
{
  test_output(((dead_link *)link)->output, packet, 0);
}

/* Send orders are 1, 2, … on each link, whatever a packet had before. */
static void test_send_numbers_packets(void)
{
  dead_link first = {.link = {.send = keep}, .output = test_output_new()};
  dead_link second = {.link = {.send = keep}, .output = test_output_new()};
  datagram *packet = test_numbered_packet(1);
  packet->send_order = 50;
  path_link_send(&first.link, packet);
  path_link_send(&second.link, test_numbered_packet(2));
  path_link_send(&first.link, test_numbered_packet(3));
  g_assert_cmpuint(test_output_at(first.output, 0)->packet->send_order, ==, 1);
  g_assert_cmpuint(test_output_at(first.output, 1)->packet->send_order, ==, 2);
  g_assert_cmpuint(test_output_at(second.output, 0)->packet->send_order, ==, 1);
  test_output_free(first.output);
  test_output_free(second.output);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_link/arithmetic_of_facts", test_arithmetic_of_facts);
  g_test_add_func("/path_link/rounding", test_rounding);
  g_test_add_func("/path_link/pace", test_pace);
  g_test_add_func("/path_link/cells", test_cells);
  g_test_add_func("/path_link/rate_as_netem", test_rate_as_netem);
  g_test_add_func("/path_link/send_numbers_packets", test_send_numbers_packets);
  return g_test_run();
}
