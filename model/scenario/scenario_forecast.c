/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_forecast.h"

#include <math.h>

#include "base/units.h"
#include "scenario/scenario_finding.h"
#include "scenario/scenario_offered.h"
#include "scenario/scenario_volume.h"

/* As in scenario_topology.c: a row starts with its name, or goes on below the one before it. */
#define ROW "  %-10s "

/* Returns "20000 messages", and "about 73 messages" of what is not known to be whole. Free with g_free(). */
static char *message_count(double messages)
{
  const bool is_whole = fabs(messages - round(messages)) < 1e-6 * messages || messages == 0;

  return g_strdup_printf("%s%.*f %s", is_whole ? "" : "about ", is_whole || messages >= 10 ? 0 : 1, messages,
                         units_counted(messages, "messages"));
}

/* The hosts at which messages of the class arrive: of an incast those that receive. */
static uint32_t count_hosts(const configuration *c, const traffic_class *of, enum side side)
{
  g_autoptr(GHashTable) hosts = g_hash_table_new(NULL, NULL);

  for (uint32_t i = 0; c->graph.kind != GRAPH_PATH && i < of->connection_count; i++) {
    g_hash_table_add(hosts, GUINT_TO_POINTER(c->of_graph.pairs[of->first_connection + i].hosts[side]));
  }
  return MAX(g_hash_table_size(hosts), 1);
}

static void add_sizes(GString *page, const traffic_class *of, double messages)
{
  g_autofree char *count = message_count(messages),
                  *mean = units_format_amount(traffic_class_mean_octets(of), "octets");
  g_autofree char *all = units_format_amount(messages * traffic_class_mean_octets(of), "octets");

  g_string_append_printf(page, "%s of %s", count, mean);
  if (of->sizes != NULL) {
    g_autofree char *median = units_format_amount(size_distribution_quantile(of->sizes, 0.5), "octets");
    g_autofree char *large = units_format_amount(size_distribution_quantile(of->sizes, 0.99), "octets");
    g_string_append_printf(page, " on average (p50 %s, p99 %s)", median, large);
  }
  g_string_append_printf(page, ", %s in all", all);
}

/* Adds what arrives: how often, and of the rate of a link how much. */
static void add_load(GString *page, const configuration *c, const traffic_class *of)
{
  const bool is_graph = c->graph.kind != GRAPH_PATH;
  const bool is_incast = is_graph && of->pattern.pattern == TRAFFIC_INCAST;
  const enum side at = is_incast ? SIDE_RESPONDER : SIDE_INITIATOR;
  const uint32_t hosts = count_hosts(c, of, at);
  const uint32_t host = is_graph ? c->of_graph.pairs[of->first_connection].hosts[at] : 0;
  const enum side direction =
      traffic_class_payload_share(of, SIDE_INITIATOR) > 0 ? SIDE_INITIATOR : SIDE_RESPONDER;
  const path_link_config *link = &c->path.directions[SIDE_INITIATOR].link;
  const uint64_t rate = is_graph ? c->of_graph.rates_bit_per_s[host] : link->rate_bit_per_s;
  g_autofree double *intervals = traffic_class_intervals_ps(of, c);
  const uint32_t pairs = of->connection_count / of->connections_per_pair;
  const double at_once = !is_incast ? 1 : of->pattern.fan_in > 0 ? of->pattern.fan_in : (double)pairs / hosts;
  const double octets = at_once * 8 / (intervals[host] / (double)TIME_PS_PER_SECOND) / (double)rate;
  const double wire = scenario_wire_octets(c, of, direction, link->mtu_octets, link->framing_octets);
  g_autofree char *interval = units_format_amount(intervals[host] / (double)TIME_PS_PER_SECOND, "s");
  g_autofree char *speed = units_format_amount((double)rate, "bit/s");
  const char *who = is_incast ? "receiver" : "sender";
  g_autofree char *each =
      hosts == 1 ? g_strdup_printf("the %s", who) : g_strdup_printf("each of %u %ss", hosts, who);

  g_string_append_printf(page, "; %s%s at %s, %.4g %% of %s, %.4g %% with headers",
                         is_incast ? "an incast every " : "every ", interval, each,
                         100 * octets * traffic_class_mean_octets(of), speed, 100 * octets * wire);
}

/* Adds what the first windows of an incast lose at the receiver's port, where its senders begin at the same
 * time. */
static void add_incast(GString *page, const configuration *c, const traffic_class *of)
{
  size_t entry;
  g_autoptr(graph) network = graph_new(&c->graph, &entry, NULL);
  const uint32_t host = c->of_graph.pairs[of->first_connection].hosts[SIDE_RESPONDER];
  const graph_link *link = &network->links[graph_link_at(network, host, 0)];
  const uint32_t node = link->nodes[1 - graph_end_at(link, host)];
  const uint32_t hosts = count_hosts(c, of, SIDE_RESPONDER);
  const double senders = of->pattern.fan_in > 0
                             ? of->pattern.fan_in
                             : (double)of->connection_count / of->connections_per_pair / hosts;
  const uint32_t mtu = link->config->link.mtu_octets;
  const double packets =
      ceil(traffic_class_mean_octets(of) / scenario_segment_payload(c, SIDE_INITIATOR, mtu));
  const double window = fmin(c->tcp.initial_window_segments, packets);
  const double room = graph_is_host(network, node)
                          ? INFINITY
                          : scenario_queue_packets(&c->of_graph.switches[node - network->host_count], mtu, 1);

  if (!isinf(room)) {
    g_string_append_printf(
        page,
        "\n             of first windows of an incast w (N - 1) - b = %.4g (%.4g - 1) - %.0f: %.0f "
        "packets lost",
        window, senders, room - 1, fmax(0, window * (senders - 1) - (room - 1)));
  }
}

/* Adds the links at which most arrives: of hosts, and of switches. */
static void add_links(GString *page, const configuration *c)
{
  uint32_t count, most[2] = {UINT32_MAX, UINT32_MAX};
  g_autofree offered_load *loads = scenario_offered(c, &count);

  for (uint32_t i = 0; i < count; i++) {
    uint32_t *so_far = &most[loads[i].is_port];
    *so_far = *so_far == UINT32_MAX || loads[i].wire > loads[*so_far].wire ? i : *so_far;
  }
  for (uint32_t kind = 0; kind < 2; kind++) {
    const offered_load *of = most[kind] < UINT32_MAX ? &loads[most[kind]] : NULL;
    g_autofree char *name = of != NULL ? scenario_offered_name(c, most[kind]) : NULL;
    if (of != NULL && of->wire > 0) {
      g_string_append_printf(page, ROW "%s: %.4g %% of payload, %.4g %% with headers\n",
                             kind == 0 ? "busiest" : "", name, 100 * of->payload, 100 * of->wire);
    }
  }
}

char *scenario_forecast_text(const scenario *s)
{
  const configuration *c = scenario_configuration(s);
  GString *page = g_string_new("");
  bool any = false;

  for (uint32_t i = 0; i < c->class_count; i++) {
    const traffic_class *of = &c->classes[i];
    const bool arrive = of->arrivals != ARRIVALS_POSTED;

    if (c->class_count == 1 && !of->workload.open_loop && of->until_ps == 0) {
      g_string_free(page, TRUE);
      return NULL;
    }
    g_string_append_printf(page, ROW "%s%s", i == 0 ? "traffic" : "", of->name,
                           *of->name != '\0' ? ": " : "");
    add_sizes(page, of, scenario_messages(c, of));
    if (arrive) {
      add_load(page, c, of);
    }
    if (arrive && c->graph.kind != GRAPH_PATH && of->pattern.pattern == TRAFFIC_INCAST) {
      add_incast(page, c, of);
    }
    g_string_append_c(page, '\n');
    any = any || arrive;
  }
  if (any) {
    add_links(page, c);
  }
  return g_string_free(page, FALSE);
}
