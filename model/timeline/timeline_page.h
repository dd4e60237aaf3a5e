/* SPDX-License-Identifier: GPL-2.0-only */
/* This is one HTML page that shows events over time (docs/timeline.md): those of a trace, or of a capture
 * those that one who only looks on can know. A packet is sent when it was captured; nothing is known of a
 * congestion window, of what a receiver holds, of Placement. What the page draws, and how, is in
 * scripts/timeline. */
#pragma once

#include <glib.h>

#include "decode/decode_format.h"
#include "net/capture_source.h"
#include "trace/trace_reader.h"

/* Returns the page as HTML, called `title`, of all events that `reader` still has, with the paragraphs
 * `explained` about them. NULL and `error`, which must not be NULL, when the trace is damaged or empty, or a
 * file of scripts/timeline cannot be read. Free with g_free(). */
char *timeline_page_of_trace(trace_reader *reader, const char *title, const char *explained, GError **error);

typedef struct timeline_capture timeline_capture;

/* Nothing is known yet. Free with timeline_capture_free(). */
timeline_capture *timeline_capture_new(void);
void timeline_capture_free(timeline_capture *capture);

/* This is a decode_handler, whose `user` is the timeline_capture. */
void timeline_capture_event(void *user, const decode_event *event);

/* Returns the page, called `title`, as HTML: what the events were, and the segments in `again`, the source of
 * the same packets, of which nothing has been read. `of` describes the capture after its first reading;
 * `ignore_checksums` as in decode_options. NULL and `error` when there is no payload, or a file of
 * scripts/timeline cannot be read. Free with g_free(). */
char *timeline_capture_html(timeline_capture *capture, const decode_capture *of, capture_source *again,
                            gboolean ignore_checksums, const char *title, GError **error);
