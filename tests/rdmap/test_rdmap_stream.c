/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_fixture.h"

/* Octets of the headers, by where rdmap-00 §12.1 draws them. */
enum { TAGGED = 0x80, LAST = 0x40, STAG_AT = 2, TO_AT = 6 };

static void post_write(rdmap_fixture *f, uint64_t id, uint32_t stag, uint64_t offset, uint8_t *octets,
                       uint32_t length)
{
  post(f->a, .id = id, .operation = RDMAP_WRITE, .length = length, .source_user = octets, .remote_stag = stag,
       .remote_offset = offset);
}

static void post_send(rdmap_fixture *f, uint64_t id, rdmap_opcode operation, uint8_t *octets, uint32_t length,
                      uint32_t stag)
{
  post(f->a, .id = id, .operation = operation, .length = length, .source_user = octets, .remote_stag = stag);
}

/* RDMAP-120: each segment of a Write has T set and opcode 0. RDMAP-126, RDMAP-128: Writes go out in the order
 * posted, none within another, each with the one STag that it was given; to write two buffers takes two. 250
 * octets are 100 + 100 + 50 after headers of 14. */
RDMAP_TEST(test_writes_on_the_wire)
{
  uint8_t *octets = new_pattern(f->a, 250, 1);
  for (uint32_t i = 0; i < 4; i++) {
    post_write(f, i, 0xA0 + i % 2, UINT64_C(0x100000000) * i, octets, 250);
  }
  g_assert_cmpuint(pull_all(f->a), ==, 12);
  for (uint32_t i = 0; i < 12; i++) {
    const sent_ulpdu *ulpdu = nth_sent(f->a, i);
    EXPECT_FIELDS(ulpdu, (octets[0], (i % 3 == 2 ? TAGGED | LAST : TAGGED) | 1), (octets[1], 0x40),
                  (length, i % 3 == 2 ? 64 : 114));
    g_assert_cmphex(word_of(f->a, i, STAG_AT), ==, 0xA0 + i / 3 % 2);
    g_assert_cmpuint(word_of(f->a, i, TO_AT), ==, i / 3);
    g_assert_cmpuint(word_of(f->a, i, TO_AT + 4), ==, i % 3 * 100);
  }
}

/* RDMAP-121: the sink's ULP learns nothing of a Write, nor of one of no octets; its octets are where they
 * belong, in a part of a buffer that does not start at 0. */
RDMAP_TEST(test_write_is_not_reported)
{
  uint8_t *octets = new_pattern(f->a, 250, 2);
  uint8_t *memory = new_memory(f->b, 400);
  uint32_t stag = register_memory(f->b, memory, 5000, 400, DDP_ACCESS_REMOTE_WRITE);
  post_receive(f->b, 10);
  post_write(f, 1, stag, 5060, octets, 250);
  post_write(f, 2, stag, 1, NULL, 0);
  exchange(f);
  assert_log(f->b, "");
  assert_log(f->a, "completed 1; completed 2");
  g_assert_cmpuint(f->b->delivered->len, ==, 4);
  g_assert_cmpmem(memory + 60, 250, octets, 250);
  assert_untouched(memory, 60);
  assert_untouched(memory + 310, 90);
}

/* RDMAP-153, RDMAP-162, DDP-004: each Send uses up one buffer, with no octets as with many, of several
 * segments as of one; a Send may fill its buffer exactly. With three buffers the fourth finds none. */
RDMAP_TEST(test_a_send_uses_one_buffer)
{
  uint8_t *octets = new_pattern(f->a, 200, 5);
  for (size_t i = 0; i < 3; i++) {
    post_receive(f->b, 200);
  }
  post_send(f, 1, RDMAP_SEND, NULL, 0, 0);
  post_send(f, 2, RDMAP_SEND, octets, 200, 0);
  post_send(f, 3, RDMAP_SEND, octets, 199, 0);
  post_send(f, 4, RDMAP_SEND, NULL, 0, 0);
  pull_all(f->a);
  g_assert_cmpuint(nth_sent(f->a, 0)->length, ==, 18);
  pass_rest(f->a);
  assert_log(f->b, "received 1 (0 octets); received 2 (200 octets); received 3 (199 octets); "
                   "sends Terminate 1/2/02");
}

/* RDMAP-164, RDMAP-273, note D53: the STag is looked at when DDP Delivers the Send, not when it is Placed: it
 * is still good for the second half of the Write that was sent before and arrives later, and an STag that is
 * registered too late for the Placement is good enough. */
RDMAP_TEST(test_invalidated_at_delivery)
{
  uint8_t *octets = new_pattern(f->a, 200, 7);
  uint8_t *memory = new_memory(f->b, 200);
  uint32_t stag = register_memory(f->b, memory, 0, 200, DDP_ACCESS_REMOTE_WRITE);
  post_receive(f->b, 0);
  post_receive(f->b, 0);
  post_write(f, 1, stag, 0, octets, 200);
  post_send(f, 2, RDMAP_SEND_INVALIDATE, NULL, 0, stag);
  post_send(f, 3, RDMAP_SEND_INVALIDATE, NULL, 0, 0x123);
  g_assert_cmpuint(pull_all(f->a), ==, 4);
  pass(f->a, 3);
  pass(f->a, 2);
  pass(f->a, 0);
  assert_log(f->b, "");
  const ddp_registration *registration = ddp_stag_table_find(f->b->stags, stag);
  g_assert_nonnull(registration);
  register_as(f->b, 0x123, *registration);
  pass(f->a, 1);
  g_autofree char *expected = g_strdup_printf(
      "received 1 (0 octets), invalidated 0x%x; received 2 (0 octets), invalidated 0x123", stag);
  assert_log(f->b, expected);
  g_assert_null(ddp_stag_table_find(f->b->stags, stag));
  g_assert_cmpmem(memory, 200, octets, 200);
}

/* RDMAP-195, RDMAP-196: posted work completes in the order posted, each when its last octet is acknowledged
 * and no octet earlier. */
RDMAP_TEST(test_completions)
{
  uint8_t *octets = new_pattern(f->a, 150, 8);
  rdmap_stream *stream = f->a->stream;
  post_write(f, 1, 5, 0, octets, 150);
  post_send(f, 2, RDMAP_SEND, octets, 150, 0);
  post_write(f, 3, 5, 0, octets, 10);
  g_assert_cmpuint(pull_all(f->a), ==, 5);
  g_assert_cmpuint(rdmap_send_queue_count(stream->operations), ==, 3);
  rdmap_stream_acknowledged(stream, nth_sent(f->a, 1)->fpdu_end - 1, f->now);
  assert_log(f->a, "");
  rdmap_stream_acknowledged(stream, nth_sent(f->a, 1)->fpdu_end, f->now);
  assert_log(f->a, "completed 1");
  rdmap_stream_acknowledged(stream, nth_sent(f->a, 3)->fpdu_end - 1, f->now);
  assert_log(f->a, "completed 1");
  g_assert_false(rdmap_stream_is_drained(stream));
  acknowledge(f->a);
  assert_log(f->a, "completed 1; completed 2; completed 3");
  g_assert_cmpuint(rdmap_send_queue_count(stream->operations), ==, 0);
  g_assert_true(rdmap_stream_is_drained(stream));
}

static void answer_with_a_send(rdmap_host *host)
{
  uint64_t *next = host->at_event_user;
  if (*next < 104) {
    post_send(host->f, ++*next, RDMAP_SEND, NULL, 0, 0);
  }
}

/* The handler of a completion may post. */
RDMAP_TEST(test_posting_from_a_handler)
{
  uint64_t next = 100;
  f->a->at_event = answer_with_a_send;
  f->a->at_event_user = &next;
  for (size_t i = 0; i < 6; i++) {
    post_receive(f->b, 0);
  }
  post_send(f, 1, RDMAP_SEND, NULL, 0, 0);
  post_send(f, 2, RDMAP_SEND, NULL, 0, 0);
  exchange(f);
  assert_log(f->a, "completed 1; completed 2; completed 101; completed 102; completed 103; completed 104");
}
