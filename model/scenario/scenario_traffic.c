/* SPDX-License-Identifier: GPL-2.0-only */
/* The traffic classes of a scenario: the keys of `workload`, or the entries of `traffic`, of which those are
 * the defaults. */
#include <string.h>

#include "scenario/scenario_private.h"

scenario *scenario_of_class(const scenario *s, guint i)
{
  scenario *copy = scenario_copy(s);

  if (i < scenario_entries(s, SCENARIO_TRAFFIC)) {
    scenario_entry_apply(s, SCENARIO_TRAFFIC, i, copy);
  }
  return copy;
}

const scenario_entry *scenario_class_group(const scenario *s, guint i)
{
  const GPtrArray *entries = s->settings[SCENARIO_TRAFFIC].entries;

  return i < entries->len ? entries->pdata[i] : NULL;
}

void scenario_fill_classes(configuration *c, const scenario *s)
{
  const guint count = MIN(scenario_entries(s, SCENARIO_TRAFFIC), TRAFFIC_CLASSES_MAX);
  g_autofree traffic_class *classes = g_new(traffic_class, count);

  for (guint i = 0; i < count; i++) {
    const char *name = scenario_entry_setting(s, SCENARIO_TRAFFIC, i, SCENARIO_TRAFFIC_NAME)->value.text;
    g_autoptr(scenario) copy = scenario_of_class(s, i);
    configuration *of = scenario_members(copy);

    g_ptr_array_add(c->others, of);
    classes[i] = *of->classes;
    classes[i].name = configuration_keep(c, name, strlen(name) + 1);
    classes[i].pattern.name = classes[i].name;
  }
  if (count > 0) {
    configuration_set_classes(c, classes, count);
  }
  for (guint i = 0; i < c->class_count; i++) {
    traffic_class *of = &c->classes[i];
    if (of->pattern.pattern == TRAFFIC_FLOWS) { /* the list has these, whatever the keys of workload are */
      of->sizes_path = "";
      of->workload.message_sizes = (number_list){NULL, 0};
      of->workload.both = c->graph.kind == GRAPH_PATH; /* either host may send */
      of->arrivals = ARRIVALS_POSTED;
    }
    configuration_load_sizes(c, &c->classes[i], NULL); /* scenario_check_traffic() finds out why not */
  }
}
