/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the wire format of MPA but for markers (mpa_marker.h): the extent of an FPDU at a known place in
 * the stream, whether it is valid, and the ULPDU within it (mpa-01 §4, §5.1, §5.2, §7).
 *
 * All positions are 64-bit offsets into the FPDU phase of one half connection: offset 0 is the first octet of
 * the first FPDU (with markers: its leading marker). */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/time_ps.h"
#include "mpa/mpa_marker.h"

/* These are the errors of MPA, with the codes they are reported by (mpa-01 §7, MPA-276 … MPA-279; RFC 6581
 * §8). */
typedef enum mpa_error {
  MPA_ERROR_NONE = 0,
  MPA_ERROR_CLOSED = 1,  /* TCP connection closed, terminated or lost */
  MPA_ERROR_CRC = 2,     /* received CRC does not match, or an impossible length */
  MPA_ERROR_MARKER = 3,  /* marker and ULPDU_Length disagree about an FPDU start */
  MPA_ERROR_STARTUP = 4, /* invalid startup frame */
  MPA_ERROR_LOCAL = 5,   /* of enhanced startup, without a code of its own */
  MPA_ERROR_IRD = 6,     /* insufficient IRD resources */
  MPA_ERROR_RTR = 7,     /* no matching RTR option */
} mpa_error;

/* "MPA error 2: the CRC of an FPDU does not match, or its length is impossible" and the like, for people.
 * Static. */
const char *mpa_error_text(mpa_error error);

enum {
  MPA_FPDU_LENGTH_OCTETS = 2, /* the ULPDU_Length field */
  MPA_FPDU_CRC_OCTETS = 4,
  MPA_MULPDU_MIN_OCTETS = 128, /* of the largest ULPDU that DDP may hand to MPA (mpa-01 §5.3.2, MPA-062) */
  MPA_MULPDU_MAX_OCTETS = 64768,
};

/* This is where an FPDU lies; offsets into the FPDU phase. */
typedef struct mpa_fpdu {
  uint64_t start;        /* first octet, a leading marker included */
  uint64_t header;       /* ULPDU_Length */
  uint64_t end;          /* after the CRC */
  uint32_t ulpdu_octets; /* ULPDU_Length's value */
  bool markers;          /* the stream has them */
} mpa_fpdu;

/* Returns the offset of ULPDU_Length of the FPDU that starts at `start`: after its leading marker, if it has
 * one (MPA-098). */
static inline uint64_t mpa_fpdu_header(uint64_t start, bool markers)
{
  return markers && start % MPA_MARKER_PERIOD_OCTETS == 0 ? start + MPA_MARKER_OCTETS : start;
}

/* Returns the reverse with markers: the first octet of the FPDU whose ULPDU_Length is at `header`. */
static inline uint64_t mpa_fpdu_start(uint64_t header)
{
  return header % MPA_MARKER_PERIOD_OCTETS == MPA_MARKER_OCTETS ? header - MPA_MARKER_OCTETS : header;
}

/* Returns the PAD octets of a ULPDU: (-(2 + length)) mod 4 (MPA-078). */
static inline uint32_t mpa_fpdu_pad_octets(uint32_t ulpdu_octets)
{
  return -(MPA_FPDU_LENGTH_OCTETS + ulpdu_octets) % 4;
}

/* Returns the octets of an FPDU without its markers: header, ULPDU, PAD and CRC (MPA-111). */
static inline uint32_t mpa_fpdu_unmarked_octets(uint32_t ulpdu_octets)
{
  return MPA_FPDU_LENGTH_OCTETS + ulpdu_octets + mpa_fpdu_pad_octets(ulpdu_octets) + MPA_FPDU_CRC_OCTETS;
}

/* Returns the stream octets of an FPDU that starts at offset `start`, a multiple of 4 as all FPDUs are
 * (MPA-100), its leading marker included when there is one and `markers`. */
static inline uint64_t mpa_fpdu_octets(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  uint32_t unmarked = mpa_fpdu_unmarked_octets(ulpdu_octets);

  g_assert(start % 4 == 0);
  g_assert(ulpdu_octets <= UINT16_MAX);
  if (!markers) {
    return unmarked;
  }
  /* note M13: the first marker comes after so many octets, each further one after 508 more; one that falls
   * after the CRC is the next FPDU's, hence the - 1 (MPA-098). */
  uint32_t first = mpa_octets_to_marker(start);
  return unmarked + MPA_MARKER_OCTETS *
                        ((unmarked - 1 + MPA_BETWEEN_MARKERS_OCTETS - first) / MPA_BETWEEN_MARKERS_OCTETS);
}

/* Returns the FPDU at `start` with a ULPDU of `ulpdu_octets`. */
static inline mpa_fpdu mpa_fpdu_at(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  return (mpa_fpdu){.start = start,
                    .header = mpa_fpdu_header(start, markers),
                    .end = start + mpa_fpdu_octets(start, ulpdu_octets, markers),
                    .ulpdu_octets = ulpdu_octets,
                    .markers = markers};
}

/* Returns the octets from the end of ULPDU_Length of `fpdu` to the next marker, if there are any: at least
 * 2. */
static inline uint32_t mpa_fpdu_first_run(const mpa_fpdu *fpdu)
{
  return fpdu->markers ? mpa_octets_to_marker(fpdu->header + MPA_FPDU_LENGTH_OCTETS) : UINT32_MAX;
}

/* Returns how many markers belong to `fpdu`. */
static inline uint32_t mpa_fpdu_marker_count(const mpa_fpdu *fpdu)
{
  return ((uint32_t)(fpdu->end - fpdu->start) - mpa_fpdu_unmarked_octets(fpdu->ulpdu_octets)) /
         MPA_MARKER_OCTETS;
}

/* Returns the octets of the ULPDU that lie below the stream offset `position`: 0 … ulpdu_octets. */
uint32_t mpa_fpdu_ulpdu_octets_below(const mpa_fpdu *fpdu, uint64_t position);

/* Returns whether the FPDU whose octets are octets[from, …) is valid. With `crc` a CRC that does not match is
 * MPA_ERROR_CRC, which is checked first (note M20). Then each marker must point to this FPDU, else
 * MPA_ERROR_MARKER (MPA-278). PAD and RESERVED may hold anything (MPA-077, MPA-086). */
mpa_error mpa_fpdu_check(const mpa_fpdu *fpdu, const buffer_chain *octets, uint32_t from, bool crc);

/* Does the same of octets that lie in one piece. */
mpa_error mpa_fpdu_check_flat(const mpa_fpdu *fpdu, const uint8_t *octets, bool crc);

/* This is what MPA passes up (a ULPDU, how its FPDU was located, when its octets arrived), and what MPA
 * holds. */

/* How the start of an FPDU was established first (mpa-01 §5.4, MPA-163; docs/metrics.md, "Held
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
  mpa_fpdu fpdu;
  mpa_location located_by;
  uint64_t held_octets;        /* of the FPDU's octets, framing included: those that arrived before now */
  const mpa_ulpdu_part *parts; /* ascending, they cover the ULPDU */
  size_t part_count;
  const buffer_chain *octets; /* the FPDU lies in there from `from` on: the functions below read the ULPDU */
  uint32_t from;
  const uint8_t *flat; /* the FPDU's first octet, if all lie in one piece of memory; else NULL */
} mpa_ulpdu;

/* Returns the octets from the first one of `fpdu` to that of its ULPDU. */
static inline uint32_t mpa_fpdu_header_octets(const mpa_fpdu *fpdu)
{
  return (uint32_t)(fpdu->header - fpdu->start) + MPA_FPDU_LENGTH_OCTETS;
}

/* Copies octets [from, from + length) of the ULPDU, without header, marker, PAD and CRC (MPA-058), to
 * `target`. They must lie within it. */
void mpa_ulpdu_copy_out(const mpa_ulpdu *ulpdu, uint32_t from, uint32_t length, uint8_t *target);

/* Returns the ULPDU's first `length` octets (at most as many as it has): where they lie, or a copy in `spare`
 * if that may be in pieces. */
static inline const uint8_t *mpa_ulpdu_front(const mpa_ulpdu *ulpdu, uint32_t length, uint8_t *spare)
{
  if (ulpdu->flat && length <= mpa_fpdu_first_run(&ulpdu->fpdu)) {
    return ulpdu->flat + mpa_fpdu_header_octets(&ulpdu->fpdu);
  }
  mpa_ulpdu_copy_out(ulpdu, 0, length, spare);
  return spare;
}

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
