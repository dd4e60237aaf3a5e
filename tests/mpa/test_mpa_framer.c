/* SPDX-License-Identifier: GPL-2.0-only */
/* The framer against the hex dumps of both drafts and an octet-by-octet reading of its stream (mpa-01 §4,
 * §5.1, §5.2). */
#include <string.h>

#include "base/random_stream.h"
#include "mpa/mpa_framer.h"
#include "mpa_reader.h"
#include "stack_cleanup.h"
#include "test.h"

static void frame_chain(mpa_framer *framer, const buffer_chain *ulpdu, buffer_chain *fpdu)
{
  gather_list octets = buffer_chain_gather(ulpdu);
  mpa_framer_frame(framer, &octets, fpdu);
}

/* Frames `length` octets at `ulpdu`, given to the framer in two slices, and returns the FPDU flat. */
static GByteArray *frame(mpa_framer *framer, const uint8_t *ulpdu, uint32_t length)
{
  buffer_chain source;
  g_auto(buffer_chain) fpdu;
  buffer_chain_init(&source);
  buffer_chain_init(&fpdu);
  octet_buffer *copy = octet_buffer_new(length);
  memcpy(octet_buffer_octets(copy), ulpdu, length);
  buffer_chain_append(&source, octet_buffer_octets(copy), length / 3, copy);
  buffer_chain_append(&source, ulpdu + length / 3, length - length / 3, NULL);
  frame_chain(framer, &source, &fpdu);
  buffer_chain_clear(&source);
  octet_buffer_unref(copy);
  GByteArray *flat = g_byte_array_sized_new(fpdu.length);
  g_byte_array_set_size(flat, fpdu.length);
  buffer_chain_copy_out(&fpdu, 0, fpdu.length, flat->data);
  return flat;
}

static void frame_zeros(mpa_framer *framer, uint32_t length)
{
  g_autofree uint8_t *zeros = g_malloc0(length);
  g_byte_array_unref(frame(framer, zeros, length));
}

/* An untagged DDP segment: a Send with 24 octets of zeros (mpa-01 §5.2, figures 5 and 6). */
static void make_send(uint8_t ulpdu[42], const char control[2], uint8_t msn)
{
  memset(ulpdu, 0, 42);
  memcpy(ulpdu, control, 2);
  ulpdu[13] = msn; /* the last octet of MSN: control 2, STag 4, Queue 4, MSN 4 */
}

static void check_first_dump(const char control[2], const char crc[4])
{
  uint8_t ulpdu[42];
  uint8_t expected[52] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x2A};
  make_send(ulpdu, control, 1);
  memcpy(expected + 6, ulpdu, 42);
  expected[0x13] = 0x01; /* MSN = 1 at 0010 … 0013 of the dump */
  memcpy(expected + 0x30, crc, 4);

  mpa_framer framer = {.markers = true, .crc = true};
  g_autoptr(GByteArray) fpdu = frame(&framer, ulpdu, 42);
  g_assert_cmpmem(fpdu->data, fpdu->len, expected, 52);
  g_assert_cmpuint(framer.offset, ==, 52);
}

/* MPA-115, MPA-129, MPA-130: the FPDU starts with a marker, which the digest covers; the digest is in the
 * last 4 octets, as the documents print it. */
TEST(test_first_dump)
{
  check_first_dump("\x40\x03", "\x4C\x86\xB3\x84"); /* MPA-134 */
  check_first_dump("\x41\x43", "\x52\x23\x99\x83"); /* MPA-136 */
}

static void check_second_dump(const char control[2], const char crc[4], uint32_t first_ulpdu)
{
  uint8_t ulpdu[42];
  uint8_t expected[52] = {0x00, 0x2A};
  make_send(ulpdu, control, 2);
  memcpy(expected + 2, ulpdu, 18);              /* 01EE … 01FF: the header */
  memcpy(expected + 20, "\x00\x00\x00\x14", 4); /* 0200: the marker; then the 24 zeros */
  memcpy(expected + 48, crc, 4);

  mpa_framer framer = {.markers = true, .crc = true};
  frame_zeros(&framer, first_ulpdu);
  g_assert_cmpuint(framer.offset, ==, 0x01EC);
  g_autoptr(GByteArray) fpdu = frame(&framer, ulpdu, 42);
  g_assert_cmpmem(fpdu->data, fpdu->len, expected, 52);
}

/* MPA-115, MPA-127, MPA-130: this one starts with ULPDU_Length, and the digest covers the marker inside.
 * MPA-084, MPA-096: the marker is 00 00 00 14, 20 octets after the header. The first FPDU, which is not
 * shown, has 492 octets, as ULPDUs of 479 to 482 octets give (MPA-139). */
TEST(test_second_dump)
{
  for (uint32_t first_ulpdu = 479; first_ulpdu <= 482; first_ulpdu++) {
    check_second_dump("\x40\x03", "\xA1\x9C\xD1\x03", first_ulpdu); /* MPA-135 */
    check_second_dump("\x41\x43", "\x84\x92\x58\x98", first_ulpdu); /* MPA-137 */
  }
}

/* A 16-octet ULPDU whose header sits 12 octets before a marker (MPA-109). */
TEST(test_figure_4)
{
  uint8_t ulpdu[16];
  uint8_t expected[28] = {0x00, 0x10};
  for (int index = 0; index < 16; index++) {
    ulpdu[index] = (uint8_t)(0xA0 + index);
  }
  memcpy(expected + 2, ulpdu, 10);
  memcpy(expected + 12, "\x00\x00\x00\x0C", 4);
  memcpy(expected + 16, ulpdu + 10, 6); /* two octets of PAD follow */
  slow_crc32c(expected, 24, expected + 24);

  mpa_framer framer = {.markers = true, .crc = true};
  frame_zeros(&framer, 490); /* marker 4 + length 2 + 490 + CRC 4 = 500 = 512 - 12 */
  g_autoptr(GByteArray) fpdu = frame(&framer, ulpdu, 16);
  g_assert_cmpmem(fpdu->data, fpdu->len, expected, 28);
}

/* MPA-098: an FPDU that ends right before a marker position has no marker at its end; the next one has it.
 * MPA-129, MPA-361: and has it in its digest. */
TEST(test_marker_between_fpdus)
{
  mpa_framer framer = {.markers = true, .crc = true};
  frame_zeros(&framer, 502); /* 4 + 2 + 502 + 4 = 512 */
  g_assert_cmpuint(framer.offset, ==, 512);
  g_autoptr(GByteArray) fpdu = frame(&framer, (const uint8_t *)"ab", 2);
  uint8_t expected[12] = {0, 0, 0, 0, 0, 2, 'a', 'b'};
  slow_crc32c(expected, 8, expected + 8); /* the marker takes part (MPA-129) */
  g_assert_cmpmem(fpdu->data, fpdu->len, expected, 12);
}

/* MPA-128: a marker between ULPDU and CRC belongs to this FPDU and to its digest: 4 + 2 + 506 = 512. */
TEST(test_marker_before_crc)
{
  mpa_framer framer = {.markers = true, .crc = true};
  g_autofree uint8_t *zeros = g_malloc0(506);
  g_autoptr(GByteArray) fpdu = frame(&framer, zeros, 506);
  uint8_t digest[4];
  g_assert_cmpuint(fpdu->len, ==, 520);
  g_assert_cmpmem(fpdu->data + 512, 4, "\x00\x00\x01\xFC", 4); /* 512 - 4 */
  slow_crc32c(fpdu->data, 516, digest);
  g_assert_cmpmem(fpdu->data + 516, 4, digest, 4);
}

TEST(test_without_markers)
{
  mpa_framer framer = {.markers = false, .crc = true};
  for (int round = 0; round < 300; round++) { /* over several marker positions */
    uint8_t expected[12] = {0, 3, 'x', 'y', 'z'};
    slow_crc32c(expected, 8, expected + 8);
    g_autoptr(GByteArray) fpdu = frame(&framer, (const uint8_t *)"xyz", 3);
    g_assert_cmpmem(fpdu->data, fpdu->len, expected, 12);
  }
}

/* MPA-126: the field is there all the same (MPA-080). */
TEST(test_without_crc)
{
  mpa_framer framer = {.markers = true, .crc = false};
  g_autoptr(GByteArray) fpdu = frame(&framer, (const uint8_t *)"abc", 3);
  g_assert_cmpmem(fpdu->data, fpdu->len, "\0\0\0\0\0\3abc\0\0\0\0\0\0\0", 16);
}

/* The framer made one FPDU at `start`, as it must be, and nothing else. */
static void check_flat(const GByteArray *fpdu, uint64_t start, const uint8_t *ulpdu, uint32_t length)
{
  g_assert_cmpuint(fpdu->len, ==, walk_fpdu(start, length, true) - start);
  check_fpdu(fpdu->data, start, true, true, ulpdu, length);
}

/* MPA-094, MPA-096, MPA-107, MPA-108: where the markers are and where they point, in FPDUs of many markers
 * and in intervals of many FPDUs. MPA-056, MPA-073, MPA-076, MPA-085, MPA-127, MPA-130: what is between
 * them. The first ULPDU is the largest there may be. */
TEST(test_random_stream)
{
  g_autoptr(random_stream) random = random_stream_new(1, "test.framer");
  mpa_framer framer = {.markers = true, .crc = true};
  g_autofree uint8_t *ulpdu = g_malloc(64768);
  uint64_t stream = 0;

  for (int index = 0; index < 64768; index++) {
    ulpdu[index] = (uint8_t)random_stream_next(random);
  }
  for (int round = 0; round < 400; round++) {
    uint32_t length = 1 + (uint32_t)random_stream_below(random, round % 100 == 99 ? 64768 : 1500);
    length = round == 0 ? 64768 : length;
    g_autoptr(GByteArray) fpdu = frame(&framer, ulpdu, length);

    g_test_message("seed 1, round %d: %u octets at %" G_GUINT64_FORMAT, round, length, stream);
    check_flat(fpdu, stream, ulpdu, length);
    stream += fpdu->len;
    g_assert_cmpuint(framer.offset, ==, stream);
  }
}

/* Whatever slices a ULPDU comes in, its FPDU is a single slice as long as flat FPDUs are available: the
 * shortest piece of the pool that suffices, or memory of its own when it is longer. */
TEST(test_one_slice)
{
  uint8_t ulpdu[1500];
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1456, UINT32_MAX);
  memory_pool *blocks = mpa_fpdu_memory_flat(memory, 1456);
  memory_pool *short_blocks =
      mpa_fpdu_memory_flat(memory, 552); /* 3/8 of 1456, rounded up to what a piece has: 576 less 16 */
  mpa_framer framer = {.markers = true, .crc = true, .memory = memory};
  for (uint32_t index = 0; index < sizeof ulpdu; index++) {
    ulpdu[index] = (uint8_t)(index % 251);
  }
  for (uint32_t length = 500; length <= sizeof ulpdu; length++) {
    uint64_t start = framer.offset;
    uint32_t slice_octets = length - 499;
    buffer_chain source;
    g_auto(buffer_chain) fpdu;
    buffer_chain_init(&source);
    buffer_chain_init(&fpdu);
    buffer_chain_reserve(&source, length);
    for (uint32_t from = 0; from < length; from += slice_octets) {
      buffer_chain_put(&source, ulpdu + from, MIN(slice_octets, length - from), NULL);
    }
    frame_chain(&framer, &source, &fpdu);
    buffer_chain_clear(&source);
    g_assert_cmpuint(fpdu.slice_count, ==, 1);
    g_assert_cmpuint(blocks->pieces_out, ==,
                     fpdu.length > 560 && fpdu.length <= 1456 ? 1 : 0); /* 1472 less 16 */
    g_assert_cmpuint(short_blocks->pieces_out, ==, fpdu.length <= 560 ? 1 : 0);
    g_autoptr(GByteArray) flat = g_byte_array_new();
    g_byte_array_append(flat, buffer_chain_slices(&fpdu)->octets, fpdu.length);
    check_flat(flat, start, ulpdu, length);
  }
}

/* A ULPDU of `length` octets of `source`: the first `bare_octets` without a buffer, as the segmenter's header
 * is; then octets with one, in `runs` pieces. */
static void make_ulpdu(buffer_chain *ulpdu, octet_buffer *source, uint32_t length, uint32_t bare_octets,
                       uint32_t runs)
{
  uint8_t *octets = octet_buffer_octets(source);
  uint32_t bare = MIN(length, bare_octets);

  buffer_chain_init(ulpdu);
  buffer_chain_reserve(ulpdu, runs + 1);
  buffer_chain_put(ulpdu, octets, bare, NULL);
  for (uint32_t from = bare; from < length;) {
    uint32_t run = MIN((length - bare) / runs + 1, length - from);
    buffer_chain_put(ulpdu, octets + from, run, source);
    from += run;
  }
}

static void compare_ways(bool markers, bool crc, uint64_t seed)
{
  enum { ROUNDS = 500, MAX_OCTETS = 64768 };
  g_autoptr(random_stream) random = random_stream_new(seed, "framer");
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1456, 0);
  g_autoptr(octet_buffer) source = octet_buffer_new(MAX_OCTETS);
  mpa_framer later = {.markers = markers, .crc = crc, .memory = memory};
  mpa_framer flat = {.markers = markers, .crc = crc};

  for (uint32_t index = 0; index < MAX_OCTETS; index++) {
    octet_buffer_octets(source)[index] = (uint8_t)random_stream_next(random);
  }
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t length = 1 + (uint32_t)random_stream_below(random, round % 100 == 99 ? MAX_OCTETS : 1500);
    uint32_t runs = 1 + (uint32_t)random_stream_below(random, 3);
    static const uint32_t bares[] = {14, 18, 19, 600};
    uint32_t bare = bares[random_stream_below(random, G_N_ELEMENTS(bares))];
    buffer_chain ulpdu;
    g_auto(buffer_chain) fpdu = {0};
    g_auto(buffer_chain) expected = {0};

    g_test_message("seed %" G_GUINT64_FORMAT ", round %d: %u octets in %u runs", seed, round, length, runs);
    make_ulpdu(&ulpdu, source, length, bare, runs);
    frame_chain(&later, &ulpdu, &fpdu);
    frame_chain(&flat, &ulpdu, &expected);
    buffer_chain_clear(&ulpdu);
    g_assert_cmpuint(expected.slice_count, ==, 1);
    g_assert_cmpuint(fpdu.length, ==, expected.length);
    g_assert_true(buffer_chain_equals(&fpdu, 0, fpdu.length, buffer_chain_slices(&expected)->octets));
    g_assert_true(buffer_chain_is_deferred(&fpdu) == (bare <= 18 && runs == 1 && length >= bare + 64));
    g_assert_cmpuint(later.offset, ==, flat.offset);
  }
}

/* Deferred FPDUs equal flat ones octet for octet: with and without markers and CRC, of all lengths, and so
 * with markers before, in and after each part. Those of a long header, of a short payload or of one in
 * several runs are flat. */
TEST(test_same_both_ways)
{
  for (uint64_t seed = 1; seed <= 4; seed++) {
    compare_ways(true, true, seed);
    compare_ways(true, false, seed);
    compare_ways(false, true, seed);
  }
}

/* The header is copied, and may change after the call; the payload's buffer is referred to, and kept. */
TEST(test_defers)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1456, 2 * 1456); /* two flat ones */
  mpa_framer framer = {.markers = true, .crc = true, .memory = memory};
  octet_buffer *source = octet_buffer_new(1000);
  buffer_chain ulpdu;
  buffer_chain fpdus[4] = {{0}};

  memset(octet_buffer_octets(source), 'x', 1000);
  make_ulpdu(&ulpdu, source, 1000, 14, 1);
  for (guint i = 0; i < 3; i++) {
    frame_chain(&framer, &ulpdu, &fpdus[i]);
    g_assert_true(buffer_chain_is_deferred(&fpdus[i]) == (i == 2));
  }
  buffer_chain_clear(&fpdus[0]); /* as if acknowledged: there is room for a flat one again */
  frame_chain(&framer, &ulpdu, &fpdus[3]);
  g_assert_false(buffer_chain_is_deferred(&fpdus[3]));
  buffer_chain_clear(&ulpdu);
  memset(octet_buffer_octets(source), 'h', 14); /* the next segment's header is there by now */
  octet_buffer_unref(source);
  g_assert_cmphex(buffer_chain_at(&fpdus[2], 10), ==, 'x');
  g_assert_cmphex(buffer_chain_at(&fpdus[2], 900), ==, 'x');
  for (guint i = 0; i < G_N_ELEMENTS(fpdus); i++) {
    buffer_chain_clear(&fpdus[i]);
  }
}

/* MPA-063: a ULPDU of 64769 octets is the caller's mistake, and the program aborts (MPA-064: one of 64768 is
 * allowed, see random_stream). */
TEST(test_too_long)
{
  if (g_test_subprocess()) {
    mpa_framer framer = {.markers = true, .crc = true};
    frame_zeros(&framer, 64769);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*ulpdu->length*");
}
