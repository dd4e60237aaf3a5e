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
  return ddp_stag_table_allocate(stags_of(endpoint), rdmap_stream_identity(endpoint->sender.config.stream));
}

uint32_t rnic_renew_stag(rnic_endpoint *endpoint)
{
  return ddp_stag_table_renew(stags_of(endpoint), rdmap_stream_identity(endpoint->sender.config.stream));
}

bool rnic_register_as(rnic_endpoint *endpoint, const ddp_registration *memory, uint32_t stag)
{
  ddp_registration registration = *memory;
  registration.owner = rdmap_stream_identity(endpoint->sender.config.stream);
  return ddp_stag_table_register_as(stags_of(endpoint), stag, &registration);
}

bool rnic_withdraw(rnic_endpoint *endpoint, uint32_t stag)
{
  return ddp_stag_table_withdraw(stags_of(endpoint), rdmap_stream_identity(endpoint->sender.config.stream),
                                 stag);
}

bool rnic_post(rnic_endpoint *endpoint, const rdmap_work *work)
{
  bool posted = rdmap_stream_post(endpoint->sender.config.stream, work);

  if (posted) {
    TRACE(endpoint->receiver.config.trace, POSTED, .work = work->id, .opcode = work->operation,
          .octets = work->length);
  }
  return posted;
}

void rnic_supply_receives(rnic_endpoint *endpoint, ddp_buffer_supplier supplier, void *user)
{
  ddp_untagged_queue_set_supplier(rdmap_stream_queue_of(endpoint->sender.config.stream, RDMAP_QUEUE_SEND),
                                  supplier, user);
}

void rnic_post_receives(rnic_endpoint *endpoint, uint32_t count, uint64_t length, uint64_t first_id)
{
  ddp_untagged_queue_post_run(rdmap_stream_queue_of(endpoint->sender.config.stream, RDMAP_QUEUE_SEND), count,
                              length, first_id);
}

bool rnic_poll(rnic_endpoint *endpoint, rdmap_completion *completion)
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
