#include "mpa/mpa_mulpdu.h"

#include "mpa/mpa_marker.h"

uint32_t mpa_mulpdu_octets(uint32_t emss_octets, bool markers)
{
  /* Of EMSS mod 4: it rounds the segment down, so that a full ULPDU needs no PAD (notes-mpa 23). */
  uint64_t overhead = 6 + emss_octets % 4;

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
