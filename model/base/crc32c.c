/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c.h"

#include <glib.h>
#include <limits.h>
#include <string.h>

#include "base/crc32c_fold.h"

/* ISA-L's, as its assembler takes it: <isa-l/crc.h> declares an int, so that a caller need not set the upper
 * half of the length's register (clang's LTO does not), but the loop counts with all of it. */
unsigned int crc32_iscsi(const uint8_t *octets, uint64_t length, unsigned int crc);

uint32_t crc32c_update(uint32_t crc, const uint8_t *octets, size_t length)
{
  g_assert(length <= INT_MAX); /* no FPDU comes near it */
  return crc32c_fold(&crc, octets, length) ? crc : crc32_iscsi(octets, length, crc);
}

/* A CRC of four octets, which a marker has, takes as long as that of a hundred. So short slices are copied
 * into one piece first. */
uint32_t crc32c_update_chain(uint32_t crc, const buffer_chain *chain, uint32_t from, uint32_t length)
{
  /* Pieces of at most 8 KiB would be copied by `rep movsq`, which takes several times as long. */
  enum { PIECE_OCTETS = 16384 };
  uint8_t piece[PIECE_OCTETS];
  uint32_t filled = 0;
  const uint8_t *flat = buffer_chain_flat(chain, from, length);

  if (flat) {
    return crc32c_update(crc, flat, length);
  }
  for (buffer_chain_range rest = buffer_chain_range_of(chain, from, length); rest.length > 0;) {
    const octet_slice part = buffer_chain_range_next(&rest);
    if (part.length > PIECE_OCTETS - filled) {
      crc = crc32c_update(crc, piece, filled);
      filled = 0;
    }
    if (part.length > PIECE_OCTETS) {
      crc = crc32c_update(crc, part.octets, part.length);
    } else {
      /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): every slice of a chain has octets */
      memcpy(piece + filled, part.octets, part.length);
      filled += part.length;
    }
  }
  return crc32c_update(crc, piece, filled);
}
