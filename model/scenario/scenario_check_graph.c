/* SPDX-License-Identifier: GPL-2.0-only */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "scenario/scenario_finding.h"

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
  g_autoptr(GPtrArray) entries = scenario_entries_of_nodes(on->s, SCENARIO_SWITCHES, network, &wrong, NULL);
  gboolean good = TRUE;

  for (guint i = 0; good && i < entries->len; i++) {
    g_autoptr(scenario) copy = scenario_of_entries(on->s, SCENARIO_SWITCHES, entries->pdata[i]);
    const checking of = {.s = copy, .c = on->c, .notes = on->notes, .error = on->error};

    good =
        scenario_first_alike(entries, NULL, i) < i || look(&of, &on->c->of_graph.switches[i], packet_octets);
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

/* Sets the error: there is no such graph, or no such traffic in it. */
static gboolean report_problem(const checking *on)
{
  const configuration_of_graph *of = &on->c->of_graph;
  const scenario_key key = (scenario_key)of->key;
  const scenario_key member = key == SCENARIO_LINKS      ? SCENARIO_LINKS_BETWEEN
                              : key == SCENARIO_HOSTS    ? SCENARIO_HOSTS_AT
                              : key == SCENARIO_SWITCHES ? SCENARIO_SWITCHES_AT
                              : key == SCENARIO_EVENT    ? SCENARIO_EVENT_KEY
                                                         : SCENARIO_KEY_COUNT;

  if (member != SCENARIO_KEY_COUNT) {
    const scenario_setting *setting = scenario_entry_setting(on->s, key, of->entry, member);
    g_autofree char *hint = key == SCENARIO_EVENT ? g_strdup("") : hint_on_sets(on, setting->value.text);
    return scenario_problem(on->error, setting->origin, "%s: %s%s", name_of(key), of->problem, hint);
  }
  g_autoptr(scenario) class = scenario_of_class(on->s, of->entry);
  const gboolean is_of_class = scenario_group_has("workload", key);
  const checking of_class = {.s = class,
                             .c = on->c,
                             .error = on->error,
                             .group = is_of_class ? scenario_class_group(on->s, of->entry) : NULL};
  const bool is_set = scenario_key_row_of(key)->type == SCENARIO_TYPE_TEXT;
  const bool is_of_links = key == SCENARIO_TOPOLOGY_KIND && on->c->graph.kind == GRAPH_LISTED;
  g_autofree char *hint = is_set ? hint_on_sets(on, scenario_settings_value(class, key)->text) : g_strdup("");
  return finding_error(
      &of_class,
      is_of_links ? KEYS(SCENARIO_LINKS, key)
                  : KEYS(key, SCENARIO_WORKLOAD_PATTERN, SCENARIO_WORKLOAD_FROM, SCENARIO_WORKLOAD_TO),
      "%s: %s%s", name_of(is_of_links ? SCENARIO_LINKS : key), of->problem, hint);
}

gboolean scenario_check_graph(const checking *on)
{
  const configuration_of_graph *of = &on->c->of_graph;

  if (on->c->graph.kind == GRAPH_PATH) {
    return TRUE;
  }
  const gboolean is_of_list =
      of->problem != NULL && scenario_key_row_of((scenario_key)of->key)->type == SCENARIO_TYPE_GROUPS;
  return (is_of_list || check_path_keys(on)) && (of->problem == NULL || report_problem(on)) &&
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
    for (uint32_t i = 0; i < c->connections.count; i++) {
      const traffic_class *of = configuration_class_of(c, i);
      const gboolean comes = traffic_class_payload_share(of, side_peer(side)) > 0;
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
