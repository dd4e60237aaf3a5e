/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "fields.h"
#include "rdmap/rdmap_responder.h"
#include "stack_cleanup.h"
#include "test.h"

enum { IRD = 3, IRD_MAX = 65536, STREAM = 4, DOMAIN = 5, STAG = 0x77, BASE = 1000, LENGTH = 500 };

/* A responder with its queue, and memory that may be read. */
typedef struct bench {
  ddp_stag_table *stags;
  ddp_untagged_queue *queue;
  rdmap_responder *responder;
  uint8_t memory[LENGTH];
  uint32_t msn;
  rdmap_terminate terminate;
} bench;

/* As `stag`: memory or a source that may be read, from BASE on unless `registration` has a base. */
static void register_readable(bench *b, uint32_t stag, ddp_registration registration)
{
  registration.base = registration.base > 0 ? registration.base : BASE;
  registration.access = DDP_ACCESS_REMOTE_READ;
  registration.owner = (ddp_stream_identity){STREAM, DOMAIN};
  g_assert_true(ddp_stag_table_register_as(b->stags, stag, &registration));
}

static bench *bench_new_with(uint32_t ird, bool strict_rdmap00)
{
  bench *b = g_new0(bench, 1);
  b->stags = ddp_stag_table_new(1);
  b->queue = ddp_untagged_queue_new(DDP_FIRST_MSN);
  b->msn = DDP_FIRST_MSN;
  b->responder = rdmap_responder_new(&(rdmap_responder_config){.stags = b->stags,
                                                               .identity = {STREAM, DOMAIN},
                                                               .queue = b->queue,
                                                               .ird = ird,
                                                               .strict_rdmap00 = strict_rdmap00});
  for (size_t i = 0; i < LENGTH; i++) {
    b->memory[i] = (uint8_t)(i * 7 + 1);
  }
  register_readable(b, STAG, (ddp_registration){.memory = b->memory, .length = LENGTH});
  return b;
}

static bench *bench_new(void)
{
  return bench_new_with(IRD, false);
}

static void bench_free(bench *b)
{
  rdmap_responder_free(b->responder);
  ddp_untagged_queue_free(b->queue);
  ddp_stag_table_free(b->stags);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)
#define BENCH_TEST(name) TEST_OF(bench, b, bench_new(), name)

/* Whether there is a buffer for the Request that comes `ahead` places after the next one. */
static bool has_buffer(const bench *b, uint32_t ahead)
{
  uint8_t *target;
  ddp_error error;
  return ddp_untagged_queue_find(b->queue, b->msn + ahead, 0, RDMAP_READ_REQUEST_OCTETS, &target, &error);
}

/* DDP Places and Delivers a Request of `octets` octets, as the next message of QN 1. */
static bool deliver_octets(bench *b, const rdmap_read_request *request, uint32_t octets)
{
  uint8_t wire[RDMAP_READ_REQUEST_OCTETS];
  ddp_error error;
  ddp_segment segment = {
      .header = {.last = true, .version = 1, .ulp_control = 0x41, .queue_number = 1, .msn = b->msn},
      .payload_octets = octets,
      .header_octets = DDP_UNTAGGED_HEADER_OCTETS,
      .control = 0x41,
      .message_octets = octets};
  rdmap_read_request_encode(request, wire);
  g_assert_true(ddp_untagged_queue_find(b->queue, b->msn, 0, octets, &segment.target, &error));
  memcpy(segment.target, wire, octets);
  ddp_untagged_queue_deliver(b->queue, &segment.message_memory);
  b->msn++;
  return rdmap_responder_take(b->responder, &segment, &b->terminate);
}

static bool deliver(bench *b, rdmap_read_request request)
{
  return deliver_octets(b, &request, RDMAP_READ_REQUEST_OCTETS);
}

static rdmap_read_request ask(uint64_t source_offset, uint32_t length)
{
  return (rdmap_read_request){.sink_stag = 0x51515151,
                              .sink_offset = 7,
                              .length = length,
                              .source_stag = STAG,
                              .source_offset = source_offset};
}

/* What `length` octets of the response from `from` on are. */
static void read_out(bench *b, uint32_t from, uint32_t length, uint8_t *octets)
{
  ddp_message message;
  g_auto(buffer_chain) chain = {0};
  rdmap_responder_message(b->responder, &message);
  message.source(message.source_user, from, length, &chain);
  g_assert_cmpuint(chain.length, ==, length);
  buffer_chain_copy_out(&chain, 0, length, octets);
}

/* RDMAP-147, RDMAP-209: as many buffers as IRD from the start on; each Request takes one, and it is back when
 * its answer is on its way (note D28), not when it is merely begun. */
BENCH_TEST(test_buffers)
{
  g_assert_true(has_buffer(b, IRD - 1));
  g_assert_false(has_buffer(b, IRD));
  for (uint32_t i = 0; i < IRD; i++) {
    g_assert_true(deliver(b, ask(BASE, 100)));
    g_assert_cmpuint(rdmap_responder_count(b->responder), ==, i + 1);
  }
  g_assert_false(has_buffer(b, 0));
  g_assert_true(rdmap_responder_reach(b->responder, 50, &b->terminate));
  g_assert_false(has_buffer(b, 0));
  rdmap_responder_answered(b->responder);
  g_assert_true(has_buffer(b, 0));
  g_assert_false(has_buffer(b, 1));
  g_assert_cmpuint(rdmap_responder_count(b->responder), ==, IRD - 1);
}

/* RDMAP-137: answered in the order Delivered, around the ring more than once, each from its own buffer. */
BENCH_TEST(test_order)
{
  for (uint32_t i = 0; i < 20; i++) {
    g_assert_true(deliver(b, WITH(rdmap_read_request, ask(BASE + i, 10 + i), .sink_stag = i)));
    if (i < IRD - 1) {
      continue;
    }
    ddp_message message;
    rdmap_responder_message(b->responder, &message);
    EXPECT_FIELDS(&message, (stag, i - (IRD - 1)), (length, 10 + i - (IRD - 1)), (tagged, true),
                  (tagged_offset, 7));
    rdmap_responder_answered(b->responder);
  }
}

/* As many Requests as IRD may be, twice: all are answered in the order in which they came, and then there are
 * as many buffers again. */
TEST(test_many)
{
  g_autoptr(bench) b = bench_new_with(IRD_MAX, false);
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < IRD_MAX; i++) {
      g_assert_cmpuint(rdmap_responder_count(b->responder), ==, i);
      g_assert_true(deliver(b, WITH(rdmap_read_request, ask(BASE, 1), .sink_offset = i)));
    }
    g_assert_false(has_buffer(b, 0));
    for (uint32_t i = 0; i < IRD_MAX; i++) {
      ddp_message message;
      g_assert_cmpuint(rdmap_responder_count(b->responder), ==, IRD_MAX - i);
      rdmap_responder_message(b->responder, &message);
      g_assert_cmpuint(message.tagged_offset, ==, i);
      rdmap_responder_answered(b->responder);
    }
  }
  g_assert_true(has_buffer(b, IRD_MAX - 1));
  g_assert_false(has_buffer(b, IRD_MAX));
}

static void assert_refused(const bench *b, uint8_t type, uint8_t code)
{
  EXPECT_FIELDS(&b->terminate.error, (layer, RDMAP_LAYER_RDMA), (type, type), (code, code));
  g_assert_true(b->terminate.has_segment);
  g_assert_cmpuint(rdmap_responder_count(b->responder), ==, 0);
}

/* RDMAP-142: what may not be read is refused, with the Request in the Terminate; the order of the checks is
 * note D12's. */
TEST(test_refusals)
{
  static const struct {
    const char *what;
    uint32_t stag;
    uint64_t offset;
    uint32_t length;
    uint8_t code, strict_code;
  } rows[] = {
      {"an unknown STag", 0x78, BASE, 1, 0x00, 0x00},
      {"another Protection Domain's", 0x80, BASE, 1, 0x03, 0x00},
      {"for writing only", 0x81, BASE, 1, 0x02, 0x02},
      {"from one octet below", STAG, BASE - 1, 2, 0x01, 0x01},
      {"to one octet after it", STAG, BASE, LENGTH + 1, 0x01, 0x01},
      {"after it all", STAG, BASE + LENGTH, 1, 0x01, 0x01},
      {"past 2^64", STAG, UINT64_MAX, 2, 0x04, 0x04},
      {"to exactly 2^64", STAG, UINT64_MAX, 1, 0x04, 0x04},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (int strict = 0; strict < 2; strict++) {
      g_autoptr(bench) b = bench_new_with(IRD, strict);
      ddp_registration other = *ddp_stag_table_find(b->stags, STAG);
      other.owner.protection_domain++;
      g_assert_true(ddp_stag_table_register_as(b->stags, 0x80, &other));
      other.owner.protection_domain--;
      other.access = DDP_ACCESS_REMOTE_WRITE;
      g_assert_true(ddp_stag_table_register_as(b->stags, 0x81, &other));
      g_test_message("%s", rows[i].what);
      g_assert_false(deliver(
          b, WITH(rdmap_read_request, ask(rows[i].offset, rows[i].length), .source_stag = rows[i].stag)));
      assert_refused(b, RDMAP_REMOTE_PROTECTION_ERROR, strict ? rows[i].strict_code : rows[i].code);
      g_assert_true(b->terminate.has_request);
      EXPECT_FIELDS(b, (terminate.request.source_offset, rows[i].offset),
                    (terminate.request.length, rows[i].length), (terminate.segment_octets, 18 + 28));
    }
  }
}

/* RDMAP-143: a Request for nothing is not judged by what it names. */
BENCH_TEST(test_zero_length)
{
  g_assert_true(deliver(b, WITH(rdmap_read_request, ask(UINT64_MAX, 0), .source_stag = 0xDEAD)));
  g_assert_true(rdmap_responder_reach(b->responder, 0, &b->terminate));
}

/* note D29: a Request that is too short, to nothing at all, is 0/2/FF; there is no Request to copy. */
TEST(test_wrong_length)
{
  static const uint32_t lengths[] = {0, 1, 27};
  for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
    g_autoptr(bench) b = bench_new();
    rdmap_read_request request = ask(BASE, 1);
    g_assert_false(deliver_octets(b, &request, lengths[i]));
    assert_refused(b, RDMAP_REMOTE_OPERATION_ERROR, 0xFF);
    g_assert_false(b->terminate.has_request);
    g_assert_cmpuint(b->terminate.segment_octets, ==, 18 + lengths[i]);
  }
}

/* RDMAP-198: nothing is read before the octets are asked for, and what is asked for is the ULP's memory
 * itself: the framer makes the copy that is sent. */
BENCH_TEST(test_memory_is_read_when_sent)
{
  g_assert_true(deliver(b, ask(BASE + 100, 40)));
  for (uint32_t from = 0; from < 40; from += 20) {
    uint8_t octets[20];
    ddp_message message;
    g_auto(buffer_chain) chain = {0};
    memset(b->memory + 100, (int)(0xAA + from), 40);
    g_assert_true(rdmap_responder_reach(b->responder, from, &b->terminate));
    rdmap_responder_message(b->responder, &message);
    message.source(message.source_user, from, 20, &chain);
    g_assert_cmpuint(chain.slice_count, ==, 1);
    g_assert_true(buffer_chain_slices(&chain)->octets == b->memory + 100 + from);
    buffer_chain_copy_out(&chain, 0, 20, octets);
    g_assert_cmphex(octets[0], ==, 0xAA + from);
    g_assert_cmphex(octets[19], ==, 0xAA + from);
  }
}

static void append_counted(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t table[256] = {[0] = 0, [40] = 1, [41] = 2, [42] = 3, [43] = 4, [44] = 5, [45] = 6};
  unsigned *calls = user;
  ++*calls;
  g_assert_cmpuint(from + length, <=, sizeof table);
  buffer_chain_append(chain, table + from, length, NULL);
}

/* An STag that names a source is read by reference: octet `from` of it is at TO base + from. */
BENCH_TEST(test_source)
{
  unsigned calls = 0;
  register_readable(b, 0x90,
                    (ddp_registration){.source = append_counted, .source_user = &calls, .length = 256});
  uint8_t octets[6];
  g_assert_true(deliver(b, WITH(rdmap_read_request, ask(BASE + 40, 6), .source_stag = 0x90)));
  g_assert_cmpuint(calls, ==, 0);
  g_assert_true(rdmap_responder_reach(b->responder, 0, &b->terminate));
  read_out(b, 0, 2, octets);
  g_assert_true(rdmap_responder_reach(b->responder, 2, &b->terminate));
  read_out(b, 2, 4, octets + 2);
  g_assert_cmpuint(calls, ==, 2);
  for (uint8_t i = 0; i < 6; i++) {
    g_assert_cmphex(octets[i], ==, i + 1);
  }
}

/* note D36, rdmap-00 §6.8 (RDMAP-096): revoked with 2 of 100 octets sent, the copy of the Request asks for
 * what is left. The Request after it does not come into it. */
BENCH_TEST(test_revoked_midway)
{
  g_assert_true(deliver(b, ask(BASE + 10, 100)));
  g_assert_true(rdmap_responder_reach(b->responder, 0, &b->terminate));
  g_assert_true(deliver(b, ask(BASE, 1)));
  g_assert_true(ddp_stag_table_deregister(b->stags, STAG));
  g_assert_false(rdmap_responder_reach(b->responder, 2, &b->terminate));
  g_assert_cmphex(b->terminate.error.type, ==, RDMAP_REMOTE_PROTECTION_ERROR);
  g_assert_cmphex(b->terminate.error.code, ==, RDMAP_PROTECTION_INVALID_STAG);
  g_assert_true(b->terminate.has_request);
  EXPECT_FIELDS(&b->terminate.request, (sink_stag, 0x51515151), (sink_offset, 7 + 2), (length, 98),
                (source_offset, BASE + 12));
  g_assert_cmpuint(b->terminate.header.msn, ==, 1);
}

/* The octets asked for last. */
typedef struct asked {
  uint64_t from;
  uint32_t length;
} asked;

static void append_asked(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t octets[16];
  *(asked *)user = (asked){from, length};
  buffer_chain_append(chain, octets, length, NULL);
}

/* RDMAP-096, RDMAP-140: the longest Read there is, from a source whose Tagged Offsets pass 2^32: at each
 * place what is sent is octet n of the source; revoked there, the Terminate asks for the rest: n further and
 * n less. */
TEST(test_a_long_read)
{
  static const uint32_t places[] = {
      0, 65535, 65536, 70000, 1 << 24, INT32_MAX, UINT32_C(1) << 31, UINT32_MAX - 16};
  const uint64_t base = (UINT64_C(1) << 32) - 100000;
  for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autoptr(bench) b = bench_new();
    asked last = {0};
    register_readable(
        b, 0x90,
        (ddp_registration){
            .source = append_asked, .source_user = &last, .base = base, .length = UINT64_C(1) << 33});
    uint8_t octets[16];
    g_assert_true(deliver(b, WITH(rdmap_read_request, ask(base + 5, UINT32_MAX), .source_stag = 0x90,
                                  .sink_offset = base + 7)));
    g_assert_true(rdmap_responder_reach(b->responder, places[i], &b->terminate));
    read_out(b, places[i], 16, octets);
    g_assert_cmpuint(last.from, ==, 5 + (uint64_t)places[i]);
    g_assert_cmpuint(last.length, ==, 16);
    g_assert_true(ddp_stag_table_deregister(b->stags, 0x90));
    g_assert_false(rdmap_responder_reach(b->responder, places[i], &b->terminate));
    EXPECT_FIELDS(&b->terminate.request, (source_offset, base + 5 + places[i]),
                  (sink_offset, base + 7 + places[i]), (length, UINT32_MAX - places[i]));
  }
}
