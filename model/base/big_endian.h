/* Numbers on the wire, most significant octet first, as every header of the stack has them. */
#ifndef BASE_BIG_ENDIAN_H
#define BASE_BIG_ENDIAN_H

#include <stdint.h>

/* Write `value` to the 2, 4 or 8 octets at `wire`. */
static inline void big_endian_write_16(uint8_t *wire, uint16_t value)
{
  wire[0] = (uint8_t)(value >> 8);
  wire[1] = (uint8_t)value;
}

static inline void big_endian_write_32(uint8_t *wire, uint32_t value)
{
  big_endian_write_16(wire, (uint16_t)(value >> 16));
  big_endian_write_16(wire + 2, (uint16_t)value);
}

static inline void big_endian_write_64(uint8_t *wire, uint64_t value)
{
  big_endian_write_32(wire, (uint32_t)(value >> 32));
  big_endian_write_32(wire + 4, (uint32_t)value);
}

/* The number in the 2, 4 or 8 octets at `wire`. */
static inline uint16_t big_endian_read_16(const uint8_t *wire)
{
  return (uint16_t)(wire[0] << 8 | wire[1]);
}

static inline uint32_t big_endian_read_32(const uint8_t *wire)
{
  return (uint32_t)big_endian_read_16(wire) << 16 | big_endian_read_16(wire + 2);
}

static inline uint64_t big_endian_read_64(const uint8_t *wire)
{
  return (uint64_t)big_endian_read_32(wire) << 32 | big_endian_read_32(wire + 4);
}

#endif
