/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "rdmap/rdmap_terminate.h"
#include "test.h"

/* Headers of failing segments, with all reserved bits set: DDP Control's four and RDMAP Control's two. */
static const uint8_t tagged_header[14] = {0xFD, 0x70, 0xA0, 0xA1, 0xA2, 0xA3, 0xB0,
                                          0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7};
static const uint8_t untagged_header[18] = {0x7D, 0x71, 0xC0, 0xC1, 0xC2, 0xC3, 0xD0, 0xD1, 0xD2,
                                            0xD3, 0xE0, 0xE1, 0xE2, 0xE3, 0xF0, 0xF1, 0xF2, 0xF3};
static const rdmap_read_request request = {.sink_stag = 0x01020304,
                                           .sink_offset = UINT64_C(0x1112131415161718),
                                           .length = 0x21222324,
                                           .source_stag = 0x31323334,
                                           .source_offset = UINT64_C(0x4142434445464748)};
static const uint8_t request_wire[28] = {0x01, 0x02, 0x03, 0x04, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16,
                                         0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x31, 0x32, 0x33, 0x34,
                                         0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48};

enum { SEGMENT_OCTETS = 0x1234 };

/* Composes and encodes; what lies after the message stays 0xEE. */
static size_t compose(rdmap_error error, const rdmap_terminate_subject *subject, uint8_t wire[64])
{
  rdmap_terminate terminate;
  memset(&terminate, 0xEE, sizeof terminate);
  rdmap_terminate_compose(&terminate, error, subject);
  memset(wire, 0xEE, 64);
  size_t octets = rdmap_terminate_encode(&terminate, wire);
  g_assert_cmpuint(octets, <=, RDMAP_TERMINATE_MAX_OCTETS);
  for (size_t i = octets; i < 64; i++) {
    g_assert_cmphex(wire[i], ==, 0xEE);
  }
  return octets;
}

/* RDMAP-078, RDMAP-079, RDMAP-080, RDMAP-083: layer 0xF0 and type 0x0F of the first octet, then the code,
 * then M 0x80, D 0x40, R 0x20 and 13 zeros (masks 0xF0000000, 0x0F000000, 0x00FF0000, 0x8000, 0x4000,
 * 0x2000, RDMAP-081 0x1FFF). Sizes: 4; 4 + 2 + 14; 4 + 2 + 18; 4 + 2 + 18 + 28. RDMAP-089, RDMAP-091,
 * RDMAP-093: the length at octet 4, the header of 14 or 18 at 6, the request of 28 after that of 18. */
TEST(test_golden_octets)
{
  uint8_t wire[64];
  rdmap_terminate_subject subject = {
      .header_wire = tagged_header, .header_octets = 14, .segment_octets = SEGMENT_OCTETS};

  g_assert_cmpuint(compose((rdmap_error){2, 0, 0x03}, NULL, wire), ==, 4);
  g_assert_cmpmem(wire, 4, "\x20\x03\x00\x00", 4);

  g_assert_cmpuint(compose((rdmap_error){1, 1, 0x04}, &subject, wire), ==, 20);
  g_assert_cmpmem(wire, 6, "\x11\x04\xC0\x00\x12\x34", 6);
  g_assert_cmpmem(wire + 6, 14, tagged_header, 14);

  subject.header_wire = untagged_header;
  subject.header_octets = 18;
  g_assert_cmpuint(compose((rdmap_error){0, 2, 0xFF}, &subject, wire), ==, 24);
  g_assert_cmpmem(wire, 6, "\x02\xFF\xC0\x00\x12\x34", 6);
  g_assert_cmpmem(wire + 6, 18, untagged_header, 18);

  subject.request = &request;
  g_assert_cmpuint(compose((rdmap_error){0, 1, 0x09}, &subject, wire), ==, 52);
  g_assert_cmpmem(wire, 6, "\x01\x09\xE0\x00\x12\x34", 6);
  g_assert_cmpmem(wire + 6, 18, untagged_header, 18);
  g_assert_cmpmem(wire + 24, 28, request_wire, 28);
}

/* The rows of rdmap-00 §6.8 fig. 10: which flags a Terminate has that could have them all. */
typedef struct inclusion {
  const char *rows;
  uint8_t layer;
  uint8_t type;
  uint8_t flags; /* M 0x80, D 0x40, R 0x20 */
} inclusion;

static const inclusion inclusions[] = {
    {"RDMAP-092, RDMAP-115: RDMA Local Catastrophic", 0, 0, 0x00},
    {"RDMAP-116: RDMA Remote Protection", 0, 1, 0xE0},
    {"RDMAP-117: RDMA Remote Operation", 0, 2, 0xC0},
    {"RDMAP-118: DDP, tagged", 1, 1, 0xC0},
    {"RDMAP-118: DDP, untagged (a Read Request)", 1, 2, 0xC0},
    {"RDMAP-119: MPA", 2, 0, 0x00},
};

/* RDMAP-087, and the flags with less to copy: R only of a Read Request (RDMAP-094), none without a header
 * (note D44). */
TEST(test_inclusion)
{
  rdmap_terminate_subject whole = {untagged_header, 18, SEGMENT_OCTETS, &request};
  rdmap_terminate_subject no_request = {untagged_header, 18, SEGMENT_OCTETS, NULL};
  rdmap_terminate_subject no_header = {NULL, 0, 0, &request};
  for (size_t i = 0; i < G_N_ELEMENTS(inclusions); i++) {
    rdmap_error error = {inclusions[i].layer, inclusions[i].type, 0x00};
    uint8_t wire[64];
    g_test_message("%s", inclusions[i].rows);
    compose(error, &whole, wire);
    g_assert_cmphex(wire[2], ==, inclusions[i].flags);
    compose(error, &no_request, wire);
    g_assert_cmphex(wire[2], ==, inclusions[i].flags & 0xC0);
    g_assert_cmpuint(compose(error, &no_header, wire), ==, 4);
    g_assert_cmphex(wire[2], ==, 0);
    g_assert_cmpuint(compose(error, NULL, wire), ==, 4);
  }
}

/* The greatest ULPDU that ULPDU_Length can express. */
TEST(test_largest_segment)
{
  uint8_t wire[64];
  compose((rdmap_error){1, 1, 0}, &(rdmap_terminate_subject){tagged_header, 14, 65535, NULL}, wire);
  g_assert_cmphex(wire[4], ==, 0xFF);
  g_assert_cmphex(wire[5], ==, 0xFF);
}

/* A Terminate of 52 octets, all parts in it, with `flags`. */
static void fill(uint8_t wire[52], uint8_t flags)
{
  memcpy(wire, "\x01\x02\x00\x00\x12\x34", 6);
  wire[2] = flags;
  memcpy(wire + 6, untagged_header, 18);
  memcpy(wire + 24, request_wire, 28);
}

static void assert_request(const rdmap_terminate *terminate)
{
  uint8_t wire[RDMAP_READ_REQUEST_OCTETS];
  rdmap_read_request_encode(&terminate->request, wire);
  g_assert_cmpmem(wire, sizeof wire, request_wire, sizeof request_wire);
}

TEST(test_decode_whole)
{
  uint8_t wire[52];
  rdmap_terminate terminate;
  fill(wire, 0xE0);
  memset(&terminate, 0xEE, sizeof terminate);
  g_assert_true(rdmap_terminate_decode(&terminate, wire, 52));
  EXPECT_FIELDS(&terminate.error, (layer, 0), (type, 1), (code, 2));
  g_assert_true(terminate.has_segment);
  g_assert_cmphex(terminate.segment_octets, ==, 0x1234);
  g_assert_cmpmem(terminate.header_wire, 18, untagged_header, 18);
  g_assert_false(terminate.header.tagged);
  g_assert_cmphex(terminate.header.msn, ==, 0xE0E1E2E3);
  g_assert_true(terminate.has_request);
  assert_request(&terminate);
}

/* Every layer, type and code is read as it is, of the table or not: the ULP is to learn of it. */
TEST(test_decode_any_error)
{
  for (unsigned all = 0; all < 1u << 16; all++) {
    uint8_t wire[4] = {(uint8_t)(all >> 8), (uint8_t)all, 0, 0};
    rdmap_terminate terminate;
    g_assert_true(rdmap_terminate_decode(&terminate, wire, 4));
    EXPECT_FIELDS(&terminate.error, (layer, all >> 12), (type, all >> 8 & 15), (code, all & 255));
    g_assert_false(terminate.has_segment);
    g_assert_false(terminate.has_request);
  }
}

/* A peer that sets other flags than this end ever does, all its octets there: what is not flagged is not
 * read (rdmap-00 §9.1 case 1 sets it to zero), M alone and R alone have no place (RDMAP-089,
 * note D43). RDMAP-088: without M there is no length. RDMAP-084, RDMAP-082, note D42: each of the 13 reserved
 * bits makes no difference; with all flags all else is read, for it encodes to the same again. */
TEST(test_decode_flags)
{
  enum { RESERVED_BITS = 13 };
  static const struct {
    uint8_t flags;
    bool has_segment;
    uint16_t segment_octets;
    bool has_request;
  } cases[] = {
      {0x00, false, 0, false}, {0x80, false, 0, false},    {0x20, false, 0, false},
      {0xA0, false, 0, false}, {0x40, true, 0, false},     {0xC0, true, 0x1234, false},
      {0x60, true, 0, true},   {0xE0, true, 0x1234, true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    for (unsigned bit = 0; bit <= RESERVED_BITS; bit++) { /* the last sets none */
      uint8_t plain[52], wire[52], again[RDMAP_TERMINATE_MAX_OCTETS];
      unsigned set = bit < RESERVED_BITS ? 1u << bit : 0;
      rdmap_terminate terminate;
      g_test_message("flags 0x%02X, reserved 0x%04X", cases[i].flags, set);
      fill(plain, cases[i].flags);
      fill(wire, cases[i].flags);
      wire[2] |= (uint8_t)(set >> 8);
      wire[3] |= (uint8_t)set;
      g_assert_true(rdmap_terminate_decode(&terminate, wire, 52));
      EXPECT_FIELDS(&terminate, (has_segment, cases[i].has_segment),
                    (segment_octets, cases[i].segment_octets), (has_request, cases[i].has_request));
      if (cases[i].has_request) {
        assert_request(&terminate);
      }
      if (cases[i].flags == 0xE0) {
        g_assert_cmpmem(again, rdmap_terminate_encode(&terminate, again), plain, 52);
      }
    }
  }
}

/* RDMAP-091: the size of the copied header follows its own T bit, so here the request is sought at 20.
 * Octets after the flagged parts do not matter. */
TEST(test_decode_tagged_header)
{
  uint8_t wire[64] = {0x11, 0x04, 0xC0, 0x00, 0x12, 0x34};
  rdmap_terminate terminate;
  memcpy(wire + 6, tagged_header, 14);
  g_assert_true(rdmap_terminate_decode(&terminate, wire, 64));
  g_assert_true(terminate.has_segment);
  g_assert_true(terminate.header.tagged);
  g_assert_cmphex(terminate.header.stag, ==, 0xA0A1A2A3);
  g_assert_cmphex(terminate.header.tagged_offset, ==, UINT64_C(0xB0B1B2B3B4B5B6B7));
  g_assert_false(terminate.has_request);
  wire[2] = 0xE0;
  memcpy(wire + 20, request_wire, 28);
  for (size_t length = 48; length <= 64; length += 16) {
    g_assert_true(rdmap_terminate_decode(&terminate, wire, length));
    g_assert_true(terminate.has_request);
    assert_request(&terminate);
  }
}

/* Cut anywhere: what does not fit is left out, nothing after the end is read (each in memory of its own
 * length, for ASan). */
TEST(test_decode_truncated)
{
  for (size_t length = 0; length <= 52; length++) {
    uint8_t whole[52];
    fill(whole, 0xE0);
    g_autofree uint8_t *wire = g_memdup2(whole, length);
    rdmap_terminate terminate;
    g_assert_cmpint(rdmap_terminate_decode(&terminate, wire, length), ==, length >= 4);
    g_assert_cmpint(terminate.has_segment, ==, length >= 4 + 2 + 18);
    g_assert_cmpint(terminate.has_request, ==, length == 4 + 2 + 18 + 28);
    g_assert_cmpuint(terminate.error.code, ==, length >= 4 ? 2 : 0);
  }
}
