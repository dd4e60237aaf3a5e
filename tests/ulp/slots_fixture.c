/* SPDX-License-Identifier: GPL-2.0-only */
#include "slots_fixture.h"

static void init(slots_fixture *f, uint32_t count, uint32_t octets, bool stags, bool grows)
{
  f->table = pattern_new();
  f->ends = rnic_fixture_new();
  create(f->ends);
  const ulp_slots_config slots = {.count = count,
                                  .octets = octets,
                                  .has_stags = {stags, stags},
                                  .grows = grows,
                                  .access = DDP_ACCESS_REMOTE_WRITE,
                                  .association = DDP_ASSOCIATED_BY_STREAM,
                                  .table = f->table};
  f->slots = ulp_slots_new(&slots);
  ulp_slots_lend(f->slots, ULP_SLOT_STAG, f->ends->initiator->endpoint);
  ulp_slots_lend(f->slots, ULP_SLOT_SOURCE_STAG, f->ends->responder->endpoint);
}

void slots_fixture_init(slots_fixture *f, uint32_t count, uint32_t octets, bool stags)
{
  init(f, count, octets, stags, false);
}

void slots_fixture_init_growing(slots_fixture *f, uint32_t count, uint32_t octets)
{
  init(f, count, octets, true, true);
}

void slots_fixture_clear(slots_fixture *f)
{
  ulp_slots_free(f->slots);
  rnic_fixture_free(f->ends);
  pattern_free(f->table);
}
