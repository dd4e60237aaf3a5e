/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of ordering and completion (rdmap-00 §12.2 fig. 17): two operations of A, and what B and A may
 * see of them and when. */
#include "rdmap_fixture.h"

/* MULPDU 114: a Write of 200 octets is 2 segments, a Send 3 (96, 96, 8), a Read Request 1. */
enum { LENGTH = 200, FIRST = 0, LATER = 1, PAIR = 2 };

/* One operation, and the memory it moves. */
typedef struct operation {
  rdmap_opcode kind;
  bool is_read;
  bool is_write;   /* neither: one of the Sends */
  uint8_t *local;  /* of A: what a Write or Send takes, what a Read fills */
  uint8_t *remote; /* of B: what a Write or Send fills, what a Read takes */
  size_t from;     /* its segments: [from, to) of what A has sent */
  size_t to;
  uint32_t invalidated;
} operation;

/* Posts operation `index` of `pair` and pulls its segments. A Send's buffer is the next one posted; a Read
 * takes what the operation before it has written, if that is a Write. */
static void start(rdmap_fixture *f, operation *pair, unsigned index, rdmap_opcode kind)
{
  operation *o = &pair[index];
  rdmap_work work = {.id = index + 1, .operation = kind, .length = LENGTH};
  *o = (operation){.kind = kind,
                   .is_read = kind == RDMAP_READ_REQUEST,
                   .is_write = kind == RDMAP_WRITE,
                   .from = f->a->sent->len};
  if (o->is_read) {
    o->local = new_memory(f->a, LENGTH);
    o->remote =
        index == LATER && pair[FIRST].is_write ? pair[FIRST].remote : new_pattern(f->b, LENGTH, index + 7);
    work.local_stag = register_memory(f->a, o->local, 0, LENGTH, DDP_ACCESS_REMOTE_WRITE);
    work.remote_stag = register_memory(f->b, o->remote, 0, LENGTH, DDP_ACCESS_REMOTE_READ);
  } else {
    work.source_user = o->local = new_pattern(f->a, LENGTH, index + 1);
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
  }
}

/* Expects what B's ULP receives when both operations are there: Sends only, in the order sent. */
static void assert_sends_received(const rdmap_fixture *f, const operation *pair)
{
  g_autoptr(GString) log = g_string_new(NULL);
  unsigned buffers = 0;
  for (unsigned i = 0; i < PAIR; i++) {
    rdmap_opcode kind = pair[i].kind;
    if (!pair[i].is_read && !pair[i].is_write) {
      bool solicited = kind == RDMAP_SEND_SE || kind == RDMAP_SEND_SE_INVALIDATE;
      g_string_append_printf(log, "%sreceived %u (200 octets)%s", log->len > 0 ? "; " : "", ++buffers,
                             solicited ? ", solicited" : "");
    }
    if (kind == RDMAP_SEND_INVALIDATE || kind == RDMAP_SEND_SE_INVALIDATE) {
      g_string_append_printf(log, ", invalidated 0x%x", pair[i].invalidated);
    }
  }
  assert_log(f->b, log->str);
}

/* The Read Responses of B, 2 segments each: those to the first Read come first. They arrive last to first:
 * a later response is Placed while the first is missing (no guarantee), but nothing is complete until all
 * before it is. */
static void check_responses(rdmap_fixture *f, const operation *pair)
{
  size_t segments = 0;
  size_t pulled = pull_all(f->b);
  for (unsigned i = 0; i < PAIR; i++) {
    for (size_t from = 0; pair[i].is_read && from < LENGTH; from += 100) {
      g_assert_cmpmem(nth_sent(f->b, segments++)->octets + 14, 100, pair[i].remote + from, 100);
    }
  }
  g_assert_cmpuint(pulled, ==, segments);
  acknowledge(f->a);
  while (segments > 0) {
    for (unsigned i = 0; i < PAIR; i++) { /* a Read, and what follows it, is not complete */
      g_autofree char *completed = g_strdup_printf("completed %u", i + 1);
      g_assert_true(!pair[i].is_read || !strstr(f->a->log->str, completed));
    }
    pass(f->b, --segments);
  }
  assert_log(f->a, "completed 1; completed 2");
}

/* One cell. The later operation arrives before the first: its payload is Placed at once (no Placement
 * guarantee), but nothing is received, Completed or answered. With the first one there all is, in order; a
 * Read's response is not even generated before (the third column). Then the first operation, if a Read, is
 * answered with what the later one has written, if it has (footnote 2). */
static void check_pair(rdmap_opcode first, rdmap_opcode later)
{
  g_autoptr(rdmap_fixture) f = rdmap_fixture_new(NULL, NULL);
  operation o[PAIR];
  g_test_message("operations %d, %d", first, later);
  start(f, o, FIRST, first);
  start(f, o, LATER, later);
  arrive(f, &o[LATER], 0);
  if (!o[LATER].is_read) {
    g_assert_cmpmem(o[LATER].remote, LENGTH, o[LATER].local, LENGTH);
  }
  assert_nothing_happened(f, o);
  arrive(f, &o[FIRST], 1);
  assert_nothing_happened(f, o);
  pass(f->a, o[FIRST].from);
  if (!o[FIRST].is_read) {
    g_assert_cmpmem(o[FIRST].remote, LENGTH, o[FIRST].local, LENGTH);
  }
  assert_sends_received(f, o);
  g_assert_cmpuint(f->b->sent->len, ==, 0); /* no response is generated yet */
  check_responses(f, o);
  for (unsigned i = 0; i < PAIR; i++) {
    g_assert_cmpmem(o[i].remote, LENGTH, o[i].local, LENGTH);
  }
}

/* RDMAP-282, RDMAP-283, RDMAP-284, RDMAP-285, RDMAP-286, RDMAP-287, RDMAP-288, RDMAP-289, RDMAP-290: every
 * cell (of a Send, Write or Read and a later one, in this order), with each of the four Sends where fig. 17
 * has Send. */
TEST(test_cells)
{
  for (size_t first = 0; first < RDMAP_FIXTURE_OPERATIONS; first++) {
    for (size_t later = 0; later < RDMAP_FIXTURE_OPERATIONS; later++) {
      check_pair(rdmap_fixture_operations[first], rdmap_fixture_operations[later]);
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
