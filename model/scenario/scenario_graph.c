/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a scenario is complete once its graph is: what its keys, and its lists `links` and
 * `hosts`, make of that. */
#include <string.h>

#include "base/error.h"
#include "base/numbers.h"
#include "scenario/scenario_flows.h"
#include "scenario/scenario_private.h"
#include "scenario/scenario_problem.h"

/* The value of `key`, or what entry `entry` of the list `key` has, cannot be; takes `error`. */
static void note_problem(configuration *c, scenario_key key, gsize entry, GError *error)
{
  g_assert(error != NULL);
  c->of_graph =
      (configuration_of_graph){.problem = g_strdup(error->message), .key = (int)key, .entry = (guint)entry};
  g_ptr_array_add(c->memory, c->of_graph.problem);
  g_error_free(error);
}

/* Returns a copy of `s` with the keys of entry `i` of `links`, of links between switches as well. */
static scenario *scenario_of_links(const scenario *s, guint i)
{
  scenario *copy = scenario_copy(s);

  scenario_entry_apply(s, SCENARIO_LINKS, i, copy);
  for (scenario_key key = SCENARIO_LINK_RATE; key < SCENARIO_TRUNK_RATE; key++) {
    if (scenario_entry_setting(s, SCENARIO_LINKS, i, key) != NULL) {
      scenario_set_key(copy, key + (SCENARIO_TRUNK_RATE - SCENARIO_LINK_RATE), scenario_value_text(copy, key),
                       "links", NULL);
    }
  }
  return copy;
}

/* Puts the entries of `links` into the graph's configuration. FALSE: one is wrong. */
static gboolean fill_links(configuration *c, const scenario *s)
{
  const guint count = scenario_entries(s, SCENARIO_LINKS);
  g_autofree graph_entry *entries = g_new0(graph_entry, count);

  if (count > GRAPH_LINKS_MAX) {
    note_problem(c, SCENARIO_LINKS, GRAPH_LINKS_MAX,
                 g_error_new(IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED, "%u entries; expected at most %d", count,
                             GRAPH_LINKS_MAX));
    return FALSE;
  }
  for (guint i = 0; i < count; i++) {
    const char *between = scenario_entry_setting(s, SCENARIO_LINKS, i, SCENARIO_LINKS_BETWEEN)->value.text;
    g_auto(GStrv) sets = g_strsplit(between, " ", -1);
    g_autoptr(scenario) copy = scenario_of_links(s, i);
    const configuration *of = scenario_members(copy);

    g_ptr_array_add(c->others, (gpointer)of);
    if (g_strv_length(sets) != 2) {
      g_autofree char *shown = scenario_shown(between);
      note_problem(c, SCENARIO_LINKS, i,
                   g_error_new(IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED,
                               "between = \"%s\" is not two sets; expected such as \"h[0-3] s0\"", shown));
      return FALSE;
    }
    const char *name = scenario_entry_setting(s, SCENARIO_LINKS, i, SCENARIO_LINKS_NAME)->value.text;
    const bool has_count = scenario_entry_setting(s, SCENARIO_LINKS, i, SCENARIO_LINKS_COUNT)->origin != NULL;
    const guint64 parallel = scenario_entry_setting(s, SCENARIO_LINKS, i, SCENARIO_LINKS_COUNT)->value.number;
    entries[i] = (graph_entry){
        .name = *name != '\0' ? configuration_keep(c, name, strlen(name) + 1) : NULL,
        .between = {configuration_keep(c, sets[0], strlen(sets[0]) + 1),
                    configuration_keep(c, sets[1], strlen(sets[1]) + 1)},
        .count = has_count && parallel > 1 ? (uint32_t)parallel : 0,
        .link = &of->link,
        .trunk = &of->trunk,
        .starts_down = scenario_entry_setting(s, SCENARIO_LINKS, i, SCENARIO_LINKS_UP)->value.number == 0,
    };
  }
  c->graph.link = &c->link;
  c->graph.trunk = &c->trunk;
  c->graph.entry_count = count;
  c->graph.entries = configuration_keep(c, entries, count * sizeof *entries);
  return TRUE;
}

/* Puts the events on links into the graph's configuration. FALSE: a name is none of `links`. */
static gboolean fill_link_changes(configuration *c, const scenario *s)
{
  g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(graph_change));

  for (guint i = 0; i < scenario_entries(s, SCENARIO_EVENT); i++) {
    const scenario_value *key = &scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_KEY)->value;
    g_autofree char *problem = NULL;
    scenario_place place;

    if (key->number != SCENARIO_LINKS_UP) {
      continue; /* a path's, which check_event() refuses */
    }
    if (!scenario_settings_find(s, key->text, &place, &problem)) {
      note_problem(c, SCENARIO_EVENT, i,
                   g_error_new(IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED, "%s: %s", key->text, problem));
      return FALSE;
    }
    const graph_change change = {
        .at = (time_ps)scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_AT)->value.number,
        .entry = place.entry,
        .is_up = scenario_entry_setting(s, SCENARIO_EVENT, i, SCENARIO_EVENT_VALUE)->value.number != 0};
    g_array_append_val(changes, change);
  }
  c->graph.change_count = changes->len;
  c->graph.changes = configuration_keep(c, changes->data, changes->len * sizeof(graph_change));
  return TRUE;
}

/* The base round trip of a graph is the longest of all pairs of hosts that talk, and its rate the smallest on
 * their routes. A chain of two links has both: the first is a host's own. */
static void fill_path(configuration *c, const graph *network, const GArray *pairs)
{
  graph_routes *routes = graph_routes_new(network, &c->routing);
  path_direction_config chain = *network->links[graph_link_at(network, 0, 0)].config;
  graph_pair longest = {.links = 0, .rate_bit_per_s = UINT64_MAX};
  host_pair last = {{0, 0}};

  for (guint i = 0; i < pairs->len; i++) {
    const host_pair pair = g_array_index(pairs, host_pair, i);
    if (memcmp(&pair, &last, sizeof pair) == 0) {
      continue;
    }
    const uint32_t mtu = network->links[graph_link_at(network, pair.hosts[0], 0)].config->link.mtu_octets;
    const graph_pair of = graph_routes_pair(routes, pair.hosts[0], pair.hosts[1], mtu);
    /* A pair without a way has none; check_ways() reports it. */
    const uint64_t rate = MIN(longest.rate_bit_per_s, of.links > 0 ? of.rate_bit_per_s : UINT64_MAX);
    const uint128 product =
        (uint128)of.rate_bit_per_s * 2 * (uint64_t)of.largest_delay_ps / TIME_PS_PER_SECOND / 8;

    c->of_graph.product_octets = MAX(c->of_graph.product_octets, (uint64_t)product);
    if (of.largest_delay_ps > longest.largest_delay_ps) {
      longest = of;
      chain = *network->links[graph_link_at(network, pair.hosts[0], 0)].config;
    }
    longest.rate_bit_per_s = rate;
    last = pair;
  }
  graph_routes_free(routes);
  if (longest.links > 1) {
    const path_link_config first = path_link_at(&chain, 0);
    const path_link_config rest = {.framing_octets = first.framing_octets,
                                   .cell_octets = first.cell_octets,
                                   .cell_overhead_octets = first.cell_overhead_octets,
                                   .rate_bit_per_s = longest.rate_bit_per_s};
    const uint32_t mtu = first.mtu_octets;
    const time_ps spent = first.delay_ps +
                          time_ps_to_send(path_link_octets(&first, mtu), first.rate_bit_per_s) +
                          time_ps_to_send(path_link_octets(&rest, mtu), rest.rate_bit_per_s);
    const uint64_t delay = (uint64_t)MAX(longest.largest_delay_ps - spent, 0);
    chain.hop_rates_bit_per_s =
        (number_list){configuration_keep(c, &rest.rate_bit_per_s, sizeof(uint64_t)), 1};
    chain.hop_delays_ps = (number_list){configuration_keep(c, &delay, sizeof delay), 1};
  }
  c->path.directions[SIDE_INITIATOR] = c->path.directions[SIDE_RESPONDER] = chain;
}

GPtrArray *scenario_entries_of_nodes(const scenario *s, scenario_key list, const graph *network, guint *wrong,
                                     GError **error)
{
  const bool is_of_hosts = list == SCENARIO_HOSTS;
  const uint32_t first = is_of_hosts ? 0 : network->host_count;
  const uint32_t end = is_of_hosts ? network->host_count : network->node_count;
  g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);

  *wrong = GRAPH_HOSTS_MAX;
  if (scenario_entries(s, list) > GRAPH_HOSTS_MAX) {
    error_set(error, "%u entries; expected at most %d", scenario_entries(s, list), GRAPH_HOSTS_MAX);
    return NULL;
  }
  for (uint32_t node = first; node < end; node++) {
    g_ptr_array_add(entries, g_array_new(FALSE, FALSE, sizeof(guint)));
  }
  for (guint i = 0; i < scenario_entries(s, list); i++) {
    const scenario_key at = is_of_hosts ? SCENARIO_HOSTS_AT : SCENARIO_SWITCHES_AT;
    const char *set = scenario_entry_setting(s, list, i, at)->value.text;
    g_autoptr(GArray) members =
        graph_members(network, set, is_of_hosts ? GRAPH_HOSTS : GRAPH_SWITCHES, error);

    *wrong = i;
    if (members == NULL) {
      return NULL;
    }
    for (guint m = 0; m < members->len; m++) {
      g_array_append_val(entries->pdata[g_array_index(members, uint32_t, m) - first], i);
    }
  }
  return g_steal_pointer(&entries);
}

guint scenario_first_alike(const GPtrArray *entries, const uint32_t *mtus, guint node)
{
  const GArray *own = entries->pdata[node], *other = entries->pdata[0];
  guint i = 0;

  while (own->len != other->len ||
         (own->len > 0 && memcmp(own->data, other->data, own->len * sizeof(guint)) != 0) ||
         (mtus != NULL && mtus[i] != mtus[node])) {
    other = entries->pdata[++i];
  }
  return i;
}

scenario *scenario_of_entries(const scenario *s, scenario_key list, const GArray *matching)
{
  scenario *copy = scenario_copy(s);

  for (guint i = 0; i < matching->len; i++) {
    scenario_entry_apply(s, list, g_array_index(matching, guint, i), copy);
  }
  return copy;
}

configuration *scenario_members_of_host(const scenario *s, const configuration *c, guint32 mtu_octets)
{
  configuration *of = scenario_members(s);

  configuration_set_classes(of, c->classes, c->class_count);
  of->of_graph.pairs = c->of_graph.pairs;
  of->of_graph.hosts = c->of_graph.hosts;
  of->of_graph.host_count = c->of_graph.host_count;
  of->of_graph.rates_bit_per_s = c->of_graph.rates_bit_per_s;
  of->fault = c->fault;
  memcpy(of->path.directions, c->path.directions, sizeof of->path.directions);
  for (enum side side = 0; side < SIDES; side++) {
    of->path.directions[side].link.mtu_octets = mtu_octets;
  }
  configuration_resolve(of);
  return of;
}

/* Returns the configuration of a host to which the entries of `hosts` in `matching` apply: on the network of
 * `c`, by a link with that MTU, of which its MSS is (RFC 9293 section 3.7.1). */
static const configuration *configuration_of_host(configuration *c, const scenario *s, const GArray *matching,
                                                  uint32_t mtu_octets)
{
  g_autoptr(scenario) copy = scenario_of_entries(s, SCENARIO_HOSTS, matching);
  configuration *of = scenario_members_of_host(copy, c, mtu_octets);

  g_ptr_array_add(c->others, of);
  for (uint32_t i = 0; i < c->class_count; i++) {
    uint64_t *octets = &c->classes[i].workload.in_flight_octets;
    *octets = MAX(*octets, of->classes[i].workload.in_flight_octets);
  }
  return of;
}

/* Makes what each host has: hosts with the same entries and MTU share it. FALSE: a set is wrong. */
static gboolean fill_hosts(configuration *c, const scenario *s, const graph *network)
{
  const uint32_t count = network->host_count;
  guint wrong = 0;
  GError *error = NULL;
  g_autoptr(GPtrArray) entries = scenario_entries_of_nodes(s, SCENARIO_HOSTS, network, &wrong, &error);
  g_autofree const configuration **hosts = g_new(const configuration *, count);
  g_autofree uint32_t *mtus = g_new(uint32_t, count);
  g_autofree uint64_t *rates = g_new(uint64_t, count);

  if (entries == NULL) {
    note_problem(c, SCENARIO_HOSTS, wrong, error);
    return FALSE;
  }
  for (uint32_t host = 0; host < count; host++) {
    const GArray *matching = entries->pdata[host];
    const path_link_config *link = &network->links[graph_link_at(network, host, 0)].config->link;
    mtus[host] = link->mtu_octets;
    rates[host] = link->rate_bit_per_s;
    const guint alike = scenario_first_alike(entries, mtus, host);
    const bool is_usual =
        matching->len == 0 && mtus[host] == c->path.directions[SIDE_INITIATOR].link.mtu_octets;

    hosts[host] = alike < host ? hosts[alike]
                  : is_usual   ? c
                               : configuration_of_host(c, s, matching, mtus[host]);
  }
  c->of_graph.hosts = configuration_keep(c, hosts, count * sizeof *hosts);
  c->of_graph.rates_bit_per_s = configuration_keep(c, rates, count * sizeof *rates);
  c->of_graph.host_count = count;
  return TRUE;
}

/* Makes what each switch has. FALSE: a set is wrong. */
static gboolean fill_switches(configuration *c, const scenario *s, const graph *network)
{
  guint wrong = 0;
  GError *error = NULL;
  g_autoptr(GPtrArray) entries = scenario_entries_of_nodes(s, SCENARIO_SWITCHES, network, &wrong, &error);

  if (entries == NULL) {
    note_problem(c, SCENARIO_SWITCHES, wrong, error);
    return FALSE;
  }
  g_autofree network_switch_config *switches = g_new(network_switch_config, entries->len);
  for (guint i = 0; i < entries->len; i++) {
    const guint alike = scenario_first_alike(entries, NULL, i);
    if (alike < i) {
      switches[i] = switches[alike];
      continue;
    }
    g_autoptr(scenario) copy = scenario_of_entries(s, SCENARIO_SWITCHES, entries->pdata[i]);
    configuration *of = scenario_members(copy);
    switches[i] = of->switches;
    switches[i].alpha_numerator = of->switch_alpha >> 16;
    switches[i].alpha_denominator = of->switch_alpha & UINT16_MAX;
    configuration_unref(of);
  }
  c->of_graph.switches = configuration_keep(c, switches, entries->len * sizeof *switches);
  c->routing.switches = c->of_graph.switches;
  c->routing.seed = c->run.seed;
  return TRUE;
}

/* The host to which payload comes by most connections: the first of several, but of those of the first
 * connection, if it goes to both, the Responder. */
static uint32_t busiest_sink(const configuration *c, uint32_t host_count)
{
  g_autofree uint32_t *sinks = g_new0(uint32_t, host_count);
  uint32_t most = 0;

  g_assert(c->of_graph.pairs);
  for (enum side side = 0; side < SIDES; side++) {
    most = side != c->measured && traffic_class_payload_share(c->classes, side_peer(side)) > 0
               ? c->of_graph.pairs[0].hosts[c->measured]
               : most;
    for (uint32_t i = 0; i < c->connections.count; i++) {
      const traffic_class *of = configuration_class_of(c, i);
      sinks[c->of_graph.pairs[i].hosts[side]] += traffic_class_payload_share(of, side_peer(side)) > 0;
    }
  }
  for (uint32_t host = 0; host < host_count; host++) {
    most = sinks[host] > sinks[most] ? host : most;
  }
  return most;
}

enum { NAMED_HOSTS_MAX = 64 }; /* each may have two files open */

/* Returns the hosts of the set `text`, the value of `key`, at most so many; NULL: it is wrong, or "". */
static GArray *hosts_of(configuration *c, const graph *network, scenario_key key, const char *text,
                        guint most)
{
  GError *error = NULL;
  g_autoptr(GArray) hosts = *text != '\0' ? graph_members(network, text, GRAPH_HOSTS, &error) : NULL;

  if (hosts != NULL && hosts->len > most) {
    g_set_error(&error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED, "it is %u hosts; expected %s", hosts->len,
                most == 1 ? "one" : "at most 64");
  }
  if (error != NULL) {
    note_problem(c, key, 0, error);
  }
  return error != NULL ? NULL : g_steal_pointer(&hosts);
}

/* Finds the connection with the fault: the first whose end of fault.side is at fault.host. */
static void fill_fault(configuration *c, const graph *network)
{
  g_autoptr(GArray) host = hosts_of(c, network, SCENARIO_FAULT_HOST, c->fault.host, 1);
  const host_pair *pairs = c->of_graph.pairs;

  while (host != NULL && c->fault.connection < c->connections.count &&
         pairs[c->fault.connection].hosts[c->fault.side] != g_array_index(host, uint32_t, 0)) {
    c->fault.connection++;
  }
  if (c->fault.connection == c->connections.count) {
    note_problem(c, SCENARIO_FAULT_HOST, 0,
                 g_error_new(IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED,
                             "%s is the %s of no connection; expected one that is", c->fault.host,
                             side_name(c->fault.side)));
  }
}

/* Finds the hosts of measure.host and measure.hosts. */
static void fill_measured(configuration *c, const graph *network)
{
  const char *measured = strcmp(c->measure.host, "auto") == 0 ? "" : c->measure.host;
  g_autoptr(GArray) host = hosts_of(c, network, SCENARIO_MEASURE_HOST, measured, 1);
  g_autoptr(GArray) named = hosts_of(c, network, SCENARIO_MEASURE_HOSTS, c->measure.hosts, NAMED_HOSTS_MAX);

  if (c->of_graph.problem != NULL) {
    return;
  }
  c->of_graph.measured = host == NULL ? network->host_count : g_array_index(host, uint32_t, 0);
  c->of_graph.sink = host == NULL ? busiest_sink(c, network->host_count) : c->of_graph.measured;
  c->of_graph.named =
      named != NULL ? configuration_keep(c, named->data, named->len * sizeof(uint32_t)) : NULL;
  c->of_graph.named_count = named != NULL ? named->len : 0;
}

/* Finds the hosts of middlebox.at. */
static void fill_boxes(configuration *c, const graph *network)
{
  g_autoptr(GArray) hosts = hosts_of(c, network, SCENARIO_MIDDLEBOX_AT, c->boxes_at, GRAPH_HOSTS_MAX);

  if (hosts == NULL || c->path.middleboxes.mode.values[0] == PATH_MIDDLEBOX_NONE) {
    return;
  }
  c->of_graph.boxed = configuration_keep(c, hosts->data, hosts->len * sizeof(uint32_t));
  c->of_graph.boxed_count = hosts->len;
  c->of_graph.boxed_mtu_octets = UINT32_MAX;
  for (guint i = 0; i < hosts->len; i++) {
    const graph_link *link = &network->links[graph_link_at(network, c->of_graph.boxed[i], 0)];
    c->of_graph.boxed_mtu_octets = MIN(c->of_graph.boxed_mtu_octets, link->config->link.mtu_octets);
  }
}

/* Counts `pairs` in `counts`, by their hosts. Returns how many connections of two hosts there are at most. */
static guint count_pairs(GHashTable *counts, const GArray *pairs)
{
  guint most = 0;

  for (guint i = 0; i < pairs->len; i++) {
    const uint32_t *hosts = g_array_index(pairs, host_pair, i).hosts;
    const gpointer key = GUINT_TO_POINTER(hosts[0] * GRAPH_HOSTS_MAX + hosts[1]);
    const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1;
    g_hash_table_insert(counts, key, GUINT_TO_POINTER(count));
    most = MAX(most, count);
  }
  return most;
}

/* Returns the hosts (host_pair) of the connections of class number `i`, and of those that share its flow
 * list. NULL: they cannot be as its keys have it. */
static GArray *pairs_of_class(configuration *c, uint32_t i, const graph *network)
{
  static const scenario_key keys[] = {[TRAFFIC_PATTERN] = SCENARIO_WORKLOAD_PATTERN,
                                      [TRAFFIC_FROM] = SCENARIO_WORKLOAD_FROM,
                                      [TRAFFIC_TO] = SCENARIO_WORKLOAD_TO,
                                      [TRAFFIC_FAN_IN] = SCENARIO_WORKLOAD_FAN_IN};
  traffic_class *of = &c->classes[i];
  traffic_part part = TRAFFIC_PATTERN;
  GArray *pairs = NULL;
  GError *error = NULL;

  of->pattern.draws_messages = of->arrivals != ARRIVALS_POSTED;
  if (of->pattern.pattern == TRAFFIC_FLOWS) {
    pairs = g_array_new(FALSE, FALSE, sizeof(host_pair));
    if (!scenario_flows_fill(c, i, network, pairs, &error)) {
      g_clear_pointer(&pairs, g_array_unref);
    }
  } else {
    pairs = traffic_pairs(&of->pattern, network, of->connections_per_pair, c->run.seed, &part, &error);
    of->connection_count = pairs != NULL ? pairs->len : 0;
  }
  if (pairs == NULL) {
    note_problem(c, keys[part], i, error);
  }
  return pairs;
}

/* Makes the connections of all classes, and returns their hosts (host_pair). NULL: those of a class cannot be
 * as its keys have it. */
static GArray *fill_pairs(configuration *c, const graph *network)
{
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(host_pair));
  g_autoptr(GHashTable) counts = g_hash_table_new(NULL, NULL); /* of pairs */

  for (uint32_t i = 0; i < c->class_count; i += MAX(c->classes[i].flows_class_count, 1)) {
    g_autoptr(GArray) pairs = pairs_of_class(c, i, network);

    if (pairs == NULL) {
      return NULL;
    }
    g_array_append_vals(all, pairs->data, pairs->len);
    const guint of_two = count_pairs(counts, pairs);
    if (all->len > TRAFFIC_CONNECTIONS_MAX || of_two > TRAFFIC_PAIR_CONNECTIONS_MAX) {
      note_problem(c, SCENARIO_WORKLOAD_PATTERN, i,
                   g_error_new(IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED,
                               "with those of the groups before %u connections, up to %u of two hosts; "
                               "expected at most %d, and %d of two hosts",
                               all->len, of_two, TRAFFIC_CONNECTIONS_MAX, TRAFFIC_PAIR_CONNECTIONS_MAX));
      return NULL;
    }
  }
  c->of_graph.pairs = configuration_keep(c, all->data, all->len * sizeof(host_pair));
  return g_steal_pointer(&all);
}

static void resolve_graph(configuration *c, const scenario *s)
{
  GError *error = NULL;
  gsize entry = SIZE_MAX;

  c->path.directions[SIDE_INITIATOR] = c->path.directions[SIDE_RESPONDER] = c->link;
  g_autoptr(graph) network =
      fill_links(c, s) && fill_link_changes(c, s) ? graph_new(&c->graph, &entry, &error) : NULL;
  if (network == NULL || !fill_switches(c, s, network)) {
    if (error != NULL) {
      note_problem(c, entry != SIZE_MAX ? SCENARIO_LINKS : SCENARIO_TOPOLOGY_KIND, entry, error);
    }
    configuration_resolve(c);
    return;
  }
  g_autoptr(GArray) pairs = fill_pairs(c, network);
  if (pairs == NULL) {
    configuration_resolve(c);
    return;
  }
  fill_path(c, network, pairs);
  configuration_resolve(c);
  fill_fault(c, network);
  if (c->of_graph.problem == NULL && fill_hosts(c, s, network)) {
    fill_measured(c, network);
  }
  if (c->of_graph.problem == NULL) {
    fill_boxes(c, network);
  }
}

/* Finds what the flow lists of a path have. */
static void fill_path_flows(configuration *c)
{
  for (uint32_t i = 0; i < c->class_count; i += MAX(c->classes[i].flows_class_count, 1)) {
    g_autoptr(GArray) pairs = g_array_new(FALSE, FALSE, sizeof(host_pair));
    GError *error = NULL;

    if (c->classes[i].pattern.pattern == TRAFFIC_FLOWS && !scenario_flows_fill(c, i, NULL, pairs, &error)) {
      note_problem(c, SCENARIO_WORKLOAD_PATTERN, i, error);
      return;
    }
  }
}

const configuration *scenario_configuration(const scenario *s)
{
  if (*s->filled == NULL) {
    configuration *c = scenario_members(s);

    scenario_fill_classes(c, s);
    if (c->graph.kind == GRAPH_PATH) {
      fill_path_flows(c);
      configuration_resolve(c);
    } else {
      resolve_graph(c, s);
    }
    *s->filled = c;
  }
  return *s->filled;
}
