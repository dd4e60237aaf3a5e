/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_verbs.h"

#include <glib.h>

#include "rnic/rnic_endpoint_private.h"

static ddp_stag_table *stags_of(const rnic_endpoint *endpoint)
{
  return endpoint->host->stags;
}

uint32_t rnic_allocate_stag(rnic_endpoint *endpoint)
{
  return ddp_stag_table_allocate(stags_of(endpoint), rdmap_stream_identity(endpoint->stream));
}

bool rnic_register_as(rnic_endpoint *endpoint, const rnic_memory *memory, uint32_t stag)
{
  const ddp_registration registration = {.memory = memory->octets,
                                         .supply = memory->supply,
                                         .source = memory->source,
                                         .source_user = memory->source_user,
                                         .base = memory->base,
                                         .length = memory->length,
                                         .access = memory->access,
                                         .association = memory->association,
                                         .owner = rdmap_stream_identity(endpoint->stream),
                                         .is_remotely_invalidatable = memory->is_remotely_invalidatable};

  return ddp_stag_table_register_as(stags_of(endpoint), stag, &registration);
}

/* It is valid and this connection's: its stream's, or its Protection Domain's. ddp-07/rfc5041 §8.3: a ULP
 * reaches STags through the Privileged Resource Manager only (DDP-206). */
static bool is_own(const rnic_endpoint *endpoint, uint32_t stag)
{
  const ddp_registration *registration = ddp_stag_table_find(stags_of(endpoint), stag);

  if (!registration) {
    return false;
  }
  ddp_stream_identity own = rdmap_stream_identity(endpoint->stream);
  return registration->association == DDP_ASSOCIATED_BY_STREAM
             ? registration->owner.stream_id == own.stream_id
             : registration->owner.protection_domain == own.protection_domain;
}

bool rnic_withdraw(rnic_endpoint *endpoint, uint32_t stag)
{
  return is_own(endpoint, stag) && ddp_stag_table_withdraw(stags_of(endpoint), stag);
}

bool rnic_post(rnic_endpoint *endpoint, const rdmap_work *work)
{
  bool posted = rdmap_stream_post(endpoint->stream, work);

  if (posted) {
    TRACE(endpoint->receiver.config.trace, POSTED, .work = work->id,
          .opcode = rdmap_operation_opcode(work->operation), .octets = work->length);
  }
  return posted;
}

void rnic_supply_receives(rnic_endpoint *endpoint, ddp_buffer_supplier supplier, void *user)
{
  ddp_untagged_queue_set_supplier(rdmap_stream_queue_of(endpoint->stream, RDMAP_QUEUE_SEND), supplier, user);
}

void rnic_post_receives(rnic_endpoint *endpoint, uint32_t count, uint64_t length, uint64_t first_id)
{
  ddp_untagged_queue_post_run(rdmap_stream_queue_of(endpoint->stream, RDMAP_QUEUE_SEND), count, length,
                              first_id);
}

bool rnic_poll(rnic_endpoint *endpoint, rnic_completion *completion)
{
  waiting_completion *newest = endpoint->newest_completion;

  if (!newest) {
    return false;
  }
  g_autofree waiting_completion *oldest = newest->next;
  *completion = oldest->completion;
  newest->next = oldest->next;
  if (oldest == newest) {
    endpoint->newest_completion = NULL;
  }
  return true;
}
