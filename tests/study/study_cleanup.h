/* SPDX-License-Identifier: GPL-2.0-only */
/* g_autoptr for what study/ makes. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"
#include "study/store/result_store_private.h"
#include "study/store/summary.h"
#include "study/sweep/sweep_grid.h"
#include "study/sweep/sweep_record.h"
#include "study/table/study_table.h"

/* of sweep_record_new() */
typedef stored_run sweep_record;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sweep_record, sweep_record_free)
