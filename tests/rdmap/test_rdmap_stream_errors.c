/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about how a stream ends: what a Terminate reports, when it goes out, what it replaces and
 * what becomes of the operations (rdmap-00 §6.8, §8.2, §9.1). The checks themselves are test_rdmap_checks and
 * test_rdmap_value_table. */
#include "rdmap_fixture.h"
#include "stag_changes.h"

#define TERMINATE_HEADER "41 47 00000000 00000002 00000001 00000000 "
#define SEND "41 43 00000000 00000000 00000001 00000000 01020304"
#define GOOD_WRITE "C1 40 00001000 0000000000000100 01020304"
/* To STag 0x9999, which there is none of. */
#define BAD_WRITE "C1 40 00009999 0000000000000100 01020304"
#define BAD_WRITE_TERMINATE TERMINATE_HEADER "11 00 C000 0012 C1 40 00009999 0000000000000100"
#define BAD_SEND "41 43 00000000 00000000 00000001 00000010 01020304"
#define BAD_SEND_TERMINATE TERMINATE_HEADER "12 04 C000 0016 41 43 00000000 00000000 00000001 00000010"
#define BAD_READ                                                                                             \
  "41 41 00000000 00000001 00000001 00000000 00000077 0000000000000007 00000004 00009999 0000000000000200"
#define BAD_RESPONSE "C1 42 00009999 0000000000000100 01020304"
#define BAD_RESPONSE_TERMINATE TERMINATE_HEADER "11 00 C000 0012 C1 42 00009999 0000000000000100"

static uint8_t octets[1000];

static void post_octets(rdmap_host *host, uint64_t id, rdmap_opcode operation, uint32_t length)
{
  bool is_read = operation == RDMAP_READ_REQUEST;
  uint32_t stag = is_read ? TARGET_READ : TARGET_WRITE;
  post(host, .id = id, .operation = operation, .length = length, .source_user = is_read ? NULL : octets,
       .remote_stag = stag, .remote_offset = stag / 16, .local_stag = 0xA000);
}

/* The host sends `rest` more segments, then exactly this, and then nothing. */
static void assert_last_after(rdmap_host *host, size_t rest, const char *hex)
{
  g_assert_cmpuint(pull_all(host), ==, rest + 1);
  assert_sent(host, host->sent->len - 1, hex);
  g_assert_true(rdmap_stream_is_drained(host->stream));
}

static void assert_last(rdmap_host *host, const char *hex)
{
  assert_last_after(host, 0, hex);
}

/* RDMAP-230, RDMAP-231: an error of A's own while it has three operations, the first of 300 octets with
 * one segment of 100 sent: after the other two the Terminate takes the place of all that DDP has not got, the
 * copied parts are not there (four octets), and the ULP learns of it. */
TARGET_TEST(test_local_error_replaces_requests)
{
  post_octets(f->a, 1, RDMAP_WRITE, 300);
  post_octets(f->a, 2, RDMAP_READ_REQUEST, 4);
  post_octets(f->a, 3, RDMAP_SEND, 4);
  g_assert_true(pull(f->a));
  rdmap_stream_fail(f->a->stream, (rdmap_error){0, 0, 0}, f->now);
  assert_last_after(f->a, 2, TERMINATE_HEADER "00 00 0000");
  assert_log(f->a,
             "sends Terminate 0/0/00; completed 1 in error; completed 2 in error; completed 3 in error");
}

/* The kinds of message that rdmap-00 §9.1 case 2 names. */
typedef struct case_2 {
  const char *received;
  const char *terminate;
} case_2;

static const case_2 cases_2[] = {
    {BAD_WRITE, BAD_WRITE_TERMINATE},
    {BAD_SEND, BAD_SEND_TERMINATE},
    {BAD_RESPONSE, BAD_RESPONSE_TERMINATE},
};

/* RDMAP-232, RDMAP-233, RDMAP-219: the Terminate is the next message out, before a Read Response that is due
 * and Sends that are posted, and after the Send under way, which DDP must send whole (DDP-086): 96 of 300
 * octets are out, 96, 96 and 12 follow. M = D = 1, R = 0. RDMAP-224: nothing is sent again. */
TEST(test_terminate_goes_first)
{
  for (size_t i = 0; i < G_N_ELEMENTS(cases_2); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    post_octets(f->a, 1, RDMAP_READ_REQUEST, 4);
    post_octets(f->b, 1, RDMAP_SEND, 300);
    post_octets(f->b, 2, RDMAP_SEND, 4);
    g_assert_true(pull(f->b));
    g_assert_true(pull(f->a));
    pass_rest(f->a);
    receive_hex(f, cases_2[i].received);
    assert_last_after(f->b, 3, cases_2[i].terminate);
    g_assert_cmpuint(count_sent(f->b, RDMAP_SEND), ==, 4);
    g_assert_cmphex(nth_sent(f->b, 3)->octets[0] & 0x40, ==, 0x40);
  }
}

/* RDMAP-234: a Read Request in three segments, of an STag that is none, the L segment first: nothing goes out
 * until DDP Delivers it with its last segment. Then one Terminate is the next message, after the Send under
 * way (96 of 300 octets are out) and before the response to an earlier Read and a Send that are due.
 * RDMAP-235: M = D = R = 1: the L segment's length and header, and the whole header of the Read Request. */
TARGET_TEST(test_bad_read_request)
{
  static const char *const segments[] = {
      "01 41 00000000 00000001 00000002 00000000 00000077 0000000000000007", /* SinkSTag, SinkTO */
      "01 41 00000000 00000001 00000002 0000000C 00000004 00009999",         /* size, SrcSTag */
      "41 41 00000000 00000001 00000002 00000014 0000000000000200",          /* SrcTO */
  };
  static const char *const terminate =
      TERMINATE_HEADER "01 00 E000 001A 41 41 00000000 00000001 00000002 00000014"
                       "00000077 0000000000000007 00000004 00009999 0000000000000200";
  post_octets(f->b, 1, RDMAP_SEND, 300);
  post_octets(f->b, 2, RDMAP_SEND, 4);
  g_assert_true(pull(f->b));
  post_octets(f->a, 1, RDMAP_READ_REQUEST, 4);
  send_all(f->a);
  for (size_t i = 0; i < G_N_ELEMENTS(segments); i++) {
    forge_hex(f->a, segments[i]);
  }
  for (size_t i = G_N_ELEMENTS(segments); i > 0; i--) {
    assert_log(f->b, "");
    pass(f->a, i);
  }
  assert_log(f->b, "sends Terminate 0/1/00");
  assert_last_after(f->b, 3, terminate);
  g_assert_cmpuint(count_sent(f->b, RDMAP_READ_RESPONSE), ==, 0);
}

/* RDMAP-232, RDMAP-234: it goes out when DDP Delivers the faulty message, not before: an earlier Write is
 * still missing (note D39). With report_on_arrival it does not wait. */
TEST(test_terminate_waits_for_delivery)
{
  static const struct {
    const char *received;
    const char *terminate;
  } faults[] = {
      {BAD_WRITE, BAD_WRITE_TERMINATE},
      {BAD_SEND, BAD_SEND_TERMINATE},
      {BAD_READ, TERMINATE_HEADER "01 00 E000 002E 41 41 00000000 00000001 00000001 00000000"
                                  "00000077 0000000000000007 00000004 00009999 0000000000000200"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    forge_hex(f->a, GOOD_WRITE);
    receive_hex(f, faults[i].received);
    g_assert_cmpuint(pull_all(f->b), ==, 0);
    assert_log(f->b, "");
    pass(f->a, 0);
    assert_last(f->b, faults[i].terminate);
  }
  g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(B_WITH(.report_on_arrival = true));
  forge_hex(f->a, GOOD_WRITE);
  receive_hex(f, BAD_WRITE);
  assert_last(f->b, BAD_WRITE_TERMINATE);
}

/* --- Messages that lack their last segment --- */

#define HALF_WRITE "81 40 00001000 0000000000000100 01020304"
#define HALF_SEND "01 43 00000000 00000000 00000001 00000000 01020304"
#define HALF_RESPONSE "81 42 00001000 0000000000000100 01020304"
#define HALF_TERMINATE "01 47 00000000 00000002 00000001 00000000 0207"
#define READ_REQUEST                                                                                         \
  "41 41 00000000 00000001 00000001 00000000 00000077 0000000000000007 00000000 00002000 0000000000000200"
#define WHOLE_TERMINATE TERMINATE_HEADER "02 07 0000"
#define UNEXPECTED "sends Terminate 0/2/06; completed 5 in error"

typedef struct half_case {
  const char *first;
  const char *second;
  const char *error; /* of B's Terminate for the second: layer and type, code; NULL: there is none */
  const char *log;   /* of B, which has the Read 5 open */
} half_case;

static const half_case half_cases[] = {
    {HALF_WRITE, SEND, "02 06", UNEXPECTED},
    {HALF_SEND, READ_REQUEST, "02 06", UNEXPECTED},
    {HALF_SEND, WHOLE_TERMINATE, "02 06", UNEXPECTED},
    {HALF_SEND, GOOD_WRITE, "02 06", UNEXPECTED},
    {HALF_SEND, "41 43 00000000 00000000 00000002 00000000", "12 03",
     "sends Terminate 1/2/03; completed 5 in error"},
    {HALF_WRITE, "C1 42 00001000 0000000000000104 0506", "02 06", UNEXPECTED},
    {HALF_WRITE, WHOLE_TERMINATE, "02 06", UNEXPECTED},
    {HALF_RESPONSE, GOOD_WRITE, "02 06", UNEXPECTED},
    {HALF_RESPONSE, SEND, "02 06", UNEXPECTED},
    {HALF_TERMINATE, SEND, "02 06", UNEXPECTED},
    /* Its Data Source could not finish the response, and reports why (RDMAP-096, RDMAP-171). */
    {HALF_RESPONSE, WHOLE_TERMINATE, NULL, "got Terminate 0/2/07; completed 5 in error"},
    /* The ends of their messages, also with other reserved bits (RDMAP-052). */
    {HALF_WRITE, "C1 70 00001000 0000000000000104 0506", NULL, ""},
    {HALF_SEND, "41 73 00000000 00000000 00000001 00000004 0506", NULL, "received 1 (6 octets)"},
    {HALF_RESPONSE, "C1 52 00001000 0000000000000104 0506", NULL, "completed 5"},
    {HALF_TERMINATE, "41 47 00000000 00000002 00000001 00000002 0000", NULL,
     "got Terminate 0/2/07; completed 5 in error"},
};

/* DDP-111, DDP-115: nothing is Delivered after a message that lacks its last segment, on whatever queue,
 * tagged or not: the stream ends by an unexpected opcode (RDMAP-106), or by an MSN that is not in turn, in
 * either order of arrival. RDMAP-235, RDMAP-236: the Terminate copies the DDP header of the segment that came
 * too early, and R is 0, of a Read Request too (figure 10). */
TEST(test_after_half_a_message)
{
  for (size_t i = 0; i < 4 * G_N_ELEMENTS(half_cases); i++) {
    const half_case *c = &half_cases[i / 4];
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(B_WITH(.report_on_arrival = i & 2));
    post_receive(f->b, 16); /* for MSN 2 */
    post(f->b, .id = 5, .operation = RDMAP_READ_REQUEST, .length = 6, .remote_stag = 1,
         .local_stag = TARGET_WRITE, .local_offset = TARGET_WRITE / 16);
    g_assert_true(pull(f->b));
    g_test_message("%s, then %s", c->first, c->second);
    forge_hex(f->a, c->first);
    forge_hex(f->a, c->second);
    pass(f->a, i & 1);
    assert_log(f->b, "");
    pass(f->a, 1 - (i & 1));
    assert_log(f->b, c->log);
    if (c->error) {
      const sent_ulpdu *second = nth_sent(f->a, 1);
      g_autofree char *copied = octets_to_hex(second->octets, second->octets[0] & 0x80 ? 14 : 18);
      g_autofree char *ulpdu =
          g_strdup_printf(TERMINATE_HEADER "%s C000 %04X %s", c->error, second->length, copied);
      assert_last(f->b, ulpdu);
    }
  }
}

/* The peer's direction ends in the middle of a message: the stream ends, too, instead of waiting for the
 * rest. The end of a whole one is reported as a half-closed stream. */
TEST(test_end_within_a_message)
{
  static const char *const halves[] = {HALF_WRITE, HALF_SEND, HALF_TERMINATE};
  for (size_t i = 0; i < G_N_ELEMENTS(halves); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    receive_hex(f, halves[i]);
    rdmap_stream_llp_finished(f->b->stream, f->now);
    assert_log(f->b, "sends Terminate 2/0/01");
    assert_last(f->b, TERMINATE_HEADER "20 01 0000");
  }
  g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
  receive_hex(f, HALF_WRITE);
  receive_hex(f, GOOD_WRITE);
  rdmap_stream_llp_finished(f->b->stream, f->now);
  assert_log(f->b, "half-closed");
}

/* RDMAP-236, of errors that are RDMAP's own: two Read Requests that may not be read; and an error inside
 * that comes after them. */
TARGET_TEST(test_first_of_two_bad_requests_wins)
{
  receive_hex(f, "41 41 00000000 00000001 00000001 00000000"
                 "00000077 0000000000000007 00000004 00001000 0000000000000100");
  receive_hex(f, "41 41 00000000 00000001 00000002 00000000"
                 "00000077 0000000000000007 00000004 00009999 0000000000000100");
  rdmap_stream_fail(f->b->stream, (rdmap_error){0, 2, 0x07}, f->now);
  assert_log(f->b, "sends Terminate 0/1/02");
  assert_last(f->b, TERMINATE_HEADER "01 02 E000 002E 41 41 00000000 00000001 00000001 00000000"
                                     "00000077 0000000000000007 00000004 00001000 0000000000000100");
}

/* notes D38, D41: after an error that it found, or one of its own, a stream is silent to all that comes,
 * right, wrong or a crossing Terminate; it sends nothing after its Terminate (RDMAP-030) and takes no
 * operations. */
TEST(test_silence)
{
  static const struct {
    const char *log;
    const char *terminate;
  } causes[] = {{"sends Terminate 1/1/00", BAD_WRITE_TERMINATE},
                {"sends Terminate 0/2/07", TERMINATE_HEADER "02 07 0000"}};
  for (size_t i = 0; i < G_N_ELEMENTS(causes); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    if (i == 0) {
      receive_hex(f, BAD_WRITE);
    } else {
      rdmap_stream_fail(f->b->stream, (rdmap_error){0, 2, 0x07}, f->now);
    }
    for (unsigned step = 0; step < 2; step++) {
      receive_hex(f, GOOD_WRITE);
      receive_hex(f, BAD_SEND);
      receive_hex(f, SEND);
      receive_hex(f, TERMINATE_HEADER "00 00 0000");
      assert_log(f->b, causes[i].log);
      g_assert_true(refuses(f->b, .operation = RDMAP_SEND));
      g_assert_cmpuint(f->b->placed + f->b->delivered->len, ==, 0);
      if (step == 0) {
        assert_last(f->b, causes[i].terminate);
      }
    }
    g_assert_false(pull(f->b));
    assert_targets_unchanged(f);
  }
}

/* RDMAP-236, note D39: what comes after the failing message in the stream is never Delivered, though it
 * arrived first: a Read Request that may not be read, a Send that may not invalidate, an unsolicited
 * response, a Terminate; each before a Send. */
TEST(test_nothing_after_the_fault_is_delivered)
{
  static const struct {
    const char *fault;
    const char *log;
  } faults[] = {
      {"41 44 00009999 00000000 00000001 00000000 01020304", "sends Terminate 0/2/09"}, /* takes a buffer */
      {BAD_READ, "sends Terminate 0/1/00"},
      {"C1 42 00001000 0000000000000100 01020304", "sends Terminate 0/2/06"},
      {TERMINATE_HEADER "00 00 0000", "got Terminate 0/0/00"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    if (i == 0) {
      post_receive(f->b, 16);
    }
    forge_hex(f->a, faults[i].fault);
    receive_hex(f, i == 0 ? "41 43 00000000 00000000 00000002 00000000 01020304" : SEND);
    g_assert_cmpuint(f->b->placed, ==, 1);
    pass(f->a, 0);
    assert_log(f->b, faults[i].log);
    g_assert_cmpuint(f->b->delivered->len, ==, 1); /* the fault itself, to RDMAP */
  }
}

/* The one that got a Terminate is silent too; a second Terminate changes nothing. */
TARGET_TEST(test_silence_after_the_peers_terminate)
{
  receive_hex(f, TERMINATE_HEADER "02 07 0000");
  receive_hex(f, GOOD_WRITE);
  receive_hex(f, BAD_WRITE);
  receive_hex(f, "41 47 00000000 00000002 00000002 00000000 02 08 0000");
  assert_log(f->b, "got Terminate 0/2/07");
  g_assert_false(pull(f->b));
  assert_targets_unchanged(f);
}

/* RDMAP-095: revoked when nothing of the response is out yet: the request as it was. */
TARGET_TEST(test_read_revoked_before_its_start)
{
  receive_hex(f, "41 41 00000000 00000001 00000001 00000000"
                 "00000077 0000000000000005 00000004 00002000 0000000000000200");
  g_assert_true(STAG_CHANGE(f->b->stags, TARGET_READ, .access = DDP_ACCESS_NONE));
  assert_last(f->b, TERMINATE_HEADER "01 02 E000 002E 41 41 00000000 00000001 00000001 00000000"
                                     "00000077 0000000000000005 00000004 00002000 0000000000000200");
}

/* A Terminate that ends at any octet: within its control word it means nothing (0/2/FF, as a Read Request of
 * a wrong length); else its error counts, with the parts that are whole (note D43), and the ULP gets its
 * content (RDMAP-036). */
TEST(test_truncated_terminates)
{
  static const uint8_t whole[52] = {0x01, 0x02, 0xE0, 0x00, 0x00, 0x2E, 0x41, 0x41, [15] = 1, [19] = 1};
  static const ddp_header header = {
      .last = true, .version = 1, .ulp_control = 0x47, .queue_number = 2, .msn = 1};
  for (uint32_t length = 0; length <= sizeof whole; length++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    forge(f->a, &header, whole, length);
    pass(f->a, 0);
    assert_log(f->b, length < 4 ? "sends Terminate 0/2/FF" : "got Terminate 0/1/02");
    const rdmap_terminate *terminate = &f->b->received_terminate;
    g_assert_cmpuint(f->b->sent_terminate.segment_octets, ==, length < 4 ? 18 + length : 0);
    EXPECT_FIELDS(terminate, (has_segment, length >= 24), (has_request, length == 52));
  }
}

/* A Terminate cut in two segments (siw gives up on those): with the second one it is whole. */
TARGET_TEST(test_a_terminate_in_two_segments)
{
  receive_hex(f, "01 47 00000000 00000002 00000001 00000000 01");
  assert_log(f->b, "");
  receive_hex(f, "41 47 00000000 00000002 00000001 00000001 02 0000");
  assert_log(f->b, "got Terminate 0/1/02");
}
