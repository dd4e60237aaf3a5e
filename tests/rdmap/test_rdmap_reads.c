/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_send_queue.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rdmap_reads, rdmap_reads_free)

static const rdmap_read_request wanted = {
    .sink_stag = 0x51, .sink_offset = 1000, .length = 300, .source_stag = 0x9, .source_offset = 5};

typedef struct piece {
  uint32_t stag;
  uint64_t offset;
  uint32_t octets;
  bool last;
} piece;

static bool take(rdmap_reads *reads, piece p, uint64_t *number, rdmap_error *error)
{
  ddp_segment segment = {
      .header = {.tagged = true, .last = p.last, .stag = p.stag, .tagged_offset = p.offset},
      .payload_octets = p.octets,
      .header_octets = DDP_TAGGED_HEADER_OCTETS};
  return rdmap_reads_take(reads, &segment, number, error);
}

/* `pieces` end the Read number 7, or, with `code` not 0xFFFF, the last of them is wrong: type << 8 | code of
 * layer DDP. */
static void assert_verdict(bool strict, const rdmap_read_request *request, const piece *pieces, size_t count,
                           unsigned fault)
{
  g_autoptr(rdmap_reads) reads = rdmap_reads_new(strict);
  rdmap_reads_open(reads, request, 7);
  for (size_t i = 0; i < count; i++) {
    uint64_t number = 99;
    rdmap_error error = {0};
    bool right = take(reads, pieces[i], &number, &error);
    bool is_end = i == count - 1;
    if (is_end && fault != 0xFFFF) {
      g_assert_false(right);
      g_assert_cmpuint(error.layer, ==, RDMAP_LAYER_DDP);
      g_assert_cmphex((unsigned)error.type << 8 | error.code, ==, fault);
    } else {
      g_assert_true(right);
      g_assert_cmpuint(number, ==, pieces[i].last ? 7 : 99);
    }
  }
  g_assert_cmpuint(reads->open.count, ==, fault == 0xFFFF && pieces[count - 1].last ? 0 : 1);
}

/* note D32: another STag is 1/1/00, another place or length 1/1/01. What a response may be: the requested
 * octets in any order of TO. */
TEST(test_strict)
{
  enum { RIGHT = 0xFFFF, STAG = 0x100, BOUNDS = 0x101 };
  static const struct {
    const char *what;
    piece pieces[3];
    size_t count;
    unsigned fault;
  } rows[] = {
      {"one segment", {{0x51, 1000, 300, true}}, 1, RIGHT},
      {"three segments",
       {{0x51, 1000, 100, false}, {0x51, 1100, 100, false}, {0x51, 1200, 100, true}},
       3,
       RIGHT},
      {"in another order",
       {{0x51, 1200, 100, false}, {0x51, 1000, 100, false}, {0x51, 1100, 100, true}},
       3,
       RIGHT},
      {"an empty last one, whose STag and TO nobody looks at",
       {{0x51, 1000, 300, false}, {0, 0, 0, true}},
       2,
       RIGHT},
      {"another STag", {{0x52, 1000, 300, true}}, 1, STAG},
      {"another STag in the middle", {{0x51, 1000, 100, false}, {0x50, 1100, 200, true}}, 2, STAG},
      {"one octet below", {{0x51, 999, 300, true}}, 1, BOUNDS},
      {"one octet above", {{0x51, 1001, 300, true}}, 1, BOUNDS},
      {"far above", {{0x51, 1301, 1, true}}, 1, BOUNDS},
      {"one octet too long", {{0x51, 1000, 301, true}}, 1, BOUNDS},
      {"one octet too short", {{0x51, 1000, 299, true}}, 1, BOUNDS},
      {"the first octet left out", {{0x51, 1001, 299, true}}, 1, BOUNDS},
      {"the right length, but not from its start",
       {{0x51, 1001, 299, false}, {0x51, 1001, 1, true}},
       2,
       BOUNDS},
      {"too long by a second segment", {{0x51, 1000, 300, false}, {0x51, 1100, 100, true}}, 2, BOUNDS},
      {"empty", {{0x51, 1000, 0, true}}, 1, BOUNDS},
      {"below, reported at once", {{0x51, 999, 1, false}}, 1, BOUNDS},
      {"far below, reported at once", {{0x51, 0, 1, false}}, 1, BOUNDS},
      {"below, up to the start", {{0x51, 900, 100, false}}, 1, BOUNDS},
      {"below, after the start", {{0x51, 1000, 200, false}, {0x51, 900, 100, true}}, 2, BOUNDS},
      {"from below into the range", {{0x51, 1000, 200, false}, {0x51, 950, 100, false}}, 2, BOUNDS},
      {"above, reported at once", {{0x51, 1301, 1, false}}, 1, BOUNDS},
      {"too long, reported at once", {{0x51, 1000, 301, false}}, 1, BOUNDS},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].what);
    assert_verdict(true, &wanted, rows[i].pieces, rows[i].count, rows[i].fault);
    assert_verdict(false, &wanted, rows[i].pieces, rows[i].count, RIGHT);
  }
}

/* The requested range may end at the last Tagged Offset there is: 300 octets from 2^64 - 301. */
TEST(test_high_offsets)
{
  rdmap_read_request request = wanted;
  request.sink_offset = UINT64_MAX - 300;
  assert_verdict(true, &request, &(piece){0x51, UINT64_MAX - 300, 300, true}, 1, 0xFFFF);
  assert_verdict(true, &request, &(piece){0x51, UINT64_MAX - 301, 300, true}, 1, 0x101);
  assert_verdict(true, &request, &(piece){0x51, 0, 1, true}, 1, 0x101);
}

/* RDMAP-150: a Read of 2^32 - 1 octets across TO 2^32, in pieces of 2^31 - 1, 2^31 - 1 and 1; then one octet
 * short, one that starts 2^32 too low, and one of 2^33 - 1 octets, which is as many modulo 2^32. */
TEST(test_the_longest)
{
  const uint64_t base = (UINT64_C(1) << 32) - 1000;
  const rdmap_read_request request = {.sink_stag = 0x51, .sink_offset = base, .length = UINT32_MAX};
  const piece whole[] = {{0x51, base + INT32_MAX, INT32_MAX, false},
                         {0x51, base, INT32_MAX, false},
                         {0x51, base + UINT32_MAX - 1, 1, true}};
  const piece short_of_one[] = {{0x51, base, INT32_MAX, false}, {0x51, base + INT32_MAX, INT32_MAX, true}};
  const piece too_low[] = {{0x51, base, 1, false}, {0x51, base + 1 - (UINT64_C(1) << 32), 1, false}};
  const piece too_much[] = {
      {0x51, base, UINT32_MAX, false}, {0x51, base, UINT32_MAX, false}, {0x51, base, 1, true}};
  assert_verdict(true, &request, too_much, G_N_ELEMENTS(too_much), 0x101);
  assert_verdict(true, &request, whole, G_N_ELEMENTS(whole), 0xFFFF);
  assert_verdict(true, &request, short_of_one, G_N_ELEMENTS(short_of_one), 0x101);
  assert_verdict(true, &request, too_low, G_N_ELEMENTS(too_low), 0x101);
  assert_verdict(true, &request, &(piece){0x51, base + UINT32_MAX, 1, false}, 1, 0x101);
}

/* A request for no octets is answered by an empty segment, whose STag and TO are not checked, and by nothing
 * else. */
TEST(test_zero_length)
{
  rdmap_read_request request = wanted;
  request.length = 0;
  assert_verdict(true, &request, &(piece){0xDEAD, 77, 0, true}, 1, 0xFFFF);
  assert_verdict(true, &request, &(piece){0x51, 1000, 1, true}, 1, 0x101);
}

/* RDMAP-203: the k-th response that is Delivered ends the k-th Read, each judged by its own request. */
TEST(test_first_in_first_out)
{
  g_autoptr(rdmap_reads) reads = rdmap_reads_new(true);
  for (uint32_t i = 0; i < 5; i++) {
    rdmap_reads_open(reads, &(rdmap_read_request){.sink_stag = 100 + i, .sink_offset = 9, .length = 10 + i},
                     40 + i);
  }
  for (uint32_t i = 0; i < 5; i++) {
    uint64_t number = 0;
    rdmap_error error;
    g_assert_cmpuint(reads->open.count, ==, 5 - i);
    g_assert_true(take(reads, (piece){100 + i, 9, 4, false}, &number, &error));
    g_assert_true(take(reads, (piece){100 + i, 13, 6 + i, true}, &number, &error));
    g_assert_cmpuint(number, ==, 40 + i);
  }
  /* Nothing is left of the last: as many octets as asked for, but not from the start. */
  uint64_t number = 0;
  rdmap_error error;
  rdmap_reads_open(reads, &(rdmap_read_request){.sink_stag = 7, .length = 5}, 1);
  g_assert_true(take(reads, (piece){7, 1, 4, false}, &number, &error));
  g_assert_false(take(reads, (piece){7, 1, 1, true}, &number, &error));
}

/* Each segment of an unsolicited response is 0/2/06, strict or not (note D32): empty or not, the
 * last of its message or not, before any Read and after one that is answered. */
TEST(test_none_open)
{
  for (unsigned i = 0; i < 16; i++) {
    bool strict = i & 1, last = i & 2, empty = i & 4, after = i & 8;
    g_autoptr(rdmap_reads) reads = rdmap_reads_new(strict);
    uint64_t number = 99;
    rdmap_error error = {0};
    if (after) {
      rdmap_reads_open(reads, &wanted, 7);
      g_assert_true(take(reads, (piece){0x51, 1000, 300, true}, &number, &error));
    }
    g_assert_false(take(reads, (piece){0x51, 1000, empty ? 0 : 300, last}, &number, &error));
    EXPECT_FIELDS(&error, (layer, RDMAP_LAYER_RDMA), (type, RDMAP_REMOTE_OPERATION_ERROR), (code, 0x06));
    g_assert_cmpuint(number, ==, after ? 7 : 99);
  }
}

/* As many as ORD may be: 2^16. */
TEST(test_many)
{
  enum { READS = 65536 };
  g_autoptr(rdmap_reads) reads = rdmap_reads_new(true);
  for (uint64_t i = 0; i < READS; i++) {
    g_assert_cmpuint(reads->open.count, ==, i);
    rdmap_reads_open(reads, &wanted, 100 + i);
  }
  g_assert_cmpuint(reads->open.count, ==, READS);
  for (uint64_t i = 0; i < READS; i++) {
    uint64_t number;
    rdmap_error error;
    g_assert_true(take(reads, (piece){0x51, 1000, 300, true}, &number, &error));
    g_assert_cmpuint(number, ==, 100 + i);
  }
}
