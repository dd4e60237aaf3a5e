/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the network: every element of the path, alone, under the whole stack. Each run ends
 * ok, with every octet verified, and gives the same octets in every output on both engines. Mixes of elements
 * are in test_random_scenarios.c. */
#include "run_fixture.h"

/* --- One element at a time, and its effect --- */

typedef struct network_case {
  const char *name;
  const char *sets[8];
  metric_id counted; /* must be more than 0 … */
  metric_id absent;  /* … and this one 0; METRIC_COUNT: not asked */
} network_case;

/* 20 messages of 64 KiB are 918 segments: what happens to one in a hundred happens at least once, except with
 * a probability of 0.99^918 = 1e-4; besides, the seeds are fixed. */
static const network_case cases[] = {
    {"random loss", {"path.forward.loss=1%"}, METRIC_TCP_RETRANSMISSIONS, METRIC_PATH_PACKETS_DAMAGED},
    {"correlated loss",
     {"path.forward.loss=10%", "path.forward.loss_correlation=25%"},
     METRIC_LOSSES_RANDOM,
     METRIC_COUNT},
    {"every n-th", {"path.forward.loss_every=200"}, METRIC_LOSSES_RANDOM, METRIC_COUNT},
    {"Gilbert-Elliott", {"path.forward.gemodel=[1%, 30%, 100%, 0]"}, METRIC_LOSSES_RANDOM, METRIC_COUNT},
    {"four states", {"path.forward.state=[1%, 30%, 30%, 30%, 1%]"}, METRIC_LOSSES_RANDOM, METRIC_COUNT},
    {"damage that TCP finds", {"path.forward.corrupt=1%"}, METRIC_TCP_CHECKSUM_ERRORS, METRIC_MPA_CRC_ERRORS},
    {"duplicates", {"path.forward.duplicate=2%"}, METRIC_TCP_DUPLICATES_REPORTED, METRIC_TCP_RETRANSMISSIONS},
    {"displaced segments",
     {"path.forward.displace=2%"},
     METRIC_PATH_SEGMENTS_REORDERED,
     METRIC_PATH_PACKETS_LOST},
    {"jitter in order",
     {"path.forward.jitter=20us", "path.forward.distribution=normal"},
     METRIC_DELIVERY_MESSAGES,
     METRIC_TCP_SEGMENTS_OUT_OF_ORDER},
    {"jitter that reorders",
     {"path.forward.jitter=20us", "path.forward.distribution=pareto", "path.forward.jitter_reorders=true"},
     METRIC_TCP_SEGMENTS_OUT_OF_ORDER,
     METRIC_PATH_PACKETS_LOST},
    {"tail drop by octets",
     {"path.forward.queue_size=30000", "tcp.receive_window=1MiB", "tcp.slow_start=standard"},
     METRIC_LOSSES_QUEUE,
     METRIC_LOSSES_RANDOM},
    {"RED",
     {"path.forward.discipline=red", "path.forward.red_minimum=2", "path.forward.red_maximum=6",
      "tcp.receive_window=1MiB", "path.forward.rate=100Mbit/s", "workload.messages=100"},
     METRIC_LOSSES_QUEUE,
     METRIC_PATH_PACKETS_MARKED},
    {"a policer",
     {"path.forward.burst=20000", "path.forward.burst_rate=5Gbit/s"},
     METRIC_LOSSES_MIDDLEBOX,
     METRIC_LOSSES_QUEUE},
    {"a shaper",
     {"path.forward.burst=20000", "path.forward.burst_action=shape", "path.forward.queue=1000"},
     METRIC_DELIVERY_MESSAGES,
     METRIC_PATH_PACKETS_LOST},
    {"a shaper that is full",
     {"path.forward.burst=20000", "path.forward.burst_action=shape", "path.forward.queue=5"},
     METRIC_LOSSES_QUEUE,
     METRIC_LOSSES_MIDDLEBOX},
    {"CoDel marks",
     {"path.forward.discipline=codel", "path.forward.codel_target=50us", "path.forward.codel_interval=500us",
      "tcp.receive_window=1MiB", "tcp.ecn=on", "path.forward.rate=1Gbit/s", "workload.messages=100"},
     METRIC_TCP_ECN_REDUCTIONS,
     METRIC_TCP_TIMEOUTS},
    {"DCTCP at a step",
     {"tcp.congestion=dctcp", "path.forward.ecn_threshold=20", "tcp.receive_window=1MiB",
      "tcp.slow_start=standard"},
     METRIC_PATH_PACKETS_MARKED,
     METRIC_PATH_PACKETS_LOST},
    {"marks at random",
     {"path.forward.ecn_mark=1%", "tcp.ecn=on"},
     METRIC_TCP_ECN_REDUCTIONS,
     METRIC_TCP_RETRANSMISSIONS},
    {"a smaller link on the way",
     {"path.forward.hop_mtu=[1000, 1500]"},
     METRIC_TCP_PATH_MTU_CHANGES,
     METRIC_PATH_FRAGMENTS},
    {"the same with IPv6",
     {"path.forward.hop_mtu=[1300, 1500]", "tcp.ip=ipv6"},
     METRIC_TCP_PATH_MTU_CHANGES,
     METRIC_PATH_FRAGMENTS},
    {"fragments",
     {"path.forward.hop_mtu=[1000, 1500]", "tcp.path_mtu_discovery=false", "path.forward.loss=0.2%"},
     METRIC_BUFFER_PEAK_OCTETS_FRAGMENT,
     METRIC_PATH_PACKETS_TOO_BIG},
    {"a black hole found",
     {"path.forward.hop_mtu=[1000, 1500]", "path.too_big=silent", "tcp.black_hole_detection=true",
      "tcp.rto_min=5ms"},
     METRIC_TCP_PATH_MTU_CHANGES,
     METRIC_PATH_FRAGMENTS},
    {"IPv6 with losses", {"tcp.ip=ipv6", "path.forward.loss=1%"}, METRIC_TCP_RETRANSMISSIONS, METRIC_COUNT},
    {"paths of their own",
     {"workload.paths=own", "workload.connections=4", "path.forward.loss=1%"},
     METRIC_TCP_RETRANSMISSIONS,
     METRIC_COUNT},
    {"mixed sizes",
     {"workload.message_sizes=[100, 30000, 0, 5000]", "workload.messages=60", "sender.segmentation=stream"},
     METRIC_BUFFER_PEAK_OCTETS_INCOMPLETE,
     METRIC_TCP_RETRANSMISSIONS},
};

EACH_TEST(test_element, network_case, cases)
{
  g_auto(session_result) result = RUN_ON_BOTH(.sets = STRINGS("workload.messages=20"), .more = c->sets);

  g_assert_cmpfloat(metric_of(&result, c->counted), >, 0);
  if (c->absent != METRIC_COUNT) {
    g_assert_cmpfloat(metric_of(&result, c->absent), ==, 0);
  }
}

/* The link has 1 Gbit/s with a burst of 100 KiB, a window of 2 MiB. Where the bandwidth-delay product, 13 kB,
 * is below the burst, a connection has nearly all of the rate, 0.93 Gbit/s of payload. Where it is more, a
 * policer leaves it less the longer the round trip is; a shaper, which drops nothing, leaves it what slow
 * start does not take. */
TEST(test_policer_and_round_trip)
{
  static const char *const delays[] = {"path.forward.delay=50us", "path.forward.delay=1ms",
                                       "path.forward.delay=5ms"};
  double before = 1e9;

  for (guint i = 0; i < G_N_ELEMENTS(delays); i++) {
    const char *const sets[] = {"workload.messages=400", "path.forward.burst=100KiB",
                                "tcp.receive_window=2MiB", delays[i], NULL};
    g_auto(session_result) policed = RUN(.sets = sets);
    g_auto(session_result) shaped = RUN(.sets = sets, .more = STRINGS("path.forward.burst_action=shape"));
    const double goodput = metric_of(&policed, METRIC_GOODPUT_BIT_PER_S);

    EXPECT_METRICS(&policed, (LOSSES_MIDDLEBOX, ==, metric_of(&policed, METRIC_PATH_PACKETS_LOST)),
                   (LOSSES_MIDDLEBOX, >, 0));
    EXPECT_METRICS(&shaped, (PATH_PACKETS_LOST, ==, 0), (GOODPUT_BIT_PER_S, >, 0.5e9),
                   (GOODPUT_BIT_PER_S, <, 0.94e9));
    g_assert_cmpfloat(goodput, <, i == 0 ? 0.94e9 : 0.6 * before);
    g_assert_cmpfloat(goodput, >, i == 0 ? 0.9e9 : 0);
    before = goodput;
  }
}

/* Whatever part of a packet is damaged, its ports too, TCP's checksum finds it: each is lost by damage, and
 * nothing else is lost. */
TEST(test_what_is_damaged_is_lost)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.sets =
                      STRINGS("workload.messages=200", "path.forward.corrupt=2%", "path.reverse.corrupt=2%"));
  const double damaged = metric_of(&result, METRIC_PATH_PACKETS_DAMAGED);

  g_assert_cmpfloat(damaged, >, 100);
  EXPECT_METRICS(&result, (LOSSES_DAMAGED, ==, damaged), (PATH_PACKETS_LOST, ==, damaged));
}

/* --- Middleboxes --- */

typedef struct box_case {
  const char *name;
} box_case;

static const box_case boxes[] = {{"split"},        {"coalesce"},   {"rechunk"},        {"shift"},
                                 {"random"},       {"proxy"},      {"split+coalesce"}, {"rechunk+shift"},
                                 {"random+split"}, {"split+proxy"}};

/* After each box, or several, with losses: all octets come. Every box but `coalesce` (whose input here is one
 * FPDU a segment, which it may not join beyond the MTU) destroys the alignment of segments; a proxy only does
 * so where octets wait in it, mostly when a hole closes. */
EACH_TEST(test_middlebox, box_case, boxes)
{
  static const char *const positions[] = {"before", "behind"};

  for (guint i = 0; i < G_N_ELEMENTS(positions); i++) {
    g_auto(session_result) result =
        RUN_ON_BOTH(.sets = STRINGS(setting("middlebox.mode=%s", c->name),
                                    setting("middlebox.position=%s", positions[i]), "workload.messages=20",
                                    "path.forward.loss=0.5%", "middlebox.coalesce_size=1448",
                                    "tcp.timestamps=true"));
    double before = metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED) /
                    metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEFORE);
    double behind = metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED) /
                    metric_of(&result, METRIC_MIDDLEBOX_SEGMENTS_BEHIND);

    g_test_message("%s: aligned before %.3f, behind %.3f", positions[i], before, behind);
    g_assert_cmpfloat(before, >, 0.95);
    if (strstr(c->name, "coalesce") == NULL) {
      g_assert_cmpfloat(behind, <, g_str_equal(c->name, "proxy") ? before - 0.05 : 0.6);
    }
  }
}
