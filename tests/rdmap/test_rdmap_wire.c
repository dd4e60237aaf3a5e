/* SPDX-License-Identifier: GPL-2.0-only */
/* What each operation looks like on the wire, to the octet: rdmap-00 §6.1 … §6.8, and the drawings of
 * §12.1. */
#include "rdmap_kit.h"
#include "test.h"

#include "base/big_endian.h"
#include "base/random_stream.h"
#include "stack_cleanup.h"

/* Payload 01 02 03 of every message. */
static const uint8_t payload[] = {1, 2, 3};

enum { SINK_STAG = 0x5A000001, SOURCE_STAG = 0x5B000002 };

static const uint64_t sink_base = UINT64_C(0x1000000000000020);
static const uint64_t source_base = UINT64_C(0x2000000000000040);

static void register_as(rdmap_kit *kit, unsigned side, uint32_t stag, uint8_t *memory, uint64_t base,
                        unsigned access)
{
  ddp_registration registration = {.memory = memory,
                                   .base = base,
                                   .length = 16,
                                   .access = access,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = {.stream_id = 0, .protection_domain = 7},
                                   .is_remotely_invalidatable = true};
  g_assert_true(ddp_stag_table_register_as(kit->hosts[side].stags, stag, &registration));
}

/* A reads 3 octets at source_base + 1 from B, to sink_base + 2. */
static rdmap_kit *kit_with_stags(iwarp_generation generation)
{
  rdmap_config a = rdmap_kit_config(KIT_A);
  rdmap_config b = rdmap_kit_config(KIT_B);
  a.generation = generation;
  b.generation = generation;
  rdmap_kit *kit = rdmap_kit_new(&a, &b);
  register_as(kit, KIT_A, SINK_STAG, rdmap_kit_memory(kit, KIT_A, 16), sink_base, DDP_ACCESS_REMOTE_WRITE);
  uint8_t *source = rdmap_kit_pattern(kit, KIT_B, 16, 0);
  memcpy(source + 1, payload, sizeof payload);
  register_as(kit, KIT_B, SOURCE_STAG, source, source_base, DDP_ACCESS_REMOTE_READ);
  return kit;
}

static void post(rdmap_kit *kit, rdmap_operation operation, uint32_t remote_stag, uint64_t remote_offset)
{
  g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = operation, .length = sizeof payload,
                               .source_user = operation == RDMAP_OPERATION_READ ? NULL : (void *)payload,
                               .remote_stag = remote_stag, .remote_offset = remote_offset,
                               .local_stag = SINK_STAG, .local_offset = sink_base + 2));
}

/* All six operations of the ULP, in one stream (RDMAP-027). */
static void post_all(rdmap_kit *kit)
{
  post(kit, RDMAP_OPERATION_WRITE, 0xAABBCCDD, UINT64_C(0x0102030405060708));
  post(kit, RDMAP_OPERATION_READ, SOURCE_STAG, source_base + 1);
  post(kit, RDMAP_OPERATION_SEND, 0x0BADCAFE, 0); /* not to be seen */
  post(kit, RDMAP_OPERATION_SEND_INVALIDATE, 0x11223344, 0);
  post(kit, RDMAP_OPERATION_SEND_SE, 0x0BADCAFE, 0);
  post(kit, RDMAP_OPERATION_SEND_SE_INVALIDATE, 0x55667788, 0);
}

/* RDMAP-040, RDMAP-042, RDMAP-043, RDMAP-044, RDMAP-045, RDMAP-046, RDMAP-051, RDMAP-065: DDP Control, RDMAP
 * Control (RV 01, 00, opcode), then STag and TO of a tagged one (RDMAP-056, RDMAP-276), or the Invalidate
 * STag, QN, MSN and MO of an untagged one (RDMAP-057, RDMAP-059, RDMAP-060, RDMAP-061, RDMAP-062, RDMAP-277,
 * RDMAP-279, RDMAP-280); RDMAP-054: 0 where there is none to invalidate. RDMAP-021, RDMAP-023: RDMAP's octets
 * in the header are one in a tagged segment and five in an untagged one. Each Send type takes the next MSN of
 * QN 0. */
TEST(test_operations_of_the_ietf)
{
  g_autoptr(rdmap_kit) kit = kit_with_stags(IWARP_IETF);
  post_all(kit);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 6);
  rdmap_kit_assert_sent(kit, KIT_A, 0, "C1 40 AABBCCDD 0102030405060708 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 1,
                        "41 41 00000000 00000001 00000001 00000000"
                        "5A000001 1000000000000022 00000003 5B000002 2000000000000041");
  rdmap_kit_assert_sent(kit, KIT_A, 2, "41 43 00000000 00000000 00000001 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 3, "41 44 11223344 00000000 00000002 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 4, "41 45 00000000 00000000 00000003 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 5, "41 46 55667788 00000000 00000004 00000000 010203");
}

/* RDMAP-068: every Read Request, the first and each further one, for nothing and for the most, fenced or not,
 * in each generation, has 18 octets of DDP's header and 28 of its own directly after: SinkSTag, SinkTO, size,
 * SrcSTag, SrcTO as posted. */
TEST(test_every_read_request)
{
  enum { READS = 200, SEED = 68 };
  static const uint32_t lengths[] = {0, 1, 256, 65536, UINT32_C(1) << 31, UINT32_MAX};
  g_autoptr(random_stream) random = random_stream_new(SEED, "test_rdmap_wire");
  for (iwarp_generation generation = 0; generation < IWARP_GENERATIONS; generation++) {
    rdmap_config a = rdmap_kit_config(KIT_A);
    a.generation = generation;
    a.ord = READS;
    g_autoptr(rdmap_kit) kit = rdmap_kit_new(&a, NULL);
    for (uint32_t i = 0; i < READS; i++) {
      rdmap_work work = {.id = i,
                         .operation = RDMAP_OPERATION_READ,
                         .length =
                             i < G_N_ELEMENTS(lengths) ? lengths[i] : (uint32_t)random_stream_next(random),
                         .local_stag = (uint32_t)random_stream_next(random),
                         .local_offset = random_stream_next(random),
                         .remote_stag = (uint32_t)random_stream_next(random),
                         .remote_offset = random_stream_next(random),
                         .fence = i == 0};
      g_assert_true(rdmap_kit_post_work(kit, KIT_A, work));
      g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 1);
      const kit_ulpdu *sent = rdmap_kit_sent(kit, KIT_A, i);
      g_assert_cmpuint(sent->length, ==, 18 + 28);
      g_assert_cmpuint(big_endian_read_32(sent->octets + 6), ==, 1);      /* QN */
      g_assert_cmpuint(big_endian_read_32(sent->octets + 10), ==, i + 1); /* MSN */
      g_assert_cmpuint(big_endian_read_32(sent->octets + 14), ==, 0);     /* MO */
      g_assert_cmphex(big_endian_read_32(sent->octets + 18), ==, work.local_stag);
      g_assert_cmphex(big_endian_read_64(sent->octets + 22), ==, work.local_offset);
      g_assert_cmphex(big_endian_read_32(sent->octets + 30), ==, work.length);
      g_assert_cmphex(big_endian_read_32(sent->octets + 34), ==, work.remote_stag);
      g_assert_cmphex(big_endian_read_64(sent->octets + 38), ==, work.remote_offset);
    }
  }
}

/* RDMAP-047, RDMAP-067: the same with DV 0 and RV 0: C0 00, 40 01, 40 03 … */
TEST(test_operations_of_the_consortium)
{
  g_autoptr(rdmap_kit) kit = kit_with_stags(IWARP_RDMAC);
  post_all(kit);
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, 6);
  rdmap_kit_assert_sent(kit, KIT_A, 0, "C0 00 AABBCCDD 0102030405060708 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 1,
                        "40 01 00000000 00000001 00000001 00000000"
                        "5A000001 1000000000000022 00000003 5B000002 2000000000000041");
  rdmap_kit_assert_sent(kit, KIT_A, 2, "40 03 00000000 00000000 00000001 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 3, "40 04 11223344 00000000 00000002 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 4, "40 05 00000000 00000000 00000003 00000000 010203");
  rdmap_kit_assert_sent(kit, KIT_A, 5, "40 06 55667788 00000000 00000004 00000000 010203");
}

/* RDMAP-058, RDMAP-070, RDMAP-071, RDMAP-278: SinkSTag and SinkTO of the request come back as STag and TO,
 * with no header in front of the payload; SrcTO and size name the octets (RDMAP-074, RDMAP-076). */
TEST(test_read_response)
{
  static const struct {
    iwarp_generation generation;
    const char *response;
  } cases[] = {
      {IWARP_RDMAC, "C0 02 5A000001 1000000000000022 010203"},
      {IWARP_IETF, "C1 42 5A000001 1000000000000022 010203"},
      {IWARP_RFC, "C1 42 5A000001 1000000000000022 010203"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(rdmap_kit) kit = kit_with_stags(cases[i].generation);
    post(kit, RDMAP_OPERATION_READ, SOURCE_STAG, source_base + 1);
    rdmap_kit_run(kit);
    rdmap_kit_assert_sent(kit, KIT_B, 0, cases[i].response);
    g_assert_cmpuint(kit->hosts[KIT_B].sent->len, ==, 1);
    rdmap_kit_assert_log(kit, KIT_A, "completed 0");
    rdmap_kit_assert_log(kit, KIT_B, "");
  }
}

/* RDMAP-070: the Data Source does not look at SinkSTag or SinkTO, whatever they are. */
TEST(test_sink_of_a_read_is_copied_blindly)
{
  static const char *const sinks[] = {"00000000 0000000000000000", "FFFFFFFF FFFFFFFFFFFFFFFF",
                                      "00000100 7FFFFFFFFFFFFFFF", "5B000002 2000000000000040"};
  for (size_t i = 0; i < G_N_ELEMENTS(sinks); i++) {
    g_autoptr(rdmap_kit) kit = kit_with_stags(IWARP_IETF);
    g_autofree char *request = g_strdup_printf("41 41 00000000 00000001 00000001 00000000"
                                               "%s 00000003 5B000002 2000000000000041",
                                               sinks[i]);
    g_autofree char *response = g_strdup_printf("C1 42 %s 010203", sinks[i]);
    rdmap_kit_forge_hex(kit, KIT_A, request);
    rdmap_kit_pass(kit, KIT_A, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
    rdmap_kit_assert_sent(kit, KIT_B, 0, response);
    rdmap_kit_assert_log(kit, KIT_B, "");
  }
}

/* RDMAP-063, RDMAP-077, RDMAP-281: a Terminate on QN 2 with MSN 1 and an Invalidate STag of 0 (RDMAP-054),
 * its header directly after: here 4 + 2 + 14 octets, about a tagged segment of DV 2. */
TEST(test_terminate)
{
  static const struct {
    iwarp_generation generation;
    const char *terminate;
  } cases[] = {
      {IWARP_RDMAC, "40 07 00000000 00000002 00000001 00000000"
                    "11 04 C000 0011 C2 40 AABBCCDD 0102030405060708"},
      {IWARP_IETF, "41 47 00000000 00000002 00000001 00000000"
                   "11 04 C000 0011 C2 40 AABBCCDD 0102030405060708"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(rdmap_kit) kit = kit_with_stags(cases[i].generation);
    rdmap_kit_forge_hex(kit, KIT_A, "C2 40 AABBCCDD 0102030405060708 010203");
    rdmap_kit_pass(kit, KIT_A, 0);
    g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_B), ==, 1);
    rdmap_kit_assert_sent(kit, KIT_B, 0, cases[i].terminate);
  }
}

/* RDMAP-016, RDMAP-018, RDMAP-039: messages longer than a segment are DDP's to cut: the control octets are
 * in each segment, L in the last alone, TO and MO go on where the segment before ended; no header of
 * RDMAP's own stands anywhere. MULPDU 114: 100 octets tagged, 96 untagged. */
TEST(test_longer_messages_are_segmented)
{
  g_autoptr(rdmap_kit) kit = kit_with_stags(IWARP_IETF);
  uint8_t *octets = rdmap_kit_pattern(kit, KIT_A, 250, 1);
  static const struct {
    const char *header;
    uint32_t header_octets;
    uint32_t from;
    uint32_t length;
  } segments[] = {
      {"81 40 AABBCCDD 0000000000001000", 14, 0, 100},
      {"81 40 AABBCCDD 0000000000001064", 14, 100, 100},
      {"C1 40 AABBCCDD 00000000000010C8", 14, 200, 50},
      {"01 46 11223344 00000000 00000001 00000000", 18, 0, 96},
      {"01 46 11223344 00000000 00000001 00000060", 18, 96, 96},
      {"41 46 11223344 00000000 00000001 000000C0", 18, 192, 58},
  };
  g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_WRITE, .length = 250,
                               .source_user = octets, .remote_stag = 0xAABBCCDD, .remote_offset = 0x1000));
  g_assert_true(rdmap_kit_post(kit, KIT_A, .operation = RDMAP_OPERATION_SEND_SE_INVALIDATE, .length = 250,
                               .source_user = octets, .remote_stag = 0x11223344));
  g_assert_cmpuint(rdmap_kit_pull_all(kit, KIT_A), ==, G_N_ELEMENTS(segments));
  for (size_t i = 0; i < G_N_ELEMENTS(segments); i++) {
    const kit_ulpdu *sent = rdmap_kit_sent(kit, KIT_A, i);
    rdmap_kit_assert_octets(sent->octets, segments[i].header_octets, segments[i].header);
    g_assert_cmpmem(sent->octets + segments[i].header_octets, sent->length - segments[i].header_octets,
                    octets + segments[i].from, segments[i].length);
  }
}

/* The next `count` ULPDUs of `side`, and no more, have this T bit and opcode, and only the last of them has
 * L. */
static void assert_segments(rdmap_kit *kit, unsigned side, bool tagged, uint8_t opcode, size_t count)
{
  size_t first = kit->hosts[side].sent->len;
  g_assert_cmpuint(rdmap_kit_pull_all(kit, side), ==, count);
  for (size_t i = 0; i < count; i++) {
    const kit_ulpdu *sent = rdmap_kit_sent(kit, side, first + i);
    g_assert_cmphex(sent->octets[0], ==, (tagged ? 0x81 : 0x01) | (i + 1 < count ? 0 : 0x40));
    g_assert_cmphex(sent->octets[1], ==, 0x40 | opcode);
  }
}

/* RDMAP-043, RDMAP-046: T and opcode are those of the table in every segment of every message. MULPDU 19
 * leaves 5 octets of payload to a tagged segment, 1 to an untagged one: 12 octets are 3 segments or 12, a
 * Read Request 28, a Terminate without copies 4. */
TEST(test_every_segment_of_every_message)
{
  static const uint8_t octets[12];
  static const struct {
    rdmap_operation operation;
    bool tagged;
    uint8_t opcode;
    size_t segments;
  } rows[] = {{RDMAP_OPERATION_WRITE, true, 0, 3},     {RDMAP_OPERATION_READ, false, 1, 28},
              {RDMAP_OPERATION_SEND, false, 3, 12},    {RDMAP_OPERATION_SEND_INVALIDATE, false, 4, 12},
              {RDMAP_OPERATION_SEND_SE, false, 5, 12}, {RDMAP_OPERATION_SEND_SE_INVALIDATE, false, 6, 12}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(rdmap_kit) kit = kit_with_stags(IWARP_IETF);
    kit->mulpdu_octets = 19;
    g_assert_true(
        rdmap_kit_post(kit, KIT_A, .operation = rows[i].operation, .length = sizeof octets,
                       .source_user = rows[i].operation == RDMAP_OPERATION_READ ? NULL : (void *)octets,
                       .remote_stag = SOURCE_STAG, .remote_offset = source_base, .local_stag = SINK_STAG,
                       .local_offset = sink_base));
    assert_segments(kit, KIT_A, rows[i].tagged, rows[i].opcode, rows[i].segments);
    if (rows[i].operation == RDMAP_OPERATION_READ) {
      rdmap_kit_pass_rest(kit, KIT_A);
      assert_segments(kit, KIT_B, true, 2, 3);
      rdmap_stream_fail(kit->hosts[KIT_B].stream, (rdmap_error){0, 2, 7}, kit->now);
      assert_segments(kit, KIT_B, false, 7, 4);
    }
  }
}
