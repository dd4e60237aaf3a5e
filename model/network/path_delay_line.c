/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_delay_line.h"

#include <glib.h>

typedef struct held_packet {
  datagram *packet;
  time_ps leaves_at;
  uint64_t number; /* of its entry */
} held_packet;

void path_delay_line_init(path_delay_line *line)
{
  deque_init(&line->heap, sizeof(held_packet));
  line->entered = 0;
}

static held_packet *at(const path_delay_line *line, size_t index)
{
  return deque_at(&line->heap, index);
}

void path_delay_line_clear(path_delay_line *line)
{
  for (size_t i = 0; i < line->heap.count; i++) {
    datagram_unref(at(line, i)->packet);
  }
  deque_clear(&line->heap);
}

static bool leaves_before(const held_packet *a, const held_packet *b)
{
  return a->leaves_at < b->leaves_at || (a->leaves_at == b->leaves_at && a->number < b->number);
}

void path_delay_line_add(path_delay_line *line, datagram *packet, time_ps leaves_at)
{
  held_packet added = {.packet = packet, .leaves_at = leaves_at, .number = line->entered++};
  size_t place = line->heap.count;

  deque_insert(&line->heap, place);
  for (; place > 0 && leaves_before(&added, at(line, (place - 1) / 2)); place = (place - 1) / 2) {
    *at(line, place) = *at(line, (place - 1) / 2);
  }
  *at(line, place) = added;
}

time_ps path_delay_line_deadline(const path_delay_line *line, uint64_t *order)
{
  if (line->heap.count == 0) {
    return TIME_PS_NEVER;
  }
  *order = at(line, 0)->packet->send_order;
  return at(line, 0)->leaves_at;
}

/* Puts `moved` where the first was, and what is due earlier above it. */
static void sift_down(path_delay_line *line, held_packet moved)
{
  size_t place = 0;

  for (size_t below = 1; below < line->heap.count; below = 2 * place + 1) {
    if (below + 1 < line->heap.count && leaves_before(at(line, below + 1), at(line, below))) {
      below++;
    }
    if (!leaves_before(at(line, below), &moved)) {
      break;
    }
    *at(line, place) = *at(line, below);
    place = below;
  }
  *at(line, place) = moved;
}

datagram *path_delay_line_take_due(path_delay_line *line, time_ps now)
{
  if (line->heap.count == 0 || at(line, 0)->leaves_at > now) {
    return NULL;
  }
  datagram *packet = at(line, 0)->packet;
  held_packet last = *at(line, line->heap.count - 1);
  deque_remove(&line->heap, line->heap.count - 1, 1);
  if (line->heap.count > 0) {
    sift_down(line, last);
  }
  return packet;
}

void path_delay_line_run(path_delay_line *line, path_element *element, time_ps now)
{
  datagram *packet;

  while ((packet = path_delay_line_take_due(line, now))) {
    path_element_emit(element, packet, now);
  }
}
