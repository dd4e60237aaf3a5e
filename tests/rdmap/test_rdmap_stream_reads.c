/* SPDX-License-Identifier: GPL-2.0-only */
#include "bare_ulpdu.h"
#include "rdmap_fixture.h"
#include "stag_changes.h"

/* A reads from B, the Data Source: f->remote is the source, f->local the sink. */
enum { SOURCE_OCTETS = 1000, SINK_OCTETS = 1000, SOURCE_BASE = 3000, SINK_BASE = 9000 };

static const uint32_t source_stag = 0x0A0B0C0D, sink_stag = 0xF1F2F3F4;

static rdmap_fixture *reader_new(uint32_t ord, uint32_t ird)
{
  rdmap_fixture *f = rdmap_fixture_new(A_WITH(.ord = ord), B_WITH(.ird = ird));
  f->remote = new_pattern(f->b, SOURCE_OCTETS, 21);
  f->local = new_memory(f->a, SINK_OCTETS);
  ddp_registration source = {.memory = f->remote,
                             .base = SOURCE_BASE,
                             .length = SOURCE_OCTETS,
                             .access = DDP_ACCESS_REMOTE_READ,
                             .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                             .owner = f->b->identity};
  register_as(f->b, source_stag, source);
  register_as(f->a, sink_stag,
              WITH(ddp_registration, source, .memory = f->local, .base = SINK_BASE, .length = SINK_OCTETS,
                   .access = DDP_ACCESS_REMOTE_WRITE));
  return f;
}

#define READER_TEST(name) TEST_OF(rdmap_fixture, f, reader_new(2, 2), name)

/* A Read of `length` octets from place `from` of the source to place `to` of the sink. */
static rdmap_work read_work(uint64_t id, uint32_t from, uint32_t to, uint32_t length)
{
  return (rdmap_work){.id = id,
                      .operation = RDMAP_READ_REQUEST,
                      .length = length,
                      .remote_stag = source_stag,
                      .remote_offset = SOURCE_BASE + from,
                      .local_stag = sink_stag,
                      .local_offset = SINK_BASE + to};
}

static void post_read(rdmap_fixture *f, uint64_t id, uint32_t from, uint32_t to, uint32_t length)
{
  g_assert_true(try_post(f->a, read_work(id, from, to, length)));
}

/* RDMAP-130: a Read is one Read Request and one Read Response. RDMAP-131, RDMAP-135: the request has T clear,
 * opcode 1 and QN 1. RDMAP-146, RDMAP-151: each segment of the response has T set, opcode 2 and the one Sink
 * STag of the request, whatever it is. 250 octets are 100 + 100 + 50. */
READER_TEST(test_on_the_wire)
{
  post_read(f, 1, 0x10, 8, 250);
  exchange(f);
  /* 9000 + 8 = 0x2330, 3000 + 16 = 0xBC8, 250 = 0xFA */
  g_assert_cmpuint(f->a->sent->len, ==, 1);
  assert_sent(f->a, 0,
              "4141 00000000 00000001 00000001 00000000"
              "F1F2F3F4 0000000000002330 000000FA 0A0B0C0D 0000000000000BC8");
  g_assert_cmpuint(f->b->sent->len, ==, 3);
  for (uint32_t i = 0; i < 3; i++) {
    const sent_ulpdu *ulpdu = nth_sent(f->b, i);
    EXPECT_FIELDS(ulpdu, (octets[0], i == 2 ? 0xC1 : 0x81), (octets[1], 0x42), (length, i == 2 ? 64 : 114));
    g_assert_cmphex(word_of(f->b, i, 2), ==, 0xF1F2F3F4);
    g_assert_cmpuint(word_of(f->b, i, 10), ==, 9008 + 100 * i);
  }
  g_assert_cmpmem(f->local + 8, 250, f->remote + 16, 250);
  assert_untouched(f->local, 8);
  assert_untouched(f->local + 258, SINK_OCTETS - 258);
}

/* RDMAP-143, RDMAP-144: a Read of nothing names STags and offsets that do not exist at either end, and is
 * answered by one empty segment with L set, which completes it. */
READER_TEST(test_zero_length)
{
  post(f->a, .id = 1, .operation = RDMAP_READ_REQUEST, .remote_stag = source_stag ^ 0x55,
       .remote_offset = UINT64_MAX, .local_stag = 0xBADBAD00, .local_offset = UINT64_MAX);
  exchange(f);
  g_assert_cmpuint(f->b->sent->len, ==, 1);
  assert_sent(f->b, 0, "C142 BADBAD00 FFFFFFFFFFFFFFFF");
  assert_log(f->a, "completed 1");
}

/* RDMAP-147, RDMAP-209, RDMAP-210, RDMAP-214: with ORD and IRD of 3 a burst of five Reads puts exactly three
 * requests on the wire, B has room for them, and each response lets one more request out. */
TEST(test_ord_and_ird)
{
  g_autoptr(rdmap_fixture) f = reader_new(3, 3);
  for (uint32_t i = 0; i < 5; i++) {
    post_read(f, i, 0, 0, 150);
  }
  g_assert_cmpuint(pull_all(f->a), ==, 3);
  g_assert_cmpuint(open_reads(f->a->stream), ==, 3);
  acknowledge(f->a); /* is no response */
  g_assert_cmpuint(pull_all(f->a), ==, 0);
  g_assert_true(rdmap_stream_is_drained(f->b->stream));
  pass_rest(f->a);
  g_assert_false(rdmap_stream_is_drained(f->b->stream));
  assert_log(f->b, "");
  g_assert_cmpuint(pull_all(f->b), ==, 6);
  for (size_t i = 0; i < 2; i++) {
    pass(f->b, 2 * i);
    g_assert_cmpuint(pull_all(f->a), ==, 0);
    pass(f->b, 2 * i + 1);
    g_assert_cmpuint(open_reads(f->a->stream), ==, 2);
    g_assert_cmpuint(pull_all(f->a), ==, 1);
  }
  g_assert_cmpuint(rdmap_send_queue_count(f->a->stream->operations), ==, 3);
}

/* RDMAP-132, RDMAP-215: each request takes one buffer of QN 1: with an IRD of 2 the third finds none
 * (1/2/02), also while the first response is partly sent: that one is sent whole. Nothing else is answered
 * any more. */
TEST(test_more_than_ird)
{
  for (int partly_answered = 0; partly_answered < 2; partly_answered++) {
    g_autoptr(rdmap_fixture) f = reader_new(3, 2);
    for (uint32_t i = 0; i < 3; i++) {
      post_read(f, i, 0, 0, 150);
    }
    pull_all(f->a);
    pass(f->a, 0);
    pass(f->a, 1);
    if (partly_answered) {
      g_assert_true(pull(f->b));
    }
    assert_log(f->b, "");
    pass(f->a, 2);
    assert_log(f->b, "sends Terminate 1/2/02");
    g_assert_cmpuint(pull_all(f->b), ==, partly_answered ? 2 : 1);
  }
}

/* note D28: the buffer is back when the last segment of the response leaves: with an IRD and ORD of 1, a
 * requester that asks again the moment it has it never finds B without a buffer. */
TEST(test_one_after_the_other)
{
  g_autoptr(rdmap_fixture) f = reader_new(1, 1);
  for (uint32_t i = 0; i < 20; i++) {
    post_read(f, i, i, 10 * i, 150);
  }
  for (uint32_t i = 0; i < 20; i++) {
    g_assert_cmpuint(send_all(f->a), ==, 1);
    g_assert_cmpuint(send_all(f->b), ==, 2);
  }
  assert_log(f->b, "");
  g_assert_cmpuint(rdmap_send_queue_count(f->a->stream->operations), ==, 0);
}

static octet_slice counted_source(void *user, uint64_t from, uint32_t length)
{
  static const uint8_t table[64];
  unsigned *calls = user;
  ++*calls;
  return (octet_slice){.octets = table + from, .length = length};
}

/* RDMAP-190, RDMAP-198: a Read Request, of nothing too, that is Placed beyond a hole is not processed: not a
 * segment of a response is made, not an octet read. When the hole closes, it is. */
TEST(test_not_before_delivery)
{
  for (uint32_t length = 0; length <= 40; length += 40) {
    g_autoptr(rdmap_fixture) f = reader_new(2, 2);
    unsigned calls = 0;
    register_as(f->b, 0x99,
                (ddp_registration){.source = counted_source,
                                   .source_user = &calls,
                                   .length = 64,
                                   .access = DDP_ACCESS_REMOTE_READ,
                                   .owner = {.protection_domain = PD}});
    post(f->a, .operation = RDMAP_WRITE);
    g_assert_true(try_post(
        f->a, WITH(rdmap_work, read_work(1, 0, 0, length), .remote_stag = 0x99, .remote_offset = 8)));
    g_assert_cmpuint(pull_all(f->a), ==, 2);
    pass(f->a, 1);
    g_assert_cmpuint(f->b->placed, ==, 1);
    g_assert_cmpuint(pull_all(f->b), ==, 0);
    g_assert_cmpuint(calls, ==, 0);
    pass(f->a, 0);
    g_assert_cmpuint(calls, ==, 0);
    g_assert_cmpuint(pull_all(f->b), ==, 1);
    g_assert_cmpuint(calls, ==, length > 0);
  }
}

/* RDMAP-198: the Read returns what an earlier Write brings late (RDMAP-191), and octets that are on their way
 * no longer change. */
READER_TEST(test_memory_is_read_when_sent)
{
  uint8_t *octets = new_pattern(f->a, 100, 23);
  g_assert_true(
      STAG_CHANGE(f->b->stags, source_stag, .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE));
  post(f->a, .operation = RDMAP_WRITE, .length = 100, .source_user = octets, .remote_stag = source_stag,
       .remote_offset = SOURCE_BASE);
  post_read(f, 1, 0, 0, 150);
  pull_all(f->a);
  pass(f->a, 1);
  pass(f->a, 0);
  g_assert_true(pull(f->b));
  /* B's ULP changes the part that is sent and the part that is not. */
  memset(f->remote, 0x11, 200);
  g_assert_false(rdmap_stream_is_drained(f->b->stream));
  g_assert_true(pull(f->b));
  g_assert_true(rdmap_stream_is_drained(f->b->stream));
  pass_rest(f->b);
  g_assert_cmpmem(f->local, 100, octets, 100);
  for (size_t i = 100; i < 150; i++) {
    g_assert_cmphex(f->local[i], ==, 0x11);
  }
}

/* RDMAP-200, RDMAP-203: a Read completes when the last segment of its response is Delivered: not when that is
 * merely Placed, nor by acknowledgements; and it takes nothing else. */
READER_TEST(test_completion)
{
  post_read(f, 1, 0, 0, 250);
  pull_all(f->a);
  acknowledge(f->a);
  pass_rest(f->a);
  g_assert_cmpuint(pull_all(f->b), ==, 3);
  pass(f->b, 2);
  pass(f->b, 0);
  acknowledge(f->a);
  assert_log(f->a, "");
  g_assert_cmpuint(open_reads(f->a->stream), ==, 1);
  pass(f->b, 1);
  assert_log(f->a, "completed 1");
}

/* RDMAP-196: completion in the order posted: a Send after an open Read waits for it though it is
 * acknowledged; a Read after a Write that is not acknowledged waits for that. */
READER_TEST(test_completion_in_order)
{
  uint8_t *octets = new_pattern(f->a, 10, 24);
  post_receive(f->b, 10);
  post_read(f, 1, 0, 0, 10);
  post(f->a, .id = 2, .operation = RDMAP_SEND, .length = 10, .source_user = octets);
  post_read(f, 3, 0, 10, 10);
  pull_all(f->a);
  pass(f->a, 0);
  pass(f->a, 1);
  rdmap_stream_acknowledged(f->a->stream, nth_sent(f->a, 0)->fpdu_end, f->now);
  assert_log(f->b, "received 1 (10 octets)"); /* while the Read is not answered (RDMAP-199) */
  assert_log(f->a, "");
  pull_all(f->b);
  pass(f->b, 0);
  assert_log(f->a, "completed 1");
  pass(f->a, 2);
  pull_all(f->b);
  pass(f->b, 1);
  assert_log(f->a, "completed 1");
  rdmap_stream_acknowledged(f->a->stream, nth_sent(f->a, 1)->fpdu_end, f->now);
  assert_log(f->a, "completed 1; completed 2; completed 3");
}

/* RDMAP-193, RDMAP-194: a fence holds a Read back as it does any other operation, until all Reads before it
 * are answered, and with it what is posted after it; the Read it let go is open again for the next fence. */
TEST(test_fenced_reads)
{
  g_autoptr(rdmap_fixture) f = reader_new(4, 4);
  for (uint32_t i = 0; i < 6; i++) {
    rdmap_work work = read_work(i, 20 * i, 20 * i, 20);
    work.fence = i == 2 || i == 3;
    g_assert_true(try_post(f->a, work));
  }
  static const size_t sent_after[] = {2, 2, 3, 6, 6, 6, 6}; /* requests, by responses Delivered */
  pull_all(f->a);
  for (size_t answered = 0; answered <= 6; answered++) {
    g_assert_cmpuint(count_sent(f->a, RDMAP_READ_REQUEST), ==, sent_after[answered]);
    acknowledge(f->a); /* is no response */
    g_assert_cmpuint(send_all(f->a), ==, 0);
    pull_all(f->b);
    if (answered < 6) {
      pass(f->b, answered);
    }
    pull_all(f->a);
  }
  assert_log(f->a, "completed 0; completed 1; completed 2; completed 3; completed 4; completed 5");
  g_assert_cmpmem(f->local, 120, f->remote, 120);
}

/* Octets without memory, requested in order. */
static octet_slice source_in_order(void *user, uint64_t from, uint32_t length)
{
  static const uint8_t octets[65536];
  uint64_t *next = user;
  g_assert_cmpuint(from, ==, *next);
  *next += length;
  return (octet_slice){.octets = octets, .length = length};
}

/* A asks B for `length` octets from TO `source_base` of a source without memory, which counts in `read`, to
 * `sink_base` of a sink without memory. */
static rdmap_fixture *long_read_new(uint64_t *read, uint64_t source_base, uint64_t sink_base, uint32_t length)
{
  rdmap_fixture *f = rdmap_fixture_new(NULL, NULL);
  register_as(f->b, source_stag,
              (ddp_registration){.source = source_in_order,
                                 .source_user = read,
                                 .base = source_base,
                                 .length = length,
                                 .access = DDP_ACCESS_REMOTE_READ,
                                 .owner = {.protection_domain = PD}});
  register_as(f->a, sink_stag,
              (ddp_registration){.discards = true,
                                 .base = sink_base,
                                 .length = length,
                                 .access = DDP_ACCESS_REMOTE_WRITE,
                                 .owner = {.protection_domain = PD}});
  post(f->a, .id = 9, .operation = RDMAP_READ_REQUEST, .length = length, .remote_stag = source_stag,
       .remote_offset = source_base, .local_stag = sink_stag, .local_offset = sink_base);
  return f;
}

/* The host's next ULPDU goes to the other one at once, without a copy, as the FPDU from `*fpdu_end` on. False
 * when there is none. */
static bool hand_over(rdmap_host *host, uint64_t *fpdu_end)
{
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  bool pulled = next_ulpdu(host, 64768, &chain);
  if (pulled) {
    const mpa_ulpdu ulpdu = bare_ulpdu(*fpdu_end, *fpdu_end + chain.length + 6, &chain);
    *fpdu_end = ulpdu.fpdu.end;
    rdmap_stream_framed(host->stream, *fpdu_end);
    rdmap_stream_receive(host->peer->stream, &ulpdu, host->f->now);
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
    uint64_t read = 0, sent = 0, request_end = FIRST_OFFSET, response_end = FIRST_OFFSET;
    g_autoptr(rdmap_fixture) f = long_read_new(&read, source_base, sink_base, rows[i].length);
    g_assert_true(hand_over(f->a, &request_end));
    while (hand_over(f->b, &response_end)) {
    }
    const GArray *responses = f->a->delivered;
    g_assert_cmpuint(responses->len, ==, rows[i].segments);
    for (guint j = 0; j < responses->len; j++) {
      const ddp_segment *segment = &g_array_index(responses, ddp_segment, j);
      g_assert_cmpuint(segment->header.tagged_offset, ==, sink_base + sent);
      g_assert_cmpint(segment->header.last, ==, j == responses->len - 1);
      sent += segment->payload_octets;
    }
    g_assert_cmpuint(sent, ==, rows[i].length);
    g_assert_cmpuint(read, ==, rows[i].length);
    assert_log(f->a, "completed 9");
  }
}

/* Read Responses and the ULP's own operations take turns, message by message. */
TEST(test_taking_turns)
{
  g_autoptr(rdmap_fixture) f = reader_new(3, 3);
  for (uint32_t i = 0; i < 3; i++) {
    post_read(f, i, 0, 0, 150);
  }
  send_all(f->a);
  for (uint64_t id = 0; id < 4; id++) {
    post(f->b, .operation = RDMAP_WRITE);
  }
  static const uint8_t expected[] = {0x42, 0x42, 0x40, 0x42, 0x42, 0x40, 0x42, 0x42, 0x40, 0x40};
  g_assert_cmpuint(pull_all(f->b), ==, G_N_ELEMENTS(expected));
  for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmphex(nth_sent(f->b, i)->octets[1], ==, expected[i]);
  }
}

/* A response to a Read of 20 octets to TO 40; `is_right`: it matches. */
typedef struct response_row {
  const char *name;
  int32_t offset; /* from there */
  uint32_t length;
  bool is_last;
  bool is_right;
} response_row;

static const response_row responses[] = {
    {"too long", 0, 21, true, false},  {"too short", 0, 19, true, false},
    {"elsewhere", 1, 20, true, false}, {"below", -40, 20, true, false},
    {"right", 0, 20, true, true},      {"below, not the last", -1, 1, false, false},
};

static void forge_response(rdmap_host *host, uint32_t stag, uint64_t offset, uint32_t length, bool is_last)
{
  ddp_header header = {.tagged = true,
                       .last = is_last,
                       .version = 1,
                       .ulp_control = 0x42,
                       .stag = stag,
                       .tagged_offset = offset};
  forge(host, &header, NULL, length);
  pass_rest(host);
}

/* One that does not match is an error when strict; else the Read is taken for answered. */
EACH_TEST(test_wrong_responses, response_row, responses)
{
  for (int strict = 0; strict < 2; strict++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(A_WITH(.strict_responses = strict), NULL);
    uint32_t stag = register_memory(f->a, new_memory(f->a, 100), 0, 100, DDP_ACCESS_REMOTE_WRITE);
    post(f->a, .id = 1, .operation = RDMAP_READ_REQUEST, .length = 20, .local_stag = stag,
         .local_offset = 40);
    pull_all(f->a);
    forge_response(f->b, stag, (uint64_t)(40 + c->offset), c->length, c->is_last);
    assert_log(f->a, strict && !c->is_right ? "sends Terminate 1/1/01; completed 1 in error"
                     : c->is_last           ? "completed 1"
                                            : "");
  }
}

/* RDMAP-096, RDMAP-255, notes D36, D56: the source is revoked when 100 of 250 octets are with DDP. The
 * Terminate comes next, in place of the rest, and asks for what is left: SinkTO 9000 + 5 + 100 = 0x2391, 150
 * octets (0x96), SrcTO 3000 + 16 + 100 = 0xC2C. No octet is read after it, and no segment with L is made
 * up. */
READER_TEST(test_revoked_midway)
{
  post_read(f, 1, 16, 5, 250);
  post_read(f, 2, 0, 0, 250);
  send_all(f->a);
  g_assert_true(pull(f->b));
  g_assert_true(ddp_stag_table_deregister(f->b->stags, source_stag));
  g_assert_cmpuint(pull_all(f->b), ==, 1);
  assert_log(f->b, "sends Terminate 0/1/00");
  g_assert_cmphex(nth_sent(f->b, 0)->octets[0], ==, 0x81);
  g_assert_cmpmem(nth_sent(f->b, 0)->octets + 14, 100, f->remote + 16, 100);
  assert_sent(f->b, 1,
              "41 47 00000000 00000002 00000001 00000000"
              "01 00 E000 002E 41 41 00000000 00000001 00000001 00000000"
              "F1F2F3F4 0000000000002391 00000096 0A0B0C0D 0000000000000C2C");
  pass_rest(f->b);
  assert_log(f->a, "got Terminate 0/1/00; completed 1 in error; completed 2 in error");
  g_assert_true(rdmap_stream_is_drained(f->b->stream));
}

/* A stream that begins midway begins each queue with the message that is due there, whatever its MSN. */
TEST(test_begins_with_any_message)
{
  enum { DUE = 70000 };
  static const rdmap_beginning beginning = {.offset = FIRST_OFFSET, .first_msn = {[RDMAP_QUEUE_SEND] = DUE}};
  g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, B_WITH(.beginning = &beginning));
  post_receive(f->b, 0);
  post_receive(f->b, 0);
  for (uint32_t i = 0; i < 2; i++) {
    ddp_header send = {.last = true, .version = 1, .ulp_control = 0x43, .msn = DUE + i};
    forge(f->a, &send, NULL, 0);
  }
  pass_rest(f->a);
  assert_log(f->b, "received 1 (0 octets); received 2 (0 octets)");
}

/* A stream that only observes takes more Read Requests than its IRD and answers none, takes responses to
 * Reads it never sent, and leaves the STag of a Send with Invalidate as it is. A Read Request of a wrong
 * length is an error all the same (note D29). */
TEST(test_only_observes)
{
  enum { IRD = 2 };
  g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, B_WITH(.only_observes = true, .ird = IRD));
  uint8_t request[RDMAP_READ_REQUEST_OCTETS] = {0};
  uint32_t stag = register_memory(f->b, new_memory(f->b, 8), 0, 8, DDP_ACCESS_REMOTE_WRITE);
  ddp_header asks = {.last = true, .version = 1, .ulp_control = 0x41, .queue_number = 1};
  ddp_header response = {.tagged = true, .last = true, .version = 1, .ulp_control = 0x42, .stag = stag};
  for (asks.msn = 1; asks.msn <= 3 * IRD; asks.msn++) {
    forge(f->a, &asks, request, sizeof request);
    forge(f->a, &response, "response", 8);
  }
  post_receive(f->b, 0);
  ddp_header send = {.last = true, .version = 1, .ulp_control = 0x44, .ulp_word = stag, .msn = 1};
  forge(f->a, &send, NULL, 0);
  pass_rest(f->a);
  g_assert_false(pull(f->b));
  g_assert_nonnull(ddp_stag_table_find(f->b->stags, stag));
  g_autofree char *log = g_strdup_printf("received 1 (0 octets), invalidated 0x%x", stag);
  assert_log(f->b, log);
  g_string_truncate(f->b->log, 0);
  forge(f->a, &asks, request, sizeof request - 1);
  pass_rest(f->a);
  assert_log(f->b, "sends Terminate 0/2/FF");
}

/* A Read that can never be answered is refused at once. */
TEST(test_refused_when_posted)
{
  g_autoptr(rdmap_fixture) f = reader_new(0, 2);
  g_assert_false(try_post(f->a, read_work(1, 0, 0, 1)));
  g_assert_true(rdmap_stream_is_drained(f->a->stream));
}
