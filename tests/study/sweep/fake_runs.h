/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs without a simulation, for the tests of sweeps. Each adds a line with its process id to a file
 * "started-SEED" beside the scenario, once signals do to it what its title says. The title "slow" waits for a
 * minute first; "stubborn" does the same, and does not mind SIGTERM; "native" is that
 * engine, whose runs share processes, where others are of an engine "fake". The rest depends on the seed
 * (fake_runs.c): others than those named there write an ok run with tcp.segments = 1000 + seed and as many
 * messages delivered as it is asked for. */
#pragma once

#include "study/sweep/run_process.h"

/* Returns what the run of seed 36 measures. Free with run_results_clear(). */
run_results fake_results(void);

int fake_run(scenario *s, run_progress *progress);
