/* SPDX-License-Identifier: GPL-2.0-only */
#include "slots_kit.h"

static const rnic_endpoint_events nothing;

void slots_kit_init(slots_kit *kit, uint32_t count, uint32_t octets, bool stags)
{
  kit->table = pattern_new();
  for (enum side side = 0; side < SIDES; side++) {
    rnic_endpoint_config config = rnic_endpoint_config_default(side);

    config.tcp.local_address = ip_address_v4(1 + side);
    config.tcp.remote_address = ip_address_v4(1 + side_peer(side));
    config.host = kit->hosts[side] = rnic_host_new(1 + side);
    config.protection_domain = rnic_host_protection_domain_new(config.host);
    kit->endpoints[side] = rnic_endpoint_new(&config, &nothing, NULL);
  }
  const ulp_slots_config slots = {.count = count,
                                  .octets = octets,
                                  .endpoint = kit->endpoints[SIDE_INITIATOR],
                                  .source = stags ? kit->endpoints[SIDE_RESPONDER] : NULL,
                                  .has_stags = stags,
                                  .access = DDP_ACCESS_REMOTE_WRITE,
                                  .association = DDP_ASSOCIATED_BY_STREAM,
                                  .table = kit->table};
  kit->slots = ulp_slots_new(&slots);
}

void slots_kit_clear(slots_kit *kit)
{
  ulp_slots_free(kit->slots);
  for (enum side side = 0; side < SIDES; side++) {
    rnic_endpoint_free(kit->endpoints[side]);
    rnic_host_free(kit->hosts[side]);
  }
  pattern_free(kit->table);
}
