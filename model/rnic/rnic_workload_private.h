/* The inside of a workload, for its files: rnic_workload.c (what is posted when, and what follows from what arrives),
 * rnic_workload_memory.c (buffers and STags), rnic_workload_work.c (one operation). */
#ifndef RNIC_RNIC_WORKLOAD_PRIVATE_H
#define RNIC_RNIC_WORKLOAD_PRIVATE_H

#include "base/element_array.h"
#include "rnic/rnic_arrivals.h"
#include "rnic/rnic_workload.h"
#include "rnic/rnic_workload_slots.h"

/* What a posted operation, or a message that arrives, is about. */
typedef enum work_meaning {
  MEANING_DATA,     /* a message of the plan that is one operation */
  MEANING_SIGNAL,   /* the Send behind Writes */
  MEANING_REQUEST,  /* of a storage exchange */
  MEANING_TRANSFER, /* its data, by the peer's Write or Read */
  MEANING_RESPONSE, /* its end */
} work_meaning;

/* What one end does for itself. */
typedef struct workload_flow {
  mpa_role requester;
  rnic_workload_plan plan;
  uint64_t steps;
  uint64_t arrivals_at_requester; /* messages that reach the ULPs */
  uint64_t arrivals_at_peer;
  uint64_t posted; /* steps */
  uint64_t completed;
  bool waits;                                    /* for a buffer */
  rnic_workload_slots *data[RNIC_WORKLOAD_ENDS]; /* Tagged Buffers at each end; NULL: it needs none */
  rnic_workload_slot *written; /* by the Write before, when the next Send invalidates its STag; else NULL */
} workload_flow;

/* An operation that was posted; completions come in this order (RDMAP-196). */
typedef struct posted_work {
  work_meaning meaning;
  rnic_operation operation; /* of the flow's message */
  workload_flow *flow;
  rnic_workload_slot *slot;
  bool keeps_slot; /* a Write whose STag the next Send invalidates: the slot stays in use until then */
} posted_work;

typedef struct workload_end {
  rnic_endpoint *endpoint;
  rnic_arrivals *arrivals;
  rnic_workload_slots *receives; /* buffers for Sends */
  uint64_t receives_reserved;    /* of the free ones, for responses */
  element_array posted;          /* of posted_work, oldest first */
  uint64_t posted_count;         /* so far: the id of the next */
  uint64_t completed_count;
  uint64_t order_errors; /* completions that are not the next ones */
  uint64_t guard_errors;
} workload_end;

struct rnic_workload {
  rnic_workload_config config;
  workload_end ends[RNIC_WORKLOAD_ENDS];
  workload_flow flows[RNIC_WORKLOAD_ENDS]; /* by requester; without steps: none */
};

static inline mpa_role peer_of(mpa_role side)
{
  return side == MPA_INITIATOR ? MPA_RESPONDER : MPA_INITIATOR;
}

/* --- Memory --- */

/* All of one end's, before the run. */
void rnic_workload_lend_end(const rnic_workload *workload, mpa_role side);

/* `slot` of `flow`'s data at `side` was verified: checks its guards and gives it to who waits for it. */
void rnic_workload_release_data(rnic_workload *workload, workload_flow *flow, mpa_role side,
                                rnic_workload_slot *slot);

/* The buffer of `send` is the ULP's again and is posted anew; its token, if that was invalidated, gets a successor. */
void rnic_workload_repost(rnic_workload *workload, mpa_role side, const rnic_arrival *send);

/* Data that the Send with Invalidate `send` ends: its STag at `side` is gone, and the slot is lent anew. */
void rnic_workload_end_invalidated(rnic_workload *workload, mpa_role side, const rnic_arrival *send);

/* --- Work --- */

/* What a Send carries besides its payload. */
typedef struct send_details {
  uint32_t length;
  uint64_t payload;
  rdmap_operation operation;
  uint32_t invalidated_stag; /* of the INVALIDATE operations; 0: the token of its buffer */
} send_details;

/* Each posts one operation of `side` and has its other end expect what comes of it; false when the connection has ended. A Send goes into
 * the peer's next buffer, which is free. */
bool rnic_workload_post_send(rnic_workload *workload, mpa_role side, const posted_work *what,
                             const send_details *details);
bool rnic_workload_post_write(rnic_workload *workload, mpa_role side, const posted_work *what);
bool rnic_workload_post_read(rnic_workload *workload, mpa_role side, const posted_work *what);

/* Octets of the flow's message `message`. */
uint32_t rnic_workload_length_of(const rnic_workload *workload, uint64_t message);

/* Where in the table a message starts: each message of each end, each request and each response has its own. */
uint64_t rnic_workload_payload_of(const rnic_workload *workload, const workload_flow *flow,
                                  work_meaning meaning, uint64_t message);

#endif
