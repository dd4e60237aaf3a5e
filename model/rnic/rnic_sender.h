/* The way of the data out of one endpoint: RDMAP's ULPDUs, framed by MPA, to TCP; MULPDU; and what a misbehaving end does to them. */
#ifndef RNIC_RNIC_SENDER_H
#define RNIC_RNIC_SENDER_H

#include <stdbool.h>
#include <stdint.h>

#include "mpa/mpa_fpdu_memory.h"
#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_misbehaviour.h"
#include "tcp/tcp_transport.h"

typedef struct rnic_sender rnic_sender;

typedef struct rnic_sender_config {
  tcp_transport *tcp;
  rdmap_stream *stream;
  const rnic_misbehaviour *fault;     /* may be NULL */
  const mpa_fpdu_memory *fpdu_memory; /* see mpa_framer_use_memory() */
  iwarp_generation generation;
  uint32_t assumed_emss_octets; /* see rnic_endpoint_config */
  bool dynamic_mulpdu;
  bool packs_fpdus; /* TCP fills a segment with several (MPA-052) */
} rnic_sender_config;

/* Counters of FPDUs whose ULPDU has MULPDU octets and is tagged. */
typedef struct rnic_full_size {
  uint64_t payload_octets;
  uint64_t stream_octets;
} rnic_full_size;

/* The FPDU phase begins behind what TCP has been given (MPA-183, MPA-190). Once. */
void rnic_sender_start(rnic_sender *sender, bool markers, bool crc);
bool rnic_sender_is_started(const rnic_sender *sender);

/* ULPDUs are framed only when TCP is about to run out of octets: FPDUs cannot be taken back (MPA-043), and memory stays small; and
 * while its send buffer has room and no FPDU waits for its turn. */
bool rnic_sender_has_room(const rnic_sender *sender);

/* All octets below stream position `position` are acknowledged. */
void rnic_sender_acknowledged(rnic_sender *sender, uint64_t position);

/* Frames the next ULPDU and gives its FPDU to TCP, perhaps later; `*fpdu_start` is where it starts in the FPDU phase. False when there is none now. Started. */
bool rnic_sender_send(rnic_sender *sender, uint64_t *fpdu_start, time_ps now);

/* Stream position of the FPDU phase's first octet. Started. */
uint64_t rnic_sender_phase_start(const rnic_sender *sender);

/* MULPDU for the next ULPDU; 0 before the start. */
uint32_t rnic_sender_mulpdu_octets(const rnic_sender *sender);

const rnic_full_size *rnic_sender_full_size(const rnic_sender *sender);

#endif
