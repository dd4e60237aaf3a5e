/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers stand on the wire most significant octet first, as every header of the stack has them. Each is one
 * access to memory: compilers do not turn octet-by-octet code into that when several fields lie side by
 * side. */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <string.h>

/* Write `value` to the 2, 4 or 8 octets at `wire`. */
static inline void big_endian_write_16(uint8_t *wire, uint16_t value)
{
  uint16_t ordered = GUINT16_TO_BE(value);
  memcpy(wire, &ordered, sizeof ordered);
}

static inline void big_endian_write_32(uint8_t *wire, uint32_t value)
{
  uint32_t ordered = GUINT32_TO_BE(value);
  memcpy(wire, &ordered, sizeof ordered);
}

static inline void big_endian_write_64(uint8_t *wire, uint64_t value)
{
  uint64_t ordered = GUINT64_TO_BE(value);
  memcpy(wire, &ordered, sizeof ordered);
}

/* Returns the number in the 2, 4 or 8 octets at `wire`. */
static inline uint16_t big_endian_read_16(const uint8_t *wire)
{
  uint16_t ordered;
  memcpy(&ordered, wire, sizeof ordered);
  return GUINT16_FROM_BE(ordered);
}

static inline uint32_t big_endian_read_32(const uint8_t *wire)
{
  uint32_t ordered;
  memcpy(&ordered, wire, sizeof ordered);
  return GUINT32_FROM_BE(ordered);
}

static inline uint64_t big_endian_read_64(const uint8_t *wire)
{
  uint64_t ordered;
  memcpy(&ordered, wire, sizeof ordered);
  return GUINT64_FROM_BE(ordered);
}
