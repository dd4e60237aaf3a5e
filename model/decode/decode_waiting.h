/* SPDX-License-Identifier: GPL-2.0-only */
/* The segments of a connection of which it is not known yet whether and where it speaks MPA. */
#pragma once

#include <glib.h>

#include "base/reassembly_queue.h"
#include "decode/decode_stream.h"
#include "net/capture_packet.h"
#include "net/capture_stream.h"

/* The two startup frames. */
enum { DECODE_REQUEST, DECODE_REPLY, DECODE_FRAMES };

/* What one end sent. Positions count from 0 after its SYN; when that was not captured (yet), they have no
 * meaning but their order. */
typedef struct decode_waiting_side {
  bool has_syn;
  bool is_seen;           /* packets of it were captured */
  capture_stream *stream; /* NULL before the first packet; so is the next */
  reassembly_queue *octets;
  decode_packets packets;  /* that brought them */
  uint32_t first_sequence; /* of the octet with position `first_position` */
  uint64_t first_position;
  uint64_t keys[DECODE_FRAMES]; /* lowest position of the key of each; UINT64_MAX: there is none */
} decode_waiting_side;

typedef struct decode_waiting_segment {
  capture_segment segment;
  octet_buffer *buffer; /* NULL: no payload was captured */
} decode_waiting_segment;

/* Read by everyone; written only by the functions below, but for `is_over`. */
typedef struct decode_waiting {
  const decode_hint *hint; /* of this connection; NULL: none */
  unsigned hinted;         /* the end that it names */
  uint64_t hold_octets;
  bool is_over;                 /* nothing comes any more, or may wait any longer */
  GArray *segments;             /* of decode_waiting_segment, in the order in which they came */
  decode_waiting_side sides[2]; /* by the end that sent it */
  uint64_t octets;              /* of payload that is kept; what a segment costs besides is counted, too */
} decode_waiting;

/* Nothing. `hint` outlives it. Free with decode_waiting_free() (NULL is allowed). */
decode_waiting *decode_waiting_new(const decode_hint *hint, unsigned hinted, uint64_t hold_octets);
void decode_waiting_free(decode_waiting *waiting);

/* Copies what it needs of a segment of `flow`. */
void decode_waiting_add(decode_waiting *waiting, const capture_flow *flow, const capture_segment *segment);

/* The lowest position of which there is an octet; UINT64_MAX: there is none. And the end of the octets that
 * follow `position` without a gap. */
uint64_t decode_waiting_lowest(const decode_waiting_side *side);
uint64_t decode_waiting_run_end(const decode_waiting_side *side, uint64_t position);

/* The octets from `position` on that are there without a gap, `most` at most, in place of what `octets` has.
 */
void decode_waiting_copy(const decode_waiting_side *side, uint64_t position, uint64_t most,
                         GByteArray *octets);

/* Packet `packet`, a segment with payload; NULL: it does not wait. */
const capture_segment *decode_waiting_packet(const decode_waiting *waiting, uint64_t packet);
