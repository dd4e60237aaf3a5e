/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/big_endian.h"
#include "fields.h"
#include "rdmap/rdmap_stream_private.h"
#include "rdmap_kit.h"
#include "test.h"

/* Octets of the headers, by where rdmap-00 §12.1 draws them. */
enum { TAGGED = 0x80, LAST = 0x40, OPCODE = 0x0F, STAG_AT = 2, WORD_AT = 2, QUEUE_AT = 6, MSN_AT = 10 };

static const rdmap_operation sends[] = {RDMAP_OPERATION_SEND, RDMAP_OPERATION_SEND_INVALIDATE,
                                        RDMAP_OPERATION_SEND_SE, RDMAP_OPERATION_SEND_SE_INVALIDATE};

static uint32_t word_at(const kit_ulpdu *ulpdu, size_t at)
{
  return big_endian_read_32(ulpdu->octets + at);
}

static void post_write(rdmap_kit *kit, uint64_t id, uint32_t stag, uint64_t offset, uint8_t *octets,
                       uint32_t length)
{
  g_assert_true(rdmap_kit_post(kit, KIT_A, .id = id, .operation = RDMAP_OPERATION_WRITE, .length = length,
                               .source_user = octets, .remote_stag = stag, .remote_offset = offset));
}

static void post_send(rdmap_kit *kit, uint64_t id, rdmap_operation operation, uint8_t *octets,
                      uint32_t length, uint32_t stag)
{
  g_assert_true(rdmap_kit_post(kit, KIT_A, .id = id, .operation = operation, .length = length,
                               .source_user = octets, .remote_stag = stag));
}

/* RDMAP-120: each segment of a Write has T set and opcode 0. RDMAP-126, RDMAP-128: Writes go out in the order
 * posted, none within another, each with the one STag that it was given; to write two buffers takes two. 250
 * octets are 100 + 100 + 50 behind headers of 14. */
RDMAP_TEST(test_writes_on_the_wire)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 250, 1);
  for (uint32_t i = 0; i < 4; i++) {
    post_write(kit, i, 0xA0 + i % 2, UINT64_C(0x100000000) * i, octets, 250);
  }
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 12);
  for (uint32_t i = 0; i < 12; i++) {
    const kit_ulpdu *ulpdu = rdmap_kit_sent(kit, KIT_A, i);
    EXPECT_FIELDS(ulpdu, (octets[0], (i % 3 == 2 ? TAGGED | LAST : TAGGED) | 1), (octets[1], 0x40),
                  (length, i % 3 == 2 ? 64 : 114));
    g_assert_cmphex(word_at(ulpdu, STAG_AT), ==, 0xA0 + i / 3 % 2);
    g_assert_cmpuint(word_at(ulpdu, 6), ==, i / 3);
    g_assert_cmpuint(word_at(ulpdu, 10), ==, i % 3 * 100);
  }
}

/* RDMAP-121: the sink's ULP hears nothing of a Write, nor of one of no octets; its octets are where they
 * belong, to a part of a buffer that does not start at 0. */
RDMAP_TEST(test_write_is_not_told)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 250, 2);
  uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 400);
  uint32_t stag = rdmap_kit_register(kit, KIT_B, memory, 5000, 400, DDP_ACCESS_REMOTE_WRITE);
  rdmap_kit_post_receive(kit, KIT_B, 10);
  post_write(kit, 1, stag, 5060, octets, 250);
  post_write(kit, 2, stag, 1, NULL, 0);
  rdmap_kit_run(kit);
  rdmap_kit_assert_log(kit, KIT_B, "");
  rdmap_kit_assert_log(kit, KIT_A, "completed 1; completed 2");
  g_assert_cmpuint(kit->hosts[KIT_B].delivered->len, ==, 4);
  g_assert_cmpmem(memory + 60, 250, octets, 250);
  rdmap_kit_assert_untouched(memory, 60);
  rdmap_kit_assert_untouched(memory + 310, 90);
}

/* RDMAP-152, RDMAP-159: each segment of the four Sends has T clear and QN 0. RDMAP-160: one MSN after the
 * other, in the order posted. RDMAP-163: those that invalidate carry the STag behind their control octet; the
 * others carry none there, whatever the ULP left in its field. 100 octets are 96 + 4 behind headers of 18. */
RDMAP_TEST(test_sends_on_the_wire)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 100, 3);
  for (uint32_t i = 0; i < 8; i++) {
    post_send(kit, i, sends[i % 4], octets, 100, 0x11223300 + i);
  }
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 16);
  for (uint32_t i = 0; i < 16; i++) {
    const kit_ulpdu *ulpdu = rdmap_kit_sent(kit, KIT_A, i);
    uint32_t message = i / 2;
    bool invalidates = message % 2 == 1;
    g_assert_cmphex(ulpdu->octets[0], ==, (i % 2 == 1 ? LAST : 0) | 1);
    g_assert_cmphex(ulpdu->octets[1], ==, 0x43 + message % 4);
    g_assert_cmphex(word_at(ulpdu, WORD_AT), ==, invalidates ? 0x11223300 + message : 0);
    g_assert_cmpuint(word_at(ulpdu, QUEUE_AT), ==, 0);
    g_assert_cmpuint(word_at(ulpdu, MSN_AT), ==, 1 + message);
    g_assert_cmpuint(ulpdu->length, ==, i % 2 == 1 ? 22 : 114);
  }
}

/* What the ULP hears of each Send: its buffer, its length, whether it solicits, what it invalidated. At that
 * moment the STag is gone and the octets are there. */
typedef struct told_sends {
  const uint8_t *expected;
  uint8_t *buffers[4];
  uint32_t stags[4];
  size_t count;
} told_sends;

static void look_at_send(rdmap_kit *kit, unsigned side)
{
  told_sends *told = kit->hosts[side].at_event_user;
  size_t i = told->count++;
  g_assert_cmpmem(told->buffers[i], 50 + i, told->expected, 50 + i);
  g_assert_cmpint(ddp_stag_table_find(kit->hosts[side].stags, told->stags[i]) != NULL, ==, i % 2 == 0);
}

/* RDMAP-165: an STag of this stream's is invalid when the Send that names it reaches the ULP; the Sends
 * without Invalidate leave all as they are. */
RDMAP_TEST(test_sends_are_told)
{
  told_sends told = {.expected = rdmap_kit_pattern(kit, KIT_A, 100, 4)};
  uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 10);
  kit->hosts[KIT_B].at_event = look_at_send;
  kit->hosts[KIT_B].at_event_user = &told;
  for (size_t i = 0; i < 4; i++) {
    told.buffers[i] = rdmap_kit_post_receive(kit, KIT_B, 60);
    told.stags[i] = rdmap_kit_register(kit, KIT_B, memory, 0, 10, DDP_ACCESS_REMOTE_WRITE);
    post_send(kit, i, sends[i], (uint8_t *)told.expected, 50 + (uint32_t)i, told.stags[i]);
  }
  rdmap_kit_run(kit);
  char *expected =
      g_strdup_printf("received 1 (50 octets); received 2 (51 octets), invalidated 0x%x; received 3 "
                      "(52 octets), solicited; received 4 (53 octets), solicited, invalidated 0x%x",
                      told.stags[1], told.stags[3]);
  rdmap_kit_assert_log(kit, KIT_B, expected);
  g_assert_cmpuint(told.count, ==, 4);
  g_free(expected);
}

/* RDMAP-153, RDMAP-162: each Send uses up one buffer, with no octets as with many, of several segments as of
 * one; a Send may fill its buffer exactly. With three buffers the fourth finds none. */
RDMAP_TEST(test_a_send_uses_one_buffer)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 200, 5);
  for (size_t i = 0; i < 3; i++) {
    rdmap_kit_post_receive(kit, KIT_B, 200);
  }
  post_send(kit, 1, RDMAP_OPERATION_SEND, NULL, 0, 0);
  post_send(kit, 2, RDMAP_OPERATION_SEND, octets, 200, 0);
  post_send(kit, 3, RDMAP_OPERATION_SEND, octets, 199, 0);
  post_send(kit, 4, RDMAP_OPERATION_SEND, NULL, 0, 0);
  rdmap_kit_pull_all(kit, KIT_A);
  g_assert_cmpuint(rdmap_kit_sent(kit, KIT_A, 0)->length, ==, 18);
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B,
                       "received 1 (0 octets); received 2 (200 octets); received 3 (199 octets); "
                       "sends Terminate 1/2/02");
}

/* RDMAP-157, RDMAP-187, RDMAP-197: in each of the 24 orders in which two Sends of two segments can arrive,
 * the ULP hears of each once, in the order sent, and as soon as it and all before it is there, not
 * earlier. */
TEST(test_sends_in_any_order)
{
  for (unsigned order = 0; order < 24; order++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 120, 6);
    uint8_t *first = rdmap_kit_post_receive(kit, KIT_B, 120);
    uint8_t *second = rdmap_kit_post_receive(kit, KIT_B, 120);
    post_send(kit, 1, RDMAP_OPERATION_SEND, octets, 120, 0);
    post_send(kit, 2, RDMAP_OPERATION_SEND, octets, 110, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 4);
    /* `order` in the factorial number system picks which of those left is next. */
    size_t left[4] = {0, 1, 2, 3};
    unsigned rest = order, passed = 0;
    for (size_t count = 4; count > 0; count--) {
      size_t pick = rest % count;
      rest /= (unsigned)count;
      rdmap_kit_pass(kit, KIT_A, left[pick]);
      passed |= 1U << left[pick];
      memmove(left + pick, left + pick + 1, (count - pick - 1) * sizeof *left);
      const char *expected = passed == 0xF           ? "received 1 (120 octets); received 2 (110 octets)"
                             : (passed & 0x3) == 0x3 ? "received 1 (120 octets)"
                                                     : "";
      rdmap_kit_assert_log(kit, KIT_B, expected);
    }
    g_assert_cmpmem(first, 120, octets, 120);
    g_assert_cmpmem(second, 110, octets, 110);
  }
}

/* RDMAP-164: the STag is looked at when DDP Delivers the Send, not when it is Placed: it is still good for
 * the Write that was sent before and arrives later, and an STag that is registered too late for the Placement
 * is good enough. */
RDMAP_TEST(test_invalidated_at_delivery)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 80, 7);
  uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 80);
  uint32_t stag = rdmap_kit_register(kit, KIT_B, memory, 0, 80, DDP_ACCESS_REMOTE_WRITE);
  rdmap_kit_post_receive(kit, KIT_B, 0);
  rdmap_kit_post_receive(kit, KIT_B, 0);
  post_write(kit, 1, stag, 0, octets, 80);
  post_send(kit, 2, RDMAP_OPERATION_SEND_INVALIDATE, NULL, 0, stag);
  post_send(kit, 3, RDMAP_OPERATION_SEND_INVALIDATE, NULL, 0, 0x123);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 3);
  rdmap_kit_pass(kit, KIT_A, 2);
  rdmap_kit_pass(kit, KIT_A, 1);
  rdmap_kit_assert_log(kit, KIT_B, "");
  g_assert_nonnull(ddp_stag_table_find(kit->hosts[KIT_B].stags, stag));
  ddp_registration registration = *ddp_stag_table_find(kit->hosts[KIT_B].stags, stag);
  g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_B].stags, 0x123, &registration));
  rdmap_kit_pass(kit, KIT_A, 0);
  g_autofree char *expected = g_strdup_printf(
      "received 1 (0 octets), invalidated 0x%x; received 2 (0 octets), invalidated 0x123", stag);
  rdmap_kit_assert_log(kit, KIT_B, expected);
  g_assert_null(ddp_stag_table_find(kit->hosts[KIT_B].stags, stag));
  g_assert_cmpmem(memory, 80, octets, 80);
}

/* RDMAP-164, RDMAP-165: an STag of another stream's is not invalidated; one Terminate goes out for the Send,
 * whose buffer is used up and of which the ULP hears nothing (note D54). */
RDMAP_TEST(test_a_foreign_stag_is_not_invalidated)
{
  uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 80);
  ddp_registration registration = {.memory = memory,
                                   .length = 80,
                                   .access = DDP_ACCESS_REMOTE_WRITE,
                                   .association = DDP_ASSOCIATED_BY_STREAM,
                                   .owner = {.stream_id = 77, .protection_domain = 7},
                                   .is_remotely_invalidatable = true};
  g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_B].stags, 0x123, &registration));
  rdmap_kit_post_receive(kit, KIT_B, 0);
  rdmap_kit_post_receive(kit, KIT_B, 0);
  post_send(kit, 1, RDMAP_OPERATION_SEND_SE_INVALIDATE, NULL, 0, 0x123);
  post_send(kit, 2, RDMAP_OPERATION_SEND, NULL, 0, 0);
  rdmap_kit_send(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/1/09");
  g_assert_nonnull(ddp_stag_table_find(kit->hosts[KIT_B].stags, 0x123));
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
}

/* RDMAP-195, RDMAP-196: posted work completes in the order posted, each when its last octet is acknowledged
 * and no octet earlier. */
RDMAP_TEST(test_completions)
{
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 150, 8);
  rdmap_stream *stream = kit->hosts[KIT_A].stream;
  post_write(kit, 1, 5, 0, octets, 150);
  post_send(kit, 2, RDMAP_OPERATION_SEND, octets, 150, 0);
  post_write(kit, 3, 5, 0, octets, 10);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 5);
  g_assert_cmpuint(rdmap_send_queue_count(stream->operations), ==, 3);
  rdmap_stream_acknowledged(stream, rdmap_kit_sent(kit, KIT_A, 1)->fpdu_end - 1, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "");
  rdmap_stream_acknowledged(stream, rdmap_kit_sent(kit, KIT_A, 1)->fpdu_end, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "completed 1");
  rdmap_stream_acknowledged(stream, rdmap_kit_sent(kit, KIT_A, 3)->fpdu_end - 1, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "completed 1");
  g_assert_false(rdmap_stream_is_drained(stream));
  rdmap_kit_acknowledge(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_A, "completed 1; completed 2; completed 3");
  g_assert_cmpuint(rdmap_send_queue_count(stream->operations), ==, 0);
  g_assert_true(rdmap_stream_is_drained(stream));
}

static void answer_with_a_send(rdmap_kit *kit, unsigned side)
{
  uint64_t *next = kit->hosts[side].at_event_user;
  if (*next < 104) {
    post_send(kit, ++*next, RDMAP_OPERATION_SEND, NULL, 0, 0);
  }
}

/* The handler of a completion may post. */
RDMAP_TEST(test_posting_from_a_handler)
{
  uint64_t next = 100;
  kit->hosts[KIT_A].at_event = answer_with_a_send;
  kit->hosts[KIT_A].at_event_user = &next;
  for (size_t i = 0; i < 6; i++) {
    rdmap_kit_post_receive(kit, KIT_B, 0);
  }
  post_send(kit, 1, RDMAP_OPERATION_SEND, NULL, 0, 0);
  post_send(kit, 2, RDMAP_OPERATION_SEND, NULL, 0, 0);
  rdmap_kit_run(kit);
  rdmap_kit_assert_log(
      kit, KIT_A, "completed 1; completed 2; completed 101; completed 102; completed 103; completed 104");
}

/* The MULPDU may change between two segments of a message: 500 octets as 100 + 50 + 286 + 64 of them. */
RDMAP_TEST(test_changing_mulpdu)
{
  static const struct {
    uint32_t mulpdu, payload;
  } steps[] = {{114, 100}, {64, 50}, {300, 286}, {1442, 64}};
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 500, 9);
  uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 500);
  post_write(kit, 1, rdmap_kit_register(kit, KIT_B, memory, 0, 500, DDP_ACCESS_REMOTE_WRITE), 0, octets, 500);
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    kit->mulpdu_octets = steps[i].mulpdu;
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    g_assert_cmpuint(rdmap_kit_sent(kit, KIT_A, i)->length, ==, 14 + steps[i].payload);
  }
  rdmap_kit_run(kit);
  g_assert_cmpmem(memory, 500, octets, 500);
}
