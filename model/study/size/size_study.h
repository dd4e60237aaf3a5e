/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the least value of a key that keeps a condition, at each point of a scenario's sweep: which runs
 * are needed next, and what those in a store show, in sentences. */
#pragma once

#include "study/size/size_question.h"
#include "study/sweep/sweep_grid.h"

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

/* Returns a sentence, on a line, for each point: "receiver.memory = 96 KiB keeps goodput_bit_per_s >= 99 % of
 * unlimited (ratio 0.992, 95 % interval 0.990 to 0.994, n = 8); 94 KiB does not (…: the lower bound must be
 * >= 0.99); 436 losses, 43 to 61 a seed", of several after "in-order receiver: ". Numbers have the digits
 * that show on which side of the condition they lie. It goes on where the interval asks for ten times the
 * value that the mean asks for, where the condition is not monotone over the values that were run, where the
 * quantity does not vary with the key, or the interval does not cover what it should. "cannot tell: 1 loss in
 * 8 seeds; about 9600 messages are needed" where there are fewer than SIZE_LOSSES_MIN, and not because the
 * scenario asks for none. Sets `*met` to whether all points have such a value. This and what follows is to be
 * called when size_study_next() has no more runs. Free with g_free(). */
char *size_study_answers(const size_study *study, gboolean *met);

/* These are the answers as quantities of the runs that they are from. */
typedef struct size_found {
  result_given least;  /* the interval: from the least value with which the condition may be kept */
  result_given losses; /* of all seeds together, as the sentences have them */
} size_found;

/* Leaves in `table`, of the store, the runs that the sentences are about, the key without a value, and
 * returns what is found of them. Free with size_found_free() before the table. */
size_found *size_study_found(const size_study *study, study_table *table);
void size_found_free(size_found *found);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(size_found, size_found_free)
