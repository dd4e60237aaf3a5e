/* SPDX-License-Identifier: GPL-2.0-only */
/* A sketch of the path, from the end that sends the payload to the end that is measured, with what the runs
 * vary and what differs from the defaults. */
#pragma once

#include "study/report/report_page.h"

/* Appends it: a box for each end and for what payload passes between them, in its order. */
void report_append_sketch(report_page *report);
