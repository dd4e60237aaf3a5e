/* SPDX-License-Identifier: GPL-2.0-only */
/* These are the segments of a connection that wait until it is known whether and where it speaks MPA, and
 * that verdict. */
#pragma once

#include <glib.h>

#include "base/reassembly_queue.h"
#include "decode/decode_direction.h"

/* Octets of one direction that are searched for the key of a startup frame. */
enum { DECODE_SEARCHED_OCTETS = 1 << 20 };

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

typedef struct decode_verdict_frame {
  bool is_there;
  uint8_t from; /* which end sent it */
  decode_startup_frame frame;
  GByteArray *octets; /* its own, the caller's to free: `frame` has its private data there */
  uint64_t position;  /* in its direction's stream */
  decode_packet_span packets;
  int64_t time_ns; /* of the last of them */
} decode_verdict_frame;

typedef struct decode_verdict {
  bool is_mpa; /* else nothing below holds */
  bool is_hinted;
  uint8_t initiator; /* which end of the flow */
  decode_verdict_frame frames[DECODE_FRAMES];
  bool reply_is_early; /* its sender had not acknowledged the Request when it sent it */
  bool is_of_one_role; /* the frames are, of which only one counts */
  bool has_frame[2];   /* this end sent a startup frame, of whichever key */
  bool has_start[2];   /* of what this end of the flow sent; FALSE: no octet of it came, and no SYN … */
  decode_direction_start starts[2]; /* … then all but where the stream starts holds */
  const char *text;                 /* what was assumed where startup frames do not show it; NULL: nothing */
} decode_verdict;

/* TRUE, and `verdict` is filled in, when that is known; always, once `waiting->is_over`. */
bool decode_verdict_reach(decode_verdict *verdict, const decode_waiting *waiting);

/* Frees what `verdict` has; it is all zero afterwards. */
void decode_verdict_clear(decode_verdict *verdict);
