/* SPDX-License-Identifier: GPL-2.0-only */
/* The answer of a report: sentences made of paired differences and of the largest and smallest means. */
#pragma once

#include "study/report/report_page.h"

/* Appends the sentences, or why there are none. */
void report_append_answer(report_page *report);
