/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what is measured at the RNIC of one host with Data Sinks during a run, and its metrics at the end
 * (docs/metrics.md). `connection` is the number that session_recorder_connect() returned. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/settings.h"
#include "ddp/ddp_segment.h"
#include "measure/run_results.h"
#include "mpa/mpa_fpdu.h"
#include "net/fpdu_starts.h"
#include "rnic/rnic_endpoint.h"

typedef struct session_recorder session_recorder;

typedef struct session_recorder_config {
  uint32_t connections;
  uint32_t unknown; /* in a trace, the connection of fragments of no known one */
  uint32_t cell_octets;
  time_ps placement_latency_ps;
  uint64_t receive_window_octets;
  FILE *series;                /* occupancy.csv, opened; NULL: none */
  bool series_all;             /* the RNIC's series */
  uint32_t series_connections; /* the first so many connections' */
  run_moment from;             /* measure.from and measure.to */
  run_moment to;
  void (*on_window)(void *user, bool is_open,
                    time_ps now);         /* the window opens or closes; NULL: nobody asks */
  void *user;                             /* of on_window */
  trace *trace;                           /* NULL: nothing is traced */
  const char *node;                       /* in it, of the measured ends */
  enum side side;                         /* in it, of what is of no measured end */
  uint32_t quantile_parts[QUANTILES_MAX]; /* measure.quantiles, ascending parts of QUANTILE_PARTS */
  size_t quantile_count;
} session_recorder_config;

/* `config` is copied; the file stays the caller's. Free with session_recorder_free(). */
session_recorder *session_recorder_new(const session_recorder_config *config);
void session_recorder_free(session_recorder *recorder);

/* The number here, from 0 on, of the next of the host's connections: that with the number `connection` in the
 * session, whose end here is `side`. */
uint32_t session_recorder_connect(session_recorder *recorder, uint32_t connection, enum side side);

/* Returns where the FPDUs of the Data Source of `connection` start, in the FPDU phase: for it to add to. */
fpdu_starts *session_recorder_starts(session_recorder *recorder, uint32_t connection);

/* A payload segment arrives at the Data Sink; see rnic_endpoint_events. */
void session_recorder_segment(session_recorder *recorder, uint32_t connection, int64_t phase_offset,
                              uint32_t length, uint32_t new_octets, bool out_of_order, time_ps now);

/* The Data Source sends octets again (see rnic_endpoint_events), which cannot arrive before
 * `earliest_arrival`. */
void session_recorder_retransmitted(session_recorder *recorder, uint32_t connection, int64_t phase_offset,
                                    uint32_t length, time_ps earliest_arrival);

/* A DDP Segment is Placed; `out_of_order`: an earlier octet of its stream is still missing. Sets
 * segment->observer. */
void session_recorder_placed(session_recorder *recorder, ddp_segment *segment, const mpa_ulpdu *ulpdu,
                             bool out_of_order, time_ps now);

/* A DDP Segment is Delivered. */
void session_recorder_delivered(session_recorder *recorder, const ddp_segment *segment, time_ps now);

/* Records what `connection` holds after an event. */
void session_recorder_held(session_recorder *recorder, uint32_t connection, const rnic_occupancy *held,
                           time_ps now);

/* Returns true when a call of session_recorder_held() for a `connection` that holds nothing may be left out
 * at `now`. */
bool session_recorder_expects_nothing_held(const session_recorder *recorder, uint32_t connection,
                                           time_ps now);

/* Returns how many retransmissions to `connection` were spurious. */
uint64_t session_recorder_spurious(const session_recorder *recorder, uint32_t connection);

/* `connection` has `octets` of TCP payload in IP datagrams with fragments missing. Octets of no known
 * connection are those of number `connections`. */
void session_recorder_fragments(session_recorder *recorder, uint32_t connection, uint64_t octets,
                                time_ps now);

/* Returns whether what happened at `when`, not after the last event, was in the measured window; without
 * measure.from it is open from the beginning. */
bool session_recorder_is_measured(const session_recorder *recorder, time_ps when);

/* Ends the series and sets the metrics of segments, Placement, Delivery, buffers, state, delays and
 * goodput. */
void session_recorder_finish(session_recorder *recorder, time_ps now, metric_values *values);

/* Sets all else in `results`, which is all-zero but for its metrics, after session_recorder_finish(). */
void session_recorder_results(const session_recorder *recorder, run_results *results);
