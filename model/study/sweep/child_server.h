/* SPDX-License-Identifier: GPL-2.0-only */
/* A process of a sweep that makes runs for it, one after another: it has loaded the program and the scenario once, and forks for each run.
 * A run is one process (design.md, Parts we take), whatever becomes of it, and starts at once. */
#ifndef STUDY_CHILD_SERVER_H
#define STUDY_CHILD_SERVER_H

#include <glib.h>

#include "study/sweep/child_page.h"

/* Waits for requests of the sweep that started this process, and makes a process for each. Returns in that one, with the "key=value" texts
 * of its run, NULL-terminated, to be freed with g_strfreev(): it is to set them, run, tell `page` and exit. Returns NULL in this process,
 * once the sweep has no more requests, or is gone. A run dies with this process, as this one does with the sweep (child_run.h). */
char **child_server_take(child_page *page);

#endif
