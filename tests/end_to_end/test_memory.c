/* SPDX-License-Identifier: GPL-2.0-only */
/* The RNIC's finite memory end to end: one pool of reassembly memory, limits of descriptors, the receiver
 * that assumes alignment, and the deadlock of mpa-01 §11.2.2. Every run verifies every octet. */
#include "run_fixture.h"

/* mpa-01 §11.2.2: FPDUs posted before the path MTU shrank span two segments. Without a reassembly buffer the
 * front of one can never be acknowledged: the same segment comes for ever, and run.stall ends the run with a
 * reason. With room for one FPDU all is well. */
TEST(test_deadlock_without_a_buffer)
{
  g_auto(session_result) halted = RUN(.file = "path-mtu-change.cfg", .status = RUN_FAILED,
                                      .sets = STRINGS("receiver.memory=0", "run.stall=90s"));
  g_auto(session_result) fine = RUN(.file = "path-mtu-change.cfg", .sets = STRINGS("receiver.memory=1500"));

  g_assert_nonnull(strstr(halted.message, "no progress in 90.000 s of simulated time"));
  EXPECT_METRICS(&halted, (BUFFER_SEGMENTS_REFUSED, >, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0));
  /* the front of a cut FPDU: EMSS is 1280 - 40 */
  EXPECT_METRICS(&fine, (TCP_PATH_MTU_CHANGES, ==, 1), (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 1240));
}

/* What is held never exceeds the pool; what finds no room is dropped and counted; all the data comes, the
 * later the smaller the pool. In-order receiver, 100 messages of 64 KiB, one segment in 200 lost: beyond each
 * hole up to a congestion window of octets comes. */
TEST(test_less_memory_less_goodput)
{
  static const guint sizes[] = {3000, 12000, 48000};
  double last = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_auto(session_result) result =
        RUN(.sets = STRINGS(setting("receiver.memory=%u", sizes[i]), "receiver.mode=in-order",
                            "path.forward.loss=0.5%", "workload.messages=100"));

    EXPECT_METRICS(&result, (BUFFER_REASSEMBLY_PEAK_OCTETS, <=, sizes[i]), (BUFFER_SEGMENTS_REFUSED, >, 0),
                   (DELIVERY_OCTETS, ==, 100 * 65536), (GOODPUT_BIT_PER_S, >, last));
    last = metric_of(&result, METRIC_GOODPUT_BIT_PER_S);
  }
}

/* One pool for all connections: four of them share it. */
TEST(test_connections_share_the_pool)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.sets = STRINGS("receiver.memory=20000", "receiver.mode=in-order", "path.forward.loss=1%",
                                  "workload.connections=4", "workload.messages=20"));

  EXPECT_METRICS(&result, (BUFFER_REASSEMBLY_PEAK_OCTETS, <=, 20000), (BUFFER_SEGMENTS_REFUSED, >, 0));
}

/* A marked, aligned stream is placed as it comes, beyond holes, too: it needs no memory at all. */
TEST(test_aligned_and_marked_needs_none)
{
  g_auto(session_result) result =
      RUN_ON_BOTH(.sets = STRINGS("receiver.memory=0", "path.forward.loss=1%", "workload.messages=40"));

  EXPECT_METRICS(&result, (BUFFER_SEGMENTS_REFUSED, ==, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0));
}

/* qed's three descriptors: a middlebox that cuts FPDUs of 1460 octets into pieces of 536 makes three of each,
 * of which two are held: never too many. Cut at 300 it makes five, and the fourth held one would exceed
 * three: it is refused, and the run stands still. */
TEST(test_descriptors)
{
  g_auto(session_result) fine = RUN(.sets = STRINGS("receiver.fpdu_descriptors=3", "middlebox.mode=split",
                                                    "middlebox.split_size=536", "workload.messages=5"));
  g_auto(session_result) halted =
      RUN(.status = RUN_FAILED,
          .sets = STRINGS("receiver.fpdu_descriptors=3", "middlebox.mode=split", "middlebox.split_size=300",
                          "workload.messages=5", "run.stall=90s"));

  EXPECT_METRICS(&fine, (STATE_SEGMENTS_REFUSED, ==, 0));
  EXPECT_METRICS(&halted, (STATE_SEGMENTS_REFUSED, >, 0));
}

/* assume-aligned, the baseline: without markers it places an aligned stream beyond holes as if they were
 * there, where the permitted receiver holds all of it; and it reports how it found those FPDUs. */
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
