/* One end of one iWARP connection: RDMAP over DDP over MPA over TCP, put together. Sans I/O.
 *
 * Passes octets from layer to layer in the one direction design.md gives ("The way of the data") and decides nothing
 * that a layer can decide. */
#ifndef RNIC_RNIC_ENDPOINT_H
#define RNIC_RNIC_ENDPOINT_H

#include "mpa/mpa_deframer.h"
#include "mpa/mpa_startup.h"
#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_failure.h"
#include "tcp/tcp_connection.h"

typedef struct rnic_endpoint rnic_endpoint;

typedef struct rnic_endpoint_config {
  tcp_config tcp;
  mpa_generation generation;
  mpa_role role; /* the Initiator opens TCP actively and sends the Request Frame */
  bool markers;  /* asked for in the direction received */
  bool crc;
  time_ps placement_latency_ps;
} rnic_endpoint_config;

typedef struct rnic_endpoint_events {
  /* The send queue has room and RDMAP nothing left to send: post the next operation and return true, or false when there is none
   * now. Full operation has begun. May be NULL. */
  bool (*want_operation)(void *user, rnic_endpoint *endpoint, time_ps now);
  /* As rdmap_stream_events. */
  void (*placed)(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now);
  void (*delivered)(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now);
  void (*completed)(void *user, uint64_t id, time_ps now);
  /* A payload segment arrives, before it is handled; see tcp_events. `phase_offset` is `position` counted from the first
   * octet of the FPDU phase; negative: a startup frame's. */
  void (*segment)(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets, bool out_of_order,
                  time_ps now);
  /* `length` octets from `phase_offset` of the direction sent on leave again; negative: a startup frame's. */
  void (*retransmitted)(void *user, int64_t phase_offset, uint32_t length, time_ps now);
  /* An FPDU that starts at `phase_offset` of the direction sent has been handed to TCP. */
  void (*framed)(void *user, uint64_t phase_offset);
  /* The peer will send no more. */
  void (*finished)(void *user, rnic_endpoint *endpoint, time_ps now);
  void (*closed)(void *user, time_ps now);
  /* The connection fails; it is aborted (RST) unless TCP is gone already. Once at most. */
  void (*failed)(void *user, const rnic_failure *failure, time_ps now);
} rnic_endpoint_events;

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

/* Counters of the sending side, of FPDUs whose ULPDU has MULPDU octets and is tagged. */
typedef struct rnic_full_size {
  uint64_t payload_octets;
  uint64_t stream_octets;
} rnic_full_size;

/* An endpoint that is closed; `config` and `events` are copied. Free with rnic_endpoint_free(). */
rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user);
void rnic_endpoint_free(rnic_endpoint *endpoint);

/* Opens the connection: the Initiator actively, the Responder passively. */
void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now);

/* One datagram for this endpoint; the caller keeps its reference. */
void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now);

/* The next datagram that may leave at `now`, the caller's; NULL when there is none. Call until NULL after every other call. */
datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now);

/* When rnic_endpoint_run() is next due; TIME_PS_NEVER. */
time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint);
void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now);

/* No more operations will be posted: sends FIN behind what is posted. */
void rnic_endpoint_close(rnic_endpoint *endpoint);

/* Where operations are posted and buffers registered. */
rdmap_stream *rnic_endpoint_stream(rnic_endpoint *endpoint);

/* True when an octet of the stream received before `phase_offset` is still missing. In full operation. */
bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset);

/* What the receiving side holds now. */
void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_held *held);

/* Counters; the endpoint's. MPA's are of the receiving side, NULL before full operation. */
const tcp_statistics *rnic_endpoint_tcp_statistics(const rnic_endpoint *endpoint);
const mpa_deframer_statistics *rnic_endpoint_mpa_statistics(const rnic_endpoint *endpoint);
const rnic_full_size *rnic_endpoint_full_size(const rnic_endpoint *endpoint);

/* EMSS and MULPDU of the direction sent; 0 while unknown. */
uint32_t rnic_endpoint_emss_octets(const rnic_endpoint *endpoint);
uint32_t rnic_endpoint_mulpdu_octets(const rnic_endpoint *endpoint);

#endif
