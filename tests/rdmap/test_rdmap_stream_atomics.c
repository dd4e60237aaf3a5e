/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic Operations over two streams (RFC 7306 §5, §7, §8): messages, order, completion and errors. Their
 * arithmetic is in test_rdmap_atomic. */
#include "base/random_stream.h"
#include "rdmap_fixture.h"

/* B's memory for Atomics, at STAG from BASE on (good_registration), and what its first 8 octets are. */
static const uint64_t first_value = UINT64_C(0x0102030405060708);

static rdmap_fixture *fixture_with(uint32_t ord, uint32_t ird)
{
  rdmap_fixture *f =
      rdmap_fixture_with_stag(A_WITH(.generation = IWARP_RFC6581, .ord = ord),
                              B_WITH(.generation = IWARP_RFC6581, .ird = ird), good_registration);
  rdmap_atomic_store(f->remote, first_value);
  return f;
}

#define ATOMIC_TEST(name) TEST_OF(rdmap_fixture, f, fixture_with(8, 8), name)

static rdmap_atomic fetch_add(uint64_t data)
{
  return (rdmap_atomic){.opcode = RDMAP_ATOMIC_FETCH_ADD, .stag = STAG, .offset = BASE, .data = data};
}

static void post_atomic(rdmap_host *host, uint64_t id, rdmap_atomic atomic)
{
  post(host, .id = id, .operation = RDMAP_ATOMIC_REQUEST, .atomic = &atomic);
}

/* A Read of the first `length` octets of the memory into A's sink. */
static void post_read(rdmap_host *host, uint64_t id, uint32_t length, uint64_t sink_offset)
{
  post(host, .id = id, .operation = RDMAP_READ_REQUEST, .length = length, .remote_stag = STAG,
       .remote_offset = BASE, .local_stag = SINK, .local_offset = sink_offset);
}

/* A ULPDU of A's with the Atomic Request as message `msn` of QN 1, cut to or filled up to `length` octets. */
static void forge_request(rdmap_fixture *f, uint32_t msn, rdmap_atomic atomic, uint32_t length)
{
  uint8_t payload[RDMAP_ATOMIC_REQUEST_OCTETS + 8] = {0};
  rdmap_atomic_request_encode(&atomic, payload);
  forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x4A, .queue_number = 1, .msn = msn},
        payload, length);
}

/* A ULPDU of B's with an Atomic Response as message `msn` of QN 3. */
static void forge_response(rdmap_fixture *f, uint32_t msn, uint32_t id, uint32_t length)
{
  uint8_t payload[RDMAP_ATOMIC_RESPONSE_OCTETS + 8] = {0};
  rdmap_atomic_response_encode(id, 77, payload);
  forge(f->b, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x4B, .queue_number = 3, .msn = msn},
        payload, length);
}

/* B ends the stream by `expected`, the ULPDU at fault has `octets`, and no header of RDMAP's is copied
 * (R7306: §8.1 item 2). B's memory is `unchanged`, from octet to octet. */
static void assert_refused(const rdmap_fixture *f, const char *expected, uint32_t octets)
{
  g_autofree char *log = g_strconcat("sends Terminate ", expected, NULL);
  const rdmap_terminate *terminate = &f->b->sent_terminate;
  g_assert_true(g_str_has_suffix(f->b->log->str, log));
  g_assert_true(terminate->has_segment && !terminate->has_request);
  g_assert_cmpuint(terminate->segment_octets, ==, octets);
}

/* R7306-006, R7306-007, R7306-008, R7306-010, R7306-011, R7306-017, R7306-018, R7306-033, R7306-035,
 * R7306-036, R7306-040, R7306-045, R7306-046, R7306-051, R7306-052, R7306-053, R7306-058, R7306-059,
 * R7306-060, R7306-061, R7306-110: 52 octets on QN 1, in the MSNs of Read
 * Requests; 12 on QN 3, in MSNs of their own, with the identifier of the request. */
ATOMIC_TEST(test_wire)
{
  post_read(f->a, 1, 1, 0);
  post_atomic(f->a, 2,
              (rdmap_atomic){.opcode = RDMAP_ATOMIC_COMPARE_SWAP,
                             .id = 99, /* RDMAP has its own */
                             .stag = STAG,
                             .offset = BASE + 8,
                             .data = UINT64_C(0x3132333435363738),
                             .mask = UINT64_C(0x4142434445464748),
                             .compare = UINT64_C(0x5152535455565758),
                             .compare_mask = UINT64_C(0x6162636465666768)});
  post_atomic(f->a, 3, fetch_add(1));
  g_assert_cmpuint(pull_all(f->a), ==, 3);
  assert_sent(f->a, 1,
              "41 4A 00000000 00000001 00000002 00000000"
              "00000002 00000001 00000010 0000000000001008 3132333435363738 4142434445464748"
              "5152535455565758 6162636465666768");
  assert_sent(f->a, 2,
              "41 4A 00000000 00000001 00000003 00000000"
              "00000000 00000002 00000010 0000000000001000 0000000000000001 0000000000000000"
              "0000000000000000 FFFFFFFFFFFFFFFF");
  rdmap_atomic_store(f->remote + 8, UINT64_C(0xA1A2A3A4A5A6A7A8));
  pass_rest(f->a);
  g_assert_cmpuint(pull_all(f->b), ==, 3);
  assert_sent(f->b, 1, "41 4B 00000000 00000003 00000001 00000000 00000001 A1A2A3A4A5A6A7A8");
  assert_sent(f->b, 2, "41 4B 00000000 00000003 00000002 00000000 00000002 0102030405060708");
}

/* R7306-048, R7306-049, R7306-054, R7306-055, R7306-064, R7306-066, R7306-068, R7306-075, R7306-076,
 * R7306-077: the Responder's ULP learns nothing; requests are processed and answered in their order, each
 * CmpSwap on what the Atomic before it left; the Requester's operation is complete when the Response is
 * Delivered, not when the request is acknowledged (§5.4 rules 1 and 7). */
ATOMIC_TEST(test_completion)
{
  post_atomic(f->a, 1, fetch_add(0x10));
  post_atomic(f->a, 2,
              WITH(rdmap_atomic, fetch_add(7), .opcode = RDMAP_ATOMIC_COMPARE_SWAP,
                   .compare = first_value + 0x10, .mask = UINT64_MAX, .compare_mask = UINT64_MAX));
  post_atomic(f->a, 3,
              WITH(rdmap_atomic, fetch_add(9), .opcode = RDMAP_ATOMIC_COMPARE_SWAP, .compare = 8,
                   .mask = UINT64_MAX, .compare_mask = UINT64_MAX));
  send_all(f->a);
  acknowledge(f->a);
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value); /* no response is made yet */
  g_assert_cmpuint(pull_all(f->b), ==, 3);
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, 7); /* the third found 7, not 8 */
  assert_log(f->a, "");
  pass(f->b, 1); /* early */
  assert_log(f->a, "");
  pass(f->b, 0);
  assert_log(f->a, "completed 1, original 102030405060708; completed 2, original 102030405060718");
  pass(f->b, 2);
  assert_log(f->a, "completed 1, original 102030405060708; completed 2, original 102030405060718; "
                   "completed 3, original 7");
  assert_log(f->b, "");
  g_assert_true(rdmap_stream_is_drained(f->a->stream) && rdmap_stream_is_drained(f->b->stream));
}

/* R7306-071, R7306-072, R7306-073, R7306-074, R7306-094: an Atomic Request that is Placed beyond a hole does
 * nothing until it is Delivered (§5.4 rules 3 and 5), and later messages do not wait for its response (rules
 * 4 and 6). */
ATOMIC_TEST(test_starts_at_delivery)
{
  uint64_t value = 500;
  uint8_t wire[8];
  rdmap_atomic_store(wire, value);
  post_receive(f->b, 8);
  post(f->a, .id = 1, .operation = RDMAP_WRITE, .source_user = wire, .length = 8, .remote_stag = STAG,
       .remote_offset = BASE);
  post_atomic(f->a, 2, fetch_add(1));
  post(f->a, .id = 3, .operation = RDMAP_SEND);
  g_assert_cmpuint(pull_all(f->a), ==, 3);
  pass(f->a, 1);
  g_assert_false(pull(f->b));
  pass(f->a, 0);
  pass(f->a, 2);
  f->a->passed = 3;
  assert_log(f->b, "received 1 (0 octets)");
  g_assert_cmpuint(rdmap_atomic_load(f->remote), ==, 500);
  exchange(f);
  g_assert_cmpuint(rdmap_atomic_load(f->remote), ==, 501);
  assert_log(f->a, "completed 1; completed 2, original 1f4; completed 3"); /* 0x1F4 = 500 */
}

/* R7306-095, R7306-096 (§7): responses to Reads and Atomics come in the order of the requests, and each sees
 * what those before it left. */
ATOMIC_TEST(test_order_among_reads)
{
  post_read(f->a, 1, 8, 0);
  post_atomic(f->a, 2, fetch_add(1));
  post_read(f->a, 3, 8, 8);
  post_atomic(f->a, 4, fetch_add(1));
  post_atomic(f->a, 5, fetch_add(1));
  post_read(f->a, 6, 8, 16);
  send_all(f->a);
  static const uint8_t opcodes[] = {2, 0xB, 2, 0xB, 0xB, 2};
  g_assert_cmpuint(pull_all(f->b), ==, G_N_ELEMENTS(opcodes));
  for (size_t i = 0; i < G_N_ELEMENTS(opcodes); i++) {
    g_assert_cmphex(nth_sent(f->b, i)->octets[1] & 0xF, ==, opcodes[i]);
  }
  pass_rest(f->b);
  assert_log(f->a,
             "completed 1; completed 2, original 102030405060708; completed 3; "
             "completed 4, original 102030405060709; completed 5, original 10203040506070a; completed 6");
  for (unsigned i = 0; i < 3; i++) {
    static const uint64_t added[] = {0, 1, 3};
    g_assert_cmphex(rdmap_atomic_load(f->local + 8 * (size_t)i), ==, first_value + added[i]);
  }
}

/* R7306-034, R7306-063: Reads and Atomics are open up to ORD together; what a fence holds up waits for both.
 */
TEST(test_ord_and_fence)
{
  g_autoptr(rdmap_fixture) f = fixture_with(2, 8);
  post_read(f->a, 1, 8, 0);
  post_atomic(f->a, 2, fetch_add(1));
  post_atomic(f->a, 3, fetch_add(1));
  g_assert_cmpuint(pull_all(f->a), ==, 2);
  pass_rest(f->a);
  send_all(f->b);
  g_assert_cmpuint(pull_all(f->a), ==, 1);
  pass_rest(f->a);
  post_receive(f->b, 0);
  post(f->a, .id = 4, .operation = RDMAP_SEND, .fence = true);
  g_assert_cmpuint(pull_all(f->a), ==, 0);
  send_all(f->b);
  exchange(f);
  assert_log(f->a,
             "completed 1; completed 2, original 102030405060708; completed 3, original 102030405060709; "
             "completed 4");
  g_autoptr(rdmap_fixture) without_ord = fixture_with(0, 8);
  g_assert_true(refuses(without_ord->a, .operation = RDMAP_ATOMIC_REQUEST, .atomic = &(rdmap_atomic){0}));
}

/* R7306-009: the word that Send with Invalidate has its STag in means nothing, in neither message. */
ATOMIC_TEST(test_invalidates_nothing)
{
  post_atomic(f->a, 1, fetch_add(1));
  pull_all(f->a);
  g_array_set_size(f->a->sent, 0); /* another one takes its place */
  uint8_t payload[RDMAP_ATOMIC_REQUEST_OCTETS];
  rdmap_atomic_request_encode(&(rdmap_atomic){.id = 1, .stag = STAG, .offset = BASE, .data = 5}, payload);
  ddp_header header = {
      .last = true, .version = 1, .ulp_control = 0x4A, .ulp_word = STAG, .queue_number = 1, .msn = 1};
  forge(f->a, &header, payload, RDMAP_ATOMIC_REQUEST_OCTETS);
  pass(f->a, 0);
  g_assert_true(pull(f->b));
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value + 5);
  g_array_set_size(f->b->sent, 0);
  header = (ddp_header){
      .last = true, .version = 1, .ulp_control = 0x4B, .ulp_word = SINK, .queue_number = 3, .msn = 1};
  rdmap_atomic_response_encode(1, 7, payload);
  forge(f->b, &header, payload, RDMAP_ATOMIC_RESPONSE_OCTETS);
  pass(f->b, 0);
  assert_log(f->a, "completed 1, original 7");
  g_assert_nonnull(ddp_stag_table_find(f->b->stags, STAG));
  g_assert_nonnull(ddp_stag_table_find(f->a->stags, SINK));
}

/* R7306-063: each of ORD responses has a buffer of its own until it is Delivered. The fourth comes before the
 * second and the third, which its request did not wait for. */
TEST(test_early_response)
{
  g_autoptr(rdmap_fixture) f = fixture_with(3, 8);
  for (uint64_t id = 1; id <= 4; id++) {
    post_atomic(f->a, id, fetch_add(1));
  }
  g_assert_cmpuint(send_all(f->a), ==, 3);
  g_assert_cmpuint(pull_all(f->b), ==, 3);
  pass(f->b, 0);
  g_assert_cmpuint(send_all(f->a), ==, 1);
  g_assert_cmpuint(pull_all(f->b), ==, 1);
  pass(f->b, 3);
  pass(f->b, 2);
  assert_log(f->a, "completed 1, original 102030405060708");
  pass(f->b, 1);
  assert_log(f->a, "completed 1, original 102030405060708; completed 2, original 102030405060709; "
                   "completed 3, original 10203040506070a; completed 4, original 10203040506070b");
}

/* R7306-047, R7306-062: the buffers of QN 1 are for both: IRD requests find one, the next none (1/2/02). */
TEST(test_ird)
{
  g_autoptr(rdmap_fixture) f = fixture_with(8, 2);
  post_read(f->a, 1, 8, 0);
  post_atomic(f->a, 2, fetch_add(1));
  post_atomic(f->a, 3, fetch_add(1));
  send_all(f->a);
  assert_log(f->b, "sends Terminate 1/2/02");
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value);
}

/* R7306-012, R7306-067, R7306-069: FetchAdds of two streams on one buffer of one RNIC, in any order: every
 * original value occurs once, and the memory has the sum of all. */
TEST(test_two_streams)
{
  enum { ATOMICS = 200, STREAMS = 2 };
  for (uint64_t seed = 1; seed <= 20; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autoptr(random_stream) random = random_stream_new(seed, "test.atomics");
    g_autoptr(ddp_stag_table) stags = ddp_stag_table_new(seed);
    uint8_t memory[8] = {0};
    bool seen[STREAMS * ATOMICS] = {0};
    rdmap_fixture *f[STREAMS];
    unsigned posted[STREAMS] = {0};
    register_as(&(rdmap_host){.stags = stags}, STAG,
                WITH(ddp_registration, good_registration, .length = 8, .memory = memory));
    for (uint32_t i = 0; i < STREAMS; i++) {
      f[i] = rdmap_fixture_new(
          A_WITH(.generation = IWARP_RFC6581, .ord = 5),
          B_WITH(.generation = IWARP_RFC6581, .ird = 5, .stags = stags, .identity.stream_id = 2 + i));
    }
    for (unsigned step = 0; step < 10000; step++) {
      uint32_t i = (uint32_t)random_stream_below(random, STREAMS);
      switch (random_stream_below(random, 3)) {
      case 0:
        if (posted[i] < ATOMICS) {
          post_atomic(f[i]->a, posted[i]++, fetch_add(1));
        }
        break;
      case 1:
        pull(f[i]->a);
        pass_rest(f[i]->a);
        break;
      default:
        pull(f[i]->b);
        pass_rest(f[i]->b);
        break;
      }
    }
    for (unsigned i = 0; i < STREAMS; i++) {
      exchange(f[i]);
      g_auto(GStrv) lines = g_strsplit(f[i]->a->log->str, "; ", -1);
      g_assert_cmpuint(g_strv_length(lines), ==, posted[i]);
      g_assert_cmpuint(posted[i], ==, ATOMICS);
      for (unsigned k = 0; k < ATOMICS; k++) {
        guint64 original = g_ascii_strtoull(strstr(lines[k], "original ") + 9, NULL, 16);
        g_assert_cmpuint(original, <, STREAMS * ATOMICS);
        g_assert_false(seen[original]);
        seen[original] = true;
      }
    }
    g_assert_cmpuint(rdmap_atomic_load(memory), ==, STREAMS * ATOMICS);
    for (unsigned i = 0; i < STREAMS; i++) {
      rdmap_fixture_free(f[i]);
    }
  }
}

/* A response in several segments is executed once. */
ATOMIC_TEST(test_small_segments)
{
  f->mulpdu_octets = 23; /* 5 payload octets: 5 + 5 + 2 */
  post_atomic(f->a, 1, fetch_add(1));
  g_assert_cmpuint(send_all(f->a), ==, 11); /* 52 octets */
  g_assert_cmpuint(send_all(f->b), ==, 3);
  assert_log(f->a, "completed 1, original 102030405060708");
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value + 1);
}

/* R7306-020, R7306-021, R7306-022, R7306-023, R7306-024, R7306-028, R7306-029, R7306-030, R7306-031,
 * R7306-032, R7306-041, R7306-042, R7306-106, R7306-107: at an address that is not aligned nothing changes,
 * and the stream ends by 0/2/07; whatever the Tagged Offset is that the buffer starts at. */
TEST(test_unaligned)
{
  for (uint64_t base = 0x1000; base < 0x1004; base++) {
    for (uint64_t from = 0; from <= 16; from++) {
      for (unsigned opcode = 0; opcode <= 2; opcode += 2) {
        g_autoptr(rdmap_fixture) f =
            rdmap_fixture_with_stag(A_WITH(.generation = IWARP_RFC6581), B_WITH(.generation = IWARP_RFC6581),
                                    WITH(ddp_registration, good_registration, .base = base));
        uint8_t before[OCTETS];
        memcpy(before, f->remote, OCTETS);
        post_atomic(f->a, 1,
                    WITH(rdmap_atomic, fetch_add(1), .opcode = (rdmap_atomic_opcode)opcode,
                         .offset = base + from, .mask = UINT64_C(1) << 63));
        send_all(f->a);
        if (from % 8 == 0) {
          assert_log(f->b, "");
          continue;
        }
        assert_refused(f, "0/2/07", 70);
        exchange(f);
        g_assert_cmpmem(f->remote, OCTETS, before, OCTETS);
        assert_log(f->a, "got Terminate 0/2/07; completed 1 in error");
      }
    }
  }
}

/* R7306-039, R7306-044, R7306-050, R7306-102 (§5.2.1 rule 4, by §1.1): an Atomic that does not exist is
 * 0/2/06 (note D68). Reserved bits beside AOpCode do not matter. */
TEST(test_unknown_atomics)
{
  for (unsigned opcode = 0; opcode < 32; opcode++) {
    g_autoptr(rdmap_fixture) f = fixture_with(8, 8);
    uint8_t payload[RDMAP_ATOMIC_REQUEST_OCTETS];
    rdmap_atomic atomic = fetch_add(1);
    rdmap_atomic_request_encode(&atomic, payload);
    payload[3] = (uint8_t)opcode;
    forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x4A, .queue_number = 1, .msn = 1},
          payload, sizeof payload);
    pass_rest(f->a);
    if (opcode % 16 == 0 || opcode % 16 == 2) {
      assert_log(f->b, "");
      g_assert_true(pull(f->b));
    } else {
      assert_refused(f, "0/2/06", 70);
      g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value);
    }
  }
}

/* R7306-004: a request has 52 octets; more than its buffer has are DDP's error. A Read Request of the
 * generation may be too long for itself in the same buffer (note D29). */
TEST(test_request_lengths)
{
  for (uint32_t length = 0; length <= 54; length++) {
    g_autoptr(rdmap_fixture) f = fixture_with(8, 8);
    forge_request(f, 1, fetch_add(1), length);
    pass_rest(f->a);
    if (length == 52) {
      assert_log(f->b, "");
    } else {
      assert_refused(f, length > 52 ? "1/2/05" : "0/2/FF", 18 + length);
    }
  }
  g_autoptr(rdmap_fixture) f = fixture_with(8, 8);
  forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x41, .queue_number = 1, .msn = 1},
        NULL, 29);
  pass_rest(f->a);
  assert_refused(f, "0/2/FF", 47);
}

/* R7306-065, R7306-102 (§5.2.2 rule 7): a response that is not the one due is 0/2/06, of a wrong length or
 * identifier 0/2/FF; the Atomic completes in error. */
TEST(test_responses)
{
  static const struct {
    uint32_t ord;
    bool is_read_due, is_atomic_due;
    uint32_t msn, id, length;
    const char *expected;
  } rows[] = {
      {8, false, true, 1, 1, 12, NULL},
      {8, false, false, 1, 1, 12, "0/2/06"},
      {8, true, false, 1, 1, 12, "0/2/06"},
      {8, true, true, 1, 1, 12, "0/2/06"}, /* the Read's is due first */
      {8, false, true, 1, 2, 12, "0/2/FF"},
      {8, false, true, 1, 0, 12, "0/2/FF"},
      {8, false, true, 1, 1, 11, "0/2/FF"},
      {8, false, true, 1, 1, 0, "0/2/FF"},
      {8, false, true, 1, 1, 13, "1/2/05"},
      {8, false, true, 9, 1, 12, "1/2/02"}, /* ORD buffers, of MSN 1 to 8 */
      {8, false, true, 0, 1, 12, "1/2/03"},
      {0, false, false, 1, 1, 12, "1/2/02"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("row %zu", i);
    g_autoptr(rdmap_fixture) f = fixture_with(rows[i].ord, 8);
    if (rows[i].is_read_due) {
      post_read(f->a, 1, 8, 0);
    }
    if (rows[i].is_atomic_due) {
      post_atomic(f->a, 2, fetch_add(1));
    }
    pull_all(f->a);
    forge_response(f, rows[i].msn, rows[i].id, rows[i].length);
    pass_rest(f->b);
    g_autofree char *expected = rows[i].expected ? g_strconcat("sends Terminate ", rows[i].expected, NULL)
                                                 : g_strdup("completed 2, original 4d"); /* 77 */
    g_assert_true(g_str_has_prefix(f->a->log->str, expected));
    g_assert_cmpint(strstr(f->a->log->str, "completed 2 in error") != NULL, ==,
                    rows[i].expected && rows[i].is_atomic_due);
  }
}

/* A Read Response where an Atomic's is due. */
ATOMIC_TEST(test_read_response_to_an_atomic)
{
  post_atomic(f->a, 1, fetch_add(1));
  pull_all(f->a);
  forge(f->b, &(ddp_header){.tagged = true, .last = true, .version = 1, .ulp_control = 0x42, .stag = SINK},
        NULL, 0);
  pass_rest(f->b);
  assert_log(f->a, "sends Terminate 0/2/06; completed 1 in error");
}

/* R7306-016: the 8 octets are looked up as those of a Read or a Write are, for reading and writing. */
TEST(test_access)
{
  static const struct {
    uint32_t stag;
    uint64_t from; /* of the target */
    const char *expected;
  } rows[] = {
      {TARGET_UNKNOWN, 0, "0/1/00"},
      {TARGET_FOREIGN, 0, "0/1/03"},
      {TARGET_OTHER_STREAM, 0, "0/1/03"},
      {TARGET_WRITE, 0, "0/1/02"},
      {TARGET_READ, 0, "0/1/02"},
      {TARGET_NONE, 0, "0/1/02"},
      {TARGET_KEPT, TARGET_OCTETS, "0/1/01"},
      {TARGET_KEPT, TARGET_OCTETS - 7, "0/1/01"},
      {TARGET_KEPT, -(uint64_t)8, "0/1/01"},
      {TARGET_TOP, TARGET_OCTETS - 7, "0/1/04"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(B_WITH(.generation = IWARP_RFC6581));
    uint32_t stag = rows[i].stag;
    uint64_t base = stag == TARGET_TOP ? UINT64_MAX - TARGET_OCTETS : stag / 16;
    forge_request(f, 1, (rdmap_atomic){.stag = stag, .offset = base + rows[i].from, .data = 1}, 52);
    pass_rest(f->a);
    assert_refused(f, rows[i].expected, 70);
    assert_targets_unchanged(f);
  }
}

/* An STag that is revoked between Delivery and the response (note D56): nothing is executed. */
ATOMIC_TEST(test_revoked)
{
  post_atomic(f->a, 1, fetch_add(1));
  send_all(f->a);
  g_assert_true(ddp_stag_table_deregister(f->b->stags, STAG));
  exchange(f);
  assert_refused(f, "0/1/00", 70);
  assert_log(f->a, "got Terminate 0/1/00; completed 1 in error");
  g_assert_cmphex(rdmap_atomic_load(f->remote), ==, first_value);
}

/* When the stream ends, an Atomic that is answered is well, one that is not completes in error; what is
 * posted is freed in any case. */
ATOMIC_TEST(test_ends)
{
  post(f->a, .id = 1, .operation = RDMAP_WRITE);
  for (uint64_t id = 2; id <= 4; id++) {
    post_atomic(f->a, id, fetch_add(1));
  }
  for (unsigned i = 0; i < 3; i++) {
    g_assert_true(pull(f->a));
  }
  pass_rest(f->a);
  g_assert_true(pull(f->b));
  pass_rest(f->b); /* the answer to 2; the Write is not acknowledged */
  assert_log(f->a, "");
  rdmap_stream_llp_lost(f->a->stream, f->now);
  assert_log(f->a, "sends Terminate 2/0/01; completed 1 in error; completed 2, original 102030405060708; "
                   "completed 3 in error; completed 4 in error");
}

/* R7306-101: FIN of the peer while an Atomic is open: no response can come any more. */
ATOMIC_TEST(test_half_closed)
{
  post_atomic(f->a, 1, fetch_add(1));
  pull_all(f->a);
  rdmap_stream_llp_finished(f->a->stream, f->now);
  assert_log(f->a, "sends Terminate 2/0/01; completed 1 in error");
  g_assert_false(f->a->sent_terminate.has_segment || f->a->sent_terminate.has_request);
  g_assert_true(refuses(f->a, .operation = RDMAP_ATOMIC_REQUEST, .atomic = &(rdmap_atomic){0}));
}

/* A stream that only observes takes any number of requests and responses, answers and changes nothing. */
TEST(test_only_observes)
{
  g_autoptr(rdmap_fixture) f =
      rdmap_fixture_new(NULL, B_WITH(.generation = IWARP_RFC6581, .only_observes = true, .ird = 2, .ord = 0));
  uint8_t *memory = new_pattern(f->b, 8, 1), before[8];
  memcpy(before, memory, 8);
  register_as(f->b, STAG, WITH(ddp_registration, good_registration, .length = 8, .memory = memory));
  for (uint32_t msn = 1; msn <= 20; msn++) {
    forge_request(f, msn, fetch_add(1), 52);
    uint8_t response[RDMAP_ATOMIC_RESPONSE_OCTETS] = {0};
    forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x4B, .queue_number = 3, .msn = msn},
          response, sizeof response);
    post_receive(f->b, 8);
    forge(f->a, &(ddp_header){.last = true, .version = 1, .ulp_control = 0x49, .msn = msn}, "immediat", 8);
  }
  pass_rest(f->a);
  g_assert_false(pull(f->b));
  g_assert_cmpmem(memory, 8, before, 8);
  g_assert_true(
      g_str_has_suffix(f->b->log->str, "received 20 (8 octets), solicited, immediate 696d6d6564696174"));
  forge_request(f, 21, fetch_add(1), 51);
  pass_rest(f->a);
  assert_refused(f, "0/2/FF", 69);
}

/* Requests and responses of random octets and lengths end the stream or are taken; they touch nothing but
 * what they may. */
TEST(test_hostile)
{
  for (uint64_t seed = 1; seed <= 2000; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autoptr(random_stream) random = random_stream_new(seed, "test.hostile");
    g_autoptr(rdmap_fixture) f = fixture_with(4, 4);
    for (unsigned i = 0; i < 4; i++) {
      post_atomic(f->a, i, fetch_add(1));
    }
    pull_all(f->a);
    g_array_set_size(f->a->sent, 0);
    f->a->passed = 0;
    for (unsigned i = 0; i < 8; i++) {
      uint8_t payload[64];
      for (size_t k = 0; k < sizeof payload; k++) {
        payload[k] = (uint8_t)random_stream_below(random, 256);
      }
      bool is_near = random_stream_below(random, 2);
      rdmap_atomic atomic = fetch_add(random_stream_next(random));
      atomic.offset += random_stream_below(random, 2 * OCTETS) - OCTETS / 2;
      if (is_near) {
        rdmap_atomic_request_encode(&atomic, payload);
      }
      rdmap_host *from = random_stream_below(random, 2) ? f->a : f->b;
      uint8_t opcode = (uint8_t)(RDMAP_IMMEDIATE + random_stream_below(random, 4));
      forge(from,
            &(ddp_header){.last = random_stream_below(random, 4) > 0,
                          .version = 1,
                          .ulp_control = 0x40 | opcode,
                          .queue_number = rdmap_opcode_rules_of(opcode)->queue_number,
                          .msn = 1 + (uint32_t)random_stream_below(random, 4),
                          .message_offset =
                              random_stream_below(random, 4) ? 0 : (uint32_t)random_stream_below(random, 60)},
            payload,
            random_stream_below(random, 3) ? 52 : (uint32_t)random_stream_below(random, sizeof payload));
      pass_rest(from);
    }
    pull_all(f->b);
  }
}
