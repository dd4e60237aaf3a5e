/* SPDX-License-Identifier: GPL-2.0-only */
/* A session finds all FPDUs of a connection, whatever the order, the cuts and the losses of its segments. */
#include <string.h>

#include "decode_fixture.h"
#include "mpa/mpa_fpdu.h"
#include "parts.h"

static const send_plan both_ways = {
    .has_frames = true, .markers = {true, false}, .crc = true, .private_data = {7, 512}, .fpdus = {60, 20}};
static const send_plan marked = {.has_frames = true, .markers = {true, false}, .crc = true, .fpdus = {50, 0}};
static const send_plan unmarked = {.has_frames = true, .crc = true, .fpdus = {50, 0}};

/* --- In order --- */

PLAN_TEST(test_in_order, &both_ways)
{
  decode(at, NULL);
  expect_all(at);
  EXPECT_FIELDS(at->forward, (in_full_operation, true), (markers, true), (crc, true),
                (located_by[MPA_LOCATED_BY_CHAIN], 60),
                (marker_count, (at->sent[0]->octets->len + 511) / 512));
  g_assert_false(at->reverse->markers);
  /* One segment an FPDU: all are aligned; the startup frame's does not count. */
  EXPECT_FIELDS(at->forward, (segments, 60), (aligned, 60), (out_of_order, 0), (duplicates, 0));
  EXPECT_FIELDS(at->connection, (has_request, true), (has_reply, true), (is_hinted, false), (initiator, 0),
                (request.private_data_octets, 7));
  g_assert_cmpmem(at->connection->reply.private_data, 512, at->octets[1]->data + 20, 512);
  EXPECT_FIELDS(at, (startups->len, 2), (notes->len, 0));
  g_assert_cmpuint(event_at(at->fpdus, 40)->packets.count, ==, 1);
}

/* Rates and positions beyond 4 GiB: after the FPDUs come 70,000 segments of 65,000 octets, of which the
 * headers alone were captured, and a FIN. Packets are 1 us apart, so the segments of the FPDU phase, which
 * are the last but the FIN, take (segments - 1) us. */
PLAN_TEST(test_beyond_4_gib, &unmarked)
{
  enum { SEGMENTS = 70000, OCTETS = 65000 };
  uint64_t position = at->octets[0]->len;

  decode_begin(at, NULL);
  for (guint index = 0; index < at->pieces->len; index++) {
    decode_piece(at, piece_at(at, index));
  }
  const uint64_t phase_octets = position - at->phase[0];
  for (guint index = 0; index < SEGMENTS; index++, position += OCTETS) {
    decode_piece(at, &(piece){.position = position, .length = OCTETS, .octets = at->octets[0]->data});
  }
  decode_piece(at, &(piece){.position = position, .flags = TCP_FIN});
  decode_end(at);
  g_assert_cmpuint(position, >, UINT64_C(1) << 32);
  const uint64_t segments = 50 + SEGMENTS;
  const uint64_t wire_octets =
      phase_octets + (uint64_t)SEGMENTS * OCTETS + segments * DECODE_CASE_HEADER_OCTETS;
  EXPECT_FIELDS(at->forward, (segments, segments), (wire_octets, wire_octets),
                (data_ns, (segments - 1) * 1000),
                (wire_octets_per_s, (uint64_t)((double)wire_octets * 1e6 / (double)(segments - 1) + 0.5)));
  g_assert_cmpuint(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_FIN, 1)->stream_position, ==, position);
}

/* FPDU 0 comes in two segments, cut at octet `cut_at`, or, when that is negative, so many octets before its
 * end. In either order packets 5 and 6 brought it, also when one of them brought no octet of the ULPDU. */
static void play_cut(int cut_at, bool tail_first, random_stream *random)
{
  const send_plan plan = {.has_frames = true, .crc = true, .fpdus = {1, 0}};
  g_autoptr(decode_case) at = decode_case_new(&plan, random, 0);
  uint64_t edges[] = {start_of(at, 0, 0), 0, end_of(at, 0, 0)};

  edges[1] = edges[cut_at > 0 ? 0 : 2] + (uint64_t)cut_at;
  g_array_set_size(at->pieces, 4); /* the SYNs and the startup frames */
  append_octets(at, 0, edges[tail_first], edges[tail_first + 1]);
  append_octets(at, 0, edges[!tail_first], edges[!tail_first + 1]);
  decode(at, NULL);
  expect_all(at);
  EXPECT_FIELDS(fpdu_of(at, 0), (packets.first, 5), (packets.last, 6), (packets.count, 2), (time_ns, 6000));
}

TEST(test_packets)
{
  static const int cuts[] = {MPA_FPDU_LENGTH_OCTETS, -1, -MPA_FPDU_CRC_OCTETS, -MPA_FPDU_CRC_OCTETS - 1};
  g_autoptr(random_stream) random = random_of_test();

  for (guint index = 0; index < G_N_ELEMENTS(cuts); index++) {
    play_cut(cuts[index], false, random);
    play_cut(cuts[index], true, random);
  }
}

/* --- Time --- */

/* A forward FPDU never comes and the reverse end's FIN is the last packet: only the end of the capture shows
 * the hole, after the FIN. */
PLAN_TEST(test_notes_in_time, &both_ways)
{
  lose_fpdu(at, 30);
  append(at, (piece){.from = 1, .position = at->octets[1]->len, .flags = TCP_FIN});
  decode(at, NULL);
  const decode_event *fin = expect_notes(at, SIDE_RESPONDER, DECODE_NOTE_FIN, 1);
  const decode_event *hole = expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_HOLE, 1);
  g_assert_cmpint(fin->time_ns, ==, (gint64)at->packet * 1000);
  for (guint index = 1; index < at->notes->len; index++) {
    g_assert_cmpint(event_at(at->notes, index - 1)->time_ns, <=, event_at(at->notes, index)->time_ns);
  }
  g_assert_cmpint(hole->time_ns, ==, fin->time_ns);
  g_assert_cmpuint(hole->packets.last, <, fin->packets.last); /* the latest of its own direction */
}

/* The Reply was captured before the Request: it is reported first. */
PLAN_TEST(test_frames_in_time, &both_ways)
{
  piece request = *piece_at(at, 2);

  g_assert_true(request.from == 0 && request.position == at->startup[0]);
  g_array_remove_index(at->pieces, 2);
  g_array_insert_val(at->pieces, 3, request);
  decode(at, NULL);
  expect_all(at);
  g_assert_cmpuint(at->startups->len, ==, 2);
  EXPECT_FIELDS(event_at(at->startups, 0), (direction, SIDE_RESPONDER));
  EXPECT_FIELDS(event_at(at->startups, 1), (direction, SIDE_INITIATOR));
}

/* --- Any order --- */

/* Startup frames come after FPDUs, SYNs after all. */
TEST(test_shuffled)
{
  g_autoptr(random_stream) random = random_of_test();

  for (guint turn = 0; turn < 60; turn++) {
    const send_plan plan = {.has_frames = true,
                            .markers = {(turn & 1) != 0, (turn & 2) != 0},
                            .crc = (turn & 4) == 0,
                            .private_data = {(uint32_t)random_stream_below(random, 40), 0},
                            .streaming = {turn % 3 == 0 ? 1000 : 0, turn % 5 == 0 ? 30 : 0},
                            .fpdus = {40, 10}};
    uint32_t cut_octets = turn % 4 == 3 ? 0 : 3 + (uint32_t)random_stream_below(random, 1400 >> turn % 8);
    g_autoptr(decode_case) at = decode_case_new(&plan, random, cut_octets);

    shuffle(at);
    decode(at, NULL);
    expect_all(at);
    g_assert_cmpuint(at->forward->duplicates, ==, 0);
  }
}

/* Positions count from the SYN, also when it comes last and the first octets never do. */
TEST(test_late_syn)
{
  const send_plan plan = {.has_frames = true, .crc = true, .streaming = {1000, 0}, .fpdus = {5, 5}};
  g_autoptr(random_stream) random = random_of_test();
  g_autoptr(decode_case) at = decode_case_new(&plan, random, 500);
  piece syn = *piece_at(at, 0);

  g_array_remove_index(at->pieces, 0);
  lose(at, 0, 0, 1);
  append(at, syn);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (fpdus, 5), (phase_start, 1020), (streaming_octets, 500), (missing_octets, 500));
}

/* The segments of an aligned stream count as aligned in any order, although their FPDUs become known later
 * than they do. */
PLAN_TEST(test_shuffled_alignment, &both_ways)
{
  shuffle(at);
  decode(at, NULL);
  EXPECT_FIELDS(at, (forward->aligned, 60), (reverse->aligned, 20));
}

/* --- Duplicates --- */

/* Each octet comes about three times, in other cuts. What comes again has other octets: the first ones
 * stay. */
TEST(test_duplicates)
{
  g_autoptr(random_stream) random = random_of_test();
  g_autoptr(decode_case) at = decode_case_new(&both_ways, random, 1000);
  uint32_t length = at->octets[0]->len;
  uint64_t phase = at->phase[0];
  g_autofree uint8_t *other = g_malloc(length);
  g_autoptr(GArray) pieces = g_steal_pointer(&at->pieces);
  uint64_t seen = 0;

  at->pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  memset(other, 0x55, length);
  for (guint index = 0; index < pieces->len; index++) {
    const piece *each = &g_array_index(pieces, piece, index);
    append(at, *each);
    seen = each->from == 0 ? each->position + each->length : seen;
    for (guint turn = 0; turn < 2 && seen > phase; turn++) {
      uint64_t from = phase + random_stream_below(random, seen - phase);
      uint32_t octets = (uint32_t)MIN(seen - from, 700);
      append(at, (piece){.position = from, .length = octets, .captured = octets, .octets = other});
    }
  }
  decode(at, NULL);
  expect_all(at);
  g_assert_cmpuint(at->forward->duplicates, >, 50);
  g_assert_cmpuint(at->forward->segments, ==, at->forward->duplicates + (length - phase + 999) / 1000);
}

/* --- Losses --- */

/* With markers all FPDUs are found except those with missing octets. */
PLAN_TEST(test_loss_with_markers, &marked)
{
  /* The marker that locates the next FPDU lies in that FPDU when it is long enough, so the loss is before a
   * long one. */
  guint lost = 10;
  while (end_of(at, 0, lost + 1) - start_of(at, 0, lost + 1) < 600) {
    lost++;
  }
  lose_fpdu(at, lost);
  uint64_t octets = end_of(at, 0, lost) - start_of(at, 0, lost);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (fpdus, 49), (unaccounted_octets, octets), (missing_octets, octets));
  EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_HOLE, 1),
                (stream_position, start_of(at, 0, lost)), (octets, octets));
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_LOST_CHAIN, 0);
}

/* Without markers nothing after a hole is located, unless segments are assumed to start with FPDUs. */
PLAN_TEST(test_loss_without_markers, &unmarked)
{
  lose_fpdu(at, 10);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (fpdus, 10), (aligned, 10));
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_LOST_CHAIN, 1);
  decode_well(at, &(decode_options){.assume_aligned = true});
  EXPECT_FIELDS(at->forward, (fpdus, 49), (located_by[MPA_LOCATED_BY_ASSUMPTION], 39), (aligned, 49));
}

/* Octets that are in no FPDU are reported in order, those that came apart from those that did not. */
PLAN_TEST(test_gaps, &unmarked)
{
  const uint64_t places[] = {start_of(at, 0, 10), end_of(at, 0, 10), start_of(at, 0, 30), end_of(at, 0, 30),
                             at->octets[0]->len};

  lose(at, 0, places[0], places[1]);
  lose(at, 0, places[2], places[3]);
  decode(at, NULL);
  g_assert_cmpuint(at->notes->len, ==, 4);
  for (guint gap = 0; gap < 4; gap++) {
    EXPECT_FIELDS(event_at(at->notes, gap), (kind, gap % 2 == 0 ? DECODE_NOTE_HOLE : DECODE_NOTE_LOST_CHAIN),
                  (stream_position, places[gap]), (octets, places[gap + 1] - places[gap]));
  }
}

/* A hole is given up when more waits beyond it than may: with markers decoding goes on, and the holes after
 * it do no harm. */
TEST(test_hold_limit)
{
  const send_plan plan = {
      .has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {400, 0}, .ulpdu_octets = 120};
  const decode_options options = {.hold_octets = 3000};
  g_autoptr(random_stream) random = random_of_test();
  g_autoptr(decode_case) at = decode_case_new(&plan, random, 300);

  lose(at, 0, start_of(at, 0, 20), start_of(at, 0, 20) + 1);
  lose(at, 0, start_of(at, 0, 300), start_of(at, 0, 300) + 1);
  for (guint index = 200; index < 280; index++) {
    flip(at, 0, end_of(at, 0, index) - 1, 0x01); /* such ones are held beyond a hole */
  }
  decode_begin(at, &options);
  for (guint index = 0; index < at->pieces->len; index++) {
    decode_piece(at, piece_at(at, index));
  }
  /* Everything is decoded except the holes, a few FPDUs on either side of each, and what still waits. */
  g_assert_cmpuint(at->fpdus->len, >, 320);
  /* When the first hole is given up, what follows it is in order again, including a wrong FPDU. */
  g_assert_cmpint(fpdu_of(at, 200)->fpdu->crc, ==, DECODE_CRC_WRONG);
  decode_end(at);
  expect_sums(at);
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_HOLE, 2);
}

/* When nothing that waits is located, all of it is given up; what markers locate later is reported, and
 * nothing else. */
TEST(test_hold_limit_unlocated)
{
  const send_plan plan = {.has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {60, 0}};
  const decode_options options = {.hold_octets = 3000};
  g_autoptr(random_stream) random = random_of_test();

  for (guint turn = 0; turn < 10; turn++) {
    g_autoptr(decode_case) at = decode_case_new(&plan, random, 701);
    lose(at, 0, start_of(at, 0, 10), start_of(at, 0, 10) + 1);
    for (guint index = 11; index < 30; index++) {
      flip(at, 0, end_of(at, 0, index) - 1, 0x01);
    }
    decode_well(at, &options);
    g_assert_nonnull(fpdu_of(at, 59));
    expect_sent(at);
  }
}

/* The same without markers: from there on all is unaccounted for, and no memory is needed for it. */
PLAN_TEST(test_hold_limit_without_markers, &unmarked)
{
  lose_fpdu(at, 20);
  decode_well(at, &(decode_options){.hold_octets = 3000});
  g_assert_cmpuint(at->forward->fpdus, ==, 20);
}

/* The capture ends within an FPDU: its octets are incomplete, not unaccounted for. */
PLAN_TEST(test_incomplete, &both_ways)
{
  for (uint32_t left = 1; left < 12; left++) {
    piece *last = piece_at(at, 4 + 59);
    g_assert_true(last->from == 0 && last->position == start_of(at, 0, 59));
    last->length = left;
    last->captured = left;
    decode(at, NULL);
    EXPECT_FIELDS(at->forward, (fpdus, 59), (incomplete_octets, left), (unaccounted_octets, 0),
                  (aligned, 60));
    EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_INCOMPLETE, 1), (octets, left));
  }
}

/* --- Flags and checksums --- */

PLAN_TEST(test_flags, &both_ways)
{
  uint64_t end = at->octets[0]->len;

  append(at, (piece){.position = end, .flags = TCP_FIN});
  append(at, (piece){.position = end, .flags = TCP_FIN});
  append(at, (piece){.from = 1, .position = 0, .flags = TCP_RST});
  decode(at, NULL);
  expect_all(at);
  EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_FIN, 1), (stream_position, end));
  expect_notes(at, SIDE_RESPONDER, DECODE_NOTE_RESET, 1);
}

/* RFC 9293 §3.10.7.4, RFC 5961 §3.2: a RST is taken at RCV.NXT alone: where its end has sent all that it
 * sent, or as far as the other end has acknowledged. After 500 octets of each end, of which the other has
 * acknowledged 400, a RST of end 1 at 500 + `from_next`, and a segment of each end after it. That it is taken
 * is refuted by what is acknowledged then: more by its own end, or more than had been sent to the other one.
 */
static const struct {
  int64_t from_next;
  uint64_t acknowledged[2]; /* by the segments after it */
  const char *found;        /* the kinds, in order */
} reset_rows[] = {
    {0, {400, 400}, "reset "},
    {-100, {400, 400}, "reset "},
    {0, {500, 400}, "reset "}, /* of what was on its way */
    {0, {600, 400}, "reset false reset "},
    {0, {400, 500}, "reset false reset "},
    {1, {400, 400}, "false reset "},
    {-1, {400, 400}, "false reset "},
    {-101, {600, 500}, "false reset "},
    {5000, {600, 500}, "false reset "},
    {1000000, {600, 500}, "false reset "},
    {INT32_MIN, {600, 500}, "false reset "},
};

ROW_TEST(test_resets, reset_rows)
{
  static const send_plan plan = {.has_frames = true, .crc = true, .fpdus = {60, 60}};
  g_autoptr(random_stream) random = random_of_test();
  g_autoptr(decode_case) at = decode_case_new(&plan, random, 0);
  g_autoptr(GString) found = g_string_new(NULL);
  g_array_set_size(at->pieces, 2); /* the SYNs */
  append_octets(at, 0, 0, 500);
  append_octets(at, 1, 0, 500);
  append(at, (piece){.from = 0, .position = 500, .acknowledged = 400});
  append(at, (piece){.from = 1, .position = 500, .acknowledged = 400});
  append(at,
         (piece){.from = 1, .position = 500 + (uint64_t)c->from_next, .flags = TCP_RST, .acknowledged = 400});
  append(at,
         (piece){.from = 1, .position = 500 + (uint64_t)c->from_next, .flags = TCP_RST, .acknowledged = 400});
  for (unsigned from = 2; from-- > 0;) {
    append_octets(at, from, 500, 600);
  }
  for (unsigned from = 0; from < 2; from++) {
    append(at, (piece){.from = from, .position = 600, .acknowledged = c->acknowledged[from]});
  }
  decode(at, NULL);
  for (guint i = 0; i < at->notes->len; i++) {
    const decode_event *note = event_at(at->notes, i);
    if (note->kind == DECODE_NOTE_RESET) {
      decode_problem_set problems = note->problems;
      g_string_append_printf(found, "%s ", decode_problems[decode_problem_take(&problems)].kind);
      EXPECT_FIELDS(note, (direction, SIDE_RESPONDER), (packets.first, 7),
                    (stream_position, (uint64_t)MAX(500 + c->from_next, 0)));
    }
  }
  g_assert_cmpstr(found->str, ==, c->found);
}

/* A damaged packet is ignored, and its retransmission counts; with --ignore-checksums it is accepted. */
PLAN_TEST(test_checksums, &both_ways)
{
  uint8_t damaged[] = {0xDE, 0xAD, 0xBE, 0xEF};
  guint index = 3;
  while (mpa_stream_at(at->sent[0], index)->start % 512 == 0) {
    index++; /* the damage is to be in a ULPDU_Length, not in a leading marker */
  }
  const piece damage = {.position = start_of(at, 0, index),
                        .length = sizeof damaged,
                        .captured = sizeof damaged,
                        .octets = damaged,
                        .checksum = CAPTURE_CHECKSUM_WRONG};

  g_array_insert_val(at->pieces, 5, damage);
  decode(at, NULL);
  expect_all(at);
  EXPECT_FIELDS(at->forward, (wrong_checksums, 1), (segments, 60));
  g_autofree char *passed_over = decode_session_passed_over(at->session);
  EXPECT_PARTS(passed_over, "a wrong TCP checksum", ": 1, the first in packet 6;"); /* after five others */
  decode_well(at, &(decode_options){.ignore_checksums = true});
  g_assert_cmpuint(at->forward->segments, ==, 61);
  g_assert_null(decode_session_passed_over(at->session));
  g_assert_cmpuint(at->forward->fpdus, <, 60);
}
