/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_workload.h"

#include <glib.h>

#include "base/big_endian.h"

/* An operation that was posted and waits for its completion; those come in this order (RDMAP-196). */
typedef struct posted_work {
  ulp_purpose purpose;
  uint64_t id;
  struct posted_work *next;
} posted_work;

struct ulp_workload {
  ulp_agreement *agreement;
  rnic_endpoint *endpoint;
  ulp_requests *requests; /* NULL: it posts nothing for itself, or nothing more */
  posted_work *oldest;    /* NULL: nothing is posted */
  posted_work *newest;
  uint64_t posted_count; /* so far: the id of the next */
  uint32_t order_errors; /* completions that are not the next ones */
  enum side side;
};

/* --- One operation --- */

/* Returns whether an operation's octets are those of the message that it is for. */
static bool carries_data(const ulp_purpose *purpose)
{
  return purpose->meaning == ULP_MEANING_DATA || purpose->meaning == ULP_MEANING_TRANSFER ||
         (purpose->meaning == ULP_MEANING_RESPONSE && ulp_operation_rules_of(purpose->operation)->is_send);
}

/* Posts one operation, and has the ULP of the end `at` expect its result; false when the connection has
 * ended, and nothing will take its buffer any more. */
static bool post(ulp_workload *workload, const ulp_purpose *purpose, rdmap_work *work, enum side at,
                 ulp_message *expected)
{
  work->id = workload->posted_count;
  work->fence = workload->agreement->config->fence;
  if (!rnic_post(workload->endpoint, work)) {
    return false;
  }
  posted_work *posted = g_new(posted_work, 1);
  *posted = (posted_work){.purpose = *purpose, .id = workload->posted_count++};
  *(workload->oldest ? &workload->newest->next : &workload->oldest) = posted;
  workload->newest = posted;
  expected->purpose = *purpose;
  expected->length = work->length;
  expected->timed = carries_data(purpose) ? purpose->timed : NULL;
  ulp_delivery_check_expect(ulp_agreement_arrivals(workload->agreement, at), expected);
  return true;
}

/* A Send or Immediate Data of `length` octets of the pattern from `payload` on goes into the peer's next
 * buffer, which is free. One that invalidates takes `stag`; 0: that of its buffer. */
static bool post_send(ulp_workload *workload, const ulp_purpose *purpose, rdmap_opcode operation,
                      uint32_t length, uint64_t payload, uint32_t stag)
{
  enum side peer = side_peer(workload->side);
  ulp_slot *buffer = ulp_slots_take(workload->agreement->receives[peer], payload, length);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of((uint8_t)operation);

  stag = stag ? stag : buffer->stag;
  rdmap_work work = {.operation = operation,
                     .length = length,
                     .source = ulp_slot_payload,
                     .source_user = buffer,
                     .immediate = rules->is_send ? 0 : big_endian_read_64(pattern_at(buffer->table, payload)),
                     .remote_stag = rules->invalidates ? stag : 0};
  ulp_message expected = {.opcode = rules->opcode,
                          .buffer = buffer,
                          .solicits = rules->solicits,
                          .invalidates = rules->invalidates,
                          .invalidated_stag = stag};

  return post(workload, purpose, &work, peer, &expected);
}

/* The data of the purpose's message, which lies here and goes to the peer's buffer. */
static bool post_write(ulp_workload *workload, const ulp_purpose *purpose)
{
  rdmap_work work = {.operation = RDMAP_WRITE,
                     .length = purpose->slot->length,
                     .source = ulp_slot_payload,
                     .source_user = purpose->slot,
                     .remote_stag = purpose->slot->stag,
                     .remote_offset = purpose->slot->base};
  ulp_message expected = {.opcode = RDMAP_WRITE};

  return post(workload, purpose, &work, side_peer(workload->side), &expected);
}

/* … or which lies at the peer and comes here. */
static bool post_read(ulp_workload *workload, const ulp_purpose *purpose)
{
  rdmap_work work = {.operation = RDMAP_READ_REQUEST,
                     .length = purpose->slot->length,
                     .remote_stag = purpose->slot->source_stag,
                     .remote_offset = purpose->slot->source_base,
                     .local_stag = purpose->slot->stag,
                     .local_offset = purpose->slot->base};
  ulp_message expected = {.opcode = RDMAP_READ_RESPONSE};

  return post(workload, purpose, &work, workload->side, &expected);
}

/* The Atomic `rules->atomic` number `message` counts in the 8 octets that the peer has lent. */
static bool post_atomic(ulp_workload *workload, ulp_purpose *purpose, const ulp_operation_rules *rules,
                        uint64_t message)
{
  const ulp_lent_counter *lent = ulp_agreement_counter(workload->agreement, side_peer(workload->side));
  rdmap_atomic atomic;

  ulp_counter_post(lent->counter, rules->atomic, message, &atomic);
  atomic.stag = lent->stag;
  atomic.offset = ULP_COUNTER_BASE;
  purpose->payload = atomic.compare;
  rdmap_work work = {
      .operation = RDMAP_ATOMIC_REQUEST, .length = RDMAP_ATOMIC_RESPONSE_OCTETS, .atomic = &atomic};
  ulp_message expected = {.opcode = RDMAP_ATOMIC_RESPONSE};

  return post(workload, purpose, &work, workload->side, &expected);
}

/* --- The requester --- */

/* Returns where the data of a message of its own goes that is no Send. */
static ulp_slots *data_of(const ulp_workload *workload, const ulp_operation_rules *rules)
{
  enum side holder = rules->to_requester ? workload->side : side_peer(workload->side);

  return workload->agreement->data[workload->side][holder];
}

/* Returns whether all buffers that `step` needs are free: one for its data; the peer's for a Send or
 * Immediate Data; its own for the response. */
static bool has_buffers(const ulp_workload *workload, const ulp_step *step)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);
  const bool has_receive = ulp_agreement_has_receive(workload->agreement, side_peer(workload->side));

  if (step->is_signal || (rules->is_send && !rules->is_exchange)) {
    return has_receive;
  }
  return (rules->is_send || ulp_slots_has_next(data_of(workload, rules))) &&
         (rules->immediate == RDMAP_WRITE || has_receive) &&
         (!rules->is_exchange ||
          (has_receive && ulp_agreement_has_receive(workload->agreement, workload->side)));
}

/* The data of the purpose's message by an RDMA Write, and Immediate Data that informs the peer of it. */
static bool post_write_immediate(ulp_workload *workload, ulp_purpose *purpose,
                                 const ulp_operation_rules *rules, uint64_t message)
{
  purpose->meaning = ULP_MEANING_TRANSFER;
  if (!post_write(workload, purpose)) {
    return false;
  }
  purpose->meaning = ULP_MEANING_IMMEDIATE;
  return post_send(workload, purpose, rules->immediate, RDMAP_IMMEDIATE_OCTETS,
                   ulp_agreement_payload(workload->agreement, workload->side, ULP_MEANING_IMMEDIATE, message),
                   0);
}

static bool post_step(ulp_workload *workload, const ulp_step *step, const ulp_request *request,
                      ulp_timed_message *timed)
{
  ulp_agreement *agreement = workload->agreement;
  ulp_requests *requests = workload->requests;
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);
  const uint64_t payload = ulp_agreement_payload(agreement, workload->side, ULP_MEANING_DATA, step->message);
  ulp_purpose purpose = {.meaning = ULP_MEANING_DATA,
                         .operation = step->operation,
                         .requester = workload->side,
                         .octets = request->octets,
                         .payload = payload,
                         .timed = timed};

  if (step->is_signal) {
    purpose.meaning = ULP_MEANING_SIGNAL;
    return post_send(workload, &purpose, RDMAP_SEND, 0, 0, 0);
  }
  if (rules->is_send && !rules->is_exchange) {
    purpose.slot = step->invalidates_write ? requests->written : NULL;
    return post_send(workload, &purpose, rules->posted, request->octets, payload,
                     purpose.slot ? purpose.slot->stag : 0);
  }
  purpose.slot = rules->is_send ? NULL
                                : ulp_slots_take(data_of(workload, rules), payload,
                                                 rules->is_atomic ? 0 : request->octets);
  purpose.keeps_slot = step->is_invalidated_write;
  bool is_posted;
  if (rules->is_exchange) {
    purpose.meaning = ULP_MEANING_REQUEST;
    is_posted =
        post_send(workload, &purpose, rules->posted,
                  rules->is_rpc ? agreement->config->request_octets : ULP_STORAGE_MESSAGE_OCTETS,
                  ulp_agreement_payload(agreement, workload->side, ULP_MEANING_REQUEST, step->message), 0);
  } else if (rules->is_atomic) {
    is_posted = post_atomic(workload, &purpose, rules, step->message);
  } else if (rules->immediate != RDMAP_WRITE) {
    is_posted = post_write_immediate(workload, &purpose, rules, step->message);
  } else {
    is_posted = rules->is_read ? post_read(workload, &purpose) : post_write(workload, &purpose);
  }
  if (is_posted) {
    agreement->receives_reserved[workload->side] += rules->is_exchange;
    requests->written = step->is_invalidated_write ? purpose.slot : NULL;
  }
  return is_posted;
}

/* Returns what is known of the message that `request` asks for, when it is posted. */
static ulp_message_times times_of(const ulp_workload *workload, const ulp_request *request)
{
  return (ulp_message_times){.id = request->id,
                             .operation = request->operation,
                             .requester = workload->side,
                             .octets = request->octets,
                             .posted = request->posted,
                             .first_placed = TIME_PS_NEVER,
                             .placed = TIME_PS_NEVER,
                             .delivered = TIME_PS_NEVER,
                             .completed = TIME_PS_NEVER};
}

/* The peer has got everything as soon as that has arrived which was posted. */
static void note_end(ulp_workload *workload)
{
  if (ulp_requests_are_posted(workload->requests)) {
    workload->agreement->goes_on &= (uint8_t) ~(1 << workload->side);
  }
}

/* Posts `step` at `now`, whose buffers are free; it is `request` unless it is a signal. */
static bool post_request(ulp_workload *workload, const ulp_step *step, const ulp_request *request,
                         time_ps now)
{
  ulp_agreement *agreement = workload->agreement;
  ulp_timed_message *timed = NULL;

  if (agreement->config->message && !step->is_signal) {
    const ulp_message_times known = times_of(workload, request);
    timed = ulp_agreement_time(agreement, workload->side, &known);
  }
  if (!post_step(workload, step, request, timed)) {
    if (timed) {
      ulp_agreement_forget(timed);
    }
    return false;
  }
  ulp_requests_take(workload->requests, step, now);
  if (agreement->goes_on & 1 << workload->side) {
    ulp_agreement_expect(agreement, workload->side, step);
  }
  return true;
}

bool ulp_workload_post_next(ulp_workload *workload, time_ps now)
{
  ulp_agreement *agreement = workload->agreement;
  bool *waits = &agreement->waits[workload->side];
  bool is_posted = false;
  ulp_request request;
  ulp_step step;

  /* A buffer that comes free ends the wait (ulp_agreement_release()): until then there is no need to look. */
  if (!workload->requests || (*waits && agreement->config->can_post && !agreement->goes_on)) {
    return false;
  }
  if (ulp_requests_peek(workload->requests, workload->side, agreement->user, now, &step, &request)) {
    *waits = !has_buffers(workload, &step);
    is_posted = !*waits && post_request(workload, &step, &request, now);
  }
  if (agreement->goes_on) {
    note_end(workload);
  }
  return is_posted;
}

void ulp_workload_note_time(ulp_workload *workload, time_ps now)
{
  if (workload->requests) {
    ulp_requests_note_time(workload->requests, now);
    note_end(workload);
  }
}

time_ps ulp_workload_held_until(const ulp_workload *workload)
{
  return workload->requests ? ulp_requests_held_until(workload->requests) : TIME_PS_NEVER;
}

void ulp_workload_submit(ulp_workload *workload, const ulp_request *request)
{
  ulp_requests_submit(workload->requests, request);
}

void ulp_workload_end(ulp_workload *workload)
{
  ulp_requests_end(workload->requests);
  note_end(workload);
}

uint32_t ulp_workload_queued(const ulp_workload *workload)
{
  return workload->requests ? ulp_requests_queued(workload->requests) : 0;
}

void ulp_workload_each_incomplete(const ulp_workload *workload,
                                  void (*visit)(void *user, const ulp_message_times *times), void *user)
{
  for (const ulp_timed_message *each = workload->agreement->timed[workload->side]; each; each = each->next) {
    visit(user, &each->times);
  }
  for (uint32_t i = 0; i < ulp_workload_queued(workload); i++) {
    const ulp_message_times times = times_of(workload, ulp_requests_at(workload->requests, i));
    visit(user, &times);
  }
}

/* --- The peer of an exchange --- */

/* The response to an exchange, of which `known` is a part, goes into the buffer that the request reserved. It
 * is the data, or it invalidates the STag that the exchange used at the requester, or neither. */
static void respond(ulp_workload *workload, const ulp_purpose *known)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(known->operation);
  const ulp_slot *slot = known->slot;
  ulp_purpose purpose = *known;

  purpose.meaning = ULP_MEANING_RESPONSE;
  workload->agreement->receives_reserved[known->requester]--;
  if (rules->is_send) {
    post_send(workload, &purpose, rules->response, known->octets, known->payload, 0);
    return;
  }
  post_send(workload, &purpose, rules->response, rules->response_octets,
            ulp_agreement_payload(workload->agreement, known->requester, ULP_MEANING_RESPONSE, slot->payload),
            rules->to_requester ? slot->stag : slot->source_stag);
}

/* The response follows a Write at once. It waits for a Read to complete; the fence, if there is one, does
 * that for it. A response that is the data, or after which the requester fetches that, is all. */
static void serve(ulp_workload *workload, const ulp_message *request)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(request->purpose.operation);
  ulp_purpose purpose = request->purpose;
  bool is_response_due = true;

  purpose.meaning = ULP_MEANING_TRANSFER;
  if (!rules->is_send && !rules->is_fetched) {
    is_response_due = rules->is_read ? post_read(workload, &purpose) && workload->agreement->config->fence
                                     : post_write(workload, &purpose);
  }
  if (is_response_due) {
    respond(workload, &purpose);
  }
}

/* --- Arrivals --- */

/* A step of this ULP's own, for `purpose`, is complete at `now`. */
static void complete_step(ulp_workload *workload, const ulp_purpose *purpose, time_ps now)
{
  ulp_requests_completed(workload->requests, purpose->meaning == ULP_MEANING_SIGNAL, now);
  if (purpose->timed) {
    purpose->timed->times.completed = now;
    ulp_agreement_report(workload->agreement, purpose->timed);
  }
}

/* The data of `message` is Delivered. */
static void note_delivered(ulp_agreement *agreement, ulp_timed_message *message)
{
  if (agreement->config->delivered) {
    agreement->config->delivered(agreement->user, &message->times);
  }
  ulp_agreement_report(agreement, message);
}

ulp_wrong_octets ulp_workload_wrong(const ulp_workload *workload, const ddp_segment *segment)
{
  const ulp_delivery_check *check = workload->agreement->arrivals[workload->side];

  return check ? ulp_delivery_check_wrong(check, segment) : (ulp_wrong_octets){0};
}

void ulp_workload_delivered(ulp_workload *workload, const ddp_segment *segment, time_ps now)
{
  ulp_agreement *agreement = workload->agreement;
  ulp_message whole;

  /* The buffers of Reads are free at their completion, those of an exchange with its response. */
  if (ulp_delivery_check_delivered(ulp_agreement_arrivals(agreement, workload->side), segment, now, &whole) &&
      whole.opcode == RDMAP_WRITE && whole.purpose.meaning == ULP_MEANING_DATA && !whole.purpose.keeps_slot) {
    ulp_agreement_release(agreement, workload->side, agreement->data[whole.purpose.requester][workload->side],
                          whole.purpose.slot);
  }
  if (whole.timed && ulp_operation_rules_of(whole.purpose.operation)->immediate != RDMAP_WRITE) {
    whole.timed->times.delivered = TIME_PS_NEVER; /* its Immediate Data follows */
  } else if (whole.timed) {
    note_delivered(agreement, whole.timed);
  }
}

/* The data that `send` is about may be used: its slot is free. An STag that it had here is invalid when
 * `send` has invalidated it, and the slot gets another one. */
static void end_data(ulp_workload *workload, const ulp_message *send)
{
  ulp_agreement *agreement = workload->agreement;
  const ulp_purpose *purpose = &send->purpose;
  bool is_source =
      purpose->meaning == ULP_MEANING_RESPONSE && !ulp_operation_rules_of(purpose->operation)->to_requester;
  enum side holder = is_source ? side_peer(workload->side) : workload->side;
  ulp_slots *data = agreement->data[purpose->requester][holder];

  if (send->invalidates) {
    ulp_slots_renew_stag(data, purpose->slot, is_source ? ULP_SLOT_SOURCE_STAG : ULP_SLOT_STAG);
  }
  ulp_agreement_release(agreement, holder, data, purpose->slot);
}

/* The buffer of `send` is the ULP's again and is posted anew. */
static void repost(ulp_workload *workload, const ulp_message *send)
{
  ulp_slots *receives = workload->agreement->receives[workload->side];
  const ulp_slots_config *config = &receives->config;

  rnic_post_receives(workload->endpoint, 1, config->octets, send->buffer->number + config->count);
  if (send->invalidates && !send->purpose.slot) {
    ulp_slots_renew_stag(receives, send->buffer, ULP_SLOT_STAG); /* its own is gone */
  }
  ulp_agreement_release(workload->agreement, workload->side, receives, send->buffer);
}

/* An exchange of this ULP's own is answered at `now`: it is complete, or its data is fetched. */
static void take_response(ulp_workload *workload, const ulp_message *response, time_ps now)
{
  ulp_purpose purpose = response->purpose;

  if (ulp_operation_rules_of(purpose.operation)->is_fetched) {
    purpose.meaning = ULP_MEANING_TRANSFER;
    post_read(workload, &purpose);
    return;
  }
  complete_step(workload, &purpose, now);
  if (purpose.slot) {
    end_data(workload, response);
  }
}

static void receive(ulp_workload *workload, const rdmap_completion *completion, time_ps now)
{
  ulp_message send;

  if (!ulp_delivery_check_received(ulp_agreement_arrivals(workload->agreement, workload->side), completion,
                                   &send)) {
    return;
  }
  repost(workload, &send);
  if (send.purpose.meaning == ULP_MEANING_REQUEST) {
    serve(workload, &send);
  } else if (send.purpose.meaning == ULP_MEANING_RESPONSE) {
    take_response(workload, &send, now);
  } else if (send.purpose.slot) { /* Immediate Data of a Write, or a Send that invalidates its STag */
    end_data(workload, &send);
  }
  if (send.purpose.meaning == ULP_MEANING_IMMEDIATE && send.purpose.timed) {
    send.purpose.timed->times.delivered = now;
    note_delivered(workload->agreement, send.purpose.timed);
  }
}

/* --- Completions --- */

static void complete(ulp_workload *workload, const rdmap_completion *completion, time_ps now)
{
  ulp_agreement *agreement = workload->agreement;
  g_autofree posted_work *work = workload->oldest;

  workload->order_errors += !work || completion->id != work->id;
  if (!work) {
    return;
  }
  workload->oldest = work->next;
  if (completion->in_error) {
    return;
  }
  const ulp_purpose *purpose = &work->purpose;
  const ulp_operation_rules *rules = ulp_operation_rules_of(purpose->operation);
  bool is_data =
      purpose->meaning == ULP_MEANING_DATA || (purpose->meaning == ULP_MEANING_TRANSFER && rules->is_fetched);
  if (is_data || purpose->meaning == ULP_MEANING_SIGNAL || purpose->meaning == ULP_MEANING_IMMEDIATE) {
    complete_step(workload, purpose, now);
  }
  if (rules->is_atomic) {
    ulp_lent_counter *lent = ulp_agreement_counter(agreement, side_peer(workload->side));
    const bool is_right =
        ulp_counter_complete(lent->counter, rules->atomic, purpose->payload, completion->original);
    lent->wrong_counts += !is_right;
  }
  if (is_data && (rules->is_read || rules->is_atomic)) {
    ulp_agreement_release(agreement, workload->side, agreement->data[workload->side][workload->side],
                          purpose->slot);
  }
  if (purpose->meaning == ULP_MEANING_TRANSFER && rules->is_read && !is_data && !agreement->config->fence) {
    respond(workload, purpose);
  }
}

void ulp_workload_poll(ulp_workload *workload, time_ps now)
{
  rdmap_completion completion;

  while (rnic_poll(workload->endpoint, &completion)) {
    if (completion.is_receive) {
      receive(workload, &completion, now);
    } else {
      complete(workload, &completion, now);
    }
  }
  if (workload->agreement->goes_on && workload->requests) {
    note_end(workload);
  }
  if (workload->requests && ulp_workload_is_complete(workload)) {
    g_clear_pointer(&workload->requests, ulp_requests_free);
  }
}

/* --- Making --- */

ulp_workload *ulp_workload_new(ulp_agreement *agreement, enum side side, rnic_endpoint *endpoint)
{
  const ulp_workload_config *config = agreement->config;
  ulp_workload *workload = g_new(ulp_workload, 1);

  *workload = (ulp_workload){.agreement = agreement, .endpoint = endpoint, .side = side};
  if (ulp_workload_posts(config, side)) {
    workload->requests = ulp_requests_new(config);
  }
  ulp_agreement_lend(agreement, side, endpoint);
  /* The Responder may send nothing before it has received an FPDU (mpa-01 §6.1 rule 4, MPA-219; note M37). In
   * an open loop it may have a message before the Initiator has any: an RDMA Write without octets goes first,
   * unless an RTR indication does. */
  if (config->open_loop && config->both && side == SIDE_INITIATOR && !agreement->has_rtr) {
    const ulp_purpose purpose = {.meaning = ULP_MEANING_OPENING, .requester = side};
    rdmap_work work = {.operation = RDMAP_WRITE};
    ulp_message expected = {.opcode = RDMAP_WRITE};
    post(workload, &purpose, &work, side_peer(side), &expected);
  }
  return workload;
}

void ulp_workload_free(ulp_workload *workload)
{
  if (workload) {
    for (posted_work *each = workload->oldest, *next; each; each = next) {
      next = each->next;
      g_free(each);
    }
    ulp_agreement_unref(workload->agreement);
    ulp_requests_free(workload->requests);
    g_free(workload);
  }
}

/* --- How far it is --- */

/* Returns what has arrived. */
static const ulp_delivery_check_results *arrived(const ulp_workload *workload)
{
  static const ulp_delivery_check_results nothing;
  const ulp_delivery_check *check = workload->agreement->arrivals[workload->side];

  return check ? ulp_delivery_check_results_of(check) : &nothing;
}

bool ulp_workload_is_complete(const ulp_workload *workload)
{
  const ulp_requests *requests = workload->requests;

  return !requests || (requests->outstanding == 0 && ulp_requests_are_posted(requests));
}

bool ulp_workload_is_delivered(const ulp_workload *workload)
{
  const ulp_agreement *agreement = workload->agreement;

  return !agreement->goes_on && arrived(workload)->messages == agreement->messages[workload->side];
}

ulp_workload_results ulp_workload_results_of(const ulp_workload *workload)
{
  ulp_agreement *agreement = workload->agreement;
  const ulp_lent_counter *lent = ulp_agreement_counter(agreement, side_peer(workload->side));
  const ulp_delivery_check_results *checked = arrived(workload);
  uint64_t refused = rnic_endpoint_is_erroneous(workload->endpoint) ? checked->last_unexpected : 0;

  return (ulp_workload_results){
      .messages_expected = agreement->messages[workload->side],
      .messages_delivered = checked->messages,
      .octets_delivered = checked->octets,
      .octets_wrong = checked->octets_wrong + (lent ? lent->wrong_counts * (uint64_t)RDMAP_ATOMIC_OCTETS : 0),
      .order_errors = checked->order_errors - refused + workload->order_errors,
      .guard_errors = agreement->guard_errors[workload->side]};
}
