/* SPDX-License-Identifier: GPL-2.0-only */
/* What is checked of every incoming RDMA Message, of each opcode (rdmap-00 §9.2): DDP's fields, version,
 * opcode, buffer model and queue; and what is not looked at. */
#include "base/random_stream.h"
#include "rdmap/rdmap_stream_private.h"
#include "rdmap_target.h"
#include "stack_cleanup.h"
#include "test.h"

enum { OPCODES = 16, NO_QUEUE = -1, QUEUES = 3 };

/* rdmap-00 §6.1 fig. 4, and a message of the opcode that is right in every way: 4 octets of payload, or
 * the header it must have. */
typedef struct message_row {
  const char *name;
  int queue_number;         /* NO_QUEUE: tagged */
  uint32_t invalidate_stag; /* of those that have one */
  const char *payload;
  uint32_t payload_octets;
  const char *log; /* what B's ULP is told of it */
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

/* The right header of `opcode`, in generation ietf. */
static ddp_header header_of(size_t opcode)
{
  const message_row *row = &messages[opcode];
  ddp_header header = {.last = true, .version = 1, .ulp_control = (uint8_t)(0x40 + opcode)};
  if (row->queue_number == NO_QUEUE) {
    header.tagged = true;
    header.stag = TARGET_WRITE;
    header.tagged_offset = TARGET_WRITE / 16;
  } else {
    header.ulp_word = row->invalidate_stag;
    header.queue_number = (uint32_t)row->queue_number;
    header.msn = 1;
  }
  return header;
}

/* A target; B has a Read open for a Read Response. */
static rdmap_target *target_for(const rdmap_config *b, size_t opcode)
{
  rdmap_target *target = rdmap_target_new(b);
  if (opcode == RDMAP_READ_RESPONSE) {
    g_assert_true(rdmap_kit_post(target->kit, KIT_B, .id = 1, .operation = RDMAP_OPERATION_READ, .length = 4,
                                 .local_stag = TARGET_WRITE, .local_offset = TARGET_WRITE / 16));
    g_assert_true(rdmap_kit_pull(target->kit, KIT_B));
    rdmap_kit_acknowledge(target->kit, KIT_B);
  }
  return target;
}

/* A target that has received `header` and `octets` of the payload of `opcode`. */
static rdmap_target *received_octets(const rdmap_config *b, const ddp_header *header, size_t opcode,
                                     uint32_t octets)
{
  rdmap_target *target = target_for(b, opcode);
  rdmap_kit_forge(target->kit, KIT_A, header, messages[opcode].payload, octets);
  rdmap_kit_pass(target->kit, KIT_A, 0);
  return target;
}

static rdmap_target *received(const rdmap_config *b, const ddp_header *header, size_t opcode)
{
  return received_octets(b, header, opcode, messages[opcode].payload_octets);
}

/* The last thing that B sends is one Terminate with these octets behind its DDP header; B's ULP is told,
 * tagged memory is as it was. */
static void assert_terminates(rdmap_target *target, uint8_t layer_and_type, uint8_t code)
{
  rdmap_kit *kit = target->kit;
  const kit_ulpdu *faulty = rdmap_kit_sent(kit, KIT_A, 0);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
  const kit_ulpdu *sent = rdmap_kit_sent(kit, KIT_B, kit->hosts[KIT_B].sent->len - 1);
  uint32_t header_octets = faulty->octets[0] & 0x80 ? 14 : 18;
  g_assert_cmphex(sent->octets[1] & 0x0F, ==, RDMAP_TERMINATE);
  g_assert_cmphex(sent->octets[18], ==, layer_and_type);
  g_assert_cmphex(sent->octets[19], ==, code);
  g_assert_cmphex(sent->octets[20], ==, 0xC0); /* M, D */
  g_assert_cmpuint(sent->octets[22] << 8 | sent->octets[23], ==, faulty->length);
  g_assert_cmpmem(sent->octets + 24, sent->length - 24, faulty->octets, header_octets);
  char *expected =
      g_strdup_printf("sends Terminate %u/%u/%02X", layer_and_type >> 4, layer_and_type & 15, code);
  g_assert_true(g_str_has_prefix(kit->hosts[KIT_B].log->str, expected));
  g_free(expected);
  rdmap_target_assert_unchanged(target);
  rdmap_target_assert_registered(target, 0);
}

static bool writes(size_t opcode)
{
  return opcode == RDMAP_WRITE || opcode == RDMAP_READ_RESPONSE;
}

/* RDMAP-056, RDMAP-057, RDMAP-058, RDMAP-059, RDMAP-060, RDMAP-061, RDMAP-062, RDMAP-063: right messages
 * do what fig. 4 says, with RV 1 over DV 1, RV 0 over DV 0 and the same in the generation rfc. */
TEST(test_right_messages)
{
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    for (iwarp_generation generation = IWARP_RDMAC; generation < IWARP_GENERATIONS; generation++) {
      rdmap_config b = rdmap_kit_config(KIT_B);
      ddp_header header = header_of(opcode);
      b.generation = generation;
      if (generation == IWARP_RDMAC) {
        header.version = 0;
        header.ulp_control = (uint8_t)opcode;
      }
      g_autoptr(rdmap_target) target = received(&b, &header, opcode);
      g_test_message("%s", messages[opcode].name);
      rdmap_kit_assert_log(target->kit, KIT_B, messages[opcode].log);
      g_assert_cmpuint(target->kit->hosts[KIT_B].delivered->len, ==, 1);
      g_assert_cmpint(memcmp(target->memories[0], "\1\2\3\4", 4) == 0, ==, writes(opcode));
      rdmap_kit_assert_untouched(target->memories[0] + 4, TARGET_OCTETS - 4);
      rdmap_target_assert_registered(target, messages[opcode].invalidate_stag);
    }
  }
}

/* RDMAP-043, RDMAP-045: each opcode in each buffer model and queue that is not its own, right in all else:
 * 0/2/06 (note D26). Of each row: RDMAP-056, RDMAP-057, RDMAP-058, RDMAP-059, RDMAP-060,
 * RDMAP-061, RDMAP-062, RDMAP-063. */
TEST(test_wrong_buffer_model_or_queue)
{
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    for (int queue = NO_QUEUE; queue < QUEUES; queue++) {
      ddp_header header = header_of(opcode);
      if (queue == messages[opcode].queue_number) {
        continue;
      }
      g_test_message("%s, QN %d", messages[opcode].name, queue);
      header.tagged = queue == NO_QUEUE;
      header.stag = TARGET_WRITE;
      header.tagged_offset = TARGET_WRITE / 16;
      header.queue_number = (uint32_t)queue;
      header.msn = 1;
      g_autoptr(rdmap_target) target = received_octets(NULL, &header, opcode, 4);
      assert_terminates(target, 0x02, 0x06);
    }
  }
}

/* RDMAP-064, RDMAP-238, RDMAP-106, RDMAP-293: opcodes 8 … 15 are unexpected, in whatever buffer. */
TEST(test_reserved_opcodes)
{
  for (unsigned opcode = G_N_ELEMENTS(messages); opcode < OPCODES; opcode++) {
    for (size_t like = 0; like < G_N_ELEMENTS(messages); like++) {
      ddp_header header = header_of(like);
      header.ulp_control = (uint8_t)(0x40 + opcode);
      g_autoptr(rdmap_target) target = received(NULL, &header, like);
      assert_terminates(target, 0x02, 0x06);
    }
  }
}

/* RDMAP-105, RDMAP-239, RDMAP-049, RDMAP-050: any RV but that of the generation, on every message,
 * reserved opcodes too: version first (note D12). */
TEST(test_wrong_versions)
{
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    for (unsigned version = 0; version < 4; version++) {
      for (iwarp_generation generation = IWARP_RDMAC; generation < IWARP_GENERATIONS; generation++) {
        rdmap_config b = rdmap_kit_config(KIT_B);
        ddp_header header = header_of(opcode);
        b.generation = generation;
        header.version = generation == IWARP_RDMAC ? 0 : 1;
        if (version == header.version) {
          continue;
        }
        header.ulp_control = (uint8_t)(version << 6 | opcode);
        rdmap_target *target = received(&b, &header, opcode);
        assert_terminates(target, 0x02, 0x05);
        rdmap_target_free(target);
        header.ulp_control |= 0x08;
        target = received(&b, &header, opcode);
        assert_terminates(target, 0x02, 0x05);
        rdmap_target_free(target);
      }
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
  header->tagged = !header->tagged;
  header->stag = TARGET_WRITE;
  header->tagged_offset = TARGET_WRITE / 16;
  header->queue_number = RDMAP_QUEUE_TERMINATE;
  header->msn = 1;
}

static void set_wrong_queue(ddp_header *header)
{
  header->queue_number =
      header->queue_number == RDMAP_QUEUE_TERMINATE ? RDMAP_QUEUE_READ_REQUEST : RDMAP_QUEUE_TERMINATE;
}

/* Forges a message of `opcode` in three segments, of which `wrong` has a field set wrong. */
static void forge_in_three(rdmap_kit *kit, size_t opcode, size_t wrong, void (*set)(ddp_header *header))
{
  uint32_t third = messages[opcode].payload_octets / PARTS;
  uint32_t first = messages[opcode].payload_octets - 2 * third;
  for (size_t i = 0; i < PARTS; i++) {
    ddp_header header = header_of(opcode);
    uint32_t from = i == 0 ? 0 : first + (uint32_t)(i - 1) * third;
    header.last = i == PARTS - 1;
    header.message_offset = header.tagged ? 0 : from;
    header.tagged_offset += header.tagged ? from : 0;
    if (i == wrong) {
      set(&header);
    }
    rdmap_kit_forge(kit, KIT_A, &header, messages[opcode].payload + from, i == 0 ? first : third);
  }
}

/* The Terminate that B sends names the error 0/2/`code` and copies the header of segment `wrong`. */
static void assert_terminates_for(rdmap_kit *kit, size_t wrong, uint8_t code)
{
  const kit_ulpdu *faulty = rdmap_kit_sent(kit, KIT_A, wrong);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
  const kit_ulpdu *sent = rdmap_kit_sent(kit, KIT_B, kit->hosts[KIT_B].sent->len - 1);
  const uint8_t control[] = {0x02, code, 0xC0, 0, 0, (uint8_t)faulty->length};
  g_assert_cmphex(sent->octets[1], ==, 0x47);
  g_assert_cmpmem(sent->octets + 18, sizeof control, control, sizeof control);
  g_assert_cmpmem(sent->octets + 24, sent->length - 24, faulty->octets, faulty->octets[0] & 0x80 ? 14 : 18);
}

/* RDMAP-239, RDMAP-105, RDMAP-238, RDMAP-106, RDMAP-043: version, opcode and buffer model are checked in
 * every segment of a message, the first, one within and the last, in either order of arrival; the segment is
 * not Placed, and the Terminate is for it. With all three right the message is what it is in one. */
TEST(test_every_segment_is_checked)
{
  static const struct {
    const char *what;
    void (*set)(ddp_header *header);
    uint8_t code;
  } faults[] = {{"RV", set_wrong_version, 0x05},
                {"opcode", set_reserved_opcode, 0x06},
                {"T", set_wrong_model, 0x06},
                {"QN", set_wrong_queue, 0x06}};
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    for (size_t i = 0; i < G_N_ELEMENTS(faults) * (PARTS + 1) * 2; i++) {
      size_t wrong = i / 2 % (PARTS + 1);
      size_t fault = i / 2 / (PARTS + 1);
      bool reversed = i & 1;
      if (faults[fault].set == set_wrong_queue && messages[opcode].queue_number == NO_QUEUE) {
        continue;
      }
      g_test_message("%s: %s of segment %zu, reversed %d", messages[opcode].name, faults[fault].what, wrong,
                     reversed);
      g_autoptr(rdmap_target) target = target_for(NULL, opcode);
      forge_in_three(target->kit, opcode, wrong, faults[fault].set);
      for (size_t passed = 0; passed < PARTS; passed++) {
        if (passed <= wrong || reversed) {
          rdmap_kit_assert_log(target->kit, KIT_B, "");
        }
        rdmap_kit_pass(target->kit, KIT_A, reversed ? PARTS - 1 - passed : passed);
      }
      if (wrong == NO_PART) {
        rdmap_kit_assert_log(target->kit, KIT_B, messages[opcode].log);
        g_assert_cmpuint(target->kit->hosts[KIT_B].delivered->len, ==, PARTS);
      } else {
        g_assert_cmpuint(target->kit->hosts[KIT_B].delivered->len, ==, wrong);
        g_assert_cmpuint(target->kit->hosts[KIT_B].placed, ==, reversed ? PARTS - 1 : wrong);
        assert_terminates_for(target->kit, wrong, faults[fault].code);
      }
    }
  }
}

/* RDMAP-052: each of the two Rsv bits, and both. RDMAP-053, RDMAP-055: an Invalidate STag in a message
 * that has none; STags that it names stay as they are. */
TEST(test_ignored_fields)
{
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    for (unsigned bits = 0x10; bits <= 0x30; bits += 0x10) {
      ddp_header header = header_of(opcode);
      header.ulp_control |= (uint8_t)bits;
      if (messages[opcode].invalidate_stag == 0) {
        header.ulp_word = TARGET_READ;
      }
      g_autoptr(rdmap_target) target = received(NULL, &header, opcode);
      g_test_message("%s", messages[opcode].name);
      rdmap_kit_assert_log(target->kit, KIT_B, messages[opcode].log);
      g_assert_cmpint(memcmp(target->memories[0], "\1\2\3\4", 4) == 0, ==, writes(opcode));
      rdmap_target_assert_registered(target, messages[opcode].invalidate_stag);
    }
  }
}

/* One field made wrong, and what DDP says of it (ddp-07/rfc5041 §7.1, §7.2). */
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
    {"a TO in front of the buffer", 0x01, {.tagged_offset = 0xFF}},
    {"a TO with its last octet behind it", 0x01, {.tagged_offset = 0x13D}},
    {"a TO that wraps", 0x03, {.stag = TARGET_TOP, .tagged_offset = UINT64_MAX - 2}},
    {"DV 2", 0x04, {.version = 2}},
    {"DV 3", 0x04, {.version = 3}},
};

static const field_row untagged_fields[] = {
    {"QN 3", 0x01, {.queue_number = 3}},
    {"QN 2^32 - 1", 0x01, {.queue_number = UINT32_MAX}},
    {"an MSN without a buffer", 0x02, {.msn = 4}},
    {"an MSN of the past", 0x03, {.msn = UINT32_MAX}},
    {"an MO behind the buffer", 0x04, {.message_offset = 60}},
    {"an MO far behind it", 0x04, {.message_offset = UINT32_MAX}},
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
 * each opcode is DDP's to validate; RDMAP tells its error in layer 1 (RDMAP-111, RDMAP-024). RDMAP-267,
 * RDMAP-269: the STag of Writes and Read Responses among them, which another Protection Domain or stream
 * has: DDP refuses to Place, RDMAP Terminates. */
TEST(test_fields_of_ddp)
{
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    bool tagged = messages[opcode].queue_number == NO_QUEUE;
    const field_row *fields = tagged ? tagged_fields : untagged_fields;
    size_t count = tagged ? G_N_ELEMENTS(tagged_fields) : G_N_ELEMENTS(untagged_fields);
    for (size_t i = 0; i < count; i++) {
      ddp_header header = with_field(header_of(opcode), &fields[i].header);
      g_test_message("%s with %s", messages[opcode].name, fields[i].what);
      g_autoptr(rdmap_target) target = received(NULL, &header, opcode);
      assert_terminates(target, tagged ? 0x11 : 0x12, fields[i].code);
    }
  }
}

/* RDMAP-237, RDMAP-242: a message longer than its buffer: 16 octets for a Send, 28 for a Read Request, 52
 * for a Terminate. */
TEST(test_too_long)
{
  static const uint32_t lengths[QUEUES] = {16, 28, 52};
  for (size_t opcode = 0; opcode < G_N_ELEMENTS(messages); opcode++) {
    if (messages[opcode].queue_number == NO_QUEUE) {
      continue;
    }
    g_autoptr(rdmap_target) target = rdmap_target_new(NULL);
    ddp_header header = header_of(opcode);
    rdmap_kit_forge(target->kit, KIT_A, &header, NULL, lengths[messages[opcode].queue_number] + 1);
    rdmap_kit_pass(target->kit, KIT_A, 0);
    assert_terminates(target, 0x12, 0x05);
    rdmap_kit_assert_untouched(target->receive, TARGET_RECEIVE_OCTETS);
  }
}

/* A segment of random fields, three times in four near the edges of what is allowed. */
static void forge_hostile(rdmap_kit *kit, random_stream *random)
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
  rdmap_kit_forge(kit, KIT_A, &header, NULL, (uint32_t)random_stream_below(random, near ? 30 : 60));
}

/* RDMAP-249: whatever comes, no octet outside the rights changes: neither an STag that may not be written,
 * nor a guard around any buffer (rdmap_kit_free()). */
TEST(test_hostile_headers)
{
  static const size_t unwritable[] = {1, 2, 4, 6}; /* READ, FOREIGN, OTHER_STREAM, NONE */
  enum { ROUNDS = 2000, SEGMENTS = 20, SEED = 2026 };
  g_autoptr(random_stream) random = random_stream_new(SEED, "test_rdmap_checks");
  size_t placed = 0;
  size_t terminated = 0;
  for (unsigned round = 0; round < ROUNDS; round++) {
    g_autoptr(rdmap_target) target = rdmap_target_new(NULL);
    g_test_message("seed %u round %u", SEED, round);
    for (unsigned i = 0; i < SEGMENTS; i++) {
      forge_hostile(target->kit, random);
    }
    rdmap_kit_pass_rest(target->kit, KIT_A);
    for (size_t i = 0; i < G_N_ELEMENTS(unwritable); i++) {
      g_assert_cmpmem(target->memories[unwritable[i]], TARGET_OCTETS, target->before[unwritable[i]],
                      TARGET_OCTETS);
    }
    placed += target->kit->hosts[KIT_B].placed;
    terminated += target->kit->hosts[KIT_B].stream->is_terminated;
  }
  /* The test has teeth: both happen, and often. */
  g_assert_cmpuint(placed, >, 2 * ROUNDS);
  g_assert_cmpuint(terminated, >, ROUNDS / 2);
}
