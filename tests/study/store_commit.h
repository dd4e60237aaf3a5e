/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a run in a store: what a test begins with. */
#pragma once

#include "study/store/result_store_private.h"

/* Does as store_put(), in one transaction. */
static inline gboolean store_commit(result_store *store, const provenance *from, const stored_run *run,
                                    GError **error)
{
  return store_execute(store, "BEGIN IMMEDIATE", error) &&
         store_finish(store, store_put(store, from, run, error), error);
}
