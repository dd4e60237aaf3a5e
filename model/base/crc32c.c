/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c.h"

#include <glib.h>
#include <isa-l/crc.h>
#include <limits.h>
#include <string.h>

#include "base/crc32c_fold.h"

uint32_t crc32c_update(uint32_t crc, const uint8_t *octets, size_t length)
{
  g_assert(length <= INT_MAX); /* no FPDU comes near it */
  if (crc32c_fold(&crc, octets, length)) {
    return crc;
  }
  /* not const in its prototype; it only reads */
  return crc32_iscsi((unsigned char *)octets, (int)length, crc);
}

/* ISA-L takes as long for four octets, which a marker has, as for some hundred. So short slices are copied
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
