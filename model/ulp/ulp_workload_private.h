/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a workload, for its files: ulp_workload.c (what is posted when, and what follows from what arrives),
 * ulp_workload_memory.c (buffers and STags), ulp_workload_work.c (one operation). */
#ifndef ULP_ULP_WORKLOAD_PRIVATE_H
#define ULP_ULP_WORKLOAD_PRIVATE_H

#include "ulp/ulp_arrivals.h"
#include "ulp/ulp_workload.h"
#include "ulp/ulp_workload_slots.h"

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
  enum side requester;
  bool waits; /* for a buffer */
  ulp_workload_plan plan;
  uint64_t steps;
  uint64_t arrivals_at_requester; /* messages that reach the ULPs */
  uint64_t arrivals_at_peer;
  uint64_t posted; /* steps */
  uint64_t completed;
  ulp_workload_slots *data[SIDES]; /* Tagged Buffers at each end; NULL: it needs none */
  ulp_workload_slot *written; /* by the Write before, when the next Send invalidates its STag; else NULL */
} workload_flow;

/* An operation that was posted; completions come in this order (RDMAP-196). */
typedef struct posted_work {
  work_meaning meaning;
  ulp_operation operation; /* of the flow's message */
  workload_flow *flow;
  ulp_workload_slot *slot;
  bool keeps_slot; /* a Write whose STag the next Send invalidates: the slot stays in use until then */
} posted_work;

/* One that waits for its completion. */
typedef struct waiting_work {
  posted_work work;
  struct waiting_work *next;
} waiting_work;

typedef struct workload_end {
  rnic_endpoint *endpoint;
  ulp_arrivals *arrivals;       /* NULL: nothing was ever expected */
  ulp_workload_slots *receives; /* buffers for Sends */
  uint32_t receives_reserved;   /* of the free ones, for responses */
  uint32_t guard_errors;
  waiting_work *oldest; /* of what is posted; NULL: nothing */
  waiting_work *newest;
  uint64_t posted_count; /* so far: the id of the next */
  uint64_t completed_count;
  uint64_t order_errors; /* completions that are not the next ones */
} workload_end;

struct ulp_workload {
  const ulp_workload_config *config;
  void *user;
  uint32_t connection;
  workload_end ends[SIDES];
  workload_flow *flows[SIDES]; /* by requester; NULL: it posts nothing for itself */
};

/* Some message that `requester` posts for itself is `operation`. */
static inline bool flow_has(const ulp_workload *workload, enum side requester, ulp_operation operation)
{
  const workload_flow *flow = workload->flows[requester];

  return flow && ulp_workload_plan_has(&flow->plan, operation);
}

/* Those of `side`, made when something is expected or comes first. */
ulp_arrivals *ulp_workload_arrivals(ulp_workload *workload, enum side side);

/* --- Memory --- */

/* All of one end's, before the run. */
void ulp_workload_lend_end(const ulp_workload *workload, enum side side);

/* The next slot of `flow`'s data at `side`, or buffer for a Send to `side`, for a message that starts at `payload` of the table; there is
 * one. Its STags are valid until it is released or posted anew. */
ulp_workload_slot *ulp_workload_take_data(ulp_workload *workload, workload_flow *flow, enum side side,
                                          uint64_t payload);
ulp_workload_slot *ulp_workload_take_receive(ulp_workload *workload, enum side side, uint64_t payload);

/* `slot` of `flow`'s data at `side` was verified: checks its guards and gives it to who waits for it. */
void ulp_workload_release_data(ulp_workload *workload, workload_flow *flow, enum side side,
                               ulp_workload_slot *slot);

/* The buffer of `send` is the ULP's again and is posted anew; its token, if that was invalidated, gets a successor. */
void ulp_workload_repost(ulp_workload *workload, enum side side, const ulp_arrival *send);

/* Data that the Send with Invalidate `send` ends: its STag at `side` is gone, and the slot is lent anew. */
void ulp_workload_end_invalidated(ulp_workload *workload, enum side side, const ulp_arrival *send);

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
bool ulp_workload_post_send(ulp_workload *workload, enum side side, const posted_work *what,
                            const send_details *details);
bool ulp_workload_post_write(ulp_workload *workload, enum side side, const posted_work *what);
bool ulp_workload_post_read(ulp_workload *workload, enum side side, const posted_work *what);

/* Octets of the flow's message `message`. */
uint32_t ulp_workload_length_of(const ulp_workload *workload, uint64_t message);

/* Where in the table a message starts: each message of each end, each request and each response has its own. */
uint64_t ulp_workload_payload_of(const ulp_workload *workload, const workload_flow *flow,
                                 work_meaning meaning, uint64_t message);

#endif
