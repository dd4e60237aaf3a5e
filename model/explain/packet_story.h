/* SPDX-License-Identifier: GPL-2.0-only */
/* A story is of the packets that carried certain octets of a stream, and what became of them: "segment 400
 * (packet 575, stream 579,640 to 581,095) was lost on path.forward at 631.5 us; sent again at 715.1 us in
 * fast recovery". */
#pragma once

#include <stdbool.h>

#include "base/plain_text.h"
#include "base/range_set.h"
#include "trace/trace_reader.h"

typedef struct packet_story packet_story;

/* This is the position of the SYN, which lies before the octets of the stream: no octet has it. */
#define PACKET_STORY_SYN ((guint64)G_MAXINT64)

/* Begins the story of the packets with any of the `octets` of the stream that the end at which `of` happens
 * sends (`is_sent`) or receives, on a path or through a graph. Free with packet_story_free(). */
packet_story *packet_story_new(const trace_event *of, bool is_sent, bool in_graph, range octets);
void packet_story_free(packet_story *story);

/* Takes the next event of the trace. */
void packet_story_hear(packet_story *story, const trace_event *event);

/* Returns whether `packet` is one of its packets. */
gboolean packet_story_carries(const packet_story *story, guint64 packet);

/* Adds a sentence: why the octets did not arrive at first, then the text `after`, then when they were sent
 * again, and, where that comes, that all were there at `filled_at` (TIME_PS_NEVER: not in the trace). */
void packet_story_add(const packet_story *story, const char *after, time_ps filled_at, prose *to);

/* Returns whether there are packets, and none of them arrived. */
gboolean packet_story_is_vain(const packet_story *story);

/* Adds which of the packets the path had damaged first by `then`, unnoticed by TCP, and when. FALSE: none. */
gboolean packet_story_add_damage(const packet_story *story, time_ps then, prose *to);
