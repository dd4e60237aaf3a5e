/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets that carried certain octets of a stream, and what became of them, in words: "segment 400
 * (packet 575, stream 579,640 to 581,095) was lost on path.forward at 631.5 us; sent again at 715.1 us in
 * fast recovery". */
#pragma once

#include "explain/prose.h"
#include "trace/trace_reader.h"

/* An end of a connection, as a number. */
static inline guint64 packet_story_end(uint32_t connection, enum side side)
{
  return 2 * (guint64)connection + side;
}

typedef struct packet_story packet_story;

/* Of the SYN, which lies before the octets of the stream: the position that no octet has. */
#define PACKET_STORY_SYN ((guint64)G_MAXINT64)

/* That of the packets with the octet at `position` of the stream that the end `sender` sends. Free with
 * packet_story_free(). */
packet_story *packet_story_new(guint64 sender, guint64 position);
void packet_story_free(packet_story *story);

/* From now on it is that of all octets from there up to `to`. */
void packet_story_widen(packet_story *story, guint64 to);

/* The next event of the trace. */
void packet_story_hear(packet_story *story, const trace_event *event);

/* A sentence: why the octets did not arrive at first, then the text `after`, then when they were sent again,
 * and, where that comes, that all were there at `filled_at` (TIME_PS_NEVER: not in the trace). */
void packet_story_add(const packet_story *story, const char *after, time_ps filled_at, prose *to);

/* There are packets, and none of them arrived. */
gboolean packet_story_is_vain(const packet_story *story);

/* The first of the packets that the path had damaged by then, unnoticed by TCP, and when. FALSE: none. */
gboolean packet_story_add_damage(const packet_story *story, time_ps then, prose *to);
