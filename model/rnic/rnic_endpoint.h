/* SPDX-License-Identifier: GPL-2.0-only */
/* An endpoint is one end of one iWARP connection: RDMAP over DDP over MPA over TCP, put together. Sans I/O.
 *
 * It passes octets from layer to layer (docs/architecture.md, "The path of one octet") and leaves to the
 * layers whatever they can decide. */
#pragma once

#include <stdbool.h>

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_startup.h"
#include "rdmap/rdmap_terminate.h"
#include "rnic/rnic_endpoint_config.h"
#include "rnic/rnic_receiver.h"
#include "rnic/rnic_sender.h"
#include "tcp/tcp_transport.h"

/* Why a connection failed: the first layer that reported a failure, in its own terms. */

typedef enum rnic_failure_layer {
  RNIC_FAILURE_STARTUP, /* MPA startup failed (code 4) or was rejected */
  RNIC_FAILURE_MPA,     /* MPA found an error; a Terminate of layer 2 was sent, or could not be */
  RNIC_FAILURE_RDMAP,   /* DDP's errors among them, as a Terminate names them */
  RNIC_FAILURE_TCP,
  RNIC_FAILURE_ULP, /* the ULP waited in vain (mpa-01 §6.1 rule 10, MPA-234) */
} rnic_failure_layer;

/* The ULP waited for it in vain. */
typedef enum rnic_ulp_reason {
  RNIC_ULP_NO_STREAMING_OCTETS, /* those that the peer owes before MPA */
  RNIC_ULP_NO_FPDU,             /* rdmac: octets came, and no valid FPDU among them (note M46) */
} rnic_ulp_reason;

typedef struct rnic_failure {
  rnic_failure_layer layer;
  union {
    mpa_startup_reason startup;
    mpa_error mpa;
    rdmap_error rdmap;
    tcp_close_reason tcp;
    rnic_ulp_reason ulp;
  } reason;                    /* by layer */
  iwarp_generation generation; /* whose words the text uses */
  bool by_peer;                /* reported by the peer's Terminate (or its rejection), not found here */
  /* Of RDMAP: what goes to the peer or came from it, with the header of the segment at fault (its STag:
   * DDP-199). Valid during the call; NULL otherwise. */
  const rdmap_terminate *terminate;
} rnic_failure;

/* Returns whether the connection ended as the documents require (docs/metrics.md, "Status of a run",
 * `terminated`); else TCP lost it. */
bool rnic_failure_is_termination(const rnic_failure *failure);

/* Returns "Terminate 1/1/01", "MPA error 4", "rejected": the code as a summary names it. Free with g_free().
 * A lost TCP connection is MPA's error 1 (MPA-276). */
char *rnic_failure_code(const rnic_failure *failure);

/* Returns "MPA error 2: the CRC does not match" and the like, for people. Static, never NULL. */
const char *rnic_failure_text(const rnic_failure *failure);

typedef struct rnic_endpoint rnic_endpoint;

typedef struct rnic_endpoint_events {
  /* The send queue has room and RDMAP nothing left to send: post the next operation and return true, or false
   * when there is none now. Full operation has begun. May be NULL. */
  bool (*want_operation)(void *user, rnic_endpoint *endpoint, time_ps now);
  /* rnic_poll() has something more. The handler may poll, post and close. */
  void (*completion)(void *user, rnic_endpoint *endpoint, time_ps now);
  /* The peer's Private Data is here, and what both frames come to, when its startup frame is accepted or
   * rejects; before full operation. */
  void (*private_data)(void *user, const uint8_t *octets, uint32_t length, const mpa_agreement *agreement,
                       time_ps now);
  ddp_probe probe; /* its handlers get `user`, too */
  /* A payload segment arrives, before it is handled; see tcp_events. `phase_offset` is `position` counted
   * from the first octet of the FPDU phase; negative: a startup frame's or of streaming mode. */
  void (*segment)(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets, bool out_of_order,
                  time_ps now);
  /* `length` octets from `phase_offset` of the direction sent on leave again; negative as above. */
  void (*retransmitted)(void *user, int64_t phase_offset, uint32_t length, time_ps now);
  void (*closed)(void *user, time_ps now);
  /* The connection ends in another way than a close after all work is done; see rnic_failure. At most once.
   * The endpoint itself sends what the documents require at the end: Terminate and FIN, or RST. */
  void (*failed)(void *user, const rnic_failure *failure, time_ps now);
} rnic_endpoint_events;

/* Makes an endpoint that is closed; `config` is copied, `events` must outlive it. Free with
 * rnic_endpoint_free(). */
rnic_endpoint *rnic_endpoint_new(const rnic_endpoint_config *config, const rnic_endpoint_events *events,
                                 void *user);
void rnic_endpoint_free(rnic_endpoint *endpoint);

/* Opens the connection, actively or passively, by its configuration. */
void rnic_endpoint_start(rnic_endpoint *endpoint, time_ps now);

/* Returns whether the peer has closed TCP instead of sending a startup frame, of which not an octet has come.
 */
bool rnic_endpoint_was_not_answered(const rnic_endpoint *endpoint, const rnic_failure *failure);

/* Opens another TCP connection, by what `config` has of TCP and of MPA's startup, in place of the first,
 * which is closed and is the caller's from now on; RDMAP's stream, with all that is posted, stays. Once, of
 * an endpoint that may_start_again, after its startup has failed. Free what it returns with
 * tcp_transport_free(), after the run: ns-3 may still know it. */
tcp_transport *rnic_endpoint_start_again(rnic_endpoint *endpoint, const rnic_endpoint_config *config,
                                         time_ps now);

/* Takes one datagram for this endpoint; the caller keeps its reference. */
void rnic_endpoint_receive(rnic_endpoint *endpoint, const datagram *packet, time_ps now);

/* Returns the next datagram that may leave at `now`, the caller's; NULL when there is none. Call until NULL
 * after every other call. */
datagram *rnic_endpoint_transmit(rnic_endpoint *endpoint, time_ps now);

/* Returns when rnic_endpoint_run() is next due; TIME_PS_NEVER. */
time_ps rnic_endpoint_deadline(const rnic_endpoint *endpoint);
void rnic_endpoint_run(rnic_endpoint *endpoint, time_ps now);

/* No more operations will be posted: FIN follows when all that are posted are complete and all Read Requests
 * that came are answered, in full operation. Idempotent. */
void rnic_endpoint_close(rnic_endpoint *endpoint);

/* `failed` was called: the stream is erroneous (DDP-026, RDMAP-225), nothing of it is Placed or Delivered any
 * more, and the connection goes down. */
bool rnic_endpoint_is_erroneous(const rnic_endpoint *endpoint);

/* Returns where it is; the configuration's. */
rnic_host *rnic_endpoint_host(const rnic_endpoint *endpoint);

/* True when an octet of the stream received before `phase_offset` is still missing. In full operation. */
bool rnic_endpoint_has_hole_before(const rnic_endpoint *endpoint, uint64_t phase_offset);

/* Returns where in the stream the FPDU phase of the direction sent begins; -1 before full operation. */
int64_t rnic_endpoint_sent_phase_start(const rnic_endpoint *endpoint);

/* Returns the same of the direction received, in full operation. */
uint64_t rnic_endpoint_received_phase_start(const rnic_endpoint *endpoint);

/* True only when the receiving side holds nothing and there are no holes; a quick answer for nearly every
 * segment. */
bool rnic_endpoint_holds_nothing(const rnic_endpoint *endpoint);

/* Gives what the receiving side holds now. */
void rnic_endpoint_held(const rnic_endpoint *endpoint, rnic_occupancy *held);

typedef struct rnic_endpoint_counts {
  const tcp_gauges *tcp;              /* these are the endpoint's */
  const mpa_deframer_statistics *mpa; /* of the receiving side, NULL before full operation */
  const rnic_refusals *refusals;      /* segments dropped as if lost, and why */
  const rnic_full_size *full_size;
  uint32_t mulpdu_octets; /* of the direction sent; 0 while unknown */
} rnic_endpoint_counts;

rnic_endpoint_counts rnic_endpoint_counts_of(const rnic_endpoint *endpoint);
