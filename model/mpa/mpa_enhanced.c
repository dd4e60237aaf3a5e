/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_enhanced.h"

#include <glib.h>

#include "base/big_endian.h"

/* The four octets are two halves with two Control Flags and 14 bits each: A, B, IRD; C, D, ORD (RFC 6581
 * §9). */
enum { FIRST_FLAG = 0x8000, SECOND_FLAG = 0x4000, DEPTH_BITS = 0x3FFF };

void mpa_enhanced_encode(const mpa_enhanced *enhanced, uint8_t wire[MPA_ENHANCED_OCTETS])
{
  g_assert(enhanced->ird <= DEPTH_BITS && enhanced->ord <= DEPTH_BITS);
  big_endian_write_16(wire,
                      (uint16_t)((enhanced->peer_to_peer ? FIRST_FLAG : 0) |
                                 (enhanced->rtrs & 1U << MPA_RTR_SEND ? SECOND_FLAG : 0) | enhanced->ird));
  big_endian_write_16(wire + 2,
                      (uint16_t)((enhanced->rtrs & 1U << MPA_RTR_WRITE ? FIRST_FLAG : 0) |
                                 (enhanced->rtrs & 1U << MPA_RTR_READ ? SECOND_FLAG : 0) | enhanced->ord));
}

mpa_enhanced mpa_enhanced_decode(const uint8_t wire[MPA_ENHANCED_OCTETS])
{
  uint16_t first = big_endian_read_16(wire);
  uint16_t second = big_endian_read_16(wire + 2);

  return (mpa_enhanced){.peer_to_peer = first & FIRST_FLAG,
                        .rtrs = (first & SECOND_FLAG ? 1U << MPA_RTR_SEND : 0) |
                                (second & FIRST_FLAG ? 1U << MPA_RTR_WRITE : 0) |
                                (second & SECOND_FLAG ? 1U << MPA_RTR_READ : 0),
                        .ird = first & DEPTH_BITS,
                        .ord = second & DEPTH_BITS};
}

/* Returns what goes out for an IRD or ORD of `depth`: of those that 14 bits hold the greatest that is a
 * depth. */
static uint32_t announced(uint32_t depth, bool is_fixed)
{
  return is_fixed ? (uint32_t)MPA_NOT_NEGOTIATED : MIN(depth, (uint32_t)MPA_NOT_NEGOTIATED - 1);
}

/* Returns the kinds of RTR that this end can do. */
static unsigned own_rtrs(const mpa_enhanced_config *config)
{
  unsigned rtrs = 0;

  for (uint32_t i = 0; i < config->rtr_count; i++) {
    rtrs |= 1U << config->rtr[i];
  }
  return rtrs;
}

mpa_enhanced mpa_enhanced_request(const mpa_enhanced_config *config)
{
  /* RFC 6581 §9.2: each kind that it supports, and without A none. */
  return (mpa_enhanced){.peer_to_peer = config->peer_to_peer,
                        .rtrs = config->peer_to_peer ? own_rtrs(config) : 0,
                        .ird = announced(config->ird, config->fixed_ird),
                        .ord = announced(config->ord, config->fixed_ord)};
}

/* RFC 6581 §9.1: an end's IRD stays as it is when either end does not negotiate it, and so does its ORD. */
static bool ird_is_fixed(const mpa_enhanced_config *config, const mpa_enhanced *peer)
{
  return config->fixed_ird || peer->ord == MPA_NOT_NEGOTIATED;
}

static bool ord_is_fixed(const mpa_enhanced_config *config, const mpa_enhanced *peer)
{
  return config->fixed_ord || peer->ird == MPA_NOT_NEGOTIATED;
}

/* Sets the kind of RTR that the Initiator sends; false when there is none that both ends can do. */
static bool choose_rtr(const mpa_enhanced_config *config, mpa_agreement *agreement)
{
  for (uint32_t i = 0; i < config->rtr_count; i++) {
    agreement->rtr = config->rtr[i];
    /* A Responder that takes no Read Request cannot take this one. */
    bool is_taken = agreement->rtr != MPA_RTR_READ || agreement->peer_ird > 0;
    if (is_taken && (agreement->rtrs & 1U << agreement->rtr)) {
      return true;
    }
  }
  return false;
}

mpa_agreement mpa_enhanced_agree(const mpa_enhanced_config *config, enum side role, const mpa_enhanced *peer)
{
  mpa_agreement agreement = {.is_enhanced = true,
                             .peer_to_peer = peer->peer_to_peer,
                             /* RFC 6581 §9.2: without A the other Control Flags are ignored. */
                             .rtrs = peer->peer_to_peer ? own_rtrs(config) & peer->rtrs : 0,
                             .ird = config->ird,
                             .ord = config->ord,
                             .peer_ird = peer->ird,
                             .peer_ord = peer->ord};

  /* RFC 6581 §9.1: the Responder "MUST set its ORD at most to the initiator IRD", the Initiator "its ORD at
   * most to the responder IRD". */
  if (!ord_is_fixed(config, peer)) {
    agreement.ord = MIN(agreement.ord, peer->ird);
  }
  if (role == SIDE_RESPONDER) {
    /* RFC 6581 §9.1: its IRD "MAY be increased" for a Read as RTR. */
    if (!ird_is_fixed(config, peer) && (agreement.rtrs & 1U << MPA_RTR_READ)) {
      agreement.ird = MAX(agreement.ird, 1);
    }
    /* RFC 6581 §9.2, §9.3: it takes each kind that its Reply names, matching or not: those that it supports,
     * at least one. A Read is none of them where no Read Request is taken, unless there is no other. */
    unsigned rtrs = own_rtrs(config), others = rtrs & ~(1U << MPA_RTR_READ);
    agreement.rtrs = !peer->peer_to_peer ? 0 : agreement.ird == 0 && others != 0 ? others : rtrs;
    /* RFC 6581 §9.1: it "MAY reject". An Initiator that does not negotiate its IRD is not asked. */
    if (peer->ird != MPA_NOT_NEGOTIATED && peer->ird < config->ord_needed) {
      agreement.error = MPA_ERROR_IRD;
    }
  } else if (!ird_is_fixed(config, peer) && peer->ord > config->ird) {
    /* RFC 6581 §9.1: "its IRD at least to the responder ORD": it has no more than it announced. */
    agreement.error = MPA_ERROR_IRD;
  } else if (peer->peer_to_peer != config->peer_to_peer ||
             (peer->peer_to_peer && !choose_rtr(config, &agreement))) {
    /* RFC 6581 §9.2: "failure to negotiate a mutually compatible connection model or RTR option" */
    agreement.error = MPA_ERROR_RTR;
  }
  return agreement;
}

mpa_enhanced mpa_enhanced_reply(const mpa_enhanced_config *config, const mpa_enhanced *request)
{
  mpa_agreement agreement = mpa_enhanced_agree(config, SIDE_RESPONDER, request);

  return (mpa_enhanced){.peer_to_peer = request->peer_to_peer, /* RFC 6581 §9.2 */
                        .rtrs = agreement.rtrs,
                        .ird = announced(agreement.ird, ird_is_fixed(config, request)),
                        .ord = agreement.error == MPA_ERROR_NONE
                                   ? announced(agreement.ord, ord_is_fixed(config, request))
                                   : announced(config->ord_needed, false)};
}
