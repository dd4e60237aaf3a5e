/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload of two ULPs over two endpoints on a wire in memory: every operation, what the ends verify, and
 * which errors they notice. */
#include "workload_fixture.h"

/* Posts at the Initiator until that is refused; returns how many operations. */
static guint post_all(const pair *p)
{
  guint posted = 0;
  while (ulp_workload_post_next(p->workloads[SIDE_INITIATOR], p->f->now)) {
    posted++;
  }
  return posted;
}

static const ulp_operation kinds[] = {
    ULP_OPERATION_WRITE,         ULP_OPERATION_READ, ULP_OPERATION_SEND,      ULP_OPERATION_STORAGE_READ,
    ULP_OPERATION_STORAGE_WRITE, ULP_OPERATION_RPC,  ULP_OPERATION_RPC_WRITE, ULP_OPERATION_RPC_READ};

/* --- Every operation --- */

typedef struct operation_case {
  const char *name;
  ulp_workload_config config;
  uint64_t messages[SIDES]; /* that reach each ULP */
  uint64_t octets[SIDES];
  unsigned opcodes[16]; /* segments Delivered, by opcode: Write, Read Request, Read Response, Send, … */
} operation_case;

static const uint64_t long_and_short_octets[] = {70000, 1, 5000};

/* 5000 octets are 4 tagged segments (3 x 1428 + 716) or 4 untagged ones (3 x 1424 + 728); requests and
 * responses have 48. */
static const operation_case operation_cases[] = {
    {"10 Writes, a Send after every 4th and the last: 4, 8, 10",
     {.mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 5000, .messages = 10, .signal_every = 4},
     {0, 13},
     {0, 50000},
     {[0] = 40, [3] = 3}},
    {"Reads: a request there, a response back",
     {.mix = {{ULP_OPERATION_READ}, 1}, .message_octets = 5000, .messages = 9},
     {9, 0},
     {45000, 0},
     {[1] = 9, [2] = 36}},
    {"Sends longer than the pattern table (70000 = 49 x 1424 + 224)",
     {.mix = {{ULP_OPERATION_SEND}, 1}, .message_octets = 70000, .messages = 3},
     {0, 3},
     {0, 210000},
     {[3] = 150}},
    /* 70000 (49 x 1428 + 28), 5000 and 1 octets of each */
    {"Writes and Reads of sizes in turn, also beyond 2^16",
     {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_READ}, 2},
      .message_octets = 70000,
      .message_sizes = {long_and_short_octets, G_N_ELEMENTS(long_and_short_octets)},
      .messages = 6},
     {3, 4},
     {75001, 75001},
     {[0] = 55, [1] = 3, [2] = 55, [3] = 1}},
    {"Sends with Invalidate, each of an STag of its own",
     {.mix = {{ULP_OPERATION_SEND_INVALIDATE}, 1}, .message_octets = 1000, .messages = 200},
     {0, 200},
     {0, 200000},
     {[4] = 200}},
    {"Sends with Solicited Event",
     {.mix = {{ULP_OPERATION_SEND_SE}, 1}, .message_octets = 100, .messages = 20},
     {0, 20},
     {0, 2000},
     {[5] = 20}},
    {"both",
     {.mix = {{ULP_OPERATION_SEND_SE_INVALIDATE}, 1}, .message_octets = 100, .messages = 20},
     {0, 20},
     {0, 2000},
     {[6] = 20}},
    /* 68536 / 5020 + 2 = 15 */
    {"Writes whose STag the next Send invalidates, more than there are buffers",
     {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE}, 2},
      .message_octets = 5000,
      .messages = 80},
     {0, 81},
     {0, 400000},
     {[0] = 160, [3] = 1, [4] = 160}},
    {"storage read: request, Write, response with Invalidate",
     {.mix = {{ULP_OPERATION_STORAGE_READ}, 1}, .message_octets = 5000, .messages = 40},
     {80, 40},
     {40 * 5048, 40 * 48},
     {[0] = 160, [3] = 40, [4] = 40}},
    {"storage write: request, Read, response with Solicited Event and Invalidate",
     {.mix = {{ULP_OPERATION_STORAGE_WRITE}, 1}, .message_octets = 5000, .messages = 40},
     {40, 80},
     {40 * 48, 40 * 5048},
     {[1] = 40, [2] = 160, [3] = 40, [6] = 40}},
    {"rpc: request of 100 octets, a Send of the message back",
     {.mix = {{ULP_OPERATION_RPC}, 1}, .message_octets = 5000, .request_octets = 100, .messages = 40},
     {40, 40},
     {40 * 5000, 40 * 100},
     {[3] = 40 + 160}},
    {"rpc: a request longer than the message, of 4 segments, and longer than the pattern table, of 50",
     {.mix = {{ULP_OPERATION_RPC}, 1}, .message_octets = 100, .request_octets = 70000, .messages = 5},
     {5, 5},
     {5 * 100, 5 * 70000},
     {[3] = 5 + 5 * 50}},
    {"rpc: no octets at all",
     {.mix = {{ULP_OPERATION_RPC, ULP_OPERATION_RPC_WRITE, ULP_OPERATION_RPC_READ}, 3}, .messages = 6},
     {2 + 4 + 4, 6},
     {2 * 48, 0},
     {[0] = 2, [1] = 2, [2] = 2, [3] = 6 + 6}},
    {"rpc-write: request, Write, a Send without payload",
     {.mix = {{ULP_OPERATION_RPC_WRITE}, 1}, .message_octets = 5000, .request_octets = 100, .messages = 40},
     {80, 40},
     {40 * 5000, 40 * 100},
     {[0] = 160, [3] = 80}},
    {"rpc-read: request, response of 48 octets, Read",
     {.mix = {{ULP_OPERATION_RPC_READ}, 1}, .message_octets = 5000, .request_octets = 100, .messages = 40},
     {80, 40},
     {40 * 5048, 40 * 100},
     {[1] = 40, [2] = 160, [3] = 80}},
    /* own: 5 answers, 10 answers and data, 5 data, 5 data and responses; the peer's: 15 requests, 5 Writes
       whose STag goes, 5 Sends, 5 requests; 1 signal */
    {"all calls among others, both ends",
     {.mix = {{ULP_OPERATION_RPC, ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE, ULP_OPERATION_RPC_WRITE,
               ULP_OPERATION_READ, ULP_OPERATION_RPC_READ, ULP_OPERATION_STORAGE_READ},
              7},
      .both = true,
      .message_octets = 5000,
      .request_octets = 100,
      .messages = 35},
     {5 + 10 + 10 + 5 + 10 + 15 + 5 + 5 + 5 + 1, 5 + 10 + 10 + 5 + 10 + 15 + 5 + 5 + 5 + 1},
     {35 * 5000 + 15 * 100 + 5 * 48 + 10 * 48, 35 * 5000 + 15 * 100 + 5 * 48 + 10 * 48},
     {[0] = 2 * 15 * 4,
      [1] = 2 * 10,
      [2] = 2 * 10 * 4,
      [3] = 2 * (15 + 5 * 4 + 5 + 5 + 5 + 1),
      [4] = 2 * (5 * 4 + 5)}},
    {"a mix, both ends",
     {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND, ULP_OPERATION_READ, ULP_OPERATION_STORAGE_READ,
               ULP_OPERATION_STORAGE_WRITE},
              5},
      .both = true,
      .message_octets = 5000,
      .messages = 50},
     /* own: 10 responses, 10 data and 10 responses, 10 responses; the peer's: 11 Writes and signal, 10 Sends,
        10 requests, 10 requests and 10 data */
     {10 + 20 + 10 + 11 + 10 + 10 + 20, 10 + 20 + 10 + 11 + 10 + 10 + 20},
     {50 * 5000 + 40 * 48, 50 * 5000 + 40 * 48},
     {[0] = 160, [1] = 40, [2] = 160, [3] = 2 * (40 + 1 + 20), [4] = 20, [6] = 20}},
    {"zero-length messages",
     {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND, ULP_OPERATION_READ, ULP_OPERATION_STORAGE_READ,
               ULP_OPERATION_STORAGE_WRITE},
              5},
      .messages = 10},
     {2 + 4 + 2, 3 + 2 + 2 + 4},
     {4 * 48, 4 * 48},
     {[0] = 4, [1] = 4, [2] = 4, [3] = 2 + 1 + 4, [4] = 2, [6] = 2}},
    /* RFC 7306 §6: Immediate Data of 8 octets */
    {"write-immediate: Write, Immediate Data, more than there are buffers",
     {.mix = {{ULP_OPERATION_WRITE_IMMEDIATE}, 1}, .message_octets = 5000, .messages = 40},
     {0, 80},
     {0, 40 * 5008},
     {[0] = 160, [8] = 40}},
    {"write-immediate-se, of no octets: a Solicited Event",
     {.mix = {{ULP_OPERATION_WRITE_IMMEDIATE_SE}, 1}, .messages = 20},
     {0, 40},
     {0, 20 * 8},
     {[0] = 20, [9] = 20}},
    /* RFC 7306 §5: a request there, a response of 12 octets back. ORD is 4. */
    {"R7306-020, R7306-042: fetch-add, each answered: its address is aligned",
     {.mix = {{ULP_OPERATION_FETCH_ADD}, 1}, .message_octets = 8, .messages = 300},
     {300, 0},
     {300 * 12, 0},
     {[0xA] = 300, [0xB] = 300}},
    {"R7306-028: compare-swap, one in four of which fails",
     {.mix = {{ULP_OPERATION_COMPARE_SWAP}, 1}, .message_octets = 8, .messages = 300},
     {300, 0},
     {300 * 12, 0},
     {[0xA] = 300, [0xB] = 300}},
    /* own: 10 Atomics and 5 Read Responses; the peer's: 5 Writes and signal, 5 Sends, 5 Writes with Immediate
       Data */
    {"Atomics and Immediate Data among others, both ends",
     {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_FETCH_ADD, ULP_OPERATION_READ, ULP_OPERATION_COMPARE_SWAP,
               ULP_OPERATION_SEND_INVALIDATE, ULP_OPERATION_WRITE_IMMEDIATE},
              6},
      .both = true,
      .message_octets = 5000,
      .messages = 30},
     {10 + 5 + 6 + 5 + 10, 10 + 5 + 6 + 5 + 10},
     {10 * 12 + 20 * 5000 + 5 * 8, 10 * 12 + 20 * 5000 + 5 * 8},
     {[0] = 2 * 40, [1] = 10, [2] = 40, [3] = 2, [4] = 40, [8] = 10, [0xA] = 20, [0xB] = 20}},
};

/* RDMAP-196: completions come in the order posted, whatever the mix (a wrong one counts as an order
 * error). */
EACH_TEST(test_operations, operation_case, operation_cases)
{
  for (int variant = 0; variant < 4; variant++) {
    bool by_domain = variant & 2;
    const ulp_workload_config config =
        WITH(ulp_workload_config, c->config, .fence = variant & 1,
             .association = by_domain ? DDP_ASSOCIATED_BY_PROTECTION_DOMAIN : DDP_ASSOCIATED_BY_STREAM);
    g_auto(pair) p = {.holds = false};
    g_test_message("%s, %s", variant & 1 ? "fenced" : "not fenced",
                   by_domain ? "Protection Domain" : "stream");
    pair_work(&p, &config);
    for (enum side side = 0; side < SIDES; side++) {
      const ulp_workload_results results = ulp_workload_results_of(p.workloads[side]);
      EXPECT_FIELDS(&results, (messages_delivered, c->messages[side]), (octets_delivered, c->octets[side]));
    }
    for (int opcode = 0; opcode < 16; opcode++) {
      g_assert_cmpuint(p.opcodes[opcode], ==, c->opcodes[opcode]);
    }
    g_assert_cmpuint(
        p.associations[by_domain ? DDP_ASSOCIATED_BY_STREAM : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN], ==, 0);
  }
}

/* A buffer's next Send with Invalidate names another STag than the last one did, whichever buffer it is: 1 +
 * 65535 + 2 = 65538 of them. */
TEST(test_stags_are_used_once)
{
  enum { BUFFERS = 65538 };
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_SEND_INVALIDATE}, 1},
                                      .message_octets = 1,
                                      .messages = 2 * BUFFERS,
                                      .in_flight_octets = 65535 * 21};
  g_autoptr(GArray) invalidated = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_auto(pair) p = {.holds = true, .no_crc = true, .invalidated = invalidated};
  pair_open(&p, &config);
  g_assert_cmpuint(post_all(&p), ==, BUFFERS); /* the next one waits for a buffer */
  pair_finish(&p);
  g_assert_cmpuint(invalidated->len, ==, 2 * BUFFERS);
  for (guint i = 0; i < BUFFERS; i++) {
    g_assert_cmphex(g_array_index(invalidated, uint32_t, i), !=,
                    g_array_index(invalidated, uint32_t, i + BUFFERS));
  }
}

/* Nor does a buffer of data whose STag was invalidated: 80 messages, a Write and the Send that invalidates
 * its STag by turns, or storage exchanges, in 10000 / 1020 + 2 = 11 buffers. */
TEST(test_stags_of_data_are_used_once)
{
  static const struct {
    choice_list mix;
    guint invalidations;
  } cases[] = {{{{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE}, 2}, 40},
               {{{ULP_OPERATION_STORAGE_READ}, 1}, 80},
               {{{ULP_OPERATION_STORAGE_WRITE}, 1}, 80}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const ulp_workload_config config = {
        .mix = cases[i].mix, .message_octets = 1000, .messages = 80, .in_flight_octets = 10000};
    g_autoptr(GArray) invalidated = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    g_auto(pair) p = {.invalidated = invalidated};
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

    pair_work(&p, &config);
    for (guint j = 0; j < invalidated->len; j++) {
      uint32_t stag = g_array_index(invalidated, uint32_t, j);
      g_assert_true(stag == 0 || g_hash_table_add(seen, GUINT_TO_POINTER(stag)));
    }
    g_assert_cmpuint(g_hash_table_size(seen), ==, cases[i].invalidations);
  }
}

static gint by_value(gconstpointer a, gconstpointer b)
{
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;

  return left < right ? -1 : left > right;
}

/* No two messages begin alike, of whichever end: requests, data and responses. One in the place of another
 * would be noticed. Of 10 Sends, 10 storage Reads, 10 Writes and 10 of each call from each end, 3 messages a
 * storage exchange and two a call. */
TEST(test_payload_differs)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_SEND, ULP_OPERATION_STORAGE_READ, ULP_OPERATION_WRITE, ULP_OPERATION_RPC,
               ULP_OPERATION_RPC_WRITE},
              5},
      .both = true,
      .message_octets = 100,
      .request_octets = 100,
      .messages = 50};
  g_autoptr(GArray) first_octets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_auto(pair) p = {.first_octets = first_octets};

  pair_work(&p, &config);
  g_assert_cmpuint(first_octets->len, ==, 2 * 10 * (1 + 3 + 1 + 2 + 2));
  g_array_sort(first_octets, by_value);
  for (guint i = 1; i < first_octets->len; i++) {
    g_assert_cmphex(g_array_index(first_octets, uint64_t, i), !=,
                    g_array_index(first_octets, uint64_t, i - 1));
  }
}

/* A completion that is not that of the oldest operation is an order error. */
TEST(test_completions_out_of_order)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 100, .messages = 3};
  static const uint64_t ids[] = {0, 1}; /* of the first operation; of the second, early */

  for (gsize i = 0; i < G_N_ELEMENTS(ids); i++) {
    const rdmap_completion completion = {.id = ids[i], .operation = RDMAP_WRITE};
    g_auto(pair) p = {.holds = true};

    pair_open(&p, &config);
    g_assert_true(ulp_workload_post_next(p.workloads[SIDE_INITIATOR], p.f->now));
    g_assert_true(ulp_workload_post_next(p.workloads[SIDE_INITIATOR], p.f->now));
    rnic_endpoint_complete(p.f->initiator->endpoint, &completion, p.f->now);
    ulp_workload_poll(p.workloads[SIDE_INITIATOR], p.f->now);
    g_assert_cmpuint(ulp_workload_results_of(p.workloads[SIDE_INITIATOR]).order_errors, ==, ids[i]);
  }
}

/* MPA-122: without CRC the ULPs see the same messages and completions, at the same times. */
TEST(test_crc_is_invisible)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_SE_INVALIDATE,
                                               ULP_OPERATION_READ, ULP_OPERATION_STORAGE_WRITE},
                                              4},
                                      .both = true,
                                      .message_octets = 3000,
                                      .messages = 40};
  pair pairs[] = {{.no_crc = false}, {.no_crc = true}};

  for (gsize i = 0; i < G_N_ELEMENTS(pairs); i++) {
    pairs[i].trace = g_string_new(NULL);
    pair_work(&pairs[i], &config);
    pair_close(&pairs[i]);
  }
  g_assert_cmpuint(pairs[0].trace->len, >, 1000);
  g_assert_cmpstr(pairs[0].trace->str, ==, pairs[1].trace->str);
  g_string_free(pairs[0].trace, TRUE);
  g_string_free(pairs[1].trace, TRUE);
}

/* --- What is noticed --- */

typedef struct tamper_case {
  ulp_operation operation;
  enum side victim;
  tampering tampering;
  uint64_t at;
  uint64_t octets_wrong, guard_errors;
  bool order_errors;
} tamper_case;

/* Segments of messages of 5000 octets, 4 each. The victim is the end that the data goes to. Requests at the
 * Responder, of one segment, come first there. */
static const tamper_case tamper_cases[] = {
    {ULP_OPERATION_WRITE, SIDE_RESPONDER, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_WRITE, SIDE_RESPONDER, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_WRITE, SIDE_RESPONDER, TAMPER_SKIP, 7, 0, 0, true},
    {ULP_OPERATION_WRITE, SIDE_RESPONDER, TAMPER_PLACE, 2, 0, 0, true},
    {ULP_OPERATION_SEND, SIDE_RESPONDER, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_SEND, SIDE_RESPONDER, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_SEND, SIDE_RESPONDER, TAMPER_SKIP, 7, 0, 0, true},
    {ULP_OPERATION_SEND, SIDE_RESPONDER, TAMPER_PLACE, 2, 0, 0, true},
    {ULP_OPERATION_READ, SIDE_INITIATOR, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_READ, SIDE_INITIATOR, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_READ, SIDE_INITIATOR, TAMPER_SKIP, 7, 0, 0, true},
    {ULP_OPERATION_READ, SIDE_INITIATOR, TAMPER_PLACE, 2, 0, 0, true},
    {ULP_OPERATION_STORAGE_READ, SIDE_INITIATOR, TAMPER_OCTET, 1, 1, 0, false},
    {ULP_OPERATION_STORAGE_READ, SIDE_INITIATOR, TAMPER_BESIDE, 1, 0, 1, false},
    {ULP_OPERATION_STORAGE_WRITE, SIDE_RESPONDER, TAMPER_OCTET, 2, 1, 0, false},
    {ULP_OPERATION_RPC, SIDE_INITIATOR, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_RPC, SIDE_INITIATOR, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_RPC, SIDE_RESPONDER, TAMPER_OCTET, 2, 1, 0, false},
    {ULP_OPERATION_RPC_WRITE, SIDE_INITIATOR, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_RPC_WRITE, SIDE_INITIATOR, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_RPC_READ, SIDE_INITIATOR, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_RPC_READ, SIDE_INITIATOR, TAMPER_SKIP, 7, 0, 0, true},
    {ULP_OPERATION_WRITE_IMMEDIATE, SIDE_RESPONDER, TAMPER_OCTET, 7, 1, 0, false},
    {ULP_OPERATION_WRITE_IMMEDIATE, SIDE_RESPONDER, TAMPER_BESIDE, 5, 0, 1, false},
    {ULP_OPERATION_WRITE_IMMEDIATE, SIDE_RESPONDER, TAMPER_SKIP, 5, 0, 0, true},
};

TEST(test_tampering_is_noticed)
{
  for (gsize i = 0; i < G_N_ELEMENTS(tamper_cases); i++) {
    const tamper_case *c = &tamper_cases[i];
    const ulp_workload_config config = {
        .mix = {{c->operation}, 1}, .message_octets = 5000, .request_octets = 48, .messages = 3};
    g_auto(pair) p = {.tampering = c->tampering, .victim = c->victim, .at = c->at};

    g_test_message("operation %d, tampering %d", (int)c->operation, c->tampering);
    pair_open(&p, &config);
    run(p.f, 60 * TIME_PS_PER_SECOND);
    const ulp_workload_results results = ulp_workload_results_of(p.workloads[c->victim]);
    EXPECT_FIELDS(&results, (octets_wrong, c->octets_wrong), (guard_errors, c->guard_errors));
    g_assert_true((results.order_errors > 0) == c->order_errors);
    g_assert_true(pair_is_delivered(&p) == !c->order_errors);
  }
}

/* The 8 octets of a test, for all. */
static ulp_counter *counter_of_pair(void *user, G_GNUC_UNUSED enum side side)
{
  return &((pair *)user)->counter;
}

/* What Atomics find and leave is compared with a count of their own: one that has lost a change of another,
 * or was made twice, is noticed. Both ends count in one place; one octet changes on its way. */
TEST(test_wrong_atomics_are_noticed)
{
  for (int change = -1; change <= 1; change++) {
    const ulp_workload_config config = {.mix = {{ULP_OPERATION_FETCH_ADD, ULP_OPERATION_COMPARE_SWAP}, 2},
                                        .both = true,
                                        .message_octets = 8,
                                        .messages = 100,
                                        .counter = counter_of_pair};
    g_auto(pair) p = {.holds = false};

    ulp_counter_init(&p.counter);
    pair_open(&p, &config);
    g_assert_cmpuint(p.counter.connections, ==, 2);
    run(p.f, 100 * TIME_PS_PER_MICROSECOND);
    g_assert_cmpuint(p.counter.counted, >, 0);
    g_assert_cmpuint(p.counter.under_way, >, 0);
    p.counter.memory[0] = (uint8_t)(p.counter.memory[0] + change);
    run(p.f, 60 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(p.counter.under_way, ==, 0);
    g_assert_cmpuint(pair_wrongs(&p) > 0, ==, change != 0);
  }
}

/* A Write or Read Response of no octets that was never posted changes nothing (RFC 6581 §9.2: an RTR
 * indication); a message to the ULP that was never posted is an error, whatever its kind. */
TEST(test_what_nobody_posted)
{
  static const struct {
    uint8_t opcode;
    uint32_t octets;
    bool noticed;
  } segments[] = {{RDMAP_WRITE, 0, false},         {RDMAP_WRITE, 1, true},
                  {RDMAP_SEND, 0, true},           {RDMAP_SEND, 1, true},
                  {RDMAP_READ_RESPONSE, 0, false}, {RDMAP_READ_RESPONSE, 1, true},
                  {RDMAP_READ_REQUEST, 28, false}, {RDMAP_TERMINATE, 4, false}};
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_SEND}, 1}, .message_octets = 1, .messages = 1};

  for (gsize i = 0; i < G_N_ELEMENTS(segments); i++) {
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(segments[i].opcode);
    const ddp_segment segment = {.header = {.tagged = rules->tagged,
                                            .last = true,
                                            .ulp_control = rdmap_control_encode(1, rules->opcode)},
                                 .payload_octets = segments[i].octets};
    g_auto(pair) p = {.holds = true};

    pair_open(&p, &config);
    ulp_workload_delivered(p.workloads[SIDE_INITIATOR], &segment, 0); /* where nothing is expected */
    g_assert_cmpuint(ulp_workload_results_of(p.workloads[SIDE_INITIATOR]).order_errors, ==,
                     segments[i].noticed);
  }
}

/* --- Limits --- */

/* At most 3 operations of a requester are posted and not complete; a storage exchange counts until its
 * response. */
TEST(test_outstanding)
{
  static const ulp_operation operations[] = {ULP_OPERATION_WRITE, ULP_OPERATION_READ,
                                             ULP_OPERATION_STORAGE_WRITE};

  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    const ulp_workload_config config = {
        .mix = {{operations[i]}, 1}, .message_octets = 100, .messages = 10, .outstanding = 3};
    g_auto(pair) p = {.holds = true};
    pair_open(&p, &config);
    g_assert_cmpuint(post_all(&p), ==, 3);
    g_assert_false(
        ulp_workload_post_next(p.workloads[SIDE_RESPONDER], p.f->now)); /* does nothing for itself */
    pair_finish(&p);
  }
}

/* in_flight_octets 10000: 10000 / (5000 + 20) + 2 = 3 buffers, or 10000 / (100 + 20) + 2 = 85. 3000 and 300
 * octets in turn: 10000 / (3020 + 320) + 2 = 4 turns of two; of those that take Sends there is one more. With
 * nothing Delivered the message after the last waits, whatever the operation, and its requester is woken when
 * a buffer has come free. */
TEST(test_waits_for_a_buffer)
{
  static const uint64_t in_turn[] = {3000, 300};
  static const struct {
    uint32_t message_octets;
    number_list message_sizes;
    guint buffers;
  } sizes[] = {{5000, {NULL, 0}, 3}, {100, {NULL, 0}, 85}, {3000, {in_turn, G_N_ELEMENTS(in_turn)}, 8}};

  for (gsize i = 0; i < G_N_ELEMENTS(kinds) * G_N_ELEMENTS(sizes); i++) {
    gsize s = i % G_N_ELEMENTS(sizes);
    const ulp_workload_config config = {.mix = {{kinds[i / G_N_ELEMENTS(sizes)]}, 1},
                                        .message_octets = sizes[s].message_octets,
                                        .message_sizes = sizes[s].message_sizes,
                                        .messages = 100,
                                        .in_flight_octets = 10000};
    g_auto(pair) p = {.holds = true};
    pair_open(&p, &config);
    const bool is_of_sends = ulp_operation_rules_of((ulp_operation)config.mix.values[0])->is_send;
    g_assert_cmpuint(post_all(&p), ==, sizes[s].buffers + is_of_sends);
    g_assert_cmpuint(p.woken[SIDE_INITIATOR], ==, 0);
    run(p.f, TIME_PS_PER_SECOND);
    g_assert_cmpuint(p.woken[SIDE_INITIATOR], ==, 1); /* once for each time it waited */
    pair_finish(&p);
  }
}

/* RDMAP-214: never more Reads outstanding than the ORD of 4, though 20 are posted at once; RDMAP-210: as many
 * as that are. */
TEST(test_reads_outstanding)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_READ}, 1}, .message_octets = 100, .messages = 20};
  g_auto(pair) p = {.holds = false};

  pair_work(&p, &config);
  g_assert_cmpuint(p.most_outstanding_reads, ==, 4);
}

/* The Initiator's ULP always posts operations of its own, the Responder's only when both do the same. */
TEST(test_who_posts)
{
  for (int both = 0; both <= 1; both++) {
    const ulp_workload_config config = {
        .mix = {{ULP_OPERATION_WRITE}, 1}, .both = both, .message_octets = 100, .messages = 1};
    g_auto(pair) p = {.holds = true};

    pair_open(&p, &config);
    for (enum side side = 0; side < SIDES; side++) {
      g_assert_cmpint(ulp_workload_posts(&config, side), ==, side == SIDE_INITIATOR || both);
      g_assert_cmpint(ulp_workload_post_next(p.workloads[side], p.f->now), ==,
                      ulp_workload_posts(&config, side));
    }
  }
}

/* A ULP has its end alone. What it has posted arrives and is verified although it has gone before the first
 * segment left: the agreement is the peer's as well. 10 Sends of 5000 octets, all posted at once. */
TEST(test_an_end_goes_first)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_SEND}, 1}, .message_octets = 5000, .messages = 10};
  g_auto(pair) p = {.holds = true};

  pair_open(&p, &config);
  g_assert_cmpuint(post_all(&p), ==, 10);
  g_clear_pointer(&p.workloads[SIDE_INITIATOR], ulp_workload_free);
  run(p.f, TIME_PS_PER_SECOND);
  const ulp_workload_results results = ulp_workload_results_of(p.workloads[SIDE_RESPONDER]);
  EXPECT_FIELDS(&results, (messages_delivered, 10), (octets_delivered, 50000), (octets_wrong, 0),
                (order_errors, 0), (guard_errors, 0));
}

/* A lost connection accepts no work: posting ends, and posted operations count as neither complete nor
 * wrong. */
TEST(test_the_connection_ends)
{
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    const ulp_workload_config config = {.mix = {{kinds[i]}, 1}, .message_octets = 5000, .messages = 100};
    g_auto(pair) p = {.holds = false};

    pair_open(&p, &config);
    run(p.f, 100 * TIME_PS_PER_MICROSECOND);
    rdmap_stream_fail(p.f->responder->endpoint->sender.config.stream,
                      (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_LOCAL_CATASTROPHIC_ERROR, 0}, p.f->now);
    run(p.f, 60 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(p.f->initiator->code, ==, "Terminate 0/0/00");
    g_assert_cmpuint(pair_wrongs(&p), ==, 0);
    g_assert_false(pair_is_complete(&p));
    g_assert_false(pair_is_delivered(&p));
    g_assert_false(ulp_workload_post_next(p.workloads[SIDE_INITIATOR], p.f->now));
  }
}
