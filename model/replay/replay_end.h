/* The measured end of one replayed connection: an endpoint of the model on a TCP that is fed from the capture (replay_transport), and a ULP that
 * has ready whatever the traffic needs. */
#ifndef REPLAY_REPLAY_END_H
#define REPLAY_REPLAY_END_H

#include "engine/engine.h"
#include "replay/replay_lessons.h"
#include "rnic/rnic_endpoint.h"
#include "scenario/scenario.h"
#include "sim/sim_recorder.h"

typedef struct replay_end replay_end;

typedef struct replay_end_events {
  /* The connection has come to an end that is none of a connection whose work is done; see rnic_endpoint_events. */
  void (*failed)(void *user, uint32_t index, const rnic_failure *failure, time_ps now);
} replay_end_events;

/* What the ends of a replay share. */
typedef struct replay_end_place {
  const scenario *s; /* complete */
  const replay_lessons *lessons;
  engine *clock;
  rnic_host *host;
  uint32_t protection_domain; /* of all of them: STags of captured connections may be of any */
  sim_recorder *recorder;
  replay_end_events events;
  void *user;
} replay_end_place;

/* The end of connection `index`; `place` must outlive it. Free with replay_end_free() (NULL is allowed). */
replay_end *replay_end_new(const replay_end_place *place, uint32_t index);
void replay_end_free(replay_end *end);

/* A packet has arrived; the caller keeps its reference. */
void replay_end_receive(replay_end *end, const datagram *packet, time_ps now);

/* The real end has sent the segment with this header. */
void replay_end_sent(replay_end *end, const tcp_header *header, uint32_t payload_octets);

/* Whether a segment of the peer's with `length` octets of payload from `sequence` on, and perhaps a FIN, has arrived whole: nothing of it is
 * missing. True as well of one that the replay does not heed. */
bool replay_end_has(const replay_end *end, uint32_t sequence, uint32_t length, bool fin);

/* Octets in front of some that came, or those themselves, have not been taken. */
bool replay_end_lacks_octets(const replay_end *end);

const rnic_endpoint *replay_end_endpoint(const replay_end *end);

/* What was Delivered to its ULP: RDMA Writes, Read Responses and Sends, and their payload. */
uint64_t replay_end_messages(const replay_end *end);
uint64_t replay_end_octets(const replay_end *end);

#endif
