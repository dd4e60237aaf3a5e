/* SPDX-License-Identifier: GPL-2.0-only */
/* The target is an RDMAP stream, with DDP's Placement below it, that gets any ULPDUs in any order: only what
 * is registered or posted is written to, segments are Delivered once, in the order sent and not beyond an
 * error, operations complete once and in the order posted, and a stream that ends leaves none behind.
 *
 * An input is: how the stream is configured, the number of ULPDUs, the order they arrive in, and each ULPDU
 * after its length. */
#include "fuzz_input.h"
#include "rdmap_fixture.h"

enum { FLAG_ON_ARRIVAL = 0x01, FLAG_STRICT_RESPONSES = 0x02, FLAG_STRICT_RDMAP00 = 0x04, FLAG_LOST = 0x08 };

enum {
  ULPDUS_MAX = 32,
  READS = 2, /* in generation rfc6581 the last is an Atomic */
  RECEIVES = 3,
  RECEIVE_OCTETS = 64,
  REGION_OCTETS = 200,
  REGION_BASE = 1000
};

/* These are STags that an input names easily. */
enum { STAG_WRITABLE = 1, STAG_READABLE = 2, STAG_SINK = 3, STAG_PEER = 4 };

typedef struct trial {
  rdmap_fixture *f;
  const uint8_t *readable;  /* that nobody may change */
  uint8_t sent[ULPDUS_MAX]; /* order of arrival: indices of ULPDUs */
  uint32_t count;
} trial;

/* Registers `memory` under an STag of our choice, for the stream under test. */
static void register_region(rdmap_fixture *f, uint32_t stag, uint8_t *memory, uint64_t base, unsigned access)
{
  register_as(f->a, stag,
              (ddp_registration){.memory = memory,
                                 .base = base,
                                 .length = REGION_OCTETS,
                                 .access = access,
                                 .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                 .owner = f->a->identity,
                                 .is_remotely_invalidatable = stag == STAG_WRITABLE});
}

static void make_stream(trial *t, uint8_t flags, iwarp_generation generation)
{
  rdmap_config config = rdmap_fixture_config(1);

  config.generation = generation;
  config.report_on_arrival = flags & FLAG_ON_ARRIVAL;
  config.strict_responses = flags & FLAG_STRICT_RESPONSES;
  config.strict_rdmap00 = flags & FLAG_STRICT_RDMAP00;
  t->f = rdmap_fixture_new(&config, NULL);
  t->readable = new_pattern(t->f->a, REGION_OCTETS, 1);
  register_region(t->f, STAG_WRITABLE, new_memory(t->f->a, REGION_OCTETS), 0,
                  DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ);
  register_region(t->f, STAG_READABLE, (uint8_t *)t->readable, REGION_BASE, DDP_ACCESS_REMOTE_READ);
  register_region(t->f, STAG_SINK, new_memory(t->f->a, REGION_OCTETS), 0, DDP_ACCESS_REMOTE_WRITE);
  for (unsigned i = 0; i < RECEIVES; i++) {
    post_receive(t->f->a, RECEIVE_OCTETS);
  }
  const rdmap_atomic atomic = {.opcode = RDMAP_ATOMIC_FETCH_ADD, .stag = STAG_PEER, .data = 1};
  for (unsigned i = 0; i < READS; i++) {
    rdmap_work read = {.id = i,
                       .operation = RDMAP_READ_REQUEST,
                       .length = REGION_OCTETS / READS,
                       .remote_stag = STAG_PEER,
                       .local_stag = STAG_SINK,
                       .local_offset = i * (REGION_OCTETS / READS),
                       .atomic = &atomic};
    if (generation == IWARP_RFC6581 && i == READS - 1) {
      read.operation = RDMAP_ATOMIC_REQUEST;
    }
    g_assert_true(try_post(t->f->a, read));
  }
  g_assert_cmpuint(pull_all(t->f->a), ==, READS);
}

/* Forges one more ULPDU that B has sent. */
static void forge_input(rdmap_fixture *f, fuzz_input ulpdu)
{
  g_autoptr(GString) hex = g_string_new(NULL);
  while (ulpdu.length > 0) {
    g_string_append_printf(hex, "%02x", fuzz_input_octet(&ulpdu));
  }
  forge_hex(f->b, hex->str);
}

/* Sends the ULPDUs, and the order in which they arrive: that of their sending, each swapped with one that
 * `order` names. */
static void send_ulpdus(trial *t, fuzz_input input)
{
  t->count = fuzz_input_octet(&input) % (ULPDUS_MAX + 1);
  fuzz_input order = fuzz_input_take(&input, t->count);

  for (uint32_t i = 0; i < t->count; i++) {
    t->sent[i] = (uint8_t)i;
    uint32_t octets = fuzz_input_octet(&input);
    forge_input(t->f, fuzz_input_take(&input, octets));
  }
  for (uint32_t i = 0; i < t->count; i++) {
    uint32_t other = (i + fuzz_input_octet(&order)) % t->count;
    uint8_t moved = t->sent[i];
    t->sent[i] = t->sent[other];
    t->sent[other] = moved;
  }
}

/* Delivered is a beginning of what was sent, without a gap. */
static void check_delivered(const trial *t)
{
  const GArray *delivered = t->f->a->delivered;

  g_assert_cmpuint(delivered->len, <=, t->count);
  for (guint i = 0; i < delivered->len; i++) {
    g_assert_cmpuint(g_array_index(delivered, ddp_segment, i).fpdu_start, ==,
                     nth_sent(t->f->b, i)->fpdu_start);
  }
}

/* Checks what the ULP received so far. Ids are those of the Reads: each once, in order. */
static void check_log(const trial *t)
{
  const char *at = t->f->a->log->str;
  uint64_t next = 0;

  while ((at = strstr(at, "completed ")) != NULL) {
    at += strlen("completed ");
    g_assert_cmpuint(g_ascii_strtoull(at, NULL, 10), ==, next);
    next++;
  }
  g_assert_cmpuint(rdmap_send_queue_count(t->f->a->stream->operations), ==, READS - next);
}

static void arrive(trial *t)
{
  const rdmap_host *host = t->f->a;

  for (uint32_t i = 0; i < t->count; i++) {
    bool had_ended = host->stream->is_terminated;
    guint delivered = host->delivered->len;
    pass(t->f->b, t->sent[i]);
    pull_all(t->f->a);
    acknowledge(t->f->a);
    check_delivered(t);
    check_log(t);
    g_assert_true(!had_ended || host->delivered->len == delivered);
    g_assert_true(!host->stream->is_terminated || rdmap_stream_undelivered(host->stream) == 0);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint8_t flags = fuzz_input_octet(&input);
  iwarp_generation generation = fuzz_input_octet(&input) % IWARP_GENERATIONS;
  trial t = {.count = 0};

  make_stream(&t, flags, generation);
  rdmap_stream *stream = t.f->a->stream;
  uint8_t *readable = g_memdup2(t.readable, REGION_OCTETS);
  send_ulpdus(&t, input);
  arrive(&t);
  g_assert_cmpmem(t.readable, REGION_OCTETS, readable, REGION_OCTETS);
  g_free(readable);
  if (flags & FLAG_LOST) {
    rdmap_stream_llp_lost(stream, ++t.f->now);
    g_assert_true(stream->is_terminated);
  }
  check_log(&t);
  g_assert_true(!stream->is_terminated || rdmap_send_queue_count(stream->operations) == 0);
  rdmap_fixture_free(t.f);
  return 0;
}
