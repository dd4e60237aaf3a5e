#include "sim/sim_recorder.h"

#include <glib.h>

#include "base/element_array.h"
#include "base/uint128.h"
#include "measure/occupancy.h"
#include "measure/retransmission_ledger.h"
#include "measure/value_histogram.h"
#include "rdmap/rdmap_header.h"
#include "sim/sim_part_arrivals.h"

/* How long payload octets waited. */
typedef struct waits {
  uint128 octet_ps;
  value_histogram histogram; /* of ps, weighted by octets */
} waits;

struct sim_recorder {
  sim_recorder_config config;
  occupancy *gauge;
  /* One a connection: offsets (uint64_t, ascending) where its FPDUs start, as far back as a segment can still arrive. */
  element_array *starts;
  retransmission_ledger **ledgers; /* one a connection */
  rnic_held *last;                 /* one a connection: what the gauge knows */
  uint64_t *fragment_octets;       /* one a connection, and one for fragments of no known connection */
  bool started;                    /* a workload octet has arrived */
  time_ps first_payload_arrival;   /* of workload payload that has been placed; TIME_PS_NEVER: none has */
  time_ps last_delivery;
  uint64_t segments;
  uint64_t segments_out_of_order;
  uint64_t segments_aligned;
  uint64_t octets_placed;
  uint64_t octets_direct;
  uint64_t octets_out_of_order;
  uint64_t octets_delivered;
  uint64_t octets_read; /* from the reassembly memory, with framing */
  time_ps release_at;   /* when the burst below was read */
  uint64_t release_octets;
  uint64_t release_peak_octets;
  waits placement;
  waits delivery;
  sim_part_arrivals
      *undelivered; /* of what has been Placed and not Delivered; segment->observer is the token */
};

sim_recorder *sim_recorder_new(const sim_recorder_config *config)
{
  sim_recorder *recorder = g_new0(sim_recorder, 1);

  recorder->config = *config;
  recorder->first_payload_arrival = TIME_PS_NEVER;
  /* One more for the fragments of no known connection. */
  recorder->gauge = occupancy_new(config->connections + 1, config->cell_octets);
  recorder->fragment_octets = g_new0(uint64_t, config->connections + 1);
  if (config->series) {
    occupancy_write_series(recorder->gauge, config->series, config->series_all, config->series_connections);
  }
  recorder->starts = g_new0(element_array, config->connections);
  recorder->ledgers = g_new0(retransmission_ledger *, config->connections);
  recorder->last = g_new0(rnic_held, config->connections);
  recorder->undelivered = sim_part_arrivals_new();
  for (uint32_t i = 0; i < config->connections; i++) {
    element_array_init(&recorder->starts[i], sizeof(uint64_t));
    recorder->ledgers[i] = retransmission_ledger_new();
  }
  return recorder;
}

void sim_recorder_free(sim_recorder *recorder)
{
  if (recorder) {
    for (uint32_t i = 0; i < recorder->config.connections; i++) {
      element_array_clear(&recorder->starts[i]);
      retransmission_ledger_free(recorder->ledgers[i]);
    }
    g_free(recorder->starts);
    g_free(recorder->ledgers);
    g_free(recorder->last);
    g_free(recorder->fragment_octets);
    sim_part_arrivals_free(recorder->undelivered);
    occupancy_free(recorder->gauge);
    g_free(recorder);
  }
}

/* --- Alignment --- */

void sim_recorder_framed(sim_recorder *recorder, uint32_t connection, uint64_t phase_offset)
{
  element_array *starts = &recorder->starts[connection];

  *(uint64_t *)element_array_insert(starts, starts->count) = phase_offset;
}

/* FPDU Alignment: the first octet of the segment is the first octet of an FPDU (MPA-002). */
static bool starts_with_fpdu(const element_array *starts, uint64_t offset)
{
  size_t below = element_array_count_below(starts, 0, offset);

  return below < starts->count && *(const uint64_t *)element_array_at(starts, below) == offset;
}

bool sim_recorder_is_fpdu_start(const sim_recorder *recorder, uint32_t connection, uint64_t phase_offset)
{
  return starts_with_fpdu(&recorder->starts[connection], phase_offset);
}

/* --- Arrivals --- */

void sim_recorder_segment(sim_recorder *recorder, uint32_t connection, int64_t phase_offset, uint32_t length,
                          uint32_t new_octets, bool out_of_order, time_ps now)
{
  element_array *starts = &recorder->starts[connection];
  /* Octets that arrive now left at most a window behind the newest; what is far older is forgotten. */
  uint64_t reach = 4 * recorder->config.receive_window_octets;
  uint64_t from = (uint64_t)phase_offset;

  if (phase_offset < 0) {
    return; /* startup frames are not counted (definitions.md, tcp.segments) */
  }
  if (!recorder->started) {
    recorder->started = true;
    occupancy_start(recorder->gauge, now);
  }
  recorder->segments++;
  recorder->segments_out_of_order += out_of_order;
  recorder->segments_aligned += starts_with_fpdu(starts, from);
  retransmission_ledger_arrived(recorder->ledgers[connection], from, from + length, new_octets, now);
  if (from > reach) {
    element_array_remove(starts, 0, element_array_count_below(starts, 0, from - reach));
  }
}

void sim_recorder_retransmitted(sim_recorder *recorder, uint32_t connection, int64_t phase_offset,
                                uint32_t length, time_ps earliest_arrival)
{
  if (phase_offset >= 0) {
    uint64_t from = (uint64_t)phase_offset;
    retransmission_ledger_sent(recorder->ledgers[connection], from, from + length, earliest_arrival);
  }
}

/* --- Placement and Delivery --- */

static void count_read(sim_recorder *recorder, uint64_t octets, time_ps now)
{
  if (now != recorder->release_at) {
    recorder->release_at = now;
    recorder->release_octets = 0;
  }
  recorder->octets_read += octets;
  recorder->release_octets += octets;
  recorder->release_peak_octets = MAX(recorder->release_peak_octets, recorder->release_octets);
}

/* RDMAP's own messages have no workload payload: what they hold counts, what they carry does not (definitions.md, Defaults: sizes are
 * ULP payload). */
static bool has_workload_payload(const ddp_segment *segment)
{
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);

  return opcode != RDMAP_READ_REQUEST && opcode != RDMAP_TERMINATE;
}

static void count_wait(waits *of, time_ps wait, uint32_t octets)
{
  of->octet_ps += (uint128)wait * octets;
  value_histogram_add(&of->histogram, (uint64_t)wait, octets);
}

void sim_recorder_placed(sim_recorder *recorder, ddp_segment *segment, const mpa_ulpdu *ulpdu,
                         bool out_of_order, time_ps now)
{
  uint32_t payload_from = ulpdu->octets->length - segment->payload_octets;
  time_ps complete = now - recorder->config.placement_latency_ps; /* when MPA passed it */

  count_read(recorder, ulpdu->held_octets, now);
  if (!has_workload_payload(segment)) {
    return;
  }
  segment->observer = 0;
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    const mpa_ulpdu_part *part = &ulpdu->parts[i];
    uint32_t from = MAX(part->from, payload_from);
    uint32_t length = MAX(part->from + part->length, from) - from;
    if (length == 0) {
      continue; /* the header alone */
    }
    recorder->octets_direct += part->arrival == complete ? length : 0;
    recorder->first_payload_arrival = time_ps_earlier(recorder->first_payload_arrival, part->arrival);
    count_wait(&recorder->placement, now - part->arrival, length);
    sim_part_arrivals_add(recorder->undelivered, &segment->observer, part->arrival, length);
  }
  recorder->octets_placed += segment->payload_octets;
  recorder->octets_out_of_order += out_of_order ? segment->payload_octets : 0;
}

void sim_recorder_delivered(sim_recorder *recorder, const ddp_segment *segment, time_ps now)
{
  if (!has_workload_payload(segment)) {
    return;
  }
  uint64_t token = segment->observer;
  time_ps arrival;
  uint32_t octets;
  while (sim_part_arrivals_take(recorder->undelivered, &token, &arrival, &octets)) {
    count_wait(&recorder->delivery, now - arrival, octets);
  }
  recorder->octets_delivered += segment->payload_octets;
  recorder->last_delivery = now;
  occupancy_mark_delivery(recorder->gauge, now);
}

/* --- Occupancy --- */

static void update_gauge(sim_recorder *recorder, uint32_t connection, time_ps now)
{
  static const rnic_held nothing = {0};
  bool known = connection < recorder->config.connections;
  const rnic_held *held = known ? &recorder->last[connection] : &nothing;
  const occupancy_state state = {.octets = {[HELD_INCOMPLETE] = held->incomplete,
                                            [HELD_UNLOCATED] = held->unlocated,
                                            [HELD_ORDER] = held->order,
                                            [HELD_FRAGMENT] = recorder->fragment_octets[connection],
                                            [HELD_PROCESSING] = held->processing},
                                 .holes = held->holes,
                                 .partial_fpdus = held->partial_fpdus,
                                 .undelivered = held->undelivered};

  occupancy_update(recorder->gauge, connection, &state, now);
}

void sim_recorder_held(sim_recorder *recorder, uint32_t connection, const rnic_held *held, time_ps now)
{
  rnic_held *last = &recorder->last[connection];

  retransmission_ledger_in_order(recorder->ledgers[connection], held->in_order_edge);
  if (last->incomplete == held->incomplete && last->unlocated == held->unlocated &&
      last->order == held->order && last->processing == held->processing && last->holes == held->holes &&
      last->partial_fpdus == held->partial_fpdus && last->undelivered == held->undelivered) {
    return;
  }
  *last = *held;
  update_gauge(recorder, connection, now);
}

void sim_recorder_fragments(sim_recorder *recorder, uint32_t connection, uint64_t octets, time_ps now)
{
  connection = MIN(connection, recorder->config.connections); /* of no known one */
  if (recorder->fragment_octets[connection] != octets) {
    recorder->fragment_octets[connection] = octets;
    update_gauge(recorder, connection, now);
  }
}

static uint64_t spurious_retransmissions(const sim_recorder *recorder)
{
  uint64_t spurious = 0;

  for (uint32_t i = 0; i < recorder->config.connections; i++) {
    spurious += retransmission_ledger_spurious(recorder->ledgers[i]);
  }
  return spurious;
}

static uint64_t held_at_the_end(const sim_recorder *recorder)
{
  uint64_t octets = 0;

  for (uint32_t i = 0; i < recorder->config.connections; i++) {
    octets += recorder->last[i].incomplete + recorder->last[i].unlocated + recorder->last[i].order;
  }
  return octets;
}

/* --- Results --- */

static void finish_delays(const sim_recorder *recorder, metric_values *values)
{
  if (recorder->octets_placed > 0) {
    metric_values_set(values, METRIC_DELAY_PLACEMENT_MEAN_S,
                      (double)recorder->placement.octet_ps / (double)recorder->octets_placed /
                          TIME_PS_PER_SECOND);
  }
  if (recorder->octets_delivered > 0) {
    metric_values_set(values, METRIC_DELAY_DELIVERY_MEAN_S,
                      (double)recorder->delivery.octet_ps / (double)recorder->octets_delivered /
                          TIME_PS_PER_SECOND);
  }
  if (recorder->octets_delivered > 0 && recorder->last_delivery > recorder->first_payload_arrival) {
    metric_values_set(values, METRIC_GOODPUT_BIT_PER_S,
                      8.0 * (double)recorder->octets_delivered /
                          time_ps_in_seconds(recorder->last_delivery - recorder->first_payload_arrival));
  }
}

void sim_recorder_finish(sim_recorder *recorder, time_ps now, metric_values *values)
{
  const struct {
    metric_id id;
    uint64_t value;
  } counts[] = {
      {METRIC_TCP_SEGMENTS, recorder->segments},
      {METRIC_TCP_SEGMENTS_OUT_OF_ORDER, recorder->segments_out_of_order},
      {METRIC_TCP_SPURIOUS_RETRANSMISSIONS, spurious_retransmissions(recorder)},
      {METRIC_MPA_SEGMENTS_ALIGNED, recorder->segments_aligned},
      {METRIC_PLACEMENT_OCTETS, recorder->octets_placed},
      {METRIC_PLACEMENT_OCTETS_DIRECT, recorder->octets_direct},
      {METRIC_PLACEMENT_OCTETS_BUFFERED, recorder->octets_placed - recorder->octets_direct},
      {METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER, recorder->octets_out_of_order},
      {METRIC_BUFFER_WRITTEN_OCTETS, recorder->octets_read + held_at_the_end(recorder)},
      {METRIC_BUFFER_READ_OCTETS, recorder->octets_read},
      {METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS, recorder->release_peak_octets},
  };

  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
    metric_values_set(values, counts[i].id, (double)counts[i].value);
  }
  finish_delays(recorder, values);
  occupancy_finish(recorder->gauge, now, values);
}

void sim_recorder_distributions(const sim_recorder *recorder, distribution distributions[DISTRIBUTION_COUNT])
{
  occupancy_distribution(recorder->gauge, &distributions[DISTRIBUTION_REASSEMBLY_OCTETS]);
  value_histogram_export(&recorder->placement.histogram, TIME_PS_PER_SECOND, 1,
                         &distributions[DISTRIBUTION_PLACEMENT_DELAY_S]);
  value_histogram_export(&recorder->delivery.histogram, TIME_PS_PER_SECOND, 1,
                         &distributions[DISTRIBUTION_DELIVERY_DELAY_S]);
}
