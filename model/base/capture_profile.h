/* SPDX-License-Identifier: GPL-2.0-only */
/* What a capture shows of a connection, for the layers of an end that takes the place of the one that received it. Such an end looks on: its own
 * side is elsewhere, in the capture or not in it. */
#ifndef BASE_CAPTURE_PROFILE_H
#define BASE_CAPTURE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

enum { CAPTURE_PROFILE_QUEUES = 3 }; /* of RDMAP */

typedef struct capture_profile {
  bool
      is_frameless; /* no startup frame comes: MPA is in full operation when TCP is established, whatever the generation */
  bool takes_long_ulpdus; /* see mpa_deframer_take_long() */
  uint64_t first_offset;  /* of the FPDU phase: the first octet that comes, where an FPDU starts, … */
  uint32_t first_msn
      [CAPTURE_PROFILE_QUEUES]; /* … and the first MSN of each untagged queue; 0: as of a new stream */
} capture_profile;

#endif
