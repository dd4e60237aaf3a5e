/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the least value of a key that keeps a condition, at each point of a scenario's sweep: which runs
 * are needed next, and what those in a store show, in sentences. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"
#include "study/size/size_condition.h"
#include "study/size/size_search.h"
#include "study/store/run_events.h"
#include "study/sweep/sweep_grid.h"

/* An answer from fewer losses, in all seeds together, is none. */
enum { SIZE_LOSSES_MIN = RUN_EVENTS_MIN };

typedef struct size_question {
  scenario_key key; /* a size, count, time or rate */
  size_condition condition;
  size_scope scope;
  guint seeds;         /* from the scenario's first one on; 0: those that it sweeps, or 8 */
  gboolean every_seed; /* each seed must meet the condition; else the bound of the mean's 95 % interval */
  guint until_losses; /* the runs of a point are made longer until all seeds have so many, up to 100 times; 0:
                         no */
} size_question;

typedef struct size_study size_study;

/* Returns the search that answers `question` for `s`, loaded with `sets`; all must outlive it. It takes the
 * place of an axis of the key. NULL and `error` when another axis moves with the key or the seed, when one
 * seed is to give an interval, when runs are to be made longer over whose length the scenario sweeps, when
 * the runs will not have the quantile, or as size_study_next() and sweep_grid_new(). Free with
 * size_study_free(). */
size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error);
void size_study_free(size_study *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(size_study, size_study_free)

/* The runs that are needed next, at first or after size_study_take(), whatever a store has of them: ordinary
 * points of a sweep over the axes, the key and the seed. The study's, until it is called again. NULL: the
 * search is over, or `error` is set, because the scenario refuses a value of the key, or its `where` leaves
 * one out of a point that has others. */
const sweep_grid *size_study_next(size_study *study, GError **error);

/* Takes what `store` has of the runs of size_study_next(), all of them, and appends to `progress` a line for
 * each point whose runs have too few losses and are made longer. FALSE and `error` when it fails, or a run
 * with the baseline's value did not end ok or has 0. */
gboolean size_study_take(size_study *study, result_store *store, GString *progress, GError **error);
