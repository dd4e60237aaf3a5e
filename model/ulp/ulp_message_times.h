/* SPDX-License-Identifier: GPL-2.0-only */
/* When what happened to a message of a plan: from the time that its ULP has it, until it is complete at both
 * ends (docs/decisions.md, "The times of a message"). */
#pragma once

#include <stdint.h>

#include "base/side.h"
#include "base/time_ps.h"
#include "ddp/ddp_segment.h"
#include "ulp/ulp_plan.h"

/* Times are simulated; TIME_PS_NEVER: not so far. */
typedef struct ulp_message_times {
  uint64_t id; /* the application's; without one 1, 2, 3 … in the order posted, of each requester */
  ulp_operation operation; /* the plan's */
  enum side requester;
  uint32_t octets;
  /* the ULP has it: it was submitted, or in a closed loop its place of `outstanding` was free */
  time_ps posted;
  time_ps first_placed;   /* the first and … */
  time_ps placed;         /* … the last of its octets lies in its memory (Placement) */
  time_ps delivered;      /* its last segment, and all of the stream before it (Delivery) */
  time_ps completed;      /* as its requester sees it */
  uint64_t stream_octets; /* of the FPDUs that its data came in, markers included */
} ulp_message_times;

/* A message that is not complete at both ends. */
typedef struct ulp_timed_message {
  ulp_message_times times;
  time_ps placed_last;            /* of its segments so far; 0: there are none */
  struct ulp_timed_message *next; /* in its list, which has the newest first … */
  struct ulp_timed_message **at;  /* … and where the list has it */
} ulp_timed_message;

/* `segment` of the message's data is Delivered at `now`, and was Placed by then. */
static inline void ulp_timed_message_take(ulp_timed_message *message, const ddp_segment *segment, time_ps now)
{
  ulp_message_times *times = &message->times;

  times->first_placed = time_ps_earlier(times->first_placed, segment->placed);
  message->placed_last = segment->placed > message->placed_last ? segment->placed : message->placed_last;
  times->stream_octets += segment->fpdu_end - segment->fpdu_start;
  if (segment->header.last) {
    times->placed = message->placed_last;
    times->delivered = now;
  }
}
