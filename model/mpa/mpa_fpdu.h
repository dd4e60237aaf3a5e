/* SPDX-License-Identifier: GPL-2.0-only */
/* One FPDU at a known place in the stream: its extent, whether it is valid, and the ULPDU within it
 * (mpa-01 §4, §5.2, §7). Used by framer and deframer. */
#ifndef MPA_MPA_FPDU_H
#define MPA_MPA_FPDU_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/octet_rope.h"
#include "mpa/mpa_error.h"
#include "mpa/mpa_marker.h"

enum {
  MPA_FPDU_LENGTH_OCTETS = 2, /* the ULPDU_Length field */
  MPA_FPDU_CRC_OCTETS = 4,
  MPA_BETWEEN_MARKERS_OCTETS = MPA_MARKER_PERIOD_OCTETS - MPA_MARKER_OCTETS, /* 508 (MPA-095) */
};

/* Where an FPDU lies; offsets into the FPDU phase. */
typedef struct mpa_fpdu {
  uint64_t start;        /* first octet, a leading marker included */
  uint64_t header;       /* ULPDU_Length */
  uint64_t end;          /* behind the CRC */
  uint32_t ulpdu_octets; /* ULPDU_Length's value */
  bool markers;          /* the stream has them */
} mpa_fpdu;

/* Offset of ULPDU_Length of the FPDU that starts at `start`: behind its leading marker, if it has one
 * (MPA-098). */
static inline uint64_t mpa_fpdu_header(uint64_t start, bool markers)
{
  return markers && start % MPA_MARKER_PERIOD_OCTETS == 0 ? start + MPA_MARKER_OCTETS : start;
}

/* The reverse: first octet of the FPDU whose ULPDU_Length is at `header`. */
uint64_t mpa_fpdu_start(uint64_t header, bool markers);

/* PAD octets of a ULPDU: (-(2 + length)) mod 4 (MPA-078). */
static inline uint32_t mpa_fpdu_pad_octets(uint32_t ulpdu_octets)
{
  return -(MPA_FPDU_LENGTH_OCTETS + ulpdu_octets) % 4;
}

/* Stream octets of an FPDU that starts at offset `start`, a multiple of 4 as all FPDUs are (MPA-100), its
 * leading marker included when there is one and `markers`: header, ULPDU, PAD, CRC and the markers within
 * (MPA-111). */
static inline uint64_t mpa_fpdu_octets(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  uint32_t unmarked =
      MPA_FPDU_LENGTH_OCTETS + ulpdu_octets + mpa_fpdu_pad_octets(ulpdu_octets) + MPA_FPDU_CRC_OCTETS;

  g_assert(start % 4 == 0 && ulpdu_octets <= UINT16_MAX);
  if (!markers) {
    return unmarked;
  }
  /* notes-mpa 13: a marker goes in front of every 508th octet counted from the last marker; one that falls
   * behind the CRC is the next FPDU's, hence the - 1 (MPA-098). */
  uint32_t phase = (uint32_t)start % MPA_MARKER_PERIOD_OCTETS;
  uint32_t leading = phase == 0 ? MPA_MARKER_OCTETS : 0;
  uint32_t since_marker = phase + leading - MPA_MARKER_OCTETS;
  return leading + unmarked +
         MPA_MARKER_OCTETS * ((since_marker + unmarked - 1) / MPA_BETWEEN_MARKERS_OCTETS);
}

/* The FPDU at `start` with a ULPDU of `ulpdu_octets`. */
static inline mpa_fpdu mpa_fpdu_at(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  return (mpa_fpdu){.start = start,
                    .header = mpa_fpdu_header(start, markers),
                    .end = start + mpa_fpdu_octets(start, ulpdu_octets, markers),
                    .ulpdu_octets = ulpdu_octets,
                    .markers = markers};
}

/* Markers that belong to `fpdu`. */
uint32_t mpa_fpdu_marker_count(const mpa_fpdu *fpdu);

/* Octets of the ULPDU that lie below the stream offset `position`: 0 … ulpdu_octets. */
uint32_t mpa_fpdu_ulpdu_octets_below(const mpa_fpdu *fpdu, uint64_t position);

/* Whether the FPDU whose octets are octets[from, …) is valid. With `crc` a digest that does not match is
 * MPA_ERROR_CRC; that is looked at first (notes-mpa 20). Then each marker must point to this FPDU, else
 * MPA_ERROR_MARKER (MPA-278). PAD and RESERVED may hold anything (MPA-077, MPA-086). */
mpa_error mpa_fpdu_check(const mpa_fpdu *fpdu, const octet_rope *octets, uint32_t from, bool crc);

/* What mpa_fpdu_strip() does with `rest`, which lies in pieces that may end anywhere, in a marker, too; the next one comes behind `room`
 * octets. */
void mpa_fpdu_strip_pieces(octet_rope_range rest, uint32_t length, uint32_t room, octet_rope *ulpdu);

/* Appends the ULPDU of the FPDU octets[from, …) to the empty `ulpdu`, by reference: no markers, header,
 * PAD, CRC (MPA-058). True when it lies in one block: then octet_rope_clear_runs() may clear `ulpdu`. */
static inline bool mpa_fpdu_strip(const mpa_fpdu *fpdu, const octet_rope *octets, uint32_t from,
                                  octet_rope *ulpdu)
{
  uint64_t position = fpdu->header + MPA_FPDU_LENGTH_OCTETS;
  uint32_t first = from + (uint32_t)(position - fpdu->start);
  uint32_t behind = (uint32_t)(fpdu->end - position);
  uint32_t room = fpdu->markers ? (uint32_t)(mpa_marker_next(position) - position) : UINT32_MAX;
  const uint8_t *flat = octet_rope_flat(octets, first, behind);

  if (flat && fpdu->ulpdu_octets > 0) {
    const octet_runs runs = {.octets = flat,
                             .block = octet_rope_slices(octets)->block,
                             .length = fpdu->ulpdu_octets,
                             .first = room,
                             .run = MPA_BETWEEN_MARKERS_OCTETS,
                             .gap = MPA_MARKER_OCTETS};
    octet_rope_append_runs(ulpdu, &runs);
    return true;
  }
  mpa_fpdu_strip_pieces(octet_rope_range_of(octets, first, behind), fpdu->ulpdu_octets, room, ulpdu);
  return false;
}

#endif
