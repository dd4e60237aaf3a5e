/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what `check` prints of traffic classes. */
#include "scenario/scenario_forecast.h"

#include "scenario_fixture.h"

static void assert_forecast(const char *text, const char *expected)
{
  g_autoptr(scenario) s = fixture_load(text, NULL);
  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_autofree char *forecast = scenario_forecast_text(s);

  g_assert_cmpstr(forecast, ==, expected);
}

/* The mean of what arrives by chance need not be whole; large numbers are written out, and one host is no
 * list of hosts. 1250 octets in 1 ms are 0.1 % of 10 Gbit/s; they are one segment, with 40 octets of IP and
 * TCP, 20 of DDP and MPA, 4 of a marker for each 512, and 38 of the link. */
TEST(test_numbers)
{
  assert_forecast("topology: { kind = \"star\"; hosts = 2; };\n"
                  "workload: { arrivals = \"interval\"; interval = \"1ms\"; message_size = 1250; until = "
                  "\"12.4ms\"; };",
                  "  traffic    about 12 messages of 1.221 KiB, 15.14 KiB in all; every 1 ms at the sender, "
                  "0.1 % of 10 Gbit/s, "
                  "0.1086 % with headers\n"
                  "  busiest    the link of h0: 0.1 % of payload, 0.1086 % with headers\n"
                  "             the port of s0 to h1: 0.1 % of payload, 0.1086 % with headers\n");
  assert_forecast("topology: { kind = \"star\"; hosts = 2; };\n"
                  "workload: { arrivals = \"interval\"; interval = \"1ms\"; message_size = 1250; messages = "
                  "30000; };",
                  "  traffic    30000 messages of 1.221 KiB, 35.76 MiB in all; every 1 ms at the sender, 0.1 "
                  "% of 10 Gbit/s, "
                  "0.1086 % with headers\n"
                  "  busiest    the link of h0: 0.1 % of payload, 0.1086 % with headers\n"
                  "             the port of s0 to h1: 0.1 % of payload, 0.1086 % with headers\n");
}

/* What is posted at once needs no line. */
TEST(test_posted)
{
  assert_forecast("", NULL);
  assert_forecast("topology: { kind = \"star\"; };\nworkload: { pattern = \"incast\"; };", NULL);
}

/* Full-size segments of an MTU of 1500 have 1428.7 octets of payload in 1538 on Ethernet, 92.9 %, so that a
 * load of 90 % is 96.9 % of the link. 142870 octets are 100 of them, of which one comes every 1428.7 x 8 / 9
 * ns x 100. */
TEST(test_one_sender)
{
  assert_forecast(
      "workload: { arrivals = \"poisson\"; load = \"90%\"; message_size = 142860; until = \"12.7ms\"; };",
      "  traffic    about 100 messages of 139.5 KiB, 13.63 MiB in all; every 127 us at the sender, 90 % of "
      "10 "
      "Gbit/s, "
      "96.89 % with headers\n"
      "  busiest    path.forward: 90 % of payload, 96.89 % with headers\n");
}

/* Of 9 hosts each receives an incast of 4 others every 1 ms: in 10 ms there are 10 x 9 x 4 messages. 14287
 * octets are 10 segments, all of the first window; the queue has room for 20 packets, of which one is being
 * sent. 4 x 14280 octets in 1 ms are 4.57 % of 10 Gbit/s; each of 8 senders of a host has as much on average.
 */
TEST(test_classes)
{
  assert_forecast(
      "topology: { kind = \"star\"; hosts = 9; };\nswitch: { port_limit = 30000; };\n"
      "workload: { until = \"10ms\"; };\n"
      "traffic = ( { name = \"in\"; pattern = \"incast\"; to = \"all\"; fan_in = 4; arrivals = \"interval\"; "
      "interval = "
      "\"1ms\"; message_size = 14280; },\n"
      "{ name = \"loop\"; operation = \"read\"; from = \"h0\"; to = \"h1\"; outstanding = 1; think_time = "
      "\"895.2us\"; "
      "message_size = 1; messages = 5; } );",
      "  traffic    in: 360 messages of 13.95 KiB, 4.903 MiB in all; an incast every 1 ms at each of 9 "
      "receivers, 4.57 % of "
      "10 Gbit/s, 4.919 % with headers\n"
      "             of first windows of an incast w (N - 1) - b = 10 (4 - 1) - 19: 11 packets lost\n"
      "             loop: 5 messages of 1 octet, 5 octets in all\n"
      "  busiest    the link of h0: 4.57 % of payload, 4.919 % with headers\n"
      "             the port of s0 to h0: 4.57 % of payload, 4.919 % with headers\n");
}

/* The mean and the quantiles are those of the distribution: a half has at most 1 KiB. With 20 octets of each
 * FPDU, 4 of a marker each 512 and 78 of each segment, 1024 are 1130.2 and 3072, in three segments, 3390.4:
 * on average 2260.3. */
TEST(test_sizes)
{
  fixture_write("s.txt", "1024 50\n1024 50\n3072 100\n");
  assert_forecast("workload: { arrivals = \"interval\"; interval = \"1ms\"; messages = 8; sizes = \"s.txt\"; "
                  "size_steps = "
                  "true; };",
                  "  traffic    8 messages of 2 KiB on average (p50 1 KiB, p99 3 KiB), 16 KiB in all; every "
                  "1 ms at the sender, "
                  "0.1638 % of 10 Gbit/s, 0.1808 % with headers\n"
                  "  busiest    path.forward: 0.1638 % of payload, 0.1808 % with headers\n");
}
