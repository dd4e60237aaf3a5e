/* SPDX-License-Identifier: GPL-2.0-only */
#include "slots_fixture.h"

static const rnic_endpoint_events nothing;

void slots_fixture_init(slots_fixture *f, uint32_t count, uint32_t octets, bool stags)
{
  f->table = pattern_new();
  for (enum side side = 0; side < SIDES; side++) {
    rnic_endpoint_config config = rnic_endpoint_config_default(side);

    config.tcp.local_address = ip_address_v4(1 + side);
    config.tcp.remote_address = ip_address_v4(1 + side_peer(side));
    config.host = f->hosts[side] = rnic_host_new(1 + side);
    config.protection_domain = rnic_host_protection_domain_new(config.host);
    f->endpoints[side] = rnic_endpoint_new(&config, &nothing, NULL);
  }
  const ulp_slots_config slots = {.count = count,
                                  .octets = octets,
                                  .endpoint = f->endpoints[SIDE_INITIATOR],
                                  .source = stags ? f->endpoints[SIDE_RESPONDER] : NULL,
                                  .has_stags = stags,
                                  .access = DDP_ACCESS_REMOTE_WRITE,
                                  .association = DDP_ASSOCIATED_BY_STREAM,
                                  .table = f->table};
  f->slots = ulp_slots_new(&slots);
}

void slots_fixture_clear(slots_fixture *f)
{
  ulp_slots_free(f->slots);
  for (enum side side = 0; side < SIDES; side++) {
    rnic_endpoint_free(f->endpoints[side]);
    rnic_host_free(f->hosts[side]);
  }
  pattern_free(f->table);
}
