/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/occupancy.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "measure/block_maxima.h"
#include "measure/time_distribution.h"

/* A held_cause is its own gauge. */
G_STATIC_ASSERT((int)HELD_INCOMPLETE == (int)GAUGE_INCOMPLETE &&
                (int)HELD_PROCESSING == (int)GAUGE_PROCESSING && (int)HELD_CAUSES == (int)GAUGE_REASSEMBLY);

/* What was last written of a connection's series. */
typedef struct written_series {
  uint64_t octets[HELD_CAUSES];
  bool touched; /* in `touched` of the gauge */
} written_series;

/* The reassembly occupancy of one connection. */
typedef struct own_occupancy {
  uint64_t octets;
  time_ps since;
  uint64_t peak;
} own_occupancy;

struct occupancy {
  uint32_t connections;
  uint32_t cell_octets;
  occupancy_state *states;    /* one a connection */
  own_occupancy *own;         /* likewise */
  uint64_t sums[GAUGE_COUNT]; /* over the connections */
  uint64_t peaks[GAUGE_COUNT];
  uint32_t connections_with_holes;
  time_ps changed_at; /* of the last update; its values are counted (peaks, series) once time has passed */
  bool counted;
  bool counts_peaks;   /* those of now … */
  bool has_peaks;      /* … or of any time */
  bool counts_time;    /* the window is open */
  time_ps closed_at;   /* TIME_PS_NEVER: it was not, or what is Delivered after it has marked its end */
  block_maxima blocks; /* of the reassembly occupancy */
  time_ps marked;      /* the last Delivery in the window, or where it closed */
  time_distribution *reassembly; /* NULL, as all of them, until the window opens */
  time_distribution *reassembly_in_recovery;
  /* The other gauges' own; NULL: so far the gauge was like `reassembly` or always 0. Most are, so they cost
   * next to nothing. */
  time_distribution *others[GAUGE_COUNT];
  time_distribution *all[GAUGE_COUNT + 2]; /* of these, those there are */
  uint32_t all_count;
  FILE *series;
  bool all_series;
  uint32_t connection_series;
  uint64_t all_written[HELD_CAUSES];
  written_series *written; /* one a connection with a series */
  GArray *touched; /* of uint32_t: connections with a series that were updated since the last settling */
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
  g_assert(cell_octets >= 1);
  occupancy *gauge = g_new0(occupancy, 1);
  gauge->connections = connections;
  gauge->cell_octets = cell_octets;
  gauge->states = g_new0(occupancy_state, connections);
  gauge->own = g_new0(own_occupancy, connections);
  gauge->counted = true;
  gauge->counts_peaks = true;
  gauge->has_peaks = true;
  gauge->closed_at = TIME_PS_NEVER;
  gauge->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  return gauge;
}

void occupancy_free(occupancy *gauge)
{
  g_array_free(gauge->touched, TRUE);
  for (uint32_t i = 0; i < gauge->all_count; i++) {
    time_distribution_free(gauge->all[i]);
  }
  block_maxima_clear(&gauge->blocks);
  g_free(gauge->written);
  g_free(gauge->own);
  g_free(gauge->states);
  g_free(gauge);
}

void occupancy_write_series(occupancy *gauge, FILE *file, bool all_series, uint32_t connection_series)
{
  gauge->series = file;
  gauge->all_series = all_series;
  gauge->connection_series = MIN(connection_series, gauge->connections);
  gauge->written = g_new0(written_series, gauge->connection_series);
  fputs("time_s,connection,cause,octets\n", file);
}

static uint64_t in_whole_cells(const occupancy *gauge, uint64_t octets)
{
  return gauge->cell_octets == 1
             ? octets
             : (octets + gauge->cell_octets - 1) / gauge->cell_octets * gauge->cell_octets;
}

/* By how much (modulo 2^64) a connection that goes from `before` to `after` changes the sums; false: by
 * nothing. */
static bool changes_of(const occupancy *gauge, const occupancy_state *before, const occupancy_state *after,
                       uint64_t changes[GAUGE_COUNT])
{
  uint64_t total = 0;
  uint64_t any = 0;
  for (int cause = 0; cause < HELD_CAUSES; cause++) {
    changes[cause] =
        in_whole_cells(gauge, after->octets[cause]) - in_whole_cells(gauge, before->octets[cause]);
    total += changes[cause];
    any |= changes[cause];
  }
  changes[GAUGE_REASSEMBLY] = total - changes[GAUGE_PROCESSING];
  changes[GAUGE_TOTAL] = total;
  changes[GAUGE_HOLES] = (uint64_t)after->holes - before->holes;
  changes[GAUGE_PARTIAL_FPDUS] = (uint64_t)after->partial_fpdus - before->partial_fpdus;
  changes[GAUGE_UNDELIVERED] = (uint64_t)after->undelivered - before->undelivered;
  return (any | changes[GAUGE_HOLES] | changes[GAUGE_PARTIAL_FPDUS] | changes[GAUGE_UNDELIVERED]) != 0;
}

/* Writes the causes of one series that differ from what was last written of it. */
static void write_changes(const occupancy *gauge, const char *name, const uint64_t *octets, uint64_t *written)
{
  for (int cause = 0; cause < HELD_CAUSES; cause++) {
    if (octets[cause] == written[cause]) {
      continue;
    }
    fprintf(gauge->series, "%" PRId64 ".%012" PRId64 ",%s,%s,%" PRIu64 "\n",
            gauge->changed_at / TIME_PS_PER_SECOND, gauge->changed_at % TIME_PS_PER_SECOND, name,
            held_cause_name((held_cause)cause), octets[cause]);
    written[cause] = octets[cause];
  }
}

static int compare_connections(const void *a, const void *b)
{
  uint32_t left = *(const uint32_t *)a;
  uint32_t right = *(const uint32_t *)b;
  return (left > right) - (left < right);
}

static void write_series(occupancy *gauge)
{
  if (gauge->all_series) {
    write_changes(gauge, "all", gauge->sums, gauge->all_written);
  }
  g_array_sort(gauge->touched, compare_connections);
  for (guint i = 0; i < gauge->touched->len; i++) {
    uint32_t connection = g_array_index(gauge->touched, uint32_t, i);
    uint64_t octets[HELD_CAUSES];
    char name[sizeof "4294967295"];
    for (int cause = 0; cause < HELD_CAUSES; cause++) {
      octets[cause] = in_whole_cells(gauge, gauge->states[connection].octets[cause]);
    }
    snprintf(name, sizeof name, "%" PRIu32, connection);
    write_changes(gauge, name, octets, gauge->written[connection].octets);
    gauge->written[connection].touched = false;
  }
  g_array_set_size(gauge->touched, 0);
}

/* The present values have lasted: they count for the peaks and the series. */
static void count_lasting(occupancy *gauge)
{
  if (gauge->counted) {
    return;
  }
  gauge->counted = true;
  if (gauge->counts_peaks) {
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      gauge->peaks[id] = MAX(gauge->peaks[id], gauge->sums[id]);
    }
    block_maxima_count(&gauge->blocks, gauge->sums[GAUGE_REASSEMBLY]);
  }
  if (gauge->series) {
    write_series(gauge);
  }
}

static void touch(occupancy *gauge, uint32_t connection, time_ps now)
{
  g_assert(now >= gauge->changed_at);
  if (now > gauge->changed_at) {
    count_lasting(gauge);
  }
  gauge->changed_at = now;
  gauge->counted = false;
  if (connection < gauge->connection_series && !gauge->written[connection].touched) {
    gauge->written[connection].touched = true;
    g_array_append_val(gauge->touched, connection);
  }
}

const occupancy_state *occupancy_state_of(const occupancy *gauge, uint32_t connection)
{
  g_assert(connection < gauge->connections);
  return &gauge->states[connection];
}

uint64_t occupancy_reassembly(const occupancy *gauge)
{
  return gauge->sums[GAUGE_REASSEMBLY];
}

/* Whether a gauge without a time distribution of its own is like the reassembly occupancy, as the total is
 * until something waits out the placement latency; else it was always 0. */
static inline bool is_like_reassembly(gauge_id id)
{
  return id == GAUGE_REASSEMBLY || id == GAUGE_TOTAL;
}

static time_distribution *keep(occupancy *gauge, time_distribution *function)
{
  gauge->all[gauge->all_count++] = function;
  return function;
}

/* The gauge `id` has changed, `reassembly` not yet. */
static G_GNUC_NO_INLINE void leave_others(occupancy *gauge, gauge_id id, time_ps now)
{
  time_distribution_mark(gauge->reassembly, gauge->marked);
  gauge->others[id] = keep(gauge, is_like_reassembly(id) ? time_distribution_copy(gauge->reassembly)
                                                         : time_distribution_copy_as_zero(gauge->reassembly));
  time_distribution_set(gauge->others[id], now, gauge->sums[id]);
}

/* Marks are late: a Delivery changes most functions by nothing else. */
static void set_function(const occupancy *gauge, time_distribution *function, time_ps now, uint64_t value)
{
  time_distribution_mark(function, gauge->marked);
  time_distribution_set(function, now, value);
}

static void set_over_time(occupancy *gauge, const uint64_t changes[GAUGE_COUNT], time_ps now)
{
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    uint64_t like = is_like_reassembly(id) ? gauge->sums[GAUGE_REASSEMBLY] : 0;

    if (gauge->others[id]) {
      if (changes[id] != 0) {
        set_function(gauge, gauge->others[id], now, gauge->sums[id]);
      }
    } else if (gauge->sums[id] != like) {
      leave_others(gauge, id, now);
    }
  }
  if (changes[GAUGE_REASSEMBLY] != 0) {
    set_function(gauge, gauge->reassembly, now, gauge->sums[GAUGE_REASSEMBLY]);
    set_function(gauge, gauge->reassembly_in_recovery, now, gauge->sums[GAUGE_REASSEMBLY]);
  }
}

/* `own` has lasted until `now`. */
static inline void count_own(const occupancy *gauge, own_occupancy *own, time_ps now)
{
  if (gauge->counts_peaks && now > own->since && own->octets > own->peak) {
    own->peak = own->octets;
  }
  own->since = now;
}

static void count_all_own(occupancy *gauge, time_ps now)
{
  for (uint32_t i = 0; i < gauge->connections; i++) {
    count_own(gauge, &gauge->own[i], now);
  }
}

void occupancy_update(occupancy *gauge, uint32_t connection, const occupancy_state *state, time_ps now)
{
  g_assert(connection < gauge->connections);
  occupancy_state *held = &gauge->states[connection];
  uint64_t changes[GAUGE_COUNT];
  if (!changes_of(gauge, held, state, changes)) {
    *held = *state; /* within the same cells */
    return;
  }
  touch(gauge, connection, now);
  count_own(gauge, &gauge->own[connection], now);
  gauge->own[connection].octets += changes[GAUGE_REASSEMBLY];

  uint32_t had_holes = gauge->connections_with_holes;
  gauge->connections_with_holes += (state->holes > 0);
  gauge->connections_with_holes -= (held->holes > 0);
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    gauge->sums[id] += changes[id];
  }
  *held = *state;
  if (!gauge->counts_time) {
    return;
  }
  set_over_time(gauge, changes, now);
  if (had_holes == 0 && gauge->connections_with_holes > 0) {
    time_distribution_mark(gauge->reassembly_in_recovery, gauge->marked);
    time_distribution_resume(gauge->reassembly_in_recovery, now);
  } else if (had_holes > 0 && gauge->connections_with_holes == 0) {
    time_distribution_mark(gauge->reassembly_in_recovery, gauge->marked);
    time_distribution_pause(gauge->reassembly_in_recovery, now);
  }
}

/* --- The window that is measured --- */

/* What was held before `now` counts as what it was until then, and what is held then anew. */
static void split_time(occupancy *gauge, time_ps now)
{
  if (now > gauge->changed_at) {
    count_lasting(gauge);
  }
  gauge->changed_at = now;
  gauge->counted = false;
}

void occupancy_wait(occupancy *gauge)
{
  gauge->counts_peaks = false;
  gauge->has_peaks = false;
}

/* A function that starts at `now` with `value`. */
static time_distribution *started(occupancy *gauge, uint64_t value, time_ps now)
{
  time_distribution *function = time_distribution_new();
  time_distribution_set(function, now, value);
  time_distribution_start(function, now);
  return keep(gauge, function);
}

void occupancy_start(occupancy *gauge, time_ps now)
{
  const uint64_t held = gauge->sums[GAUGE_REASSEMBLY];

  split_time(gauge, now);
  count_all_own(gauge, now);
  gauge->counts_peaks = true;
  gauge->has_peaks = true;
  gauge->counts_time = true;
  gauge->marked = now;
  block_maxima_clear(&gauge->blocks);
  gauge->reassembly = started(gauge, held, now);
  gauge->reassembly_in_recovery = started(gauge, held, now);
  if (gauge->connections_with_holes == 0) {
    time_distribution_pause(gauge->reassembly_in_recovery, now);
  }
  for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
    if (gauge->sums[id] != (is_like_reassembly(id) ? held : 0)) {
      gauge->others[id] = started(gauge, gauge->sums[id], now);
    }
  }
}

void occupancy_deliver(occupancy *gauge, uint64_t octets, time_ps now)
{
  if (gauge->closed_at != TIME_PS_NEVER) {
    gauge->marked = gauge->closed_at;
    gauge->closed_at = TIME_PS_NEVER;
  }
  if (!gauge->counts_time) {
    return;
  }
  gauge->marked = now;
  if (block_maxima_deliver(&gauge->blocks, octets)) {
    split_time(gauge, now);
    block_maxima_end(&gauge->blocks);
  }
}

void occupancy_close(occupancy *gauge, time_ps now)
{
  if (gauge->counts_time) {
    split_time(gauge, now);
    count_all_own(gauge, now);
    gauge->closed_at = now;
  }
  gauge->counts_peaks = false;
  gauge->counts_time = false;
}

void occupancy_finish(occupancy *gauge, time_ps now, metric_values *values)
{
  static const uint32_t p99 = QUANTILE_PARTS / 100 * 99;

  g_assert(now >= gauge->changed_at);
  count_lasting(gauge);
  if (gauge->has_peaks) {
    uint64_t own_peaks = 0;
    for (uint32_t i = 0; i < gauge->connections; i++) {
      const own_occupancy *own = &gauge->own[i];
      own_peaks += gauge->counts_peaks ? MAX(own->peak, own->octets) : own->peak;
    }
    metric_values_set(values, METRIC_BUFFER_CONNECTION_PEAKS_OCTETS, (double)own_peaks);
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      metric_values_set(values, gauge_row_of(id)->peak, (double)gauge->peaks[id]);
    }
  }
  if (!gauge->reassembly) {
    return;
  }
  for (uint32_t i = 0; i < gauge->all_count; i++) {
    time_distribution_mark(gauge->all[i], gauge->marked);
  }
  double value;
  if (time_distribution_mean(gauge->reassembly, &value)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, value);
  }
  if (time_distribution_quantiles(gauge->reassembly, &p99, 1, &value)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, value);
  }
  if (time_distribution_quantiles(gauge->reassembly_in_recovery, &p99, 1, &value)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, value);
  }
}

void occupancy_results(const occupancy *gauge, const uint32_t *parts, size_t count, run_results *results)
{
  gauge_quantiles *of = &results->quantiles;

  if (gauge->reassembly && time_distribution_quantiles(gauge->reassembly, parts, count, of->values[0])) {
    of->count = count;
    memcpy(of->parts, parts, count * sizeof *parts);
    for (gauge_id id = 0; id < GAUGE_COUNT; id++) {
      time_distribution *own = gauge->others[id];
      memset(of->values[id], 0, sizeof of->values[id]);
      if (own || is_like_reassembly(id)) {
        time_distribution_quantiles(own ? own : gauge->reassembly, parts, count, of->values[id]);
      }
    }
  }
  if (gauge->blocks.values && gauge->blocks.values->len > 0) {
    results->block_octets = gauge->blocks.block_octets;
    results->block_maxima = g_array_ref(gauge->blocks.values);
  }
}

void occupancy_distribution(const occupancy *gauge, distribution *d)
{
  value_histogram histogram = {.weights = {0}};
  if (gauge->reassembly) {
    time_distribution_add_to(gauge->reassembly, &histogram);
  }
  value_histogram_export(&histogram, 1, TIME_PS_PER_SECOND, d);
}
