/* The inside of an endpoint, for its files: rnic_endpoint.c (making, sending, time), rnic_endpoint_llp.c (what TCP tells),
 * rnic_endpoint_rdmap.c (what RDMAP tells). */
#ifndef RNIC_RNIC_ENDPOINT_PRIVATE_H
#define RNIC_RNIC_ENDPOINT_PRIVATE_H

#include "rnic/rnic_ending.h"
#include "rnic/rnic_endpoint.h"
#include "rnic/rnic_receiver_private.h"
#include "rnic/rnic_sender_private.h"

struct rnic_endpoint {
  const rnic_endpoint_events *events;
  void *user;
  tcp_transport *tcp;
  rnic_sender sender;     /* started in full operation */
  rnic_receiver receiver; /* the same */
  rdmap_stream *stream;
  rnic_startup_phase *startup;        /* NULL in full operation */
  rnic_completion_queue *completions; /* NULL: there was none yet */
  rnic_host *host;
  const rnic_misbehaviour *fault; /* NULL: none */
  rnic_admission *admission;      /* NULL: every segment is taken */
  rnic_ending ending;
  ddp_stream_identity identity;
  enum side role;
  bool opens;     /* TCP actively */
  bool may_reply; /* with FPDUs: it is the Initiator, or has received one (mpa-01 §6.1 rule 4) */
  bool is_mute;   /* it may not send FPDUs, and will never be allowed to */
};

static inline bool rnic_endpoint_is_in_full_operation(const rnic_endpoint *endpoint)
{
  return rnic_receiver_is_started(&endpoint->receiver);
}

/* mpa-01 §6.1 rule 4: the Responder sends no FPDU before it has received and validated one (MPA-219), not even a Terminate
 * (notes-mpa 37). In full operation. */
static inline bool rnic_endpoint_may_reply(rnic_endpoint *endpoint)
{
  endpoint->may_reply = endpoint->may_reply || rnic_receiver_statistics(&endpoint->receiver)->fpdus > 0;
  return endpoint->may_reply;
}

/* What TCP tells an endpoint; with `inspects` before it takes a segment, too. Static. */
const tcp_events *rnic_endpoint_tcp_events(bool inspects);

/* What RDMAP tells an endpoint. Static. */
const rdmap_stream_events *rnic_endpoint_rdmap_events(void);

/* Does what the startup phase's last step asks for. */
void rnic_endpoint_follow_startup(rnic_endpoint *endpoint, time_ps now);

/* The ULP gets the peer's Private Data; a rnic_startup_phase_observer. */
void rnic_endpoint_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now);

/* For tests: TCP's path MTU changed: new FPDUs are made for the new EMSS, those posted stay as they are (MPA-152, notes-mpa 26). */
void rnic_endpoint_set_send_mtu(rnic_endpoint *endpoint, uint32_t mtu_octets);

#endif
