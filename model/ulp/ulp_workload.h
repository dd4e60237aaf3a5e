/* SPDX-License-Identifier: GPL-2.0-only */
/* The workload of one connection: what the ULPs of its two ends post, lend, answer and check.
 *
 * One object for both ends: they agreed on addresses before the run, and a slot's next user is announced at
 * once when its last was verified. It learns what each end's RNIC does only through rnic_verbs and from the
 * Delivered segments, which it verifies octet by octet (docs/architecture.md, "Real octets"): a message lost,
 * duplicated or out of order and memory written outside a buffer are counted as failures. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/pattern.h"
#include "base/settings.h"
#include "base/side.h"
#include "rnic/rnic_verbs.h"
#include "ulp/ulp_delivery_check.h"
#include "ulp/ulp_plan.h"

typedef struct ulp_workload ulp_workload;

enum {
  /* Octets of a storage exchange's request and of its response: as iSCSI's header has (RFC 7143 §11.2.1). */
  ULP_STORAGE_MESSAGE_OCTETS = 48,
};

/* What the workloads of all connections of a run have in common. */
typedef struct ulp_workload_config {
  choice_list mix;             /* of ulp_operation, at least one: messages take turns */
  bool both;                   /* the Responder does the same towards the Initiator */
  bool fence;                  /* every operation is fenced */
  uint32_t message_octets;     /* of each message; with message_sizes the largest of them */
  number_list message_sizes;   /* of the messages in turn; empty: message_octets. Outlives the workload */
  uint64_t messages;           /* >= 1 */
  uint64_t signal_every;       /* Writes between two Sends that signal them; 0: one after the last Write */
  uint64_t outstanding;        /* operations of a requester posted and not completed, at most; 0: no limit */
  uint64_t in_flight_octets;   /* stream octets that can be posted and undelivered: sizes the buffers */
  ddp_association association; /* of the STags */
  const pattern *table;
  /* `side` waited for a buffer of its peer's and one has come free: ulp_workload_post_next() may succeed
   * again. `user` is the workload's. NULL: nothing is reported. */
  void (*can_post)(void *user, enum side side);
} ulp_workload_config;

typedef struct ulp_workload_results {
  uint64_t messages_expected;  /* that are to reach the ULP of this end */
  uint64_t messages_delivered; /* to the ULP of this end; Sends without payload included */
  uint64_t octets_delivered;
  uint64_t octets_wrong; /* payload octets that differ from what was sent */
  uint64_t order_errors; /* segments Delivered, or completions, that are not the next ones */
  uint64_t guard_errors; /* messages beside whose buffer memory was written */
} ulp_workload_results;

/* Whether the ULP of `side` posts operations of its own accord, and not only what answers the peer's. */
bool ulp_workload_posts(const ulp_workload_config *config, enum side side);

/* The workload of connection number `connection`, which is part of what makes each message's payload
 * different. `config` and what it points to must outlive it. Free with ulp_workload_free(), after the
 * endpoints and before their hosts. */
ulp_workload *ulp_workload_new(const ulp_workload_config *config, uint32_t connection, void *user);
void ulp_workload_free(ulp_workload *workload);

/* The ULPs register their memory with the endpoints and post their receives. Once, before anything else. */
void ulp_workload_lend(ulp_workload *workload, rnic_endpoint *const endpoints[SIDES]);

/* The ULP of `side` posts its next operation and returns true; false when all are posted or it posts none,
 * the outstanding limit is reached, no buffer is free at the peer, or the endpoint takes no more. */
bool ulp_workload_post_next(ulp_workload *workload, enum side side);

/* The wrong octets of a segment that was Delivered at `side`, before ulp_workload_delivered() of it. */
ulp_wrong_octets ulp_workload_wrong(const ulp_workload *workload, enum side side, const ddp_segment *segment);

/* A segment was Delivered at `side`: verifies its octets. */
void ulp_workload_delivered(ulp_workload *workload, enum side side, const ddp_segment *segment);

/* Takes all completions of `side`, and posts the answers to what was received. */
void ulp_workload_poll(ulp_workload *workload, enum side side);

/* All that `side` posts for itself is complete; it posts nothing for itself; all messages have reached the
 * ULPs they go to. */
bool ulp_workload_is_requester(const ulp_workload *workload, enum side side);
bool ulp_workload_is_complete(const ulp_workload *workload);
bool ulp_workload_is_delivered(const ulp_workload *workload);

/* What reached the ULP of `side` so far, and what was wrong with it. */
ulp_workload_results ulp_workload_results_of(const ulp_workload *workload, enum side side);
