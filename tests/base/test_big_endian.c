/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/big_endian.h"
#include "test.h"

TEST(test_write)
{
  uint8_t wire[10] = {0};
  big_endian_write_16(wire + 1, 0xA1B2);
  g_assert_cmpmem(wire, 4, "\x00\xA1\xB2\x00", 4);
  big_endian_write_32(wire + 1, 0xA1B2C3D4);
  g_assert_cmpmem(wire, 6, "\x00\xA1\xB2\xC3\xD4\x00", 6);
  big_endian_write_64(wire + 1, UINT64_C(0xA1B2C3D4E5F60718));
  g_assert_cmpmem(wire, 10, "\x00\xA1\xB2\xC3\xD4\xE5\xF6\x07\x18\x00", 10);
}

TEST(test_read)
{
  static const uint8_t wire[] = {0xF1, 0xE2, 0xD3, 0xC4, 0xB5, 0xA6, 0x97, 0x88};
  g_assert_cmphex(big_endian_read_16(wire), ==, 0xF1E2);
  g_assert_cmphex(big_endian_read_32(wire), ==, 0xF1E2D3C4);
  g_assert_cmphex(big_endian_read_64(wire), ==, UINT64_C(0xF1E2D3C4B5A69788));
}
