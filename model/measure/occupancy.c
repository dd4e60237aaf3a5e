/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/occupancy.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "measure/time_distribution.h"

/* What is summed over the connections and has a peak. The causes come first, so that a held_cause is its own
 * sum. */
enum { SUM_REASSEMBLY = HELD_CAUSES, SUM_TOTAL, SUM_HOLES, SUM_PARTIAL_FPDUS, SUM_UNDELIVERED, SUMS };

static const metric_id peak_metrics[SUMS] = {
#define IN_OCCUPANCY(id, name, unit, side, sum, sentence) [sum] = METRIC_##id,
#include "measure/metrics.def"
};

/* What was last written of a connection's series. */
typedef struct written_series {
  uint64_t octets[HELD_CAUSES];
  bool touched; /* in `touched` of the gauge */
} written_series;

struct occupancy {
  uint32_t connections;
  uint32_t cell_octets;
  occupancy_state *states; /* one a connection */
  uint64_t sums[SUMS];     /* over the connections */
  uint64_t peaks[SUMS];
  uint32_t connections_with_holes;
  time_ps changed_at; /* of the last update; its values are counted (peaks, series) once time has passed */
  bool counted;
  bool started;
  time_distribution *reassembly;
  time_distribution *reassembly_in_recovery;
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
  gauge->counted = true;
  gauge->reassembly = time_distribution_new();
  gauge->reassembly_in_recovery = time_distribution_new();
  time_distribution_pause(gauge->reassembly_in_recovery, 0);
  gauge->touched = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  return gauge;
}

void occupancy_free(occupancy *gauge)
{
  g_array_free(gauge->touched, TRUE);
  time_distribution_free(gauge->reassembly_in_recovery);
  time_distribution_free(gauge->reassembly);
  g_free(gauge->written);
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
                       uint64_t changes[SUMS])
{
  uint64_t total = 0;
  uint64_t any = 0;
  for (int cause = 0; cause < HELD_CAUSES; cause++) {
    changes[cause] =
        in_whole_cells(gauge, after->octets[cause]) - in_whole_cells(gauge, before->octets[cause]);
    total += changes[cause];
    any |= changes[cause];
  }
  changes[SUM_REASSEMBLY] = total - changes[HELD_PROCESSING];
  changes[SUM_TOTAL] = total;
  changes[SUM_HOLES] = (uint64_t)after->holes - before->holes;
  changes[SUM_PARTIAL_FPDUS] = (uint64_t)after->partial_fpdus - before->partial_fpdus;
  changes[SUM_UNDELIVERED] = (uint64_t)after->undelivered - before->undelivered;
  return (any | changes[SUM_HOLES] | changes[SUM_PARTIAL_FPDUS] | changes[SUM_UNDELIVERED]) != 0;
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
  for (int sum = 0; sum < SUMS; sum++) {
    gauge->peaks[sum] = MAX(gauge->peaks[sum], gauge->sums[sum]);
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

void occupancy_update(occupancy *gauge, uint32_t connection, const occupancy_state *state, time_ps now)
{
  g_assert(connection < gauge->connections);
  occupancy_state *held = &gauge->states[connection];
  uint64_t changes[SUMS];
  if (!changes_of(gauge, held, state, changes)) {
    *held = *state; /* within the same cells */
    return;
  }
  touch(gauge, connection, now);

  uint32_t had_holes = gauge->connections_with_holes;
  gauge->connections_with_holes += (state->holes > 0);
  gauge->connections_with_holes -= (held->holes > 0);
  for (int sum = 0; sum < SUMS; sum++) {
    gauge->sums[sum] += changes[sum];
  }
  *held = *state;
  time_distribution_set(gauge->reassembly, now, gauge->sums[SUM_REASSEMBLY]);
  time_distribution_set(gauge->reassembly_in_recovery, now, gauge->sums[SUM_REASSEMBLY]);
  if (had_holes == 0 && gauge->connections_with_holes > 0) {
    time_distribution_resume(gauge->reassembly_in_recovery, now);
  } else if (had_holes > 0 && gauge->connections_with_holes == 0) {
    time_distribution_pause(gauge->reassembly_in_recovery, now);
  }
}

void occupancy_start(occupancy *gauge, time_ps now)
{
  gauge->started = true;
  time_distribution_start(gauge->reassembly, now);
  time_distribution_start(gauge->reassembly_in_recovery, now);
}

void occupancy_mark_delivery(occupancy *gauge, time_ps now)
{
  if (!gauge->started) {
    return;
  }
  time_distribution_mark(gauge->reassembly, now);
  time_distribution_mark(gauge->reassembly_in_recovery, now);
}

void occupancy_finish(occupancy *gauge, time_ps now, metric_values *values)
{
  g_assert(now >= gauge->changed_at);
  count_lasting(gauge);
  for (int sum = 0; sum < SUMS; sum++) {
    metric_values_set(values, peak_metrics[sum], (double)gauge->peaks[sum]);
  }
  double mean;
  if (time_distribution_mean(gauge->reassembly, &mean)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS, mean);
  }
  uint64_t octets;
  if (time_distribution_quantile(gauge->reassembly, 99, &octets)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS, (double)octets);
  }
  if (time_distribution_quantile(gauge->reassembly_in_recovery, 99, &octets)) {
    metric_values_set(values, METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY, (double)octets);
  }
}

void occupancy_distribution(const occupancy *gauge, distribution *d)
{
  value_histogram histogram = {.weights = {0}};
  time_distribution_add_to(gauge->reassembly, &histogram);
  value_histogram_export(&histogram, 1, TIME_PS_PER_SECOND, d);
}
