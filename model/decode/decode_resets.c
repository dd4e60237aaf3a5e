/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_resets.h"

#include "net/tcp_header.h"

static bool is_after(uint32_t a, uint32_t b)
{
  return (int32_t)(a - b) > 0;
}

/* `*highest` becomes `sequence` where that is higher. */
static void move_up(bool *is_known, uint32_t *highest, uint32_t sequence)
{
  *highest = *is_known && !is_after(sequence, *highest) ? *highest : sequence;
  *is_known = true;
}

static decode_reset_fate take_reset(decode_reset_end *own, const decode_reset_end *peer,
                                    const capture_segment *segment, uint32_t edge)
{
  const uint32_t at = segment->sequence;

  if (own->has_reset) {
    return DECODE_RESET_NONE;
  }
  /* RCV.NXT of the peer: octets that it has not acknowledged may have come to it, or not. */
  if (at == edge || (own->has_next && at == own->next) ||
      (peer->has_acknowledged && at == peer->acknowledged)) {
    own->has_reset = true;
    own->packet = segment->packet;
    own->sequence = at;
    own->next_then = own->has_next && is_after(own->next, at) ? own->next : at;
    own->acknowledged_then = own->acknowledged;
    own->had_acknowledged = own->has_acknowledged;
    return DECODE_RESET_STANDS;
  }
  const bool is_first = !own->has_missed;
  own->has_missed = true;
  return is_first ? DECODE_RESET_MISSES : DECODE_RESET_NONE;
}

decode_reset_fate decode_resets_take(decode_resets *resets, const capture_segment *segment, uint32_t edge,
                                     unsigned *from)
{
  decode_reset_end *own = &resets->ends[segment->from], *peer = &resets->ends[!segment->from];
  const uint32_t acknowledged = segment->acknowledgement;
  const bool is_syn = (segment->flags & TCP_SYN) != 0, is_fin = (segment->flags & TCP_FIN) != 0;

  *from = segment->from;
  if (segment->flags & TCP_RST) {
    return take_reset(own, peer, segment, edge);
  }
  move_up(&own->has_next, &own->next, segment->sequence + is_syn + segment->payload_octets + is_fin);
  if (!(segment->flags & TCP_ACK) || !peer->has_next || is_after(acknowledged, peer->next)) {
    return DECODE_RESET_NONE; /* of what the capture does not have */
  }
  move_up(&own->has_acknowledged, &own->acknowledged, acknowledged);
  /* Its own one: an end that is closed acknowledges nothing. The peer's: nothing that came after it. */
  if (own->has_reset && own->had_acknowledged && is_after(acknowledged, own->acknowledged_then)) {
    own->has_reset = false;
    return DECODE_RESET_FALLS;
  }
  if (peer->has_reset && is_after(acknowledged, peer->next_then)) {
    *from = !segment->from;
    peer->has_reset = false;
    return DECODE_RESET_FALLS;
  }
  return DECODE_RESET_NONE;
}
