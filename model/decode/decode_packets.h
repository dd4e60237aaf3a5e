/* SPDX-License-Identifier: GPL-2.0-only */
/* Which packets brought the octets of one direction's stream. */
#ifndef DECODE_DECODE_PACKETS_H
#define DECODE_DECODE_PACKETS_H

#include <stdint.h>

#include "base/element_array.h"

/* Written only by the functions below. */
typedef struct decode_packets {
  element_array runs; /* of octets that one packet brought; ascending */
} decode_packets;

/* The packets that brought some octets: the lowest and the highest number, and how many. All 0: none. */
typedef struct decode_packet_span {
  uint64_t first, last;
  uint32_t count;
} decode_packet_span;

/* No octets. Free the memory with decode_packets_clear(), after which there are none either. */
void decode_packets_init(decode_packets *packets);
void decode_packets_clear(decode_packets *packets);

/* Packet number `packet` brought the octets [from, to), none of which had come. O(1) after all that had come, else O(log runs). */
void decode_packets_add(decode_packets *packets, uint64_t from, uint64_t to, uint64_t packet);

/* The packets that brought octets of [from, to). */
decode_packet_span decode_packets_of(const decode_packets *packets, uint64_t from, uint64_t to);

/* Nobody asks for [from, to) any more. */
void decode_packets_remove(decode_packets *packets, uint64_t from, uint64_t to);

#endif
