/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the inside of an endpoint, for its files: rnic_endpoint.c (from making and startup to the end), and
 * above it rnic_endpoint_reports.c (what TCP and RDMAP report) and rnic_verbs.c (what its ULP may do). */
#pragma once

#include "rnic/rnic_endpoint.h"
#include "rnic/rnic_receiver.h"
#include "rnic/rnic_sender.h"
#include "rnic/rnic_startup_phase.h"

/* How far the end of a connection is: graceful when the ULP's work is done, or by the first failure,
 * as the documents require of its layer. */
typedef enum rnic_teardown {
  RNIC_TEARDOWN_NOT,        /* nothing of it has begun */
  RNIC_TEARDOWN_DRAINS,     /* FIN when the ULP's work is done */
  RNIC_TEARDOWN_TERMINATES, /* FIN after the Terminate, or at once when none can be sent */
  RNIC_TEARDOWN_WAITS,      /* FIN when the peer's has come */
  RNIC_TEARDOWN_FIN_SENT,   /* nothing can be posted to TCP */
} rnic_teardown;

/* The ULP has not taken it yet. */
typedef struct waiting_completion {
  rdmap_completion completion;
  struct waiting_completion *next; /* after the newest one: the oldest */
} waiting_completion;

struct rnic_endpoint {
  const rnic_endpoint_events *events;
  void *user;
  rnic_sender sender;          /* started in full operation; its config has TCP and the stream of RDMAP */
  rnic_receiver receiver;      /* the same */
  rnic_startup_phase *startup; /* NULL in full operation */
  waiting_completion *newest_completion; /* NULL: there is none */
  rnic_host *host;
  rnic_admission *admission; /* NULL: every segment is taken */
  enum side role : 8;        /* idle pairs are many (tests/ulp/test_ulp_idle) */
  rnic_teardown teardown : 8;
  iwarp_generation generation : 8;
  bool closes_by_fin; /* what ends at once, too (note M44) */
  bool has_failed;    /* and the ULP knows */
  bool opens;         /* TCP actively */
  bool may_reply;     /* with FPDUs: it is the Initiator, or has received one (mpa-01 §6.1 rule 4) */
  bool is_mute;       /* it may not send FPDUs, and will never be allowed to */
};

/* TCP and RDMAP report these to an endpoint; `inspecting` is called before TCP takes a segment, too. */
extern const tcp_events rnic_endpoint_tcp_events;
extern const tcp_events rnic_endpoint_tcp_events_inspecting;
extern const rdmap_stream_events rnic_endpoint_rdmap_events;

/* The stream ends without a word of RDMAP's: at this end's own will, because it can never send another FPDU,
 * or since the peer's FIN came during startup (mpa-01 §7, code 1: MPA-276). */
static const rnic_failure rnic_closed = {.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED};

static inline bool rnic_endpoint_is_in_full_operation(const rnic_endpoint *endpoint)
{
  return endpoint->receiver.is_started;
}

/* mpa-01 §6.1 rule 4: the Responder sends no FPDU before it has received and validated one (MPA-219), not
 * even a Terminate (note M37). In full operation. */
static inline bool rnic_endpoint_may_reply(rnic_endpoint *endpoint)
{
  endpoint->may_reply = endpoint->may_reply || rnic_receiver_statistics(&endpoint->receiver)->fpdus > 0;
  return endpoint->may_reply;
}

/* Does what the startup phase's last step asks for. */
void rnic_endpoint_follow_startup(rnic_endpoint *endpoint, time_ps now);

/* The ULP gets `completion`. */
void rnic_endpoint_complete(void *user, const rdmap_completion *completion, time_ps now);

/* The connection ends for `failure`, of which the ULP learns unless it has failed before, and FIN follows.
 * Nothing is sent of RDMAP's, whose work completes in error. */
void rnic_endpoint_end_silently(rnic_endpoint *endpoint, rnic_failure failure, time_ps now);

/* The connection ends for `failure` as above, but gracefully: FIN follows the Terminate, if this end has one
 * to send. */
void rnic_endpoint_terminate(rnic_endpoint *endpoint, rnic_failure failure, time_ps now);
