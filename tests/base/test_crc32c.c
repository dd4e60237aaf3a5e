/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c.h"
#include "base/crc32c_fold.h"
#include "base_cleanup.h"

#include <isa-l/crc.h>
#include <string.h>

typedef struct vector {
  const char *name;
  uint8_t octets[48];
  size_t length;
  uint8_t wire[4];
} vector;

/* A Send of 24 zero octets, 0x2A = 18 + 24: as the first FPDU of a stream (marker, length, control, slot,
 * queue, MSN, MO, data), and as the one at stream offset 0x01EC, 20 octets before a marker that points 0x14
 * back. */
#define FIRST_FPDU(control, control2)                                                                        \
  {                                                                                                          \
    0, 0, 0, 0, 0, 0x2A, control, control2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0                            \
  }
#define SECOND_FPDU(control, control2)                                                                       \
  {                                                                                                          \
    0, 0x2A, control, control2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x14                \
  }

static const vector vectors[] = {
    /* The check value of the algorithm, 0xE3069283 (MPA-116). */
    {"123456789", "123456789", 9, {0x83, 0x92, 0x06, 0xE3}},
    /* RFC 3720 B.4 (docs/facts.md, "CRC32C"). */
    {"zeros", {0}, 32, {0xAA, 0x36, 0x91, 0x8A}},
    {"ones",
     {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
      255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
     32,
     {0x43, 0xAB, 0xA8, 0x62}},
    {"ascending",
     {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
     32,
     {0x4E, 0x79, 0xDD, 0x46}},
    {"descending",
     {31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
      15, 14, 13, 12, 11, 10, 9,  8,  7,  6,  5,  4,  3,  2,  1,  0},
     32,
     {0x5C, 0xDB, 0x3F, 0x11}},
    /* The FPDUs of mpa-01 §5.2 (MPA-134, MPA-135), and with DDP and RDMAP version 1 (MPA-136, MPA-137). */
    {"first-fpdu-40-03", FIRST_FPDU(0x40, 0x03), 48, {0x4C, 0x86, 0xB3, 0x84}},
    {"second-fpdu-40-03", SECOND_FPDU(0x40, 0x03), 48, {0xA1, 0x9C, 0xD1, 0x03}},
    {"first-fpdu-41-43", FIRST_FPDU(0x41, 0x43), 48, {0x52, 0x23, 0x99, 0x83}},
    {"second-fpdu-41-43", SECOND_FPDU(0x41, 0x43), 48, {0x84, 0x92, 0x58, 0x98}},
};

static void assert_wire(uint32_t crc, const vector *expected)
{
  uint8_t wire[4];
  crc32c_write(crc, wire);
  g_assert_cmpmem(wire, sizeof wire, expected->wire, sizeof expected->wire);
}

static void test_vector(gconstpointer data)
{
  const vector *v = data;
  assert_wire(crc32c_update(CRC32C_INITIAL, v->octets, v->length), v);
}

/* The digest does not depend on how the octets are cut: every cut in three, as updates and as a chain with
 * other octets around. */
static void test_cut(gconstpointer data)
{
  const vector *v = data;
  static const uint8_t other[3] = {0xC5, 0x5C, 0x99};
  for (uint32_t first = 0; first <= v->length; first++) {
    for (uint32_t second = first; second <= v->length; second++) {
      uint32_t crc = crc32c_update(CRC32C_INITIAL, v->octets, first);
      crc = crc32c_update(crc, v->octets + first, second - first);
      assert_wire(crc32c_update(crc, v->octets + second, v->length - second), v);

      uint8_t copy[48];
      memcpy(copy, v->octets, sizeof copy);
      g_auto(buffer_chain) chain = {0};
      buffer_chain_append(&chain, other, 3, NULL);
      buffer_chain_append(&chain, v->octets, first, NULL);
      buffer_chain_append(&chain, copy + first, second - first, NULL);
      buffer_chain_append(&chain, v->octets + second, (uint32_t)v->length - second, NULL);
      buffer_chain_append(&chain, other, 3, NULL);
      assert_wire(crc32c_update_chain(CRC32C_INITIAL, &chain, 3, (uint32_t)v->length), v);
    }
  }
}

/* The factors of folding, each by its definition: from 1, which is bit 31, n times multiplied by x. That
 * moves each bit down by one, and x^32, which falls out at bit 0, is what P has below it. */
static void test_factors(void)
{
  static const uint32_t p_below_x_32 = UINT32_C(0x82F63B78); /* 0x1EDC6F41 from its other end */
  static const struct {
    uint32_t octets, first, second;
  } folds[] = {{256, CRC32C_X_2079, CRC32C_X_2015}, {192, CRC32C_X_1567, CRC32C_X_1503},
               {128, CRC32C_X_1055, CRC32C_X_991},  {64, CRC32C_X_543, CRC32C_X_479},
               {48, CRC32C_X_415, CRC32C_X_351},    {32, CRC32C_X_287, CRC32C_X_223},
               {16, CRC32C_X_159, CRC32C_X_95}};
  for (size_t index = 0; index < G_N_ELEMENTS(folds); index++) {
    const uint32_t exponents[2] = {8 * folds[index].octets + 64 - 33, 8 * folds[index].octets - 33};
    uint32_t powers[2];
    for (int which = 0; which < 2; which++) {
      powers[which] = UINT32_C(1) << 31;
      for (uint32_t n = 0; n < exponents[which]; n++) {
        powers[which] = (powers[which] >> 1) ^ (powers[which] & 1 ? p_below_x_32 : 0);
      }
    }
    g_assert_cmphex(powers[0], ==, folds[index].first);
    g_assert_cmphex(powers[1], ==, folds[index].second);
  }
}

static uint8_t *random_octets(GRand *random, size_t length)
{
  uint8_t *octets = g_malloc(length);
  for (size_t index = 0; index < length; index++) {
    octets[index] = (uint8_t)g_rand_int(random);
  }
  return octets;
}

/* Compares with ISA-L: at `alignment`, and in a block that ends with the octets, where a sanitizer finds a
 * read beyond. */
static void assert_as_isal(uint32_t crc, const uint8_t *octets, size_t length, size_t alignment)
{
  g_autofree uint8_t *block = g_malloc(64 + 64 + length);
  uint8_t *input = block + (64 - (uintptr_t)block % 64) % 64 + alignment;
  g_autofree uint8_t *exact = length > 0 ? g_memdup2(octets, length) : NULL;
  memcpy(input, octets, length);
  uint32_t expected = crc32_iscsi(input, (int)length, crc);
  if (crc32c_update(crc, input, length) != expected ||
      (exact && crc32c_update(crc, exact, length) != expected)) {
    g_error("register %08x, %zu octets, alignment %zu: not what ISA-L computes", crc, length, alignment);
  }
}

static void test_lengths_and_alignments(void)
{
  const guint32 seed = 20261129;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autofree uint8_t *octets = random_octets(random, 70000);
  g_test_message("seed %u", seed);
  for (size_t alignment = 0; alignment < 64; alignment++) {
    for (size_t length = 0; length <= 2048; length++) {
      assert_as_isal(length % 2 ? CRC32C_INITIAL : g_rand_int(random), octets + alignment, length, alignment);
    }
    for (int round = 0; round < 8; round++) {
      size_t length = (size_t)g_rand_int_range(random, 2049, 70001);
      assert_as_isal(round == 0 ? 0 : g_rand_int(random), octets, length, alignment);
    }
  }
}

/* The CRC of a chain is that of its octets, wherever it was cut: into one to 40 slices, of up to 2,100 octets
 * each. */
static void test_random_chains(void)
{
  const guint32 seed = 20261130;
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autofree uint8_t *octets = random_octets(random, 70000);
  g_test_message("seed %u", seed);
  for (int round = 0; round < 2000; round++) {
    g_auto(buffer_chain) chain = {0};
    uint32_t longest = (uint32_t)g_rand_int_range(random, 2, 2100);
    uint32_t total = 0;
    for (int left = g_rand_int_range(random, 1, 41); left > 0 && total + longest <= 70000; left--) {
      uint32_t length = (uint32_t)g_rand_int_range(random, 1, (gint32)longest);
      /* each slice in a block of its own: not one piece again */
      octet_buffer *buffer = octet_buffer_new(length);
      memcpy(octet_buffer_octets(buffer), octets + total, length);
      buffer_chain_append(&chain, octet_buffer_octets(buffer), length, buffer);
      octet_buffer_unref(buffer);
      total += length;
    }
    uint32_t from = (uint32_t)g_rand_int_range(random, 0, (gint32)total);
    uint32_t length = (uint32_t)g_rand_int_range(random, 0, (gint32)(total - from + 1));
    uint32_t crc = g_rand_int(random);
    g_assert_cmphex(crc32c_update_chain(crc, &chain, from, length), ==,
                    crc32_iscsi(octets + from, (int)length, crc));
  }
}

/* Folding takes every length, or none. */
static void test_fold_lengths(void)
{
  static const uint8_t octets[512] = {1, 2, 3};
  uint32_t crc = 5;
  if (!crc32c_fold(&crc, octets, sizeof octets)) {
    g_assert_cmphex(crc, ==, 5);
    g_test_skip("this compiler or this processor cannot fold: ISA-L does all");
    return;
  }
  for (size_t length = 0; length <= sizeof octets; length++) {
    crc = 5;
    g_assert_true(crc32c_fold(&crc, octets, length));
    g_assert_cmphex(crc, ==, crc32_iscsi((unsigned char *)octets, (int)length, 5));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (size_t index = 0; index < G_N_ELEMENTS(vectors); index++) {
    g_autofree char *whole = g_strdup_printf("/crc32c/vector/%s", vectors[index].name);
    g_autofree char *cut = g_strdup_printf("/crc32c/cut/%s", vectors[index].name);
    g_test_add_data_func(whole, &vectors[index], test_vector);
    g_test_add_data_func(cut, &vectors[index], test_cut);
  }
  g_test_add_func("/crc32c/fold/factors", test_factors);
  g_test_add_func("/crc32c/fold/lengths", test_fold_lengths);
  g_test_add_func("/crc32c/isa-l/lengths-and-alignments", test_lengths_and_alignments);
  g_test_add_func("/crc32c/isa-l/random-chains", test_random_chains);
  return g_test_run();
}
