/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_config.h"

#include <glib.h>
#include <math.h>

size_t path_links(const path_direction_config *direction)
{
  size_t further = MAX(direction->hop_rates_bit_per_s.count, direction->hop_delays_ps.count);

  return 1 + MAX(further, direction->hop_mtus_octets.count);
}

/* Returns what `list` has for the link `index`; `first`, the first link's, when it has nothing. */
static uint64_t hop_value(const number_list *list, size_t index, uint64_t first)
{
  return index == 0 || list->count == 0 ? first : list->values[MIN(index - 1, list->count - 1)];
}

path_link_config path_link_at(const path_direction_config *direction, size_t index)
{
  path_link_config link = direction->link;

  g_assert(index < path_links(direction));
  link.rate_bit_per_s = hop_value(&direction->hop_rates_bit_per_s, index, link.rate_bit_per_s);
  link.delay_ps = (time_ps)hop_value(&direction->hop_delays_ps, index, (uint64_t)link.delay_ps);
  link.mtu_octets = (uint32_t)hop_value(&direction->hop_mtus_octets, index, link.mtu_octets);
  return link;
}

uint64_t path_bottleneck_bit_per_s(const path_direction_config *direction)
{
  uint64_t rate = direction->bucket.burst_octets > 0 ? direction->bucket.rate_bit_per_s : UINT64_MAX;

  for (size_t i = 0; i < path_links(direction); i++) {
    rate = MIN(rate, path_link_at(direction, i).rate_bit_per_s);
  }
  return rate;
}

uint32_t path_mtu_octets(const path_direction_config *direction)
{
  uint32_t mtu = UINT32_MAX;

  for (size_t i = 0; i < path_links(direction); i++) {
    mtu = MIN(mtu, path_link_at(direction, i).mtu_octets);
  }
  return mtu;
}

/* Returns the parameter `index` of a loss model; the second is what the first leaves of 1 when it is not
 * given. */
static double parameter(const probability_list *list, size_t index, double otherwise)
{
  return index < list->count ? list->values[index] : index == 1 ? 1 - list->values[0] : otherwise;
}

path_four_state_loss_config path_state_model(const path_direction_config *direction)
{
  const probability_list *p = &direction->state;

  return (path_four_state_loss_config){.p13 = parameter(p, 0, 0),
                                       .p31 = parameter(p, 1, 0),
                                       .p32 = parameter(p, 2, 0),
                                       .p23 = parameter(p, 3, 1),
                                       .p14 = parameter(p, 4, 0)};
}

/* netem's `loss gemodel` p, r, 1-h, 1-k, with the defaults of tc-netem(8): 100% - p, 100%, 0 */
static path_gilbert_elliott_config gilbert_elliott_model(const path_direction_config *direction)
{
  const probability_list *p = &direction->gemodel;

  return (path_gilbert_elliott_config){.p = parameter(p, 0, 0),
                                       .r = parameter(p, 1, 0),
                                       .loss_bad = parameter(p, 2, 1),
                                       .loss_good = parameter(p, 3, 0)};
}

path_loss_rates path_loss_rates_of(const path_direction_config *direction)
{
  path_gilbert_elliott_config in = {.loss_bad = 1};
  path_four_state_loss_config p = {.p31 = 1, .p23 = 1}; /* loses nothing */

  if (direction->gemodel.count > 0) {
    in = gilbert_elliott_model(direction);
    p = (path_four_state_loss_config){.p13 = in.p, .p31 = in.r, .p23 = 1};
  } else if (direction->state.count > 0) {
    p = path_state_model(direction);
  }
  /* This is the stationary distribution of the chain, but for a factor. */
  const double good = p.p31 * p.p23, received_in_burst = p.p13 * p.p32, bad = p.p13 * p.p23;
  const double gap = p.p14 * good, all = good + received_in_burst + bad + gap;
  const double lost = (bad * in.loss_bad + good * in.loss_good + gap) / all;
  const double bursts = good * (p.p13 + p.p14) / all;
  const bool is_counted = in.loss_bad == 1 && in.loss_good == 0 && (bursts > 0 || lost == 0);
  const double single = direction->loss.correlation > 0 ? NAN : direction->loss.probability;

  return (path_loss_rates){.lost = 1 - (1 - single) * (1 - lost),
                           .bursts = is_counted ? single + bursts : NAN};
}

double path_loss_share(const path_direction_config *direction)
{
  const double every = direction->loss.every > 0 ? 1 / (double)direction->loss.every : 0;

  return path_loss_rates_of(direction).lost + direction->corrupt.probability + every;
}

/* --- Impairments --- */

char *path_direction_name(enum side direction, uint32_t index)
{
  const char *word = direction == SIDE_INITIATOR ? "forward" : "reverse";

  return index > 0 ? g_strdup_printf("%s.%u", word, index) : g_strdup(word);
}

/* A direction's impairments while they are made. */
typedef struct impairment_builder {
  GPtrArray *elements;
  GPtrArray *randoms;
  const path_direction_config *config;
  const char *name;
  uint64_t seed;
} impairment_builder;

/* Each random element has one named stream: "loss.NAME". */
static random_stream *random_of(impairment_builder *builder, const char *element)
{
  g_autofree char *name = g_strdup_printf("%s.%s", element, builder->name);
  random_stream *random = random_stream_new(builder->seed, name);

  g_ptr_array_add(builder->randoms, random);
  return random;
}

static void add(impairment_builder *builder, path_element *element)
{
  g_ptr_array_add(builder->elements, element);
}

static void add_losses(impairment_builder *builder)
{
  const path_direction_config *config = builder->config;
  const path_loss_config *loss = &config->loss;

  if (loss->probability > 0 || loss->every > 0 || loss->drop.count > 0) {
    add(builder, path_loss_new(loss, random_of(builder, "loss")));
  }
  if (config->gemodel.count > 0) {
    const path_gilbert_elliott_config model = gilbert_elliott_model(config);

    add(builder, path_gilbert_elliott_new(&model, random_of(builder, "gemodel")));
  }
  if (config->state.count > 0) {
    const path_four_state_loss_config model = path_state_model(config);

    add(builder, path_four_state_loss_new(&model, random_of(builder, "state")));
  }
}

static void add_jitter(impairment_builder *builder)
{
  path_jitter_config jitter = builder->config->jitter;
  bool reorders = jitter.reorder.probability > 0;

  jitter.delay_ps = jitter.jitter_ps;
  if (jitter.jitter_ps > 0) {
    random_stream *delays = random_of(builder, "jitter");
    add(builder, path_jitter_new(&jitter, delays, reorders ? random_of(builder, "reorder") : NULL));
  }
}

/* What the configuration asks for of `kind`, if anything. */
static void add_kind(impairment_builder *builder, path_impairment kind)
{
  const path_direction_config *config = builder->config;
  path_late_config late = config->displace;

  if (kind == PATH_IMPAIRMENT_LOSS) {
    add_losses(builder);
  } else if (kind == PATH_IMPAIRMENT_CORRUPT && config->corrupt.probability > 0) {
    add(builder, path_corrupt_new(&config->corrupt, random_of(builder, "corrupt")));
  } else if (kind == PATH_IMPAIRMENT_DUPLICATE && config->duplicate.probability > 0) {
    add(builder, path_duplicate_new(&config->duplicate, random_of(builder, "duplicate")));
  } else if (kind == PATH_IMPAIRMENT_ECN && (config->ecn.probability > 0 || config->ecn.every > 0)) {
    add(builder, path_ecn_mark_new(&config->ecn, random_of(builder, "ecn")));
  } else if (kind == PATH_IMPAIRMENT_DISPLACE && late.probability > 0) {
    /* After the last segments of a flow no more may follow: those chosen by number wait no longer. */
    late.wait_ps = TIME_PS_PER_MILLISECOND;
    add(builder, path_late_new(&late, random_of(builder, "displace")));
  } else if (kind == PATH_IMPAIRMENT_JITTER) {
    add_jitter(builder);
  }
}

/* Adds those of `order`, in that order and each once, then the rest. */
void path_impairments_add(GPtrArray *elements, GPtrArray *randoms, const path_direction_config *config,
                          const char *name, uint64_t seed)
{
  impairment_builder builder = {elements, randoms, config, name, seed};
  const uint8_t *order = config->order.values;
  unsigned ordered = config->order.count;
  bool added[PATH_IMPAIRMENTS] = {false};

  for (unsigned i = 0; i < ordered + PATH_IMPAIRMENTS; i++) {
    path_impairment kind = (path_impairment)(i < ordered ? order[i] : i - ordered);

    if (!added[kind]) {
      added[kind] = true;
      add_kind(&builder, kind);
    }
  }
}
