/* SPDX-License-Identifier: GPL-2.0-only */
/* What is measured at the hosts and switches of a graph, and what differs from host to host. */
#include <math.h>

#include "run_fixture.h"

/* Returns what summary.json has under `name`. */
static double value_of(const session_result *result, const char *name)
{
  for (guint i = 0; i < result->values->len; i++) {
    const run_value *value = &g_array_index(result->values, run_value, i);

    if (strcmp(value->name, name) == 0) {
      return value->number;
    }
  }
  g_error("there is no value %s", name);
}

/* EXPECT_VALUES(result, {"host.h0.connections", 1}, …): all are exactly so. */
#define EXPECT_VALUES(result, ...)                                                                           \
  do {                                                                                                       \
    static const struct {                                                                                    \
      const char *name;                                                                                      \
      double value;                                                                                          \
    } expected[] = {__VA_ARGS__};                                                                            \
    for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {                                                     \
      g_test_message("%s", expected[i].name);                                                                \
      g_assert_cmpfloat(value_of(result, expected[i].name), ==, expected[i].value);                          \
    }                                                                                                        \
  } while (0)

/* Three hosts write 4 x 64 KiB each to the last one. The links of two lose a packet of each direction: of
 * payload the one, which comes again, once; of ACKs the other. A host that only sends has what it sent. */
static const char three_to_one[] =
    "topology: { kind = \"star\"; hosts = 4; };\n"
    "links = ( { name = \"lossy\"; between = \"h[0-1] s0\"; drop = [40]; } );\n"
    "workload: { pattern = \"incast\"; message_size = \"64KiB\"; messages = 4; };\n"
    "measure: { hosts = \"all\"; };\n";

TEST(test_what_each_host_did)
{
  g_auto(session_result) result = RUN_ON_BOTH(.text = three_to_one);
  const double goodput = metric_of(&result, METRIC_GOODPUT_BIT_PER_S);

  EXPECT_VALUES(&result, {"host.h0.connections", 1}, {"host.h3.connections", 3}, {"all.connections", 3},
                {"host.h0.retransmissions", 1}, {"host.h1.retransmissions", 1},
                {"host.h2.retransmissions", 0}, {"all.retransmissions", 2},
                {"all.spurious_retransmissions", 0}, {"all.timeouts", 0},
                {"host.h3.delivery.octets", 3 * 4 * 65536}, {"all.delivery.octets", 3 * 4 * 65536},
                {"host.h3.segments_refused", 0}, {"host.h3.direct_percent", 100});
  EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 2));
  g_assert_cmpfloat(fabs(value_of(&result, "host.h2.goodput_out_bit_per_s") / goodput - 1.0 / 3), <, 1e-12);
  g_assert_cmpfloat(fabs(value_of(&result, "all.goodput_out_bit_per_s") / goodput - 1), <, 1e-12);
  g_assert_cmpfloat(value_of(&result, "host.h3.goodput_bit_per_s"), ==, goodput);
}

/* Where no window opens, none of the hosts has a peak, and where no octet is held each that receives has one
 * of 0: the run's metrics are those of the host that most octets were delivered to, not of the first. */
static const char *const flat[] = {"measure.from=first-loss", "measure.from=first-octet"};

ROW_TEST(test_no_host_has_a_peak, flat)
{
  g_auto(session_result) result = RUN(.text = three_to_one, .sets = STRINGS(*c, "links.lossy.drop=[]"));

  g_assert_cmpstr(result.measured_host, ==, "h3");
  g_assert_cmpfloat(result.results.metrics.value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS], ==, 0);
  EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, 3 * 4 * 65536));
}

/* The values of all hosts are the largest peak, and quantiles of that host; a switch's are of all its ports.
 * Without a limit nothing is dropped, and the buffer's peak is at least the port's; with 20 packets of 1,500
 * octets at each port all losses are for that. */
TEST(test_all_hosts_and_a_switch)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = three_to_one, .sets = STRINGS("receiver.mode=in-order", "switch.port_limit=30000"));

  EXPECT_VALUES(&result, {"switch.s0.dropped_threshold_packets", 0}, {"switch.s0.dropped_buffer_packets", 0},
                {"switch.s0.lost_link_packets", 0}, {"switch.s0.marked_packets", 0});
  g_assert_cmpfloat(value_of(&result, "switch.s0.dropped_port_packets"), ==,
                    metric_of(&result, METRIC_LOSSES_SWITCH));
  g_assert_cmpfloat(value_of(&result, "switch.s0.dropped_port_packets"), >, 0);
  g_assert_cmpfloat(value_of(&result, "switch.s0.buffer_peak_octets"), >=, 28500); /* 19 of 20 at one port */
  g_assert_cmpfloat(value_of(&result, "all.buffer.reassembly_peak_octets"), ==,
                    metric_of(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS));
  g_assert_cmpfloat(value_of(&result, "all.buffer.reassembly_p99.9_octets"), ==,
                    value_of(&result, "host.h3.buffer.reassembly_p99.9_octets"));
}

/* Each of two hosts is the Initiator of one connection and the Responder of another, and payload goes both
 * ways in both: four messages in all. A segment of 1,460 octets has an FPDU with 1,436 of payload, so that a
 * message is the 10 segments of an initial window. To each host come, after two startup frames, first those
 * of its peer's Initiator and then those of its peer's Responder, which answers: the segments 7 and 17 with
 * payload are the fifth of each. The five after that are held, 7,300 octets, until it comes again a round
 * trip of 40 us later, and the ten segments of the second message begin 12 us after those of the first: the
 * two gauges come to 14,600 octets. The links lose four segments, each of which is sent again once. */
TEST(test_a_host_has_both_roles)
{
  static const char text[] =
      "topology: { kind = \"star\"; hosts = 2; };\n"
      "link: { rate = \"10Gbit/s\"; delay = \"10us\"; };\n"
      "links = ( { between = \"h0 s0\"; drop = [7, 17]; } );\n"
      "workload: { pattern = \"all-to-all\"; operation = \"send\"; directions = \"both\";\n"
      "            message_size = 14360; messages = 1; };\n"
      "receiver: { mode = \"in-order\"; };\n"
      "mpa: { markers = false; };\n"
      "measure: { hosts = \"all\"; };\n";
  g_auto(session_result) result = RUN_ON_BOTH(.text = text);

  EXPECT_VALUES(&result, {"host.h0.connections", 2}, {"all.connections", 2},
                {"host.h0.buffer.reassembly_peak_octets", 2 * 7300},
                {"host.h1.buffer.reassembly_peak_octets", 2 * 7300}, {"host.h0.delivery.octets", 2 * 14360},
                {"all.delivery.octets", 4 * 14360}, {"host.h0.retransmissions", 2},
                {"all.retransmissions", 4}, {"all.spurious_retransmissions", 0});
  EXPECT_METRICS(&result, (BUFFER_CONNECTION_PEAKS_OCTETS, ==, 2 * 7300), (LOSSES_RANDOM, ==, 4),
                 (TCP_RETRANSMISSIONS, ==, 2), (DELIVERY_MESSAGES, ==, 2));
  g_assert_cmpfloat(value_of(&result, "all.goodput_out_bit_per_s"), ==,
                    value_of(&result, "all.goodput_bit_per_s"));
}

/* Three hosts write 4 messages of 1000 octets each to one that cuts what it receives. A startup frame of 20
 * octets passes; an FPDU of 1036 octets (2 of length, 14 of header, 1000, 4 of CRC and 4 markers at most)
 * becomes three pieces of at most 500, of which the first begins with it. So 3 x (1 + 4) segments become 3 x
 * (1 + 4 x 3). A host without boxes has no such values. */
TEST(test_boxes_of_one_host)
{
  g_auto(session_result) result = RUN_ON_BOTH(
          .text =
              "topology: { kind = \"star\"; hosts = 4; };\n"
              "workload: { pattern = \"incast\"; message_size = 1000; messages = 4; };\n"
              "middlebox: { mode = \"split\"; split_size = 500; position = \"behind\"; at = \"last\"; };\n"
              "measure: { hosts = \"all\"; };\n");

  EXPECT_VALUES(&result, {"host.h3.middlebox.segments_before", 15}, {"host.h3.middlebox.segments_behind", 39},
                {"all.middlebox.segments_before", 15}, {"all.middlebox.segments_behind", 39});
  EXPECT_METRICS(&result, (MIDDLEBOX_SEGMENTS_BEFORE, ==, 15), (MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, ==, 12),
                 (MIDDLEBOX_SEGMENTS_BEHIND, ==, 39), (MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, ==, 12));
  for (guint i = 0; i < result.values->len; i++) {
    g_assert_false(g_str_has_prefix(g_array_index(result.values, run_value, i).name, "host.h0.middlebox"));
  }
}

/* A host announces the MSS of its own link (RFC 9293 section 3.7.1), so that no packet is too big for it,
 * with path MTU discovery or without: at an MTU of 1500, 4 messages of 65536 octets are 46 segments each of
 * 1429 (1460 less 12 of markers, 20 of framing). Where it does not fall, at 9000, they are 8 of 8870. */
static const char *const discoveries[] = {"tcp.path_mtu_discovery=true", "tcp.path_mtu_discovery=false"};

ROW_TEST(test_smaller_link, discoveries)
{
  static const char text[] = "topology: { kind = \"star\"; hosts = 4; };\n"
                             "link: { rate = \"10Gbit/s\"; mtu = 9000; };\n"
                             "links = ( { between = \"h2 s0\"; mtu = 1500; } );\n"
                             "workload: { message_size = \"64KiB\"; messages = 4; };\n";
  g_auto(session_result) small = RUN_ON_BOTH(.text = text, .sets = STRINGS(*c, "measure.host=h2"));
  g_auto(session_result) large = RUN_ON_BOTH(.text = text, .sets = STRINGS(*c, "measure.host=h3"));

  EXPECT_METRICS(&small, (TCP_SEGMENTS, ==, 4 * 46), (TCP_PATH_MTU_CHANGES, ==, 0),
                 (PATH_PACKETS_LOST, ==, 0));
  EXPECT_METRICS(&large, (TCP_SEGMENTS, ==, 4 * 8), (TCP_PATH_MTU_CHANGES, ==, 0),
                 (PATH_PACKETS_LOST, ==, 0));
}

/* A path has no values of hosts, and no key of theirs. */
TEST(test_a_path_has_none)
{
  g_auto(session_result) result = RUN(.text = NULL);

  g_assert_null(result.values);
}

/* One host of three misbehaves: the end of its connection is found there, and that of no other. */
TEST(test_a_host_misbehaves)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = three_to_one, .status = RUN_TERMINATED,
                  .sets = STRINGS("fault.error=bad-crc", "fault.host=h2", "run.expect=terminate"));

  g_assert_nonnull(strstr(result.message, " by the Responder of connection 2 "));
  g_assert_null(result.hosts[0].ending.code);
  g_assert_null(result.hosts[1].ending.code);
  g_assert_cmpstr(result.hosts[2].ending.code, ==, result.terminate_code);
}
