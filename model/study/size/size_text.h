/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a search as people read it. */
#pragma once

#include <glib.h>

#include "study/size/size_study.h"

/* The answer at the only point, in a sentence: "receiver.memory = 96 KiB keeps goodput_bit_per_s >= 99 % of
 * unlimited (ratio 0.992, 95 % interval 0.990 to 0.994, 8 seeds); 94 KiB does not (…)". Where the condition
 * is not monotone over the values that were run, or the interval does not cover what it should, another one
 * adds that. Free with g_free(). */
char *size_text_sentence(const size_findings *found);

/* What was measured at every value of the key, or (`answers`) at the least one alone, a line each. Free with
 * g_free(). */
char *size_text_table(const size_findings *found, gboolean answers);
