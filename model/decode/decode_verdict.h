/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the verdict whether and where a connection speaks MPA, by what waits of it. */
#pragma once

#include "decode/decode_direction.h"
#include "decode/decode_waiting.h"

/* Octets of one direction that are searched for the key of a startup frame. */
enum { DECODE_SEARCHED_OCTETS = 1 << 20 };

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
