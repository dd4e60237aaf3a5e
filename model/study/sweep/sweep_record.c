/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_record.h"

#include <string.h>

/* What the child measured, if it measured what was asked for. */
static void take_summary(stored_run *run, const child_record *left)
{
  if (strcmp(left->identity, run->identity) != 0) {
    run->status = RUN_FAILED;
    run->exit_code = MAX(run->exit_code, 1);
    run->message = (char *)"it ran other parameters than asked: was the scenario changed during the sweep?";
    return;
  }
  run->metrics = left->metrics;
  memcpy(run->distributions, left->distributions, sizeof run->distributions);
  run->engine = left->engine;
}

sweep_record *sweep_record_new(const sweep_grid *grid, gsize point, const char *host, child_outcome *outcome)
{
  sweep_record *record = g_new0(sweep_record, 1);
  record->outcome = outcome;
  record->run = (stored_run){.identity = (char *)sweep_grid_identity(grid, point),
                             .point = point,
                             .status = outcome->status,
                             .message = outcome->message,
                             .exit_code = outcome->exit_code,
                             .stderr_tail = outcome->stderr_tail,
                             .engine = (char *)"",
                             .host = (char *)host,
                             .started = outcome->started,
                             .wall_s = outcome->wall_s,
                             .cpu_s = outcome->cpu_s,
                             .memory_peak_octets = outcome->memory_peak_octets};
  if (outcome->record != NULL) {
    take_summary(&record->run, outcome->record);
  }
  sweep_grid_texts(grid, point, (const char **)record->run.keys);
  return record;
}

void sweep_record_free(sweep_record *record)
{
  child_outcome_free(record->outcome);
  g_free(record);
}
