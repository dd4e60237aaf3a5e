/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `split`: a next hop whose segments are smaller. */
#ifndef PATH_PATH_SPLIT_H
#define PATH_PATH_SPLIT_H

#include "network/path_element.h"

/* Cuts each segment with more than `octets` (> 0) octets of payload into pieces of that many, the last one
 * shorter. Nothing waits, and nothing is remembered: boundaries between segments stay where they are. A
 * segment with SYN or RST passes as it is.
 *
 * All pieces have the segment's header fields, its ECN mark and its retransmission mark (path_waiting.h);
 * PSH and FIN are on the last, CWR is on the first. What is not a whole segment, or a wrong one:
 * path_box.h.
 *
 * A retransmission is cut like any other segment: in the pieces of the first time, if its boundaries are
 * those of the first time, else in others. */
path_element *path_split_new(uint32_t octets);

#endif
