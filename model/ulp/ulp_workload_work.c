/* SPDX-License-Identifier: GPL-2.0-only */
/* One operation of a workload. */
#include <glib.h>

#include "ulp/ulp_workload_private.h"

uint64_t ulp_workload_payload_of(const ulp_workload *workload, const workload_flow *flow,
                                 work_meaning meaning, uint64_t message)
{
  uint64_t kind = 8 * (uint64_t)flow->requester + (uint64_t)meaning;

  return pattern_message_offset(workload->connection, message | kind << 60);
}

uint32_t ulp_workload_length_of(const ulp_workload *workload, uint64_t message)
{
  const ulp_workload_config *config = workload->config;

  return config->message_sizes.count > 0
             ? (uint32_t)config->message_sizes.values[message % config->message_sizes.count]
             : config->message_octets;
}

static bool post(ulp_workload *workload, enum side side, const posted_work *what, rdmap_work *work)
{
  workload_end *end = &workload->ends[side];

  work->id = end->posted_count;
  work->fence = workload->config->fence;
  if (!rnic_post(end->endpoint, work)) {
    return false; /* the connection ended */
  }
  end->posted_count++;
  waiting_work *waiting = g_new(waiting_work, 1);
  *waiting = (waiting_work){.work = *what};
  *(end->oldest ? &end->newest->next : &end->oldest) = waiting;
  end->newest = waiting;
  return true;
}

static rdmap_opcode opcode_of(rdmap_operation operation)
{
  switch (operation) {
  case RDMAP_OPERATION_SEND_INVALIDATE:
    return RDMAP_SEND_INVALIDATE;
  case RDMAP_OPERATION_SEND_SE:
    return RDMAP_SEND_SE;
  case RDMAP_OPERATION_SEND_SE_INVALIDATE:
    return RDMAP_SEND_SE_INVALIDATE;
  default:
    return RDMAP_SEND;
  }
}

bool ulp_workload_post_send(ulp_workload *workload, enum side side, const posted_work *what,
                            const send_details *details)
{
  ulp_workload_slot *buffer = ulp_workload_take_receive(workload, side_peer(side), details->payload);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(opcode_of(details->operation));
  uint32_t stag = details->invalidated_stag ? details->invalidated_stag : buffer->stag;
  rdmap_work work = {.operation = details->operation,
                     .length = details->length,
                     .source = ulp_workload_slot_payload,
                     .source_user = buffer,
                     .remote_stag = rules->invalidates ? stag : 0};
  const ulp_arrival arrival = {.kind = ULP_ARRIVAL_SEND,
                               .opcode = rules->opcode,
                               .meaning = (int)what->meaning,
                               .operation = what->operation,
                               .flow = what->flow,
                               .slot = what->slot,
                               .buffer = buffer,
                               .length = details->length,
                               .solicits = rules->solicits,
                               .invalidates = rules->invalidates,
                               .invalidated_stag = stag};

  if (!post(workload, side, what, &work)) {
    return false; /* nothing will take the buffer any more */
  }
  ulp_arrivals_expect(ulp_workload_arrivals(workload, side_peer(side)), &arrival);
  return true;
}

bool ulp_workload_post_write(ulp_workload *workload, enum side side, const posted_work *what)
{
  rdmap_work work = {.operation = RDMAP_OPERATION_WRITE,
                     .length = what->slot->length,
                     .source = ulp_workload_slot_payload,
                     .source_user = what->slot,
                     .remote_stag = what->slot->stag,
                     .remote_offset = what->slot->base};
  const ulp_arrival arrival = {.kind = ULP_ARRIVAL_WRITE,
                               .opcode = RDMAP_WRITE,
                               .meaning = (int)what->meaning,
                               .operation = what->operation,
                               .flow = what->flow,
                               .slot = what->slot,
                               .keeps_slot = what->keeps_slot,
                               .length = what->slot->length};

  if (!post(workload, side, what, &work)) {
    return false;
  }
  ulp_arrivals_expect(ulp_workload_arrivals(workload, side_peer(side)), &arrival);
  return true;
}

bool ulp_workload_post_read(ulp_workload *workload, enum side side, const posted_work *what)
{
  rdmap_work work = {.operation = RDMAP_OPERATION_READ,
                     .length = what->slot->length,
                     .remote_stag = what->slot->source_stag,
                     .remote_offset = what->slot->source_base,
                     .local_stag = what->slot->stag,
                     .local_offset = what->slot->base};
  const ulp_arrival arrival = {.kind = ULP_ARRIVAL_RESPONSE,
                               .opcode = RDMAP_READ_RESPONSE,
                               .meaning = (int)what->meaning,
                               .operation = what->operation,
                               .flow = what->flow,
                               .slot = what->slot,
                               .length = what->slot->length};

  if (!post(workload, side, what, &work)) {
    return false;
  }
  ulp_arrivals_expect(ulp_workload_arrivals(workload, side), &arrival);
  return true;
}
