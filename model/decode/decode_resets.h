/* SPDX-License-Identifier: GPL-2.0-only */
/* This finds out which RST of a captured connection ended it. A TCP takes one at exactly RCV.NXT alone (RFC
 * 9293 §3.10.7.4, RFC 5961 §3.2), and the end whose RST was taken, or that sent it itself, acknowledges
 * nothing more of what is sent: others are strays, or were forged. */
#pragma once

#include "net/capture_packet.h"

/* This is known of one end; of sequence numbers, the highest. */
typedef struct decode_reset_end {
  bool has_next, has_acknowledged;
  uint32_t next;         /* after all that it sent */
  uint32_t acknowledged; /* by it */
  bool has_reset;        /* a RST of its stands, … */
  uint64_t packet;       /* … this one; */
  uint32_t sequence;     /* its sequence number, and what the two were then: */
  uint32_t next_then, acknowledged_then;
  bool had_acknowledged;
  bool has_missed; /* a RST of its was elsewhere */
} decode_reset_end;

/* While all are 0, nothing is known. Written only by the function below. */
typedef struct decode_resets {
  decode_reset_end ends[2]; /* of the flow */
} decode_resets;

typedef enum decode_reset_fate {
  DECODE_RESET_NONE,   /* nothing new */
  DECODE_RESET_STANDS, /* it is where it would be taken, and the first of its end */
  DECODE_RESET_MISSES, /* it is elsewhere, and the first such one */
  DECODE_RESET_FALLS,  /* what stood was not taken, as this acknowledgement shows */
} decode_reset_fate;

/* Takes what the next segment, whose checksum is good enough, shows. `edge`: the sequence number of the first
 * octet of its sender that has not come. `*from`: the end whose RST it is about. */
decode_reset_fate decode_resets_take(decode_resets *resets, const capture_segment *segment, uint32_t edge,
                                     unsigned *from);
