/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a search as people read it: a sentence, or a table with a line a point, and the curve. */
#pragma once

#include <glib.h>

#include "study/size/size_study.h"

/* The answer for `point`, in one sentence: "receiver.memory = 96 KiB keeps goodput_bit_per_s >= 99 % of
 * unlimited (ratio 0.992, 95 % interval 0.99 to 0.994, 8 seeds); 94 KiB does not (…)". Where the condition is
 * not monotone over the values that were run, a second sentence has that. Free with g_free(). */
char *size_text_sentence(const size_study *study, const size_point *point);

/* The answers of all points, a line each. Free with g_free(). */
char *size_text_answers(const size_study *study);

/* What was measured at every value of the key, a line each, ascending. Free with g_free(). */
char *size_text_curve(const size_study *study);
