/* The inside of a rnic_receiver, for the endpoint that it lies in. */
#ifndef RNIC_RNIC_RECEIVER_PRIVATE_H
#define RNIC_RNIC_RECEIVER_PRIVATE_H

#include "base/octet_store.h"
#include "rnic/rnic_placement_pipe.h"
#include "rnic/rnic_receiver.h"

struct rnic_receiver {
  rnic_receiver_config config;
  mpa_deframer *deframer;    /* NULL: nothing of the FPDU phase came yet */
  rnic_placement_pipe *pipe; /* with a placement latency */
  mpa_error error : 8;       /* not told yet; MPA_ERROR_NONE */
  bool is_started;
  bool markers;
  bool crc;
  bool has_peer_finished; /* not told yet */
  bool is_streaming_over; /* every octet from here on is of the FPDU phase, and nothing is `early` */
  bool is_stopped;
  uint64_t phase_start;
  uint64_t segment_position; /* of the segment that came last */
  octet_store *early;        /* came behind a hole in streaming mode's octets; NULL: nothing did */
  time_ps first_fpdu_deadline;
};

/* Not started; `config` is copied, what it points to must outlive the receiver. Frees what it has. */
void rnic_receiver_init(rnic_receiver *receiver, const rnic_receiver_config *config);
void rnic_receiver_clear(rnic_receiver *receiver);

/* For tests: the most pieces that a partial FPDU is held in now, see mpa_deframer_pieces(). Started. */
uint32_t rnic_receiver_pieces(const rnic_receiver *receiver);

#endif
