#include "sim/sim_results.h"

#include <inttypes.h>

#include "measure/theory.h"
#include "sim/sim_setup.h"

static void add_workload(sim_totals *totals, const sim_totals_connection *connection)
{
  for (enum side side = 0; side < SIDES; side++) {
    ulp_workload_results results = ulp_workload_results_of(connection->workload, side);
    totals->expected += ulp_workload_expected(connection->workload, side);
    totals->delivered += results.messages_delivered;
    totals->wrong.octets_wrong += results.octets_wrong;
    totals->wrong.order_errors += results.order_errors;
    totals->wrong.guard_errors += results.guard_errors;
    if (side == connection->measured) {
      totals->at_sink.messages_delivered += results.messages_delivered;
      totals->at_sink.octets_delivered += results.octets_delivered;
    }
  }
}

void sim_totals_add(sim_totals *totals, const sim_totals_connection *connection)
{
  const tcp_statistics *tcp = rnic_endpoint_tcp_statistics(connection->source);
  const mpa_deframer_statistics *mpa = rnic_endpoint_mpa_statistics(connection->sink);
  const rnic_full_size *full_size = rnic_endpoint_full_size(connection->source);

  if (totals->connections++ == 0) {
    totals->emss_octets = rnic_endpoint_emss_octets(connection->source);
    totals->mulpdu_octets = rnic_endpoint_mulpdu_octets(connection->source);
  }
  add_workload(totals, connection);
  totals->tcp.retransmissions += tcp->retransmissions;
  totals->tcp.timeouts += tcp->timeouts;
  totals->tcp.recoveries += tcp->recoveries;
  totals->tcp.spurious_recoveries += tcp->spurious_recoveries;
  totals->tcp.spurious_timeouts += tcp->spurious_timeouts;
  totals->tcp.retransmissions_lost += tcp->retransmissions_lost;
  totals->tcp.tail_loss_probes += tcp->tail_loss_probes;
  totals->tcp.duplicates_reported += tcp->duplicates_reported;
  totals->tcp.window_probes += tcp->window_probes;
  totals->tcp.ecn_reductions += tcp->ecn_reductions;
  totals->tcp.path_mtu_changes += tcp->path_mtu_changes;
  totals->tcp.checksum_errors += rnic_endpoint_tcp_statistics(connection->sink)->checksum_errors;
  totals->tcp.full_segments += tcp->full_segments;
  totals->tcp.full_segment_octets += tcp->full_segment_octets;
  totals->tcp.full_segment_payload_octets += tcp->full_segment_payload_octets;
  totals->full_size.payload_octets += full_size->payload_octets;
  totals->full_size.stream_octets += full_size->stream_octets;
  totals->refusals.memory += rnic_endpoint_refusals(connection->sink)->memory;
  totals->refusals.descriptors += rnic_endpoint_refusals(connection->sink)->descriptors;
  if (mpa) {
    totals->mpa.wrong_guesses += mpa->wrong_guesses;
    totals->mpa.fpdus += mpa->fpdus;
    totals->mpa.markers += mpa->markers;
    totals->mpa.crc_errors += mpa->crc_errors;
    for (int i = 0; i < MPA_LOCATIONS; i++) {
      totals->mpa.located_by[i] += mpa->located_by[i];
    }
  }
}

static void set_counts(const sim_totals *totals, metric_values *values)
{
  const struct {
    metric_id id;
    uint64_t value;
  } counts[] = {
      {METRIC_TCP_RETRANSMISSIONS, totals->tcp.retransmissions},
      {METRIC_TCP_TIMEOUTS, totals->tcp.timeouts},
      {METRIC_TCP_RECOVERIES, totals->tcp.recoveries},
      {METRIC_TCP_SPURIOUS_RECOVERIES, totals->tcp.spurious_recoveries},
      {METRIC_TCP_SPURIOUS_TIMEOUTS, totals->tcp.spurious_timeouts},
      {METRIC_TCP_RETRANSMISSIONS_FOUND_LOST, totals->tcp.retransmissions_lost},
      {METRIC_TCP_TAIL_LOSS_PROBES, totals->tcp.tail_loss_probes},
      {METRIC_TCP_DUPLICATES_REPORTED, totals->tcp.duplicates_reported},
      {METRIC_TCP_WINDOW_PROBES, totals->tcp.window_probes},
      {METRIC_TCP_ECN_REDUCTIONS, totals->tcp.ecn_reductions},
      {METRIC_TCP_PATH_MTU_CHANGES, totals->tcp.path_mtu_changes},
      {METRIC_TCP_CHECKSUM_ERRORS, totals->tcp.checksum_errors},
      {METRIC_MPA_FPDUS, totals->mpa.fpdus},
      {METRIC_MPA_MARKERS, totals->mpa.markers},
      {METRIC_MPA_LOCATED_BY_CHAIN, totals->mpa.located_by[MPA_LOCATED_BY_CHAIN]},
      {METRIC_MPA_LOCATED_BY_MARKER, totals->mpa.located_by[MPA_LOCATED_BY_MARKER]},
      {METRIC_MPA_LOCATED_BY_MARKER_CHAIN, totals->mpa.located_by[MPA_LOCATED_BY_MARKER_CHAIN]},
      {METRIC_MPA_LOCATED_BY_ASSUMPTION, totals->mpa.located_by[MPA_LOCATED_BY_ASSUMPTION]},
      {METRIC_MPA_WRONG_GUESSES, totals->mpa.wrong_guesses},
      {METRIC_MPA_CRC_ERRORS, totals->mpa.crc_errors},
      {METRIC_BUFFER_SEGMENTS_REFUSED, totals->refusals.memory},
      {METRIC_STATE_SEGMENTS_REFUSED, totals->refusals.descriptors},
      {METRIC_DELIVERY_MESSAGES, totals->at_sink.messages_delivered},
      {METRIC_DELIVERY_OCTETS, totals->at_sink.octets_delivered},
      {METRIC_INTEGRITY_OCTETS_WRONG, totals->wrong.octets_wrong},
  };

  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
    metric_values_set(values, counts[i].id, (double)counts[i].value);
  }
  if (totals->emss_octets > 0) {
    metric_values_set(values, METRIC_MPA_EMSS_OCTETS, totals->emss_octets);
  }
  if (totals->mulpdu_octets > 0) {
    metric_values_set(values, METRIC_MPA_MULPDU_OCTETS, totals->mulpdu_octets);
  }
}

/* Tagged payload ÷ wire octets of the full-size data segments. A stream sender's segments and FPDUs differ: the share of payload
 * in the full-size FPDUs, times the share of stream octets in the full-size segments' wire octets. These, in cells, are those of the mean
 * full-size segment: they differ by an FPDU's markers at most. */
static void set_efficiency(const sim_totals *totals, const scenario_link *link, metric_values *values)
{
  const tcp_statistics *tcp = &totals->tcp;
  double wire = (double)tcp->full_segment_octets + (double)tcp->full_segments * link->framing_octets;

  if (link->cell_octets > 0 && tcp->full_segments > 0) {
    uint64_t mean_octets = (tcp->full_segment_octets + tcp->full_segments / 2) / tcp->full_segments;
    wire = (double)tcp->full_segments * scenario_link_octets(link, (uint32_t)mean_octets);
  }

  if (totals->full_size.stream_octets > 0 && tcp->full_segments > 0) {
    double payload_share = (double)totals->full_size.payload_octets / (double)totals->full_size.stream_octets;
    metric_values_set(values, METRIC_EFFICIENCY_WIRE,
                      payload_share * ((double)tcp->full_segment_payload_octets / wire));
  }
}

/* The delay of the formula is two propagations and one full segment's serialisation each way, on every link. */
static void add_links(const scenario *s, enum side direction, time_ps *propagation_ps,
                      time_ps *serialisation_ps)
{
  guint32 mtu = scenario_path_mtu(s, direction);

  for (gsize i = 0; i < scenario_links(s, direction); i++) {
    scenario_link link = scenario_link_of(s, direction, i);

    *propagation_ps += link.delay_ps;
    *serialisation_ps += time_ps_to_send(scenario_link_octets(&link, mtu), link.rate_bit_per_s);
  }
}

static void set_theory(const sim_totals *totals, const scenario *s, metric_values *values)
{
  enum side direction = scenario_main_direction(s);
  theory inputs = {
      .rate_bit_per_s = scenario_bottleneck(s, direction),
      .emss_octets = totals->emss_octets,
      .connections = totals->connections,
      .k2 = scenario_integer(s, SCENARIO_THEORY_K2),
  };

  add_links(s, direction, &inputs.propagation_main_ps, &inputs.serialisation_main_ps);
  add_links(s, side_peer(direction), &inputs.propagation_other_ps, &inputs.serialisation_other_ps);
  theory_set_metrics(&inputs, values);
}

void sim_totals_set_metrics(const sim_totals *totals, const scenario *s, metric_values *values)
{
  set_counts(totals, values);
  scenario_link link = scenario_link_of(s, scenario_main_direction(s), 0);

  set_efficiency(totals, &link, values);
  set_theory(totals, s, values);
}

char *sim_totals_check(const sim_totals *totals)
{
  const ulp_workload_results *wrong = &totals->wrong;

  if (wrong->octets_wrong > 0 || wrong->order_errors > 0 || wrong->guard_errors > 0) {
    return g_strdup_printf("%" PRIu64 " octets wrong, %" PRIu64
                           " segments delivered out of order, memory written "
                           "beside %" PRIu64 " buffers",
                           wrong->octets_wrong, wrong->order_errors, wrong->guard_errors);
  }
  return g_strdup("");
}
