/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_impairments.h"

#include "base/numbers.h"
#include "network/path_element.h"

/* --- The distributions as tables --- */

enum {
  ENTRIES = PATH_JITTER_TABLE_ENTRIES,
  SCALE = PATH_JITTER_TABLE_SCALE,
  MOST = PATH_JITTER_TABLE_MOST,
  STEPS_PER_SIGMA = 1024, /* of the integration of the normal density */
};

static int16_t entry(int64_t value)
{
  return (int16_t)CLAMP(value, -MOST, MOST);
}

/* The distribution function is 1 - x^-3 from 1 on, so x = u^(-1/3), u = 1 - (2 i + 1) / 8192. Its mean is
 * 3/2. */
static int16_t pareto_entry(int index)
{
  uint64_t tail = 2 * (uint64_t)(ENTRIES - index) - 1;                          /* of u's 8192 parts */
  int64_t root = (int64_t)integer_cube_root((UINT64_C(1) << (48 + 13)) / tail); /* in 2^-16 */
  return entry((root + 3) / 6 - SCALE * 2); /* 4/3 · (root / 2^16 - 3/2) · 2^13 */
}

/* Fills the upper half of the normal distribution. The density e^(-x²/2) is stepped by its quotient of
 * neighbours, which itself falls by a constant quotient: no exponential function is needed but of small
 * numbers. */
static void fill_upper_normal(int16_t upper[ENTRIES / 2])
{
  const double root_two_pi = 2.5066282746310005;
  const double step = 1.0 / STEPS_PER_SIGMA;
  const double square = step * step;
  const double quotient_fall = 1 - square * (1 - square / 2 * (1 - square / 3)); /* e^-step² */
  double quotient = 1 - square / 2 * (1 - square / 4 * (1 - square / 6));        /* e^(-step²/2) */
  double density = 1 / root_two_pi;
  double below = 0.5; /* the distribution function at x */
  double x = 0;

  for (int i = 0; i < ENTRIES / 2; i++) {
    double wanted = 0.5 + (i + 0.5) / ENTRIES;
    double gain; /* of the next step, by the trapezoid */
    while (below + (gain = step * density * (1 + quotient) / 2) < wanted) {
      below += gain;
      density *= quotient;
      quotient *= quotient_fall;
      x += step;
    }
    upper[i] = entry((int64_t)((x + step * (wanted - below) / gain) * SCALE + 0.5));
  }
}

void path_jitter_table_fill(int16_t table[ENTRIES], path_jitter_distribution distribution)
{
  if (distribution == PATH_JITTER_NORMAL || distribution == PATH_JITTER_PARETO_NORMAL) {
    fill_upper_normal(table + ENTRIES / 2);
    for (int i = 0; i < ENTRIES / 2; i++) {
      table[i] = (int16_t)-table[ENTRIES - 1 - i];
    }
  }
  for (int i = 0; i < ENTRIES; i++) {
    switch (distribution) {
    case PATH_JITTER_UNIFORM:
      table[i] = entry((2 * i + 1) * (SCALE / ENTRIES) - SCALE); /* -1 + (2 i + 1) / 4096, which is whole */
      break;
    case PATH_JITTER_NORMAL:
    case PATH_JITTER_CONSTANT:
      break;
    case PATH_JITTER_PARETO:
      table[i] = pareto_entry(i);
      break;
    case PATH_JITTER_PARETO_NORMAL:
      table[i] = (int16_t)((table[i] + 3 * pareto_entry(i)) / 4);
      break;
    }
  }
}

/* --- The element --- */

typedef struct path_jitter {
  path_delay delay;
  path_jitter_config config;
  path_correlation draws;
  bool may_reorder; /* packets may go at once */
  path_correlation reorder_draws;
  uint32_t held_in_a_row; /* since the last that went at once, counted up to gap - 1 */
  time_ps last_leaves_at;
  int16_t *table; /* NULL: nothing has been drawn yet */
} path_jitter;

/* netem: the packet after gap - 1 held ones may go at once; when it does not, the next may. */
static bool goes_at_once(path_jitter *jitter)
{
  const path_reorder_config *config = &jitter->config.reorder;

  if (!jitter->may_reorder) {
    return false;
  }
  if (jitter->held_in_a_row + 1 < config->gap) {
    jitter->held_in_a_row++;
    return false;
  }
  if (!path_correlation_chance(&jitter->reorder_draws, config->probability)) {
    return false;
  }
  jitter->held_in_a_row = 0;
  return true;
}

/* The upper digits of the draw choose the entry. (netem takes the lower ones, which have lost the
 * correlation.) */
static time_ps next_delay(path_jitter *jitter)
{
  const path_jitter_config *config = &jitter->config;

  if (config->distribution == PATH_JITTER_CONSTANT) {
    return config->delay_ps;
  }
  if (!jitter->table) {
    jitter->table = g_new(int16_t, ENTRIES);
    path_jitter_table_fill(jitter->table, config->distribution);
  }
  int16_t entry = jitter->table[(int)(path_correlation_next(&jitter->draws) * ENTRIES)];
  /* jitter · entry / SCALE, to the nearest; the whole multiples of SCALE on their own, so that nothing
   * overflows */
  time_ps rest = config->jitter_ps % SCALE * entry;
  rest += rest < 0 ? -(SCALE / 2) : SCALE / 2;
  return MAX(config->delay_ps + config->jitter_ps / SCALE * entry + rest / SCALE, 0);
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_jitter *jitter = (path_jitter *)element;

  if (goes_at_once(jitter)) {
    path_element_note(element, PATH_ACT_REORDER, true);
    path_element_emit(element, packet, now);
    return;
  }
  time_ps leaves_at = now + next_delay(jitter);
  if (leaves_at < jitter->last_leaves_at && jitter->config.reorders) {
    path_element_note(element, PATH_ACT_JITTER_REORDERS, true);
  } else {
    leaves_at = MAX(leaves_at, jitter->last_leaves_at);
    jitter->last_leaves_at = leaves_at;
  }
  path_element_note(element, PATH_ACT_JITTER, leaves_at > now);
  path_delay_line_add(&jitter->delay.line, packet, leaves_at, 0);
  path_delay_run(element, now); /* it may be due at once, after others that are */
}

static void free_jitter(path_element *element)
{
  g_free(((path_jitter *)element)->table);
  path_delay_free(element);
}

static const path_element_class jitter_class = {.name = "jitter",
                                                .receive = receive,
                                                .deadline = path_delay_deadline,
                                                .run = path_delay_run,
                                                .free = free_jitter};

path_element *path_jitter_new(const path_jitter_config *config, random_stream *random,
                              random_stream *reorder_random)
{
  g_assert(config->delay_ps >= 0 && config->jitter_ps >= 0);
  g_assert(config->reorder.probability >= 0 && config->reorder.probability <= 1);
  path_jitter *jitter = g_new0(path_jitter, 1);
  jitter->delay.element.class = &jitter_class;
  jitter->config = *config;
  path_correlation_init(&jitter->draws, random, config->correlation);
  jitter->may_reorder = reorder_random;
  if (reorder_random) {
    path_correlation_init(&jitter->reorder_draws, reorder_random, config->reorder.correlation);
  }
  path_delay_line_init(&jitter->delay.line);
  return &jitter->delay.element;
}

/* --- Packets that come late --- */

typedef struct path_late {
  path_delay delay; /* packets wait equally long, and for equally many with payload */
  path_late_config config;
  path_correlation draws;
} path_late;

static void late_receive(path_element *element, datagram *packet, time_ps now)
{
  path_late *late = (path_late *)element;
  path_delay_line *held = &late->delay.line;
  const packet_distance by = late->config.by;
  bool has_payload = packet->payload.length > 0;
  bool chosen = path_correlation_chance(&late->draws, late->config.probability);

  if (chosen && (has_payload || !by.in_segments)) {
    time_ps leaves_at = now + (by.in_segments ? late->config.wait_ps : (time_ps)by.number);
    path_delay_line_add(held, packet, leaves_at, by.in_segments ? held->passed + by.number : 0);
    element->counts.displaced++;
    path_element_note(element, PATH_ACT_DISPLACE, true);
    PATH_TRACE(element, packet, PACKET_DISPLACED, .place = TRACE_NAME(element->class->name));
  } else {
    held->passed += has_payload;
    path_element_emit(element, packet, now);
  }
  path_delay_run(element, now);
}

static const path_element_class late_class = {.name = "displace",
                                              .receive = late_receive,
                                              .deadline = path_delay_deadline,
                                              .run = path_delay_run,
                                              .free = path_delay_free};

path_element *path_late_new(const path_late_config *config, random_stream *random)
{
  g_assert(config->probability >= 0 && config->probability <= 1);
  g_assert(config->by.number > 0 && (!config->by.in_segments || config->wait_ps > 0));
  path_late *late = g_new0(path_late, 1);
  late->delay.element.class = &late_class;
  late->config = *config;
  path_correlation_init(&late->draws, random, config->correlation);
  path_delay_line_init(&late->delay.line);
  return &late->delay.element;
}
