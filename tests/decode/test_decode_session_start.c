/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show how a session finds out whether and where a connection speaks MPA. */
#include <string.h>

#include "decode_fixture.h"

static const send_plan streaming = {.has_frames = true,
                                    .markers = {false, true},
                                    .crc = true,
                                    .streaming = {5000, 300},
                                    .private_data = {64, 0},
                                    .fpdus = {30, 20}};
static const send_plan rejected = {.has_frames = true, .crc = true, .rejects = true, .fpdus = {5, 5}};
static const send_plan private_data = {
    .has_frames = true, .markers = {true, true}, .crc = true, .private_data = {100, 3}, .fpdus = {30, 20}};
static const send_plan marked_request = {
    .has_frames = true, .markers = {true, true}, .crc = true, .fpdus = {30, 20}};
static const send_plan plain_request = {.has_frames = true, .crc = true, .fpdus = {30, 20}};
static const send_plan no_crc = {.has_frames = true, .fpdus = {30, 20}};
static const send_plan no_frames = {.markers = {true, true}, .crc = true, .fpdus = {3000, 1}};
static const send_plan rdmac = {.markers = {true, true}, .crc = true, .fpdus = {30, 20}};
static const send_plan unmarked = {.crc = true, .fpdus = {30, 20}};
static const send_plan marked_no_crc = {.markers = {true, true}, .fpdus = {30, 20}};
static const send_plan neither = {.fpdus = {30, 20}};

/* --- Startup frames --- */

/* It starts after streaming mode. The M bit is for what its sender receives. */
PLAN_TEST(test_streaming_mode, &streaming)
{
  decode(at, NULL);
  expect_all(at);
  EXPECT_FIELDS(event_at(at->startups, 0), (stream_position, 5000), (direction, SIDE_INITIATOR));
  EXPECT_FIELDS(at->connection, (request.markers, true), (reply.markers, false),
                (directions[SIDE_INITIATOR].markers, false), (directions[SIDE_RESPONDER].markers, true));
}

/* After a rejection there are no FPDUs: what looks like some are the ULP's octets. */
PLAN_TEST(test_rejected, &rejected)
{
  decode_well(at, NULL);
  for (unsigned from = 0; from < 2; from++) {
    EXPECT_FIELDS(&at->connection->directions[from], (in_full_operation, false), (fpdus, 0), (segments, 0),
                  (startup_octets, 20), (streaming_octets, at->octets[from]->len - 20),
                  (unaccounted_octets, 0));
  }
  g_assert_true(at->connection->reply.rejected);
}

/* Nor are they there beyond 4 GiB, of which the headers alone were captured. */
PLAN_TEST(test_rejected_beyond_4_gib, &rejected)
{
  enum { SEGMENTS = 70000, OCTETS = 65000 };
  const uint64_t sent = at->octets[0]->len;

  decode_begin(at, NULL);
  for (guint index = 0; index < at->pieces->len; index++) {
    decode_piece(at, piece_at(at, index));
  }
  for (guint index = 0; index < SEGMENTS; index++) {
    decode_piece(at, &(piece){.position = sent + (uint64_t)index * OCTETS,
                              .length = OCTETS,
                              .octets = at->octets[0]->data});
  }
  decode_end(at);
  g_assert_cmpuint(at->forward->streaming_octets, ==, sent - 20 + (uint64_t)SEGMENTS * OCTETS);
}

/* One C bit is enough. */
PLAN_TEST(test_one_crc_bit, &plain_request)
{
  flip(at, 0, 16, FRAME_C);
  decode(at, NULL);
  expect_all(at);
  g_assert_true(at->forward->crc && at->reverse->crc);
}

/* A note reports what contradicts the documents. */
PLAN_TEST(test_contradictions, &plain_request)
{
  flip(at, 0, 16, FRAME_R | 0x01);
  decode(at, NULL);
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_STARTUP, 2);
  expect_notes(at, SIDE_RESPONDER, DECODE_NOTE_STARTUP, 0);
  g_assert_cmpuint(at->forward->fpdus, ==, 30);
}

enum { CAPTURED = 60 };

/* With a snap length that cuts the Private Data their length is known all the same, and with it where FPDUs
 * and markers begin: all FPDUs are reported. The Reply, in which nothing is cut, is reported as ever. */
PLAN_TEST(test_cut_private_data, &private_data)
{
  snap(at, 0, CAPTURED);
  for (guint turn = 0; turn < 5; turn++) {
    decode(at, NULL);
    EXPECT_FIELDS(at->connection, (request.private_data_octets, 100),
                  (request.private_data_read, CAPTURED - 20), (reply.private_data_read, 3));
    EXPECT_FIELDS(at->forward, (startup_octets, 120), (phase_start, 120), (crc_bad, 0),
                  (unaccounted_octets, 0), (fpdus, 30));
    EXPECT_FIELDS(at->reverse, (startup_octets, 23), (phase_start, 23), (crc_bad, 0), (unaccounted_octets, 0),
                  (fpdus, 20));
    shuffle(at);
  }
}

/* Octets that were on the wire and not captured are not waited for: once both frames are there, it is known
 * that the connection speaks MPA. */
PLAN_TEST(test_cut_private_data_at_once, &private_data)
{
  enum { SYNS_AND_FRAMES = 4 };

  snap(at, 0, CAPTURED);
  decode_begin(at, NULL);
  for (guint index = 0; index < SYNS_AND_FRAMES; index++) {
    g_assert_cmpuint(at->startups->len, ==, 0);
    decode_piece(at, piece_at(at, index));
  }
  g_assert_cmpuint(at->startups->len, ==, 2);
  decode_end(at);
}

/* Some of the Private Data never came: the result is the same, except for those octets. */
PLAN_TEST(test_lost_private_data, &private_data)
{
  lose(at, 0, 0, 1);
  append_octets(at, 0, 0, 50);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (phase_start, 120), (startup_octets, 50), (missing_octets, 70));
  g_assert_cmpuint(at->forward->fpdus, >=, 20); /* located by markers, after the hole */
  g_assert_cmpuint(at->reverse->fpdus, ==, 20);
}

/* The capture ends within the Private Data. */
PLAN_TEST(test_end_in_private_data, &private_data)
{
  lose(at, 0, 0, at->octets[0]->len);
  append_octets(at, 0, 0, 50);
  decode(at, NULL);
  EXPECT_FIELDS(at->forward, (startup_octets, 50), (unaccounted_octets, 0), (streaming_octets, 0),
                (fpdus, 0));
  g_assert_cmpuint(at->reverse->fpdus, ==, 20);
}

/* --- One direction --- */

static void lose_side(decode_case *at, unsigned from)
{
  lose(at, from, 0, UINT64_MAX);
  g_array_remove_index(at->pieces, from); /* the SYN */
}

/* Both ends are Initiators (mpa-01 §6.1.1): the one that opened the connection is taken for it, and what is
 * wrong is noted. */
PLAN_TEST(test_two_requests, &marked_request)
{
  flip(at, 1, 9, 'p' ^ 'q');
  decode(at, NULL);
  EXPECT_FIELDS(at->connection, (has_request, true), (has_reply, false), (initiator, 0));
  g_assert_cmpuint(at->startups->len, ==, 1);
  EXPECT_FIELDS(event_at(at->startups, 0), (packets.first, 3), (packets.last, 3)); /* after the SYNs */
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_STARTUP, 2);
  g_assert_cmpuint(at->forward->fpdus, ==, 30);
  lose_side(at, 0); /* nothing of the other end was captured */
  decode(at, NULL);
  EXPECT_FIELDS(at, (connection->initiator, 1), (forward->fpdus, 20));
}

/* The end that opened the connection sends the key of a Reply (mpa-01 §6.1.1). Before an octet of the other
 * end has come that answers nothing: its sender is the Initiator with a wrong key. After octets of the other
 * end, which the capture does not have, it may answer a Request, and then the other end is the Initiator,
 * whoever opened the connection (mpa-01 §6.1). */
PLAN_TEST(test_reply_of_the_opener, &plain_request)
{
  flip(at, 0, 9, 'p' ^ 'q');
  lose(at, 1, 0, at->octets[1]->len);
  for (uint64_t acknowledged = 0; acknowledged <= 20; acknowledged += 20) {
    piece *reply = piece_at(at, 2);
    unsigned initiator = acknowledged == 0 ? 0 : 1;
    enum side sent = initiator == 0 ? SIDE_INITIATOR : SIDE_RESPONDER;

    g_assert_true(reply->from == 0 && reply->position == 0);
    reply->acknowledged = acknowledged;
    decode(at, NULL);
    EXPECT_FIELDS(at->connection, (has_reply, true), (has_request, false), (initiator, initiator),
                  (has_frame[sent], true), (has_frame[!sent], false));
    const guint notes = initiator == 0 ? 2 : 1; /* with its wrong role */
    g_assert_cmpuint(at->notes->len, ==, notes);
    expect_notes(at, sent, DECODE_NOTE_STARTUP, notes);
    g_assert_cmpuint(at->connection->directions[sent].fpdus, ==, 30);
  }
}

/* Who opened the connection, and what it had heard, is known only where both SYNs were captured. */
PLAN_TEST(test_reply_without_a_syn, &plain_request)
{
  flip(at, 0, 9, 'p' ^ 'q');
  for (guint lost = 0; lost < 2; lost++) {
    cut(at, 0);
    lose(at, 1, 0, at->octets[1]->len);
    g_array_remove_index(at->pieces, lost);
    decode(at, NULL);
    EXPECT_FIELDS(at->connection, (has_reply, true), (has_request, false), (initiator, 1));
  }
}

/* Both ends are Responders: the one that opened the connection is taken for the Initiator. */
PLAN_TEST(test_two_replies, &marked_request)
{
  flip(at, 0, 9, 'p' ^ 'q');
  decode(at, NULL);
  EXPECT_FIELDS(at->connection, (has_reply, true), (has_request, false), (initiator, 0),
                (has_frame[SIDE_INITIATOR], true), (has_frame[SIDE_RESPONDER], true));
  expect_notes(at, SIDE_RESPONDER, DECODE_NOTE_STARTUP, 2);
  g_assert_cmpuint(at->reverse->fpdus, ==, 20);
}

/* The settings that the other frame may hold are tried. */
PLAN_TEST(test_one_direction, &marked_request, &plain_request, &no_crc)
{
  const send_plan *plan = at->plan;

  for (unsigned lost = 0; lost < 2; lost++) {
    cut(at, 0);
    lose_side(at, lost);
    decode(at, NULL);
    EXPECT_FIELDS(&at->connection->directions[!lost], (fpdus, plan->fpdus[!lost]), (unaccounted_octets, 0),
                  (markers, plan->markers[!lost]), (crc, plan->crc));
    expect_notes(at, (enum side) !lost, DECODE_NOTE_STARTUP, 1);
    g_assert_cmpuint(at->connection->directions[lost].segments, ==, 0);
  }
}

/* The capture lost the Reply: the FPDUs of its direction are found. */
PLAN_TEST(test_lost_reply, &marked_request, &plain_request)
{
  lose(at, 1, 0, 20);
  decode_well(at, NULL);
  EXPECT_FIELDS(at, (forward->fpdus, at->plan->fpdus[0]), (reverse->fpdus, at->plan->fpdus[1]),
                (reverse->missing_octets, 20));
}

/* --- No MPA --- */

/* Without startup frames and hint it is no connection of ours, and what was kept of it is released soon. */
PLAN_TEST(test_no_mpa, &no_frames)
{
  decode(at, NULL);
  g_assert_cmpuint(decode_session_connections(at->session)->len, ==, 0);
  g_assert_cmpuint(at->fpdus->len + at->notes->len, ==, 0);
}

/* Nothing but SYNs and ends; and nothing at all. */
PLAN_TEST(test_nothing, &no_frames)
{
  g_array_set_size(at->pieces, 2);
  append(at, (piece){.flags = TCP_FIN});
  append(at, (piece){.from = 1, .flags = TCP_RST});
  decode(at, NULL);
  g_assert_cmpuint(decode_session_connections(at->session)->len, ==, 0);
}

/* --- Hints --- */

static const decode_hint hint_of_port = {.any_address = true, .end = {.port = 7471}};
static const decode_hint find_at_port = {
    .any_address = true, .end = {.port = 7471}, .start = {DECODE_START_FIND, DECODE_START_FIND}};

static void decode_hinted(decode_case *at, const decode_hint *hint)
{
  const decode_options options = {.hints = hint, .hint_count = 1};

  decode(at, &options);
}

/* Without startup frames MPA starts at the first octets, in any order. */
PLAN_TEST(test_hint, &rdmac)
{
  for (guint turn = 0; turn < 10; turn++) {
    decode_hinted(at, &hint_of_port);
    expect_all(at);
    EXPECT_FIELDS(at->connection, (is_hinted, true), (has_request, false));
    shuffle(at);
  }
}

PLAN_TEST(test_hint_of_address, &rdmac)
{
  decode_hint hint = {.end = {.address = ip_address_v4(0x0A000001), .port = 40000}};

  decode_hinted(at, &hint);
  expect_all(at);
  hint.end.address = ip_address_v4(0x0A000003);
  decode_hinted(at, &hint);
  g_assert_cmpuint(decode_session_connections(at->session)->len, ==, 0);
}

/* A hint does no harm to a connection with startup frames; but what it sets for markers and CRC counts. */
PLAN_TEST(test_hint_and_frames, &marked_request)
{
  decode_hint hint = hint_of_port;

  decode_hinted(at, &hint);
  expect_all(at);
  hint.crc = DECODE_OFF;
  decode_hinted(at, &hint);
  g_assert_cmpint(event_at(at->fpdus, 0)->fpdu->crc, ==, DECODE_CRC_UNUSED);
}

/* The capture starts in the middle; where the FPDU phase started is known. */
PLAN_TEST(test_sequence, &rdmac)
{
  decode_hint hint = hint_of_port;
  uint64_t from = start_of(at, 0, 10) + 4;

  hint.start[0] = hint.start[1] = DECODE_START_SEQUENCE;
  hint.sequence[0] = (uint32_t)ISN_0 + 1;
  hint.sequence[1] = ISN_1 + 1;
  g_array_remove_range(at->pieces, 0, 2);
  lose(at, 0, 0, from);
  decode_hinted(at, &hint);
  /* The FPDUs reported have the right place in the phase, and nothing else is reported as an FPDU. */
  expect_sent(at);
  g_assert_cmpuint(at->forward->fpdus, >=, 14);
  EXPECT_FIELDS(at, (forward->missing_octets, 0), (reverse->fpdus, 20));
}

/* It is not known: FPDUs are looked for. */
PLAN_TEST(test_find, &rdmac, &unmarked)
{
  uint64_t from = start_of(at, 0, 10) + 1;
  uint64_t to = end_of(at, 0, 10);

  g_array_remove_range(at->pieces, 0, 2);
  lose(at, 0, 0, from);
  /* The first segment is the end of an FPDU. */
  append_octets(at, 0, from, to);
  shuffle(at);
  decode_hinted(at, &find_at_port);
  g_assert_cmpuint(at->forward->fpdus, >=, 12); /* one whose DDP header has a marker in it is not looked at */
  g_assert_cmpuint(at->forward->crc_bad + at->forward->wrong_markers, ==, 0);
  g_assert_cmpuint(at->forward->fpdu_octets, <=, at->octets[0]->len - to);
  g_assert_cmpuint(at->reverse->fpdus, >=, 12);
}

/* Nothing but the end's name is known, and the capture starts in the middle of an FPDU: FPDUs are looked for,
 * as there is no SYN, and with them whether there are markers and CRCs. The end that is named is taken for
 * the Responder, whoever is captured first. */
PLAN_TEST(test_middle, &rdmac, &unmarked, &marked_no_crc, &neither)
{
  const send_plan *plan = at->plan;
  decode_hint hint = hint_of_port;

  g_array_remove_range(at->pieces, 0, 2);
  for (unsigned from = 0; from < 2; from++) {
    lose(at, from, 0, start_of(at, from, 5) + 1);
  }
  append_octets(at, 0, start_of(at, 0, 5) + 4, end_of(at, 0, 5));
  for (unsigned turn = 0; turn < 2; turn++) {
    decode_hinted(at, &hint);
    for (unsigned from = 0; from < 2; from++) {
      const decode_direction_summary *summary = &at->connection->directions[from];
      g_assert_cmpuint(summary->fpdus, >=, plan->fpdus[from] - 6 - 8);
      EXPECT_FIELDS(summary, (crc_bad, 0), (wrong_markers, 0), (markers, plan->markers[from]),
                    (crc, plan->crc));
    }
    g_assert_cmpuint(at->connection->initiator, ==, 0);
    hint.markers = plan->markers[0] ? DECODE_ON : DECODE_OFF;
    hint.crc = plan->crc ? DECODE_ON : DECODE_OFF;
  }
}

/* The end that is named opened the connection, as far as the order of the packets shows: it is the
 * Responder. */
PLAN_TEST(test_middle_initiator, &rdmac)
{
  const decode_hint hint = {.end = {.address = ip_address_v4(0x0A000001), .port = 40000}};

  decode_hinted(at, &hint);
  g_assert_cmpuint(at->connection->initiator, ==, 0);
  g_assert_cmpstr(at->connection->ends[SIDE_INITIATOR], ==, "10.0.0.1:40000");
  g_array_remove_range(at->pieces, 0, 2);
  decode_hinted(at, &hint);
  g_assert_cmpuint(at->connection->initiator, ==, 1);
  g_assert_cmpstr(at->connection->ends[SIDE_INITIATOR], ==, "10.0.0.2:7471");
  g_assert_cmpstr(at->connection->ends[SIDE_RESPONDER], ==, "10.0.0.1:40000");
}

TEST(test_end_of_ipv6)
{
  const capture_end end = {.address = ip_address_v6(0xFD00000000000000, 2), .port = 65535};
  char text[DECODE_END_LETTERS];

  decode_print_end(&end, text);
  g_assert_cmpstr(text, ==, "[fd00::2]:65535");
}

/* Random octets: none is found, all is unaccounted for. */
PLAN_TEST(test_find_nothing, &rdmac)
{
  for (guint index = 0; index < at->octets[0]->len; index++) {
    at->octets[0]->data[index] = (uint8_t)random_stream_next(at->random);
  }
  decode_hinted(at, &find_at_port);
  expect_sums(at);
  EXPECT_FIELDS(at->forward, (fpdus, 0), (unaccounted_octets, at->octets[0]->len));
  g_assert_cmpuint(at->reverse->fpdus, >=, 12);
}

/* --- Keys that are none --- */

/* The key stands in what the Initiator sends, from octet `at` on, and these four after it, and then as many
 * octets as PD_Length has (up to 513), and nothing more, or a text, or FPDUs: whether that is a startup
 * frame. The Responder's first octets, and all of them, are dots, or the key of a Reply and four octets. */
enum { NOTHING = 0, TEXT = '.', FPDUS = 'F' };

static const struct {
  uint64_t at;
  const char *fields;
  char follows;
  const char *answer; /* NULL: dots */
  bool is_frame;
} key_rows[] = {
    /* first of all, without a fault: whatever follows, which may be damaged */
    {0, "\x40\1\0\0", TEXT, NULL, true},
    {0, "\0\1\0\0", TEXT, NULL, true},
    {0, "\x40\2\2\0", TEXT, NULL, true},
    /* with one fault, or bare: if an FPDU follows, or nothing does, or the other end's has none */
    {0, "\0\0\0\0", TEXT, NULL, false},
    {0, "\0\0\0\0", NOTHING, NULL, true},
    {0, "\0\0\0\0", FPDUS, NULL, true},
    {0, "\x40\3\0\0", TEXT, NULL, false},
    {0, "\x40\3\0\0", NOTHING, NULL, true},
    {0, "\x40\x2C\0\0", FPDUS, NULL, true},
    {0, "\x40\x2C\0\0", TEXT, "\x40\x2C\0\0", false},
    {0, "\x40\x2C\0\0", NOTHING, "\x40\x2C\0\0", true},
    {0, "\x40\x2C\0\0", TEXT, "\x40\1\0\0", true},
    {0, "\x40\1\2\1", TEXT, NULL, false},
    {0, "\x40\1\2\1", FPDUS, NULL, true},
    {0, "\x41\1\0\0", FPDUS, NULL, true},
    {0, "\x41\1\0\0", TEXT, NULL, false},
    /* with two faults */
    {0, "\x40\4\2\1", FPDUS, NULL, false},
    {0, "\r\n\0\0", FPDUS, "\r\n\0\0", false},
    {0, ", in", TEXT, NULL, false},
    /* after other octets: no fault, and the same */
    {500, "\x40\1\0\0", FPDUS, NULL, true},
    {500, "\x40\1\0\0", TEXT, NULL, false},
    {500, "\x40\1\0\0", NOTHING, NULL, true},
    {500, "\x40\1\0\0", TEXT, "\x40\1\0\0", true},
    {500, "\x40\1\2\0", FPDUS, NULL, true},
    {500, "\x40\1\2\1", FPDUS, NULL, false},
    {500, "\x40\0\2\1", FPDUS, NULL, true}, /* mpa-01 has no limit */
    {500, "\x40\4\0\0", FPDUS, NULL, false},
    {500, "\r\n\r\n", TEXT, NULL, false},
    {500, "\0\0er", TEXT, NULL, false}, /* 25,970 octets of Private Data, which are not there */
    {500, "\n\0er", TEXT, NULL, false},
    {500, "\0\0\0\0", NOTHING, NULL, false},
    {500, "\0\0\0\0", FPDUS, NULL, true},
    {500, "\0\0\0\0", TEXT, "\0\0\0\0", false},
    {500, "\0\0\0\0", NOTHING, "\0\0\0\0", true},
    {500, "\0\0\0\0", FPDUS, "\0\0\0\0", true},
    {500, ", in", TEXT, ", in", false},
    {1390, "\x40\1\0\0", FPDUS, NULL, true},
};

PLAN_TEST(test_keys, &no_frames)
{
  enum { FOLLOWING = 3000 };
  g_autoptr(GByteArray) fpdus = g_byte_array_append(g_byte_array_new(), at->octets[0]->data, FOLLOWING);

  for (guint row = 0; row < G_N_ELEMENTS(key_rows); row++) {
    const uint8_t *fields = (const uint8_t *)key_rows[row].fields;
    const guint begin = (guint)key_rows[row].at, data = MIN((guint)(fields[2] << 8 | fields[3]), 513u);
    for (guint cut_octets = 7; cut_octets < 3000; cut_octets += 1400) {
      g_byte_array_set_size(at->octets[0], begin + 20 + data + FOLLOWING);
      memset(at->octets[0]->data, TEXT, at->octets[0]->len);
      memcpy(at->octets[0]->data + begin, "MPA ID Req Frame", 16);
      memcpy(at->octets[0]->data + begin + 16, fields, 4);
      if (key_rows[row].follows == FPDUS) {
        memcpy(at->octets[0]->data + begin + 20 + data, fpdus->data, FOLLOWING);
      } else if (key_rows[row].follows == NOTHING) {
        at->octets[0]->len -= FOLLOWING;
      }
      at->octets[1]->len = 20;
      memset(at->octets[1]->data, TEXT, 20);
      if (key_rows[row].answer) {
        memcpy(at->octets[1]->data, "MPA ID Rep Frame", 16);
        memcpy(at->octets[1]->data + 16, key_rows[row].answer, 4);
      }
      cut(at, cut_octets);
      decode(at, NULL);
      g_assert_cmpuint(decode_session_connections(at->session)->len, ==, key_rows[row].is_frame);
      if (key_rows[row].is_frame) {
        g_assert_cmpuint(event_at(at->startups, 0)->stream_position, ==, key_rows[row].at);
      }
    }
  }
}

/* After other octets, and of Revision 0, a pair of frames needs an FPDU after one of them, in whatever order
 * it comes. */
PLAN_TEST(test_key_and_what_follows, &streaming)
{
  for (unsigned from = 0; from < 2; from++) {
    flip(at, from, at->startup[from] + 16, FRAME_C); /* bare, after other octets */
    flip(at, from, at->startup[from] + 17, 1);
  }
  for (guint turn = 0; turn < 10; turn++) {
    decode(at, NULL);
    g_assert_cmpuint(decode_session_connections(at->session)->len, ==, 1);
    EXPECT_FIELDS(at->connection, (has_request, true), (has_reply, true));
    shuffle(at);
  }
}

/* A text with the key before the startup frame does not hide it. */
PLAN_TEST(test_key_before_the_frame, &streaming)
{
  memcpy(at->octets[0]->data + 100, "MPA ID Req Frame, or so", 23);
  memcpy(at->octets[0]->data + 200, "MPA ID Req Frame\0\1\x20\x20", 20);
  decode(at, NULL);
  expect_all(at);
}

/* --- Ends without octets --- */

/* RFC 5044 §7.1.2: who does not accept a Request closes TCP. That is the answer, and reported at once. */
static const struct {
  uint8_t flags;
  decode_event_kind kind;
  const char *text;
} end_rows[] = {{TCP_RST, DECODE_NOTE_RESET, "the other end reset the connection"},
                {TCP_FIN, DECODE_NOTE_FIN, "the other end closed the connection"}};

PLAN_TEST(test_end_in_place_of_a_reply, &plain_request)
{
  for (guint row = 0; row < G_N_ELEMENTS(end_rows); row++) {
    at->flow = 0;
    at->packet = 0;
    decode_begin(at, NULL);
    for (guint index = 0; index < 3; index++) {
      decode_piece(at, piece_at(at, index));
    }
    g_assert_cmpuint(at->startups->len, ==, 0);
    decode_piece(at, &(piece){.from = 1, .flags = end_rows[row].flags, .acknowledged = 20});
    g_assert_cmpuint(at->startups->len, ==, 1);
    const decode_event *startup = expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_STARTUP, 1);
    g_assert_cmpuint(startup->packets.last, ==, 3);
    const decode_event *end = expect_notes(at, SIDE_RESPONDER, end_rows[row].kind, 1);
    EXPECT_FIELDS(end, (packets.first, 4), (stream_position, 0));
    decode_end(at);
    EXPECT_FIELDS(at->connection, (has_reply, false), (initiator, 0));
    EXPECT_FIELDS(at->reverse, (fpdus, 0), (unaccounted_octets, 0));
  }
}

/* What was sent in front of it may come late: then the end is no answer. */
PLAN_TEST(test_end_before_the_reply, &plain_request)
{
  const piece reply = *piece_at(at, 3);
  g_array_remove_index(at->pieces, 3);
  g_array_insert_val(at->pieces, 3, ((piece){.from = 1, .position = at->octets[1]->len, .flags = TCP_FIN}));
  g_array_insert_val(at->pieces, 4, reply);
  decode(at, NULL);
  expect_all(at);
}

/* One end sends nothing but its FIN: in the middle of a stream, and after the hint. */
PLAN_TEST(test_end_without_octets, &neither)
{
  static const decode_hint hint = {.any_address = true, .end.port = 7471, .start = {DECODE_START_FIRST}};
  lose(at, 1, 0, UINT64_MAX);
  append(at, (piece){.from = 1, .flags = TCP_FIN});
  decode(at, &(decode_options){.hints = &hint, .hint_count = 1});
  expect_notes(at, SIDE_RESPONDER, DECODE_NOTE_FIN, 1);
}

/* --- Several connections --- */

/* Numbers are in the order in which connections are seen to speak MPA: at the first octets, not at the
 * verdict, which for a Request without an answer comes at the end. */
PLAN_TEST(test_numbers, &plain_request)
{
  decode_begin(at, NULL);
  for (guint index = 0; index < 3; index++) {
    decode_piece(at, piece_at(at, index));
  }
  at->flow = 1;
  for (guint index = 0; index < at->pieces->len; index++) {
    decode_piece(at, piece_at(at, index));
  }
  g_assert_cmpuint(event_at(at->fpdus, 0)->connection->index, ==, 1);
  decode_end(at);
  const GPtrArray *connections = decode_session_connections(at->session);
  g_assert_cmpuint(connections->len, ==, 2);
  for (uint32_t index = 0; index < 2; index++) {
    EXPECT_FIELDS((const decode_connection *)connections->pdata[index], (flow, index), (index, index),
                  (has_request, true), (has_reply, index == 1));
  }
}

/* Two connections at the same time, and a third with the addresses and ports of the first, are kept apart. */
PLAN_TEST(test_connections, &plain_request)
{
  decode_begin(at, NULL);
  const GPtrArray *connections = decode_session_connections(at->session);
  for (guint index = 0; index < at->pieces->len; index++) {
    for (at->flow = 0; at->flow < 2; at->flow++) {
      decode_piece(at, piece_at(at, index));
    }
  }
  g_assert_cmpuint(connections->len, ==, 2);
  decode_piece(at, &(piece){.flags = TCP_SYN}); /* of the third */
  const decode_connection *first = connections->pdata[0];
  EXPECT_FIELDS(first, (directions[0].startup_octets, 20)); /* which is over */
  decode_end(at);
  g_assert_cmpuint(connections->len, ==, 2);
  for (uint32_t index = 0; index < 2; index++) {
    const decode_connection *connection = connections->pdata[index];
    EXPECT_FIELDS(connection, (flow, index), (directions[0].fpdus, at->plan->fpdus[0]),
                  (directions[1].fpdus, at->plan->fpdus[1]));
  }
}
