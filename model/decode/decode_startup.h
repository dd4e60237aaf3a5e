/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what is wrong with startup frames (RFC 5044 §7.1, RFC 6581 §6, §9, §10), and what two of them agree
 * on. */
#pragma once

#include "decode/decode_events.h"

/* Returns what is wrong with `frame` by itself, and, where that is known, as the answer to `request` (NULL:
 * it is not known, or `frame` is none). */
decode_problem_set decode_check_frame(const decode_startup_frame *frame, const decode_startup_frame *request);

/* Returns the sentence of one of these problems, with what came and what was expected where that says more.
 * Free with g_free(). */
char *decode_frame_sentence(decode_problem problem, const decode_startup_frame *frame,
                            const decode_startup_frame *request);

/* Returns whether the Control Flag of `rtr` is set: B, C or D (RFC 6581 §9.2). */
static inline bool decode_has_rtr(const mpa_enhanced *enhanced, mpa_rtr rtr)
{
  return (enhanced->rtrs & 1U << rtr) != 0;
}

/* Returns which RTR indication an FPDU with a DDP header is; MPA_RTRS: none. */
mpa_rtr decode_rtr_of(const decode_fpdu *fpdu);

/* Returns the RTR indications with which the Initiator may begin, by the Responder's Reply, a bit each as in
 * mpa_enhanced; 0: there is no such agreement, since either end has no peer-to-peer model, or it is not
 * known. */
unsigned decode_agreed_rtrs(const decode_connection *connection);

/* Returns how many Read Requests of the end `from` may be outstanding (RFC 6581 §9.1); UINT32_MAX: that is
 * not negotiated, or not known. */
uint32_t decode_agreed_reads(const decode_connection *connection, enum side from);
