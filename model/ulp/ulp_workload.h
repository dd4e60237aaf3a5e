/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload of one end of a connection: what its ULP posts, answers and checks.
 *
 * A ULP has its endpoint, and an agreement with its peer; what its RNIC does it learns only through
 * rnic_verbs and from the Delivered segments, which it verifies octet by octet (docs/architecture.md, "Real
 * octets"): a message lost, duplicated or out of order and memory written outside a buffer are counted as
 * failures. */
#pragma once

#include "ulp/ulp_agreement.h"

typedef struct ulp_workload ulp_workload;

typedef struct ulp_workload_results {
  uint64_t messages_expected;  /* that are to reach the ULP of this end */
  uint64_t messages_delivered; /* to the ULP of this end; Sends without payload included */
  uint64_t octets_delivered;
  uint64_t octets_wrong; /* payload octets that differ from what was sent */
  uint64_t order_errors; /* segments Delivered, or completions, that are not the next ones */
  uint64_t guard_errors; /* messages beside whose buffer memory was written */
} ulp_workload_results;

/* The ULP of the end of `side`, which lends its memory to its peer and posts its receives: before anything
 * else. Free with ulp_workload_free() (NULL is allowed), after the endpoints and before their hosts. */
ulp_workload *ulp_workload_new(ulp_agreement *agreement, enum side side, rnic_endpoint *endpoint);
void ulp_workload_free(ulp_workload *workload);

/* Posts the next operation and returns true; false when all are posted or it posts none, the outstanding
 * limit is reached, no buffer is free at the peer, or the endpoint takes no more. */
bool ulp_workload_post_next(ulp_workload *workload);

/* The wrong octets of a segment that was Delivered, before ulp_workload_delivered() of it. */
ulp_wrong_octets ulp_workload_wrong(const ulp_workload *workload, const ddp_segment *segment);

/* A segment was Delivered: verifies its octets. */
void ulp_workload_delivered(ulp_workload *workload, const ddp_segment *segment);

/* Takes all completions, and posts the answers to what was received. */
void ulp_workload_poll(ulp_workload *workload);

/* All that this ULP posts for itself is complete, or it posts nothing for itself; all messages have reached
 * it. */
bool ulp_workload_is_complete(const ulp_workload *workload);
bool ulp_workload_is_delivered(const ulp_workload *workload);

/* Returns what reached this ULP so far, and what was wrong with it. */
ulp_workload_results ulp_workload_results_of(const ulp_workload *workload);
