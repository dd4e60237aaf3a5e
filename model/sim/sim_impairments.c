#include "sim/sim_impairments.h"

#include "base/random_stream.h"
#include "network/path_corrupt.h"
#include "network/path_displace.h"
#include "network/path_duplicate.h"
#include "network/path_ecn_mark.h"
#include "network/path_four_state_loss.h"
#include "network/path_gilbert_elliott.h"
#include "network/path_jitter.h"
#include "network/path_loss.h"
#include "network/path_reorder.h"

struct sim_impairments {
  const scenario *s;
  enum side direction;
  uint32_t index;
  GPtrArray *elements;
  GPtrArray *randoms;
};

/* --- Values of this direction --- */

static scenario_key key_of(const sim_impairments *impairments, scenario_key forward)
{
  return scenario_key_of_direction(forward, impairments->direction);
}

static double probability(const sim_impairments *impairments, scenario_key forward)
{
  return scenario_probability(impairments->s, key_of(impairments, forward));
}

static guint64 integer(const sim_impairments *impairments, scenario_key forward)
{
  return scenario_integer(impairments->s, key_of(impairments, forward));
}

static bool says(const sim_impairments *impairments, scenario_key forward, const char *word)
{
  return g_str_equal(scenario_text(impairments->s, key_of(impairments, forward)), word);
}

/* One named stream for each random element (design.md, Random numbers): "loss.forward", of path 3 "loss.forward.3". */
static random_stream *random_of(sim_impairments *impairments, const char *element)
{
  const char *direction = impairments->direction == SIDE_INITIATOR ? "forward" : "reverse";
  g_autofree char *name = impairments->index == 0
                              ? g_strdup_printf("%s.%s", element, direction)
                              : g_strdup_printf("%s.%s.%u", element, direction, impairments->index);
  random_stream *random = random_stream_new(scenario_integer(impairments->s, SCENARIO_RUN_SEED), name);

  g_ptr_array_add(impairments->randoms, random);
  return random;
}

static void add(sim_impairments *impairments, path_element *element)
{
  g_ptr_array_add(impairments->elements, element);
}

/* --- The elements --- */

static void add_loss_models(sim_impairments *impairments)
{
  double p[MAX(SCENARIO_GEMODEL_PARAMETERS, SCENARIO_STATE_PARAMETERS)];

  if (scenario_gemodel(impairments->s, impairments->direction, p)) {
    const path_gilbert_elliott_config config = {.p = p[0], .r = p[1], .loss_bad = p[2], .loss_good = p[3]};

    add(impairments, path_gilbert_elliott_new(&config, random_of(impairments, "gemodel")));
  }
  if (scenario_state(impairments->s, impairments->direction, p)) {
    const path_four_state_loss_config config = {
        .p13 = p[0], .p31 = p[1], .p32 = p[2], .p23 = p[3], .p14 = p[4]};

    add(impairments, path_four_state_loss_new(&config, random_of(impairments, "state")));
  }
}

static void add_loss(sim_impairments *impairments)
{
  path_loss_config config = {
      .probability = probability(impairments, SCENARIO_PATH_FORWARD_LOSS),
      .correlation = probability(impairments, SCENARIO_PATH_FORWARD_LOSS_CORRELATION),
      .every = integer(impairments, SCENARIO_PATH_FORWARD_LOSS_EVERY),
  };

  config.drop =
      scenario_list(impairments->s, key_of(impairments, SCENARIO_PATH_FORWARD_DROP), &config.drop_count);
  if (config.probability > 0 || config.every > 0 || config.drop_count > 0) {
    add(impairments, path_loss_new(&config, random_of(impairments, "loss")));
  }
  add_loss_models(impairments);
}

static void add_corrupt(sim_impairments *impairments)
{
  const path_corrupt_config config = {
      .probability = probability(impairments, SCENARIO_PATH_FORWARD_CORRUPT),
      .correlation = probability(impairments, SCENARIO_PATH_FORWARD_CORRUPT_CORRELATION),
      .mode = says(impairments, SCENARIO_PATH_FORWARD_CORRUPT_CHECKSUM, "misses") ? PATH_CORRUPT_UNCAUGHT
                                                                                  : PATH_CORRUPT_CAUGHT,
  };

  if (config.probability > 0) {
    add(impairments, path_corrupt_new(&config, random_of(impairments, "corrupt")));
  }
}

static void add_duplicate(sim_impairments *impairments)
{
  double p = probability(impairments, SCENARIO_PATH_FORWARD_DUPLICATE);

  if (p > 0) {
    add(impairments,
        path_duplicate_new(p, probability(impairments, SCENARIO_PATH_FORWARD_DUPLICATE_CORRELATION),
                           random_of(impairments, "duplicate")));
  }
}

static void add_ecn(sim_impairments *impairments)
{
  const path_ecn_mark_config config = {
      .probability = probability(impairments, SCENARIO_PATH_FORWARD_ECN_MARK),
      .every = integer(impairments, SCENARIO_PATH_FORWARD_ECN_EVERY),
  };

  if (config.probability > 0 || config.every > 0) {
    add(impairments, path_ecn_mark_new(&config, random_of(impairments, "ecn")));
  }
}

/* Behind the last segments of a flow there may come no more: those chosen by number wait no longer than this. */
enum { DISPLACE_WAIT_MILLISECONDS = 1 };

static void add_displace(sim_impairments *impairments)
{
  gboolean in_segments;
  guint64 by =
      scenario_distance(impairments->s, key_of(impairments, SCENARIO_PATH_FORWARD_DISPLACE_BY), &in_segments);
  const path_displace_config config = {
      .probability = probability(impairments, SCENARIO_PATH_FORWARD_DISPLACE),
      .by_segments = in_segments ? (uint32_t)by : 0,
      .by_ps = in_segments ? DISPLACE_WAIT_MILLISECONDS * TIME_PS_PER_MILLISECOND : (time_ps)by,
  };

  if (config.probability > 0) {
    add(impairments, path_displace_new(&config, random_of(impairments, "displace")));
  }
}

static path_jitter_distribution distribution_of(const sim_impairments *impairments)
{
  static const struct {
    const char *word;
    path_jitter_distribution distribution;
  } rows[] = {{"uniform", PATH_JITTER_UNIFORM},
              {"normal", PATH_JITTER_NORMAL},
              {"pareto", PATH_JITTER_PARETO},
              {"paretonormal", PATH_JITTER_PARETO_NORMAL}};
  gsize i = 0;

  while (!says(impairments, SCENARIO_PATH_FORWARD_DISTRIBUTION, rows[i].word)) {
    i++;
    g_assert(i < G_N_ELEMENTS(rows));
  }
  return rows[i].distribution;
}

static void add_jitter(sim_impairments *impairments)
{
  time_ps jitter = scenario_time(impairments->s, key_of(impairments, SCENARIO_PATH_FORWARD_JITTER));

  if (jitter == 0) {
    return;
  }
  const path_reorder_config reorder = {
      .probability = probability(impairments, SCENARIO_PATH_FORWARD_REORDER),
      .correlation = probability(impairments, SCENARIO_PATH_FORWARD_REORDER_CORRELATION),
      .gap = (uint32_t)integer(impairments, SCENARIO_PATH_FORWARD_GAP),
  };
  random_stream *reorder_random = random_of(impairments, "reorder");
  if (says(impairments, SCENARIO_PATH_FORWARD_DISTRIBUTION, "constant")) {
    add(impairments, path_reorder_new(jitter, &reorder, reorder_random));
    return;
  }
  const path_jitter_config config = {
      .delay_ps = jitter,
      .jitter_ps = jitter,
      .distribution = distribution_of(impairments),
      .correlation = probability(impairments, SCENARIO_PATH_FORWARD_JITTER_CORRELATION),
      .keep_order =
          !scenario_boolean(impairments->s, key_of(impairments, SCENARIO_PATH_FORWARD_JITTER_REORDERS)),
      .reorder = reorder,
      .reorder_random = reorder.probability > 0 ? reorder_random : NULL,
  };
  add(impairments, path_jitter_new(&config, random_of(impairments, "jitter")));
}

/* --- All of them --- */

typedef struct impairment_row {
  const char *word;
  void (*add)(sim_impairments *impairments);
} impairment_row;

static const impairment_row rows[] = {
    {"loss", add_loss}, {"corrupt", add_corrupt},   {"duplicate", add_duplicate},
    {"ecn", add_ecn},   {"displace", add_displace}, {"jitter", add_jitter},
};

/* Those that `words` (NULL-terminated) name, in their order and each once, then the rest. */
static void add_in_order(sim_impairments *impairments, char **words)
{
  bool added[G_N_ELEMENTS(rows)] = {false};

  for (char **word = words; *word; word++) {
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
      if (!added[i] && g_str_equal(rows[i].word, *word)) {
        added[i] = true;
        rows[i].add(impairments);
      }
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (!added[i]) {
      rows[i].add(impairments);
    }
  }
}

static void free_random(gpointer random)
{
  random_stream_free(random);
}

sim_impairments *sim_impairments_new(const scenario *s, enum side direction, uint32_t index)
{
  sim_impairments *impairments = g_new0(sim_impairments, 1);

  impairments->s = s;
  impairments->direction = direction;
  impairments->index = index;
  impairments->elements = g_ptr_array_new();
  impairments->randoms = g_ptr_array_new_with_free_func(free_random);
  char **words = scenario_mix(s, key_of(impairments, SCENARIO_PATH_FORWARD_ORDER));
  add_in_order(impairments, words);
  g_strfreev(words);
  return impairments;
}

void sim_impairments_free(sim_impairments *impairments)
{
  if (impairments) {
    g_ptr_array_unref(impairments->elements);
    g_ptr_array_unref(impairments->randoms);
    g_free(impairments);
  }
}

guint sim_impairments_count(const sim_impairments *impairments)
{
  return impairments->elements->len;
}

path_element *sim_impairments_at(const sim_impairments *impairments, guint place)
{
  g_assert(place < impairments->elements->len);
  return impairments->elements->pdata[place];
}
