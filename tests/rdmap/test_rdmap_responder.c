/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a responder keeps and reads for the Reads it answers. Which it refuses, in which
 * order it answers them and when their buffers are free again is in test_rdmap_stream_reads, test_rdmap_stags
 * and test_rdmap_value_table. */
#include <string.h>

#include "rdmap/rdmap_responder.h"
#include "stack_cleanup.h"
#include "test.h"

enum { IRD_MAX = 65536, STREAM = 4, DOMAIN = 5, STAG = 0x77, BASE = 1000, LENGTH = 500 };

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

static bench *bench_new(uint32_t ird)
{
  bench *b = g_new0(bench, 1);
  b->stags = ddp_stag_table_new(1);
  b->queue = ddp_untagged_queue_new(DDP_FIRST_MSN);
  b->msn = DDP_FIRST_MSN;
  b->responder = rdmap_responder_new(&(rdmap_responder_config){
      .stags = b->stags, .identity = {STREAM, DOMAIN}, .queue = b->queue, .ird = ird});
  register_readable(b, STAG, (ddp_registration){.memory = b->memory, .length = LENGTH});
  return b;
}

static void bench_free(bench *b)
{
  rdmap_responder_free(b->responder);
  ddp_untagged_queue_free(b->queue);
  ddp_stag_table_free(b->stags);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)

/* Returns whether there is a buffer for the Request that comes `ahead` places after the next one. */
static bool has_buffer(const bench *b, uint32_t ahead)
{
  uint8_t *target;
  ddp_error error;
  return ddp_untagged_queue_find(b->queue, b->msn + ahead, 0, RDMAP_READ_REQUEST_OCTETS, &target, &error);
}

/* DDP Places and Delivers a Request, as the next message of QN 1. */
static bool deliver(bench *b, rdmap_read_request request)
{
  ddp_error error;
  ddp_segment segment = {
      .header = {.last = true, .version = 1, .ulp_control = 0x41, .queue_number = 1, .msn = b->msn},
      .payload_octets = RDMAP_READ_REQUEST_OCTETS,
      .header_octets = DDP_UNTAGGED_HEADER_OCTETS,
      .control = 0x41,
      .message_octets = RDMAP_READ_REQUEST_OCTETS};
  g_assert_true(
      ddp_untagged_queue_find(b->queue, b->msn, 0, RDMAP_READ_REQUEST_OCTETS, &segment.target, &error));
  rdmap_read_request_encode(&request, segment.target);
  ddp_untagged_queue_deliver(b->queue, &segment.message_memory);
  b->msn++;
  return rdmap_responder_take(b->responder, &segment, &b->terminate);
}

static rdmap_read_request ask(uint64_t source_offset, uint32_t length)
{
  return (rdmap_read_request){.sink_stag = 0x51515151,
                              .sink_offset = 7,
                              .length = length,
                              .source_stag = STAG,
                              .source_offset = source_offset};
}

/* As many Requests as IRD may be, twice: all are answered in the order in which they came, and then there are
 * as many buffers again. */
TEST(test_many)
{
  g_autoptr(bench) b = bench_new(IRD_MAX);
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < IRD_MAX; i++) {
      g_assert_cmpuint(b->responder->count, ==, i);
      g_assert_true(deliver(b, WITH(rdmap_read_request, ask(BASE, 1), .sink_offset = i)));
    }
    g_assert_false(has_buffer(b, 0));
    for (uint32_t i = 0; i < IRD_MAX; i++) {
      ddp_message message;
      g_assert_cmpuint(b->responder->count, ==, IRD_MAX - i);
      rdmap_responder_message(b->responder, &message);
      g_assert_cmpuint(message.tagged_offset, ==, i);
      rdmap_responder_answered(b->responder);
    }
  }
  g_assert_true(has_buffer(b, IRD_MAX - 1));
  g_assert_false(has_buffer(b, IRD_MAX));
}

/* The octets asked for last. */
typedef struct asked {
  uint64_t from;
  uint32_t length;
} asked;

static octet_slice asked_source(void *user, uint64_t from, uint32_t length)
{
  static const uint8_t octets[16];
  *(asked *)user = (asked){from, length};
  return (octet_slice){.octets = octets, .length = length};
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
    g_autoptr(bench) b = bench_new(1);
    asked last = {0};
    register_readable(
        b, 0x90,
        (ddp_registration){
            .source = asked_source, .source_user = &last, .base = base, .length = UINT64_C(1) << 33});
    ddp_message message;
    g_assert_true(deliver(b, WITH(rdmap_read_request, ask(base + 5, UINT32_MAX), .source_stag = 0x90,
                                  .sink_offset = base + 7)));
    g_assert_true(rdmap_responder_reach(b->responder, places[i], &b->terminate));
    rdmap_responder_message(b->responder, &message);
    g_assert_cmpuint(message.source(message.source_user, places[i], 16).length, ==, 16);
    EXPECT_FIELDS(&last, (from, 5 + (uint64_t)places[i]), (length, 16));
    g_assert_true(ddp_stag_table_deregister(b->stags, 0x90));
    g_assert_false(rdmap_responder_reach(b->responder, places[i], &b->terminate));
    EXPECT_FIELDS(&b->terminate.request, (source_offset, base + 5 + places[i]),
                  (sink_offset, base + 7 + places[i]), (length, UINT32_MAX - places[i]));
  }
}
