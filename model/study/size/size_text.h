/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a search as people read it. */
#pragma once

#include <glib.h>

#include "study/size/size_study.h"

/* A sentence, on a line, for each point: "receiver.memory = 96 KiB keeps goodput_bit_per_s >= 99 % of
 * unlimited (ratio 0.992, 95 % interval 0.990 to 0.994, n = 8); 94 KiB does not (…)", of several after
 * "in-order receiver: ". It goes on where the condition is not monotone over the values that were run, where
 * the quantity does not vary with the key, or the interval does not cover what it should. Sets `*met` to
 * whether all points have such a value. Free with g_free(). */
char *size_text_answers(const size_findings *found, gboolean *met);
