/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay.h"

#include "base/units.h"
#include "measure/theory.h"
#include "net/flow_table.h"
#include "platform/run_engine.h"
#include "replay/replay_path.h"
#include "replay/replay_source.h"

struct replay {
  replay_plan plan;
  gboolean chooses_side; /* nobody has named it */
  unsigned readings;     /* of the capture, that are done */
};

/* Reports how far both readings are, which take about as long. */
static void on_progress(const session_progress *progress, void *user)
{
  const replay *r = user;
  const session_progress of_both = {.now = progress->now, .share = (r->readings + progress->share) / 2};

  r->plan.options.progress(&of_both, r->plan.options.progress_user);
}

static session_progress_function progress_of(const replay *r)
{
  return r->plan.options.progress ? on_progress : NULL;
}

replay *replay_new(scenario *s, const replay_options *options, GError **error)
{
  replay *r = g_new0(replay, 1);

  r->plan.options = *options;
  r->chooses_side = scenario_configuration(s)->measure.end == MEASURE_AUTO;
  r->plan.profile = replay_profile_read(&options->capture, progress_of(r), r, error);
  r->readings = 1;
  if (!r->plan.profile || !replay_scenario_complete(s, &r->plan, error)) {
    g_clear_pointer(&r, replay_free);
  }
  return r;
}

void replay_free(replay *r)
{
  if (r) {
    replay_profile_free(r->plan.profile);
    configuration_unref(r->plan.configuration);
    g_free(r->plan.trace_about);
    g_free(r);
  }
}

char *replay_describe_measured(const replay *r)
{
  gboolean is_responder = r->plan.configuration->measured == SIDE_RESPONDER;
  guint count = r->plan.profile->connections->len;

  return g_strdup_printf("the %s of %u %s%s", is_responder ? "Responder" : "Initiator", count,
                         units_counted(count, "connections"),
                         r->chooses_side ? ", where most payload goes" : "");
}

char *replay_describe_path(const replay *r)
{
  const replay_plan *plan = &r->plan;
  g_autofree char *resend = units_format_time(plan->resend_ps);
  g_autofree char *again =
      plan->resend_ps == 0
          ? g_strdup("nothing comes again")
          : g_strdup_printf("what has not arrived sets off again after %s%s", resend,
                            plan->options.resend == REPLAY_RESEND_AUTO ? " (the handshakes' round trip)"
                                                                       : "");

  return g_strdup_printf("%s%s%s",
                         !plan->has_path  ? "none: arrivals as captured"
                         : plan->has_link ? "of its own, with a link"
                                          : "of its own, without a link",
                         plan->has_path ? "; " : ", ", again);
}

/* --- The second reading --- */

/* This is a connection of the session. */
typedef struct replay_connection {
  struct replay_network *network;
  const replay_connection_profile *profile;
  uint8_t measured; /* of the flow's ends */
  replay_transport_place place;
} replay_connection;

/* The network of a replay, which plays a capture's packets, and the session that it plays them to: the
 * captured segments towards the measured ends come at their captured times, or after the path that the user
 * wants them to take first. What those ends send goes nowhere: what the real ends sent is in the capture. */
typedef struct replay_network {
  session_network network;
  const replay_plan *plan;
  engine *clock;
  session *session;
  trace *trace; /* NULL: none */
  session_absence absence;
  FILE *series[HOSTS_OF_PATH]; /* of each host, as session_config.series */
  uint32_t protection_domain;  /* of all ends: STags of captured connections may be of any */
  capture_source *file;
  replay_source *source;
  replay_path *path;
  flow_table measured; /* of datagram_flow: to the address of an end that is measured, from none */
  uint32_t flows;      /* of the capture that have come */
  replay_connection *connections;
  uint32_t connection_count;
  bool has_ended;         /* the capture is at its end */
  const char *no_goodput; /* why its times give none; NULL: they do */
  /* Which of the segments that come to TCP start with an FPDU: nobody frames them here, so they are decoded.
   * NULL: all that was captured comes to TCP, and the first reading has it. */
  decode_session *arrivals;
  uint64_t packets;            /* decoded so far */
  uint8_t payload[UINT16_MAX]; /* of the segment in hand, in one piece */
} replay_network;

/* --- What arrives --- */

/* Returns the connection that a flow is; SESSION_NO_CONNECTION also of one that the first reading had not:
 * the file has grown. */
static uint32_t connection_of(const replay_network *self, const capture_flow *flow)
{
  const GArray *handshakes = self->plan->profile->handshakes;

  return flow->index < handshakes->len ? g_array_index(handshakes, replay_handshake, flow->index).connection
                                       : SESSION_NO_CONNECTION;
}

/* A whole packet comes to the TCP of a connection. */
static void on_arriving(void *user, const datagram *packet)
{
  const replay_connection *connection = user;
  replay_network *self = connection->network;
  tcp_header header;

  if (packet->kind != DATAGRAM_TCP || !datagram_tcp_header(packet, &header)) {
    return;
  }
  buffer_chain_copy_out(&packet->payload, 0, packet->payload.length, self->payload);
  const capture_segment segment = {
      .packet = ++self->packets,
      .flow = connection->profile->flow->index,
      .from = !connection->measured,
      .flags = header.flags,
      .sequence = header.sequence,
      .acknowledgement = header.acknowledgement,
      .window = header.window,
      .checksum = datagram_checksum_is_right(packet) ? CAPTURE_CHECKSUM_RIGHT : CAPTURE_CHECKSUM_WRONG,
      .payload = self->payload,
      .captured_octets = packet->payload.length,
      .payload_octets = packet->payload.length,
  };
  decode_session_receive(self->arrivals, connection->profile->flow, &segment);
}

static session_host *measured_host(const replay_network *self)
{
  return session_host_of(self->session, host_pair_of_path.hosts[self->plan->configuration->measured]);
}

/* It comes out of the path. */
static void on_arrival(void *user, datagram *packet, time_ps now)
{
  session_receive(measured_host(user), packet, now);
}

/* --- What the capture decides --- */

/* It did not end the connection, as the first reading has seen. Damaged, it is dropped by TCP. */
static bool is_false_reset(const replay_connection *connection, const capture_segment *segment)
{
  const enum side from = decode_side_of(&connection->profile->decoded, segment->from);

  return (segment->flags & TCP_RST) && segment->checksum != CAPTURE_CHECKSUM_WRONG &&
         segment->packet < connection->profile->directions[from].reset_packet;
}

/* Packets between the ends of `flow` are its own from now on. */
static void observe(const replay_network *self, const capture_flow *flow)
{
  const uint32_t index = connection_of(self, flow);
  const uint8_t measured = index == SESSION_NO_CONNECTION ? 0 : self->connections[index].measured;
  const capture_end *from = &flow->ends[!measured], *to = &flow->ends[measured];

  session_host_observe(measured_host(self), index,
                       &(datagram_flow){from->address, to->address, from->port, to->port});
}

static void on_segment(void *user, const capture_flow *flow, const capture_segment *captured, time_ps now)
{
  replay_network *self = user;
  uint32_t index = connection_of(self, flow);
  capture_segment segment = *captured;

  if (flow->before && flow->index >= self->flows) {
    observe(self, flow);
  }
  self->flows = MAX(self->flows, flow->index + 1);
  if (index == SESSION_NO_CONNECTION) {
    return;
  }
  const replay_connection *connection = &self->connections[index];
  if (self->plan->options.capture.decoding.ignore_checksums && segment.checksum == CAPTURE_CHECKSUM_WRONG) {
    segment.checksum = CAPTURE_CHECKSUM_RIGHT;
  }
  if (is_false_reset(connection, &segment)) {
    return;
  }
  if (segment.from != connection->measured) {
    uint32_t from = 0;

    do {
      datagram *packet = replay_packet_of(flow, &segment, &from);
      replay_path_offer(self->path, index, packet, now);
    } while (from < segment.payload_octets);
  } else if (segment.checksum != CAPTURE_CHECKSUM_WRONG) {
    replay_transport_sent(connection->place.made, &segment, now);
    if (self->arrivals) {
      segment.packet = ++self->packets;
      segment.flags &= (uint8_t)~TCP_ACK; /* of what was captured, not of what arrives here */
      decode_session_receive(self->arrivals, connection->profile->flow, &segment);
    }
  }
}

static void on_fragment(void *user, datagram *packet, time_ps now)
{
  replay_network *self = user;
  const datagram_flow to = {.destination = ip_header_destination(packet->header)};

  if (packet->kind == DATAGRAM_FRAGMENT && flow_table_find(&self->measured, &to)) {
    replay_path_offer(self->path, SESSION_NO_CONNECTION, packet, now);
  } else {
    datagram_unref(packet);
  }
}

static void on_ended(void *user, G_GNUC_UNUSED time_ps now)
{
  replay_network *self = user;

  self->has_ended = true;
  session_end_arrivals(self->session);
}

static double network_share(const session_network *network)
{
  return capture_source_share(((const replay_network *)network)->file);
}

/* Returns whether nothing of a segment of the peer's is missing. True as well of one that the replay does not
 * heed. */
static bool has_arrived(void *user, uint32_t index, const datagram *packet)
{
  const replay_network *self = user;

  return session_connection_is_over(self->session, index) ||
         replay_transport_has_taken(self->connections[index].place.made, packet);
}

/* --- The network --- */

static void network_send(G_GNUC_UNUSED session_network *network, G_GNUC_UNUSED uint32_t host,
                         datagram *packet, G_GNUC_UNUSED time_ps now)
{
  datagram_unref(packet);
}

/* Segments that start with an FPDU; false when not all that the first reading saw is replayed. */
static bool find_aligned(const replay_network *self, uint64_t *aligned)
{
  enum side direction = self->plan->configuration->main_direction;
  bool is_whole = self->has_ended;

  *aligned = 0;
  for (uint32_t i = 0; i < self->connection_count; i++) {
    const replay_connection_profile *profile = self->connections[i].profile;

    is_whole = is_whole && profile->directions[direction].missing_from == UINT64_MAX;
    *aligned += profile->decoded.directions[direction].aligned;
  }
  if (is_whole && self->arrivals) {
    *aligned = 0;
    decode_session_finish(self->arrivals);
    const GPtrArray *arrived = decode_session_connections(self->arrivals);
    for (uint32_t i = 0; i < arrived->len; i++) {
      *aligned += ((const decode_connection *)arrived->pdata[i])->directions[direction].aligned;
    }
  }
  return is_whole;
}

/* Goodput is of octets in a time. Between packets that bear one time, or an earlier one than before, a replay
 * has picoseconds: no time of the capture. */
static const char *why_no_goodput(const replay_network *self, const metric_values *values)
{
  enum { BITS = 8, TICK_NS = 1, COARSE_TICK_NS = 1000, SHARE = 100 };
  const double goodput = values->value[METRIC_GOODPUT_BIT_PER_S];
  const double octets = values->value[METRIC_DELIVERY_OCTETS];

  const bool is_given = values->present[METRIC_GOODPUT_BIT_PER_S];
  const double ns = is_given ? BITS * octets / goodput * TIME_PS_PER_SECOND / TIME_PS_PER_NANOSECOND : 0;

  return octets == 0 ? NULL
         : ns < (self->plan->profile->is_coarse ? COARSE_TICK_NS : TICK_NS)
             ? "no time passes in the capture while the payload arrives, so that there is no goodput"
         : capture_source_counts(self->file)->clock_steps > 0
             ? "what time the payload took is not known, so that there is no goodput"
         : (double)self->source->late_ns * SHARE > ns
             ? "the capture's times go back by more than 1 % of the time that the payload took, so that "
               "there "
               "is no goodput"
             : NULL;
}

/* Of the Data Source and its path a capture shows nothing but EMSS; where FPDUs start, only a decoder
 * knows. */
static void network_set_metrics(session_network *network, metric_values *values)
{
  replay_network *self = (replay_network *)network;
  const replay_connection *first = &self->connections[0];
  const replay_handshake *handshake = first->profile->handshake;
  uint32_t options = handshake->timestamps[0] && handshake->timestamps[1] ? 12 : 0;
  uint32_t mss_octets = handshake->has_mss[first->measured] ? handshake->mss_octets[first->measured] : 0;
  uint64_t aligned;

  if (find_aligned(self, &aligned)) {
    metric_values_set(values, METRIC_MPA_SEGMENTS_ALIGNED, (double)aligned);
  }
  self->no_goodput = why_no_goodput(self, values);
  values->present[METRIC_GOODPUT_BIT_PER_S] &= self->no_goodput == NULL;
  replay_path_set_metrics(self->path, values);
  if (mss_octets > options) {
    /* EMSS by the SYN of the first connection's measured end (RFC 9293 §3.7.1) */
    const theory inputs = {.emss_octets = mss_octets - options,
                           .connections = self->connection_count,
                           .k2 = self->plan->configuration->theory_k2};
    metric_values_set(values, METRIC_MPA_EMSS_OCTETS, inputs.emss_octets);
    theory_set_metrics(&inputs, values);
    values->present[METRIC_THEORY_BUFFER_TCP_OCTETS] = false; /* the path's rate and delay */
    values->present[METRIC_FIT_K] = false;
  }
}

static const session_network_class network_class = {
    .send = network_send, .set_metrics = network_set_metrics, .share = network_share};

/* --- Making --- */

static void configure(void *user, uint32_t index, rnic_endpoint_config *config)
{
  replay_network *self = user;
  replay_connection *connection = &self->connections[index];

  replay_scenario_connect(self->plan, index, config, &connection->place);
  config->protection_domain = self->protection_domain;
  config->tcp_new = replay_transport_new;
  config->tcp_new_user = &connection->place;
  connection->network = self;
  connection->place.arriving = self->arrivals ? on_arriving : NULL;
  connection->place.user = connection;
}

static void make_connections(replay_network *self)
{
  const replay_profile *profile = self->plan->profile;

  self->connection_count = profile->connections->len;
  self->connections = g_new0(replay_connection, self->connection_count);
  flow_table_init(&self->measured, sizeof(datagram_flow), g_free);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    replay_connection *connection = &self->connections[i];

    connection->profile = replay_profile_connection(profile, i);
    connection->measured =
        replay_profile_end(&connection->profile->decoded, self->plan->configuration->measured);
    const datagram_flow to = {.destination = connection->profile->flow->ends[connection->measured].address};
    if (!flow_table_find(&self->measured, &to)) {
      flow_table_add(&self->measured, &to);
    }
  }
}

static void make_session(replay_network *self, FILE *series)
{
  const replay_profile *profile = self->plan->profile;
  enum side direction = self->plan->configuration->main_direction;

  self->absence = (session_absence){
      .receive_octets = profile->longest_send[direction], .configure = configure, .user = self};
  self->series[host_pair_of_path.hosts[self->plan->configuration->measured]] = series;
  const session_config config = {.configuration = self->plan->configuration,
                                 .clock = self->clock,
                                 .absence = &self->absence,
                                 .trace = self->trace,
                                 .series = self->series};
  self->session = session_new(&config);
  rnic_host *rnic = session_host_rnic(measured_host(self));
  self->protection_domain = rnic_host_protection_domain_new(rnic);
  replay_stags_register(profile->stags[direction], rnic->stags, self->protection_domain);
  session_connect(self->session, &self->network);
  for (uint32_t i = 0; i < self->connection_count; i++) {
    const capture_flow *flow = self->connections[i].profile->flow;
    if (!flow->before) { /* fragments may come before any segment */
      observe(self, flow);
    }
  }
}

static void network_close(replay_network *self)
{
  session_free(self->session);
  trace_free(self->trace);
  replay_source_free(self->source);
  replay_path_free(self->path);
  decode_session_free(self->arrivals);
  flow_table_clear(&self->measured);
  g_free(self->connections);
  engine_free(self->clock);
  capture_source_free(self->file);
  g_free(self);
}

/* Reads the capture for the second time. */
static replay_network *network_open(const replay_plan *plan, FILE *series, GError **error)
{
  static const replay_source_events events = {
      .segment = on_segment, .fragment = on_fragment, .ended = on_ended};
  const replay_reading *capture = &plan->options.capture;
  replay_network *self = g_new0(replay_network, 1);

  self->network.class = &network_class;
  self->plan = plan;
  make_connections(self);
  self->file = capture_source_open(capture->path, capture->filter, error);
  self->clock = self->file ? run_engine_new(RUN_ENGINE_NATIVE, error) : NULL;
  FILE *file = plan->options.trace;
  self->trace = file && self->clock ? simulation_trace_new(plan->trace_about, file, self->clock) : NULL;
  self->path = self->clock
                   ? replay_path_new(plan, self->clock, self->trace, on_arrival, has_arrived, self, error)
                   : NULL;
  if (!self->path) {
    g_clear_pointer(&self, network_close);
    return NULL;
  }
  /* A path, or IP reassembly that does not take all, changes what comes to TCP: where that starts with an
   * FPDU is seen after them. */
  if (plan->has_path || plan->resend_ps > 0 ||
      plan->configuration->receiver.ip_option != IP_REASSEMBLY_UNLIMITED) {
    self->arrivals = decode_session_new(&capture->decoding, NULL, NULL);
  }
  make_session(self, series);
  self->source = replay_source_new(self->file, plan->profile->is_coarse, self->clock, &events, self);
  return self;
}

/* --- What a user should know of it --- */

G_GNUC_PRINTF(3, 4) static void note_if(GPtrArray *notes, bool found, const char *format, ...)
{
  if (!found) {
    return;
  }
  va_list values;

  va_start(values, format);
  g_ptr_array_add(notes, g_strdup_vprintf(format, values));
  va_end(values);
}

static void note_all(const replay_network *self, const metric_values *values, GPtrArray *notes)
{
  const configuration *c = self->plan->configuration;
  enum side direction = c->main_direction;
  uint64_t backward = self->source->backward;
  uint64_t steps = capture_source_counts(self->file)->clock_steps;
  uint64_t given_up = self->path->given_up;
  uint64_t too_big = (uint64_t)values->value[METRIC_PATH_PACKETS_TOO_BIG];
  uint64_t fpdus = 0, long_ulpdus = 0, refused = 0;
  uint32_t lacking = 0, cut_off = 0, first = 0;
  bool expects_some = false;

#define IN_ADMISSION(id, name, unit, side, how, type, member, sentence)                                      \
  refused += (uint64_t)values->value[METRIC_##id];
#include "measure/metrics.def"
  for (uint32_t i = self->connection_count; i-- > 0;) {
    const replay_connection *connection = &self->connections[i];
    const decode_connection *decoded = &connection->profile->decoded;

    fpdus += decoded->directions[direction].fpdus;
    long_ulpdus += decoded->directions[direction].long_ulpdus;
    /* Else startup ended where `direction` leads, so that FPDUs were not to come: the connection was
     * rejected, or the frame has the key of the other role. */
    expects_some |= !(decoded->has_reply && decoded->reply.rejected) &&
                    (!decoded->has_frame[direction] ||
                     (direction == SIDE_INITIATOR ? decoded->has_request : decoded->has_reply));
    lacking += !session_connection_is_over(self->session, i) &&
               replay_transport_lacks_octets(connection->place.made);
    if (connection->profile->directions[direction].missing_from < UINT64_MAX) {
      cut_off++;
      first = i;
    }
  }
  note_if(notes, self->plan->profile->passed_over != NULL, "%s", self->plan->profile->passed_over);
  note_if(notes, fpdus == 0 && expects_some,
          "no FPDU to the %s is in the capture, so nothing is measured; measure.side names the end",
          side_name(c->measured));
  g_autofree char *others =
      cut_off > 1 ? g_strdup_printf(" (and so of %u other%s)", cut_off - 1, cut_off == 2 ? "" : "s")
                  : g_strdup("");
  note_if(notes, cut_off > 0,
          "connection %u: octets from stream position %" G_GUINT64_FORMAT
          " on came and are not in the capture; it is replayed up to there%s",
          first, self->connections[first].profile->directions[direction].missing_from, others);
  /* The capture has no second copy of what the real end took. */
  note_if(notes, self->plan->resend_ps == 0 && refused > 0 && lacking > 0,
          "%" G_GUINT64_FORMAT " segments were refused, and %u %s waited for octets of them for "
          "ever; --resend TIME offers them again",
          refused, lacking, units_counted(lacking, "connections"));
  note_if(notes, long_ulpdus > 0,
          "%" G_GUINT64_FORMAT " FPDUs have ULPDUs of more than 64768 octets, which no sender may make "
          "(mpa-01 §3.2); the receivers here take them all the same",
          long_ulpdus);
  note_if(notes, backward > 0,
          "%" G_GUINT64_FORMAT " packet%s an earlier time than the packet before %s right after it here",
          backward, backward == 1 ? " bears" : "s bear", backward == 1 ? "it; it comes" : "them; they come");
  note_if(notes, self->no_goodput != NULL, "%s", self->no_goodput);
  note_if(notes, steps > 0,
          "the capture's clock was set %" G_GUINT64_FORMAT
          " %s, so that times after that do not compare with "
          "those before",
          steps, units_counted(steps, "times"));
  note_if(notes, given_up > 0, "%" G_GUINT64_FORMAT " %s did not arrive, however often %s offered again",
          given_up, units_counted(given_up, "segments"), given_up == 1 ? "it was" : "they were");
  note_if(notes, too_big > 0,
          "%" G_GUINT64_FORMAT
          " packet%s larger than the path's MTU and %s dropped: routers do not fragment IPv6",
          too_big, too_big == 1 ? " was" : "s were", too_big == 1 ? "was" : "were");
}

gboolean replay_run(replay *r, const char *directory, session_result *result, GPtrArray *notes,
                    GError **error)
{
  gboolean with_series = r->plan.configuration->measure.series != SERIES_OF_NONE;
  FILE *series =
      with_series ? simulation_open_series(r->plan.configuration, directory, "occupancy.csv", error) : NULL;

  *result = (session_result){.message = NULL};
  if (with_series && !series) {
    return FALSE;
  }
  if (r->plan.profile->broken) {
    g_ptr_array_add(notes, g_strdup_printf("%s; what came before is replayed", r->plan.profile->broken));
  }
  replay_network *network = network_open(&r->plan, series, error);
  const gboolean done = network != NULL;
  if (done) {
    session_on_progress(network->session, progress_of(r), r);
    session_run(
        network->session); /* to run.stop, or until all of the capture has come and all timers have run */
    session_finish(network->session, result);
    note_all(network, &result->results.metrics, notes);
    network_close(network);
  }
  return (!series || simulation_close_series(series, directory, done ? error : NULL)) && done;
}
