/* SPDX-License-Identifier: GPL-2.0-only */
/* One TCP segment as a capture shows it. */
#ifndef CAPTURE_CAPTURE_SEGMENT_H
#define CAPTURE_CAPTURE_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "net/ip_header.h"

/* What the TCP checksum in the capture says (RFC 9293 §3.1). */
typedef enum capture_checksum {
  CAPTURE_CHECKSUM_RIGHT,
  CAPTURE_CHECKSUM_WRONG, /* the packet was damaged: a TCP drops it */
  CAPTURE_CHECKSUM_UNFINISHED, /* 0, or the pseudo-header's sum alone: the sending host's NIC was to finish it (offload) */
  CAPTURE_CHECKSUM_UNKNOWN, /* not all of the segment was captured (snap length), or a source route hides its destination */
} capture_checksum;

typedef struct capture_segment {
  uint64_t packet; /* its number in the file, from 1; put together from fragments: that of the last */
  int64_t time_ns; /* since the capture's origin, see capture_source_origin_ns() */
  uint32_t flow;   /* capture_source_flow() */
  uint8_t from;    /* which of the flow's ends sent it, 0 or 1 */
  uint8_t flags;   /* TCP_SYN … of net/tcp_header.h */
  uint8_t ecn;     /* the two bits of the IP header */
  uint32_t sequence;
  uint32_t acknowledgement; /* with TCP_ACK */
  uint16_t window;          /* as sent, not scaled */
  bool has_timestamps;
  uint32_t timestamp_value;
  capture_checksum checksum;
  const uint8_t *payload;   /* the octets that were captured */
  uint32_t captured_octets; /* of the payload; fewer than payload_octets with a snap length */
  uint32_t payload_octets;  /* on the wire; of an offload's super-segment more than a packet can hold */
} capture_segment;

/* One end of a connection. */
typedef struct capture_end {
  ip_address address;
  uint16_t port;
} capture_end;

/* One TCP connection in a capture. Addresses and ports that are used anew, after a SYN of another sequence
 * number, make another one. A SYN that is captured after octets of its own (up to 64 MiB farther on) is
 * still theirs: has_syn may become true late. */
typedef struct capture_flow {
  uint32_t index;      /* in the order in which they appear, from 0 */
  capture_end ends[2]; /* 0: who sent the SYN, or, when that was not captured, its first packet */
  bool has_syn[2];     /* the SYN that this end sent was captured */
  uint32_t isn[2];     /* with has_syn: its sequence number */
} capture_flow;

#endif
