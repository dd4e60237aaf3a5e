/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_network.h"

#include <string.h>

#include "measure/theory.h"
#include "net/flow_table.h"
#include "platform/run_engine.h"
#include "replay/replay_path.h"
#include "replay/replay_scenario.h"
#include "replay/replay_source.h"
#include "scenario/configuration.h"

/* Counts which of the segments that come out of a replay's path start with an FPDU: nobody frames them
 * here, so they are decoded. */
typedef struct alignment_decoder {
  decode_session *session;
  uint64_t packets;
  uint8_t payload[UINT16_MAX]; /* of the segment in hand, in one piece */
} alignment_decoder;

static void alignment_arrived(alignment_decoder *alignment, const capture_flow *flow, uint8_t from,
                              const datagram *packet)
{
  tcp_header header;

  if (packet->kind != DATAGRAM_TCP || !datagram_tcp_header(packet, &header)) {
    return;
  }
  buffer_chain_copy_out(&packet->payload, 0, packet->payload.length, alignment->payload);
  const capture_segment segment = {
      .packet = ++alignment->packets,
      .flow = flow->index,
      .from = from,
      .flags = header.flags,
      .sequence = header.sequence,
      .acknowledgement = header.acknowledgement,
      .window = header.window,
      .checksum = datagram_checksum_is_right(packet) ? CAPTURE_CHECKSUM_RIGHT : CAPTURE_CHECKSUM_WRONG,
      .payload = alignment->payload,
      .captured_octets = packet->payload.length,
      .payload_octets = packet->payload.length,
  };
  decode_session_receive(alignment->session, flow, &segment);
}

/* Its acknowledgements are of what was captured, not of what arrives here. */
static void alignment_captured(alignment_decoder *alignment, const capture_flow *flow,
                               const capture_segment *segment)
{
  capture_segment own = *segment;

  own.packet = ++alignment->packets;
  own.flags &= (uint8_t)~TCP_ACK;
  decode_session_receive(alignment->session, flow, &own);
}

static uint64_t alignment_finish(alignment_decoder *alignment, enum side direction)
{
  uint64_t aligned = 0;

  decode_session_finish(alignment->session);
  for (uint32_t i = 0; i < decode_session_connections(alignment->session); i++) {
    aligned += decode_session_connection(alignment->session, i)->directions[direction].aligned;
  }
  return aligned;
}

#define NO_CONNECTION UINT32_MAX

/* A connection of the session. */
typedef struct replay_connection {
  const replay_connection_profile *profile;
  const capture_flow *flow; /* of the first reading */
  uint8_t measured;         /* of the flow's ends */
  replay_transport_place place;
  tcp_transport *tcp; /* of the measured end */
} replay_connection;

struct replay_network {
  session_network network;
  replay_network_config config;
  engine *clock;
  session *session;
  session_capture capture;
  uint32_t protection_domain; /* of all ends: STags of captured connections may be of any */
  replay_source *source;
  replay_path *path;            /* NULL: everything arrives when it was captured */
  alignment_decoder *alignment; /* NULL: all that was captured comes to TCP, and the first reading has it */
  GArray *connection_of;        /* of uint32_t, by the flow's index: NO_CONNECTION when it is not replayed */
  flow_table measured;          /* of flow_entry: to the address of an end that is measured, from none */
  memory_pool *datagrams;
  decode_blocks *blocks;
  replay_connection *connections;
  uint32_t connection_count;
  bool has_ended; /* the capture is at its end */
};

/* --- What arrives --- */

static void arrive(const replay_network *self, uint32_t index, const datagram *packet, time_ps now)
{
  const replay_connection *connection = &self->connections[index];

  if (self->alignment) {
    alignment_arrived(self->alignment, connection->flow, (uint8_t)!connection->measured, packet);
  }
  session_arrive(self->session, index, packet, now);
}

/* More flows than the first time: the file has grown. */
static uint32_t connection_of(const replay_network *self, const capture_flow *flow)
{
  return flow->index < self->connection_of->len ? g_array_index(self->connection_of, uint32_t, flow->index)
                                                : NO_CONNECTION;
}

/* A session_capture's. */
static bool on_connection_of(void *user, const datagram_flow *packet, uint32_t *index)
{
  const replay_network *self = user;
  const capture_flow *flow = replay_source_flow_of(self->source, packet);

  *index = flow ? connection_of(self, flow) : NO_CONNECTION;
  if (*index == NO_CONNECTION) {
    return false;
  }
  const capture_end *to = &flow->ends[self->connections[*index].measured];
  return to->port == packet->destination_port && ip_address_equal(&to->address, &packet->destination);
}

static void on_whole(void *user, datagram *packet, time_ps now)
{
  datagram_flow flow;
  uint32_t index;

  if (datagram_flow_of(packet, &flow) && on_connection_of(user, &flow, &index)) {
    arrive(user, index, packet, now);
  }
  datagram_unref(packet);
}

static session_host *measured_host(const replay_network *self)
{
  const configuration *c = self->config.configuration;
  return session_host_of(self->session, c->measured);
}

/* It comes out of the path. */
static void on_arrival(void *user, datagram *packet, time_ps now)
{
  session_receive(measured_host(user), packet, now);
}

/* --- What the capture decides --- */

/* A segment towards a measured end sets off. */
static void offer(replay_network *self, uint32_t index, const capture_flow *flow,
                  const capture_segment *segment, time_ps now)
{
  uint32_t from = 0;

  do {
    datagram *packet = replay_packet_of(self->datagrams, self->blocks, flow, segment, &from);
    if (self->path) {
      replay_path_offer(self->path, index, packet, now);
    } else {
      arrive(self, index, packet, now);
      datagram_unref(packet);
    }
  } while (from < segment->payload_octets);
}

static void on_segment(void *user, const capture_flow *flow, const capture_segment *segment, time_ps now)
{
  replay_network *self = user;
  uint32_t index = connection_of(self, flow);
  capture_segment right;

  if (index == NO_CONNECTION) {
    return;
  }
  const replay_connection *connection = &self->connections[index];
  if (self->config.decoding->ignore_checksums && segment->checksum == CAPTURE_CHECKSUM_WRONG) {
    right = *segment;
    right.checksum = CAPTURE_CHECKSUM_RIGHT;
    segment = &right;
  }
  if (segment->from != connection->measured) {
    offer(self, index, flow, segment, now);
  } else if (segment->checksum != CAPTURE_CHECKSUM_WRONG) {
    const tcp_header header = replay_packet_header(flow, segment);
    replay_transport_sent(connection->tcp, &header, segment->payload_octets);
    if (self->alignment) {
      alignment_captured(self->alignment, connection->flow, segment);
    }
  }
}

static void on_fragment(void *user, datagram *packet, time_ps now)
{
  replay_network *self = user;
  datagram_fragment fragment = {0};

  if (packet->kind == DATAGRAM_FRAGMENT) {
    datagram_fragment_of(packet, &fragment);
  }
  const datagram_flow to = {.destination = fragment.destination};
  if (!flow_table_find(&self->measured, &to)) {
    datagram_unref(packet);
  } else if (self->path) {
    replay_path_offer(self->path, NO_CONNECTION, packet, now);
  } else {
    on_arrival(self, packet, now);
  }
}

static void on_ended(void *user, G_GNUC_UNUSED time_ps now)
{
  replay_network *self = user;

  self->has_ended = true;
  session_end_arrivals(self->session);
}

static double on_share(const void *user)
{
  const replay_network *self = user;

  return capture_source_share(self->config.source);
}

/* Whether nothing of a segment of the peer's is missing. True as well of one that the replay does not
 * heed. */
static bool has_arrived(void *user, uint32_t index, const datagram *packet)
{
  const replay_network *self = user;
  const replay_connection *connection = &self->connections[index];
  tcp_header header;

  if (session_connection_is_over(self->session, index) || !datagram_tcp_header(packet, &header)) {
    return true;
  }
  int64_t from = replay_transport_position(connection->tcp, header.sequence);
  int64_t to = from + (int64_t)packet->payload.length;
  bool fin = header.flags & TCP_FIN;
  return to < 0 || (uint64_t)to > connection->place.limit ||
         replay_transport_has(connection->tcp, (uint64_t)MAX(from, 0), (uint64_t)to + (fin ? 1 : 0));
}

/* --- The network --- */

static void network_send(G_GNUC_UNUSED session_network *network, G_GNUC_UNUSED uint32_t connection,
                         G_GNUC_UNUSED enum side side, datagram *packet, G_GNUC_UNUSED time_ps now)
{
  datagram_unref(packet);
}

/* Not all that the first reading saw is replayed. */
static bool is_partial(const replay_network *self)
{
  const configuration *c = self->config.configuration;
  enum side direction = c->main_direction;
  bool partial = !self->has_ended;

  for (uint32_t i = 0; i < self->connection_count; i++) {
    partial = partial || self->connections[i].profile->directions[direction].missing_from < UINT64_MAX;
  }
  return partial;
}

static uint64_t segments_aligned(const replay_network *self)
{
  const configuration *c = self->config.configuration;
  enum side direction = c->main_direction;
  uint64_t aligned = 0;

  if (self->alignment) {
    return alignment_finish(self->alignment, direction);
  }
  for (uint32_t i = 0; i < self->connection_count; i++) {
    aligned += self->connections[i].profile->decoded.directions[direction].aligned;
  }
  return aligned;
}

/* EMSS by the SYN of the first connection's measured end (RFC 9293 §3.7.1); 0: it is not in the capture. */
static uint32_t emss_octets(const replay_network *self)
{
  const replay_connection *first = &self->connections[0];
  const replay_handshake *handshake = replay_profile_handshake(self->config.profile, first->profile);
  uint32_t options = handshake->timestamps[0] && handshake->timestamps[1] ? 12 : 0;

  return handshake->has_mss[first->measured] && handshake->mss_octets[first->measured] > options
             ? handshake->mss_octets[first->measured] - options
             : 0;
}

/* Of the Data Source and its path a capture shows nothing but EMSS; where FPDUs start, only a decoder
 * knows. */
static void network_set_metrics(const session_network *network, G_GNUC_UNUSED enum side source,
                                metric_values *values)
{
  const replay_network *self = (const replay_network *)network;
  const configuration *c = self->config.configuration;
  const theory inputs = {
      .emss_octets = emss_octets(self), .connections = self->connection_count, .k2 = c->theory_k2};
  bool partial = is_partial(self);

  values->present[METRIC_TCP_SPURIOUS_RETRANSMISSIONS] = false;
  values->present[METRIC_MPA_SEGMENTS_ALIGNED] = false;
  if (!partial) {
    metric_values_set(values, METRIC_MPA_SEGMENTS_ALIGNED, (double)segments_aligned(self));
  }
  if (self->path) {
    replay_path_set_metrics(self->path, values);
  }
  if (inputs.emss_octets > 0) {
    metric_values_set(values, METRIC_MPA_EMSS_OCTETS, inputs.emss_octets);
    theory_set_metrics(&inputs, values);
    values->present[METRIC_THEORY_BUFFER_TCP_OCTETS] = false; /* the path's rate and delay */
    values->present[METRIC_FIT_K] = false;
  }
}

static const session_network_class network_class = {.send = network_send, .set_metrics = network_set_metrics};

/* --- Making --- */

static void configure(void *user, uint32_t index, rnic_endpoint_config *config)
{
  replay_network *self = user;
  replay_connection *connection = &self->connections[index];

  replay_scenario_connect(self->config.configuration, self->config.profile, index, config,
                          &connection->place);
  connection->place.made = &connection->tcp;
  config->protection_domain = self->protection_domain;
  config->tcp_new = replay_transport_new;
  config->tcp_new_user = &connection->place;
}

static void make_connections(replay_network *self)
{
  const replay_profile *profile = self->config.profile;

  self->connection_count = profile->connections->len;
  self->connections = g_new0(replay_connection, self->connection_count);
  g_array_set_size(self->connection_of, capture_source_flows(profile->capture));
  memset(self->connection_of->data, UINT8_MAX, self->connection_of->len * sizeof(uint32_t));
  for (uint32_t i = 0; i < self->connection_count; i++) {
    replay_connection *connection = &self->connections[i];

    connection->profile = replay_profile_connection(profile, i);
    connection->flow = replay_profile_flow(profile, connection->profile);
    connection->measured =
        replay_scenario_measured_end(self->config.configuration, &connection->profile->decoded);
    g_array_index(self->connection_of, uint32_t, connection->flow->index) = i;
    const datagram_flow to = {.destination = connection->flow->ends[connection->measured].address};
    if (!flow_table_find(&self->measured, &to)) {
      flow_table_add(&self->measured, &to);
    }
  }
}

static gboolean make_path(replay_network *self, GError **error)
{
  const replay_path_config config = {.configuration = self->config.configuration,
                                     .clock = self->clock,
                                     .has_path = self->config.has_path,
                                     .has_link = self->config.has_link,
                                     .resend_ps = self->config.resend_ps,
                                     .output = on_arrival,
                                     .has_arrived = has_arrived,
                                     .user = self};

  if (!config.has_path && config.resend_ps == 0) {
    return TRUE; /* everything arrives when it was captured */
  }
  self->path = replay_path_new(&config, error);
  return self->path != NULL;
}

static void make_session(replay_network *self)
{
  const configuration *c = self->config.configuration;
  const replay_profile *profile = self->config.profile;
  enum side direction = c->main_direction;

  self->capture = (session_capture){.receive_octets = profile->longest_send[direction],
                                    .configure = configure,
                                    .connection_of = on_connection_of,
                                    .whole = on_whole,
                                    .share = on_share,
                                    .user = self};
  const session_config config = {.configuration = self->config.configuration,
                                 .clock = self->clock,
                                 .capture = &self->capture,
                                 .series = self->config.series};
  self->session = session_new(&config);
  rnic_host *rnic = session_host_rnic(measured_host(self));
  self->protection_domain = rnic_host_protection_domain_new(rnic);
  replay_stags_register(profile->stags[direction], rnic_host_stags(rnic), self->protection_domain);
  session_connect(self->session, &self->network);
}

replay_network *replay_network_new(const replay_network_config *config, GError **error)
{
  static const replay_source_events events = {
      .segment = on_segment, .fragment = on_fragment, .ended = on_ended};
  const configuration *c = config->configuration;
  replay_network *self = g_new0(replay_network, 1);

  self->network.class = &network_class;
  self->config = *config;
  self->connection_of = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  flow_table_init(&self->measured, sizeof(flow_entry), g_free);
  self->clock = run_engine_new(RUN_ENGINE_NATIVE, error);
  if (!self->clock || !make_path(self, error)) {
    replay_network_free(self);
    return NULL;
  }
  /* A path, or IP reassembly that does not take all, changes what comes to TCP: where that starts with an
   * FPDU is seen after them. */
  if (self->path || c->receiver.ip_option != IP_REASSEMBLY_UNLIMITED) {
    self->alignment = g_new0(alignment_decoder, 1);
    self->alignment->session =
        decode_session_new(config->decoding, &(decode_events){NULL, NULL, NULL, NULL}, NULL);
  }
  self->datagrams = datagram_pool_new();
  self->blocks = decode_blocks_new();
  make_connections(self);
  make_session(self);
  self->source = replay_source_new(config->source, config->profile->is_coarse, self->clock, &events, self);
  replay_source_start(self->source);
  return self;
}

void replay_network_free(replay_network *self)
{
  if (self) {
    session_free(self->session);
    replay_source_free(self->source);
    replay_path_free(self->path);
    if (self->alignment) {
      decode_session_free(self->alignment->session);
      g_free(self->alignment);
    }
    g_array_unref(self->connection_of);
    flow_table_clear(&self->measured);
    g_clear_pointer(&self->datagrams, memory_pool_unref); /* what is still held lives on */
    decode_blocks_free(self->blocks);
    g_free(self->connections);
    engine_free(self->clock);
    g_free(self);
  }
}

session *replay_network_session(const replay_network *self)
{
  return self->session;
}

/* --- After the run --- */

replay_network_outcome replay_network_outcome_of(const replay_network *self)
{
  replay_network_outcome outcome = {.given_up = self->path ? replay_path_given_up(self->path) : 0,
                                    .too_big = self->path ? replay_path_too_big(self->path) : 0,
                                    .backward = replay_source_backward(self->source)};

  for (uint32_t i = 0; i < self->connection_count; i++) {
    outcome.lacking += !session_connection_is_over(self->session, i) &&
                       replay_transport_lacks_octets(self->connections[i].tcp);
  }
  return outcome;
}
