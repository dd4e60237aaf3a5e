/* SPDX-License-Identifier: GPL-2.0-only */
/* ns-3's own TCP under the whole MPA/DDP/RDMAP stack: every octet of the workload is verified, lossless and
 * under loss. */
#include "shim/ns3_tcp_transport.h"

#include "fields.h"
#include "ns3_pair.h"
#include "test.h"

enum { MESSAGE_OCTETS = 20000, MESSAGES = 40, EMSS = 1460 };

static const tcp_statistics *statistics_of(const ns3_pair *pair, unsigned side)
{
  return rnic_endpoint_counts_of(pair->sides[side].endpoint).tcp;
}

/* A test of `pair`, two ends over ns-3 with the defaults. */
#define PAIR_TEST(name) TEST_OF(ns3_pair, pair, ns3_pair_new(), name)

/* 40 Writes of 20,000 octets cross in order. A message is 14 FPDUs: markers leave MULPDU 1442 (docs/facts.md,
 * "Exact predictions"), so payload 1428, and 20,000 = 14 * 1428 + 8. Nothing is sent twice; ns-3 cuts the
 * stream at 1460, and since it never runs out of octets during the workload, all segments but those at the
 * ends of what was posted are full. */
PAIR_TEST(test_lossless)
{
  ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
  /* The requester closes first: when its FIN comes the stream of its peer still has to continue. */
  g_assert_true(pair->sides[SIDE_RESPONDER].finished);
  const tcp_statistics *sent = statistics_of(pair, SIDE_INITIATOR);
  EXPECT_FIELDS(sent, (retransmissions, 0), (timeouts, 0), (recoveries, 0));
  g_assert_cmpuint(rnic_endpoint_counts_of(pair->sides[SIDE_INITIATOR].endpoint).emss_octets, ==, EMSS);
  EXPECT_FIELDS(sent, (full_segment_payload_octets, EMSS * sent->full_segments),
                (full_segment_octets, 1500 * sent->full_segments));
  g_assert_cmpuint(sent->full_segments, >=, sent->segments_sent - 4);
  EXPECT_FIELDS(&pair->sides[SIDE_RESPONDER], (segments_behind_hole, 0), (runs_max, 0));
}

/* The same with the 30th segment with payload lost: one hole, one fast recovery, one segment sent again. The
 * segments after the hole are held, in one run, each with its time of arrival. */
PAIR_TEST(test_one_loss)
{
  pair_side *receiver = &pair->sides[SIDE_RESPONDER];

  pair->sides[SIDE_INITIATOR].lost[0] = 30;
  ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
  const tcp_statistics *sent = statistics_of(pair, SIDE_INITIATOR);
  EXPECT_FIELDS(sent, (timeouts, 0), (recoveries, 1), (retransmissions, 1));
  g_assert_cmpuint(pair->sides[SIDE_INITIATOR].retransmitted_octets, ==, EMSS);
  g_assert_cmpuint(receiver->runs_max, ==, 1);
  g_assert_cmpuint(receiver->segments_behind_hole, >=, 3); /* three duplicate ACKs */
  g_assert_cmpuint(receiver->held_max, >=, (uint64_t)EMSS * receiver->segments_behind_hole);
  /* An FPDU is smaller than a segment: of the FPDUs held, all waited whole but those that the start of the
   * first held segment and the end of the last cut. */
  g_assert_cmpuint(receiver->fpdus_waited, >=, receiver->segments_behind_hole - 2);
  EXPECT_FIELDS(receiver, (retransmissions_arrived, 1), (segments, sent->segments_sent - 1));
}

/* The path delivers a segment twice, in order or after a hole: its octets are new only once. */
TEST(test_duplicates)
{
  for (unsigned behind_hole = 0; behind_hole < 2; behind_hole++) {
    g_autoptr(ns3_pair) pair = ns3_pair_new();
    const pair_side *receiver = &pair->sides[SIDE_RESPONDER];
    pair->sides[SIDE_INITIATOR].lost[0] = behind_hole ? 50 : 0;
    pair->sides[SIDE_INITIATOR].duplicated = 52;
    ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(receiver->payload_octets - receiver->new_octets, ==, EMSS);
  }
}

/* A loss while the peer's window is full to the octet, where ns-3 3.37 itself dereferences a null pointer.
 * The window is 44 segments and a remainder; the path holds few of them, so the window is the limit. */
PAIR_TEST(test_loss_with_a_full_window)
{
  for (unsigned side = 0; side < SIDES; side++) {
    pair->links[side].rate_bit_per_s = 100000000;
    pair->links[side].delay_ps = 100 * TIME_PS_PER_MICROSECOND;
    pair->sides[side].config.tcp.receive_window_octets = 65536;
    pair->sides[side].config.tcp.congestion = TCP_CONGESTION_NEWRENO;
    pair->sides[side].config.tcp.slow_start = TCP_SLOW_START_STANDARD; /* until the window is full */
  }
  pair->sides[SIDE_INITIATOR].lost[0] = 300;
  ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
  const tcp_statistics *sent = statistics_of(pair, SIDE_INITIATOR);
  EXPECT_FIELDS(sent, (timeouts, 0), (retransmissions, 1));
  g_assert_cmpuint(pair->sides[SIDE_RESPONDER].held_max, >=, 65536 - 2 * EMSS);
  /* No end waited for a window update that was never sent: ns-3 would wait for 5 s. */
  g_assert_cmpint(pair->done_at, <, TIME_PS_PER_SECOND);
}

/* Two holes in one window: two runs beyond the edge at once, both repaired in one recovery (RFC 6675). */
PAIR_TEST(test_two_losses)
{
  pair->sides[SIDE_INITIATOR].lost[0] = 100;
  pair->sides[SIDE_INITIATOR].lost[1] = 103;
  ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
  const tcp_statistics *sent = statistics_of(pair, SIDE_INITIATOR);
  EXPECT_FIELDS(sent, (recoveries, 1), (retransmissions, 2), (timeouts, 0));
  g_assert_cmpuint(pair->sides[SIDE_RESPONDER].runs_max, ==, 2);
}

/* The last segments are lost: no segment after them reveals that, so only the timer repairs it, and the count
 * of timeouts flags such a run. 562 segments have payload: one startup frame, 560 full ones and the rest of
 * the stream. */
PAIR_TEST(test_tail_loss_needs_a_timeout)
{
  pair_side *sender = &pair->sides[SIDE_INITIATOR];

  sender->lost[0] = 561;
  sender->lost[1] = 562;
  ns3_pair_complete(pair, 30 * TIME_PS_PER_SECOND);
  const tcp_statistics *sent = statistics_of(pair, SIDE_INITIATOR);
  EXPECT_FIELDS(sent, (timeouts, 1), (retransmissions, 2));
  g_assert_cmpint(pair->done_at, >=, 200 * TIME_PS_PER_MILLISECOND); /* the least RTO */
}

/* Lost startup frames delay the start; SYNs are not counted as segments with payload. */
PAIR_TEST(test_lost_startup_frame)
{
  pair->sides[SIDE_INITIATOR].lost[0] = 1;
  pair->sides[SIDE_RESPONDER].lost[0] = 1;
  ns3_pair_complete(pair, 30 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(statistics_of(pair, SIDE_INITIATOR)->timeouts, ==, 1);
  g_assert_cmpuint(statistics_of(pair, SIDE_RESPONDER)->timeouts, ==, 1);
}

/* A packet damaged on its way has a wrong TCP checksum: ns-3 drops it, it is counted as such, and it is
 * repaired like a lost one. */
PAIR_TEST(test_damaged_segment)
{
  pair->sides[SIDE_INITIATOR].damaged = 50;
  ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(statistics_of(pair, SIDE_RESPONDER)->checksum_errors, ==, 1);
  g_assert_cmpuint(statistics_of(pair, SIDE_INITIATOR)->retransmissions, ==, 1);
}

/* All operations, both ends posting, over timestamps, CUBIC with HyStart, PRR, a window of 64 KiB, without
 * markers; a loss in each direction. EMSS is 12 octets less. */
PAIR_TEST(test_all_operations_both_ways)
{
  pair->workload_config.mix.count = ULP_OPERATIONS;
  for (unsigned i = 0; i < ULP_OPERATIONS; i++) {
    pair->workload_config.mix.values[i] = (uint8_t)i;
  }
  pair->workload_config.both = true;
  for (unsigned side = 0; side < SIDES; side++) {
    tcp_config *tcp = &pair->sides[side].config.tcp;
    tcp->timestamps = true;
    tcp->receive_window_octets = 65536;
    pair->sides[side].config.markers = false;
    pair->sides[side].lost[0] = 40;
  }
  ns3_pair_complete(pair, 30 * TIME_PS_PER_SECOND);
  for (unsigned side = 0; side < SIDES; side++) {
    g_assert_cmpuint(statistics_of(pair, side)->retransmissions, >=, 1);
    g_assert_cmpuint(rnic_endpoint_counts_of(pair->sides[side].endpoint).emss_octets, ==, EMSS - 12);
  }
}

/* A peer that is gone: nothing from it arrives any more. After retries_max timeouts ns-3 gives up, and the
 * endpoint fails. */
PAIR_TEST(test_gives_up)
{
  pair->sides[SIDE_INITIATOR].config.tcp.retries_max = 3;
  ns3_pair_run(pair, 10 * TIME_PS_PER_MILLISECOND);
  pair->sides[SIDE_INITIATOR].loses_all = true;
  ns3_pair_run(pair, 100 * TIME_PS_PER_SECOND);
  EXPECT_FIELDS(&pair->sides[SIDE_INITIATOR], (failed, true), (closed, true));
  g_assert_cmpint(pair->sides[SIDE_INITIATOR].failure.layer, ==, RNIC_FAILURE_TCP);
  g_assert_cmpint(pair->sides[SIDE_INITIATOR].failure.reason.tcp, ==, TCP_CLOSE_GAVE_UP);
  g_assert_cmpuint(statistics_of(pair, SIDE_INITIATOR)->timeouts, ==, 3 + 1);
}

/* An endpoint that ends at once, because its peer does not speak its MPA (startup frames of another
 * generation): it aborts with RST, and the peer learns of it. */
PAIR_TEST(test_reset)
{
  pair->sides[SIDE_INITIATOR].config.generation = IWARP_RFC;
  pair->sides[SIDE_RESPONDER].config.generation = IWARP_IETF;
  ns3_pair_run(pair, 100 * TIME_PS_PER_SECOND);
  g_assert_true(pair->sides[SIDE_INITIATOR].failed);
  g_assert_true(pair->sides[SIDE_RESPONDER].failed);
  g_assert_true(pair->sides[SIDE_INITIATOR].closed);
  g_assert_true(pair->sides[SIDE_RESPONDER].closed);
  g_assert_cmpint(pair->sides[SIDE_INITIATOR].failure.layer, ==, RNIC_FAILURE_TCP);
  g_assert_cmpint(pair->sides[SIDE_INITIATOR].failure.reason.tcp, ==, TCP_CLOSE_RESET);
}

/* Our own TCP at one end and that of ns-3 at the other, each as sender, with a loss: they interoperate. ns-3
 * announces no MSS, so ours sends segments of 536 octets (RFC 9293 §3.7.1); ns-3 ignores our MSS and sends
 * segments of its own size. */
TEST(test_with_our_own)
{
  for (unsigned sender = 0; sender < SIDES; sender++) {
    g_autoptr(ns3_pair) pair = ns3_pair_new();
    pair->sides[SIDE_INITIATOR].ns3 = sender == 0;
    pair->sides[SIDE_RESPONDER].ns3 = sender != 0;
    pair->sides[SIDE_INITIATOR].lost[0] = 60;
    ns3_pair_complete(pair, 30 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(rnic_endpoint_counts_of(pair->sides[SIDE_INITIATOR].endpoint).emss_octets, ==,
                     sender == 0 ? EMSS : 536);
    EXPECT_FIELDS(statistics_of(pair, SIDE_INITIATOR), (retransmissions, 1), (timeouts, 0));
  }
}

/* The same run twice gives the same result, to the picosecond. */
TEST(test_repeats)
{
  time_ps done_at[2];

  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(ns3_pair) pair = ns3_pair_new();
    pair->sides[SIDE_INITIATOR].lost[0] = 77;
    ns3_pair_complete(pair, 10 * TIME_PS_PER_SECOND);
    done_at[i] = pair->done_at;
  }
  g_assert_cmpint(done_at[0], ==, done_at[1]);
}

/* A configuration that ns-3's TCP does not support is refused beforehand, with a reason. */
PAIR_TEST(test_unsupported)
{
  const tcp_config good = pair->sides[SIDE_INITIATOR].config.tcp;
  ns3_shim_error error;
  struct {
    tcp_config config;
    const char *message;
  } cases[] = {
      {good, "ns-3's TCP: here it speaks IPv4 only"},
      {good, "ns-3's TCP knows no MPA: it cuts the stream where it likes"},
      {good, "ns-3's TCP passes octets in order only"},
      {good, "ns-3's TCP: a receive buffer has room for 1 segment to 2^30 octets"},
      {good, "ns-3's TCP: a receive buffer has room for 1 segment to 2^30 octets"},
  };

  cases[0].config.local_address = cases[0].config.remote_address = ip_address_v6(0xFD, 1);
  cases[1].config.segmentation = TCP_SEGMENTATION_ALIGNED;
  cases[2].config.passing = TCP_PASSING_AS_ARRIVED;
  cases[3].config.receive_window_octets = (1 << 30) + 1;
  cases[4].config.receive_window_octets = EMSS - 1;
  g_assert_true(ns3_tcp_transport_supports(&good, &error));
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_assert_false(ns3_tcp_transport_supports(&cases[i].config, &error));
    g_assert_cmpstr(error.message, ==, cases[i].message);
    g_assert_false(ns3_tcp_transport_supports(&cases[i].config, NULL));
  }
}
