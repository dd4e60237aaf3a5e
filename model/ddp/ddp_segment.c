/* SPDX-License-Identifier: GPL-2.0-only */
#include "ddp/ddp_segment.h"

#include <glib.h>

size_t ddp_segment_header_wire(const ddp_segment *segment, uint8_t wire[DDP_MAX_HEADER_OCTETS])
{
  if (segment->header_octets == 0) {
    return 0;
  }
  size_t octets = ddp_header_encode(&segment->header, wire);
  g_assert(octets == segment->header_octets);
  wire[0] = segment->control;
  return octets;
}
