/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a session makes of FPDUs that are wrong, and of octets that were not captured. */
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "decode_fixture.h"

enum { FPDUS = 40, LONG_FPDUS = 1000 };

static const send_plan unmarked = {.has_frames = true, .crc = true, .fpdus = {FPDUS, 0}};
static const send_plan marked = {
    .has_frames = true, .markers = {true, false}, .crc = true, .fpdus = {FPDUS, 0}};

static const send_plan unmarked_long = {
    .has_frames = true, .crc = true, .sparse = true, .fpdus = {LONG_FPDUS, 0}};
static const send_plan marked_long = {
    .has_frames = true, .markers = {true, false}, .crc = true, .sparse = true, .fpdus = {LONG_FPDUS, 0}};

/* Returns the first FPDU from `index` on that has at least one marker after its header, and the position of
 * that. */
static guint with_marker(const decode_case *at, guint index, uint64_t *marker)
{
  for (;; index++) {
    const mpa_stream_fpdu *fpdu = mpa_stream_at(at->sent[0], index);
    uint64_t position = (fpdu->start / 512 + 1) * 512;
    if (position + 4 < fpdu->end - 4) {
      *marker = at->phase[0] + position;
      return index;
    }
  }
}

/* --- In order --- */

/* In order it counts as an FPDU and as a bad CRC; its length is followed, and what follows is marked. */
PLAN_TEST(test_bad_crc, &unmarked, &marked)
{
  flip(at, 0, end_of(at, 0, 10) - 6, 0x10);
  decode_well(at, NULL);
  const decode_fpdu *bad = fpdu_of(at, 10)->fpdu;
  EXPECT_FIELDS(at->forward, (fpdus, FPDUS), (crc_bad, 1), (after_error, FPDUS - 11),
                (unaccounted_octets, 0));
  EXPECT_FIELDS(bad, (crc, DECODE_CRC_WRONG), (after_error, false));
  g_assert_cmpuint(bad->crc_received, !=, bad->crc_computed);
  g_assert_false(fpdu_of(at, 9)->fpdu->after_error);
  EXPECT_FIELDS(fpdu_of(at, 11)->fpdu, (crc, DECODE_CRC_RIGHT), (after_error, true));
}

/* The numbers are those that the octets on the wire show; the last of them is the least significant. */
PLAN_TEST(test_crc_numbers, &unmarked)
{
  flip(at, 0, end_of(at, 0, 10) - 1, 0x10);
  decode_well(at, NULL);
  const decode_fpdu *bad = fpdu_of(at, 10)->fpdu;
  const uint8_t *sent = at->sent[0]->octets->data + mpa_stream_at(at->sent[0], 10)->end - 4;
  g_assert_cmphex(bad->crc_computed, ==, big_endian_read_32(sent));
  g_assert_cmphex(bad->crc_received, ==, bad->crc_computed ^ 0x10);
}

/* In any order each FPDU is reported, and the wrong one as well; also when a hole before it closes at last.
 */
PLAN_TEST(test_bad_crc_late, &unmarked, &marked)
{
  piece late = *piece_at(at, 4 + 5);

  g_assert_cmpuint(late.position, ==, start_of(at, 0, 5));
  flip(at, 0, end_of(at, 0, 20) - 6, 0x10);
  g_array_remove_index(at->pieces, 4 + 5);
  append(at, late);
  for (guint turn = 0; turn < 2; turn++) {
    decode_well(at, NULL);
    EXPECT_FIELDS(at->forward, (fpdus, FPDUS), (crc_bad, 1));
    EXPECT_FIELDS(fpdu_of(at, 20)->fpdu, (crc, DECODE_CRC_WRONG));
    shuffle(at);
  }
}

/* A wrong marker: the CRC covers it. Valid FPDUs show that the length was right. */
PLAN_TEST(test_bad_marker, &marked)
{
  uint64_t marker;
  guint index = with_marker(at, 10, &marker);

  flip(at, 0, marker + 3, 0x04);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (fpdus, FPDUS), (crc_bad, 1), (wrong_markers, 1), (unaccounted_octets, 0));
  EXPECT_FIELDS(fpdu_of(at, index)->fpdu, (crc, DECODE_CRC_WRONG), (wrong_markers, 1));
}

/* A wrong length leads to no FPDU. FPDUs that markers locate after it are found nevertheless, and no octet
 * counts twice. */
PLAN_TEST(test_bad_length_with_markers, &marked)
{
  uint64_t marker;
  guint index = with_marker(at, 10, &marker);
  uint64_t header = start_of(at, 0, index) + (mpa_stream_at(at->sent[0], index)->start % 512 == 0 ? 4 : 0);

  flip(at, 0, header, 0x08); /* 2048 more, or less */
  decode_well(at, NULL);
  g_assert_cmpuint(at->forward->fpdus, >=, FPDUS - 12);
  g_assert_cmpuint(at->forward->fpdus, <=, FPDUS);
  for (guint each = 0; each < index; each++) {
    g_assert_nonnull(fpdu_of(at, each));
  }
  g_assert_nonnull(fpdu_of(at, FPDUS - 1));
}

/* An impossible length ends the chain; markers locate what follows. */
PLAN_TEST(test_impossible_length, &unmarked, &marked)
{
  bool markers = at->plan->markers[0];
  guint index = 10;
  while (markers && mpa_stream_at(at->sent[0], index)->start % 512 == 0) {
    index++; /* no marker is to lie between its start and its length */
  }
  uint64_t header = start_of(at, 0, index);

  memset(at->octets[0]->data + header, 0xFF, 2);
  decode_well(at, NULL);
  EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_BAD_LENGTH, 1), (stream_position, header));
  EXPECT_FIELDS(at->forward, (crc_bad, 0), (after_error, 0), (missing_octets, 0));
  g_assert_null(fpdu_of(at, index));
  if (markers) {
    g_assert_nonnull(fpdu_of(at, FPDUS - 1));
    g_assert_cmpuint(at->forward->fpdus, >=, FPDUS - 12);
  } else {
    EXPECT_FIELDS(at->forward, (fpdus, 10), (unaccounted_octets, at->octets[0]->len - header));
  }
}

/* --- After a hole --- */

/* Beyond a hole only valid FPDUs are reported. */
PLAN_TEST(test_bad_crc_after_hole, &marked)
{
  lose_fpdu(at, 5);
  flip(at, 0, end_of(at, 0, 20) - 6, 0x10);
  decode_well(at, NULL);
  g_assert_cmpuint(at->forward->crc_bad, ==, 0);
  g_assert_null(fpdu_of(at, 5));
  g_assert_null(fpdu_of(at, 20));
  g_assert_cmpuint(at->forward->fpdus, >=, FPDUS - 12);
  g_assert_cmpuint(at->forward->fpdus, <=, FPDUS - 2);
}

/* --- Snap length --- */

/* The first octets of each FPDU were captured: all FPDUs are reported, and none is taken for wrong. */
PLAN_TEST(test_snap_length, &unmarked, &marked)
{
  guint long_ones = 0;

  snap(at, 4, 61); /* not a multiple of 4 */
  decode_well(at, NULL);
  g_assert_cmpuint(at->forward->fpdus, ==, FPDUS);
  EXPECT_FIELDS(at->forward, (crc_bad, 0), (after_error, 0), (wrong_markers, 0), (unaccounted_octets, 0),
                (missing_octets, 0));
  for (guint index = 0; index < FPDUS; index++) {
    const decode_event *fpdu = fpdu_of(at, index);
    g_assert_nonnull(fpdu);
    bool is_whole = fpdu->octets <= 60;
    g_assert_cmpint(fpdu->fpdu->crc, ==, is_whole ? DECODE_CRC_RIGHT : DECODE_CRC_NOT_CAPTURED);
    EXPECT_FIELDS(fpdu->fpdu, (has_ddp, true), (ddp.tagged_offset, index * 2048));
    long_ones += !is_whole;
  }
  g_assert_cmpuint(long_ones, >, FPDUS / 2);
}

/* So few octets were captured that the DDP header is not there. */
PLAN_TEST(test_snap_length_short, &unmarked)
{
  snap(at, 4, 12);
  decode_well(at, NULL);
  EXPECT_FIELDS(at->forward, (fpdus, FPDUS), (no_ddp, FPDUS));
  g_assert_false(fpdu_of(at, 7)->fpdu->has_ddp);
}

/* Segments that do not start with FPDUs: when a length was not captured the chain ends, with markers until
 * one is captured. Nothing is made up: what is reported is right. */
PLAN_TEST(test_snap_length_unaligned, &unmarked_long, &marked_long)
{
  /* Longer than a marker can point back, and cut at no multiple of 4. */
  cut(at, 701);
  snap(at, 4, 400);
  decode_well(at, NULL);
  g_assert_cmpuint(at->forward->fpdus, >=, 1);
  g_assert_cmpuint(at->forward->crc_bad + at->forward->wrong_markers, ==, 0);
  expect_sent(at);
}

/* Only one octet of a ULPDU_Length was captured, and several lengths have that octet. */
PLAN_TEST(test_snap_length_in_header, &unmarked)
{
  uint64_t from = start_of(at, 0, 0);
  piece *first = piece_at(at, 4);

  g_assert_cmpuint(first->position, ==, from);
  first->length = (uint32_t)(end_of(at, 0, 1) - from);
  first->captured = (uint32_t)(start_of(at, 0, 1) + 1 - from);
  decode_well(at, NULL);
  g_assert_cmpuint(at->forward->fpdus, ==, 1);
  expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_BAD_LENGTH, 0);
}

/* --- Every octet wrong once --- */

#define SMALL .has_frames = true, .crc = true, .private_data = {3, 0}, .fpdus = {6, 3}, .ulpdu_octets = 300

static const send_plan unmarked_small = {SMALL, .markers = {false, true}};
static const send_plan marked_small = {SMALL, .markers = {true, true}};

/* Whatever octet of a small capture is wrong: every octet is in one sum, and none but the FPDU with the wrong
 * octet is reported as wrong. */
PLAN_TEST(test_each_octet_flipped, &unmarked_small, &marked_small)
{
  for (unsigned from = 0; from < 2; from++) {
    for (uint64_t position = 0; position < at->octets[from]->len; position++) {
      flip(at, from, position, (uint8_t)(1 << position % 8));
      decode(at, NULL);
      if (position >= at->phase[from] || at->connection) {
        expect_sums(at);
      }
      if (position >= at->phase[from]) {
        g_assert_cmpuint(at->connection->directions[!from].fpdus, ==, at->plan->fpdus[!from]);
      }
      flip(at, from, position, (uint8_t)(1 << position % 8));
    }
  }
  decode(at, NULL);
  expect_all(at);
}

/* --- ULPDUs longer than a sender may make --- */

enum { LONG_ULPDU_OCTETS = 65154, LONG_FPDUS_MADE = 4 };

/* This is which octets of the FPDU phase prove an FPDU. */
typedef struct long_kind {
  bool markers;
  bool crc;
} long_kind;

/* Appends a marker, when one is due; `at` is where ULPDU_Length stands. */
static void append_marker(GByteArray *stream, const long_kind *kind, uint32_t at)
{
  uint32_t pointer = stream->len < at ? 0 : stream->len - at;
  const uint8_t marker[] = {0, 0, (uint8_t)(pointer >> 8), (uint8_t)pointer};

  if (kind->markers && stream->len % 512 == 0) {
    g_byte_array_append(stream, marker, sizeof marker);
  }
}

/* Appends an RDMA Write in a ULPDU of 65,154 octets to `stream`, the FPDU phase, octet by octet: our own
 * framer makes no such FPDU. FPDUPTR has the low 16 bits of the distance (mpa-01 §5.1). */
static void append_long(GByteArray *stream, const long_kind *kind, uint64_t offset, random_stream *random)
{
  const ddp_header ddp = {
      .tagged = true, .last = true, .version = 1, .ulp_control = 0x40, .stag = 1, .tagged_offset = offset};
  uint8_t header[DDP_MAX_HEADER_OCTETS];
  size_t header_octets = ddp_header_encode(&ddp, header);
  uint32_t start = stream->len;
  uint32_t at = start % 512 == 0 && kind->markers ? start + 4 : start; /* of ULPDU_Length */
  uint8_t crc[4] = {0};

  /* No PAD: 2 + 65,154 is a multiple of 4. */
  for (uint32_t each = 0; each < 2 + LONG_ULPDU_OCTETS; each += 4) {
    append_marker(stream, kind, at);
    for (uint32_t octet = each; octet < each + 4; octet++) {
      uint8_t value = octet == 0                  ? (uint8_t)(LONG_ULPDU_OCTETS >> 8)
                      : octet == 1                ? (uint8_t)LONG_ULPDU_OCTETS
                      : octet - 2 < header_octets ? header[octet - 2]
                                                  : (uint8_t)random_stream_next(random);
      g_byte_array_append(stream, &value, 1);
    }
  }
  append_marker(stream, kind, at);
  if (kind->crc) {
    crc32c_write(crc32c_update(CRC32C_INITIAL, stream->data + start, stream->len - start), crc);
  }
  g_byte_array_append(stream, crc, sizeof crc);
}

/* Returns a session that gets four such FPDUs in segments of `cut_octets`, with `bits` flipped in the octet
 * `flipped` of the second one (UINT32_MAX: none). Sets where each starts. */
static decode_case *decode_long(const long_kind *kind, uint32_t cut_octets, uint32_t flipped, uint8_t bits,
                                uint64_t starts[LONG_FPDUS_MADE])
{
  const send_plan plan = {.has_frames = true, .markers = {kind->markers, false}, .crc = kind->crc};
  g_autoptr(random_stream) random = random_stream_new(cut_octets, "long");
  decode_case *at = decode_case_new(&plan, random, 0);
  GByteArray *stream = at->sent[0]->octets;

  for (guint index = 0; index < LONG_FPDUS_MADE; index++) {
    starts[index] = at->phase[0] + stream->len;
    append_long(stream, kind, index * 65536ULL, random);
  }
  g_byte_array_append(at->octets[0], stream->data, stream->len);
  if (flipped < UINT32_MAX) {
    flip(at, 0, starts[1] + flipped, bits);
  }
  cut(at, cut_octets);
  decode_well(at, NULL);
  return at;
}

static const long_kind long_kinds[] = {{false, true}, {true, true}, {true, false}, {false, false}};

/* 64,768 octets are the sender's limit (mpa-01 §3.2): FPDUs beyond it are decoded, and reported once. */
TEST(test_long)
{
  static const uint32_t cuts[] = {1460, 65535, 4001};

  for (gsize index = 0; index < G_N_ELEMENTS(long_kinds) * G_N_ELEMENTS(cuts); index++) {
    const long_kind *kind = &long_kinds[index % G_N_ELEMENTS(long_kinds)];
    uint64_t starts[LONG_FPDUS_MADE];
    g_autoptr(decode_case) at =
        decode_long(kind, cuts[index / G_N_ELEMENTS(long_kinds)], UINT32_MAX, 0, starts);

    EXPECT_FIELDS(at, (forward->fpdus, LONG_FPDUS_MADE), (forward->long_ulpdus, LONG_FPDUS_MADE),
                  (forward->crc_bad, 0), (forward->wrong_markers, 0), (forward->unaccounted_octets, 0),
                  (notes->len, 1));
    EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_LONG_ULPDU, 1), (stream_position, starts[0]));
    for (guint each = 0; each < LONG_FPDUS_MADE; each++) {
      EXPECT_FIELDS(fpdu_from(at, SIDE_INITIATOR, starts[each])->fpdu, (ulpdu_octets, LONG_ULPDU_OCTETS),
                    (crc, kind->crc ? DECODE_CRC_RIGHT : DECODE_CRC_UNUSED));
    }
  }
}

/* Without proof such a length counts as impossible: with a wrong CRC and no marker; with a wrong marker and
 * no CRC; with neither, when no DDP header follows. */
TEST(test_long_unproven)
{
  enum { DDP_CONTROL = 2, RESERVED_BIT = 0x20 };
  const struct {
    long_kind kind;
    uint32_t flipped;
    uint8_t bits;
  } cases[] = {{{false, true}, 5000, 0x01},
               {{false, false}, DDP_CONTROL, RESERVED_BIT},
               {{false, true}, DDP_CONTROL, RESERVED_BIT}};

  for (gsize index = 0; index < G_N_ELEMENTS(cases); index++) {
    uint64_t starts[LONG_FPDUS_MADE];
    g_autoptr(decode_case) at =
        decode_long(&cases[index].kind, 1460, cases[index].flipped, cases[index].bits, starts);

    g_assert_cmpuint(at->forward->fpdus, ==, 1);
    EXPECT_FIELDS(expect_notes(at, SIDE_INITIATOR, DECODE_NOTE_BAD_LENGTH, 1), (stream_position, starts[1]));
  }
}
