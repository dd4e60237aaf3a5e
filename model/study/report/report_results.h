/* SPDX-License-Identifier: GPL-2.0-only */
/* What the study gave: plots, the tables of results, values of a key beside each other over the same seeds,
 * and what it all means. */
#pragma once

#include "study/report/report_page.h"

/* These append the content of a section, below its title, to a report that has a table. Plots that cannot be
 * drawn set its `error` (IWARPSIM_ERROR, G_FILE_ERROR). */
void report_append_plots(report_page *report);
void report_append_results(report_page *report);
void report_append_pairs(report_page *report);

/* Appends what each quantity that is shown means. It comes after the other sections with intervals, of which
 * it explains the asterisks. */
void report_append_definitions(report_page *report);
