/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the RNIC's finite memory end to end: one pool of reassembly memory, limits of
 * descriptors, and the receiver that assumes alignment. Every run verifies every octet. The deadlock of
 * mpa-01 §11.2.2 and the benefit of more memory are in test_path_changes. */
#include <string.h>

#include "run_fixture.h"

/* One pool for all connections: four of them share it. */
TEST(test_connections_share_the_pool)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.sets = STRINGS("receiver.memory=20000", "receiver.mode=in-order", "path.forward.loss=1%",
                                  "workload.connections=4", "workload.messages=20"));

  EXPECT_METRICS(&result, (BUFFER_REASSEMBLY_PEAK_OCTETS, <=, 20000), (REFUSED_MEMORY, >, 0));
}

/* A marked, aligned stream is placed as it comes, even beyond holes: it needs no memory at all. */
TEST(test_aligned_and_marked_needs_none)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.sets = STRINGS("receiver.memory=0", "path.forward.loss=1%", "workload.messages=40"));

  EXPECT_METRICS(&result, (REFUSED_MEMORY, ==, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0),
                 (DELIVERY_OCTETS, ==, 40 * 65536));
}

/* qed's three descriptors: a middlebox that cuts FPDUs of 1460 octets into pieces of 536 makes three of each,
 * of which two are held: never too many. Cut at 300 it makes five, and the fourth held one would exceed
 * three: it is refused, and the run makes no progress. */
TEST(test_descriptors)
{
  g_auto(session_result) fine = RUN(.sets = STRINGS("receiver.fpdu_descriptors=3", "middlebox.mode=split",
                                                    "middlebox.split_size=536", "workload.messages=5"));
  g_auto(session_result) halted =
      RUN(.status = RUN_FAILED,
          .sets = STRINGS("receiver.fpdu_descriptors=3", "middlebox.mode=split", "middlebox.split_size=300",
                          "workload.messages=5", "run.stall=90s"));

  EXPECT_METRICS(&fine, (REFUSED_DESCRIPTORS, ==, 0));
  EXPECT_METRICS(&halted, (REFUSED_DESCRIPTORS, >, 0));
}

/* A loss in the last window, a receiver without any memory, a sender without SACK: all after the hole is
 * refused. Silent, nothing shows the sender the loss but its timer. Acknowledged, each lets NewReno send the
 * next in a round trip of 0.2 ms: the loss and what was refused come again one by one, after the 18 ms that
 * the rest takes. */
TEST(test_refused_and_acknowledged)
{
  static const char *const without_sack[] = {"workload.messages=80",
                                             "workload.message_size=256KiB",
                                             "path.forward.drop=[14600]",
                                             "path.forward.delay=100us",
                                             "receiver.mode=in-order",
                                             "receiver.memory=0",
                                             "tcp.sack=false",
                                             NULL};
  g_auto(session_result) silent = RUN_ON_BOTH(.sets = without_sack);
  g_auto(session_result) acknowledged =
      RUN_ON_BOTH(.sets = without_sack, .more = STRINGS("receiver.refused=duplicate-ack"));
  g_auto(session_result) held = RUN(.sets = without_sack, .more = STRINGS("receiver.memory=1MiB"));
  const double refused = metric_of(&acknowledged, METRIC_REFUSED_MEMORY);
  const double octets = metric_of(&held, METRIC_DELIVERY_OCTETS);
  const double longer_s = 8 * octets / metric_of(&acknowledged, METRIC_GOODPUT_BIT_PER_S) -
                          8 * octets / metric_of(&held, METRIC_GOODPUT_BIT_PER_S);

  EXPECT_METRICS(&silent, (TCP_TIMEOUTS, >, 0));
  EXPECT_METRICS(&acknowledged, (TCP_TIMEOUTS, ==, 0), (REFUSED_MEMORY, >, 100),
                 (TCP_RETRANSMISSIONS, ==, refused + 1));
  g_assert_cmpfloat(longer_s, >, (refused - 1) * 0.2e-3);
  g_assert_cmpfloat(longer_s, <, (refused + 1) * 0.203e-3);
}

/* These are limits of the segments, and of the ranges, beyond a hole: never more, the rest is refused, and
 * all octets come. */
TEST(test_segments_and_ranges)
{
  static const struct {
    const char *set;
    metric_id peak, refused;
  } rows[] = {{"receiver.segments=20", METRIC_STATE_CONNECTION_SEGMENTS_PEAK, METRIC_REFUSED_SEGMENTS},
              {"receiver.ranges=1", METRIC_STATE_CONNECTION_RANGES_PEAK, METRIC_REFUSED_RANGES}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(session_result) free_of_limits =
        RUN(.sets = STRINGS("path.forward.loss=1%", "workload.messages=40", "receiver.mode=in-order"));
    g_auto(session_result) limited =
        RUN_ON_BOTH(.sets = STRINGS("path.forward.loss=1%", "workload.messages=40", "receiver.mode=in-order",
                                    rows[i].set));
    const double limit = g_ascii_strtod(strchr(rows[i].set, '=') + 1, NULL);

    g_assert_cmpfloat(metric_of(&free_of_limits, rows[i].peak), >, limit);
    g_assert_cmpfloat(metric_of(&limited, rows[i].peak), ==, limit);
    g_assert_cmpfloat(metric_of(&limited, rows[i].refused), >, 0);
    EXPECT_METRICS(&limited, (DELIVERY_OCTETS, ==, 40 * 65536));
  }
}

/* assume-aligned, the baseline: without markers it places an aligned stream beyond holes as if there were
 * markers, where a receiver that conforms holds all of it; and it reports how those FPDUs were located. */
TEST(test_assuming_alignment)
{
  g_auto(session_result) guess =
      RUN_ON_BOTH(.sets = STRINGS("receiver.mode=assume-aligned", "mpa.markers=false", "path.forward.loss=1%",
                                  "workload.messages=40"));
  g_auto(session_result) wait = RUN(.sets = STRINGS("receiver.mode=out-of-order", "mpa.markers=false",
                                                    "path.forward.loss=1%", "workload.messages=40"));

  EXPECT_METRICS(
      &guess, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0), (MPA_WRONG_GUESSES, ==, 0),
      (MPA_LOCATED_BY_ASSUMPTION, >, 0),
      (MPA_FPDUS, ==,
       metric_of(&guess, METRIC_MPA_LOCATED_BY_ASSUMPTION) + metric_of(&guess, METRIC_MPA_LOCATED_BY_CHAIN)));
  EXPECT_METRICS(&wait, (BUFFER_PEAK_OCTETS_ORDER, >, 10 * 1460));
}
