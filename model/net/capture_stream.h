/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of a TCP connection in a capture, as octets with positions: sequence numbers become 64-bit
 * stream positions, whatever the order of the segments; octets that come again are left out (the first ones
 * stay, MPA-032). Holds no octets. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/capture_packet.h"

typedef struct capture_stream capture_stream;

/* Where the positions of a stream start whose first octet is not known: so far from 0 that segments from
 * before the first captured one have positions. */
#define CAPTURE_STREAM_MIDDLE (UINT64_C(1) << 32)

/* Called for each run of new octets of a segment, in ascending order: `length` (> 0) octets from `position`
 * on; `octets` is NULL for octets that were on the wire and not captured (snap length). */
typedef void (*capture_stream_octets)(void *user, uint64_t position, const uint8_t *octets, uint32_t length);

/* A stream whose octet of sequence number `first_sequence` has position `first_position`: ISN + 1 and 0 when
 * the SYN was captured. Free with capture_stream_free() (NULL is allowed). */
capture_stream *capture_stream_new(uint32_t first_sequence, uint64_t first_position);
void capture_stream_free(capture_stream *stream);

/* The position of a sequence number: of all possible ones that nearest to the octets that have come; may be
 * below 0 (the SYN is at -1). */
int64_t capture_stream_position(const capture_stream *stream, uint32_t sequence);

/* Takes in a segment of this direction; calls `octets` with `user` for what is new in it, which by then
 * counts as arrived. Returns how many octets are new. Callers must not pass segments with a wrong checksum.
 * The payload of a reset is ignored.
 *
 * A segment more than 2^29 octets ahead of the traffic is taken for garbled, and its octets are lost, unless
 * another segment close to it came just before: then everything in between was not captured. */
uint32_t capture_stream_receive(capture_stream *stream, const capture_segment *segment,
                                capture_stream_octets octets, void *user);

/* All octets from the first position (see capture_stream_new()) to below this have come. */
uint64_t capture_stream_in_order_edge(const capture_stream *stream);

/* The highest position that came, plus 1. */
uint64_t capture_stream_end(const capture_stream *stream);

/* How many octets of [from, to) have not come (0 when from >= to). */
uint64_t capture_stream_missing(const capture_stream *stream, uint64_t from, uint64_t to);

/* The end of the run of octets from `position` on that have all come (`*came`), or have all not come;
 * UINT64_MAX when no later octet has come. O(log runs). */
uint64_t capture_stream_run_end(const capture_stream *stream, uint64_t position, bool *came);
