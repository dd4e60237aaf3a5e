/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_workload.h"

#include <glib.h>

#include "ulp/ulp_workload_private.h"

/* A Write FPDU costs at least its DDP header and the 6 octets of MPA's framing: so many messages fit in flight. */
enum { WRITE_OVERHEAD_OCTETS = DDP_TAGGED_HEADER_OCTETS + 6 };

/* --- Building --- */

static bool has_sends(const ulp_workload *workload, enum side requester)
{
  const workload_flow *flow = workload->flows[requester];
  bool sends = false;

  for (uint32_t i = 0; flow && i < flow->plan.mix->count; i++) {
    sends = sends || ulp_operation_rules_of(flow->plan.mix->values[i])->is_send;
  }
  return sends;
}

static bool has_exchanges(const ulp_workload *workload, enum side requester)
{
  return flow_has(workload, requester, ULP_OPERATION_STORAGE_READ) ||
         flow_has(workload, requester, ULP_OPERATION_STORAGE_WRITE);
}

static bool fills(const ulp_workload_plan *plan, bool at_peer)
{
  bool fills = false;

  for (uint32_t i = 0; i < plan->mix->count; i++) {
    const ulp_operation_rules *rules = ulp_operation_rules_of(plan->mix->values[i]);
    fills = fills || (at_peer ? rules->fills_peer : rules->fills_requester);
  }
  return fills;
}

/* design.md: at most what can be in flight + 2 messages. Of sizes in turn, so many whole turns as can be in flight, and one that
 * has begun at either end. */
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

static void flow_init(ulp_workload *workload, enum side side)
{
  const ulp_workload_config *config = workload->config;
  workload_flow *flow = workload->flows[side] = g_new0(workload_flow, 1);

  flow->requester = side;
  flow->plan.mix = &config->mix;
  flow->plan.messages = config->messages;
  flow->plan.signal_every = config->signal_every;
  flow->steps = ulp_workload_plan_steps(&flow->plan);
  flow->arrivals_at_requester = ulp_workload_plan_arrivals(&flow->plan, false);
  flow->arrivals_at_peer = ulp_workload_plan_arrivals(&flow->plan, true);
}

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
      flow_init(workload, side);
    }
  }
  return workload;
}

static void flow_free(workload_flow *flow)
{
  if (flow) {
    ulp_workload_slots_free(flow->data[SIDE_INITIATOR]);
    ulp_workload_slots_free(flow->data[SIDE_RESPONDER]);
    g_free(flow);
  }
}

static void end_clear(workload_end *end)
{
  waiting_work *next;

  for (waiting_work *each = end->oldest; each; each = next) {
    next = each->next;
    g_free(each);
  }
  ulp_arrivals_free(end->arrivals);
  ulp_workload_slots_free(end->receives);
}

void ulp_workload_free(ulp_workload *workload)
{
  if (!workload) {
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    end_clear(&workload->ends[side]);
    flow_free(workload->flows[side]);
  }
  g_free(workload);
}

/* --- Memory --- */

static ulp_workload_slots *slots_at(const ulp_workload *workload, enum side side, uint32_t count,
                                    uint32_t octets)
{
  rnic_host *host = rnic_endpoint_host(workload->ends[side].endpoint);

  return ulp_workload_slots_new(count, rnic_host_buffers(host, octets), workload->config->table);
}

static void make_data(ulp_workload *workload, workload_flow *flow)
{
  const ulp_workload_config *config = workload->config;

  for (enum side side = 0; side < SIDES; side++) {
    if (fills(&flow->plan, side != flow->requester)) {
      flow->data[side] = slots_at(workload, side, slots_fitting(config), config->message_octets);
    }
  }
}

/* Buffers for the Sends that reach `side`: those of the peer's flow (data, requests, one signal more than Writes can be undelivered), and
 * the responses to its own requests. None when nobody sends to it. */
static void make_receives(ulp_workload *workload, enum side side)
{
  enum side peer = side_peer(side);
  bool exchanges = has_exchanges(workload, side) || has_exchanges(workload, peer);
  uint32_t kinds = (uint32_t)has_sends(workload, peer) + has_exchanges(workload, peer) +
                   has_exchanges(workload, side) + flow_has(workload, peer, ULP_OPERATION_WRITE);
  uint32_t octets = exchanges ? ULP_STORAGE_MESSAGE_OCTETS : 0;

  octets = has_sends(workload, peer) ? MAX(octets, workload->config->message_octets) : octets;
  if (kinds > 0) {
    workload->ends[side].receives =
        slots_at(workload, side, 1 + kinds * slots_fitting(workload->config), octets);
  }
}

void ulp_workload_lend(ulp_workload *workload, rnic_endpoint *const endpoints[SIDES])
{
  for (enum side side = 0; side < SIDES; side++) {
    workload->ends[side].endpoint = endpoints[side];
  }
  for (enum side side = 0; side < SIDES; side++) {
    if (workload->flows[side]) {
      make_data(workload, workload->flows[side]);
    }
    make_receives(workload, side);
  }
  ulp_workload_lend_end(workload, SIDE_INITIATOR);
  ulp_workload_lend_end(workload, SIDE_RESPONDER);
}

ulp_arrivals *ulp_workload_arrivals(ulp_workload *workload, enum side side)
{
  workload_end *end = &workload->ends[side];

  if (!end->arrivals) {
    end->arrivals = ulp_arrivals_new();
  }
  return end->arrivals;
}

/* --- The requester --- */

static ulp_workload_slots *data_of(const workload_flow *flow, const ulp_operation_rules *rules,
                                   enum side *side)
{
  *side = rules->fills_requester ? flow->requester : side_peer(flow->requester);
  return rules->fills_requester || rules->fills_peer ? flow->data[*side] : NULL;
}

static bool has_receive(const workload_end *end)
{
  return end->receives && ulp_workload_slots_free_count(end->receives) > end->receives_reserved;
}

/* Whether all buffers that `step` needs are free: one for its data; the peer's for a Send; its own for the response. */
static bool has_buffers(const ulp_workload *workload, const workload_flow *flow,
                        const ulp_workload_step *step)
{
  const workload_end *own = &workload->ends[flow->requester];
  const workload_end *peer = &workload->ends[side_peer(flow->requester)];
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);
  bool peer_has = has_receive(peer);
  bool own_has = has_receive(own);
  enum side side;

  if (step->is_signal || rules->is_send) {
    return peer_has;
  }
  return ulp_workload_slots_has_next(data_of(flow, rules, &side)) &&
         (!rules->is_exchange || (peer_has && own_has));
}

static bool post_signal(ulp_workload *workload, workload_flow *flow)
{
  const posted_work what = {.meaning = MEANING_SIGNAL, .flow = flow};
  const send_details details = {.operation = RDMAP_OPERATION_SEND};

  return ulp_workload_post_send(workload, flow->requester, &what, &details);
}

static bool post_data_send(ulp_workload *workload, workload_flow *flow, const ulp_workload_step *step)
{
  const posted_work what = {.meaning = MEANING_DATA,
                            .operation = step->operation,
                            .flow = flow,
                            .slot = step->invalidates_write ? flow->written : NULL};
  const send_details details = {.length = ulp_workload_length_of(workload, step->message),
                                .payload =
                                    ulp_workload_payload_of(workload, flow, MEANING_DATA, step->message),
                                .operation = ulp_operation_rules_of(step->operation)->posted,
                                .invalidated_stag = what.slot ? what.slot->stag : 0};

  return ulp_workload_post_send(workload, flow->requester, &what, &details);
}

static bool post_request(ulp_workload *workload, const posted_work *what, uint64_t message)
{
  const send_details details = {.length = ULP_STORAGE_MESSAGE_OCTETS,
                                .payload =
                                    ulp_workload_payload_of(workload, what->flow, MEANING_REQUEST, message),
                                .operation = RDMAP_OPERATION_SEND};

  if (!ulp_workload_post_send(workload, what->flow->requester, what, &details)) {
    return false;
  }
  workload->ends[what->flow->requester].receives_reserved++;
  return true;
}

static bool post_message(ulp_workload *workload, workload_flow *flow, const ulp_workload_step *step)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);
  enum side side;

  if (rules->is_send) {
    return post_data_send(workload, flow, step);
  }
  data_of(flow, rules, &side);
  posted_work what = {
      .meaning = rules->is_exchange ? MEANING_REQUEST : MEANING_DATA,
      .operation = step->operation,
      .flow = flow,
      .slot = ulp_workload_take_data(workload, flow, side,
                                     ulp_workload_payload_of(workload, flow, MEANING_DATA, step->message)),
      .keeps_slot = step->is_invalidated_write,
  };
  what.slot->length = ulp_workload_length_of(workload, step->message);
  bool is_posted = rules->is_exchange ? post_request(workload, &what, step->message)
                   : rules->is_read   ? ulp_workload_post_read(workload, flow->requester, &what)
                                      : ulp_workload_post_write(workload, flow->requester, &what);
  if (!is_posted) {
    return false; /* nothing will take the buffer any more */
  }
  flow->written = step->is_invalidated_write ? what.slot : NULL;
  return true;
}

bool ulp_workload_post_next(ulp_workload *workload, enum side side)
{
  workload_flow *flow = workload->flows[side];
  uint64_t outstanding = workload->config->outstanding;
  ulp_workload_step step;

  if (!flow || flow->posted == flow->steps ||
      (outstanding > 0 && flow->posted - flow->completed >= outstanding)) {
    return false;
  }
  ulp_workload_plan_peek(&flow->plan, &step);
  flow->waits = !has_buffers(workload, flow, &step);
  if (flow->waits || !(step.is_signal ? post_signal(workload, flow) : post_message(workload, flow, &step))) {
    return false;
  }
  ulp_workload_plan_take(&flow->plan);
  flow->posted++;
  return true;
}

/* --- The peer of a storage exchange --- */

/* The response goes into the buffer that the request reserved, and invalidates the STag that the exchange used at the requester. */
static void respond(ulp_workload *workload, workload_flow *flow, ulp_operation operation,
                    ulp_workload_slot *slot)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(operation);
  const posted_work what = {.meaning = MEANING_RESPONSE, .operation = operation, .flow = flow, .slot = slot};
  const send_details details = {.length = ULP_STORAGE_MESSAGE_OCTETS,
                                .payload =
                                    ulp_workload_payload_of(workload, flow, MEANING_RESPONSE, slot->payload),
                                .operation = rules->response,
                                .invalidated_stag = rules->fills_requester ? slot->stag : slot->source_stag};

  workload->ends[flow->requester].receives_reserved--;
  ulp_workload_post_send(workload, side_peer(flow->requester), &what, &details);
}

static void serve(ulp_workload *workload, enum side side, const ulp_arrival *request)
{
  const posted_work what = {.meaning = MEANING_TRANSFER,
                            .operation = request->operation,
                            .flow = request->flow,
                            .slot = request->slot};

  if (ulp_operation_rules_of(request->operation)->is_read) {
    if (ulp_workload_post_read(workload, side, &what) && workload->config->fence) {
      respond(workload, what.flow, what.operation,
              what.slot); /* its fence holds it back until the Read is complete */
    }
  } else if (ulp_workload_post_write(workload, side, &what)) {
    respond(workload, what.flow, what.operation, what.slot);
  }
}

/* --- Arrivals --- */

void ulp_workload_delivered(ulp_workload *workload, enum side side, const ddp_segment *segment)
{
  ulp_arrival whole;

  /* The buffers of Reads are free at their completion, those of an exchange with its response. */
  if (ulp_arrivals_delivered(ulp_workload_arrivals(workload, side), segment, &whole) &&
      whole.kind == ULP_ARRIVAL_WRITE && whole.meaning == MEANING_DATA && !whole.keeps_slot) {
    ulp_workload_release_data(workload, whole.flow, side, whole.slot);
  }
}

static void receive(ulp_workload *workload, enum side side, const rnic_completion *completion)
{
  ulp_arrival send;

  if (!ulp_arrivals_received(ulp_workload_arrivals(workload, side), completion, &send)) {
    return;
  }
  ulp_workload_repost(workload, side, &send);
  switch ((work_meaning)send.meaning) {
  case MEANING_DATA:
    if (send.slot) {
      ulp_workload_end_invalidated(workload, side, &send);
    }
    break;
  case MEANING_REQUEST:
    serve(workload, side, &send);
    break;
  case MEANING_RESPONSE:
    ((workload_flow *)send.flow)->completed++;
    ulp_workload_end_invalidated(workload, side, &send);
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
  waiting_work *oldest = end->oldest;

  end->order_errors += completion->id != end->completed_count || !oldest;
  if (!oldest) {
    return;
  }
  end->completed_count++;
  posted_work work = oldest->work;
  end->oldest = oldest->next;
  g_free(oldest);
  if (completion->in_error) {
    return;
  }
  bool is_read = ulp_operation_rules_of(work.operation)->is_read;
  if (work.meaning == MEANING_DATA || work.meaning == MEANING_SIGNAL) {
    work.flow->completed++;
  }
  if (work.meaning == MEANING_DATA && is_read) {
    ulp_workload_release_data(workload, work.flow, side, work.slot);
  }
  if (work.meaning == MEANING_TRANSFER && is_read && !workload->config->fence) {
    respond(workload, work.flow, work.operation, work.slot);
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

static bool is_complete(const workload_flow *flow)
{
  return !flow || flow->completed == flow->steps;
}

bool ulp_workload_is_complete(const ulp_workload *workload)
{
  return is_complete(workload->flows[SIDE_INITIATOR]) && is_complete(workload->flows[SIDE_RESPONDER]);
}

uint64_t ulp_workload_expected(const ulp_workload *workload, enum side side)
{
  const workload_flow *own = workload->flows[side];
  const workload_flow *peers = workload->flows[side_peer(side)];

  return (own ? own->arrivals_at_requester : 0) + (peers ? peers->arrivals_at_peer : 0);
}

/* What has arrived at `side`. */
static const ulp_arrivals_results *arrivals_of(const ulp_workload *workload, enum side side)
{
  static const ulp_arrivals_results nothing;
  const ulp_arrivals *arrivals = workload->ends[side].arrivals;

  return arrivals ? ulp_arrivals_results_of(arrivals) : &nothing;
}

bool ulp_workload_is_delivered(const ulp_workload *workload)
{
  bool all = true;

  for (enum side side = 0; side < SIDES; side++) {
    all = all && arrivals_of(workload, side)->messages == ulp_workload_expected(workload, side);
  }
  return all;
}

ulp_workload_results ulp_workload_results_of(const ulp_workload *workload, enum side side)
{
  const workload_end *end = &workload->ends[side];
  const ulp_arrivals_results *arrivals = arrivals_of(workload, side);
  uint64_t refused = rnic_endpoint_is_erroneous(end->endpoint) ? arrivals->last_unexpected : 0;

  return (ulp_workload_results){.messages_delivered = arrivals->messages,
                                .octets_delivered = arrivals->octets,
                                .octets_wrong = arrivals->octets_wrong,
                                .order_errors = arrivals->order_errors - refused + end->order_errors,
                                .guard_errors = end->guard_errors};
}
