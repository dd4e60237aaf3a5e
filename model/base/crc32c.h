/* SPDX-License-Identifier: GPL-2.0-only */
/* This is CRC32C as iSCSI's digests and MPA's CRC field use it (mpa-01 §5.2, MPA-115, MPA-116): polynomial
 * 0x1EDC6F41 reflected, register preset to all ones, final complement. Computed by crc32c_fold(),
 * and by ISA-L where that cannot. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer_chain.h"

/* It is the register before the first octet. */
#define CRC32C_INITIAL UINT32_C(0xFFFFFFFF)

/* Returns the register after `length` more octets, INT_MAX at most. */
uint32_t crc32c_update(uint32_t crc, const uint8_t *octets, size_t length);

/* Returns the register after octets [from, from + length) of `chain`. */
uint32_t crc32c_update_chain(uint32_t crc, const buffer_chain *chain, uint32_t from, uint32_t length);

/* Finishes `crc` and writes the digest as it goes on the wire, least significant octet first (note M17). */
static inline void crc32c_write(uint32_t crc, uint8_t wire[4])
{
  uint32_t digest = ~crc;
  wire[0] = (uint8_t)digest;
  wire[1] = (uint8_t)(digest >> 8);
  wire[2] = (uint8_t)(digest >> 16);
  wire[3] = (uint8_t)(digest >> 24);
}
