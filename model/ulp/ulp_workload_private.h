/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a workload, for its files: ulp_workload.c (memory, answers, completions) and above it
 * ulp_requester.c (what an end posts for itself). */
#pragma once

#include "ulp/ulp_delivery_check.h"
#include "ulp/ulp_slots.h"
#include "ulp/ulp_workload.h"

/* What a posted operation, or a message that arrives, is about. */
typedef enum work_meaning {
  MEANING_DATA,     /* a message of the plan that is one operation */
  MEANING_SIGNAL,   /* the Send after Writes */
  MEANING_REQUEST,  /* of a storage exchange */
  MEANING_TRANSFER, /* its data, by the peer's Write or Read */
  MEANING_RESPONSE, /* its end */
} work_meaning;

/* What one end does for itself. */
typedef struct workload_flow {
  enum side requester;
  bool waits; /* for a buffer */
  ulp_plan plan;
  uint64_t steps;
  uint64_t messages_at_requester; /* messages that reach the ULPs */
  uint64_t messages_at_peer;
  uint64_t posted; /* steps */
  uint64_t completed;
  ulp_slots *data[SIDES]; /* Tagged Buffers at each end; NULL: it needs none */
  ulp_slot *written;      /* by the Write before, when the next Send invalidates its STag; else NULL */
} workload_flow;

/* An operation that was posted and waits for its completion; those come in this order (RDMAP-196). */
typedef struct posted_work {
  work_meaning meaning;
  ulp_operation operation; /* of the flow's message */
  workload_flow *flow;
  ulp_slot *slot;
  bool keeps_slot; /* a Write whose STag the next Send invalidates: the slot stays in use until then */
  struct posted_work *next;
} posted_work;

typedef struct workload_end {
  rnic_endpoint *endpoint;
  ulp_delivery_check *check;  /* NULL: nothing was ever expected */
  ulp_slots *receives;        /* buffers for Sends */
  uint32_t receives_reserved; /* of the free ones, for responses */
  uint32_t guard_errors;
  posted_work *oldest; /* NULL: nothing is posted */
  posted_work *newest;
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

/* What a Send carries besides its payload. */
typedef struct send_details {
  uint32_t length;
  uint64_t payload;
  rdmap_operation operation;
  uint32_t invalidated_stag; /* of the INVALIDATE operations; 0: the token of its buffer */
} send_details;

/* Where in the table a message starts: each message of each end, each request and each response has its
 * own. */
uint64_t ulp_workload_payload(const ulp_workload *workload, const workload_flow *flow, work_meaning meaning,
                              uint64_t message);

/* The ULP of `side` posts `what`, which its peer's ULP, or of a Read its own, expects from then on: a Send
 * goes into the peer's next buffer, which is free. False when the connection has ended, and nothing will take
 * its buffer any more. */
bool ulp_workload_post_send(ulp_workload *workload, enum side side, const posted_work *what,
                            const send_details *details);
bool ulp_workload_post_write(ulp_workload *workload, enum side side, const posted_work *what);
bool ulp_workload_post_read(ulp_workload *workload, enum side side, const posted_work *what);
