/* SPDX-License-Identifier: GPL-2.0-only */
/* The path MTU changes under a connection: what was posted stays posted and is cut where it no longer fits
 * (mpa-01 §5.3). */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { HEADERS = 40 }; /* IPv4 and TCP without options */

static tcp_fixture *connected(tcp_segmentation segmentation, bool sack)
{
  return tcp_fixture_pair(TCP_WITH(.segmentation = segmentation, .sack = sack));
}

/* EMSS falls to `emss_octets` when two FPDUs of 1456 octets have been posted and not sent. */
static tcp_fixture *shrunk(tcp_segmentation segmentation, uint32_t emss_octets)
{
  tcp_fixture *f = connected(segmentation, true);
  queue_record(f, 0, 1456, TCP_RECORD_FPDU);
  queue_record(f, 0, 1456, TCP_RECORD_FPDU);
  set_send_mtu(f, 0, emss_octets + HEADERS);
  return f;
}

/* The segments on the wire of end 0 have these lengths and follow each other from `position` on; they
 * arrive. */
#define EXPECT_SEGMENTS(f, position, ...)                                                                    \
  expect_segments(f, position, (const uint32_t[]){__VA_ARGS__},                                              \
                  G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))
static void expect_segments(tcp_fixture *f, uint64_t position, const uint32_t *lengths, size_t count)
{
  g_assert_cmpuint(on_wire(f, 0), ==, count);
  for (size_t i = 0; i < count; i++) {
    g_test_message("segment %zu", i);
    expect_and_deliver(f, 0, position, lengths[i]);
    position += lengths[i];
  }
}

/* EMSS is the smaller of the peer's MSS and the way there, less the timestamps; it follows in both
 * directions (MPA-019), also before the handshake. */
FLAG_TEST(test_emss_follows, timestamps)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_unopened(TCP_WITH(.timestamps = timestamps));
  uint32_t options = timestamps ? 12 : 0;
  set_send_mtu(f, 0, 1300);
  g_assert_cmpuint(emss_of(f), ==, 1260 - options);
  handshake(f, TCP_FIXTURE_ROUND_TRIP, NULL);
  g_assert_cmpuint(emss_of(f), ==, 1260 - options);
  set_send_mtu(f, 0, 576);
  g_assert_cmpuint(emss_of(f), ==, 536 - options);
  set_send_mtu(f, 0, 9000); /* the peer's MSS is 1460 */
  g_assert_cmpuint(emss_of(f), ==, 1460 - options);
}

/* MPA-043: FPDUs posted for an EMSS of 1460 are neither withdrawn nor changed when it falls to 960 before
 * they are sent: each is cut into 960 and the rest, which leaves alone, and the next starts afresh
 * (note M26). Those that fit, posted later, go together again, and none is cut. The fixture compares every
 * octet with what was posted. */
TCP_TEST(test_shrinks_before_sending, shrunk(TCP_SEGMENTATION_ALIGNED, 960))
{
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 400, 500, 800);
  EXPECT_SEGMENTS(f, 0, 960, 496, 960, 496, 900, 800);
  g_assert_cmpuint(f->end[1].passed_octets, ==, 4612);
}

/* RECORD: the same cuts of what no longer fits; of those that fit none goes with another. */
TCP_TEST(test_shrinks_before_sending_records, shrunk(TCP_SEGMENTATION_RECORD, 960))
{
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 400, 500);
  EXPECT_SEGMENTS(f, 0, 960, 496, 960, 496, 400, 500);
}

/* A stream sender cuts at the new EMSS wherever it is. */
TCP_TEST(test_stream, shrunk(TCP_SEGMENTATION_STREAM, 600))
{
  collect(f, 0);
  EXPECT_SEGMENTS(f, 0, 600, 600, 600, 600, 512);
}

/* It grows while an FPDU is cut: the rest of that still leaves alone, and the next starts afresh. */
TCP_TEST(test_grows_within_an_fpdu,
         tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_ALIGNED, .initial_window_segments = 1,
                                   .delayed_ack_segments = 1, .send_mtu_octets = 500 + HEADERS)))
{
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 1400, 300, 400);
  EXPECT_SEGMENTS(f, 0, 500);
  set_send_mtu(f, 0, 1500);
  /* The window was one segment of 500 octets: one of the new size must fit, or nothing would ever leave. */
  g_assert_cmpuint(window_of(f), ==, 1460);
  deliver_all(f, 1);
  EXPECT_SEGMENTS(f, 500, 900, 700);
}

/* What is in flight is sent again within the new EMSS: a segment of one FPDU is cut at 600, one of two
 * FPDUs of 700 between them and within each (note M29), and what fits keeps its boundaries (MPA-048).
 * After a time-out all of it goes again. RECORD sends the two FPDUs in two segments, and each again as the
 * pieces of itself. */
static void check_sent_again(tcp_segmentation segmentation, bool sack)
{
  static const uint32_t lengths[] = {600, 600, 256, 600, 100, 600, 100, 500};
  g_autoptr(tcp_fixture) f = connected(segmentation, sack);
  post(f, 0, 1456, TCP_RECORD_FPDU);
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 700, 700);
  post(f, 0, 500, TCP_RECORD_FPDU);
  g_assert_cmpuint(on_wire(f, 0), ==, segmentation == TCP_SEGMENTATION_ALIGNED ? 3 : 4);
  drop_all(f, 0);
  set_send_mtu(f, 0, 600 + HEADERS);
  expect_nothing(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND); /* RTO */
  uint64_t position = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    g_test_message("segment %zu", i);
    expect_and_deliver(f, 0, position, lengths[i]);
    position += lengths[i];
    advance_by(f, 40 * TIME_PS_PER_MILLISECOND); /* the delayed ACK */
    deliver_all(f, 1);
  }
  expect_nothing(f, 0);
  g_assert_cmpuint(f->end[0].acknowledged, ==, position);
  g_assert_cmpuint(statistics_of(f)->timeouts, ==, 1);
}

TEST(test_sent_again_within_the_new_emss)
{
  check_sent_again(TCP_SEGMENTATION_ALIGNED, true);
  check_sent_again(TCP_SEGMENTATION_ALIGNED, false);
  check_sent_again(TCP_SEGMENTATION_RECORD, true);
}

/* Of segments in flight that arrived, nothing is sent again, although they are cut now: SACKs of the old
 * boundaries count for the pieces. The first of five segments is lost; the FIN rides on the last. */
TCP_TEST(test_sacked_pieces, connected(TCP_SEGMENTATION_STREAM, true))
{
  queue_record(f, 0, 5 * 1460, 0);
  finish(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 5);
  drop_segment(f, 0);
  deliver(f, 0);
  set_send_mtu(f, 0, 800 + HEADERS);
  deliver_some(f, 0, 3);
  deliver_all(f, 1);
  expect_segment(f, 0, 0, 800);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  EXPECT_FIELDS(statistics_of(f), (retransmissions, 2), (timeouts, 0)); /* 800 and 660 */
  EXPECT_FIELDS(&f->end[1], (finished, true), (passed_octets, 5 * 1460));
}

/* The FIN takes no room: it goes with the last piece when that is EMSS, and alone when it was sent alone. */
FLAG_TEST(test_fin_sent_again, alone)
{
  g_autoptr(tcp_fixture) f = connected(TCP_SEGMENTATION_STREAM, true);
  queue_record(f, 0, 1200, 0);
  if (alone) {
    collect(f, 0);
  }
  finish(f, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, alone ? 2 : 1);
  drop_all(f, 0);
  set_send_mtu(f, 0, 600 + HEADERS);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 0, 600);
  g_assert_cmpuint(wire_header(f, 0, 0).flags & TCP_FIN, ==, 0);
  deliver(f, 0);
  advance_by(f, 40 * TIME_PS_PER_MILLISECOND);
  deliver_all(f, 1);
  expect_segment(f, 0, 600, 600);
  g_assert_cmpuint(wire_header(f, 0, 0).flags & TCP_FIN, ==, alone ? 0 : TCP_FIN);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_true(f->end[1].finished);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 2);
}

/* The smallest MTU there is, 68 octets: 28 of payload. */
TCP_TEST(test_smallest, connected(TCP_SEGMENTATION_ALIGNED, true))
{
  set_send_mtu(f, 0, 68);
  g_assert_cmpuint(emss_of(f), ==, 28);
  post(f, 0, 140, TCP_RECORD_FPDU);
  g_assert_cmpuint(on_wire(f, 0), ==, 5);
  complete_transfer(f, 140);
}
