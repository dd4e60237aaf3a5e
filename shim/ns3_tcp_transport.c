/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "shim/ns3_functions.h"

#include "shim/ns3_tcp_arrivals.h"
#include "shim/ns3_tcp_node.h"
#include "tcp/tcp_transport.h"

enum { NS3_ISN = 0, WINDOWS_AHEAD = 2, RECEIVE_BUFFER_MAX_OCTETS = 1 << 30 };

typedef struct ns3_tcp_transport {
  tcp_transport transport; /* first */
  tcp_config config;
  tcp_events events;
  void *user;
  ns3_tcp_transport_place place;
  ns3_tcp_node *node;
  uint8_t *wire;      /* a packet on its way into ns-3 */
  GQueue *leaving;    /* datagrams */
  buffer_chain early; /* posted before the connection was established */
  uint64_t sent;      /* highest position sent */
  uint64_t acknowledged;
  ns3_tcp_arrivals *arrivals; /* beyond the in-order edge */
  bool inside;                /* one of our functions, which looks at ns-3 itself in the end */
  time_ps due;
  bool established, finished, closed, close_due;
  tcp_statistics statistics;
  time_ps rto_ps; /* when it was looked at last */
} ns3_tcp_transport;

static void expect(bool done, const ns3_shim_error *error)
{
  if (!done) {
    g_error("ns-3's TCP: %s", error->message);
  }
}

static ns3_tcp_transport *self_of(tcp_transport *transport)
{
  return (ns3_tcp_transport *)transport;
}

static ns3_tcp_node_status status_of(const ns3_tcp_transport *self)
{
  ns3_tcp_node_status status;

  ns3_tcp_node_status_of(self->node, &status);
  return status;
}

/* --- What ns-3 sends --- */

static void count_sent(ns3_tcp_transport *self, datagram *packet)
{
  tcp_header header;
  uint32_t length = packet->payload.length;

  if (length == 0 || !datagram_tcp_header(packet, &header)) {
    return;
  }
  uint64_t position = (uint64_t)tcp_position_of(header.sequence, NS3_ISN, (int64_t)self->sent);
  self->transport.gauges.segments_sent++;
  if (position < self->sent) {
    self->statistics.retransmissions++;
    packet->retransmission = true;
    if (self->config.trace) {
      self->config.trace->why_again = status_of(self).recovers ? "duplicates" : "time-out";
    }
    if (self->events.retransmitted) {
      self->events.retransmitted(self->user, position, length, ns3_shim_now());
    }
  } else if (length == self->transport.gauges.emss_octets) {
    self->transport.gauges.full_segments++;
    self->transport.gauges.full_segment_octets += datagram_octets(packet);
    self->transport.gauges.full_segment_payload_octets += length;
  }
  self->sent = MAX(self->sent, position + length);
}

/* Two windows of what is posted count as sent, so that ns-3 never lacks octets for a whole segment. */
static void update_gauges(ns3_tcp_transport *self)
{
  tcp_gauges *gauges = &self->transport.gauges;
  uint64_t ahead = WINDOWS_AHEAD * (uint64_t)status_of(self).send_window_octets;
  uint64_t unacknowledged = gauges->posted_octets - self->acknowledged;

  gauges->is_established = self->established && !self->closed;
  gauges->unsent_octets = !self->established       ? gauges->posted_octets
                          : unacknowledged > ahead ? unacknowledged - ahead
                                                   : 0;
}

static void wake(ns3_tcp_transport *self)
{
  if (!self->inside && self->due == TIME_PS_NEVER) {
    self->due = ns3_shim_now();
    self->place.wake(self->place.user, self->due);
  }
}

static void on_packet(void *user, const uint8_t *octets, uint32_t length)
{
  ns3_tcp_transport *self = user;
  datagram *packet = datagram_read_copy(octets, length);

  if (packet) {
    if (packet->kind == DATAGRAM_TCP) {
      count_sent(self, packet);
    }
    g_queue_push_tail(self->leaving, packet);
    wake(self);
  }
}

static void on_woken(void *user)
{
  wake(user);
}

/* --- What ns-3 has received --- */

static void pass_up(ns3_tcp_transport *self, uint32_t readable, time_ps now)
{
  buffer_chain chain;
  time_ps arrival;

  buffer_chain_init(&chain);
  while (readable > 0) {
    uint32_t length = (uint32_t)ns3_tcp_arrivals_first(self->arrivals, self->transport.gauges.in_order_edge,
                                                       readable, now, &arrival);
    uint64_t position = self->transport.gauges.in_order_edge;
    octet_buffer *buffer = octet_buffer_new(length);
    ns3_tcp_node_read(self->node, octet_buffer_octets(buffer), length);
    buffer_chain_append(&chain, octet_buffer_octets(buffer), length, buffer);
    octet_buffer_unref(buffer);
    self->transport.gauges.in_order_edge += length;
    readable -= length;
    ns3_tcp_arrivals_pass(self->arrivals, self->transport.gauges.in_order_edge);
    if (self->events.octets) {
      self->events.octets(self->user, position, &chain, arrival, now);
    }
    buffer_chain_clear(&chain);
  }
}

static void give_to_ns3(ns3_tcp_transport *self, buffer_chain *octets)
{
  ns3_shim_error error;

  /* Nothing leaves any more of a connection that ns-3 has ended, but whose end has not been reported yet. */
  if (octets->length > 0 && status_of(self).end == NS3_TCP_END_NONE) {
    uint8_t *copy = g_malloc(octets->length);
    buffer_chain_copy_out(octets, 0, octets->length, copy);
    expect(ns3_tcp_node_send(self->node, copy, octets->length, &error), &error);
    g_free(copy);
  }
  buffer_chain_clear(octets);
}

static tcp_close_reason reason_of(ns3_tcp_end end)
{
  switch (end) {
  case NS3_TCP_END_RESET:
    return TCP_CLOSE_RESET;
  case NS3_TCP_END_ABORTED:
    return TCP_CLOSE_ABORTED;
  case NS3_TCP_END_GAVE_UP:
    return TCP_CLOSE_GAVE_UP;
  default:
    return TCP_CLOSE_FINISHED;
  }
}

/* What happens to ns-3's connection is reported in the order in which it can have happened. */
static void look_at_start(ns3_tcp_transport *self, const ns3_tcp_node_status *status, time_ps now)
{
  if (status->timeouts > self->statistics.timeouts) {
    TRACE(self->config.trace, TIME_OUT, .in_flight = 1, .rto_ps = (uint64_t)self->rto_ps);
  }
  if (status->recoveries > self->statistics.recoveries) {
    TRACE(self->config.trace, RECOVERY_ENTERED, .recovery_point = self->sent,
          .why = TRACE_NAME("duplicates"));
  }
  self->rto_ps = status->rto_ps;
  self->statistics.timeouts = status->timeouts;
  self->statistics.recoveries = status->recoveries;
  if (status->established && !self->established) {
    self->established = true;
    give_to_ns3(self, &self->early);
    update_gauges(self);
    if (self->events.established) {
      self->events.established(self->user, now);
    }
  }
  if (status->acknowledged_octets > self->acknowledged) {
    self->acknowledged = status->acknowledged_octets;
    update_gauges(self);
    if (self->events.acknowledged) {
      self->events.acknowledged(self->user, self->acknowledged, now);
    }
  }
}

static void look_at_end(ns3_tcp_transport *self, time_ps now)
{
  ns3_tcp_node_status status = status_of(self);

  if (status.peer_finished && status.readable_octets == 0 && !self->finished) {
    self->finished = true;
    if (self->events.finished) {
      self->events.finished(self->user, now);
    }
  }
  if (self->close_due && self->established && status.held_octets == 0) {
    self->close_due = false;
    ns3_tcp_node_close(self->node);
    status = status_of(self);
  }
  if (status.end != NS3_TCP_END_NONE && !self->closed) {
    self->closed = true;
    update_gauges(self);
    if (self->events.closed) {
      self->events.closed(self->user, reason_of(status.end), now);
    }
  }
}

static void look(ns3_tcp_transport *self, time_ps now)
{
  ns3_tcp_node_status status = status_of(self);

  look_at_start(self, &status, now);
  pass_up(self, status.readable_octets, now);
  look_at_end(self, now);
  update_gauges(self);
}

/* --- A packet arrives --- */

typedef struct arriving_segment {
  uint64_t position;
  uint32_t length;
} arriving_segment;

/* Finds its payload's place in the stream; false when it has none, or ns-3 will drop it for its checksum. */
static bool read_segment(ns3_tcp_transport *self, const datagram *packet, arriving_segment *segment)
{
  tcp_header header;

  if (packet->kind != DATAGRAM_TCP) {
    return false;
  }
  if (!datagram_checksum_is_right(packet)) {
    self->statistics.checksum_errors++;
    TRACE(self->config.trace, CHECKSUM_ERROR, .payload_octets = packet->payload.length);
    return false;
  }
  if (!datagram_tcp_header(packet, &header)) {
    return false;
  }
  int64_t position = tcp_position_of(header.sequence, NS3_ISN, (int64_t)self->transport.gauges.in_order_edge);
  if (packet->payload.length == 0 || position < 0 || (header.flags & (TCP_SYN | TCP_RST))) {
    return false;
  }
  *segment = (arriving_segment){.position = (uint64_t)position, .length = packet->payload.length};
  return true;
}

/* Calls tcp_events.inspect for each run of new octets in the segment; false when one is not to be had. */
static bool is_acceptable(ns3_tcp_transport *self, const datagram *packet, const arriving_segment *segment,
                          time_ps now)
{
  uint64_t at = MAX(segment->position, self->transport.gauges.in_order_edge);
  uint64_t end = segment->position + segment->length;
  const range_set *received = self->arrivals->received;
  bool accepted = true;

  if (!self->events.inspect || !self->established) {
    return true;
  }
  for (size_t i = range_set_find(received, at); at < end && accepted; i++) {
    range known = i < range_set_count(received) ? range_set_get(received, i)
                                                : (range){.from = UINT64_MAX, .to = UINT64_MAX};
    uint64_t to = MIN(end, known.from);
    if (to > at) {
      buffer_chain part;
      buffer_chain_init_part(&part, &packet->payload, (uint32_t)(at - segment->position),
                             (uint32_t)(to - at));
      accepted = self->events.inspect(self->user, at, &part, now);
      buffer_chain_clear(&part);
    }
    at = known.to;
  }
  return accepted;
}

/* ns-3 has taken `taken` new octets of the segment: they lie in its part of the window. */
static void note_received(ns3_tcp_transport *self, const arriving_segment *segment, uint64_t taken,
                          time_ps now)
{
  uint64_t from = MAX(segment->position, self->transport.gauges.in_order_edge);
  uint64_t to = MIN(segment->position + segment->length,
                    self->transport.gauges.in_order_edge + self->config.receive_window_octets);

  TRACE(self->config.trace, SEGMENT_ARRIVED, .position = segment->position, .payload_octets = segment->length,
        .new_octets = taken, .in_order_edge = self->transport.gauges.in_order_edge);
  if (taken > 0 && from < to) {
    ns3_tcp_arrivals_add(self->arrivals, from, to, now);
  }
}

static void ns3_receive(tcp_transport *transport, const datagram *packet, time_ps now)
{
  ns3_tcp_transport *self = self_of(transport);
  arriving_segment segment = {0};
  bool has_payload = read_segment(self, packet, &segment);
  uint32_t octets = datagram_octets(packet);
  uint64_t edge = self->transport.gauges.in_order_edge;
  uint64_t taken = 0;

  self->inside = true;
  if (!has_payload || is_acceptable(self, packet, &segment, now)) {
    uint64_t before = status_of(self).held_octets;
    datagram_write(packet, self->wire, true);
    ns3_tcp_node_receive(self->node, self->wire, octets);
    taken = status_of(self).held_octets - before;
  }
  if (has_payload) {
    note_received(self, &segment, taken, now);
    if (self->events.segment) {
      self->events.segment(self->user, segment.position, segment.length, (uint32_t)taken, edge, now);
    }
  }
  look(self, now);
  self->inside = false;
}

/* --- The rest of the seam --- */

static void ns3_free(tcp_transport *transport)
{
  ns3_tcp_transport *self = self_of(transport);
  datagram *packet;

  self->inside = true;
  ns3_tcp_node_free(self->node);
  while ((packet = g_queue_pop_head(self->leaving))) {
    datagram_unref(packet);
  }
  g_queue_free(self->leaving);
  buffer_chain_clear(&self->early);
  ns3_tcp_arrivals_free(self->arrivals);
  g_free(self->wire);
  g_free(self);
}

static void ns3_open(tcp_transport *transport, G_GNUC_UNUSED time_ps now)
{
  ns3_tcp_transport *self = self_of(transport);
  ns3_shim_error error;

  self->inside = true;
  expect(ns3_tcp_node_open(self->node, &error), &error);
  self->inside = false;
}

static void ns3_listen(tcp_transport *transport)
{
  ns3_shim_error error;

  expect(ns3_tcp_node_listen(self_of(transport)->node, &error), &error);
}

static void ns3_post(tcp_transport *transport, buffer_chain *record, G_GNUC_UNUSED unsigned flags)
{
  ns3_tcp_transport *self = self_of(transport);

  self->transport.gauges.posted_octets += record->length;
  if (self->established) {
    give_to_ns3(self, record);
  } else {
    buffer_chain_append_chain(&self->early, record, 0, record->length);
    buffer_chain_clear(record);
  }
  update_gauges(self);
}

static void ns3_close(tcp_transport *transport)
{
  ns3_tcp_transport *self = self_of(transport);

  /* It is done when ns-3 is looked at next; at once by transmit(), which follows. */
  self->close_due = true;
}

static void ns3_abort(tcp_transport *transport, time_ps now)
{
  ns3_tcp_transport *self = self_of(transport);
  bool was_inside = self->inside;

  self->inside = true;
  ns3_tcp_node_abort(self->node);
  self->close_due = false;
  look_at_end(self, now);
  self->inside = was_inside;
}

static void trace_window(const ns3_tcp_transport *self)
{
  const ns3_tcp_node_status status = status_of(self);

  TRACE(self->config.trace, WINDOW, .acknowledged = self->acknowledged, .next = self->sent,
        .edge = self->acknowledged + status.peer_window_octets,
        .congestion_window_octets = status.congestion_window_octets,
        .threshold_octets = status.threshold_octets == UINT32_MAX ? UINT64_MAX : status.threshold_octets,
        .in_flight_octets = status.in_flight_octets, .smoothed_ps = (uint64_t)status.smoothed_ps,
        .rto_ps = (uint64_t)status.rto_ps,
        .state = TRACE_NAME(status.recovers ? "recovery"
                            : status.lost   ? "loss"
                                            : "open"));
}

static datagram *ns3_transmit(tcp_transport *transport, time_ps now)
{
  ns3_tcp_transport *self = self_of(transport);

  if (self->close_due) {
    self->inside = true;
    look_at_end(self, now);
    self->inside = false;
  }
  datagram *packet = g_queue_pop_head(self->leaving);
  if (self->config.trace && !packet) {
    trace_window(self);
  } else if (self->config.trace && packet->kind == DATAGRAM_TCP) {
    unsigned bits = g_bit_storage(self->config.receive_window_octets);
    tcp_trace_sent(self->config.trace, packet, NS3_ISN, self->sent, NS3_ISN,
                   self->transport.gauges.in_order_edge, (uint8_t)(MAX(bits, 16) - 16));
  }
  return packet;
}

static time_ps ns3_deadline(const tcp_transport *transport)
{
  return ((const ns3_tcp_transport *)transport)->due;
}

static void ns3_run(tcp_transport *transport, time_ps now)
{
  ns3_tcp_transport *self = self_of(transport);

  self->due = TIME_PS_NEVER;
  self->inside = true;
  look(self, now);
  self->inside = false;
}

static const range_set *received_of(const ns3_tcp_transport *self)
{
  return self->arrivals->received;
}

static tcp_beyond ns3_beyond(const tcp_transport *transport)
{
  const ns3_tcp_transport *self = (const ns3_tcp_transport *)transport;

  return (tcp_beyond){.ranges = (uint32_t)range_set_count(received_of(self)),
                      .segments = self->arrivals->runs->len};
}

static uint64_t ns3_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return range_set_covered(received_of((const ns3_tcp_transport *)transport), 0, position);
}

/* What ns-3 holds cannot be looked at. */
static const reassembly_queue *ns3_held(G_GNUC_UNUSED tcp_transport *transport)
{
  return NULL;
}

static const tcp_transport_class ns3_class = {.free = ns3_free,
                                              .open = ns3_open,
                                              .listen = ns3_listen,
                                              .post = ns3_post,
                                              .close = ns3_close,
                                              .abort = ns3_abort,
                                              .receive = ns3_receive,
                                              .transmit = ns3_transmit,
                                              .deadline = ns3_deadline,
                                              .run = ns3_run,
                                              .beyond = ns3_beyond,
                                              .held_octets_below = ns3_held_octets_below,
                                              .held = ns3_held};

/* --- The configuration --- */

static bool refuse(ns3_shim_error *error, const char *message)
{
  if (error) {
    g_strlcpy(error->message, message, sizeof error->message);
  }
  return false;
}

bool ns3_tcp_transport_supports(const tcp_config *config, ns3_shim_error *error)
{
  if (config->local_address.version != 4 || config->remote_address.version != 4) {
    return refuse(error, "ns-3's TCP: here it speaks IPv4 only");
  }
  if (config->segmentation != TCP_SEGMENTATION_STREAM) {
    return refuse(error, "ns-3's TCP knows no MPA: it cuts the stream where it likes");
  }
  if (config->passing != TCP_PASSING_IN_ORDER) {
    return refuse(error, "ns-3's TCP passes octets in order only");
  }
  if (config->receive_window_octets < ns3_tcp_node_emss_octets(config) ||
      config->receive_window_octets > RECEIVE_BUFFER_MAX_OCTETS) {
    return refuse(error, "ns-3's TCP: a receive buffer has room for 1 segment to 2^30 octets");
  }
  return true;
}

tcp_transport *ns3_tcp_transport_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                     void *user)
{
  const ns3_tcp_node_events node_events = {.packet = on_packet, .woken = on_woken};
  ns3_tcp_transport *self = g_new0(ns3_tcp_transport, 1);
  ns3_shim_error error;

  expect(ns3_tcp_transport_supports(config, &error), &error);
  self->transport.class = &ns3_class;
  self->transport.gauges.statistics = &self->statistics;
  self->config = *config;
  self->events = *events;
  self->user = events_user;
  self->place = *(const ns3_tcp_transport_place *)user;
  self->transport.gauges.emss_octets = ns3_tcp_node_emss_octets(config);
  self->wire = g_malloc(UINT16_MAX);
  self->leaving = g_queue_new();
  buffer_chain_init(&self->early);
  self->arrivals = ns3_tcp_arrivals_new();
  self->due = TIME_PS_NEVER;
  self->node = ns3_tcp_node_new(config, &node_events, self, &error);
  expect(self->node != NULL, &error);
  return &self->transport;
}
