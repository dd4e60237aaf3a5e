/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "network/path_correlation.h"

typedef struct path_duplicate {
  path_element element;
  double probability;
  path_correlation draws;
} path_duplicate;

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_duplicate *duplicate = (path_duplicate *)element;
  datagram *copy = NULL;

  if (path_correlation_chance(&duplicate->draws, duplicate->probability)) {
    copy = datagram_copy(packet); /* now: who gets the packet may change it */
    copy->send_order = packet->send_order;
    element->counts.duplicated++;
  }
  path_element_emit(element, packet, now);
  if (copy) {
    path_element_emit(element, copy, now);
  }
}

static const path_element_class duplicate_class = {.name = "duplicate", .receive = receive};

path_element *path_duplicate_new(const path_duplicate_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  path_duplicate *duplicate = g_new0(path_duplicate, 1);
  duplicate->element.class = &duplicate_class;
  duplicate->probability = config->probability;
  path_correlation_init(&duplicate->draws, random, config->correlation);
  return &duplicate->element;
}
