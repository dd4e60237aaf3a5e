/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

typedef struct path_loss {
  path_element element;
  path_loss_config config;
  path_correlation draws;
  size_t drop_next;          /* the first of the list that is still to come */
  uint64_t payload_segments; /* entered so far */
} path_loss;

/* Returns whether a segment with payload that enters now is on the list or the n-th. */
static bool is_chosen(path_loss *loss)
{
  uint64_t number = ++loss->payload_segments;
  const path_loss_config *config = &loss->config;
  bool is_nth = config->every > 0 && number % config->every == 0;
  bool is_listed = loss->drop_next < config->drop.count && config->drop.values[loss->drop_next] == number;

  loss->drop_next += is_listed;
  path_element_note(&loss->element, PATH_ACT_LOSS_EVERY, is_nth);
  path_element_note(&loss->element, PATH_ACT_DROP, is_listed && loss->drop_next == config->drop.count);
  return is_nth || is_listed;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_loss *loss = (path_loss *)element;
  bool chosen = packet->payload.length > 0 && is_chosen(loss);
  /* Drawn for the chosen ones too, so that a list never changes which others are lost. */
  bool unlucky = path_correlation_chance(&loss->draws, loss->config.probability);

  path_element_note(element, PATH_ACT_LOSS, unlucky);
  if (chosen || unlucky) {
    path_element_drop(element, packet, LOSSES_RANDOM);
    return;
  }
  path_element_emit(element, packet, now);
}

static const path_element_class loss_class = {.name = "loss", .receive = receive};

path_element *path_loss_new(const path_loss_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  for (size_t i = 0; i < config->drop.count; i++) {
    g_assert(config->drop.values[i] >
             (i > 0 ? config->drop.values[i - 1] : 0)); /* numbers start at 1 and ascend */
  }
  path_loss *loss = g_new0(path_loss, 1);
  loss->element.class = &loss_class;
  loss->config = *config;
  path_correlation_init(&loss->draws, random, config->correlation);
  return &loss->element;
}

/* --- The channel of Gilbert and Elliott --- */

enum { GOOD, BAD, STATES };

typedef struct path_gilbert_elliott {
  path_element element;
  random_stream *random;
  int state;
  double change[STATES]; /* the probability that a packet changes the state it finds */
  double loss[STATES];
} path_gilbert_elliott;

static void receive_by_channel(path_element *element, datagram *packet, time_ps now)
{
  path_gilbert_elliott *channel = (path_gilbert_elliott *)element;
  int found = channel->state;

  if (random_stream_chance(channel->random, channel->change[found])) {
    channel->state = found == GOOD ? BAD : GOOD;
  }
  if (random_stream_chance(channel->random, channel->loss[found])) {
    path_element_note(element, PATH_ACT_GEMODEL, true);
    path_element_drop(element, packet, LOSSES_RANDOM);
    return;
  }
  path_element_emit(element, packet, now);
}

static const path_element_class gilbert_elliott_class = {.name = "gilbert-elliott",
                                                         .receive = receive_by_channel};

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

/* --- The Markov chain of four states --- */

typedef enum loss_state {
  RECEIVED_IN_GAP,
  RECEIVED_IN_BURST,
  LOST_IN_BURST,
  LOST_IN_GAP,
  LOSS_STATES,
} loss_state;

static const bool is_lost[LOSS_STATES] = {[LOST_IN_BURST] = true, [LOST_IN_GAP] = true};

/* A state has these ways out: a draw below `first_below` takes the first, else one below `second_below` the
 * second, any other `otherwise`. */
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

static void receive_by_chain(path_element *element, datagram *packet, time_ps now)
{
  path_four_state_loss *chain = (path_four_state_loss *)element;
  const loss_ways *ways = &chain->ways[chain->state];
  double draw = path_correlation_next(&chain->draws);

  chain->state = draw < ways->first_below    ? ways->first
                 : draw < ways->second_below ? ways->second
                                             : ways->otherwise;
  if (is_lost[chain->state]) {
    path_element_note(element, PATH_ACT_STATE, true);
    path_element_drop(element, packet, LOSSES_RANDOM);
    return;
  }
  path_element_emit(element, packet, now);
}

static const path_element_class four_state_loss_class = {.name = "four-state loss",
                                                         .receive = receive_by_chain};

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
