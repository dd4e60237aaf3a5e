/* What `iwarpsim run`, started by a sweep, tells the sweep: how far it is, and its summary. It writes no file. */
#ifndef STUDY_CHILD_REPORT_H
#define STUDY_CHILD_REPORT_H

#include <glib.h>

#include "base/time_ps.h"

typedef struct child_report child_report;

/* Takes what child_run_start() gave this process. NULL and `error` (G_FILE_ERROR) when no sweep started it. Free with
 * child_report_free(). */
child_report *child_report_new(GError **error);
void child_report_free(child_report *report);

/* The run is at `now` of simulated time and has done `share` (0 … 1) of its work. Costs some nanoseconds. */
void child_report_progress(child_report *report, time_ps now, double share);

/* Hands over the summary, `length` octets, and how much memory the run took. Once. FALSE and `error` (G_FILE_ERROR) when the sweep
 * does not take it. */
gboolean child_report_summary(child_report *report, const char *json, gsize length, GError **error);

#endif
