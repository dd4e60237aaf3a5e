/* SPDX-License-Identifier: GPL-2.0-only */
/* g_autoptr for what study/ makes. */
#ifndef TESTS_STUDY_STUDY_CLEANUP_H
#define TESTS_STUDY_STUDY_CLEANUP_H

#include <glib.h>

#include "scenario/scenario.h"
#include "study/store/result_store_private.h"
#include "study/store/summary.h"
#include "study/sweep/commit_queue.h"
#include "study/sweep/sweep_grid.h"
#include "study/table/study_table.h"
#include "study/table/text_columns.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(provenance, provenance_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(result_store, result_store_close)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(scenario, scenario_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(store_names, store_names_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(store_summary, store_summary_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(study_table, study_table_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(summary_record, summary_record_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sweep_grid, sweep_grid_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(sweep_record, sweep_record_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(text_columns, text_columns_free)

#endif
