/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with the traffic classes of a scenario, each at the line of its group. */
#include "base/error.h"
#include "scenario/scenario_finding.h"
#include "scenario/scenario_offered.h"

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

/* Two keys that stand for each other may be given when --set replaces a file's. */
static gboolean check_one_of(const checking *on, scenario_key key, scenario_key other)
{
  const char *origins[] = {scenario_origin(on->s, key), scenario_origin(on->s, other)};

  return origins[0] == NULL || origins[1] == NULL ||
         g_str_has_prefix(origins[0], "--set") != g_str_has_prefix(origins[1], "--set") ||
         finding_error(on, KEYS(key), "%s and %s are both given; expected one of them", name_of(key),
                       name_of(other));
}

/* What reads its sizes from a file. */
static gboolean check_sizes(const checking *on, const traffic_class *of)
{
  const ulp_mix_needs needs = ulp_mix_needs_of(&of->workload.mix);

  if (*of->sizes_path == '\0') {
    return TRUE;
  }
  if (of->sizes == NULL) { /* the error has the file's own name and line */
    g_autoptr(size_distribution) again = size_distribution_load(of->sizes_path, of->size_steps, on->error);
    return again != NULL;
  }
  return check_one_of(on, SCENARIO_WORKLOAD_SIZES, SCENARIO_WORKLOAD_MESSAGE_SIZES) &&
         (size_distribution_smallest(of->sizes) > 0 || !(needs.reads[false] || needs.reads[true]) ||
          finding_error(on, KEYS(SCENARIO_WORKLOAD_SIZES, SCENARIO_WORKLOAD_OPERATION),
                        "workload.sizes: %s has messages of 0 octets, and a Read of them fetches none; "
                        "expected at least 1",
                        of->sizes_path));
}

/* A flow list has everything about its messages. */
static gboolean check_flows(const checking *on, const traffic_class *of)
{
  static const scenario_key others[] = {SCENARIO_WORKLOAD_ARRIVALS, SCENARIO_WORKLOAD_MESSAGES,
                                        SCENARIO_WORKLOAD_MESSAGE_SIZES, SCENARIO_WORKLOAD_SIZES,
                                        SCENARIO_WORKLOAD_DIRECTIONS};
  gboolean good = *of->flows_path != '\0' ||
                  finding_error(on, KEYS(SCENARIO_WORKLOAD_PATTERN),
                                "workload.pattern = flows has no list; expected workload.flows, a file");

  for (gsize i = 0; good && i < G_N_ELEMENTS(others); i++) {
    const gboolean is_given = on->group != NULL ? scenario_entry_find(on->group, others[i]) != NULL
                                                : scenario_given(on->s, others[i]);
    good = !is_given ||
           finding_error(on, KEYS(others[i]),
                         "%s is given, and workload.pattern = flows: the list has it for each message; "
                         "expected one of the two",
                         name_of(others[i]));
  }
  return good;
}

static gboolean check_arrivals(const checking *on, const traffic_class *of)
{
  const bool has_end = of->until_ps > 0 || of->messages_given;

  if (of->arrivals == ARRIVALS_POSTED) {
    return of->until_ps == 0 || of->messages_given || of->workload.outstanding > 0 ||
           finding_error(
               on, KEYS(SCENARIO_WORKLOAD_UNTIL, SCENARIO_WORKLOAD_OUTSTANDING),
               "workload.until ends no messages that are all posted at once; expected workload.arrivals, "
               "workload.outstanding or workload.messages");
  }
  return (has_end ||
          finding_error(on, KEYS(SCENARIO_WORKLOAD_ARRIVALS),
                        "workload.arrivals = %s has no end; expected workload.until or workload.messages",
                        scenario_value_text(on->s, SCENARIO_WORKLOAD_ARRIVALS))) &&
         check_one_of(on, SCENARIO_WORKLOAD_INTERVAL, SCENARIO_WORKLOAD_LOAD) &&
         (of->interval_ps > 0 || of->load > 0 ||
          finding_error(on, KEYS(SCENARIO_WORKLOAD_LOAD, SCENARIO_WORKLOAD_ARRIVALS),
                        "workload.load = 0: no message ever arrives; expected more, or workload.interval")) &&
         (of->interval_ps > 0 || traffic_class_mean_octets(of) > 0 ||
          finding_error(on, KEYS(SCENARIO_WORKLOAD_LOAD, SCENARIO_WORKLOAD_MESSAGE_SIZE),
                        "workload.load of messages without payload has no rate; expected workload.interval"));
}

/* The error of a flow list has the list's own name and line. */
static gboolean check_list(const checking *on)
{
  const configuration_of_graph *of = &on->c->of_graph;
  const bool is_of_list = of->problem != NULL && of->key == SCENARIO_WORKLOAD_PATTERN &&
                          g_str_has_prefix(of->problem, on->c->classes[of->entry].flows_path) &&
                          on->c->classes[of->entry].pattern.pattern == TRAFFIC_FLOWS;

  return !is_of_list || error_set(on->error, "%s", of->problem);
}

gboolean scenario_check_traffic(const checking *on)
{
  const guint entries = scenario_entries(on->s, SCENARIO_TRAFFIC);
  gboolean good = entries <= TRAFFIC_CLASSES_MAX ||
                  finding_error(on, KEYS(SCENARIO_TRAFFIC), "traffic has %u groups; expected at most %d",
                                entries, TRAFFIC_CLASSES_MAX);

  for (guint i = 0; good && i < on->c->class_count; i++) {
    g_autoptr(scenario) copy = scenario_of_class(on->s, i);
    const checking of = {.s = copy, .c = on->c, .error = on->error, .group = scenario_class_group(on->s, i)};
    const scenario_setting *name = of.group ? scenario_entry_find(of.group, SCENARIO_TRAFFIC_NAME) : NULL;
    const scenario_setting *paths = of.group ? scenario_entry_find(of.group, SCENARIO_WORKLOAD_PATHS) : NULL;

    good = (name == NULL || strcmp(name->value.text, "all") != 0 ||
            scenario_problem(
                on->error, name->origin,
                "traffic: name = \"all\" is what tables call all classes together; expected another one")) &&
           (paths == NULL || scenario_problem(on->error, paths->origin,
                                              "traffic: paths are those of all connections; expected "
                                              "workload.paths")) &&
           (on->c->classes[i].pattern.pattern == TRAFFIC_FLOWS
                ? check_flows(&of, &on->c->classes[i])
                : check_arrivals(&of, &on->c->classes[i]) && check_sizes(&of, &on->c->classes[i]));
  }
  return good && check_list(on) && check_connections(on);
}

/* --- Notes --- */

/* Of the rate of a link; from here on what arrives waits ever longer. */
#define LOAD_HIGH 0.95

void scenario_note_traffic(const checking *on)
{
  const configuration *c = on->c;
  bool any = false;

  for (uint32_t i = 0; i < c->class_count; i++) {
    any = any || c->classes[i].workload.open_loop;
  }
  if (!any) {
    return;
  }
  uint32_t count, worst_at = 0;
  g_autofree offered_load *loads = scenario_offered(c, &count);
  for (uint32_t i = 1; i < count; i++) {
    worst_at = loads[i].wire > loads[worst_at].wire ? i : worst_at;
  }
  const offered_load *worst = &loads[worst_at];
  const bool is_of_group = scenario_entries(on->s, SCENARIO_TRAFFIC) > 0;
  g_autofree char *link = scenario_offered_name(c, worst_at);
  note_if(on, worst->wire >= LOAD_HIGH, is_of_group ? SCENARIO_TRAFFIC : SCENARIO_WORKLOAD_LOAD,
          "what arrives is %.3g %% of %s with headers and framing, %.3g %% of payload: %s", 100 * worst->wire,
          link, 100 * worst->payload,
          worst->wire > 1 ? "it is more than that carries, and waits ever longer" : "it waits long");
}
