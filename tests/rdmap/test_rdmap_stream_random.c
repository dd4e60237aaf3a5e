/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "base/random_stream.h"
#include "rdmap/rdmap_stream_private.h"
#include "rdmap_kit.h"
#include "test.h"

/* Both ends post all kinds of operations, ULPDUs arrive in any order within a window, acknowledgements come
 * when they like. */
enum { CASES = 300, OPERATIONS = 30, MAX_OCTETS = 400, SPACE = OPERATIONS * MAX_OCTETS, WINDOW = 6 };

typedef struct random_side {
  rdmap_work
      posted[OPERATIONS]; /* local_offset (Reads) and remote_offset (Writes) are each operation's own */
  size_t count;
  bool passed[4096]; /* of its ULPDUs */
  uint8_t *source;   /* of its Writes and Sends, and for the peer's Reads */
  uint8_t *sink;     /* of the peer's Writes */
  uint8_t *read_sink;
  uint32_t source_stag, sink_stag, read_sink_stag;
  uint8_t *buffers[OPERATIONS];
  size_t received, completed; /* told so far */
} random_side;

typedef struct random_case {
  rdmap_kit *kit;
  random_stream *random;
  random_side sides[KIT_SIDES];
  uint32_t ord[KIT_SIDES];
} random_case;

static bool is_send(const rdmap_work *work)
{
  return work->operation >= RDMAP_OPERATION_SEND;
}

/* The `nth` Send that `side` posted; how many there are when there are not so many. */
static size_t nth_send(const random_side *side, size_t nth)
{
  size_t i = 0;
  for (; i < side->count; i++) {
    if (is_send(&side->posted[i]) && nth-- == 0) {
      break;
    }
  }
  return i;
}

static void check_written(const random_side *by, const random_side *in, size_t before)
{
  for (size_t i = 0; i < before; i++) {
    const rdmap_work *work = &by->posted[i];
    if (work->operation == RDMAP_OPERATION_WRITE) {
      g_assert_cmpmem(in->sink + work->remote_offset, work->length, work->source_user, work->length);
    }
  }
}

/* Behind each line of a log: what it says is in order, and true. */
static void on_event(rdmap_kit *kit, unsigned side_number)
{
  random_case *c = kit->hosts[side_number].at_event_user;
  random_side *side = &c->sides[side_number], *peer = &c->sides[!side_number];
  const char *log = kit->hosts[side_number].log->str;
  const char *line = strrchr(log, ';') ? strrchr(log, ';') + 2 : log;
  char *expected;
  if (g_str_has_prefix(line, "completed")) {
    const rdmap_work *work = &side->posted[side->completed];
    expected = g_strdup_printf("completed %" G_GSIZE_FORMAT, side->completed++);
    if (work->operation == RDMAP_OPERATION_READ) {
      g_assert_cmpmem(side->read_sink + work->local_offset, work->length, peer->source + work->remote_offset,
                      work->length);
    }
  } else {
    size_t index = nth_send(peer, side->received);
    g_assert_cmpuint(index, <, peer->count);
    const rdmap_work *work = &peer->posted[index];
    GString *text = g_string_new(NULL);
    g_string_printf(text, "received %" G_GSIZE_FORMAT " (%u octets)", side->received + 1, work->length);
    if (work->operation == RDMAP_OPERATION_SEND_SE || work->operation == RDMAP_OPERATION_SEND_SE_INVALIDATE) {
      g_string_append(text, ", solicited");
    }
    if (work->operation == RDMAP_OPERATION_SEND_INVALIDATE ||
        work->operation == RDMAP_OPERATION_SEND_SE_INVALIDATE) {
      g_string_append_printf(text, ", invalidated 0x%x", work->remote_stag);
      g_assert_null(ddp_stag_table_find(kit->hosts[side_number].stags, work->remote_stag));
    }
    expected = g_string_free(text, FALSE);
    g_assert_cmpmem(side->buffers[side->received], work->length, work->source_user, work->length);
    check_written(peer, side, index);
    side->received++;
  }
  g_assert_cmpstr(line, ==, expected);
  g_free(expected);
}

static void case_init(random_case *c, uint64_t seed)
{
  *c = (random_case){.random = random_stream_new(seed, "test.rdmap")};
  rdmap_config configs[KIT_SIDES] = {rdmap_kit_config(KIT_A), rdmap_kit_config(KIT_B)};
  for (unsigned s = 0; s < KIT_SIDES; s++) {
    c->ord[s] = 1 + (uint32_t)random_stream_below(c->random, 4);
    configs[s].ord = c->ord[s];
    configs[!s].ird = c->ord[s];
  }
  c->kit = rdmap_kit_new(&configs[KIT_A], &configs[KIT_B]);
  for (unsigned s = 0; s < KIT_SIDES; s++) {
    random_side *side = &c->sides[s];
    side->source = rdmap_kit_pattern(c->kit, s, SPACE, s);
    side->sink = rdmap_kit_memory(c->kit, s, SPACE);
    side->read_sink = rdmap_kit_memory(c->kit, s, SPACE);
    side->source_stag = rdmap_kit_register(c->kit, s, side->source, 0, SPACE, DDP_ACCESS_REMOTE_READ);
    side->sink_stag = rdmap_kit_register(c->kit, s, side->sink, 0, SPACE, DDP_ACCESS_REMOTE_WRITE);
    side->read_sink_stag = rdmap_kit_register(c->kit, s, side->read_sink, 0, SPACE, DDP_ACCESS_REMOTE_WRITE);
    for (size_t i = 0; i < OPERATIONS; i++) {
      side->buffers[i] = rdmap_kit_post_receive(c->kit, s, MAX_OCTETS);
    }
    c->kit->hosts[s].at_event = on_event;
    c->kit->hosts[s].at_event_user = c;
  }
}

static void post_one(random_case *c, unsigned s)
{
  random_side *side = &c->sides[s], *peer = &c->sides[!s];
  if (side->count == OPERATIONS) {
    return;
  }
  rdmap_work *work = &side->posted[side->count];
  uint64_t own = side->count * MAX_OCTETS;
  *work = (rdmap_work){.id = side->count,
                       .operation = (rdmap_operation)random_stream_below(c->random, RDMAP_OPERATIONS),
                       .length = random_stream_below(c->random, 4) == 0
                                     ? 0
                                     : (uint32_t)random_stream_below(c->random, MAX_OCTETS + 1),
                       .fence = random_stream_below(c->random, 5) == 0};
  if (work->operation == RDMAP_OPERATION_READ) {
    work->remote_stag = peer->source_stag;
    work->remote_offset = random_stream_below(c->random, SPACE - MAX_OCTETS);
    work->local_stag = side->read_sink_stag;
    work->local_offset = own;
  } else {
    work->source_user = side->source + own;
    work->remote_stag = work->operation == RDMAP_OPERATION_WRITE
                            ? peer->sink_stag
                            : rdmap_kit_register(c->kit, !s, peer->sink, 0, 1, DDP_ACCESS_NONE);
    work->remote_offset = own;
  }
  side->count++;
  g_assert_true(rdmap_kit_post_work(c->kit, s, *work));
}

/* Passes one of the first WINDOW ULPDUs of `s` that were not passed; false when there is none. */
static bool pass_one(random_case *c, unsigned s)
{
  random_side *side = &c->sides[s];
  size_t waiting[WINDOW], count = 0;
  for (size_t i = 0; i < c->kit->hosts[s].sent->len && count < WINDOW; i++) {
    if (!side->passed[i]) {
      waiting[count++] = i;
    }
  }
  if (count == 0) {
    return false;
  }
  size_t picked = waiting[random_stream_below(c->random, count)];
  side->passed[picked] = true;
  rdmap_kit_pass(c->kit, s, picked);
  return true;
}

/* All that has arrived without a hole. */
static void acknowledge(random_case *c, unsigned s)
{
  const random_side *side = &c->sides[s];
  size_t edge = 0;
  while (edge < c->kit->hosts[s].sent->len && side->passed[edge]) {
    edge++;
  }
  if (edge > 0) {
    rdmap_stream_acknowledged(c->kit->hosts[s].stream, rdmap_kit_sent(c->kit, s, edge - 1)->fpdu_end,
                              c->kit->now);
  }
}

static void step(random_case *c)
{
  unsigned s = (unsigned)random_stream_below(c->random, KIT_SIDES);
  switch (random_stream_below(c->random, 5)) {
  case 0:
    post_one(c, s);
    break;
  case 1:
  case 2:
    c->kit->mulpdu_octets = 64 + (uint32_t)random_stream_below(c->random, 200);
    rdmap_kit_pull(c->kit, s);
    break;
  case 3:
    pass_one(c, s);
    break;
  default:
    acknowledge(c, s);
    break;
  }
  g_assert_cmpuint(open_reads(c->kit->hosts[s].stream), <=, c->ord[s]);
}

/* Of what `s` sent: every ULPDU is an RDMA Message's, none within another, and the operations' are in the
 * order posted. */
static void check_wire(const random_case *c, unsigned s)
{
  const random_side *side = &c->sides[s];
  size_t operation = 0;
  int unfinished = -1;
  for (size_t i = 0; i < c->kit->hosts[s].sent->len; i++) {
    const kit_ulpdu *ulpdu = rdmap_kit_sent(c->kit, s, i);
    bool last = ulpdu->octets[0] & 0x40;
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(ulpdu->octets[1] & 0x0F);
    g_assert_cmphex(ulpdu->octets[1] & 0xF0, ==, 0x40);
    g_assert_nonnull(rules);
    g_assert_cmphex(ulpdu->octets[0] & 0x83, ==, rules->tagged ? 0x81 : 0x01);
    if (!rules->tagged) {
      g_assert_cmphex(ulpdu->octets[9], ==, rules->queue_number);
    }
    g_assert_true(unfinished < 0 || unfinished == (int)rules->opcode);
    if (unfinished < 0 && rules->opcode != RDMAP_READ_RESPONSE) {
      g_assert_cmpuint(operation, <, side->count);
      g_assert_cmpint(rules->opcode, ==, rdmap_operation_opcode(side->posted[operation++].operation));
    }
    unfinished = last ? -1 : (int)rules->opcode;
  }
  g_assert_cmpuint(operation, ==, side->count);
}

static void run_case(uint64_t seed)
{
  random_case c;
  case_init(&c, seed);
  for (size_t i = 0; i < 8 * OPERATIONS; i++) {
    step(&c);
  }
  bool moved = true;
  while (moved) {
    moved = false;
    for (unsigned s = 0; s < KIT_SIDES; s++) {
      moved |= rdmap_kit_pull_all(c.kit, s) > 0;
      moved |= pass_one(&c, s);
      acknowledge(&c, s);
    }
  }
  for (unsigned s = 0; s < KIT_SIDES; s++) {
    const random_side *side = &c.sides[s];
    g_assert_cmpuint(side->completed, ==, side->count);
    g_assert_cmpuint(nth_send(&c.sides[!s], side->received), ==, c.sides[!s].count);
    check_written(side, &c.sides[!s], side->count);
    g_assert_true(rdmap_stream_is_drained(c.kit->hosts[s].stream));
    check_wire(&c, s);
  }
  rdmap_kit_free(c.kit);
  random_stream_free(c.random);
}

/* RDMAP-206: all ULPDUs parse as segments of RDMA Messages. RDMAP-194: operations go out in the order posted.
 * RDMAP-196: they complete in that order. RDMAP-157: Sends are told in the order sent, and then all Writes
 * before them are in place. RDMAP-214: the Reads open never pass ORD. RDMAP-140: every Read is answered, with
 * the octets of the source. */
TEST(test_random)
{
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    run_case(seed);
  }
}
