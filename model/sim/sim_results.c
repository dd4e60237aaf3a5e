#include "sim/sim_results.h"

#include <inttypes.h>

#include "measure/theory.h"
#include "sim/sim_setup.h"

/* Adds to `values` what `end` counted of the metrics of `side`. */
static void count(const rnic_endpoint *end, metric_side side, metric_values *values)
{
  static const mpa_deframer_statistics nothing;
  const mpa_deframer_statistics *mpa = rnic_endpoint_mpa_statistics(end);
  const tcp_statistics *tcp = rnic_endpoint_tcp_statistics(end);
  const rnic_refusals *refusals = rnic_endpoint_refusals(end);

  mpa = mpa ? mpa : &nothing;
#define IN_TCP(id, name, unit, of, how, type, member, sentence) COUNT(id, of, tcp->member)
#define IN_MPA(id, name, unit, of, how, type, member, sentence) COUNT(id, of, mpa->member)
#define IN_MPA_LOCATED_BY(id, name, unit, of, how, sentence) COUNT(id, of, mpa->located_by[id])
#define IN_ADMISSION(id, name, unit, of, how, type, member, sentence) COUNT(id, of, refusals->member)
#define COUNT(id, of, number)                                                                                \
  if (side == METRIC_SIDE_##of) {                                                                            \
    metric_values_count(values, METRIC_##id, number);                                                        \
  }
#include "measure/metrics.def"
#undef COUNT
}

static void add_workload(sim_totals *totals, const sim_totals_connection *connection)
{
  for (enum side side = 0; side < SIDES; side++) {
    ulp_workload_results results = ulp_workload_results_of(connection->workload, side);
    totals->expected += ulp_workload_expected(connection->workload, side);
    totals->delivered += results.messages_delivered;
    totals->order_errors += results.order_errors;
    totals->guard_errors += results.guard_errors;
    metric_values_count(&totals->metrics, METRIC_INTEGRITY_OCTETS_WRONG, results.octets_wrong);
    if (side == connection->measured) {
      metric_values_count(&totals->metrics, METRIC_DELIVERY_MESSAGES, results.messages_delivered);
      metric_values_count(&totals->metrics, METRIC_DELIVERY_OCTETS, results.octets_delivered);
    }
  }
}

/* 0: the endpoint has not come so far. */
static void set_known(metric_id id, uint32_t octets, metric_values *values)
{
  if (octets > 0) {
    metric_values_set(values, id, octets);
  }
}

void sim_totals_add(sim_totals *totals, const sim_totals_connection *connection)
{
  count(connection->sink, METRIC_SIDE_DATA_SINK, &totals->metrics);
  if (!connection->workload) {
    return;
  }
  const tcp_statistics *tcp = rnic_endpoint_tcp_statistics(connection->source);
  const rnic_full_size *full_size = rnic_endpoint_full_size(connection->source);

  if (totals->connections++ == 0) {
    set_known(METRIC_MPA_EMSS_OCTETS, rnic_endpoint_emss_octets(connection->source), &totals->metrics);
    set_known(METRIC_MPA_MULPDU_OCTETS, rnic_endpoint_mulpdu_octets(connection->source), &totals->metrics);
  }
  add_workload(totals, connection);
  count(connection->source, METRIC_SIDE_DATA_SOURCE, &totals->metrics);
  totals->full_segments += tcp->full_segments;
  totals->full_segment_octets += tcp->full_segment_octets;
  totals->full_segment_payload_octets += tcp->full_segment_payload_octets;
  totals->full_size.payload_octets += full_size->payload_octets;
  totals->full_size.stream_octets += full_size->stream_octets;
}

/* Tagged payload ÷ wire octets of the full-size data segments. A stream sender's segments and FPDUs differ: the share of payload
 * in the full-size FPDUs, times the share of stream octets in the full-size segments' wire octets. These, in cells, are those of the mean
 * full-size segment: they differ by an FPDU's markers at most. */
static void set_efficiency(const sim_totals *totals, const path_link_config *link, metric_values *values)
{
  double wire = (double)totals->full_segment_octets + (double)totals->full_segments * link->framing_octets;

  if (link->cell_octets > 0 && totals->full_segments > 0) {
    uint64_t mean_octets = (totals->full_segment_octets + totals->full_segments / 2) / totals->full_segments;
    wire = (double)totals->full_segments * path_link_octets(link, (uint32_t)mean_octets);
  }

  if (totals->full_size.stream_octets > 0 && totals->full_segments > 0) {
    double payload_share = (double)totals->full_size.payload_octets / (double)totals->full_size.stream_octets;
    metric_values_set(values, METRIC_EFFICIENCY_WIRE,
                      payload_share * ((double)totals->full_segment_payload_octets / wire));
  }
}

/* The delay of the formula is two propagations and one full segment's serialisation each way, on every link. */
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

static void set_theory(const sim_totals *totals, const configuration *c, metric_values *values)
{
  enum side direction = c->main_direction;
  theory inputs = {
      .rate_bit_per_s = path_bottleneck_bit_per_s(&c->path.directions[direction]),
      .emss_octets = (uint32_t)totals->metrics.value[METRIC_MPA_EMSS_OCTETS],
      .connections = totals->connections,
      .k2 = c->theory_k2,
  };

  add_links(c, direction, &inputs.propagation_main_ps, &inputs.serialisation_main_ps);
  add_links(c, side_peer(direction), &inputs.propagation_other_ps, &inputs.serialisation_other_ps);
  theory_set_metrics(&inputs, values);
}

void sim_totals_set_metrics(const sim_totals *totals, const configuration *c, metric_values *values)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (totals->metrics.present[id]) {
      metric_values_set(values, id, totals->metrics.value[id]);
    }
  }
  if (totals->connections > 0) {
    path_link_config link = path_link_at(&c->path.directions[c->main_direction], 0);

    set_efficiency(totals, &link, values);
    set_theory(totals, c, values);
  }
}

char *sim_totals_check(const sim_totals *totals)
{
  uint64_t octets_wrong = (uint64_t)totals->metrics.value[METRIC_INTEGRITY_OCTETS_WRONG];

  if (octets_wrong > 0 || totals->order_errors > 0 || totals->guard_errors > 0) {
    return g_strdup_printf("%" PRIu64 " octets wrong, %" PRIu64
                           " segments delivered out of order, memory written "
                           "beside %" PRIu64 " buffers",
                           octets_wrong, totals->order_errors, totals->guard_errors);
  }
  return g_strdup("");
}
