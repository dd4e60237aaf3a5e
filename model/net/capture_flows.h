/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the TCP connections in a capture. */
#ifndef CAPTURE_CAPTURE_FLOWS_H
#define CAPTURE_CAPTURE_FLOWS_H

#include "net/capture_packet.h"

typedef struct capture_flows capture_flows;

/* An empty table; free with capture_flows_free() (NULL is allowed). */
capture_flows *capture_flows_new(void);
void capture_flows_free(capture_flows *flows);

/* Sets the `flow` and `from` of `segment`, which is what capture_tcp_read() made of `ip`. Makes a new
 * connection when there is none between these addresses and ports, and when a SYN says that it begins one
 * (RFC 9293 §3.4): its sequence number is another than that of the SYN before, or is not close below the
 * first octet of a connection whose SYN was not captured. What a segment with a wrong checksum says begins
 * nothing between known addresses. */
void capture_flows_assign(capture_flows *flows, capture_segment *segment, const capture_ip *ip);

/* Connection `index` (< capture_flows_count()); its address stays. */
const capture_flow *capture_flows_at(const capture_flows *flows, uint32_t index);
uint32_t capture_flows_count(const capture_flows *flows);

#endif
