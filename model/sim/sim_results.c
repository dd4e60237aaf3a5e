#include "sim/sim_results.h"

#include <inttypes.h>

#include "measure/theory.h"
#include "sim/sim_setup.h"

static void add_workload(sim_totals *totals, const sim_totals_connection *connection)
{
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    rnic_workload_results results = rnic_workload_results_of(connection->workload, side);
    totals->expected += rnic_workload_expected(connection->workload, side);
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
  totals->tcp.full_segments += tcp->full_segments;
  totals->tcp.full_segment_octets += tcp->full_segment_octets;
  totals->tcp.full_segment_payload_octets += tcp->full_segment_payload_octets;
  totals->full_size.payload_octets += full_size->payload_octets;
  totals->full_size.stream_octets += full_size->stream_octets;
  if (mpa) {
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
      {METRIC_MPA_FPDUS, totals->mpa.fpdus},
      {METRIC_MPA_MARKERS, totals->mpa.markers},
      {METRIC_MPA_LOCATED_BY_CHAIN, totals->mpa.located_by[MPA_LOCATED_BY_CHAIN]},
      {METRIC_MPA_LOCATED_BY_MARKER, totals->mpa.located_by[MPA_LOCATED_BY_MARKER]},
      {METRIC_MPA_LOCATED_BY_MARKER_CHAIN, totals->mpa.located_by[MPA_LOCATED_BY_MARKER_CHAIN]},
      {METRIC_MPA_CRC_ERRORS, totals->mpa.crc_errors},
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
 * in the full-size FPDUs, times the share of stream octets in the full-size segments' wire octets. */
static void set_efficiency(const sim_totals *totals, uint32_t framing_octets, metric_values *values)
{
  const tcp_statistics *tcp = &totals->tcp;
  double wire = (double)tcp->full_segment_octets + (double)tcp->full_segments * framing_octets;

  if (totals->full_size.stream_octets > 0 && tcp->full_segments > 0) {
    double payload_share = (double)totals->full_size.payload_octets / (double)totals->full_size.stream_octets;
    metric_values_set(values, METRIC_EFFICIENCY_WIRE,
                      payload_share * ((double)tcp->full_segment_payload_octets / wire));
  }
}

static void set_theory(const sim_totals *totals, const scenario *s, sim_direction main_direction,
                       metric_values *values)
{
  path_link_config main_link = sim_path_link_config(s, main_direction);
  path_link_config other = sim_path_link_config(s, main_direction == SIM_FORWARD ? SIM_REVERSE : SIM_FORWARD);
  const theory inputs = {
      .rate_bit_per_s = main_link.rate_bit_per_s,
      .propagation_main_ps = main_link.delay_ps,
      .propagation_other_ps = other.delay_ps,
      .serialisation_main_ps =
          time_ps_to_send(main_link.mtu_octets + main_link.framing_octets, main_link.rate_bit_per_s),
      .serialisation_other_ps =
          time_ps_to_send(other.mtu_octets + other.framing_octets, other.rate_bit_per_s),
      .emss_octets = totals->emss_octets,
      .connections = totals->connections,
      .k2 = scenario_integer(s, SCENARIO_THEORY_K2),
  };

  theory_set_metrics(&inputs, values);
}

void sim_totals_set_metrics(const sim_totals *totals, const scenario *s, metric_values *values)
{
  sim_direction main_direction = sim_setup_direction_to(sim_setup_measured(s));

  set_counts(totals, values);
  set_efficiency(totals, sim_path_link_config(s, main_direction).framing_octets, values);
  set_theory(totals, s, main_direction, values);
}

char *sim_totals_check(const sim_totals *totals)
{
  const rnic_workload_results *wrong = &totals->wrong;

  if (wrong->octets_wrong > 0 || wrong->order_errors > 0 || wrong->guard_errors > 0) {
    return g_strdup_printf("%" PRIu64 " octets wrong, %" PRIu64
                           " segments delivered out of order, memory written "
                           "beside %" PRIu64 " buffers",
                           wrong->octets_wrong, wrong->order_errors, wrong->guard_errors);
  }
  return g_strdup("");
}
