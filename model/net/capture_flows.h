/* SPDX-License-Identifier: GPL-2.0-only */
/* The TCP connections in a capture, and their table. */
#pragma once

#include "net/capture_packet.h"
#include "net/datagram.h"

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
  const struct capture_flow *before; /* that had these addresses and ports before; NULL: none */
} capture_flow;

typedef struct capture_flows capture_flows;

/* An empty table; free with capture_flows_free() (NULL is allowed). */
capture_flows *capture_flows_new(void);
void capture_flows_free(capture_flows *flows);

/* Sets the `flow` and `from` of `segment`, which is what capture_tcp_read() made of `ip`. Makes a new
 * connection when there is none between these addresses and ports, and when a SYN begins one
 * (RFC 9293 §3.4): its sequence number is another than that of the SYN before, or is not close below the
 * first octet of a connection whose SYN was not captured. A segment with a wrong checksum begins
 * nothing between known addresses. */
void capture_flows_assign(capture_flows *flows, capture_segment *segment, const capture_ip *ip);

/* The latest connection with these addresses and ports, whichever end is the source; NULL: there is none. */
const capture_flow *capture_flows_find(capture_flows *flows, const datagram_flow *between);

/* Connection `index` (< capture_flows_count()); its address stays. */
const capture_flow *capture_flows_at(const capture_flows *flows, uint32_t index);
uint32_t capture_flows_count(const capture_flows *flows);
