/* SPDX-License-Identifier: GPL-2.0-only */
/* This checks whether the Read and Atomic Responses of one end are as the other end's Requests ask: STag,
 * Tagged Offset and length, Request Identifier, and order (RFC 5040 §5.2.2, §5.5; RFC 7306 §5.2.2), and
 * whether as many Reads are outstanding as was agreed. FPDUs may come in any order. A Read Response that fits
 * some Request is right but for its order: several may have one sink. Where one comes before its Request, as
 * in a capture that was merged, nothing is judged. */
#pragma once

#include "decode/decode_events.h"

typedef struct decode_reads decode_reads;

/* Returns a list of no Read. Free with decode_reads_free() (NULL is allowed). */
decode_reads *decode_reads_new(void);
void decode_reads_free(decode_reads *reads);

/* Take the FPDU of an event, whose CRC is not wrong: a Read or Atomic Request of the one end, a Response of
 * the other. `most`: so many Reads may be outstanding (UINT32_MAX: it is not known, or not which Responses
 * that end had got); those of Atomics are agreed on by the ULP (RFC 7306 §5.2.2), and a Read of no octets
 * that comes first may be an RTR indication (RFC 6581 §9.2): neither is counted. `has_all`: the Requests that
 * the sender of a Response had got have come here, too. */
void decode_reads_request(decode_reads *reads, const decode_event *event, uint32_t most);
void decode_reads_response(decode_reads *reads, const decode_event *event, bool has_all);

/* No more come: calls `handler` for the first Response with each fault, and for the first Read too many, with
 * the place of the FPDU that shows it and how many more there are; for none when not all Requests are known.
 * `is_whole`: all Responses are known, too, without which neither order nor number is judged. */
void decode_reads_finish(decode_reads *reads, bool is_whole, decode_handler handler, void *user);
