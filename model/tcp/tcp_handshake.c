/* The handshake: the peer's SYN arrives, or what answers ours (RFC 9293 §3.5, §3.10.7.2, §3.10.7.3). */
#include <glib.h>

#include "tcp/tcp_connection_private.h"

enum {
  MSS_DEFAULT_OCTETS = 536, /* RFC 9293 §3.7.1 (MUST-15) */
  MSS_DEFAULT_IPV6_OCTETS = 1220,
  MSS_MIN_OCTETS = 28, /* every link carries 68 octets (RFC 791 §3.2), so no honest MSS is smaller */
};

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
  uint32_t mss_default = config->local_address.version == 6 ? MSS_DEFAULT_IPV6_OCTETS : MSS_DEFAULT_OCTETS;
  connection->peer_mss_octets = header->has_mss ? MAX(header->mss_octets, MSS_MIN_OCTETS) : mss_default;
  if (tcp_header_has(header, TCP_ACK)) {
    tcp_ecn_take_syn_ack(&connection->ecn, header->flags);
  } else {
    tcp_ecn_take_syn(&connection->ecn, header->flags, false);
  }
  tcp_connection_find_emss(connection);
  tcp_receiver_init(&connection->receiver, config, connection->receive_window_octets, connection->events,
                    connection->user, &connection->gauges);
}

/* The handshake is done: our SYN is acknowledged by `segment`. */
void tcp_connection_establish(tcp_connection *connection, const tcp_arrival *segment)
{
  bool syn_sent_twice = connection->syn_timeouts > 0;
  tcp_retransmission_timer_stop(&connection->timer);
  if (syn_sent_twice) {
    tcp_retransmission_timer_restart_slowly(&connection->timer);
  } else {
    tcp_retransmission_timer_sample(&connection->timer, segment->now - connection->syn_sent_at);
  }
  tcp_sender_start(&connection->sender, connection->gauges.emss_octets, connection->sack, syn_sent_twice, 0);
  tcp_connection_take_window(connection, segment, 0);
  if (connection->ecn.agreed) {
    tcp_sender_use_ecn(&connection->sender);
  }
  connection->state = TCP_STATE_ESTABLISHED;
  connection->gauges.is_established = true;
  if (connection->events->established) {
    connection->events->established(connection->user, segment->now);
  }
}

/* RFC 9293 §3.10.7.2. Payload and FIN of a SYN are not taken: they come again once the connection stands. */
void tcp_connection_arrive_in_listen(tcp_connection *connection, const tcp_header *header,
                                     uint32_t payload_octets, time_ps now)
{
  if (tcp_header_has(header, TCP_RST)) {
    return;
  }
  if (tcp_header_has(header, TCP_ACK)) {
    tcp_connection_answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (tcp_header_has(header, TCP_SYN)) {
    take_syn(connection, header, now);
    connection->state = TCP_STATE_SYN_RECEIVED;
    connection->syn_due = true;
  }
}

/* RFC 9293 §3.10.7.3. */
void tcp_connection_arrive_in_syn_sent(tcp_connection *connection, const tcp_header *header,
                                       uint32_t payload_octets, time_ps now)
{
  bool acknowledges = tcp_header_has(header, TCP_ACK);
  if (acknowledges && header->acknowledgement != tcp_sequence_of(0, connection->config.isn)) {
    tcp_connection_answer_with_reset(connection, header, payload_octets);
    return;
  }
  if (tcp_header_has(header, TCP_RST)) {
    if (acknowledges) {
      tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_RESET, now);
    }
    return;
  }
  if (!tcp_header_has(header, TCP_SYN)) {
    return;
  }
  take_syn(connection, header, now);
  if (!acknowledges) {
    connection->state = TCP_STATE_SYN_RECEIVED; /* simultaneous open */
    connection->syn_due = true;
    return;
  }
  tcp_arrival segment = {.header = header, .position = -1, .now = now};
  tcp_receiver_owe_ack(&connection->receiver, TCP_ACK_DUE);
  tcp_connection_establish(connection, &segment);
}
