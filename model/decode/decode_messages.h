/* SPDX-License-Identifier: GPL-2.0-only */
/* FPDUs become messages: joins the FPDUs of each DDP Message, whatever the order in which they are located,
 * and matches Read and Atomic Responses with their Requests.
 *
 * Messages are joined in the order of the stream, in which one follows the other, and a sender should have
 * the segments of each by rising MO or TO (rfc5041 §5.3, DDP-103, DDP-104): untagged segments by QN, MSN and
 * MO, tagged ones of one opcode by STag and TO, up to L=1. FPDUs beyond a hole wait for it as long as the
 * decoding of octets does. After octets that were lost, a tagged segment continues the open message when it
 * has the same STag and no more octets of TO are missing than were lost; else it begins a message, whose
 * start may be among them. An FPDU with a wrong CRC counts as lost.
 *
 * Read Responses come in the order of their Requests (RDMAP-149): the oldest Request whose Sink Buffer has
 * the Response's STag and TO is the one that it answers, and those before it stay without answer. Of an
 * Atomic Response it is the oldest Atomic Request with its Request Identifier (RFC 7306 §5.2.2).
 *
 * The memory needed is, for each direction, one message, FPDUs beyond a hole, and Requests without an answer,
 * both up to a limit. */
#pragma once

#include "decode/decode_events.h"

typedef struct decode_messages decode_messages;

/* `hold_octets` is as in decode_options. `handler` gets `user` and the events: messages in place of FPDUs,
 * and all others as they come. Free with decode_messages_free() (NULL is allowed). */
decode_messages *decode_messages_new(uint64_t hold_octets, decode_handler handler, void *user);
void decode_messages_free(decode_messages *messages);

/* Takes the next event of a session, whose connection outlives `messages`; a decode_handler. */
void decode_messages_receive(void *messages, const decode_event *event);

/* No event follows: open messages are reported as incomplete, and Requests that no Response answered by
 * notes. To be called once. */
void decode_messages_finish(decode_messages *messages);
