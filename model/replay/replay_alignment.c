/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_alignment.h"

#include <glib.h>

struct replay_alignment {
  decode_session *session;
  uint64_t packets;
  uint8_t payload[UINT16_MAX]; /* of the segment in hand, in one piece */
};

replay_alignment *replay_alignment_new(const decode_options *options)
{
  replay_alignment *alignment = g_new0(replay_alignment, 1);

  alignment->session = decode_session_new(options, &(decode_events){NULL, NULL, NULL, NULL}, NULL);
  return alignment;
}

void replay_alignment_free(replay_alignment *alignment)
{
  if (alignment) {
    decode_session_free(alignment->session);
    g_free(alignment);
  }
}

void replay_alignment_arrived(replay_alignment *alignment, const capture_flow *flow, uint8_t from,
                              const datagram *packet)
{
  tcp_header header;

  if (packet->kind != DATAGRAM_TCP || !datagram_tcp_header(packet, &header)) {
    return;
  }
  octet_rope_copy_out(&packet->payload, 0, packet->payload.length, alignment->payload);
  const capture_segment segment = {
      .packet = ++alignment->packets,
      .flow = flow->index,
      .from = from,
      .flags = header.flags,
      .sequence = header.sequence,
      .acknowledgement = header.acknowledgement,
      .window = header.window,
      .checksum = datagram_checksum_is_right(packet) ? CAPTURE_CHECKSUM_RIGHT : CAPTURE_CHECKSUM_WRONG,
      .payload = alignment->payload,
      .captured_octets = packet->payload.length,
      .payload_octets = packet->payload.length,
  };
  decode_session_receive(alignment->session, flow, &segment);
}

/* Its acknowledgements are of what was captured, not of what arrives here. */
void replay_alignment_captured(replay_alignment *alignment, const capture_flow *flow,
                               const capture_segment *segment)
{
  capture_segment own = *segment;

  own.packet = ++alignment->packets;
  own.flags &= (uint8_t)~TCP_ACK;
  decode_session_receive(alignment->session, flow, &own);
}

uint64_t replay_alignment_finish(replay_alignment *alignment, enum side direction)
{
  uint64_t aligned = 0;

  decode_session_finish(alignment->session);
  for (uint32_t i = 0; i < decode_session_connections(alignment->session); i++) {
    aligned += decode_session_connection(alignment->session, i)->directions[direction].aligned;
  }
  return aligned;
}
