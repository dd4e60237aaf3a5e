/* SPDX-License-Identifier: GPL-2.0-only */
/* A ULPDU for a test of what is above MPA. */
#pragma once

#include "mpa/mpa_fpdu.h"

/* Returns the ULPDU that is all of `octets`, without an FPDU around it, which is at [start, end) of the
 * stream.
 */
static inline mpa_ulpdu bare_ulpdu(uint64_t start, uint64_t end, const buffer_chain *octets)
{
  return (mpa_ulpdu){.fpdu = {.start = start,
                              .header = start - MPA_FPDU_LENGTH_OCTETS, /* so ULPDU and FPDU begin together */
                              .end = end,
                              .ulpdu_octets = octets->length},
                     .octets = octets};
}
