/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_startup.h"

#include <glib.h>

#include "base/big_endian.h"

/* RFC 5044 §7.1.1: more Private Data make a startup frame improperly formatted; mpa-01, Revision 0, has no
 * such limit. */
static bool is_long(const decode_startup_frame *frame)
{
  return frame->revision > 0 && frame->private_data_octets > DECODE_PRIVATE_DATA_MAX_OCTETS;
}

/* Returns whether the Reply negotiates what the Request does not (RFC 6581 §9.1). */
static bool is_unasked(uint32_t of_request, uint32_t of_reply)
{
  return of_request == MPA_NOT_NEGOTIATED && of_reply != MPA_NOT_NEGOTIATED;
}

/* Checks the enhanced data of a Reply against those of its Request (RFC 6581 §9). */
static decode_problem_set check_answer(const decode_startup_frame *frame, const mpa_enhanced *asked)
{
  const mpa_enhanced *reply = &frame->enhanced;
  const bool accepts = !frame->rejected; /* else its ORD is what the Responder needs (§9.1) */
  const bool is_too_high =
      reply->ord > asked->ird && reply->ord != MPA_NOT_NEGOTIATED && asked->ird != MPA_NOT_NEGOTIATED;

  return decode_problem_when(reply->peer_to_peer != asked->peer_to_peer, DECODE_PROBLEM_STARTUP_MODEL) |
         decode_problem_when(accepts && is_too_high, DECODE_PROBLEM_STARTUP_ORD) |
         decode_problem_when(accepts &&
                                 (is_unasked(asked->ord, reply->ird) || is_unasked(asked->ird, reply->ord)),
                             DECODE_PROBLEM_STARTUP_NEGOTIATED);
}

decode_problem_set decode_check_frame(const decode_startup_frame *frame, const decode_startup_frame *request)
{
  const mpa_enhanced *setup = &frame->enhanced;
  decode_problem_set found =
      decode_problem_when(!frame->is_reply && frame->rejected, DECODE_PROBLEM_STARTUP_REJECT) |
      decode_problem_when(frame->reserved != 0, DECODE_PROBLEM_STARTUP_RESERVED) |
      decode_problem_when(is_long(frame), DECODE_PROBLEM_STARTUP_PRIVATE_DATA) |
      decode_problem_when(frame->revision > DECODE_REVISION_LAST, DECODE_PROBLEM_STARTUP_UNKNOWN) |
      decode_problem_when(frame->enhanced_flag && frame->private_data_octets < MPA_ENHANCED_OCTETS,
                          DECODE_PROBLEM_STARTUP_ENHANCED);

  if (frame->has_enhanced) {
    /* §9.2: A=0 has none of them; in a Reply A=1 has one at least. In a Request it may be that the Initiator
     * supports none. */
    const bool is_without = frame->is_reply && !frame->rejected && setup->rtrs == 0;
    found |=
        decode_problem_when(setup->peer_to_peer ? is_without : setup->rtrs != 0, DECODE_PROBLEM_STARTUP_RTR);
    found |= decode_problem_when(!frame->is_reply && !setup->peer_to_peer &&
                                     setup->ird == MPA_NOT_NEGOTIATED && setup->ord == MPA_NOT_NEGOTIATED,
                                 DECODE_PROBLEM_STARTUP_NEEDLESS);
  }
  if (request) {
    found |= decode_problem_when(is_long(request), DECODE_PROBLEM_STARTUP_ACCEPTED);
    if (frame->enhanced_flag != request->enhanced_flag) {
      found |= DECODE_PROBLEM_BIT(STARTUP_ANSWER);
    } else { /* RFC 5044 answers 0 by 1 */
      found |=
          decode_problem_when(frame->revision > MAX(request->revision, 1), DECODE_PROBLEM_STARTUP_REVISION);
    }
    if (frame->has_enhanced && request->has_enhanced) {
      found |= check_answer(frame, &request->enhanced);
    }
  }
  return found;
}

char *decode_frame_sentence(decode_problem problem, const decode_startup_frame *frame,
                            const decode_startup_frame *request)
{
  const mpa_enhanced *setup = &frame->enhanced;
  const char *sentence = decode_problems[problem].sentence;

  switch (problem) {
  case DECODE_PROBLEM_STARTUP_UNKNOWN:
    return g_strdup_printf("%s: %u, read as %d", sentence, frame->revision, DECODE_REVISION_LAST);
  case DECODE_PROBLEM_STARTUP_PRIVATE_DATA:
    return g_strdup_printf("%s: %u", sentence, frame->private_data_octets);
  case DECODE_PROBLEM_STARTUP_REVISION:
    return g_strdup_printf("%s: %d, expected at most %d", sentence, frame->revision,
                           MAX(request->revision, 1));
  case DECODE_PROBLEM_STARTUP_MODEL:
    return g_strdup_printf("%s: %d, expected %d", sentence, setup->peer_to_peer,
                           request->enhanced.peer_to_peer);
  case DECODE_PROBLEM_STARTUP_ORD:
    return g_strdup_printf("%s: %u, expected at most %u", sentence, setup->ord, request->enhanced.ird);
  case DECODE_PROBLEM_STARTUP_NEGOTIATED:
    return g_strdup_printf(
        "%s: IRD=0x%04X ORD=0x%04X, expected 0x3FFF for the Request's ORD=0x%04X IRD=0x%04X", sentence,
        setup->ird, setup->ord, request->enhanced.ord, request->enhanced.ird);
  case DECODE_PROBLEM_STARTUP_RTR:
    return g_strdup_printf("%s: A=%d B=%d C=%d D=%d", sentence, setup->peer_to_peer,
                           decode_has_rtr(setup, MPA_RTR_SEND), decode_has_rtr(setup, MPA_RTR_WRITE),
                           decode_has_rtr(setup, MPA_RTR_READ));
  default:
    return g_strdup(sentence);
  }
}

decode_private decode_private_of(const decode_startup_frame *frame)
{
  enum { OCTETS = 8, RPC_OVER_RDMA = (int)0xF6AB0E18, KIB = 1024 };
  const uint32_t from = frame->has_enhanced ? MPA_ENHANCED_OCTETS : 0;

  if (!frame->private_data || frame->private_data_read < from + OCTETS) {
    return (decode_private){.kind = DECODE_PRIVATE_OTHER};
  }
  const uint8_t *octets = frame->private_data + from;
  const uint32_t first = big_endian_read_32(octets), second = big_endian_read_32(octets + 4);
  if (first == (uint32_t)RPC_OVER_RDMA) { /* Version, flags, sizes in KiB less one */
    return (decode_private){.kind = DECODE_PRIVATE_RPC_OVER_RDMA,
                            .version = octets[4],
                            .remote_invalidation = octets[5] & 1,
                            .send_octets = (octets[6] + 1U) * KIB,
                            .receive_octets = (octets[7] + 1U) * KIB};
  }
  const bool is_legacy = frame->revision == 1 && frame->private_data_octets == OCTETS &&
                         MAX(first, second) <= MPA_NOT_NEGOTIATED && MAX(first, second) > 0;
  return (decode_private){
      .kind = is_legacy ? DECODE_PRIVATE_LEGACY : DECODE_PRIVATE_OTHER, .ird = first, .ord = second};
}

/* Returns whether both frames are there, with enhanced data, and the Reply accepts. */
static bool is_agreed(const decode_connection *connection)
{
  return connection->has_request && connection->has_reply && !connection->reply.rejected &&
         connection->request.has_enhanced && connection->reply.has_enhanced;
}

bool decode_agreed_rtrs(const decode_connection *connection, unsigned *rtrs)
{
  const mpa_enhanced *request = &connection->request.enhanced, *reply = &connection->reply.enhanced;

  *rtrs = request->rtrs & reply->rtrs;
  return is_agreed(connection) && request->peer_to_peer && reply->peer_to_peer && reply->rtrs != 0;
}

uint32_t decode_agreed_reads(const decode_connection *connection, enum side from)
{
  const mpa_enhanced *request = &connection->request.enhanced, *reply = &connection->reply.enhanced;
  /* §9.1: the Initiator's ORD becomes the Responder's IRD at most; the Responder's is what its Reply has */
  const uint32_t own = from == SIDE_INITIATOR ? reply->ird : reply->ord;
  const uint32_t most = from == SIDE_INITIATOR ? own : MIN(own, request->ird);

  return is_agreed(connection) && own != MPA_NOT_NEGOTIATED ? most : UINT32_MAX;
}

/* Returns which RTR indication an FPDU with a DDP header is; MPA_RTRS: none. */
static mpa_rtr rtr_of(const decode_fpdu *fpdu)
{
  if (fpdu->has_read_request) {
    return fpdu->read_request.length == 0 ? MPA_RTR_READ : MPA_RTRS;
  }
  return fpdu->payload_octets > 0 || !fpdu->opcode ? MPA_RTRS
         : fpdu->opcode->is_send                   ? MPA_RTR_SEND
         : fpdu->rdmap_opcode == RDMAP_WRITE       ? MPA_RTR_WRITE
                                                   : MPA_RTRS;
}

decode_problem_set decode_check_first(const decode_connection *connection, enum side from,
                                      const decode_fpdu *fpdu)
{
  const bool has_both = connection->has_request && connection->has_reply;
  /* with a frame of each end and not both: the peer's has the wrong key */
  const bool is_improper =
      has_both ? from == SIDE_INITIATOR && is_long(&connection->reply)
               : connection->has_frame[SIDE_INITIATOR] && connection->has_frame[SIDE_RESPONDER];
  unsigned rtrs;
  const bool is_judged = from == SIDE_INITIATOR && decode_agreed_rtrs(connection, &rtrs) && fpdu->has_ddp &&
                         fpdu->crc != DECODE_CRC_WRONG && fpdu->rdmap_opcode != RDMAP_TERMINATE;

  return decode_problem_when(is_improper, DECODE_PROBLEM_STARTUP_ACCEPTED) |
         decode_problem_when(is_judged && (rtrs & 1U << rtr_of(fpdu)) == 0, DECODE_PROBLEM_RTR);
}
