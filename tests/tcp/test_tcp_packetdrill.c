/* SPDX-License-Identifier: GPL-2.0-only */
/* Packetdrill's public scenarios of loss recovery, re-stated as our own tables: what the sender does,
 * segment by segment. Where Linux, whose behaviour those scripts record, differs from the RFC that is
 * followed here, the row notes it. */
#include <string.h>

#include "packetdrill_table.h"
#include "test.h"

#define GTESTS "google/packetdrill gtests/net/tcp/"

enum { MS = 1000 };

/* google/packetdrill gtests/net/tcp/fast_retransmit/fr-4pkt-sack.pkt and fr-4pkt.pkt: four segments of 1460,
 * the first is lost. The third duplicate ACK sends it again; with SACK RACK's reordering window is 0 once
 * three segments are SACKed (RFC 8985 §6.2 step 4), so the third SACK sends it again at once. */
TEST(test_fast_retransmit)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 5840),
      SEGMENT_OUT(0, 1, 5841, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1, .sack = {{1461, 2921}}),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{1461, 4381}}),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{1461, 5841}}),
      SEGMENT_OUT(0, 1, 1461, 1),
      SEGMENT_IN(100 * MS, 0, 0, 5841),
      CLOSED(100 * MS),
      SEGMENT_OUT(0, 5841, 5841, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_IN(100 * MS, 1, 1, 5842, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 2),
  };
  PLAY_WITH(GTESTS "fast_retransmit/fr-4pkt-sack.pkt", rows,
            .without_sack = GTESTS "fast_retransmit/fr-4pkt.pkt", .syn.mss_octets = 1460,
            .retransmissions = 1, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/fast_retransmit/fr-4pkt-fack-last-mss.pkt: only the last of four is
 * SACKed. RACK waits for the round trip of 100 ms and a quarter of it, 25 ms, after the three were sent
 * (RFC 8985 §6.2); then all three are lost, and the first leaves. Nothing was delivered in the recovery
 * yet, so PRR lets no other out (RFC 6937 §3). */
TEST(test_rack_reordering_timer)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 4000),
      SEGMENT_OUT(0, 1, 4001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1, .sack = {{3001, 4001}}),
      SEGMENT_OUT(25 * MS, 1, 1001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(27 * MS, 1, 1001, 1, .keys = PACKETDRILL_LINUX), /* 2 ms are added */
  };
  PLAY_WITH(GTESTS "fast_retransmit/fr-4pkt-fack-last-mss.pkt", rows, .retransmissions = 1, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/limited_transmit/limited-transmit-sack.pkt and
 * limited-transmit-no-sack.pkt (as in ligurio/packetdrill-testcases testcases/tcp/limited_transmit): two
 * SACKs or duplicates let out a new segment each (RFC 3042, with SACK by pipe, RFC 6675 §5 step 3); then it
 * turns out to be reordering. */
TEST(test_limited_transmit)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 15000),
      SEGMENT_OUT(0, 1, 10001, 1),
      SEGMENT_IN(110 * MS, 0, 0, 1, .sack = {{1001, 2001}}),
      SEGMENT_OUT(0, 10001, 11001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 3001}}),
      SEGMENT_OUT(0, 11001, 12001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 3001),
      /* Two segments are acknowledged, so the window is 12 (RFC 5681 §3.1, RFC 3465) and 9 are in flight:
       * three leave. Linux counts what was SACKed, or a segment for each duplicate, as delivered before: one
       * of the two is new, which makes 11, and the last one leaves with the next ACK. */
      SEGMENT_OUT(0, 12001, 15001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_RFC),
      WINDOW_IS(0, 12000, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 12001, 14001, 1, .keys = PACKETDRILL_LINUX),
      WINDOW_IS(0, 11000, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(20 * MS, 0, 0, 5001),
      SEGMENT_OUT(0, 14001, 15001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(20 * MS, 0, 0, 7001),
      SEGMENT_IN(20 * MS, 0, 0, 9001),
      SEGMENT_IN(20 * MS, 0, 0, 11001),
      SEGMENT_IN(20 * MS, 0, 0, 13001),
      SEGMENT_IN(20 * MS, 0, 0, 15001),
      CLOSED(170 * MS),
      SEGMENT_OUT(0, 15001, 15001, 1, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_IN(100 * MS, 1, 1, 15002, .flags = TCP_ACK | TCP_FIN),
      SEGMENT_OUT(0, 0, 0, 2),
  };
  PLAY_WITH(GTESTS "limited_transmit/limited-transmit-sack.pkt", rows,
            .without_sack = GTESTS "limited_transmit/limited-transmit-no-sack.pkt");
}

/* google/packetdrill gtests/net/tcp/sack/sack-shift-sacked-2-6-8-3-9-nofack.pkt (as in
 * ligurio/packetdrill-testcases testcases/tcp/sack): ten segments, numbered from 0; 2, 6 and 8 are SACKed,
 * then 3 next to 2, then 9. RACK takes as lost what was sent before 8: 0, 1, 4, 5, 7, and 3, which then
 * comes. The script there looks at the first two of them only. */
TEST(test_sack_grows_to_the_right)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1, .sack = {{2001, 3001}}),
      SEGMENT_IN(1 * MS, 0, 0, 1, .sack = {{2001, 3001}, {6001, 7001}}),
      SEGMENT_IN(1 * MS, 0, 0, 1, .sack = {{2001, 3001}, {6001, 7001}, {8001, 9001}}),
      SEGMENT_OUT(0, 1, 1001, 1),
      SEGMENT_IN(7 * MS, 0, 0, 1, .sack = {{2001, 4001}, {6001, 7001}, {8001, 9001}}),
      SEGMENT_OUT(0, 1001, 2001, 1),
      REORDERING_IS(0, 6), /* from 3001 to 9001 */
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{2001, 4001}, {6001, 7001}, {8001, 10001}}),
      SEGMENT_OUT(0, 4001, 5001, 1),
      /* SND.UNA moves and nothing more is lost: PRR's slow start lets one more out than arrived */
      SEGMENT_IN(83 * MS, 0, 0, 1001, .sack = {{2001, 4001}, {6001, 7001}, {8001, 10001}}),
      SEGMENT_OUT(0, 5001, 6001, 1),
      SEGMENT_OUT(0, 7001, 8001, 1),
      SEGMENT_IN(17 * MS, 0, 0, 4001, .sack = {{6001, 7001}, {8001, 10001}}),
      SEGMENT_IN(10 * MS, 0, 0, 7001, .sack = {{8001, 10001}}),
      SEGMENT_IN(100 * MS, 0, 0, 10001),
  };
  PLAY_WITH(GTESTS "sack/sack-shift-sacked-2-6-8-3-9-nofack.pkt", rows, .retransmissions = 5,
            .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/sack/sack-shift-sacked-7-5-6-8-9-fack.pkt (as in torvalds/linux
 * tools/testing/selftests/net/packetdrill/tcp_sack_sack-shift-sacked-7-5-6-8-9-fack.pkt): 7 is SACKed
 * alone, RACK's timer takes 0 to 6 as lost; 5 and 6 follow, then 8 and 9. */
TEST(test_sack_grows_to_the_left)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1, .sack = {{7001, 8001}}),
      SEGMENT_OUT(25 * MS, 1, 1001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(27 * MS, 1, 1001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{5001, 6001}, {7001, 8001}}),
      SEGMENT_OUT(0, 1001, 2001, 1),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{5001, 8001}}),
      SEGMENT_OUT(0, 2001, 3001, 1),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{5001, 9001}}),
      SEGMENT_OUT(0, 3001, 4001, 1),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{5001, 10001}}),
      SEGMENT_OUT(0, 4001, 5001, 1),
      SEGMENT_IN(100 * MS, 0, 0, 10001),
  };
  PLAY_WITH(GTESTS "sack/sack-shift-sacked-7-5-6-8-9-fack.pkt", rows, .retransmissions = 5, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/sack/sack-shift-sacked-7-3-4-8-9-fack.pkt: RACK's timer takes 0 to 6 as
 * lost after 7 is SACKed; 3 and 4 follow, then 8 and 9. The threshold is 7 and no more are in flight: a
 * segment leaves for each SACKed (RFC 6937 §3). */
TEST(test_sack_of_what_was_lost)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1, .sack = {{7001, 8001}}),
      SEGMENT_OUT(25 * MS, 1, 1001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(27 * MS, 1, 1001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{3001, 4001}, {7001, 8001}}),
      SEGMENT_OUT(0, 1001, 2001, 1),
      REORDERING_IS(0, 5), /* from 3001 to 8001 */
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{3001, 5001}, {7001, 8001}}),
      SEGMENT_OUT(0, 2001, 3001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{3001, 5001}, {7001, 9001}}),
      SEGMENT_OUT(0, 5001, 6001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{3001, 5001}, {7001, 10001}}),
      SEGMENT_OUT(0, 6001, 7001, 1),
      SEGMENT_IN(100 * MS, 0, 0, 10001),
  };
  PLAY_WITH(GTESTS "sack/sack-shift-sacked-7-3-4-8-9-fack.pkt", rows, .retransmissions = 5, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/fast_recovery/prr-ss-10pkt-lost-1.pkt: the first of ten is lost; what
 * is posted meanwhile leaves one segment for each SACKed, and the window in the end is the threshold, 0.7
 * of 10. */
TEST(test_prr)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(110 * MS, 0, 0, 1, .sack = {{1001, 2001}}),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 3001}}),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 4001}}),
      SEGMENT_OUT(0, 1, 1001, 1),
      WINDOW_IS(0, 7000),
      POSTED(20 * MS, 7000),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 5001}}),
      SEGMENT_OUT(0, 10001, 11001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 6001}}),
      SEGMENT_OUT(0, 11001, 12001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 7001}}),
      SEGMENT_OUT(0, 12001, 13001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 8001}}),
      SEGMENT_OUT(0, 13001, 14001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 9001}}),
      SEGMENT_OUT(0, 14001, 15001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 10001}}),
      SEGMENT_OUT(0, 15001, 16001, 1),
      SEGMENT_IN(20 * MS, 0, 0, 10001),
      SEGMENT_OUT(0, 16001, 17001, 1, .flags = TCP_ACK | TCP_PSH),
      WINDOW_IS(10 * MS, 7000),
      SEGMENT_IN(30 * MS, 0, 0, 12001),
      SEGMENT_IN(20 * MS, 0, 0, 14001),
      SEGMENT_IN(20 * MS, 0, 0, 16001),
      SEGMENT_IN(20 * MS, 0, 0, 17001),
  };
  PLAY_WITH(GTESTS "fast_recovery/prr-ss-10pkt-lost-1.pkt", rows, .retransmissions = 1, .recoveries = 1);
}

/* Not of packetdrill: 1 and 6 of ten segments are lost, without SACK. For Linux each duplicate ACK is the
 * SACK of a segment (tcp_add_reno_sack()), so PRR leads 8 in flight, of 12 without three duplicates and a
 * loss, to 7: by 0.7 new ones for each further duplicate. RFC 6582 waits until the duplicates have inflated 7
 * + 3 beyond 12. */
TEST(test_prr_without_sack)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 20000),
      SEGMENT_OUT(0, 1, 10001, 1),
      SEGMENT_IN(100 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 10001, 11001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 11001, 12001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 1, 1001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 12001, 13001, 1, .keys = PACKETDRILL_LINUX), /* ceil(2 * 0.7) - 1 */
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 13001, 14001, 1, .keys = PACKETDRILL_LINUX), /* ceil(3 * 0.7) - 2 */
      SEGMENT_IN(10 * MS, 0, 0, 1),                               /* ceil(4 * 0.7) - 3 = 0 */
      SEGMENT_OUT(0, 12001, 13001, 1, .keys = PACKETDRILL_RFC),   /* 7 + 6 */
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 13001, 14001, 1, .keys = PACKETDRILL_RFC),
      /* of five segments one was missing, the others take four duplicates with them */
      SEGMENT_IN(40 * MS, 0, 0, 5001),
      SEGMENT_OUT(0, 5001, 6001, 1),
      SEGMENT_OUT(0, 14001, 15001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 5001),
      SEGMENT_OUT(0, 15001, 16001, 1),
      /* What was in flight at first is acknowledged, and no more: RFC 6582 ends the recovery, with a window
       * of the flight and one. Linux stays in it, and duplicates mean nothing. */
      SEGMENT_IN(90 * MS, 0, 0, 12001),
      SEGMENT_OUT(0, 16001, 17001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 16001, 19001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(10 * MS, 0, 0, 12001),
      SEGMENT_OUT(0, 17001, 18001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(10 * MS, 0, 0, 12001),
      SEGMENT_OUT(0, 18001, 19001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(10 * MS, 0, 0, 13001),
      SEGMENT_OUT(0, 19001, 20001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_LINUX),
      WINDOW_IS(0, 7000, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(10 * MS, 0, 0, 19001),
      SEGMENT_OUT(0, 19001, 20001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_RFC),
  };
  PLAY_WITH("PRR without SACK", rows, .syn.has_sack_permitted = false, .retransmissions = 2, .recoveries = 1);
}

/* Not of packetdrill: the first seven of ten segments are lost, without SACK. Linux' window is 7, and after
 * each partial acknowledgement 5 are in flight. PRR lets out the two that have room while so many more were
 * delivered than sent, 6 less 3 and then 7 less 5; of the third, 8 less 7, the retransmission alone, since an
 * acknowledgement that shows another loss is not safe (RFC 6937 §3.1). RFC 6582 deflates by what is
 * acknowledged and adds a segment. */
TEST(test_partial_acknowledgements_without_sack)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 30000),
      SEGMENT_OUT(0, 1, 10001, 1),
      SEGMENT_IN(100 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 10001, 11001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 11001, 12001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 1, 1001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 12001, 13001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 13001, 14001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 12001, 13001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(10 * MS, 0, 0, 1),
      SEGMENT_OUT(0, 13001, 14001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_IN(30 * MS, 0, 0, 1001),
      SEGMENT_OUT(0, 1001, 2001, 1),
      SEGMENT_OUT(0, 14001, 15001, 1),
      SEGMENT_IN(30 * MS, 0, 0, 2001),
      SEGMENT_OUT(0, 2001, 3001, 1),
      SEGMENT_OUT(0, 15001, 16001, 1),
      SEGMENT_IN(30 * MS, 0, 0, 3001),
      SEGMENT_OUT(0, 3001, 4001, 1),
      SEGMENT_OUT(0, 16001, 17001, 1, .keys = PACKETDRILL_RFC),
  };
  PLAY_WITH("PRR without SACK", rows, .syn.has_sack_permitted = false, .retransmissions = 4, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/fast_recovery/prr-ss-30pkt-lost-1_4-11_16.pkt: the first four of ten
 * are lost, and six of those sent after. */
TEST(test_two_holes)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 20000),
      SEGMENT_OUT(0, 1, 10001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{4001, 5001}}),
      SEGMENT_OUT(0, 10001, 11001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 6001}}),
      SEGMENT_OUT(0, 11001, 12001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 7001}}),
      SEGMENT_OUT(0, 1, 1001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 8001}}),
      SEGMENT_OUT(0, 1001, 2001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 9001}}),
      SEGMENT_OUT(0, 2001, 3001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 10001}}),
      SEGMENT_OUT(0, 3001, 4001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 11001}}),
      SEGMENT_OUT(0, 12001, 13001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1, .sack = {{4001, 12001}}),
      SEGMENT_OUT(0, 13001, 14001, 1),
      SEGMENT_IN(10 * MS, 0, 0, 1001, .sack = {{4001, 12001}}),
      SEGMENT_OUT(0, 14001, 16001, 1),
      /* 2 and 3 were sent again after 1, and have arrived a round trip later: 1 is lost once more */
      SEGMENT_IN(2 * MS, 0, 0, 1001, .sack = {{2001, 12001}}),
      SEGMENT_OUT(0, 1001, 2001, 1),
      SEGMENT_OUT(0, 16001, 17001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1001, .sack = {{2001, 13001}}),
      SEGMENT_OUT(0, 17001, 18001, 1),
      SEGMENT_IN(2 * MS, 0, 0, 1001, .sack = {{2001, 14001}}),
      SEGMENT_OUT(0, 18001, 19001, 1),
  };
  PLAY_WITH(GTESTS "fast_recovery/prr-ss-30pkt-lost-1_4-11_16.pkt", rows, .round_trip_us = 10 * MS,
            .retransmissions = 5 /* 0 to 3, and 1 twice */, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/fast_recovery/prr-ss-ack-below-snd_una-cubic.pkt: segments 0, 4 and 7
 * of ten are lost; an ACK that was overtaken brings SACKs of what was not SACKed yet. */
TEST(test_overtaken_ack)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 10000),
      SEGMENT_OUT(0, 1, 10001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(10 * MS, 0, 0, 1, .sack = {{1001, 2001}}),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{1001, 3001}}),
      SEGMENT_IN(0, 0, 0, 1, .sack = {{1001, 3001}, {8001, 9001}}),
      SEGMENT_OUT(0, 1, 1001, 1),
      SEGMENT_IN(12 * MS, 0, 0, 4001, .sack = {{8001, 9001}}),
      SEGMENT_OUT(0, 4001, 7001, 1),
      POSTED(0, 10000),
      /* Linux takes the SACKs. RFC 9293 §3.10.7.4 lets an ACK below SND.UNA be ignored; the SACKs are in
       * the next ACK again (RFC 2018 §4). */
      SEGMENT_IN(2 * MS, 0, 0, 3001, .sack = {{5001, 7001}}),
      SEGMENT_OUT(0, 7001, 8001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_OUT(0, 10001, 11001, 1, .keys = PACKETDRILL_LINUX),
      SEGMENT_IN(0, 0, 0, 4001, .sack = {{5001, 7001}, {8001, 9001}}),
      SEGMENT_OUT(0, 7001, 8001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 10001, 11001, 1, .keys = PACKETDRILL_RFC),
  };
  PLAY_WITH(GTESTS "fast_recovery/prr-ss-ack-below-snd_una-cubic.pkt", rows, .round_trip_us = 10 * MS,
            .retransmissions = 5 /* 0, 4, 5, 6, 7 */, .recoveries = 1);
}

/* google/packetdrill gtests/net/tcp/cubic/cubic-rto-ss-ca-cwnd-bump.pkt, its first part: a tail loss
 * probe, then a time-out. Two round trips of 100 ms have been measured, so SRTT is 100 ms, RTTVAR 37.5 and
 * RTO 250 (RFC 6298 §2). */
TEST(test_probe_and_time_out)
{
  static const packetdrill_row rows[] = {
      POSTED(0, 1000),
      SEGMENT_OUT(0, 1, 1001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 0, 0, 1001),
      WINDOW_IS(0, 10000), /* it was not full */
      POSTED(0, 1000),
      SEGMENT_OUT(0, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH),
      /* RFC 8985 §7.2: two SRTT and, for a single segment, the delay of an ACK, 40 ms. Linux takes its
       * least RTO of 200 ms for that delay, is beyond the RTO (of 300 ms there, never less than SRTT +
       * 200) and probes then. */
      SEGMENT_OUT(240 * MS, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(300 * MS, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_LINUX),
      /* §7.3: a whole RTO after the probe */
      SEGMENT_OUT(250 * MS, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(300 * MS, 1001, 2001, 1, .flags = TCP_ACK | TCP_PSH, .keys = PACKETDRILL_LINUX),
      WINDOW_IS(0, 1000),
      SEGMENT_IN(100 * MS, 0, 0, 2001),
      WINDOW_IS(0, 2000),
      POSTED(0, 20000),
      SEGMENT_OUT(0, 2001, 4001, 1),
      /* The threshold comes from the one segment in flight (RFC 5681 equation 4, RFC 9438 §4.6), and is 2
       * SMSS: congestion avoidance, one segment for one. Linux takes it from the window of 10, has 7, and
       * sends two. */
      SEGMENT_IN(100 * MS, 0, 0, 3001),
      SEGMENT_OUT(0, 4001, 5001, 1, .keys = PACKETDRILL_RFC),
      SEGMENT_OUT(0, 4001, 6001, 1, .keys = PACKETDRILL_LINUX),
  };
  PLAY_WITH(GTESTS "cubic/cubic-rto-ss-ca-cwnd-bump.pkt", rows, .timeouts = 1, .retransmissions = 2);
}

/* A table that is wrong at one place is found out, and the message names the row, what was expected and
 * what was seen when. */
TEST(test_wrong_tables)
{
  static const packetdrill_row right[] = {
      POSTED(0, 2000),
      SEGMENT_OUT(0, 1, 2001, 1, .flags = TCP_ACK | TCP_PSH),
      SEGMENT_IN(100 * MS, 1, 1001, 2001),
      SEGMENT_OUT(40 * MS, 0, 0, 1001),
  };
  static const struct {
    size_t row;
    packetdrill_row instead;
    const char *complaint;
  } wrong[] = {
      {1, SEGMENT_OUT(0, 2, 2001, 1, .flags = TCP_ACK | TCP_PSH), "sequence number"},
      {1, SEGMENT_OUT(0, 1, 1001, 1), "not in the table"},
      {1, SEGMENT_OUT(0, 1, 3001, 1, .flags = TCP_ACK | TCP_PSH), "flags"},
      {1, SEGMENT_OUT(0, 1, 2001, 1), "flags"},
      {1, SEGMENT_OUT(0, 1, 2001, 2, .flags = TCP_ACK | TCP_PSH), "acknowledgement"},
      {1, SEGMENT_OUT(0, 1, 2001, 1, .flags = TCP_ACK | TCP_PSH, .ecn = DATAGRAM_ECN_ECT_0), "ECN field"},
      {3, SEGMENT_OUT(39 * MS, 0, 0, 1001), "no segment"},
      {3, SEGMENT_OUT(39 * MS, 0, 0, 1001, .within_us = 999), "no segment"},
      {3, SEGMENT_OUT(41 * MS, 0, 0, 1001), "time"},
      {3, SEGMENT_OUT(40 * MS, 0, 0, 1001, .sack = {{1, 1001}}), "SACK blocks"},
      {3, SEGMENT_OUT(40 * MS, 0, 0, 1001, .window = WINDOW_SHUT), "window"},
      {3, SEGMENT_IN(50 * MS, 0, 0, 2001),
       "row 3: a segment that is not in the table: expected nothing, seen . 2001:2001 ack 1001"},
      {3, WINDOW_IS(0, 1), "congestion window: expected 1, seen 10000 at 100000 us"},
  };
  packetdrill_row rows[G_N_ELEMENTS(right)] = {POSTED(0, 0)};
  packetdrill_script script = packetdrill_script_of("none", rows, G_N_ELEMENTS(rows));
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    memcpy(rows, right, sizeof right);
    g_assert_null(packetdrill_play(&script));
    rows[wrong[i].row] = wrong[i].instead;
    g_autofree char *failure = packetdrill_play(&script);
    g_test_message("%s", failure);
    g_assert_nonnull(failure);
    g_assert_nonnull(strstr(failure, wrong[i].complaint));
  }
}
