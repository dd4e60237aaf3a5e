/* SPDX-License-Identifier: GPL-2.0-only */
/* What an end of a connection does after every event, and where packets come from that it gets. */
#include "session/session_private.h"

/* --- After every event --- */

static void send(session_end *end, datagram *packet, time_ps now)
{
  if (end->host->capture) {
    packet_capture_add(end->host->capture, packet, now);
  }
  session_network_send(end->session->network, end->index, end->side, packet, now);
}

static void set_timer(session_end *end, time_ps when)
{
  end->timer_due = when;
  engine_timer_set(end->timer, when);
}

void session_end_settle(session_end *end, time_ps now)
{
  const session *self = end->session;
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    send(end, packet, now);
  }
  /* Nearly every segment moves TCP's deadline, mostly to later: a timer that is too early looks again when it is due. */
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (deadline < end->timer_due) {
    set_timer(end, deadline);
  }
  if (end->side == self->measured && !(session_recorder_expects_nothing_held(self->recorder, end->index) &&
                                       rnic_endpoint_holds_nothing(end->endpoint))) {
    rnic_held held;
    rnic_endpoint_held(end->endpoint, &held);
    session_recorder_held(self->recorder, end->index, &held, now);
  }
}

void session_end_on_timer(void *user, time_ps now)
{
  session_end *end = user;
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);

  end->timer_due = TIME_PS_NEVER;
  if (deadline > now) {
    set_timer(end, deadline);
    return;
  }
  rnic_endpoint_run(end->endpoint, now);
  session_end_settle(end, now);
}

void session_end_wake(void *user, time_ps now)
{
  set_timer(user, now);
}

/* --- What arrives --- */

/* The end at `host` that `packet` is for. NULL: its ports, damaged on the way, are nobody's. */
static inline session_end *end_of(const session_host *host, const datagram *packet)
{
  const session *self = host->session;
  uint32_t index;

  for (enum side side = 0; side < SIDES; side++) {
    if (ip_input_connection_of(packet, side, self->connection_count, &index) &&
        self->connections[index].ends[side].host == host) {
      return &self->connections[index].ends[side];
    }
  }
  return NULL;
}

/* A whole packet for TCP; takes its reference. What is nobody's is dropped: its TCP checksum would be wrong for any connection. */
static inline void receive_whole(session_host *host, datagram *packet, time_ps now)
{
  const session_capture *capture = host->session->config.capture;
  session_end *end = capture ? NULL : end_of(host, packet);

  if (end) {
    rnic_endpoint_receive(end->endpoint, packet, now);
    datagram_unref(packet);
    session_end_settle(end, now);
  } else if (capture) {
    capture->whole(capture->user, packet, now);
  } else {
    host->session->strays++;
    datagram_unref(packet);
  }
}

void session_receive(void *user, datagram *packet, time_ps now)
{
  session_host *host = user;

  if (host->capture) {
    packet_capture_add(host->capture, packet, now);
  }
  if (packet->kind == DATAGRAM_FRAGMENT) {
    ip_input_receive(host->input, packet, now);
  } else {
    receive_whole(host, packet, now); /* nearly all: there is nothing to reassemble */
  }
}

void session_arrive(session *self, uint32_t connection, const datagram *packet, time_ps now)
{
  session_end *end = &self->connections[connection].ends[self->measured];

  rnic_endpoint_receive(end->endpoint, packet, now);
  session_end_settle(end, now);
}

static void on_whole(void *user, datagram *packet, time_ps now)
{
  receive_whole(user, packet, now);
}

static bool on_connection_of(void *user, const datagram_flow *flow, uint32_t *connection)
{
  const session_capture *capture = ((const session_host *)user)->session->config.capture;

  return capture->connection_of(capture->user, flow, connection);
}

/* An ICMP message of the host's about a fragment that it dropped leaves by the path of the connection it is about. */
static void on_answer(void *user, datagram *message, time_ps now)
{
  const session_host *host = user;
  const session *self = host->session;
  session_end *end = &self->connections[0].ends[self->connections[0].ends[0].host != host];
  uint32_t index;

  for (enum side side = 0; side < SIDES; side++) { /* it is for the peer: as the peer will see it */
    if (ip_input_connection_of(message, side_peer(side), self->connection_count, &index) &&
        self->connections[index].ends[side].host == host) {
      end = &self->connections[index].ends[side];
    }
  }
  send(end, message, now);
}

static void on_fragments(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  const session_host *host = user;

  if (host->is_measured) {
    session_recorder_fragments(host->session->recorder, connection, octets, now);
  }
}

ip_input_events session_input_events(const session *self)
{
  return (ip_input_events){.whole = on_whole,
                           .answer = on_answer,
                           .held = on_fragments,
                           .connection_of = self->config.capture ? on_connection_of : NULL};
}

bool session_is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, uint32_t *hint)
{
  const session *self = user;
  enum side source = side_peer(self->measured);
  uint32_t port = source == SIDE_INITIATOR ? flow->source_port : flow->destination_port;
  uint32_t index = port - SESSION_INITIATOR_FIRST_PORT;
  int64_t start;

  if (port < SESSION_INITIATOR_FIRST_PORT || index >= self->connection_count) {
    return false;
  }
  start = rnic_endpoint_sent_phase_start(self->connections[index].ends[source].endpoint);
  return start >= 0 && position >= start &&
         session_recorder_is_fpdu_start(self->recorder, index, (uint64_t)(position - start), hint);
}
