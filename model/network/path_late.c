/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "base/deque.h"

typedef struct late_packet {
  datagram *packet;
  time_ps leaves_at;
  uint64_t after; /* the segment that lets it go, counted by path_late.passed; 0: none does */
} late_packet;

typedef struct path_late {
  path_element element;
  path_late_config config;
  path_correlation draws;
  deque held;      /* of late_packet, a queue: all are held equally long, and for equally many segments */
  uint64_t passed; /* packets with payload */
} path_late;

/* Lets go of the first until `now` and `passed` let it no more. */
static void release(path_late *late, time_ps now)
{
  while (late->held.count > 0) {
    late_packet first = *(late_packet *)deque_at(&late->held, 0);
    if (first.leaves_at > now && (first.after == 0 || first.after > late->passed)) {
      return;
    }
    deque_remove(&late->held, 0, 1);
    path_element_emit(&late->element, first.packet, now);
  }
}

static void hold(path_late *late, datagram *packet, time_ps now)
{
  packet_distance by = late->config.by;
  late_packet *last = deque_insert(&late->held, late->held.count);

  *last = (late_packet){.packet = packet,
                        .leaves_at = now + (by.in_segments ? late->config.wait_ps : (time_ps)by.number),
                        .after = by.in_segments ? late->passed + by.number : 0};
  late->element.counts.displaced++;
  PATH_TRACE(&late->element, packet, PACKET_DISPLACED, .place = TRACE_NAME(late->element.class->name));
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_late *late = (path_late *)element;
  bool has_payload = packet->payload.length > 0;
  bool chosen = path_correlation_chance(&late->draws, late->config.probability);

  if (chosen && (has_payload || !late->config.by.in_segments)) {
    hold(late, packet, now);
  } else {
    late->passed += has_payload;
    path_element_emit(element, packet, now);
  }
  release(late, now);
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  const path_late *late = (const path_late *)element;

  if (late->held.count == 0) {
    return TIME_PS_NEVER;
  }
  const late_packet *first = deque_at(&late->held, 0);
  *order = first->packet->send_order;
  return first->leaves_at;
}

static void run(path_element *element, time_ps now)
{
  release((path_late *)element, now);
}

static void free_late(path_element *element)
{
  path_late *late = (path_late *)element;

  for (size_t i = 0; i < late->held.count; i++) {
    datagram_unref(((late_packet *)deque_at(&late->held, i))->packet);
  }
  deque_clear(&late->held);
  g_free(late);
}

static const path_element_class late_class = {
    .name = "displace", .receive = receive, .deadline = deadline, .run = run, .free = free_late};

path_element *path_late_new(const path_late_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  g_assert(config->by.number > 0 && (!config->by.in_segments || config->wait_ps > 0));
  path_late *late = g_new0(path_late, 1);
  late->element.class = &late_class;
  late->config = *config;
  path_correlation_init(&late->draws, random, config->correlation);
  deque_init(&late->held, sizeof(late_packet));
  return &late->element;
}
