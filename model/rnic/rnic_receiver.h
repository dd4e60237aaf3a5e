/* SPDX-License-Identifier: GPL-2.0-only */
/* A receiver is the path of the data into one endpoint, in full operation. It passes TCP's octets to MPA and
 * MPA's ULPDUs to RDMAP, with the placement latency between; then, in this order, MPA's error and the peer's
 * FIN. It also reports what it holds meanwhile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/reassembly_queue.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_fpdu_memory.h"
#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_host.h"
#include "tcp/tcp_transport.h"

typedef struct rnic_receiver_config {
  tcp_transport *tcp;                 /* asked what it holds */
  const mpa_fpdu_memory *fpdu_memory; /* see mpa_fpdu_memory_arrived(); NULL: nothing is copied */
  rdmap_stream *stream;
  trace_scope *trace;            /* see tcp_config */
  bool looks_ahead;              /* TCP passes octets as they arrive; MPA uses them so if markers are on */
  bool assumes_aligned;          /* in addition, a segment after a hole is assumed to start with an FPDU */
  bool takes_long_ulpdus;        /* see mpa_deframer_take_long() */
  time_ps first_fpdu_timeout_ps; /* from the first octet to the first valid FPDU; 0: for ever */
} rnic_receiver_config;

/* It is a part of its endpoint: only the functions below write it. */
typedef struct rnic_receiver {
  rnic_receiver_config config;
  mpa_deframer *deframer;      /* NULL: nothing of the FPDU phase came yet */
  struct placement_pipe *pipe; /* NULL: there is no placement latency */
  mpa_error error : 8;         /* not reported yet; MPA_ERROR_NONE */
  bool is_started;
  bool markers;
  bool crc;
  bool has_peer_finished; /* not reported yet */
  bool is_streaming_over; /* every octet from here on is of the FPDU phase, and nothing is `early` */
  bool is_stopped;
  uint64_t phase_start;
  uint64_t segment_position; /* of the segment that came last */
  reassembly_queue *early;   /* came after a hole in streaming mode's octets; NULL: nothing did */
  time_ps first_fpdu_deadline;
} rnic_receiver;

/* A run is new octets of a segment, from stream position `position` on. */
typedef struct rnic_new_run {
  uint64_t position;
  buffer_chain octets;
} rnic_new_run;

/* It is what would be held after a segment. */
typedef struct rnic_dry_run {
  rnic_occupancy held; /* its causes but `processing`, and partial_fpdus */
  uint32_t pieces;     /* see mpa_deframer_pieces() */
} rnic_dry_run;

/* Initialises one that is not started; `config` is copied, what it points to must outlive the receiver. What
 * passes MPA is placed `placement_latency_ps` later; 0: at once. Frees what it has. */
void rnic_receiver_init(rnic_receiver *receiver, const rnic_receiver_config *config,
                        time_ps placement_latency_ps);
void rnic_receiver_clear(rnic_receiver *receiver);

/* The FPDU phase begins at stream position `phase_start` (MPA-183, MPA-190). Once. */
void rnic_receiver_start(rnic_receiver *receiver, bool markers, bool crc, uint64_t phase_start);

/* Takes octets of the stream, in any order, each once; those below the phase start are ignored. Started. */
void rnic_receiver_receive(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets,
                           time_ps arrival, time_ps now);

/* Would these octets, not given yet, break an FPDU that lies whole within them (MPA-286)? Started. */
bool rnic_receiver_inspect(rnic_receiver *receiver, uint64_t position, const buffer_chain *octets);

/* Could a segment whose first new octet is at `position` complete an FPDU that is held in part? False only
 * when it certainly could not. Started. */
bool rnic_receiver_can_let_go(const rnic_receiver *receiver, uint64_t position);

/* Returns what would be held after `count` (> 0) ascending runs, all that is new in the segment that starts
 * at `segment_position`. The result is exact: MPA tries it out on a copy. Guesses about several FPDUs in one
 * segment are judged as if none of them had been placed yet. Started. */
rnic_dry_run rnic_receiver_dry_run(rnic_receiver *receiver, const rnic_new_run *runs, size_t count,
                                   uint64_t segment_position);

/* The peer's FIN is in order after all its octets: code 1 when FPDUs are not whole (note M32), then the end
 * of its direction. Started. */
void rnic_receiver_peer_finished(rnic_receiver *receiver, time_ps now);

/* The stream has failed: nothing that is kept will be used any more, and nothing more shall be given. */
void rnic_receiver_stop(rnic_receiver *receiver);

/* Returns when rnic_receiver_run() is due (TIME_PS_NEVER). It returns false when the first FPDU did not come
 * in time. */
time_ps rnic_receiver_deadline(const rnic_receiver *receiver);
bool rnic_receiver_run(rnic_receiver *receiver, time_ps now);

/* Adds what is held now to `held`, which is all 0 before. Started; nothing of MPA's when stopped. */
void rnic_receiver_held(const rnic_receiver *receiver, rnic_occupancy *held);

/* True only when nothing is held, but for octets that TCP keeps after a hole; never true with a pipe. */
bool rnic_receiver_holds_nothing(const rnic_receiver *receiver);

/* Return NULL before the start. */
const mpa_deframer_statistics *rnic_receiver_statistics(const rnic_receiver *receiver);
