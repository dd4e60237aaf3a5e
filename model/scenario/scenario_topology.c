/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_topology.h"

#include <math.h>

#include "base/units.h"
#include "scenario/scenario_finding.h"
#include "scenario/scenario_volume.h"
#include "traffic/traffic_pattern.h"

/* A row starts with its name, or goes on below the one before it; its text follows. */
#define ROW "  %-10s "
#define MORE "\n             "

typedef struct topology {
  const configuration *c;
  graph *network;
  graph_routes *routes;
  GString *page;
} topology;

static const graph_link *link_at(const graph *network, uint32_t node, uint32_t port)
{
  return &network->links[graph_link_at(network, node, port)];
}

static uint32_t far_end(const graph_link *link, uint32_t node)
{
  return link->nodes[1 - graph_end_at(link, node)];
}

/* Returns rate, delay and MTU of `link`, and its entry's name. Free with g_free(). */
static char *link_text(const graph_link *link)
{
  g_autofree char *rate = units_format_rate(link->config->link.rate_bit_per_s);
  g_autofree char *delay = units_format_time(link->config->link.delay_ps);

  const char *name = link->entry != NULL ? link->entry->name : NULL;

  return g_strdup_printf(name != NULL ? "%s, %s, MTU %u (%s)" : "%s, %s, MTU %u", rate, delay,
                         link->config->link.mtu_octets, name);
}

/* --- What there is --- */

static void add_nodes(const topology *t, const char *name, uint32_t first, uint32_t end)
{
  g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));

  for (uint32_t node = first; node < end; node++) {
    g_array_append_val(nodes, node);
  }
  g_autofree char *text = graph_format(t->network, nodes);
  g_string_append_printf(t->page, ROW "%u: %s\n", name, nodes->len, nodes->len > 0 ? text : "none");
}

static void add_links(const topology *t)
{
  enum { KINDS_SHOWN = 6 };
  g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GPtrArray) kinds = g_ptr_array_new(); /* the keys of `counts` */

  for (uint32_t i = 0; i < t->network->link_count; i++) {
    char *kind = link_text(&t->network->links[i]);
    const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, kind));
    if (!g_hash_table_insert(counts, kind, GUINT_TO_POINTER(count + 1))) {
      continue; /* the key stays, and `kind` is free */
    }
    g_ptr_array_add(kinds, kind);
  }
  g_string_append_printf(t->page, ROW "%u", "links", t->network->link_count);
  for (guint i = 0; i < MIN(kinds->len, KINDS_SHOWN); i++) {
    const guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, kinds->pdata[i]));
    g_string_append_printf(t->page, "%s %u of %s", i == 0 ? ":" : ";", count, (char *)kinds->pdata[i]);
  }
  g_string_append(t->page, kinds->len > KINDS_SHOWN ? "; and others\n" : "\n");
}

/* The tier of a switch is its distance from the nearest host. Down are its links to the tier below, up all
 * others. A tier from which none leads up is left out. */
static void add_tiers(const topology *t)
{
  const graph *network = t->network;
  g_autofree uint32_t *tiers = g_new0(uint32_t, network->node_count);
  bool goes_on = true;

  for (uint32_t tier = 1; goes_on; tier++) {
    g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    double most = 0;

    for (uint32_t node = network->host_count; node < network->node_count; node++) {
      double down = 0, up = 0;
      for (uint32_t port = 0; port < graph_port_count(network, node); port++) {
        const graph_link *link = link_at(network, node, port);
        const uint32_t far = far_end(link, node);
        const bool is_below = tier == 1 ? graph_is_host(network, far) : tiers[far] == tier - 1;
        *(is_below ? &down : &up) += (double)link->config->link.rate_bit_per_s;
      }
      if (tiers[node] != 0 || down == 0) {
        continue;
      }
      tiers[node] = tier;
      g_array_append_val(nodes, node);
      most = up > 0 ? fmax(most, down / up) : most;
    }
    if (most > 0) {
      g_autofree char *names = graph_format(network, nodes);
      g_string_append_printf(t->page, "  tier %-5u %s: oversubscribed %.3g:1%s\n", tier, names, most,
                             nodes->len > 1 ? " at most" : "");
    }
    goes_on = nodes->len > 0;
  }
}

/* --- Pairs of hosts --- */

/* These are the pairs with so many switches on their routes, and the routes of one way. */
typedef struct pair_class {
  uint64_t pairs, most_routes;
  time_ps smallest_ps, largest_ps, skew_ps;
  double product_octets; /* the largest bandwidth-delay product */
} pair_class;

static void count_pair(pair_class *class, const graph_pair *pair)
{
  const double round_trip_s = 2 * time_ps_in_seconds(pair->largest_delay_ps);

  class->smallest_ps =
      class->pairs++ == 0 ? pair->smallest_delay_ps : MIN(class->smallest_ps, pair->smallest_delay_ps);
  class->largest_ps = MAX(class->largest_ps, pair->largest_delay_ps);
  class->skew_ps = MAX(class->skew_ps, pair->largest_delay_ps - pair->smallest_delay_ps);
  class->most_routes = MAX(class->most_routes, pair->routes);
  class->product_octets = MAX(class->product_octets, (double)pair->rate_bit_per_s / 8 * round_trip_s);
}

/* Returns for each host the first with an equal link to the same node: their routes are equal. */
static uint32_t *kinds_of_hosts(const graph *network)
{
  uint32_t *kinds = g_new0(uint32_t, network->host_count);

  for (uint32_t host = 0; host < network->host_count; host++) {
    const graph_link *link = link_at(network, host, 0), *other = link_at(network, 0, 0);
    while (other->config != link->config || far_end(other, kinds[host]) != far_end(link, host)) {
      other = link_at(network, ++kinds[host], 0);
    }
  }
  return kinds;
}

static void add_pairs(const topology *t)
{
  const uint32_t hosts = t->network->host_count;
  g_autofree uint32_t *kinds = kinds_of_hosts(t->network);
  g_autofree graph_pair *known = g_new0(graph_pair, (gsize)hosts * hosts);     /* of two kinds */
  g_autofree pair_class *classes = g_new0(pair_class, t->network->node_count); /* by links less one */
  const char *label = "pairs";

  for (uint32_t a = 0; a < hosts; a++) {
    const uint32_t mtu = link_at(t->network, a, 0)->config->link.mtu_octets;
    for (uint32_t b = a + 1; b < hosts; b++) {
      graph_pair *pair = &known[kinds[a] * hosts + kinds[b]];
      *pair = pair->routes > 0 ? *pair : graph_routes_pair(t->routes, a, b, mtu);
      if (pair->routes > 0) { /* a link may be down */
        count_pair(&classes[pair->links - 1], pair);
      }
    }
  }
  for (uint32_t switches = 0; switches < t->network->node_count; switches++) {
    const pair_class *class = &classes[switches];
    g_autofree char *least = units_format_amount(2 * time_ps_in_seconds(class->smallest_ps), "s");
    g_autofree char *most = units_format_amount(2 * time_ps_in_seconds(class->largest_ps), "s");
    g_autofree char *skew = units_format_amount(time_ps_in_seconds(class->skew_ps), "s");
    g_autofree char *product = units_format_amount(class->product_octets, "octets");
    if (class->pairs == 0) {
      continue;
    }
    g_string_append_printf(t->page, ROW "%" G_GUINT64_FORMAT " over %u %s: round trip %s", label,
                           class->pairs, switches, units_counted(switches, "switches"), least);
    if (class->smallest_ps < class->largest_ps) {
      g_string_append_printf(t->page, " to %s", most);
    }
    g_string_append_printf(t->page, ", %" G_GUINT64_FORMAT " %s", class->most_routes,
                           units_counted((double)class->most_routes, "routes"));
    if (class->skew_ps > 0) {
      g_string_append_printf(t->page, ", skew %s", skew);
    }
    g_string_append_printf(t->page, ", bandwidth-delay product %s\n", product);
    label = "";
  }
}

/* --- Traffic --- */

/* Returns what the switch of `host` has; another host has no limits. */
static network_switch_config switch_of(const topology *t, uint32_t host)
{
  static const network_switch_config unlimited = {.buffer_octets = 0};
  const uint32_t node = far_end(link_at(t->network, host, 0), host);

  return graph_is_host(t->network, node) ? unlimited : t->c->of_graph.switches[node - t->network->host_count];
}

/* Adds how many connections there are, and returns one to the host to which most lead. */
static const host_pair *add_connections(const topology *t)
{
  const configuration *c = t->c;
  g_autofree uint32_t *received = g_new0(uint32_t, t->network->host_count);
  const host_pair *most = c->of_graph.pairs;

  for (uint32_t i = 0; i < c->connections.count; i++) {
    received[c->of_graph.pairs[i].hosts[c->measured]]++;
  }
  for (uint32_t i = 1; i < c->connections.count; i++) {
    const host_pair *pair = &c->of_graph.pairs[i];
    const uint32_t sink = pair->hosts[c->measured], so_far = most->hosts[c->measured];
    const bool is_more =
        received[sink] == received[so_far] ? sink < so_far : received[sink] > received[so_far];
    most = is_more ? pair : most;
  }
  g_string_append_printf(t->page, ROW "%u at most, up to %u to one host (%s)\n", "connected",
                         c->connections.count, received[most->hosts[c->measured]],
                         t->network->names[most->hosts[c->measured]]);
  return most;
}

/* What the connections bring to one direction of a link, if all begin at once and nothing is lost before:
 * packets of first windows, and when the last of them has come; octets of open windows. */
typedef struct burst {
  double packets, come_s, open_octets;
} burst;

/* Of each link, first of the direction from its first end; in a walk along the routes of a connection, of
 * each node. */
typedef struct burst_walk {
  burst *links, *nodes;
  uint32_t *walked;
} burst_walk;

static double packet_s(const graph_link *link)
{
  const path_link_config *of = &link->config->link;

  return time_ps_in_seconds(time_ps_to_send(path_link_octets(of, of->mtu_octets), of->rate_bit_per_s));
}

/* Follows the window of `flow` along its routes, all of which have one length; what is sprayed is divided
 * equally. `adds`: to the packets and octets. The times are right once it returns false for all: none came
 * later than was known. */
static bool follow_window(const topology *t, const burst_walk *on, graph_flow flow, burst window, bool adds)
{
  uint32_t walked = 1;
  bool is_later = false;

  on->walked[0] = flow.source;
  on->nodes[flow.source] = window;
  for (uint32_t done = 0; done < walked && on->walked[done] != flow.destination; done++) {
    const uint32_t node = on->walked[done];
    const burst *here = &on->nodes[node];
    const bool is_host = graph_is_host(t->network, node);
    uint32_t count = 1;
    const uint16_t *ports = is_host ? NULL : graph_routes_ports(t->routes, node, flow.destination, &count);
    const bool by_flow = count > 1 && t->c->routing.choice == GRAPH_ECMP;

    count = by_flow ? 1 : count;
    for (uint32_t i = 0; i < count; i++) {
      const uint16_t port = is_host ? 0 : by_flow ? graph_routes_port(t->routes, node, flow, true) : ports[i];
      const graph_link *link = link_at(t->network, node, port);
      burst *by = &on->links[2 * (link - t->network->links) + graph_end_at(link, node)];
      burst *next = &on->nodes[far_end(link, node)];

      if (next->packets == 0) {
        on->walked[walked++] = far_end(link, node);
      }
      next->packets += here->packets / count;
      next->open_octets += here->open_octets / count;
      by->packets += adds ? here->packets / count : 0;
      by->open_octets += adds ? here->open_octets / count : 0;
      is_later = is_later || here->come_s > by->come_s;
      by->come_s = fmax(by->come_s, here->come_s);
      next->come_s = fmax(next->come_s, fmax(by->come_s, by->packets * packet_s(link)));
    }
  }
  for (uint32_t i = 0; i < walked; i++) {
    on->nodes[on->walked[i]] = (burst){.packets = 0};
  }
  return is_later;
}

/* Returns what connections bring to each direction of a link: all, or those whose messages are posted at
 * once. */
static burst *first_windows(const topology *t, bool only_posted)
{
  const configuration *c = t->c;
  g_autofree uint16_t *ports = traffic_ports(c->of_graph.pairs, c->connections.count);
  g_autofree burst *nodes = g_new0(burst, t->network->node_count);
  g_autofree uint32_t *walked = g_new(uint32_t, t->network->node_count);
  const burst_walk on = {g_new0(burst, (gsize)2 * t->network->link_count), nodes, walked};

  for (bool adds = true, goes_on = true; goes_on; adds = false) {
    goes_on = adds;
    for (uint32_t i = 0; i < SIDES * c->connections.count; i++) {
      const traffic_class *class = configuration_class_of(c, i / SIDES);
      const uint32_t *hosts = c->of_graph.pairs[i / SIDES].hosts;
      const enum side from = i % SIDES, to = side_peer(from);
      const configuration *of = c->of_graph.hosts[hosts[from]];
      if (!(traffic_class_payload_share(class, from) > 0) || (only_posted && class->workload.open_loop)) {
        continue;
      }
      const double open_octets = scenario_in_flight_octets(of, class, from);
      const double full =
          open_octets / scenario_segment_payload(of, from, of->path.directions[from].link.mtu_octets);
      const graph_flow flow = {(uint16_t)hosts[from], (uint16_t)hosts[to],
                               from == SIDE_INITIATOR ? ports[i / SIDES] : TRAFFIC_RESPONDER_PORT,
                               from == SIDE_INITIATOR ? TRAFFIC_RESPONDER_PORT : ports[i / SIDES]};
      /* at least one, of messages without payload */
      const burst window = {.packets = fmin(of->tcp.initial_window_segments, fmax(1, ceil(full))),
                            .open_octets = open_octets};

      goes_on = follow_window(t, &on, flow, window, adds) || goes_on;
    }
  }
  return on.links;
}

double scenario_graph_losses(const configuration *c)
{
  size_t entry;
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  g_autoptr(graph_routes) routes = graph_routes_new(network, &c->routing);
  const topology t = {c, network, routes, NULL};
  double sent = 0, lost = 0;

  for (uint32_t i = 0; i < network->link_count; i++) {
    lost += path_loss_share(network->links[i].config);
  }
  if (lost == 0) { /* the walk takes long where connections are many */
    return 0;
  }
  lost = 0;
  g_autofree burst *bursts = first_windows(&t, false);
  for (uint32_t i = 0; i < 2 * network->link_count; i++) {
    const graph_link *link = &network->links[i / 2];
    sent += graph_is_host(network, link->nodes[i % 2]) ? bursts[i].packets : 0;
    lost += bursts[i].packets * path_loss_share(link->config);
  }
  return lost / sent;
}

/* Adds what comes by direction `direction` of a link to the switch's port there, which has room for `room`
 * packets: of N w packets w leave while they come, one is sent, and b have room beside it. */
static void add_burst(const topology *t, const char *label, const burst *of, uint32_t direction, double room)
{
  const graph_link *link = &t->network->links[direction / 2];
  const uint32_t node = link->nodes[direction % 2];
  const double window = of->come_s / packet_s(link), lost = fmax(0, of->packets - window - (room - 1));
  const double round_trip_s = time_ps_in_seconds(configuration_base_round_trip(t->c));
  const double under_way = (double)link->config->link.rate_bit_per_s / 8 * round_trip_s;
  const bool overflows = of->open_octets > room * link->config->link.mtu_octets + under_way;
  const bool marks = t->c->of_graph.switches[node - t->network->host_count].ecn_minimum_octets > 0 &&
                     scenario_uses_ecn(t->c);
  g_autofree char *open = units_format_amount(of->open_octets, "octets"),
                  *product = units_format_amount(under_way, "octets");

  g_string_append_printf(t->page,
                         ROW
                         "%s to %s, if all begin at once: of first windows w (N - 1) - b = %.4g (%.4g - 1) - "
                         "%.0f: %.0f %s lost" MORE,
                         label, t->network->names[node], t->network->names[far_end(link, node)], window,
                         of->packets / window, room - 1, lost, units_counted(lost, "packets"));
  g_string_append_printf(t->page, "  open windows of %s over its queue, and %s under way: it %s%s\n", open,
                         product, overflows ? "overflows" : "does not overflow",
                         overflows && marks ? ", unless marks come before" : "");
}

/* Adds the ports of switches at which most of the first windows is lost, or which they come nearest to
 * filling (docs/decisions.md, "Switches (model/network/network_switch)"). */
static void add_bursts(const topology *t)
{
  enum { SHOWN = 4 };
  const graph *network = t->network;
  const uint32_t directions = 2 * network->link_count;
  g_autofree burst *bursts = first_windows(t, true);
  g_autofree uint32_t *meeting = g_new0(uint32_t, network->node_count); /* ports that fill together */
  g_autofree double *rooms = g_new0(double, directions), *waiting = g_new0(double, directions);

  for (uint32_t i = 0; i < directions; i++) {
    waiting[i] = bursts[i].packets - bursts[i].come_s / packet_s(&network->links[i / 2]);
    meeting[network->links[i / 2].nodes[i % 2]] += waiting[i] >= 1;
  }
  for (uint32_t i = 0; i < directions; i++) {
    const graph_link *link = &network->links[i / 2];
    const uint32_t node = link->nodes[i % 2];

    rooms[i] = graph_is_host(network, node) || waiting[i] < 1
                   ? INFINITY
                   : scenario_queue_packets(&t->c->of_graph.switches[node - network->host_count],
                                            link->config->link.mtu_octets, meeting[node]);
  }
  for (uint32_t shown = 0; shown <= SHOWN; shown++) {
    uint32_t worst = 0;

    for (uint32_t i = 1; i < directions; i++) {
      worst = waiting[i] - rooms[i] > waiting[worst] - rooms[worst] ? i : worst;
    }
    if (isinf(rooms[worst]) || (shown > 0 && waiting[worst] < rooms[worst])) {
      break;
    }
    if (shown == SHOWN) {
      g_string_append_printf(t->page, ROW "and others\n", "");
    } else {
      add_burst(t, shown == 0 ? "bursts" : "", &bursts[worst], worst, rooms[worst]);
    }
    rooms[worst] = INFINITY;
  }
}

/* Adds what full-size segments of the connection between `ends` make of the port at its sink, and what the
 * queue there may hold and where it marks, also as times. */
static void add_port(const topology *t, const host_pair *ends)
{
  const uint32_t sink = ends->hosts[t->c->measured], source = ends->hosts[side_peer(t->c->measured)];
  const path_link_config *port = &link_at(t->network, sink, 0)->config->link;
  const uint32_t sent = link_at(t->network, source, 0)->config->link.mtu_octets;
  const uint32_t mtu = graph_routes_pair(t->routes, source, sink, sent).mtu_octets;
  const double rate = (double)port->rate_bit_per_s;
  const double share = scenario_segment_payload(t->c->of_graph.hosts[source], t->c->main_direction, mtu) /
                       path_link_octets(port, mtu);
  const network_switch_config at = switch_of(t, sink);
  const double sizes[] = {scenario_queue_packets(&at, port->mtu_octets, 1) * port->mtu_octets,
                          (double)at.ecn_minimum_octets, (double)at.ecn_maximum_octets};
  const gsize count = sizes[1] < sizes[2] ? 3 : 2;
  static const char *const words[] = {"; a queue holds at most", "; marks begin at", ", and all are, from"};
  g_autofree char *all = units_format_amount(rate, "bit/s"),
                  *used = units_format_amount(rate * share, "bit/s");

  g_string_append_printf(t->page, ROW "%s, %s (%.3g %%) of payload in full-size segments", "port", all, used,
                         100 * share);
  for (gsize i = 0; i < count; i++) {
    g_autofree char *size = units_format_amount(sizes[i], "octets"),
                    *time = units_format_amount(sizes[i] * 8 / rate, "s");
    if (sizes[i] > 0 && !isinf(sizes[i])) {
      g_string_append_printf(t->page, "%s %s (%s)", words[i], size, time);
    }
  }
  g_string_append_c(t->page, '\n');
}

static void add_boxes(const topology *t, const scenario *s)
{
  const configuration_of_graph *of = &t->c->of_graph;
  g_autoptr(GArray) hosts = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  const char *mode = scenario_value_text(s, SCENARIO_MIDDLEBOX_MODE);

  g_array_append_vals(hosts, of->boxed, of->boxed_count);
  g_autofree char *names = graph_format(t->network, hosts);
  if (of->boxed_count > 0) {
    g_string_append_printf(t->page, ROW "%s: what comes %s %s\n", "boxes", mode,
                           t->c->path.middleboxes.position == PATH_POSITION_BEFORE ? "from" : "to", names);
  }
}

static void draw(const topology *t)
{
  const graph *network = t->network;

  g_string_append(t->page, "graph {\n  node [shape=box];\n");
  for (uint32_t node = 0; node < network->node_count; node++) {
    g_string_append_printf(t->page, "  \"%s\"%s;\n", network->names[node],
                           graph_is_host(network, node) ? " [shape=ellipse]" : "");
  }
  for (uint32_t i = 0; i < network->link_count; i++) {
    const uint32_t *nodes = network->links[i].nodes;
    g_autofree char *text = link_text(&network->links[i]);
    g_string_append_printf(t->page, "  \"%s\" -- \"%s\" [label=\"%s\"];\n", network->names[nodes[0]],
                           network->names[nodes[1]], text);
  }
  g_string_append(t->page, "}\n");
}

char *scenario_topology_text(const scenario *s, gboolean draws)
{
  const configuration *c = scenario_configuration(s);
  size_t entry;

  if (c->graph.kind == GRAPH_PATH) {
    return NULL;
  }
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  g_autoptr(graph_routes) routes = graph_routes_new(network, &c->routing);
  const topology t = {c, network, routes, g_string_new("")};
  if (draws) {
    draw(&t);
  } else {
    add_nodes(&t, "hosts", 0, network->host_count);
    add_nodes(&t, "switches", network->host_count, network->node_count);
    add_links(&t);
    add_tiers(&t);
    add_pairs(&t);
    const host_pair *busiest = add_connections(&t);
    add_bursts(&t);
    add_port(&t, busiest);
    add_boxes(&t, s);
  }
  return g_string_free(t.page, FALSE);
}
