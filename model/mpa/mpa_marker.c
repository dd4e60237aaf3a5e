/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_marker.h"

#include <glib.h>

uint64_t mpa_marker_header(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS])
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
