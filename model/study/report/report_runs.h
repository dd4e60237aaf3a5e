/* SPDX-License-Identifier: GPL-2.0-only */
/* The runs: which to be careful about, of which scenario, where the numbers come from, and the commands that
 * make them again. */
#pragma once

#include "study/report/report_page.h"

/* These append the content of a section, below its title. */
void report_append_flags(report_page *report);
void report_append_scenario(report_page *report);
void report_append_provenance(report_page *report);
void report_append_commands(report_page *report);
