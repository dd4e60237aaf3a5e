/* One received DDP Segment on its way from Placement to Delivery. */
#ifndef DDP_DDP_SEGMENT_H
#define DDP_DDP_SEGMENT_H

#include <stdint.h>

#include "ddp/ddp_header.h"

typedef struct ddp_segment {
  ddp_header header;   /* all 0 when `header_octets` is */
  uint64_t fpdu_start; /* where it lies in the stream: the order token (ddp-07/rfc5041 §2.3, DDP-013) */
  uint64_t fpdu_end;
  uint32_t header_octets; /* 0 when the ULPDU was too short to hold a header */
  uint32_t payload_octets;
  uint8_t *target;   /* where its payload is placed; NULL when there is none */
  uint64_t observer; /* set by whoever handles `placed`, handed back with `delivered` */
  /* At Delivery, when it is the L segment of an untagged message: the length of that message
   * (ddp-07/rfc5041 §5.4, DDP-116), never beyond its buffer. Else 0. */
  uint64_t message_octets;
} ddp_segment;

#endif
