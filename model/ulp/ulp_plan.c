/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_plan.h"

#include <glib.h>

/* --- Operations --- */

static const ulp_operation_rules rows[ULP_OPERATIONS] = {
    [ULP_OPERATION_WRITE] = {.posted = RDMAP_WRITE, .messages_at_peer = 1},
    [ULP_OPERATION_READ] = {.posted = RDMAP_READ_REQUEST,
                            .to_requester = true,
                            .is_read = true,
                            .messages_at_requester = 1},
    [ULP_OPERATION_SEND] = {.posted = RDMAP_SEND, .is_send = true, .messages_at_peer = 1},
    [ULP_OPERATION_SEND_INVALIDATE] = {.posted = RDMAP_SEND_INVALIDATE,
                                       .is_send = true,
                                       .invalidates = true,
                                       .messages_at_peer = 1},
    [ULP_OPERATION_SEND_SE] = {.posted = RDMAP_SEND_SE, .is_send = true, .messages_at_peer = 1},
    [ULP_OPERATION_SEND_SE_INVALIDATE] = {.posted = RDMAP_SEND_SE_INVALIDATE,
                                          .is_send = true,
                                          .invalidates = true,
                                          .messages_at_peer = 1},
    [ULP_OPERATION_STORAGE_READ] = {.posted = RDMAP_SEND,
                                    .response = RDMAP_SEND_INVALIDATE,
                                    .response_octets = ULP_STORAGE_MESSAGE_OCTETS,
                                    .is_exchange = true,
                                    .to_requester = true,
                                    .messages_at_peer = 1,
                                    .messages_at_requester = 2},
    [ULP_OPERATION_STORAGE_WRITE] = {.posted = RDMAP_SEND,
                                     .response = RDMAP_SEND_SE_INVALIDATE,
                                     .response_octets = ULP_STORAGE_MESSAGE_OCTETS,
                                     .is_exchange = true,
                                     .is_read = true,
                                     .messages_at_peer = 2,
                                     .messages_at_requester = 1},
    [ULP_OPERATION_RPC] = {.posted = RDMAP_SEND,
                           .response = RDMAP_SEND,
                           .is_exchange = true,
                           .is_rpc = true,
                           .to_requester = true,
                           .is_send = true,
                           .messages_at_peer = 1,
                           .messages_at_requester = 1},
    [ULP_OPERATION_RPC_WRITE] = {.posted = RDMAP_SEND,
                                 .response = RDMAP_SEND,
                                 .is_exchange = true,
                                 .is_rpc = true,
                                 .to_requester = true,
                                 .messages_at_peer = 1,
                                 .messages_at_requester = 2},
    [ULP_OPERATION_RPC_READ] = {.posted = RDMAP_SEND,
                                .response = RDMAP_SEND,
                                .response_octets = ULP_STORAGE_MESSAGE_OCTETS,
                                .is_exchange = true,
                                .is_rpc = true,
                                .to_requester = true,
                                .is_read = true,
                                .is_fetched = true,
                                .messages_at_peer = 1,
                                .messages_at_requester = 2},
    [ULP_OPERATION_WRITE_IMMEDIATE] = {.posted = RDMAP_WRITE,
                                       .immediate = RDMAP_IMMEDIATE,
                                       .messages_at_peer = 2},
    [ULP_OPERATION_WRITE_IMMEDIATE_SE] = {.posted = RDMAP_WRITE,
                                          .immediate = RDMAP_IMMEDIATE_SE,
                                          .messages_at_peer = 2},
    [ULP_OPERATION_FETCH_ADD] = {.posted = RDMAP_ATOMIC_REQUEST,
                                 .to_requester = true,
                                 .is_atomic = true,
                                 .atomic = RDMAP_ATOMIC_FETCH_ADD,
                                 .messages_at_requester = 1},
    [ULP_OPERATION_COMPARE_SWAP] = {.posted = RDMAP_ATOMIC_REQUEST,
                                    .to_requester = true,
                                    .is_atomic = true,
                                    .atomic = RDMAP_ATOMIC_COMPARE_SWAP,
                                    .messages_at_requester = 1},
};

const ulp_operation_rules *ulp_operation_rules_of(ulp_operation operation)
{
  g_assert(operation < ULP_OPERATIONS);
  return &rows[operation];
}

ulp_mix_needs ulp_mix_needs_of(const choice_list *mix)
{
  ulp_mix_needs needs = {.sends = false};

  for (uint32_t i = 0; i < mix->count; i++) {
    ulp_operation operation = (ulp_operation)mix->values[i];
    const ulp_operation_rules *rules = ulp_operation_rules_of(operation);

    needs.sends |= rules->is_send && !rules->is_exchange;
    needs.answers |= rules->is_send && rules->is_exchange;
    needs.writes |= operation == ULP_OPERATION_WRITE;
    needs.immediates |= rules->immediate != RDMAP_WRITE;
    needs.atomics |= rules->is_atomic;
    needs.exchanges |= rules->is_exchange;
    needs.rpcs |= rules->is_rpc;
    needs.invalidates |= rules->invalidates;
    needs.renews |= rules->invalidates || (rules->is_exchange && !rules->is_rpc);
    needs.fills[!rules->to_requester] |= !rules->is_send;
    needs.reads[!rules->to_requester] |= rules->is_read;
  }
  return needs;
}

/* --- The sequence --- */

static ulp_operation operation_of(const ulp_plan *plan, uint64_t message)
{
  return (ulp_operation)plan->mix->values[plan->mix->count == 1 ? 0 : message % plan->mix->count];
}

/* Returns how many of all messages are `operation`. */
static uint64_t count_of(const ulp_plan *plan, ulp_operation operation)
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

bool ulp_plan_peek(const ulp_plan *plan, ulp_step *step)
{
  uint64_t message = plan->message;

  if (plan->signal_due) {
    *step = (ulp_step){.is_signal = true};
    return true;
  }
  if (message == plan->messages) {
    return false;
  }
  ulp_operation operation = operation_of(plan, message);
  bool after_write = message > 0 && operation_of(plan, message - 1) == ULP_OPERATION_WRITE;
  bool before_invalidation =
      message + 1 < plan->messages && ulp_operation_rules_of(operation_of(plan, message + 1))->invalidates;
  *step = (ulp_step){
      .operation = operation,
      .message = message,
      .invalidates_write = after_write && ulp_operation_rules_of(operation)->invalidates,
      .is_invalidated_write = operation == ULP_OPERATION_WRITE && before_invalidation,
  };
  return true;
}

void ulp_plan_take(ulp_plan *plan, const ulp_step *step)
{
  if (plan->signal_due) {
    plan->signal_due = false;
    return;
  }
  g_assert(plan->message < plan->messages);
  plan->message++;
  if (step->operation == ULP_OPERATION_WRITE) {
    plan->writes++;
    plan->all_writes = plan->all_writes > 0 ? plan->all_writes : count_of(plan, ULP_OPERATION_WRITE);
    plan->signal_due = plan->writes == plan->all_writes ||
                       (plan->signal_every > 0 && plan->writes % plan->signal_every == 0);
  }
}

void ulp_plan_cut(ulp_plan *plan)
{
  const bool has_signalled = plan->signal_every > 0 && plan->writes % plan->signal_every == 0;

  plan->messages = plan->message;
  plan->signal_due = plan->signal_due || (plan->writes > 0 && !has_signalled);
}

uint64_t ulp_plan_messages(const ulp_plan *plan, bool at_peer)
{
  uint64_t writes = at_peer ? count_of(plan, ULP_OPERATION_WRITE) : 0, messages = 0;

  if (writes > 0) { /* their signals */
    messages = plan->signal_every == 0 ? 1 : (writes - 1) / plan->signal_every + 1;
  }
  for (ulp_operation operation = 0; operation < ULP_OPERATIONS; operation++) {
    const ulp_operation_rules *rules = ulp_operation_rules_of(operation);
    messages +=
        count_of(plan, operation) * (at_peer ? rules->messages_at_peer : rules->messages_at_requester);
  }
  return messages;
}
