/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what is checked of every incoming RDMA Message, of each opcode (rdmap-00 §9.2): DDP's
 * fields, version, opcode, buffer model and queue; and what is not looked at. */
#include "base/random_stream.h"
#include "rdmap_fixture.h"

enum { OPCODES = 16, NO_QUEUE = -1, QUEUES = 3 };

/* rdmap-00 §6.1 fig. 4, and a message of the opcode that is right in every way: 4 octets of payload, or
 * the header it must have. */
typedef struct message_row {
  const char *name;
  int queue_number;         /* NO_QUEUE: tagged */
  uint32_t invalidate_stag; /* of those that have one */
  const char *payload;
  uint32_t payload_octets;
  const char *log; /* what B's ULP receives */
} message_row;

/* SinkSTag 0x77, SinkTO 7, RDMARDSZ 4, SrcSTag TARGET_READ, SrcTO 0x200. */
#define READ_REQUEST "\0\0\0\x77\0\0\0\0\0\0\0\7\0\0\0\4\0\0\x20\0\0\0\0\0\0\0\2\0"

static const message_row messages[] = {
    {"RDMA Write", NO_QUEUE, 0, "\1\2\3\4", 4, ""},
    {"RDMA Read Request", 1, 0, READ_REQUEST, 28, ""},
    {"RDMA Read Response", NO_QUEUE, 0, "\1\2\3\4", 4, "completed 1"},
    {"Send", 0, 0, "\1\2\3\4", 4, "received 1 (4 octets)"},
    {"Send with Invalidate", 0, TARGET_WRITE, "\1\2\3\4", 4, "received 1 (4 octets), invalidated 0x1000"},
    {"Send with Solicited Event", 0, 0, "\1\2\3\4", 4, "received 1 (4 octets), solicited"},
    {"Send with Solicited Event and Invalidate", 0, TARGET_WRITE, "\1\2\3\4", 4,
     "received 1 (4 octets), solicited, invalidated 0x1000"},
    {"Terminate", 2, 0, "\2\7\0\0", 4, "got Terminate 0/2/07"},
};

static size_t opcode_of(const message_row *m)
{
  return (size_t)(m - messages);
}

/* Writes to TARGET_WRITE, or is the first of queue `queue`. */
static void set_buffer(ddp_header *header, int queue)
{
  header->tagged = queue == NO_QUEUE;
  header->stag = TARGET_WRITE;
  header->tagged_offset = TARGET_WRITE / 16;
  header->queue_number = (uint32_t)queue;
  header->msn = 1;
}

/* The right header of a message, in generation ietf. */
static ddp_header header_of(const message_row *m)
{
  ddp_header header = {.last = true, .version = 1, .ulp_control = (uint8_t)(0x40 + opcode_of(m))};
  header.ulp_word = m->invalidate_stag;
  set_buffer(&header, m->queue_number);
  return header;
}

/* A fixture with targets; B has a Read open for a Read Response. */
static rdmap_fixture *fixture_for(const rdmap_config *b, const message_row *m)
{
  rdmap_fixture *f = rdmap_fixture_with_targets(b);
  if (opcode_of(m) == RDMAP_READ_RESPONSE) {
    post(f->b, .id = 1, .operation = RDMAP_READ_REQUEST, .length = 4, .local_stag = TARGET_WRITE,
         .local_offset = TARGET_WRITE / 16);
    g_assert_true(pull(f->b));
    acknowledge(f->b);
  }
  return f;
}

/* One that has received `header` and `octets` of the payload of `m`. */
static rdmap_fixture *received_octets(const rdmap_config *b, ddp_header header, const message_row *m,
                                      uint32_t octets)
{
  rdmap_fixture *f = fixture_for(b, m);
  forge(f->a, &header, m->payload, octets);
  pass(f->a, 0);
  return f;
}

static rdmap_fixture *received(const rdmap_config *b, ddp_header header, const message_row *m)
{
  return received_octets(b, header, m, m->payload_octets);
}

/* B sends one ULPDU more, a Terminate for segment `wrong` of A: its error, M and D, the length and the header
 * of the segment. */
static void assert_terminates_for(rdmap_fixture *f, size_t wrong, uint8_t layer_and_type, uint8_t code)
{
  const sent_ulpdu *faulty = nth_sent(f->a, wrong);
  g_assert_cmpuint(pull_all(f->b), ==, 1);
  const sent_ulpdu *sent = last_sent(f->b);
  const uint8_t control[] = {layer_and_type, code, 0xC0, 0, 0, (uint8_t)faulty->length};
  g_assert_cmphex(sent->octets[1], ==, sent->octets[0] & 3 ? 0x47 : 0x07); /* RV as DV */
  g_assert_cmpmem(sent->octets + 18, sizeof control, control, sizeof control);
  g_assert_cmpmem(sent->octets + 24, sent->length - 24, faulty->octets, faulty->octets[0] & 0x80 ? 14 : 18);
}

/* The same for the first segment; B's ULP receives the error, tagged memory is as it was. */
static void assert_terminates(rdmap_fixture *f, uint8_t layer_and_type, uint8_t code)
{
  assert_terminates_for(f, 0, layer_and_type, code);
  g_autofree char *expected =
      g_strdup_printf("sends Terminate %u/%u/%02X", layer_and_type >> 4, layer_and_type & 15, code);
  g_assert_true(g_str_has_prefix(f->b->log->str, expected));
  assert_targets_unchanged(f);
  assert_targets_registered(f, 0);
}

/* The message did what it does in fig. 4. */
static void assert_right(const rdmap_fixture *f, const message_row *m)
{
  bool writes = opcode_of(m) == RDMAP_WRITE || opcode_of(m) == RDMAP_READ_RESPONSE;
  assert_log(f->b, m->log);
  g_assert_cmpuint(f->b->delivered->len, ==, 1);
  g_assert_cmpint(memcmp(f->targets[0], "\1\2\3\4", 4) == 0, ==, writes);
  assert_untouched(f->targets[0] + 4, TARGET_OCTETS - 4);
  assert_targets_registered(f, m->invalidate_stag);
}

/* RDMAP-056, RDMAP-057, RDMAP-058, RDMAP-059, RDMAP-060, RDMAP-061, RDMAP-062, RDMAP-063: right messages
 * do what they do in fig. 4, with RV 1 over DV 1, RV 0 over DV 0 and the same in the generation rfc. */
EACH_TEST(test_right_messages, message_row, messages)
{
  for (iwarp_generation generation = IWARP_RDMAC; generation < IWARP_GENERATIONS; generation++) {
    ddp_header header = header_of(c);
    if (generation == IWARP_RDMAC) {
      header.version = 0;
      header.ulp_control = (uint8_t)opcode_of(c);
    }
    g_autoptr(rdmap_fixture) f = received(B_WITH(.generation = generation), header, c);
    assert_right(f, c);
  }
}

/* RDMAP-043, RDMAP-045: each opcode in each buffer model and queue that is not its own, right in all else:
 * 0/2/06 (note D26). Of each row: RDMAP-056, RDMAP-057, RDMAP-058, RDMAP-059, RDMAP-060,
 * RDMAP-061, RDMAP-062, RDMAP-063. */
EACH_TEST(test_wrong_buffer_model_or_queue, message_row, messages)
{
  for (int queue = NO_QUEUE; queue < QUEUES; queue++) {
    if (queue != c->queue_number) {
      ddp_header header = header_of(c);
      set_buffer(&header, queue);
      g_autoptr(rdmap_fixture) f = received_octets(NULL, header, c, 4);
      assert_terminates(f, 0x02, 0x06);
    }
  }
}

/* RDMAP-064, RDMAP-238, RDMAP-106, RDMAP-293: opcodes 8 … 15 are unexpected, in whatever buffer. */
EACH_TEST(test_reserved_opcodes, message_row, messages)
{
  for (unsigned opcode = G_N_ELEMENTS(messages); opcode < OPCODES; opcode++) {
    ddp_header header = header_of(c);
    header.ulp_control = (uint8_t)(0x40 + opcode);
    g_autoptr(rdmap_fixture) f = received(NULL, header, c);
    assert_terminates(f, 0x02, 0x06);
  }
}

/* RDMAP-105, RDMAP-239, RDMAP-049, RDMAP-050: any RV but that of the generation, on every message,
 * reserved opcodes too: version first (note D12). */
EACH_TEST(test_wrong_versions, message_row, messages)
{
  for (unsigned i = 0; i < 4 * 2 * IWARP_GENERATIONS; i++) {
    iwarp_generation generation = i / 8;
    unsigned version = i % 4, reserved = i & 4 ? 0x08 : 0;
    ddp_header header = header_of(c);
    header.version = generation == IWARP_RDMAC ? 0 : 1;
    if (version != header.version) {
      header.ulp_control = (uint8_t)(version << 6 | opcode_of(c) | reserved);
      g_autoptr(rdmap_fixture) f = received(B_WITH(.generation = generation), header, c);
      assert_terminates(f, 0x02, 0x05);
    }
  }
}

/* --- Messages of several segments --- */

enum { PARTS = 3, NO_PART = PARTS };

static void set_wrong_version(ddp_header *header)
{
  header->ulp_control ^= 0x80;
}

static void set_reserved_opcode(ddp_header *header)
{
  header->ulp_control |= 0x08;
}

static void set_wrong_model(ddp_header *header)
{
  set_buffer(header, header->tagged ? RDMAP_QUEUE_TERMINATE : NO_QUEUE);
}

static void set_wrong_queue(ddp_header *header)
{
  header->queue_number =
      header->queue_number == RDMAP_QUEUE_TERMINATE ? RDMAP_QUEUE_READ_REQUEST : RDMAP_QUEUE_TERMINATE;
}

/* Forges a message in three segments, of which `wrong` has a field set wrong. */
static void forge_in_three(rdmap_fixture *f, const message_row *m, size_t wrong,
                           void (*set)(ddp_header *header))
{
  uint32_t third = m->payload_octets / PARTS;
  uint32_t first = m->payload_octets - 2 * third;
  for (size_t i = 0; i < PARTS; i++) {
    ddp_header header = header_of(m);
    uint32_t from = i == 0 ? 0 : first + (uint32_t)(i - 1) * third;
    header.last = i == PARTS - 1;
    header.message_offset = header.tagged ? 0 : from;
    header.tagged_offset += header.tagged ? from : 0;
    if (i == wrong) {
      set(&header);
    }
    forge(f->a, &header, m->payload + from, i == 0 ? first : third);
  }
}

/* RDMAP-239, RDMAP-105, RDMAP-238, RDMAP-106, RDMAP-043: version, opcode and buffer model are checked in
 * every segment of a message, the first, one within and the last, in either order of arrival; the segment is
 * not Placed, and the Terminate is for it. With all three right the message is what it is in one. */
EACH_TEST(test_every_segment_is_checked, message_row, messages)
{
  static const struct {
    const char *what;
    void (*set)(ddp_header *header);
    uint8_t code;
  } faults[] = {{"RV", set_wrong_version, 0x05},
                {"opcode", set_reserved_opcode, 0x06},
                {"T", set_wrong_model, 0x06},
                {"QN", set_wrong_queue, 0x06}};
  for (size_t i = 0; i < G_N_ELEMENTS(faults) * (PARTS + 1) * 2; i++) {
    size_t wrong = i / 2 % (PARTS + 1);
    size_t fault = i / 2 / (PARTS + 1);
    bool reversed = i & 1;
    if (faults[fault].set == set_wrong_queue && c->queue_number == NO_QUEUE) {
      continue;
    }
    g_test_message("%s of segment %zu, reversed %d", faults[fault].what, wrong, reversed);
    g_autoptr(rdmap_fixture) f = fixture_for(NULL, c);
    forge_in_three(f, c, wrong, faults[fault].set);
    for (size_t passed = 0; passed < PARTS; passed++) {
      if (passed <= wrong || reversed) {
        assert_log(f->b, "");
      }
      pass(f->a, reversed ? PARTS - 1 - passed : passed);
    }
    g_assert_cmpuint(f->b->delivered->len, ==, wrong);
    if (wrong == NO_PART) {
      assert_log(f->b, c->log);
    } else {
      g_assert_cmpuint(f->b->placed, ==, reversed ? PARTS - 1 : wrong);
      assert_terminates_for(f, wrong, 0x02, faults[fault].code);
    }
  }
}

/* RDMAP-052: each of the two Rsv bits, and both. RDMAP-053, RDMAP-055: an Invalidate STag in a message
 * that has none; STags that it names stay as they are. */
EACH_TEST(test_ignored_fields, message_row, messages)
{
  for (unsigned bits = 0x10; bits <= 0x30; bits += 0x10) {
    ddp_header header = header_of(c);
    header.ulp_control |= (uint8_t)bits;
    if (c->invalidate_stag == 0) {
      header.ulp_word = TARGET_READ;
    }
    g_autoptr(rdmap_fixture) f = received(NULL, header, c);
    assert_right(f, c);
  }
}

/* One field made wrong, and DDP's code for it (ddp-07/rfc5041 §7.1, §7.2). */
typedef struct field_row {
  const char *what;
  uint8_t code;
  ddp_header header; /* the fields that are not 0 replace those of a right one */
} field_row;

static const field_row tagged_fields[] = {
    {"an STag that is none", 0x00, {.stag = TARGET_UNKNOWN}},
    {"an STag without the right", 0x00, {.stag = TARGET_READ, .tagged_offset = TARGET_READ / 16}},
    {"an STag of another Protection Domain", 0x02, {.stag = TARGET_FOREIGN, .tagged_offset = 0x300}},
    {"an STag of another stream", 0x02, {.stag = TARGET_OTHER_STREAM, .tagged_offset = 0x500}},
    {"a TO before the buffer", 0x01, {.tagged_offset = 0xFF}},
    {"a TO whose last octet is after it", 0x01, {.tagged_offset = 0x13D}},
    {"a TO that wraps", 0x03, {.stag = TARGET_TOP, .tagged_offset = UINT64_MAX - 2}},
    {"DV 2", 0x04, {.version = 2}},
    {"DV 3", 0x04, {.version = 3}},
};

static const field_row untagged_fields[] = {
    {"QN 3", 0x01, {.queue_number = 3}},
    {"QN 2^32 - 1", 0x01, {.queue_number = UINT32_MAX}},
    {"an MSN without a buffer", 0x02, {.msn = 4}},
    {"an MSN of the past", 0x03, {.msn = UINT32_MAX}},
    {"an MO after the buffer", 0x04, {.message_offset = 60}},
    {"an MO far after it", 0x04, {.message_offset = UINT32_MAX}},
    {"DV 2", 0x06, {.version = 2}},
    {"DV 3", 0x06, {.version = 3}},
};

static ddp_header with_field(ddp_header header, const ddp_header *field)
{
  header.version = field->version ? field->version : header.version;
  header.stag = field->stag ? field->stag : header.stag;
  header.tagged_offset = field->tagged_offset ? field->tagged_offset : header.tagged_offset;
  header.queue_number = field->queue_number ? field->queue_number : header.queue_number;
  header.msn = field->msn ? field->msn : header.msn;
  header.message_offset = field->message_offset ? field->message_offset : header.message_offset;
  return header;
}

/* RDMAP-237 of Writes, Read Responses, Sends and Terminates, RDMAP-242 of Read Requests: each field of
 * each opcode is DDP's to validate; RDMAP reports its error in layer 1 (RDMAP-111, RDMAP-024). RDMAP-267,
 * RDMAP-269: the STag of Writes and Read Responses among them, which another Protection Domain or stream
 * has: DDP refuses to Place, RDMAP Terminates. */
EACH_TEST(test_fields_of_ddp, message_row, messages)
{
  bool tagged = c->queue_number == NO_QUEUE;
  const field_row *fields = tagged ? tagged_fields : untagged_fields;
  size_t count = tagged ? G_N_ELEMENTS(tagged_fields) : G_N_ELEMENTS(untagged_fields);
  for (size_t i = 0; i < count; i++) {
    g_test_message("%s", fields[i].what);
    g_autoptr(rdmap_fixture) f = received(NULL, with_field(header_of(c), &fields[i].header), c);
    assert_terminates(f, tagged ? 0x11 : 0x12, fields[i].code);
  }
}

/* RDMAP-237, RDMAP-242: a message longer than its buffer: 16 octets for a Send, 28 for a Read Request, 52
 * for a Terminate. */
TEST(test_too_long)
{
  static const uint32_t lengths[QUEUES] = {16, 28, 52};
  for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
    if (messages[i].queue_number != NO_QUEUE) {
      g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
      ddp_header header = header_of(&messages[i]);
      forge(f->a, &header, NULL, lengths[messages[i].queue_number] + 1);
      pass(f->a, 0);
      assert_terminates(f, 0x12, 0x05);
      assert_untouched(f->receive, TARGET_RECEIVE_OCTETS);
    }
  }
}

/* R7306-103, R7306-105: the fields of RFC 7306's messages are validated like those of all others: DDP's, with
 * QN 4 for the one that does not exist, and RV. */
TEST(test_fields_of_extensions)
{
  for (uint8_t opcode = RDMAP_IMMEDIATE; opcode <= RDMAP_ATOMIC_RESPONSE; opcode++) {
    const uint32_t queue = rdmap_opcode_rules_of(opcode)->queue_number;
    ddp_header right = {.last = true, .version = 1, .ulp_control = 0x40 | opcode};
    set_buffer(&right, (int)queue);
    for (size_t i = 0; i < G_N_ELEMENTS(untagged_fields); i++) {
      g_test_message("opcode %u, %s", opcode, untagged_fields[i].what);
      ddp_header header = with_field(right, &untagged_fields[i].header);
      header.queue_number += i == 0; /* QN 3 exists */
      g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(B_WITH(.generation = IWARP_RFC6581));
      forge(f->a, &header, NULL, 8);
      pass(f->a, 0);
      assert_terminates(f, 0x12, untagged_fields[i].code);
    }
    for (unsigned version = 0; version < 4; version += version == 0 ? 2 : 1) {
      g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(B_WITH(.generation = IWARP_RFC6581));
      right.ulp_control = (uint8_t)(version << 6 | opcode);
      forge(f->a, &right, NULL, 8);
      pass(f->a, 0);
      assert_terminates(f, 0x02, 0x05);
    }
  }
}

/* A segment of random fields, three times in four near the edges of what is allowed. */
static void forge_hostile(rdmap_fixture *f, random_stream *random)
{
  static const uint32_t stags[] = {TARGET_WRITE, TARGET_READ,         TARGET_FOREIGN, TARGET_KEPT,
                                   TARGET_TOP,   TARGET_OTHER_STREAM, TARGET_NONE,    TARGET_UNKNOWN};
  bool near = random_stream_below(random, 4) > 0;
  uint32_t stag = near ? TARGET_WRITE : stags[random_stream_below(random, G_N_ELEMENTS(stags))];
  uint64_t base = stag == TARGET_TOP ? UINT64_MAX - TARGET_OCTETS : stag / 16;
  uint64_t offset =
      base + (uint64_t)(near ? random_stream_below(random, 40) : random_stream_below(random, 79) - 9);
  ddp_header header = {
      .version = 1, .ulp_control = 0x40, .stag = stag, .tagged_offset = offset, .ulp_word = stag};
  header.last = random_stream_below(random, 2);
  header.tagged = near || random_stream_below(random, 2);
  if (!near) {
    header.version = random_stream_below(random, 9) > 0 ? 1 : 2;
    header.ulp_control = (uint8_t)(0x40 + random_stream_below(random, 9));
    header.queue_number = (uint32_t)random_stream_below(random, 4);
    header.msn = (uint32_t)random_stream_below(random, 4);
    header.message_offset = (uint32_t)random_stream_below(random, 20);
  }
  forge(f->a, &header, NULL, (uint32_t)random_stream_below(random, near ? 30 : 60));
}

/* RDMAP-249: whatever comes, no octet outside the rights changes: neither an STag that may not be written,
 * nor a guard around any buffer (rdmap_fixture_free()). */
TEST(test_hostile_headers)
{
  static const size_t unwritable[] = {1, 2, 4, 6}; /* READ, FOREIGN, OTHER_STREAM, NONE */
  enum { ROUNDS = 2000, SEGMENTS = 20, SEED = 2026 };
  g_autoptr(random_stream) random = random_stream_new(SEED, "test_rdmap_checks");
  size_t placed = 0;
  size_t terminated = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    g_test_message("seed %u round %u", SEED, round);
    for (unsigned i = 0; i < SEGMENTS; i++) {
      forge_hostile(f, random);
    }
    pass_rest(f->a);
    for (size_t i = 0; i < G_N_ELEMENTS(unwritable); i++) {
      g_assert_cmpmem(f->targets[unwritable[i]], TARGET_OCTETS, f->before[unwritable[i]], TARGET_OCTETS);
    }
    placed += f->b->placed;
    terminated += f->b->stream->is_terminated;
  }
  /* The test has teeth: both happen, and often. */
  g_assert_cmpuint(placed, >, 2 * ROUNDS);
  g_assert_cmpuint(terminated, >, ROUNDS / 2);
}
