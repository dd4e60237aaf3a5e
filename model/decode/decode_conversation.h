/* SPDX-License-Identifier: GPL-2.0-only */
/* One TCP connection of a capture: first its segments wait, then it is known to speak MPA, or not. */
#ifndef DECODE_DECODE_CONVERSATION_H
#define DECODE_DECODE_CONVERSATION_H

#include "decode/decode_direction.h"
#include "decode/decode_verdict.h"

typedef struct decode_conversation decode_conversation;

/* Of `flow`. `hint` (NULL: none) is of its end `hinted`. All that is pointed to outlives it. Free with decode_conversation_free() (NULL is
 * allowed). */
decode_conversation *decode_conversation_new(const decode_tools *tools, const capture_flow *flow,
                                             const decode_hint *hint, unsigned hinted);
void decode_conversation_free(decode_conversation *conversation);

/* The next segment. While it waits, TRUE once it is known what the connection is: then, if it speaks MPA, the caller calls
 * decode_conversation_begin(). */
bool decode_conversation_receive(decode_conversation *conversation, const capture_segment *segment);

/* It is decided now what the connection is, whatever is missing. TRUE when it was not known before. */
bool decode_conversation_decide(decode_conversation *conversation);

/* What was decided says that it speaks MPA. */
bool decode_conversation_is_mpa(const decode_conversation *conversation);

/* It is the connection `index` of the session: tells of the startup frames and decodes what has waited. */
void decode_conversation_begin(decode_conversation *conversation, uint32_t index);

/* Nothing comes any more, which is known at `time_ns`; after decode_conversation_decide(). A second call does nothing. */
void decode_conversation_finish(decode_conversation *conversation, int64_t time_ns);

/* Octets that wait for what is decided. */
uint64_t decode_conversation_waiting_octets(const decode_conversation *conversation);

/* What is known; the conversation's. */
const decode_connection *decode_conversation_connection(const decode_conversation *conversation);

#endif
