/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/ip_header.h"

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"

ip_address ip_address_v4(uint32_t address)
{
  ip_address result = {.version = 4};

  big_endian_write_32(result.octets, address);
  return result;
}

ip_address ip_address_v6(uint64_t prefix, uint64_t interface)
{
  ip_address result = {.version = 6};

  big_endian_write_32(result.octets, (uint32_t)(prefix >> 32));
  big_endian_write_32(result.octets + 4, (uint32_t)prefix);
  big_endian_write_32(result.octets + 8, (uint32_t)(interface >> 32));
  big_endian_write_32(result.octets + 12, (uint32_t)interface);
  return result;
}

bool ip_address_equal(const ip_address *a, const ip_address *b)
{
  return a->version == b->version && memcmp(a->octets, b->octets, sizeof a->octets) == 0;
}

ip_address ip_address_read(const uint8_t *wire, uint8_t version)
{
  ip_address address = {.version = version};

  memcpy(address.octets, wire, version == 4 ? IPV4_ADDRESS_OCTETS : IPV6_ADDRESS_OCTETS);
  return address;
}

ip_address ip_header_source(const uint8_t *wire)
{
  return wire[0] >> 4 == 4 ? ip_address_read(wire + IPV4_SOURCE_AT, 4)
                           : ip_address_read(wire + IPV6_SOURCE_AT, 6);
}

ip_address ip_header_destination(const uint8_t *wire)
{
  return wire[0] >> 4 == 4 ? ip_address_read(wire + IPV4_DESTINATION_AT, 4)
                           : ip_address_read(wire + IPV6_DESTINATION_AT, 6);
}

static uint16_t fold(uint64_t sum)
{
  while (sum >> 16) {
    sum = (sum & 0xFFFF) + (sum >> 16);
  }
  return (uint16_t)sum;
}

/* The sum of the whole 32-bit words of `length` octets, in this machine's order: 2^16 is 1 in ones'
 * complement, and the fold at the end puts right what two words at once make. 64 bits take 2^32 of them
 * without losing a carry, and the compiler adds several at a time. */
static inline __attribute__((always_inline)) uint64_t add_words(const uint8_t *octets, size_t length)
{
  uint64_t sum = 0;

  for (size_t at = 0; at + sizeof(uint32_t) <= length; at += sizeof(uint32_t)) {
    uint32_t word;
    memcpy(&word, octets + at, sizeof word);
    sum += word;
  }
  return sum;
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
/* The same with the wider registers of most processors. gcc's target_clones would choose before an
 * instrumented program (scripts/pgo) can count. */
__attribute__((target("avx2"))) static uint64_t add_words_avx2(const uint8_t *octets, size_t length)
{
  return add_words(octets, length);
}

static uint64_t sum_words(const uint8_t *octets, size_t length)
{
  return __builtin_cpu_supports("avx2") ? add_words_avx2(octets, length) : add_words(octets, length);
}
#else
#define sum_words add_words
#endif

uint64_t internet_sum(uint64_t sum, const uint8_t *octets, size_t length)
{
  uint64_t native = sum_words(octets, length);

  for (size_t at = length & ~(sizeof(uint32_t) - 1); at < length; at += sizeof(uint16_t)) {
    uint16_t word = octets[at]; /* the last of an odd number */
    if (at + sizeof word <= length) {
      memcpy(&word, octets + at, sizeof word);
    } else {
      word = GUINT16_TO_LE(word);
    }
    native += word;
  }
  /* RFC 1071 §2 (B): the sum does not depend on the order of octets, but that its own are in that order */
  return sum + GUINT16_FROM_BE(fold(native));
}

uint16_t internet_sum_complement(uint64_t sum)
{
  return (uint16_t)~fold(sum);
}

uint16_t internet_checksum(uint32_t sum, const uint8_t *octets, size_t length)
{
  return internet_sum_complement(internet_sum(sum, octets, length));
}

uint64_t ip_header_pseudo_sum(const uint8_t *ip_header, uint8_t protocol, uint32_t length)
{
  uint64_t sum = (uint64_t)protocol + length;

  if (ip_header[0] >> 4 == 4) {
    return internet_sum(sum, ip_header + IPV4_SOURCE_AT, (size_t)IPV4_ADDRESS_OCTETS * 2);
  }
  return internet_sum(sum, ip_header + IPV6_SOURCE_AT, (size_t)IPV6_ADDRESS_OCTETS * 2);
}

uint64_t internet_sum_chain(uint64_t sum, const buffer_chain *chain)
{
  buffer_chain_range rest = buffer_chain_range_of(chain, 0, chain->length);
  bool odd = false;

  while (rest.length > 0) {
    octet_slice part = buffer_chain_range_next(&rest);
    uint16_t word = fold(internet_sum(0, part.octets, part.length));
    /* RFC 1071 §2 (B): of octets that begin in the low half, the sum is that of swapped words, swapped */
    sum += odd ? GUINT16_SWAP_LE_BE(word) : word;
    odd ^= part.length % 2 != 0;
  }
  return sum;
}
