/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment arrives: `receive` of tcp_transport_class, RFC 9293 §3.10.7 in its order. */

#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "tcp/tcp_connection_private.h"
#include "tcp/tcp_receiver.h"

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

/* Drops the segment, with an ACK if it is to be answered and not a RST, or as if it had been lost. It has
 * come all the same, so its payload is counted while the layer above is there. */
static void refuse(tcp_connection *connection, const tcp_incoming *segment, bool answers)
{
  uint32_t length = connection->closed ? 0 : segment->payload->length;
  tcp_receiver_refuse(&connection->receiver, segment->position, length,
                      answers && !tcp_header_has(segment->header, TCP_RST), segment->now);
}

static inline void take_timestamp(tcp_connection *connection, const tcp_incoming *segment)
{
  tcp_recent_timestamp_take(&connection->recent_timestamp, segment->header->timestamp_value,
                            segment->position, (int64_t)connection->receiver.acknowledged, segment->now);
}

/* Reads what the echoed timestamp, if there is one, shows: the round trip, and when the segment left that it
 * echoes. */
static void read_timestamp_echo(const tcp_config *config, const tcp_incoming *segment,
                                tcp_acknowledgement *ack)
{
  time_ps tick_ps = tcp_connection_timestamp_tick_ps(config);
  int32_t ticks = (int32_t)(tcp_connection_timestamp(config, segment->now) - segment->header->timestamp_echo);
  time_ps whole = segment->now - segment->now % tick_ps;
  time_ps ago = (time_ps)ticks * tick_ps;
  if (segment->header->has_timestamps && ticks >= 0 && ago <= whole) {
    ack->round_trip_ps =
        config->timestamps_in_ms ? -1 : ago; /* too coarse, but where nothing else is known */
    ack->echoed_before_ps = whole - ago + tick_ps;
  }
}

/* Converts the SACK blocks to positions; one that reports a duplicate is taken out of them (RFC 2883). */
static void read_sack_blocks(const tcp_connection *connection, const tcp_header *header,
                             tcp_acknowledgement *ack)
{
  uint32_t isn = connection->isn;
  int64_t near = (int64_t)ack->position;
  ack->sack_count = header->sack_count;
  for (uint32_t i = 0; i < ack->sack_count; i++) {
    int64_t from = tcp_position_of(header->sack[i].from, isn, near);
    int64_t to = tcp_position_of(header->sack[i].to, isn, near);
    ack->sack[i] = (range){(uint64_t)MAX(from, 0), (uint64_t)MAX(to, 0)};
  }
  uint64_t next = connection->sender.next;
  ack->has_duplicate = tcp_duplicate_sack_is_first(ack->sack, ack->sack_count, ack->position, next);
  if (ack->has_duplicate) {
    ack->duplicate = ack->sack[0];
    ack->sack_count--;
    memmove(ack->sack, ack->sack + 1, ack->sack_count * sizeof *ack->sack);
  }
}

/* RFC 9293 §3.10.7.4: a window of an older segment is not taken. */
static inline void heed_window(tcp_connection *connection, int64_t position, uint16_t window,
                               uint64_t acknowledged)
{
  if (position > connection->window_position ||
      (position == connection->window_position && acknowledged >= connection->window_acknowledged)) {
    tcp_connection_take_window(connection, position, window, connection->send_scale, acknowledged);
  }
}

/* SND.UNA was `before`; a FIN is nothing to the layer above. */
static inline void report_acknowledged(tcp_connection *connection, uint64_t before, time_ps now)
{
  const tcp_receiver *receiver = &connection->receiver;
  uint64_t after = MIN(connection->sender.acknowledged, connection->transport.gauges.posted_octets);
  if (after > before && receiver->events->acknowledged) {
    receiver->events->acknowledged(receiver->user, after, now);
  }
}

/* The ACK field points to `position`. Of an ACK below SND.UNA, which a later one has overtaken, what it SACKs
 * is there, and what it reports came twice; all else in it is out of date. */
static void acknowledge(tcp_connection *connection, const tcp_incoming *segment, int64_t position)
{
  const tcp_header *header = segment->header;
  uint64_t before = connection->sender.acknowledged;
  tcp_acknowledgement ack = {
      .position = (uint64_t)MAX(position, 0),
      .round_trip_ps = -1,
      .echoed_before_ps = -1,
  };
  if (connection->timestamps) {
    read_timestamp_echo(connection->sender.config, segment, &ack);
  }
  if (connection->sack && header->sack_count > 0) {
    read_sack_blocks(connection, header, &ack);
  }
  if (position < (int64_t)before) {
    ack.position = before;
  } else {
    ack.may_be_duplicate =
        segment->payload->length == 0 && !segment->fin && header->window == connection->peer_window;
    ack.congestion_experienced = connection->ecn.agreed && tcp_header_has(header, TCP_ECE);
    heed_window(connection, segment->position, header->window, ack.position);
  }
  tcp_sender_acknowledge(&connection->sender, &ack, segment->now);
  report_acknowledged(connection, before, segment->now);
}

/* Nothing beyond `position`, to which an ACK field points, was ever sent, and it is not too old (RFC 5961
 * §5.2). */
static bool may_acknowledge(const tcp_connection *connection, int64_t position)
{
  int64_t oldest = (int64_t)connection->sender.acknowledged - (int64_t)connection->sender.window_octets_max;
  return position >= oldest && position <= (int64_t)connection->sender.next;
}

/* Checks the ACK field (RFC 9293 §3.10.7.4, fifth) and stores its position. Returns false when the segment is
 * dropped. */
static bool check_ack(tcp_connection *connection, const tcp_incoming *segment, int64_t *position)
{
  const tcp_header *header = segment->header;
  int64_t acknowledged = (int64_t)connection->sender.acknowledged;
  *position = tcp_position_of(header->acknowledgement, connection->isn, acknowledged);
  if (connection->state == TCP_STATE_SYN_RECEIVED) {
    if (*position != 0) {
      tcp_connection_answer_with_reset(connection, header, segment->payload->length);
    }
    return *position == 0;
  }
  if (!may_acknowledge(connection, *position)) {
    bool ignores = connection->sender.config->ignores_unsent_ack &&
                   connection->state == TCP_STATE_ESTABLISHED && *position > acknowledged;
    refuse(connection, segment, !ignores);
    return false;
  }
  return true;
}

/* The ACK field, which is in order, has its effect. Returns false when the connection is closed by it. */
static bool arrive_ack(tcp_connection *connection, const tcp_incoming *segment, int64_t position)
{
  bool is_late = position < (int64_t)connection->sender.acknowledged;
  bool sacks = connection->sender.config->old_sack && connection->sack && segment->header->sack_count > 0;
  if (connection->state == TCP_STATE_SYN_RECEIVED) {
    tcp_connection_establish(connection, segment);
  } else if (!is_late || sacks) {
    acknowledge(connection, segment, position);
  }
  return !connection->closed;
}

/* Changes the state as an acknowledged FIN of ours does. Returns false when the connection is closed by
 * it. */
static bool after_ack(tcp_connection *connection, time_ps now)
{
  if (!connection->sender.fin_sent || connection->sender.acknowledged < connection->sender.next) {
    return true;
  }
  switch (connection->state) {
  case TCP_STATE_FIN_WAIT_1:
    connection->state = TCP_STATE_FIN_WAIT_2;
    return true;
  case TCP_STATE_CLOSING:
    tcp_connection_enter_closed(connection, TCP_STATE_TIME_WAIT, TCP_CLOSE_FINISHED, now);
    return false;
  case TCP_STATE_LAST_ACK:
    tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_FINISHED, now);
    return false;
  default:
    return true;
  }
}

/* The peer's FIN has come into order (RFC 9293 §3.10.7.4, eighth). */
static void arrive_fin(tcp_connection *connection, time_ps now)
{
  tcp_state before = connection->state;
  if (before != TCP_STATE_ESTABLISHED) {
    tcp_receiver_owe_ack(&connection->receiver, TCP_ACK_DUE); /* no answer will carry it */
  }
  connection->state = before == TCP_STATE_ESTABLISHED  ? TCP_STATE_CLOSE_WAIT
                      : before == TCP_STATE_FIN_WAIT_1 ? TCP_STATE_CLOSING
                                                       : before;
  if (connection->receiver.events->finished) {
    connection->receiver.events->finished(connection->receiver.user, now);
  }
  if (before == TCP_STATE_FIN_WAIT_2 && !connection->closed) {
    tcp_connection_enter_closed(connection, TCP_STATE_TIME_WAIT, TCP_CLOSE_FINISHED, now);
  }
}

/* An unacceptable segment has been answered. In CLOSING it may be the FIN again, which cut to the window
 * is an empty segment at RCV.NXT: its ACK counts, and may be the first of our FIN (RFC 9293 §3.10.7.4). */
static void arrive_fin_again(tcp_connection *connection, const tcp_incoming *segment)
{
  const tcp_header *header = segment->header;
  int64_t end = segment->position + (int64_t)segment->payload->length + 1;
  bool is_fin = (header->flags & (TCP_SYN | TCP_RST | TCP_FIN | TCP_ACK)) == (TCP_FIN | TCP_ACK);
  int64_t acknowledged =
      tcp_position_of(header->acknowledgement, connection->isn, (int64_t)connection->sender.acknowledged);
  if (connection->state == TCP_STATE_CLOSING && is_fin && end == (int64_t)connection->receiver.next &&
      may_acknowledge(connection, acknowledged) && arrive_ack(connection, segment, acknowledged)) {
    after_ack(connection, segment->now);
  }
}

/* ECN of a segment whose payload is taken; one outside of the window does not count (RFC 3168 §6.1.5). */
static G_GNUC_NO_INLINE void arrive_ecn(tcp_connection *connection, const tcp_incoming *segment)
{
  tcp_receiver *receiver = &connection->receiver;
  uint8_t flags_before = tcp_ecn_flags(&connection->ecn);
  if (segment->payload->length == 0 ||
      !tcp_ecn_take_payload(&connection->ecn, segment->header->flags, segment->congestion_experienced)) {
    return;
  }
  if (receiver->need == TCP_ACK_DELAYED && tcp_receiver_out_of_order_runs(receiver) == 0) {
    connection->earlier_ack_due = true;
    tcp_sender_incidents(&connection->sender)->earlier_ack_flags = flags_before;
    connection->sender.incidents->earlier_acknowledgement = receiver->next;
  }
  tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
}

/* Returns whether the layer above lets the new octets of an acceptable segment be committed. A segment that
 * it refuses is dropped whole, with its ACK and its FIN: no answer, so that the peer sends it again (mpa-01
 * §7, MPA-286). */
static G_GNUC_NO_INLINE bool may_commit(tcp_connection *connection, const tcp_incoming *segment)
{
  if (tcp_receiver_inspect(&connection->receiver, segment->position, segment->payload, segment->now)) {
    return true;
  }
  refuse(connection, segment, false);
  return false;
}

/* RFC 9293 §3.10.7.4, first and second. False: the segment has been answered, and goes no further. */
static bool is_taken(tcp_connection *connection, const tcp_incoming *segment, bool has_timestamp)
{
  /* The letter of the table holds in TIME-WAIT, where all octets and the FIN have come, and if so
   * configured for RST. */
  bool takes_edge =
      connection->state != TCP_STATE_TIME_WAIT &&
      !(connection->sender.config->drops_reset_at_edge && tcp_header_has(segment->header, TCP_RST));
  switch (tcp_acceptance_judge(&connection->receiver, has_timestamp ? &connection->recent_timestamp : NULL,
                               segment, takes_edge)) {
  case TCP_VERDICT_OLD:
    refuse(connection, segment, true);
    return false;
  case TCP_VERDICT_OUTSIDE:
    refuse(connection, segment, true);
    arrive_fin_again(connection, segment);
    return false;
  case TCP_VERDICT_RESET:
    if (connection->state == TCP_STATE_SYN_RECEIVED && connection->passive) {
      tcp_connection_return_to_listen(connection);
    } else {
      tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_RESET, segment->now);
    }
    return false;
  case TCP_VERDICT_FALSE_RESET:
    tcp_receiver_owe_ack(&connection->receiver, TCP_ACK_ALONE);
    return false;
  case TCP_VERDICT_TAKEN:
    break;
  }
  return true;
}

/* Takes what comes in SYN-RECEIVED and all states after it (RFC 9293 §3.10.7.4). */
static G_GNUC_NO_INLINE void arrive_synchronised(tcp_connection *connection, const tcp_incoming *segment)
{
  const tcp_header *header = segment->header;
  if (connection->state == TCP_STATE_SYN_RECEIVED && tcp_header_has(header, TCP_SYN) &&
      !tcp_header_has(header, TCP_ACK) && segment->position == -1) {
    /* Our SYN-ACK is lost or late, and the peer's next SYN may ask for less (RFC 3168 §6.1.1.1). */
    tcp_ecn_take_syn(&connection->ecn, header->flags, true);
  }
  bool has_timestamp = connection->timestamps && header->has_timestamps;
  if (connection->sender.config->drops_untimed && connection->timestamps && !has_timestamp &&
      !tcp_header_has(header, TCP_RST)) {
    refuse(connection, segment, false); /* RFC 7323 §3.2 */
    return;
  }
  if (!is_taken(connection, segment, has_timestamp)) {
    return;
  }
  if (tcp_header_has(header, TCP_SYN)) {
    if (connection->state == TCP_STATE_SYN_RECEIVED && connection->passive) {
      tcp_connection_return_to_listen(connection);
    } else {
      refuse(connection, segment, true); /* RFC 5961 §4.2: a challenge ACK */
    }
    return;
  }
  int64_t acknowledged;
  if (!tcp_header_has(header, TCP_ACK) || !check_ack(connection, segment, &acknowledged) ||
      !may_commit(connection, segment)) {
    return;
  }
  if (has_timestamp) {
    take_timestamp(connection, segment);
  }
  if (!arrive_ack(connection, segment, acknowledged) || !after_ack(connection, segment->now)) {
    return;
  }
  /* seventh and eighth: in the other states the peer has sent all it may */
  if (connection->state != TCP_STATE_ESTABLISHED && connection->state != TCP_STATE_FIN_WAIT_1 &&
      connection->state != TCP_STATE_FIN_WAIT_2) {
    return;
  }
  arrive_ecn(connection, segment);
  tcp_receiver_receive(&connection->receiver, segment->position, segment->payload, header->flags,
                       segment->now);
  if (!connection->closed && tcp_receiver_is_finished(&connection->receiver)) {
    arrive_fin(connection, segment->now);
  }
}

/* ICMP comes from anywhere: only a message about octets in flight is believed, which an attacker out of
 * the path must guess (RFC 5927 §4, §7). */
static G_GNUC_NO_INLINE void arrive_too_big(tcp_connection *connection, const datagram *packet, time_ps now)
{
  const tcp_config *config = connection->sender.config;
  datagram_flow flow;
  uint32_t mtu_octets;
  uint32_t sequence;
  if (!config->path_mtu_discovery || !connection->transport.gauges.is_established ||
      !datagram_checksum_is_right(packet) || !datagram_flow_of(packet, &flow)) {
    return;
  }
  datagram_too_big_of(packet, &mtu_octets, &sequence);
  int64_t acknowledged = (int64_t)connection->sender.acknowledged;
  int64_t position = tcp_position_of(sequence, connection->isn, acknowledged);
  bool ours = ip_address_equal(&flow.source, &config->local_address) &&
              ip_address_equal(&flow.destination, &config->remote_address) &&
              flow.source_port == connection->local_port && flow.destination_port == connection->remote_port;
  uint32_t present = connection->send_mtu_octets;
  uint32_t mtu = tcp_path_mtu_after_too_big(config->local_address.version, present, mtu_octets,
                                            datagram_too_big_quoted_octets(packet));
  if (ours && mtu < present && position >= acknowledged && position < (int64_t)connection->sender.next) {
    tcp_connection_set_path_mtu(connection, mtu, (uint64_t)position, now);
  }
}

/* Returns the segment in `packet`, whose header is `header`. */
static tcp_incoming arrival_of(const tcp_connection *connection, const datagram *packet,
                               const tcp_header *header, time_ps now)
{
  return (tcp_incoming){
      .header = header,
      .payload = &packet->payload,
      .position = tcp_position_of(header->sequence, connection->peer_isn, (int64_t)connection->receiver.next),
      .fin = tcp_header_has(header, TCP_FIN),
      .congestion_experienced = datagram_ecn_of(packet) == DATAGRAM_ECN_CONGESTED,
      .now = now,
  };
}

static G_GNUC_NO_INLINE void arrive_segment(tcp_connection *connection, const datagram *packet, time_ps now)
{
  tcp_header header;
  if (!datagram_checksum_is_right(packet)) {
    tcp_sender_statistics(&connection->sender)->checksum_errors++;
    TRACE(connection->sender.config->trace, CHECKSUM_ERROR, .payload_octets = packet->payload.length);
    return;
  }
  if (!datagram_tcp_header(packet, &header)) {
    return; /* damaged, and its checksum does not show it */
  }
  switch (connection->state) {
  case TCP_STATE_CLOSED:
    tcp_connection_answer_with_reset(connection, &header, packet->payload.length);
    return;
  case TCP_STATE_LISTEN:
    tcp_connection_arrive_in_listen(connection, &header, packet->payload.length, now);
    return;
  case TCP_STATE_SYN_SENT:
    tcp_connection_arrive_in_syn_sent(connection, &header, packet->payload.length, now);
    return;
  default:
    break;
  }
  tcp_incoming segment = arrival_of(connection, packet, &header, now);
  arrive_synchronised(connection, &segment);
}

/* Takes the steps of a predicted segment that need all of its header; returns false when it is dropped, or
 * the connection has closed. */
static G_GNUC_NO_INLINE bool arrive_whole_header(tcp_connection *connection, const datagram *packet,
                                                 uint64_t acknowledged, time_ps now)
{
  tcp_header header;
  datagram_tcp_header(packet, &header);
  tcp_incoming segment = arrival_of(connection, packet, &header, now);
  connection->transport.gauges.rests = false;
  if (packet->payload.length > 0 && connection->receiver.events->inspect &&
      !may_commit(connection, &segment)) {
    return false;
  }
  if (connection->timestamps) {
    take_timestamp(connection, &segment);
  }
  acknowledge(connection, &segment, (int64_t)acknowledged);
  if (connection->ecn.agreed && !connection->closed) {
    arrive_ecn(connection, &segment);
  }
  return !connection->closed;
}

/* This is what a segment is for the receiver that arrive_predicted() looks at. */
typedef enum prediction { NOT_PREDICTED, PREDICTED_IN_ORDER, PREDICTED_AT_A_HOLE } prediction;

static inline prediction predict(const tcp_connection *connection, int64_t position, uint32_t length)
{
  const tcp_receiver *receiver = &connection->receiver;
  if (position == (int64_t)receiver->next && tcp_receiver_expects(receiver, length)) {
    return PREDICTED_IN_ORDER;
  }
  bool in_window = position >= (int64_t)receiver->next &&
                   (uint64_t)position + length <= tcp_receiver_window_edge(receiver);
  return length > 0 && in_window && !receiver->fin_known ? PREDICTED_AT_A_HOLE : NOT_PREDICTED;
}

/* Header prediction: nearly all segments are of an established connection, all in the window, and with an
 * ACK that is to be taken in. If this is one (the next one, or one beyond a hole or for it), it passes the
 * checks of arrive_synchronised(), and few of its steps are left; false if it is not, and nothing is done. */
static bool arrive_predicted(tcp_connection *connection, const datagram *packet, time_ps now)
{
  const uint8_t *wire = packet->header + packet->ip_octets;
  uint32_t length = packet->payload.length;
  if (connection->state != TCP_STATE_ESTABLISHED || packet->carries_checksum ||
      !tcp_header_is_plain_ack(wire, packet->header_octets - packet->ip_octets, connection->timestamps)) {
    return false;
  }
  tcp_sender *sender = &connection->sender;
  int64_t next = (int64_t)connection->receiver.next;
  int64_t before = (int64_t)sender->acknowledged;
  int64_t position = tcp_position_of(big_endian_read_32(wire + TCP_SEQUENCE_AT), connection->peer_isn, next);
  int64_t acknowledged =
      tcp_position_of(big_endian_read_32(wire + TCP_ACKNOWLEDGEMENT_AT), connection->isn, before);
  prediction predicted = predict(connection, position, length);
  if (predicted == NOT_PREDICTED || acknowledged < before || acknowledged > (int64_t)sender->next ||
      (connection->timestamps &&
       tcp_is_of_an_earlier_epoch(&connection->recent_timestamp,
                                  big_endian_read_32(wire + TCP_TIMESTAMP_VALUE_AT), now))) {
    return false;
  }
  bool needs_whole_header = connection->timestamps || connection->ecn.agreed ||
                            (connection->receiver.events->inspect && length > 0);
  if (!needs_whole_header && tcp_sender_takes_smoothly(sender, (uint64_t)acknowledged, -1, now)) {
    heed_window(connection, position, big_endian_read_16(wire + TCP_WINDOW_AT), (uint64_t)acknowledged);
    if (acknowledged > before) {
      connection->transport.gauges.rests = false;
      report_acknowledged(connection, (uint64_t)before, now);
    }
  } else if (!arrive_whole_header(connection, packet, (uint64_t)acknowledged, now)) {
    return true;
  }
  if (length == 0 || connection->closed) {
    return true;
  }
  uint8_t flags = wire[TCP_OFFSET_AND_FLAGS_AT + 1];
  if (predicted == PREDICTED_IN_ORDER) {
    tcp_receiver_receive_expected(&connection->receiver, &packet->payload, flags, now);
  } else {
    tcp_receiver_receive(&connection->receiver, position, &packet->payload, flags, now);
  }
  return true;
}

void tcp_connection_receive(tcp_transport *transport, const datagram *packet, time_ps now)
{
  tcp_connection *connection = tcp_connection_of(transport);
  if (packet->kind == DATAGRAM_TCP && arrive_predicted(connection, packet, now)) {
    return;
  }
  transport->gauges.rests = false;
  if (packet->kind == DATAGRAM_TCP) {
    arrive_segment(connection, packet, now);
  } else if (packet->kind == DATAGRAM_TOO_BIG) { /* IP puts fragments together, or drops them */
    arrive_too_big(connection, packet, now);
  }
}
