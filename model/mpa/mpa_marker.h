/* SPDX-License-Identifier: GPL-2.0-only */
/* The arithmetic of markers (mpa-01 §4.1, §5.1): where they are, how many, what they say.
 *
 * All positions are 64-bit offsets into the FPDU phase of one half connection: offset 0 is the first octet
 * of the first FPDU (with markers: its leading marker) (notes-mpa 7). */
#ifndef MPA_MPA_MARKER_H
#define MPA_MPA_MARKER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/big_endian.h"

enum {
  MPA_MARKER_OCTETS = 4,
  MPA_MARKER_PERIOD_OCTETS = 512, /* counts the marker itself (notes-mpa 2) */
};

/* What mpa_marker_header() returns for a pointer that names no place in the FPDU phase. */
#define MPA_MARKER_NOWHERE UINT64_MAX

/* Number of markers that start below `offset`: ceil(offset / 512). */
static inline uint64_t mpa_marker_count_below(uint64_t offset)
{
  return (offset + MPA_MARKER_PERIOD_OCTETS - 1) / MPA_MARKER_PERIOD_OCTETS;
}

/* The first marker position at or behind `offset`. */
static inline uint64_t mpa_marker_next(uint64_t offset)
{
  return mpa_marker_count_below(offset) * MPA_MARKER_PERIOD_OCTETS;
}

/* The first marker position whose marker has an octet at or behind `offset`: mpa_marker_next(), or that of a
 * marker that `offset` lies in. */
static inline uint64_t mpa_marker_reaching(uint64_t offset)
{
  const uint64_t reach = MPA_MARKER_OCTETS - 1;

  return mpa_marker_next(MAX(offset, reach) - reach);
}

/* Writes the marker at `position` of the FPDU whose ULPDU_Length is at `header`: RESERVED zero and
 * FPDUPTR, most significant octet first (MPA-084, MPA-085). The pointer counts back to ULPDU_Length
 * (notes-mpa 1); it is zero for a marker that leads its FPDU, `position` being 4 below `header` (MPA-099).
 * Any other distance must fit into 16 bits, as those of legal FPDUs do (MPA-088). */
static inline void mpa_marker_write(uint64_t position, uint64_t header, uint8_t wire[MPA_MARKER_OCTETS])
{
  /* mpa-01 §5.1 (MPA-096, MPA-099) */
  uint64_t pointer = position < header ? 0 : position - header;

  g_assert(position % MPA_MARKER_PERIOD_OCTETS == 0 && pointer <= UINT16_MAX);
  g_assert(position > header || position + MPA_MARKER_OCTETS == header);
  big_endian_write_32(wire, (uint32_t)pointer); /* RESERVED is the upper half */
}

/* Where the marker `wire` at `position` says that ULPDU_Length is. RESERVED and the low two bits of
 * FPDUPTR are ignored (MPA-086, MPA-101). A pointer that lands on a marker is moved behind it: no header
 * can be there, so the sender counted from the leading marker (notes-mpa 1). MPA_MARKER_NOWHERE when it
 * reaches before offset 0 (notes-mpa 10). */
uint64_t mpa_marker_header(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS]);

/* Whether that is `header`, where an FPDU can have it. Most markers say so in the plainest way. Where the distance does not fit into FPDUPTR, as in no
 * legal FPDU (MPA-088), its low 16 bits do. */
static inline bool mpa_marker_points_to(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS],
                                        uint64_t header)
{
  uint64_t distance = position - header;
  uint64_t pointer = big_endian_read_16(wire + 2);

  return pointer == distance || mpa_marker_header(position, wire) == header ||
         (position > header && distance > UINT16_MAX && pointer == (distance & UINT16_MAX));
}

#endif
