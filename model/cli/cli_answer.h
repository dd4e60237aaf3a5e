/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what run, replay and show print of a result. */
#pragma once

#include "scenario/scenario.h"
#include "summary/summary.h"

/* Prints on standard output, of `page` of `s`, which is in `directory`, every metric if `all`; else the
 * answer that it gives to the question how much memory reassembly takes, in some ten lines, and where there
 * is more. */
void cli_answer_print(const summary *page, const scenario *s, const char *directory, gboolean all);
