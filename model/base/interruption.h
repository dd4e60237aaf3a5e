/* SPDX-License-Identifier: GPL-2.0-only */
/* After Ctrl-C and its like (SIGINT, SIGTERM, SIGHUP) the program ends, and nothing half made stays. */
#pragma once

#include <glib.h>

/* It is the exit code of a program that the signal `number` ended, as shells count: 130 after Ctrl-C. */
#define INTERRUPTION_EXIT_CODE(number) (128 + (number))

/* From now on these signals, unless they are ignored, remove what is unfinished and end the process. */
void interruption_handle(void);

/* `path` is unfinished, until interruption_keeps() of it: a file, or a folder, which is removed `with_files`,
 * or when it is empty. What was named last is removed first. At most 32 at a time. */
void interruption_removes(const char *path, gboolean with_files);
void interruption_keeps(const char *path);

/* Removes the files in the folder `path`. Those that cannot be removed stay. */
void interruption_remove_files(const char *path);

/* Between these a signal waits: what is done there is done whole, or undone by hand. They may nest. TRUE from
 * interruption_waits(): one is waiting, time to stop. */
void interruption_hold(void);
void interruption_release(void);
gboolean interruption_waits(void);
