#include "tcp/tcp_connection.h"

#include <glib.h>

#include "tcp/tcp_connection_private.h"

enum { MTU_MIN_OCTETS = 68 }; /* every link carries that (RFC 791 §3.2) */

uint32_t tcp_connection_timestamp(time_ps now)
{
  return (uint32_t)((uint64_t)now / (uint64_t)TIME_PS_PER_MICROSECOND);
}

void tcp_connection_find_emss(tcp_connection *connection)
{
  uint32_t own = connection->config.send_mtu_octets - IPV4_HEADER_OCTETS - TCP_HEADER_OCTETS;
  connection->emss_octets =
      MIN(connection->peer_mss_octets, own) - (connection->timestamps ? TIMESTAMPS_OPTION_OCTETS : 0);
}

/* What we offer before anything is agreed: the smallest scale that brings the window into 16 bits (RFC
 * 7323 §2.2). */
static void offer(tcp_connection *connection)
{
  const tcp_config *config = &connection->config;
  uint64_t window = MIN(config->receive_window_octets, (uint64_t)WINDOW_FIELD_MAX << WINDOW_SCALE_MAX);
  uint8_t scale = 0;
  while (window >> scale > WINDOW_FIELD_MAX) {
    scale++;
  }
  connection->receive_scale = scale;
  /* What the scale cuts off could not be announced, so it is no part of the window: the right edge moves
   * with the in-order edge and never left (RFC 9293 §3.8.6). */
  connection->receive_window_octets = window >> scale << scale;
  connection->peer_mss_octets = UINT32_MAX;
  connection->timestamps = config->timestamps;
  tcp_connection_find_emss(connection);
}

tcp_connection *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user)
{
  g_assert(config->send_mtu_octets >= MTU_MIN_OCTETS && config->receive_mtu_octets >= MTU_MIN_OCTETS);
  g_assert(config->send_mtu_octets <= UINT16_MAX && config->receive_mtu_octets <= UINT16_MAX);
  g_assert(config->receive_window_octets > 0 && config->duplicate_ack_threshold > 0);
  tcp_connection *connection = g_new0(tcp_connection, 1);
  connection->config = *config;
  connection->events = *events;
  connection->user = user;
  connection->state = TCP_STATE_CLOSED;
  connection->timer =
      tcp_retransmission_timer_new(config->rto_initial_ps, config->rto_min_ps, config->rto_max_ps);
  connection->sender = tcp_sender_new(&connection->config, connection->timer, &connection->statistics);
  offer(connection);
  return connection;
}

void tcp_connection_free(tcp_connection *connection)
{
  if (connection) {
    tcp_sender_free(connection->sender);
    tcp_receiver_free(connection->receiver);
    tcp_retransmission_timer_free(connection->timer);
    g_free(connection);
  }
}

void tcp_connection_open(tcp_connection *connection, time_ps now)
{
  g_assert(connection->state == TCP_STATE_CLOSED && !connection->closed);
  connection->state = TCP_STATE_SYN_SENT;
  connection->syn_due = true;
  connection->syn_sent_at = now;
}

void tcp_connection_listen(tcp_connection *connection)
{
  g_assert(connection->state == TCP_STATE_CLOSED && !connection->closed);
  connection->state = TCP_STATE_LISTEN;
  connection->passive = true;
}

void tcp_connection_return_to_listen(tcp_connection *connection)
{
  tcp_retransmission_timer_stop(connection->timer);
  tcp_receiver_free(connection->receiver);
  connection->receiver = NULL;
  connection->state = TCP_STATE_LISTEN;
  connection->syn_due = false;
  connection->syn_timeouts = 0;
  offer(connection);
}

void tcp_connection_enter_closed(tcp_connection *connection, tcp_state state, tcp_close_reason reason,
                                 time_ps now)
{
  connection->state = state;
  tcp_retransmission_timer_stop(connection->timer);
  if (connection->closed) {
    return;
  }
  connection->closed = true;
  if (connection->events.closed) {
    connection->events.closed(connection->user, reason, now);
  }
}

void tcp_connection_post(tcp_connection *connection, octet_rope *record, unsigned flags)
{
  tcp_sender_post(connection->sender, record, flags);
}

void tcp_connection_close(tcp_connection *connection)
{
  tcp_sender_finish(connection->sender);
}

/* RFC 9293 §3.10.5: the states in which the peer must be told. */
static bool abort_sends_reset(const tcp_connection *connection)
{
  switch (connection->state) {
  case TCP_STATE_SYN_RECEIVED:
  case TCP_STATE_ESTABLISHED:
  case TCP_STATE_FIN_WAIT_1:
  case TCP_STATE_FIN_WAIT_2:
  case TCP_STATE_CLOSE_WAIT:
    return true;
  default:
    return false;
  }
}

void tcp_connection_abort(tcp_connection *connection, time_ps now)
{
  if (connection->closed) {
    return;
  }
  if (abort_sends_reset(connection)) {
    connection->reset = (tcp_pending_reset){
        .due = true,
        .flags = TCP_RST,
        .sequence =
            tcp_sequence_of((int64_t)tcp_sender_next_position(connection->sender), connection->config.isn),
    };
  }
  tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_ABORTED, now);
}

static time_ps ack_deadline(const tcp_connection *connection)
{
  return connection->receiver ? tcp_receiver_ack_deadline(connection->receiver) : TIME_PS_NEVER;
}

time_ps tcp_connection_deadline(const tcp_connection *connection)
{
  if (connection->state == TCP_STATE_CLOSED) {
    return TIME_PS_NEVER;
  }
  return time_ps_earlier(tcp_retransmission_timer_deadline(connection->timer), ack_deadline(connection));
}

/* The SYN or SYN-ACK was not answered in time. Returns false when it is given up. */
static bool time_out_syn(tcp_connection *connection)
{
  connection->statistics.timeouts++;
  connection->syn_timeouts++;
  tcp_retransmission_timer_stop(connection->timer);
  tcp_retransmission_timer_back_off(connection->timer);
  connection->syn_due = true; /* sending it starts the timer */
  return connection->syn_timeouts < connection->config.retries_max;
}

void tcp_connection_run(tcp_connection *connection, time_ps now)
{
  if (ack_deadline(connection) <= now) {
    tcp_receiver_owe_ack(connection->receiver, TCP_ACK_DUE);
  }
  if (tcp_retransmission_timer_deadline(connection->timer) > now) {
    return;
  }
  bool in_handshake = connection->state == TCP_STATE_SYN_SENT || connection->state == TCP_STATE_SYN_RECEIVED;
  bool goes_on = in_handshake ? time_out_syn(connection) : tcp_sender_time_out(connection->sender, now);
  if (!goes_on) {
    tcp_connection_enter_closed(connection, TCP_STATE_CLOSED, TCP_CLOSE_GAVE_UP, now);
  }
}

bool tcp_connection_is_established(const tcp_connection *connection)
{
  return connection->state >= TCP_STATE_ESTABLISHED && !connection->closed;
}

bool tcp_connection_is_closed(const tcp_connection *connection)
{
  return connection->closed || connection->state == TCP_STATE_CLOSED;
}

void tcp_connection_set_send_mtu(tcp_connection *connection, uint32_t mtu_octets)
{
  g_assert(mtu_octets >= MTU_MIN_OCTETS && mtu_octets <= UINT16_MAX);
  connection->config.send_mtu_octets = mtu_octets;
  tcp_connection_find_emss(connection);
  tcp_sender_set_emss(connection->sender, connection->emss_octets);
}

uint32_t tcp_connection_emss_octets(const tcp_connection *connection)
{
  return connection->emss_octets;
}

uint64_t tcp_connection_unsent_octets(const tcp_connection *connection)
{
  return tcp_sender_unsent_octets(connection->sender);
}

uint64_t tcp_connection_posted_octets(const tcp_connection *connection)
{
  return tcp_sender_posted(connection->sender);
}

uint64_t tcp_connection_in_order_edge(const tcp_connection *connection)
{
  return connection->receiver ? tcp_receiver_in_order_edge(connection->receiver) : 0;
}

size_t tcp_connection_out_of_order_runs(const tcp_connection *connection)
{
  return connection->receiver ? tcp_receiver_out_of_order_runs(connection->receiver) : 0;
}

uint64_t tcp_connection_held_octets(const tcp_connection *connection)
{
  return connection->receiver ? tcp_receiver_held_octets(connection->receiver) : 0;
}

uint64_t tcp_connection_held_octets_below(const tcp_connection *connection, uint64_t position)
{
  return connection->receiver ? tcp_receiver_held_octets_below(connection->receiver, position) : 0;
}

const tcp_statistics *tcp_connection_statistics(const tcp_connection *connection)
{
  return &connection->statistics;
}

uint64_t tcp_connection_congestion_window_octets(const tcp_connection *connection)
{
  return tcp_sender_congestion_window_octets(connection->sender);
}

uint64_t tcp_connection_slow_start_threshold_octets(const tcp_connection *connection)
{
  return tcp_sender_slow_start_threshold_octets(connection->sender);
}
