/* SPDX-License-Identifier: GPL-2.0-only */
/* On the sending side of DDP a message becomes DDP Segments of at most MULPDU octets (ddp-07/rfc5041 §5.2
 * [v1.0: §7.2]; DDP-084). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "ddp/ddp_header.h"

typedef struct ddp_message {
  bool tagged;
  uint8_t ulp_control;
  uint32_t ulp_word;         /* untagged */
  uint32_t stag;             /* tagged */
  uint64_t tagged_offset;    /* tagged: TO of the first octet */
  uint32_t queue_number;     /* untagged, below queue_count; the messages of each queue get their own MSNs */
  uint32_t length;           /* payload octets, 0 … 2^32 - 1 (DDP-085) */
  ddp_payload_source source; /* may be NULL with length 0 */
  void *source_user;
} ddp_message;

/* A DDP Segment to be sent: the ULPDU that MPA frames, header and payload. It has no reference on them. */
typedef struct ddp_ulpdu {
  octet_slice slices[2]; /* the header's octets have no block; a segment without payload has one slice */
  uint32_t slice_count;
  uint32_t length;
} ddp_ulpdu;

static inline gather_list ddp_ulpdu_octets(const ddp_ulpdu *ulpdu)
{
  return (gather_list){.slices = ulpdu->slices, .slice_count = ulpdu->slice_count, .length = ulpdu->length};
}

/* It is read by everyone, and written only by the functions below. */
typedef struct ddp_segmenter {
  ddp_payload_source source; /* of the started message, as all of these */
  void *source_user;
  uint64_t tagged_offset;
  uint32_t length;
  uint32_t sent; /* its octets in segments so far */
  bool busy;     /* a message is started, and its last segment has not been taken */
  bool tagged;
  uint8_t version;
  uint8_t header_octets;
  uint8_t header[DDP_MAX_HEADER_OCTETS]; /* of its next segment; the ULPDU taken last refers to it */
  uint8_t queue_count;
  uint32_t next_msn[]; /* of each queue */
} ddp_segmenter;

/* Makes a segmenter that writes `version` (DV) into every header, for messages on the queues 0 … queue_count
 * - 1, each starting at `first_msn` (DDP_FIRST_MSN on the wire of a new stream; tests preset others). Free
 * with g_free() (NULL is allowed). */
ddp_segmenter *ddp_segmenter_new(uint8_t version, uint32_t queue_count, uint32_t first_msn);

/* Starts `message` (copied). Only when none is `busy`: segments of two messages never interleave
 * (note D18). An untagged one takes the next MSN of its queue (DDP-073, DDP-074). */
void ddp_segmenter_start(ddp_segmenter *segmenter, const ddp_message *message);

/* Payload octets of the started message that are in segments already; 0 when idle. */
uint32_t ddp_segmenter_sent_octets(const ddp_segmenter *segmenter);

/* Gives up the rest of the started message, if any (NULL is allowed): idle afterwards, and no segment with L
 * set is made up for it. Only where its octets are no longer available, or no end is left to Deliver it (note
 * D36). */
void ddp_segmenter_abandon(ddp_segmenter *segmenter);

/* Sets `*ulpdu` to the next segment of the started message: header and up to `mulpdu_octets` - header payload
 * octets (at least one must fit). A zero-length message is one segment of header only (DDP-098). Returns true
 * when it was the last (L set), after which the segmenter is idle. Each call may give another MULPDU: new
 * segments of the same message use it (DDP-016, DDP-017, note D24).
 *
 * The header's octets are the segmenter's own: `ulpdu` is to be framed before the next call of any kind, as
 * the framer copies it. */
bool ddp_segmenter_next(ddp_segmenter *segmenter, uint32_t mulpdu_octets, ddp_ulpdu *ulpdu);
