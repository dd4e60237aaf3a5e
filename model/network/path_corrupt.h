/* SPDX-License-Identifier: GPL-2.0-only */
/* Damage: netem's `corrupt`, one bit of a packet. */
#ifndef PATH_PATH_CORRUPT_H
#define PATH_PATH_CORRUPT_H

#include "base/random_stream.h"
#include "network/path_element.h"

typedef enum path_corrupt_mode {
  /* Behind the sender's checksum, as a link does it: any bit of what the TCP (or ICMP) checksum covers, header or payload.
   * One bit is always found out. */
  PATH_CORRUPT_CAUGHT,
  /* In front of a checksum, as a middlebox or a network interface does it that keeps the octets in bad memory and computes the
   * checksum over what it finds there: a bit of the payload, and a TCP checksum that is right. Only CRC32C can find it. */
  PATH_CORRUPT_UNCAUGHT,
} path_corrupt_mode;

typedef struct path_corrupt_config {
  path_corrupt_mode mode;
  double probability;
  double correlation; /* of each draw with the last (path_correlation.h) */
} path_corrupt_config;

/* Damages each packet with `probability`; UNCAUGHT passes by what has no payload, and fragments, whose checksum no box on
 * the way can make right. The IP header is never damaged: a router would drop the packet, which is loss. Every packet draws once,
 * a chosen one another time for the bit. A packet that somebody else refers to is copied before. `config` is copied;
 * `random` stays the caller's and outlives the element. */
path_element *path_corrupt_new(const path_corrupt_config *config, random_stream *random);

#endif
