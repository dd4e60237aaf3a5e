/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments of a capture become FPDUs: finds the connections that speak MPA, and decodes both directions of
 * each, whatever the order of the segments. Sans I/O: segments go in (capture_source_next()), events and
 * summaries come out.
 *
 * A connection speaks MPA when its ends exchange startup frames, at the first octet or after octets of
 * streaming mode, or by a hint (rdmac has no startup frames; a capture can start in the middle). Octets wait
 * until it is known whether it does, up to a limit.
 *
 * FPDUs are located as a receiver that looks ahead locates them (mpa-01 §5.4, MPA-163; mpa/mpa_deframer). In
 * order, an FPDU with a wrong CRC is reported, its length is followed, and what follows is marked
 * `after_error`; after a hole only located and valid FPDUs are reported. */
#pragma once

#include "decode/decode_events.h"

typedef struct decode_session decode_session;

/* Returns a session; `options` (NULL: defaults) are copied, `handler` (NULL: none) gets `user` and the
 * events. Free with decode_session_free() (NULL is allowed). */
decode_session *decode_session_new(const decode_options *options, decode_handler handler, void *user);
void decode_session_free(decode_session *session);

/* Takes the next segment, of `flow` (capture_source_flow(), whose address stays valid). */
void decode_session_receive(decode_session *session, const capture_flow *flow,
                            const capture_segment *segment);

/* The capture ends: what waits is decided, notes report what is left, the summaries are completed. To be
 * called once; only the functions below may be called afterwards. */
void decode_session_finish(decode_session *session);

/* Returns the connections that speak MPA, as far as known now: decode_connection, the session's. Before a
 * connection's first event nothing but its index is in it. */
const GPtrArray *decode_session_connections(const decode_session *session);

/* Returns how many segments of these connections were passed over for a wrong checksum, in words; NULL: none
 * was. To be called after decode_session_finish(). Free with g_free(). */
char *decode_session_passed_over(const decode_session *session);

/* Writes "10.0.0.1:49152" or "[fd00::1]:5044". */
void decode_print_end(const capture_end *end, char text[DECODE_END_LETTERS]);
