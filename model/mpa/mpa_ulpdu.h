/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what MPA passes up (a ULPDU, how its FPDU was located, when its octets arrived), and what MPA
 * holds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/time_ps.h"

/* This says how the start of an FPDU was established first (mpa-01 §5.4, MPA-163; docs/metrics.md, "Held
 * octets"). */
typedef enum mpa_location {
  MPA_LOCATED_BY_CHAIN,
  MPA_LOCATED_BY_MARKER,
  MPA_LOCATED_BY_MARKER_CHAIN,
  MPA_LOCATED_BY_ASSUMPTION, /* it was not established: a TCP segment starts with what looks like an FPDU. No
                                document permits it */
  MPA_LOCATIONS
} mpa_location;

/* "chain", "marker", "marker_chain", "assumption": as traces, decode and metrics have them. */
extern const char *const mpa_location_names[MPA_LOCATIONS];

/* These octets of a ULPDU arrived together. */
typedef struct mpa_ulpdu_part {
  uint32_t from; /* offset into the ULPDU */
  uint32_t length;
  time_ps arrival; /* of the segment that brought them first */
} mpa_ulpdu_part;

/* One FPDU, located, complete and valid. */
typedef struct mpa_ulpdu {
  uint64_t fpdu_start; /* offset of its first octet, a leading marker included */
  uint64_t fpdu_end;   /* offset after its CRC */
  mpa_location located_by;
  uint64_t held_octets;        /* of the FPDU's octets, framing included: those that arrived before now */
  const buffer_chain *octets;  /* the ULPDU alone: no header, marker, PAD, CRC (MPA-058) */
  const mpa_ulpdu_part *parts; /* ascending, they cover the ULPDU */
  size_t part_count;
} mpa_ulpdu;

/* Held octets by cause (docs/metrics.md, "Held octets"), and what else gauges need. */
typedef struct mpa_held {
  uint64_t edge; /* all FPDUs that end at or below it were passed up, without a gap: the Delivery point */
  uint64_t incomplete;    /* in a located FPDU with octets missing; a leading marker at the in-order edge */
  uint64_t unlocated;     /* markers are on and used, and the FPDU is not located */
  uint64_t order;         /* not located, and markers are off */
  uint32_t partial_fpdus; /* located, octets missing */
  uint64_t partial_end;   /* end of the FPDU at the in-order edge when it is located and incomplete, else 0:
                             octets that TCP holds below it are `incomplete` too */
} mpa_held;
