/* A segment arrives: tcp_connection_receive(), RFC 9293 §3.10.7 in its order. */
#include <glib.h>

#include "tcp/tcp_connection_private.h"

enum {
  MSS_DEFAULT_OCTETS = 536, /* RFC 9293 §3.7.1 (MUST-15) */
  MSS_MIN_OCTETS = 28,      /* every link carries 68 octets (RFC 791 §3.2), so no honest MSS is smaller */
};

/* A segment in stream positions. */
typedef struct arrival {
  const tcp_header *header;
  const octet_rope *payload;
  int64_t position;
  bool fin;
  time_ps now;
} arrival;

static bool has(const tcp_header *header, uint8_t flag)
{
  return (header->flags & flag) != 0;
}

/* What answers a segment that belongs to no connection (RFC 9293 §3.10.7.1, §3.5.2 group 1). */
static void answer_with_reset(tcp_connection *connection, const tcp_header *header, uint32_t payload_octets)
{
  if (has(header, TCP_RST)) {
    return;
  }
  connection->reset.due = true;
  if (has(header, TCP_ACK)) {
    connection->reset.flags = TCP_RST;
    connection->reset.sequence = header->acknowledgement;
    connection->reset.acknowledgement = 0;
    return;
  }
  uint32_t octets = payload_octets + (has(header, TCP_SYN) ? 1 : 0) + (has(header, TCP_FIN) ? 1 : 0);
  connection->reset.flags = TCP_RST | TCP_ACK;
  connection->reset.sequence = 0;
  connection->reset.acknowledgement = header->sequence + octets;
}

/* The peer's SYN: what both offered is agreed. */
static void take_syn(tcp_connection *connection, const tcp_header *header, time_ps now)
{
  const tcp_config *config = &connection->config;
  connection->peer_isn = header->sequence;
  connection->sack = config->sack && header->has_sack_permitted;
  connection->timestamps = config->timestamps && header->has_timestamps;
  connection->recent_timestamp = header->timestamp_value;
  connection->recent_timestamp_taken = now;
  connection->window_scaling = header->has_window_scale;
  connection->send_scale = (uint8_t)MIN(header->window_scale, WINDOW_SCALE_MAX);
  if (!connection->window_scaling) {
    /* RFC 7323 §1.3: scaling only when both SYNs have the option */
    connection->receive_scale = 0;
    connection->receive_window_octets = MIN(connection->receive_window_octets, WINDOW_FIELD_MAX);
  }
  /* RFC 6691 §2: MSS counts no options, the sender takes them off. */
  connection->peer_mss_octets =
      header->has_mss ? MAX(header->mss_octets, MSS_MIN_OCTETS) : MSS_DEFAULT_OCTETS;
  tcp_connection_find_emss(connection);
  connection->receiver =
      tcp_receiver_new(config, connection->receive_window_octets, &connection->events, connection->user);
}

static void take_window(tcp_connection *connection, const arrival *segment, uint64_t acknowledged)
{
  /* RFC 7323 §2.2: the window of a SYN is never scaled */
  unsigned scale = has(segment->header, TCP_SYN) ? 0 : connection->send_scale;
  uint64_t octets = (uint64_t)segment->header->window << scale;
  connection->peer_window = segment->header->window;
  connection->peer_window_max = MAX(connection->peer_window_max, octets);
  connection->window_position = segment->position;
  connection->window_acknowledged = acknowledged;
  tcp_sender_open_window(connection->sender, acknowledged + octets);
}

/* The handshake is done: our SYN is acknowledged by `segment`. */
static void establish(tcp_connection *connection, const arrival *segment)
{
  bool syn_sent_twice = connection->syn_timeouts > 0;
  tcp_retransmission_timer_stop(connection->timer);
  if (syn_sent_twice) {
    tcp_retransmission_timer_restart_slowly(connection->timer);
  } else {
    tcp_retransmission_timer_sample(connection->timer, segment->now - connection->syn_sent_at);
  }
  tcp_sender_start(connection->sender, connection->emss_octets, connection->sack, syn_sent_twice, 0);
  take_window(connection, segment, 0);
  connection->state = TCP_STATE_ESTABLISHED;
  if (connection->events.established) {
    connection->events.established(connection->user, segment->now);
  }
}

/* RFC 9293 §3.10.7.2. Payload and FIN of a SYN are not taken: they come again once the connection stands. */
static void arrive_in_listen(tcp_connection *connection, const tcp_header *header, uint32_t payload_octets,
                             time_ps now)
{
  if (has(header, TCP_RST)) {
    return;
  }
  if (has(header, TCP_ACK)) {
    answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (has(header, TCP_SYN)) {
    take_syn(connection, header, now);
    connection->state = TCP_STATE_SYN_RECEIVED;
    connection->syn_due = true;
  }
}

/* RFC 9293 §3.10.7.3. */
static void arrive_in_syn_sent(tcp_connection *connection, const tcp_header *header, uint32_t payload_octets,
                               time_ps now)
{
  bool acknowledges = has(header, TCP_ACK);
  if (acknowledges && header->acknowledgement != tcp_sequence_of(0, connection->config.isn)) {
    answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (has(header, TCP_RST)) {
    if (acknowledges) {
      tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_RESET, now);
    }
    return;
  }
  if (!has(header, TCP_SYN)) {
    return;
  }
  take_syn(connection, header, now);
  if (!acknowledges) {
    connection->state = TCP_STATE_SYN_RECEIVED; /* simultaneous open */
    connection->syn_due = true;
    return;
  }
  arrival segment = {.header = header, .position = -1, .now = now};
  tcp_receiver_owe_ack(connection->receiver, TCP_ACK_DUE);
  establish(connection, &segment);
}

/* RFC 9293 §3.10.7.4, table 6. A segment without length is taken at the window's edge too, where a sender
 * stands that has filled the window: by the letter of the table every ACK it sends then would be lost. */
static bool is_acceptable(const tcp_connection *connection, const arrival *segment)
{
  int64_t next = (int64_t)tcp_receiver_next(connection->receiver);
  int64_t edge = (int64_t)tcp_receiver_window_edge(connection->receiver);
  int64_t length =
      segment->payload->length + (segment->fin ? 1 : 0) + (has(segment->header, TCP_SYN) ? 1 : 0);
  if (length == 0) {
    return segment->position >= next && segment->position <= edge;
  }
  return segment->position < edge && segment->position + length > next;
}

/* Answers with an ACK and drops the segment; its payload is counted while somebody above listens. */
static void refuse(tcp_connection *connection, const arrival *segment)
{
  uint32_t length = connection->closed ? 0 : segment->payload->length;
  tcp_receiver_refuse(connection->receiver, segment->position, length, !has(segment->header, TCP_RST),
                      segment->now);
}

/* RFC 9293 §3.10.7.4, second: only a RST at exactly RCV.NXT is believed, others in the window are
 * challenged (RFC 5961 §3.2). */
static void arrive_reset(tcp_connection *connection, const arrival *segment)
{
  if (segment->position != (int64_t)tcp_receiver_next(connection->receiver)) {
    tcp_receiver_owe_ack(connection->receiver, TCP_ACK_ALONE);
    return;
  }
  if (connection->state == TCP_STATE_SYN_RECEIVED && connection->passive) {
    tcp_connection_return_to_listen(connection);
    return;
  }
  tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_RESET, segment->now);
}

enum { PAWS_TICK = 1000 }; /* of this clock's: one millisecond */

/* PAWS (RFC 7323 §5.3 R1; mpa-01 §3.1.2, MPA-029): a timestamp from before TS.Recent is of another epoch of the sequence space.
 * The clock asked for ticks no faster than every millisecond (§5.4), so late segments of the last one are of this epoch; with this clock's
 * microseconds every segment that a retransmission overtakes would be of an earlier one. TS.Recent of half the clock's period
 * ago compares with nothing any more (§5.5; 24 days there, 36 minutes here). */
static bool is_of_an_earlier_epoch(const tcp_connection *connection, const arrival *segment)
{
  const tcp_header *header = segment->header;
  time_ps age = segment->now - connection->recent_timestamp_taken;
  return connection->timestamps && header->has_timestamps &&
         (int32_t)(header->timestamp_value - connection->recent_timestamp) < -PAWS_TICK &&
         age < (time_ps)INT32_MAX * TIME_PS_PER_MICROSECOND;
}

/* RFC 7323 §4.3: what is echoed is the timestamp of the oldest segment not yet acknowledged. */
static void take_timestamp(tcp_connection *connection, const arrival *segment)
{
  const tcp_header *header = segment->header;
  bool newer = (int32_t)(header->timestamp_value - connection->recent_timestamp) >= 0;
  if (connection->timestamps && header->has_timestamps && newer &&
      segment->position <= (int64_t)connection->last_acknowledgement) {
    connection->recent_timestamp = header->timestamp_value;
    connection->recent_timestamp_taken = segment->now;
  }
}

static time_ps round_trip_of(const tcp_connection *connection, const arrival *segment)
{
  if (!connection->timestamps || !segment->header->has_timestamps) {
    return -1;
  }
  int32_t ticks = (int32_t)(tcp_connection_timestamp(segment->now) - segment->header->timestamp_echo);
  return ticks >= 0 ? (time_ps)ticks * TIME_PS_PER_MICROSECOND : -1;
}

static void acknowledge(tcp_connection *connection, const arrival *segment, uint64_t position)
{
  const tcp_header *header = segment->header;
  tcp_sender *sender = connection->sender;
  tcp_acknowledgement ack = {
      .position = position,
      .may_be_duplicate =
          segment->payload->length == 0 && !segment->fin && header->window == connection->peer_window,
      .sack_count = connection->sack ? header->sack_count : 0,
      .round_trip_ps = round_trip_of(connection, segment),
  };
  int64_t near = (int64_t)position;
  for (uint32_t i = 0; i < ack.sack_count; i++) {
    int64_t from = tcp_position_of(header->sack[i].from, connection->config.isn, near);
    int64_t to = tcp_position_of(header->sack[i].to, connection->config.isn, near);
    ack.sack[i] = (range){(uint64_t)MAX(from, 0), (uint64_t)MAX(to, 0)};
  }
  /* RFC 9293 §3.10.7.4: a window of an older segment is not taken. */
  if (segment->position > connection->window_position ||
      (segment->position == connection->window_position && position >= connection->window_acknowledged)) {
    take_window(connection, segment, position);
  }
  uint64_t before = MIN(tcp_sender_acknowledged(sender), tcp_sender_posted(sender));
  tcp_sender_acknowledge(sender, &ack, segment->now);
  uint64_t after = MIN(position, tcp_sender_posted(sender));
  if (after > before && connection->events.acknowledged) {
    connection->events.acknowledged(connection->user, after, segment->now);
  }
}

/* RFC 9293 §3.10.7.4, fifth: check the ACK field. Stores its position. Returns false when the segment is
 * dropped. */
static bool check_ack(tcp_connection *connection, const arrival *segment, int64_t *position)
{
  const tcp_header *header = segment->header;
  int64_t acknowledged = (int64_t)tcp_sender_acknowledged(connection->sender);
  *position = tcp_position_of(header->acknowledgement, connection->config.isn, acknowledged);
  if (connection->state == TCP_STATE_SYN_RECEIVED) {
    if (*position != 0) {
      answer_with_reset(connection, header, segment->payload->length);
    }
    return *position == 0;
  }
  bool too_new = *position > (int64_t)tcp_sender_next_position(connection->sender);
  bool too_old = *position < acknowledged - (int64_t)connection->peer_window_max;
  if (too_new || too_old) {
    refuse(connection, segment); /* RFC 5961 §5.2 for the old ones */
  }
  return !too_new && !too_old;
}

/* The ACK field, which is in order, has its effect. Returns false when the connection is closed by it. */
static bool arrive_ack(tcp_connection *connection, const arrival *segment, int64_t position)
{
  if (connection->state == TCP_STATE_SYN_RECEIVED) {
    establish(connection, segment);
  } else if (position >= (int64_t)tcp_sender_acknowledged(connection->sender)) {
    acknowledge(connection, segment, (uint64_t)position);
  }
  return !connection->closed;
}

/* What an acknowledged FIN of ours makes of the state. Returns false when the connection is closed by it. */
static bool after_ack(tcp_connection *connection, time_ps now)
{
  if (!tcp_sender_fin_acknowledged(connection->sender)) {
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
  connection->state = before == TCP_STATE_ESTABLISHED  ? TCP_STATE_CLOSE_WAIT
                      : before == TCP_STATE_FIN_WAIT_1 ? TCP_STATE_CLOSING
                                                       : before;
  if (connection->events.finished) {
    connection->events.finished(connection->user, now);
  }
  if (before == TCP_STATE_FIN_WAIT_2 && !connection->closed) {
    tcp_connection_enter_closed(connection, TCP_STATE_TIME_WAIT, TCP_CLOSE_FINISHED, now);
  }
}

/* The states in which the peer may still send (RFC 9293 §3.10.7.4, seventh and eighth). */
static bool may_receive(const tcp_connection *connection)
{
  return connection->state == TCP_STATE_ESTABLISHED || connection->state == TCP_STATE_FIN_WAIT_1 ||
         connection->state == TCP_STATE_FIN_WAIT_2;
}

/* Whether the layer above lets the new octets of an acceptable segment be committed. A segment that it
 * refuses is dropped whole, with its ACK and its FIN, as if it had been lost: no answer, so that the peer
 * sends it again (mpa-01 §7, MPA-286). It has come all the same, so it is counted. */
static bool may_commit(tcp_connection *connection, const arrival *segment)
{
  if (tcp_receiver_inspect(connection->receiver, segment->position, segment->payload, segment->now)) {
    return true;
  }
  tcp_receiver_refuse(connection->receiver, segment->position, segment->payload->length, false, segment->now);
  return false;
}

/* RFC 9293 §3.10.7.4: SYN-RECEIVED and all states behind it. */
static void arrive_synchronised(tcp_connection *connection, const arrival *segment)
{
  const tcp_header *header = segment->header;
  if (!is_acceptable(connection, segment) ||
      (!has(header, TCP_RST) && is_of_an_earlier_epoch(connection, segment))) {
    refuse(connection, segment);
    return;
  }
  if (has(header, TCP_RST)) {
    arrive_reset(connection, segment);
    return;
  }
  if (has(header, TCP_SYN)) {
    if (connection->state == TCP_STATE_SYN_RECEIVED && connection->passive) {
      tcp_connection_return_to_listen(connection);
    } else {
      refuse(connection, segment); /* RFC 5961 §4.2: a challenge ACK */
    }
    return;
  }
  int64_t acknowledged;
  if (!has(header, TCP_ACK) || !check_ack(connection, segment, &acknowledged) ||
      !may_commit(connection, segment)) {
    return;
  }
  take_timestamp(connection, segment);
  if (!arrive_ack(connection, segment, acknowledged) || !after_ack(connection, segment->now) ||
      !may_receive(connection)) {
    return;
  }
  tcp_receiver_receive(connection->receiver, segment->position, segment->payload, segment->fin, segment->now);
  if (!connection->closed && tcp_receiver_is_finished(connection->receiver)) {
    arrive_fin(connection, segment->now);
  }
}

void tcp_connection_receive(tcp_connection *connection, const datagram *packet, time_ps now)
{
  tcp_header header;
  datagram_tcp_header(packet, &header);
  switch (connection->state) {
  case TCP_STATE_CLOSED:
    answer_with_reset(connection, &header, packet->payload.length);
    return;
  case TCP_STATE_LISTEN:
    arrive_in_listen(connection, &header, packet->payload.length, now);
    return;
  case TCP_STATE_SYN_SENT:
    arrive_in_syn_sent(connection, &header, packet->payload.length, now);
    return;
  default:
    break;
  }
  arrival segment = {
      .header = &header,
      .payload = &packet->payload,
      .position = tcp_position_of(header.sequence, connection->peer_isn,
                                  (int64_t)tcp_receiver_next(connection->receiver)),
      .fin = has(&header, TCP_FIN),
      .now = now,
  };
  arrive_synchronised(connection, &segment);
}
