/* SPDX-License-Identifier: GPL-2.0-only */
/* ULPDUs wait here for the end of the placement latency (cause `processing`, `receiver.placement_latency`).
 *
 * The latency is the same for all, so they leave in the order in which they came. */
#pragma once

#include "mpa/mpa_ulpdu.h"

typedef struct rnic_placement_pipe rnic_placement_pipe;

/* Makes a pipe in which every ULPDU stays `latency_ps` (> 0). Free with rnic_placement_pipe_free(). */
rnic_placement_pipe *rnic_placement_pipe_new(time_ps latency_ps);
void rnic_placement_pipe_free(rnic_placement_pipe *pipe);

/* Keeps `ulpdu` (references its octets) until `now` + latency. */
void rnic_placement_pipe_push(rnic_placement_pipe *pipe, const mpa_ulpdu *ulpdu, time_ps now);

/* Returns when the next ULPDU is due; TIME_PS_NEVER when the pipe is empty. */
time_ps rnic_placement_pipe_deadline(const rnic_placement_pipe *pipe);

/* Takes out the next ULPDU that is due at `now`; it is valid until the next call. NULL when none is. */
const mpa_ulpdu *rnic_placement_pipe_pop(rnic_placement_pipe *pipe, time_ps now);

/* Returns the stream octets of the FPDUs inside, with their framing. */
uint64_t rnic_placement_pipe_octets(const rnic_placement_pipe *pipe);
