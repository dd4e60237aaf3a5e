/* SPDX-License-Identifier: GPL-2.0-only */
/* This changes what a registered STag names, allows or is tied to: the STag is taken back and registered
 * again. */
#pragma once

#include "ddp/ddp_stag_table.h"
#include "fields.h"

/* Returns false, and nothing changed, when the registration would not be legal. */
static inline bool stag_change(ddp_stag_table *table, uint32_t stag, ddp_registration changed)
{
  ddp_registration before = *ddp_stag_table_find(table, stag);
  g_assert_true(ddp_stag_table_deregister(table, stag));
  if (ddp_stag_table_register_as(table, stag, &changed)) {
    return true;
  }
  g_assert_true(ddp_stag_table_register_as(table, stag, &before));
  return false;
}

/* Does the same with other values for the fields given: STAG_CHANGE(table, stag, .base = 5, .length = 1). */
#define STAG_CHANGE(table, stag, ...)                                                                        \
  stag_change((table), (stag), WITH(ddp_registration, *ddp_stag_table_find((table), (stag)), __VA_ARGS__))
