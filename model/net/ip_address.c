#include "net/ip_address.h"

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
