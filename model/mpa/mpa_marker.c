#include "mpa/mpa_marker.h"

#include <glib.h>

enum {
  BETWEEN_MARKERS_OCTETS = MPA_MARKER_PERIOD_OCTETS - MPA_MARKER_OCTETS, /* 508 (MPA-095) */
  HEADER_OCTETS = 2,
  CRC_OCTETS = 4,
};

uint64_t mpa_marker_count_below(uint64_t offset)
{
  return (offset + MPA_MARKER_PERIOD_OCTETS - 1) / MPA_MARKER_PERIOD_OCTETS;
}

uint64_t mpa_marker_next(uint64_t offset)
{
  return mpa_marker_count_below(offset) * MPA_MARKER_PERIOD_OCTETS;
}

void mpa_marker_write(uint64_t position, uint64_t header, uint8_t wire[MPA_MARKER_OCTETS])
{
  /* mpa-01 §5.1 (MPA-096, MPA-099) */
  uint64_t pointer = position < header ? 0 : position - header;

  g_assert(position % MPA_MARKER_PERIOD_OCTETS == 0 && pointer <= UINT16_MAX);
  g_assert(position > header || position + MPA_MARKER_OCTETS == header);
  wire[0] = 0;
  wire[1] = 0;
  wire[2] = (uint8_t)(pointer >> 8);
  wire[3] = (uint8_t)pointer;
}

uint64_t mpa_marker_header(uint64_t position, const uint8_t wire[MPA_MARKER_OCTETS])
{
  /* mpa-01 §5.1: the low two bits count as zero (MPA-101). */
  uint64_t pointer = (uint64_t)(wire[2] << 8 | wire[3]) & ~UINT64_C(3);

  if (pointer == 0) {
    return position + MPA_MARKER_OCTETS; /* mpa-01 §5.1 (MPA-099) */
  }
  if (pointer > position) {
    return MPA_MARKER_NOWHERE;
  }
  uint64_t header = position - pointer;
  return header % MPA_MARKER_PERIOD_OCTETS == 0 ? header + MPA_MARKER_OCTETS : header;
}

uint32_t mpa_pad_octets(uint32_t ulpdu_octets)
{
  return -(HEADER_OCTETS + ulpdu_octets) % 4;
}

uint64_t mpa_fpdu_octets(uint64_t start, uint32_t ulpdu_octets, bool markers)
{
  uint64_t unmarked = HEADER_OCTETS + (uint64_t)ulpdu_octets + mpa_pad_octets(ulpdu_octets) + CRC_OCTETS;
  uint64_t phase = start % MPA_MARKER_PERIOD_OCTETS;

  g_assert(start % 4 == 0);
  if (!markers) {
    return unmarked;
  }
  /* notes-mpa 13: a marker goes in front of every 508th octet counted from the last marker; one that falls
   * behind the CRC is the next FPDU's, hence the - 1 (MPA-098). */
  uint64_t leading = phase == 0 ? MPA_MARKER_OCTETS : 0;
  uint64_t since_marker = phase + leading - MPA_MARKER_OCTETS;
  return leading + unmarked + MPA_MARKER_OCTETS * ((since_marker + unmarked - 1) / BETWEEN_MARKERS_OCTETS);
}
