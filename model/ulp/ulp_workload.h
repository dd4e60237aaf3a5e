/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload of one end of a connection: what its ULP posts, answers and checks.
 *
 * A ULP has its endpoint, and an agreement with its peer; what its RNIC does it learns only through
 * rnic_verbs and from the Delivered segments, which it verifies octet by octet (docs/architecture.md, "Real
 * octets"): a message lost, duplicated or out of order and memory written outside a buffer are counted as
 * failures. */
#pragma once

#include "ulp/ulp_requests.h"

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

/* --- What it posts --- */

/* Posts the next operation and returns true; false when all are posted or it posts none, the outstanding
 * limit is reached, no buffer is free at the peer, or the endpoint takes no more. */
bool ulp_workload_post_next(ulp_workload *workload, time_ps now);

/* Returns when ulp_workload_post_next() is to be called again, when it was false because of think time;
 * TIME_PS_NEVER otherwise. */
time_ps ulp_workload_held_until(const ulp_workload *workload);

/* It is `now`, which may be the end of a closed loop's time: that ends whether it can post or not. */
void ulp_workload_note_time(ulp_workload *workload, time_ps now);

/* Open loop: the application of this ULP, which posts for itself, submits `request` (copied) after all
 * others, which waits until it can be posted; ulp_workload_end(): no more follow. Then, too, ask it to post:
 * it may be complete at once, and its peer have got everything. */
void ulp_workload_submit(ulp_workload *workload, const ulp_request *request);
void ulp_workload_end(ulp_workload *workload);

/* Returns how many messages are submitted and not posted. */
uint32_t ulp_workload_queued(const ulp_workload *workload);

/* Calls `visit` with each message that this ULP has posted, or that is submitted, and that is not complete at
 * both ends. Of those posted only if ulp_workload_config.message is set. */
void ulp_workload_each_incomplete(const ulp_workload *workload,
                                  void (*visit)(void *user, const ulp_message_times *times), void *user);

/* --- What arrives --- */

/* The wrong octets of a segment that was Delivered, before ulp_workload_delivered() of it. */
ulp_wrong_octets ulp_workload_wrong(const ulp_workload *workload, const ddp_segment *segment);

/* A segment was Delivered at `now`: verifies its octets. */
void ulp_workload_delivered(ulp_workload *workload, const ddp_segment *segment, time_ps now);

/* Takes all completions, which are of `now`, and posts the answers to what was received. */
void ulp_workload_poll(ulp_workload *workload, time_ps now);

/* --- How far it is --- */

/* All that this ULP posts for itself is complete and nothing more follows, or it posts nothing for itself;
 * all messages have reached it, and no more follow. */
bool ulp_workload_is_complete(const ulp_workload *workload);
bool ulp_workload_is_delivered(const ulp_workload *workload);

/* Returns what reached this ULP so far, and what was wrong with it. */
ulp_workload_results ulp_workload_results_of(const ulp_workload *workload);
