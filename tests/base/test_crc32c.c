/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c.h"
#include "base_cleanup.h"

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

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (size_t index = 0; index < G_N_ELEMENTS(vectors); index++) {
    g_autofree char *whole = g_strdup_printf("/crc32c/vector/%s", vectors[index].name);
    g_autofree char *cut = g_strdup_printf("/crc32c/cut/%s", vectors[index].name);
    g_test_add_data_func(whole, &vectors[index], test_vector);
    g_test_add_data_func(cut, &vectors[index], test_cut);
  }
  return g_test_run();
}
