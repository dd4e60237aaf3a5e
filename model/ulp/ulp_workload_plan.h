/* SPDX-License-Identifier: GPL-2.0-only */
/* The sequence of what a requester posts: its messages, each an operation of a mix that takes turns, and the zero-length Sends that
 * tell the peer that RDMA Writes are placed (definitions.md, Defaults). */
#ifndef ULP_ULP_WORKLOAD_PLAN_H
#define ULP_ULP_WORKLOAD_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/settings.h"
#include "ulp/ulp_operation.h"

typedef struct ulp_workload_plan {
  const choice_list *mix; /* of ulp_operation, at least one; outlives the plan */
  uint64_t messages;      /* >= 1 */
  uint64_t signal_every;  /* Writes between two signals; 0: one signal behind the last Write */
  /* Where it stands. */
  uint64_t message;    /* the next */
  uint64_t writes;     /* so far */
  bool signal_due;     /* comes before the next message */
  uint64_t all_writes; /* of the whole plan; 0: there are none, or they are not counted yet */
} ulp_workload_plan;

typedef struct ulp_workload_step {
  bool is_signal; /* nothing else counts then */
  ulp_operation operation;
  uint64_t message;
  bool invalidates_write;    /* a Send with Invalidate right behind a Write: of that Write's STag */
  bool is_invalidated_write; /* that Write */
} ulp_workload_step;

/* The next step without taking it; false when all are taken. */
bool ulp_workload_plan_peek(const ulp_workload_plan *plan, ulp_workload_step *step);

/* Takes it; there must be one. */
void ulp_workload_plan_take(ulp_workload_plan *plan);

/* Of a plan at its start: steps in all; messages that reach the ULPs of the two ends. */
uint64_t ulp_workload_plan_steps(const ulp_workload_plan *plan);
uint64_t ulp_workload_plan_arrivals(const ulp_workload_plan *plan, bool at_peer);

/* Some message of the mix is `operation`. */
bool ulp_workload_plan_has(const ulp_workload_plan *plan, ulp_operation operation);

#endif
