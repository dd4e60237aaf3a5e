/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/packet_sentences.h"

#include <string.h>

const char *packet_sentences_path(enum side sender)
{
  return sender == SIDE_INITIATOR ? "path.forward" : "path.reverse";
}

void packet_sentences_name(const logged_packet *packet, prose *to)
{
  if (packet->segment > 0) {
    prose_add(to, "segment %s (packet %s, ", prose_count(to, packet->segment),
              prose_count(to, packet->number));
  } else {
    prose_add(to, "packet %s, made by %s (", prose_count(to, packet->number), packet->maker);
  }
  prose_add(to, "stream %s to %s)", prose_count(to, packet->from), prose_count(to, packet->to - 1));
}

/* How the path drops, by the element that does; any other: it "was dropped on …". */
static const struct {
  const char *place;
  const char *words;
} drops[] = {
    {"loss", "was lost on"},
    {"gilbert-elliott", "was lost in a burst on"},
    {"four-state loss", "was lost in a burst on"},
    {"transmitter", "found a queue full on"},
    {"managed transmitter", "found a queue full on"},
    {"red", "was dropped by RED on"},
    {"codel", "was dropped by CoDel on"},
    {"fragmenter", "was too large for a link of"},
};

static void add_fate(const logged_packet *packet, enum side sender, prose *to)
{
  const char *words = "was dropped on";

  switch (packet->fate) {
  case FATE_DROPPED:
    for (gsize i = 0; i < G_N_ELEMENTS(drops); i++) {
      words = strcmp(packet->place, drops[i].place) == 0 ? drops[i].words : words;
    }
    break;
  case FATE_LATE:
    words = "was sent late, without a loss, on";
    break;
  case FATE_SPOILT:
    words = "was dropped by TCP for its checksum, damaged on";
    break;
  case FATE_REFUSED:
    prose_add(to, " was refused for lack of %s at %s", packet->place, prose_time(to, packet->at));
    return;
  case FATE_NONE:
    prose_add(to, " was still on its way, sent at %s and overtaken by later ones",
              prose_time(to, packet->sent));
    return;
  }
  prose_add(to, " %s %s at %s", words, packet_sentences_path(sender), prose_time(to, packet->at));
}

guint packet_sentences_cause(const GPtrArray *packets)
{
  guint cause = 0;

  while (cause < packets->len && ((const logged_packet *)packets->pdata[cause])->fate == FATE_NONE) {
    cause++;
  }
  return cause < packets->len ? cause : 0;
}

void packet_sentences_add(const logged_packet *packet, enum side sender, prose *into)
{
  packet_sentences_name(packet, into);
  add_fate(packet, sender, into);
}

void packet_sentences_add_again(const GPtrArray *packets, guint cause, enum side sender, prose *into)
{
  enum { DESCRIBED = 3 };
  guint resent = 0;

  for (guint i = cause + 1; i < packets->len; i++) {
    const logged_packet *packet = packets->pdata[i];
    resent += packet->again;
    if (resent > DESCRIBED) {
      continue;
    }
    if (packet->again) {
      prose_add(into, "; sent again at %s%s%s", prose_time(into, packet->sent), packet->why ? " " : "",
                packet->why ? packet->why : "");
    }
    if (packet->fate != FATE_NONE) {
      prose_add(into, "; that%s", packet->again ? "" : " or a part of it");
      add_fate(packet, sender, into);
    }
  }
  if (resent > DESCRIBED) {
    prose_add(into, "; sent again %s more", prose_plural(into, resent - DESCRIBED, "time"));
  }
}
