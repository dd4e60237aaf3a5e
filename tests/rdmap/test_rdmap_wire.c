/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what each operation looks like on the wire, to the octet: rdmap-00 §6.1 … §6.8, and the
 * drawings of §12.1. */
#include "base/random_stream.h"
#include "rdmap_fixture.h"

/* Payload 01 02 03 of every message. */
static const uint8_t payload[] = {1, 2, 3};

enum { SINK_STAG = 0x5A000001, SOURCE_STAG = 0x5B000002 };

static const uint64_t sink_base = UINT64_C(0x1000000000000020);
static const uint64_t source_base = UINT64_C(0x2000000000000040);

/* A reads 3 octets at source_base + 1 from B, to sink_base + 2. */
static rdmap_fixture *fixture_of(iwarp_generation generation)
{
  rdmap_fixture *f = rdmap_fixture_new(A_WITH(.generation = generation), B_WITH(.generation = generation));
  uint8_t *source = new_pattern(f->b, 16, 0);
  memcpy(source + 1, payload, sizeof payload);
  ddp_registration registration = {.memory = source,
                                   .base = source_base,
                                   .length = 16,
                                   .access = DDP_ACCESS_REMOTE_READ,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner = {.protection_domain = PD}};
  register_as(f->b, SOURCE_STAG, registration);
  register_as(f->a, SINK_STAG,
              WITH(ddp_registration, registration, .memory = new_memory(f->a, 16), .base = sink_base,
                   .access = DDP_ACCESS_REMOTE_WRITE));
  return f;
}

static void post_payload(rdmap_fixture *f, rdmap_opcode operation, uint32_t remote_stag,
                         uint64_t remote_offset)
{
  post(f->a, .operation = operation, .length = sizeof payload,
       .source_user = operation == RDMAP_READ_REQUEST ? NULL : (void *)payload, .remote_stag = remote_stag,
       .remote_offset = remote_offset, .local_stag = SINK_STAG, .local_offset = sink_base + 2);
}

/* All six operations of the ULP, in one stream (RDMAP-027), are on the wire as `expected`. */
static void check_operations(iwarp_generation generation, const char *const expected[])
{
  g_autoptr(rdmap_fixture) f = fixture_of(generation);
  post_payload(f, RDMAP_WRITE, 0xAABBCCDD, UINT64_C(0x0102030405060708));
  post_payload(f, RDMAP_READ_REQUEST, SOURCE_STAG, source_base + 1);
  post_payload(f, RDMAP_SEND, 0x0BADCAFE, 0); /* not to be seen */
  post_payload(f, RDMAP_SEND_INVALIDATE, 0x11223344, 0);
  post_payload(f, RDMAP_SEND_SE, 0x0BADCAFE, 0);
  post_payload(f, RDMAP_SEND_SE_INVALIDATE, 0x55667788, 0);
  g_assert_cmpuint(pull_all(f->a), ==, RDMAP_FIXTURE_OPERATIONS);
  for (size_t i = 0; i < RDMAP_FIXTURE_OPERATIONS; i++) {
    assert_sent(f->a, i, expected[i]);
  }
}

/* RDMAP-040, RDMAP-042, RDMAP-043, RDMAP-044, RDMAP-045, RDMAP-046, RDMAP-051, RDMAP-065: DDP Control, RDMAP
 * Control (RV 01, 00, opcode), then STag and TO of a tagged one (RDMAP-056, RDMAP-276), or the Invalidate
 * STag, QN, MSN and MO of an untagged one (RDMAP-057, RDMAP-059, RDMAP-060, RDMAP-061, RDMAP-062, RDMAP-277,
 * RDMAP-279, RDMAP-280); RDMAP-054, RDMAP-163: 0 where there is none to invalidate, whatever the ULP left in
 * its field. RDMAP-021, RDMAP-023: RDMAP's octets in the header are one in a tagged segment and five in an
 * untagged one. RDMAP-152, RDMAP-159, RDMAP-160: each Send type has T clear and takes the next MSN of QN
 * 0. */
TEST(test_operations_of_the_ietf)
{
  static const char *const expected[] = {
      "C1 40 AABBCCDD 0102030405060708 010203",
      ("41 41 00000000 00000001 00000001 00000000"
       "5A000001 1000000000000022 00000003 5B000002 2000000000000041"),
      "41 43 00000000 00000000 00000001 00000000 010203",
      "41 44 11223344 00000000 00000002 00000000 010203",
      "41 45 00000000 00000000 00000003 00000000 010203",
      "41 46 55667788 00000000 00000004 00000000 010203",
  };
  check_operations(IWARP_IETF, expected);
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
    g_autoptr(rdmap_fixture) f = rdmap_fixture_new(A_WITH(.generation = generation, .ord = READS), NULL);
    for (uint32_t i = 0; i < READS; i++) {
      rdmap_work work = {.id = i,
                         .operation = RDMAP_READ_REQUEST,
                         .length =
                             i < G_N_ELEMENTS(lengths) ? lengths[i] : (uint32_t)random_stream_next(random),
                         .local_stag = (uint32_t)random_stream_next(random),
                         .local_offset = random_stream_next(random),
                         .remote_stag = (uint32_t)random_stream_next(random),
                         .remote_offset = random_stream_next(random),
                         .fence = i == 0};
      g_assert_true(try_post(f->a, work));
      g_assert_cmpuint(pull_all(f->a), ==, 1);
      const sent_ulpdu *sent = nth_sent(f->a, i);
      g_assert_cmpuint(sent->length, ==, 18 + 28);
      /* after QN, MSN and MO */
      g_autofree char *expected = g_strdup_printf(
          "00000001 %08X 00000000 %08X %016" G_GINT64_MODIFIER "X %08X %08X %016" G_GINT64_MODIFIER "X",
          i + 1, work.local_stag, work.local_offset, work.length, work.remote_stag, work.remote_offset);
      assert_octets(sent->octets + 6, 12 + 28, expected);
    }
  }
}

/* RDMAP-047, RDMAP-067: the same with DV 0 and RV 0: C0 00, 40 01, 40 03 … */
TEST(test_operations_of_the_consortium)
{
  static const char *const expected[] = {
      "C0 00 AABBCCDD 0102030405060708 010203",
      ("40 01 00000000 00000001 00000001 00000000"
       "5A000001 1000000000000022 00000003 5B000002 2000000000000041"),
      "40 03 00000000 00000000 00000001 00000000 010203",
      "40 04 11223344 00000000 00000002 00000000 010203",
      "40 05 00000000 00000000 00000003 00000000 010203",
      "40 06 55667788 00000000 00000004 00000000 010203",
  };
  check_operations(IWARP_RDMAC, expected);
}

/* RDMAP-058, RDMAP-070, RDMAP-071, RDMAP-278: SinkSTag and SinkTO of the request come back as STag and TO,
 * with no header before the payload; SrcTO and size name the octets (RDMAP-074, RDMAP-076). */
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
    g_autoptr(rdmap_fixture) f = fixture_of(cases[i].generation);
    post_payload(f, RDMAP_READ_REQUEST, SOURCE_STAG, source_base + 1);
    exchange(f);
    assert_sent(f->b, 0, cases[i].response);
    g_assert_cmpuint(f->b->sent->len, ==, 1);
    assert_log(f->a, "completed 0");
    assert_log(f->b, "");
  }
}

/* RDMAP-063, RDMAP-077, RDMAP-281: a Terminate of rdmac on QN 2 with MSN 1 and an Invalidate STag of 0
 * (RDMAP-054), its header directly after: here 4 + 2 + 14 octets, about a tagged segment of DV 2. Those of
 * ietf: test_rdmap_value_table. */
TEST(test_terminate_of_the_consortium)
{
  g_autoptr(rdmap_fixture) f = fixture_of(IWARP_RDMAC);
  receive_hex(f, "C2 40 AABBCCDD 0102030405060708 010203");
  g_assert_cmpuint(pull_all(f->b), ==, 1);
  assert_sent(f->b, 0,
              "40 07 00000000 00000002 00000001 00000000 11 04 C000 0011 C2 40 AABBCCDD 0102030405060708");
}

/* RDMAP-016, RDMAP-018, RDMAP-039: messages longer than a segment are DDP's to cut: the control octets are
 * in each segment, L in the last alone, TO and MO go on where the segment before ended; no header of
 * RDMAP's own stands anywhere. MULPDU 114: 100 octets tagged, 96 untagged. */
TEST(test_longer_messages_are_segmented)
{
  g_autoptr(rdmap_fixture) f = fixture_of(IWARP_IETF);
  uint8_t *octets = new_pattern(f->a, 250, 1);
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
  post(f->a, .operation = RDMAP_WRITE, .length = 250, .source_user = octets, .remote_stag = 0xAABBCCDD,
       .remote_offset = 0x1000);
  post(f->a, .operation = RDMAP_SEND_SE_INVALIDATE, .length = 250, .source_user = octets,
       .remote_stag = 0x11223344);
  g_assert_cmpuint(pull_all(f->a), ==, G_N_ELEMENTS(segments));
  for (size_t i = 0; i < G_N_ELEMENTS(segments); i++) {
    const sent_ulpdu *sent = nth_sent(f->a, i);
    assert_octets(sent->octets, segments[i].header_octets, segments[i].header);
    g_assert_cmpmem(sent->octets + segments[i].header_octets, sent->length - segments[i].header_octets,
                    octets + segments[i].from, segments[i].length);
  }
}
