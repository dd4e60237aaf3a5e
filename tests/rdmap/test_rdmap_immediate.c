/* SPDX-License-Identifier: GPL-2.0-only */
/* Immediate Data (RFC 7306 §6): one buffer of QN 0, exactly 8 octets, completed like a Send. */
#include "base/big_endian.h"
#include "rdmap_fixture.h"

static rdmap_fixture *extended_new(void)
{
  return rdmap_fixture_new(A_WITH(.generation = IWARP_RFC6581), B_WITH(.generation = IWARP_RFC6581));
}

#define IMMEDIATE_TEST(name) TEST_OF(rdmap_fixture, f, extended_new(), name)

/* R7306-006, R7306-007, R7306-008, R7306-010, R7306-011, R7306-081, R7306-082, R7306-083, R7306-086,
 * R7306-087, R7306-088, R7306-110: 18 octets of header and 8 of data, with RV 1, the opcode, no
 * STag and QN 0, in the MSNs of Sends. */
IMMEDIATE_TEST(test_wire)
{
  post(f->a, .id = 1, .operation = RDMAP_IMMEDIATE, .immediate = UINT64_C(0x0102030405060708),
       .remote_stag = 9);
  post(f->a, .id = 2, .operation = RDMAP_SEND);
  post(f->a, .id = 3, .operation = RDMAP_IMMEDIATE_SE, .immediate = UINT64_C(0xF0E0D0C0B0A09080));
  g_assert_cmpuint(pull_all(f->a), ==, 3);
  assert_sent(f->a, 0, "41 48 00000000 00000000 00000001 00000000 0102030405060708");
  assert_sent(f->a, 1, "41 43 00000000 00000000 00000002 00000000");
  assert_sent(f->a, 2, "41 49 00000000 00000000 00000003 00000000 F0E0D0C0B0A09080");
}

/* R7306-078, R7306-079, R7306-084, R7306-085, R7306-090, R7306-091, R7306-093: the data lies in the buffer
 * and comes with the completion, in the order sent, after the Write before it is Placed; the Data Source's
 * completes when it is sure to arrive. Between Sends it takes its turn. */
IMMEDIATE_TEST(test_order_and_completion)
{
  uint8_t *source = new_pattern(f->a, 300, 1), *sink = new_memory(f->b, 300), *buffers[4];
  uint32_t stag = register_memory(f->b, sink, 0, 300, DDP_ACCESS_REMOTE_WRITE);
  for (size_t i = 0; i < G_N_ELEMENTS(buffers); i++) {
    buffers[i] = post_receive(f->b, 16);
  }
  post(f->a, .id = 1, .operation = RDMAP_WRITE, .source_user = source, .length = 300, .remote_stag = stag);
  post(f->a, .id = 2, .operation = RDMAP_IMMEDIATE, .immediate = 0xA1);
  post(f->a, .id = 3, .operation = RDMAP_SEND, .source_user = source, .length = 5);
  post(f->a, .id = 4, .operation = RDMAP_IMMEDIATE_SE, .immediate = 0xA2);
  /* 100 payload octets a segment: three of the Write, then one each. */
  g_assert_cmpuint(pull_all(f->a), ==, 6);
  static const size_t order[] = {5, 3, 0, 4, 2, 1};
  for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
    assert_log(f->b, "");
    pass(f->a, order[i]);
  }
  assert_log(f->b, "received 1 (8 octets), immediate a1; received 2 (5 octets); "
                   "received 3 (8 octets), solicited, immediate a2");
  g_assert_cmpmem(sink, 300, source, 300);
  assert_octets(buffers[0], 8, "00000000000000A1");
  assert_untouched(buffers[0] + 8, 8);
  assert_octets(buffers[2], 8, "00000000000000A2");
  assert_log(f->a, "");
  acknowledge(f->a);
  assert_log(f->a, "completed 1; completed 2; completed 3; completed 4");
}

/* A buffer without memory takes it, too: then the ULP sees only that it came. */
static uint8_t *supply_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t id)
{
  return NULL;
}

IMMEDIATE_TEST(test_discarded)
{
  ddp_untagged_queue *queue = rdmap_stream_queue_of(f->b->stream, RDMAP_QUEUE_SEND);
  ddp_untagged_queue_set_supplier(queue, supply_nothing, NULL);
  ddp_untagged_queue_post_run(queue, 1, 8, 70);
  post(f->a, .id = 1, .operation = RDMAP_IMMEDIATE, .immediate = 5);
  exchange(f);
  assert_log(f->b, "received 70 (8 octets), immediate 0");
}

/* R7306-080, R7306-089, R7306-102 (§6.3): anything but 8 octets ends the stream by 0/2/FF (note D68), with
 * the DDP header and nothing of RDMAP's (§8.1 item 2), and the ULP does not learn of it; more than its buffer
 * holds is DDP's error. In two segments 8 octets are right. */
IMMEDIATE_TEST(test_lengths)
{
  for (uint32_t length = 0; length <= 17; length++) {
    g_autoptr(rdmap_fixture) one = extended_new();
    post_receive(one->b, 16);
    forge(one->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x48, .msn = 1}, NULL, length);
    pass_rest(one->a);
    const rdmap_terminate *terminate = &one->b->sent_terminate;
    if (length == 8) {
      assert_log(one->b, "received 1 (8 octets), immediate 0");
      continue;
    }
    assert_log(one->b, length > 16 ? "sends Terminate 1/2/05" : "sends Terminate 0/2/FF");
    g_assert_true(terminate->has_segment && !terminate->has_request);
    g_assert_cmpuint(terminate->segment_octets, ==, 18 + length);
    assert_octets(terminate->header_wire, 18, "7D 48 00000000 00000000 00000001 00000000");
  }
  post_receive(f->b, 8);
  static const uint8_t half[] = {0, 0, 0, 7};
  forge(f->a, &(ddp_header){.version = 1, .ulp_control = 0x49, .msn = 1}, half, 4);
  forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x49, .msn = 1, .message_offset = 4},
        half, 4);
  pass_rest(f->a);
  assert_log(f->b, "received 1 (8 octets), solicited, immediate 700000007");
}

/* R7306-009: the word that Send with Invalidate has its STag in means nothing. */
IMMEDIATE_TEST(test_invalidates_nothing)
{
  uint32_t stag = register_memory(f->b, new_memory(f->b, 8), 0, 8, DDP_ACCESS_REMOTE_WRITE);
  post_receive(f->b, 8);
  forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x48, .ulp_word = stag, .msn = 1},
        "eightoct", 8);
  pass_rest(f->a);
  assert_log(f->b, "received 1 (8 octets), immediate 65696768746f6374");
  g_assert_nonnull(ddp_stag_table_find(f->b->stags, stag));
}

/* Immediate Data posted, sent and not acknowledged when the stream ends completes in error, as a Send. */
IMMEDIATE_TEST(test_ends_in_error)
{
  post(f->a, .id = 1, .operation = RDMAP_IMMEDIATE);
  post(f->a, .id = 2, .operation = RDMAP_IMMEDIATE);
  g_assert_true(pull(f->a));
  rdmap_stream_llp_lost(f->a->stream, f->now);
  assert_log(f->a, "sends Terminate 2/0/01; completed 1 in error; completed 2 in error");
}
