/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about how the stream flows without losses: bursts, slow start, delayed ACKs, cuts, windows,
 * what is passed up when. */
#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460 };

/* SACK blocks, most recent first, and no more than 3 beside timestamps; never on a segment with payload,
 * which has no room. */
TCP_TEST(test_sack_blocks_on_the_wire, tcp_fixture_pair(TCP_WITH(.timestamps = true)))
{
  post(f, 0, 10 * 1448, 0);
  for (unsigned i = 0; i < 4; i++) {
    drop_segment(f, 0);
    deliver(f, 0);
  }
  g_assert_cmpuint(on_wire(f, 1), ==, 4);
  tcp_header header = wire_header(f, 1, 3);
  g_assert_cmpuint(header.sack_count, ==, 3);
  for (unsigned i = 0; i < 3; i++) { /* segments 7, 5, 3 */
    EXPECT_FIELDS(&header.sack[i], (from, sequence_at(f, 0, (7 - 2 * i) * 1448)),
                  (to, sequence_at(f, 0, (8 - 2 * i) * 1448)));
  }
  drop_all(f, 1);
  queue_record(f, 1, 1448, 0);
  deliver(f, 0); /* beyond the holes: its ACK must not be lost on the payload */
  g_assert_cmpuint(on_wire(f, 1), ==, 2);
  expect_ack(f, 1, 0);
  g_assert_cmpuint(wire_length(f, 1, 1), ==, 1448);
  g_assert_cmpuint(wire_header(f, 1, 1).sack_count, ==, 0);
}

/* MPA-041: FPDUs stay whole. MPA-052: those that fit share a segment; the startup frame does not. */
TEST(test_aligned_segments)
{
  static const uint32_t lengths[] = {40, 1456, 1200, 600, 1300};
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_ALIGNED));
  queue_record(f, 0, 40, 0);
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 1456, 600, 600, 600, 1300);
  uint64_t position = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    bool last = i + 1 == G_N_ELEMENTS(lengths);
    expect_segment(f, 0, position, lengths[i]);
    g_assert_cmpuint(wire_header(f, 0, 0).flags, ==, last ? TCP_ACK | TCP_PSH : TCP_ACK);
    deliver(f, 0);
    position += lengths[i];
  }
  expect_nothing(f, 0);
}

/* PSH, of FPDUs of 2000 and 1000 octets: Linux sets it at the end of each, and not in its middle; RFC 9293
 * §3.9.1.2 (MUST-61) asks for it where the queue is empty. What is sent again has it as the first time. In a
 * stream nothing keeps sends apart. */
static void check_push(tcp_segmentation segmentation, bool pushes, uint64_t first_end)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.segmentation = segmentation, .pushes_fpdus = pushes));
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 2000, 1000);
  bool lost = true;
  while (f->end[1].passed_octets < 3000) {
    while (on_wire(f, 0) > 0) {
      uint64_t end = wire_position(f, 0, 0) + wire_length(f, 0, 0);
      bool push = end == 3000 || end == first_end;
      g_assert_cmphex(wire_header(f, 0, 0).flags, ==, push ? TCP_ACK | TCP_PSH : TCP_ACK);
      if (lost) {
        drop_segment(f, 0);
      } else {
        deliver(f, 0);
      }
    }
    lost = false;
    deliver_all(f, 1);
    if (on_wire(f, 0) == 0 && f->end[1].passed_octets < 3000) {
      advance_to(f, f->end[0].connection->class->deadline(f->end[0].connection));
    }
  }
}

TEST(test_push)
{
  check_push(TCP_SEGMENTATION_RECORD, true, 2000);
  check_push(TCP_SEGMENTATION_ALIGNED, true, 2000);
  check_push(TCP_SEGMENTATION_STREAM, true, 3000);
  check_push(TCP_SEGMENTATION_RECORD, false, 3000);
}

/* Linux, tcp_event_data_sent(): of an end that has answered within 40 ms the ACK waits for the next answer,
 * until it has waited in vain for 40 ms. */
FLAG_TEST(test_answers_carry_acks, late)
{
  g_autoptr(tcp_fixture) f = tcp_fixture_pair(TCP_WITH(.ack_by_octets = true));
  post(f, 0, EMSS, 0);
  deliver(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, 1); /* PSH: read, and acknowledged */
  deliver(f, 1);
  advance_by(f, 40 * TIME_PS_PER_MILLISECOND - (late ? 0 : 1));
  post(f, 1, 100, 0);
  deliver_all(f, 1);
  deliver_all(f, 0);
  post(f, 0, EMSS, 0);
  deliver(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, late);
  if (!late) {
    advance_by(f, 40 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(on_wire(f, 1), ==, 1);
  }
  deliver(f, 1);
  post(f, 0, EMSS, 0);
  deliver(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, 1);
}

/* Posts records of streaming data in the same way on both fixtures. */
static void post_streaming(tcp_fixture *f)
{
  static const uint32_t records[] = {1, 3000, 700, 1460, 2, 5000, 1459};
  for (size_t i = 0; i < G_N_ELEMENTS(records); i++) {
    queue_record(f, 0, records[i], 0);
    if (i % 3 == 2) {
      collect(f, 0);
    }
  }
  collect(f, 0);
}

/* MPA-020: before MPA is enabled, which the first FPDU posted shows, an MPA-aware sender cuts as any TCP,
 * segment by segment, PSH included, through a loss and a small window too. */
TEST(test_streaming_is_cut_as_ever)
{
  tcp_fixture *fixtures[] = {
      tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_ALIGNED, .receive_window_octets = 7000)),
      tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_STREAM, .receive_window_octets = 7000))};
  unsigned segments = 0;
  post_streaming(fixtures[0]);
  post_streaming(fixtures[1]);
  while (on_wire(fixtures[0], 0) > 0) {
    g_assert_cmpuint(on_wire(fixtures[0], 0), ==, on_wire(fixtures[1], 0));
    for (unsigned i = on_wire(fixtures[0], 0); i > 0; i--) {
      expect_segment(fixtures[0], 0, wire_position(fixtures[1], 0, 0), wire_length(fixtures[1], 0, 0));
      g_assert_cmpuint(wire_header(fixtures[0], 0, 0).flags, ==, wire_header(fixtures[1], 0, 0).flags);
      for (unsigned each = 0; each < 2; each++) {
        if (segments == 2) {
          drop_segment(fixtures[each], 0);
        } else {
          deliver(fixtures[each], 0);
        }
      }
      segments++;
    }
    for (unsigned each = 0; each < 2; each++) {
      advance_by(fixtures[each], TCP_FIXTURE_ROUND_TRIP);
      deliver_all(fixtures[each], 1);
    }
  }
  g_assert_cmpuint(fixtures[0]->end[1].passed_octets, ==, 11622); /* all */
  g_assert_cmpuint(segments, >=, 9);                              /* 11622 / 1460 = 7.96, one lost */
  tcp_fixture_free(fixtures[0]);
  tcp_fixture_free(fixtures[1]);
}

/* A STREAM sender cuts the same at EMSS: 40 + 4556 = 4596 = 3 * 1460 + 216. Nagle is off (MPA-042): the
 * short rest leaves at once. */
TCP_TEST(test_stream_segments, tcp_fixture_pair(NULL))
{
  queue_record(f, 0, 40, 0);
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 1456, 3100);
  for (uint64_t position = 0; position < 4380; position += EMSS) {
    expect_and_deliver(f, 0, position, EMSS);
  }
  expect_and_deliver(f, 0, 4380, 216);
}

/* full_segments: first transmissions only. STREAM: EMSS octets of FPDUs, 1500 on the wire each; the first
 * segment has a startup frame in it, the last is short. ALIGNED: one record flagged full-size. */
TCP_TEST(test_full_segments_are_counted, tcp_fixture_pair(NULL))
{
  queue_record(f, 0, 40, 0);
  post(f, 0, 3 * EMSS, TCP_RECORD_FPDU);
  drop_all(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  run_until_idle(f, TCP_FIXTURE_ROUND_TRIP);
  g_assert_cmpuint(statistics_of(f)->retransmissions, ==, 4);
  EXPECT_FIELDS(&f->end[0].connection->gauges, (segments_sent, 2 * 4), (full_segments, 2),
                (full_segment_octets, 3000), (full_segment_payload_octets, 2920));
  g_autoptr(tcp_fixture) aligned = tcp_fixture_pair(TCP_WITH(.segmentation = TCP_SEGMENTATION_ALIGNED));
  POST_RECORDS(aligned, 0, TCP_RECORD_FPDU | TCP_RECORD_FULL_SIZE, 1456, 1460);
  post(aligned, 0, 1460, TCP_RECORD_FPDU);
  EXPECT_FIELDS(&aligned->end[0].connection->gauges, (full_segments, 2), (full_segment_octets, 1496 + 1500));
}

/* A script whose window is 2000 octets. */
static tcp_fixture *against_small_window(tcp_segmentation segmentation)
{
  return tcp_fixture_scripted(TCP_WITH(.segmentation = segmentation), OFFER(2000, EMSS));
}

/* MPA-044: an FPDU that the peer's window has no room for waits while anything is in flight; when nothing
 * is, it is cut, and what is left of it leaves alone. */
TCP_TEST(test_small_window_breaks_alignment, against_small_window(TCP_SEGMENTATION_ALIGNED))
{
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 1400, 1400, 400);
  expect_lone_segment(f, 0, 0, 1400); /* 600 are left: it waits */
  drop_segment(f, 0);
  script_window(f, 1400, 1000);
  expect_and_drop(f, 0, 1400, 1000);
  expect_nothing(f, 0);
  script_window(f, 2400, 1000);
  expect_and_drop(f, 0, 2400, 400); /* the rest of the second FPDU */
  expect_segment(f, 0, 2800, 400);  /* the third, in a fresh segment */
}

/* MPA-041: three FPDUs would go together; the window of 1000 octets has room for two of them, and these stay
 * whole: 500 + 400. */
TCP_TEST(test_small_window_takes_fewer_fpdus, against_small_window(TCP_SEGMENTATION_ALIGNED))
{
  script_window(f, 0, 1000);
  POST_RECORDS(f, 0, TCP_RECORD_FPDU, 500, 400, 300);
  g_assert_cmpuint(on_wire(f, 0), ==, 1);
  expect_and_drop(f, 0, 0, 900);
  script_window(f, 900, 1000);
  expect_segment(f, 0, 900, 300);
}

/* An old window, of a segment that was overtaken, is not taken (RFC 9293 §3.10.7.4, SND.WL1 and SND.WL2). */
TCP_TEST(test_old_window_is_not_taken, against_small_window(TCP_SEGMENTATION_STREAM))
{
  tcp_header header = SCRIPT_HEADER(f, 0, 0, .flags = TCP_ACK, .window = 50);
  script_payload(f, 100, 100, 0); /* window 65,535 */
  script_segment(f, header, 0, 100);
  g_assert_cmpuint(f->end[0].passed_octets, ==, 200);
  drop_all(f, 0);
  post(f, 0, 10 * EMSS, 0);
  g_assert_cmpuint(on_wire(f, 0), ==, 10);
}

/* A script that offers timestamps, its own is 50. */
static tcp_fixture *against_timestamps(const tcp_config *config)
{
  return tcp_fixture_scripted(config,
                              &(tcp_header){.window = 9000, .has_timestamps = true, .timestamp_value = 50});
}

/* A peer that has filled our window stands at its right edge: its ACKs count. */
TCP_TEST(test_ack_from_the_edge_of_the_window,
         tcp_fixture_scripted(TCP_WITH(.receive_window_octets = 5000), OFFER(9000, EMSS)))
{
  post(f, 0, 1000, 0);
  script_segment(f, SCRIPT_HEADER(f, 5000, 1000, .flags = TCP_ACK, .window = 9000), 0, 0);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 1000);
}

/* RFC 7323 §4.3: a delayed ACK echoes the timestamp of the older of its two segments; one beyond a hole is
 * not echoed. */
TEST(test_timestamp_echo)
{
  static const struct {
    uint64_t position;
    uint32_t timestamp;
    uint32_t echo; /* 0: no ACK yet */
  } steps[] = {{0, 100, 0}, {10, 200, 100}, {30, 300, 100}, {20, 350, 350}};
  g_autoptr(tcp_fixture) f = against_timestamps(TCP_WITH(.timestamps = true));
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    script_segment(f,
                   SCRIPT_HEADER(f, (int64_t)steps[i].position, 0, .flags = TCP_ACK, .window = 9000,
                                 .has_timestamps = true, .timestamp_value = steps[i].timestamp),
                   steps[i].position, 10);
    g_assert_cmpuint(on_wire(f, 0), ==, steps[i].echo ? 1 : 0);
    if (steps[i].echo) {
      g_assert_cmpuint(wire_header(f, 0, 0).timestamp_echo, ==, steps[i].echo);
      drop_segment(f, 0);
    }
  }
}

static const struct {
  uint32_t timestamp;
  time_ps wait;
  bool taken;
} earlier_epoch_rows[] = {{999, 0, false},
                          {1000, 0, true},
                          {2000, 0, true},
                          {2001, 0, true},
                          {2000 + (uint32_t)INT32_MAX, 0, true},
                          {2000 + (uint32_t)INT32_MAX + 1, 0, false},
                          {999, (time_ps)INT32_MAX *TIME_PS_PER_MICROSECOND - 1, false},
                          {999, (time_ps)INT32_MAX *TIME_PS_PER_MICROSECOND, true}};

/* MPA-029: with timestamps, a segment of another epoch does not reach MPA (PAWS, RFC 7323 §5.3 R1): it has
 * a timestamp more than the least tick of §5.4, 1 ms or 1000 of this clock's ticks, older than TS.Recent,
 * which is 2000 after the first segment. Answered with an ACK, dropped; what is late by a millisecond or
 * less is taken. Serial arithmetic: 2^31 - 1 ticks ahead is younger, 2^31 ahead is older. 2^31 - 1 us
 * later TS.Recent compares with nothing any more (§5.5). */
ROW_TEST(test_earlier_epoch, earlier_epoch_rows)
{
  g_autoptr(tcp_fixture) f = against_timestamps(TCP_WITH(.timestamps = true, .delayed_ack_segments = 1));
  tcp_header header = SCRIPT_HEADER(f, 0, 0, .flags = TCP_ACK, .window = 9000, .has_timestamps = true,
                                    .timestamp_value = 2000);
  script_segment(f, header, 0, 10);
  drop_segment(f, 0);
  advance_by(f, c->wait);
  header.sequence = sequence_at(f, 1, 10);
  header.timestamp_value = c->timestamp;
  script_segment(f, header, 10, 10);
  g_test_message("timestamp %u after %" G_GINT64_FORMAT " ps", c->timestamp, (gint64)c->wait);
  g_assert_cmpuint(f->end[0].passed_octets, ==, c->taken ? 20 : 10);
  expect_ack(f, 0, c->taken ? 20 : 10);
}

/* RFC 7323 §3.2: both ends have agreed on timestamps. A segment without, with payload or with nothing but
 * an ACK, is dropped without an answer, its ACK too; a RST needs none. Linux takes them all. */
FLAG_TEST(test_missing_timestamps, drops)
{
  g_autoptr(tcp_fixture) f =
      against_timestamps(TCP_WITH(.timestamps = true, .delayed_ack_segments = 1, .drops_untimed = drops));
  post_losing(f, 1000, ALL);
  tcp_header header = SCRIPT_HEADER(f, 0, 300, .flags = TCP_ACK, .window = 9000);
  script_segment(f, header, 0, 0);
  g_assert_cmpuint(f->end[0].acknowledged, ==, drops ? 0 : 300);
  header.acknowledgement = sequence_at(f, 0, 700);
  script_segment(f, header, 0, 10);
  EXPECT_FIELDS(&f->end[0], (acknowledged, drops ? 0 : 700), (passed_octets, drops ? 0 : 10),
                (segments, 1)); /* it has come all the same */
  g_assert_cmpuint(on_wire(f, 0), ==, drops ? 0 : 1);
  header.has_timestamps = true;
  header.timestamp_value = 51;
  script_segment(f, header, 0, 10);
  EXPECT_FIELDS(&f->end[0], (acknowledged, 700), (passed_octets, 10));
  tcp_header reset = {.sequence = sequence_at(f, 1, 10), .flags = TCP_RST};
  script_segment(f, reset, 0, 0);
  g_assert_true(f->end[0].closed);
}

/* Four segments; the second comes last. IN_ORDER holds two of them, with their times; AS_ARRIVED passes
 * all when they come. */
FLAG_TEST(test_passing, in_order)
{
  g_autoptr(tcp_fixture) f =
      tcp_fixture_pair(TCP_WITH(.passing = in_order ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED));
  time_ps start = f->now;
  post(f, 0, 4 * EMSS, 0);
  reorder_segments(f, 0, 1, 3); /* 0 3 2 1 */
  for (unsigned i = 0; i < 4; i++) {
    advance_to(f, start + (time_ps)i * 1000);
    g_assert_cmpuint(f->end[1].passed->len, ==, in_order ? MIN(i, 1) : i);
    g_assert_cmpuint(f->end[1].connection->class->held_octets_below(f->end[1].connection, UINT64_MAX), ==,
                     in_order && i > 1 ? (i - 1) * EMSS : 0);
    deliver(f, 0);
    EXPECT_FIELDS(&f->end[1], (segment_new, EMSS), (segment_edge, i == 0 ? 0 : EMSS));
  }
  g_assert_cmpuint(f->end[1].passed->len, ==, 4);
  static const unsigned position_as_arrived[] = {0, 3, 2, 1};
  static const unsigned arrival_in_order[] = {0, 3, 2, 1};
  for (unsigned i = 0; i < 4; i++) {
    const tcp_fixture_passed *passed = &g_array_index(f->end[1].passed, tcp_fixture_passed, i);
    g_assert_cmpuint(passed->position, ==, (in_order ? i : position_as_arrived[i]) * EMSS);
    g_assert_cmpint(passed->arrival, ==, start + 1000 * (time_ps)(in_order ? arrival_in_order[i] : i));
    g_assert_cmpint(passed->now, ==, start + 1000 * (time_ps)(in_order && i > 0 ? 3 : i));
    /* the edge has moved before the octets are passed; what is being passed is not held any more */
    EXPECT_FIELDS(passed, (edge, (i == 3 || (in_order && i > 0) ? 4 : 1) * EMSS),
                  (held, in_order && i > 0 ? (3 - i) * EMSS : 0));
  }
}

/* events.segment reports duplicates too: nothing new in them, and nothing passed. */
TCP_TEST(test_duplicates_are_counted, tcp_fixture_pair(NULL))
{
  post(f, 0, 2 * EMSS, 0);
  deliver_and_keep(f, 0);
  g_assert_cmpuint(f->end[1].segment_new, ==, EMSS);
  deliver(f, 0);
  EXPECT_FIELDS(&f->end[1], (segments, 2), (segment_new, 0), (segment_position, 0), (segment_length, EMSS),
                (segment_edge, EMSS));
  expect_ack(f, 1, EMSS); /* at once */
  g_assert_cmpuint(f->end[1].passed_octets, ==, EMSS);
}
