/* What run and replay leave behind alike: a folder with summary.json, a page on standard output, an exit code. */
#ifndef CLI_CLI_RESULTS_H
#define CLI_CLI_RESULTS_H

#include <glib.h>

#include "sim/simulation.h"
#include "sim/summary.h"

/* Makes the folder for the results of `s`: `directory`, or, when that is NULL, results/NAME; what an earlier run left in it is removed, its `captures`
 * only if so wanted. Returns its name; free with g_free(). NULL and `error` when it cannot be. */
char *cli_results_folder(const scenario *s, const char *directory, gboolean captures, GError **error);

/* `result` of `s` as a summary; what it points to is theirs. */
summary cli_results_summary(const scenario *s, const simulation_result *result);

/* Writes DIRECTORY/summary.json and, unless `quiet`, prints the summary; `of` is what a replay says besides (NULL: a run). FALSE and `error` when it
 * cannot be written. */
gboolean cli_results_report(const scenario *s, const simulation_result *result, const summary_replay *of,
                            const char *directory, gboolean quiet, GError **error);

/* The exit code of `command` ("run") by the result and run.expect; when that is not 0, says why on standard error. */
int cli_results_exit_code(const char *command, const scenario *s, const simulation_result *result);

#endif
