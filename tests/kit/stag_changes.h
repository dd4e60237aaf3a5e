/* SPDX-License-Identifier: GPL-2.0-only */
/* What a registered STag names, allows or is tied to, changed: the STag is taken back and registered
 * again. */
#pragma once

#include <glib.h>

#include "ddp/ddp_stag_table.h"

/* False, and nothing changed, when the registration would not be legal. */
static inline bool stag_change(ddp_stag_table *table, uint32_t stag, const ddp_registration *changed)
{
  ddp_registration before = *ddp_stag_table_find(table, stag);
  g_assert_true(ddp_stag_table_deregister(table, stag));
  if (ddp_stag_table_register_as(table, stag, changed)) {
    return true;
  }
  g_assert_true(ddp_stag_table_register_as(table, stag, &before));
  return false;
}

static inline bool stag_set_range(ddp_stag_table *table, uint32_t stag, uint64_t base, uint64_t length,
                                  uint8_t *memory)
{
  ddp_registration changed = *ddp_stag_table_find(table, stag);
  changed.base = base;
  changed.length = length;
  changed.memory = memory;
  return stag_change(table, stag, &changed);
}

static inline bool stag_set_access(ddp_stag_table *table, uint32_t stag, unsigned access)
{
  ddp_registration changed = *ddp_stag_table_find(table, stag);
  changed.access = access;
  return stag_change(table, stag, &changed);
}

static inline bool stag_associate(ddp_stag_table *table, uint32_t stag, ddp_association association,
                                  ddp_stream_identity owner)
{
  ddp_registration changed = *ddp_stag_table_find(table, stag);
  changed.association = association;
  changed.owner = owner;
  return stag_change(table, stag, &changed);
}
