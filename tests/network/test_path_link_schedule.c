/* SPDX-License-Identifier: GPL-2.0-only */
/* When packets start and arrive, also when the link changes. */
#include "network/path_link_schedule.h"
#include "path_test_kit.h"

/* 8 Gbit/s: an octet lasts 1000 ps, a packet of 40 octets 42,000 ps to its last octet and 78,000 until the transmitter is free. */
static const path_link_config fast = {.id = 0,
                                      .rate_bit_per_s = UINT64_C(8000000000),
                                      .delay_ps = 500000,
                                      .mtu_octets = 1500,
                                      .framing_octets = 38};

static void send(path_link_schedule *schedule, uint32_t number, time_ps now)
{
  datagram *packet = test_numbered_packet(number);
  packet->send_order = number;
  path_link_schedule_send(schedule, packet, now);
}

/* All that is on the way, in the order in which it arrives, with the times. */
static void assert_arrivals(path_link_schedule *schedule, const char *expected)
{
  GArray *output = test_output_new();
  uint64_t order = 0;
  time_ps next;
  while ((next = path_link_schedule_next(schedule, &order)) != TIME_PS_NEVER) {
    datagram *packet = path_link_schedule_take(schedule);
    g_assert_cmpuint(packet->send_order, ==, order);
    test_output(output, packet, next);
  }
  test_assert_numbers(output, true, expected);
  test_output_free(output);
}

/* 1 … 4 start at 0, 78,000, 156,000 and 234,000. */
static path_link_schedule four_packets(void)
{
  path_link_schedule schedule;
  path_link_schedule_init(&schedule, &fast);
  for (uint32_t i = 1; i <= 4; i++) {
    send(&schedule, i, 0);
  }
  return schedule;
}

static void test_no_change(void)
{
  path_link_schedule schedule = four_packets();
  assert_arrivals(&schedule, "1@542000 2@620000 3@698000 4@776000");
  path_link_schedule_clear(&schedule);
}

/* At 2 Gbit/s from 78,000 on, when 2 has just started: 3 starts when 2 is through, at 156,000, takes 168,000 to its last octet and
 * 312,000 in all; 4 starts at 468,000, and a fifth at 780,000. */
static void test_rate(void)
{
  path_link_schedule schedule = four_packets();
  path_link_config slow = fast;
  slow.rate_bit_per_s /= 4;
  path_link_schedule_change(&schedule, &slow, 78000);
  send(&schedule, 5, 100000);
  assert_arrivals(&schedule, "1@542000 2@620000 3@824000 4@1136000 5@1448000");
  path_link_schedule_clear(&schedule);
}

/* One picosecond earlier 2 still waits: it starts at 78,000 all the same, at the new rate: then 3 at 390,000, 4 at 702,000. */
static void test_rate_before_a_start(void)
{
  path_link_schedule schedule = four_packets();
  path_link_config slow = fast;
  slow.rate_bit_per_s /= 4;
  path_link_schedule_change(&schedule, &slow, 77999);
  assert_arrivals(&schedule, "1@542000 2@746000 3@1058000 4@1370000");
  path_link_schedule_clear(&schedule);
}

/* Without a delay from 100,000 on, 3 and 4 overtake 1 and 2, which are under way. Then, at 160,000, the rate falls while 4 still waits: 3
 * has started at 156,000 and keeps its arrival, 4 starts at 234,000 and takes 168,000. */
static void test_delay(void)
{
  path_link_schedule schedule = four_packets();
  path_link_config none = fast;
  none.delay_ps = 0;
  path_link_schedule_change(&schedule, &none, 100000);
  none.rate_bit_per_s /= 4;
  path_link_schedule_change(&schedule, &none, 160000);
  assert_arrivals(&schedule, "3@198000 4@402000 1@542000 2@620000");
  path_link_schedule_clear(&schedule);
}

/* Two that arrive in one picosecond do so in the order sent: 2, sent at 100,000 with a delay that is less by so much. */
static void test_together(void)
{
  path_link_schedule schedule;
  path_link_config nearer = fast;
  path_link_schedule_init(&schedule, &fast);
  send(&schedule, 1, 0);
  nearer.delay_ps -= 100000;
  path_link_schedule_change(&schedule, &nearer, 90000);
  send(&schedule, 2, 100000);
  assert_arrivals(&schedule, "1@542000 2@542000");
  path_link_schedule_clear(&schedule);
}

/* A link that is idle: the next packet is sent as the link now is. What is on the way is freed with the schedule. */
static void test_idle(void)
{
  path_link_schedule schedule;
  path_link_config slow = fast;
  uint64_t order = 0;
  slow.rate_bit_per_s /= 4;
  path_link_schedule_init(&schedule, &fast);
  path_link_schedule_change(&schedule, &slow, 1000);
  send(&schedule, 1, 1000);
  g_assert_cmpint(path_link_schedule_next(&schedule, &order), ==, 1000 + 168000 + 500000);
  g_assert_cmpuint(order, ==, 1);
  path_link_schedule_clear(&schedule);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_link_schedule/no_change", test_no_change);
  g_test_add_func("/path_link_schedule/rate", test_rate);
  g_test_add_func("/path_link_schedule/rate_before_a_start", test_rate_before_a_start);
  g_test_add_func("/path_link_schedule/delay", test_delay);
  g_test_add_func("/path_link_schedule/together", test_together);
  g_test_add_func("/path_link_schedule/idle", test_idle);
  return g_test_run();
}
