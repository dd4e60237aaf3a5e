/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_reorder.h"

#include <glib.h>

#include "base/element_array.h"

/* A packet held back. */
typedef struct held_packet {
  datagram *packet;
  time_ps leaves_at;
} held_packet;

typedef struct path_reorder {
  path_element element;
  time_ps hold_ps;
  path_reorder_choice choice;
  element_array held; /* of held_packet, a queue: all are held equally long */
} path_reorder;

void path_reorder_choice_init(path_reorder_choice *choice, const path_reorder_config *config,
                              random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  *choice = (path_reorder_choice){.config = *config};
  choice->config.gap = MAX(config->gap, 1);
  path_correlation_init(&choice->draws, random, config->correlation);
}

/* netem: the packet behind gap - 1 held ones may be chosen; when it is not, the next may. */
bool path_reorder_choice_next(path_reorder_choice *choice)
{
  if (choice->held_in_a_row < choice->config.gap - 1) {
    choice->held_in_a_row++;
    return false;
  }
  if (!path_correlation_chance(&choice->draws, choice->config.probability)) {
    return false;
  }
  choice->held_in_a_row = 0;
  return true;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_reorder *reorder = (path_reorder *)element;
  if (path_reorder_choice_next(&reorder->choice)) {
    path_element_emit(element, packet, now);
    return;
  }
  held_packet *last = element_array_insert(&reorder->held, reorder->held.count);
  *last = (held_packet){.packet = packet, .leaves_at = now + reorder->hold_ps};
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  const path_reorder *reorder = (const path_reorder *)element;
  if (reorder->held.count == 0) {
    return TIME_PS_NEVER;
  }
  const held_packet *first = element_array_at(&reorder->held, 0);
  *order = first->packet->send_order;
  return first->leaves_at;
}

static void run(path_element *element, time_ps now)
{
  path_reorder *reorder = (path_reorder *)element;
  while (reorder->held.count > 0) {
    held_packet first = *(held_packet *)element_array_at(&reorder->held, 0);
    if (first.leaves_at > now) {
      return;
    }
    element_array_remove(&reorder->held, 0, 1);
    path_element_emit(element, first.packet, now);
  }
}

static void free_reorder(path_element *element)
{
  path_reorder *reorder = (path_reorder *)element;
  for (size_t i = 0; i < reorder->held.count; i++) {
    datagram_unref(((held_packet *)element_array_at(&reorder->held, i))->packet);
  }
  element_array_clear(&reorder->held);
  g_free(reorder);
}

static const path_element_class reorder_class = {
    .name = "reorder", .receive = receive, .deadline = deadline, .run = run, .free = free_reorder};

path_element *path_reorder_new(time_ps hold_ps, const path_reorder_config *config, random_stream *random)
{
  g_assert(hold_ps >= 0);
  path_reorder *reorder = g_new0(path_reorder, 1);
  reorder->element.class = &reorder_class;
  reorder->hold_ps = hold_ps;
  path_reorder_choice_init(&reorder->choice, config, random);
  element_array_init(&reorder->held, sizeof(held_packet));
  return &reorder->element;
}
