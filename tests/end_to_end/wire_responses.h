/* SPDX-License-Identifier: GPL-2.0-only */
/* Responses and what they answer: each Read Response and each Atomic Response of one side beside the Request
 * of the other; the values of Atomic Operations are computed anew. Written from rdmap-00 and RFC 7306 alone;
 * shares no code with model/. */
#pragma once

#include "wire_messages.h"

/* Returns whether either side sent a Terminate. */
gboolean wire_is_terminated(const wire_decoded *decoded);

/* Returns the next message of `messages` from `*at` on, which moves beyond it, whose opcode is among the
 * bits of `opcodes`; NULL: there is none. */
const wire_message *wire_next(const GArray *messages, guint *at, guint opcodes);

/* Adds to `complaints` what is wrong with the responses to side `asking`: their order, number, places,
 * lengths, identifiers and original values, the last unless other connections share the memory. */
void wire_responses_check(const wire_decoded *decoded, int asking, gboolean shares_word,
                          GPtrArray *complaints);

/* Adds a complaint when no order of the Atomic Operations that side `asking` of all connections has asked
 * for, on one word of memory, gives the values that they found: RFC 7306 §5.3 has them one at a time. Each
 * connection's keep theirs. The word counts up. */
void wire_shared_word_check(const wire_decoding *decoding, int asking, GPtrArray *complaints);

/* Returns what an Atomic Operation leaves where `original` was. */
guint64 wire_atomic_result(const wire_atomic *atomic, guint64 original);
