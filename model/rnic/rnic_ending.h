/* How one end of a connection comes to its end: gracefully when the ULP's work is done, or by the first failure, as the documents say for
 * its layer: a Terminate and FIN, FIN alone, or RST. */
#ifndef RNIC_RNIC_ENDING_H
#define RNIC_RNIC_ENDING_H

#include <stdbool.h>

#include "rdmap/rdmap_stream.h"
#include "rnic/rnic_failure.h"
#include "tcp/tcp_transport.h"

typedef struct rnic_ending_config {
  tcp_transport *tcp;
  rdmap_stream *stream;
  iwarp_generation generation;
  bool resets; /* what ends at once ends by RST, not by FIN (notes-mpa 44) */
  /* The first failure, once at most. */
  void (*failed)(void *user, const rnic_failure *failure, time_ps now);
  void *user;
} rnic_ending_config;

typedef enum rnic_ending_phase {
  RNIC_ENDING_NOT,        /* nothing of it has begun */
  RNIC_ENDING_DRAINS,     /* FIN when the ULP's work is done */
  RNIC_ENDING_TERMINATES, /* FIN behind the Terminate, or at once when none can be sent */
  RNIC_ENDING_WAITS,      /* FIN when the peer's has come */
  RNIC_ENDING_FIN_SENT,
} rnic_ending_phase;

/* A part of its endpoint: written only by the functions below. */
typedef struct rnic_ending {
  rnic_ending_config config;
  rnic_ending_phase phase;
  bool has_failed;
} rnic_ending;

/* `config` is copied, what it points to must outlive the ending. There is nothing to free. */
void rnic_ending_init(rnic_ending *ending, const rnic_ending_config *config);

/* The ULP asks for a graceful end: no more operations (DDP-126), FIN when all is done. Idempotent. */
void rnic_ending_close(rnic_ending *ending);

/* Each tells of `failure` unless there was one before, and FIN follows:
 * after_terminate: behind the Terminate that RDMAP has ready, or has none (rdmap-00 §8.2.1, RDMAP-223);
 * silently: without a word of RDMAP's, whose work completes in error;
 * at_once: the same by RST, if the configuration says so (mpa-01 §7, MPA-280). */
void rnic_ending_after_terminate(rnic_ending *ending, rnic_failure *failure, time_ps now);
void rnic_ending_silently(rnic_ending *ending, rnic_failure *failure, time_ps now);
void rnic_ending_at_once(rnic_ending *ending, rnic_failure *failure, time_ps now);

/* As silently, but FIN follows only when the peer has sent its own: this end keeps the connection open. */
void rnic_ending_when_peer_does(rnic_ending *ending, rnic_failure *failure, time_ps now);

/* The peer has sent FIN. */
void rnic_ending_peer_finished(rnic_ending *ending);

/* TCP's connection is lost: nothing more can be done. */
void rnic_ending_lost(rnic_ending *ending, rnic_failure *failure, time_ps now);

/* Sends FIN if it is due. `may_send`: RDMAP's messages can still go out; `is_working`: full operation has begun. */
void rnic_ending_run(rnic_ending *ending, bool may_send, bool is_working);

/* A failure was told; FIN was sent: nothing can be posted to TCP; the ULP has asked for the end, or anything above happened. */
static inline bool rnic_ending_has_failed(const rnic_ending *ending)
{
  return ending->has_failed;
}

static inline bool rnic_ending_fin_is_sent(const rnic_ending *ending)
{
  return ending->phase == RNIC_ENDING_FIN_SENT;
}

static inline bool rnic_ending_has_begun(const rnic_ending *ending)
{
  return ending->phase != RNIC_ENDING_NOT;
}

#endif
