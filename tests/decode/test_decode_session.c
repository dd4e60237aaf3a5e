/* SPDX-License-Identifier: GPL-2.0-only */
/* A session finds all FPDUs of a connection, whatever the order, the cuts and the losses of its segments. */
#include <string.h>

#include "decode_fixture.h"
#include "mpa/mpa_fpdu.h"
#include "test.h"

static const kit_plan both_ways = {
    .has_frames = true, .markers = {true, false}, .crc = true, .private_data = {7, 512}, .fpdus = {60, 20}};

/* --- In order --- */

PLAN_TEST(test_in_order, &both_ways)
{
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  const decode_direction_summary *forward = kit_summary(session, SIDE_INITIATOR);
  const decode_connection *connection = decode_session_connection(session->session, 0);

  kit_expect_all(session, at->talk);
  g_assert_true(forward->in_full_operation && forward->markers && forward->crc);
  g_assert_false(kit_summary(session, SIDE_RESPONDER)->markers);
  g_assert_cmpuint(forward->located_by[MPA_LOCATED_BY_CHAIN], ==, 60);
  g_assert_cmpuint(forward->marker_count, ==, (at->talk->fpdus[0]->octets->len + 511) / 512);
  /* One segment an FPDU: all are aligned; the startup frame's does not count. */
  g_assert_cmpuint(forward->segments, ==, 60);
  g_assert_cmpuint(forward->aligned, ==, 60);
  g_assert_cmpuint(forward->out_of_order + forward->duplicates, ==, 0);
  g_assert_true(connection->has_request && connection->has_reply && !connection->is_hinted);
  g_assert_cmpuint(connection->initiator, ==, 0);
  g_assert_cmpuint(connection->request.private_data_octets, ==, 7);
  g_assert_cmpmem(connection->reply.private_data, 512, at->talk->octets[1]->data + 20, 512);
  g_assert_cmpuint(session->startups->len, ==, 2);
  g_assert_cmpuint(session->notes->len, ==, 0);
  g_assert_cmpuint(g_array_index(session->fpdus, decode_fpdu, 40).packets, ==, 1);
}

/* FPDU 0 comes in two segments, cut at octet `cut`, or, when that is negative, so far from its end. In either
 * order packets 5 and 6 brought it, also when one of them brought no octet of the ULPDU. */
static void play_cut(int cut, bool tail_first, random_stream *random)
{
  const kit_plan plan = {.has_frames = true, .crc = true, .fpdus = {1, 0}};
  g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
  uint64_t start = kit_talk_start(talk, 0, 0);
  uint32_t length = (uint32_t)(kit_talk_end(talk, 0, 0) - start);
  uint32_t head = cut > 0 ? (uint32_t)cut : length - (uint32_t)-cut;
  const kit_piece parts[] = {{.position = start, .length = head, .captured = head},
                             {.position = start + head, .length = length - head, .captured = length - head}};
  g_autoptr(GArray) pieces = kit_cut(talk, 0);

  g_array_set_size(pieces, 4); /* the SYNs and the startup frames */
  kit_append(pieces, parts[tail_first]);
  kit_append(pieces, parts[!tail_first]);
  g_autoptr(kit_session) session = kit_decode(talk, pieces, NULL);
  const decode_fpdu *fpdu = kit_fpdu(session, SIDE_INITIATOR, start);
  kit_expect_all(session, talk);
  g_assert_cmpuint(fpdu->first_packet, ==, 5);
  g_assert_cmpuint(fpdu->last_packet, ==, 6);
  g_assert_cmpuint(fpdu->packets, ==, 2);
  g_assert_cmpint(fpdu->time_ns, ==, 6000);
}

TEST(test_packets)
{
  static const int cuts[] = {MPA_FPDU_LENGTH_OCTETS, -1, -MPA_FPDU_CRC_OCTETS, -MPA_FPDU_CRC_OCTETS - 1};
  g_autoptr(random_stream) random = kit_random();

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
  kit_lose(at->pieces, 0, kit_talk_start(at->talk, 0, 30), kit_talk_end(at->talk, 0, 30));
  kit_append(at->pieces, (kit_piece){.from = 1, .position = at->talk->octets[1]->len, .flags = TCP_FIN});
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  const decode_note *fin = kit_note(session, SIDE_RESPONDER, DECODE_NOTE_FIN);
  const decode_note *hole = kit_note(session, SIDE_INITIATOR, DECODE_NOTE_HOLE);
  g_assert_true(fin && hole);
  g_assert_cmpint(fin->time_ns, ==, (gint64)session->packet * 1000);
  for (guint index = 1; index < session->notes->len; index++) {
    const decode_note *notes = &g_array_index(session->notes, decode_note, index - 1);
    g_assert_cmpint(notes[0].time_ns, <=, notes[1].time_ns);
  }
  g_assert_cmpint(hole->time_ns, ==, fin->time_ns);
  g_assert_cmpuint(hole->packet, <, fin->packet); /* the latest of its own direction */
}

/* The Reply was captured before the Request: it is reported first. */
PLAN_TEST(test_frames_in_time, &both_ways)
{
  kit_piece request = g_array_index(at->pieces, kit_piece, 2);

  g_assert_true(request.from == 0 && request.position == at->talk->startup[0]);
  g_array_remove_index(at->pieces, 2);
  g_array_insert_val(at->pieces, 3, request);
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  kit_expect_all(session, at->talk);
  g_assert_cmpuint(session->startups->len, ==, 2);
  g_assert_cmpint(g_array_index(session->startups, decode_startup_event, 0).direction, ==, SIDE_RESPONDER);
  g_assert_cmpint(g_array_index(session->startups, decode_startup_event, 1).direction, ==, SIDE_INITIATOR);
}

/* --- Any order --- */

static void play_shuffled(const kit_plan *plan, uint32_t cut_octets, random_stream *random)
{
  g_autoptr(kit_talk) talk = kit_talk_new(plan, random);
  g_autoptr(GArray) pieces = kit_cut(talk, cut_octets);

  kit_shuffle(pieces, random);
  g_autoptr(kit_session) session = kit_decode(talk, pieces, NULL);
  kit_expect_all(session, talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->duplicates, ==, 0);
}

/* Startup frames after FPDUs, SYNs after all. */
TEST(test_shuffled)
{
  g_autoptr(random_stream) random = kit_random();

  for (guint turn = 0; turn < 60; turn++) {
    kit_plan plan = {.has_frames = true,
                     .markers = {(turn & 1) != 0, (turn & 2) != 0},
                     .crc = (turn & 4) == 0,
                     .private_data = {(uint32_t)random_stream_below(random, 40), 0},
                     .streaming = {turn % 3 == 0 ? 1000 : 0, turn % 5 == 0 ? 30 : 0},
                     .fpdus = {40, 10}};
    play_shuffled(&plan, turn % 4 == 3 ? 0 : 3 + (uint32_t)random_stream_below(random, 1400 >> turn % 8),
                  random);
  }
}

/* Positions count from the SYN, also when it comes last and the first octets never do. */
TEST(test_late_syn)
{
  const kit_plan plan = {.has_frames = true, .crc = true, .streaming = {1000, 0}, .fpdus = {5, 5}};
  g_autoptr(random_stream) random = kit_random();
  g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
  g_autoptr(GArray) pieces = kit_cut(talk, 500);
  kit_piece syn = g_array_index(pieces, kit_piece, 0);

  g_array_remove_index(pieces, 0);
  kit_lose(pieces, 0, 0, 1);
  kit_append(pieces, syn);
  g_autoptr(kit_session) session = kit_decode(talk, pieces, NULL);
  const decode_direction_summary *forward = kit_summary(session, SIDE_INITIATOR);
  kit_expect_sums(session, talk);
  g_assert_cmpuint(forward->fpdus, ==, 5);
  g_assert_cmpuint(forward->phase_start, ==, 1020);
  g_assert_cmpuint(forward->streaming_octets, ==, 500);
  g_assert_cmpuint(forward->missing_octets, ==, 500);
}

/* An aligned stream's segments stay so in any order, although their FPDUs are known later than they are. */
PLAN_TEST(test_shuffled_alignment, &both_ways)
{
  kit_shuffle(at->pieces, at->random);
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->aligned, ==, 60);
  g_assert_cmpuint(kit_summary(session, SIDE_RESPONDER)->aligned, ==, 20);
}

/* --- Duplicates --- */

/* Each octet comes about three times, in other cuts. What comes again has other octets: the first ones
 * stay. */
TEST(test_duplicates)
{
  g_autoptr(random_stream) random = kit_random();
  g_autoptr(kit_talk) talk = kit_talk_new(&both_ways, random);
  uint32_t length = talk->octets[0]->len;
  uint8_t *other = g_malloc(length);
  g_autoptr(GArray) pieces = kit_cut(talk, 1000);
  g_autoptr(GArray) mixed = g_array_new(FALSE, FALSE, sizeof(kit_piece));
  uint64_t seen = 0;

  memset(other, 0x55, length);
  for (guint index = 0; index < pieces->len; index++) {
    kit_piece piece = g_array_index(pieces, kit_piece, index);
    kit_append(mixed, piece);
    seen = piece.from == 0 ? piece.position + piece.length : seen;
    for (guint turn = 0; turn < 2 && seen > talk->phase[0]; turn++) {
      uint64_t from = talk->phase[0] + random_stream_below(random, seen - talk->phase[0]);
      uint32_t octets = (uint32_t)MIN(seen - from, 700);
      kit_append(mixed, (kit_piece){.position = from, .length = octets, .captured = octets, .octets = other});
    }
  }
  g_autoptr(kit_session) session = kit_decode(talk, mixed, NULL);
  const decode_direction_summary *forward = kit_summary(session, SIDE_INITIATOR);
  kit_expect_all(session, talk);
  g_assert_cmpuint(forward->duplicates, >, 50);
  g_assert_cmpuint(forward->segments, ==, forward->duplicates + (length - talk->phase[0] + 999) / 1000);
  g_free(other);
}

/* --- Losses --- */

static const kit_plan plan_of_loss_with_markers = {
    .has_frames = true, .markers = {true, false}, .crc = true, .fpdus = {50, 0}};

/* With markers all FPDUs are found but those that miss octets. */
PLAN_TEST(test_loss_with_markers, &plan_of_loss_with_markers)
{
  /* The marker that leads to the next one lies in the next one when that is long enough; so lose before a
   * long one. */
  guint lost = 10;
  while (kit_talk_end(at->talk, 0, lost + 1) - kit_talk_start(at->talk, 0, lost + 1) < 600) {
    lost++;
  }
  kit_lose(at->pieces, 0, kit_talk_start(at->talk, 0, lost), kit_talk_end(at->talk, 0, lost));
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  const decode_direction_summary *forward = kit_summary(session, SIDE_INITIATOR);
  const decode_note *hole = kit_note(session, SIDE_INITIATOR, DECODE_NOTE_HOLE);
  uint64_t octets = kit_talk_end(at->talk, 0, lost) - kit_talk_start(at->talk, 0, lost);

  kit_expect_sums(session, at->talk);
  g_assert_cmpuint(forward->fpdus, ==, 49);
  g_assert_cmpuint(forward->unaccounted_octets, ==, octets);
  g_assert_cmpuint(forward->missing_octets, ==, octets);
  g_assert_cmpuint(kit_notes(session, SIDE_INITIATOR, DECODE_NOTE_HOLE), ==, 1);
  g_assert_cmpuint(hole->stream_position, ==, kit_talk_start(at->talk, 0, lost));
  g_assert_cmpuint(hole->octets, ==, octets);
  g_assert_cmpuint(kit_notes(session, SIDE_INITIATOR, DECODE_NOTE_LOST_CHAIN), ==, 0);
}

static const kit_plan plan_of_loss_without_markers = {.has_frames = true, .crc = true, .fpdus = {50, 0}};

/* Without markers nothing after a hole is located, but by who assumes that segments start with FPDUs. */
PLAN_TEST(test_loss_without_markers, &plan_of_loss_without_markers)
{
  const decode_options assuming = {.assume_aligned = true};

  kit_lose(at->pieces, 0, kit_talk_start(at->talk, 0, 10), kit_talk_end(at->talk, 0, 10));
  kit_session *session = kit_decode(at->talk, at->pieces, NULL);
  kit_expect_sums(session, at->talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->fpdus, ==, 10);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->aligned, ==, 10);
  g_assert_cmpuint(kit_notes(session, SIDE_INITIATOR, DECODE_NOTE_LOST_CHAIN), ==, 1);
  kit_session_free(session);
  session = kit_decode(at->talk, at->pieces, &assuming);
  kit_expect_sums(session, at->talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->fpdus, ==, 49);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->located_by[MPA_LOCATED_BY_ASSUMPTION], ==, 39);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->aligned, ==, 49);
  kit_session_free(session);
}

/* What is in no FPDU is reported in order, what came of it apart from what did not. */
PLAN_TEST(test_gaps, &plan_of_loss_without_markers)
{
  const uint64_t places[] = {kit_talk_start(at->talk, 0, 10), kit_talk_end(at->talk, 0, 10),
                             kit_talk_start(at->talk, 0, 30), kit_talk_end(at->talk, 0, 30),
                             at->talk->octets[0]->len};
  guint gaps = 0;

  kit_lose(at->pieces, 0, places[0], places[1]);
  kit_lose(at->pieces, 0, places[2], places[3]);
  at->session = kit_decode(at->talk, at->pieces, NULL);
  for (guint index = 0; index < at->session->notes->len; index++) {
    const decode_note *note = &g_array_index(at->session->notes, decode_note, index);
    g_assert_cmpint(note->kind, ==, gaps % 2 == 0 ? DECODE_NOTE_HOLE : DECODE_NOTE_LOST_CHAIN);
    g_assert_cmpuint(note->stream_position, ==, places[gaps]);
    g_assert_cmpuint(note->octets, ==, places[gaps + 1] - places[gaps]);
    gaps++;
  }
  g_assert_cmpuint(gaps, ==, 4);
}

/* A hole is given up when more waits beyond it than may: with markers decoding goes on, and the holes after
 * it do no harm. */
TEST(test_hold_limit)
{
  const kit_plan plan = {
      .has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {400, 0}, .ulpdu_octets = 120};
  const decode_options options = {.hold_octets = 3000};
  g_autoptr(random_stream) random = kit_random();
  g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
  g_autoptr(GArray) pieces = kit_cut(talk, 300);

  kit_lose(pieces, 0, kit_talk_start(talk, 0, 20), kit_talk_start(talk, 0, 20) + 1);
  kit_lose(pieces, 0, kit_talk_start(talk, 0, 300), kit_talk_start(talk, 0, 300) + 1);
  for (guint index = 200; index < 280; index++) {
    kit_talk_flip(talk, 0, kit_talk_end(talk, 0, index) - 1, 0x01); /* such ones are held beyond a hole */
  }
  g_autoptr(kit_session) session = kit_session_new(&options);
  for (guint index = 0; index < pieces->len; index++) {
    kit_give(session, talk, &g_array_index(pieces, kit_piece, index));
  }
  /* All but what the holes and a few FPDUs at either side of each cost, and what still waits. */
  g_assert_cmpuint(session->fpdus->len, >, 320);
  /* When the first hole is given up, what follows it is in order again, a wrong FPDU, too. */
  const decode_fpdu *wrong = kit_fpdu(session, SIDE_INITIATOR, kit_talk_start(talk, 0, 200));
  g_assert_nonnull(wrong);
  g_assert_cmpint(wrong->crc, ==, DECODE_CRC_WRONG);
  decode_session_finish(session->session);
  kit_expect_sums(session, talk);
  g_assert_cmpuint(kit_notes(session, SIDE_INITIATOR, DECODE_NOTE_HOLE), ==, 2);
}

/* When nothing that waits is located, all of it is given up; what markers locate later is reported, and
 * nothing else. */
TEST(test_hold_limit_unlocated)
{
  const kit_plan plan = {.has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {60, 0}};
  const decode_options options = {.hold_octets = 3000};
  g_autoptr(random_stream) random = kit_random();

  for (guint turn = 0; turn < 10; turn++) {
    g_autoptr(kit_talk) talk = kit_talk_new(&plan, random);
    g_autoptr(GArray) pieces = kit_cut(talk, 701);
    kit_lose(pieces, 0, kit_talk_start(talk, 0, 10), kit_talk_start(talk, 0, 10) + 1);
    for (guint index = 11; index < 30; index++) {
      kit_talk_flip(talk, 0, kit_talk_end(talk, 0, index) - 1, 0x01);
    }
    g_autoptr(kit_session) session = kit_decode(talk, pieces, &options);
    kit_expect_sums(session, talk);
    g_assert_nonnull(kit_fpdu(session, SIDE_INITIATOR, kit_talk_start(talk, 0, 59)));
    for (guint index = 0; index < session->fpdus->len; index++) {
      const decode_fpdu *fpdu = &g_array_index(session->fpdus, decode_fpdu, index);
      g_assert_nonnull(mpa_stream_find(talk->fpdus[0], fpdu->phase_offset));
    }
  }
}

static const kit_plan plan_of_hold_limit_without_markers = {
    .has_frames = true, .crc = true, .fpdus = {100, 0}};

/* The same without markers: from there on all is unaccounted for, and no memory is needed for it. */
PLAN_TEST(test_hold_limit_without_markers, &plan_of_hold_limit_without_markers)
{
  const decode_options options = {.hold_octets = 3000};

  kit_lose(at->pieces, 0, kit_talk_start(at->talk, 0, 20), kit_talk_end(at->talk, 0, 20));
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, &options);
  kit_expect_sums(session, at->talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->fpdus, ==, 20);
}

/* The capture ends within an FPDU: its octets are incomplete, not unaccounted for. */
PLAN_TEST(test_incomplete, &both_ways)
{
  for (uint32_t left = 1; left < 12; left++) {
    kit_piece *last = &g_array_index(at->pieces, kit_piece, 4 + 59);
    g_assert_true(last->from == 0 && last->position == kit_talk_start(at->talk, 0, 59));
    last->length = left;
    last->captured = left;
    g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
    const decode_direction_summary *forward = kit_summary(session, SIDE_INITIATOR);
    g_assert_cmpuint(forward->fpdus, ==, 59);
    g_assert_cmpuint(forward->incomplete_octets, ==, left);
    g_assert_cmpuint(forward->unaccounted_octets, ==, 0);
    g_assert_cmpuint(forward->aligned, ==, 60);
    g_assert_cmpuint(kit_note(session, SIDE_INITIATOR, DECODE_NOTE_INCOMPLETE)->octets, ==, left);
  }
}

/* --- Flags and checksums --- */

PLAN_TEST(test_flags, &both_ways)
{
  uint64_t end = at->talk->octets[0]->len;

  kit_append(at->pieces, (kit_piece){.position = end, .flags = TCP_FIN});
  kit_append(at->pieces, (kit_piece){.position = end, .flags = TCP_FIN});
  kit_append(at->pieces, (kit_piece){.from = 1, .position = 0, .flags = TCP_RST});
  g_autoptr(kit_session) session = kit_decode(at->talk, at->pieces, NULL);
  kit_expect_all(session, at->talk);
  g_assert_cmpuint(kit_notes(session, SIDE_INITIATOR, DECODE_NOTE_FIN), ==, 1);
  g_assert_cmpuint(kit_note(session, SIDE_INITIATOR, DECODE_NOTE_FIN)->stream_position, ==, end);
  g_assert_cmpuint(kit_notes(session, SIDE_RESPONDER, DECODE_NOTE_RESET), ==, 1);
}

/* A damaged packet is ignored, its retransmission counts; or it is believed when the user says so. */
PLAN_TEST(test_checksums, &both_ways)
{
  const decode_options believing = {.ignore_checksums = true};
  uint8_t damaged[] = {0xDE, 0xAD, 0xBE, 0xEF};
  guint index = 3;
  while (mpa_stream_at(at->talk->fpdus[0], index)->start % 512 == 0) {
    index++; /* the damage is to be in a ULPDU_Length, not in a leading marker */
  }
  const kit_piece piece = {.position = kit_talk_start(at->talk, 0, index),
                           .length = sizeof damaged,
                           .captured = sizeof damaged,
                           .octets = damaged,
                           .checksum = CAPTURE_CHECKSUM_WRONG};

  g_array_insert_val(at->pieces, 5, piece);
  kit_session *session = kit_decode(at->talk, at->pieces, NULL);
  kit_expect_all(session, at->talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->wrong_checksums, ==, 1);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->segments, ==, 60);
  kit_session_free(session);
  session = kit_decode(at->talk, at->pieces, &believing);
  kit_expect_sums(session, at->talk);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->segments, ==, 61);
  g_assert_cmpuint(kit_summary(session, SIDE_INITIATOR)->fpdus, <, 60);
  kit_session_free(session);
}
