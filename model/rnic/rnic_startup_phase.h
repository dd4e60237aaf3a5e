/* SPDX-License-Identifier: GPL-2.0-only */
/* It is a connection before full operation: streaming mode, then MPA's startup frames (mpa-01 §6.1 [mpa-02
 * §8.1]).
 *
 * Both ends agree how many octets of streaming mode go each way (MPA-183, MPA-190). With startup frames MPA
 * is enabled, in both directions at once, when all streaming octets that the peer owes are in (MPA-191,
 * MPA-266); octets that come early, after a hole, wait here for their order (MPA-268). Without (rdmac) each
 * direction's FPDU phase starts at its agreed octet, whatever the other does (MPA-184).
 *
 * In the peer-to-peer model a Responder's startup ends with the Initiator's first FPDU, the RTR indication:
 * "connection establishment is completed" by it (RFC 6581 §3). What comes early waits for it here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/reassembly_queue.h"
#include "rnic/rnic_endpoint_config.h"

/* See rnic_endpoint_events.private_data. May be NULL. */
typedef void (*rnic_startup_phase_observer)(void *user, const uint8_t *octets, uint32_t length,
                                            const mpa_agreement *agreement, time_ps now);

/* It is read by everyone, and written only by the functions below. */
typedef struct rnic_startup_phase {
  rnic_startup_phase_observer observer;
  void *user;
  uint8_t *private_data; /* for the frame this end sends; NULL: none */
  uint32_t private_data_octets;
  uint32_t streaming_octets_sent;
  uint32_t streaming_octets_received;
  time_ps timeout_ps;
  bool rejects;
  bool may_start_again; /* see rnic_endpoint_config */
  mpa_startup *mpa;     /* where it stands, what was agreed, and why it failed */
  /* arrived and not consumed; of the peer's frame all: held until consumed. NULL: nothing came */
  reassembly_queue *octets;
  uint64_t consumed; /* stream position after what has been read in order: the rest is the FPDU phase's */
  time_ps deadline;  /* of the peer's streaming octets */
  bool streaming_sent;
  bool is_starved; /* the peer's streaming octets did not come in time */
} rnic_startup_phase;

/* Copies what it needs of `config`; its startup_timeout_ps bounds the streaming octets, too. Free with
 * rnic_startup_phase_free() (NULL is allowed). */
rnic_startup_phase *rnic_startup_phase_new(const rnic_endpoint_config *config,
                                           rnic_startup_phase_observer observer, void *user);
void rnic_startup_phase_free(rnic_startup_phase *phase);

/* TCP's handshake is done. */
void rnic_startup_phase_established(rnic_startup_phase *phase, time_ps now);

/* Takes octets of the stream in any order, each once; only before full operation and the like. The caller
 * keeps them. */
void rnic_startup_phase_receive(rnic_startup_phase *phase, uint64_t position, const buffer_chain *octets,
                                time_ps arrival, time_ps now);

/* Gives what this end may send now, streaming octets or its frame (`*is_frame`), appended to the empty
 * `octets`; false when there is nothing. Ask after each of the other functions. A frame that ends the phase
 * for this end precedes all FPDUs. */
bool rnic_startup_phase_next(rnic_startup_phase *phase, buffer_chain *octets, bool *is_frame);

/* Returns whether full operation begins. */
bool rnic_startup_phase_is_over(const rnic_startup_phase *phase);

/* Returns when rnic_startup_phase_run() is due (TIME_PS_NEVER): the time is up. */
time_ps rnic_startup_phase_deadline(const rnic_startup_phase *phase);
void rnic_startup_phase_run(rnic_startup_phase *phase, time_ps now);

/* Returns the stream position of the first octet of the FPDU phase received. In full operation. */
uint64_t rnic_startup_phase_received_octets(const rnic_startup_phase *phase);

/* Returns the octets held: of the frame that is not whole, and after a hole. None in full operation. */
void rnic_startup_phase_held(const rnic_startup_phase *phase, uint64_t *incomplete, uint64_t *order);
