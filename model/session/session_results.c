/* SPDX-License-Identifier: GPL-2.0-only */
/* This is how a session ended. */
#include <inttypes.h>

#include "base/units.h"
#include "measure/theory.h"
#include "session/session_private.h"

/* --- Counts --- */

static const tcp_gauges no_tcp = {.statistics = &(const tcp_statistics){.timeouts = 0}};

/* Returns what `end` counted: nothing before it is made. */
static rnic_endpoint_counts counts_of(const session_end *end)
{
  static const rnic_refusals refusals;
  static const rnic_full_size full_size;

  return end->endpoint
             ? rnic_endpoint_counts_of(end->endpoint)
             : (rnic_endpoint_counts){.tcp = &no_tcp, .refusals = &refusals, .full_size = &full_size};
}

/* Returns what its first TCP connection counted, when it has started again; else nothing. */
static const tcp_gauges *tcp_before(const session_end *end)
{
  const tcp_transport *first = g_hash_table_lookup(end->session->first_tcp, end);

  return first ? &first->gauges : &no_tcp;
}

/* Adds to `values` what `end` counted of the metrics of `side`. */
static void count_end(const session_end *end, metric_side side, metric_values *values)
{
  static const mpa_deframer_statistics nothing;
  const rnic_endpoint_counts counts = counts_of(end);
  const tcp_statistics *tcp = counts.tcp->statistics, *before = tcp_before(end)->statistics;
  const mpa_deframer_statistics *mpa = counts.mpa ? counts.mpa : &nothing;

#define IN_TCP(id, name, unit, of, how, type, member, sentence) COUNT(id, of, tcp->member + before->member)
#define IN_MPA(id, name, unit, of, how, type, member, sentence) COUNT(id, of, mpa->member)
#define IN_MPA_LOCATED_BY(id, name, unit, of, how, sentence) COUNT(id, of, mpa->located_by[id])
#define IN_ADMISSION(id, name, unit, of, how, type, member, sentence) COUNT(id, of, counts.refusals->member)
#define COUNT(id, of, number)                                                                                \
  if (side == METRIC_SIDE_##of) {                                                                            \
    metric_values_count(values, METRIC_##id, number);                                                        \
  }
#include "measure/metrics.def"
#undef COUNT
}

/* Adds to `terms` what `end` counted of them, as a Data Sink or as a Data Source; what is neither's once, as
 * a Data Sink if it is one. */
static void count_terms(const session_end *end, bool is_sink, metric_terms *terms)
{
  const rnic_endpoint_counts counts = counts_of(end);
  const tcp_gauges *before = tcp_before(end);
  const ulp_workload_results ulp = session_end_results(end);
  const bool is_first = is_sink || !end->is_sink;

#define TERM_OF_SOURCE_TCP(term, member) terms->term += is_sink ? 0 : counts.tcp->member + before->member;
#define TERM_OF_TCPS(term, member)                                                                           \
  terms->term += is_first ? counts.tcp->statistics->member + before->statistics->member : 0;
#define TERM_OF_SOURCE_FRAMER(term, member) terms->term += is_sink ? 0 : counts.full_size->member;
#define TERM_OF_SINK_ULP(term, member) terms->term += is_sink ? ulp.member : 0;
#define TERM_OF_ULPS(term, member) terms->term += is_first ? ulp.member : 0;
#include "measure/metrics.def"
}

/* Counts `end` at its host, or, where the run's results are one host's, at that of the Data Sink: in `hosts`
 * and `at_hosts` (NULL: not), and in `terms`. */
static void count_at(const session_end *end, const session_end *sink, session_host_result *hosts,
                     metric_terms *at_hosts, metric_terms *terms)
{
  const session_config *config = &end->session->config;
  const uint32_t host = (config->measured == SESSION_ALL_HOSTS ? end : sink)->host->number;
  const bool is_sink = end == sink;

  if (hosts && (is_sink || !config->absence)) {
    count_end(end, is_sink ? METRIC_SIDE_DATA_SINK : METRIC_SIDE_DATA_SOURCE, &hosts[host].results.metrics);
  }
  if (!config->absence) {
    count_terms(end, is_sink, terms);
  }
  if (!config->absence && at_hosts) {
    count_terms(end, is_sink, &at_hosts[host]);
  }
}

/* Counts all ends that are here, each Data Sink with its Data Source: at hosts, see count_at(), and all
 * together in the terms that are returned. */
static metric_terms count_ends(const session *self, session_host_result *hosts, metric_terms *at_hosts)
{
  metric_terms terms = {0};

  for (uint32_t i = 0; i < SIDES * self->connection_count; i++) {
    const session_end *sink = &self->connections[i / SIDES].ends[i % SIDES];
    if (sink->is_sink) {
      count_at(session_end_peer(sink), sink, hosts, at_hosts, &terms);
      count_at(sink, sink, hosts, at_hosts, &terms);
    }
  }
  return terms;
}

/* --- Metrics made of them --- */

/* Tagged payload ÷ wire octets of the full-size data segments. A stream sender's segments and FPDUs
 * differ: the share of payload in the full-size FPDUs, times the share of stream octets in the full-size
 * segments' wire octets. These, in cells, are those of the mean full-size segment: they differ by an
 * FPDU's markers at most. */
static void set_efficiency(const metric_terms *terms, const path_link_config *link, metric_values *values)
{
  double wire = (double)terms->full_segment_octets + (double)terms->full_segments * link->framing_octets;

  if (link->cell_octets > 0 && terms->full_segments > 0) {
    uint64_t mean_octets = (terms->full_segment_octets + terms->full_segments / 2) / terms->full_segments;
    wire = (double)terms->full_segments * path_link_octets(link, (uint32_t)mean_octets);
  }

  if (terms->full_fpdu_octets > 0 && terms->full_segments > 0) {
    double payload_share = (double)terms->full_fpdu_payload_octets / (double)terms->full_fpdu_octets;
    metric_values_set(values, METRIC_EFFICIENCY_WIRE,
                      payload_share * ((double)terms->full_segment_payload_octets / wire));
  }
}

/* 0: the endpoint has not come so far. */
static void set_known(metric_id id, uint32_t octets, metric_values *values)
{
  if (octets > 0) {
    metric_values_set(values, id, octets);
  }
}

/* The delay of the formula is two propagations and one full segment's serialisation each way, on every
 * link. */
static void add_links(const configuration *c, enum side direction, time_ps *propagation_ps,
                      time_ps *serialisation_ps)
{
  guint32 mtu = path_mtu_octets(&c->path.directions[direction]);

  for (gsize i = 0; i < path_links(&c->path.directions[direction]); i++) {
    path_link_config link = path_link_at(&c->path.directions[direction], i);

    *propagation_ps += link.delay_ps;
    *serialisation_ps += time_ps_to_send(path_link_octets(&link, mtu), link.rate_bit_per_s);
  }
}

static void set_theory(const configuration *c, uint32_t connections, metric_values *values)
{
  enum side direction = c->main_direction;
  theory inputs = {
      .rate_bit_per_s = path_bottleneck_bit_per_s(&c->path.directions[direction]),
      .emss_octets = (uint32_t)values->value[METRIC_MPA_EMSS_OCTETS],
      .connections = connections,
      .k2 = c->theory_k2,
  };

  add_links(c, direction, &inputs.propagation_main_ps, &inputs.serialisation_main_ps);
  add_links(c, side_peer(direction), &inputs.propagation_other_ps, &inputs.serialisation_other_ps);
  theory_set_metrics(&inputs, values);
}

/* Sets the metrics that are made of the `terms` of ends with a workload: of Data Sinks, if these
 * `have_sinks`, and of Data Sources, of which `source` is the first (NULL: there is none). */
static void set_made(const session *self, const metric_terms *terms, bool have_sinks,
                     const session_end *source, metric_values *values)
{
  const configuration *c = self->config.configuration;
  path_link_config link = path_link_at(&c->path.directions[c->main_direction], 0);

  if (source) {
    const rnic_endpoint_counts counts = counts_of(source);
    set_known(METRIC_MPA_EMSS_OCTETS, counts.tcp->emss_octets, values);
    set_known(METRIC_MPA_MULPDU_OCTETS, counts.mulpdu_octets, values);
    set_efficiency(terms, &link, values);
  }
#define IN_TERM(id, name, unit, side, how, term, sentence)                                                   \
  metric_values_set(values, METRIC_##id, (double)terms->term);
#include "measure/metrics.def"
  if (have_sinks) {
    /* What the ULPs took: of what a fault inserts the recorders see more. */
    metric_values_set(values, METRIC_DELIVERY_MESSAGES, (double)terms->messages_at_sink);
    metric_values_set(values, METRIC_DELIVERY_OCTETS, (double)terms->octets_at_sink);
  }
}

/* --- The end --- */

/* The checks of what was Delivered, at both ends: every octet right, every message once and in order, no
 * memory written outside a buffer. NULL when nothing is wrong. */
static char *failure_of(const session *self, const metric_terms *terms)
{
  if (self->failure) {
    return g_strdup(self->failure);
  }
  for (guint i = 0; i < self->faults->len; i++) {
    if (!fault_injector_decoy_is_untouched(g_ptr_array_index(self->faults, i))) {
      return g_strdup("memory was written, or an STag invalidated, that the peer had no right to");
    }
  }
  if (terms->octets_wrong > 0 || terms->order_errors > 0 || terms->guard_errors > 0) {
    return g_strdup_printf("%" PRIu64 " %s wrong, %" PRIu64
                           " segments delivered out of order, memory written beside %" PRIu64 " buffers",
                           terms->octets_wrong, units_counted((double)terms->octets_wrong, "octets"),
                           terms->order_errors, terms->guard_errors);
  }
  return NULL;
}

char *session_failure(const session *self)
{
  const metric_terms terms = count_ends(self, NULL, NULL);
  char *failure = failure_of(self, &terms);

  return failure ? failure : g_strdup("");
}

/* Sets why the run ended as it did, and with which code. */
static run_status set_ending(const session *self, const metric_terms *terms, session_result *result)
{
  const bool is_alone = self->config.absence;

  result->message = failure_of(self, terms);
  if (result->message) {
    return RUN_FAILED;
  }
  if (!session_is_done(self) && !self->abandoned) {
    result->message =
        is_alone ? g_strdup("run.stop reached before the end of the capture")
                 : g_strdup_printf("run.stop reached: %" PRIu64 " of %" PRIu64 " messages were delivered",
                                   terms->messages_delivered, terms->messages_expected);
    return RUN_STOPPED;
  }
  if (self->ending) {
    result->message =
        is_alone && self->terminated > 1
            ? g_strdup_printf("%s; %u connections ended so", self->ending->message, self->terminated)
            : g_strdup(self->ending->message);
    result->terminate_code = g_strdup(self->ending->code);
    result->terminate_side = side_name(self->ending->side);
    return RUN_TERMINATED;
  }
  result->message = g_strdup("");
  return RUN_OK;
}

/* Ends the measurement at each host, and combines what was measured there. */
static void finish_hosts(const session *self, const metric_terms *terms, time_ps now, session_result *result)
{
  for (uint32_t i = 0; i < self->host_count; i++) {
    const session_host *host = &self->hosts[i];
    session_host_result *of = &result->hosts[i];
    if (host->recorder) {
      session_recorder_finish(host->recorder, now, &of->results.metrics);
      session_recorder_results(host->recorder, &of->results);
      if (self->config
              .absence) { /* it has found in the peers' memory where FPDUs start, and what is a copy */
        of->results.metrics.present[METRIC_MPA_SEGMENTS_ALIGNED] =
            of->results.metrics.present[METRIC_TCP_SPURIOUS_RETRANSMISSIONS] = false;
      }
    }
    if (!self->config.absence) {
      set_made(self, &terms[i], host->sinks > 0, host->first_source, &of->results.metrics);
    }
    g_strlcpy(of->name, host->name, sizeof of->name);
    of->ending = host->ending;
    of->ending.code = g_strdup(host->ending.code);
    of->ending.message = g_strdup(host->ending.message);
    if (self->config.measured == SESSION_ALL_HOSTS) {
      run_results_add_host(&result->results, &of->results);
    }
  }
}

/* Counts what each host did as a Data Source. */
static void count_sent(const session *self, session_host_result *hosts)
{
  for (uint32_t i = 0; i < SIDES * self->connection_count; i++) {
    const session_end *sink = &self->connections[i / SIDES].ends[i % SIDES];
    const session_end *source = session_end_peer(sink);
    const tcp_statistics *tcp = counts_of(source).tcp->statistics, *before = tcp_before(source)->statistics;
    session_host_result *from = &hosts[source->host->number], *to = &hosts[sink->host->number];
    const metric_values *values = &to->results.metrics;
    const double octets = (double)session_end_results(sink).octets_delivered;
    const double share = octets / MAX(values->value[METRIC_DELIVERY_OCTETS], 1);

    to->connections++;
    if (!sink->is_sink) {
      continue;
    }
    from->sources++;
    from->retransmissions += tcp->retransmissions + before->retransmissions;
    from->spurious += session_recorder_spurious(sink->host->recorder, sink->recorded);
    from->timeouts += tcp->timeouts + before->timeouts;
    from->goodput_out_bit_per_s += share * values->value[METRIC_GOODPUT_BIT_PER_S];
  }
}

uint32_t session_fullest_host(const session_result *result)
{
  enum { PEAK = METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS, RECEIVED = METRIC_DELIVERY_OCTETS };
  uint32_t fullest = 0;

  for (uint32_t i = 1; i < result->host_count; i++) {
    const double *of = result->hosts[i].results.metrics.value; /* 0 where there is none */
    const double *most = result->hosts[fullest].results.metrics.value;

    if (of[PEAK] > most[PEAK] || (of[PEAK] == most[PEAK] && of[RECEIVED] > most[RECEIVED])) {
      fullest = i;
    }
  }
  return fullest;
}

/* Sets what startup came to. */
static void set_startup(const session *self, metric_values *values)
{
  const mpa_agreement *of = self->agreed;
  const mpa_agreement *initiator = &of[SIDE_INITIATOR];

  metric_values_set(values, METRIC_MPA_SECOND_TRIES, self->second_tries);
  if (self->revision >= 0) {
    metric_values_set(values, METRIC_MPA_REVISION, self->revision);
    metric_values_set(values, METRIC_MPA_STARTUP_S, time_ps_in_seconds(self->startup_ps));
    metric_values_set(values, METRIC_MPA_INITIATOR_IRD, initiator->ird);
    metric_values_set(values, METRIC_MPA_INITIATOR_ORD, initiator->ord);
    metric_values_set(values, METRIC_MPA_RESPONDER_IRD, of[SIDE_RESPONDER].ird);
    metric_values_set(values, METRIC_MPA_RESPONDER_ORD, of[SIDE_RESPONDER].ord);
    metric_values_set(values, METRIC_MPA_RTR_KIND,
                      mpa_agreement_has_rtr(initiator) ? 1 + (int)initiator->rtr : 0);
  }
}

void session_finish(session *self, session_result *result)
{
  time_ps now = engine_now(self->config.clock);
  metric_values *values = &result->results.metrics;

  *result = (session_result){.message = NULL};
  result->host_count = self->host_count;
  result->hosts = g_new0(session_host_result, self->host_count);
  g_autofree metric_terms *at_hosts = g_new0(metric_terms, self->host_count);
  const metric_terms terms = count_ends(self, result->hosts, at_hosts);
  finish_hosts(self, at_hosts, now, result);
  if (self->config.measured != SESSION_ALL_HOSTS) {
    count_sent(self, result->hosts);
    const uint32_t chosen =
        self->config.measured == SESSION_ONE_HOST ? self->config.measured_host : session_fullest_host(result);
    result->measured_host = g_strdup(self->hosts[chosen].name);
    result->results = run_results_copy(&result->hosts[chosen].results);
    set_theory(self->config.configuration, self->hosts[chosen].sinks, values);
  } else if (!self->config.absence) {
    set_made(self, &terms, true, &self->connections[0].ends[side_peer(self->measured)], values);
    set_theory(self->config.configuration, self->config.configuration->connections.count, values);
  }
  if (self->opened) {
    set_startup(self, values);
  }
  if (self->network->class->set_metrics) {
    self->network->class->set_metrics(self->network, values);
  }
  /* What a host dropped for its TCP checksum was lost, too, if the path that lost it is known. */
  if (values->present[METRIC_PATH_PACKETS_LOST]) {
    const uint64_t damaged = self->damaged_strays + terms.damaged;
    metric_values_count(values, METRIC_LOSSES_DAMAGED, damaged);
    metric_values_count(values, METRIC_PATH_PACKETS_LOST, damaged);
  }
  if (self->messages) {
    result->messages = session_messages_finish(self->messages, now);
    message_log_set_results(result->messages, &result->results);
  }
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(now));
  if (self->is_running) {
    metric_values_set(values, METRIC_TIME_WALL_S, (double)self->wall_us / G_USEC_PER_SEC);
  }
  result->status = set_ending(self, &terms, result);
  if (self->network->problem && (result->status == RUN_FAILED || result->status == RUN_STOPPED)) {
    g_autofree char *message = result->message;
    result->message = g_strconcat(message, "; ", self->network->problem, NULL);
  }
  memcpy(result->undone, self->network->undone, sizeof result->undone);
  for (guint i = 0; i < self->faults->len; i++) {
    const fault_injector *fault = self->faults->pdata[i];
    result->undone[SIDE_INITIATOR] &= ~((uint32_t)fault->is_done << PATH_ACT_FAULT);
  }
}

void session_result_clear(session_result *result)
{
  g_clear_pointer(&result->message, g_free);
  g_clear_pointer(&result->terminate_code, g_free);
  g_clear_pointer(&result->measured_host, g_free);
  run_results_clear(&result->results);
  for (uint32_t i = 0; i < result->host_count; i++) {
    run_results_clear(&result->hosts[i].results);
    session_ending_clear(&result->hosts[i].ending);
  }
  g_clear_pointer(&result->hosts, g_free);
  g_clear_pointer(&result->values, g_array_unref);
  g_clear_pointer(&result->messages, message_log_free);
  g_clear_pointer(&result->message_values, g_array_unref);
  result->host_count = 0;
}
