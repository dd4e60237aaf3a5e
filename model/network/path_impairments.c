/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "base/random_stream.h"
#include "network/path_duplicate.h"
#include "network/path_reorder.h"

struct path_impairments {
  const path_direction_config *config;
  enum side direction;
  uint32_t index;
  uint64_t seed;
  GPtrArray *elements;
  GPtrArray *randoms;
};

/* One named stream for each random element (design.md, Random numbers): "loss.forward", of path 3 "loss.forward.3". */
static random_stream *random_of(path_impairments *impairments, const char *element)
{
  const char *direction = impairments->direction == SIDE_INITIATOR ? "forward" : "reverse";
  g_autofree char *name = impairments->index == 0
                              ? g_strdup_printf("%s.%s", element, direction)
                              : g_strdup_printf("%s.%s.%u", element, direction, impairments->index);
  random_stream *random = random_stream_new(impairments->seed, name);

  g_ptr_array_add(impairments->randoms, random);
  return random;
}

static void add(path_impairments *impairments, path_element *element)
{
  g_ptr_array_add(impairments->elements, element);
}

/* --- The elements --- */

static void add_loss(path_impairments *impairments)
{
  const path_loss_config *loss = &impairments->config->loss;

  if (loss->probability > 0 || loss->every > 0 || loss->drop.count > 0) {
    add(impairments, path_loss_new(loss, random_of(impairments, "loss")));
  }
  if (impairments->config->gemodel.count > 0) {
    const path_gilbert_elliott_config model = path_gemodel(impairments->config);

    add(impairments, path_gilbert_elliott_new(&model, random_of(impairments, "gemodel")));
  }
  if (impairments->config->state.count > 0) {
    const path_four_state_loss_config model = path_state_model(impairments->config);

    add(impairments, path_four_state_loss_new(&model, random_of(impairments, "state")));
  }
}

static void add_corrupt(path_impairments *impairments)
{
  const path_corrupt_config *corrupt = &impairments->config->corrupt;

  if (corrupt->probability > 0) {
    add(impairments, path_corrupt_new(corrupt, random_of(impairments, "corrupt")));
  }
}

static void add_duplicate(path_impairments *impairments)
{
  const path_duplicate_config *duplicate = &impairments->config->duplicate;

  if (duplicate->probability > 0) {
    add(impairments, path_duplicate_new(duplicate, random_of(impairments, "duplicate")));
  }
}

static void add_ecn(path_impairments *impairments)
{
  const path_ecn_mark_config *ecn = &impairments->config->ecn;

  if (ecn->probability > 0 || ecn->every > 0) {
    add(impairments, path_ecn_mark_new(ecn, random_of(impairments, "ecn")));
  }
}

/* After the last segments of a flow there may come no more: those chosen by number wait no longer than this. */
#define DISPLACE_WAIT_PS TIME_PS_PER_MILLISECOND

static void add_displace(path_impairments *impairments)
{
  path_displace_config displace = impairments->config->displace;

  displace.wait_ps = DISPLACE_WAIT_PS;
  if (displace.probability > 0) {
    add(impairments, path_displace_new(&displace, random_of(impairments, "displace")));
  }
}

static void add_jitter(path_impairments *impairments)
{
  path_jitter_config jitter = impairments->config->jitter;

  if (jitter.jitter_ps == 0) {
    return;
  }
  random_stream *reorder_random = random_of(impairments, "reorder");
  if (jitter.distribution == PATH_JITTER_CONSTANT) {
    add(impairments, path_reorder_new(jitter.jitter_ps, &jitter.reorder, reorder_random));
    return;
  }
  jitter.delay_ps = jitter.jitter_ps;
  jitter.reorder_random = jitter.reorder.probability > 0 ? reorder_random : NULL;
  add(impairments, path_jitter_new(&jitter, random_of(impairments, "jitter")));
}

/* --- All of them --- */

/* Those of `order`, in that order and each once, then the rest. */
static void add_in_order(path_impairments *impairments, const choice_list *order)
{
  static void (*const add_one[PATH_IMPAIRMENTS])(path_impairments * impairments) = {
      [PATH_IMPAIRMENT_LOSS] = add_loss,           [PATH_IMPAIRMENT_CORRUPT] = add_corrupt,
      [PATH_IMPAIRMENT_DUPLICATE] = add_duplicate, [PATH_IMPAIRMENT_ECN] = add_ecn,
      [PATH_IMPAIRMENT_DISPLACE] = add_displace,   [PATH_IMPAIRMENT_JITTER] = add_jitter,
  };
  bool added[PATH_IMPAIRMENTS] = {false};

  for (unsigned i = 0; i < order->count; i++) {
    if (!added[order->values[i]]) {
      added[order->values[i]] = true;
      add_one[order->values[i]](impairments);
    }
  }
  for (unsigned i = 0; i < PATH_IMPAIRMENTS; i++) {
    if (!added[i]) {
      add_one[i](impairments);
    }
  }
}

static void free_random(gpointer random)
{
  random_stream_free(random);
}

path_impairments *path_impairments_new(const path_direction_config *config, enum side direction,
                                       uint32_t index, uint64_t seed)
{
  path_impairments *impairments = g_new0(path_impairments, 1);

  impairments->config = config;
  impairments->direction = direction;
  impairments->index = index;
  impairments->seed = seed;
  impairments->elements = g_ptr_array_new();
  impairments->randoms = g_ptr_array_new_with_free_func(free_random);
  add_in_order(impairments, &config->order);
  return impairments;
}

void path_impairments_free(path_impairments *impairments)
{
  if (impairments) {
    g_ptr_array_unref(impairments->elements);
    g_ptr_array_unref(impairments->randoms);
    g_free(impairments);
  }
}

guint path_impairments_count(const path_impairments *impairments)
{
  return impairments->elements->len;
}

path_element *path_impairments_at(const path_impairments *impairments, guint place)
{
  g_assert(place < impairments->elements->len);
  return impairments->elements->pdata[place];
}
