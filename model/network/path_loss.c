/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_loss.h"

#include <glib.h>

#include "network/path_correlation.h"

typedef struct path_loss {
  path_element element;
  double probability;
  path_correlation draws;
  uint64_t every;
  uint64_t *drop; /* ascending */
  size_t drop_count;
  size_t drop_next;          /* the first of them that is still to come */
  uint64_t payload_segments; /* entered so far */
} path_loss;

/* Whether a segment with payload that enters now is on the list or the n-th. */
static bool is_chosen(path_loss *loss)
{
  uint64_t number = ++loss->payload_segments;
  bool counted = loss->every > 0 && number % loss->every == 0;

  if (loss->drop_next == loss->drop_count || loss->drop[loss->drop_next] != number) {
    return counted;
  }
  loss->drop_next++;
  return true;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_loss *loss = (path_loss *)element;
  bool chosen = packet->payload.length > 0 && is_chosen(loss);
  /* Drawn for the chosen ones too, so that a list never changes which others are lost (design.md, Random
   * numbers). */
  bool unlucky = path_correlation_chance(&loss->draws, loss->probability);

  if (chosen || unlucky) {
    path_element_drop(element, packet);
    return;
  }
  path_element_emit(element, packet, now);
}

static void free_loss(path_element *element)
{
  path_loss *loss = (path_loss *)element;

  g_free(loss->drop);
  g_free(loss);
}

static const path_element_class loss_class = {.name = "loss", .receive = receive, .free = free_loss};

path_element *path_loss_new(const path_loss_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  for (size_t i = 0; i < config->drop.count; i++) {
    g_assert(config->drop.values[i] >
             (i > 0 ? config->drop.values[i - 1] : 0)); /* numbers start at 1 and ascend */
  }
  path_loss *loss = g_new0(path_loss, 1);
  loss->element.class = &loss_class;
  loss->probability = config->probability;
  path_correlation_init(&loss->draws, random, config->correlation);
  loss->every = config->every;
  loss->drop = g_memdup2(config->drop.values, config->drop.count * sizeof *config->drop.values);
  loss->drop_count = config->drop.count;
  return &loss->element;
}
