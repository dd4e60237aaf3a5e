/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a search has found: in sentences, and as a quantity that tables and plots take. */
#pragma once

#include "study/size/size_study.h"
#include "study/table/study_table.h"

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
