/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run of a sweep tells it: how far it is, and what it leaves. It writes no file. */
#ifndef STUDY_CHILD_REPORT_H
#define STUDY_CHILD_REPORT_H

#include <glib.h>

#include "base/time_ps.h"
#include "study/store/summary.h"
#include "study/sweep/child_page.h"

/* The page that `iwarpsim sweep` has opened for this process. NULL and `error` (G_FILE_ERROR) when no sweep started it. Free with
 * child_report_unmap() (NULL-safe). */
child_page *child_report_map(GError **error);
void child_report_unmap(child_page *page);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void child_report_progress(child_page *page, time_ps now, double share);

/* Hands over the summary, and how much memory the run took. Once. FALSE and `error` (G_FILE_ERROR) when it is too long. */
gboolean child_report_summary(child_page *page, const summary *left, GError **error);

#endif
