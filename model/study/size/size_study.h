/* SPDX-License-Identifier: GPL-2.0-only */
/* The least value of a key that keeps a condition, at each point of a scenario's sweep: which runs are needed
 * next, and what those in a store show, in sentences. */
#pragma once

#include <glib.h>

#include "scenario/scenario.h"
#include "study/size/size_condition.h"
#include "study/size/size_search.h"
#include "study/sweep/sweep_grid.h"

typedef struct size_question {
  scenario_key key; /* a size, count, time or rate */
  size_condition condition;
  size_scope scope;
  guint seeds;         /* from the scenario's first one on; 0: those that it sweeps, or 8 */
  gboolean every_seed; /* each seed must meet the condition; else the bound of the mean's 95 % interval */
} size_question;

typedef struct size_study size_study;

/* The search that answers `question` for `s`, loaded with `sets`; all must outlive it. It
 * takes the place of an axis of the key. NULL and `error` when another axis moves with the key or the seed,
 * when one seed is to give an interval, when the runs will not have the quantile, or as size_study_next() and
 * sweep_grid_new(). Free with size_study_free(). */
size_study *size_study_new(const scenario *s, const char *const *sets, const size_question *question,
                           GError **error);
void size_study_free(size_study *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(size_study, size_study_free)

/* The runs that are needed next, at first or after size_study_take(), whatever a store has of them: ordinary
 * points of a sweep over the axes, the key and the seed. The study's, until it is called again. NULL: the
 * search is over, or `error` is set, because the scenario refuses a value of the key, or its `where` leaves
 * one out of a point that has others. */
const sweep_grid *size_study_next(size_study *study, GError **error);

/* Takes what `store` has of the runs of size_study_next(), all of them. FALSE and `error` when it fails, or a
 * run with the baseline's value did not end ok or has 0. */
gboolean size_study_take(size_study *study, result_store *store, GError **error);

/* A sentence, on a line, for each point: "receiver.memory = 96 KiB keeps goodput_bit_per_s >= 99 % of
 * unlimited (ratio 0.992, 95 % interval 0.990 to 0.994, n = 8); 94 KiB does not (…: the lower bound must be
 * >= 0.99)", of several after "in-order receiver: ". Numbers have the digits that show on which side of the
 * condition they lie. It goes on where the condition is not monotone over the values that were run, where
 * the quantity does not vary with the key, or the interval does not cover what it should. Sets `*met` to
 * whether all points have such a value. To be called when size_study_next() has no more runs. Free with
 * g_free(). */
char *size_study_answers(const size_study *study, gboolean *met);
