/* SPDX-License-Identifier: GPL-2.0-only */
/* One HTML page that shows a trace over time (docs/timeline.md). What it draws, and how, is in
 * scripts/timeline; here the events are put into the page in a compact form. */
#pragma once

#include "trace/trace_reader.h"

/* The page, called `title`, of all events that `reader` still has, with the paragraphs `explained` about
 * them. NULL and `error` when the trace is damaged, or a file of scripts/timeline cannot be read. Free with
 * g_free(). */
char *timeline_page_make(trace_reader *reader, const char *title, const char *explained, GError **error);
