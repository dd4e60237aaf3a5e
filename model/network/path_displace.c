/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_displace.h"

#include <glib.h>

#include "base/element_array.h"
#include "network/path_correlation.h"

typedef struct displaced_packet {
  datagram *packet;
  time_ps leaves_at;
  uint64_t behind; /* the segment that lets it go, counted by path_displace.passed; 0: none does */
} displaced_packet;

typedef struct path_displace {
  path_element element;
  path_displace_config config;
  path_correlation draws;
  element_array
      held; /* of displaced_packet, a queue: all are held equally long, and for equally many segments */
  uint64_t passed; /* packets with payload */
} path_displace;

/* Lets go of the first until `now` and `passed` let it no more. */
static void release(path_displace *displace, time_ps now)
{
  while (displace->held.count > 0) {
    displaced_packet first = *(displaced_packet *)element_array_at(&displace->held, 0);
    if (first.leaves_at > now && (first.behind == 0 || first.behind > displace->passed)) {
      return;
    }
    element_array_remove(&displace->held, 0, 1);
    path_element_emit(&displace->element, first.packet, now);
  }
}

static void hold(path_displace *displace, datagram *packet, time_ps now)
{
  packet_distance by = displace->config.by;
  displaced_packet *last = element_array_insert(&displace->held, displace->held.count);

  *last =
      (displaced_packet){.packet = packet,
                         .leaves_at = now + (by.in_segments ? displace->config.wait_ps : (time_ps)by.number),
                         .behind = by.in_segments ? displace->passed + by.number : 0};
  displace->element.counts.displaced++;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_displace *displace = (path_displace *)element;
  bool has_payload = packet->payload.length > 0;
  bool chosen = path_correlation_chance(&displace->draws, displace->config.probability);

  if (chosen && (has_payload || !displace->config.by.in_segments)) {
    hold(displace, packet, now);
  } else {
    displace->passed += has_payload;
    path_element_emit(element, packet, now);
  }
  release(displace, now);
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  const path_displace *displace = (const path_displace *)element;

  if (displace->held.count == 0) {
    return TIME_PS_NEVER;
  }
  const displaced_packet *first = element_array_at(&displace->held, 0);
  *order = first->packet->send_order;
  return first->leaves_at;
}

static void run(path_element *element, time_ps now)
{
  release((path_displace *)element, now);
}

static void free_displace(path_element *element)
{
  path_displace *displace = (path_displace *)element;

  for (size_t i = 0; i < displace->held.count; i++) {
    datagram_unref(((displaced_packet *)element_array_at(&displace->held, i))->packet);
  }
  element_array_clear(&displace->held);
  g_free(displace);
}

static const path_element_class displace_class = {
    .name = "displace", .receive = receive, .deadline = deadline, .run = run, .free = free_displace};

path_element *path_displace_new(const path_displace_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  g_assert(config->by.number > 0 && (!config->by.in_segments || config->wait_ps > 0));
  path_displace *displace = g_new0(path_displace, 1);
  displace->element.class = &displace_class;
  displace->config = *config;
  path_correlation_init(&displace->draws, random, config->correlation);
  element_array_init(&displace->held, sizeof(displaced_packet));
  return &displace->element;
}
