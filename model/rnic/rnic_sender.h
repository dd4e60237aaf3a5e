/* SPDX-License-Identifier: GPL-2.0-only */
/* A sender is the path of the data out of one endpoint: it has RDMAP's ULPDUs framed by MPA and gives them to
 * TCP. It also computes MULPDU, and applies what a misbehaving end does to the data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/iwarp_generation.h"
#include "mpa/mpa_fpdu_memory.h"
#include "mpa/mpa_framer.h"
#include "net/fpdu_starts.h"
#include "rdmap/rdmap_stream.h"
#include "rdmap/rdmap_terminate.h"
#include "rnic/rnic_host.h"
#include "tcp/tcp_transport.h"

/* A misbehaving peer alters the output of its own, correct stack: each function is called just before
 * the layer below takes what the function may alter. */

/* Only the end itself can do these. */
typedef enum rnic_local_action {
  RNIC_LOCAL_NONE,
  RNIC_LOCAL_ERROR, /* a Terminate: rdmap_stream_fail() */
  RNIC_LOCAL_RESET, /* RST */
  RNIC_LOCAL_CLOSE, /* FIN in the middle of its work */
} rnic_local_action;

/* The RTR indication that an Initiator sends: one that was agreed on, none, or a Write or Read that was not.
 */
typedef enum rnic_rtr { RNIC_RTR_AGREED, RNIC_RTR_NONE, RNIC_RTR_NOT_AGREED } rnic_rtr;

/* The ORD of an end that forgets its own: more than an IRD has in a scenario, and small enough for the
 * buffers of so many Atomic Responses. */
enum { RNIC_ORD_FORGOTTEN = 1 << 17 };

/* None of the functions is NULL. */
typedef struct rnic_misbehaviour {
  void *user;
  bool forgets_ord; /* as many Reads and Atomics as are posted are outstanding, up to RNIC_ORD_FORGOTTEN */
  rnic_rtr rtr;     /* of an Initiator in the peer-to-peer model */
  /* Alters the startup frame that this end is about to send; it may come out empty. */
  void (*alter_startup)(void *user, buffer_chain *frame);
  /* Alters the next ULPDU of RDMAP's, before MPA frames it. */
  void (*alter_ulpdu)(void *user, iwarp_generation generation, buffer_chain *ulpdu);
  /* Alters the FPDU that starts at `start` of the FPDU phase, before TCP takes it. With `markers` it has
   * them, with `crc` its CRC is used. */
  void (*alter_fpdu)(void *user, uint64_t start, bool markers, bool crc, buffer_chain *fpdu);
  /* Makes a ULPDU of its own that goes out now, in `generation`, into the empty `ulpdu`; false when there is
   * none. Asked before each ULPDU of RDMAP's until false, and when RDMAP has none. */
  bool (*insert_ulpdu)(void *user, iwarp_generation generation, buffer_chain *ulpdu);
  /* Returns what the end does before the next ULPDU; `*error` with RNIC_LOCAL_ERROR. */
  rnic_local_action (*next_local_action)(void *user, rdmap_error *error);
} rnic_misbehaviour;

typedef struct rnic_sender_config {
  tcp_transport *tcp;
  rdmap_stream *stream;
  const rnic_misbehaviour *fault; /* may be NULL */
  fpdu_starts *starts;            /* see rnic_endpoint_config */
  uint32_t assumed_emss_octets;   /* see rnic_endpoint_config */
  iwarp_generation generation : 8;
  bool dynamic_mulpdu;
  bool packs_fpdus;      /* TCP fills a segment with several (MPA-052) */
  bool allows_fragments; /* its datagrams may have DF clear */
} rnic_sender_config;

/* They count FPDUs whose ULPDU has MULPDU octets and is tagged. */
typedef struct rnic_full_size {
  uint64_t payload_octets;
  uint64_t stream_octets;
} rnic_full_size;

/* They are the limits of the host; most hosts have none. */
typedef struct rnic_sender_limits {
  uint64_t buffer_octets; /* UINT64_MAX: unlimited */
  uint64_t acknowledged;  /* all octets below this position */
  rnic_pace *pace;        /* NULL: any rate */
  buffer_chain held;      /* an FPDU that waits for its turn, … */
  unsigned held_flags;
  time_ps turn; /* … which is then; TIME_PS_NEVER: none waits */
} rnic_sender_limits;

/* It is a part of its endpoint: only the functions below write it. */
typedef struct rnic_sender {
  rnic_sender_config config;
  mpa_framer framer;
  rnic_sender_limits *limits; /* NULL: none */
  bool is_started;
  uint32_t filled_octets; /* dynamic MULPDU: of the segment that TCP is about to fill, as far as MPA knows */
  uint32_t emss_octets;   /* the EMSS that `mulpdu_octets` is for */
  uint32_t mulpdu_octets;
  uint64_t phase_start;
  rnic_full_size full_size;
} rnic_sender;

/* Frees what it has. What its `config` points to must outlive the sender. */
void rnic_sender_clear(rnic_sender *sender);

/* FPDUs are given to TCP only while fewer than `buffer_octets` (0: unlimited) lie in its send buffer, unsent
 * and in flight, as SO_SNDBUF limits a socket. They are given whole, so that the last one may exceed the
 * limit in part; and each is given when its turn at `pace` (NULL: any) comes. */
void rnic_sender_limit(rnic_sender *sender, uint64_t buffer_octets, rnic_pace *pace);

/* The FPDU phase begins after what TCP has been given (MPA-183, MPA-190). Once. */
void rnic_sender_start(rnic_sender *sender, bool markers, bool crc);

/* ULPDUs are framed only when TCP is about to run out of octets: FPDUs cannot be taken back (MPA-043), and
 * memory stays small; and while its send buffer has room and no FPDU waits for its turn. */
bool rnic_sender_has_room(const rnic_sender *sender);

/* Returns whether an FPDU waits for its turn. */
static inline bool rnic_sender_holds(const rnic_sender *sender)
{
  return sender->limits && sender->limits->turn < TIME_PS_NEVER;
}

/* Returns when rnic_sender_run() is due (TIME_PS_NEVER). */
static inline time_ps rnic_sender_deadline(const rnic_sender *sender)
{
  return sender->limits ? sender->limits->turn : TIME_PS_NEVER;
}

/* Gives TCP the FPDU whose turn has come, or drops it when TCP takes none any more. */
void rnic_sender_run(rnic_sender *sender, bool may_send, time_ps now);

/* Frames the next ULPDU and gives its FPDU to TCP, perhaps later. False when there is none now. Started. For
 * `scope` see tcp_config. */
bool rnic_sender_send(rnic_sender *sender, trace_scope *scope, time_ps now);

/* Returns MULPDU for the next ULPDU; 0 before the start. */
uint32_t rnic_sender_mulpdu_octets(const rnic_sender *sender);
