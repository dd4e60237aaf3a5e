/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_trace.h"

void tcp_trace_sent(const trace_scope *scope, datagram *packet, uint32_t isn, uint64_t next,
                    uint32_t peer_isn, uint64_t edge, uint8_t scale)
{
  trace_scope at = *scope;
  tcp_header header;
  datagram_tcp_header(packet, &header);
  const int64_t position = tcp_position_of(header.sequence, isn, (int64_t)next);
  const int64_t acknowledged = tcp_position_of(header.acknowledgement, peer_isn, (int64_t)edge);
  packet->number = trace_next_packet(at.to);
  packet->connection = at.connection;
  at.packet = packet->number;
  TRACE(&at, SEGMENT_SENT, .position = (uint64_t)MAX(position, 0), .payload_octets = packet->payload.length,
        .acknowledged = (uint64_t)MAX(acknowledged, 0),
        .window_octets = (uint64_t)header.window << (header.flags & TCP_SYN ? 0 : scale),
        .flags = header.flags, .sequence = header.sequence, .again = packet->retransmission,
        .why = TRACE_NAME(packet->retransmission ? at.why_again : ""));
  for (unsigned i = 0; i < header.sack_count; i++) {
    TRACE(&at, SACK_SENT, .from = (uint64_t)tcp_position_of(header.sack[i].from, peer_isn, (int64_t)edge),
          .to = (uint64_t)tcp_position_of(header.sack[i].to, peer_isn, (int64_t)edge));
  }
  TRACE(&at, PACKET_SENT, .ip_octets = datagram_octets(packet));
}
