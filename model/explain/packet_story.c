/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/packet_story.h"

#include <string.h>

enum { FLAG_SYN = 2 }; /* as segment_sent has it */

typedef struct carrier {
  guint64 number;
  guint64 segment; /* of the segments with payload that the end has sent, from 1; 0: none */
  range octets;
  time_ps sent;
  const char *maker; /* the element that made it; NULL: the end */
  const char *why;   /* it has octets that were sent before because of this; NULL: it has none */
  const char *fate;  /* "was lost on", what became of it; NULL: it arrived, or was still on its way */
  const char *place; /* where, or of what; NULL: on the path, in a graph at … */
  const char *node;  /* … the port of this */
  uint32_t port;
  time_ps at;
  time_ps damaged_at; /* TIME_PS_NEVER: it was not */
  bool has_arrived;
} carrier;

/* Where a sequence number lies in the stream. A proxy has TCP connections of its own. */
typedef struct sequence_base {
  guint64 position;
  uint32_t sequence; /* of it */
} sequence_base;

struct packet_story {
  uint32_t connection;
  enum side sender;
  range octets;
  GPtrArray *carriers; /* in the order in which they were made */
  GHashTable *numbers; /* the last carrier of each packet number */
  guint64 segments;
  sequence_base sender_tcp, proxy;
  bool in_graph, is_proxied;
  guint64 proxy_next; /* what the proxy has not sent before */
};

packet_story *packet_story_new(const trace_event *of, bool is_sent, bool in_graph, range octets)
{
  packet_story *story = g_new0(packet_story, 1);

  story->in_graph = in_graph;
  story->connection = of->connection;
  story->sender = is_sent ? of->side : side_peer(of->side);
  story->octets = octets;
  story->carriers = g_ptr_array_new_with_free_func(g_free);
  story->numbers = g_hash_table_new(g_int64_hash, g_int64_equal);
  return story;
}

void packet_story_free(packet_story *story)
{
  g_hash_table_unref(story->numbers);
  g_ptr_array_unref(story->carriers);
  g_free(story);
}

/* --- What happens --- */

/* Adds a new packet of `payload`, if it has octets of the story. */
static void add_carrier(packet_story *story, const trace_event *event, range payload, carrier packet)
{
  if (payload.from < story->octets.to && payload.to > story->octets.from) {
    packet.number = event->packet;
    packet.octets = payload;
    packet.sent = event->time;
    packet.damaged_at = TIME_PS_NEVER;
    carrier *added = g_memdup2(&packet, sizeof packet);
    g_ptr_array_add(story->carriers, added);
    g_hash_table_replace(story->numbers, &added->number, added);
  }
}

static void hear_sent(packet_story *story, const trace_event *event)
{
  const guint64 position = TRACE_VALUE(event, SEGMENT_SENT, position);
  const guint64 octets = TRACE_VALUE(event, SEGMENT_SENT, payload_octets);
  const char *why = TRACE_TEXT(event, SEGMENT_SENT, why);

  story->sender_tcp = (sequence_base){position, (uint32_t)TRACE_VALUE(event, SEGMENT_SENT, sequence)};
  if (octets > 0) {
    story->segments++;
    add_carrier(story, event, (range){position, position + octets},
                (carrier){.segment = story->segments, .why = *why == '\0' ? NULL : why});
  } else if (TRACE_VALUE(event, SEGMENT_SENT, flags) & FLAG_SYN) {
    add_carrier(story, event, (range){PACKET_STORY_SYN, PACKET_STORY_SYN + 1},
                (carrier){.why = story->carriers->len > 0 ? "time-out" : NULL});
  }
}

/* Hears of TCP payload that a middlebox made: of the sender's connection, or of the proxy's. */
static void hear_piece(packet_story *story, const trace_event *event, bool is_proxys)
{
  const uint32_t sequence = (uint32_t)TRACE_VALUE(event, PACKET_MADE, sequence);
  const guint64 octets = TRACE_VALUE(event, PACKET_MADE, payload_octets);
  sequence_base *base = is_proxys ? &story->proxy : &story->sender_tcp;
  const guint64 position = base->position + (guint64)(int64_t)(int32_t)(sequence - base->sequence);
  carrier packet = {.maker = TRACE_TEXT(event, PACKET_MADE, place)};

  if (octets == 0 || octets > G_MAXUINT32 || position > G_MAXINT64) {
    return;
  }
  if (is_proxys) {
    packet.why = position < story->proxy_next ? "by the proxy" : NULL;
    story->proxy_next = MAX(story->proxy_next, position + octets);
    *base = (sequence_base){position, sequence};
  }
  add_carrier(story, event, (range){position, position + octets}, packet);
}

/* Hears of what a middlebox or a router made. A fragment counts as the whole datagram, lost with it. */
static void hear_made(packet_story *story, const trace_event *event)
{
  const guint64 of = TRACE_VALUE(event, PACKET_MADE, fragment_of);
  const carrier *whole = g_hash_table_lookup(story->numbers, &of);
  const char *maker = TRACE_TEXT(event, PACKET_MADE, place);
  const bool is_proxys = strcmp(maker, "proxy") == 0;

  if (whole) {
    add_carrier(story, event, whole->octets, (carrier){.maker = maker});
  } else if (is_proxys && !story->is_proxied) {
    story->is_proxied = true;
    story->proxy = (sequence_base){0, (uint32_t)TRACE_VALUE(event, PACKET_MADE, sequence) + 1}; /* its SYN */
  } else if (of == 0) {
    hear_piece(story, event, is_proxys);
  }
}

/* Returns the words for how the element `place` drops. */
static const char *drop_words(const char *place)
{
  static const char *const drops[][2] = {
      {"loss", "was lost on"},
      {"gilbert-elliott", "was lost in a burst on"},
      {"four-state loss", "was lost in a burst on"},
      {"transmitter", "found a queue full on"},
      {"managed transmitter", "found a queue full on"},
      {"policer", "exceeded the rate and burst of the policer on"},
      {"shaper", "found a queue full on"},
      {"red", "was dropped by RED on"},
      {"codel", "was dropped by CoDel on"},
      {"fragmenter", "was too large for a link of"},
      {"switch, port limit", "was dropped by the port limit at"},
      {"switch, buffer", "found the buffer full at"},
      {"switch, threshold", "was dropped by the dynamic threshold at"},
      {"switch without a way", "found no way in"},
  };
  const char *words = "was dropped on";

  for (gsize i = 0; i < G_N_ELEMENTS(drops); i++) {
    words = strcmp(place, drops[i][0]) == 0 ? drops[i][1] : words;
  }
  return words;
}

/* Hears what becomes of a packet. */
static void hear_fate(carrier *packet, const trace_event *event)
{
  switch (event->id) {
  case TRACE_PACKET_ARRIVED:
    packet->has_arrived = true;
    return;
  case TRACE_PACKET_DAMAGED:
    packet->damaged_at = event->time;
    return;
  case TRACE_PACKET_DROPPED:
    packet->fate = drop_words(TRACE_TEXT(event, PACKET_DROPPED, place));
    break;
  case TRACE_PACKET_DISPLACED:
    packet->fate = "was sent late, without a loss, on";
    break;
  case TRACE_CHECKSUM_ERROR:
    packet->fate = "was dropped by TCP for its checksum, damaged on";
    break;
  case TRACE_SEGMENT_REFUSED:
    packet->fate = "was refused for lack of";
    packet->place = TRACE_TEXT(event, SEGMENT_REFUSED, why);
    break;
  default:
    return;
  }
  packet->at = event->time;
  packet->node = event->node;
  packet->port = event->port;
}

void packet_story_hear(packet_story *story, const trace_event *event)
{
  carrier *packet = g_hash_table_lookup(story->numbers, &event->packet);

  if (packet) {
    hear_fate(packet, event);
  }
  if (event->connection != story->connection || event->side != story->sender) {
    return;
  }
  if (event->id == TRACE_SEGMENT_SENT) {
    hear_sent(story, event);
  } else if (event->id == TRACE_PACKET_MADE) {
    hear_made(story, event);
  }
}

gboolean packet_story_carries(const packet_story *story, guint64 packet)
{
  return g_hash_table_contains(story->numbers, &packet);
}

/* --- Words --- */

static const char *path_of(const packet_story *story)
{
  return story->sender == SIDE_INITIATOR ? "path.forward" : "path.reverse";
}

static void add_name(const carrier *packet, prose *to)
{
  if (packet->octets.from == PACKET_STORY_SYN) {
    prose_add(to, "the SYN (packet %s)", prose_count(to, packet->number));
    return;
  }
  if (packet->segment > 0) {
    prose_add(to, "segment %s (packet %s, ", prose_count(to, packet->segment),
              prose_count(to, packet->number));
  } else {
    prose_add(to, "packet %s, made by %s (", prose_count(to, packet->number), packet->maker);
  }
  prose_add(to, "stream %s to %s)", prose_count(to, packet->octets.from),
            prose_count(to, packet->octets.to - 1));
}

static void add_fate(const packet_story *story, const carrier *packet, prose *to)
{
  if (packet->fate && !packet->place && story->in_graph) {
    g_autofree char *port = packet->port > 0 ? g_strdup_printf("port %u of ", packet->port) : g_strdup("");
    prose_add(to, " %s %s%s at %s", packet->fate, port, packet->node, prose_time(to, packet->at));
  } else if (packet->fate) {
    prose_add(to, " %s %s at %s", packet->fate, packet->place ? packet->place : path_of(story),
              prose_time(to, packet->at));
  } else {
    prose_add(to,
              packet->has_arrived ? " was still on its way, sent at %s and overtaken by later ones"
                                  : " was lost after it was sent at %s, the trace does not show where",
              prose_time(to, packet->sent));
  }
}

void packet_story_add(const packet_story *story, const char *after, time_ps filled_at, prose *to)
{
  enum { DESCRIBED = 3 };
  const char *gap = ";", *filled = story->octets.from == PACKET_STORY_SYN ? "answered" : "filled";
  bool is_filled = false;
  const GPtrArray *carriers = story->carriers;
  guint cause = 0, resent = 0;

  while (cause < carriers->len && !((const carrier *)carriers->pdata[cause])->fate) {
    cause++;
  }
  cause = cause < carriers->len ? cause : 0;
  if (carriers->len > 0) {
    add_name(carriers->pdata[cause], to);
    add_fate(story, carriers->pdata[cause], to);
  } else {
    prose_add(to, "octets from %s on of the stream were missing, of which the trace has no packet",
              prose_count(to, story->octets.from));
  }
  prose_add(to, "%s", after);
  for (guint i = cause + 1; i < carriers->len; i++) {
    const carrier *packet = carriers->pdata[i];
    resent += packet->why != NULL;
    if (resent > DESCRIBED) {
      continue;
    }
    if (packet->why) {
      if (!is_filled && packet->sent > filled_at) {
        prose_add(to, "%s filled at %s", gap, prose_time(to, filled_at));
        is_filled = true;
      }
      gap = ",";
      prose_add(to, "; sent again%s at %s (%s)", is_filled ? ", needlessly," : "",
                prose_time(to, packet->sent), packet->why);
    }
    if (packet->fate) {
      prose_add(to, "; that%s", packet->why ? "" : " or a part of it");
      add_fate(story, packet, to);
    }
  }
  if (resent > DESCRIBED) {
    prose_add(to, "; sent again %s more", prose_plural(to, resent - DESCRIBED, "times"));
  }
  if (filled_at == TIME_PS_NEVER) {
    prose_add(to, "%s not %s before the trace ends", gap, filled);
  } else if (!is_filled) {
    prose_add(to, "%s filled at %s", gap, prose_time(to, filled_at));
  }
  prose_add(to, ".");
}

gboolean packet_story_is_vain(const packet_story *story)
{
  gboolean is_vain = story->carriers->len > 0;

  for (guint i = 0; i < story->carriers->len; i++) {
    is_vain = is_vain && ((const carrier *)story->carriers->pdata[i])->fate;
  }
  return is_vain;
}

gboolean packet_story_add_damage(const packet_story *story, time_ps then, prose *to)
{
  for (guint i = 0; i < story->carriers->len; i++) {
    const carrier *packet = story->carriers->pdata[i];
    if (packet->damaged_at <= then && !packet->fate) {
      prose_add(to, " %s had damaged ", path_of(story));
      add_name(packet, to);
      prose_add(to, " at %s.", prose_time(to, packet->damaged_at));
      return TRUE;
    }
  }
  return FALSE;
}
