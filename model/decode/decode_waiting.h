/* SPDX-License-Identifier: GPL-2.0-only */
/* The segments of a connection of which it is not known yet whether and where it speaks MPA. */
#pragma once

#include <glib.h>

#include "base/reassembly_queue.h"
#include "decode/decode_reader.h"
#include "decode/decode_stream.h"
#include "net/capture_packet.h"
#include "net/capture_stream.h"

/* What one end sent. Positions count from 0 after its SYN; when that was not captured (yet), they have no
 * meaning but their order. Read by everyone, written only by the functions below. */
typedef struct decode_waiting_side {
  bool has_syn;
  bool is_seen;           /* packets of it were captured */
  capture_stream *stream; /* NULL before the first packet */
  reassembly_queue *octets;
  decode_packets packets;  /* that brought them */
  uint32_t first_sequence; /* of the octet with position `first_position` */
  uint64_t first_position;
  uint64_t keys[2]; /* lowest position of the key of a Request, and of a Reply; UINT64_MAX */
} decode_waiting_side;

typedef struct decode_waiting decode_waiting;

/* Nothing. `blocks` outlives it. Free with decode_waiting_free() (NULL is allowed). */
decode_waiting *decode_waiting_new(decode_blocks *blocks);
void decode_waiting_free(decode_waiting *waiting);

/* Copies what it needs of a segment of `flow`. */
void decode_waiting_add(decode_waiting *waiting, const capture_flow *flow, const capture_segment *segment);

/* What end `from` sent. */
const decode_waiting_side *decode_waiting_of(const decode_waiting *waiting, unsigned from);

/* Octets of payload that it keeps; what a segment costs besides is counted, too. */
uint64_t decode_waiting_octets(const decode_waiting *waiting);

/* The lowest position of which there is an octet; UINT64_MAX: there is none. And the end of the octets that
 * follow it without a gap, or that follow `position`. */
uint64_t decode_waiting_lowest(const decode_waiting_side *side);
uint64_t decode_waiting_run_end(const decode_waiting_side *side, uint64_t position);

/* All octets of the side up to `position` came, and its SYN; they need not be captured (snap length). */
bool decode_waiting_is_whole_to(const decode_waiting_side *side, uint64_t position);

/* Appends the octets of [from, to), all of which must be there, to the empty `octets`. */
void decode_waiting_copy(const decode_waiting_side *side, uint64_t from, uint64_t to, GByteArray *octets);

/* When packet `packet`, a segment with payload, was captured. */
int64_t decode_waiting_time(const decode_waiting *waiting, uint64_t packet);

/* Packet `packet` acknowledges octets of what the other end sent. FALSE when the SYN of that end was not
 * captured: then nobody knows. */
bool decode_waiting_acknowledges(const decode_waiting *waiting, uint64_t packet);

/* The segment with this index in the order in which they came; NULL beyond the last. */
const capture_segment *decode_waiting_segment(const decode_waiting *waiting, size_t index);
