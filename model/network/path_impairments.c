/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "network/path_config.h"

/* A direction's impairments while they are made. */
typedef struct impairment_builder {
  GPtrArray *elements;
  GPtrArray *randoms;
  const path_direction_config *config;
  enum side direction;
  uint32_t index;
  uint64_t seed;
} impairment_builder;

/* One named stream for each random element: "loss.forward", of path 3 "loss.forward.3". */
static random_stream *random_of(impairment_builder *builder, const char *element)
{
  const char *direction = builder->direction == SIDE_INITIATOR ? "forward" : "reverse";
  g_autofree char *name = builder->index == 0
                              ? g_strdup_printf("%s.%s", element, direction)
                              : g_strdup_printf("%s.%s.%u", element, direction, builder->index);
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
    const path_gilbert_elliott_config model = path_gemodel(config);

    add(builder, path_gilbert_elliott_new(&model, random_of(builder, "gemodel")));
  }
  if (config->state.count > 0) {
    const path_four_state_loss_config model = path_state_model(config);

    add(builder, path_four_state_loss_new(&model, random_of(builder, "state")));
  }
}

/* After the last segments of a flow no more may follow: those chosen by number wait no longer than this. */
#define LATE_WAIT_PS TIME_PS_PER_MILLISECOND

static void add_late(impairment_builder *builder)
{
  path_late_config late = builder->config->displace;

  late.wait_ps = LATE_WAIT_PS;
  if (late.probability > 0) {
    add(builder, path_late_new(&late, random_of(builder, "displace")));
  }
}

static void add_jitter(impairment_builder *builder)
{
  path_jitter_config jitter = builder->config->jitter;
  bool reorders = jitter.reorder.probability > 0;

  jitter.delay_ps = jitter.jitter_ps;
  if (jitter.jitter_ps > 0) {
    add(builder, path_jitter_new(&jitter, random_of(builder, "jitter"),
                                 reorders ? random_of(builder, "reorder") : NULL));
  }
}

/* What the configuration asks for of `kind`, if anything. */
static void add_kind(impairment_builder *builder, path_impairment kind)
{
  const path_direction_config *config = builder->config;

  switch (kind) {
  case PATH_IMPAIRMENT_LOSS:
    add_losses(builder);
    break;
  case PATH_IMPAIRMENT_CORRUPT:
    if (config->corrupt.probability > 0) {
      add(builder, path_corrupt_new(&config->corrupt, random_of(builder, "corrupt")));
    }
    break;
  case PATH_IMPAIRMENT_DUPLICATE:
    if (config->duplicate.probability > 0) {
      add(builder, path_duplicate_new(&config->duplicate, random_of(builder, "duplicate")));
    }
    break;
  case PATH_IMPAIRMENT_ECN:
    if (config->ecn.probability > 0 || config->ecn.every > 0) {
      add(builder, path_ecn_mark_new(&config->ecn, random_of(builder, "ecn")));
    }
    break;
  case PATH_IMPAIRMENT_DISPLACE:
    add_late(builder);
    break;
  case PATH_IMPAIRMENT_JITTER:
    add_jitter(builder);
    break;
  case PATH_IMPAIRMENTS:
    break;
  }
}

/* Those of `order`, in that order and each once, then the rest. */
void path_impairments_add(GPtrArray *elements, GPtrArray *randoms, const path_direction_config *config,
                          enum side direction, uint32_t index, uint64_t seed)
{
  impairment_builder builder = {elements, randoms, config, direction, index, seed};
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
