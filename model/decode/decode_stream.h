/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what is kept of one direction's captured stream beside its octets: which packets brought them, and
 * which segments start with an FPDU. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/deque.h"
#include "base/range_set.h"
#include "decode/decode_events.h"
#include "net/capture_stream.h"
#include "net/fpdu_starts.h"

/* --- Packets --- */

/* These are the packets that brought the octets of a stream. Written only by the functions below. */
typedef struct decode_packets {
  deque runs; /* of octets that one packet brought; ascending */
} decode_packets;

/* Starts with no octets. Free the memory with decode_packets_clear(), after which there are none either. */
void decode_packets_init(decode_packets *packets);
void decode_packets_clear(decode_packets *packets);

/* Packet number `packet` brought the octets [from, to), none of which had come. O(1) after all that had come,
 * else O(log runs). */
void decode_packets_add(decode_packets *packets, uint64_t from, uint64_t to, uint64_t packet);

/* Returns the packets that brought octets of [from, to). */
decode_packet_span decode_packets_of(const decode_packets *packets, uint64_t from, uint64_t to);

/* The packets of [from, to) are no longer needed. */
void decode_packets_remove(decode_packets *packets, uint64_t from, uint64_t to);

/* --- Alignment --- */

/* This keeps which segments start with the first octet of an FPDU (mpa-01, MPA-002), although a start may
 * become known long after the segment. Offsets are those of the FPDU phase. The fields are for the functions
 * below. */
typedef struct decode_alignment {
  fpdu_starts starts; /* as far back as segments may still come */
  fpdu_starts_cursor arriving;
  deque segments;   /* of uint64_t, ascending: the starts of segments for which it is not known yet whether an
                       FPDU starts there */
  uint64_t aligned; /* segments */
  uint64_t reach_octets;
} decode_alignment;

/* Makes an empty one; segments that start more than `reach_octets` below the in-order edge may be taken for
 * not aligned. */
void decode_alignment_init(decode_alignment *alignment, uint64_t reach_octets);
void decode_alignment_clear(decode_alignment *alignment);

/* A segment that starts at `offset` has come, after the FPDUs that it completes. `edge`: below it all FPDUs
 * are known. */
void decode_alignment_segment(decode_alignment *alignment, uint64_t offset, uint64_t edge);

/* An FPDU starts at `offset`; called once for each. */
void decode_alignment_fpdu(decode_alignment *alignment, uint64_t offset);

/* Returns the start of a segment that is not known to be aligned: the first one at or after `offset`;
 * UINT64_MAX when there is none. */
uint64_t decode_alignment_next_segment(const decode_alignment *alignment, uint64_t offset);
