/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of ordering and completion (rdmap-00 §12.2 fig. 17): two operations of A, and what B and A may
 * see of them and when. */
#include "rdmap_kit.h"
#include "test.h"

/* MULPDU 114: a Write of 200 octets is 2 segments, a Send 3 (96, 96, 8), a Read Request 1. */
enum { OCTETS = 200, OPERATIONS = 2, FIRST = 0, LATER = 1 };

typedef enum op_class { SEND, WRITE, READ, CLASSES } op_class;

static op_class class_of(rdmap_operation operation)
{
  switch (operation) {
  case RDMAP_OPERATION_WRITE:
    return WRITE;
  case RDMAP_OPERATION_READ:
    return READ;
  default:
    return SEND;
  }
}

/* The cells, by first and later operation. */
static const char *const cells[CLASSES][CLASSES] = {
    [SEND] = {[SEND] = "RDMAP-282", [WRITE] = "RDMAP-283", [READ] = "RDMAP-284"},
    [WRITE] = {[SEND] = "RDMAP-285", [WRITE] = "RDMAP-286", [READ] = "RDMAP-287"},
    [READ] = {[SEND] = "RDMAP-288", [WRITE] = "RDMAP-289", [READ] = "RDMAP-290"},
};

/* One operation, and the memory it moves. */
typedef struct operation {
  rdmap_operation kind;
  uint8_t *local;  /* of A: what a Write or Send takes, what a Read fills */
  uint8_t *remote; /* of B: what a Write or Send fills, what a Read takes */
  size_t from;     /* its segments: [from, to) of what A has sent */
  size_t to;
  uint32_t invalidated;
} operation;

typedef struct fixture {
  rdmap_kit *kit;
  operation operations[OPERATIONS];
} fixture;

/* A Send's buffer is the next one posted; a Read takes what the operation before it has written, if that
 * is a Write. */
static rdmap_work prepare(fixture *f, unsigned index, rdmap_operation kind)
{
  operation *o = &f->operations[index];
  rdmap_work work = {.id = index + 1, .operation = kind, .length = OCTETS};
  *o = (operation){.kind = kind};
  switch (class_of(kind)) {
  case SEND: {
    uint8_t *spare = rdmap_kit_memory(f->kit, KIT_B, 1);
    o->local = rdmap_kit_pattern(f->kit, KIT_A, OCTETS, index + 1);
    o->remote = rdmap_kit_post_receive(f->kit, KIT_B, OCTETS);
    o->invalidated = rdmap_kit_register(f->kit, KIT_B, spare, 0, 1, DDP_ACCESS_NONE);
    work.source_user = o->local;
    work.remote_stag = o->invalidated;
    break;
  }
  case WRITE:
    o->local = rdmap_kit_pattern(f->kit, KIT_A, OCTETS, index + 1);
    o->remote = rdmap_kit_memory(f->kit, KIT_B, OCTETS);
    work.source_user = o->local;
    work.remote_stag = rdmap_kit_register(f->kit, KIT_B, o->remote, 0, OCTETS, DDP_ACCESS_REMOTE_WRITE);
    break;
  default:
    o->local = rdmap_kit_memory(f->kit, KIT_A, OCTETS);
    o->remote = index == LATER && class_of(f->operations[FIRST].kind) == WRITE
                    ? f->operations[FIRST].remote
                    : rdmap_kit_pattern(f->kit, KIT_B, OCTETS, index + 7);
    work.local_stag = rdmap_kit_register(f->kit, KIT_A, o->local, 0, OCTETS, DDP_ACCESS_REMOTE_WRITE);
    work.remote_stag = rdmap_kit_register(f->kit, KIT_B, o->remote, 0, OCTETS, DDP_ACCESS_REMOTE_READ);
  }
  return work;
}

static fixture fixture_new(rdmap_operation first, rdmap_operation later)
{
  fixture f = {.kit = rdmap_kit_new(NULL, NULL)};
  const rdmap_operation kinds[OPERATIONS] = {first, later};
  for (unsigned i = 0; i < OPERATIONS; i++) {
    rdmap_work work = prepare(&f, i, kinds[i]);
    f.operations[i].from = f.kit->hosts[KIT_A].sent->len;
    g_assert_true(rdmap_kit_post_work(f.kit, KIT_A, work));
    g_assert_cmpuint(rdmap_kit_pull_all(f.kit, KIT_A), >, 0);
    f.operations[i].to = f.kit->hosts[KIT_A].sent->len;
  }
  return f;
}

/* The segments of `o` arrive last to first, but for the `kept` at its front. */
static void arrive(fixture *f, const operation *o, size_t kept)
{
  for (size_t i = o->to; i > o->from + kept; i--) {
    rdmap_kit_pass(f->kit, KIT_A, i - 1);
  }
}

static void assert_nothing_told(fixture *f)
{
  rdmap_kit_assert_log(f->kit, KIT_A, "");
  rdmap_kit_assert_log(f->kit, KIT_B, "");
  g_assert_false(rdmap_kit_pull(f->kit, KIT_B));
  for (unsigned i = 0; i < OPERATIONS; i++) {
    if (class_of(f->operations[i].kind) == READ) {
      rdmap_kit_assert_untouched(f->operations[i].local, OCTETS);
    }
  }
}

/* What B's ULP is told when both operations are there: Sends only, in the order sent. */
static char *log_of_b(const fixture *f)
{
  GString *log = g_string_new(NULL);
  unsigned buffers = 0;
  for (unsigned i = 0; i < OPERATIONS; i++) {
    const operation *o = &f->operations[i];
    if (class_of(o->kind) == SEND) {
      bool solicited = o->kind == RDMAP_OPERATION_SEND_SE || o->kind == RDMAP_OPERATION_SEND_SE_INVALIDATE;
      bool invalidates =
          o->kind == RDMAP_OPERATION_SEND_INVALIDATE || o->kind == RDMAP_OPERATION_SEND_SE_INVALIDATE;
      g_string_append_printf(log, "%sreceived %u (200 octets)%s", log->len > 0 ? "; " : "", ++buffers,
                             solicited ? ", solicited" : "");
      if (invalidates) {
        g_string_append_printf(log, ", invalidated 0x%x", o->invalidated);
      }
    }
  }
  return g_string_free(log, FALSE);
}

/* The Read Responses of B, 2 segments each: those to the first Read come first. They arrive last to first:
 * a later response is Placed while the first is missing (no guarantee), but nothing is complete until all
 * in front of it is. */
static void check_responses(fixture *f)
{
  unsigned reads = 0;
  for (unsigned i = 0; i < OPERATIONS; i++) {
    reads += class_of(f->operations[i].kind) == READ;
  }
  g_assert_cmpuint(rdmap_kit_pull_all(f->kit, KIT_B), ==, 2 * reads);
  for (unsigned i = 0, read = 0; i < OPERATIONS; i++) {
    const operation *o = &f->operations[i];
    if (class_of(o->kind) == READ) {
      for (unsigned segment = 0; segment < 2; segment++) {
        const kit_ulpdu *response = rdmap_kit_sent(f->kit, KIT_B, 2 * read + segment);
        g_assert_cmpmem(response->octets + 14, 100, o->remote + (size_t)100 * segment, 100);
      }
      read++;
    }
  }
  rdmap_kit_acknowledge(f->kit, KIT_A);
  for (size_t i = 2 * (size_t)reads; i > 0; i--) {
    for (unsigned j = 0; j < OPERATIONS; j++) { /* a Read, and what follows it, is not complete */
      if (class_of(f->operations[j].kind) == READ) {
        g_autofree char *completed = g_strdup_printf("completed %u", j + 1);
        g_assert_null(strstr(f->kit->hosts[KIT_A].log->str, completed));
      }
    }
    rdmap_kit_pass(f->kit, KIT_B, i - 1);
  }
  rdmap_kit_assert_log(f->kit, KIT_A, "completed 1; completed 2");
}

/* One cell. The later operation arrives before the first: its payload is Placed at once (no Placement
 * guarantee), but nothing is told, Completed or answered. With the first one there all is, in order; a
 * Read's response is not even generated before (the third column). Then the first operation, if a Read, is
 * answered with what the later one has written, if it has (footnote 2). */
static void check_pair(rdmap_operation first, rdmap_operation later)
{
  fixture f = fixture_new(first, later);
  operation *o = f.operations;
  g_test_message("%s: operations %d, %d", cells[class_of(first)][class_of(later)], first, later);
  arrive(&f, &o[LATER], 0);
  if (class_of(later) != READ) {
    g_assert_cmpmem(o[LATER].remote, OCTETS, o[LATER].local, OCTETS);
  }
  assert_nothing_told(&f);
  arrive(&f, &o[FIRST], 1);
  assert_nothing_told(&f);
  rdmap_kit_pass(f.kit, KIT_A, o[FIRST].from);
  if (class_of(first) != READ) {
    g_assert_cmpmem(o[FIRST].remote, OCTETS, o[FIRST].local, OCTETS);
  }
  char *log = log_of_b(&f);
  rdmap_kit_assert_log(f.kit, KIT_B, log); /* no response is generated yet */
  g_free(log);
  g_assert_cmpuint(f.kit->hosts[KIT_B].sent->len, ==, 0);
  check_responses(&f);
  for (unsigned i = 0; i < OPERATIONS; i++) {
    g_assert_cmpmem(o[i].remote, OCTETS, o[i].local, OCTETS);
  }
  rdmap_kit_free(f.kit);
}

/* RDMAP-282, RDMAP-283, RDMAP-284, RDMAP-285, RDMAP-286, RDMAP-287, RDMAP-288, RDMAP-289, RDMAP-290: every
 * cell, with each of the four Sends where fig. 17 says Send. */
TEST(test_cells)
{
  for (rdmap_operation first = 0; first < RDMAP_OPERATIONS; first++) {
    for (rdmap_operation later = 0; later < RDMAP_OPERATIONS; later++) {
      check_pair(first, later);
    }
  }
}

/* RDMAP-286: two Writes to the same octets: what arrived last is there, until both are Delivered too. */
TEST(test_overlapping_writes)
{
  for (unsigned order = 0; order < 2; order++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 8);
    uint32_t stag = rdmap_kit_register(kit, KIT_B, memory, 0, 8, DDP_ACCESS_REMOTE_WRITE);
    uint8_t *payloads[2];
    for (unsigned i = 0; i < 2; i++) {
      payloads[i] = rdmap_kit_pattern(kit, KIT_A, 8, i);
      g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_WRITE, .length = 8,
                                   .source_user = payloads[i], .remote_stag = stag));
    }
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 2);
    rdmap_kit_pass(kit, KIT_A, order);
    g_assert_cmpmem(memory, 8, payloads[order], 8);
    rdmap_kit_pass(kit, KIT_A, !order);
    g_assert_cmpmem(memory, 8, payloads[!order], 8);
  }
}

/* RDMAP-289 (footnote 2): a Write into the octets that an earlier Read takes, both there before the
 * response is generated: it has the new ones. */
RDMAP_TEST(test_read_may_see_a_later_write)
{
  uint8_t *memory = rdmap_kit_pattern(kit, KIT_B, 8, 1);
  uint8_t *written = rdmap_kit_pattern(kit, KIT_A, 8, 2);
  uint8_t *sink = rdmap_kit_memory(kit, KIT_A, 8);
  rdmap_work read = {.id = 1, .operation = RDMAP_OPERATION_READ, .length = 8};
  rdmap_work write = {.id = 2, .operation = RDMAP_OPERATION_WRITE, .length = 8, .source_user = written};
  read.remote_stag =
      rdmap_kit_register(kit, KIT_B, memory, 0, 8, DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE);
  read.local_stag = rdmap_kit_register(kit, KIT_A, sink, 0, 8, DDP_ACCESS_REMOTE_WRITE);
  write.remote_stag = read.remote_stag;
  g_assert_true(rdmap_kit_post_work(kit, KIT_A, read));
  g_assert_true(rdmap_kit_post_work(kit, KIT_A, write));
  rdmap_kit_run(kit);
  g_assert_cmpmem(sink, 8, written, 8);
}

/* RDMAP-291 (footnote 1): Write, Read, and a fenced Write: it does not leave before the response is
 * Delivered, so it never lands before the first one, though that is late. RDMAP-292 (footnote 2): the same
 * of a fenced Send behind a Read. */
TEST(test_fence)
{
  static const rdmap_operation fenced[] = {RDMAP_OPERATION_WRITE, RDMAP_OPERATION_SEND};
  for (size_t i = 0; i < G_N_ELEMENTS(fenced); i++) {
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(NULL, NULL);
    uint8_t *memory = rdmap_kit_memory(kit, KIT_B, 8);
    uint8_t *sink = rdmap_kit_memory(kit, KIT_A, 8);
    uint8_t *one = rdmap_kit_pattern(kit, KIT_A, 8, 1);
    uint8_t *two = rdmap_kit_pattern(kit, KIT_A, 8, 2);
    uint32_t both = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE;
    rdmap_work work = {.id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 8, .source_user = one};
    work.remote_stag = rdmap_kit_register(kit, KIT_B, memory, 0, 8, both);
    work.local_stag = rdmap_kit_register(kit, KIT_A, sink, 0, 8, DDP_ACCESS_REMOTE_WRITE);
    uint8_t *received = rdmap_kit_post_receive(kit, KIT_B, 8);
    g_assert_true(rdmap_kit_post_work(kit, KIT_A, work));
    rdmap_work read = work;
    read.id = 2;
    read.operation = RDMAP_OPERATION_READ;
    read.source_user = NULL;
    g_assert_true(rdmap_kit_post_work(kit, KIT_A, read));
    work.id = 3;
    work.operation = fenced[i];
    work.source_user = two;
    work.fence = true;
    g_assert_true(rdmap_kit_post_work(kit, KIT_A, work));
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 2);
    rdmap_kit_acknowledge(kit, KIT_A);
    rdmap_kit_pass(kit, KIT_A, 1);
    g_assert_false(rdmap_kit_pull(kit, KIT_A));
    g_assert_false(rdmap_kit_pull(kit, KIT_B));
    rdmap_kit_pass(kit, KIT_A, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
    g_assert_false(rdmap_kit_pull(kit, KIT_A));
    rdmap_kit_pass(kit, KIT_B, 0);
    g_assert_cmpmem(sink, 8, one, 8);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
    rdmap_kit_pass(kit, KIT_A, 2);
    g_assert_cmpmem(fenced[i] == RDMAP_OPERATION_WRITE ? memory : received, 8, two, 8);
  }
}

/* DDP-087, RDMAP-282: 600 Sends arrive last to first. Each is Placed at once into its own buffer, however
 * many before it are missing; nothing is told until the first is there, and then all in the order sent. */
RDMAP_TEST(test_sends_far_ahead)
{
  enum { SENDS = 600 };
  uint8_t *memories[SENDS];
  uint8_t *payload = rdmap_kit_pattern(kit, KIT_A, SENDS + 2, 3);
  g_autoptr(GString) log = g_string_new(NULL);
  for (size_t i = 0; i < SENDS; i++) {
    memories[i] = rdmap_kit_post_receive(kit, KIT_B, 3);
    g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_SEND, .length = 3,
                                 .source_user = payload + i));
    g_string_append_printf(log, "%sreceived %zu (3 octets)", i > 0 ? "; " : "", i + 1);
  }
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, SENDS);
  for (size_t i = SENDS; i > 0; i--) {
    rdmap_kit_assert_log(kit, KIT_B, "");
    rdmap_kit_assert_untouched(memories[i - 1], 3);
    rdmap_kit_pass(kit, KIT_A, i - 1);
    g_assert_cmpmem(memories[i - 1], 3, payload + i - 1, 3);
  }
  rdmap_kit_assert_log(kit, KIT_B, log->str);
  for (size_t i = 0; i < SENDS; i++) {
    g_assert_cmpmem(memories[i], 3, payload + i, 3);
  }
}

/* Without a fence nothing waits: all three are with DDP at once. */
RDMAP_TEST(test_no_fence)
{
  uint8_t octet = 1;
  rdmap_work work = {.operation = RDMAP_OPERATION_WRITE, .length = 1, .source_user = &octet};
  g_assert_true(rdmap_kit_post_work(kit, KIT_A, work));
  g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_READ, .length = 1));
  g_assert_true(rdmap_kit_post_work(kit, KIT_A, work));
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 3);
}
