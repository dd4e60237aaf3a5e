/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one HTML page that shows events over time (docs/timeline.md). What it draws, and how, is in
 * scripts/timeline; here the events are put into the page in a compact form. */
#pragma once

#include "trace/trace_reader.h"

typedef struct timeline_page timeline_page;

/* Returns a page without events. Free with timeline_page_free(). */
timeline_page *timeline_page_new(void);
void timeline_page_free(timeline_page *page);

/* Adds `event`, of which nothing is kept; of one end, in the order of time. */
void timeline_page_add(timeline_page *page, const trace_event *event);

/* Returns the page as HTML, called `title`, of what the JSON text `about` names, with the paragraphs
 * `explained` about it. NULL and `error` when a file of scripts/timeline cannot be read. Free with
 * g_free(). */
char *timeline_page_html(const timeline_page *page, const char *about, const char *title,
                         const char *explained, GError **error);

/* Returns the same of all events that `reader` still has; NULL and `error`, which must not be NULL, also when
 * the trace is damaged. */
char *timeline_page_of_trace(trace_reader *reader, const char *title, const char *explained, GError **error);
