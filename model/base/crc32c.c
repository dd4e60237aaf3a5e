/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/crc32c.h"

#include <glib.h>
#include <isa-l/crc.h>
#include <limits.h>

uint32_t crc32c_update(uint32_t crc, const uint8_t *octets, size_t length)
{
  g_assert(length <= INT_MAX); /* no FPDU comes near it */
  /* not const in its prototype; it only reads */
  return crc32_iscsi((unsigned char *)octets, (int)length, crc);
}

uint32_t crc32c_update_chain(uint32_t crc, const buffer_chain *chain, uint32_t from, uint32_t length)
{
  buffer_chain_range rest = buffer_chain_range_of(chain, from, length);
  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    crc = crc32c_update(crc, part.octets, part.length);
  }
  return crc;
}
