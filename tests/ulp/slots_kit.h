/* SPDX-License-Identifier: GPL-2.0-only */
/* Two ends that never say a word to each other, and slots of the first one's memory. */
#ifndef TESTS_ULP_SLOTS_KIT_H
#define TESTS_ULP_SLOTS_KIT_H

#include <glib.h>

#include "ulp/ulp_slots.h"

typedef struct slots_kit {
  pattern *table;
  rnic_host *hosts[SIDES];
  rnic_endpoint *endpoints[SIDES];
  ulp_slots *slots;
} slots_kit;

/* `count` slots of `octets` at the Initiator; with `stags` Tagged Buffers whose messages Reads fetch from the Responder. */
void slots_kit_init(slots_kit *kit, uint32_t count, uint32_t octets, bool stags);
void slots_kit_clear(slots_kit *kit);

#endif
