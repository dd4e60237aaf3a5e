/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_transport.h"

#include <glib.h>

#include "tcp/tcp_receiver.h"

typedef struct replay_transport {
  tcp_transport transport; /* first */
  tcp_config config;
  const tcp_events *events;
  void *user;
  replay_transport_place place;
  tcp_receiver receiver;
  tcp_statistics statistics;
  int64_t highest;       /* end of the octets that came, taken or not */
  uint64_t acknowledged; /* of what was posted */
  bool is_closed;        /* events.closed has been called */
  bool is_finished;
  bool has_own_fin;
  uint32_t own_fin_sequence; /* of the octet after the FIN */
  bool is_own_fin_acknowledged;
  tcp_recent_timestamp recent_timestamp;
  int64_t own_acknowledgement; /* Last.ACK.sent, a position; INT64_MIN: none has been captured */
  buffer_chain syn_octets;     /* that the peer's SYN brought, until TCP is established */
} replay_transport;

static replay_transport *self_of(tcp_transport *transport)
{
  return (replay_transport *)transport;
}

/* Returns where the first octet of a segment with sequence number `sequence` lies; may be below 0. */
static int64_t position_of(const replay_transport *self, uint32_t sequence)
{
  return tcp_position_of(sequence, self->place.peer_isn, (int64_t)self->receiver.next);
}

/* Returns the position past the last octet of a segment, and its FIN. */
static int64_t end_of(const tcp_incoming *segment)
{
  return segment->position + (int64_t)segment->payload->length + (segment->fin ? 1 : 0);
}

/* Reads the segment `packet`, whose header is read into `header`. False when the replay does not heed it: it
 * has no whole header, or reaches beyond the limit. */
static bool read_segment(const replay_transport *self, const datagram *packet, tcp_header *header,
                         tcp_incoming *segment)
{
  if (packet->kind != DATAGRAM_TCP || !datagram_tcp_header(packet, header)) {
    return false;
  }
  *segment = (tcp_incoming){.header = header,
                            .payload = &packet->payload,
                            .position = position_of(self, header->sequence),
                            .fin = tcp_header_has(header, TCP_FIN)};
  return end_of(segment) <= 0 || (uint64_t)end_of(segment) <= self->place.limit;
}

static void enter_closed(replay_transport *self, tcp_close_reason reason, time_ps now)
{
  if (!self->is_closed) {
    self->is_closed = true;
    self->transport.gauges.is_established = false;
    self->events->closed(self->user, reason, now);
  }
}

/* --- What arrives --- */

/* Octets that came with the SYN are passed on now (RFC 9293 §3.10.7.2), as many as the real end has accepted.
 */
static void establish(replay_transport *self, time_ps now)
{
  if (self->transport.gauges.is_established) {
    return;
  }
  self->transport.gauges.is_established = true;
  self->events->established(self->user, now);
  const int64_t brought = self->syn_octets.length;
  const int64_t taken =
      self->own_acknowledgement == INT64_MIN ? brought : CLAMP(self->own_acknowledgement, 0, brought);
  if (taken > 0) {
    buffer_chain octets;

    buffer_chain_init(&octets);
    buffer_chain_append_slices(&octets, &self->syn_octets, 0, (uint32_t)taken);
    tcp_receiver_receive(&self->receiver, 0, &octets, 0, now);
    buffer_chain_clear(&octets);
  }
  buffer_chain_clear(&self->syn_octets);
}

static void take_timestamp(replay_transport *self, const tcp_incoming *segment)
{
  int64_t acknowledged = self->own_acknowledgement;

  if (acknowledged == INT64_MIN) {
    acknowledged = (int64_t)self->receiver.next;
  }
  if (segment->header->has_timestamps) {
    tcp_recent_timestamp_take(&self->recent_timestamp, segment->header->timestamp_value, segment->position,
                              acknowledged, segment->now);
  }
}

/* It is dropped; its payload is counted. */
static void refuse(replay_transport *self, const tcp_incoming *segment)
{
  tcp_receiver_refuse(&self->receiver, segment->position, segment->payload->length, false, segment->now);
}

/* After a segment that may have acknowledged the real end's FIN: have both directions ended? */
static void close_when_done(replay_transport *self, const tcp_incoming *segment)
{
  if (self->has_own_fin && (int32_t)(segment->header->acknowledgement - self->own_fin_sequence) >= 0) {
    self->is_own_fin_acknowledged = true;
  }
  if (self->is_finished && self->is_own_fin_acknowledged) {
    enter_closed(self, TCP_CLOSE_FINISHED, segment->now);
  }
}

static void take(replay_transport *self, const tcp_incoming *segment)
{
  self->highest = MAX(self->highest, segment->position + (int64_t)segment->payload->length);
  if (!tcp_header_has(segment->header, TCP_ACK)) {
    return;
  }
  if (!tcp_receiver_inspect(&self->receiver, segment->position, segment->payload, segment->now)) {
    refuse(self, segment);
    return;
  }
  take_timestamp(self, segment);
  establish(self, segment->now);
  if (!self->is_finished) {
    tcp_receiver_receive(&self->receiver, segment->position, segment->payload, segment->fin ? TCP_FIN : 0,
                         segment->now);
    if (!self->is_closed && tcp_receiver_is_finished(&self->receiver)) {
      self->is_finished = true;
      self->events->finished(self->user, segment->now);
    }
  }
  close_when_done(self, segment);
}

/* Acts as on a synchronised connection. `again`: the replay offers it again, with the timestamp of the first
 * time, where a TCP would have put a new one. */
static void arrive(replay_transport *self, const tcp_incoming *segment, bool again)
{
  if (tcp_header_has(segment->header, TCP_SYN)) {
    /* The peer's, perhaps with the ACK of ours, which ends the handshake of an end that opened the
     * connection. */
    if (segment->position == -1 && !self->transport.gauges.is_established && self->syn_octets.length == 0) {
      buffer_chain_append_slices(&self->syn_octets, segment->payload, 0, segment->payload->length);
    }
    if (segment->position == -1 && tcp_header_has(segment->header, TCP_ACK)) {
      take_timestamp(self, segment);
      establish(self, segment->now);
    }
    return;
  }
  switch (tcp_acceptance_judge(&self->receiver, again ? NULL : &self->recent_timestamp, segment, true)) {
  case TCP_VERDICT_OLD:
  case TCP_VERDICT_OUTSIDE:
    refuse(self, segment);
    close_when_done(self, segment);
    return;
  case TCP_VERDICT_RESET: /* after the peer's FIN it takes nothing away */
    enter_closed(self, self->is_finished ? TCP_CLOSE_FINISHED : TCP_CLOSE_RESET, segment->now);
    return;
  case TCP_VERDICT_FALSE_RESET:
    return;
  case TCP_VERDICT_TAKEN:
    take(self, segment);
    return;
  }
}

static void replay_receive(tcp_transport *transport, const datagram *packet, time_ps now)
{
  replay_transport *self = self_of(transport);
  tcp_header header;
  tcp_incoming segment;

  if (self->place.arriving) {
    self->place.arriving(self->place.user, packet);
  }
  if (self->is_closed) {
    return;
  }
  if (!datagram_checksum_is_right(packet)) {
    self->statistics.checksum_errors++;
  } else if (read_segment(self, packet, &header, &segment)) {
    segment.now = now;
    arrive(self, &segment, packet->retransmission);
  }
}

/* --- What the endpoint does: the capture has what the real end sent, its SYN and FIN too --- */

static void do_nothing(G_GNUC_UNUSED tcp_transport *transport)
{
}

static void do_nothing_at(G_GNUC_UNUSED tcp_transport *transport, G_GNUC_UNUSED time_ps now)
{
}

static void replay_post(tcp_transport *transport, buffer_chain *record, G_GNUC_UNUSED unsigned flags)
{
  transport->gauges.posted_octets += record->length;
  buffer_chain_clear(record);
}

static void replay_abort(tcp_transport *transport, time_ps now)
{
  enter_closed(self_of(transport), TCP_CLOSE_ABORTED, now);
}

static datagram *replay_transmit(tcp_transport *transport, time_ps now)
{
  replay_transport *self = self_of(transport);

  if (self->acknowledged < self->transport.gauges.posted_octets) {
    self->acknowledged = self->transport.gauges.posted_octets;
    self->events->acknowledged(self->user, self->acknowledged, now);
  }
  return NULL;
}

static time_ps replay_deadline(G_GNUC_UNUSED const tcp_transport *transport)
{
  return TIME_PS_NEVER;
}

static void replay_free(tcp_transport *transport)
{
  tcp_receiver_clear(&self_of(transport)->receiver);
  buffer_chain_clear(&self_of(transport)->syn_octets);
  g_free(transport);
}

/* --- What it reports --- */

static tcp_beyond replay_beyond(const tcp_transport *transport)
{
  return tcp_receiver_beyond(&((const replay_transport *)transport)->receiver);
}

static uint64_t replay_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return tcp_receiver_held_octets_below(&((const replay_transport *)transport)->receiver, position);
}

static const reassembly_queue *replay_held(tcp_transport *transport)
{
  return tcp_receiver_held(&self_of(transport)->receiver);
}

tcp_transport *replay_transport_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                    void *user)
{
  static const tcp_transport_class class = {.free = replay_free,
                                            .open = do_nothing_at,
                                            .listen = do_nothing,
                                            .post = replay_post,
                                            .close = do_nothing,
                                            .abort = replay_abort,
                                            .receive = replay_receive,
                                            .transmit = replay_transmit,
                                            .deadline = replay_deadline,
                                            .run = do_nothing_at,
                                            .beyond = replay_beyond,
                                            .held_octets_below = replay_held_octets_below,
                                            .held = replay_held};
  replay_transport_place *place = user;
  replay_transport *self = g_new0(replay_transport, 1);

  self->transport.class = &class;
  self->transport.gauges.statistics = &self->statistics;
  self->config = *config;
  self->events = events;
  self->user = events_user;
  self->place = *place;
  self->own_acknowledgement = INT64_MIN;
  buffer_chain_init(&self->syn_octets);
  self->transport.gauges.emss_octets = self->place.emss_octets;
  tcp_receiver_init(&self->receiver, &self->config, REPLAY_WINDOW_OCTETS, 0, events, events_user,
                    &self->transport.gauges);
  tcp_receiver_start_at(&self->receiver, self->place.start);
  place->made = &self->transport;
  return place->made;
}

void replay_transport_sent(tcp_transport *transport, const capture_segment *segment, time_ps now)
{
  replay_transport *self = self_of(transport);

  if (segment->flags & TCP_RST) { /* what still arrives is not processed (RFC 9293 §3.10.5) */
    enter_closed(self, self->is_finished ? TCP_CLOSE_FINISHED : TCP_CLOSE_ABORTED, now);
    return;
  }
  if (segment->flags & TCP_ACK) {
    self->own_acknowledgement = MAX(self->own_acknowledgement, position_of(self, segment->acknowledgement));
  }
  if (segment->flags & TCP_FIN) {
    self->has_own_fin = true;
    self->own_fin_sequence = segment->sequence + segment->payload_octets + 1;
  }
}

bool replay_transport_has_taken(const tcp_transport *transport, const datagram *packet)
{
  const replay_transport *self = (const replay_transport *)transport;
  tcp_header header;
  tcp_incoming segment;

  return !read_segment(self, packet, &header, &segment) ||
         tcp_receiver_has(&self->receiver, (uint64_t)MAX(segment.position, 0),
                          (uint64_t)MAX(end_of(&segment), 0));
}

bool replay_transport_lacks_octets(const tcp_transport *transport)
{
  const replay_transport *self = (const replay_transport *)transport;

  return self->highest > (int64_t)self->receiver.next;
}
