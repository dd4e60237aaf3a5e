/* SPDX-License-Identifier: GPL-2.0-only */
/* What MPA passes up: a ULPDU, how its FPDU was located, and when its octets arrived. */
#ifndef MPA_MPA_ULPDU_H
#define MPA_MPA_ULPDU_H

#include <stddef.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "base/time_ps.h"
#include "mpa/mpa_error.h"

/* How the start of an FPDU was established first (mpa-01 §5.4, MPA-163; definitions.md, "Held octets"). */
typedef enum mpa_location {
  MPA_LOCATED_BY_CHAIN,
  MPA_LOCATED_BY_MARKER,
  MPA_LOCATED_BY_MARKER_CHAIN,
  MPA_LOCATED_BY_ASSUMPTION, /* it was not: it looks like one where a TCP segment starts. No document permits it */
  MPA_LOCATIONS
} mpa_location;

/* Octets of a ULPDU that arrived together. */
typedef struct mpa_ulpdu_part {
  uint32_t from; /* offset into the ULPDU */
  uint32_t length;
  time_ps arrival; /* of the segment that brought them first */
} mpa_ulpdu_part;

/* Octets of an FPDU that arrived together: from `position` on, to the next piece or the FPDU's end. */
typedef struct mpa_fpdu_piece {
  uint64_t position;
  time_ps arrival; /* of the segment that brought them first */
} mpa_fpdu_piece;

/* The FPDU that a ULPDU lies in; of the deframer, valid as long as its mpa_ulpdu is. */
typedef struct mpa_whole_fpdu mpa_whole_fpdu;

/* One FPDU, located, complete and valid. */
typedef struct mpa_ulpdu {
  uint64_t fpdu_start; /* offset of its first octet, a leading marker included */
  uint64_t fpdu_end;   /* offset behind its CRC */
  mpa_location located_by;
  uint64_t held_octets;        /* of the FPDU's octets, framing included: those that arrived before now */
  const octet_rope *octets;    /* the ULPDU alone: no header, marker, PAD, CRC (MPA-058) */
  const mpa_ulpdu_part *parts; /* ascending, they cover the ULPDU */
  size_t part_count;
  const mpa_whole_fpdu *fpdu; /* see mpa_ulpdu_error() */
} mpa_ulpdu;

/* Of a ULPDU that a deframer passes: what is wrong with its FPDU. MPA_ERROR_NONE, but for one that follows errors
 * (mpa_deframer_follow_errors()). */
mpa_error mpa_ulpdu_error(const mpa_ulpdu *ulpdu);

/* Of the same: the octets of its whole FPDU, framing included, are those from `*from` on of the rope that is returned. */
const octet_rope *mpa_ulpdu_framed(const mpa_ulpdu *ulpdu, uint32_t *from);

/* Of the same: how its whole FPDU arrived, framing included: `*count` pieces, ascending; the first may start before the FPDU. NULL, 0: all of it
 * lies in the octets that the deframer is being given. */
const mpa_fpdu_piece *mpa_ulpdu_pieces(const mpa_ulpdu *ulpdu, size_t *count);

#endif
