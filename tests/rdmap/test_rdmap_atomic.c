/* SPDX-License-Identifier: GPL-2.0-only */
/* Atomic Operations (RFC 7306 §5): their arithmetic and headers. The other tests of them, over two streams,
 * are in test_rdmap_stream_atomics. */
#include <string.h>

#include "base/random_stream.h"
#include "rdmap/rdmap_atomic.h"
#include "stack_cleanup.h"
#include "test.h"

/* The pseudocode of RFC 7306 §5.1.1, line by line. */
static uint64_t add_by_the_loop(uint64_t original, uint64_t data, uint64_t mask)
{
  uint64_t bit_location = 1, carry = 0, result = 0;
  for (unsigned bit = 0; bit <= 63; bit++) {
    if (bit != 0) {
      bit_location <<= 1;
    }
    uint64_t val1 = (original & bit_location) >> bit;
    uint64_t val2 = (data & bit_location) >> bit;
    uint64_t sum = carry + val1 + val2;
    carry = (sum & 2) >> 1;
    sum &= 1;
    if (sum) {
      result |= bit_location;
    }
    carry = carry && !(mask & bit_location);
  }
  return result;
}

static uint64_t add(uint64_t original, uint64_t data, uint64_t mask)
{
  return rdmap_atomic_result(
      &(rdmap_atomic){.opcode = RDMAP_ATOMIC_FETCH_ADD, .data = data, .mask = mask, .compare = original + 1},
      original);
}

static uint64_t swap(uint64_t original, rdmap_atomic atomic)
{
  atomic.opcode = RDMAP_ATOMIC_COMPARE_SWAP;
  return rdmap_atomic_result(&atomic, original);
}

/* R7306-019: by hand, and as the RFC's own loop over random operands. */
TEST(test_fetch_add)
{
  const uint64_t octet_tops = UINT64_C(0x8080808080808080);
  g_assert_cmphex(add(5, 7, 0), ==, 12);
  g_assert_cmphex(add(UINT64_MAX, 1, 0), ==, 0); /* modulo 2^64 */
  g_assert_cmphex(add(UINT64_MAX, 1, UINT64_C(1) << 63), ==, 0);
  g_assert_cmphex(add(0xFF, 0x01, 0), ==, 0x100);
  g_assert_cmphex(add(0xFF, 0x01, 0x80), ==, 0); /* no carry out of the lowest octet */
  g_assert_cmphex(add(0xFFFF, 0x0101, 0x8080), ==, 0);
  g_assert_cmphex(add(UINT64_C(0x01FF02FE7F80FFFF), UINT64_C(0x01010202018001FF), octet_tops), ==,
                  UINT64_C(0x02000400800000FE));
  g_assert_cmphex(add(UINT64_C(0xFFFFFFFF00000001), UINT64_C(0x00000001FFFFFFFF), UINT64_C(1) << 31), ==, 0);
  g_assert_cmphex(add(0x5, 0x3, UINT64_MAX), ==, 0x6); /* each bit by itself: exclusive or */
  g_autoptr(random_stream) random = random_stream_new(7306, "test.atomic");
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t original = random_stream_next(random), data = random_stream_next(random);
    uint64_t mask = random_stream_next(random) & random_stream_next(random);
    mask &= i % 3 == 0 ? octet_tops : i % 3 == 1 ? UINT64_MAX : random_stream_next(random);
    g_assert_cmphex(add(original, data, mask), ==, add_by_the_loop(original, data, mask));
  }
}

/* R7306-026, R7306-027: the bits of the Compare Mask decide, those of the Swap Mask are put in. */
TEST(test_compare_swap)
{
  const uint64_t old = UINT64_C(0x1122334455667788), new = UINT64_C(0xAABBCCDDEEFF0011);
  const uint64_t all = UINT64_MAX, low = 0xFFFF;
  rdmap_atomic right = {.data = new, .mask = all, .compare = old, .compare_mask = all};
  rdmap_atomic wrong = WITH(rdmap_atomic, right, .compare = old ^ 1);
  g_assert_cmphex(swap(old, right), ==, new);
  g_assert_cmphex(swap(old, wrong), ==, old);
  g_assert_cmphex(swap(old, WITH(rdmap_atomic, wrong, .compare_mask = ~UINT64_C(1))), ==, new);
  g_assert_cmphex(swap(old, WITH(rdmap_atomic, wrong, .compare_mask = 0)), ==, new); /* nothing is compared */
  g_assert_cmphex(swap(old, WITH(rdmap_atomic, right, .mask = low)), ==, UINT64_C(0x1122334455660011));
  g_assert_cmphex(swap(old, WITH(rdmap_atomic, right, .mask = 0)), ==, old);
  g_assert_cmphex(swap(old, WITH(rdmap_atomic, right, .compare = 0x7788, .compare_mask = low, .mask = ~low)),
                  ==, UINT64_C(0xAABBCCDDEEFF7788));
  /* Bit by bit over random operands. */
  g_autoptr(random_stream) random = random_stream_new(7306, "test.swap");
  for (unsigned i = 0; i < 20000; i++) {
    uint64_t original = random_stream_next(random);
    rdmap_atomic atomic = {.data = random_stream_next(random),
                           .mask = random_stream_next(random),
                           .compare = original ^ (i % 2 ? UINT64_C(1) << i % 64 : 0),
                           .compare_mask = random_stream_next(random)};
    bool is_equal = true;
    uint64_t put = 0;
    for (uint64_t bit = 1; bit != 0; bit <<= 1) {
      is_equal &= !(atomic.compare_mask & bit) || (atomic.compare & bit) == (original & bit);
      put |= (atomic.mask & bit ? atomic.data : original) & bit;
    }
    g_assert_cmphex(swap(original, atomic), ==, is_equal ? put : original);
  }
}

/* R7306-014: both exist, and nothing else of the 16. */
TEST(test_supported)
{
  for (unsigned opcode = 0; opcode < 16; opcode++) {
    rdmap_atomic atomic = {.opcode = (rdmap_atomic_opcode)opcode};
    g_assert_cmpint(rdmap_atomic_is_supported(&atomic), ==, opcode == 0 || opcode == 2);
  }
}

static void assert_wire(const uint8_t *wire, uint32_t length, const char *hex)
{
  g_autoptr(GString) actual = g_string_new(NULL);
  for (uint32_t i = 0; i < length; i++) {
    g_string_append_printf(actual, "%02X", wire[i]);
  }
  g_assert_cmpstr(actual->str, ==, hex);
}

/* R7306-025, R7306-037, R7306-038, R7306-043 (figure 4): 52 octets; a FetchAdd compares nothing under a mask
 * of ones, whatever was asked for. */
TEST(test_request_header)
{
  const rdmap_atomic atomic = {.opcode = RDMAP_ATOMIC_COMPARE_SWAP,
                               .id = 0x01020304,
                               .stag = 0x11121314,
                               .offset = UINT64_C(0x2122232425262728),
                               .data = UINT64_C(0x3132333435363738),
                               .mask = UINT64_C(0x4142434445464748),
                               .compare = UINT64_C(0x5152535455565758),
                               .compare_mask = UINT64_C(0x6162636465666768)};
  uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS];
  rdmap_atomic back;
  rdmap_atomic_request_encode(&atomic, wire);
  assert_wire(wire, sizeof wire,
              "00000002"
              "01020304"
              "11121314"
              "2122232425262728"
              "3132333435363738"
              "4142434445464748"
              "5152535455565758"
              "6162636465666768");
  memset(wire, 0xFF, 3); /* reserved bits are ignored */
  wire[3] |= 0xF0;
  rdmap_atomic_request_decode(&back, wire);
  EXPECT_FIELDS(&back, (opcode, atomic.opcode), (id, atomic.id), (stag, atomic.stag), (offset, atomic.offset),
                (data, atomic.data), (mask, atomic.mask), (compare, atomic.compare),
                (compare_mask, atomic.compare_mask));
  back.opcode = RDMAP_ATOMIC_FETCH_ADD;
  rdmap_atomic_request_encode(&back, wire);
  assert_wire(wire, sizeof wire,
              "00000000"
              "01020304"
              "11121314"
              "2122232425262728"
              "3132333435363738"
              "4142434445464748"
              "0000000000000000"
              "FFFFFFFFFFFFFFFF");
}

/* R7306-056 (figure 6): 12 octets. */
TEST(test_response_header)
{
  uint8_t wire[RDMAP_ATOMIC_RESPONSE_OCTETS];
  uint32_t id;
  uint64_t original;
  rdmap_atomic_response_encode(0x01020304, UINT64_C(0x1112131415161718), wire);
  assert_wire(wire, sizeof wire, "010203041112131415161718");
  rdmap_atomic_response_decode(&id, &original, wire);
  g_assert_cmphex(id, ==, 0x01020304);
  g_assert_cmphex(original, ==, UINT64_C(0x1112131415161718));
}

/* R7306-025: memory is little-endian on whatever machine this runs. */
TEST(test_memory)
{
  uint8_t memory[9] = {0};
  rdmap_atomic_store(memory + 1, UINT64_C(0x0102030405060708));
  assert_wire(memory, sizeof memory, "000807060504030201");
  g_assert_cmphex(rdmap_atomic_load(memory + 1), ==, UINT64_C(0x0102030405060708));
}
