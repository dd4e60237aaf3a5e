/* Buffers and STags of a workload. */
#include <glib.h>

#include "rnic/rnic_workload_private.h"

static uint32_t lend(const rnic_workload *workload, mpa_role side, rnic_memory *memory)
{
  uint32_t stag;

  memory->association = workload->config.association;
  bool is_registered = rnic_register(workload->ends[side].endpoint, memory, &stag);
  g_assert(is_registered);
  return stag;
}

/* A Tagged Buffer of `side`, for the peer's Writes and for Read Responses. */
static void lend_sink(const rnic_workload *workload, mpa_role side, rnic_workload_slot *slot)
{
  rnic_memory memory = {.octets = slot->memory,
                        .length = workload->config.message_octets,
                        .base = slot->base,
                        .access = DDP_ACCESS_REMOTE_WRITE,
                        .is_remotely_invalidatable = true};

  slot->stag = lend(workload, side, &memory);
}

/* The message of `slot` where it comes from, for RDMA Reads. */
static void lend_source(const rnic_workload *workload, mpa_role side, rnic_workload_slot *slot)
{
  rnic_memory memory = {.source = rnic_workload_slot_payload,
                        .source_user = slot,
                        .length = workload->config.message_octets,
                        .base = slot->source_base,
                        .access = DDP_ACCESS_REMOTE_READ,
                        .is_remotely_invalidatable = true};

  slot->source_stag = lend(workload, side, &memory);
}

/* An STag without rights for a Send with Invalidate that has no Write's to invalidate: that of its own buffer. */
static void lend_token(const rnic_workload *workload, mpa_role side, rnic_workload_slot *buffer)
{
  rnic_memory memory = {.octets = buffer->memory,
                        .length = rnic_workload_slots_octets(workload->ends[side].receives),
                        .base = buffer->base,
                        .is_remotely_invalidatable = true};

  buffer->stag = lend(workload, side, &memory);
}

static void lend_data(const rnic_workload *workload, const workload_flow *flow, mpa_role side)
{
  rnic_workload_slots *slots = flow->data[side];
  bool is_peer = side != flow->requester;
  bool is_read =
      rnic_workload_plan_has(&flow->plan, is_peer ? RNIC_OPERATION_STORAGE_WRITE : RNIC_OPERATION_READ);

  for (uint64_t i = 0; slots && i < rnic_workload_slots_count(slots); i++) {
    lend_sink(workload, side, rnic_workload_slots_at(slots, i));
    if (is_read) {
      lend_source(workload, peer_of(side), rnic_workload_slots_at(slots, i));
    }
  }
}

static void lend_receives(const rnic_workload *workload, mpa_role side)
{
  const rnic_workload_plan *peers = &workload->flows[peer_of(side)].plan;
  const workload_end *end = &workload->ends[side];
  bool tokens = rnic_workload_plan_has(peers, RNIC_OPERATION_SEND_INVALIDATE) ||
                rnic_workload_plan_has(peers, RNIC_OPERATION_SEND_SE_INVALIDATE);

  for (uint64_t i = 0; i < rnic_workload_slots_count(end->receives); i++) {
    rnic_workload_slot *buffer = rnic_workload_slots_at(end->receives, i);
    rnic_post_receive(end->endpoint, buffer->memory, rnic_workload_slots_octets(end->receives), i);
    if (tokens) {
      lend_token(workload, side, buffer);
    }
  }
}

void rnic_workload_lend_end(const rnic_workload *workload, mpa_role side)
{
  lend_receives(workload, side);
  lend_data(workload, &workload->flows[MPA_INITIATOR], side);
  lend_data(workload, &workload->flows[MPA_RESPONDER], side);
}

/* A buffer came free: whoever waits for one may go on. */
static void tell_waiting(rnic_workload *workload)
{
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    if (workload->flows[side].waits && workload->config.can_post) {
      workload->flows[side].waits = false;
      workload->config.can_post(workload->config.user, side);
    }
  }
}

void rnic_workload_release_data(rnic_workload *workload, workload_flow *flow, mpa_role side,
                                rnic_workload_slot *slot)
{
  workload->ends[side].guard_errors += !rnic_workload_slots_guards_intact(flow->data[side], slot);
  rnic_workload_slots_release(flow->data[side], slot);
  tell_waiting(workload);
}

void rnic_workload_repost(rnic_workload *workload, mpa_role side, const rnic_arrival *send)
{
  workload_end *end = &workload->ends[side];

  end->guard_errors += !rnic_workload_slots_guards_intact(end->receives, send->buffer);
  rnic_workload_slots_release(end->receives, send->buffer);
  rnic_post_receive(end->endpoint, send->buffer->memory, rnic_workload_slots_octets(end->receives),
                    send->buffer->index);
  if (send->invalidates && !send->slot) {
    lend_token(workload, side, send->buffer);
  }
  tell_waiting(workload);
}

void rnic_workload_end_invalidated(rnic_workload *workload, mpa_role side, const rnic_arrival *send)
{
  workload_flow *flow = send->flow;
  bool is_source =
      send->meaning == MEANING_RESPONSE && !rnic_operation_rules_of(send->operation)->fills_requester;

  if (is_source) {
    lend_source(workload, side, send->slot);
  } else {
    lend_sink(workload, side, send->slot);
  }
  rnic_workload_release_data(workload, flow, is_source ? peer_of(side) : side, send->slot);
}
