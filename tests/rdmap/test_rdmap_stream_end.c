/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "fields.h"
#include "rdmap/rdmap_stream_private.h"
#include "rdmap_kit.h"
#include "stack_cleanup.h"
#include "test.h"

static const rdmap_error stream_catastrophe = {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR,
                                               RDMAP_OPERATION_STREAM_CATASTROPHIC};

static bool post(rdmap_kit *kit, unsigned side, uint64_t id, rdmap_operation operation, uint32_t length)
{
  static uint8_t octets[500];
  return rdmap_kit_post(kit, side, .id = id, .operation = operation, .length = length,
                        .source_user = length ? octets : NULL);
}

static void forge_terminate(rdmap_kit *kit, unsigned side, uint32_t msn, uint32_t length)
{
  static const uint8_t payload[4] = {0x02, 0x07, 0, 0};
  ddp_header header = {.last = true, .version = 1, .ulp_control = 0x47, .queue_number = 2, .msn = msn};
  rdmap_kit_forge(kit, side, &header, payload, length);
}

/* RDMAP-167, RDMAP-168: a Terminate has T clear, opcode 7 and QN 2; it is the first message there.
 * rdmap-00 §9.1 case 1: of an error with no incoming message it has nothing but type and code. */
RDMAP_TEST(test_on_the_wire)
{
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_SEND, 0));
  g_assert_true(rdmap_kit_pull(kit, KIT_A));
  rdmap_stream_fail(kit->hosts[KIT_A].stream, stream_catastrophe, kit->now);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
  rdmap_kit_assert_sent(kit, KIT_A, 1, "4147 00000000 00000002 00000001 00000000 02070000");
}

/* RDMAP-170: the Terminate has a buffer of its own: it is Placed where nobody has posted any, and however
 * long it is: one for a Read Request, of 52 octets, in segments of at most 46 of payload too. RDMAP-172: the
 * ULP hears what it says. */
TEST(test_it_always_has_a_buffer)
{
  rdmap_config a = rdmap_kit_config(KIT_A);
  a.ird = 0;
  a.ord = 1;
  for (uint32_t mulpdu = 64; mulpdu <= 1442; mulpdu += 1442 - 64) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(&a, NULL);
    kit->mulpdu_octets = mulpdu;
    g_assert_true(rdmap_kit_post(kit, KIT_A, .id = 1, .operation = RDMAP_OPERATION_READ, .length = 5,
                                 .remote_stag = 0x77, .remote_offset = 9, .local_stag = 0x55));
    rdmap_kit_run(kit);
    rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/1/00");
    rdmap_kit_assert_log(kit, KIT_A, "got Terminate 0/1/00; completed 1 in error");
    g_assert_cmpuint(kit->hosts[KIT_B].sent->len, ==, mulpdu == 64 ? 2 : 1);
    const rdmap_terminate *sent = &kit->hosts[KIT_B].sent_terminate;
    const rdmap_terminate *received = &kit->hosts[KIT_A].received_terminate;
    g_assert_true(received->has_segment && received->has_request);
    g_assert_cmpuint(received->segment_octets, ==, 18 + 28);
    g_assert_cmpmem(received->header_wire, 18, sent->header_wire, 18);
    EXPECT_FIELDS(&received->request, (source_stag, 0x77), (sink_stag, 0x55), (source_offset, 9),
                  (length, 5));
  }
}

/* RDMAP-169: a Terminate uses up the one buffer there is: there is none for a second, which an early one with
 * MSN 2 shows. */
TEST(test_it_uses_the_buffer)
{
  rdmap_kit *kit = rdmap_kit_new(NULL, NULL);
  forge_terminate(kit, KIT_A, 2, 4);
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 1/2/02");
  rdmap_kit_free(kit);

  kit = rdmap_kit_new(NULL, NULL);
  forge_terminate(kit, KIT_A, 1, 4);
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "got Terminate 0/2/07");
  rdmap_kit_free(kit);
}

/* RDMAP-171: the Terminate is Delivered behind all that was sent before it: the ULP hears of an earlier Send
 * first, though that arrives last. RDMAP-172: then it hears of the Terminate. */
RDMAP_TEST(test_delivered_in_its_turn)
{
  rdmap_kit_post_receive(kit, KIT_B, 100);
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_SEND, 100));
  rdmap_kit_pull_all(kit, KIT_A);
  rdmap_stream_fail(kit->hosts[KIT_A].stream, stream_catastrophe, kit->now);
  rdmap_kit_pull_all(kit, KIT_A);
  rdmap_kit_pass(kit, KIT_A, 2);
  rdmap_kit_pass(kit, KIT_A, 1);
  rdmap_kit_assert_log(kit, KIT_B, "");
  g_assert_false(kit->hosts[KIT_B].stream->is_terminated);
  rdmap_kit_pass(kit, KIT_A, 0);
  rdmap_kit_assert_log(kit, KIT_B, "received 1 (100 octets); got Terminate 0/2/07");
  g_assert_true(kit->hosts[KIT_B].stream->is_terminated);
}

/* RDMAP-175: the Terminate is the last message of its direction: what is posted, a response that is due, and
 * what the ULP would like to post do not go out. RDMAP-206: nor does anything else. */
RDMAP_TEST(test_nothing_comes_behind)
{
  g_assert_true(post(kit, KIT_B, 9, RDMAP_OPERATION_READ, 0));
  rdmap_kit_send(kit, KIT_B);
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 200));
  g_assert_true(post(kit, KIT_A, 2, RDMAP_OPERATION_SEND, 200));
  rdmap_stream_fail(kit->hosts[KIT_A].stream, stream_catastrophe, kit->now);
  g_assert_false(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
  g_assert_false(post(kit, KIT_A, 3, RDMAP_OPERATION_SEND, 0));
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
  g_assert_cmphex(rdmap_kit_sent(kit, KIT_A, 0)->octets[1], ==, 0x47);
  g_assert_false(post(kit, KIT_A, 4, RDMAP_OPERATION_SEND, 0));
  rdmap_stream_fail(kit->hosts[KIT_A].stream, stream_catastrophe, kit->now);
  rdmap_stream_llp_error(kit->hosts[KIT_A].stream, 2, kit->now);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
  g_assert_true(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
  rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 0/2/07; completed 1 in error; completed 2 in error");
}

/* DDP-086, DDP-038: a message that DDP has when the stream fails is sent whole, its last segment with L; then
 * the Terminate goes, before what is only posted; and the peer, who Delivers it after that message (DDP-115),
 * hears of both. So it is with an error of this end's own and with one of MPA's, which leaves the outgoing
 * half as it was (mpa-01 §7). 300 octets are 3 tagged segments or 4 untagged ones; two are out. The operation
 * completes, in error as all others, when DDP has no more of its octets to send. */
TEST(test_message_under_way)
{
  for (int i = 0; i < 4; i++) {
    bool tagged = i & 1;
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    rdmap_stream *stream = kit->hosts[KIT_A].stream;
    uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 300);
    uint32_t stag = rdmap_kit_register(kit, KIT_B, memory, 0, 300, DDP_ACCESS_REMOTE_WRITE);
    uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 300, 31);
    uint8_t *received = rdmap_kit_post_receive(kit, KIT_B, 300);
    g_assert_true(post(kit, KIT_A, 0, RDMAP_OPERATION_WRITE, 0));
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    g_assert_true(rdmap_kit_post(kit, KIT_A, .id = 1,
                                 .operation = tagged ? RDMAP_OPERATION_WRITE : RDMAP_OPERATION_SEND,
                                 .length = 300, .source_user = octets, .remote_stag = stag));
    g_assert_true(post(kit, KIT_A, 2, RDMAP_OPERATION_SEND, 0));
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    if (i & 2) {
      rdmap_stream_llp_error(stream, 2, kit->now);
    } else {
      rdmap_stream_fail(stream, stream_catastrophe, kit->now);
    }
    const char *code = i & 2 ? "2/0/02" : "0/2/07";
    g_autofree char *log = g_strconcat("sends Terminate ", code, NULL);
    rdmap_kit_acknowledge(kit, KIT_A);
    rdmap_kit_assert_log(kit, KIT_A, log);
    size_t segments = tagged ? 3 : 4;
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, segments - 2 + 1);
    for (size_t sent = 1; sent <= segments; sent++) { /* after the Write of no octets */
      g_assert_cmphex(rdmap_kit_sent(kit, KIT_A, sent)->octets[1], ==, tagged ? 0x40 : 0x43);
      g_assert_cmphex(rdmap_kit_sent(kit, KIT_A, sent)->octets[0] & 0x40, ==, sent < segments ? 0 : 0x40);
    }
    g_assert_cmphex(rdmap_kit_sent(kit, KIT_A, segments + 1)->octets[1], ==, 0x47);
    g_assert_true(rdmap_stream_is_drained(stream));
    char *ended =
        g_strconcat(log, "; completed 0 in error; completed 1 in error; completed 2 in error", NULL);
    rdmap_kit_assert_log(kit, KIT_A, ended);
    rdmap_kit_pass_rest(kit, KIT_A);
    g_autofree char *told =
        g_strconcat(tagged ? "" : "received 1 (300 octets); ", "got Terminate ", code, NULL);
    rdmap_kit_assert_log(kit, KIT_B, told);
    g_assert_cmpmem(tagged ? memory : received, 300, octets, 300);
    g_free(ended);
  }
}

/* RDMAP-232: a Read Response under way is sent whole, too; unless its source is revoked: then the Terminate
 * that is due is next, with no L made up for the response (note D36). The first error stays the one that is
 * told. A's Read of 250 octets has one segment of 100 out. */
TEST(test_response_under_way)
{
  for (int revoked = 0; revoked < 2; revoked++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint8_t *source = rdmap_kit_pattern(kit, KIT_B, 250, 3);
    uint8_t *sink = rdmap_kit_memory(kit, KIT_A, 250);
    uint32_t source_stag = rdmap_kit_register(kit, KIT_B, source, 0, 250, DDP_ACCESS_REMOTE_READ);
    uint32_t sink_stag = rdmap_kit_register(kit, KIT_A, sink, 0, 250, DDP_ACCESS_REMOTE_WRITE);
    g_assert_true(rdmap_kit_post(kit, KIT_A, .id = 1, .operation = RDMAP_OPERATION_READ, .length = 250,
                                 .remote_stag = source_stag, .local_stag = sink_stag));
    rdmap_kit_send(kit, KIT_A);
    g_assert_true(post(kit, KIT_B, 9, RDMAP_OPERATION_WRITE, 0));
    g_assert_true(rdmap_kit_pull(kit, KIT_B)); /* the response, whose turn it is first */
    rdmap_stream_fail(kit->hosts[KIT_B].stream, stream_catastrophe, kit->now);
    if (revoked) {
      ddp_stag_table_deregister(kit->hosts[KIT_B].stags, source_stag);
    }
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, revoked ? 1 : 3);
    g_assert_cmpuint(rdmap_kit_count(kit, KIT_B, RDMAP_READ_RESPONSE), ==, revoked ? 1 : 3);
    g_assert_cmpuint(rdmap_kit_count(kit, KIT_B, RDMAP_TERMINATE), ==, 1);
    g_assert_true(rdmap_stream_is_drained(kit->hosts[KIT_B].stream));
    rdmap_kit_pass_rest(kit, KIT_B);
    rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/2/07; completed 9 in error");
    rdmap_kit_assert_log(kit, KIT_A,
                         revoked ? "got Terminate 0/2/07; completed 1 in error"
                                 : "completed 1; got Terminate 0/2/07");
    g_assert_cmpmem(sink, revoked ? 100 : 250, source, revoked ? 100 : 250);
  }
}

/* After an error nothing is Placed, Delivered or told any more, a Terminate of the peer's neither (note
 * D38). */
RDMAP_TEST(test_silence)
{
  uint8_t *memory = rdmap_kit_post_receive(kit, KIT_B, 100);
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_SEND, 90));
  rdmap_kit_pull_all(kit, KIT_A);
  forge_terminate(kit, KIT_A, 1, 4);
  rdmap_stream_fail(kit->hosts[KIT_B].stream, stream_catastrophe, kit->now);
  rdmap_kit_pass_rest(kit, KIT_A);
  rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 0/2/07");
  rdmap_kit_assert_untouched(memory, 100);
  g_assert_cmpuint(kit->hosts[KIT_B].placed, ==, 0);
  g_assert_cmpuint(kit->hosts[KIT_B].delivered->len, ==, 0);
}

/* A Terminate is not answered by one, nor by anything else (RDMAP-176, note D41); a second is met with
 * silence. All that is posted completes in error, in order, but a Read whose response is here already
 * (RDMAP-221, RDMAP-228). */
RDMAP_TEST(test_after_a_terminate_of_the_peer)
{
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 0));
  g_assert_true(post(kit, KIT_A, 2, RDMAP_OPERATION_READ, 0));
  g_assert_true(post(kit, KIT_A, 3, RDMAP_OPERATION_READ, 0));
  g_assert_true(post(kit, KIT_A, 4, RDMAP_OPERATION_SEND, 300));
  for (size_t i = 0; i < 4; i++) {
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
  }
  rdmap_kit_pass(kit, KIT_A, 0);
  rdmap_kit_pass(kit, KIT_A, 1);
  rdmap_kit_pull_all(kit, KIT_B);
  forge_terminate(kit, KIT_B, 1, 4);
  forge_terminate(kit, KIT_B, 2, 4);
  g_assert_true(post(kit, KIT_A, 5, RDMAP_OPERATION_WRITE, 0));
  rdmap_kit_pass_rest(kit, KIT_B);
  rdmap_kit_assert_log(kit, KIT_A,
                       "got Terminate 0/2/07; completed 1 in error; completed 2; completed 3 in error; "
                       "completed 4 in error; completed 5 in error");
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
  g_assert_true(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
  g_assert_cmpuint(rdmap_send_queue_count(kit->hosts[KIT_A].stream->operations), ==, 0);
  rdmap_kit_acknowledge(kit, KIT_A);
  g_assert_false(post(kit, KIT_A, 6, RDMAP_OPERATION_WRITE, 0));
}

/* A Terminate that ends within its own control field is an error: 0/2/FF, with the segment (note D29). One
 * that is longer than any does not fit its buffer. */
TEST(test_invalid_terminates)
{
  static const struct {
    uint32_t length;
    const char *log;
  } rows[] = {{0, "sends Terminate 0/2/FF"}, {3, "sends Terminate 0/2/FF"}, {53, "sends Terminate 1/2/05"}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    static const uint8_t zeros[53];
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    ddp_header header = {.last = true, .version = 1, .ulp_control = 0x47, .queue_number = 2, .msn = 1};
    rdmap_kit_forge(kit, KIT_A, &header, zeros, rows[i].length);
    rdmap_kit_pass_rest(kit, KIT_A);
    rdmap_kit_assert_log(kit, KIT_B, rows[i].log);
    g_assert_cmpuint(kit->hosts[KIT_B].sent_terminate.segment_octets, ==, 18 + rows[i].length);
  }
}

/* ddp-07/rfc5041 §6.2.1: after the ULP's graceful end nothing more is accepted (DDP-126), what is posted goes
 * out, what the peer asks for too, and what it sends is taken (DDP-131). */
RDMAP_TEST(test_close)
{
  rdmap_kit_post_receive(kit, KIT_B, 0);
  rdmap_kit_post_receive(kit, KIT_A, 0);
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_SEND, 0));
  rdmap_stream_close(kit->hosts[KIT_A].stream);
  g_assert_false(post(kit, KIT_A, 2, RDMAP_OPERATION_SEND, 0));
  g_assert_false(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
  g_assert_true(post(kit, KIT_B, 7, RDMAP_OPERATION_READ, 0));
  g_assert_true(post(kit, KIT_B, 8, RDMAP_OPERATION_SEND, 0));
  rdmap_kit_run(kit);
  rdmap_kit_assert_log(kit, KIT_A, "completed 1; received 1 (0 octets)");
  rdmap_kit_assert_log(kit, KIT_B, "received 1 (0 octets); completed 7; completed 8");
  g_assert_true(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
  g_assert_false(kit->hosts[KIT_A].stream->is_terminated);
}

/* DDP-128: the peer's direction ends: the ULP is told once, its own operations go on, but a Read could never
 * be answered. DDP-127: data after that end, right or wrong, is not Placed; it ends the stream, also one that
 * this ULP has closed in turn. The peer is told. */
TEST(test_half_close)
{
  for (unsigned i = 0; i < 4; i++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    rdmap_stream *stream = kit->hosts[KIT_A].stream;
    g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 0));
    rdmap_stream_llp_finished(stream, kit->now);
    rdmap_stream_llp_finished(stream, kit->now);
    g_assert_false(post(kit, KIT_A, 2, RDMAP_OPERATION_READ, 0));
    g_assert_true(post(kit, KIT_A, 3, RDMAP_OPERATION_WRITE, 0));
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 2);
    rdmap_kit_acknowledge(kit, KIT_A);
    rdmap_kit_assert_log(kit, KIT_A, "half-closed; completed 1; completed 3");
    g_assert_true(post(kit, KIT_A, 4, RDMAP_OPERATION_WRITE, 0));
    if (i & 1) {
      rdmap_stream_close(stream);
    }
    rdmap_kit_forge_hex(kit, KIT_B, i & 2 ? "FF FF" : "C1 40 00000000 0000000000000000");
    rdmap_kit_pass_rest(kit, KIT_B);
    g_assert_cmpuint(kit->hosts[KIT_A].placed, ==, 0);
    rdmap_kit_assert_log(
        kit, KIT_A, "half-closed; completed 1; completed 3; sends Terminate 1/0/00; completed 4 in error");
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
    g_assert_true(rdmap_stream_is_drained(stream));
  }
}

/* The peer's direction ends without the response to a Read: it fails now, sent or not, instead of waiting for
 * ever. */
TEST(test_half_close_leaves_a_read)
{
  for (int sent = 0; sent < 2; sent++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_READ, 0));
    if (sent) {
      rdmap_kit_pull_all(kit, KIT_A);
    }
    rdmap_stream_llp_finished(kit->hosts[KIT_A].stream, kit->now);
    rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 2/0/01; completed 1 in error");
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
  }
}

/* After both ends' graceful end there is nothing to tell. */
RDMAP_TEST(test_close_and_half_close)
{
  rdmap_stream_close(kit->hosts[KIT_A].stream);
  rdmap_stream_llp_finished(kit->hosts[KIT_A].stream, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "");
  g_assert_true(rdmap_stream_is_drained(kit->hosts[KIT_A].stream));
}

/* MPA's errors are of layer 2 and type 0, with its own codes, and nothing copied (note D50). DDP-133,
 * DDP-134: each is one fatal indication to the ULP. DDP-137: the outgoing half still takes the Terminate. */
TEST(test_llp_error)
{
  for (uint8_t code = 1; code <= 4; code++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 100));
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    rdmap_stream_llp_error(kit->hosts[KIT_A].stream, code, kit->now);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
    g_autofree char *wire = g_strdup_printf("4147 00000000 00000002 00000001 00000000 20%02X0000", code);
    rdmap_kit_assert_sent(kit, KIT_A, 1, wire);
    g_autofree char *log = g_strdup_printf("sends Terminate 2/0/%02X; completed 1 in error", code);
    rdmap_kit_assert_log(kit, KIT_A, log);
  }
}

/* DDP-132: the connection is lost, of a stream that is open, closed by its ULP, by the peer, or by both: one
 * fatal indication, all completes in error, nothing goes out, not even the rest of a message, or a Terminate
 * that was due or half sent. */
TEST(test_llp_lost)
{
  rdmap_kit *kit;
  rdmap_stream *stream;
  for (unsigned closed = 0; closed < 4; closed++) {
    kit = rdmap_kit_new(NULL, NULL);
    stream = kit->hosts[KIT_A].stream;
    g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 200));
    g_assert_true(rdmap_kit_pull(kit, KIT_A));
    if (closed & 1) {
      rdmap_stream_close(stream);
    }
    if (closed & 2) {
      rdmap_stream_llp_finished(stream, kit->now);
    }
    g_string_truncate(kit->hosts[KIT_A].log, 0);
    rdmap_stream_llp_lost(stream, kit->now);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
    rdmap_stream_llp_lost(stream, kit->now);
    rdmap_stream_llp_error(stream, 2, kit->now);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
    rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 2/0/01; completed 1 in error");
    g_assert_true(rdmap_stream_is_drained(stream));
    rdmap_kit_free(kit);
  }

  kit = rdmap_kit_new(NULL, NULL);
  stream = kit->hosts[KIT_A].stream;
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 200));
  g_assert_true(rdmap_kit_pull(kit, KIT_A));
  rdmap_stream_fail(stream, stream_catastrophe, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 0/2/07");
  rdmap_stream_llp_lost(stream, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 0/2/07; completed 1 in error");
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
  rdmap_kit_free(kit);

  for (int half_sent = 0; half_sent < 2; half_sent++) {
    kit = rdmap_kit_new(NULL, NULL);
    kit->mulpdu_octets = 20; /* 2 octets of payload: the 4 of the Terminate are two segments */
    stream = kit->hosts[KIT_A].stream;
    rdmap_stream_fail(stream, stream_catastrophe, kit->now);
    if (half_sent) {
      g_assert_true(rdmap_kit_pull(kit, KIT_A));
    }
    g_assert_false(rdmap_stream_is_drained(stream));
    rdmap_stream_llp_lost(stream, kit->now);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 0);
    g_assert_true(rdmap_stream_is_drained(stream));
    rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 0/2/07");
    rdmap_kit_free(kit);
  }
}

static void try_to_post(rdmap_kit *kit, unsigned side)
{
  unsigned *refused = kit->hosts[side].at_event_user;
  *refused += !post(kit, side, 99, RDMAP_OPERATION_WRITE, 0);
  rdmap_stream_fail(kit->hosts[side].stream, stream_catastrophe, kit->now);
}

/* The handlers of the end may post and fail again, in vain. */
RDMAP_TEST(test_handlers_of_the_end)
{
  unsigned refused = 0;
  g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_WRITE, 0));
  g_assert_true(post(kit, KIT_A, 2, RDMAP_OPERATION_WRITE, 0));
  kit->hosts[KIT_A].at_event = try_to_post;
  kit->hosts[KIT_A].at_event_user = &refused;
  rdmap_stream_llp_error(kit->hosts[KIT_A].stream, 3, kit->now);
  rdmap_kit_assert_log(kit, KIT_A, "sends Terminate 2/0/03; completed 1 in error; completed 2 in error");
  g_assert_cmpuint(refused, ==, 3);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
}

/* The handler of a Send may end the stream: what is Placed behind it is not Delivered any more. */
static void fail_once(rdmap_kit *kit, unsigned side)
{
  rdmap_stream_fail(kit->hosts[side].stream, stream_catastrophe, kit->now);
}

RDMAP_TEST(test_the_ulp_ends_it_from_a_handler)
{
  for (uint64_t id = 1; id <= 3; id++) {
    rdmap_kit_post_receive(kit, KIT_B, 0);
    g_assert_true(post(kit, KIT_A, id, RDMAP_OPERATION_SEND, 0));
  }
  kit->hosts[KIT_B].at_event = fail_once;
  rdmap_kit_pull_all(kit, KIT_A);
  rdmap_kit_pass(kit, KIT_A, 2);
  rdmap_kit_pass(kit, KIT_A, 1);
  rdmap_kit_pass(kit, KIT_A, 0);
  rdmap_kit_assert_log(kit, KIT_B, "received 1 (0 octets); sends Terminate 0/2/07");
  g_assert_cmpuint(kit->hosts[KIT_B].delivered->len, ==, 1);
  g_assert_cmpuint(rdmap_stream_undelivered(kit->hosts[KIT_B].stream), ==, 0);
}

/* So may the handler of each Delivered segment: then the ULP hears no more of that. Handlers that are not
 * there are not called. */
typedef struct ending_host {
  rdmap_stream *stream;
  unsigned received, terminated;
} ending_host;

static void end_at_delivery(void *user, const ddp_segment *segment, time_ps now)
{
  ending_host *host = user;
  (void)segment;
  rdmap_stream_fail(host->stream, stream_catastrophe, now);
}

static void count_received(void *user, const rdmap_received *received, time_ps now)
{
  ending_host *host = user;
  (void)received, (void)now;
  host->received++;
}

static void count_terminated(void *user, const rdmap_terminate *terminate, bool by_peer, time_ps now)
{
  ending_host *host = user;
  (void)terminate, (void)by_peer, (void)now;
  host->terminated++;
}

TEST(test_ended_at_delivery)
{
  for (unsigned ends = 0; ends < 2; ends++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    kit_host *b = &kit->hosts[KIT_B];
    ending_host host = {0};
    rdmap_config config = rdmap_kit_config(KIT_B);
    config.stags = b->stags;
    ddp_probe probe = {.delivered = ends ? end_at_delivery : NULL};
    rdmap_stream_events events = {.received = count_received, .terminated = count_terminated};
    config.probe = &probe;
    config.probe_user = &host;
    rdmap_stream_free(b->stream);
    host.stream = b->stream = rdmap_stream_new(&config, &events, &host);
    rdmap_kit_post_receive(kit, KIT_B, 0);
    g_assert_true(post(kit, KIT_A, 1, RDMAP_OPERATION_SEND, 0));
    rdmap_kit_send(kit, KIT_A);
    g_assert_cmpuint(host.received, ==, 1 - ends);
    g_assert_cmpuint(host.terminated, ==, ends);
    rdmap_stream_llp_finished(host.stream, kit->now);
  }
}

/* A stream counts among those of its Protection Domain as long as it is there: shared STags are not
 * invalidated by a Remote Peer in generation rfc (note D55). */
TEST(test_counted_in_its_protection_domain)
{
  static const struct {
    iwarp_generation generation;
    bool shared;
    const char *log;
  } rows[] = {
      {IWARP_RFC, true, "sends Terminate 0/1/09"},
      {IWARP_RFC, false, "received 1 (0 octets), invalidated 0x31"},
      {IWARP_IETF, true, "received 1 (0 octets), invalidated 0x31"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    rdmap_config a = rdmap_kit_config(KIT_A), b = rdmap_kit_config(KIT_B), other = rdmap_kit_config(KIT_B);
    g_autoptr(ddp_stag_table) stags = ddp_stag_table_new(1);
    a.generation = b.generation = rows[i].generation;
    b.stags = other.stags = stags;
    other.identity.stream_id = 3;
    rdmap_stream *sharer = rdmap_stream_new(&other, &(rdmap_stream_events){0}, NULL);
    if (!rows[i].shared) {
      rdmap_stream_free(sharer);
      sharer = NULL;
    }
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(&a, &b);
    ddp_registration registration = {.owner = {.protection_domain = 7}, .is_remotely_invalidatable = true};
    g_assert_true(ddp_stag_table_register_as(stags, 0x31, &registration));
    rdmap_kit_post_receive(kit, KIT_B, 0);
    g_assert_true(
        rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_SEND_INVALIDATE, .remote_stag = 0x31));
    rdmap_kit_send(kit, KIT_A);
    rdmap_kit_assert_log(kit, KIT_B, rows[i].log);
    rdmap_stream_free(sharer);
  }
}

/* The FIN behind a Terminate is no news: neither the end that sent it nor the one that got it hears of a
 * half-close. */
RDMAP_TEST(test_fin_after_a_terminate)
{
  uint8_t octet = 1;
  g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_WRITE, .length = 1,
                               .source_user = &octet, .remote_stag = 0x99));
  rdmap_kit_run(kit);
  for (unsigned side = 0; side < KIT_SIDES; side++) {
    rdmap_stream_llp_finished(kit->hosts[side].stream, kit->now);
  }
  rdmap_kit_assert_log(kit, KIT_A, "completed 0; got Terminate 1/1/00");
  rdmap_kit_assert_log(kit, KIT_B, "sends Terminate 1/1/00");
}
