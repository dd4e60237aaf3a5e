/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/buffer_chain.h"
#include "base/random_stream.h"
#include "tcp/tcp_send_queue.h"
#include "tcp_parts.h"
#include "test.h"

static tcp_send_queue *tcp_send_queue_new(tcp_segmentation segmentation)
{
  tcp_send_queue *queue = g_new(tcp_send_queue, 1);
  *queue = (tcp_send_queue){.segmentation = segmentation};
  return queue;
}

static void tcp_send_queue_free(tcp_send_queue *queue)
{
  if (queue) {
    tcp_send_queue_clear(queue);
    g_free(queue);
  }
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_send_queue, tcp_send_queue_free)

static uint8_t octet_at(uint64_t position)
{
  return (uint8_t)(position * 7 + (position >> 8));
}

static void post(tcp_send_queue *queue, uint32_t octets, unsigned flags)
{
  buffer_chain record = {0};
  if (octets > 0) {
    g_autoptr(octet_buffer) buffer = octet_buffer_new(octets);
    for (uint32_t i = 0; i < octets; i++) {
      octet_buffer_octets(buffer)[i] = octet_at(tcp_send_queue_posted(queue) + i);
    }
    buffer_chain_append(&record, octet_buffer_octets(buffer), octets, buffer);
  }
  tcp_send_queue_post(queue, &record, flags);
}

static void expect_octets(const tcp_send_queue *queue, uint64_t from, uint64_t to)
{
  g_auto(buffer_chain) chain = {0};
  tcp_send_queue_copy(queue, from, to, &chain);
  g_assert_cmpuint(chain.length, ==, to - from);
  for (uint32_t i = 0; i < chain.length; i++) {
    g_assert_cmphex(buffer_chain_at(&chain, i), ==, octet_at(from + i));
  }
}

/* Sends the next `length` octets, which must be those that lie there. */
static void send_octets(tcp_send_queue *queue, uint32_t length)
{
  uint64_t from = queue->unsent;
  g_auto(buffer_chain) chain = {0};
  tcp_send_queue_send(queue, length, &chain);
  g_assert_cmpuint(chain.length, ==, length);
  g_assert_cmpuint(queue->unsent, ==, from + length);
  for (uint32_t i = 0; i < length; i++) {
    g_assert_cmphex(buffer_chain_at(&chain, i), ==, octet_at(from + i));
  }
}

static tcp_cut cut(tcp_send_queue *queue, uint32_t emss_octets)
{
  tcp_cut next = tcp_send_queue_cut(queue, emss_octets);
  uint64_t from = queue->unsent;
  expect_octets(queue, from, from + next.length);
  send_octets(queue, next.length);
  return next;
}

/* Expects that what is left to send is cut into these lengths, and no more: EXPECT_CUTS(queue, 1000, 1000,
 * 300). */
#define EXPECT_CUTS(queue, emss, ...)                                                                        \
  expect_cuts(queue, emss, (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))
static void expect_cuts(tcp_send_queue *queue, uint32_t emss_octets, const uint32_t *lengths, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    g_test_message("cut %zu", i);
    g_assert_cmpuint(cut(queue, emss_octets).length, ==, lengths[i]);
  }
  g_assert_cmpuint(cut(queue, emss_octets).length, ==, 0);
}

/* Posts FPDUs of these lengths. */
#define POST_FPDUS(queue, ...)                                                                               \
  post_fpdus(queue, (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))
static void post_fpdus(tcp_send_queue *queue, const uint32_t *lengths, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    post(queue, lengths[i], TCP_RECORD_FPDU);
  }
}

#define ALIGNED_TEST(name) TEST_OF(tcp_send_queue, queue, tcp_send_queue_new(TCP_SEGMENTATION_ALIGNED), name)

/* MPA-041, MPA-052, MPA-053: whole FPDUs, as many as fit: 600 + 400 = 1000; 500 + 500 + 4 > 1000; 4 + 996
 * = 1000. */
ALIGNED_TEST(test_aligned_packs_whole_fpdus)
{
  POST_FPDUS(queue, 1000, 600, 400, 500, 500, 4, 996, 999);
  EXPECT_CUTS(queue, 1000, 1000, 1000, 1000, 1000, 999);
}

/* note M26: an FPDU of 2300 octets is cut at 1000, its rest leaves alone, the next starts afresh. */
ALIGNED_TEST(test_aligned_cuts_an_fpdu_too_large)
{
  POST_FPDUS(queue, 100, 2300, 100, 100);
  EXPECT_CUTS(queue, 1000, 100, 1000, 1000, 300, 200);
}

/* A startup frame never shares a segment with an FPDU, two of them may: 20 + 30 | 40 | 2 x 1000 of 2100 +
 * 100 | 50 | 10. */
ALIGNED_TEST(test_aligned_keeps_plain_records_apart)
{
  post(queue, 20, 0);
  post(queue, 30, 0);
  POST_FPDUS(queue, 40);
  post(queue, 2100, 0);
  POST_FPDUS(queue, 50);
  post(queue, 10, 0);
  EXPECT_CUTS(queue, 1000, 50, 40, 1000, 1000, 100, 50, 10);
}

/* RECORD: each FPDU ends its segment, though the next would fit beside it; one of 2300 octets spans three.
 * Startup frames are apart from FPDUs as above. */
TEST(test_record_ends_a_segment)
{
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(TCP_SEGMENTATION_RECORD);
  post(queue, 20, 0);
  post(queue, 30, 0);
  POST_FPDUS(queue, 400, 500, 2300, 4, 1000);
  post(queue, 20, 0);
  EXPECT_CUTS(queue, 1000, 50, 400, 500, 1000, 1000, 300, 4, 1000, 20);
}

/* After a cut forced by the peer's window (MPA-044) the rest of the FPDU leaves alone. */
ALIGNED_TEST(test_aligned_realigns_after_a_forced_cut)
{
  POST_FPDUS(queue, 500, 500, 400);
  g_assert_cmpuint(tcp_send_queue_cut(queue, 1000).length, ==, 1000);
  send_octets(queue, 300);
  EXPECT_CUTS(queue, 1000, 200, 900);
}

/* What was sent as [from, to) is cut again for a smaller EMSS by the same rules: between FPDUs where it
 * holds several, else at EMSS, and never beyond `to` (note M29). FPDUs [0, 500), [500, 1000), [1000,
 * 1300); the last one is in another segment. */
static const struct {
  tcp_segmentation segmentation;
  uint32_t fpdus[3]; /* up to a 0; then a plain record up to 2600 octets */
  uint64_t from;
  uint64_t to;
  uint32_t emss_octets;
  uint64_t length;
} cut_again_rows[] = {
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 0, 1000, 1000, 1000},
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 0, 1000, 999, 500},
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 0, 1000, 499, 499},
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 499, 1000, 499, 1},
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 500, 1000, 999, 500}, /* not with the FPDU after `to` */
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 0, 200, 1000, 200},   /* a small window had cut it */
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 1300, 2600, 700, 700},
    {TCP_SEGMENTATION_ALIGNED, {500, 500, 300}, 2000, 2600, 700, 600},
    {TCP_SEGMENTATION_STREAM, {500, 500}, 100, 1000, 600, 600},
    /* Not past the end of an FPDU, though both are lost and fit (Linux: tcp_skb_can_collapse_to()); pieces
     * of one go together. */
    {TCP_SEGMENTATION_RECORD, {500, 1300}, 0, 1800, 2000, 500},
    {TCP_SEGMENTATION_RECORD, {500, 1300}, 500, 1800, 1000, 1000},
    {TCP_SEGMENTATION_RECORD, {500, 1300}, 1500, 1800, 1000, 300},
    {TCP_SEGMENTATION_RECORD, {500, 1300}, 500, 1800, 2000, 1300},
};

ROW_TEST(test_cut_again, cut_again_rows)
{
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(c->segmentation);
  for (unsigned i = 0; i < G_N_ELEMENTS(c->fpdus) && c->fpdus[i] > 0; i++) {
    post(queue, c->fpdus[i], TCP_RECORD_FPDU);
  }
  post(queue, (uint32_t)(2600 - tcp_send_queue_posted(queue)), 0);
  send_octets(queue, 2600);
  g_assert_cmpuint(tcp_send_queue_cut_at(queue, c->from, c->to, c->emss_octets), ==, c->length);
}

TEST(test_stream_cuts_at_emss)
{
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(TCP_SEGMENTATION_STREAM);
  post(queue, 20, 0);
  POST_FPDUS(queue, 900, 1150, 0);
  EXPECT_CUTS(queue, 1000, 1000, 1000, 70);
}

/* ALIGNED: exactly one record flagged full-size. STREAM: EMSS octets of nothing but FPDUs, whatever comes
 * after them. RECORD: all that such a record is cut into, since its last piece costs its headers, too. */
TEST(test_full_size)
{
  tcp_send_queue *aligned = tcp_send_queue_new(TCP_SEGMENTATION_ALIGNED);
  post(aligned, 996, TCP_RECORD_FPDU | TCP_RECORD_FULL_SIZE);
  post(aligned, 996, TCP_RECORD_FPDU);
  post(aligned, 500, TCP_RECORD_FPDU | TCP_RECORD_FULL_SIZE);
  post(aligned, 500, TCP_RECORD_FPDU);
  g_assert_true(cut(aligned, 1000).full_size);
  g_assert_false(cut(aligned, 1000).full_size);
  g_assert_false(cut(aligned, 1000).full_size);
  tcp_send_queue_free(aligned);

  tcp_send_queue *stream = tcp_send_queue_new(TCP_SEGMENTATION_STREAM);
  post(stream, 40, 0);
  post(stream, 2500, TCP_RECORD_FPDU);
  g_assert_false(cut(stream, 1000).full_size);
  g_assert_true(cut(stream, 1000).full_size);
  g_assert_false(cut(stream, 1000).full_size);
  post(stream, 1000, TCP_RECORD_FPDU);
  post(stream, 1000, 0);
  g_assert_true(cut(stream, 1000).full_size);
  tcp_send_queue_free(stream);

  g_autoptr(tcp_send_queue) record = tcp_send_queue_new(TCP_SEGMENTATION_RECORD);
  post(record, 1500, TCP_RECORD_FPDU | TCP_RECORD_FULL_SIZE);
  post(record, 1000, TCP_RECORD_FPDU);
  g_assert_true(cut(record, 1000).full_size);
  g_assert_true(cut(record, 1000).full_size);
  g_assert_false(cut(record, 1000).full_size);
}

/* What is copied is what was posted, wherever it starts, also after the front was released and the ring
 * has turned. */
TEST(test_random_copies)
{
  g_autoptr(random_stream) random = random_stream_new(3, "send_queue");
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(TCP_SEGMENTATION_ALIGNED);
  uint64_t released = 0;
  for (unsigned i = 0; i < 3000; i++) {
    uint32_t octets = (uint32_t)random_stream_below(random, 60);
    post(queue, octets, random_stream_chance(random, 0.8) ? TCP_RECORD_FPDU : 0);
    while (random_stream_chance(random, 0.6)) {
      cut(queue, 100);
    }
    uint64_t unsent = queue->unsent;
    if (unsent > released) {
      uint64_t from = released + random_stream_below(random, unsent - released);
      uint64_t to = from + random_stream_below(random, unsent - from + 1);
      expect_octets(queue, from, to);
      if (random_stream_chance(random, 0.2)) {
        released = from;
        tcp_send_queue_release(queue, released);
      }
    }
  }
  g_assert_cmpuint(released, >, 10000);
}

/* More than 2^16 records are kept until they are acknowledged. */
TEST(test_many_records)
{
  enum { RECORDS = (1 << 16) + 1 };
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(TCP_SEGMENTATION_STREAM);
  for (uint32_t i = 0; i < RECORDS; i++) {
    post(queue, 1, TCP_RECORD_FPDU);
  }
  send_octets(queue, RECORDS);
  expect_octets(queue, 0, RECORDS);
  tcp_send_queue_release(queue, RECORDS - 1);
  expect_octets(queue, RECORDS - 1, RECORDS);
}

/* Writes the octets of the stream from `recipe` on. */
static void write_octets(const void *recipe, uint8_t *target)
{
  for (uint32_t i = 0; i < 1100; i++) {
    target[i] = octet_at(*(const uint32_t *)recipe + i);
  }
}

/* A record that is deferred: whole, in parts, and after another in one segment. */
TEST(test_deferred_record)
{
  octet_buffer *source = octet_buffer_new(1);
  g_autoptr(memory_pool) recipes = memory_pool_new(buffer_chain_deferred_piece_octets(sizeof(uint32_t)));
  g_autoptr(tcp_send_queue) queue = tcp_send_queue_new(TCP_SEGMENTATION_ALIGNED);
  buffer_chain record = {0};
  buffer_chain sent = {0};

  post(queue, 100, TCP_RECORD_FPDU);
  *(uint32_t *)buffer_chain_defer(&record, 1100, recipes, write_octets, sizeof(uint32_t), source) = 100;
  octet_buffer_unref(source);
  tcp_send_queue_post(queue, &record, TCP_RECORD_FPDU);
  g_assert_cmpuint(record.length, ==, 0);
  post(queue, 300, TCP_RECORD_FPDU);
  expect_octets(queue, 100, 1200);
  expect_octets(queue, 50, 1300);
  expect_octets(queue, 1100, 1180);
  send_octets(queue, 100);
  tcp_send_queue_send(queue, 1100, &sent);
  g_assert_true(buffer_chain_is_deferred(&sent)); /* alone in a segment it costs one reference */
  send_octets(queue, 300);
  tcp_send_queue_release(queue, 1200);
  g_assert_cmphex(buffer_chain_at(&sent, 500), ==, octet_at(600));
  g_assert_cmpuint(recipes->pieces_out, ==, 1);
  buffer_chain_clear(&sent);
  g_assert_cmpuint(recipes->pieces_out, ==, 0);
}
