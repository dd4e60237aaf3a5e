/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "ddp/ddp_segmenter.h"
#include "stack_cleanup.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_segmenter, g_free)

enum { SOURCE_OCTETS = 65536 };

typedef struct bench {
  ddp_segmenter *segmenter;
  uint8_t octets[SOURCE_OCTETS]; /* of every message: octet i is i % 251 */
  ddp_header header;             /* of the segment pulled last */
} bench;

static bench *bench_with(ddp_segmenter *segmenter)
{
  bench *b = g_new0(bench, 1);
  b->segmenter = segmenter;
  for (size_t i = 0; i < SOURCE_OCTETS; i++) {
    b->octets[i] = (uint8_t)(i % 251);
  }
  return b;
}

static void bench_free(bench *b)
{
  g_free(b->segmenter);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)
/* A test of DV 1 with three queues. */
#define BENCH_TEST(name) TEST_OF(bench, b, bench_with(ddp_segmenter_new(1, 3, 1)), name)

static octet_slice memory_source(void *user, uint64_t from, uint32_t length)
{
  const uint8_t *octets = user;
  g_assert_cmpuint(from + length, <=, SOURCE_OCTETS);
  return (octet_slice){.octets = octets + from, .length = length};
}

static const ddp_message a_write = {
    .tagged = true, .ulp_control = 0x40, .stag = 0x11223344, .tagged_offset = 16384, .source = memory_source};
static const ddp_message a_send = {.ulp_control = 0x43, .ulp_word = 0xA1B2C3D4, .source = memory_source};

/* Does ddp_segmenter_next(), into the empty `chain`. */
static bool next(ddp_segmenter *segmenter, uint32_t mulpdu_octets, buffer_chain *chain)
{
  ddp_ulpdu ulpdu;
  bool last = ddp_segmenter_next(segmenter, mulpdu_octets, &ulpdu);
  gather_list octets = ddp_ulpdu_octets(&ulpdu);
  buffer_chain_append_gathered(chain, &octets);
  return last;
}

static void start(bench *b, const ddp_message *kind, uint32_t length)
{
  const ddp_message message = WITH(ddp_message, *kind, .length = length,
                                   .source = length > 0 ? kind->source : NULL, .source_user = b->octets);
  ddp_segmenter_start(b->segmenter, &message);
}

/* Pulls a segment of exactly `payload` octets that starts at `from` in its message and is or is not the
 * last. */
static void expect_segment(bench *b, uint32_t mulpdu_octets, const ddp_message *kind, uint64_t from,
                           uint32_t payload, bool last)
{
  ddp_header *header = &b->header;
  g_auto(buffer_chain) ulpdu;
  buffer_chain_init(&ulpdu);
  g_assert_false(!b->segmenter->busy);
  g_assert_cmpint(next(b->segmenter, mulpdu_octets, &ulpdu), ==, last);
  g_assert_cmpint(!b->segmenter->busy, ==, last);

  uint32_t header_octets = (uint32_t)ddp_header_decode(header, &ulpdu);
  g_assert_cmpuint(header_octets, ==, kind->tagged ? 14 : 18);
  g_assert_cmpuint(ulpdu.length, ==, header_octets + payload);
  EXPECT_FIELDS(header, (last, last), (version, 1), (ulp_control, kind->ulp_control), (stag, kind->stag),
                (ulp_word, kind->ulp_word), (queue_number, kind->queue_number));
  if (kind->tagged) {
    g_assert_cmpuint(header->tagged_offset, ==, kind->tagged_offset + from);
  } else {
    g_assert_cmpuint(header->message_offset, ==, from);
  }
  for (uint32_t i = 0; i < payload; i++) {
    g_assert_cmpuint(buffer_chain_at(&ulpdu, header_octets + i), ==, (from + i) % 251);
  }
}

/* DDP-075: after MSN 2^32 - 1 comes 0, not 1, on each queue for itself. */
TEST(test_msn_wraps_to_0)
{
  static const uint32_t msns[] = {UINT32_C(0xFFFFFFFE), UINT32_C(0xFFFFFFFF), 0, 1};
  g_autoptr(bench) b = bench_with(ddp_segmenter_new(1, 2, UINT32_C(0xFFFFFFFE)));
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(msns); i++) {
    const ddp_message message = WITH(ddp_message, a_send, .queue_number = (uint32_t)i % 2);
    start(b, &message, 0);
    expect_segment(b, 128, &message, 0, 0, true);
    g_assert_cmphex(b->header.msn, ==, msns[i / 2]);
  }
}

static octet_slice zero_source(void *user, G_GNUC_UNUSED uint64_t from, uint32_t length)
{
  return (octet_slice){.octets = user, .length = length};
}

/* Sends all of `message`, zeros, at MULPDU 64768; returns the number of its segments. MO or TO of each is the
 * octets before it further. */
static uint32_t send_long(const ddp_message *message, uint64_t *last_offset)
{
  g_autoptr(ddp_segmenter) segmenter = ddp_segmenter_new(1, 1, 1);
  uint32_t header_octets = message->tagged ? DDP_TAGGED_HEADER_OCTETS : DDP_UNTAGGED_HEADER_OCTETS;
  uint64_t sent = 0;
  uint32_t segments = 0;
  bool last = false;
  ddp_segmenter_start(segmenter, message);
  while (!last) {
    ddp_header header;
    g_auto(buffer_chain) ulpdu;
    buffer_chain_init(&ulpdu);
    g_assert_cmpuint(ddp_segmenter_sent_octets(segmenter), ==, sent);
    last = next(segmenter, 64768, &ulpdu);
    g_assert_cmpuint(ddp_header_decode(&header, &ulpdu), ==, header_octets);
    *last_offset = message->tagged ? header.tagged_offset : header.message_offset;
    g_assert_cmpuint(*last_offset, ==, message->tagged_offset + sent);
    sent += ulpdu.length - header_octets;
    segments++;
  }
  g_assert_cmpuint(sent, ==, message->length);
  g_assert_cmpuint(ddp_segmenter_sent_octets(segmenter), ==, 0); /* idle */
  return segments;
}

/* DDP-085, DDP-086, DDP-090, DDP-095: the longest message has 2^32 - 1 octets, all of which are sent. No
 * longer one can be asked for. Untagged, at MULPDU 64768: 66,331 full segments of 64,750 and a last one of
 * 4,294,967,295 - 66,331 x 64,750 = 35,045 at MO 4,294,932,250. Tagged: 66,327 full ones of 64,754 and
 * 4,294,967,295 - 66,327 x 64,754 = 28,737 octets; TO passes 2^32 in the 16th segment, 1,000,000 octets from
 * the start, and stands at 2^32 - 1,000,000 + 4,294,938,558 in the last. */
TEST(test_the_longest_message)
{
  g_autofree uint8_t *zeros = g_malloc0(65536);
  const ddp_message untagged = {
      .ulp_control = 0x43, .length = UINT32_MAX, .source = zero_source, .source_user = zeros};
  const ddp_message tagged =
      WITH(ddp_message, untagged, .tagged = true, .tagged_offset = (UINT64_C(1) << 32) - 1000000);
  uint64_t offset;
  G_STATIC_ASSERT(sizeof tagged.length == 4);
  g_assert_cmpuint(send_long(&untagged, &offset), ==, 66332);
  g_assert_cmpuint(offset, ==, UINT64_C(4294932250));
  g_assert_cmpuint(send_long(&tagged, &offset), ==, 66328);
  g_assert_cmpuint(offset, ==, (UINT64_C(1) << 32) + UINT64_C(4293938558));
}

/* DDP-095: TO is one number of 64 bits. Its carry gets past each octet of it, within a segment and between
 * two (1486 octets each at MULPDU 1500). */
BENCH_TEST(test_tagged_offset_carries)
{
  for (unsigned bit = 8; bit < 64; bit += 8) {
    for (uint64_t before = 743; before <= 1486; before += 743) {
      const ddp_message message = WITH(ddp_message, a_write, .tagged_offset = (UINT64_C(1) << bit) - before);
      start(b, &message, 4000);
      expect_segment(b, 1500, &message, 0, 1486, false);
      expect_segment(b, 1500, &message, 1486, 1486, false);
      g_assert_cmphex(b->header.tagged_offset, ==, (UINT64_C(1) << bit) + 1486 - before);
      expect_segment(b, 1500, &message, 2972, 1028, true);
    }
  }
}

/* What is left of a message that is given up never comes, no segment with L set is made up for it, and the
 * next message has the next MSN. */
BENCH_TEST(test_a_message_given_up)
{
  ddp_segmenter_abandon(b->segmenter);
  g_assert_true(!b->segmenter->busy);
  start(b, &a_send, 500);
  expect_segment(b, 128, &a_send, 0, 110, false);
  g_assert_cmpuint(ddp_segmenter_sent_octets(b->segmenter), ==, 110);
  ddp_segmenter_abandon(b->segmenter);
  g_assert_true(!b->segmenter->busy);
  g_assert_cmpuint(ddp_segmenter_sent_octets(b->segmenter), ==, 0);
  start(b, &a_send, 20);
  expect_segment(b, 128, &a_send, 0, 20, true);
  g_assert_cmpuint(b->header.msn, ==, 2);
}

/* A segment costs no memory of its own: its header is the segmenter's, its payload the source's. */
BENCH_TEST(test_segments_are_references)
{
  buffer_chain ulpdu;
  buffer_chain_init(&ulpdu);
  for (uint32_t i = 0; i < 3; i++) {
    start(b, &a_send, 3);
    g_assert_true(next(b->segmenter, 128, &ulpdu));
    g_assert_cmpuint(ulpdu.slice_count, ==, 2);
    g_assert_null(buffer_chain_slices(&ulpdu)[0].buffer);
    g_assert_true(buffer_chain_slices(&ulpdu)[1].octets == b->octets);
    buffer_chain_clear(&ulpdu);
  }
}
