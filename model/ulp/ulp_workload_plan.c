/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_workload_plan.h"

#include <glib.h>

static ulp_operation operation_of(const ulp_workload_plan *plan, uint64_t message)
{
  return (ulp_operation)plan->mix->values[plan->mix->count == 1 ? 0 : message % plan->mix->count];
}

/* How many of all messages are `operation`. */
static uint64_t count_of(const ulp_workload_plan *plan, ulp_operation operation)
{
  uint64_t rounds = plan->messages / plan->mix->count;
  uint64_t count = 0;

  for (uint32_t i = 0; i < plan->mix->count; i++) {
    if (plan->mix->values[i] == operation) {
      count += rounds + (i < plan->messages % plan->mix->count);
    }
  }
  return count;
}

/* Whether a signal follows the Write taken last. */
static bool is_signalled(ulp_workload_plan *plan)
{
  if (plan->all_writes == 0) {
    plan->all_writes = count_of(plan, ULP_OPERATION_WRITE);
  }
  return plan->writes == plan->all_writes ||
         (plan->signal_every > 0 && plan->writes % plan->signal_every == 0);
}

bool ulp_workload_plan_peek(const ulp_workload_plan *plan, ulp_workload_step *step)
{
  uint64_t message = plan->message;

  if (plan->signal_due) {
    *step = (ulp_workload_step){.is_signal = true};
    return true;
  }
  if (message == plan->messages) {
    return false;
  }
  ulp_operation operation = operation_of(plan, message);
  bool behind_write = message > 0 && operation_of(plan, message - 1) == ULP_OPERATION_WRITE;
  bool before_invalidation =
      message + 1 < plan->messages && ulp_operation_rules_of(operation_of(plan, message + 1))->invalidates;
  *step = (ulp_workload_step){
      .operation = operation,
      .message = message,
      .invalidates_write = behind_write && ulp_operation_rules_of(operation)->invalidates,
      .is_invalidated_write = operation == ULP_OPERATION_WRITE && before_invalidation,
  };
  return true;
}

void ulp_workload_plan_take(ulp_workload_plan *plan)
{
  if (plan->signal_due) {
    plan->signal_due = false;
    return;
  }
  g_assert(plan->message < plan->messages);
  if (operation_of(plan, plan->message++) == ULP_OPERATION_WRITE) {
    plan->writes++;
    plan->signal_due = is_signalled(plan);
  }
}

static uint64_t signals_of(const ulp_workload_plan *plan)
{
  uint64_t writes = count_of(plan, ULP_OPERATION_WRITE);

  if (writes == 0) {
    return 0;
  }
  return plan->signal_every == 0 ? 1 : (writes - 1) / plan->signal_every + 1;
}

uint64_t ulp_workload_plan_steps(const ulp_workload_plan *plan)
{
  return plan->messages + signals_of(plan);
}

uint64_t ulp_workload_plan_arrivals(const ulp_workload_plan *plan, bool at_peer)
{
  uint64_t arrivals = at_peer ? signals_of(plan) : 0;

  for (ulp_operation operation = 0; operation < ULP_OPERATIONS; operation++) {
    const ulp_operation_rules *rules = ulp_operation_rules_of(operation);
    arrivals +=
        count_of(plan, operation) * (at_peer ? rules->arrivals_at_peer : rules->arrivals_at_requester);
  }
  return arrivals;
}

bool ulp_workload_plan_has(const ulp_workload_plan *plan, ulp_operation operation)
{
  bool found = false;

  for (uint32_t i = 0; i < plan->mix->count; i++) {
    found = found || plan->mix->values[i] == operation;
  }
  return found;
}
