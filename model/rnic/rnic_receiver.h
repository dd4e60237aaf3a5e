/* The way of the data into one endpoint, in full operation: octets of TCP to MPA, ULPDUs to RDMAP, with the placement latency between;
 * then, in this order, MPA's error and the peer's FIN. And what it holds meanwhile. */
#ifndef RNIC_RNIC_RECEIVER_H
#define RNIC_RNIC_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "mpa/mpa_deframer.h"
#include "rdmap/rdmap_stream.h"
#include "tcp/tcp_connection.h"

typedef struct rnic_receiver rnic_receiver;

typedef struct rnic_receiver_config {
  const tcp_connection *tcp; /* asked what it holds */
  rdmap_stream *stream;
  bool looks_ahead;              /* TCP passes octets as they arrive */
  time_ps placement_latency_ps;  /* 0: none */
  time_ps first_fpdu_timeout_ps; /* from the first octet to the first valid FPDU; 0: for ever */
} rnic_receiver_config;

/* What the receiving side holds (definitions.md, "Held octets"). */
typedef struct rnic_held {
  uint64_t incomplete;
  uint64_t unlocated;
  uint64_t order;
  uint64_t processing;
  uint64_t in_order_edge; /* all octets of the FPDU phase below this offset have arrived */
  uint32_t holes;         /* out-of-order intervals of the TCP stream */
  uint32_t partial_fpdus;
  uint32_t undelivered;
} rnic_held;

/* Not started; `config` is copied, what it points to must outlive the receiver. Free with rnic_receiver_free() (NULL is allowed). */
rnic_receiver *rnic_receiver_new(const rnic_receiver_config *config);
void rnic_receiver_free(rnic_receiver *receiver);

/* The FPDU phase begins at stream position `phase_start` (MPA-183, MPA-190). Once. */
void rnic_receiver_start(rnic_receiver *receiver, bool markers, bool crc, uint64_t phase_start);
bool rnic_receiver_is_started(const rnic_receiver *receiver);
uint64_t rnic_receiver_phase_start(const rnic_receiver *receiver);

/* Octets of the stream, in any order, each once; those below the phase start are passed over. Started. */
void rnic_receiver_receive(rnic_receiver *receiver, uint64_t position, const octet_rope *octets,
                           time_ps arrival, time_ps now);

/* Would these octets, not given yet, break an FPDU that lies whole within them (MPA-286)? Started. */
bool rnic_receiver_inspect(const rnic_receiver *receiver, uint64_t position, const octet_rope *octets);

/* The peer's FIN is in order behind all its octets: code 1 when FPDUs are not whole (notes-mpa 32), then the end of its direction. Started. */
void rnic_receiver_peer_finished(rnic_receiver *receiver, time_ps now);

/* The stream has failed: nothing that is kept will be used any more, and nothing more shall be given. */
void rnic_receiver_stop(rnic_receiver *receiver);

/* When rnic_receiver_run() is due (TIME_PS_NEVER). It returns false when the first FPDU did not come in time. */
time_ps rnic_receiver_deadline(const rnic_receiver *receiver);
bool rnic_receiver_run(rnic_receiver *receiver, time_ps now);

/* What is held now. Started; nothing of MPA's when stopped. */
void rnic_receiver_held(const rnic_receiver *receiver, rnic_held *held);

/* NULL before the start. */
const mpa_deframer_statistics *rnic_receiver_statistics(const rnic_receiver *receiver);

#endif
