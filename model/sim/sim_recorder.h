/* SPDX-License-Identifier: GPL-2.0-only */
/* What is measured at the Data Sink's RNIC while a run goes on, and its metrics at the end (definitions.md, Metrics). */
#ifndef SIM_SIM_RECORDER_H
#define SIM_SIM_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ddp/ddp_segment.h"
#include "measure/distribution.h"
#include "measure/metric_table.h"
#include "mpa/mpa_ulpdu.h"
#include "rnic/rnic_endpoint.h"

typedef struct sim_recorder sim_recorder;

typedef struct sim_recorder_config {
  uint32_t connections;
  uint32_t cell_octets;
  time_ps placement_latency_ps;
  uint64_t receive_window_octets;
  FILE *series;                /* occupancy.csv, opened; NULL: none */
  bool series_all;             /* the RNIC's series */
  uint32_t series_connections; /* the first so many connections' */
} sim_recorder_config;

/* `config` is copied; the file stays the caller's. Free with sim_recorder_free(). */
sim_recorder *sim_recorder_new(const sim_recorder_config *config);
void sim_recorder_free(sim_recorder *recorder);

/* The Data Source has framed an FPDU that starts at `phase_offset`. */
void sim_recorder_framed(sim_recorder *recorder, uint32_t connection, uint64_t phase_offset);

/* An FPDU of `connection` starts at `phase_offset`, and its end can still be on its way. `hint`: see path_alignment.h. */
bool sim_recorder_is_fpdu_start(const sim_recorder *recorder, uint32_t connection, uint64_t phase_offset,
                                uint32_t *hint);

/* A payload segment arrives at the Data Sink; see rnic_endpoint_events. */
void sim_recorder_segment(sim_recorder *recorder, uint32_t connection, int64_t phase_offset, uint32_t length,
                          uint32_t new_octets, bool out_of_order, time_ps now);

/* The Data Source sends octets again (see rnic_endpoint_events), which cannot arrive before `earliest_arrival`. */
void sim_recorder_retransmitted(sim_recorder *recorder, uint32_t connection, int64_t phase_offset,
                                uint32_t length, time_ps earliest_arrival);

/* A DDP Segment is Placed; `out_of_order`: an earlier octet of its stream is still missing. Sets segment->observer. */
void sim_recorder_placed(sim_recorder *recorder, ddp_segment *segment, const mpa_ulpdu *ulpdu,
                         bool out_of_order, time_ps now);

/* A DDP Segment is Delivered. */
void sim_recorder_delivered(sim_recorder *recorder, const ddp_segment *segment, time_ps now);

/* What `connection` holds after an event. */
void sim_recorder_held(sim_recorder *recorder, uint32_t connection, const rnic_held *held, time_ps now);

/* True when it need not be told that `connection` holds nothing. */
bool sim_recorder_expects_nothing_held(const sim_recorder *recorder, uint32_t connection);

/* `connection` has `octets` of TCP payload in IP datagrams with fragments missing; a number beyond the connections': those whose
 * connection is not known. */
void sim_recorder_fragments(sim_recorder *recorder, uint32_t connection, uint64_t octets, time_ps now);

/* Ends the series and sets the metrics of segments, Placement, Delivery, buffers, state, delays and goodput. */
void sim_recorder_finish(sim_recorder *recorder, time_ps now, metric_values *values);

/* The distributions, after sim_recorder_finish(); they are overwritten. Free each with distribution_clear(). */
void sim_recorder_distributions(const sim_recorder *recorder, distribution distributions[DISTRIBUTION_COUNT]);

#endif
