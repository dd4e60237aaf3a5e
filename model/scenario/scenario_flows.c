/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_flows.h"

#include <string.h>

#include "base/error.h"
#include "scenario/scenario_keys.h"

flow_list *scenario_flows_open(const traffic_class *first, const graph *network, GError **error)
{
  const flow_list_config config = {.path = first->flows_path,
                                   .network = network,
                                   .operations = scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION)->words,
                                   .classes = first->flows_classes,
                                   .until_ps = first->until_ps};

  return flow_list_open(&config, error);
}

/* Finds the classes that have the list of class number `first`. */
static void find_classes(configuration *c, uint32_t first)
{
  const char *names[TRAFFIC_CLASSES_MAX + 1];
  uint32_t end = first;

  while (end < c->class_count && c->classes[end].pattern.pattern == TRAFFIC_FLOWS &&
         strcmp(c->classes[end].flows_path, c->classes[first].flows_path) == 0) {
    names[end - first] = c->classes[end].name;
    end++;
  }
  names[end - first] = NULL;
  c->classes[first].flows_classes = configuration_keep(c, names, (end - first + 1) * sizeof *names);
  c->classes[first].flows_class_count = end - first;
}

/* Gives `of` what its messages come to. */
static void fill_messages(traffic_class *of, const flow_list_totals *totals)
{
  choice_list *mix = &of->workload.mix;

  mix->count = 0;
  for (unsigned operation = 0; operation < ULP_OPERATIONS; operation++) {
    if (totals->operations & 1U << operation) {
      mix->values[mix->count++] = (uint8_t)operation;
    }
  }
  of->message_octets = totals->largest_octets;
  of->workload.smallest_octets = totals->smallest_octets;
  of->flows_messages = totals->messages;
  of->flows_octets = totals->octets;
}

gboolean scenario_flows_fill(configuration *c, uint32_t first, const graph *network, GArray *pairs,
                             GError **error)
{
  find_classes(c, first);
  const uint32_t end = first + c->classes[first].flows_class_count;
  const uint32_t connections = c->classes[first].connections_per_pair;
  g_autoptr(flow_list) list = scenario_flows_open(&c->classes[first], network, error);

  if (!list) {
    return FALSE;
  }
  for (guint i = 0; i < flow_list_pairs(list)->len; i++) {
    const flow_pair *pair = &g_array_index(flow_list_pairs(list), flow_pair, i);

    c->classes[first + pair->class].connection_count += connections;
    for (uint32_t k = 0; k < connections; k++) {
      g_array_append_val(pairs, pair->hosts);
    }
  }
  for (uint32_t i = first; i < end; i++) {
    traffic_class *of = &c->classes[i];

    fill_messages(of, flow_list_totals_of(list, i - first));
    if (of->connection_count == 0) {
      return error_set(error, "%s: no line is of class %s; expected one", of->flows_path, of->name);
    }
    if (of->connections_per_pair != connections) {
      return error_set(error, "%s: classes %s and %s have other workload.connections; expected as many",
                       of->flows_path, c->classes[first].name, of->name);
    }
  }
  return TRUE;
}
