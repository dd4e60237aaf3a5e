/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers and STags of a workload. */
#include <glib.h>

#include "ulp/ulp_workload_private.h"

/* --- Lending: the STags of all slots; memory comes with the messages --- */

static void lend(const ulp_workload *workload, enum side side, ulp_workload_slots *slots, uint32_t index,
                 ulp_slot_stag which)
{
  ulp_workload_slots_set_stag(slots, index, which, rnic_allocate_stag(workload->ends[side].endpoint));
}

static void lend_data(const ulp_workload *workload, const workload_flow *flow, enum side side)
{
  ulp_workload_slots *slots = flow->data[side];
  const ulp_workload_plan *plan = &flow->plan;
  bool is_read =
      ulp_workload_plan_has(plan, side == flow->requester ? ULP_OPERATION_READ : ULP_OPERATION_STORAGE_WRITE);

  for (uint32_t i = 0; slots && i < ulp_workload_slots_count(slots); i++) {
    lend(workload, side, slots, i, ULP_SLOT_STAG);
    if (is_read) {
      lend(workload, side_peer(side), slots, i, ULP_SLOT_SOURCE_STAG);
    }
  }
}

static bool needs_tokens(const ulp_workload *workload, enum side side)
{
  return flow_has(workload, side_peer(side), ULP_OPERATION_SEND_INVALIDATE) ||
         flow_has(workload, side_peer(side), ULP_OPERATION_SEND_SE_INVALIDATE);
}

static void lend_receives(const ulp_workload *workload, enum side side)
{
  const workload_end *end = &workload->ends[side];
  if (!end->receives) {
    return;
  }
  uint32_t count = ulp_workload_slots_count(end->receives);

  rnic_supply_receives(end->endpoint, ulp_workload_slots_memory, end->receives);
  rnic_post_receives(end->endpoint, count, ulp_workload_slots_octets(end->receives), 0);
  for (uint32_t i = 0; needs_tokens(workload, side) && i < count; i++) {
    lend(workload, side, end->receives, i, ULP_SLOT_STAG);
  }
}

void ulp_workload_lend_end(const ulp_workload *workload, enum side side)
{
  lend_receives(workload, side);
  for (enum side requester = 0; requester < SIDES; requester++) {
    if (workload->flows[requester]) {
      lend_data(workload, workload->flows[requester], side);
    }
  }
}

/* --- Slots that are taken --- */

static void enable(const ulp_workload *workload, enum side side, rnic_memory *memory, uint32_t stag)
{
  memory->association = workload->config->association;
  bool is_registered = rnic_register_as(workload->ends[side].endpoint, memory, stag);
  g_assert(is_registered);
}

/* A Tagged Buffer of `side`, for the peer's Writes and for Read Responses. */
static void enable_sink(const ulp_workload *workload, enum side side, ulp_workload_slot *slot)
{
  rnic_memory memory = {.supply = ulp_workload_slot_supply,
                        .source_user = slot,
                        .length = workload->config->message_octets,
                        .base = slot->base,
                        .access = DDP_ACCESS_REMOTE_WRITE,
                        .is_remotely_invalidatable = true};

  enable(workload, side, &memory, slot->stag);
}

/* The message of `slot` where it comes from, for RDMA Reads. */
static void enable_source(const ulp_workload *workload, enum side side, ulp_workload_slot *slot)
{
  rnic_memory memory = {.source = ulp_workload_slot_payload,
                        .source_user = slot,
                        .length = workload->config->message_octets,
                        .base = slot->source_base,
                        .access = DDP_ACCESS_REMOTE_READ,
                        .is_remotely_invalidatable = true};

  enable(workload, side, &memory, slot->source_stag);
}

ulp_workload_slot *ulp_workload_take_data(ulp_workload *workload, workload_flow *flow, enum side side,
                                          uint64_t payload)
{
  ulp_workload_slot *slot = ulp_workload_slots_take(flow->data[side], payload);

  enable_sink(workload, side, slot);
  if (slot->source_stag) {
    enable_source(workload, side_peer(side), slot);
  }
  return slot;
}

/* An STag without rights for a Send with Invalidate that has no Write's to invalidate: that of its own buffer. */
static void enable_token(const ulp_workload *workload, enum side side, ulp_workload_slot *buffer)
{
  rnic_memory memory = {.supply = ulp_workload_slot_supply,
                        .source_user = buffer,
                        .length = ulp_workload_slots_octets(workload->ends[side].receives),
                        .base = buffer->base,
                        .is_remotely_invalidatable = true};

  enable(workload, side, &memory, buffer->stag);
}

ulp_workload_slot *ulp_workload_take_receive(ulp_workload *workload, enum side side, uint64_t payload)
{
  ulp_workload_slot *buffer = ulp_workload_slots_take(workload->ends[side].receives, payload);

  if (buffer->stag) {
    enable_token(workload, side, buffer);
  }
  return buffer;
}

/* A buffer came free: whoever waits for one may go on. */
static void tell_waiting(ulp_workload *workload)
{
  for (enum side side = 0; side < SIDES; side++) {
    workload_flow *flow = workload->flows[side];
    if (flow && flow->waits && workload->config->can_post) {
      flow->waits = false;
      workload->config->can_post(workload->user, side);
    }
  }
}

static void give_back_data(ulp_workload *workload, workload_flow *flow, enum side side,
                           ulp_workload_slot *slot)
{
  rnic_withdraw(workload->ends[side].endpoint, slot->stag);
  if (slot->source_stag) {
    rnic_withdraw(workload->ends[side_peer(side)].endpoint, slot->source_stag);
  }
  ulp_workload_slots_release(flow->data[side], slot);
}

static void give_back_receive(ulp_workload *workload, enum side side, ulp_workload_slot *buffer)
{
  if (buffer->stag) {
    rnic_withdraw(workload->ends[side].endpoint, buffer->stag);
  }
  ulp_workload_slots_release(workload->ends[side].receives, buffer);
}

void ulp_workload_release_data(ulp_workload *workload, workload_flow *flow, enum side side,
                               ulp_workload_slot *slot)
{
  workload->ends[side].guard_errors += !ulp_workload_slots_guards_intact(flow->data[side], slot);
  give_back_data(workload, flow, side, slot);
  tell_waiting(workload);
}

void ulp_workload_repost(ulp_workload *workload, enum side side, const ulp_arrival *send)
{
  workload_end *end = &workload->ends[side];
  ulp_workload_slots *receives = end->receives;
  uint32_t index = send->buffer->index;
  uint64_t next_number = send->buffer->number + ulp_workload_slots_count(receives);

  end->guard_errors += !ulp_workload_slots_guards_intact(receives, send->buffer);
  give_back_receive(workload, side, send->buffer);
  rnic_post_receives(end->endpoint, 1, ulp_workload_slots_octets(receives), next_number);
  if (send->invalidates && !send->slot) {
    lend(workload, side, receives, index, ULP_SLOT_STAG); /* the token is gone */
  }
  tell_waiting(workload);
}

void ulp_workload_end_invalidated(ulp_workload *workload, enum side side, const ulp_arrival *send)
{
  workload_flow *flow = send->flow;
  bool is_source =
      send->meaning == MEANING_RESPONSE && !ulp_operation_rules_of(send->operation)->fills_requester;
  enum side holder = is_source ? side_peer(side) : side;

  lend(workload, side, flow->data[holder], send->slot->index,
       is_source ? ULP_SLOT_SOURCE_STAG : ULP_SLOT_STAG);
  ulp_workload_release_data(workload, flow, holder, send->slot);
}
