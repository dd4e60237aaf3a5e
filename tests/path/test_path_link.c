/* The arithmetic of a link, the same for every kind of it. */
#include "path/path_link.h"
#include "path_test_kit.h"

static const path_link_config ten_gigabit = {.id = 0,
                                             .rate_bit_per_s = UINT64_C(10000000000),
                                             .delay_ps = 25 * TIME_PS_PER_MICROSECOND,
                                             .mtu_octets = 1500,
                                             .framing_octets = 38};

/* facts.md: 1500 octets at 10 Gbit/s over 25 us arrive after 26,201,600 ps (1502 octets of 800 ps and the
 * delay). The transmitter is free after 1538 octets: 1,230,400 ps. */
static void test_arithmetic_of_facts(void)
{
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 0, 1500), ==, 26201600);
  g_assert_cmpint(path_link_free_at(&ten_gigabit, 0, 1500), ==, 1230400);
  g_assert_cmpint(path_link_arrival_at(&ten_gigabit, 1000, 1500), ==, 26202600);
  g_assert_cmpint(path_link_free_at(&ten_gigabit, 1000, 1500), ==, 1231400);
}

/* At 7 Gbit/s 1502 octets last 1,716,571.43 ps -> 1,716,571 and the gap of 36 octets 41,142.86 -> 41,143:
 * each is rounded on its own, together 1,757,714. At 3 Gbit/s: 42 octets 112,000 exactly; 36: 96,000. At 16
 * Gbit/s an octet lasts 500 ps. */
static void test_rounding(void)
{
  path_link_config config = ten_gigabit;
  config.rate_bit_per_s = UINT64_C(7000000000);
  g_assert_cmpint(path_link_arrival_at(&config, 0, 1500), ==, 25000000 + 1716571);
  g_assert_cmpint(path_link_free_at(&config, 0, 1500), ==, 1716571 + 41143);
  config.rate_bit_per_s = UINT64_C(3000000000);
  g_assert_cmpint(path_link_free_at(&config, 0, 40), ==, 112000 + 96000);
  config.framing_octets = PATH_LINK_PPP_OCTETS; /* no gap */
  config.rate_bit_per_s = UINT64_C(16000000000);
  g_assert_cmpint(path_link_free_at(&config, 0, 41), ==, 21500);
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
    g_assert_cmpint(sent + pace.gap_ps, ==, path_link_free_at(&config, 1000, lengths[i]));
  }
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
  g_test_add_func("/path_link/send_numbers_packets", test_send_numbers_packets);
  return g_test_run();
}
