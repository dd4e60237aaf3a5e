/* SPDX-License-Identifier: GPL-2.0-only */
/* TRACE|DIR: what the commands that read a trace take. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* Opens the trace `path` for reading; where it is a folder, a temporary one, which the scenario of its
 * summary.json writes, run again. A trace that lies in the folder is not read: nothing ties it to the
 * summary.
 * `*ending` (may be NULL) becomes how a run that was made again ended, if not well: "The run ended failed:
 * …", else NULL; free with g_free(). NULL and `error` when `path` cannot be read, and when the run made again
 * has other metrics than the summary: events of the scenario file, another version. */
FILE *cli_run_trace_open(const char *path, char **ending, GError **error);
