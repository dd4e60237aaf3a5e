/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what is wrong with startup frames (RFC 5044 §7.1, RFC 6581 §6, §9, §10), and what two of them agree
 * on. */
#pragma once

#include "decode/decode_events.h"

/* Returns what is wrong with `frame` by itself, and, where that is known, as the answer to `request` (NULL:
 * it is not known, or `frame` is none). */
decode_problem_set decode_check_frame(const decode_startup_frame *frame, const decode_startup_frame *request);

/* Returns the sentence of one of these problems, with what came and what was expected where that helps.
 * Free with g_free(). */
char *decode_frame_sentence(decode_problem problem, const decode_startup_frame *frame,
                            const decode_startup_frame *request);

/* This is what a ULP's Private Data hold, as far as they are known. */
typedef enum decode_private_kind {
  DECODE_PRIVATE_OTHER,
  DECODE_PRIVATE_LEGACY,        /* IRD and ORD, a word of 32 bits each, from before RFC 6581 */
  DECODE_PRIVATE_RPC_OVER_RDMA, /* RFC 8797 §5 */
} decode_private_kind;

typedef struct decode_private {
  decode_private_kind kind;
  uint32_t ird, ord; /* DECODE_PRIVATE_LEGACY */
  uint8_t version;   /* DECODE_PRIVATE_RPC_OVER_RDMA, and the others */
  bool remote_invalidation;
  uint32_t send_octets, receive_octets;
} decode_private;

/* Returns what the Private Data of `frame` after the enhanced data, if there are any, are taken for. Legacy
 * words have no sign of their own: eight octets of Revision 1, of which each four are less than 0x4000, are.
 */
decode_private decode_private_of(const decode_startup_frame *frame);

/* Returns whether the Control Flag of `rtr` is set: B, C or D (RFC 6581 §9.2). */
static inline bool decode_has_rtr(const mpa_enhanced *enhanced, mpa_rtr rtr)
{
  return (enhanced->rtrs & 1U << rtr) != 0;
}

/* Returns what the startup frames do not allow in the first FPDU of the end `from`: a frame that no receiver
 * may take, or a first FPDU of the Initiator that is not the RTR indication; in its place, a Terminate may
 * be. */
decode_problem_set decode_check_first(const decode_connection *connection, enum side from,
                                      const decode_fpdu *fpdu);

/* Returns whether the Initiator must begin with an RTR indication, and sets which ones both frames have, a
 * bit each as in mpa_enhanced; 0: there is none, and a Terminate must be sent. False as well when that is not
 * known. A Responder may name types that the Initiator did not (RFC 6581 §9.2); who can send one must have
 * named it. */
bool decode_agreed_rtrs(const decode_connection *connection, unsigned *rtrs);

/* Returns how many Read Requests of the end `from` may be outstanding (RFC 6581 §9.1); UINT32_MAX: that is
 * not negotiated, or not known. */
uint32_t decode_agreed_reads(const decode_connection *connection, enum side from);
