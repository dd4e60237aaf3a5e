/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of ordering and completion (rdmap-00 §12.2 fig. 17, RFC 7306 §7): two operations of A, and what
 * B and A may see of them and when. */
#include "base/big_endian.h"
#include "rdmap_fixture.h"

/* MULPDU 114: a Write of 200 octets is 2 segments, a Send 3 (96, 96, 8), any other 1. */
enum { LENGTH = 200, FIRST = 0, LATER = 1, PAIR = 2 };

/* One operation, and the memory it moves. */
typedef struct operation {
  rdmap_opcode kind;
  bool is_read;
  bool is_write;
  bool is_atomic;  /* none of them: a Send or Immediate Data */
  uint32_t length; /* of its memory */
  uint8_t *local;  /* of A: what a Write, Send or Immediate Data takes, what a Read fills */
  uint8_t *remote; /* of B: what these fill, what a Read takes, what an Atomic adds 1 to */
  uint64_t found;  /* by an Atomic */
  size_t from;     /* its segments: [from, to) of what A has sent */
  size_t to;
  uint32_t invalidated;
} operation;

/* Posts operation `index` of `pair` and pulls its segments. A Send's buffer is the next one posted; a Read or
 * an Atomic takes what the operation before it has written, if that is a Write. */
static void start(rdmap_fixture *f, operation *pair, unsigned index, rdmap_opcode kind)
{
  operation *o = &pair[index];
  bool is_immediate = kind == RDMAP_IMMEDIATE || kind == RDMAP_IMMEDIATE_SE;
  rdmap_atomic atomic = {.opcode = RDMAP_ATOMIC_FETCH_ADD, .data = 1};
  *o = (operation){.kind = kind,
                   .is_read = kind == RDMAP_READ_REQUEST,
                   .is_write = kind == RDMAP_WRITE,
                   .is_atomic = kind == RDMAP_ATOMIC_REQUEST,
                   .length = is_immediate || kind == RDMAP_ATOMIC_REQUEST ? 8 : LENGTH,
                   .from = f->a->sent->len};
  rdmap_work work = {.id = index + 1, .operation = kind, .length = o->length};
  if (o->is_read || o->is_atomic) {
    bool is_written = index == LATER && pair[FIRST].is_write;
    o->local = new_memory(f->a, LENGTH);
    o->remote = is_written ? pair[FIRST].remote : new_pattern(f->b, LENGTH, index + 7);
    o->found = rdmap_atomic_load(is_written ? pair[FIRST].local : o->remote);
    work.local_stag = register_memory(f->a, o->local, 0, LENGTH, DDP_ACCESS_REMOTE_WRITE);
    work.remote_stag =
        register_memory(f->b, o->remote, 0, LENGTH, DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE);
    atomic.stag = work.remote_stag;
    work.atomic = &atomic;
  } else {
    work.source_user = o->local = new_pattern(f->a, LENGTH, index + 1);
    work.immediate = big_endian_read_64(o->local);
    o->remote = o->is_write ? new_memory(f->b, LENGTH) : post_receive(f->b, LENGTH);
    work.remote_stag = o->is_write ? register_memory(f->b, o->remote, 0, LENGTH, DDP_ACCESS_REMOTE_WRITE)
                                   : register_memory(f->b, new_memory(f->b, 1), 0, 1, DDP_ACCESS_NONE);
    o->invalidated = work.remote_stag;
  }
  g_assert_true(try_post(f->a, work));
  g_assert_cmpuint(pull_all(f->a), >, 0);
  o->to = f->a->sent->len;
}

/* The segments of `o` arrive last to first, but for the `kept` at its front. */
static void arrive(rdmap_fixture *f, const operation *o, size_t kept)
{
  for (size_t i = o->to; i > o->from + kept; i--) {
    pass(f->a, i - 1);
  }
}

static void assert_nothing_happened(rdmap_fixture *f, const operation *pair)
{
  assert_log(f->a, "");
  assert_log(f->b, "");
  g_assert_false(pull(f->b));
  for (unsigned i = 0; i < PAIR; i++) {
    if (pair[i].is_read) {
      assert_untouched(pair[i].local, LENGTH);
    }
    if (pair[i].is_atomic && pair[FIRST].remote != pair[LATER].remote) {
      g_assert_cmphex(rdmap_atomic_load(pair[i].remote), ==, pair[i].found);
    }
  }
}

/* Expects what B's ULP receives when both operations are there: Sends and Immediate Data only, in the order
 * sent. */
static void assert_sends_received(const rdmap_fixture *f, const operation *pair)
{
  g_autoptr(GString) log = g_string_new(NULL);
  unsigned buffers = 0;
  for (unsigned i = 0; i < PAIR; i++) {
    rdmap_opcode kind = pair[i].kind;
    if (rdmap_opcode_rules_of((uint8_t)kind)->queue_number == RDMAP_QUEUE_SEND && !pair[i].is_write) {
      g_string_append_printf(log, "%sreceived %u (%u octets)%s", log->len > 0 ? "; " : "", ++buffers,
                             pair[i].length,
                             rdmap_opcode_rules_of((uint8_t)kind)->solicits ? ", solicited" : "");
    }
    if (kind == RDMAP_IMMEDIATE || kind == RDMAP_IMMEDIATE_SE) {
      g_string_append_printf(log, ", immediate %" G_GINT64_MODIFIER "x", big_endian_read_64(pair[i].local));
    }
    if (kind == RDMAP_SEND_INVALIDATE || kind == RDMAP_SEND_SE_INVALIDATE) {
      g_string_append_printf(log, ", invalidated 0x%x", pair[i].invalidated);
    }
  }
  assert_log(f->b, log->str);
}

/* The responses of B, of 2 segments to a Read and 1 to an Atomic: those to the first operation come first.
 * They arrive last to first: a later response is Placed while the first is missing (no guarantee), but
 * nothing is complete until all before it is. */
static void check_responses(rdmap_fixture *f, const operation *pair)
{
  size_t segments = 0;
  size_t pulled = pull_all(f->b);
  for (unsigned i = 0; i < PAIR; i++) {
    for (size_t from = 0; pair[i].is_read && from < LENGTH; from += 100) {
      g_assert_cmpmem(nth_sent(f->b, segments++)->octets + 14, 100, pair[i].remote + from, 100);
    }
    if (pair[i].is_atomic) {
      g_assert_cmphex(big_endian_read_64(nth_sent(f->b, segments++)->octets + 22), ==, pair[i].found);
      g_assert_cmphex(rdmap_atomic_load(pair[i].remote), ==, pair[i].found + 1);
    }
  }
  g_assert_cmpuint(pulled, ==, segments);
  acknowledge(f->a);
  while (segments > 0) {
    for (unsigned i = 0; i < PAIR; i++) { /* a Read or an Atomic, and what follows it, is not complete */
      g_autofree char *completed = g_strdup_printf("completed %u", i + 1);
      g_assert_true(!(pair[i].is_read || pair[i].is_atomic) || !strstr(f->a->log->str, completed));
    }
    pass(f->b, --segments);
  }
  g_autoptr(GString) log = g_string_new("completed 1");
  for (unsigned i = 0; i < PAIR; i++) {
    g_string_append(log, i == LATER ? "; completed 2" : "");
    if (pair[i].is_atomic) {
      g_string_append_printf(log, ", original %" G_GINT64_MODIFIER "x", pair[i].found);
    }
  }
  assert_log(f->a, log->str);
}

/* One cell. The later operation arrives before the first: its payload is Placed at once (no Placement
 * guarantee), but nothing is received, Completed or answered. With the first one there all is, in order; a
 * Read's response is not even generated before (the third column). Then the first operation, if a Read, is
 * answered with what the later one has written, if it has (footnote 2). */
static void check_pair(iwarp_generation generation, rdmap_opcode first, rdmap_opcode later)
{
  g_autoptr(rdmap_fixture) f =
      rdmap_fixture_new(A_WITH(.generation = generation), B_WITH(.generation = generation));
  operation o[PAIR];
  g_test_message("operations %d, %d", first, later);
  start(f, o, FIRST, first);
  start(f, o, LATER, later);
  arrive(f, &o[LATER], 0);
  if (!o[LATER].is_read && !o[LATER].is_atomic) {
    g_assert_cmpmem(o[LATER].remote, o[LATER].length, o[LATER].local, o[LATER].length);
  }
  assert_nothing_happened(f, o);
  arrive(f, &o[FIRST], 1);
  assert_nothing_happened(f, o);
  pass(f->a, o[FIRST].from);
  if (!o[FIRST].is_read && !o[FIRST].is_atomic) {
    g_assert_cmpmem(o[FIRST].remote, o[FIRST].length, o[FIRST].local, o[FIRST].length);
  }
  assert_sends_received(f, o);
  g_assert_cmpuint(f->b->sent->len, ==, 0); /* no response is generated yet */
  check_responses(f, o);
  for (unsigned i = 0; i < PAIR; i++) {
    bool is_added_to = o[i].is_atomic || (o[LATER].is_atomic && o[FIRST].is_write);
    if (!is_added_to) {
      g_assert_cmpmem(o[i].remote, o[i].length, o[i].local, o[i].length);
    }
  }
}

/* RDMAP-282, RDMAP-283, RDMAP-284, RDMAP-285, RDMAP-286, RDMAP-287, RDMAP-288, RDMAP-289, RDMAP-290: every
 * cell (of a Send, Write or Read and a later one, in this order), with each of the four Sends where fig. 17
 * has Send. */
TEST(test_cells)
{
  for (size_t first = 0; first < RDMAP_FIXTURE_OPERATIONS; first++) {
    for (size_t later = 0; later < RDMAP_FIXTURE_OPERATIONS; later++) {
      check_pair(IWARP_IETF, rdmap_fixture_operations[first], rdmap_fixture_operations[later]);
    }
  }
}

/* R7306-072, R7306-074, R7306-090, R7306-091, R7306-092, R7306-093, R7306-094, R7306-095, R7306-096,
 * R7306-097, R7306-098, R7306-099, R7306-100: the same with Immediate Data and Atomics (RFC 7306 §7). What
 * comes after an Atomic is Placed and received before its response is made. */
TEST(test_cells_of_the_extensions)
{
  for (size_t first = 0; first < RDMAP_FIXTURE_EXTENDED; first++) {
    for (size_t later = 0; later < RDMAP_FIXTURE_EXTENDED; later++) {
      check_pair(IWARP_RFC6581, rdmap_fixture_operations[first], rdmap_fixture_operations[later]);
    }
  }
}

/* RDMAP-286: two Writes to the same octets: what arrived last is there, until both are Delivered too. */
TEST(test_overlapping_writes)
{
  for (unsigned order = 0; order < 2; order++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    uint8_t *memory = new_memory(f->b, 8);
    uint32_t stag = register_memory(f->b, memory, 0, 8, DDP_ACCESS_REMOTE_WRITE);
    uint8_t *payloads[2];
    for (unsigned i = 0; i < 2; i++) {
      payloads[i] = new_pattern(f->a, 8, i);
      post(f->a, .operation = RDMAP_WRITE, .length = 8, .source_user = payloads[i], .remote_stag = stag);
    }
    g_assert_cmpuint(pull_all(f->a), ==, 2);
    pass(f->a, order);
    g_assert_cmpmem(memory, 8, payloads[order], 8);
    pass(f->a, !order);
    g_assert_cmpmem(memory, 8, payloads[!order], 8);
  }
}

/* RDMAP-289 (footnote 2): a Write into the octets that an earlier Read takes, both there before the
 * response is generated: it has the new ones. */
RDMAP_TEST(test_read_may_see_a_later_write)
{
  uint8_t *memory = new_pattern(f->b, 8, 1);
  uint8_t *written = new_pattern(f->a, 8, 2);
  uint8_t *sink = new_memory(f->a, 8);
  uint32_t stag = register_memory(f->b, memory, 0, 8, DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE);
  post(f->a, .id = 1, .operation = RDMAP_READ_REQUEST, .length = 8, .remote_stag = stag,
       .local_stag = register_memory(f->a, sink, 0, 8, DDP_ACCESS_REMOTE_WRITE));
  post(f->a, .id = 2, .operation = RDMAP_WRITE, .length = 8, .source_user = written, .remote_stag = stag);
  exchange(f);
  g_assert_cmpmem(sink, 8, written, 8);
}

/* RDMAP-291 (footnote 1): Write, Read, and a fenced Write: it does not leave before the response is
 * Delivered, so it never lands before the first one, though that is late. RDMAP-292 (footnote 2): the same
 * of a fenced Send, of each kind, after a Read. */
TEST(test_fence)
{
  static const rdmap_opcode fenced[] = {RDMAP_WRITE, RDMAP_SEND, RDMAP_SEND_INVALIDATE, RDMAP_SEND_SE,
                                        RDMAP_SEND_SE_INVALIDATE};
  for (size_t i = 0; i < G_N_ELEMENTS(fenced); i++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
    uint8_t *memory = new_memory(f->b, 8);
    uint8_t *sink = new_memory(f->a, 8);
    uint8_t *one = new_pattern(f->a, 8, 1);
    uint8_t *two = new_pattern(f->a, 8, 2);
    uint8_t *received = post_receive(f->b, 8);
    uint32_t stag = register_memory(f->b, memory, 0, 8, DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE);
    post(f->a, .id = 1, .operation = RDMAP_WRITE, .length = 8, .source_user = one, .remote_stag = stag);
    post(f->a, .id = 2, .operation = RDMAP_READ_REQUEST, .length = 8, .remote_stag = stag,
         .local_stag = register_memory(f->a, sink, 0, 8, DDP_ACCESS_REMOTE_WRITE));
    post(f->a, .id = 3, .operation = fenced[i], .length = 8, .source_user = two, .remote_stag = stag,
         .fence = true);
    g_assert_cmpuint(pull_all(f->a), ==, 2);
    acknowledge(f->a);
    pass(f->a, 1);
    g_assert_false(pull(f->a));
    g_assert_false(pull(f->b));
    pass(f->a, 0);
    g_assert_cmpuint(pull_all(f->b), ==, 1);
    g_assert_false(pull(f->a));
    pass(f->b, 0);
    g_assert_cmpmem(sink, 8, one, 8);
    g_assert_cmpuint(pull_all(f->a), ==, 1);
    pass(f->a, 2);
    g_assert_cmpmem(fenced[i] == RDMAP_WRITE ? memory : received, 8, two, 8);
  }
}
