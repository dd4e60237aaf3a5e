/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_four_state_loss.h"

#include <glib.h>

#include "network/path_correlation.h"

typedef enum loss_state {
  RECEIVED_IN_GAP,
  RECEIVED_IN_BURST,
  LOST_IN_BURST,
  LOST_IN_GAP,
  LOSS_STATES,
} loss_state;

static const bool is_lost[LOSS_STATES] = {[LOST_IN_BURST] = true, [LOST_IN_GAP] = true};

/* The ways out of a state: a draw below `first_below` takes the first, else one below `second_below` the second, any other
 * `otherwise`. */
typedef struct loss_ways {
  double first_below;
  loss_state first;
  double second_below;
  loss_state second;
  loss_state otherwise;
} loss_ways;

typedef struct path_four_state_loss {
  path_element element;
  path_correlation draws; /* independent */
  loss_state state;
  loss_ways ways[LOSS_STATES];
} path_four_state_loss;

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_four_state_loss *chain = (path_four_state_loss *)element;
  const loss_ways *ways = &chain->ways[chain->state];
  double draw = path_correlation_next(&chain->draws);

  chain->state = draw < ways->first_below    ? ways->first
                 : draw < ways->second_below ? ways->second
                                             : ways->otherwise;
  if (is_lost[chain->state]) {
    path_element_drop(element, packet);
    return;
  }
  path_element_emit(element, packet, now);
}

static void free_chain(path_element *element)
{
  g_free(element);
}

static const path_element_class four_state_loss_class = {
    .name = "four-state loss", .receive = receive, .free = free_chain};

path_element *path_four_state_loss_new(const path_four_state_loss_config *config, random_stream *random)
{
  g_assert(config->p13 >= 0 && config->p14 >= 0 && config->p13 + config->p14 <= 1);
  g_assert(config->p31 >= 0 && config->p32 >= 0 && config->p31 + config->p32 <= 1);
  g_assert(config->p23 >= 0 && config->p23 <= 1);
  path_four_state_loss *chain = g_new0(path_four_state_loss, 1);
  chain->element.class = &four_state_loss_class;
  path_correlation_init(&chain->draws, random, 0);
  chain->state = RECEIVED_IN_GAP;
  chain->ways[RECEIVED_IN_GAP] =
      (loss_ways){config->p14, LOST_IN_GAP, config->p14 + config->p13, LOST_IN_BURST, RECEIVED_IN_GAP};
  chain->ways[RECEIVED_IN_BURST] =
      (loss_ways){config->p23, LOST_IN_BURST, config->p23, LOST_IN_BURST, RECEIVED_IN_BURST};
  chain->ways[LOST_IN_BURST] =
      (loss_ways){config->p32, RECEIVED_IN_BURST, config->p32 + config->p31, RECEIVED_IN_GAP, LOST_IN_BURST};
  chain->ways[LOST_IN_GAP] = (loss_ways){0, RECEIVED_IN_GAP, 0, RECEIVED_IN_GAP, RECEIVED_IN_GAP};
  return &chain->element;
}
