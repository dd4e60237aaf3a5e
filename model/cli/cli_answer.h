/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a run or a replay prints unless every metric is asked for. */
#pragma once

#include "study/store/summary.h"

/* Prints on standard output, of `page` of `s`, which is in `directory`, every metric if `all`; else the
 * answer that it gives to the question how much memory reassembly takes, in some ten lines, and where there
 * is more. */
void cli_answer_print(const summary *page, const scenario *s, const char *directory, gboolean all);
