/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what Revision 2 adds to MPA's startup: four octets at the beginning of Private Data, by which both
 * ends agree on the depth of their queues of Read Requests, IRD and ORD, and on the peer-to-peer model, in
 * which the Initiator sends a ready-to-receive (RTR) indication first (RFC 6581 §9). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/side.h"
#include "mpa/mpa_fpdu.h"

enum {
  MPA_ENHANCED_REVISION = 2, /* Rev of enhanced frames (RFC 6581 §6) */
  MPA_ENHANCED_OCTETS = 4,
  /* In place of IRD or ORD, which have 14 bits: no automatic negotiation of it (RFC 6581 §9.1). */
  MPA_NOT_NEGOTIATED = 0x3FFF,
};

/* An RTR indication is a message without octets: Control Flags B, C and D (RFC 6581 §9.2). */
typedef enum mpa_rtr { MPA_RTR_SEND, MPA_RTR_WRITE, MPA_RTR_READ, MPA_RTRS } mpa_rtr;

typedef struct mpa_enhanced_config {
  bool enabled;          /* enhanced frames are used; generation rfc6581 */
  bool peer_to_peer;     /* Initiator: it asks for that model */
  mpa_rtr rtr[MPA_RTRS]; /* the kinds that this end can send and take, in its order of preference, … */
  uint32_t rtr_count;    /* … so many; at least 1 (RFC 6581 §9.2) */
  uint32_t ird;
  uint32_t ord;
  bool fixed_ird; /* this end's IRD is not negotiated: MPA_NOT_NEGOTIATED goes out for it */
  bool fixed_ord;
  uint32_t ord_needed; /* Responder: it rejects a Request whose IRD is less. 0: none */
} mpa_enhanced_config;

/* The four octets. */
typedef struct mpa_enhanced {
  bool peer_to_peer; /* Control Flag A */
  unsigned rtrs;     /* Control Flags B, C and D: bit 1 << MPA_RTR_SEND and so on */
  uint32_t ird;      /* at most MPA_NOT_NEGOTIATED */
  uint32_t ord;
} mpa_enhanced;

/* What both startup frames come to at one end. */
typedef struct mpa_agreement {
  bool is_enhanced; /* both frames are; else nothing was agreed, and the rest is 0 */
  bool peer_to_peer;
  /* peer_to_peer: the kinds of RTR, a bit each as in mpa_enhanced: of the Initiator those that both ends
   * named, of the Responder those that its Reply names, which the Initiator may choose from */
  unsigned rtrs;
  mpa_rtr rtr;  /* Initiator, peer_to_peer: the one that it sends */
  uint32_t ird; /* that this end works with */
  uint32_t ord;
  uint32_t peer_ird; /* as the peer announced it, for the ULP (RFC 6581 §9.1) */
  uint32_t peer_ord;
  /* Initiator: its first FPDU is a Terminate with this code (RFC 6581 §8), and the connection ends.
   * Responder: MPA_ERROR_IRD, it rejects the Request. */
  mpa_error error;
} mpa_agreement;

/* Returns whether an Initiator that has agreed on this sends an RTR indication. */
static inline bool mpa_agreement_has_rtr(const mpa_agreement *agreement)
{
  return agreement->peer_to_peer && agreement->error == MPA_ERROR_NONE;
}

/* Writes and reads the four octets (RFC 6581 §9). */
void mpa_enhanced_encode(const mpa_enhanced *enhanced, uint8_t wire[MPA_ENHANCED_OCTETS]);
mpa_enhanced mpa_enhanced_decode(const uint8_t wire[MPA_ENHANCED_OCTETS]);

/* Returns what an Initiator sends in its Request. */
mpa_enhanced mpa_enhanced_request(const mpa_enhanced_config *config);

/* Returns what the end in `role` works with, when `peer` came in the other one's frame. */
mpa_agreement mpa_enhanced_agree(const mpa_enhanced_config *config, enum side role, const mpa_enhanced *peer);

/* Returns what a Responder sends in its Reply to `request`. One that rejects it names the ORD that it needs.
 */
mpa_enhanced mpa_enhanced_reply(const mpa_enhanced_config *config, const mpa_enhanced *request);
