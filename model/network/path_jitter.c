/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_jitter.h"

#include <glib.h>

#include "network/path_correlation.h"
#include "network/path_hold.h"

typedef struct path_jitter {
  path_element element;
  path_jitter_config config;
  path_correlation draws;
  path_reorder_choice choice; /* with config.reorder_random */
  path_hold held;
  time_ps last_leaves_at;
  int16_t *table; /* NULL: nothing has been drawn yet */
} path_jitter;

/* jitter · entry / scale, to the nearest; the whole multiples of the scale on their own, so that nothing overflows. */
static time_ps scaled(time_ps jitter_ps, int16_t entry)
{
  time_ps rest = jitter_ps % PATH_JITTER_TABLE_SCALE * entry;

  rest += rest < 0 ? -(PATH_JITTER_TABLE_SCALE / 2) : PATH_JITTER_TABLE_SCALE / 2;
  return jitter_ps / PATH_JITTER_TABLE_SCALE * entry + rest / PATH_JITTER_TABLE_SCALE;
}

/* The upper digits of the draw choose the entry. (netem takes the lower ones, which have lost the correlation.) */
static time_ps next_delay(path_jitter *jitter)
{
  if (!jitter->table) {
    jitter->table = g_new(int16_t, PATH_JITTER_TABLE_ENTRIES);
    path_jitter_table_fill(jitter->table, jitter->config.distribution);
  }
  int16_t entry = jitter->table[(int)(path_correlation_next(&jitter->draws) * PATH_JITTER_TABLE_ENTRIES)];

  return MAX(jitter->config.delay_ps + scaled(jitter->config.jitter_ps, entry), 0);
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_jitter *jitter = (path_jitter *)element;

  if (jitter->config.reorder_random && path_reorder_choice_next(&jitter->choice)) {
    path_element_emit(element, packet, now);
    return;
  }
  time_ps leaves_at = now + next_delay(jitter);
  if (!jitter->config.reorders) {
    leaves_at = MAX(leaves_at, jitter->last_leaves_at);
    jitter->last_leaves_at = leaves_at;
  }
  path_hold_add(&jitter->held, packet, leaves_at);
  path_hold_run(&jitter->held, element, now); /* it may be due at once, behind others that are */
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  return path_hold_deadline(&((const path_jitter *)element)->held, order);
}

static void run(path_element *element, time_ps now)
{
  path_hold_run(&((path_jitter *)element)->held, element, now);
}

static void free_jitter(path_element *element)
{
  path_jitter *jitter = (path_jitter *)element;

  path_hold_clear(&jitter->held);
  g_free(jitter->table);
  g_free(jitter);
}

static const path_element_class jitter_class = {
    .name = "jitter", .receive = receive, .deadline = deadline, .run = run, .free = free_jitter};

path_element *path_jitter_new(const path_jitter_config *config, random_stream *random)
{
  g_assert(config->delay_ps >= 0 && config->jitter_ps >= 0);
  path_jitter *jitter = g_new0(path_jitter, 1);
  jitter->element.class = &jitter_class;
  jitter->config = *config;
  path_correlation_init(&jitter->draws, random, config->correlation);
  if (config->reorder_random) {
    path_reorder_choice_init(&jitter->choice, &config->reorder, config->reorder_random);
  }
  path_hold_init(&jitter->held);
  return &jitter->element;
}
