/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_fpdu.h"

#include <string.h>

#include "base/crc32c.h"

const char *mpa_error_text(mpa_error error)
{
  switch (error) {
  case MPA_ERROR_CLOSED:
    return "MPA error 1: the TCP connection is closed, terminated or lost";
  case MPA_ERROR_CRC:
    return "MPA error 2: the CRC of an FPDU does not match, or its length is impossible";
  case MPA_ERROR_MARKER:
    return "MPA error 3: a marker and ULPDU_Length disagree about where an FPDU starts";
  case MPA_ERROR_STARTUP:
    return "MPA error 4: an invalid MPA Request or Reply Frame";
  case MPA_ERROR_LOCAL:
    return "MPA error 5: the enhanced startup failed locally";
  case MPA_ERROR_IRD:
    return "MPA error 6: the peer's ORD is more than the IRD here";
  case MPA_ERROR_RTR:
    return "MPA error 7: no RTR indication or connection model that both ends have";
  case MPA_ERROR_NONE:
    break;
  }
  return "no MPA error";
}

/* Returns the octets of markers, whole or cut, below `position`. */
static uint64_t marker_octets_below(uint64_t position)
{
  uint64_t phase = position % MPA_MARKER_PERIOD_OCTETS;

  return position / MPA_MARKER_PERIOD_OCTETS * MPA_MARKER_OCTETS + MIN(phase, MPA_MARKER_OCTETS);
}

uint32_t mpa_fpdu_ulpdu_octets_below(const mpa_fpdu *fpdu, uint64_t position)
{
  uint64_t first = fpdu->header + MPA_FPDU_LENGTH_OCTETS;

  if (position <= first) {
    return 0;
  }
  uint64_t octets = position - first;
  if (fpdu->markers) {
    octets -= marker_octets_below(position) - marker_octets_below(first);
  }
  return (uint32_t)MIN(octets, fpdu->ulpdu_octets);
}

/* mpa-01 §5.2: a digest goes from the first octet, a leading marker included, to the last one before the CRC
 * field (MPA-127 … MPA-129). mpa-01 §7: all markers of an FPDU point to the place where its start was
 * established. Checking each is optional (MPA-284); we check each, so that every fault is found no later than
 * the FPDU is whole. */
inline mpa_error mpa_fpdu_check_flat(const mpa_fpdu *fpdu, const uint8_t *octets, bool crc)
{
  uint32_t length = (uint32_t)(fpdu->end - fpdu->start);

  if (crc) {
    uint32_t covered = length - MPA_FPDU_CRC_OCTETS;
    uint8_t digest[MPA_FPDU_CRC_OCTETS];

    crc32c_write(crc32c_update(CRC32C_INITIAL, octets, covered), digest);
    if (memcmp(octets + covered, digest, MPA_FPDU_CRC_OCTETS) != 0) {
      return MPA_ERROR_CRC; /* mpa-01 §7 (MPA-277) */
    }
  }
  if (fpdu->markers) {
    for (uint32_t at = mpa_octets_to_marker(fpdu->start); at < length; at += MPA_MARKER_PERIOD_OCTETS) {
      if (!mpa_marker_points_to(fpdu->start + at, octets + at, fpdu->header)) {
        return MPA_ERROR_MARKER; /* mpa-01 §7 (MPA-278) */
      }
    }
  }
  return MPA_ERROR_NONE;
}

/* Does the same of an FPDU that lies in several pieces. */
static G_GNUC_NO_INLINE mpa_error check_pieces(const mpa_fpdu *fpdu, const buffer_chain *octets,
                                               uint32_t from, bool crc)
{
  uint32_t length = (uint32_t)(fpdu->end - fpdu->start);

  g_assert(from + length <= octets->length);
  if (crc) {
    uint32_t covered = length - MPA_FPDU_CRC_OCTETS;
    uint8_t digest[MPA_FPDU_CRC_OCTETS];

    crc32c_write(crc32c_update_chain(CRC32C_INITIAL, octets, from, covered), digest);
    if (!buffer_chain_equals(octets, from + covered, MPA_FPDU_CRC_OCTETS, digest)) {
      return MPA_ERROR_CRC;
    }
  }
  if (fpdu->markers) {
    for (uint32_t at = mpa_octets_to_marker(fpdu->start); at < length; at += MPA_MARKER_PERIOD_OCTETS) {
      uint8_t wire[MPA_MARKER_OCTETS];

      buffer_chain_copy_out(octets, from + at, MPA_MARKER_OCTETS, wire);
      if (!mpa_marker_points_to(fpdu->start + at, wire, fpdu->header)) {
        return MPA_ERROR_MARKER;
      }
    }
  }
  return MPA_ERROR_NONE;
}

mpa_error mpa_fpdu_check(const mpa_fpdu *fpdu, const buffer_chain *octets, uint32_t from, bool crc)
{
  const uint8_t *flat = buffer_chain_flat(octets, from, (uint32_t)(fpdu->end - fpdu->start));

  return flat ? mpa_fpdu_check_flat(fpdu, flat, crc) : check_pieces(fpdu, octets, from, crc);
}

inline void mpa_ulpdu_copy_out(const mpa_ulpdu *ulpdu, uint32_t from, uint32_t length, uint8_t *target)
{
  const uint8_t *flat = ulpdu->flat;
  uint32_t at = mpa_fpdu_header_octets(&ulpdu->fpdu) + from; /* in the FPDU */
  uint32_t run = mpa_fpdu_first_run(&ulpdu->fpdu);           /* to the next marker */

  g_assert(from <= ulpdu->fpdu.ulpdu_octets && length <= ulpdu->fpdu.ulpdu_octets - from);
  for (; from >= run; run += MPA_BETWEEN_MARKERS_OCTETS) {
    at += MPA_MARKER_OCTETS;
  }
  for (run -= from; length > 0; run = MPA_BETWEEN_MARKERS_OCTETS) {
    run = MIN(run, length);
    if (flat) {
      memcpy(target, flat + at, run);
    } else {
      buffer_chain_copy_out(ulpdu->octets, ulpdu->from + at, run, target);
    }
    target += run;
    length -= run;
    at += run + MPA_MARKER_OCTETS;
  }
}
