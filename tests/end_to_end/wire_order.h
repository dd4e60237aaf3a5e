/* SPDX-License-Identifier: GPL-2.0-only */
/* Who may send when: what must have come before, on this side of the capture. Written from RFC 5044, RFC 5040
 * and RFC 6581 alone; shares no code with model/. */
#pragma once

#include "wire_messages.h"

/* Adds to `complaints` what is wrong with the Initiator's first message after enhanced startup frames in the
 * peer-to-peer model (RFC 6581 §9.2): it is an RTR indication that both frames have, or, where they have
 * none in common, a Terminate. */
void wire_rtr_check(const wire_decoded *decoded, GPtrArray *complaints);

/* Returns which RTR indications both frames have, a bit each; 0 where no RTR indication is due. */
guint wire_agreed_rtrs(const marked_half half[WIRE_SIDES]);

/* Adds to `complaints` an FPDU of `side` that left before it might, in a capture of that side's own: the
 * Initiator's before the Reply had come; the Responder's before an FPDU of the Initiator had (RFC 5044
 * §7.1.2). */
void wire_turns_check(const wire_connection *connection, const wire_decoded *decoded, int side,
                      GPtrArray *complaints);

/* Returns how many Read and Atomic Requests of `side` were on their way at most, in a capture of that side's
 * own: sent, and their responses not come. */
guint wire_outstanding_peak(const wire_connection *connection, const wire_decoded *decoded, int side);
