/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what runs cost on this machine, before they are made. */
#pragma once

#include <glib.h>

#include "study/sweep/sweep_grid.h"

/* Returns the seconds that this machine, as this program was built, takes for a second of run_cost: of a
 * small run, which is made in some 20 ms. */
double cli_cost_pace(void);

/* Returns what runs cost, in words: payload and messages of all connections, segments, time and memory. The
 * time is this machine's from a second on, which takes cli_cost_pace(). Free with g_free(). */
char *cli_cost_text(const run_cost *cost);

/* A trace of a run takes this many times as long as the run alone; to explain this besides, or to plot it;
 * and to make a page of it, with what is explained there. */
#define CLI_COST_TRACED 1.5
#define CLI_COST_EXPLAINED 3.0
#define CLI_COST_TIMELINE 10.0

/* Prints on standard error that `what`, a run of `s` that takes `times` as long with what else is done, will
 * take a second or more, with its cost; nothing of less. */
void cli_cost_announce(const scenario *s, double times, const char *what);
