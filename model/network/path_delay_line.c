/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_delay_line.h"

#include <glib.h>

typedef struct held_packet {
  uint64_t leaves_at_ps; /* deque_count_to()'s key */
  datagram *packet;
} held_packet;

void path_delay_line_init(path_delay_line *line)
{
  deque_init(&line->packets, sizeof(held_packet));
}

void path_delay_line_clear(path_delay_line *line)
{
  for (size_t i = 0; i < line->packets.count; i++) {
    datagram_unref(((held_packet *)deque_at(&line->packets, i))->packet);
  }
  deque_clear(&line->packets);
}

void path_delay_line_add(path_delay_line *line, datagram *packet, time_ps leaves_at)
{
  size_t place = deque_count_to(&line->packets, offsetof(held_packet, leaves_at_ps), (uint64_t)leaves_at);
  held_packet *added = deque_insert(&line->packets, place);

  *added = (held_packet){.leaves_at_ps = (uint64_t)leaves_at, .packet = packet};
}

time_ps path_delay_line_deadline(const path_delay_line *line, uint64_t *order)
{
  if (line->packets.count == 0) {
    return TIME_PS_NEVER;
  }
  const held_packet *first = deque_at(&line->packets, 0);
  *order = first->packet->send_order;
  return (time_ps)first->leaves_at_ps;
}

datagram *path_delay_line_take_due(path_delay_line *line, time_ps now)
{
  if (line->packets.count == 0) {
    return NULL;
  }
  const held_packet first = *(const held_packet *)deque_at(&line->packets, 0);
  if (first.leaves_at_ps > (uint64_t)now) {
    return NULL;
  }
  deque_remove(&line->packets, 0, 1);
  return first.packet;
}

void path_delay_line_run(path_delay_line *line, path_element *element, time_ps now)
{
  datagram *packet;

  while ((packet = path_delay_line_take_due(line, now))) {
    path_element_emit(element, packet, now);
  }
}
