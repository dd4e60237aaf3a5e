/* SPDX-License-Identifier: GPL-2.0-only */
/* This checks whether the RDMA Read Responses of one end are as the other end's Read Requests ask: STag,
 * Tagged Offset and length (RFC 5040 §5.2.2). FPDUs may come in any order. A Response that fits some Request
 * is right: several may have one sink. Where one comes before its Request, as in a capture that was merged,
 * nothing is judged. */
#pragma once

#include "decode/decode_events.h"

typedef struct decode_reads decode_reads;

/* Returns a list of no Read. Free with decode_reads_free() (NULL is allowed). */
decode_reads *decode_reads_new(void);
void decode_reads_free(decode_reads *reads);

/* Takes the FPDU of an event, whose CRC is not wrong: a Read Request of the one end, a Read Response of the
 * other. */
void decode_reads_request(decode_reads *reads, const decode_event *event);
void decode_reads_response(decode_reads *reads, const decode_event *event);

/* No more come: calls `handler` for the first Response of another length than is asked for, for the first of
 * that length at another Tagged Offset, and for the first that nothing asks for, with the place of the FPDU
 * that shows it and how many more there are; for none when not all Requests are known. */
void decode_reads_finish(decode_reads *reads, decode_handler handler, void *user);
