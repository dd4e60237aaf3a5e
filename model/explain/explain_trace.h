/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains in sentences what a trace shows: the peak of the reassembly occupancy, and how the run failed. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* Returns the sentences, a paragraph each; free with g_free(). `file`, which is read several times, stays the
 * caller's; `name` is for errors. Returns NULL and sets `error`, which is not NULL here, when it is no trace,
 * or a damaged one. */
char *explain_trace(FILE *file, const char *name, GError **error);
