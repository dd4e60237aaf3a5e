/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's own TCP transfers the octets requested, in as many segments and as much time as the link needs. */
#include "ns3_tcp_bulk.h"
#include "test.h"

/* Returns a setting of 10 Gbit/s, 25 us each way, MTU 1500: segments of 1448 octets with timestamps. */
static ns3_tcp_bulk_config usual_config(uint64_t octets)
{
  ns3_tcp_bulk_config config;
  ns3_tcp_bulk_config_init(&config, octets, 10000000000, 25 * TIME_PS_PER_MICROSECOND, 1500);
  g_assert_cmpuint(config.segment_octets, ==, 1448);
  return config;
}

/* 2000 full segments and an octet without loss are 2001 segments, 2000 of which occupy the transmitter for
 * 1538 octets of 800 ps: 2,460,800,000 ps. Before them comes the handshake, a round trip of 50 us, after them
 * the delay of 25 us. Slow start, from 10 segments to the 41 of the bandwidth-delay product and, the
 * acknowledgements being delayed, 1.5-fold a round, costs some round trips more, fewer than ten. */
static void check_transfer(const ns3_tcp_bulk_config *config)
{
  ns3_tcp_bulk_result result;
  ns3_shim_error error = {""};
  bool done = ns3_tcp_bulk_run(config, &result, &error);
  g_assert_cmpstr(error.message, ==, "");
  g_assert_true(done);
  EXPECT_FIELDS(&result, (octets_received, config->octets), (data_segments, 2001));
  const time_ps least = 2000 * INT64_C(1538) * 800 + 75 * TIME_PS_PER_MICROSECOND;
  g_assert_cmpint(result.finished, >, least);
  g_assert_cmpint(result.finished, <, least + 10 * 50 * TIME_PS_PER_MICROSECOND);
  /* At least one event for the end of a packet's transmission, and one for its arrival. */
  g_assert_cmpuint(result.events, >, 2 * 2001);
  g_assert_cmpfloat(result.wall_seconds, >, 0);
}

TEST(test_new_reno)
{
  ns3_tcp_bulk_config config = usual_config(2000 * 1448 + 1);
  check_transfer(&config);
}

/* There is a second transfer in the same process, with other settings. */
TEST(test_cubic_without_options)
{
  ns3_tcp_bulk_config config = usual_config(2000 * 1460 + 1);
  config.congestion = NS3_TCP_BULK_CUBIC;
  config.timestamps = false;
  config.sack = false;
  config.segment_octets = 1460;
  check_transfer(&config);
}

/* With an initial window of one segment the second waits for the first's acknowledgement: a round trip of 50
 * us more. Without loss three segments take the handshake's 50 us, a delay of 25 us and less than 5 us of
 * transmission. */
TEST(test_initial_window)
{
  ns3_tcp_bulk_config config = usual_config(3 * 1448);
  ns3_tcp_bulk_result ten, one;
  g_assert_true(ns3_tcp_bulk_run(&config, &ten, NULL));
  config.initial_window_segments = 1;
  g_assert_true(ns3_tcp_bulk_run(&config, &one, NULL));
  g_assert_cmpuint(one.data_segments, ==, 3);
  g_assert_cmpint(ten.finished, >, 75 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(ten.finished, <, 80 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(one.finished, >, 125 * TIME_PS_PER_MICROSECOND);
}

TEST(test_one_simulator_in_a_process)
{
  const ns3_tcp_bulk_config config = usual_config(1000);
  ns3_tcp_bulk_result result;
  ns3_shim_error error = {""};

  g_assert_true(ns3_shim_open(NULL));
  g_assert_false(ns3_tcp_bulk_run(&config, &result, &error));
  g_assert_cmpstr(error.message, ==, "the simulator is open already: ns-3 has one per process");
  ns3_shim_close();
}
