/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_recorder.h"

#include <glib.h>

#include "base/numbers.h"
#include "measure/occupancy.h"
#include "measure/retransmission_ledger.h"
#include "rdmap/rdmap_header.h"

/* This is how long the payload octets waited that were Placed, or Delivered, in the window. */
typedef struct waits {
  uint128 octet_ps;
  value_histogram histogram; /* of ps, weighted by octets */
} waits;

/* Octets of a segment's payload that arrived together. Parts are numbered from 1; 0 ends a chain. */
typedef struct payload_part {
  time_ps arrival;
  uint32_t octets;
  uint32_t next;
} payload_part;

typedef struct recorder_connection {
  fpdu_starts starts;            /* as far back as a segment can still arrive */
  fpdu_starts_cursor arriving;   /* of who asks about segments that arrive */
  bool holds;                    /* octets, holes or segments, the gauge knows */
  enum side side : 8;            /* the measured end */
  retransmission_ledger *ledger; /* NULL: nothing has been sent again */
} recorder_connection;

struct session_recorder {
  session_recorder_config config;
  occupancy *gauge; /* of the connections, and the fragments of no known connection */
  recorder_connection *connections;
  uint32_t connected; /* connections */
  /* Octets that arrive left at most a window before the newest: starts of FPDUs far older are forgotten. */
  uint64_t reach_octets;
  bool started; /* a workload octet has arrived */
  time_ps started_at;
  bool measures; /* the window that is measured is open; from measure.from to measure.to, if they are given */
  time_ps opened_at;
  time_ps closed_at; /* TIME_PS_NEVER: it can open, or is open */
  time_ps next_at;   /* when one of the two is reached, as a time or as octets Delivered; or never */
  uint64_t next_octets;
  time_ps first_payload_arrival; /* of workload payload that has been placed; TIME_PS_NEVER: none has */
  time_ps last_delivery;
  time_ps release_at; /* when the burst below was read */
  uint64_t release_octets;
#define IN_RECORDER(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
  waits placement;
  waits delivery;
  payload_part *parts;   /* of what has been Placed and not Delivered: number n is element n - 1 */
  uint32_t parts_room;   /* parts there are */
  uint32_t parts_used;   /* that were ever taken: the first of them */
  uint32_t parts_unused; /* the first of the chain of those that are free again */
};

/* Returns what an event of the measured end of `connection` is of, or of none where that is the number of
 * connections; `to` is NULL where nothing is traced. */
static trace_scope scope_of(const session_recorder *recorder, uint32_t connection)
{
  const session_recorder_config *config = &recorder->config;
  const bool is_known = connection < config->connections;

  return (trace_scope){.to = config->trace,
                       .node = config->node,
                       .connection = occupancy_number(recorder->gauge, connection),
                       .side = is_known ? recorder->connections[connection].side : config->side};
}

static void trace_measured(const session_recorder *recorder, bool open, time_ps at)
{
  const trace_scope of_run = {
      .to = recorder->config.trace, .node = recorder->config.node, .side = recorder->config.side};

  if (of_run.to) {
    TRACE(&of_run, MEASURED, .open = open, .at_ps = (uint64_t)at);
  }
}

static void trace_peak(const session_recorder *recorder, const metric_values *values)
{
  const uint32_t number = (uint32_t)values->value[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION];
  uint32_t connection = 0;

  while (connection < recorder->connected && occupancy_number(recorder->gauge, connection) != number) {
    connection++;
  }
  const trace_scope fullest = scope_of(recorder, connection);
  const double octets = values->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS];

  if (fullest.to && values->present[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]) {
    TRACE(&fullest, PEAK, .octets = (uint64_t)octets,
          .at_ps = octets > 0 ? (uint64_t)occupancy_peak_at(recorder->gauge) : 0);
  }
}

session_recorder *session_recorder_new(const session_recorder_config *config)
{
  session_recorder *recorder = g_new0(session_recorder, 1);

  recorder->config = *config;
  recorder->reach_octets = 4 * config->receive_window_octets;
  recorder->first_payload_arrival = TIME_PS_NEVER;
  recorder->gauge = occupancy_new(config->connections + 1, config->cell_octets);
  occupancy_set_number(recorder->gauge, config->connections, config->unknown);
  recorder->closed_at = TIME_PS_NEVER;
  recorder->next_at = TIME_PS_NEVER;
  recorder->next_octets = UINT64_MAX;
  recorder->measures = config->from.kind == RUN_MOMENT_DEFAULT;
  if (!recorder->measures) {
    occupancy_wait(recorder->gauge);
    trace_measured(recorder, false, 0);
  }
  if (config->series) {
    occupancy_write_series(recorder->gauge, config->series, config->series_all, config->series_connections);
  }
  recorder->connections = g_new0(recorder_connection, config->connections);
  for (uint32_t i = 0; i < config->connections; i++) {
    fpdu_starts_init(&recorder->connections[i].starts);
    recorder->connections[i].side = config->side;
  }
  return recorder;
}

uint32_t session_recorder_connect(session_recorder *recorder, uint32_t connection, enum side side)
{
  recorder->connections[recorder->connected].side = side;
  occupancy_set_number(recorder->gauge, recorder->connected, connection);
  return recorder->connected++;
}

void session_recorder_free(session_recorder *recorder)
{
  if (recorder) {
    for (uint32_t i = 0; i < recorder->config.connections; i++) {
      fpdu_starts_clear(&recorder->connections[i].starts);
      retransmission_ledger_free(recorder->connections[i].ledger);
    }
    g_free(recorder->connections);
    g_free(recorder->parts);
    occupancy_free(recorder->gauge);
    g_free(recorder);
  }
}

/* --- The window that is measured --- */

/* `moment` is reached at `now`: by a Delivery, a segment out of order, or a time that has come. */
static bool is_reached(const session_recorder *recorder, const run_moment *moment, time_ps now)
{
  switch (moment->kind) {
  case RUN_MOMENT_DEFAULT:
    return false;
  case RUN_MOMENT_TIME:
    return now >= (time_ps)moment->number;
  case RUN_MOMENT_DELIVERED:
    return recorder->octets_delivered >= moment->number;
  case RUN_MOMENT_FIRST_LOSS:
    return recorder->segments_out_of_order > 0;
  }
  g_assert_not_reached();
}

/* When it is reached: a time may have come since the last event; the window begins with the first arrival at
 * the earliest. */
static time_ps reached_at(const session_recorder *recorder, const run_moment *moment, time_ps now)
{
  return moment->kind == RUN_MOMENT_TIME ? MAX((time_ps)moment->number, recorder->started_at) : now;
}

static void report_window(const session_recorder *recorder, bool is_open, time_ps now)
{
  if (recorder->config.on_window) {
    recorder->config.on_window(recorder->config.user, is_open, now);
  }
}

/* Opens or closes the window when it is time. One that would close before it opens stays closed. */
static G_GNUC_NO_INLINE void look_at_window(session_recorder *recorder, time_ps now)
{
  const run_moment *from = &recorder->config.from;
  const run_moment *to = &recorder->config.to;

  g_assert(recorder->last_delivery < recorder->next_at); /* see session_recorder_delivered() */
  if (!recorder->measures && is_reached(recorder, from, now)) {
    recorder->measures = true;
    recorder->opened_at = reached_at(recorder, from, now);
    occupancy_start(recorder->gauge, recorder->opened_at);
    trace_measured(recorder, true, recorder->opened_at);
    report_window(recorder, true, now);
  }
  recorder->next_at = TIME_PS_NEVER;
  recorder->next_octets = UINT64_MAX;
  if (is_reached(recorder, to, now)) {
    const bool was_open = recorder->measures;

    recorder->measures = false;
    recorder->closed_at = reached_at(recorder, to, now);
    occupancy_close(recorder->gauge, recorder->closed_at);
    trace_measured(recorder, false, recorder->closed_at);
    if (was_open) {
      report_window(recorder, false, now);
    }
    return;
  }
  const run_moment *next[] = {recorder->measures ? to : from, to};
  for (size_t i = 0; i < G_N_ELEMENTS(next); i++) {
    if (next[i]->kind == RUN_MOMENT_TIME) {
      recorder->next_at = time_ps_earlier(recorder->next_at, (time_ps)next[i]->number);
    } else if (next[i]->kind == RUN_MOMENT_DELIVERED) {
      recorder->next_octets = MIN(recorder->next_octets, next[i]->number);
    }
  }
}

/* Call this before what happens at `now` is counted: a time may have come. */
static inline void pass_time(session_recorder *recorder, time_ps now)
{
  if (now >= recorder->next_at) {
    look_at_window(recorder, now);
  }
}

/* The first octet of the workload arrives. */
static G_GNUC_NO_INLINE void begin(session_recorder *recorder, time_ps now)
{
  recorder->started = true;
  recorder->started_at = now;
  if (recorder->measures) {
    occupancy_start(recorder->gauge, now);
    report_window(recorder, true, now);
  }
  look_at_window(recorder, now);
}

bool session_recorder_is_measured(const session_recorder *recorder, time_ps when)
{
  const run_moment *from = &recorder->config.from, *to = &recorder->config.to;
  const bool is_open = recorder->measures || recorder->closed_at < TIME_PS_NEVER;
  const time_ps opened = from->kind == RUN_MOMENT_DEFAULT ? 0
                         : from->kind == RUN_MOMENT_TIME  ? (time_ps)from->number
                         : is_open                        ? recorder->opened_at
                                                          : TIME_PS_NEVER;
  const time_ps closed = to->kind == RUN_MOMENT_TIME ? (time_ps)to->number : recorder->closed_at;

  return when >= opened && when < closed;
}

/* --- Alignment --- */

fpdu_starts *session_recorder_starts(session_recorder *recorder, uint32_t connection)
{
  return &recorder->connections[connection].starts;
}

/* --- Arrivals --- */

void session_recorder_segment(session_recorder *recorder, uint32_t connection, int64_t phase_offset,
                              uint32_t length, uint32_t new_octets, bool out_of_order, time_ps now)
{
  recorder_connection *of = &recorder->connections[connection];
  uint64_t from = (uint64_t)phase_offset;

  if (phase_offset < 0) {
    return; /* startup frames are not counted (docs/metrics.md, tcp.segments) */
  }
  if (!recorder->started) {
    begin(recorder, now);
  }
  pass_time(recorder, now);
  recorder->segments++;
  if (out_of_order && recorder->segments_out_of_order++ == 0 && recorder->closed_at == TIME_PS_NEVER) {
    look_at_window(recorder, now);
  }
  occupancy_arrive(recorder->gauge, length);
  /* FPDU Alignment: the first octet of the segment is the first octet of an FPDU (MPA-002). */
  recorder->segments_aligned += fpdu_starts_has(&of->starts, &of->arriving, from);
  if (of->ledger && !retransmission_ledger_is_settled(of->ledger)) {
    retransmission_ledger_arrived(of->ledger, from, from + length, new_octets, now);
  }
  if (from > recorder->reach_octets) {
    fpdu_starts_forget(&of->starts, from - recorder->reach_octets);
  }
}

void session_recorder_retransmitted(session_recorder *recorder, uint32_t connection, int64_t phase_offset,
                                    uint32_t length, time_ps earliest_arrival)
{
  retransmission_ledger **ledger = &recorder->connections[connection].ledger;

  if (phase_offset >= 0) {
    uint64_t from = (uint64_t)phase_offset;
    *ledger = *ledger ? *ledger : retransmission_ledger_new();
    retransmission_ledger_sent(*ledger, from, from + length, earliest_arrival);
  }
}

/* --- Placement and Delivery --- */

static void count_read(session_recorder *recorder, uint64_t octets, time_ps now)
{
  if (octets == 0 && now != recorder->release_at) {
    return; /* nearly always */
  }
  if (now != recorder->release_at) {
    recorder->release_at = now;
    recorder->release_octets = 0;
  }
  recorder->octets_read += octets;
  recorder->release_octets += octets;
  if (recorder->measures) {
    recorder->release_peak_octets = MAX(recorder->release_peak_octets, recorder->release_octets);
  }
}

/* RDMAP's own messages have no workload payload: the octets held for them count, their content does not
 * (docs/metrics.md: sizes are ULP payload). */
static bool has_workload_payload(const ddp_segment *segment)
{
  const unsigned own = 1 << RDMAP_READ_REQUEST | 1 << RDMAP_ATOMIC_REQUEST | 1 << RDMAP_TERMINATE;

  return (own >> rdmap_control_opcode(segment->header.ulp_control) & 1) == 0;
}

static G_GNUC_NO_INLINE void add_wait(waits *of, time_ps wait, uint32_t octets)
{
  of->octet_ps += (uint128)wait * octets;
  value_histogram_add(&of->histogram, (uint64_t)wait, octets);
}

static inline void count_wait(const session_recorder *recorder, waits *of, time_ps wait, uint32_t octets)
{
  if (!recorder->measures) {
    return;
  }
  if (wait == 0) { /* nearly always */
    of->histogram.weights[0] += octets;
  } else {
    add_wait(of, wait, octets);
  }
}

/* `length` octets of payload that came at `arrival` are Placed now. */
static void count_placed(session_recorder *recorder, time_ps arrival, uint32_t length, time_ps now)
{
  time_ps complete = now - recorder->config.placement_latency_ps; /* when MPA passed the ULPDU */

  recorder->octets_direct += arrival == complete ? length : 0;
  recorder->first_payload_arrival = time_ps_earlier(recorder->first_payload_arrival, arrival);
  count_wait(recorder, &recorder->placement, now - arrival, length);
}

/* Returns the number of a free part. Allocates only while more are in use than ever before. */
static uint32_t free_part(session_recorder *recorder)
{
  enum { SMALLEST_ROOM = 64 };
  uint32_t number = recorder->parts_unused;

  if (number != 0) {
    recorder->parts_unused = recorder->parts[number - 1].next;
    return number;
  }
  if (recorder->parts_used == recorder->parts_room) {
    recorder->parts_room = MAX(recorder->parts_room * 2, (uint32_t)SMALLEST_ROOM);
    recorder->parts = g_renew(payload_part, recorder->parts, recorder->parts_room);
  }
  return ++recorder->parts_used;
}

static G_GNUC_NO_INLINE void place_parts(session_recorder *recorder, ddp_segment *segment,
                                         const mpa_ulpdu *ulpdu, time_ps now)
{
  uint32_t payload_from = ulpdu->fpdu.ulpdu_octets - segment->payload_octets;
  uint32_t parts = 0;

  for (size_t i = 0; i < ulpdu->part_count; i++) {
    const mpa_ulpdu_part *part = &ulpdu->parts[i];
    uint32_t from = MAX(part->from, payload_from);
    uint32_t length = MAX(part->from + part->length, from) - from;
    if (length == 0) {
      continue; /* the header alone */
    }
    count_placed(recorder, part->arrival, length, now);
    uint32_t number = free_part(recorder);
    recorder->parts[number - 1] = (payload_part){.arrival = part->arrival, .octets = length, .next = parts};
    parts = number;
  }
  segment->observer = (uint64_t)parts << 1;
}

/* The observer of a segment whose payload arrived all at once is that time, shifted, with the lowest bit set;
 * of any other it is the number of the first of its parts, times two. */
void session_recorder_placed(session_recorder *recorder, ddp_segment *segment, const mpa_ulpdu *ulpdu,
                             bool out_of_order, time_ps now)
{
  pass_time(recorder, now);
  count_read(recorder, ulpdu->held_octets, now);
  if (!has_workload_payload(segment)) {
    return;
  }
  if (ulpdu->part_count == 1 && segment->payload_octets > 0) {
    count_placed(recorder, ulpdu->parts->arrival, segment->payload_octets, now);
    segment->observer = (uint64_t)ulpdu->parts->arrival << 1 | 1;
  } else {
    place_parts(recorder, segment, ulpdu, now);
  }
  recorder->octets_placed += segment->payload_octets;
  recorder->octets_out_of_order += out_of_order ? segment->payload_octets : 0;
}

static G_GNUC_NO_INLINE void deliver_parts(session_recorder *recorder, uint32_t parts, time_ps now)
{
  while (parts != 0) {
    payload_part *part = &recorder->parts[parts - 1];
    uint32_t next = part->next;

    count_wait(recorder, &recorder->delivery, now - part->arrival, part->octets);
    part->next = recorder->parts_unused;
    recorder->parts_unused = parts;
    parts = next;
  }
}

inline void session_recorder_delivered(session_recorder *recorder, const ddp_segment *segment, time_ps now)
{
  if (!has_workload_payload(segment)) {
    return;
  }
  /* Time has passed: a Placement came before it, in the same picosecond. look_at_window() would notice. */
  if (segment->observer & 1) {
    count_wait(recorder, &recorder->delivery, now - (time_ps)(segment->observer >> 1),
               segment->payload_octets);
  } else {
    deliver_parts(recorder, (uint32_t)(segment->observer >> 1), now);
  }
  recorder->messages_delivered += segment->header.last;
  recorder->octets_delivered += segment->payload_octets;
  recorder->last_delivery = now;
  occupancy_deliver(recorder->gauge, segment->payload_octets, now);
  if (recorder->octets_delivered >= recorder->next_octets) {
    look_at_window(recorder, now);
  }
}

/* --- Occupancy --- */

/* The gauge's `state` agrees with `held`. */
static bool is_held(const occupancy_state *state, const rnic_occupancy *held)
{
  return state->octets[HELD_INCOMPLETE] == held->incomplete &&
         state->octets[HELD_UNLOCATED] == held->unlocated && state->octets[HELD_ORDER] == held->order &&
         state->octets[HELD_PROCESSING] == held->processing && state->holes == held->holes &&
         state->partial_fpdus == held->partial_fpdus && state->undelivered == held->undelivered;
}

static void trace_held(const session_recorder *recorder, uint32_t connection, const occupancy_state *state)
{
  if (recorder->config.trace) {
    const trace_scope at = scope_of(recorder, connection);
    TRACE(&at, HELD, .incomplete = state->octets[HELD_INCOMPLETE], .unlocated = state->octets[HELD_UNLOCATED],
          .order = state->octets[HELD_ORDER], .fragment = state->octets[HELD_FRAGMENT],
          .processing = state->octets[HELD_PROCESSING], .holes = state->holes,
          .partial_fpdus = state->partial_fpdus, .undelivered = state->undelivered);
  }
}

void session_recorder_held(session_recorder *recorder, uint32_t connection, const rnic_occupancy *held,
                           time_ps now)
{
  pass_time(recorder, now);
  retransmission_ledger *ledger = recorder->connections[connection].ledger;
  const occupancy_state *known = occupancy_state_of(recorder->gauge, connection);

  if (ledger) {
    retransmission_ledger_in_order(ledger, held->in_order_edge);
  }
  if (is_held(known, held)) {
    return;
  }
  const occupancy_state state = {.octets = {[HELD_INCOMPLETE] = held->incomplete,
                                            [HELD_UNLOCATED] = held->unlocated,
                                            [HELD_ORDER] = held->order,
                                            [HELD_FRAGMENT] = known->octets[HELD_FRAGMENT],
                                            [HELD_PROCESSING] = held->processing},
                                 .holes = held->holes,
                                 .partial_fpdus = held->partial_fpdus,
                                 .undelivered = held->undelivered};
  recorder->ranges_peak = MAX(recorder->ranges_peak, held->holes);
  recorder->segments_peak = MAX(recorder->segments_peak, held->segments);
  occupancy_update(recorder->gauge, connection, &state, now);
  trace_held(recorder, connection, &state);
  recorder->connections[connection].holds = !is_held(&(occupancy_state){0}, held);
}

bool session_recorder_expects_nothing_held(const session_recorder *recorder, uint32_t connection, time_ps now)
{
  const recorder_connection *of = &recorder->connections[connection];

  return !of->holds &&
         (!of->ledger || (retransmission_ledger_is_settled(of->ledger) && now < recorder->next_at));
}

void session_recorder_fragments(session_recorder *recorder, uint32_t connection, uint64_t octets, time_ps now)
{
  pass_time(recorder, now);
  occupancy_state state = *occupancy_state_of(recorder->gauge, connection);

  if (state.octets[HELD_FRAGMENT] != octets) {
    state.octets[HELD_FRAGMENT] = octets;
    occupancy_update(recorder->gauge, connection, &state, now);
    trace_held(recorder, connection, &state);
  }
}

/* --- Results --- */

uint64_t session_recorder_spurious(const session_recorder *recorder, uint32_t connection)
{
  const retransmission_ledger *ledger = recorder->connections[connection].ledger;

  return ledger ? ledger->spurious : 0;
}

/* Sets the mean delay of the octets that waited, and returns how many they are. */
static double set_mean_delay(const waits *of, metric_id id, metric_values *values)
{
  double octets = 0;
  for (size_t bin = 0; bin < DISTRIBUTION_BINS_MAX; bin++) {
    octets += (double)of->histogram.weights[bin];
  }
  if (octets > 0) {
    metric_values_set(values, id, (double)of->octet_ps / octets / TIME_PS_PER_SECOND);
  }
  return octets;
}

static void finish_delays(const session_recorder *recorder, metric_values *values)
{
  bool is_whole = recorder->config.from.kind == RUN_MOMENT_DEFAULT;
  time_ps begin = is_whole ? recorder->first_payload_arrival : recorder->opened_at;
  time_ps end = time_ps_earlier(recorder->closed_at, recorder->last_delivery);

  set_mean_delay(&recorder->placement, METRIC_DELAY_PLACEMENT_MEAN_S, values);
  double delivered = set_mean_delay(&recorder->delivery, METRIC_DELAY_DELIVERY_MEAN_S, values);
  if (delivered > 0 && end > begin) {
    metric_values_set(values, METRIC_GOODPUT_BIT_PER_S, 8.0 * delivered / time_ps_in_seconds(end - begin));
  }
}

void session_recorder_finish(session_recorder *recorder, time_ps now, metric_values *values)
{
  g_assert(recorder->last_delivery < recorder->next_at);
#define IN_RECORDER(id, name, unit, side, how, type, member, sentence)                                       \
  metric_values_count(values, METRIC_##id, recorder->member);
#include "measure/metrics.def"
  metric_values_set(values, METRIC_PLACEMENT_OCTETS_BUFFERED,
                    (double)(recorder->octets_placed - recorder->octets_direct));
  /* What was written was read, or is still held: the occupancy's octets are added below. */
  metric_values_count(values, METRIC_BUFFER_WRITTEN_OCTETS, recorder->octets_read);
  for (uint32_t i = 0; i < recorder->config.connections; i++) {
    const uint64_t *held = occupancy_state_of(recorder->gauge, i)->octets;

    metric_values_count(values, METRIC_TCP_SPURIOUS_RETRANSMISSIONS, session_recorder_spurious(recorder, i));
    metric_values_count(values, METRIC_BUFFER_WRITTEN_OCTETS,
                        held[HELD_INCOMPLETE] + held[HELD_UNLOCATED] + held[HELD_ORDER]);
  }
  finish_delays(recorder, values);
  occupancy_finish(recorder->gauge, now, values);
  trace_peak(recorder, values);
  /* What fragments of no known connection hold is of none. */
  values->present[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION] &=
      values->value[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION] != recorder->config.unknown;
  values->present[METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS] = values->present[METRIC_BUFFER_TOTAL_PEAK_OCTETS];
}

void session_recorder_results(const session_recorder *recorder, run_results *results)
{
  const session_recorder_config *config = &recorder->config;
  distribution *distributions = results->distributions;
  occupancy_distributions(recorder->gauge, &distributions[DISTRIBUTION_REASSEMBLY_OCTETS],
                          &distributions[DISTRIBUTION_REASSEMBLY_FOUND_OCTETS]);
  value_histogram_export(&recorder->placement.histogram, TIME_PS_PER_SECOND, 1,
                         &distributions[DISTRIBUTION_PLACEMENT_DELAY_S]);
  value_histogram_export(&recorder->delivery.histogram, TIME_PS_PER_SECOND, 1,
                         &distributions[DISTRIBUTION_DELIVERY_DELAY_S]);
  occupancy_results(recorder->gauge, config->quantile_parts, config->quantile_count, results);
}
