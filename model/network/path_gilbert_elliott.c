/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_gilbert_elliott.h"

#include <glib.h>

enum { GOOD, BAD, STATES };

typedef struct path_gilbert_elliott {
  path_element element;
  random_stream *random;
  int state;
  double change[STATES]; /* the probability that a packet changes the state it finds */
  double loss[STATES];
} path_gilbert_elliott;

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_gilbert_elliott *channel = (path_gilbert_elliott *)element;
  int found = channel->state;

  if (random_stream_chance(channel->random, channel->change[found])) {
    channel->state = found == GOOD ? BAD : GOOD;
  }
  if (random_stream_chance(channel->random, channel->loss[found])) {
    path_element_drop(element, packet);
    return;
  }
  path_element_emit(element, packet, now);
}

static void free_channel(path_element *element)
{
  g_free(element);
}

static const path_element_class gilbert_elliott_class = {
    .name = "gilbert-elliott", .receive = receive, .free = free_channel};

static double probability(double value)
{
  g_assert(value >= 0 && value <= 1);
  return value;
}

path_element *path_gilbert_elliott_new(const path_gilbert_elliott_config *config, random_stream *random)
{
  path_gilbert_elliott *channel = g_new0(path_gilbert_elliott, 1);

  channel->element.class = &gilbert_elliott_class;
  channel->random = random;
  channel->state = GOOD;
  channel->change[GOOD] = probability(config->p);
  channel->change[BAD] = probability(config->r);
  channel->loss[GOOD] = probability(config->loss_good);
  channel->loss[BAD] = probability(config->loss_bad);
  return &channel->element;
}
