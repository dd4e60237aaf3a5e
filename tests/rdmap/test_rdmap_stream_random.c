/* SPDX-License-Identifier: GPL-2.0-only */
/* Both ends post all kinds of operations, in every other case those of RFC 7306, too; ULPDUs arrive in any
 * order within a window, acknowledgements come when they like. */
#include "base/big_endian.h"
#include "base/random_stream.h"
#include "rdmap_fixture.h"

enum {
  CASES = 300,
  OPERATIONS = 30,
  MAX_OCTETS = 400,
  SPACE = OPERATIONS * MAX_OCTETS,
  WINDOW = 6,
  VALUES = 4
};

typedef struct random_end {
  rdmap_host *host;
  random_stream *random; /* of both ends */
  struct random_end *peer;
  rdmap_work posted[OPERATIONS]; /* each with a local_offset (Reads) or remote_offset (Writes) of its own */
  size_t count;
  bool passed[4096]; /* of its ULPDUs */
  uint8_t *source;   /* of its Writes and Sends, and for the peer's Reads */
  uint8_t *sink;     /* of the peer's Writes */
  uint8_t *read_sink;
  uint8_t *values; /* VALUES of 8 octets, for the peer's Atomics */
  uint32_t source_stag, sink_stag, read_sink_stag, values_stag, ord;
  /* What the end's Atomics have made of the peer's values once they are done, and what each finds there: they
   * are executed in the order posted. */
  uint64_t made[VALUES], found[OPERATIONS];
  uint8_t *buffers[OPERATIONS];
  size_t received, completed; /* so far */
} random_end;

static uint32_t draw(const random_end *e, uint64_t below)
{
  return (uint32_t)random_stream_below(e->random, below);
}

/* The `nth` Send or Immediate Data that the end posted; how many operations there are when there are not so
 * many. */
static size_t nth_send(const random_end *e, size_t nth)
{
  size_t i = 0;
  for (; i < e->count; i++) {
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)e->posted[i].operation);
    if (!rules->tagged && rules->queue_number == RDMAP_QUEUE_SEND && nth-- == 0) {
      break;
    }
  }
  return i;
}

static void check_written(const random_end *by, size_t before)
{
  for (size_t i = 0; i < before; i++) {
    const rdmap_work *work = &by->posted[i];
    if (work->operation == RDMAP_WRITE) {
      g_assert_cmpmem(by->peer->sink + work->remote_offset, work->length, work->source_user, work->length);
    }
  }
}

/* After each line of a log: it is in order, and true. */
static void on_event(rdmap_host *host)
{
  random_end *e = host->at_event_user, *peer = e->peer;
  const char *last = strrchr(host->log->str, ';');
  const char *line = last ? last + 2 : host->log->str;
  g_autoptr(GString) expected = g_string_new(NULL);
  if (g_str_has_prefix(line, "completed")) {
    const rdmap_work *work = &e->posted[e->completed];
    g_string_printf(expected, "completed %zu", e->completed++);
    if (work->operation == RDMAP_READ_REQUEST) {
      g_assert_cmpmem(e->read_sink + work->local_offset, work->length, peer->source + work->remote_offset,
                      work->length);
    } else if (work->operation == RDMAP_ATOMIC_REQUEST) {
      g_string_append_printf(expected, ", original %" G_GINT64_MODIFIER "x", e->found[e->completed - 1]);
    }
  } else {
    size_t index = nth_send(peer, e->received);
    g_assert_cmpuint(index, <, peer->count);
    const rdmap_work *work = &peer->posted[index];
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)work->operation);
    uint8_t immediate[RDMAP_IMMEDIATE_OCTETS];
    big_endian_write_64(immediate, work->immediate);
    const uint8_t *octets = rules->is_send ? work->source_user : immediate;
    g_string_printf(expected, "received %zu (%u octets)%s", e->received + 1, work->length,
                    rules->solicits ? ", solicited" : "");
    if (!rules->is_send) {
      g_string_append_printf(expected, ", immediate %" G_GINT64_MODIFIER "x", work->immediate);
    }
    if (rules->invalidates) {
      g_string_append_printf(expected, ", invalidated 0x%x", work->remote_stag);
      g_assert_null(ddp_stag_table_find(host->stags, work->remote_stag));
    }
    g_assert_cmpmem(e->buffers[e->received], work->length, octets, work->length);
    check_written(peer, index);
    e->received++;
  }
  g_assert_cmpstr(line, ==, expected->str);
}

static void end_init(random_end *e, rdmap_host *host)
{
  unsigned seed = host == host->f->b;
  e->host = host;
  e->source = new_pattern(host, SPACE, seed);
  e->sink = new_memory(host, SPACE);
  e->read_sink = new_memory(host, SPACE);
  e->values = new_memory(host, VALUES * RDMAP_ATOMIC_OCTETS);
  e->values_stag = register_memory(host, e->values, 0, VALUES * RDMAP_ATOMIC_OCTETS,
                                   DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE);
  memset(e->made, UNTOUCHED, sizeof e->made);
  e->source_stag = register_memory(host, e->source, 0, SPACE, DDP_ACCESS_REMOTE_READ);
  e->sink_stag = register_memory(host, e->sink, 0, SPACE, DDP_ACCESS_REMOTE_WRITE);
  e->read_sink_stag = register_memory(host, e->read_sink, 0, SPACE, DDP_ACCESS_REMOTE_WRITE);
  for (size_t i = 0; i < OPERATIONS; i++) {
    e->buffers[i] = post_receive(host, MAX_OCTETS);
  }
  host->at_event = on_event;
  host->at_event_user = e;
}

/* An Atomic on one of the peer's values, half of whose comparisons find what is there. */
static rdmap_atomic draw_atomic(random_end *e)
{
  uint64_t draws[4];
  for (size_t i = 0; i < G_N_ELEMENTS(draws); i++) {
    draws[i] = random_stream_next(e->random);
  }
  uint32_t value = draw(e, VALUES);
  rdmap_atomic atomic = {.opcode = draw(e, 2) ? RDMAP_ATOMIC_FETCH_ADD : RDMAP_ATOMIC_COMPARE_SWAP,
                         .stag = e->peer->values_stag,
                         .offset = value * RDMAP_ATOMIC_OCTETS,
                         .data = draws[0],
                         .mask = draws[1],
                         .compare = draw(e, 2) ? e->made[value] : draws[2],
                         .compare_mask = draws[3]};
  e->found[e->count] = e->made[value];
  e->made[value] = rdmap_atomic_result(&atomic, e->made[value]);
  return atomic;
}

static void post_one(random_end *e)
{
  if (e->count == OPERATIONS) {
    return;
  }
  rdmap_work *work = &e->posted[e->count];
  uint64_t own = e->count * MAX_OCTETS;
  bool extends = e->host->stream->has_extensions;
  uint64_t kinds = extends ? RDMAP_FIXTURE_EXTENDED : RDMAP_FIXTURE_OPERATIONS;
  rdmap_atomic atomic; /* copied when it is posted */
  *work = (rdmap_work){.id = e->count,
                       .operation = rdmap_fixture_operations[draw(e, kinds)],
                       .length = draw(e, 4) == 0 ? 0 : draw(e, MAX_OCTETS + 1),
                       .fence = draw(e, 5) == 0};
  if (work->operation == RDMAP_READ_REQUEST) {
    work->remote_stag = e->peer->source_stag;
    work->remote_offset = draw(e, SPACE - MAX_OCTETS);
    work->local_stag = e->read_sink_stag;
    work->local_offset = own;
  } else if (work->operation == RDMAP_ATOMIC_REQUEST) {
    atomic = draw_atomic(e);
    work->atomic = &atomic;
  } else if (work->operation >= RDMAP_IMMEDIATE) {
    work->length = RDMAP_IMMEDIATE_OCTETS;
    work->immediate = random_stream_next(e->random);
  } else {
    work->source_user = e->source + own;
    work->remote_stag = work->operation == RDMAP_WRITE
                            ? e->peer->sink_stag
                            : register_memory(e->peer->host, e->peer->sink, 0, 1, DDP_ACCESS_NONE);
    work->remote_offset = own;
  }
  e->count++;
  g_assert_true(try_post(e->host, *work));
}

/* Passes one of the first WINDOW ULPDUs that were not passed; false when there is none. */
static bool pass_one(random_end *e)
{
  size_t waiting[WINDOW], count = 0;
  for (size_t i = 0; i < e->host->sent->len && count < WINDOW; i++) {
    if (!e->passed[i]) {
      waiting[count++] = i;
    }
  }
  if (count == 0) {
    return false;
  }
  size_t picked = waiting[draw(e, count)];
  e->passed[picked] = true;
  pass(e->host, picked);
  return true;
}

/* All that has arrived without a hole. */
static void acknowledge_arrived(random_end *e)
{
  size_t edge = 0;
  while (edge < e->host->sent->len && e->passed[edge]) {
    edge++;
  }
  if (edge > 0) {
    rdmap_stream_acknowledged(e->host->stream, nth_sent(e->host, edge - 1)->fpdu_end, e->host->f->now);
  }
}

static void step(random_end *e)
{
  switch (draw(e, 5)) {
  case 0:
    post_one(e);
    break;
  case 1:
  case 2:
    e->host->f->mulpdu_octets = 64 + draw(e, 200);
    pull(e->host);
    break;
  case 3:
    pass_one(e);
    break;
  default:
    acknowledge_arrived(e);
    break;
  }
  g_assert_cmpuint(open_reads(e->host->stream), <=, e->ord);
}

/* Of what the end sent: every ULPDU is an RDMA Message's, none within another, and the operations' are in the
 * order posted. */
static void check_wire(const random_end *e)
{
  size_t operation = 0;
  int unfinished = -1;
  for (size_t i = 0; i < e->host->sent->len; i++) {
    const sent_ulpdu *ulpdu = nth_sent(e->host, i);
    bool last = ulpdu->octets[0] & 0x40;
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(ulpdu->octets[1] & 0x0F);
    g_assert_cmphex(ulpdu->octets[1] & 0xF0, ==, 0x40);
    g_assert_nonnull(rules);
    g_assert_cmphex(ulpdu->octets[0] & 0x83, ==, rules->tagged ? 0x81 : 0x01);
    if (!rules->tagged) {
      g_assert_cmphex(ulpdu->octets[9], ==, rules->queue_number);
    }
    g_assert_true(unfinished < 0 || unfinished == (int)rules->opcode);
    if (unfinished < 0 && rules->opcode != RDMAP_READ_RESPONSE && rules->opcode != RDMAP_ATOMIC_RESPONSE) {
      g_assert_cmpuint(operation, <, e->count);
      g_assert_cmpint(rules->opcode, ==, e->posted[operation++].operation);
    }
    unfinished = last ? -1 : (int)rules->opcode;
  }
  g_assert_cmpuint(operation, ==, e->count);
}

static void run_case(uint64_t seed)
{
  g_autoptr(random_stream) random = random_stream_new(seed, "test.rdmap");
  random_end ends[HOSTS] = {{.random = random, .peer = &ends[1]}, {.random = random, .peer = &ends[0]}};
  ends[0].ord = 1 + draw(&ends[0], 4);
  ends[1].ord = 1 + draw(&ends[1], 4);
  iwarp_generation generation = seed % 2 ? IWARP_RFC6581 : IWARP_IETF;
  g_autoptr(rdmap_fixture) f =
      rdmap_fixture_new(A_WITH(.generation = generation, .ord = ends[0].ord, .ird = ends[1].ord),
                        B_WITH(.generation = generation, .ord = ends[1].ord, .ird = ends[0].ord));
  end_init(&ends[0], f->a);
  end_init(&ends[1], f->b);
  for (size_t i = 0; i < 8 * OPERATIONS; i++) {
    step(&ends[draw(ends, HOSTS)]);
  }
  bool moved = true;
  while (moved) {
    moved = false;
    for (unsigned i = 0; i < HOSTS; i++) {
      moved |= pull_all(ends[i].host) > 0;
      moved |= pass_one(&ends[i]);
      acknowledge_arrived(&ends[i]);
    }
  }
  for (unsigned i = 0; i < HOSTS; i++) {
    const random_end *e = &ends[i];
    g_assert_cmpuint(e->completed, ==, e->count);
    g_assert_cmpuint(nth_send(e->peer, e->received), ==, e->peer->count);
    check_written(e, e->count);
    for (size_t value = 0; value < VALUES; value++) {
      g_assert_cmphex(rdmap_atomic_load(e->peer->values + value * RDMAP_ATOMIC_OCTETS), ==, e->made[value]);
    }
    g_assert_true(rdmap_stream_is_drained(e->host->stream));
    check_wire(e);
  }
}

/* RDMAP-206: all ULPDUs parse as segments of RDMA Messages. RDMAP-194: operations go out in the order posted.
 * RDMAP-196: they complete in that order. RDMAP-157, RDMAP-187, RDMAP-197: Sends are
 * received once, in the order sent, and then all Writes before them are in place. RDMAP-165, RDMAP-273: then
 * the STag that a Send names is invalid. RDMAP-214: the Reads open never pass ORD. RDMAP-140: every Read is
 * answered, with the octets of the source; RDMAP-133, RDMAP-134: whose ULP is notified of nothing; RDMAP-148:
 * that of the sink of each once. RDMAP-136, RDMAP-137, RDMAP-138, RDMAP-149, RDMAP-189, RDMAP-201: in
 * whatever order requests arrive, they are taken by their MSN in the order sent, and the responses do not
 * mix. R7306-053, R7306-054, R7306-055, R7306-063, R7306-085, R7306-088: so do Atomics, on values that come
 * out as if executed in the order posted, and Immediate Data. */
TEST(test_random)
{
  for (uint64_t seed = 1; seed <= CASES; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    run_case(seed);
  }
}
