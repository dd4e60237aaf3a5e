/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show which FPDUs the scanner of captures passes, with which errors, and which it holds back. */
#include <string.h>

#include "base/big_endian.h"
#include "base_cleanup.h"
#include "decode/decode_scanner.h"
#include "mpa_stream.h"
#include "test.h"

/* FPDU k of the marked stream is [1460 k, 1460 (k + 1)), with markers at 0, 512, 1024; 1536, 2048, 2560;
 * 3072, 3584, 4096; 4608, 5120, 5632. Without markers each is 1448 long. */
static const uint32_t full[] = {1442, 1442, 1442, 1442};

enum { FPDUS = G_N_ELEMENTS(full) };

typedef struct fixture {
  mpa_stream *stream;
  uint64_t first; /* offset of its first octet */
  decode_scanner *scanner;
  GString *passed; /* " START" of each FPDU, with !CRC or !MARKER when that is wrong */
  GString *errors; /* " START" of each impossible length */
  guint count;
  mpa_location located_by[2 * FPDUS]; /* each FPDU */
} fixture;

static void take(void *user, const mpa_complete_fpdu *fpdu, mpa_error error)
{
  static const char *const errors[] = {[MPA_ERROR_NONE] = "",
                                       [MPA_ERROR_CLOSED] = "?",
                                       [MPA_ERROR_CRC] = "!CRC",
                                       [MPA_ERROR_MARKER] = "!MARKER"};
  fixture *made = user;
  uint64_t start = fpdu->extent.start - made->first;

  g_assert_true(buffer_chain_equals(fpdu->octets, fpdu->from,
                                    (uint32_t)(fpdu->extent.end - fpdu->extent.start),
                                    made->stream->octets->data + start));
  g_assert_cmpuint(error, <, G_N_ELEMENTS(errors));
  g_string_append_printf(made->passed, " %" G_GUINT64_FORMAT "%s", start, errors[error]);
  made->located_by[made->count++] = fpdu->method;
}

static void fail(void *user, uint64_t offset)
{
  fixture *made = user;

  g_string_append_printf(made->errors, " %" G_GUINT64_FORMAT, offset);
}

static const decode_scanner_events events = {.fpdu = take, .bad_length = fail};

static fixture *set_up_at(mpa_stream *stream, bool crc, uint64_t offset)
{
  fixture *made = g_new0(fixture, 1);

  made->stream = stream;
  made->scanner = decode_scanner_new(offset, stream->markers, crc, &events, made);
  made->passed = g_string_new(NULL);
  made->errors = g_string_new(NULL);
  return made;
}

static fixture *set_up(bool markers)
{
  return set_up_at(mpa_stream_new(markers, true, full, FPDUS), true, 0);
}

static void tear_down(fixture *made)
{
  g_string_free(made->passed, TRUE);
  g_string_free(made->errors, TRUE);
  decode_scanner_free(made->scanner);
  mpa_stream_free(made->stream);
  g_free(made);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

#define MARKED_TEST(name) TEST_OF(fixture, made, set_up(true), name)

static void arrive(fixture *made, uint64_t from, uint64_t to)
{
  g_autofree uint8_t *octets =
      g_memdup2(made->stream->octets->data + from, to - from); /* they end with the call */

  decode_scanner_receive(made->scanner, made->first + from, octets, (uint32_t)(to - from));
}

/* The stream from `from` to `to` arrives in pieces of `cut` octets. */
static void arrive_cut(fixture *made, uint64_t from, uint64_t to, uint64_t cut)
{
  for (; from < to; from += cut) {
    arrive(made, from, MIN(from + cut, to));
  }
}

static void flip(fixture *made, uint64_t offset, uint8_t bits)
{
  made->stream->octets->data[offset] ^= bits;
}

/* Checks what was passed up to now, in this order, where the next octet in order is, and which lengths are
 * impossible. */
static void expect_with(const fixture *made, const char *passed, uint64_t edge, const char *errors)
{
  g_assert_cmpstr(made->passed->str, ==, passed);
  g_assert_cmpuint(made->scanner->locator.edge, ==, made->first + edge);
  g_assert_cmpstr(made->errors->str, ==, errors);
}

static void expect(const fixture *made, const char *passed, uint64_t edge)
{
  expect_with(made, passed, edge, "");
}

static void expect_held(const fixture *made, uint64_t octets)
{
  g_assert_cmpuint(reassembly_queue_total(made->scanner->locator.reassembly->octets), ==, octets);
}

/* In a stream that ends at `end`, so many octets are held of an FPDU at `start` that is not whole. */
static void expect_unfinished(const fixture *made, uint64_t end, uint64_t octets, uint64_t start)
{
  uint64_t found;

  g_assert_cmpuint(decode_scanner_unfinished(made->scanner, end, &found), ==, octets);
  g_assert_cmpuint(found, ==, start);
}

/* In order an FPDU with a wrong octet goes up with its error, however it is cut, and all others follow. */
TEST(test_in_order)
{
  static const uint32_t cuts[] = {1460, 5840, 100, 1, 700};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    g_autoptr(fixture) made = set_up(true);
    flip(made, 1460 + 700, 0x40);
    arrive_cut(made, 0, 5840, cuts[index]);
    expect(made, " 0 1460!CRC 2920 4380", 5840);
    expect_held(made, 0);
  }
}

/* Beyond a hole an invalid FPDU is held until it is in order. */
MARKED_TEST(test_beyond_hole)
{
  mpa_held held;

  flip(made, 2920 + 700, 0x40);
  arrive(made, 1460, 2920);
  mpa_locator_held(&made->scanner->locator, &held); /* it was passed, so no octet of it is awaited */
  EXPECT_FIELDS(&held, (incomplete, 0), (unlocated, 0), (partial_fpdus, 0));
  arrive(made, 2920, 4380);
  expect_unfinished(made, 4380, 0, 2920); /* it ends there */
  arrive(made, 4380, 5840);
  expect(made, " 1460 4380", 0);
  arrive(made, 0, 1460);
  expect(made, " 1460 4380 0 2920!CRC", 5840);
}

/* At the end it is not passed when the hole stays, nor at a second end. */
TEST(test_end_after_hole)
{
  for (uint64_t wrong = 2; wrong < 4; wrong++) {
    g_autoptr(fixture) made = set_up(true);
    flip(made, 1460 * wrong + 700, 0x40);
    arrive_cut(made, 1460, 5840, 1460);
    for (guint ends = 0; ends < 2; ends++) {
      decode_scanner_end(made->scanner);
      expect(made, wrong == 2 ? " 1460 4380" : " 1460 2920", wrong == 2 ? 5840 : 4380);
    }
  }
}

/* A wrong length: the chain would read nonsense from 1460 + 1972 on. The FPDU at 2920 is located by a marker
 * and valid, and refutes it. */
TEST(test_refuted_length)
{
  /* At the second cut the wrong FPDU is whole, and the one that refutes it is not yet. */
  static const uint64_t cuts[] = {4380, 3500};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    g_autoptr(fixture) made = set_up(true);
    flip(made, 1460, 0x02); /* 512 more */
    arrive_cut(made, 0, 2920, 1460);
    arrive(made, 2920, cuts[index]);
    expect(made, cuts[index] == 4380 ? " 0 2920" : " 0", cuts[index] == 4380 ? 4380 : 1460);
    arrive(made, cuts[index], 5840);
    g_assert_cmpint(made->located_by[1], ==, MPA_LOCATED_BY_MARKER);
    expect(made, " 0 2920 4380", 5840);
  }
}

/* The same, and nothing more comes: the wrong length is followed although the FPDU that a marker located in
 * it could still refute it. Its 1954 octets and four markers end at 1460 + 2 + 1954 + 4 + 16 = 3436. */
MARKED_TEST(test_given_up_undecided)
{
  flip(made, 1460, 0x02);
  arrive(made, 0, 1460);
  arrive(made, 1460, 3500);
  expect(made, " 0", 1460);
  g_assert_true(decode_scanner_give_up(made->scanner));
  expect(made, " 0 1460!CRC", 3436);
}

/* A wrong marker is an error of its own, beside a right CRC and without CRCs. The FPDU is passed as soon as
 * it is whole, however it is cut: with a right CRC its length is right, although the marker points into it, 8
 * octets after its start; without CRCs the marker points before it, so that nothing more can come that would
 * show it. */
TEST(test_wrong_marker)
{
  static const uint32_t cuts[] = {1460, 100, 700};
  static const char *const passed[] = {"", " 0", " 0 1460!MARKER", " 0 1460!MARKER 2920",
                                       " 0 1460!MARKER 2920 4380"};

  for (gsize index = 0; index < 2 * G_N_ELEMENTS(cuts); index++) {
    bool crc = index % 2;
    g_autoptr(fixture) made = set_up_at(mpa_stream_new(true, crc, full, FPDUS), crc, 0);
    flip(made, 2048 + 3, crc ? 0x08 : 0x18); /* 580 or 596, not 588 */
    if (crc) {
      mpa_stream_repair_crc(made->stream, 1);
    }
    for (uint64_t from = 0; from < 5840; from += cuts[index / 2]) {
      uint64_t to = MIN(from + cuts[index / 2], 5840);
      arrive(made, from, to);
      expect(made, passed[to / 1460], to / 1460 * 1460);
    }
  }
}

/* Without markers a wrong length is followed. */
TEST_OF(fixture, made, set_up(false), test_followed_length)
{
  flip(made, 1448 + 1, 0x04); /* 4 more: 1446 */
  arrive(made, 0, 1448 * 4);
  expect(made, " 0 1448!CRC", 1448 + 1452);
}

/* A wrong marker beside a wrong CRC puts the length in doubt; what the marker points to decides, or the
 * end. */
MARKED_TEST(test_doubt)
{
  flip(made, 1536 + 3, 0x04); /* points 4 octets before or after */
  arrive_cut(made, 0, 2920, 1460);
  arrive(made, 2920, 5840);
  decode_scanner_end(made->scanner);
  expect(made, " 0 2920 4380 1460!CRC", 5840);
}

/* An impossible length is reported once. Without markers nothing is read after it. */
TEST(test_impossible_length)
{
  for (guint markers = 0; markers < 2; markers++) {
    g_autoptr(fixture) made = set_up(markers);
    uint64_t length = markers ? 1460 : 1448;
    memset(made->stream->octets->data + length, 0xFF, 4); /* no DDP Segment starts with the last two */
    for (guint each = 0; each < FPDUS; each++) {
      arrive_cut(made, each * length, (each + 1) * length, 800);
    }
    expect_with(made, markers ? " 0 2920 4380" : " 0", markers ? 5840 : 1448, markers ? " 1460" : " 1448");
  }
}

/* This is the same for a length that is possible: markers locate the next FPDU, into which this one would
 * reach. */
MARKED_TEST(test_refuted_long_length)
{
  memset(made->stream->octets->data + 1460, 0xFF, 2);
  memset(made->stream->octets->data + 1462, 0x41, 2); /* a DDP Segment could start with these */
  arrive_cut(made, 0, 5840, 1460);
  expect_with(made, " 0 2920 4380", 5840, " 1460");
}

/* The missing octets never come: reading goes on at the next FPDU that is passed; when there is none, it
 * ends. */
MARKED_TEST(test_give_up)
{
  g_assert_false(decode_scanner_give_up(made->scanner));
  arrive(made, 1460, 2920);
  arrive(made, 4380, 5000);
  expect_unfinished(made, 5000, 620, 4380);
  g_assert_true(decode_scanner_give_up(made->scanner));
  expect(made, " 1460", 2920);
  g_assert_false(decode_scanner_give_up(made->scanner));
  arrive(made, 2920, 4380);
  expect(made, " 1460 2920", 4380);
  expect_unfinished(made, 5000, 620, 4380);
  expect_unfinished(made, 5840, 0, 4380);
  arrive(made, 5000, 5840);
  expect(made, " 1460 2920 4380", 5840);
  expect_unfinished(made, 5840, 0, 5840);
}

/* The octets held of an FPDU that is given up are released. */
MARKED_TEST(test_give_up_in_mid_fpdu)
{
  arrive(made, 0, 100);
  arrive(made, 1460, 2920);
  g_assert_true(decode_scanner_give_up(made->scanner));
  expect(made, " 1460", 2920);
  expect_held(made, 0);
}

/* A stream that ends within an FPDU, of which one octet has come, two, or all but one; or at its start. */
TEST(test_unfinished)
{
  static const uint64_t octets[] = {0, 1, 2, 1459};

  for (gsize index = 0; index < G_N_ELEMENTS(octets); index++) {
    g_autoptr(fixture) made = set_up(true);
    arrive(made, 0, 1460 + octets[index]);
    decode_scanner_end(made->scanner);
    expect_unfinished(made, 1460 + octets[index], octets[index], 1460);
  }
}

/* It is not unfinished when its ULPDU_Length is impossible. */
MARKED_TEST(test_nothing_unfinished)
{
  memset(made->stream->octets->data + 1460, 0xFF, 4);
  arrive(made, 0, 1464);
  decode_scanner_end(made->scanner);
  expect_unfinished(made, 1464, 0, 1460);
}

/* Nor when octets of it are missing. */
MARKED_TEST(test_unfinished_with_hole)
{
  arrive(made, 0, 1500);
  arrive(made, 1600, 1700);
  decode_scanner_end(made->scanner);
  expect_unfinished(made, 1700, 0, 1460);
}

/* Unknown octets of an FPDU are no error; the FPDU is passed even beyond a hole. */
MARKED_TEST(test_excused)
{
  range_set_add(&made->scanner->not_captured, 2920 + 100, 2920 + 400);
  memset(made->stream->octets->data + 2920 + 100, 0xFF, 300);
  arrive(made, 2920, 4380);
  expect(made, " 2920!CRC", 0);
  arrive(made, 4380, 5840);
  expect(made, " 2920!CRC 4380", 0);
  decode_scanner_end(made->scanner);
  expect(made, " 2920!CRC 4380", 5840);
}

/* This begins in the middle of a stream. */
TEST_OF(fixture, made, set_up_at(mpa_stream_new(true, true, full, FPDUS), true, 1460), test_start_at)
{
  arrive(made, 1460, 5840);
  expect(made, " 1460 2920 4380", 5840);
}

static fixture *set_up_beyond_4_gib(void)
{
  fixture *made = set_up(false);

  made->first = UINT64_C(1) << 32;
  decode_scanner_free(made->scanner);
  made->scanner = decode_scanner_new(made->first, false, true, &events, made);
  return made;
}

/* After a hole, without markers, what looks like an FPDU at a segment's start can be taken for one; so it is
 * beyond 4 GiB. */
static void assume(fixture *made)
{
  arrive(made, 1448, 1448 * 3);
  arrive(made, 1448 * 3, 1448 * 4);
  mpa_locator_assume(&made->scanner->locator, made->first + 1448 + 4, made->first + 1448 * 4);
  expect(made, "", 0);
  mpa_locator_assume(&made->scanner->locator, made->first + 1448, made->first + 1448 * 4);
  expect(made, " 1448 2896 4344", 0);
  g_assert_cmpint(made->located_by[2], ==, MPA_LOCATED_BY_ASSUMPTION);
  decode_scanner_end(made->scanner);
  expect(made, " 1448 2896 4344", 1448 * 4);
}

TEST_OF(fixture, made, set_up(false), test_guess)
{
  assume(made);
}

TEST_OF(fixture, made, set_up_beyond_4_gib(), test_guess_beyond_4_gib)
{
  assume(made);
}

/* --- ULPDUs longer than any sender may make --- */

enum {
  LONG_OCTETS = 2 + UINT16_MAX + 3 + 4, /* length, ULPDU, PAD, CRC: 65,544 */
  LONG_MARKERS = 130,                   /* at 0, 512, … 66048 */
  MARKED_LONG_OCTETS = LONG_OCTETS + 4 * LONG_MARKERS,
};

/* Adds an FPDU of all zeros up to `end`. */
static uint8_t *append_zeros(mpa_stream *stream, uint64_t end)
{
  const mpa_stream_fpdu fpdu = {.start = stream->octets->len, .end = end};

  g_byte_array_set_size(stream->octets, (guint)end);
  g_array_append_val(stream->fpdus, fpdu);
  return memset(stream->octets->data + fpdu.start, 0, (size_t)(end - fpdu.start));
}

/* Two FPDUs, ULPDU_Length of both 65535; but for the two octets after it all else is zero. */
static fixture *set_up_long(void)
{
  mpa_stream *stream = mpa_stream_begin(false, true);

  for (guint index = 0; index < 2; index++) {
    uint8_t *octets = append_zeros(stream, (index + 1) * LONG_OCTETS);
    memset(octets, 0xFF, 2);
    memset(octets + 2, 0x41, 2);
    mpa_stream_repair_crc(stream, index);
  }
  return set_up_at(stream, true, 0);
}

/* A long FPDU that its CRC proves is passed like any other. */
TEST_OF(fixture, made, set_up_long(), test_long)
{
  arrive(made, 0, LONG_OCTETS);
  arrive(made, LONG_OCTETS, LONG_OCTETS + 1000);
  arrive(made, LONG_OCTETS + 1000, 2 * LONG_OCTETS);
  expect(made, " 0 65544", 2 * LONG_OCTETS);
  g_assert_true(made->scanner->has_long);
}

/* When nothing proves it, its ULPDU_Length counts as impossible, which is reported once. */
TEST(test_long_unproven)
{
  static const uint64_t cuts[] = {LONG_OCTETS, 1000};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    g_autoptr(fixture) made = set_up_long();
    flip(made, 700, 0x40);
    arrive_cut(made, 0, 2 * LONG_OCTETS, cuts[index]);
    expect_with(made, "", 0, " 0");
  }
}

/* The two octets after ULPDU_Length decide, when both are there; also when there is a hole after them. */
TEST(test_long_that_cannot_start)
{
  static const uint64_t cuts[] = {1, 2, 4, 1, 2, 4};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    g_autoptr(fixture) made = set_up_long();
    memset(made->stream->octets->data + 2, 0x7E, 2); /* reserved bits are set */
    if (index >= 3) {
      arrive(made, 1000, 1100);
    }
    for (uint64_t from = 0; from < 8; from += cuts[index]) {
      arrive(made, from, from + cuts[index]);
      expect_with(made, "", 0, from + cuts[index] >= 4 ? " 0" : "");
    }
  }
}

/* A long FPDU that the stream's end cuts off is impossible, too, if there was none before. */
TEST(test_long_unfinished)
{
  for (uint64_t before = 0; before < 2; before++) {
    g_autoptr(fixture) made = set_up_long();
    uint64_t start = before * LONG_OCTETS;
    arrive(made, 0, start + 1000);
    decode_scanner_end(made->scanner);
    g_assert_cmpstr(made->errors->str, ==, before == 0 ? " 0" : "");
    expect_unfinished(made, start + 1000, before == 0 ? 0 : 1000, start);
  }
}

/* With markers: one of those of the first FPDU, at 66048, lies 66044 octets after ULPDU_Length at 4. 16 bits
 * of that are 508, which is where no FPDU starts. After it follows one of 500 octets: [66064, 66576), with
 * the marker at 66560. */
static fixture *set_up_marked_long(void)
{
  mpa_stream *stream = mpa_stream_begin(true, true);

  append_zeros(stream, MARKED_LONG_OCTETS);
  append_zeros(stream, MARKED_LONG_OCTETS + 512);
  uint8_t *octets = stream->octets->data;
  memset(octets + 4, 0xFF, 2);
  for (guint marker = 512; marker < MARKED_LONG_OCTETS; marker += 512) {
    big_endian_write_16(octets + marker + 2, (uint16_t)(marker - 4));
  }
  big_endian_write_16(octets + MARKED_LONG_OCTETS, 500);
  big_endian_write_16(octets + 66560 + 2, 66560 - MARKED_LONG_OCTETS);
  mpa_stream_repair_crc(stream, 0);
  mpa_stream_repair_crc(stream, 1);
  return set_up_at(stream, true, 0);
}

/* The marker that cannot point so far locates nothing, in order and after a hole; the one of the FPDU after
 * does. */
TEST(test_long_with_markers)
{
  for (uint64_t hole = 0; hole < 2; hole++) {
    g_autoptr(fixture) made = set_up_marked_long();
    mpa_held held;
    arrive(made, 0, 60000);
    arrive(made, 60000 + hole, 66060);
    mpa_locator_held(&made->scanner->locator, &held);
    EXPECT_FIELDS(&held, (incomplete, 66060 - hole), (unlocated, 0), (partial_fpdus, 1));
    arrive(made, MARKED_LONG_OCTETS, MARKED_LONG_OCTETS + 512);
    expect(made, " 66064", 0);
    g_assert_cmpint(made->located_by[0], ==, MPA_LOCATED_BY_MARKER);
    if (hole > 0) {
      arrive(made, 60000, 60000 + hole);
    }
    arrive(made, 66060, MARKED_LONG_OCTETS);
    expect(made, " 66064 0", MARKED_LONG_OCTETS + 512);
    expect_held(made, 0);
  }
}

/* A wrong CRC: its markers prove the length, unless one of them is wrong, too. */
TEST(test_long_proven_by_markers)
{
  for (guint wrong = 0; wrong < 2; wrong++) {
    g_autoptr(fixture) made = set_up_marked_long();
    const char *errors = wrong ? " 0" : "";
    flip(made, 700, 0x40);
    flip(made, 1024 + 3, wrong ? 0x08 : 0);
    arrive(made, 0, 60000);
    arrive(made, 60000, MARKED_LONG_OCTETS);
    expect_with(made, wrong ? "" : " 0!CRC", wrong ? 0 : MARKED_LONG_OCTETS, errors);
    arrive(made, MARKED_LONG_OCTETS, MARKED_LONG_OCTETS + 512);
    expect_with(made, wrong ? " 66064" : " 0!CRC 66064", MARKED_LONG_OCTETS + 512, errors);
  }
}
