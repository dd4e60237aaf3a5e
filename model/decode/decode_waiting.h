/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the segments of a connection that wait until it is known whether and where it speaks MPA. */
#pragma once

#include "base/reassembly_queue.h"
#include "decode/decode_events.h"
#include "decode/decode_stream.h"
#include "net/capture_stream.h"

/* This is what one end sent. Positions count from 0 after its SYN; when that was not captured (yet), they
 * have no meaning but their order. */
typedef struct decode_waiting_side {
  bool has_syn;
  capture_stream *stream; /* NULL before the first packet */
  reassembly_queue *octets;
  decode_packets packets;  /* that brought them */
  uint32_t first_sequence; /* of the octet with position `first_position` */
  uint64_t first_position;
  uint64_t keys[DECODE_FRAMES]; /* lowest position of the header of each startup frame that can be one;
                                   UINT64_MAX: there is none */
  bool is_strong;               /* one of them is at the first octet, where no text has what follows it */
  uint8_t ended_by;             /* TCP_FIN, TCP_RST: before any octet of it; 0: not so */
} decode_waiting_side;

typedef struct decode_waiting_segment {
  capture_segment segment;
  octet_buffer *buffer; /* NULL: no payload was captured */
} decode_waiting_segment;

/* Everyone reads it; written only by the functions below, but for `is_over`. */
typedef struct decode_waiting {
  const decode_hint *hint; /* of this connection; NULL: none */
  unsigned hinted;         /* the end that it names */
  uint64_t hold_octets;
  bool is_over;                 /* nothing more comes, or nothing may wait any longer */
  GArray *segments;             /* of decode_waiting_segment, in the order in which they came */
  decode_waiting_side sides[2]; /* by the end that sent it */
  uint64_t octets; /* of payload that is kept, and of the memory that each segment needs besides */
} decode_waiting;

/* Nothing waits yet. `hint` outlives it. Free with decode_waiting_free() (NULL is allowed). */
decode_waiting *decode_waiting_new(const decode_hint *hint, unsigned hinted, uint64_t hold_octets);
void decode_waiting_free(decode_waiting *waiting);

/* Copies what it needs of a segment of `flow`. */
void decode_waiting_add(decode_waiting *waiting, const capture_flow *flow, const capture_segment *segment);

/* It is known that the verdict will be MPA: by the hint, or by the first octets that an end sent. */
bool decode_waiting_is_sure(const decode_waiting *waiting);

/* Returns the lowest position of which there is an octet; UINT64_MAX: there is none. */
static inline uint64_t decode_waiting_lowest(const decode_waiting_side *side)
{
  return reassembly_queue_next_held(side->octets, 0);
}

/* Returns the octets from `position` on that are there without a gap, `most` at most. Free with
 * g_byte_array_unref(). */
GByteArray *decode_waiting_copy(const decode_waiting_side *side, uint64_t position, uint64_t most);

/* Returns the waiting segment of packet `packet`, which has payload. */
const capture_segment *decode_waiting_packet(const decode_waiting *waiting, uint64_t packet);
