/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

typedef struct path_late {
  path_element element;
  path_late_config config;
  path_correlation draws;
  path_delay_line held; /* all equally long, and for equally many packets with payload */
} path_late;

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_late *late = (path_late *)element;
  const packet_distance by = late->config.by;
  bool has_payload = packet->payload.length > 0;
  bool chosen = path_correlation_chance(&late->draws, late->config.probability);

  if (chosen && (has_payload || !by.in_segments)) {
    time_ps leaves_at = now + (by.in_segments ? late->config.wait_ps : (time_ps)by.number);
    path_delay_line_add(&late->held, packet, leaves_at, by.in_segments ? late->held.passed + by.number : 0);
    element->counts.displaced++;
    path_element_note(element, PATH_ACT_DISPLACE, true);
    PATH_TRACE(element, packet, PACKET_DISPLACED, .place = TRACE_NAME(element->class->name));
  } else {
    late->held.passed += has_payload;
    path_element_emit(element, packet, now);
  }
  path_delay_line_run(&late->held, element, now);
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  return path_delay_line_deadline(&((const path_late *)element)->held, order);
}

static void run(path_element *element, time_ps now)
{
  path_delay_line_run(&((path_late *)element)->held, element, now);
}

static void free_late(path_element *element)
{
  path_delay_line_clear(&((path_late *)element)->held);
  g_free(element);
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
  path_delay_line_init(&late->held);
  return &late->element;
}
