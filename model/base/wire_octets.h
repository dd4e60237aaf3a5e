/* SPDX-License-Identifier: GPL-2.0-only */
/* What a packet costs on a link, as netem's `rate` counts it: once for the links, the scenario's derived values and the results. */
#ifndef BASE_WIRE_OCTETS_H
#define BASE_WIRE_OCTETS_H

#include <stdint.h>

/* A packet of `ip_octets` with `framing_octets` more, which may be fewer than none but not make it empty; in whole cells when
 * `cell_octets` > 0, each of them with `cell_overhead_octets` more (or fewer, but not none). tc-netem(8), rate: 50 octets in ATM's cells of
 * 48 and 5 are 106. */
static inline uint32_t wire_octets(uint32_t ip_octets, int32_t framing_octets, uint32_t cell_octets,
                                   int32_t cell_overhead_octets)
{
  uint32_t octets = ip_octets + (uint32_t)framing_octets;

  return cell_octets == 0
             ? octets
             : (octets + cell_octets - 1) / cell_octets * (cell_octets + (uint32_t)cell_overhead_octets);
}

#endif
