/* SPDX-License-Identifier: GPL-2.0-only */
/* Packetdrill's public scenarios of receiving, closing, windows and ECN, re-stated as our own tables.
 * Where Linux, whose behaviour those scripts record, differs from the RFC that is followed here, the row
 * notes it. */
#include "packetdrill_table.h"
#include "test.h"

enum { MS = 1000 };

#define ECT DATAGRAM_ECN_ECT_0

#define GTESTS "google/packetdrill gtests/net/tcp/"
#define SELFTESTS "torvalds/linux tools/testing/selftests/net/packetdrill/"

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_dsack_mult.pkt: SACK blocks grow together, and
 * the newest is the first of them (RFC 2018 §4). A D-SACK precedes them all (RFC 2883 §4), of two duplicates
 * that of the first. */
TEST(test_duplicates)
{
  static const packetdrill_row rows[] = {
      SEGMENT_IN(0, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 1, .sack = {{1001, 2001}}),
      SEGMENT_IN(0, 2001, 3001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 1, .sack = {{1001, 3001}}),
      SEGMENT_IN(0, 4001, 5001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 1, .sack = {{4001, 5001}, {1001, 3001}}),
      SEGMENT_IN(0, 7001, 8001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 1, .sack = {{7001, 8001}, {4001, 5001}, {1001, 3001}}),
      SEGMENT_IN(0, 1, 6001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 6001, .sack = {{1001, 3001}, {7001, 8001}}),
      SEGMENT_IN(0, 6001, 8001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 8001, .sack = {{7001, 8001}}),
      SEGMENT_IN(0, 1, 1001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 8001, .sack = {{1, 1001}}),
  };
  PLAY(SELFTESTS "tcp_dsack_mult.pkt", rows);
}

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_ooo-before-and-after-accept.pkt: 99,000
 * octets beyond a hole of two segments; each is acknowledged at once, and so is each that fills the hole
 * (RFC 5681 §4.2). */
TEST(test_out_of_order)
{
  static const packetdrill_row rows[] = {
      SEGMENT_IN(0, 2001, 41001, 1),   SEGMENT_OUT(0, 0, 0, 1, .sack = {{2001, 41001}}),
      SEGMENT_IN(0, 41001, 101001, 1), SEGMENT_OUT(0, 0, 0, 1, .sack = {{2001, 101001}}),
      SEGMENT_IN(0, 1, 1001, 1),       SEGMENT_OUT(0, 0, 0, 1001, .sack = {{2001, 101001}}),
      SEGMENT_IN(0, 1001, 2001, 1),    SEGMENT_OUT(0, 0, 0, 101001),
  };
  PLAY(SELFTESTS "tcp_ooo-before-and-after-accept.pkt", rows);
}

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_ts_recent_invalid_ack.pkt: the timestamp of a
 * segment that acknowledges what was never sent does not count. */
TEST(test_timestamp_of_an_impossible_ack)
{
  static const packetdrill_row rows[] = {
      /* RFC 9293 §3.10.7.4 answers with an ACK; Linux is silent */
      SEGMENT_IN(0, 1, 1, 9999, .flags = TCP_ACK | TCP_FIN, .timestamp_value = 200000),
      SEGMENT_OUT(0, 0, 0, 1, .timestamp_value = 100000, .timestamp_echo = 100, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(0, 1, 1001, 1, .timestamp_value = 201),
      /* Linux acknowledges a connection's first segments at once */
      SEGMENT_OUT(0, 0, 0, 1001, .timestamp_value = 100000, .timestamp_echo = 201, .keys = PACKETDRILL_LINUX),
      SEGMENT_OUT(40 * MS, 0, 0, 1001, .timestamp_value = 140000, .timestamp_echo = 201,
                  .keys = PACKETDRILL_RFC),
      /* beyond that script: nor does the timestamp of what lies beyond a hole, until it is filled (RFC
       * 7323 §4.3) */
      SEGMENT_IN(0, 2001, 3001, 1, .timestamp_value = 40300),
      SEGMENT_OUT(0, 0, 0, 1001, .timestamp_echo = 201, .sack = {{2001, 3001}}),
      SEGMENT_IN(0, 1001, 2001, 1, .timestamp_value = 40310),
      SEGMENT_OUT(0, 0, 0, 3001, .timestamp_echo = 40310),
  };
  PLAY_WITH(SELFTESTS "tcp_ts_recent_invalid_ack.pkt", rows, .config.timestamps = true,
            .syn = ((tcp_header){.window = 20000,
                                 .has_mss = true,
                                 .mss_octets = 1000,
                                 .has_sack_permitted = true,
                                 .has_timestamps = true,
                                 .timestamp_value = 100}),
            .window_octets = 20000);
}

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_rcv_zero_wnd_fin.pkt: the window is full when
 * the peer sends its FIN. */
TEST(test_fin_without_window)
{
  static const packetdrill_row rows[] = {
      UNREAD_IS(0, 60000),
      SEGMENT_IN(0, 1, 60001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_OUT(0, 0, 0, 60001, .window = WINDOW_SHUT),
      /* RFC 9293 table 6: with a window of 0 nothing that has length is acceptable. Linux takes the FIN only
       * in later versions, with which the script was made; 6.1 does not (tcp_data_queue()). */
      SEGMENT_IN(0, 60001, 60001, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 60001, .window = WINDOW_SHUT),
      UNREAD_IS(100 * MS, 0),
      SEGMENT_OUT(0, 0, 0, 60001, .window = 60000),
      SEGMENT_IN(200 * MS, 60001, 60001, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 60002, .keys = PACKETDRILL_RFC),
      /* Linux waits for an answer, as there is room for what has come (tcp_fin()) */
      SEGMENT_OUT(40 * MS, 0, 0, 60002, .keys = PACKETDRILL_LINUX),
  };
  PLAY_WITH(SELFTESTS "tcp_rcv_zero_wnd_fin.pkt", rows, .config.receive_window_octets = 60000);
}

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_close_no_rst.pkt: octets come again, with the
 * FIN. Linux reports no duplicate then, and its ACK waits, as that of any FIN. */
TEST(test_fin_with_a_duplicate)
{
  static const packetdrill_row rows[] = {
      SEGMENT_IN(0, 1, 1001, 1),
      SEGMENT_OUT(0, 0, 0, 1001, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(0, 1, 1001, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 1002, .sack = {{1, 1001}}, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(40 * MS, 0, 0, 1002, .keys = PACKETDRILL_LINUX),
      CLOSED(0),
      SEGMENT_OUT(0, 1, 1, 1002, .flags = TCP_ACK | TCP_FIN),
  };
  PLAY(SELFTESTS "tcp_close_no_rst.pkt", rows);
}

/* google/packetdrill gtests/net/tcp/close/close-remote-fin-then-close.pkt: the peer closes first; in the
 * end we know of no connection any more. */
TEST(test_peer_closes_first)
{
  static const packetdrill_row rows[] = {
      SEGMENT_IN(10 * MS, 1, 1, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 2, .within_us = MS), /* Linux: by its timer of delayed ACKs, at the next tick */
      CLOSED(10 * MS),
      SEGMENT_OUT(0, 1, 1, 2, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_IN(10 * MS, 2, 2, 2),
      SEGMENT_IN(10 * MS, 2, 2, 2),
      SEGMENT_OUT(0, 2, 2, 0, .flags = TCP_RST),
  };
  PLAY(GTESTS "close/close-remote-fin-then-close.pkt", rows);
}

/* torvalds/linux tools/testing/selftests/net/packetdrill/tcp_disorder_fin_in_FIN_WAIT.pkt: the ACK of our
 * FIN has overtaken the peer's FIN, which was sent before and acknowledges less. */
TEST(test_overtaken_fin)
{
  static const packetdrill_row rows[] = {
      CLOSED(0),
      SEGMENT_OUT(0, 1, 1, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_IN(0, 2, 2, 2),
      SEGMENT_IN(0, 1, 1, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 2, 2, 2),
  };
  PLAY(SELFTESTS "tcp_disorder_fin_in_FIN_WAIT.pkt", rows);
}

/* google/packetdrill gtests/net/tcp/slow_start/slow-start-after-win-update.pkt, its second part: a window
 * of 0 is probed by an empty segment before what is acknowledged, at growing distances; then the window
 * opens after an idle time. SRTT 100 ms, RTTVAR 37.5 after two samples: RTO 250. */
TEST(test_zero_window)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 10001, .window = WINDOW_SHUT),
      WINDOW_IS(0, 12000, .keys = PACKETDRILL_RFC),
      WINDOW_IS(0, 20000, .keys = PACKETDRILL_LINUX),
      POSTED(0, 20000),
      SEGMENT_OUT(250 * MS, 10000, 10000, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(500 * MS, 10000, 10000, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(1000 * MS, 10000, 10000, 1, .keys = PACKETDRILL_RFC),
      /* Linux's RTO is at least SRTT + 200 ms */
      SEGMENT_OUT(300 * MS, 10000, 10000, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_OUT(600 * MS, 10000, 10000, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_OUT(1200 * MS, 10000, 10000, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(900 * MS, 0, 0, 10001),
      WINDOW_IS(0, 10000), /* the restart window (RFC 5681 §4.1) */
      SEGMENT_OUT(0, 10001, 20001, 1),
  };
  PLAY(GTESTS "slow_start/slow-start-after-win-update.pkt", rows);
}

/* google/packetdrill gtests/net/tcp/slow_start/slow-start-after-idle.pkt: two seconds without sending
 * bring the window back to the initial one. */
TEST(test_idle)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 10001),
      WINDOW_IS(0, 12000, .keys = PACKETDRILL_RFC), /* 2 SMSS an ACK (RFC 3465 §2.2) */
      WINDOW_IS(0, 20000, .keys = PACKETDRILL_LINUX),
      POSTED(2000 * MS, 20000),
      SEGMENT_OUT(0, 10001, 20001, 1),
      WINDOW_IS(0, 10000),
  };
  PLAY(GTESTS "slow_start/slow-start-after-idle.pkt", rows);
}

/* google/packetdrill gtests/net/tcp/slow_start/slow-start-ack-per-4pkt.pkt: an ACK for four segments opens
 * the window by two (RFC 3465 §2.2), where Linux opens it by four. */
TEST(test_stretch_acks)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 30000),
      SEGMENT_OUT(0, 1, 10001, 1),
      SEGMENT_IN(110 * MS, 0, 0, 4001),
      SEGMENT_OUT(0, 10001, 16001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 10001, 18001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(10 * MS, 0, 0, 8001),
      SEGMENT_OUT(0, 16001, 22001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 18001, 26001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(5 * MS, 0, 0, 10001),
      SEGMENT_OUT(0, 22001, 26001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 26001, 30001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_LINUX),
      WINDOW_IS(0, 16000, .keys = PACKETDRILL_RFC),
      WINDOW_IS(0, 20000, .keys = PACKETDRILL_LINUX),
  };
  PLAY(GTESTS "slow_start/slow-start-ack-per-4pkt.pkt", rows);
}

/* google/packetdrill gtests/net/tcp/slow_start/slow-start-ack-per-2pkt-send-5pkt.pkt: a window that is not
 * full does not grow. */
TEST(test_window_not_full)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 5000),           SEGMENT_OUT(0, 1, 5001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(0, 0, 0, 2001), WINDOW_IS(0, 10000),
      SEGMENT_IN(0, 0, 0, 4001), WINDOW_IS(0, 10000),
      SEGMENT_IN(0, 0, 0, 5001), WINDOW_IS(0, 10000),
  };
  PLAY_WITH(GTESTS "slow_start/slow-start-ack-per-2pkt-send-5pkt.pkt", rows, .round_trip_us = 0);
}

/* google/packetdrill gtests/net/tcp/cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt,
 * with what tcp_ecn_ecn-uses-ect0.pkt of torvalds/linux tools/testing/selftests/net/packetdrill asks: new
 * octets are ECT(0); ECE reduces once a round trip, and the next new segment has CWR. The window is 0.7 of
 * the four segments in flight at once (RFC 3168 §6.1.2, RFC 9438 §4.6); Linux comes to 0.7 of its window,
 * 7 segments, by PRR. */
TEST(test_ecn)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 4000),
      SEGMENT_OUT(0, 1, 4001, 1, .flags = TCP_ACK | TCP_PSH, .ecn = ECT),
      WINDOW_IS(5 * MS, 10000),
      SEGMENT_IN(95 * MS, 0, 0, 1001, .flags = TCP_ACK | TCP_ECE),
      WINDOW_IS(5 * MS, 2800, .keys = PACKETDRILL_RFC),
      WINDOW_IS(5 * MS, 5000,
                .keys = PACKETDRILL_LINUX), /* the 3 in flight, the one delivered and one more: below 7 */
      POSTED(0, 3000),
      SEGMENT_OUT(0, 4001, 6001, 1, .flags = TCP_ACK | TCP_CWR, .ecn = ECT, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(1 * MS, 0, 0, 2001, .flags = TCP_ACK | TCP_ECE),
      WINDOW_IS(0, 2800, .keys = PACKETDRILL_RFC),
      WINDOW_IS(0, 6000, .keys = PACKETDRILL_LINUX), /* 4 in flight, and two */
      SEGMENT_OUT(0, 6001, 7001, 1, .flags = TCP_ACK | TCP_PSH, .ecn = ECT, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(1 * MS, 0, 0, 3001, .flags = TCP_ACK | TCP_ECE),
      SEGMENT_OUT(0, 4001, 5001, 1, .flags = TCP_ACK | TCP_CWR, .ecn = ECT, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(1 * MS, 0, 0, 4001, .flags = TCP_ACK | TCP_ECE),
      SEGMENT_OUT(0, 5001, 6001, 1, .ecn = ECT, .keys = PACKETDRILL_RFC),
      /* 3 in flight and two; the reduction ends at 7 when something sent after the CWR is acknowledged */
      WINDOW_IS(0, 5000, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(1 * MS, 0, 0, 5001),
      WINDOW_IS(0, 7000, .keys = PACKETDRILL_LINUX),
      SEGMENT_OUT(0, 6001, 7001, 1, .flags = TCP_ACK | TCP_PSH, .ecn = ECT, .keys = PACKETDRILL_RFC),
  };
  PLAY_WITH(GTESTS "cwnd_moderation/cwnd-moderation-ecn-enter-cwr-no-moderation-700.pkt", rows,
            .syn.flags = TCP_ECE | TCP_CWR, .ack_ecn = DATAGRAM_ECN_ECT_1);
}
