/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP headers, as a capture has them, and their checksums. */
#ifndef CAPTURE_CAPTURE_TCP_H
#define CAPTURE_CAPTURE_TCP_H

#include "net/capture_ip.h"
#include "net/capture_segment.h"

/* Reads the TCP segment in `ip`, which is no fragment, into `segment`: all but packet, time_ns, flow and from. Options that are garbled
 * or cut off are passed over, as RFC 9293 §3.1 (MUST-7) has it. False when the header's 20 octets are not there, or it says that it is
 * longer than the segment. */
bool capture_tcp_read(capture_segment *segment, const capture_ip *ip);

#endif
