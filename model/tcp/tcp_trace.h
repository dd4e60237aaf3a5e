/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a trace has of the segments that a TCP sends, whichever TCP it is. */
#pragma once

#include "net/datagram.h"
#include "trace/trace.h"

/* `packet`, which TCP has just made, gets its number and is written. The streams that are sent and received
 * begin after `isn` and `peer_isn`, and have come to about `next` and `edge`; the window that is advertised
 * is in units of 2^`scale` octets. */
void tcp_trace_sent(const trace_scope *scope, datagram *packet, uint32_t isn, uint64_t next,
                    uint32_t peer_isn, uint64_t edge, uint8_t scale);
