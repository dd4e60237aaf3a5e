/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_hold.h"

#include <glib.h>

typedef struct held_packet {
  datagram *packet;
  time_ps leaves_at;
  uint64_t number; /* of its entry */
} held_packet;

void path_hold_init(path_hold *hold)
{
  element_array_init(&hold->heap, sizeof(held_packet));
  hold->entered = 0;
}

static held_packet *at(const path_hold *hold, size_t index)
{
  return element_array_at(&hold->heap, index);
}

void path_hold_clear(path_hold *hold)
{
  for (size_t i = 0; i < hold->heap.count; i++) {
    datagram_unref(at(hold, i)->packet);
  }
  element_array_clear(&hold->heap);
}

static bool leaves_before(const held_packet *a, const held_packet *b)
{
  return a->leaves_at < b->leaves_at || (a->leaves_at == b->leaves_at && a->number < b->number);
}

void path_hold_add(path_hold *hold, datagram *packet, time_ps leaves_at)
{
  held_packet added = {.packet = packet, .leaves_at = leaves_at, .number = hold->entered++};
  size_t place = hold->heap.count;

  element_array_insert(&hold->heap, place);
  for (; place > 0 && leaves_before(&added, at(hold, (place - 1) / 2)); place = (place - 1) / 2) {
    *at(hold, place) = *at(hold, (place - 1) / 2);
  }
  *at(hold, place) = added;
}

time_ps path_hold_deadline(const path_hold *hold, uint64_t *order)
{
  if (hold->heap.count == 0) {
    return TIME_PS_NEVER;
  }
  *order = at(hold, 0)->packet->send_order;
  return at(hold, 0)->leaves_at;
}

/* Puts `moved` where the first was, and what is due earlier above it. */
static void sift_down(path_hold *hold, held_packet moved)
{
  size_t place = 0;

  for (size_t below = 1; below < hold->heap.count; below = 2 * place + 1) {
    if (below + 1 < hold->heap.count && leaves_before(at(hold, below + 1), at(hold, below))) {
      below++;
    }
    if (!leaves_before(at(hold, below), &moved)) {
      break;
    }
    *at(hold, place) = *at(hold, below);
    place = below;
  }
  *at(hold, place) = moved;
}

datagram *path_hold_take_due(path_hold *hold, time_ps now)
{
  if (hold->heap.count == 0 || at(hold, 0)->leaves_at > now) {
    return NULL;
  }
  datagram *packet = at(hold, 0)->packet;
  held_packet last = *at(hold, hold->heap.count - 1);
  element_array_remove(&hold->heap, hold->heap.count - 1, 1);
  if (hold->heap.count > 0) {
    sift_down(hold, last);
  }
  return packet;
}

void path_hold_run(path_hold *hold, path_element *element, time_ps now)
{
  datagram *packet;

  while ((packet = path_hold_take_due(hold, now))) {
    path_element_emit(element, packet, now);
  }
}
