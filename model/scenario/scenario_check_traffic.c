/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with the traffic classes of a scenario, each at the line of its entry. */
#include "network/graph.h"
#include "scenario/scenario_finding.h"

/* The connections of a pair of hosts are at ports of their own (traffic_ports()). */
static gboolean check_connections(const checking *on)
{
  const configuration *c = on->c;
  uint64_t count = 0;

  for (uint32_t i = 0; c->graph.kind == GRAPH_PATH && i < c->class_count; i++) {
    count += c->classes[i].connections_per_pair;
  }
  return count <= TRAFFIC_PAIR_CONNECTIONS_MAX ||
         finding_error(on, KEYS(SCENARIO_TRAFFIC, SCENARIO_WORKLOAD_CONNECTIONS),
                       "%" G_GUINT64_FORMAT " connections of two hosts; expected at most %d", count,
                       TRAFFIC_PAIR_CONNECTIONS_MAX);
}

gboolean scenario_check_traffic(const checking *on)
{
  const guint entries = scenario_entries(on->s, SCENARIO_TRAFFIC);
  gboolean good = entries <= TRAFFIC_CLASSES_MAX ||
                  finding_error(on, KEYS(SCENARIO_TRAFFIC), "traffic has %u groups; expected at most %d",
                                entries, TRAFFIC_CLASSES_MAX);

  for (guint i = 0; good && i < entries; i++) {
    const scenario_setting *paths =
        scenario_entry_setting(on->s, SCENARIO_TRAFFIC, i, SCENARIO_WORKLOAD_PATHS);
    good = paths == NULL || scenario_problem(on->error, paths->origin,
                                             "traffic: paths are those of all connections; expected "
                                             "workload.paths");
  }
  return good && check_connections(on);
}
