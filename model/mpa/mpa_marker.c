#include "mpa/mpa_marker.h"

#include <glib.h>

uint64_t mpa_marker_count_below(uint64_t offset)
{
  return (offset + MPA_MARKER_PERIOD_OCTETS - 1) / MPA_MARKER_PERIOD_OCTETS;
}

uint64_t mpa_marker_next(uint64_t offset)
{
  return mpa_marker_count_below(offset) * MPA_MARKER_PERIOD_OCTETS;
}

uint64_t mpa_marker_reaching(uint64_t offset)
{
  const uint64_t reach = MPA_MARKER_OCTETS - 1;

  return mpa_marker_next(MAX(offset, reach) - reach);
}

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
