/* The way of the data into one endpoint, in full operation: octets of TCP to MPA, ULPDUs to RDMAP, with the placement latency between;
 * then, in this order, MPA's error and the peer's FIN. And what it holds meanwhile. */
#ifndef RNIC_RNIC_RECEIVER_H
#define RNIC_RNIC_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu_memory.h"
#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_forecast.h"
#include "rnic/rnic_held.h"
#include "tcp/tcp_transport.h"

typedef struct rnic_receiver rnic_receiver;

typedef struct rnic_receiver_config {
  tcp_transport *tcp;                 /* asked what it holds */
  const mpa_fpdu_memory *fpdu_memory; /* see mpa_fpdu_memory_arrived(); NULL: nothing is copied */
  rdmap_stream *stream;
  bool looks_ahead;              /* TCP passes octets as they arrive */
  bool assumes_aligned;          /* besides: a segment behind a hole is taken to start with an FPDU */
  bool takes_long_ulpdus;        /* see mpa_deframer_take_long() */
  time_ps placement_latency_ps;  /* 0: none */
  uint64_t first_offset;         /* of the FPDU phase, that comes; an FPDU starts there */
  time_ps first_fpdu_timeout_ps; /* from the first octet to the first valid FPDU; 0: for ever */
} rnic_receiver_config;

/* The FPDU phase begins at stream position `phase_start` (MPA-183, MPA-190). Once. */
void rnic_receiver_start(rnic_receiver *receiver, bool markers, bool crc, uint64_t phase_start);
bool rnic_receiver_is_started(const rnic_receiver *receiver);
uint64_t rnic_receiver_phase_start(const rnic_receiver *receiver);

/* A segment that starts at `position` has come: rnic_receiver_receive() follows with what is new in it. */
void rnic_receiver_segment(rnic_receiver *receiver, uint64_t position);

/* Octets of the stream, in any order, each once; those below the phase start are passed over. Started. */
void rnic_receiver_receive(rnic_receiver *receiver, uint64_t position, const octet_rope *octets,
                           time_ps arrival, time_ps now);

/* Would these octets, not given yet, break an FPDU that lies whole within them (MPA-286)? Started. */
bool rnic_receiver_inspect(rnic_receiver *receiver, uint64_t position, const octet_rope *octets);

/* Could a segment whose first new octet is at `position` complete an FPDU that is held in part? False only when not. Started. */
bool rnic_receiver_can_let_go(const rnic_receiver *receiver, uint64_t position);

/* What would be held after `count` (> 0) ascending runs, all that is new in the segment that starts at `segment_position`. Started. */
rnic_forecast rnic_receiver_forecast(rnic_receiver *receiver, const rnic_new_run *runs, size_t count,
                                     uint64_t segment_position);

/* The peer's FIN is in order behind all its octets: code 1 when FPDUs are not whole (notes-mpa 32), then the end of its direction. Started. */
void rnic_receiver_peer_finished(rnic_receiver *receiver, time_ps now);

/* The stream has failed: nothing that is kept will be used any more, and nothing more shall be given. */
void rnic_receiver_stop(rnic_receiver *receiver);

/* When rnic_receiver_run() is due (TIME_PS_NEVER). It returns false when the first FPDU did not come in time. */
time_ps rnic_receiver_deadline(const rnic_receiver *receiver);
bool rnic_receiver_run(rnic_receiver *receiver, time_ps now);

/* What is held now, into `held`, which is all 0 before. Started; nothing of MPA's when stopped. */
void rnic_receiver_held(const rnic_receiver *receiver, rnic_held *held);

/* True only when that is nothing; of a receiver that keeps octets in TCP or in a pipe never. */
bool rnic_receiver_holds_nothing(const rnic_receiver *receiver);

/* NULL before the start. */
const mpa_deframer_statistics *rnic_receiver_statistics(const rnic_receiver *receiver);

#endif
