/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/big_endian.h"
#include "fields.h"
#include "rdmap/rdmap_stream_private.h"
#include "rdmap_kit.h"
#include "stack_cleanup.h"
#include "stag_changes.h"
#include "test.h"

/* A reads from B: B is the Data Source. */
enum { SOURCE_OCTETS = 1000, SINK_OCTETS = 1000, SOURCE_BASE = 3000, SINK_BASE = 9000 };

typedef struct readers {
  rdmap_kit *kit;
  uint8_t *source; /* B's */
  uint8_t *sink;   /* A's */
  uint32_t source_stag;
  uint32_t sink_stag;
} readers;

static void readers_init(readers *r, uint32_t ord, uint32_t ird)
{
  rdmap_config a = rdmap_kit_config(KIT_A);
  rdmap_config b = rdmap_kit_config(KIT_B);
  a.ord = ord;
  b.ird = ird;
  r->kit = rdmap_kit_new(&a, &b);
  r->source = rdmap_kit_pattern(r->kit, KIT_B, SOURCE_OCTETS, 21);
  r->sink = rdmap_kit_memory(r->kit, KIT_A, SINK_OCTETS);
  r->source_stag =
      rdmap_kit_register(r->kit, KIT_B, r->source, SOURCE_BASE, SOURCE_OCTETS, DDP_ACCESS_REMOTE_READ);
  r->sink_stag = rdmap_kit_register(r->kit, KIT_A, r->sink, SINK_BASE, SINK_OCTETS, DDP_ACCESS_REMOTE_WRITE);
}

/* A Read of `length` octets from place `from` of the source to place `to` of the sink. */
static rdmap_work read_work(const readers *r, uint64_t id, uint32_t from, uint32_t to, uint32_t length)
{
  return (rdmap_work){.id = id,
                      .operation = RDMAP_OPERATION_READ,
                      .length = length,
                      .remote_stag = r->source_stag,
                      .remote_offset = SOURCE_BASE + from,
                      .local_stag = r->sink_stag,
                      .local_offset = SINK_BASE + to};
}

static void post_read(const readers *r, uint64_t id, uint32_t from, uint32_t to, uint32_t length)
{
  g_assert_true(rdmap_kit_post_work(r->kit, KIT_A, read_work(r, id, from, to, length)));
}

static uint32_t word_at(const rdmap_kit *kit, unsigned side, size_t index, size_t at)
{
  return big_endian_read_32(rdmap_kit_sent(kit, side, index)->octets + at);
}

/* RDMAP-130: a Read is one Read Request and one Read Response. RDMAP-131, RDMAP-135: the request has T clear,
 * opcode 1 and QN 1. RDMAP-146, RDMAP-151: each segment of the response has T set, opcode 2 and the one Sink
 * STag of the request, whatever it is. 250 octets are 100 + 100 + 50. */
TEST(test_on_the_wire)
{
  readers r;
  readers_init(&r, 2, 2);
  ddp_registration source = *ddp_stag_table_find(r.kit->hosts[KIT_B].stags, r.source_stag);
  ddp_registration sink = *ddp_stag_table_find(r.kit->hosts[KIT_A].stags, r.sink_stag);
  g_assert_true(ddp_stag_table_register_as(r.kit->hosts[KIT_B].stags, 0x0A0B0C0D, &source));
  g_assert_true(ddp_stag_table_register_as(r.kit->hosts[KIT_A].stags, 0xF1F2F3F4, &sink));
  rdmap_work work = read_work(&r, 1, 0x10, 8, 250);
  work.remote_stag = 0x0A0B0C0D;
  work.local_stag = 0xF1F2F3F4;
  g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
  rdmap_kit_run(r.kit);
  /* 9000 + 8 = 0x2330, 3000 + 16 = 0xBC8, 250 = 0xFA */
  g_assert_cmpuint(r.kit->hosts[KIT_A].sent->len, ==, 1);
  rdmap_kit_assert_sent(r.kit, KIT_A, 0,
                        "4141 00000000 00000001 00000001 00000000"
                        "F1F2F3F4 0000000000002330 000000FA 0A0B0C0D 0000000000000BC8");
  g_assert_cmpuint(r.kit->hosts[KIT_B].sent->len, ==, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const kit_ulpdu *ulpdu = rdmap_kit_sent(r.kit, KIT_B, i);
    g_assert_cmphex(ulpdu->octets[0], ==, i == 2 ? 0xC1 : 0x81);
    g_assert_cmphex(ulpdu->octets[1], ==, 0x42);
    g_assert_cmphex(word_at(r.kit, KIT_B, i, 2), ==, 0xF1F2F3F4);
    g_assert_cmpuint(word_at(r.kit, KIT_B, i, 10), ==, 9008 + 100 * i);
    g_assert_cmpuint(ulpdu->length, ==, i == 2 ? 64 : 114);
  }
  g_assert_cmpmem(r.sink + 8, 250, r.source + 16, 250);
  rdmap_kit_assert_untouched(r.sink, 8);
  rdmap_kit_assert_untouched(r.sink + 258, SINK_OCTETS - 258);
  rdmap_kit_free(r.kit);
}

/* RDMAP-133, RDMAP-134, RDMAP-140: B's ULP has posted nothing and hears nothing, and every Read is answered.
 * RDMAP-148: A's ULP hears of each once. */
TEST(test_the_source_ulp_is_idle)
{
  readers r;
  readers_init(&r, 2, 2);
  for (uint32_t i = 0; i < 7; i++) {
    post_read(&r, i, 10 * i, 100 * i, 90);
  }
  rdmap_kit_run(r.kit);
  rdmap_kit_assert_log(r.kit, KIT_B, "");
  rdmap_kit_assert_log(r.kit, KIT_A,
                       "completed 0; completed 1; completed 2; completed 3; completed 4; completed 5; "
                       "completed 6");
  g_assert_cmpuint(rdmap_kit_count(r.kit, KIT_A, RDMAP_READ_REQUEST), ==, 7);
  g_assert_cmpuint(rdmap_kit_count(r.kit, KIT_B, RDMAP_READ_RESPONSE), ==, 7);
  for (uint32_t i = 0; i < 7; i++) {
    g_assert_cmpmem(r.sink + 100 * i, 90, r.source + 10 * i, 90);
  }
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_A].stream));
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  rdmap_kit_free(r.kit);
}

/* RDMAP-136, RDMAP-138: requests go out in the order posted with MSN 1, 2, 3, each for one buffer of the
 * source: two buffers take two. RDMAP-137, RDMAP-149, RDMAP-201, RDMAP-189: in whatever order they arrive,
 * they are answered in the order sent, the responses do not mix, and the Reads complete in that order. */
TEST(test_several_in_any_order)
{
  static const size_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (size_t order = 0; order < 6; order++) {
    readers r;
    readers_init(&r, 3, 3);
    uint8_t *other = rdmap_kit_pattern(r.kit, KIT_B, 300, 22);
    uint32_t other_stag = rdmap_kit_register(r.kit, KIT_B, other, 0, 300, DDP_ACCESS_REMOTE_READ);
    uint32_t stags[3] = {r.source_stag, other_stag, r.source_stag};
    for (uint32_t i = 0; i < 3; i++) {
      rdmap_work work = read_work(&r, i, 0, 300 * i, 150 + i);
      work.remote_stag = stags[i];
      work.remote_offset = i == 1 ? 0 : SOURCE_BASE;
      g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
    }
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 3);
    for (uint32_t i = 0; i < 3; i++) {
      g_assert_cmpuint(word_at(r.kit, KIT_A, i, 10), ==, i + 1);
      g_assert_cmphex(word_at(r.kit, KIT_A, i, 18 + 16), ==, stags[i]);
      rdmap_kit_pass(r.kit, KIT_A, orders[order][i]);
    }
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 6);
    for (uint32_t i = 0; i < 6; i++) {
      g_assert_cmpuint(word_at(r.kit, KIT_B, i, 10), ==, SINK_BASE + i / 2 * 300 + i % 2 * 100);
      /* The last segments arrive first. */
      rdmap_kit_pass(r.kit, KIT_B, 5 - i);
      if (i < 5) {
        rdmap_kit_assert_log(r.kit, KIT_A, "");
      }
    }
    rdmap_kit_assert_log(r.kit, KIT_A, "completed 0; completed 1; completed 2");
    g_assert_cmpmem(r.sink + 300, 151, other, 151);
    rdmap_kit_free(r.kit);
  }
}

/* RDMAP-142: what may not be read brings a Terminate and no response; the order of the codes is note
 * D12's. */
TEST(test_the_source_is_validated)
{
  static const struct {
    const char *what;
    uint32_t stag_change;
    uint64_t offset;
    uint32_t length;
    const char *log;
  } rows[] = {
      {"an unknown STag", 1, SOURCE_BASE, 1, "sends Terminate 0/1/00"},
      {"from below", 0, SOURCE_BASE - 1, 5, "sends Terminate 0/1/01"},
      {"to behind", 0, SOURCE_BASE + 990, 11, "sends Terminate 0/1/01"},
      {"past the end of all offsets", 0, UINT64_MAX - 3, 5, "sends Terminate 0/1/04"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    readers r;
    readers_init(&r, 2, 2);
    rdmap_work work = read_work(&r, 1, 0, 0, rows[i].length);
    work.remote_stag ^= rows[i].stag_change;
    work.remote_offset = rows[i].offset;
    g_test_message("%s", rows[i].what);
    g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
    rdmap_kit_run(r.kit);
    rdmap_kit_assert_log(r.kit, KIT_B, rows[i].log);
    g_assert_cmpuint(rdmap_kit_count(r.kit, KIT_B, RDMAP_READ_RESPONSE), ==, 0);
    g_assert_cmpuint(rdmap_kit_count(r.kit, KIT_B, RDMAP_TERMINATE), ==, 1);
    rdmap_kit_assert_untouched(r.sink, SINK_OCTETS);
    rdmap_kit_free(r.kit);
  }
}

/* RDMAP-143, RDMAP-144: a Read of nothing names STags and offsets that do not exist at either end, and is
 * answered by one empty segment with L set, which completes it. */
TEST(test_zero_length)
{
  readers r;
  readers_init(&r, 2, 2);
  rdmap_work work = read_work(&r, 1, 0, 0, 0);
  work.remote_stag ^= 0x55;
  work.remote_offset = UINT64_MAX;
  work.local_stag = 0xBADBAD00;
  work.local_offset = UINT64_MAX;
  g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
  rdmap_kit_run(r.kit);
  g_assert_cmpuint(r.kit->hosts[KIT_B].sent->len, ==, 1);
  rdmap_kit_assert_sent(r.kit, KIT_B, 0, "C142 BADBAD00 FFFFFFFFFFFFFFFF");
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1");
  rdmap_kit_free(r.kit);
}

/* RDMAP-147, RDMAP-209, RDMAP-210, RDMAP-214: with ORD and IRD of 3 a burst of five Reads puts exactly three
 * requests on the wire, B has room for them, and each response lets one more out. */
TEST(test_ord_and_ird)
{
  readers r;
  readers_init(&r, 3, 3);
  for (uint32_t i = 0; i < 5; i++) {
    post_read(&r, i, 0, 0, 150);
  }
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 3);
  g_assert_cmpuint(open_reads(r.kit->hosts[KIT_A].stream), ==, 3);
  rdmap_kit_acknowledge(r.kit, KIT_A); /* is no response */
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 0);
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  rdmap_kit_pass_rest(r.kit, KIT_A);
  g_assert_false(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  rdmap_kit_assert_log(r.kit, KIT_B, "");
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 6);
  for (size_t i = 0; i < 2; i++) {
    rdmap_kit_pass(r.kit, KIT_B, 2 * i);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 0);
    rdmap_kit_pass(r.kit, KIT_B, 2 * i + 1);
    g_assert_cmpuint(open_reads(r.kit->hosts[KIT_A].stream), ==, 2);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 1);
  }
  g_assert_cmpuint(rdmap_send_queue_count(r.kit->hosts[KIT_A].stream->operations), ==, 3);
  rdmap_kit_free(r.kit);
}

/* RDMAP-132, RDMAP-215: each request takes one buffer of QN 1: with an IRD of 2 the third finds none
 * (1/2/02), also while the first response is partly sent: that one is sent whole. Nothing else is answered
 * any more. */
TEST(test_more_than_ird)
{
  for (int partly_answered = 0; partly_answered < 2; partly_answered++) {
    readers r;
    readers_init(&r, 3, 2);
    for (uint32_t i = 0; i < 3; i++) {
      post_read(&r, i, 0, 0, 150);
    }
    rdmap_kit_pull_all(r.kit, KIT_A);
    rdmap_kit_pass(r.kit, KIT_A, 0);
    rdmap_kit_pass(r.kit, KIT_A, 1);
    if (partly_answered) {
      g_assert_true(rdmap_kit_pull(r.kit, KIT_B));
    }
    rdmap_kit_assert_log(r.kit, KIT_B, "");
    rdmap_kit_pass(r.kit, KIT_A, 2);
    rdmap_kit_assert_log(r.kit, KIT_B, "sends Terminate 1/2/02");
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, partly_answered ? 2 : 1);
    rdmap_kit_free(r.kit);
  }
}

/* note D28: the buffer is back when the last segment of the response leaves: with an IRD and ORD of 1, a
 * requester that asks again the moment it has it never finds B without a buffer. */
TEST(test_one_after_the_other)
{
  readers r;
  readers_init(&r, 1, 1);
  for (uint32_t i = 0; i < 20; i++) {
    post_read(&r, i, i, 10 * i, 150);
  }
  for (uint32_t i = 0; i < 20; i++) {
    g_assert_cmpuint(rdmap_kit_send(r.kit, KIT_A), ==, 1);
    g_assert_cmpuint(rdmap_kit_send(r.kit, KIT_B), ==, 2);
  }
  rdmap_kit_assert_log(r.kit, KIT_B, "");
  g_assert_cmpuint(rdmap_send_queue_count(r.kit->hosts[KIT_A].stream->operations), ==, 0);
  rdmap_kit_free(r.kit);
}

static void append_counted(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t table[64];
  unsigned *calls = user;
  ++*calls;
  buffer_chain_append(chain, table + from, length, NULL);
}

/* RDMAP-190, RDMAP-198: a Read Request, of nothing too, that is Placed beyond a hole is not processed: not a
 * segment of a response is made, not an octet read. When the hole closes, it is. */
TEST(test_not_before_delivery)
{
  for (uint32_t length = 0; length <= 40; length += 40) {
    readers r;
    unsigned calls = 0;
    readers_init(&r, 2, 2);
    ddp_registration registration = {.source = append_counted,
                                     .source_user = &calls,
                                     .length = 64,
                                     .access = DDP_ACCESS_REMOTE_READ,
                                     .owner = {.protection_domain = 7}};
    g_assert_true(ddp_stag_table_register_as(r.kit->hosts[KIT_B].stags, 0x99, &registration));
    g_assert_true(rdmap_kit_post(r.kit, KIT_A, .operation = RDMAP_OPERATION_WRITE));
    rdmap_work work = read_work(&r, 1, 0, 0, length);
    work.remote_stag = 0x99;
    work.remote_offset = 8;
    g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 2);
    rdmap_kit_pass(r.kit, KIT_A, 1);
    g_assert_cmpuint(r.kit->hosts[KIT_B].placed, ==, 1);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 0);
    g_assert_cmpuint(calls, ==, 0);
    rdmap_kit_pass(r.kit, KIT_A, 0);
    g_assert_cmpuint(calls, ==, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 1);
    g_assert_cmpuint(calls, ==, length > 0);
    rdmap_kit_free(r.kit);
  }
}

/* RDMAP-198: what an earlier Write brings late is what the Read reads (RDMAP-191), and what is on its way no
 * longer changes. */
TEST(test_memory_is_read_when_sent)
{
  readers r;
  readers_init(&r, 2, 2);
  uint8_t *octets = rdmap_kit_pattern(r.kit, KIT_A, 100, 23);
  g_assert_true(stag_set_access(r.kit->hosts[KIT_B].stags, r.source_stag,
                                DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE));
  g_assert_true(rdmap_kit_post(r.kit, KIT_A, .operation = RDMAP_OPERATION_WRITE, .length = 100,
                               .source_user = octets, .remote_stag = r.source_stag,
                               .remote_offset = SOURCE_BASE));
  post_read(&r, 1, 0, 0, 150);
  rdmap_kit_pull_all(r.kit, KIT_A);
  rdmap_kit_pass(r.kit, KIT_A, 1);
  rdmap_kit_pass(r.kit, KIT_A, 0);
  g_assert_true(rdmap_kit_pull(r.kit, KIT_B));
  /* B's ULP changes the part that is sent and the part that is not. */
  memset(r.source, 0x11, 200);
  g_assert_false(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  g_assert_true(rdmap_kit_pull(r.kit, KIT_B));
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  rdmap_kit_pass_rest(r.kit, KIT_B);
  g_assert_cmpmem(r.sink, 100, octets, 100);
  for (size_t i = 100; i < 150; i++) {
    g_assert_cmphex(r.sink[i], ==, 0x11);
  }
  rdmap_kit_free(r.kit);
}

/* RDMAP-200, RDMAP-203: a Read completes when the last segment of its response is Delivered: not when that is
 * merely Placed, nor by acknowledgements; and it takes nothing else. */
TEST(test_completion)
{
  readers r;
  readers_init(&r, 2, 2);
  post_read(&r, 1, 0, 0, 250);
  rdmap_kit_pull_all(r.kit, KIT_A);
  rdmap_kit_acknowledge(r.kit, KIT_A);
  rdmap_kit_pass_rest(r.kit, KIT_A);
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 3);
  rdmap_kit_pass(r.kit, KIT_B, 2);
  rdmap_kit_pass(r.kit, KIT_B, 0);
  rdmap_kit_acknowledge(r.kit, KIT_A);
  rdmap_kit_assert_log(r.kit, KIT_A, "");
  g_assert_cmpuint(open_reads(r.kit->hosts[KIT_A].stream), ==, 1);
  rdmap_kit_pass(r.kit, KIT_B, 1);
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1");
  rdmap_kit_free(r.kit);

  /* with not one acknowledgement */
  readers_init(&r, 2, 2);
  post_read(&r, 1, 0, 0, 250);
  rdmap_kit_send(r.kit, KIT_A);
  rdmap_kit_send(r.kit, KIT_B);
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1");
  rdmap_kit_free(r.kit);
}

/* RDMAP-196: completion in the order posted: a Send behind an open Read waits for it though it is
 * acknowledged; a Read behind a Write that is not acknowledged waits for that. */
TEST(test_completion_in_order)
{
  readers r;
  readers_init(&r, 2, 2);
  uint8_t *octets = rdmap_kit_pattern(r.kit, KIT_A, 10, 24);
  rdmap_kit_post_receive(r.kit, KIT_B, 10);
  post_read(&r, 1, 0, 0, 10);
  g_assert_true(rdmap_kit_post(r.kit, KIT_A, .id = 2, .operation = RDMAP_OPERATION_SEND, .length = 10,
                               .source_user = octets));
  post_read(&r, 3, 0, 10, 10);
  rdmap_kit_pull_all(r.kit, KIT_A);
  rdmap_kit_pass(r.kit, KIT_A, 0);
  rdmap_kit_pass(r.kit, KIT_A, 1);
  rdmap_stream_acknowledged(r.kit->hosts[KIT_A].stream, rdmap_kit_sent(r.kit, KIT_A, 0)->fpdu_end,
                            r.kit->now);
  rdmap_kit_assert_log(r.kit, KIT_B,
                       "received 1 (10 octets)"); /* while the Read is not answered (RDMAP-199) */
  rdmap_kit_assert_log(r.kit, KIT_A, "");
  rdmap_kit_pull_all(r.kit, KIT_B);
  rdmap_kit_pass(r.kit, KIT_B, 0);
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1");
  rdmap_kit_pass(r.kit, KIT_A, 2);
  rdmap_kit_pull_all(r.kit, KIT_B);
  rdmap_kit_pass(r.kit, KIT_B, 1);
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1");
  rdmap_stream_acknowledged(r.kit->hosts[KIT_A].stream, rdmap_kit_sent(r.kit, KIT_A, 1)->fpdu_end,
                            r.kit->now);
  rdmap_kit_assert_log(r.kit, KIT_A, "completed 1; completed 2; completed 3");
  rdmap_kit_free(r.kit);
}

/* RDMAP-193: a Write with a fence stays here until the responses to all Reads before it are Delivered, so
 * they bring the old octets; a Write without one goes at once. RDMAP-194: what is posted behind a fence does
 * not overtake it. */
TEST(test_fence)
{
  for (int fenced = 0; fenced < 2; fenced++) {
    readers r;
    readers_init(&r, 2, 2);
    post_read(&r, 1, 0, 0, 20);
    post_read(&r, 2, 20, 20, 20);
    for (uint64_t id = 3; id <= 4; id++) {
      g_assert_true(rdmap_kit_post(r.kit, KIT_A, .id = id, .operation = RDMAP_OPERATION_WRITE,
                                   .fence = fenced && id == 3));
    }
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, fenced ? 2 : 4);
    rdmap_kit_pass_rest(r.kit, KIT_A);
    rdmap_kit_pull_all(r.kit, KIT_B);
    rdmap_kit_pass(r.kit, KIT_B, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, 0);
    rdmap_kit_pass(r.kit, KIT_B, 1);
    g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_A), ==, fenced ? 2 : 0);
    rdmap_kit_free(r.kit);
  }
}

/* RDMAP-193: a fence holds a Read back as it does any other operation, until all Reads before it are
 * answered, and with it what is posted behind; the Read it let go is open again for the next fence. */
TEST(test_fenced_reads)
{
  readers r;
  readers_init(&r, 4, 4);
  for (uint32_t i = 0; i < 6; i++) {
    rdmap_work work = read_work(&r, i, 20 * i, 20 * i, 20);
    work.fence = i == 2 || i == 3;
    g_assert_true(rdmap_kit_post_work(r.kit, KIT_A, work));
  }
  static const size_t sent_after[] = {2, 2, 3, 6, 6, 6, 6}; /* requests, by responses Delivered */
  rdmap_kit_pull_all(r.kit, KIT_A);
  for (size_t answered = 0; answered <= 6; answered++) {
    g_assert_cmpuint(rdmap_kit_count(r.kit, KIT_A, RDMAP_READ_REQUEST), ==, sent_after[answered]);
    rdmap_kit_acknowledge(r.kit, KIT_A); /* is no response */
    g_assert_cmpuint(rdmap_kit_send(r.kit, KIT_A), ==, 0);
    rdmap_kit_pull_all(r.kit, KIT_B);
    if (answered < 6) {
      rdmap_kit_pass(r.kit, KIT_B, answered);
    }
    rdmap_kit_pull_all(r.kit, KIT_A);
  }
  rdmap_kit_assert_log(r.kit, KIT_A,
                       "completed 0; completed 1; completed 2; completed 3; completed 4; completed 5");
  g_assert_cmpmem(r.sink, 120, r.source, 120);
  rdmap_kit_free(r.kit);
}

/* Octets from nowhere in particular, asked for in order. */
static void append_in_order(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t octets[65536];
  uint64_t *next = user;
  g_assert_cmpuint(from, ==, *next);
  *next += length;
  buffer_chain_append(chain, octets, length, NULL);
}

/* The next ULPDU of `side` goes to the other one at once, without a copy, as the FPDU that ends at
 * `*fpdu_end`. False when there is none. */
static bool hand_over(rdmap_kit *kit, unsigned side, uint64_t *fpdu_end)
{
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  bool pulled = rdmap_stream_next_ulpdu(kit->hosts[side].stream, 64768, &chain, kit->now);
  if (pulled) {
    mpa_ulpdu ulpdu = {.fpdu_start = *fpdu_end, .octets = &chain};
    *fpdu_end += chain.length + 6;
    ulpdu.fpdu_end = *fpdu_end;
    rdmap_stream_framed(kit->hosts[side].stream, *fpdu_end);
    rdmap_stream_receive(kit->hosts[!side].stream, &ulpdu, kit->now);
  }
  return pulled;
}

/* RDMAP-140: a valid Read of 2^31 octets and one of 2^32 - 1 are answered whole, each octet once and in
 * order, across TO 2^32 at either end, and complete. A segment takes 64768 - 14 = 64754 octets: 2^31 = 33,163
 * x 64,754 + 46,746, and 2^32 - 1 = 66,327 x 64,754 + 28,737. No octet is in any memory. */
TEST(test_the_longest_reads)
{
  static const struct {
    uint32_t length;
    unsigned segments;
  } rows[] = {{UINT32_C(1) << 31, 33164}, {UINT32_MAX, 66328}};
  const uint64_t sink_base = (UINT64_C(1) << 32) - 1000, source_base = (UINT64_C(1) << 32) - (1 << 30);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint64_t read = 0, sent = 0, ends[KIT_SIDES] = {KIT_FIRST_OFFSET, KIT_FIRST_OFFSET};
    ddp_registration source = {.source = append_in_order,
                               .source_user = &read,
                               .base = source_base,
                               .length = rows[i].length,
                               .access = DDP_ACCESS_REMOTE_READ,
                               .owner = {.protection_domain = 7}};
    ddp_registration sink = {.discards = true,
                             .base = sink_base,
                             .length = rows[i].length,
                             .access = DDP_ACCESS_REMOTE_WRITE,
                             .owner = {.protection_domain = 7}};
    g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_B].stags, 0x5B, &source));
    g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_A].stags, 0x5A, &sink));
    g_assert_true(rdmap_kit_post(kit, KIT_A, .id = 9, .operation = RDMAP_OPERATION_READ,
                                 .length = rows[i].length, .remote_stag = 0x5B, .remote_offset = source_base,
                                 .local_stag = 0x5A, .local_offset = sink_base));
    g_assert_true(hand_over(kit, KIT_A, &ends[KIT_A]));
    while (hand_over(kit, KIT_B, &ends[KIT_B])) {
    }
    const GArray *responses = kit->hosts[KIT_A].delivered;
    g_assert_cmpuint(responses->len, ==, rows[i].segments);
    for (guint j = 0; j < responses->len; j++) {
      const ddp_segment *segment = &g_array_index(responses, ddp_segment, j);
      g_assert_cmpuint(segment->header.tagged_offset, ==, sink_base + sent);
      g_assert_cmpint(segment->header.last, ==, j == responses->len - 1);
      sent += segment->payload_octets;
    }
    g_assert_cmpuint(sent, ==, rows[i].length);
    g_assert_cmpuint(read, ==, rows[i].length);
    rdmap_kit_assert_log(kit, KIT_A, "completed 9");
  }
}

/* RDMAP-096, note D36: a source of 2^32 - 1 octets is revoked with n of them sent, beyond 64 KiB: the
 * Terminate's Request is n further at both ends and n shorter. 1 and 2 segments of 64,754 octets. */
TEST(test_revoked_after_64_kib)
{
  for (uint32_t segments = 1; segments <= 2; segments++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint64_t read = 0, ends[KIT_SIDES] = {KIT_FIRST_OFFSET, KIT_FIRST_OFFSET};
    const uint32_t sent = segments * 64754;
    ddp_registration source = {.source = append_in_order,
                               .source_user = &read,
                               .base = SOURCE_BASE,
                               .length = UINT32_MAX,
                               .access = DDP_ACCESS_REMOTE_READ,
                               .owner = {.protection_domain = 7}};
    ddp_registration sink = {
        .discards = true, .length = UINT64_MAX, .access = DDP_ACCESS_REMOTE_WRITE, .owner = source.owner};
    g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_B].stags, 0x5B, &source));
    g_assert_true(ddp_stag_table_register_as(kit->hosts[KIT_A].stags, 0x5A, &sink));
    g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_READ, .length = UINT32_MAX,
                                 .remote_stag = 0x5B, .remote_offset = SOURCE_BASE, .local_stag = 0x5A,
                                 .local_offset = SINK_BASE));
    g_assert_true(hand_over(kit, KIT_A, &ends[KIT_A]));
    for (uint32_t i = 0; i < segments; i++) {
      g_assert_true(hand_over(kit, KIT_B, &ends[KIT_B]));
    }
    g_assert_true(ddp_stag_table_deregister(kit->hosts[KIT_B].stags, 0x5B));
    g_assert_true(rdmap_kit_pull(kit, KIT_B));
    rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/1/00");
    const rdmap_read_request *rest = &kit->hosts[KIT_B].sent_terminate.request;
    g_assert_true(kit->hosts[KIT_B].sent_terminate.has_request);
    EXPECT_FIELDS(rest, (sink_offset, SINK_BASE + sent), (source_offset, SOURCE_BASE + sent),
                  (length, UINT32_MAX - sent));
  }
}

/* Read Responses and the ULP's own operations take turns, message by message. */
TEST(test_taking_turns)
{
  readers r;
  readers_init(&r, 3, 3);
  for (uint32_t i = 0; i < 3; i++) {
    post_read(&r, i, 0, 0, 150);
  }
  rdmap_kit_send(r.kit, KIT_A);
  for (uint64_t id = 0; id < 4; id++) {
    g_assert_true(rdmap_kit_post(r.kit, KIT_B, .operation = RDMAP_OPERATION_WRITE));
  }
  static const uint8_t expected[] = {0x42, 0x42, 0x40, 0x42, 0x42, 0x40, 0x42, 0x42, 0x40, 0x40};
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, G_N_ELEMENTS(expected));
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmphex(rdmap_kit_sent(r.kit, KIT_B, i)->octets[1], ==, expected[i]);
  }
  rdmap_kit_free(r.kit);
}

/* A response that does not match is an error when strict, with the failing segment in the Terminate; else the
 * Read is taken for answered. One that was not asked for is always an error (note D32). */
TEST(test_wrong_responses)
{
  static const struct {
    const char *what;
    int32_t offset;
    uint32_t length;
    bool asked, last;
    const char *strict_log, *lax_log;
  } rows[] = {
      {"too long", 0, 21, true, true, "sends Terminate 1/1/01; completed 1 in error", "completed 1"},
      {"too short", 0, 19, true, true, "sends Terminate 1/1/01; completed 1 in error", "completed 1"},
      {"elsewhere", 1, 20, true, true, "sends Terminate 1/1/01; completed 1 in error", "completed 1"},
      {"below", -40, 20, true, true, "sends Terminate 1/1/01; completed 1 in error", "completed 1"},
      {"below, not the last", -1, 1, true, false, "sends Terminate 1/1/01; completed 1 in error", ""},
      {"right", 0, 20, true, true, "completed 1", "completed 1"},
      {"not asked for", 0, 20, false, true, "sends Terminate 0/2/06", "sends Terminate 0/2/06"},
      {"not asked for, not the last", 0, 20, false, false, "sends Terminate 0/2/06",
       "sends Terminate 0/2/06"},
      {"not asked for, empty", 0, 0, false, true, "sends Terminate 0/2/06", "sends Terminate 0/2/06"},
      {"not asked for, empty, not the last", 0, 0, false, false, "sends Terminate 0/2/06",
       "sends Terminate 0/2/06"},
  };
  static const uint8_t payload[64];
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (int strict = 0; strict < 2; strict++) {
      rdmap_config a = rdmap_kit_config(KIT_A);
      a.strict_responses = strict;
      g_autoptr(rdmap_kit) kit = rdmap_kit_new(&a, NULL);
      uint8_t *sink = rdmap_kit_memory(kit, KIT_A, 100);
      uint32_t stag = rdmap_kit_register(kit, KIT_A, sink, 0, 100, DDP_ACCESS_REMOTE_WRITE);
      g_test_message("%s", rows[i].what);
      if (rows[i].asked) {
        g_assert_true(rdmap_kit_post(kit, KIT_A, .id = 1, .operation = RDMAP_OPERATION_READ, .length = 20,
                                     .local_stag = stag, .local_offset = 40));
        rdmap_kit_pull_all(kit, KIT_A);
      }
      ddp_header header = {.tagged = true,
                           .last = rows[i].last,
                           .version = 1,
                           .ulp_control = 0x42,
                           .stag = stag,
                           .tagged_offset = (uint64_t)(40 + rows[i].offset)};
      rdmap_kit_forge(kit, KIT_B, &header, payload, rows[i].length);
      rdmap_kit_pass_rest(kit, KIT_B);
      rdmap_kit_assert_log(kit, KIT_A, strict ? rows[i].strict_log : rows[i].lax_log);
    }
  }
}

/* note D36: the source is revoked when 100 of 250 octets are with DDP. The Terminate comes next, in place of
 * the rest, and asks for what is left; no segment with L is made up. */
TEST(test_revoked_midway)
{
  readers r;
  readers_init(&r, 2, 2);
  post_read(&r, 1, 0, 0, 250);
  post_read(&r, 2, 0, 0, 250);
  rdmap_kit_send(r.kit, KIT_A);
  g_assert_true(rdmap_kit_pull(r.kit, KIT_B));
  g_assert_true(ddp_stag_table_deregister(r.kit->hosts[KIT_B].stags, r.source_stag));
  g_assert_cmpuint(rdmap_kit_pull_all(r.kit, KIT_B), ==, 1);
  rdmap_kit_assert_log(r.kit, KIT_B, "sends Terminate 0/1/00");
  g_assert_cmphex(rdmap_kit_sent(r.kit, KIT_B, 0)->octets[0], ==, 0x81);
  g_assert_cmphex(rdmap_kit_sent(r.kit, KIT_B, 1)->octets[1], ==, 0x47);
  rdmap_kit_pass_rest(r.kit, KIT_B);
  rdmap_kit_assert_log(r.kit, KIT_A, "got Terminate 0/1/00; completed 1 in error; completed 2 in error");
  const rdmap_terminate *terminate = &r.kit->hosts[KIT_A].received_terminate;
  g_assert_true(terminate->has_request);
  g_assert_cmpuint(terminate->header.msn, ==, 1);
  EXPECT_FIELDS(&terminate->request, (sink_offset, SINK_BASE + 100), (source_offset, SOURCE_BASE + 100),
                (length, 150));
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_B].stream));
  rdmap_kit_free(r.kit);
}

/* A stream that begins midway begins each queue with the message that is due there, whatever its MSN. */
TEST(test_begins_with_any_message)
{
  enum { DUE = 70000 };
  rdmap_config b = rdmap_kit_config(KIT_B);
  static const uint32_t first_msn[RDMAP_QUEUES] = {[RDMAP_QUEUE_SEND] = DUE};
  b.first_msn = first_msn;
  g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, &b);
  rdmap_kit_post_receive(kit, KIT_B, 0);
  rdmap_kit_post_receive(kit, KIT_B, 0);
  for (uint32_t i = 0; i < 2; i++) {
    ddp_header send = {.last = true, .version = 1, .ulp_control = 0x43, .msn = DUE + i};
    rdmap_kit_forge(kit, KIT_A, &send, NULL, 0);
  }
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "received 1 (0 octets); received 2 (0 octets)");
}

/* A stream that only observes takes more Read Requests than its IRD and answers none, takes responses to
 * Reads it never sent, and leaves the STag of a Send with Invalidate as it is. A Read Request of a wrong
 * length is an error all the same (note D29). */
TEST(test_only_observes)
{
  rdmap_config b = rdmap_kit_config(KIT_B);
  b.only_observes = true;
  g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, &b);
  uint8_t request[RDMAP_READ_REQUEST_OCTETS] = {0};
  uint32_t stag =
      rdmap_kit_register(kit, KIT_B, rdmap_kit_memory(kit, KIT_B, 8), 0, 8, DDP_ACCESS_REMOTE_WRITE);
  ddp_header asks = {.last = true, .version = 1, .ulp_control = 0x41, .queue_number = 1};
  ddp_header response = {.tagged = true, .last = true, .version = 1, .ulp_control = 0x42, .stag = stag};
  for (asks.msn = 1; asks.msn <= 3 * b.ird; asks.msn++) {
    rdmap_kit_forge(kit, KIT_A, &asks, request, sizeof request);
    rdmap_kit_forge(kit, KIT_A, &response, "response", 8);
  }
  rdmap_kit_post_receive(kit, KIT_B, 0);
  ddp_header send = {.last = true, .version = 1, .ulp_control = 0x44, .ulp_word = stag, .msn = 1};
  rdmap_kit_forge(kit, KIT_A, &send, NULL, 0);
  rdmap_kit_pass_rest(kit, KIT_A);
  g_assert_false(rdmap_kit_pull(kit, KIT_B));
  g_assert_nonnull(ddp_stag_table_find(kit->hosts[KIT_B].stags, stag));
  g_autofree char *log = g_strdup_printf("received 1 (0 octets), invalidated 0x%x", stag);
  rdmap_kit_assert_log(kit, KIT_B, log);
  g_string_truncate(kit->hosts[KIT_B].log, 0);
  rdmap_kit_forge(kit, KIT_A, &asks, request, sizeof request - 1);
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/2/FF");
}

/* A Read that can never be answered is refused at once. */
TEST(test_refused_when_posted)
{
  readers r;
  readers_init(&r, 0, 2);
  g_assert_false(rdmap_kit_post_work(r.kit, KIT_A, read_work(&r, 1, 0, 0, 1)));
  g_assert_true(rdmap_stream_is_drained(r.kit->hosts[KIT_A].stream));
  rdmap_kit_free(r.kit);
}
