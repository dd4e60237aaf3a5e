/* SPDX-License-Identifier: GPL-2.0-only */
/* This is CRC32C by carry-less multiplication of 512 bits. ISA-L folds as wide, but its beginning and its end
 * take long: half as long again for the octets of an FPDU, twice as long where the result is waited for.
 *
 * Octets are a polynomial over GF(2), and their CRC is its remainder by P, of degree 32. A lane of 16 octets
 * with halves H and L, moved ahead by D octets, is H x^(8D + 64) + L x^(8D). It has the remainder of
 * H k x^33 + L m x^33, where k and m are the remainders of x^(8D + 31) and of x^(8D - 33). That is of degree
 * 63 + 31 + 33 = 127 at most: added to the 16 octets that are D further on, it stands for the lane.
 *
 * The instruction brings the x^33, since all is reflected: bit i of 64 stands for x^(63 - i), bit i of 128
 * for x^(127 - i), bit i of a remainder's 32 for x^(31 - i). So a remainder in the lower half of 64 bits
 * stands for itself times x^32. And the product of bits i and j, x^(126 - i - j), is put into bit i + j,
 * which stands for x^(127 - i - j): one x more. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC32C_X_n is x^n mod P, reflected: k and m for each D; test_crc32c computes them. */
#define CRC32C_X_2079 UINT32_C(0xdcb17aa4) /* 256 octets ahead */
#define CRC32C_X_2015 UINT32_C(0xb9e02b86)
#define CRC32C_X_1567 UINT32_C(0xa87ab8a8) /* 192 */
#define CRC32C_X_1503 UINT32_C(0xab7aff2a)
#define CRC32C_X_1055 UINT32_C(0x6992cea2) /* 128 */
#define CRC32C_X_991 UINT32_C(0x0d3b6092)
#define CRC32C_X_543 UINT32_C(0x740eef02) /* 64 */
#define CRC32C_X_479 UINT32_C(0x9e4addf8)
#define CRC32C_X_415 UINT32_C(0x1c291d04) /* 48 */
#define CRC32C_X_351 UINT32_C(0xddc0152b)
#define CRC32C_X_287 UINT32_C(0x3da6d0cb) /* 32 */
#define CRC32C_X_223 UINT32_C(0xba4fc28e)
#define CRC32C_X_159 UINT32_C(0xf20c0dfe) /* 16 */
#define CRC32C_X_95 UINT32_C(0x493c7d27)

/* Takes `length` octets more into the register `crc` and returns true; returns false and changes nothing
 * where the compiler or this processor cannot do it. */
bool crc32c_fold(uint32_t *crc, const uint8_t *octets, size_t length);
