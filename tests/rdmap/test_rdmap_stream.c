#include <glib.h>
#include <string.h>

#include "base/random_stream.h"
#include "rdmap/rdmap_stream.h"

enum { MAX_ULPDUS = 4096, MAX_LOG = 256, TABLE_OCTETS = 1 << 17 };

/* What a host saw. */
typedef struct host {
  rdmap_stream *stream;
  size_t placed;
  size_t delivered;
  ddp_segment messages[MAX_LOG]; /* Delivered segments with L */
  uint64_t buffer_ids[MAX_LOG];
  size_t message_count;
  uint64_t completed[MAX_LOG];
  size_t completed_count;
  bool posts_when_completed; /* answers each completion below id 100 with a Send of id + 100 */
  rdmap_error error;
  size_t errors;
  void (*at_message)(struct host *host, const ddp_segment *last);
  void *reference; /* of at_message */
} host;

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  host *h = user;
  (void)now;
  g_assert_cmpuint(segment->fpdu_start, ==, ulpdu->fpdu_start);
  segment->observer = segment->fpdu_end;
  h->placed++;
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  host *h = user;
  (void)now;
  g_assert_cmpuint(segment->observer, ==, segment->fpdu_end);
  h->delivered++;
  if (!segment->header.last) {
    g_assert_cmpuint(buffer_id, ==, 0);
    return;
  }
  g_assert_cmpuint(h->message_count, <, MAX_LOG);
  h->messages[h->message_count] = *segment;
  h->buffer_ids[h->message_count++] = buffer_id;
  if (h->at_message) {
    h->at_message(h, segment);
  }
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  host *h = user;
  (void)now;
  g_assert_cmpuint(h->completed_count, <, MAX_LOG);
  h->completed[h->completed_count++] = id;
  if (h->posts_when_completed && id < 100) {
    rdmap_stream_post_send(h->stream, id + 100, 0, NULL, NULL);
  }
}

static void on_error(void *user, rdmap_error error, time_ps now)
{
  host *h = user;
  (void)now;
  h->error = error;
  h->errors++;
}

static host *host_new(void)
{
  static const rdmap_stream_events events = {
      .placed = on_placed, .delivered = on_delivered, .completed = on_completed, .error = on_error};
  host *h = g_new0(host, 1);
  h->stream = rdmap_stream_new(&events, h);
  return h;
}

static void host_free(host *h)
{
  rdmap_stream_free(h->stream);
  g_free(h);
}

/* The payload of every message: octet i of a message is that of the table at its own offset + i. */
static uint8_t *table_new(void)
{
  uint8_t *table = g_malloc(TABLE_OCTETS);
  for (size_t i = 0; i < TABLE_OCTETS; i++) {
    table[i] = (uint8_t)(i * 31 + i / 251);
  }
  return table;
}

static void append_table(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  octet_rope_append(rope, (const uint8_t *)user + from, length, NULL);
}

/* ULPDUs pulled out of a Data Source, where their FPDUs lie in the stream. */
typedef struct wire {
  octet_rope ulpdus[MAX_ULPDUS];
  uint64_t starts[MAX_ULPDUS + 1];
  size_t count;
} wire;

static void wire_free(wire *w)
{
  for (size_t i = 0; i < w->count; i++) {
    octet_rope_clear(&w->ulpdus[i]);
  }
  g_free(w);
}

/* Pulls one ULPDU; its FPDU adds length field, PAD and CRC. */
static bool pull(wire *w, host *source, uint32_t mulpdu_octets)
{
  g_assert_cmpuint(w->count, <, MAX_ULPDUS);
  octet_rope *ulpdu = &w->ulpdus[w->count];
  if (!rdmap_stream_next_ulpdu(source->stream, mulpdu_octets, ulpdu)) {
    return false;
  }
  g_assert_cmpuint(ulpdu->length, <=, mulpdu_octets);
  w->starts[w->count + 1] = w->starts[w->count] + (2 + ulpdu->length + 3) / 4 * 4 + 4;
  w->count++;
  rdmap_stream_framed(source->stream, w->starts[w->count]);
  return true;
}

static void pass(const wire *w, size_t index, host *sink)
{
  mpa_ulpdu ulpdu = {
      .fpdu_start = w->starts[index], .fpdu_end = w->starts[index + 1], .octets = &w->ulpdus[index]};
  rdmap_stream_receive(sink->stream, &ulpdu, 1);
}

static void assert_front(const octet_rope *ulpdu, const uint8_t *expected, uint32_t length)
{
  g_assert_cmpuint(ulpdu->length, >=, length);
  g_assert_true(octet_rope_equals(ulpdu, 0, length, expected));
}

/* facts.md: the first octets of an ietf Send are 41 43; RDMAP-067: of a Write C1 40. */
static void test_first_octets(void)
{
  static const uint8_t first_send[18] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
  static const uint8_t write[14] = {0xC1, 0x40, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 1, 0, 0, 0, 2};
  static const uint8_t second_send[18] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};
  uint8_t *table = table_new();
  host *source = host_new();
  wire *w = g_new0(wire, 1);
  rdmap_stream_post_send(source->stream, 1, 5, append_table, table);
  rdmap_stream_post_write(source->stream, 2, 0x12345678, UINT64_C(0x100000002), 7, append_table, table);
  rdmap_stream_post_send(source->stream, 3, 0, NULL, NULL);
  while (pull(w, source, 128)) {
  }
  g_assert_cmpuint(w->count, ==, 3);
  assert_front(&w->ulpdus[0], first_send, 18);
  g_assert_cmpuint(w->ulpdus[0].length, ==, 18 + 5);
  assert_front(&w->ulpdus[1], write, 14);
  g_assert_cmpuint(w->ulpdus[1].length, ==, 14 + 7);
  assert_front(&w->ulpdus[2], second_send, 18);
  g_assert_cmpuint(w->ulpdus[2].length, ==, 18);
  wire_free(w);
  host_free(source);
  g_free(table);
}

/* 64 KiB at MULPDU 1442: 65536 = 45 x 1428 + 1276, then the Send that tells that it is there. */
static void test_a_write_and_its_send(void)
{
  uint8_t *table = table_new();
  uint8_t *memory = g_malloc0(65536);
  host *source = host_new();
  host *sink = host_new();
  wire *w = g_new0(wire, 1);
  g_assert_true(
      ddp_tagged_buffers_register(rdmap_stream_tagged_buffers(sink->stream), 0xABCD, 4096, 65536, memory));
  rdmap_stream_post_receive(sink->stream, NULL, 0, 77);
  rdmap_stream_post_write(source->stream, 1, 0xABCD, 4096, 65536, append_table, table);
  rdmap_stream_post_send(source->stream, 2, 0, NULL, NULL);
  while (pull(w, source, 1442)) {
  }
  g_assert_cmpuint(w->count, ==, 47);
  for (size_t i = 0; i < 45; i++) {
    g_assert_cmpuint(w->ulpdus[i].length, ==, 1442);
  }
  g_assert_cmpuint(w->ulpdus[45].length, ==, 14 + 1276);
  g_assert_cmpuint(w->ulpdus[46].length, ==, 18);

  /* The Send arrives first and one segment of the Write last: nothing is told before. */
  pass(w, 46, sink);
  for (size_t i = 0; i < 46; i++) {
    if (i != 20) {
      pass(w, i, sink);
    }
  }
  g_assert_cmpuint(sink->placed, ==, 46);
  g_assert_cmpuint(sink->delivered, ==, 20);
  g_assert_cmpuint(sink->message_count, ==, 0);
  g_assert_cmpuint(rdmap_stream_undelivered(sink->stream), ==, 26);
  pass(w, 20, sink);
  g_assert_cmpuint(sink->message_count, ==, 2);
  g_assert_true(sink->messages[0].header.tagged);
  g_assert_false(sink->messages[1].header.tagged);
  g_assert_cmpuint(sink->buffer_ids[1], ==, 77);
  g_assert_cmpuint(sink->messages[1].message_octets, ==, 0);
  g_assert_cmpuint(rdmap_stream_undelivered(sink->stream), ==, 0);
  g_assert_cmpmem(memory, 65536, table, 65536);
  wire_free(w);
  host_free(source);
  host_free(sink);
  g_free(memory);
  g_free(table);
}

static void assert_completed(const host *source, size_t count)
{
  g_assert_cmpuint(source->completed_count, ==, count);
  for (size_t i = 0; i < count; i++) {
    g_assert_cmpuint(source->completed[i], ==, i + 1);
  }
}

/* An operation is complete with the acknowledgement of its last FPDU octet (notes-ddp-rdmap 23), in the
 * order posted (RDMAP-196). MULPDU 114: 100 tagged octets a segment; FPDUs 2 + 114 + 4 = 120, 2 + 64 + 2 +
 * 4 = 72, 2 + 18 + 4 = 24. */
static void test_completion(void)
{
  uint8_t *table = table_new();
  host *source = host_new();
  wire *w = g_new0(wire, 1);
  rdmap_stream_acknowledged(source->stream, 1000, 0);
  rdmap_stream_post_write(source->stream, 1, 5, 0, 250, append_table, table);
  rdmap_stream_post_send(source->stream, 2, 0, NULL, NULL);
  rdmap_stream_post_send(source->stream, 3, 0, NULL, NULL);
  rdmap_stream_post_write(source->stream, 4, 5, 0, 150, append_table, table);
  while (w->count < 6) {
    g_assert_true(pull(w, source, 114));
  }
  g_assert_cmpuint(w->starts[3], ==, 312);
  g_assert_cmpuint(w->starts[5], ==, 360);

  rdmap_stream_acknowledged(source->stream, 240, 0);
  rdmap_stream_acknowledged(source->stream, 311, 0);
  assert_completed(source, 0);
  rdmap_stream_acknowledged(source->stream, 312, 0);
  assert_completed(source, 1);
  /* All that was framed: the last Write is not whole yet. */
  rdmap_stream_acknowledged(source->stream, 480, 0);
  assert_completed(source, 3);
  g_assert_true(pull(w, source, 114));
  g_assert_false(pull(w, source, 114));
  rdmap_stream_acknowledged(source->stream, w->starts[7] - 1, 0);
  assert_completed(source, 3);
  rdmap_stream_acknowledged(source->stream, w->starts[7], 0);
  assert_completed(source, 4);
  rdmap_stream_acknowledged(source->stream, UINT64_MAX, 0);
  assert_completed(source, 4);
  wire_free(w);
  host_free(source);
  g_free(table);
}

/* The workload keeps a number of operations outstanding: it posts from within the completion. */
static void test_posting_from_a_completion(void)
{
  enum { FIRST = 50 };
  host *source = host_new();
  wire *w = g_new0(wire, 1);
  source->posts_when_completed = true;
  for (uint64_t id = 1; id <= FIRST; id++) {
    rdmap_stream_post_send(source->stream, id, 0, NULL, NULL);
  }
  while (pull(w, source, 128)) {
  }
  rdmap_stream_acknowledged(source->stream, w->starts[w->count], 0);
  assert_completed(source, FIRST);
  while (pull(w, source, 128)) {
  }
  g_assert_cmpuint(w->count, ==, 2 * FIRST);
  rdmap_stream_acknowledged(source->stream, w->starts[w->count], 0);
  g_assert_cmpuint(source->completed_count, ==, 2 * FIRST);
  for (size_t i = 0; i < FIRST; i++) {
    g_assert_cmpuint(source->completed[FIRST + i], ==, 101 + i);
  }
  wire_free(w);
  host_free(source);
}

/* A segment of 4 payload octets as the first of a stream, against a sink with an STag 0x10 of 8 octets at
 * TO 0 and one receive buffer of 8. layer -1: it is right. */
typedef struct wrong_segment {
  const char *what;
  ddp_header header;
  int layer;
  int type;
  int code;
} wrong_segment;

static const wrong_segment wrong_segments[] = {
    {"a Write", {.tagged = true, .version = 1, .ulp_control = 0x40, .stag = 0x10}, -1, 0, 0},
    {"a Write, reserved bits set",
     {.tagged = true, .version = 1, .ulp_control = 0x70, .stag = 0x10},
     -1,
     0,
     0},
    {"a Send", {.version = 1, .ulp_control = 0x43, .msn = 1}, -1, 0, 0},
    {"a Send with an Invalidate STag, not looked at",
     {.version = 1, .ulp_control = 0x43, .ulp_word = 0x10, .msn = 1},
     -1,
     0,
     0},
    {"RV 0", {.tagged = true, .version = 1, .ulp_control = 0x00, .stag = 0x10}, 0, 2, 0x05},
    {"RV 3", {.version = 1, .ulp_control = 0xC3, .msn = 1}, 0, 2, 0x05},
    {"RV 2 and a reserved opcode: RV first", {.version = 1, .ulp_control = 0x8F, .msn = 1}, 0, 2, 0x05},
    {"a reserved opcode, tagged",
     {.tagged = true, .version = 1, .ulp_control = 0x48, .stag = 0x10},
     0,
     2,
     0x06},
    {"a reserved opcode, untagged", {.version = 1, .ulp_control = 0x4F, .msn = 1}, 0, 2, 0x06},
    {"a Read Response that nobody asked for",
     {.tagged = true, .version = 1, .ulp_control = 0x42, .stag = 0x10},
     0,
     2,
     0x06},
    {"a tagged Send", {.tagged = true, .version = 1, .ulp_control = 0x43, .stag = 0x10}, 0, 2, 0x06},
    {"an untagged Write", {.version = 1, .ulp_control = 0x40, .msn = 1}, 0, 2, 0x06},
    {"a Read Request on QN 0", {.version = 1, .ulp_control = 0x41, .msn = 1}, 0, 2, 0x06},
    {"a Read Request, IRD is 0",
     {.version = 1, .ulp_control = 0x41, .queue_number = 1, .msn = 1},
     1,
     2,
     0x02},
    {"a queue that is none", {.version = 1, .ulp_control = 0x43, .queue_number = 3, .msn = 1}, 1, 2, 0x01},
    {"a second Send, one buffer", {.version = 1, .ulp_control = 0x43, .msn = 2}, 1, 2, 0x02},
    {"DV 0 before all of RDMAP's", {.version = 0, .ulp_control = 0x0F, .msn = 1}, 1, 2, 0x06},
    {"DV 0, tagged", {.tagged = true, .version = 0, .ulp_control = 0x40, .stag = 0x10}, 1, 1, 0x04},
    {"an unknown STag", {.tagged = true, .version = 1, .ulp_control = 0x40, .stag = 0x11}, 1, 1, 0x00},
    {"beyond the bound",
     {.tagged = true, .version = 1, .ulp_control = 0x40, .stag = 0x10, .tagged_offset = 5},
     1,
     1,
     0x01},
};

static void test_checks_of_a_segment(void)
{
  static const uint8_t untouched[8] = {0};
  for (size_t i = 0; i < G_N_ELEMENTS(wrong_segments); i++) {
    const wrong_segment *c = &wrong_segments[i];
    g_test_message("%s", c->what);
    uint8_t memory[2][8] = {{0}, {0}};
    host *sink = host_new();
    ddp_tagged_buffers_register(rdmap_stream_tagged_buffers(sink->stream), 0x10, 0, 8, memory[0]);
    rdmap_stream_post_receive(sink->stream, memory[1], 8, 1);
    uint8_t octets[DDP_MAX_HEADER_OCTETS + 4];
    memset(octets, 0x77, sizeof octets);
    uint32_t length = (uint32_t)ddp_header_encode(&c->header, octets) + 4;
    octet_rope rope;
    octet_rope_init(&rope);
    octet_rope_append(&rope, octets, length, NULL);
    /* behind a hole: nothing is told yet, and what is wrong is not Placed */
    mpa_ulpdu ulpdu = {.fpdu_start = 20, .fpdu_end = 48, .octets = &rope};
    rdmap_stream_receive(sink->stream, &ulpdu, 0);
    g_assert_cmpuint(sink->errors, ==, 0);
    g_assert_cmpuint(sink->placed, ==, c->layer < 0 ? 1 : 0);
    octet_rope_clear(&rope);
    /* an empty Write fills it */
    static const uint8_t empty_write[14] = {0xC1, 0x40};
    octet_rope_append(&rope, empty_write, sizeof empty_write, NULL);
    mpa_ulpdu hole = {.fpdu_start = 0, .fpdu_end = 20, .octets = &rope};
    rdmap_stream_receive(sink->stream, &hole, 0);
    octet_rope_clear(&rope);
    g_assert_cmpuint(sink->errors, ==, c->layer < 0 ? 0 : 1);
    g_assert_cmpuint(sink->delivered, ==, c->layer < 0 ? 2 : 1);
    if (c->layer >= 0) {
      g_assert_cmpint(sink->error.layer, ==, c->layer);
      g_assert_cmpint(sink->error.type, ==, c->type);
      g_assert_cmphex(sink->error.code, ==, c->code);
      g_assert_cmpmem(memory[0], 8, untouched, 8);
      g_assert_cmpmem(memory[1], 8, untouched, 8);
    }
    host_free(sink);
  }
}

/* The trivial reference of the random test: the messages in the order posted, and memory as it must be at
 * each Send. */
enum { MESSAGES = 40, MAX_MESSAGE_OCTETS = 3000, RANDOM_STAG = 0x5EED };

typedef struct message {
  bool write;
  uint32_t length;
  uint64_t offset; /* in the table, and of a Write in tagged memory, too */
  uint8_t *buffer; /* of a Send; one guard octet behind it */
} message;

typedef struct reference {
  const uint8_t *table;
  uint8_t *tagged_memory; /* of all Writes, which do not overlap; one guard octet behind it */
  uint64_t tagged_octets;
  message messages[MESSAGES];
} reference;

static void check_message(host *sink, const ddp_segment *last)
{
  const reference *r = sink->reference;
  size_t index = sink->message_count - 1;
  g_assert_cmpuint(index, <, MESSAGES);
  const message *m = &r->messages[index];
  g_assert_cmpint(last->header.tagged, ==, m->write);
  if (m->write) {
    return;
  }
  g_assert_cmpuint(sink->buffer_ids[index], ==, index);
  g_assert_cmpuint(last->message_octets, ==, m->length);
  g_assert_cmpmem(m->buffer, m->length, r->table + m->offset, m->length);
  for (size_t i = 0; i < index; i++) {
    if (r->messages[i].write) {
      g_assert_cmpmem(r->tagged_memory + r->messages[i].offset, r->messages[i].length,
                      r->table + r->messages[i].offset, r->messages[i].length);
    }
  }
}

static reference *reference_new(random_stream *random, const uint8_t *table)
{
  reference *r = g_new0(reference, 1);
  r->table = table;
  for (size_t i = 0; i < MESSAGES; i++) {
    message *m = &r->messages[i];
    m->write = random_stream_chance(random, 0.7);
    m->length =
        random_stream_chance(random, 0.2) ? 0 : (uint32_t)random_stream_below(random, MAX_MESSAGE_OCTETS);
    m->offset = r->tagged_octets;
    if (m->write) {
      r->tagged_octets += m->length;
    } else {
      m->buffer = g_malloc0(m->length + 1);
      m->buffer[m->length] = 0xA5;
    }
  }
  r->tagged_memory = g_malloc0(r->tagged_octets + 1);
  r->tagged_memory[r->tagged_octets] = 0xA5;
  return r;
}

static void reference_free(reference *r)
{
  g_assert_cmphex(r->tagged_memory[r->tagged_octets], ==, 0xA5);
  for (size_t i = 0; i < MESSAGES; i++) {
    if (!r->messages[i].write) {
      g_assert_cmphex(r->messages[i].buffer[r->messages[i].length], ==, 0xA5);
      g_free(r->messages[i].buffer);
    }
  }
  g_free(r->tagged_memory);
  g_free(r);
}

static void post_all(reference *r, host *source, host *sink)
{
  const uint64_t base = UINT64_C(0xFEDCBA9876543210);
  ddp_tagged_buffers_register(rdmap_stream_tagged_buffers(sink->stream), RANDOM_STAG, base, r->tagged_octets,
                              r->tagged_memory);
  for (size_t i = 0; i < MESSAGES; i++) {
    const message *m = &r->messages[i];
    void *octets = (uint8_t *)r->table + m->offset;
    if (m->write) {
      rdmap_stream_post_write(source->stream, i + 1, RANDOM_STAG, base + m->offset, m->length, append_table,
                              octets);
    } else {
      rdmap_stream_post_send(source->stream, i + 1, m->length, append_table, octets);
      rdmap_stream_post_receive(sink->stream, m->buffer, m->length, i);
    }
  }
}

/* Every ULPDU goes up to `reach` places late: 0 is in order, beyond their number any order. */
static void pass_in_disorder(const wire *w, host *sink, random_stream *random, size_t reach)
{
  size_t order[MAX_ULPDUS];
  for (size_t i = 0; i < w->count; i++) {
    order[i] = i;
  }
  for (size_t i = 0; i < w->count; i++) {
    size_t j = i + random_stream_below(random, MIN(reach, w->count - i - 1) + 1);
    size_t passed = order[j];
    order[j] = order[i];
    order[i] = passed;
    pass(w, passed, sink);
  }
}

static void check_random_round(random_stream *random, const uint8_t *table, size_t reach)
{
  host *source = host_new();
  host *sink = host_new();
  wire *w = g_new0(wire, 1);
  reference *r = reference_new(random, table);
  sink->at_message = check_message;
  sink->reference = r;
  post_all(r, source, sink);
  bool changing = random_stream_chance(random, 0.5);
  uint32_t mulpdu = 128 + (uint32_t)random_stream_below(random, 2000);
  while (pull(w, source, mulpdu)) {
    mulpdu = changing ? 128 + (uint32_t)random_stream_below(random, 2000) : mulpdu;
  }
  pass_in_disorder(w, sink, random, reach);
  g_assert_cmpuint(sink->errors, ==, 0);
  g_assert_cmpuint(sink->placed, ==, w->count);
  g_assert_cmpuint(sink->delivered, ==, w->count);
  g_assert_cmpuint(sink->message_count, ==, MESSAGES);
  g_assert_cmpmem(r->tagged_memory, r->tagged_octets, table, r->tagged_octets);

  uint64_t acknowledged = 0;
  while (acknowledged < w->starts[w->count]) {
    acknowledged += random_stream_below(random, 5000);
    rdmap_stream_acknowledged(source->stream, acknowledged, 2);
  }
  assert_completed(source, MESSAGES);
  reference_free(r);
  wire_free(w);
  host_free(source);
  host_free(sink);
}

static void test_random_messages_sizes_and_orders(void)
{
  static const size_t reaches[] = {0, 1, 5, 50, MAX_ULPDUS};
  enum { ROUNDS = 100 };
  const uint64_t seed = 30;
  uint8_t *table = table_new();
  g_assert_cmpuint(MESSAGES * MAX_MESSAGE_OCTETS, <, TABLE_OCTETS);
  random_stream *random = random_stream_new(seed, "test_rdmap_stream");
  for (size_t round = 0; round < ROUNDS; round++) {
    g_test_message("seed %u round %zu", (unsigned)seed, round);
    check_random_round(random, table, reaches[round % G_N_ELEMENTS(reaches)]);
  }
  random_stream_free(random);
  g_free(table);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rdmap_stream/first_octets", test_first_octets);
  g_test_add_func("/rdmap_stream/write_and_its_send", test_a_write_and_its_send);
  g_test_add_func("/rdmap_stream/completion", test_completion);
  g_test_add_func("/rdmap_stream/posting_from_a_completion", test_posting_from_a_completion);
  g_test_add_func("/rdmap_stream/checks_of_a_segment", test_checks_of_a_segment);
  g_test_add_func("/rdmap_stream/random_messages_sizes_and_orders", test_random_messages_sizes_and_orders);
  return g_test_run();
}
