/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_mulpdu.h"

#include <glib.h>

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_marker.h"

uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers)
{
  /* Of EMSS mod 4: it rounds the segment down, so that a full ULPDU needs no PAD (notes-mpa 23). */
  uint64_t overhead = MPA_FPDU_LENGTH_OCTETS + MPA_FPDU_CRC_OCTETS + emss_octets % 4;

  if (markers) {
    overhead += MPA_MARKER_OCTETS * mpa_marker_count_below(emss_octets); /* mpa-01 §5.3.2 (MPA-143) */
  }
  /* Also when the EMSS is too small for it: then alignment is given up, not the minimum (MPA-153,
   * MPA-154). */
  if (emss_octets < overhead + MPA_MULPDU_MIN_OCTETS) {
    return MPA_MULPDU_MIN_OCTETS;
  }
  if (emss_octets > overhead + MPA_MULPDU_MAX_OCTETS) {
    return MPA_MULPDU_MAX_OCTETS;
  }
  return (uint32_t)(emss_octets - overhead);
}

/* The largest ULPDU, without PAD, whose FPDU lies within [offset, end); 0 when there is none. */
static uint64_t largest_ulpdu(uint64_t offset, uint64_t end, bool markers)
{
  uint64_t overhead = MPA_FPDU_LENGTH_OCTETS + MPA_FPDU_CRC_OCTETS;

  end -= end % 4; /* FPDUs are multiples of 4 octets from `offset` on, which is one */
  uint64_t octets = end - offset;
  if (markers) {
    octets -= MPA_MARKER_OCTETS * (mpa_marker_count_below(end) - mpa_marker_count_below(offset));
  }
  return octets > overhead ? octets - overhead : 0;
}

uint32_t mpa_mulpdu_exact_octets(uint64_t offset, uint32_t room_octets, uint32_t emss_octets, bool markers)
{
  g_assert(offset % 4 == 0);
  uint64_t ulpdu = largest_ulpdu(offset, offset + room_octets, markers);

  if (ulpdu < MPA_MULPDU_MIN_OCTETS) {
    /* The segment ends as it is; the FPDU starts the next, at the same offset. */
    ulpdu = largest_ulpdu(offset, offset + emss_octets, markers);
  }
  return (uint32_t)CLAMP(ulpdu, MPA_MULPDU_MIN_OCTETS, MPA_MULPDU_MAX_OCTETS);
}
