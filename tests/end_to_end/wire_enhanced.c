/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire_enhanced.h"

#include "../random/plain_decoder.h"

/* RFC 6581 §9: A, B and 14 bits of IRD; C, D and 14 bits of ORD. */
wire_enhanced wire_enhanced_read(const guint8 *octets)
{
  guint32 word = (guint32)plain_number(octets, WIRE_ENHANCED_OCTETS);

  return (wire_enhanced){.peer_to_peer = (word & 0x80000000) != 0,
                         .rtrs = (word & 0x40000000 ? WIRE_RTR_SEND : 0) |
                                 (word & 0x8000 ? WIRE_RTR_WRITE : 0) | (word & 0x4000 ? WIRE_RTR_READ : 0),
                         .ird = word >> 16 & 0x3FFF,
                         .ord = word & 0x3FFF};
}

/* §9.2: without A there are no B, C and D. */
static void check_flags(const char *frame, const wire_enhanced *data, GPtrArray *complaints)
{
  if (!data->peer_to_peer && data->rtrs != 0) {
    wire_complain(complaints, "%s: A is 0, and RTR indications are %u", frame, data->rtrs);
  }
}

void wire_enhanced_check(const wire_enhanced *request, const wire_enhanced *reply, gboolean reply_rejects,
                         GPtrArray *complaints)
{
  check_flags("Request", request, complaints);
  check_flags("Reply", reply, complaints);
  /* §9.2: A of the Reply is that of the Request, and with it comes at least one RTR indication. */
  if (reply->peer_to_peer != request->peer_to_peer) {
    wire_complain(complaints, "Reply: A is %d, that of the Request %d", reply->peer_to_peer,
                  request->peer_to_peer);
  }
  if (reply->peer_to_peer && reply->rtrs == 0) {
    wire_complain(complaints, "Reply: A is 1 without an RTR indication");
  }
  /* §9.1: what the Initiator does not negotiate, the Responder does not either. */
  if (request->ord == WIRE_NOT_NEGOTIATED && reply->ird != WIRE_NOT_NEGOTIATED) {
    wire_complain(complaints, "Reply: IRD is %u where the Request's ORD is not negotiated", reply->ird);
  }
  if (request->ird == WIRE_NOT_NEGOTIATED) {
    if (reply->ord != WIRE_NOT_NEGOTIATED) {
      wire_complain(complaints, "Reply: ORD is %u where the Request's IRD is not negotiated", reply->ord);
    }
  } else if (reply->ord != WIRE_NOT_NEGOTIATED && reply->ord > request->ird && !reply_rejects) {
    /* §9.1: at most the Initiator's IRD; a Reply that rejects may ask for more. */
    wire_complain(complaints, "Reply: ORD is %u, the Request's IRD %u", reply->ord, request->ird);
  }
}
