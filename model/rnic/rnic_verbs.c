#include "rnic/rnic_verbs.h"

bool rnic_register(rnic_endpoint *endpoint, const rnic_memory *memory, uint32_t *stag)
{
  const ddp_registration registration = {.memory = memory->octets,
                                         .source = memory->source,
                                         .source_user = memory->source_user,
                                         .base = memory->base,
                                         .length = memory->length,
                                         .access = memory->access,
                                         .association = memory->association,
                                         .owner = rnic_endpoint_identity(endpoint),
                                         .is_remotely_invalidatable = memory->is_remotely_invalidatable};

  /* ddp-07/rfc5041 §8.3.2: what the ULP has no right to is not tied to an STag (DDP-219): no octets at all, octets of a range that no
   * buffer can have, writing into octets that the ULP itself may only read. The table refuses each. */
  return ddp_stag_table_register(rnic_host_stags(rnic_endpoint_host(endpoint)), &registration, stag);
}

/* Is it this connection's: its stream's, or its Protection Domain's? */
static bool owns(const rnic_endpoint *endpoint, const ddp_registration *registration)
{
  ddp_stream_identity self = rnic_endpoint_identity(endpoint);

  return registration->association == DDP_ASSOCIATED_BY_STREAM
             ? registration->owner.stream_id == self.stream_id
             : registration->owner.protection_domain == self.protection_domain;
}

bool rnic_deregister(rnic_endpoint *endpoint, uint32_t stag)
{
  ddp_stag_table *stags = rnic_host_stags(rnic_endpoint_host(endpoint));
  const ddp_registration *registration = ddp_stag_table_find(stags, stag);

  /* ddp-07/rfc5041 §8.3: a ULP reaches STags through the Privileged Resource Manager only (DDP-206) */
  return registration && owns(endpoint, registration) && ddp_stag_table_deregister(stags, stag);
}

bool rnic_post(rnic_endpoint *endpoint, const rdmap_work *work)
{
  return rdmap_stream_post(rnic_endpoint_stream(endpoint), work);
}

void rnic_post_receive(rnic_endpoint *endpoint, uint8_t *octets, uint64_t length, uint64_t id)
{
  rdmap_stream_post_receive(rnic_endpoint_stream(endpoint), octets, length, id);
}

bool rnic_poll(rnic_endpoint *endpoint, rnic_completion *completion)
{
  return rnic_completion_queue_pop(rnic_endpoint_completions(endpoint), completion);
}

void rnic_set_notification(rnic_endpoint *endpoint, rnic_notification notification)
{
  rnic_completion_queue_set_notification(rnic_endpoint_completions(endpoint), notification);
}
