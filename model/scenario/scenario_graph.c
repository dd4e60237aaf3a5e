/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration of a scenario is complete once its graph is: what its keys, and its lists `links` and
 * `hosts`, make of that, and what is wrong there. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/numbers.h"
#include "scenario/scenario_finding.h"

/* --- The configuration of a graph --- */

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
    const uint64_t rate = MIN(longest.rate_bit_per_s, of.rate_bit_per_s);
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

/* Returns the entries (guint) of `list`, hosts or switches, that apply to each of the graph's, in their
 * order. NULL sets `*wrong` to the one whose set is wrong, and `error`. */
static GPtrArray *entries_of_nodes(const scenario *s, scenario_key list, const graph *network, guint *wrong,
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

/* Returns the first node to which the same entries apply as to `node`, and which has as large an MTU where
 * `mtus` has those of all (NULL: it does not matter). */
static guint first_alike(const GPtrArray *entries, const uint32_t *mtus, guint node)
{
  const GArray *own = entries->pdata[node], *other = entries->pdata[0];
  guint i = 0;

  while (own->len != other->len || memcmp(own->data, other->data, own->len * sizeof(guint)) != 0 ||
         (mtus != NULL && mtus[i] != mtus[node])) {
    other = entries->pdata[++i];
  }
  return i;
}

/* Returns the scenario of what the entries of `list` in `matching` (guint) describe: of several the last one
 * wins. */
static scenario *scenario_of_entries(const scenario *s, scenario_key list, const GArray *matching)
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

  of->connections.count = c->connections.count;
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
  c->workload.in_flight_octets = MAX(c->workload.in_flight_octets, of->workload.in_flight_octets);
  return of;
}

/* Makes what each host has: hosts with the same entries and MTU share it. FALSE: a set is wrong. */
static gboolean fill_hosts(configuration *c, const scenario *s, const graph *network)
{
  const uint32_t count = network->host_count;
  guint wrong = 0;
  GError *error = NULL;
  g_autoptr(GPtrArray) entries = entries_of_nodes(s, SCENARIO_HOSTS, network, &wrong, &error);
  g_autofree const configuration **hosts = g_new(const configuration *, count);
  g_autofree uint32_t *mtus = g_new(uint32_t, count);

  if (entries == NULL) {
    note_problem(c, SCENARIO_HOSTS, wrong, error);
    return FALSE;
  }
  for (uint32_t host = 0; host < count; host++) {
    const GArray *matching = entries->pdata[host];
    mtus[host] = network->links[graph_link_at(network, host, 0)].config->link.mtu_octets;
    const guint alike = first_alike(entries, mtus, host);
    const bool is_usual =
        matching->len == 0 && mtus[host] == c->path.directions[SIDE_INITIATOR].link.mtu_octets;

    hosts[host] = alike < host ? hosts[alike]
                  : is_usual   ? c
                               : configuration_of_host(c, s, matching, mtus[host]);
  }
  c->of_graph.hosts = configuration_keep(c, hosts, count * sizeof *hosts);
  c->of_graph.host_count = count;
  return TRUE;
}

/* Makes what each switch has. FALSE: a set is wrong. */
static gboolean fill_switches(configuration *c, const scenario *s, const graph *network)
{
  guint wrong = 0;
  GError *error = NULL;
  g_autoptr(GPtrArray) entries = entries_of_nodes(s, SCENARIO_SWITCHES, network, &wrong, &error);

  if (entries == NULL) {
    note_problem(c, SCENARIO_SWITCHES, wrong, error);
    return FALSE;
  }
  g_autofree network_switch_config *switches = g_new(network_switch_config, entries->len);
  for (guint i = 0; i < entries->len; i++) {
    const guint alike = first_alike(entries, NULL, i);
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
    const bool has_payload = configuration_payload_share(c, side_peer(side)) > 0;
    most = has_payload && side != c->measured ? c->of_graph.pairs[0].hosts[c->measured] : most;
    for (uint32_t i = 0; i < c->connections.count; i++) {
      sinks[c->of_graph.pairs[i].hosts[side]] += has_payload;
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
  static const scenario_key keys[] = {[TRAFFIC_PATTERN] = SCENARIO_WORKLOAD_PATTERN,
                                      [TRAFFIC_FROM] = SCENARIO_WORKLOAD_FROM,
                                      [TRAFFIC_TO] = SCENARIO_WORKLOAD_TO,
                                      [TRAFFIC_FAN_IN] = SCENARIO_WORKLOAD_FAN_IN};
  traffic_part part;
  g_autoptr(GArray) pairs =
      traffic_pairs(&c->traffic, network, c->connections.count, c->run.seed, &part, &error);
  if (pairs == NULL) {
    note_problem(c, keys[part], 0, error);
    configuration_resolve(c);
    return;
  }
  c->connections.count = pairs->len;
  c->of_graph.pairs = configuration_keep(c, pairs->data, pairs->len * sizeof(host_pair));
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

const configuration *scenario_configuration(const scenario *s)
{
  if (*s->filled == NULL) {
    configuration *c = scenario_members(s);

    if (c->graph.kind == GRAPH_PATH) {
      configuration_resolve(c);
    } else {
      resolve_graph(c, s);
    }
    *s->filled = c;
  }
  return *s->filled;
}

/* --- Findings --- */

/* Returns what a graph has in place of `key`, which is of a direction of a path. Free with g_free(). */
static char *in_place_of(scenario_key key)
{
  static const char *const switches[][2] = {{"queue", "port_limit"},
                                            {"queue_size", "port_limit"},
                                            {"ecn_threshold", "ecn_minimum"},
                                            {"discipline", "ecn_minimum"},
                                            {"red_minimum", "ecn_minimum"},
                                            {"red_maximum", "ecn_maximum"},
                                            {"red_probability", "ecn_probability"}};
  const char *last = strrchr(name_of(key), '.') + 1;
  g_autofree char *link = g_strconcat("link.", last, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(switches); i++) {
    if (strcmp(last, switches[i][0]) == 0) {
      return g_strconcat("switch.", switches[i][1], NULL);
    }
  }
  return scenario_key_find(link) < SCENARIO_KEY_COUNT ? g_strconcat(link, ", or trunk or links", NULL)
         : g_str_has_prefix(last, "hop_")             ? g_strdup("links of the graph")
                                                      : g_strdup("that it is not given");
}

/* A path has these keys; a graph has others in their place. */
static gboolean check_path_keys(const checking *on)
{
  gboolean good = TRUE;

  for (scenario_key key = 0; good && key < SCENARIO_KEY_COUNT; key++) {
    const gboolean is_direction =
        scenario_group_has("path.forward", key) || scenario_group_has("path.reverse", key);
    const gboolean is_other = scenario_group_has("path", key) || key == SCENARIO_WORKLOAD_PATHS ||
                              key == SCENARIO_TOPOLOGY_MEDIUM || key == SCENARIO_MEASURE_SIDE;
    g_autofree char *other = is_direction ? in_place_of(key) : g_strdup("that it is not given");

    good = !(is_direction || is_other) || !scenario_differs(on->s, key) ||
           finding_error(on, KEYS(key, SCENARIO_TOPOLOGY_KIND),
                         "%s is of a path, and topology.kind is %s; expected %s", name_of(key),
                         scenario_value_text(on->s, SCENARIO_TOPOLOGY_KIND), other);
  }
  return good;
}

/* The boxes of a graph stand at hosts. */
static gboolean check_graph_boxes(const checking *on)
{
  const path_middleboxes_config *boxes = &on->c->path.middleboxes;

  return boxes->mode.values[0] == PATH_MIDDLEBOX_NONE ||
         ((!choice_list_has(&boxes->mode, PATH_MIDDLEBOX_PROXY) ||
           finding_error(on, KEYS(SCENARIO_MIDDLEBOX_MODE),
                         "middlebox.mode has a proxy, which is of a path, and topology.kind is %s; expected "
                         "split, coalesce, rechunk, shift or random",
                         scenario_value_text(on->s, SCENARIO_TOPOLOGY_KIND))) &&
          (boxes->position != PATH_POSITION_BETWEEN ||
           finding_error(on, KEYS(SCENARIO_MIDDLEBOX_POSITION),
                         "middlebox.position = between is of a path, and topology.kind is %s; expected "
                         "before, for what the hosts of middlebox.at send, or behind, for what they receive",
                         scenario_value_text(on->s, SCENARIO_TOPOLOGY_KIND))) &&
          (*on->c->boxes_at != '\0' ||
           finding_error(on, KEYS(SCENARIO_MIDDLEBOX_MODE),
                         "middlebox.mode: boxes of a graph stand at hosts; expected middlebox.at, the set of "
                         "these")) &&
          scenario_check_sizes_of_boxes(on));
}

/* Calls `look` for each switch that has other entries than those before it, with what it has and
 * `packet_octets`: what `look` finds stands where the entry or the scenario has it. FALSE: it returned that.
 */
static gboolean look_at_switches(const checking *on, const graph *network, uint32_t packet_octets,
                                 gboolean (*look)(const checking *, const network_switch_config *, uint32_t))
{
  guint wrong = 0;
  g_autoptr(GPtrArray) entries = entries_of_nodes(on->s, SCENARIO_SWITCHES, network, &wrong, NULL);
  gboolean good = TRUE;

  for (guint i = 0; good && i < entries->len; i++) {
    g_autoptr(scenario) copy = scenario_of_entries(on->s, SCENARIO_SWITCHES, entries->pdata[i]);
    const checking of = {.s = copy, .c = on->c, .notes = on->notes, .error = on->error};

    good = first_alike(entries, NULL, i) < i || look(&of, &on->c->of_graph.switches[i], packet_octets);
  }
  return good;
}

/* A packet of the largest MTU fits the memory of a switch. */
static gboolean check_switch(const checking *on, const network_switch_config *of, uint32_t mtu)
{
  const struct {
    uint64_t octets;
    scenario_key key;
  } memories[] = {{of->buffer_octets, SCENARIO_SWITCH_BUFFER},
                  {of->port_limit_octets, SCENARIO_SWITCH_PORT_LIMIT}};
  gboolean good = of->ecn_maximum_octets >= of->ecn_minimum_octets ||
                  finding_error(on, KEYS(SCENARIO_SWITCH_ECN_MAXIMUM, SCENARIO_SWITCH_ECN_MINIMUM),
                                "switch.ecn_maximum is less than switch.ecn_minimum; expected at least that");

  for (gsize i = 0; good && i < G_N_ELEMENTS(memories); i++) {
    good = memories[i].octets == 0 || memories[i].octets >= mtu ||
           finding_error(on, KEYS(memories[i].key),
                         "%s = %" G_GUINT64_FORMAT " does not hold a packet of the largest MTU, %u; expected "
                         "at least that",
                         name_of(memories[i].key), memories[i].octets, mtu);
  }
  return good;
}

static const graph_link *link_of(const graph *network, const graph_entry *entry)
{
  for (uint32_t i = 0; i < network->link_count; i++) {
    if (network->links[i].entry == entry) {
      return &network->links[i];
    }
  }
  return NULL;
}

/* An event on links that later entries of `links` have taken over would change nothing. */
static gboolean check_link_changes(const checking *on, const graph *network)
{
  graph_config before = on->c->graph;
  gsize change = 0, wrong;

  for (guint i = 0; i < scenario_entries(on->s, SCENARIO_EVENT); i++) {
    const scenario_setting *key = scenario_entry_setting(on->s, SCENARIO_EVENT, i, SCENARIO_EVENT_KEY);
    const gsize entry = key->value.number == SCENARIO_LINKS_UP ? before.changes[change++].entry : G_MAXSIZE;

    if (entry == G_MAXSIZE || link_of(network, &before.entries[entry]) != NULL) {
      continue;
    }
    before.entry_count = entry + 1;
    g_autoptr(graph) own = graph_new(&before, &wrong, NULL);
    const gsize link = (gsize)(link_of(own, &before.entries[entry]) - own->links);
    const gsize entries[] = {entry, (gsize)(network->links[link].entry - before.entries)};
    const char *origins[2];
    for (guint end = 0; end < 2; end++) {
      origins[end] =
          scenario_entry_setting(on->s, SCENARIO_LINKS, (guint)entries[end], SCENARIO_LINKS_BETWEEN)->origin;
    }
    return scenario_problem(on->error, key->origin,
                            "event: %s changes nothing: all links of that entry (%s) are those of a later "
                            "one (%s), which has the last "
                            "word; expected links of its own",
                            key->value.text, origins[0], origins[1]);
  }
  return TRUE;
}

/* All who talk reach each other at the start; a packet fits the memory of a switch, and is sent on without
 * path MTU discovery. Every MTU holds the FPDU of a 128-octet ULPDU, and has what RFC 8200 §5 demands. */
static gboolean check_ways(const checking *on)
{
  gsize entry;
  GError *problem = NULL;
  g_autoptr(graph) network = graph_new(&on->c->graph, &entry, NULL);
  g_autoptr(graph_routes) routes = graph_routes_new(network, &on->c->routing);
  const uint32_t least = on->c->ipv6 ? 1280 : configuration_headers_octets(on->c) + 140;
  uint32_t mtu = 0, smallest = UINT32_MAX;
  const host_pair *cut = graph_routes_find_cut(routes, on->c->of_graph.pairs, on->c->connections.count);
  gboolean good = cut == NULL || finding_error(on, KEYS(SCENARIO_LINKS),
                                               "links that are down leave h%u no way to h%u; expected one, "
                                               "since they talk",
                                               cut->hosts[0], cut->hosts[1]);

  for (uint32_t i = 0; i < network->link_count; i++) {
    mtu = MAX(mtu, network->links[i].config->link.mtu_octets);
    smallest = MIN(smallest, network->links[i].config->link.mtu_octets);
  }
  good = good && (smallest >= least ||
                  finding_error(on, KEYS(SCENARIO_TRUNK_MTU, SCENARIO_LINKS, SCENARIO_TCP_IP),
                                "a link has an MTU of %u, which is too small; expected at least %u", smallest,
                                least));
  good = good && look_at_switches(on, network, mtu, check_switch) && check_link_changes(on, network);
  if (good && !on->c->tcp.path_mtu_discovery && !graph_routes_check_mtu(routes, &problem)) {
    good = finding_error(on, KEYS(SCENARIO_TCP_PATH_MTU_DISCOVERY), "%s", problem->message);
    g_error_free(problem);
  }
  return good;
}

static gboolean has_impairments(const scenario *s)
{
  gboolean has = FALSE;

  for (scenario_key key = SCENARIO_LINK_ORDER; key <= SCENARIO_LINK_JITTER_REORDERS; key++) {
    has = has || scenario_differs(s, key);
    for (guint i = 0; i < scenario_entries(s, SCENARIO_LINKS); i++) {
      has = has || scenario_entry_setting(s, SCENARIO_LINKS, i, key) != NULL;
    }
  }
  return has;
}

/* In a graph ns-3's TCP is there to compare ours with, where nothing is lost. */
static gboolean check_tcp_implementation(const checking *on)
{
  const configuration *c = on->c;

  for (uint32_t host = 0; host < c->of_graph.host_count; host++) {
    if (c->of_graph.hosts[host]->tcp_is_ns3 != c->tcp_is_ns3) {
      return finding_error(on, KEYS(SCENARIO_HOSTS),
                           "hosts: h%u has a tcp.implementation of its own; expected one for all", host);
    }
  }
  return !c->tcp_is_ns3 ||
         (c->graph.kind == GRAPH_STAR && c->graph.change_count == 0 &&
          c->of_graph.switches->buffer_octets == 0 && c->of_graph.switches->port_limit_octets == 0 &&
          c->of_graph.boxed_count == 0 && !has_impairments(on->s)) ||
         finding_error(on, KEYS(SCENARIO_TCP_IMPLEMENTATION, SCENARIO_TOPOLOGY_KIND),
                       "tcp.implementation = ns3 is of a path, or of a star without switch.buffer, "
                       "switch.port_limit, events, middleboxes and impairments of link; expected iwarpsim");
}

/* Returns the name in `part` of a set, or of a node, without its number. Free with g_free(). */
static char *without_number(const char *part)
{
  gsize length = strcspn(part, "[");

  while (length > 0 && g_ascii_isdigit(part[length - 1])) {
    length--;
  }
  return g_strndup(part, length);
}

/* Returns " (did you mean 'spine'?)" when no node of the graph has the first name in `sets`, but a similar
 * one; else "". Free with g_free(). */
static char *hint_on_sets(const checking *on, const char *sets)
{
  g_auto(GStrv) parts = g_strsplit_set(sets, "+ ", -1);
  g_autoptr(GPtrArray) known = g_ptr_array_new_with_free_func(g_free);
  graph_config config = on->c->graph;
  size_t entry;

  config.entry_count = config.kind == GRAPH_LISTED ? config.entry_count : 0; /* without what is wrong */
  g_autoptr(graph) network = graph_new(&config, &entry, NULL);
  for (uint32_t node = 0; network != NULL && node < network->node_count; node++) {
    g_ptr_array_add(known, without_number(network->names[node]));
  }
  g_ptr_array_add(known, g_strdup("last"));
  g_ptr_array_add(known, g_strdup("all"));
  g_ptr_array_add(known, NULL);
  for (char **part = parts; *part != NULL; part++) {
    g_autofree char *name = without_number(*part);
    const char *const *names = (const char *const *)known->pdata;
    if (!g_strv_contains(names, name)) {
      return scenario_did_you_mean(scenario_suggest(name, names));
    }
  }
  return g_strdup("");
}

gboolean scenario_check_graph(const checking *on)
{
  const configuration *c = on->c;
  const configuration_of_graph *of = &c->of_graph;

  if (c->graph.kind == GRAPH_PATH) {
    return TRUE;
  }
  if (of->problem != NULL && (of->key == SCENARIO_LINKS || of->key == SCENARIO_HOSTS ||
                              of->key == SCENARIO_SWITCHES || of->key == SCENARIO_EVENT)) {
    const scenario_key member = of->key == SCENARIO_LINKS      ? SCENARIO_LINKS_BETWEEN
                                : of->key == SCENARIO_HOSTS    ? SCENARIO_HOSTS_AT
                                : of->key == SCENARIO_SWITCHES ? SCENARIO_SWITCHES_AT
                                                               : SCENARIO_EVENT_KEY;
    const scenario_setting *setting = scenario_entry_setting(on->s, (scenario_key)of->key, of->entry, member);
    g_autofree char *hint = of->key == SCENARIO_EVENT ? g_strdup("") : hint_on_sets(on, setting->value.text);
    return scenario_problem(on->error, setting->origin, "%s: %s%s", name_of((scenario_key)of->key),
                            of->problem, hint);
  }
  const scenario_key key = (scenario_key)of->key;
  const bool is_set = scenario_key_row_of(key)->type == SCENARIO_TYPE_TEXT;
  g_autofree char *hint =
      of->problem != NULL && is_set ? hint_on_sets(on, scenario_settings_value(on->s, key)->text) : NULL;
  const gboolean is_of_links = key == SCENARIO_TOPOLOGY_KIND && c->graph.kind == GRAPH_LISTED;
  return check_path_keys(on) &&
         (of->problem == NULL ||
          finding_error(on,
                        is_of_links ? KEYS(SCENARIO_LINKS, key)
                                    : KEYS(key, SCENARIO_WORKLOAD_PATTERN, SCENARIO_WORKLOAD_FROM,
                                           SCENARIO_WORKLOAD_TO),
                        "%s: %s%s", name_of(is_of_links ? SCENARIO_LINKS : key), of->problem,
                        hint != NULL ? hint : "")) &&
         check_graph_boxes(on) && check_tcp_implementation(on) && check_ways(on);
}

/* A graph alone has these keys. */
static gboolean is_of_graph(scenario_key key)
{
  return (key >= SCENARIO_TOPOLOGY_KIND && key <= SCENARIO_TOPOLOGY_UPLINKS) ||
         (key >= SCENARIO_LINK_RATE && key <= SCENARIO_ROUTING_SPRAY_ACKS) ||
         (key >= SCENARIO_WORKLOAD_PATTERN && key <= SCENARIO_WORKLOAD_FAN_IN) ||
         key == SCENARIO_MEASURE_HOST || key == SCENARIO_MEASURE_HOSTS || key == SCENARIO_FAULT_HOST ||
         key == SCENARIO_MIDDLEBOX_AT || key == SCENARIO_LINKS || key == SCENARIO_SWITCHES ||
         key == SCENARIO_HOSTS;
}

double scenario_queue_packets(const network_switch_config *of, uint32_t packet_octets, uint32_t queues)
{
  const double alpha = (double)of->alpha_numerator / (queues * of->alpha_numerator + of->alpha_denominator);
  const double buffer = (double)of->buffer_octets / packet_octets;
  double packets =
      of->port_limit_octets > 0 ? floor((double)of->port_limit_octets / packet_octets) : INFINITY;

  packets = of->buffer_octets > 0 ? fmin(packets, floor(buffer / queues)) : packets;
  return of->buffer_octets > 0 && of->alpha_numerator > 0 ? fmin(packets, ceil(buffer * alpha)) : packets;
}

/* Returns TRUE. */
static gboolean note_switch(const checking *on, const network_switch_config *of, uint32_t mtu)
{
  const double room = scenario_queue_packets(of, mtu, 1) * mtu;
  const double product = (double)configuration_bandwidth_delay_octets(on->c);

  note_if(on, !isinf(room) && (double)of->ecn_minimum_octets > room - mtu, SCENARIO_SWITCH_ECN_MINIMUM,
          "switch.ecn_minimum = %" G_GUINT64_FORMAT
          " is above the %.0f octets that a packet finds in a queue "
          "at most: none is ever marked",
          of->ecn_minimum_octets, room - mtu);
  note_if(on, room<product, of->buffer_octets> 0 ? SCENARIO_SWITCH_BUFFER : SCENARIO_SWITCH_PORT_LIMIT,
          "a queue holds at most %.0f octets, %.3g of the bandwidth-delay product of %.0f: after a loss the "
          "port may idle",
          room, room / product, product);
  return TRUE;
}

/* Returns whether payload comes to the host of measure.host; auto: to one. */
static gboolean has_payload(const configuration *c)
{
  gboolean has = c->of_graph.measured == c->of_graph.host_count;

  for (enum side side = 0; side < SIDES; side++) {
    const gboolean comes = configuration_payload_share(c, side_peer(side)) > 0;
    for (uint32_t i = 0; i < c->connections.count; i++) {
      has = has || (comes && c->of_graph.pairs[i].hosts[side] == c->of_graph.measured);
    }
  }
  return has;
}

void scenario_note_graph(const checking *on)
{
  enum { ROUND_TRIPS_MANY = 100 };
  const configuration *c = on->c;
  const double round_trips = (double)c->tcp.rto_min_ps / (double)configuration_base_round_trip(c);
  gboolean is_limited = FALSE; /* a queue */
  gsize entry;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const gboolean is_idle = c->graph.kind == GRAPH_PATH
                                 ? is_of_graph(key) && scenario_key_row_of(key)->needs == NULL
                                 : c->graph.kind == GRAPH_STAR && scenario_group_has("trunk", key);
    note_if(on, is_idle && scenario_given(on->s, key) && key != SCENARIO_TOPOLOGY_KIND, key,
            "%s has no effect unless topology.kind != %s", name_of(key),
            c->graph.kind == GRAPH_PATH ? "path" : "star");
  }
  if (c->graph.kind == GRAPH_PATH) {
    return;
  }
  note_if(on, !has_payload(c), SCENARIO_MEASURE_HOST,
          "no payload comes to measure.host = %s: it holds nothing, and nothing is delivered there",
          c->measure.host);
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  for (uint32_t i = 0; i < network->node_count - network->host_count; i++) {
    is_limited =
        is_limited || !isinf(scenario_queue_packets(&c->of_graph.switches[i], c->link.link.mtu_octets, 1));
  }
  look_at_switches(on, network, c->link.link.mtu_octets, note_switch);
  note_if(
      on, is_limited && round_trips >= ROUND_TRIPS_MANY, SCENARIO_TCP_RTO_MIN,
      "tcp.rto_min = %s is %.0f round trips: what a full queue drops at the end of a burst waits that long",
      scenario_value_text(on->s, SCENARIO_TCP_RTO_MIN), round_trips);
}

gboolean scenario_shows(const scenario *s, scenario_key key)
{
  return !is_of_graph(key) || scenario_given(s, key) || scenario_configuration(s)->graph.kind != GRAPH_PATH;
}
