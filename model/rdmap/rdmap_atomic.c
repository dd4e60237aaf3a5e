/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_atomic.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

enum {
  OPCODE_AT = 0, /* the low 4 of 32 bits */
  ID_AT = 4,
  STAG_AT = 8,
  OFFSET_AT = 12,
  DATA_AT = 20,
  MASK_AT = 28,
  COMPARE_AT = 36,
  COMPARE_MASK_AT = 44,
  OPCODE_MASK = 0x0F,

  RESPONSE_ID_AT = 0,
  RESPONSE_ORIGINAL_AT = 4,
};

void rdmap_atomic_request_encode(const rdmap_atomic *atomic, uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS])
{
  bool compares = atomic->opcode != RDMAP_ATOMIC_FETCH_ADD;

  big_endian_write_32(wire + OPCODE_AT, atomic->opcode & OPCODE_MASK);
  big_endian_write_32(wire + ID_AT, atomic->id);
  big_endian_write_32(wire + STAG_AT, atomic->stag);
  big_endian_write_64(wire + OFFSET_AT, atomic->offset);
  big_endian_write_64(wire + DATA_AT, atomic->data);
  big_endian_write_64(wire + MASK_AT, atomic->mask);
  big_endian_write_64(wire + COMPARE_AT, compares ? atomic->compare : 0);
  big_endian_write_64(wire + COMPARE_MASK_AT, compares ? atomic->compare_mask : UINT64_MAX);
}

void rdmap_atomic_request_decode(rdmap_atomic *atomic, const uint8_t wire[RDMAP_ATOMIC_REQUEST_OCTETS])
{
  *atomic = (rdmap_atomic){
      .opcode = (rdmap_atomic_opcode)(big_endian_read_32(wire + OPCODE_AT) & OPCODE_MASK),
      .id = big_endian_read_32(wire + ID_AT),
      .stag = big_endian_read_32(wire + STAG_AT),
      .offset = big_endian_read_64(wire + OFFSET_AT),
      .data = big_endian_read_64(wire + DATA_AT),
      .mask = big_endian_read_64(wire + MASK_AT),
      .compare = big_endian_read_64(wire + COMPARE_AT),
      .compare_mask = big_endian_read_64(wire + COMPARE_MASK_AT),
  };
}

void rdmap_atomic_response_encode(uint32_t id, uint64_t original, uint8_t wire[RDMAP_ATOMIC_RESPONSE_OCTETS])
{
  big_endian_write_32(wire + RESPONSE_ID_AT, id);
  big_endian_write_64(wire + RESPONSE_ORIGINAL_AT, original);
}

void rdmap_atomic_response_decode(uint32_t *id, uint64_t *original,
                                  const uint8_t wire[RDMAP_ATOMIC_RESPONSE_OCTETS])
{
  *id = big_endian_read_32(wire + RESPONSE_ID_AT);
  *original = big_endian_read_64(wire + RESPONSE_ORIGINAL_AT);
}

bool rdmap_atomic_is_supported(const rdmap_atomic *atomic)
{
  return atomic->opcode == RDMAP_ATOMIC_FETCH_ADD || atomic->opcode == RDMAP_ATOMIC_COMPARE_SWAP;
}

uint64_t rdmap_atomic_result(const rdmap_atomic *atomic, uint64_t original)
{
  const uint64_t mask = atomic->mask;

  if (atomic->opcode == RDMAP_ATOMIC_FETCH_ADD) {
    /* Without the highest bit of each field no sum has a carry out of its field; that bit is then the sum of
     * both, modulo 2, and of the carry into it. */
    return ((original & ~mask) + (atomic->data & ~mask)) ^ ((original ^ atomic->data) & mask);
  }
  bool is_equal = ((atomic->compare ^ original) & atomic->compare_mask) == 0;
  return is_equal ? (original & ~mask) | (atomic->data & mask) : original;
}

uint64_t rdmap_atomic_load(const uint8_t memory[RDMAP_ATOMIC_OCTETS])
{
  uint64_t ordered;

  memcpy(&ordered, memory, sizeof ordered);
  return GUINT64_FROM_LE(ordered);
}

void rdmap_atomic_store(uint8_t memory[RDMAP_ATOMIC_OCTETS], uint64_t value)
{
  const uint64_t ordered = GUINT64_TO_LE(value);

  memcpy(memory, &ordered, sizeof ordered);
}
