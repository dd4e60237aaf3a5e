/* An IPv4 or IPv6 address. */
#ifndef BASE_IP_ADDRESS_H
#define BASE_IP_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ip_address {
  uint8_t version;    /* 4 or 6 */
  uint8_t octets[16]; /* in network order; of version 4 the first four, the rest 0 */
} ip_address;

/* The IPv4 address `address` (host byte order). */
ip_address ip_address_v4(uint32_t address);

/* The IPv6 address whose first and last 64 bits are these. */
ip_address ip_address_v6(uint64_t prefix, uint64_t interface);

bool ip_address_equal(const ip_address *a, const ip_address *b);

#endif
