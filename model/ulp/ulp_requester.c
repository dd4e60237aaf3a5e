/* SPDX-License-Identifier: GPL-2.0-only */
/* The requester: the steps of a flow's plan are posted one by one, each when the buffers that it needs are
 * free at both ends. */
#include "ulp/ulp_workload_private.h"

/* Octets of the flow's message `message`. */
static uint32_t length_of(const ulp_workload *workload, uint64_t message)
{
  const number_list *sizes = &workload->config->message_sizes;

  return sizes->count > 0 ? (uint32_t)sizes->values[message % sizes->count]
                          : workload->config->message_octets;
}

/* Where the data of a message goes that is no Send. */
static ulp_slots *data_of(const workload_flow *flow, const ulp_operation_rules *rules)
{
  return flow->data[rules->fills_requester ? flow->requester : side_peer(flow->requester)];
}

static bool has_receive(const workload_end *end)
{
  return end->receives && ulp_slots_free_count(end->receives) > end->receives_reserved;
}

/* Whether all buffers that `step` needs are free: one for its data; the peer's for a Send; its own for the
 * response. */
static bool has_buffers(const ulp_workload *workload, const workload_flow *flow, const ulp_step *step)
{
  const workload_end *own = &workload->ends[flow->requester];
  const workload_end *peer = &workload->ends[side_peer(flow->requester)];
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);

  if (step->is_signal || rules->is_send) {
    return has_receive(peer);
  }
  return ulp_slots_has_next(data_of(flow, rules)) &&
         (!rules->is_exchange || (has_receive(peer) && has_receive(own)));
}

static bool post_step(ulp_workload *workload, workload_flow *flow, const ulp_step *step)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);

  if (step->is_signal) {
    const posted_work signal = {.meaning = MEANING_SIGNAL, .flow = flow};
    return ulp_workload_post_send(workload, flow->requester, &signal,
                                  &(send_details){.operation = RDMAP_OPERATION_SEND});
  }
  if (rules->is_send) {
    const posted_work data = {.meaning = MEANING_DATA,
                              .operation = step->operation,
                              .flow = flow,
                              .slot = step->invalidates_write ? flow->written : NULL};
    const send_details details = {.length = length_of(workload, step->message),
                                  .payload =
                                      ulp_workload_payload(workload, flow, MEANING_DATA, step->message),
                                  .operation = rules->posted,
                                  .invalidated_stag = data.slot ? data.slot->stag : 0};
    return ulp_workload_post_send(workload, flow->requester, &data, &details);
  }
  posted_work what = {
      .meaning = rules->is_exchange ? MEANING_REQUEST : MEANING_DATA,
      .operation = step->operation,
      .flow = flow,
      .slot = ulp_slots_take(data_of(flow, rules),
                             ulp_workload_payload(workload, flow, MEANING_DATA, step->message)),
      .keeps_slot = step->is_invalidated_write,
  };
  what.slot->length = length_of(workload, step->message);
  const send_details request = {.length = ULP_STORAGE_MESSAGE_OCTETS,
                                .payload =
                                    ulp_workload_payload(workload, flow, MEANING_REQUEST, step->message),
                                .operation = RDMAP_OPERATION_SEND};
  const bool is_posted = rules->is_exchange
                             ? ulp_workload_post_send(workload, flow->requester, &what, &request)
                         : rules->is_read ? ulp_workload_post_read(workload, flow->requester, &what)
                                          : ulp_workload_post_write(workload, flow->requester, &what);
  if (is_posted) {
    workload->ends[flow->requester].receives_reserved += rules->is_exchange;
    flow->written = step->is_invalidated_write ? what.slot : NULL;
  }
  return is_posted;
}

bool ulp_workload_post_next(ulp_workload *workload, enum side side)
{
  workload_flow *flow = workload->flows[side];
  uint64_t outstanding = workload->config->outstanding;
  ulp_step step;

  if (!flow || flow->posted == flow->steps ||
      (outstanding > 0 && flow->posted - flow->completed >= outstanding)) {
    return false;
  }
  ulp_plan_peek(&flow->plan, &step);
  flow->waits = !has_buffers(workload, flow, &step);
  if (flow->waits || !post_step(workload, flow, &step)) {
    return false;
  }
  ulp_plan_take(&flow->plan);
  flow->posted++;
  return true;
}
