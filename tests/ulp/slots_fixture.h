/* SPDX-License-Identifier: GPL-2.0-only */
/* Two ends that never connect, and slots of the first one's memory. */
#pragma once

#include "../rnic/rnic_fixture.h"
#include "ulp/ulp_slots.h"

typedef struct slots_fixture {
  pattern *table;
  rnic_fixture *ends;
  ulp_slots *slots;
} slots_fixture;

/* `count` slots of `octets` at the Initiator; with `stags` Tagged Buffers whose messages Reads fetch from the
 * Responder. */
void slots_fixture_init(slots_fixture *f, uint32_t count, uint32_t octets, bool stags);
/* … that grow. */
void slots_fixture_init_growing(slots_fixture *f, uint32_t count, uint32_t octets);
void slots_fixture_clear(slots_fixture *f);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(slots_fixture, slots_fixture_clear)
