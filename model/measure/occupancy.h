/* SPDX-License-Identifier: GPL-2.0-only */
/* The reassembly occupancy of one RNIC: what every connection holds, by cause, over time (docs/metrics.md,
 * "Held octets"). Feeds the metrics about buffers and state listed at occupancy_finish(), and the series for
 * occupancy.csv. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/time_ps.h"
#include "measure/run_results.h"

typedef struct occupancy occupancy;

typedef enum held_cause {
  HELD_INCOMPLETE,
  HELD_UNLOCATED,
  HELD_ORDER,
  HELD_FRAGMENT,
  HELD_PROCESSING, /* not part of the reassembly occupancy; the causes before it are */
  HELD_CAUSES
} held_cause;

/* Returns "incomplete", "unlocated" … as occupancy.csv has them; static. */
const char *held_cause_name(held_cause cause);

/* It is what one connection holds, and the state that goes with it, after an event. */
typedef struct occupancy_state {
  uint64_t octets[HELD_CAUSES];
  uint32_t holes;         /* out-of-order intervals */
  uint32_t partial_fpdus; /* located, octets missing */
  uint32_t undelivered;   /* placed, not yet Delivered segments */
} occupancy_state;

/* Makes a gauge over `connections` that hold nothing at time 0. Octets of each (connection, cause) are
 * rounded up to whole cells of `cell_octets` (>= 1, `receiver.cell`). Free with occupancy_free(). */
occupancy *occupancy_new(uint32_t connections, uint32_t cell_octets);
void occupancy_free(occupancy *gauge);

/* In series and metrics the connection with the number `connection` of the gauge's has the number `number`,
 * or else the same one. And which it has. Before the first update. */
void occupancy_set_number(occupancy *gauge, uint32_t connection, uint32_t number);
uint32_t occupancy_number(const occupancy *gauge, uint32_t connection);

/* Writes the series to `file` as it goes: first the line `time_s,connection,cause,octets`, then one (seconds
 * with 12 decimals) for each change that lasts (a value replaced in the picosecond it was set in never
 * appears), ordered by time, then `all` before the connections, then cause; every series is 0 before its
 * first line. `all_series`: the RNIC; in addition, the connections below `connection_series`. `file` stays
 * the caller's, who looks for its errors. Before the first update. */
void occupancy_write_series(occupancy *gauge, FILE *file, bool all_series, uint32_t connection_series);

/* In all of these `now` is not before that of the call before. */

/* From `now` on `connection` is in `state`. */
void occupancy_update(occupancy *gauge, uint32_t connection, const occupancy_state *state, time_ps now);

/* Returns the state that `connection` is in; the gauge's, until the next update. */
const occupancy_state *occupancy_state_of(const occupancy *gauge, uint32_t connection);

/* `octets` of payload arrive, before the update that they lead to: they find what is held at present. */
void occupancy_arrive(occupancy *gauge, uint64_t octets);

/* --- The window that is measured --- */

/* Peaks, which otherwise cover the whole run, start with occupancy_start(), too. Before the first update. */
void occupancy_wait(occupancy *gauge);

/* The window opens: means, quantiles and block maxima start at `now`, with what is held then. Once. */
void occupancy_start(occupancy *gauge, time_ps now);

/* `octets` of payload are Delivered at `now`: means and quantiles run to the last of these calls, or to where
 * the window closed before it (one before the start is ignored). */
void occupancy_deliver(occupancy *gauge, uint64_t octets, time_ps now);

/* The window closes, once it has opened: nothing after `now` counts, but for the series. */
void occupancy_close(occupancy *gauge, time_ps now);

/* Ends the series at the end of the run, `now`, and sets in `values`, unless the window never opened:
 * buffer.reassembly_peak_octets and, unless that is 0, when it came and on which connection,
 * buffer.connection_peaks_octets, buffer.total_peak_octets,
 * buffer.peak_octets.*, state.*, and, if there was time between start and last delivery,
 * buffer.reassembly_mean_octets and buffer.reassembly_p99_octets, and, if a hole was open in it,
 * buffer.reassembly_p99_octets_in_recovery. A peak is a value that lasted some time or is still held at the
 * end. */
void occupancy_finish(occupancy *gauge, time_ps now, metric_values *values);

/* Returns when the largest reassembly occupancy came so far; TIME_PS_NEVER: there was none above 0. */
time_ps occupancy_peak_at(const occupancy *gauge);

/* After occupancy_finish(): sets the quantiles for the `count` (<= QUANTILES_MAX) ascending `parts`, and the
 * block maxima, in `results`, which is all-zero. */
void occupancy_results(const occupancy *gauge, const uint32_t *parts, size_t count, run_results *results);

/* After occupancy_finish(), in the window: the distribution over time whose mean
 * buffer.reassembly_mean_octets is (octets, s), and that of the reassembly occupancies that arriving octets
 * found (octets, octets). They are overwritten; free with distribution_clear(). */
void occupancy_distributions(const occupancy *gauge, distribution *over_time, distribution *found);
