/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_check.h"

#include <string.h>

#include "decode/decode_format.h"
#include "mpa/mpa_locator.h"

enum { LAST_CODE_OF_MPA = 4 }; /* without enhanced connection setup (RFC 5044 §8; RFC 6581 §8) */

/* Returns whether the documents know `error`. Codes 5 to 7 of MPA are those of the enhanced connection setup,
 * which a connection may have used whose startup frames were not captured. */
static bool is_known(rdmap_error error, const decode_connection *connection, iwarp_generation generation)
{
  bool is_enhanced = connection->request.revision >= MPA_ENHANCED_REVISION ||
                     connection->reply.revision >= MPA_ENHANCED_REVISION ||
                     (!connection->has_request && !connection->has_reply);

  return rdmap_error_is_known(error, generation) &&
         (is_enhanced || error.layer != RDMAP_LAYER_LLP || error.code <= LAST_CODE_OF_MPA);
}

/* Returns how many octets a Terminate has whose first ones are `wire`, 4 at least, as its flags have it (RFC
 * 5040 §4.8): DDP Segment Length with M or D, the DDP header with D, the RDMA header with R. */
static uint32_t announced(const uint8_t *wire, uint32_t length)
{
  const bool has_m = (wire[2] & 0x80) != 0, has_d = (wire[2] & 0x40) != 0, has_r = (wire[2] & 0x20) != 0;
  const uint32_t header = RDMAP_TERMINATE_CONTROL_OCTETS + (has_m || has_d ? 2 : 0);
  const bool is_tagged = has_d && length > header && ddp_header_is_tagged(wire + header);

  return header +
         (!has_d      ? 0
          : is_tagged ? DDP_TAGGED_HEADER_OCTETS
                      : DDP_UNTAGGED_HEADER_OCTETS) +
         (has_r ? RDMAP_READ_REQUEST_OCTETS : 0);
}

static decode_problem_set check_terminate(decode_fpdu *fpdu, const decode_connection *connection)
{
  const rdmap_terminate *terminate = &fpdu->terminate;
  iwarp_generation generation = decode_generation(connection, fpdu->rdmap_version);
  const rdmap_error swapped = {terminate->error.type, terminate->error.layer, terminate->error.code};
  const bool is_right = is_known(terminate->error, connection, generation);
  const bool is_swapped = !is_right && is_known(swapped, connection, generation);

  fpdu->meant = is_swapped ? swapped : terminate->error;
  return decode_problem_when(is_swapped, DECODE_PROBLEM_TERMINATE_SWAPPED) |
         decode_problem_when(!is_right && !is_swapped, DECODE_PROBLEM_TERMINATE_CODE) |
         decode_problem_when(fpdu->ddp.last && fpdu->payload_octets <
                                                   announced(fpdu->terminate_octets, fpdu->payload_octets),
                             DECODE_PROBLEM_TERMINATE_SHORT) |
         decode_problem_when((fpdu->terminate_octets[2] & 0x1F) != 0 || fpdu->terminate_octets[3] != 0,
                             DECODE_PROBLEM_TERMINATE_RESERVED) |
         decode_problem_when(fpdu->meant.layer == RDMAP_LAYER_DDP && fpdu->meant.type != 0 &&
                                 !terminate->has_segment,
                             DECODE_PROBLEM_TERMINATE_HEADER);
}

/* Checks how long a message of a fixed length is, as far as its segments are in order, and what one of RFC
 * 7306 holds. */
static decode_problem_set check_fixed(const decode_fpdu *fpdu, uint32_t fixed_octets)
{
  static const decode_problem lengths[RDMAP_OPCODES] = {[RDMAP_READ_REQUEST] = DECODE_PROBLEM_READ_REQUEST,
                                                        [RDMAP_IMMEDIATE] = DECODE_PROBLEM_IMMEDIATE,
                                                        [RDMAP_IMMEDIATE_SE] = DECODE_PROBLEM_IMMEDIATE,
                                                        [RDMAP_ATOMIC_REQUEST] = DECODE_PROBLEM_ATOMIC_LENGTH,
                                                        [RDMAP_ATOMIC_RESPONSE] =
                                                            DECODE_PROBLEM_ATOMIC_LENGTH};
  const decode_extension *extension = &fpdu->extension;
  const uint64_t octets = (uint64_t)fpdu->ddp.message_offset + fpdu->payload_octets;

  return decode_problem_when(fpdu->ddp.last ? octets != fixed_octets : octets > fixed_octets,
                             lengths[fpdu->rdmap_opcode]) |
         decode_problem_when(extension->kind == DECODE_ATOMIC_REQUEST &&
                                 !rdmap_atomic_is_supported(&extension->atomic),
                             DECODE_PROBLEM_ATOMIC_OPCODE) |
         decode_problem_when(extension->has_other_fields, DECODE_PROBLEM_ATOMIC_FIELDS);
}

/* Checks the opcode's own rules (RFC 5040 §4.1 fig. 4, RFC 7306 §4.1 fig. 2). */
static decode_problem_set check_opcode(decode_fpdu *fpdu, const decode_connection *connection)
{
  const ddp_header *ddp = &fpdu->ddp;
  const rdmap_opcode_rules *rules = fpdu->opcode;

  if (!rules) {
    return DECODE_PROBLEM_BIT(OPCODE);
  }
  if (rules->tagged != ddp->tagged) {
    return DECODE_PROBLEM_BIT(BUFFER_MODEL);
  }
  if (ddp->tagged) {
    return 0;
  }
  return decode_problem_when(ddp->queue_number != rules->queue_number, DECODE_PROBLEM_QUEUE) |
         decode_problem_when(!rules->invalidates && ddp->ulp_word != 0, DECODE_PROBLEM_INVALIDATE_STAG) |
         (rules->fixed_octets > 0 ? check_fixed(fpdu, rules->fixed_octets) : 0) |
         decode_problem_when(rules->opcode == RDMAP_TERMINATE && ddp->message_offset == 0 &&
                                 fpdu->payload_octets < RDMAP_TERMINATE_CONTROL_OCTETS,
                             DECODE_PROBLEM_TERMINATE_SHORT) |
         (fpdu->has_terminate ? check_terminate(fpdu, connection) : 0);
}

decode_problem_set decode_check_fpdu(decode_fpdu *fpdu, decode_connection *connection)
{
  const ddp_header *ddp = &fpdu->ddp;
  decode_problem_set found = decode_problem_when(fpdu->wrong_markers > 0, DECODE_PROBLEM_MARKER);

  if (fpdu->crc == DECODE_CRC_WRONG) {
    return found | DECODE_PROBLEM_BIT(CRC);
  }
  found |= decode_problem_when(fpdu->marker_reserved != 0, DECODE_PROBLEM_MARKER_RESERVED);
  found |= decode_problem_when(fpdu->pad != 0, DECODE_PROBLEM_PAD);
  found |= decode_problem_when(mpa_length_is_long(fpdu->ulpdu_octets), DECODE_PROBLEM_LONG_ULPDU);
  if (!fpdu->has_ddp) {
    bool is_short = fpdu->ulpdu_octets < DDP_TAGGED_HEADER_OCTETS ||
                    (fpdu->ulpdu_octets < DDP_UNTAGGED_HEADER_OCTETS && fpdu->crc != DECODE_CRC_NOT_CAPTURED);
    return found | (is_short ? DECODE_PROBLEM_BIT(NO_DDP) : 0);
  }
  const bool is_of_generation = ddp->version == fpdu->rdmap_version && ddp->version <= 1;
  if (!connection->has_version && is_of_generation &&
      (fpdu->crc == DECODE_CRC_RIGHT ||
       (fpdu->phase_offset == 0 && (connection->has_request || connection->has_reply)))) {
    connection->has_version = true;
    connection->version = ddp->version;
  }
  found |= decode_problem_when(!is_of_generation ||
                                   (connection->has_version && ddp->version != connection->version),
                               DECODE_PROBLEM_VERSION);
  found |=
      decode_problem_when((fpdu->ddp_control & DECODE_DDP_RESERVED_BITS) != 0, DECODE_PROBLEM_DDP_RESERVED);
  found |= decode_problem_when((ddp->ulp_control & DECODE_RDMAP_RESERVED_BITS) != 0,
                               DECODE_PROBLEM_RDMAP_RESERVED);
  return found | check_opcode(fpdu, connection);
}

/* --- One after the other --- */

void decode_sequence_begin(decode_sequence *sequence, uint64_t start, bool is_first)
{
  *sequence = (decode_sequence){.end = start};
  for (unsigned queue = 0; queue < RDMAP_QUEUES; queue++) {
    sequence->queues[queue] = (struct decode_queue){is_first, is_first, 1, 0, 0}; /* RFC 5041 §4.3 */
  }
}

/* Returns whether `ddp` can be of the message whose last segment was `open`: RsvdULP with the opcode, STag or
 * QN are the same in all of them (RFC 5041 §4.2, §4.3). A tagged segment without octets has no STag (§5.1).
 * MSN is judged by itself. A Terminate may break off any message (RFC 5040 §4.8). */
static bool follows(const ddp_header *open, const ddp_header *ddp, uint32_t payload_octets)
{
  const uint8_t opcode = rdmap_control_opcode(ddp->ulp_control);

  if (opcode == rdmap_control_opcode(open->ulp_control) && ddp->tagged == open->tagged) {
    return ddp->tagged ? ddp->stag == open->stag || payload_octets == 0
                       : ddp->queue_number == open->queue_number && ddp->ulp_word == open->ulp_word;
  }
  return opcode == RDMAP_TERMINATE;
}

/* Takes the segment of `fpdu` of an untagged queue. */
static decode_problem_set take_untagged(struct decode_queue *queue, decode_fpdu *fpdu)
{
  const ddp_header *ddp = &fpdu->ddp;
  const bool is_next = queue->is_known && ddp->msn == queue->msn;
  decode_problem_set found = 0;

  if (!is_next) {
    found = decode_problem_when(queue->is_known, DECODE_PROBLEM_MSN);
    fpdu->expected = queue->msn;
    queue->has_start = ddp->message_offset == 0;
    queue->octets = 0;
  } else if (ddp->last && queue->has_start) { /* it comes last, and has the highest MO (RFC 5041 §4.1) */
    found = decode_problem_when(ddp->message_offset != queue->octets, DECODE_PROBLEM_MO);
    fpdu->expected = queue->octets;
  } else { /* others should be in order (§5.3) */
    found = decode_problem_when(ddp->message_offset != queue->offset, DECODE_PROBLEM_SEGMENT_ORDER);
    fpdu->expected = queue->offset;
  }
  queue->is_known = true;
  queue->has_start |= ddp->last;
  queue->msn = ddp->msn + ddp->last;
  queue->offset = ddp->last ? 0 : ddp->message_offset + fpdu->payload_octets;
  queue->octets = ddp->last ? 0 : queue->octets + fpdu->payload_octets;
  return found;
}

decode_problem_set decode_sequence_check(decode_sequence *sequence, decode_fpdu *fpdu, uint64_t end)
{
  const ddp_header *ddp = &fpdu->ddp;
  decode_problem_set found = 0;

  if (fpdu->phase_offset != sequence->end || fpdu->crc == DECODE_CRC_WRONG || !fpdu->has_ddp) {
    memset(sequence->queues, 0, sizeof sequence->queues); /* nothing is known */
    sequence->is_open = false;
  }
  sequence->end = end;
  if (!fpdu->has_ddp || fpdu->crc == DECODE_CRC_WRONG) {
    return 0;
  }
  ddp_header *open = &sequence->open;
  if (!sequence->is_open) {
    if (!ddp->last) {
      *open = *ddp;
      open->tagged_offset += fpdu->payload_octets;
    }
  } else if (!follows(open, ddp, fpdu->payload_octets)) {
    found = DECODE_PROBLEM_BIT(UNFINISHED);
  } else if (ddp->tagged && fpdu->payload_octets > 0) {
    found = decode_problem_when(ddp->tagged_offset != open->tagged_offset, DECODE_PROBLEM_SEGMENT_ORDER);
    fpdu->expected = open->tagged_offset;
    open->tagged_offset = ddp->tagged_offset + fpdu->payload_octets;
  }
  sequence->is_open = !ddp->last && (found & DECODE_PROBLEM_BIT(UNFINISHED)) == 0; /* it is reported once */
  return ddp->tagged || ddp->queue_number >= RDMAP_QUEUES
             ? found
             : found | take_untagged(&sequence->queues[ddp->queue_number], fpdu);
}

/* --- Sums --- */

decode_findings *decode_findings_of(decode_direction_summary *sums)
{
  if (!sums->findings) {
    sums->findings = g_new0(decode_findings, 1);
  }
  return sums->findings;
}

void decode_report(const decode_tools *tools, decode_connection *connection, decode_event *event)
{
  decode_direction_summary *sums = &connection->directions[event->direction];

  event->connection = connection;
  if (!event->fpdu && !event->text && event->problems != 0) {
    event->text = decode_problems[(decode_problem)__builtin_ctzll(event->problems)].sentence;
  }
  for (decode_problem_set left = event->problems; left != 0;) {
    const decode_problem problem = decode_problem_take(&left);
    decode_problem_sum *sum = &decode_findings_of(sums)->problems[problem];
    if (sum->count++ == 0) {
      sum->first_ns = event->time_ns;
      sum->first_position = event->stream_position;
      sum->first_packet = event->packets.first;
    }
  }
  if (tools->handler) {
    tools->handler(tools->user, event);
  }
}
