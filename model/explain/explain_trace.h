/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace shows, in sentences: the peak of the reassembly occupancy, and how the run failed. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* The sentences, a paragraph each; free with g_free(). `file`, which is read several times, stays the
 * caller's; `name` is for errors. NULL and `error`, which is not NULL here, when
 * it is no trace, or a damaged one. */
char *explain_trace(FILE *file, const char *name, GError **error);
