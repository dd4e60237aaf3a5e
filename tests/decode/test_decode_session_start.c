/* SPDX-License-Identifier: GPL-2.0-only */
/* How a session finds out whether and where a connection speaks MPA. */
#include <glib.h>
#include <string.h>

#include "decode_fixture.h"
#include "test.h"

static const kit_plan streaming = {.has_frames = true,
                                   .markers = {false, true},
                                   .crc = true,
                                   .streaming = {5000, 300},
                                   .private_data = {64, 0},
                                   .fpdus = {30, 20}};
static const kit_plan rejected = {.has_frames = true, .crc = true, .rejects = true, .fpdus = {5, 5}};
static const kit_plan private_data = {
    .has_frames = true, .markers = {true, true}, .crc = true, .private_data = {100, 3}, .fpdus = {30, 20}};
static const kit_plan marked_request = {
    .has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {30, 20}};
static const kit_plan plain_request = {.has_frames = true, .crc = true, .fpdus = {30, 20}};
static const kit_plan no_crc = {.has_frames = true, .fpdus = {30, 20}};
static const kit_plan no_frames = {.markers = {true, true}, .crc = true, .fpdus = {3000, 1}};
static const kit_plan rdmac = {.markers = {true, true}, .crc = true, .fpdus = {30, 20}};
static const kit_plan unmarked = {.crc = true, .fpdus = {30, 20}};
static const kit_plan marked_no_crc = {.markers = {true, true}, .fpdus = {30, 20}};
static const kit_plan neither = {.fpdus = {30, 20}};

static void decode(decode_case *at, const decode_options *options)
{
  at->session = kit_decode(at->talk, at->pieces, options);
}

/* --- Startup frames --- */

PLAN_TEST(test_streaming_mode, &streaming)
{
  decode(at, NULL);
  kit_expect_all(at->session, at->talk);
  const decode_startup_event *request = &g_array_index(at->session->startups, decode_startup_event, 0);
  g_assert_cmpuint(request->stream_position, ==, 5000);
  g_assert_cmpint(request->direction, ==, SIDE_INITIATOR);
}

/* The M bit is for what its sender receives. */
PLAN_TEST(test_markers_of_directions, &streaming)
{
  decode(at, NULL);
  const decode_connection *connection = decode_session_connection(at->session->session, 0);
  g_assert_true(connection->request.markers);
  g_assert_false(connection->reply.markers);
  g_assert_false(connection->directions[SIDE_INITIATOR].markers);
  g_assert_true(connection->directions[SIDE_RESPONDER].markers);
}

/* After a rejection there are no FPDUs: what looks like some are the ULP's octets. */
PLAN_TEST(test_rejected, &rejected)
{
  decode(at, NULL);
  kit_expect_sums(at->session, at->talk);
  for (unsigned from = 0; from < 2; from++) {
    const decode_direction_summary *summary = kit_summary(at->session, (enum side)from);
    g_assert_false(summary->in_full_operation);
    g_assert_cmpuint(summary->fpdus, ==, 0);
    g_assert_cmpuint(summary->segments, ==, 0);
    g_assert_cmpuint(summary->startup_octets, ==, 20);
    g_assert_cmpuint(summary->streaming_octets, ==, at->talk->octets[from]->len - 20);
    g_assert_cmpuint(summary->unaccounted_octets, ==, 0);
  }
  g_assert_true(decode_session_connection(at->session->session, 0)->reply.rejected);
}

/* One C bit is enough. */
PLAN_TEST(test_one_crc_bit, &plain_request)
{
  kit_talk_flip(at->talk, 0, 16, KIT_C);
  decode(at, NULL);
  kit_expect_all(at->session, at->talk);
  g_assert_true(kit_summary(at->session, SIDE_INITIATOR)->crc &&
                kit_summary(at->session, SIDE_RESPONDER)->crc);
}

/* What contradicts the documents is said. */
PLAN_TEST(test_contradictions, &plain_request)
{
  kit_talk_flip(at->talk, 0, 16, KIT_R | 0x01);
  decode(at, NULL);
  g_assert_cmpuint(kit_notes(at->session, SIDE_INITIATOR, DECODE_NOTE_STARTUP), ==, 2);
  g_assert_cmpuint(kit_notes(at->session, SIDE_RESPONDER, DECODE_NOTE_STARTUP), ==, 0);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->fpdus, ==, 30);
}

/* With a snap length that cuts the Private Data their length is known all the same, and with it where FPDUs
 * and markers begin: all FPDUs are reported. The Reply, in which nothing is cut, is reported as ever. */
PLAN_TEST(test_cut_private_data, &private_data)
{
  enum { CAPTURED = 60 };

  for (guint index = 0; index < at->pieces->len; index++) {
    kit_piece *piece = &g_array_index(at->pieces, kit_piece, index);
    piece->captured = MIN(piece->length, (uint32_t)CAPTURED);
  }
  for (guint turn = 0; turn < 5; turn++) {
    decode(at, NULL);
    const decode_connection *connection = decode_session_connection(at->session->session, 0);
    g_assert_cmpuint(connection->request.private_data_octets, ==, 100);
    g_assert_cmpuint(connection->request.private_data_read, ==, CAPTURED - 20);
    g_assert_cmpuint(connection->reply.private_data_read, ==, 3);
    for (unsigned from = 0; from < 2; from++) {
      const decode_direction_summary *summary = kit_summary(at->session, (enum side)from);
      g_assert_cmpuint(summary->startup_octets, ==, from == 0 ? 120 : 23);
      g_assert_cmpuint(summary->phase_start, ==, summary->startup_octets);
      g_assert_cmpuint(summary->crc_bad, ==, 0);
      g_assert_cmpuint(summary->unaccounted_octets, ==, 0);
      g_assert_cmpuint(summary->fpdus, ==, from == 0 ? 30 : 20);
    }
    if (turn < 4) {
      kit_session_free(at->session);
      kit_shuffle(at->pieces, at->random);
    }
  }
}

/* What was on the wire and not captured is not waited for: that the connection speaks MPA is known with its
 * two frames. */
PLAN_TEST(test_cut_private_data_at_once, &private_data)
{
  enum { SYNS_AND_FRAMES = 4, CAPTURED = 60 };

  at->session = kit_session_new(NULL);
  for (guint index = 0; index < SYNS_AND_FRAMES; index++) {
    kit_piece piece = g_array_index(at->pieces, kit_piece, index);
    g_assert_cmpuint(decode_session_connections(at->session->session), ==, 0);
    piece.captured = MIN(piece.length, (uint32_t)CAPTURED);
    kit_give(at->session, at->talk, &piece);
  }
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 1);
  decode_session_finish(at->session->session);
}

/* Some of the Private Data never came: the same, but for those octets. */
PLAN_TEST(test_lost_private_data, &private_data)
{
  kit_lose(at->pieces, 0, 0, 1);
  kit_append(at->pieces, (kit_piece){.position = 0, .length = 50, .captured = 50});
  decode(at, NULL);
  kit_expect_sums(at->session, at->talk);
  const decode_direction_summary *forward = kit_summary(at->session, SIDE_INITIATOR);
  g_assert_cmpuint(forward->phase_start, ==, 120);
  g_assert_cmpuint(forward->startup_octets, ==, 50);
  g_assert_cmpuint(forward->missing_octets, ==, 70);
  g_assert_cmpuint(forward->fpdus, >=, 20); /* located by markers, after the hole */
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, ==, 20);
}

/* The capture ends within them. */
PLAN_TEST(test_end_in_private_data, &private_data)
{
  kit_lose(at->pieces, 0, 0, at->talk->octets[0]->len);
  kit_append(at->pieces, (kit_piece){.position = 0, .length = 50, .captured = 50});
  decode(at, NULL);
  const decode_direction_summary *forward = kit_summary(at->session, SIDE_INITIATOR);
  g_assert_cmpuint(forward->startup_octets, ==, 50);
  g_assert_cmpuint(forward->unaccounted_octets + forward->streaming_octets + forward->fpdus, ==, 0);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, ==, 20);
}

/* --- One direction --- */

static void lose_side(decode_case *at, unsigned from)
{
  for (guint index = at->pieces->len; index-- > 0;) {
    if (g_array_index(at->pieces, kit_piece, index).from == from) {
      g_array_remove_index(at->pieces, index);
    }
  }
}

/* Both ends are Initiators (mpa-01 §6.1.1): the one that opened the connection is taken for it, and what is
 * wrong is said. */
PLAN_TEST(test_two_requests, &marked_request)
{
  kit_talk_flip(at->talk, 1, 9, 'p' ^ 'q');
  decode(at, NULL);
  const decode_connection *connection = decode_session_connection(at->session->session, 0);
  g_assert_true(connection->has_request && !connection->has_reply);
  g_assert_cmpuint(connection->initiator, ==, 0);
  g_assert_cmpuint(at->session->startups->len, ==, 1);
  const decode_startup_event *request = &g_array_index(at->session->startups, decode_startup_event, 0);
  g_assert_cmpuint(request->first_packet, ==, 3); /* after the SYNs */
  g_assert_cmpuint(request->last_packet, ==, 3);
  g_assert_cmpuint(kit_notes(at->session, SIDE_INITIATOR, DECODE_NOTE_STARTUP), ==, 1);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->fpdus, ==, 30);
  kit_session_free(at->session);
  lose_side(at, 0); /* of the other one nothing was captured */
  decode(at, NULL);
  g_assert_cmpuint(decode_session_connection(at->session->session, 0)->initiator, ==, 1);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->fpdus, ==, 20);
}

/* The end that opened the connection sends the key of a Reply (mpa-01 §6.1.1). Before an octet of the other
 * end has come that answers nothing: its sender is the Initiator with a wrong key. After octets of the other
 * end, which the capture does not have, it may answer a Request, and then the other end is the Initiator,
 * whoever opened the connection (mpa-01 §6.1). */
PLAN_TEST(test_reply_of_the_opener, &plain_request)
{
  kit_talk_flip(at->talk, 0, 9, 'p' ^ 'q');
  kit_lose(at->pieces, 1, 0, at->talk->octets[1]->len);
  for (uint64_t acknowledged = 0; acknowledged <= 20; acknowledged += 20) {
    kit_piece *reply = &g_array_index(at->pieces, kit_piece, 2);
    unsigned initiator = acknowledged == 0 ? 0 : 1;
    enum side sent = initiator == 0 ? SIDE_INITIATOR : SIDE_RESPONDER;

    g_assert_true(reply->from == 0 && reply->position == 0);
    reply->acknowledged = acknowledged;
    g_clear_pointer(&at->session, kit_session_free);
    decode(at, NULL);
    const decode_connection *connection = decode_session_connection(at->session->session, 0);
    g_assert_true(connection->has_reply && !connection->has_request);
    g_assert_cmpuint(connection->initiator, ==, initiator);
    g_assert_true(connection->has_frame[sent] && !connection->has_frame[!sent]);
    g_assert_cmpuint(at->session->notes->len, ==, 1);
    g_assert_nonnull(kit_note(at->session, sent, DECODE_NOTE_STARTUP));
    g_assert_cmpuint(kit_summary(at->session, sent)->fpdus, ==, 30);
  }
}

/* Both ends are Responders: the one that opened the connection is taken for the Initiator. */
PLAN_TEST(test_two_replies, &marked_request)
{
  kit_talk_flip(at->talk, 0, 9, 'p' ^ 'q');
  decode(at, NULL);
  const decode_connection *connection = decode_session_connection(at->session->session, 0);
  g_assert_true(connection->has_reply && !connection->has_request);
  g_assert_cmpuint(connection->initiator, ==, 0);
  g_assert_true(connection->has_frame[SIDE_INITIATOR] && connection->has_frame[SIDE_RESPONDER]);
  g_assert_cmpuint(kit_notes(at->session, SIDE_RESPONDER, DECODE_NOTE_STARTUP), ==, 1);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, ==, 20);
}

/* What the other frame says is tried out. */
PLAN_TEST(test_one_direction, &marked_request, &plain_request, &no_crc)
{
  const kit_plan *plan = at->plan;

  for (unsigned lost = 0; lost < 2; lost++) {
    enum side name = (enum side) !lost;
    GArray *all = g_array_copy(at->pieces);
    lose_side(at, lost);
    decode(at, NULL);
    const decode_direction_summary *summary = kit_summary(at->session, name);
    g_assert_cmpuint(summary->fpdus, ==, plan->fpdus[!lost]);
    g_assert_cmpuint(summary->unaccounted_octets, ==, 0);
    g_assert_cmpint(summary->markers, ==, plan->markers[!lost]);
    g_assert_cmpint(summary->crc, ==, plan->crc);
    g_assert_cmpuint(kit_notes(at->session, name, DECODE_NOTE_STARTUP), ==, 1);
    g_assert_cmpuint(kit_summary(at->session, (enum side)lost)->segments, ==, 0);
    g_array_unref(at->pieces);
    at->pieces = all;
    if (lost == 0) {
      kit_session_free(at->session);
    }
  }
}

/* The Reply was lost by who captured: its direction's FPDUs are found. */
PLAN_TEST(test_lost_reply, &marked_request, &plain_request)
{
  const kit_plan *plan = at->plan;

  kit_lose(at->pieces, 1, 0, 20);
  decode(at, NULL);
  kit_expect_sums(at->session, at->talk);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->fpdus, ==, plan->fpdus[0]);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, ==, plan->fpdus[1]);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->missing_octets, ==, 20);
}

/* --- No MPA --- */

/* Without startup frames and hint it is no connection of ours, and what was kept of it is let go soon. */
PLAN_TEST(test_no_mpa, &no_frames)
{
  decode(at, NULL);
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 0);
  g_assert_cmpuint(at->session->fpdus->len + at->session->notes->len, ==, 0);
}

/* Nothing but SYNs and ends; and nothing at all. */
PLAN_TEST(test_nothing, &no_frames)
{
  g_array_set_size(at->pieces, 2);
  kit_append(at->pieces, (kit_piece){.flags = TCP_FIN});
  kit_append(at->pieces, (kit_piece){.from = 1, .flags = TCP_RST});
  decode(at, NULL);
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 0);
}

/* --- Hints --- */

static const decode_hint hint_of_port = {.any_address = true, .end = {.port = 7471}};

/* Without startup frames MPA starts at the first octets, in any order. */
PLAN_TEST(test_hint, &rdmac)
{
  const decode_options options = {.hints = &hint_of_port, .hint_count = 1};

  for (guint turn = 0; turn < 10; turn++) {
    decode(at, &options);
    kit_expect_all(at->session, at->talk);
    g_assert_true(decode_session_connection(at->session->session, 0)->is_hinted);
    g_assert_false(decode_session_connection(at->session->session, 0)->has_request);
    kit_session_free(at->session);
    kit_shuffle(at->pieces, at->random);
  }
  decode(at, &options);
}

PLAN_TEST(test_hint_of_address, &rdmac)
{
  decode_hint hint = {.end = {.address = ip_address_v4(0x0A000001), .port = 40000}};
  const decode_options options = {.hints = &hint, .hint_count = 1};

  decode(at, &options);
  kit_expect_all(at->session, at->talk);
  kit_session_free(at->session);
  hint.end.address = ip_address_v4(0x0A000003);
  decode(at, &options);
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 0);
}

/* A hint does no harm to a connection with startup frames; but what it says of markers and CRC counts. */
PLAN_TEST(test_hint_and_frames, &marked_request)
{
  decode_hint hint = hint_of_port;
  const decode_options options = {.hints = &hint, .hint_count = 1};

  decode(at, &options);
  kit_expect_all(at->session, at->talk);
  kit_session_free(at->session);
  hint.crc = DECODE_OFF;
  decode(at, &options);
  g_assert_cmpint(g_array_index(at->session->fpdus, decode_fpdu, 0).crc, ==, DECODE_CRC_UNUSED);
}

static uint32_t sequence_of(unsigned from, uint64_t position)
{
  return (from == 0 ? (uint32_t)KIT_ISN_0 : KIT_ISN_1) + 1 + (uint32_t)position;
}

/* The capture starts in the middle; where the FPDU phase started is known. */
PLAN_TEST(test_sequence, &rdmac)
{
  decode_hint hint = hint_of_port;
  const decode_options options = {.hints = &hint, .hint_count = 1};
  uint64_t from = kit_talk_start(at->talk, 0, 10) + 4;

  hint.start[0] = DECODE_START_SEQUENCE;
  hint.start[1] = DECODE_START_SEQUENCE;
  hint.sequence[0] = sequence_of(0, 0);
  hint.sequence[1] = sequence_of(1, 0);
  g_array_remove_range(at->pieces, 0, 2);
  kit_lose(at->pieces, 0, 0, from);
  decode(at, &options);
  const decode_direction_summary *forward = kit_summary(at->session, SIDE_INITIATOR);
  /* What is reported has the right place in the phase, and nothing is reported that is none. */
  for (guint index = 0; index < at->session->fpdus->len; index++) {
    const decode_fpdu *fpdu = &g_array_index(at->session->fpdus, decode_fpdu, index);
    const mpa_stream_fpdu *sent = mpa_stream_find(at->talk->fpdus[fpdu->direction], fpdu->phase_offset);
    g_assert_nonnull(sent);
    g_assert_cmpuint(fpdu->fpdu_octets, ==, sent->end - sent->start);
  }
  g_assert_cmpuint(forward->fpdus, >=, 14);
  g_assert_cmpuint(forward->missing_octets, ==, 0);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, ==, 20);
}

/* It is not known: FPDUs are looked for. */
PLAN_TEST(test_find, &rdmac, &unmarked)
{
  decode_hint hint = hint_of_port;
  const decode_options options = {.hints = &hint, .hint_count = 1};
  uint64_t from = kit_talk_start(at->talk, 0, 10) + 1;
  uint64_t to = kit_talk_end(at->talk, 0, 10);

  hint.start[0] = DECODE_START_FIND;
  hint.start[1] = DECODE_START_FIND;
  g_array_remove_range(at->pieces, 0, 2);
  kit_lose(at->pieces, 0, 0, from);
  /* The first segment is the end of an FPDU. */
  kit_append(
      at->pieces,
      (kit_piece){.position = from, .length = (uint32_t)(to - from), .captured = (uint32_t)(to - from)});
  kit_shuffle(at->pieces, at->random);
  decode(at, &options);
  const decode_direction_summary *forward = kit_summary(at->session, SIDE_INITIATOR);
  g_assert_cmpuint(forward->fpdus, >=, 12); /* one whose DDP header has a marker in it is not looked at */
  g_assert_cmpuint(forward->crc_bad + forward->wrong_markers, ==, 0);
  g_assert_cmpuint(forward->fpdu_octets, <=, at->talk->octets[0]->len - to);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, >=, 12);
}

/* Nothing but the end's name is known, and the capture starts in the middle of an FPDU: FPDUs are looked for,
 * as there is no SYN, and with them whether there are markers and CRCs. The end that is named is taken for
 * the Responder, whoever is captured first. */
PLAN_TEST(test_middle, &rdmac, &unmarked, &marked_no_crc, &neither)
{
  const kit_plan *plan = at->plan;
  decode_hint hint = hint_of_port;
  const decode_options options = {.hints = &hint, .hint_count = 1};

  g_array_remove_range(at->pieces, 0, 2);
  for (unsigned from = 0; from < 2; from++) {
    kit_lose(at->pieces, from, 0, kit_talk_start(at->talk, from, 5) + 1);
  }
  uint64_t begin = kit_talk_start(at->talk, 0, 5) + 4;
  uint32_t octets = (uint32_t)(kit_talk_end(at->talk, 0, 5) - begin);
  kit_append(at->pieces, (kit_piece){.position = begin, .length = octets, .captured = octets});
  for (unsigned turn = 0; turn < 2; turn++) {
    decode(at, &options);
    for (unsigned from = 0; from < 2; from++) {
      const decode_direction_summary *summary = kit_summary(at->session, (enum side)from);
      g_assert_cmpuint(summary->fpdus, >=, plan->fpdus[from] - 6 - 8);
      g_assert_cmpuint(summary->crc_bad + summary->wrong_markers, ==, 0);
      g_assert_cmpint(summary->markers, ==, plan->markers[from]);
      g_assert_cmpint(summary->crc, ==, plan->crc);
    }
    g_assert_cmpuint(decode_session_connection(at->session->session, 0)->initiator, ==, 0);
    if (turn == 0) {
      hint.markers = plan->markers[0] ? DECODE_ON : DECODE_OFF;
      hint.crc = plan->crc ? DECODE_ON : DECODE_OFF;
      kit_session_free(at->session);
    }
  }
}

/* The end that is named opened the connection, as far as the order of the packets tells: it is the
 * Responder. */
PLAN_TEST(test_middle_initiator, &rdmac)
{
  const decode_hint hint = {.end = {.address = ip_address_v4(0x0A000001), .port = 40000}};
  const decode_options options = {.hints = &hint, .hint_count = 1};

  decode(at, &options);
  g_assert_cmpuint(decode_session_connection(at->session->session, 0)->initiator, ==, 0);
  kit_session_free(at->session);
  g_array_remove_range(at->pieces, 0, 2);
  decode(at, &options);
  g_assert_cmpuint(decode_session_connection(at->session->session, 0)->initiator, ==, 1);
}

/* Random octets: none is found, all is unaccounted for. */
PLAN_TEST(test_find_nothing, &rdmac)
{
  decode_hint hint = hint_of_port;
  const decode_options options = {.hints = &hint, .hint_count = 1};

  hint.start[0] = DECODE_START_FIND;
  hint.start[1] = DECODE_START_FIND;
  for (guint index = 0; index < at->talk->octets[0]->len; index++) {
    at->talk->octets[0]->data[index] = (uint8_t)random_stream_next(at->random);
  }
  decode(at, &options);
  kit_expect_sums(at->session, at->talk);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->fpdus, ==, 0);
  g_assert_cmpuint(kit_summary(at->session, SIDE_INITIATOR)->unaccounted_octets, ==,
                   at->talk->octets[0]->len);
  g_assert_cmpuint(kit_summary(at->session, SIDE_RESPONDER)->fpdus, >=, 12);
}

/* --- Several connections --- */

/* Two at the same time, and one whose addresses and ports are those of the first: each is its own. */
PLAN_TEST(test_connections, &plain_request)
{
  const kit_plan *plan = at->plan;
  capture_flow flows[3];

  at->session = kit_session_new(NULL);
  for (uint32_t index = 0; index < G_N_ELEMENTS(flows); index++) {
    flows[index] = at->session->flow;
    flows[index].index = index;
  }
  flows[1].ends[0].port++;
  for (guint each = 0; each < at->pieces->len; each++) {
    const kit_piece *piece = &g_array_index(at->pieces, kit_piece, each);
    uint32_t sequence = sequence_of(piece->from, piece->position) - ((piece->flags & TCP_SYN) != 0);
    for (uint32_t index = 0; index < 2; index++) {
      capture_segment segment = {.packet = each + 1,
                                 .flow = index,
                                 .from = (uint8_t)piece->from,
                                 .flags = piece->flags,
                                 .sequence = sequence + index * 77777,
                                 .payload = at->talk->octets[piece->from]->data + piece->position,
                                 .captured_octets = piece->length,
                                 .payload_octets = piece->length};
      flows[index].has_syn[piece->from] |= (piece->flags & TCP_SYN) != 0;
      flows[index].isn[piece->from] = flows[index].has_syn[piece->from] && piece->flags & TCP_SYN
                                          ? segment.sequence
                                          : flows[index].isn[piece->from];
      decode_session_receive(at->session->session, &flows[index], &segment);
    }
  }
  capture_segment again = {.packet = 10000, .flow = 2, .flags = TCP_SYN, .sequence = 1};
  flows[2].has_syn[0] = true;
  flows[2].isn[0] = 1;
  flows[2].before = &flows[0];
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 2);
  decode_session_receive(at->session->session, &flows[2], &again);
  /* The first one is over. */
  g_assert_cmpuint(decode_session_connection(at->session->session, 0)->directions[0].startup_octets, ==, 20);
  decode_session_finish(at->session->session);
  for (uint32_t index = 0; index < 2; index++) {
    const decode_connection *connection = decode_session_connection(at->session->session, index);
    g_assert_cmpuint(connection->flow, ==, index);
    g_assert_cmpuint(connection->directions[0].fpdus, ==, plan->fpdus[0]);
    g_assert_cmpuint(connection->directions[1].fpdus, ==, plan->fpdus[1]);
  }
  g_assert_cmpuint(decode_session_connections(at->session->session), ==, 2);
}
