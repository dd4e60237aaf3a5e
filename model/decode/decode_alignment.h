/* SPDX-License-Identifier: GPL-2.0-only */
/* Which segments start with the first octet of an FPDU (mpa-01, MPA-002), although a start may become known long after the segment. */
#ifndef DECODE_DECODE_ALIGNMENT_H
#define DECODE_DECODE_ALIGNMENT_H

#include "net/fpdu_starts.h"

/* Of one direction. Offsets are those of its FPDU phase. The fields are for the functions below. */
typedef struct decode_alignment {
  fpdu_starts starts; /* as far back as segments may still come */
  fpdu_starts_cursor arriving;
  element_array segments; /* ascending: where segments start of which nobody knows yet what is there */
  uint64_t aligned;       /* segments */
  uint64_t reach_octets;
} decode_alignment;

/* An empty one; segments that start more than `reach_octets` below the in-order edge may be taken for not aligned. */
void decode_alignment_init(decode_alignment *alignment, uint64_t reach_octets);
void decode_alignment_clear(decode_alignment *alignment);

/* A segment that starts at `offset` has come, after the FPDUs that it completes. `edge`: below it all FPDUs are known. */
void decode_alignment_segment(decode_alignment *alignment, uint64_t offset, uint64_t edge);

/* An FPDU starts at `offset`; called once for each. */
void decode_alignment_fpdu(decode_alignment *alignment, uint64_t offset);

/* The start of a segment that is not known to be aligned: the first one at or after `offset`; UINT64_MAX when there is none. */
uint64_t decode_alignment_next_segment(const decode_alignment *alignment, uint64_t offset);

#endif
