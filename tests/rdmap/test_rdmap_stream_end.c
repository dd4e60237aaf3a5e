/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap_fixture.h"

static const rdmap_error stream_catastrophe = {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR,
                                               RDMAP_OPERATION_STREAM_CATASTROPHIC};

static void post_octets(rdmap_host *host, uint64_t id, rdmap_opcode operation, uint32_t length)
{
  static uint8_t octets[500];
  post(host, .id = id, .operation = operation, .length = length, .source_user = length ? octets : NULL);
}

/* Of a Terminate, in QN 2. */
static void forge_terminate(rdmap_host *host, uint32_t msn)
{
  ddp_header header = {.last = true, .version = 1, .ulp_control = 0x47, .queue_number = 2, .msn = msn};
  forge(host, &header, (const uint8_t[]){0x02, 0x07, 0, 0}, 4);
}

/* An error of this end's own. */
static void fail(rdmap_host *host)
{
  rdmap_stream_fail(host->stream, stream_catastrophe, host->f->now);
}

/* RDMAP-170: the Terminate has a buffer of its own: it is Placed although the ULP has posted none, however
 * long it is, even one for a Read Request, of 52 octets, in segments with at most 46 octets of payload.
 * RDMAP-172: the ULP receives its content. */
TEST(test_it_always_has_a_buffer)
{
  for (uint32_t mulpdu = 64; mulpdu <= 1442; mulpdu += 1442 - 64) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(A_WITH(.ird = 0, .ord = 1), NULL);
    f->mulpdu_octets = mulpdu;
    post(f->a, .id = 1, .operation = RDMAP_READ_REQUEST, .length = 5, .remote_stag = 0x77, .remote_offset = 9,
         .local_stag = 0x55);
    exchange(f);
    assert_log(f->b, "sends Terminate 0/1/00");
    assert_log(f->a, "got Terminate 0/1/00; completed 1 in error");
    g_assert_cmpuint(f->b->sent->len, ==, mulpdu == 64 ? 2 : 1);
    const rdmap_terminate *sent = &f->b->sent_terminate;
    const rdmap_terminate *received = &f->a->received_terminate;
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
  static const char *const logs[] = {"got Terminate 0/2/07", "sends Terminate 1/2/02"};
  for (uint32_t msn = 1; msn <= 2; msn++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    forge_terminate(f->a, msn);
    pass_rest(f->a);
    assert_log(f->b, logs[msn - 1]);
  }
}

/* RDMAP-171: the Terminate is Delivered after all that was sent before it: the ULP receives an earlier Send
 * first, though that arrives last. RDMAP-172: then it receives the Terminate. */
RDMAP_TEST(test_delivered_in_its_turn)
{
  post_receive(f->b, 100);
  post_octets(f->a, 1, RDMAP_SEND, 100);
  pull_all(f->a);
  fail(f->a);
  pull_all(f->a);
  pass(f->a, 2);
  pass(f->a, 1);
  assert_log(f->b, "");
  g_assert_false(f->b->stream->is_terminated);
  pass(f->a, 0);
  assert_log(f->b, "received 1 (100 octets); got Terminate 0/2/07");
  g_assert_true(f->b->stream->is_terminated);
}

/* RDMAP-175: the Terminate is the last message of its direction: what is posted, a response that is due, and
 * what the ULP would like to post do not go out. RDMAP-206: nor does anything else. */
RDMAP_TEST(test_nothing_comes_after_it)
{
  post_octets(f->b, 9, RDMAP_READ_REQUEST, 0);
  send_all(f->b);
  post_octets(f->a, 1, RDMAP_WRITE, 200);
  post_octets(f->a, 2, RDMAP_SEND, 200);
  fail(f->a);
  g_assert_false(rdmap_stream_is_drained(f->a->stream));
  g_assert_true(refuses(f->a, .operation = RDMAP_SEND));
  g_assert_cmpuint(pull_all(f->a), ==, 1);
  g_assert_cmphex(nth_sent(f->a, 0)->octets[1], ==, 0x47);
  g_assert_true(refuses(f->a, .operation = RDMAP_SEND));
  fail(f->a);
  rdmap_stream_fail(f->a->stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = 2}, f->now);
  g_assert_cmpuint(pull_all(f->a), ==, 0);
  g_assert_true(rdmap_stream_is_drained(f->a->stream));
  assert_log(f->a, "sends Terminate 0/2/07; completed 1 in error; completed 2 in error");
}

/* DDP-086, DDP-038: a message that DDP has when the stream fails is sent whole, its last segment with L; then
 * the Terminate goes, before what is only posted; and the peer, who Delivers it after that message (DDP-115),
 * receives both. So it is with an error of this end's own and with one of MPA's, which leaves the outgoing
 * half as it was (mpa-01 §7). 300 octets are 3 tagged segments or 4 untagged ones; two are out. The operation
 * completes, in error as all others, when DDP has no more of its octets to send. */
TEST(test_message_under_way)
{
  for (int i = 0; i < 4; i++) {
    bool tagged = i & 1;
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    rdmap_stream *stream = f->a->stream;
    uint8_t *memory = new_memory(f->b, 300);
    uint32_t stag = register_memory(f->b, memory, 0, 300, DDP_ACCESS_REMOTE_WRITE);
    uint8_t *octets = new_pattern(f->a, 300, 31);
    uint8_t *received = post_receive(f->b, 300);
    post_octets(f->a, 0, RDMAP_WRITE, 0);
    g_assert_true(pull(f->a));
    post(f->a, .id = 1, .operation = tagged ? RDMAP_WRITE : RDMAP_SEND, .length = 300, .source_user = octets,
         .remote_stag = stag);
    post_octets(f->a, 2, RDMAP_SEND, 0);
    g_assert_true(pull(f->a));
    g_assert_true(pull(f->a));
    if (i & 2) {
      rdmap_stream_fail(stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = 2}, f->now);
    } else {
      fail(f->a);
    }
    const char *code = i & 2 ? "2/0/02" : "0/2/07";
    g_autofree char *log = g_strconcat("sends Terminate ", code, NULL);
    acknowledge(f->a);
    assert_log(f->a, log);
    size_t segments = tagged ? 3 : 4;
    g_assert_cmpuint(pull_all(f->a), ==, segments - 2 + 1);
    for (size_t sent = 1; sent <= segments; sent++) { /* after the Write of no octets */
      g_assert_cmphex(nth_sent(f->a, sent)->octets[1], ==, tagged ? 0x40 : 0x43);
      g_assert_cmphex(nth_sent(f->a, sent)->octets[0] & 0x40, ==, sent < segments ? 0 : 0x40);
    }
    g_assert_cmphex(nth_sent(f->a, segments + 1)->octets[1], ==, 0x47);
    g_assert_true(rdmap_stream_is_drained(stream));
    g_autofree char *ended =
        g_strconcat(log, "; completed 0 in error; completed 1 in error; completed 2 in error", NULL);
    assert_log(f->a, ended);
    pass_rest(f->a);
    g_autofree char *received_log =
        g_strconcat(tagged ? "" : "received 1 (300 octets); ", "got Terminate ", code, NULL);
    assert_log(f->b, received_log);
    g_assert_cmpmem(tagged ? memory : received, 300, octets, 300);
  }
}

/* RDMAP-232: a Read Response under way is sent whole, too; unless its source is revoked: then the Terminate
 * that is due is next, with no L made up for the response (note D36). The first error stays the one that is
 * reported. A's Read of 250 octets has one segment of 100 out. */
TEST(test_response_under_way)
{
  for (int revoked = 0; revoked < 2; revoked++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    uint8_t *source = new_pattern(f->b, 250, 3);
    uint8_t *sink = new_memory(f->a, 250);
    uint32_t source_stag = register_memory(f->b, source, 0, 250, DDP_ACCESS_REMOTE_READ);
    uint32_t sink_stag = register_memory(f->a, sink, 0, 250, DDP_ACCESS_REMOTE_WRITE);
    post(f->a, .id = 1, .operation = RDMAP_READ_REQUEST, .length = 250, .remote_stag = source_stag,
         .local_stag = sink_stag);
    send_all(f->a);
    post_octets(f->b, 9, RDMAP_WRITE, 0);
    g_assert_true(pull(f->b)); /* the response, whose turn it is first */
    fail(f->b);
    if (revoked) {
      ddp_stag_table_deregister(f->b->stags, source_stag);
    }
    g_assert_cmpuint(pull_all(f->b), ==, revoked ? 1 : 3);
    g_assert_cmpuint(count_sent(f->b, RDMAP_READ_RESPONSE), ==, revoked ? 1 : 3);
    g_assert_cmpuint(count_sent(f->b, RDMAP_TERMINATE), ==, 1);
    g_assert_true(rdmap_stream_is_drained(f->b->stream));
    pass_rest(f->b);
    assert_log(f->b, "sends Terminate 0/2/07; completed 9 in error");
    assert_log(f->a,
               revoked ? "got Terminate 0/2/07; completed 1 in error" : "completed 1; got Terminate 0/2/07");
    g_assert_cmpmem(sink, revoked ? 100 : 250, source, revoked ? 100 : 250);
  }
}

/* A Terminate is not answered by one, nor by anything else (RDMAP-176, note D41); a second one is ignored.
 * All that is not complete (RDMAP-221, RDMAP-228) completes in error, in order, whether DDP has it or not,
 * but for a Read whose response is here already: it is known to be good, though the Write before it held its
 * completion back. */
RDMAP_TEST(test_after_a_terminate_of_the_peer)
{
  uint8_t *source = new_pattern(f->b, 4, 3);
  uint8_t *sink = new_memory(f->a, 4);
  post_octets(f->a, 0, RDMAP_WRITE, 0);
  g_assert_true(pull(f->a));
  acknowledge(f->a);
  post_octets(f->a, 1, RDMAP_WRITE, 0);
  post(f->a, .id = 2, .operation = RDMAP_READ_REQUEST, .length = 4,
       .remote_stag = register_memory(f->b, source, 0, 4, DDP_ACCESS_REMOTE_READ),
       .local_stag = register_memory(f->a, sink, 0, 4, DDP_ACCESS_REMOTE_WRITE));
  post_octets(f->a, 3, RDMAP_READ_REQUEST, 0);
  post_octets(f->a, 4, RDMAP_SEND, 300);
  for (size_t i = 0; i < 4; i++) {
    g_assert_true(pull(f->a));
  }
  for (size_t i = 0; i <= 2; i++) {
    pass(f->a, i);
  }
  pull_all(f->b);
  forge_terminate(f->b, 1);
  forge_terminate(f->b, 2);
  post_octets(f->a, 5, RDMAP_WRITE, 0);
  pass_rest(f->b);
  assert_log(f->a,
             "completed 0; got Terminate 0/2/07; completed 1 in error; completed 2; completed 3 in error; "
             "completed 4 in error; completed 5 in error");
  g_assert_cmpmem(sink, 4, source, 4);
  g_assert_cmpuint(pull_all(f->a), ==, 0);
  g_assert_true(rdmap_stream_is_drained(f->a->stream));
  g_assert_cmpuint(rdmap_send_queue_count(f->a->stream->operations), ==, 0);
  acknowledge(f->a);
  g_assert_true(refuses(f->a, .operation = RDMAP_WRITE));
}

/* ddp-07/rfc5041 §6.2.1: after the ULP's graceful end nothing more is accepted (DDP-126), what is posted goes
 * out, what the peer asks for too, and what it sends is taken (DDP-131). RDMAP-216, RDMAP-217: when the peer
 * has ended its direction, too, there was no Terminate anywhere, no error, and nothing is left to report. */
RDMAP_TEST(test_close)
{
  post_receive(f->b, 0);
  post_receive(f->a, 0);
  post_octets(f->a, 1, RDMAP_SEND, 0);
  rdmap_stream_close(f->a->stream);
  g_assert_true(refuses(f->a, .operation = RDMAP_SEND));
  g_assert_false(rdmap_stream_is_drained(f->a->stream));
  post_octets(f->b, 7, RDMAP_READ_REQUEST, 0);
  post_octets(f->b, 8, RDMAP_SEND, 0);
  exchange(f);
  rdmap_stream_llp_finished(f->b->stream, f->now);
  rdmap_stream_close(f->b->stream);
  exchange(f);
  rdmap_stream_llp_finished(f->a->stream, f->now);
  assert_log(f->a, "completed 1; received 1 (0 octets)");
  assert_log(f->b, "received 1 (0 octets); completed 7; completed 8; half-closed");
  for (unsigned i = 0; i < HOSTS; i++) {
    g_assert_cmpuint(count_sent(&f->hosts[i], RDMAP_TERMINATE), ==, 0);
    g_assert_false(f->hosts[i].stream->is_terminated);
    g_assert_true(rdmap_stream_is_drained(f->hosts[i].stream));
  }
}

/* DDP-128: the peer's direction ends: the ULP is notified once, its own operations go on, but a Read could
 * never be answered. DDP-127: data after that end, right or wrong, is not Placed; it ends the stream, also
 * one that this ULP has closed in turn. The peer gets a Terminate. */
TEST(test_half_close)
{
  for (unsigned i = 0; i < 4; i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    rdmap_stream *stream = f->a->stream;
    post_octets(f->a, 1, RDMAP_WRITE, 0);
    rdmap_stream_llp_finished(stream, f->now);
    rdmap_stream_llp_finished(stream, f->now);
    g_assert_true(refuses(f->a, .operation = RDMAP_READ_REQUEST));
    post_octets(f->a, 3, RDMAP_WRITE, 0);
    g_assert_cmpuint(pull_all(f->a), ==, 2);
    acknowledge(f->a);
    assert_log(f->a, "half-closed; completed 1; completed 3");
    post_octets(f->a, 4, RDMAP_WRITE, 0);
    if (i & 1) {
      rdmap_stream_close(stream);
    }
    forge_hex(f->b, i & 2 ? "FF FF" : "C1 40 00000000 0000000000000000");
    pass_rest(f->b);
    g_assert_cmpuint(f->a->placed, ==, 0);
    assert_log(f->a, "half-closed; completed 1; completed 3; sends Terminate 1/0/00; completed 4 in error");
    g_assert_cmpuint(pull_all(f->a), ==, 1);
    g_assert_true(rdmap_stream_is_drained(stream));
  }
}

/* The peer's direction ends without the response to a Read: it fails now, sent or not, instead of waiting for
 * ever. */
TEST(test_half_close_leaves_a_read)
{
  for (int sent = 0; sent < 2; sent++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    post_octets(f->a, 1, RDMAP_READ_REQUEST, 0);
    if (sent) {
      pull_all(f->a);
    }
    rdmap_stream_llp_finished(f->a->stream, f->now);
    assert_log(f->a, "sends Terminate 2/0/01; completed 1 in error");
    g_assert_cmpuint(pull_all(f->a), ==, 1);
  }
}

/* The LLP connection is gone: nothing is sent any more. */
static void lose_llp(rdmap_host *host)
{
  rdmap_stream_llp_lost(host->stream, host->f->now);
  g_assert_cmpuint(pull_all(host), ==, 0);
  g_assert_true(rdmap_stream_is_drained(host->stream));
  g_assert_true(host->stream->is_terminated);
}

/* DDP-132: the connection is lost, of a stream that is open, closed by its ULP, by the peer, or by both: one
 * fatal indication, all completes in error, nothing goes out, not even the rest of a message, or a Terminate
 * that was due or half sent. */
TEST(test_llp_lost)
{
  for (unsigned i = 0; i < 8; i++) {
    unsigned closed = i & 3;
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    post_octets(f->a, 1, i < 4 ? RDMAP_WRITE : RDMAP_SEND, 200);
    g_assert_true(pull(f->a));
    if (closed & 1) {
      rdmap_stream_close(f->a->stream);
    }
    if (closed & 2) {
      rdmap_stream_llp_finished(f->a->stream, f->now);
    }
    g_string_truncate(f->a->log, 0);
    lose_llp(f->a);
    lose_llp(f->a);
    rdmap_stream_fail(f->a->stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = 2}, f->now);
    g_assert_cmpuint(pull_all(f->a), ==, 0);
    assert_log(f->a, "sends Terminate 2/0/01; completed 1 in error");
  }
}

/* RDMAP-218, RDMAP-220: the same with an error, of this end's own or of an incoming message, whose Terminate
 * is due after the message under way. */
TEST(test_llp_lost_after_an_error)
{
  static const char *const logs[] = {"sends Terminate 0/2/07", "sends Terminate 1/1/00"};
  for (size_t i = 0; i < G_N_ELEMENTS(logs); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    post_octets(f->a, 1, i == 0 ? RDMAP_WRITE : RDMAP_SEND, 200);
    g_assert_true(pull(f->a));
    if (i == 0) {
      fail(f->a);
    } else {
      forge_hex(f->b, "C1 40 00009999 0000000000000100 01020304");
      pass_rest(f->b);
    }
    assert_log(f->a, logs[i]);
    lose_llp(f->a);
    g_autofree char *log = g_strconcat(logs[i], "; completed 1 in error", NULL);
    assert_log(f->a, log);
  }
}

/* MULPDU 20 leaves 2 octets of payload: the 4 of the Terminate are two segments. */
TEST(test_llp_lost_with_half_a_terminate)
{
  for (int half_sent = 0; half_sent < 2; half_sent++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    f->mulpdu_octets = 20;
    fail(f->a);
    g_assert_true(!half_sent || pull(f->a));
    g_assert_false(rdmap_stream_is_drained(f->a->stream));
    lose_llp(f->a);
    assert_log(f->a, "sends Terminate 0/2/07");
  }
}

static void try_to_post(rdmap_host *host)
{
  unsigned *refused = host->at_event_user;
  *refused += refuses(host, .operation = RDMAP_WRITE);
  fail(host);
}

/* The handlers of the end may post and fail again, in vain. */
RDMAP_TEST(test_handlers_of_the_end)
{
  unsigned refused = 0;
  post_octets(f->a, 1, RDMAP_WRITE, 0);
  post_octets(f->a, 2, RDMAP_WRITE, 0);
  f->a->at_event = try_to_post;
  f->a->at_event_user = &refused;
  rdmap_stream_fail(f->a->stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = 3}, f->now);
  assert_log(f->a, "sends Terminate 2/0/03; completed 1 in error; completed 2 in error");
  g_assert_cmpuint(refused, ==, 3);
  g_assert_cmpuint(pull_all(f->a), ==, 1);
}

/* The handler of a Send may end the stream: what is Placed after it is not Delivered any more. */
RDMAP_TEST(test_the_ulp_ends_it_from_a_handler)
{
  for (uint64_t id = 1; id <= 3; id++) {
    post_receive(f->b, 0);
    post_octets(f->a, id, RDMAP_SEND, 0);
  }
  f->b->at_event = fail;
  pull_all(f->a);
  pass(f->a, 2);
  pass(f->a, 1);
  pass(f->a, 0);
  assert_log(f->b, "received 1 (0 octets); sends Terminate 0/2/07");
  g_assert_cmpuint(f->b->delivered->len, ==, 1);
  g_assert_cmpuint(rdmap_stream_undelivered(f->b->stream), ==, 0);
}

typedef struct ending_host {
  rdmap_stream *stream;
  unsigned received, terminated;
} ending_host;

static void end_at_delivery(void *user, G_GNUC_UNUSED const ddp_segment *segment, time_ps now)
{
  rdmap_stream_fail(((ending_host *)user)->stream, stream_catastrophe, now);
}

static void count_received(void *user, const rdmap_completion *completion, G_GNUC_UNUSED time_ps now)
{
  g_assert_true(completion->is_receive);
  ((ending_host *)user)->received++;
}

static void count_terminated(void *user, G_GNUC_UNUSED const rdmap_terminate *terminate,
                             G_GNUC_UNUSED bool by_peer, G_GNUC_UNUSED time_ps now)
{
  ((ending_host *)user)->terminated++;
}

/* So may the handler of each Delivered segment: then the ULP does not receive it. Handlers that are not set
 * are not called. */
TEST(test_ended_at_delivery)
{
  for (unsigned ends = 0; ends < 2; ends++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    ending_host host = {0};
    ddp_probe probe = {.delivered = ends ? end_at_delivery : NULL};
    rdmap_stream_events events = {.completed = count_received, .terminated = count_terminated};
    rdmap_stream_free(f->b->stream);
    host.stream = f->b->stream =
        rdmap_stream_new(B_WITH(.stags = f->b->stags, .probe = &probe, .probe_user = &host), &events, &host);
    post_receive(f->b, 0);
    post_octets(f->a, 1, RDMAP_SEND, 0);
    send_all(f->a);
    g_assert_cmpuint(host.received, ==, 1 - ends);
    g_assert_cmpuint(host.terminated, ==, ends);
    rdmap_stream_llp_finished(host.stream, f->now);
  }
}

/* The FIN after a Terminate is not reported: neither the end that sent the Terminate nor the one that
 * received it is notified of a half-close. */
RDMAP_TEST(test_fin_after_a_terminate)
{
  uint8_t octet = 1;
  post(f->a, .operation = RDMAP_WRITE, .length = 1, .source_user = &octet, .remote_stag = 0x99);
  exchange(f);
  for (unsigned i = 0; i < HOSTS; i++) {
    rdmap_stream_llp_finished(f->hosts[i].stream, f->now);
  }
  assert_log(f->a, "completed 0; got Terminate 1/1/00");
  assert_log(f->b, "sends Terminate 1/1/00");
}
