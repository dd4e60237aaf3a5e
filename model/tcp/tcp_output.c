/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment leaves: `transmit` of tcp_transport_class. */

#include <glib.h>

#include "net/datagram.h"
#include "tcp/tcp_connection_private.h"
#include "tcp/tcp_transport.h"

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

/* A segment without payload has an option space of 40 octets, 12 of them for timestamps, 4 + 8 a block for
 * SACK (RFC 2018 §3). The smallest path MTU leaves room for 28. */
enum { OPTIONS_MAX = 40, SACK_OPTION_OCTETS = 4, SACK_BLOCK_OCTETS = 8 };

/* A segment without payload, with any `header`. Without path MTU discovery DF is clear. IP numbers the
 * datagram then, as other connections send to the same address (RFC 6864 §4.3). */
static datagram *make_datagram(const tcp_connection *connection, const tcp_header *header)
{
  const tcp_config *config = connection->sender.config;
  datagram *packet =
      datagram_new_in(config->datagram_pool, &config->local_address, &config->remote_address, header, NULL);
  if (!config->path_mtu_discovery) {
    datagram_allow_fragments(packet, 0);
  }
  return packet;
}

/* The SYN, or the SYN-ACK once the peer's SYN has come: the options offered, or those of the peer's that
 * we take. */
static datagram *make_syn(tcp_connection *connection, time_ps now)
{
  bool answer = connection->state == TCP_STATE_SYN_RECEIVED;
  const tcp_config *config = connection->sender.config;
  tcp_header header = {
      .source_port = connection->local_port,
      .destination_port = connection->remote_port,
      .sequence = tcp_sequence_of(-1, connection->isn),
      .acknowledgement = answer ? tcp_sequence_of(0, connection->peer_isn) : 0,
      .flags = TCP_SYN | (answer ? TCP_ACK | (connection->ecn.agreed ? TCP_ECE : 0)
                                 : tcp_ecn_syn_flags(&connection->ecn, connection->syn_timeouts > 0)),
      /* RFC 7323 §2.2: the window of a SYN is never scaled */
      .window = (uint16_t)MIN(config->receive_window_octets, WINDOW_FIELD_MAX),
      .has_mss = true,
      .mss_octets = tcp_config_own_mss_octets(config),
      .has_window_scale = answer ? connection->window_scaling : true,
      .window_scale = connection->receive_scale,
      .has_sack_permitted = answer ? connection->sack : config->sack,
      .has_timestamps = answer ? connection->timestamps : config->timestamps,
      .timestamp_value = tcp_connection_timestamp(connection->sender.config, now),
      .timestamp_echo = answer ? connection->recent_timestamp.value : 0,
  };
  connection->syn_due = false;
  connection->sender.sent_at = now;
  if (answer) {
    tcp_receiver_acknowledge(&connection->receiver);
  }
  tcp_retransmission_timer_start(&connection->sender.timer, now);
  return make_datagram(connection, &header);
}

static G_GNUC_NO_INLINE void add_sack_blocks(tcp_connection *connection, tcp_header *header)
{
  range blocks[TCP_SACK_BLOCKS_MAX];
  uint32_t room =
      MIN(connection->send_mtu_octets - tcp_config_header_octets(connection->sender.config), OPTIONS_MAX);
  room -= SACK_OPTION_OCTETS + (connection->timestamps ? TIMESTAMPS_OPTION_OCTETS : 0);
  header->sack_count =
      (uint8_t)tcp_receiver_take_sack_blocks(&connection->receiver, blocks, room / SACK_BLOCK_OCTETS);
  for (unsigned i = 0; i < header->sack_count; i++) {
    header->sack[i].from = tcp_sequence_of((int64_t)blocks[i].from, connection->peer_isn);
    header->sack[i].to = tcp_sequence_of((int64_t)blocks[i].to, connection->peer_isn);
  }
}

/* Writes the header of a segment at `position` that acknowledges all below `acknowledgement`;
 * `window_edge` as the receiver has it. */
static inline void write_header(const tcp_connection *connection, tcp_header *header, int64_t position,
                                uint64_t acknowledgement, uint64_t window_edge, uint8_t flags, time_ps now)
{
  uint64_t window = window_edge - acknowledgement;
  tcp_header_begin(header);
  header->source_port = connection->local_port;
  header->destination_port = connection->remote_port;
  header->sequence = tcp_sequence_of(position, connection->isn);
  header->acknowledgement = tcp_sequence_of((int64_t)acknowledgement, connection->peer_isn);
  header->flags = flags | TCP_ACK;
  header->window = (uint16_t)(MIN(window, connection->receiver.window_octets) >> connection->receive_scale);
  if (connection->timestamps) {
    header->has_timestamps = true;
    header->timestamp_value = tcp_connection_timestamp(connection->sender.config, now);
    header->timestamp_echo = connection->recent_timestamp.value;
  }
}

/* Writes the header of a segment that acknowledges all that can be, and notes that it has left. */
static inline void begin_segment(tcp_connection *connection, tcp_header *header, int64_t position,
                                 uint8_t flags, time_ps now)
{
  uint64_t acknowledgement = connection->receiver.next;
  uint64_t window_edge = tcp_receiver_acknowledge(&connection->receiver);
  write_header(connection, header, position, acknowledgement, window_edge,
               flags | tcp_ecn_flags(&connection->ecn), now);
}

/* The RST of an abort is at SND.NXT (RFC 9293 §3.10.5), has an ACK as all segments once a connection is
 * established (§3.1), and the timestamps (RFC 7323 §3.2). */
static datagram *make_reset(tcp_connection *connection, time_ps now)
{
  const tcp_pending_reset *reset = &connection->sender.incidents->reset;
  tcp_header header = {
      .source_port = connection->local_port,
      .destination_port = connection->remote_port,
      .sequence = reset->sequence,
      .acknowledgement = reset->acknowledgement,
      .flags = reset->flags,
  };
  if (!reset->is_answer) {
    write_header(connection, &header, (int64_t)connection->sender.next, connection->receiver.next,
                 tcp_receiver_window_edge(&connection->receiver), TCP_RST, now);
  }
  connection->reset_due = false;
  return make_datagram(connection, &header);
}

/* Writes the headers of `packet`, which has its payload; that of TCP is plain. */
static inline void write_headers(const tcp_connection *connection, datagram *packet, const tcp_header *header)
{
  const tcp_config *config = connection->sender.config;
  datagram_write_plain(packet, &config->local_address, &config->remote_address, header);
  if (!config->path_mtu_discovery) {
    datagram_allow_fragments(packet, 0);
  }
}

/* Makes a segment of a synchronised connection without payload and FIN. SACK blocks go only here: EMSS, on
 * which MPA builds its FPDUs, leaves no room for them, and a segment may not outgrow the MTU. */
static inline datagram *make_empty_segment(tcp_connection *connection, int64_t position, time_ps now)
{
  tcp_header header;
  begin_segment(connection, &header, position, 0, now);
  if (connection->sack && tcp_receiver_has_sack_blocks(&connection->receiver)) {
    tcp_header with_blocks = header;
    add_sack_blocks(connection, &with_blocks);
    return make_datagram(connection, &with_blocks);
  }
  datagram *packet = datagram_allocate(connection->sender.config->datagram_pool, DATAGRAM_TCP);
  write_headers(connection, packet, &header);
  return packet;
}

static G_GNUC_NO_INLINE datagram *make_ack(tcp_connection *connection, time_ps now)
{
  return make_empty_segment(connection, (int64_t)connection->sender.next, now);
}

/* DCTCP's ACK of what came before the marks changed, with the echo as it was then (RFC 8257 §3.2); the ACK
 * of all follows. It may be delayed only while there is no hole, so there is nothing to SACK. */
static G_GNUC_NO_INLINE datagram *make_earlier_ack(tcp_connection *connection, time_ps now)
{
  int64_t position = (int64_t)connection->sender.next;
  tcp_header header;
  const tcp_incidents *incidents = connection->sender.incidents;
  write_header(connection, &header, position, incidents->earlier_acknowledgement,
               tcp_receiver_window_edge(&connection->receiver), incidents->earlier_ack_flags, now);
  connection->earlier_ack_due = false;
  return make_datagram(connection, &header);
}

/* `packet` has the payload of what the sender lets out, and becomes that segment. ECT is for new payload
 * only: RFC 3168 §6.1.4 to §6.1.6 forbid it on pure ACKs, on what is sent again and on window probes; RFC
 * 8257 §3.5 leaves DCTCP free to mark them, and here it does not either. */
static G_ALWAYS_INLINE inline datagram *finish(tcp_connection *connection, datagram *packet,
                                               const tcp_outgoing *outgoing, time_ps now)
{
  tcp_header header;
  uint32_t length = packet->payload.length;
  begin_segment(connection, &header, (int64_t)outgoing->position, outgoing->flags, now);
  write_headers(connection, packet, &header);
  if (G_UNLIKELY(!connection->receiver.interactive) && length > 0) { /* Linux: tcp_event_data_sent() */
    connection->receiver.interactive =
        tcp_receiver_gap_ps(&connection->receiver, now) < (uint64_t)connection->sender.config->delayed_ack_ps;
  }
  if (outgoing->ecn_capable) {
    datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
  }
  if (outgoing->full_size) {
    connection->transport.gauges.full_segments++;
    connection->transport.gauges.full_segment_octets += datagram_octets(packet);
    connection->transport.gauges.full_segment_payload_octets += length;
  }
  if (outgoing->again && length > 0) {
    packet->retransmission = true;
    if (connection->receiver.events->retransmitted) {
      connection->receiver.events->retransmitted(connection->receiver.user, outgoing->position, length, now);
    }
  }
  if (outgoing->flags & TCP_FIN) { /* RFC 9293 §3.10.4 */
    connection->state = connection->state == TCP_STATE_ESTABLISHED  ? TCP_STATE_FIN_WAIT_1
                        : connection->state == TCP_STATE_CLOSE_WAIT ? TCP_STATE_LAST_ACK
                                                                    : connection->state;
  }
  return packet;
}

/* The zero-window probe is an empty segment before what is acknowledged: the peer must answer it with its
 * window (RFC 9293 §3.10.7.4), and no FPDU is cut for it. RFC 9293 §3.8.6.1 would send an octet of the
 * stream. */
static G_GNUC_NO_INLINE datagram *make_window_probe(tcp_connection *connection, time_ps now)
{
  connection->sender.probe_due = false;
  tcp_sender_statistics(&connection->sender)->window_probes++;
  TRACE(connection->sender.config->trace, PROBE_SENT, .tail_loss = 0);
  return make_empty_segment(connection, (int64_t)connection->sender.acknowledged - 1, now);
}

/* New octets leave, and nothing else has to. */
static G_GNUC_NO_INLINE datagram *transmit_flowing(tcp_connection *connection, time_ps now)
{
  datagram *packet = datagram_allocate(connection->sender.config->datagram_pool, DATAGRAM_TCP);
  tcp_outgoing outgoing = {.payload = &packet->payload};
  tcp_sender_flow(&connection->sender, &outgoing, now);
  return finish(connection, packet, &outgoing, now);
}

static G_GNUC_NO_INLINE datagram *transmit_stream(tcp_connection *connection, time_ps now)
{
  if (connection->receiver.need == TCP_ACK_ALONE) {
    return make_ack(connection, now);
  }
  datagram *packet = datagram_allocate(connection->sender.config->datagram_pool, DATAGRAM_TCP);
  tcp_outgoing outgoing = {.payload = &packet->payload};
  if (tcp_sender_next(&connection->sender, &outgoing, now)) {
    return finish(connection, packet, &outgoing, now);
  }
  datagram_unref(packet);
  if (connection->sender.probe_due) {
    return make_window_probe(connection, now);
  }
  return connection->receiver.need == TCP_ACK_DUE ? make_ack(connection, now) : NULL;
}

/* With a lowered path MTU, or an ACK of less than has come. */
static G_GNUC_NO_INLINE datagram *transmit_seldom(tcp_connection *connection, bool rests, time_ps now)
{
  if (rests && connection->receiver.need < TCP_ACK_DUE && !connection->earlier_ack_due &&
      connection->transport.gauges.unsent_octets == 0) {
    return NULL;
  }
  if (connection->mtu_lowered && now / TIME_PS_PER_SECOND >= connection->sender.incidents->mtu_expires_s) {
    /* The path MTU has not fallen for ten minutes: what made it fall may be gone, so it is the first hop's
     * again (RFC 1191 §6.3, RFC 8201 §5.3). */
    tcp_connection_set_path_mtu(connection, connection->link_mtu_octets, UINT64_MAX, now);
  }
  return connection->earlier_ack_due ? make_earlier_ack(connection, now) : transmit_stream(connection, now);
}

/* Before and after the states in which payload goes. */
static G_GNUC_NO_INLINE datagram *transmit_beside_stream(tcp_connection *connection, time_ps now)
{
  if (connection->reset_due) {
    return make_reset(connection, now);
  }
  bool may_ack = connection->state >= TCP_STATE_SYN_RECEIVED;
  if (connection->syn_due &&
      (connection->state == TCP_STATE_SYN_SENT || connection->state == TCP_STATE_SYN_RECEIVED)) {
    return make_syn(connection, now);
  }
  return may_ack && connection->receiver.need >= TCP_ACK_DUE ? make_ack(connection, now) : NULL;
}

datagram *tcp_connection_transmit(tcp_transport *transport, time_ps now)
{
  tcp_connection *connection = tcp_connection_of(transport);
  bool in_stream = connection->state >= TCP_STATE_ESTABLISHED && connection->state < TCP_STATE_TIME_WAIT;
  if (!in_stream || connection->reset_due) {
    return transmit_beside_stream(connection, now);
  }
  /* It is asked for each segment, and once more when there is none. */
  tcp_sender_outlook outlook = tcp_sender_outlook_of(&connection->sender);
  if (connection->mtu_lowered || connection->earlier_ack_due) {
    return transmit_seldom(connection, outlook == TCP_SENDER_RESTS, now);
  }
  if (outlook == TCP_SENDER_RESTS) {
    transport->gauges.rests = transport->gauges.unsent_octets == 0 && !connection->sender.flight &&
                              connection->sender.timer.deadline == TIME_PS_NEVER;
    return connection->receiver.need >= TCP_ACK_DUE ? make_ack(connection, now) : NULL;
  }
  return outlook == TCP_SENDER_FLOWS && connection->receiver.need != TCP_ACK_ALONE
             ? transmit_flowing(connection, now)
             : transmit_stream(connection, now);
}

/* The same, which writes what leaves and, when nothing does, what may be sent now. */
datagram *tcp_connection_transmit_traced(tcp_transport *transport, time_ps now)
{
  static const char *const states[] = {
      [TCP_SENDING_OPEN] = "open", [TCP_SENDING_RECOVERY] = "recovery", [TCP_SENDING_LOSS] = "loss"};
  const tcp_connection *connection = tcp_connection_of(transport);
  const tcp_sender *sender = &connection->sender;
  datagram *packet = tcp_connection_transmit(transport, now);
  transport->gauges.rests = false; /* to be asked each time: the window is written then */
  if (packet) {
    tcp_trace_sent(connection->sender.config->trace, packet, connection->isn, sender->next,
                   connection->peer_isn, connection->receiver.next, connection->receive_scale);
    return packet;
  }
  TRACE(connection->sender.config->trace, WINDOW, .acknowledged = sender->acknowledged, .next = sender->next,
        .edge = sender->window_edge, .congestion_window_octets = sender->congestion.window.octets,
        .threshold_octets = sender->congestion.window.threshold_octets,
        .in_flight_octets = sender->flight ? sender->flight->board.pipe_octets : 0,
        .smoothed_ps = (uint64_t)connection->sender.timer.smoothed_ps,
        .rto_ps = (uint64_t)connection->sender.timer.rto_ps, .state = TRACE_NAME(states[sender->state]));
  return NULL;
}
