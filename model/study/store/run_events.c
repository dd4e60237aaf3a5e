/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/run_events.h"

#include <string.h>

/* Keys of path.forward, for those of path.reverse as well. */
static const struct {
  scenario_key key;
  metric_id counted_by;
} asking[] = {{SCENARIO_PATH_FORWARD_LOSS, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_LOSS_EVERY, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_GEMODEL, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_STATE, METRIC_LOSSES_RANDOM},
              {SCENARIO_PATH_FORWARD_CORRUPT, METRIC_PATH_PACKETS_DAMAGED},
              {SCENARIO_PATH_FORWARD_DUPLICATE, METRIC_PATH_PACKETS_DUPLICATED},
              {SCENARIO_PATH_FORWARD_ECN_MARK, METRIC_PATH_PACKETS_MARKED},
              {SCENARIO_PATH_FORWARD_ECN_EVERY, METRIC_PATH_PACKETS_MARKED},
              {SCENARIO_PATH_FORWARD_DISPLACE, METRIC_PATH_PACKETS_DISPLACED},
              {SCENARIO_PATH_FORWARD_REORDER, METRIC_PATH_SEGMENTS_REORDERED},
              {SCENARIO_PATH_FORWARD_JITTER_REORDERS, METRIC_PATH_SEGMENTS_REORDERED}};

#define HAS_BIT(id) (METRIC_##id > METRIC_LOSSES_RANDOM && METRIC_##id < METRIC_PATH_SEGMENTS_REORDERED)
G_STATIC_ASSERT(HAS_BIT(PATH_PACKETS_DAMAGED) && HAS_BIT(PATH_PACKETS_DUPLICATED) &&
                HAS_BIT(PATH_PACKETS_MARKED) && HAS_BIT(PATH_PACKETS_DISPLACED) &&
                METRIC_PATH_SEGMENTS_REORDERED - METRIC_LOSSES_RANDOM < 32);

guint32 run_events_asked(const char *const *keys)
{
  const char *operations = keys[SCENARIO_WORKLOAD_OPERATION];
  const gboolean is_pulled = strstr(operations, "write") == NULL && strstr(operations, "send") == NULL;
  guint32 asked = *keys[SCENARIO_TOPOLOGY_ERRORS] != '\0'; /* which lose at random */
  for (gsize i = 0; i < G_N_ELEMENTS(asking) * SIDES; i++) {
    const gsize at = i / SIDES;
    const char *text = keys[scenario_key_of_direction(asking[at].key, (enum side)(i % SIDES))];
    /* Acknowledgements out of order are not counted. */
    const gboolean is_counted =
        asking[at].counted_by != METRIC_PATH_SEGMENTS_REORDERED || (i % SIDES == SIDE_RESPONDER) == is_pulled;
    const gboolean is_on =
        is_counted && *text != '\0' && strcmp(text, scenario_key_row_of(asking[at].key)->fallback) != 0;
    asked |= (guint32)is_on << (asking[at].counted_by - METRIC_LOSSES_RANDOM);
  }
  return asked;
}

double run_events_in(guint32 asked, const metric_values *metrics)
{
  double events = 0;
  for (metric_id id = METRIC_LOSSES_RANDOM; id <= METRIC_PATH_SEGMENTS_REORDERED; id++) {
    events +=
        (asked >> (id - METRIC_LOSSES_RANDOM) & 1) != 0 && metrics->present[id] ? metrics->value[id] : 0;
  }
  return events;
}
