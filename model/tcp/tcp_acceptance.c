/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_acceptance.h"

void tcp_recent_timestamp_take(tcp_recent_timestamp *recent, uint32_t value, int64_t position,
                               int64_t acknowledged, time_ps now)
{
  bool newer = !recent->is_known || (int32_t)(value - recent->value) >= 0;
  if (newer && position <= acknowledged) {
    *recent = (tcp_recent_timestamp){.value = value, .is_known = true, .taken = now};
  }
}

/* RFC 9293 §3.10.7.4, table 6. By its letter a segment without length is not taken at the window's edge,
 * where a sender stands that has filled the window: every ACK it sends then would be lost. */
static bool is_acceptable(const tcp_receiver *receiver, const tcp_incoming *segment, bool takes_edge)
{
  int64_t next = (int64_t)receiver->next;
  int64_t edge = (int64_t)tcp_receiver_window_edge(receiver);
  int64_t length =
      segment->payload->length + (segment->fin ? 1 : 0) + (tcp_header_has(segment->header, TCP_SYN) ? 1 : 0);
  if (length == 0) {
    return segment->position == next ||
           (segment->position > next && segment->position < edge + (takes_edge ? 1 : 0));
  }
  return segment->position < edge && segment->position + length > next;
}

tcp_verdict tcp_acceptance_judge(const tcp_receiver *receiver, const tcp_recent_timestamp *recent,
                                 const tcp_incoming *segment, bool takes_edge)
{
  const tcp_header *header = segment->header;
  bool is_reset = tcp_header_has(header, TCP_RST);
  if (recent && recent->is_known && header->has_timestamps && !is_reset &&
      tcp_is_of_an_earlier_epoch(recent, header->timestamp_value, segment->now)) {
    return TCP_VERDICT_OLD;
  }
  if (!is_acceptable(receiver, segment, takes_edge)) {
    return TCP_VERDICT_OUTSIDE;
  }
  if (is_reset) {
    return segment->position == (int64_t)receiver->next ? TCP_VERDICT_RESET : TCP_VERDICT_FALSE_RESET;
  }
  return TCP_VERDICT_TAKEN;
}
