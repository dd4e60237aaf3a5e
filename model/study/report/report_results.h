/* SPDX-License-Identifier: GPL-2.0-only */
/* What the study gave: the tables of results, values of a key beside each other over the same seeds, and what
 * it all means. */
#pragma once

#include "study/report/report_page.h"

/* Appends what each quantity that is shown means. It comes after the other sections with intervals, of which
 * it explains the asterisks. */
void report_append_definitions(report_page *report);

/* These append the content of a section, below its title. */
void report_append_results(report_page *report);
void report_append_pairs(report_page *report);
