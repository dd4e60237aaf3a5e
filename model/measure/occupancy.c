/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/occupancy.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "base/fast_text.h"
#include "base/numbers.h"
#include "measure/run_results.h"
#include "measure/time_distribution.h"

/* A held_cause is its own gauge. */
G_STATIC_ASSERT((int)HELD_INCOMPLETE == (int)GAUGE_INCOMPLETE &&
                (int)HELD_PROCESSING == (int)GAUGE_PROCESSING && (int)HELD_CAUSES == (int)GAUGE_REASSEMBLY);

/* It is what one connection holds. Few connections of many ever hold anything. */
typedef struct connection_occupancy {
  occupancy_state state;
  uint64_t reassembly; /* octets, in whole cells */
  time_ps since;
  uint64_t peak;
  uint32_t connection;
} connection_occupancy;

/* It is of a connection with a series. */
typedef struct series_state {
  uint64_t written[HELD_CAUSES]; /* last */
  bool touched;                  /* in `touched` of the gauge */
} series_state;

/* It is what all connections hold together, from `since` on. */
typedef struct snapshot {
  time_ps since;
  uint64_t values[GAUGE_COUNT];
} snapshot;

/* Peaks count in the first two. */
typedef enum window_stage {
  WINDOW_PEAKS, /* it waits, and peaks count before it */
  WINDOW_OPEN,
  WINDOW_WAITS,
  WINDOW_CLOSED,
} window_stage;

struct occupancy {
  uint32_t connections;
  uint32_t cell_octets;
  connection_occupancy **own; /* one a connection; NULL: it has held nothing so far */
  uint32_t *numbers;          /* of each */
  window_stage window;
  time_ps opened_at; /* TIME_PS_NEVER, as the other two: not so far */
  time_ps closed_at;
  time_ps last_delivery;
  /* snapshots[past] is the present one. Those before it have lasted, each until the next, and are still to be
   * counted: the time in the window up to `counted_to`, a Delivery, is in `times`. What follows the last
   * Delivery never is. So there are as many as changes that a hole keeps from being Delivered: about one for
   * each segment that waits. */
  snapshot *snapshots;
  size_t past;
  size_t room;
  time_ps counted_to;
  time_distribution times[GAUGE_COUNT];
  bool has_processing; /* … has ever been: until then GAUGE_TOTAL is as GAUGE_REASSEMBLY, and has no times */
  uint64_t peaks[GAUGE_COUNT];   /* of snapshots that are not in `times` */
  uint64_t peak_octets;          /* the largest reassembly occupancy that has lasted, if it counts */
  time_ps peak_at;               /* since when it did; TIME_PS_NEVER: there was none above 0 */
  uint32_t peak_connection;      /* … and which held most of it then, the first of them */
  connection_occupancy *fullest; /* that holds most at present, the first of them; NULL: not known */
  block_maxima blocks;           /* of the reassembly occupancy */
  value_histogram found;         /* reassembly occupancies, weighted by the octets that arrived meanwhile */
  uint64_t found_octets;         /* of the present one, to be added to it */
  FILE *series;
  bool all_series;
  uint32_t connection_series;
  series_state *series_states; /* one each */
  uint64_t all_written[HELD_CAUSES];
  GArray *touched; /* of uint64_t: connections with a series that were updated since the last settling */
};

const char *held_cause_name(held_cause cause)
{
  static const char *const names[HELD_CAUSES] = {
      [HELD_INCOMPLETE] = "incomplete", [HELD_UNLOCATED] = "unlocated",   [HELD_ORDER] = "order",
      [HELD_FRAGMENT] = "fragment",     [HELD_PROCESSING] = "processing",
  };
  g_assert((unsigned)cause < HELD_CAUSES);
  return names[cause];
}

occupancy *occupancy_new(uint32_t connections, uint32_t cell_octets)
{
  enum { INITIAL_ROOM = 64 };

  g_assert(cell_octets >= 1);
  occupancy *gauge = g_new0(occupancy, 1);
  gauge->connections = connections;
  gauge->cell_octets = cell_octets;
  gauge->own = g_new0(connection_occupancy *, connections);
  gauge->numbers = g_new(uint32_t, connections);
  for (uint32_t i = 0; i < connections; i++) {
    gauge->numbers[i] = i;
  }
  gauge->peak_at = TIME_PS_NEVER;
  gauge->opened_at = TIME_PS_NEVER;
  gauge->counted_to = TIME_PS_NEVER;
  gauge->closed_at = TIME_PS_NEVER;
  gauge->room = INITIAL_ROOM;
  gauge->snapshots = g_new0(snapshot, gauge->room);
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    time_distribution_init(&gauge->times[id]);
  }
  gauge->touched = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  return gauge;
}

void occupancy_free(occupancy *gauge)
{
  g_array_free(gauge->touched, TRUE);
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    time_distribution_clear(&gauge->times[id]);
  }
  block_maxima_clear(&gauge->blocks);
  g_free(gauge->snapshots);
  g_free(gauge->series_states);
  for (uint32_t i = 0; i < gauge->connections; i++) {
    g_free(gauge->own[i]);
  }
  g_free(gauge->own);
  g_free(gauge->numbers);
  g_free(gauge);
}

void occupancy_set_number(occupancy *gauge, uint32_t connection, uint32_t number)
{
  g_assert(connection < gauge->connections);
  gauge->numbers[connection] = number;
}

uint32_t occupancy_number(const occupancy *gauge, uint32_t connection)
{
  return gauge->numbers[connection];
}

void occupancy_write_series(occupancy *gauge, FILE *file, bool all_series, uint32_t connection_series)
{
  gauge->series = file;
  gauge->all_series = all_series;
  gauge->connection_series = MIN(connection_series, gauge->connections);
  gauge->series_states = g_new0(series_state, gauge->connection_series);
  fputs("time_s,connection,cause,octets\n", file);
}

static uint64_t in_whole_cells(const occupancy *gauge, uint64_t octets)
{
  return gauge->cell_octets == 1
             ? octets
             : (octets + gauge->cell_octets - 1) / gauge->cell_octets * gauge->cell_octets;
}

/* A line of a series is shorter: a time, two names, octets. */
enum { SERIES_LINE_MAX = 128 };

/* Writes the causes of one series that differ from what was last written of it. */
static void write_changes(const occupancy *gauge, const char *name, const uint64_t *octets, uint64_t *written)
{
  const uint64_t since = (uint64_t)gauge->snapshots[gauge->past].since;

  for (int cause = 0; cause < HELD_CAUSES; cause++) {
    if (octets[cause] == written[cause]) {
      continue;
    }
    const char *cause_name = held_cause_name((held_cause)cause);
    char line[SERIES_LINE_MAX], *at = fast_text_digits(line, since / TIME_PS_PER_SECOND, 1);
    at = fast_text_digits(fast_text_put(at, ".", 1), since % TIME_PS_PER_SECOND, 12);
    at = fast_text_put(fast_text_put(at, ",", 1), name, strlen(name));
    at = fast_text_put(fast_text_put(at, ",", 1), cause_name, strlen(cause_name));
    at = fast_text_digits(fast_text_put(at, ",", 1), octets[cause], 1);
    fwrite_unlocked(line, 1, (size_t)(fast_text_put(at, "\n", 1) - line), gauge->series);
    written[cause] = octets[cause];
  }
}

static void write_series(occupancy *gauge)
{
  if (gauge->all_series) {
    write_changes(gauge, "all", gauge->snapshots[gauge->past].values, gauge->all_written);
  }
  g_array_sort(gauge->touched, compare_numbers);
  for (guint i = 0; i < gauge->touched->len; i++) {
    uint64_t connection = g_array_index(gauge->touched, uint64_t, i);
    series_state *series = &gauge->series_states[connection];
    uint64_t octets[HELD_CAUSES];
    char name[sizeof "4294967295"];
    for (int cause = 0; cause < HELD_CAUSES; cause++) {
      octets[cause] = in_whole_cells(gauge, gauge->own[connection]->state.octets[cause]);
    }
    snprintf(name, sizeof name, "%" PRIu32, gauge->numbers[connection]);
    write_changes(gauge, name, octets, series->written);
    series->touched = false;
  }
  g_array_set_size(gauge->touched, 0);
}

/* --- Over time --- */

static inline bool counts_peaks(const occupancy *gauge)
{
  return gauge->window <= WINDOW_OPEN;
}

/* The snapshots and the present one, if it counts, are the largest so far. */
static void count_peaks(occupancy *gauge, bool with_present)
{
  for (size_t i = 0; i < gauge->past + with_present; i++) {
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      gauge->peaks[id] = MAX(gauge->peaks[id], gauge->snapshots[i].values[id]);
    }
  }
}

/* Counts the first `count` snapshots, up to `end`, for one gauge. Time at 0 is what is left at the end. */
static void count_gauge(occupancy *gauge, gauge_id id, size_t count, time_ps end)
{
  const snapshot *snapshots = gauge->snapshots;
  uint64_t value = snapshots[0].values[id];
  time_ps since = gauge->counted_to;
  for (size_t i = 1; i <= count; i++) {
    if (i < count && snapshots[i].values[id] == value) {
      continue;
    }
    const time_ps until = i < count ? snapshots[i].since : end;
    if (value > 0) {
      time_distribution_add(&gauge->times[id], value, until - since, false);
    }
    value = snapshots[i].values[id];
    since = until;
  }
}

/* Does the same for GAUGE_REASSEMBLY, which is asked about recovery, too: while a hole is open. */
static void count_reassembly(occupancy *gauge, size_t count, time_ps end)
{
  time_ps since = gauge->counted_to;
  for (size_t i = 0; i < count; i++) {
    const uint64_t *values = gauge->snapshots[i].values;
    const time_ps until = i + 1 < count ? gauge->snapshots[i + 1].since : end;
    block_maxima_count(&gauge->blocks, values[GAUGE_REASSEMBLY]);
    time_distribution_add(&gauge->times[GAUGE_REASSEMBLY], values[GAUGE_REASSEMBLY], until - since,
                          values[GAUGE_HOLES] > 0);
    since = until;
  }
}

/* Does the same for all gauges. Most are always 0. */
static void count_gauges(occupancy *gauge, size_t count, time_ps end)
{
  uint64_t any[GAUGE_COUNT] = {0};
  for (size_t i = 0; i < count; i++) {
    const uint64_t *values = gauge->snapshots[i].values;
    time_distribution_expect(&gauge->times[GAUGE_REASSEMBLY], values[GAUGE_REASSEMBLY]);
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      any[id] |= values[id];
    }
  }
  if (any[GAUGE_PROCESSING] > 0 && !gauge->has_processing) {
    gauge->has_processing = true;
    time_distribution_copy(&gauge->times[GAUGE_TOTAL], &gauge->times[GAUGE_REASSEMBLY]);
  }
  if ((any[GAUGE_REASSEMBLY] | any[GAUGE_HOLES]) != 0) {
    count_reassembly(gauge, count, end);
  }
  any[GAUGE_REASSEMBLY] = 0;
  any[GAUGE_TOTAL] *= gauge->has_processing;
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    if (any[id] > 0) {
      count_gauge(gauge, id, count, end);
    }
  }
}

/* Counts what has passed up to the last Delivery in the window, and forgets the snapshots that ended by then.
 */
static void count_past(occupancy *gauge)
{
  snapshot *snapshots = gauge->snapshots;
  const time_ps end = time_ps_earlier(gauge->last_delivery, gauge->closed_at);
  size_t whole = 0;
  if (gauge->window == WINDOW_PEAKS) {
    count_peaks(gauge, false);
    whole = gauge->past;
  } else if (end > gauge->counted_to) {
    while (whole < gauge->past && snapshots[whole + 1].since <= end) {
      whole++;
    }
    count_gauges(gauge, whole + (snapshots[whole].since < end), end);
    gauge->counted_to = end;
  }
  gauge->past -= whole;
  memmove(snapshots, &snapshots[whole], (gauge->past + 1) * sizeof *snapshots);
}

static G_GNUC_NO_INLINE void make_room(occupancy *gauge)
{
  count_past(gauge);
  if (gauge->past > gauge->room / 2) {
    gauge->room *= 2;
    gauge->snapshots = g_renew(snapshot, gauge->snapshots, gauge->room);
  }
}

/* The present snapshot is the largest so far. */
static G_GNUC_NO_INLINE void note_peak(occupancy *gauge)
{
  const snapshot *present = &gauge->snapshots[gauge->past];
  for (uint32_t i = 0, searches = !gauge->fullest; searches && i < gauge->connections; i++) {
    const connection_occupancy *fullest = gauge->fullest;
    if (gauge->own[i] && (!fullest || gauge->own[i]->reassembly > fullest->reassembly)) {
      gauge->fullest = gauge->own[i];
    }
  }
  g_assert(gauge->fullest); /* what is held is held by one of them */
  gauge->peak_octets = present->values[GAUGE_REASSEMBLY];
  gauge->peak_at = present->since;
  gauge->peak_connection = gauge->numbers[gauge->fullest->connection];
}

/* The present snapshot has lasted until `now`, unless it is of `now`. */
static void pass_time(occupancy *gauge, time_ps now)
{
  snapshot *present = &gauge->snapshots[gauge->past];
  g_assert(now >= present->since);
  if (now == present->since) {
    return;
  }
  if (gauge->series) {
    write_series(gauge);
  }
  if (counts_peaks(gauge)) {
    if (present->values[GAUGE_REASSEMBLY] > gauge->peak_octets) {
      note_peak(gauge);
    }
    present[1] = present[0];
    present++;
    gauge->past++;
  }
  present->since = now;
  if (gauge->past + 1 == gauge->room) {
    make_room(gauge);
  }
}

/* What arrived until now found the present occupancy. */
static void count_found(occupancy *gauge)
{
  if (gauge->window == WINDOW_OPEN && gauge->found_octets > 0) {
    value_histogram_add(&gauge->found, gauge->snapshots[gauge->past].values[GAUGE_REASSEMBLY],
                        gauge->found_octets);
  }
  gauge->found_octets = 0;
}

void occupancy_arrive(occupancy *gauge, uint64_t octets)
{
  gauge->found_octets += octets;
}

/* --- What is held --- */

const occupancy_state *occupancy_state_of(const occupancy *gauge, uint32_t connection)
{
  g_assert(connection < gauge->connections);
  static const occupancy_state nothing;
  return gauge->own[connection] ? &gauge->own[connection]->state : &nothing;
}

/* What `own` holds has lasted until `now`. */
static inline void count_own(const occupancy *gauge, connection_occupancy *own, time_ps now)
{
  if (now > own->since && own->reassembly > own->peak && counts_peaks(gauge)) {
    own->peak = own->reassembly;
  }
  own->since = now;
}

/* What `own` holds has changed by `change`: another connection may hold most now. */
static void find_fullest(occupancy *gauge, connection_occupancy *own, uint64_t change)
{
  const connection_occupancy *fullest = gauge->fullest;
  if (own == fullest) {
    gauge->fullest = (int64_t)change > 0 ? own : NULL;
  } else if (fullest && (own->reassembly > fullest->reassembly ||
                         (own->reassembly == fullest->reassembly && own->connection < fullest->connection))) {
    gauge->fullest = own;
  }
}

static void count_all_own(occupancy *gauge, time_ps now)
{
  for (uint32_t i = 0; i < gauge->connections; i++) {
    if (gauge->own[i]) {
      count_own(gauge, gauge->own[i], now);
    }
  }
}

void occupancy_update(occupancy *gauge, uint32_t connection, const occupancy_state *state, time_ps now)
{
  g_assert(connection < gauge->connections);
  if (!gauge->own[connection]) {
    gauge->own[connection] = g_new0(connection_occupancy, 1);
    gauge->own[connection]->connection = connection;
  }
  connection_occupancy *own = gauge->own[connection];
  occupancy_state *held = &own->state;
  count_found(gauge);
  count_own(gauge, own, now);
  pass_time(gauge, now);
  if (connection < gauge->connection_series && !gauge->series_states[connection].touched) {
    const uint64_t touched = connection;
    gauge->series_states[connection].touched = true;
    g_array_append_val(gauge->touched, touched);
  }
  uint64_t *values = gauge->snapshots[gauge->past].values;
  uint64_t reassembly = 0;
  for (int cause = 0; cause < HELD_CAUSES; cause++) {
    if (state->octets[cause] == held->octets[cause]) {
      continue;
    }
    uint64_t change =
        in_whole_cells(gauge, state->octets[cause]) - in_whole_cells(gauge, held->octets[cause]);
    values[cause] += change;
    reassembly += cause == HELD_PROCESSING ? 0 : change;
  }
  if (reassembly != 0) {
    own->reassembly += reassembly;
    find_fullest(gauge, own, reassembly);
  }
  values[GAUGE_REASSEMBLY] += reassembly;
  values[GAUGE_TOTAL] = values[GAUGE_REASSEMBLY] + values[GAUGE_PROCESSING];
  values[GAUGE_HOLES] += (uint64_t)state->holes - held->holes;
  values[GAUGE_PARTIAL_FPDUS] += (uint64_t)state->partial_fpdus - held->partial_fpdus;
  values[GAUGE_UNDELIVERED] += (uint64_t)state->undelivered - held->undelivered;
  *held = *state;
}

/* --- The window that is measured --- */

void occupancy_wait(occupancy *gauge)
{
  gauge->window = WINDOW_WAITS;
}

void occupancy_start(occupancy *gauge, time_ps now)
{
  count_found(gauge);
  count_all_own(gauge, now);
  pass_time(gauge, now);
  count_past(gauge);
  gauge->window = WINDOW_OPEN;
  gauge->opened_at = now;
  gauge->counted_to = now;
}

static G_GNUC_NO_INLINE void end_block(occupancy *gauge)
{
  pass_time(gauge, gauge->last_delivery);
  count_past(gauge);
  block_maxima_end(&gauge->blocks);
}

void occupancy_deliver(occupancy *gauge, uint64_t octets, time_ps now)
{
  gauge->last_delivery = now;
  if (gauge->window == WINDOW_OPEN && block_maxima_deliver(&gauge->blocks, octets)) {
    end_block(gauge);
  }
}

void occupancy_close(occupancy *gauge, time_ps now)
{
  if (gauge->window == WINDOW_OPEN) {
    count_found(gauge);
    count_all_own(gauge, now);
    pass_time(gauge, now);
    gauge->window = WINDOW_CLOSED;
    gauge->closed_at = now;
  }
}

time_ps occupancy_peak_at(const occupancy *gauge)
{
  return gauge->peak_at;
}

void occupancy_finish(occupancy *gauge, time_ps now, metric_values *values)
{
  static const uint32_t p99 = QUANTILE_PARTS / 100 * 99;
  const time_distribution *reassembly = &gauge->times[GAUGE_REASSEMBLY];
  const bool has_peaks = gauge->window != WINDOW_WAITS;
  const bool is_open = counts_peaks(gauge);

  g_assert(now >= gauge->snapshots[gauge->past].since);
  if (gauge->series) {
    write_series(gauge);
  }
  count_found(gauge);
  count_past(gauge);
  count_peaks(gauge, is_open);
  if (is_open && gauge->snapshots[gauge->past].values[GAUGE_REASSEMBLY] > gauge->peak_octets) {
    note_peak(gauge);
  }
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    time_distribution *times = &gauge->times[id];
    if (id == GAUGE_TOTAL && !gauge->has_processing) {
      time_distribution_copy(times, reassembly);
    } else {
      time_distribution_end(times, gauge->counted_to - gauge->opened_at);
    }
    const uint64_t largest = times->count > 0 ? times->table[times->count - 1].value : 0;
    if (has_peaks) {
      metric_values_set(values, gauge_row_of(id)->peak, (double)MAX(gauge->peaks[id], largest));
    }
  }
  if (has_peaks) {
    uint64_t own_peaks = 0;
    for (uint32_t i = 0; i < gauge->connections; i++) {
      const connection_occupancy *own = gauge->own[i];
      own_peaks += !own ? 0 : is_open ? MAX(own->peak, own->reassembly) : own->peak;
    }
    metric_values_set(values, METRIC_BUFFER_CONNECTION_PEAKS_OCTETS, (double)own_peaks);
  }
  if (gauge->peak_at != TIME_PS_NEVER) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_PEAK_AT_S, time_ps_in_seconds(gauge->peak_at));
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION, gauge->peak_connection);
  }
  double value;
  if (time_distribution_quantiles(reassembly, TIME_ALL, &p99, 1, &value)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, value);
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, time_distribution_mean(reassembly));
  }
  if (time_distribution_quantiles(reassembly, TIME_IN_RECOVERY, &p99, 1, &value)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, value);
  }
}

void occupancy_results(const occupancy *gauge, const uint32_t *parts, size_t count, run_results *results)
{
  gauge_quantiles *of = &results->quantiles;

  if (gauge->counted_to > gauge->opened_at) {
    of->count = count;
    memcpy(of->parts, parts, count * sizeof *parts);
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      time_distribution_quantiles(&gauge->times[id], TIME_ALL, parts, count, of->values[id]);
    }
  }
  if (gauge->blocks.values && gauge->blocks.values->len > 0) {
    results->block_octets = gauge->blocks.block_octets;
    results->block_maxima = g_array_ref(gauge->blocks.values);
  }
}

void occupancy_distributions(const occupancy *gauge, distribution *over_time, distribution *found)
{
  const time_distribution *times = &gauge->times[GAUGE_REASSEMBLY];
  value_histogram histogram = {.weights = {0}};
  for (size_t i = 0; i < times->count; i++) {
    value_histogram_add(&histogram, times->table[i].value, (uint64_t)times->table[i].time[TIME_ALL]);
  }
  value_histogram_export(&histogram, 1, TIME_PS_PER_SECOND, over_time);
  value_histogram_export(&gauge->found, 1, 1, found);
}
