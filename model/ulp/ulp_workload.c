/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_workload.h"

#include <glib.h>

#include "ulp/ulp_workload_private.h"

/* A Write FPDU costs at least its DDP header and the 6 octets of MPA's framing: so many messages fit in
 * flight. */
enum { WRITE_OVERHEAD_OCTETS = DDP_TAGGED_HEADER_OCTETS + 6 };

/* --- Building --- */

bool ulp_workload_posts(const ulp_workload_config *config, enum side side)
{
  return side == SIDE_INITIATOR || config->both;
}

ulp_workload *ulp_workload_new(const ulp_workload_config *config, uint32_t connection, void *user)
{
  ulp_workload *workload = g_new0(ulp_workload, 1);

  g_assert(config->messages >= 1 && config->mix.count >= 1);
  workload->config = config;
  workload->connection = connection;
  workload->user = user;
  for (enum side side = 0; side < SIDES; side++) {
    if (ulp_workload_posts(config, side)) {
      workload_flow *flow = workload->flows[side] = g_new0(workload_flow, 1);
      flow->requester = side;
      flow->plan =
          (ulp_plan){.mix = &config->mix, .messages = config->messages, .signal_every = config->signal_every};
      flow->steps = ulp_plan_steps(&flow->plan);
      flow->messages_at_requester = ulp_plan_messages(&flow->plan, false);
      flow->messages_at_peer = ulp_plan_messages(&flow->plan, true);
    }
  }
  return workload;
}

void ulp_workload_free(ulp_workload *workload)
{
  if (!workload) {
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    workload_flow *flow = workload->flows[side];

    for (posted_work *each = workload->ends[side].oldest, *next; each; each = next) {
      next = each->next;
      g_free(each);
    }
    ulp_delivery_check_free(workload->ends[side].check);
    ulp_slots_free(workload->ends[side].receives);
    if (flow) {
      ulp_slots_free(flow->data[SIDE_INITIATOR]);
      ulp_slots_free(flow->data[SIDE_RESPONDER]);
      g_free(flow);
    }
  }
  g_free(workload);
}

/* --- Lending --- */

/* Of what `requester` posts for itself. */
static ulp_mix_needs needs_of(const ulp_workload *workload, enum side requester)
{
  return workload->flows[requester] ? ulp_mix_needs_of(&workload->config->mix) : (ulp_mix_needs){0};
}

/* At most what can be in flight + 2 messages. Of sizes in turn, so many whole turns as can be in flight, and
 * one that has begun at either end. */
static uint32_t slots_fitting(const ulp_workload_config *config)
{
  uint64_t turn_octets = (uint64_t)config->message_octets + WRITE_OVERHEAD_OCTETS;
  uint64_t turn_messages = 1;

  if (config->message_sizes.count > 0) {
    turn_messages = config->message_sizes.count;
    turn_octets = turn_messages * WRITE_OVERHEAD_OCTETS;
    for (size_t i = 0; i < config->message_sizes.count; i++) {
      turn_octets += config->message_sizes.values[i];
    }
  }
  return (uint32_t)MIN(config->messages, (config->in_flight_octets / turn_octets + 2) * turn_messages);
}

/* Buffers for the Sends that reach `side`: those of the peer's flow (data, requests, one signal more than
 * Writes can be undelivered), and the responses to its own requests. None when nobody sends to it. A Send
 * with Invalidate that has no Write's STag to invalidate takes that of its buffer, which has no rights. */
static void lend_receives(ulp_workload *workload, enum side side)
{
  const ulp_workload_config *config = workload->config;
  workload_end *end = &workload->ends[side];
  ulp_mix_needs own = needs_of(workload, side);
  ulp_mix_needs peers = needs_of(workload, side_peer(side));
  uint32_t kinds = (uint32_t)peers.sends + peers.exchanges + own.exchanges + peers.writes;
  uint32_t octets = own.exchanges || peers.exchanges ? ULP_STORAGE_MESSAGE_OCTETS : 0;

  if (kinds == 0) {
    return;
  }
  const ulp_slots_config slots = {.count = 1 + kinds * slots_fitting(config),
                                  .octets = peers.sends ? MAX(octets, config->message_octets) : octets,
                                  .endpoint = end->endpoint,
                                  .has_stags = peers.invalidates,
                                  .association = config->association,
                                  .table = config->table};
  end->receives = ulp_slots_new(&slots);
  rnic_supply_receives(end->endpoint, ulp_slots_memory, end->receives);
  rnic_post_receives(end->endpoint, slots.count, slots.octets, 0);
}

/* Tagged Buffers of `side` for the peer's Writes and for Read Responses, of the messages of `flow`. */
static void lend_data(ulp_workload *workload, workload_flow *flow, enum side side)
{
  const ulp_workload_config *config = workload->config;
  ulp_mix_needs needs = needs_of(workload, flow->requester);
  bool at_peer = side != flow->requester;
  const ulp_slots_config slots = {.count = slots_fitting(config),
                                  .octets = config->message_octets,
                                  .endpoint = workload->ends[side].endpoint,
                                  .source =
                                      needs.reads[at_peer] ? workload->ends[side_peer(side)].endpoint : NULL,
                                  .has_stags = true,
                                  .access = DDP_ACCESS_REMOTE_WRITE,
                                  .association = config->association,
                                  .table = config->table};

  flow->data[side] = needs.fills[at_peer] ? ulp_slots_new(&slots) : NULL;
}

void ulp_workload_lend(ulp_workload *workload, rnic_endpoint *const endpoints[SIDES])
{
  for (enum side side = 0; side < SIDES; side++) {
    workload->ends[side].endpoint = endpoints[side];
  }
  for (enum side side = 0; side < SIDES; side++) {
    lend_receives(workload, side);
    for (enum side requester = 0; requester < SIDES; requester++) {
      if (workload->flows[requester]) {
        lend_data(workload, workload->flows[requester], side);
      }
    }
  }
}

/* A slot of `side` was verified and is free again: whoever waits for one may go on. */
static void release(ulp_workload *workload, enum side side, ulp_slots *slots, ulp_slot *slot)
{
  workload->ends[side].guard_errors += !ulp_slots_release(slots, slot);
  for (enum side waiting = 0; waiting < SIDES; waiting++) {
    workload_flow *flow = workload->flows[waiting];
    if (flow && flow->waits && workload->config->can_post) {
      flow->waits = false;
      workload->config->can_post(workload->user, waiting);
    }
  }
}

/* --- One operation --- */

uint64_t ulp_workload_payload(const ulp_workload *workload, const workload_flow *flow, work_meaning meaning,
                              uint64_t message)
{
  uint64_t kind = 8 * (uint64_t)flow->requester + (uint64_t)meaning;

  return pattern_message_offset(workload->connection, message | kind << 60);
}

/* What should arrive at `side`; made when something is expected or comes first. */
static ulp_delivery_check *check_at(ulp_workload *workload, enum side side)
{
  workload_end *end = &workload->ends[side];

  if (!end->check) {
    end->check = ulp_delivery_check_new();
  }
  return end->check;
}

/* Posts one operation of `side`, and has the end `at` expect its result; false when the connection has ended,
 * and nothing will take its buffer any more. */
static bool post(ulp_workload *workload, enum side side, const posted_work *what, rdmap_work *work,
                 enum side at, ulp_message *expected)
{
  workload_end *end = &workload->ends[side];

  work->id = end->posted_count;
  work->fence = workload->config->fence;
  if (!rnic_post(end->endpoint, work)) {
    return false;
  }
  end->posted_count++;
  posted_work *posted = g_memdup2(what, sizeof *what);
  *(end->oldest ? &end->newest->next : &end->oldest) = posted;
  end->newest = posted;
  expected->meaning = (int)what->meaning;
  expected->operation = what->operation;
  expected->flow = what->flow;
  expected->slot = what->slot;
  expected->length = work->length;
  ulp_delivery_check_expect(check_at(workload, at), expected);
  return true;
}

bool ulp_workload_post_send(ulp_workload *workload, enum side side, const posted_work *what,
                            const send_details *details)
{
  enum side peer = side_peer(side);
  ulp_slot *buffer = ulp_slots_take(workload->ends[peer].receives, details->payload);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_operation_opcode(details->operation));
  uint32_t stag = details->invalidated_stag ? details->invalidated_stag : buffer->stag;
  rdmap_work work = {.operation = details->operation,
                     .length = details->length,
                     .source = ulp_slot_payload,
                     .source_user = buffer,
                     .remote_stag = rules->invalidates ? stag : 0};
  ulp_message expected = {.kind = ULP_MESSAGE_SEND,
                          .opcode = rules->opcode,
                          .buffer = buffer,
                          .solicits = rules->solicits,
                          .invalidates = rules->invalidates,
                          .invalidated_stag = stag};

  return post(workload, side, what, &work, peer, &expected);
}

bool ulp_workload_post_write(ulp_workload *workload, enum side side, const posted_work *what)
{
  rdmap_work work = {.operation = RDMAP_OPERATION_WRITE,
                     .length = what->slot->length,
                     .source = ulp_slot_payload,
                     .source_user = what->slot,
                     .remote_stag = what->slot->stag,
                     .remote_offset = what->slot->base};
  ulp_message expected = {.kind = ULP_MESSAGE_WRITE, .opcode = RDMAP_WRITE, .keeps_slot = what->keeps_slot};

  return post(workload, side, what, &work, side_peer(side), &expected);
}

bool ulp_workload_post_read(ulp_workload *workload, enum side side, const posted_work *what)
{
  rdmap_work work = {.operation = RDMAP_OPERATION_READ,
                     .length = what->slot->length,
                     .remote_stag = what->slot->source_stag,
                     .remote_offset = what->slot->source_base,
                     .local_stag = what->slot->stag,
                     .local_offset = what->slot->base};
  ulp_message expected = {.kind = ULP_MESSAGE_RESPONSE, .opcode = RDMAP_READ_RESPONSE};

  return post(workload, side, what, &work, side, &expected);
}

/* --- The peer of a storage exchange --- */

/* The response to the exchange whose data `transfer` moves goes into the buffer that the request reserved,
 * and invalidates the STag that the exchange used at the requester. */
static void respond(ulp_workload *workload, const posted_work *transfer)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(transfer->operation);
  const workload_flow *flow = transfer->flow;
  const ulp_slot *slot = transfer->slot;
  const posted_work what = {.meaning = MEANING_RESPONSE,
                            .operation = transfer->operation,
                            .flow = transfer->flow,
                            .slot = transfer->slot};
  const send_details details = {.length = ULP_STORAGE_MESSAGE_OCTETS,
                                .payload =
                                    ulp_workload_payload(workload, flow, MEANING_RESPONSE, slot->payload),
                                .operation = rules->response,
                                .invalidated_stag = rules->fills_requester ? slot->stag : slot->source_stag};

  workload->ends[flow->requester].receives_reserved--;
  ulp_workload_post_send(workload, side_peer(flow->requester), &what, &details);
}

/* The response follows a Write at once. It waits for a Read to complete; the fence, if there is one, does
 * that for it. */
static void serve(ulp_workload *workload, enum side side, const ulp_message *request)
{
  const posted_work what = {.meaning = MEANING_TRANSFER,
                            .operation = request->operation,
                            .flow = request->flow,
                            .slot = request->slot};
  bool is_read = ulp_operation_rules_of(request->operation)->is_read;
  bool is_posted = is_read ? ulp_workload_post_read(workload, side, &what)
                           : ulp_workload_post_write(workload, side, &what);

  if (is_posted && (!is_read || workload->config->fence)) {
    respond(workload, &what);
  }
}

/* --- Arrivals --- */

ulp_wrong_octets ulp_workload_wrong(const ulp_workload *workload, enum side side, const ddp_segment *segment)
{
  const ulp_delivery_check *check = workload->ends[side].check;

  return check ? ulp_delivery_check_wrong(check, segment) : (ulp_wrong_octets){0};
}

void ulp_workload_delivered(ulp_workload *workload, enum side side, const ddp_segment *segment)
{
  ulp_message whole;

  /* The buffers of Reads are free at their completion, those of an exchange with its response. */
  if (ulp_delivery_check_delivered(check_at(workload, side), segment, &whole) &&
      whole.kind == ULP_MESSAGE_WRITE && whole.meaning == MEANING_DATA && !whole.keeps_slot) {
    release(workload, side, ((workload_flow *)whole.flow)->data[side], whole.slot);
  }
}

/* The STag at `side` of the data that `send` is about was invalidated: the slot gets another one, and is
 * free. */
static void end_invalidated(ulp_workload *workload, enum side side, const ulp_message *send)
{
  const workload_flow *flow = send->flow;
  bool is_source =
      send->meaning == MEANING_RESPONSE && !ulp_operation_rules_of(send->operation)->fills_requester;
  enum side holder = is_source ? side_peer(side) : side;

  ulp_slots_renew_stag(flow->data[holder], send->slot, is_source ? ULP_SLOT_SOURCE_STAG : ULP_SLOT_STAG);
  release(workload, holder, flow->data[holder], send->slot);
}

/* The buffer of `send` is the ULP's again and is posted anew. */
static void repost(ulp_workload *workload, enum side side, const ulp_message *send)
{
  const workload_end *end = &workload->ends[side];
  const ulp_slots_config *config = ulp_slots_config_of(end->receives);

  rnic_post_receives(end->endpoint, 1, config->octets, send->buffer->number + config->count);
  if (send->invalidates && !send->slot) {
    ulp_slots_renew_stag(end->receives, send->buffer, ULP_SLOT_STAG); /* its own is gone */
  }
  release(workload, side, end->receives, send->buffer);
}

static void receive(ulp_workload *workload, enum side side, const rnic_completion *completion)
{
  ulp_message send;

  if (!ulp_delivery_check_received(check_at(workload, side), completion, &send)) {
    return;
  }
  repost(workload, side, &send);
  switch ((work_meaning)send.meaning) {
  case MEANING_DATA:
    if (send.slot) {
      end_invalidated(workload, side, &send);
    }
    break;
  case MEANING_REQUEST:
    serve(workload, side, &send);
    break;
  case MEANING_RESPONSE:
    ((workload_flow *)send.flow)->completed++;
    end_invalidated(workload, side, &send);
    break;
  case MEANING_SIGNAL:
  case MEANING_TRANSFER:
    break;
  }
}

/* --- Completions --- */

static void complete(ulp_workload *workload, enum side side, const rnic_completion *completion)
{
  workload_end *end = &workload->ends[side];
  g_autofree posted_work *work = end->oldest;

  end->order_errors += completion->id != end->completed_count || !work;
  if (!work) {
    return;
  }
  end->completed_count++;
  end->oldest = work->next;
  if (completion->in_error) {
    return;
  }
  bool is_read = ulp_operation_rules_of(work->operation)->is_read;
  if (work->meaning == MEANING_DATA || work->meaning == MEANING_SIGNAL) {
    work->flow->completed++;
  }
  if (work->meaning == MEANING_DATA && is_read) {
    release(workload, side, work->flow->data[side], work->slot);
  }
  if (work->meaning == MEANING_TRANSFER && is_read && !workload->config->fence) {
    respond(workload, work);
  }
}

void ulp_workload_poll(ulp_workload *workload, enum side side)
{
  rnic_completion completion;

  while (rnic_poll(workload->ends[side].endpoint, &completion)) {
    if (completion.is_receive) {
      receive(workload, side, &completion);
    } else {
      complete(workload, side, &completion);
    }
  }
}

/* --- How far it is --- */

bool ulp_workload_is_requester(const ulp_workload *workload, enum side side)
{
  return workload->flows[side] != NULL;
}

bool ulp_workload_is_complete(const ulp_workload *workload)
{
  bool all = true;

  for (enum side side = 0; side < SIDES; side++) {
    const workload_flow *flow = workload->flows[side];
    all = all && (!flow || flow->completed == flow->steps);
  }
  return all;
}

/* Messages that are to reach the ULP of `side`. */
static uint64_t expected_at(const ulp_workload *workload, enum side side)
{
  const workload_flow *own = workload->flows[side];
  const workload_flow *peers = workload->flows[side_peer(side)];

  return (own ? own->messages_at_requester : 0) + (peers ? peers->messages_at_peer : 0);
}

/* What has arrived at `side`. */
static const ulp_delivery_check_results *checked_at(const ulp_workload *workload, enum side side)
{
  static const ulp_delivery_check_results nothing;
  const ulp_delivery_check *check = workload->ends[side].check;

  return check ? ulp_delivery_check_results_of(check) : &nothing;
}

bool ulp_workload_is_delivered(const ulp_workload *workload)
{
  bool all = true;

  for (enum side side = 0; side < SIDES; side++) {
    all = all && checked_at(workload, side)->messages == expected_at(workload, side);
  }
  return all;
}

ulp_workload_results ulp_workload_results_of(const ulp_workload *workload, enum side side)
{
  const workload_end *end = &workload->ends[side];
  const ulp_delivery_check_results *checked = checked_at(workload, side);
  uint64_t refused = rnic_endpoint_is_erroneous(end->endpoint) ? checked->last_unexpected : 0;

  return (ulp_workload_results){.messages_expected = expected_at(workload, side),
                                .messages_delivered = checked->messages,
                                .octets_delivered = checked->octets,
                                .octets_wrong = checked->octets_wrong,
                                .order_errors = checked->order_errors - refused + end->order_errors,
                                .guard_errors = end->guard_errors};
}
