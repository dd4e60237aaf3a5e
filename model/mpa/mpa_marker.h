/* SPDX-License-Identifier: GPL-2.0-only */
/* Markers: where they are in the stream, and what they point to (mpa-01 §5.1).
 *
 * All positions are 64-bit offsets into the FPDU phase of one half connection, as in mpa_fpdu.h. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/big_endian.h"

enum {
  MPA_MARKER_OCTETS = 4,
  MPA_MARKER_PERIOD_OCTETS = 512, /* counts the marker itself (note M2) */
  MPA_BETWEEN_MARKERS_OCTETS = MPA_MARKER_PERIOD_OCTETS - MPA_MARKER_OCTETS, /* 508 (MPA-095) */
};

/* This is what mpa_marker_header() returns for a pointer that names no place in the FPDU phase. */
#define MPA_MARKER_NOWHERE UINT64_MAX

/* Returns the number of markers that start below `offset`: ceil(offset / 512). */
static inline uint64_t mpa_marker_count_below(uint64_t offset)
{
  return (offset + MPA_MARKER_PERIOD_OCTETS - 1) / MPA_MARKER_PERIOD_OCTETS;
}

/* Returns how many octets are between `offset` and the first marker position at or after it. */
static inline uint32_t mpa_octets_to_marker(uint64_t offset)
{
  return -(uint32_t)offset % MPA_MARKER_PERIOD_OCTETS;
}

/* Returns the first marker position at or after `offset`. */
static inline uint64_t mpa_marker_next(uint64_t offset)
{
  return mpa_marker_count_below(offset) * MPA_MARKER_PERIOD_OCTETS;
}

/* Returns the first marker position whose marker has an octet at or after `offset`: mpa_marker_next(), or
 * that of a marker that `offset` lies in. */
static inline uint64_t mpa_marker_reaching(uint64_t offset)
{
  const uint64_t reach = MPA_MARKER_OCTETS - 1;

  return mpa_marker_next(MAX(offset, reach) - reach);
}

/* Writes a marker with FPDUPTR `pointer`, of 16 bits, and RESERVED zero, most significant octet first
 * (MPA-084, MPA-085). */
static inline void mpa_marker_write_pointer(uint32_t pointer, uint8_t wire[MPA_MARKER_OCTETS])
{
  big_endian_write_32(wire, pointer); /* RESERVED is the upper half */
}

/* Writes the marker at `position` of the FPDU whose ULPDU_Length is at `header`. The pointer counts
 * back to ULPDU_Length (note M1); it is zero for a marker that leads its FPDU, `position` being 4 below
 * `header` (MPA-099). Any other distance must fit into 16 bits, as those of legal FPDUs do (MPA-088). */
static inline void mpa_marker_write(uint64_t position, uint64_t header, uint8_t wire[MPA_MARKER_OCTETS])
{
  /* mpa-01 §5.1 (MPA-096, MPA-099) */
  uint64_t pointer = position < header ? 0 : position - header;

  g_assert(position % MPA_MARKER_PERIOD_OCTETS == 0 && pointer <= UINT16_MAX);
  g_assert(position > header || position + MPA_MARKER_OCTETS == header);
  mpa_marker_write_pointer((uint32_t)pointer, wire);
}

/* Returns where ULPDU_Length is, according to the marker `wire` at `position`. RESERVED and the low two bits
 * of FPDUPTR are ignored (MPA-086, MPA-101). A pointer that lands on a marker is moved after it: no header
 * can be there, so the sender counted from the leading marker (note M1). MPA_MARKER_NOWHERE when it reaches
 * before offset 0 (note M10). */
static inline uint64_t mpa_marker_header(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS])
{
  /* mpa-01 §5.1: the low two bits count as zero (MPA-101). */
  uint64_t pointer = big_endian_read_16(wire + 2) & ~UINT64_C(3);

  if (pointer == 0) {
    return position + MPA_MARKER_OCTETS; /* mpa-01 §5.1 (MPA-099) */
  }
  if (pointer > position) {
    return MPA_MARKER_NOWHERE;
  }
  uint64_t header = position - pointer;
  return header % MPA_MARKER_PERIOD_OCTETS == 0 ? header + MPA_MARKER_OCTETS : header;
}

/* Returns whether the marker points to `header`, a possible place of ULPDU_Length. Most markers hold just the
 * distance, which is compared first. Where the distance does not fit into FPDUPTR, as in no legal FPDU
 * (MPA-088), its low 16 bits count. */
static inline bool mpa_marker_points_to(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS],
                                        uint64_t header)
{
  uint64_t distance = position - header;
  uint64_t pointer = big_endian_read_16(wire + 2);

  return pointer == distance || mpa_marker_header(position, wire) == header ||
         (position > header && distance > UINT16_MAX && pointer == (distance & UINT16_MAX));
}
