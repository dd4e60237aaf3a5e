/* SPDX-License-Identifier: GPL-2.0-only */
/* What a trace shows, in sentences: the peak of the reassembly occupancy, and how the run failed. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "base/time_ps.h"

/* Where the peak is. */
typedef struct explained_peak {
  guint64 sender; /* the end that sends what was held: 2 x connection, + 1 for the Responder */
  time_ps at;     /* TIME_PS_NEVER: there is none */
} explained_peak;

/* The sentences, a paragraph each; free with g_free(). `file`, which is read several times, stays the
 * caller's; `name` is for errors. Sets `*peak` (may be NULL). NULL and `error`, which is not NULL here, when
 * it is no trace, or a damaged one. */
char *explain_trace(FILE *file, const char *name, explained_peak *peak, GError **error);
