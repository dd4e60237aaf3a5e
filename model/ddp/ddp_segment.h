/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one received DDP Segment on its way from Placement to Delivery.
 *
 * For the ULP: at Delivery of the L segment of an untagged message, `message_memory` and `message_octets` are
 * that message; a Terminate takes the header from ddp_segment_header_wire() and the ULPDU's length from
 * ddp_segment_ulpdu_octets(), of a faulty segment as of a Delivered one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deque.h"
#include "base/time_ps.h"
#include "ddp/ddp_header.h"

typedef struct ddp_segment {
  ddp_header header;   /* all 0 when `header_octets` is */
  uint64_t fpdu_start; /* where it lies in the stream: the order token (ddp-07/rfc5041 §2.3, DDP-013) */
  uint64_t fpdu_end;
  uint32_t payload_octets; /* 0 when `header_octets` is: how much of the ULPDU is payload is not known */
  uint8_t header_octets;   /* 0 when the ULPDU was too short to hold a header (note D15) */
  uint8_t control;         /* the DDP Control octet as received, Rsvd bits and all */
  uint8_t *target;         /* where its payload is placed; NULL when there is none, or it goes nowhere */
  time_ps placed;          /* when it was, the first time */
  uint64_t observer;       /* set by whoever handles `placed`, handed back with `delivered` */
  /* At Delivery, when it is the L segment of an untagged message: the buffer it was posted with (NULL when
   * that was empty), and how many octets of it the message has (ddp-07/rfc5041 §5.4, DDP-116), never more
   * than there are. Else NULL and 0. */
  uint8_t *message_memory;
  uint64_t message_octets;
} ddp_segment;

/* Writes the segment's DDP header to `wire` exactly as it was received, and returns its length: 14, 18, or
 * 0 when there is none (for the report of an error: DDP-159). */
size_t ddp_segment_header_wire(const ddp_segment *segment, uint8_t wire[DDP_MAX_HEADER_OCTETS]);

/* Returns the length of its ULPDU, header and payload (note D44); 0 when there is no whole header. */
static inline uint32_t ddp_segment_ulpdu_octets(const ddp_segment *segment)
{
  return segment->header_octets + segment->payload_octets;
}

/* It is read by everyone, and written only by the functions below. */
typedef struct ddp_undelivered {
  deque segments; /* ddp_segment, ascending, disjoint */
} ddp_undelivered;

/* An empty store; free with ddp_undelivered_free(). For all functions but ddp_undelivered_add() NULL is an
 * empty one, too. */
ddp_undelivered *ddp_undelivered_new(void);
void ddp_undelivered_free(ddp_undelivered *undelivered);

/* Adds a copy of `segment` and returns it, valid until the store changes; NULL, and nothing done, when the
 * very same [fpdu_start, fpdu_end) is there already. Else it is not empty and overlaps none in the store.
 * Amortised constant time near either end, as after a loss; nothing is allocated for each segment. */
ddp_segment *ddp_undelivered_add(ddp_undelivered *undelivered, const ddp_segment *segment);

/* Takes out the first segment when it starts at `position`; false, and `*segment` left alone, when it does
 * not. */
bool ddp_undelivered_take(ddp_undelivered *undelivered, uint64_t position, ddp_segment *segment);

/* Forgets all segments that start at or after `position`. */
void ddp_undelivered_drop_from(ddp_undelivered *undelivered, uint64_t position);
